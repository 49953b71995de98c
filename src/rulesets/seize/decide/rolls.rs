//! The roll that decides the first turn.

use super::*;
use crate::vocabulary::{D20, Die, Slug};
use std::collections::BTreeMap;

/// A combatant or a group of enemies that rolls one die (WA-3).
struct Roller {
    group: Option<Slug>,
    /// The highest bonus first, then who joined first; the hidden last.
    combatants: Vec<CombatantId>,
    /// The highest among them (AWA8); the hidden's would show.
    bonus: i64,
    /// That of its first, who would take the turn.
    seniority: Seniority,
}

/// Breaks a full tie: a player's character goes first, then the first to join (AWA2).
type Seniority = (bool, Reverse<u32>);

pub(super) fn start(play: &mut Play<'_>, c: &Start) -> Result<(), Violation> {
    let rollers = rollers(play.encounter(), c.enemies);
    check(play, c, &rollers)?;
    start_encounter(play, "WA-1")?;
    let rolls = roll(play, c, rollers);
    play.emit(InitiativeRolled {
        rolls: rolls.iter().map(|(roll, _)| roll.clone()).collect(),
    });
    let Some((first, by)) = winner(play, c, &rolls) else {
        return Ok(());
    };
    start_round(play, 1);
    if matches!(
        by,
        Way::Rolled {
            meaning: Meaning::One,
            ..
        }
    ) {
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
pub(super) fn own_die(play: &mut Play<'_>, c: &RollInitiative) -> Result<(), Violation> {
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

/// Refuses dice for somebody who rolls none.
fn check(play: &Play<'_>, c: &Start, rollers: &[Roller]) -> Result<(), Violation> {
    for (field, rolls) in [("rolls", &c.rolls), ("roll_offs", &c.roll_offs)] {
        for id in rolls.keys() {
            play.combatant(field, id)?;
            let detail = match rollers.iter().find(|r| r.combatants.contains(id)) {
                Some(Roller { group: None, .. }) => continue,
                Some(Roller {
                    group: Some(group), ..
                }) => {
                    format!("{id} rolls with the group {group}: give that one's die")
                }
                None => format!("{id} is out of the fight and rolls nothing"),
            };
            return Err(Violation::field(
                "rolls_no_die",
                format!("{field}.{}", id.as_str()),
                detail,
            ));
        }
    }
    for (field, rolls) in [
        ("group_rolls", &c.group_rolls),
        ("group_roll_offs", &c.group_roll_offs),
    ] {
        for group in rolls.keys() {
            if !rollers.iter().any(|r| r.group.as_ref() == Some(group)) {
                let detail = format!("no enemies roll as the group {group}");
                return Err(Violation::field(
                    "unknown_group",
                    format!("{field}.{group}"),
                    detail,
                ));
            }
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
        let seniority = (c.kind == Kind::Pc, Reverse(c.joined));
        match rollers
            .iter_mut()
            .find(|roller| group.is_some() && roller.group == group)
        {
            Some(roller) => roller.combatants.push(c.id.clone()),
            None => rollers.push(Roller {
                group,
                combatants: vec![c.id.clone()],
                bonus: c.stats.bonus(),
                seniority,
            }),
        }
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

/// Rolls in the order of joining; the best comes out first.
fn roll(play: &mut Play<'_>, c: &Start, rollers: Vec<Roller>) -> Vec<(InitiativeRoll, Seniority)> {
    let crit_on = play.encounter().options.crit_on;
    let mut rolls = Vec::with_capacity(rollers.len());
    for Roller {
        group,
        combatants,
        bonus,
        seniority,
        ..
    } in rollers
    {
        let given = given(group.as_ref(), &combatants, &c.rolls, &c.group_rolls);
        let own = if group.is_none() {
            combatants
                .first()
                .and_then(|id| play.encounter().get(id)?.state.own_die)
        } else {
            None
        };
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
        rolls.push((roll, seniority));
    }
    rolls.sort_by_key(|(roll, seniority)| Reverse((rank(roll), *seniority)));
    rolls
}

/// What the rules compare; equal ranks are a full tie. After a 1 only the bonus counts (AWA3).
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
fn winner(
    play: &mut Play<'_>,
    c: &Start,
    rolls: &[(InitiativeRoll, Seniority)],
) -> Option<(CombatantId, Way)> {
    let (best, _) = rolls.first()?;
    let (tied, lower) = rolls.split_at(
        rolls
            .iter()
            .take_while(|(other, _)| rank(other) == rank(best))
            .count(),
    );
    let rolls_off = tied.len() > 1 && play.encounter().options.full_tie == FullTie::RollOff;
    let mut tied: Vec<(Option<Die>, &InitiativeRoll, Seniority)> = tied
        .iter()
        .map(|(roll, seniority)| {
            let given = given(
                roll.group.as_ref(),
                &roll.combatants,
                &c.roll_offs,
                &c.group_roll_offs,
            );
            (rolls_off.then(|| play.die(given)), roll, *seniority)
        })
        .collect();
    tied.sort_by_key(|(die, _, seniority)| Reverse((die.map(|die| die.face), *seniority)));
    if rolls_off {
        let rolls = tied.iter().filter_map(|(die, roll, _)| {
            Some(RollOffRoll {
                combatants: roll.combatants.clone(),
                die: (*die)?,
            })
        });
        play.emit(RolledOff {
            rolls: rolls.collect(),
        });
    }
    let ((top, best, _), tied) = tied.split_first()?;
    let tied = tied
        .iter()
        .filter(|(die, other, _)| die.is_some() || other.total == best.total);
    let tied = tied.map(|(die, other, _)| {
        let lower = die.map(|die| die.face) < top.map(|top| top.face);
        (*other, if lower { Tie::RollOff } else { Tie::Fixed })
    });
    let lower = lower
        .iter()
        .filter(|(other, _)| (other.meaning, other.total) == (best.meaning, best.total));
    let equals = tied.chain(lower.map(|(other, _)| (other, Tie::Bonus)));
    let by = Way::Rolled {
        dice: std::iter::once(best.die).chain(*top).collect(),
        bonus: best.bonus,
        total: best.total,
        meaning: best.meaning,
        equals: equals
            .map(|(other, tie)| Equal {
                combatants: other.combatants.clone(),
                tie,
            })
            .collect(),
    };
    Some((best.combatants.first()?.clone(), by))
}
