//! The roll that decides the first turn.

use super::take_turn;
use crate::rulesets::seize::{
    Combatant, CritOn, Encounter, Enemies, FullTie, InitiativeRoll, InitiativeRolled, Meaning,
    Play, Roll, RollOff, Rolled, RolledOff, Start,
};
use crate::rulesets::shared::{next_round, start_encounter, start_round};
use crate::vocabulary::{CombatantId, D20, Die, Kind, Slug, Violation};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// A combatant or a group of enemies that rolls one die (WA-3).
struct Roller {
    group: Option<Slug>,
    /// The highest bonus first, then who joined first; the hidden last.
    combatants: Vec<CombatantId>,
    /// The highest among them (WA-3a); the hidden's would show.
    bonus: i64,
    /// That of its first, who would take the turn.
    seniority: Seniority,
}

/// Breaks a full tie: a player's character goes first, then the first to join (WA-5a).
type Seniority = (bool, Reverse<u32>);

/// A roll, who goes first in a full tie of rolls, and the die of the roll-off.
struct RankedRoll {
    roll: InitiativeRoll,
    seniority: Seniority,
    roll_off: Option<Die>,
}

pub(super) fn start(play: &mut Play<'_>, c: &Start) -> Result<(), Violation> {
    let rollers = rollers(play.encounter(), c.enemies);
    check_dice(play, "rolls", &c.rolls, &rollers)?;
    check_dice(play, "roll_offs", &c.roll_offs, &rollers)?;
    check_group_dice("group_rolls", &c.group_rolls, &rollers)?;
    check_group_dice("group_roll_offs", &c.group_roll_offs, &rollers)?;
    start_encounter(play, "WA-1")?;
    let mut ranked = roll(play, c, rollers);
    let rolled_off = roll_off(play, c, &mut ranked);
    let ranking: Vec<_> = ranked.into_iter().map(|ranked| ranked.roll).collect();
    let all_rolled_one = ranking.iter().all(|roll| roll.meaning == Meaning::One);
    let first = ranking
        .first()
        .and_then(|best| best.combatants.first().cloned());
    play.emit(InitiativeRolled { ranking });
    if !rolled_off.is_empty() {
        play.emit(RolledOff {
            ranking: rolled_off,
        });
    }
    let Some(first) = first else {
        return Ok(());
    };
    start_round(play, 1);
    if all_rolled_one {
        next_round(play);
    }
    take_turn(play, &first);
    Ok(())
}

/// Rolls a combatant's own die before the start.
pub(super) fn roll_own_die(play: &mut Play<'_>, c: &Roll) -> Result<(), Violation> {
    let id = &c.combatant;
    let fighter = play.fighter("combatant", id, "WA-1")?;
    if let Some(group) = group(play.encounter(), fighter, Enemies::Apart) {
        let detail = format!("{id} rolls with the group {group}. The game master sends that die.");
        return Err(Violation::field("rolls_no_die", "combatant", detail));
    }
    let die = play.die(c.roll);
    play.emit(Rolled {
        combatant: id.clone(),
        die,
    });
    Ok(())
}

/// The group of enemies with which a combatant rolls (WA-3).
fn group(encounter: &Encounter, c: &Combatant, enemies: Enemies) -> Option<Slug> {
    if c.side == "players" || encounter.options.not_enemies.contains(&c.side) {
        return None;
    }
    match enemies {
        Enemies::Apart => c.stats.roll_group.clone(),
        Enemies::Together => Some(Slug::fixed("enemies")),
    }
}

/// Refuses dice of combatants that do not roll for themselves.
fn check_dice(
    play: &Play<'_>,
    field: &'static str,
    dice: &BTreeMap<CombatantId, D20>,
    rollers: &[Roller],
) -> Result<(), Violation> {
    for id in dice.keys() {
        play.combatant(field, id)?;
        let roller = rollers.iter().find(|r| r.combatants.contains(id));
        let detail = match roller {
            Some(Roller { group: None, .. }) => continue,
            Some(Roller {
                group: Some(group), ..
            }) => {
                format!("{id} rolls with the group {group}. Send the die of that group.")
            }
            None => format!("{id} can't roll while out of the fight. Leave that die out."),
        };
        let path = format!("{field}.{}", id.as_str());
        return Err(Violation::field("rolls_no_die", path, detail));
    }
    Ok(())
}

/// Refuses dice of groups that do not roll.
fn check_group_dice(
    field: &'static str,
    dice: &BTreeMap<Slug, D20>,
    rollers: &[Roller],
) -> Result<(), Violation> {
    for group in dice.keys() {
        let rolls = rollers.iter().any(|r| r.group.as_ref() == Some(group));
        if !rolls {
            let path = format!("{field}.{group}");
            let detail = format!("No enemies roll as the group {group}. Leave that die out.");
            return Err(Violation::field("unknown_group", path, detail));
        }
    }
    Ok(())
}

/// All combatants in the fight, by the die that they roll, in the order in which those who would
/// act joined.
fn rollers(encounter: &Encounter, enemies: Enemies) -> Vec<Roller> {
    let mut ranked: Vec<&Combatant> = encounter.active().collect();
    ranked.sort_by_key(|c| (c.hidden, Reverse(c.stats.bonus()), c.joined));
    let mut rollers: Vec<Roller> = Vec::with_capacity(ranked.len());
    for c in ranked {
        let group = group(encounter, c, enemies);
        if group.is_some()
            && let Some(roller) = rollers.iter_mut().find(|roller| roller.group == group)
        {
            roller.combatants.push(c.id.clone());
            continue;
        }
        rollers.push(Roller {
            group,
            combatants: vec![c.id.clone()],
            bonus: c.stats.bonus(),
            seniority: (c.kind == Kind::Pc, Reverse(c.joined)),
        });
    }
    rollers.sort_by_key(|roller| roller.seniority.1.0);
    rollers
}

/// Who rolls a die alone, and the groups that roll one together.
pub(in crate::rulesets::seize) fn who_rolls(
    encounter: &Encounter,
    enemies: Enemies,
) -> (Vec<CombatantId>, Vec<Slug>) {
    let (mut alone, mut groups) = (Vec::new(), Vec::new());
    for roller in rollers(encounter, enemies) {
        match roller.group {
            Some(group) => groups.push(group),
            None => alone.extend(roller.combatants),
        }
    }
    (alone, groups)
}

/// The die that was given for a roller, if one was.
fn given(
    group: Option<&Slug>,
    combatants: &[CombatantId],
    own: &BTreeMap<CombatantId, D20>,
    by_group: &BTreeMap<Slug, D20>,
) -> Option<D20> {
    match group {
        Some(group) => by_group.get(group).copied(),
        None => own.get(combatants.first()?).copied(),
    }
}

/// The die that a combatant rolled before the start. A group's die is the game master's.
fn own_die_of(encounter: &Encounter, roller: &Roller) -> Option<Die> {
    match (&roller.group, roller.combatants.first()) {
        (None, Some(id)) => encounter.get(id)?.state.own_die,
        _ => None,
    }
}

/// Rolls in the order of joining; the best comes out first.
fn roll(play: &mut Play<'_>, c: &Start, rollers: Vec<Roller>) -> Vec<RankedRoll> {
    let crit_on = play.encounter().options.crit_on;
    let mut rolls = Vec::with_capacity(rollers.len());
    for roller in rollers {
        let own = own_die_of(play.encounter(), &roller);
        let Roller {
            group,
            combatants,
            bonus,
            seniority,
        } = roller;
        let given = given(group.as_ref(), &combatants, &c.rolls, &c.group_rolls);
        let die = match own {
            Some(own) if given.is_none() => own,
            _ => play.die(given),
        };
        let total = i64::from(die.face) + bonus;
        let meaning = match (crit_on, die.face) {
            (CritOn::Natural, 20) => Meaning::Twenty,
            (CritOn::Natural, 1) => Meaning::One,
            (CritOn::Total, _) if total >= 20 => Meaning::Twenty,
            (CritOn::Total, _) if total <= 1 => Meaning::One,
            _ => Meaning::Plain,
        };
        let roll = InitiativeRoll {
            combatants: combatants.into(),
            group,
            die,
            bonus,
            total,
            meaning,
        };
        rolls.push(RankedRoll {
            roll,
            seniority,
            roll_off: None,
        });
    }
    rolls.sort_by_key(|x| Reverse((rank(&x.roll), x.seniority)));
    rolls
}

/// What the rules compare; equal ranks are a full tie. After a 1 only the bonus counts (WA-7a).
fn rank(roll: &InitiativeRoll) -> (Meaning, i64, i64) {
    let result = if roll.meaning == Meaning::One {
        roll.bonus
    } else {
        roll.total
    };
    (roll.meaning, result, roll.bonus)
}

/// Lets those in a full tie for the first turn roll once more (WA-5a), puts the best first, and
/// tells their dice.
fn roll_off(play: &mut Play<'_>, c: &Start, ranked: &mut [RankedRoll]) -> Vec<RollOff> {
    let Some(best) = ranked.first().map(|best| rank(&best.roll)) else {
        return Vec::new();
    };
    let equal = ranked.iter().take_while(|x| rank(&x.roll) == best).count();
    let rolls_off = equal > 1 && play.encounter().options.full_tie == FullTie::RollOff;
    let Some(tied) = ranked.get_mut(..equal).filter(|_| rolls_off) else {
        return Vec::new();
    };
    for RankedRoll { roll, roll_off, .. } in tied.iter_mut() {
        let group = roll.group.as_ref();
        let given = given(group, &roll.combatants, &c.roll_offs, &c.group_roll_offs);
        *roll_off = Some(play.die(given));
    }
    tied.sort_by_key(|x| Reverse((x.roll_off.map(|die| die.face), x.seniority)));
    let mut dice = Vec::with_capacity(equal);
    for RankedRoll { roll, roll_off, .. } in tied.iter() {
        if let Some(die) = roll_off {
            dice.push(RollOff {
                combatants: roll.combatants.clone(),
                die: *die,
            });
        }
    }
    dice
}
