//! The roll that decides the first turn.

use super::take_turn;
use crate::rulesets::seize::{
    Combatant, CritOn, Encounter, Enemies, Equal, FullTie, InitiativeRoll, InitiativeRolled,
    Meaning, OwnDieGiven, Picked, Play, RollInitiative, RollOffRoll, RolledOff, Start, Tie, Way,
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

/// A roll, and who goes first in a full tie of rolls.
struct RankedRoll {
    roll: InitiativeRoll,
    seniority: Seniority,
}

/// One of the best rolls, with its die of the roll-off, if there was one.
struct Leader<'r> {
    roll: &'r InitiativeRoll,
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
    let ranked = roll(play, c, rollers);
    let rolls = ranked.iter().map(|ranked| ranked.roll.clone()).collect();
    play.emit(InitiativeRolled { rolls });
    let Some((first, by)) = winner(play, c, &ranked) else {
        return Ok(());
    };
    start_round(play, 1);
    let everybody_rolled_one = ranked.iter().all(|x| x.roll.meaning == Meaning::One);
    if everybody_rolled_one {
        next_round(play);
    }
    play.emit(Picked {
        combatant: first.clone(),
        by,
    });
    take_turn(play, &first);
    Ok(())
}

/// Takes the die of a combatant's player before the start.
pub(super) fn take_own_die(play: &mut Play<'_>, c: &RollInitiative) -> Result<(), Violation> {
    let id = &c.combatant;
    let fighter = play.fighter("combatant", id, "WA-1")?;
    if let Some(group) = group(play.encounter(), fighter, Enemies::Apart) {
        let detail = format!("{id} rolls with the group {group}: that die is the game master's");
        return Err(Violation::field("rolls_no_die", "combatant", detail));
    }
    play.emit(OwnDieGiven {
        combatant: id.clone(),
        roll: c.roll,
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
                format!("{id} rolls with the group {group}: give that one's die")
            }
            None => format!("{id} is out of the fight and rolls nothing"),
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
            let detail = format!("no enemies roll as the group {group}");
            return Err(Violation::field("unknown_group", path, detail));
        }
    }
    Ok(())
}

/// Everybody who is in the fight, by the die that they roll, in the order in which those who would
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

/// The die that a combatant's player gave before the start. A group's die is the game master's.
fn own_die_of(encounter: &Encounter, roller: &Roller) -> Option<D20> {
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
        let die = play.die(given.or(own));
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
        rolls.push(RankedRoll { roll, seniority });
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

/// Who takes the first turn, and why: the best of `rolls`, which come best first, after a roll-off
/// in a full tie.
fn winner(play: &mut Play<'_>, c: &Start, rolls: &[RankedRoll]) -> Option<(CombatantId, Way)> {
    let best = rank(&rolls.first()?.roll);
    let equal = rolls.iter().take_while(|x| rank(&x.roll) == best).count();
    let (tied, lower) = rolls.split_at(equal);
    let mut leaders = Vec::with_capacity(tied.len());
    for RankedRoll { roll, seniority } in tied {
        leaders.push(Leader {
            roll,
            seniority: *seniority,
            roll_off: None,
        });
    }
    if leaders.len() > 1 && play.encounter().options.full_tie == FullTie::RollOff {
        roll_off(play, c, &mut leaders);
    }
    let (winner, others) = leaders.split_first()?;
    let dice = match winner.roll_off {
        Some(roll_off) => vec![winner.roll.die, roll_off],
        None => vec![winner.roll.die],
    };
    let by = Way::Rolled {
        dice,
        bonus: winner.roll.bonus,
        total: winner.roll.total,
        meaning: winner.roll.meaning,
        equals: equals_of(winner, others, lower),
    };
    Some((winner.roll.combatants.first()?.clone(), by))
}

/// Lets those in a full tie roll once more, and puts the best first.
fn roll_off(play: &mut Play<'_>, c: &Start, leaders: &mut [Leader<'_>]) {
    for leader in leaders.iter_mut() {
        let InitiativeRoll {
            group, combatants, ..
        } = leader.roll;
        let given = given(group.as_ref(), combatants, &c.roll_offs, &c.group_roll_offs);
        leader.roll_off = Some(play.die(given));
    }
    leaders.sort_by_key(|x| Reverse((x.roll_off.map(|die| die.face), x.seniority)));
    let mut rolls = Vec::with_capacity(leaders.len());
    for leader in leaders.iter() {
        if let Some(die) = leader.roll_off {
            rolls.push(RollOffRoll {
                combatants: leader.roll.combatants.clone(),
                die,
            });
        }
    }
    play.emit(RolledOff { rolls });
}

/// Who had the same result as the winner, the next best first, and what broke the tie.
fn equals_of(winner: &Leader<'_>, others: &[Leader<'_>], lower: &[RankedRoll]) -> Vec<Equal> {
    let mut equals = Vec::new();
    for other in others {
        // After a 1 only the bonus is compared, so that the results may differ.
        if other.roll_off.is_none() && other.roll.total != winner.roll.total {
            continue;
        }
        let lower_die = other.roll_off.map(|die| die.face) < winner.roll_off.map(|die| die.face);
        equals.push(Equal {
            combatants: other.roll.combatants.clone(),
            tie: if lower_die { Tie::RollOff } else { Tie::Fixed },
        });
    }
    for RankedRoll { roll, .. } in lower {
        if roll.meaning == winner.roll.meaning && roll.total == winner.roll.total {
            equals.push(Equal {
                combatants: roll.combatants.clone(),
                tie: Tie::Bonus,
            });
        }
    }
    equals
}
