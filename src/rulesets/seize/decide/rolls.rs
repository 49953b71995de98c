//! The roll that decides the first turn.

use super::*;
use crate::vocabulary::{D20, Die, EncounterStarted, Kind, Slug};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// A combatant or a group of enemies that rolls one die (WA-3).
struct Roller {
    group: Option<Slug>,
    /// The highest bonus first, then who joined first; the hidden last.
    combatants: Vec<CombatantId>,
    /// The highest among them (AWA8); the hidden's would show.
    bonus: i64,
    hidden: bool,
    seat: CachedCombatant,
}

/// Breaks a full tie: a player's character goes first, then the first to join (AWA2).
type CachedCombatant = (bool, Reverse<u32>);

/// A roller with its die, to be compared with others.
struct Contender {
    roller: Roller,
    die: Die,
    total: i64,
    meaning: Meaning,
}

impl Contender {
    /// What the rules compare; equal ranks are a full tie. After a 1 only the bonus counts (AWA3).
    fn rank(&self) -> (Meaning, i64, i64) {
        let result = if self.meaning == Meaning::One { self.roller.bonus } else { self.total };
        (self.meaning, result, self.roller.bonus)
    }
}

pub(super) fn start(play: &mut Fight<'_>, c: &Start) -> Result<(), Violation> {
    let detail = "the fight has begun already: everybody rolls once";
    require(matches!(play.table().state.phase, Phase::Setup), "already_started", "WA-1", || detail)?;
    let rollers = rollers(play.table(), c.enemies);
    check(play, c, &rollers)?;
    require(!rollers.is_empty(), "nobody_to_act", "WA-1", || "nobody is here to roll: add a combatant first")?;
    play.shared(EncounterStarted {});
    let contenders = roll(play, c, rollers);
    let rolled = contenders.iter().map(|c| InitiativeRoll {
        combatants: c.roller.combatants.clone().into(),
        group: c.roller.group.clone(),
        die: c.die,
        bonus: c.roller.bonus,
        total: c.total,
        meaning: c.meaning,
    });
    let rolls = rolled.collect();
    play.own(InitiativeRolled { rolls });
    let Some((first, by)) = winner(play, c, &contenders) else { return Ok(()) };
    start_round(play, 1);
    if matches!(by, Way::Rolled { meaning: Meaning::One, .. }) {
        end_round(play);
        start_round(play, 2);
    }
    play.own(Picked { combatant: first.clone(), by });
    take_turn(play, &first);
    Ok(())
}

/// Refuses dice for somebody who rolls none.
fn check(play: &Fight<'_>, c: &Start, rollers: &[Roller]) -> Result<(), Violation> {
    for (field, rolls) in [("rolls", &c.rolls), ("roll_offs", &c.roll_offs)] {
        for id in rolls.keys() {
            play.combatant(field, id)?;
            let detail = match rollers.iter().find(|r| r.combatants.contains(id)) {
                Some(Roller { group: None, .. }) => continue,
                Some(Roller { group: Some(group), .. }) => {
                    format!("{id} rolls with the group {group}: give that one's die")
                }
                None => format!("{id} is out of the fight and rolls nothing"),
            };
            return Err(Violation::field("rolls_no_die", format!("{field}.{id}"), detail));
        }
    }
    for (field, rolls) in [("group_rolls", &c.group_rolls), ("group_roll_offs", &c.group_roll_offs)] {
        for group in rolls.keys() {
            if !rollers.iter().any(|r| r.group.as_ref() == Some(group)) {
                let detail = format!("no enemies roll as the group {group}");
                return Err(Violation::field("unknown_group", format!("{field}.{group}"), detail));
            }
        }
    }
    Ok(())
}

/// Everybody who is in the fight, by the die that they roll.
fn rollers(table: &Table, enemies: Enemies) -> Vec<Roller> {
    let mut ranked: Vec<&Combatant<Seize>> = table.active().collect();
    ranked.sort_by_key(|c| (c.hidden, Reverse(c.stats.bonus()), c.joined));
    let mut rollers: Vec<Roller> = Vec::with_capacity(ranked.len());
    let mut places: BTreeMap<Slug, usize> = BTreeMap::new();
    for c in ranked {
        let group = match enemies {
            _ if !table.options.enemies(&c.side) => None,
            Enemies::Apart => c.stats.roll_group.clone(),
            Enemies::Together => Some(Slug::fixed("enemies")),
        };
        let place = group.as_ref().and_then(|group| places.get(group)).and_then(|place| rollers.get_mut(*place));
        let seat = (c.kind == Kind::Pc, Reverse(c.joined));
        match place {
            Some(roller) => {
                roller.combatants.push(c.id.clone());
                if roller.hidden || !c.hidden {
                    roller.seat = roller.seat.max(seat);
                }
            }
            None => {
                places.extend(group.clone().map(|group| (group, rollers.len())));
                let (combatants, bonus) = (vec![c.id.clone()], c.stats.bonus());
                rollers.push(Roller { group, combatants, bonus, hidden: c.hidden, seat });
            }
        }
    }
    rollers.sort_by_key(|roller| roller.seat.1.0);
    rollers
}

/// The die that was given for a roller, if one was.
fn given(roller: &Roller, own: &BTreeMap<CombatantId, D20>, group: &BTreeMap<Slug, D20>) -> Option<D20> {
    match &roller.group {
        Some(name) => group.get(name).copied(),
        None => own.get(roller.combatants.first()?).copied(),
    }
}

/// Rolls in the order of joining; the best comes out first.
fn roll(play: &mut Fight<'_>, c: &Start, rollers: Vec<Roller>) -> Vec<Contender> {
    let crit_on = play.table().options.crit_on;
    let mut contenders: Vec<Contender> = Vec::with_capacity(rollers.len());
    for roller in rollers {
        let die = play.die(given(&roller, &c.rolls, &c.group_rolls));
        let total = i64::from(die.face) + roller.bonus;
        let redaction = match crit_on {
            CritOn::Natural => i64::from(die.face),
            CritOn::Total => total,
        };
        let meaning = match redaction {
            20.. => Meaning::Twenty,
            ..=1 => Meaning::One,
            _ => Meaning::Plain,
        };
        contenders.push(Contender { roller, die, total, meaning });
    }
    contenders.sort_by_key(|c| Reverse((c.rank(), c.roller.seat)));
    contenders
}

/// Who takes the first turn, and why: the best of `contenders`, which come best first, after a roll-off in a full tie.
fn winner(play: &mut Fight<'_>, c: &Start, contenders: &[Contender]) -> Option<(CombatantId, Way)> {
    let best = contenders.first()?;
    let tied = contenders.iter().take_while(|other| other.rank() == best.rank()).count();
    let rolls_off = tied > 1 && play.table().options.full_tie == FullTie::RollOff;
    let mut dice: Vec<(Die, &Contender)> = Vec::new();
    for contender in contenders.iter().take(if rolls_off { tied } else { 0 }) {
        dice.push((play.die(given(&contender.roller, &c.roll_offs, &c.group_roll_offs)), contender));
    }
    dice.sort_by_key(|(die, contender)| Reverse((die.face, contender.roller.seat)));
    if rolls_off {
        let rolls = dice.iter().map(|(die, contender)| {
            let combatants = contender.roller.combatants.clone();
            RollOffRoll { combatants: combatants.into(), die: *die }
        });
        play.own(RolledOff { rolls: rolls.collect() });
    }
    let top = dice.first().map(|(die, _)| *die);
    let best = dice.first().map_or(best, |(_, contender)| contender);
    let rolled_off = dice.iter().skip(1).map(|(die, contender)| {
        let lower = top.is_some_and(|top| die.face < top.face);
        (*contender, if lower { Tie::RollOff } else { Tie::Fixed })
    });
    let equal = |other: &&Contender| (other.meaning, other.total) == (best.meaning, best.total);
    let others = contenders.iter().enumerate().skip(if rolls_off { tied } else { 1 });
    let others = others.filter(|(_, other)| equal(other));
    let others = others.map(|(place, other)| (other, if place < tied { Tie::Fixed } else { Tie::Bonus }));
    let equals =
        rolled_off.chain(others).map(|(other, tie)| Equal { combatants: other.roller.combatants.clone().into(), tie });
    let equals = equals.collect();
    let by = Way::Rolled {
        dice: std::iter::once(best.die).chain(top).collect(),
        bonus: best.roller.bonus,
        total: best.total,
        meaning: best.meaning,
        equals,
    };
    Some((best.roller.combatants.first()?.clone(), by))
}
