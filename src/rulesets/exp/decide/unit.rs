//! A unit begins: everybody rolls.

use super::*;
use crate::rulesets::shared::{seen_first, start_encounter, start_round};
use crate::vocabulary::D10;

/// A persona or a crowd that is about to roll.
pub(super) struct Contender {
    pub id: CombatantId,
    pub combatants: Vec<CombatantId>,
    pub bonus: i64,
}

pub(super) fn next_unit(
    play: &mut Play<'_>,
    rolls: &Rolls,
    tie_rolls: &TieRolls,
) -> Result<(), Violation> {
    between_units(play.encounter())?;
    start_encounter(play, "EX-2")?;
    let contenders = contenders(play.encounter());
    check_rolls(&contenders, rolls, tie_rolls)?;
    begin(play, contenders, rolls, tie_rolls);
    advance(play);
    Ok(())
}

fn between_units(encounter: &Encounter) -> Result<(), Violation> {
    let detail =
        "initiative is rolled once for a unit: this one goes on until nobody has anything left";
    require(
        matches!(encounter.state.phase, Phase::Setup | Phase::Roll),
        "unit_going_on",
        "EX-2",
        || detail,
    )
}

/// Takes the dice of a persona's player for the next unit.
pub(super) fn own_roll(play: &mut Play<'_>, c: &RollInitiative) -> Result<(), Violation> {
    let RollInitiative {
        combatant,
        roll,
        tie_rolls,
    } = c.clone();
    let crowd = &play.fighter("combatant", &combatant, "EX-2")?.stats.group;
    between_units(play.encounter())?;
    if let Some(crowd) = crowd {
        let detail =
            format!("{combatant} rolls with its crowd, {crowd}: that roll is the game master's");
        return Err(Violation::field("does_not_roll", "combatant", detail));
    }
    few_digits("tie_rolls", &tie_rolls)?;
    play.emit(OwnRollGiven {
        combatant,
        roll,
        tie_rolls,
    });
    Ok(())
}

/// Rolls for a unit; nobody is asked yet.
pub(super) fn begin(
    play: &mut Play<'_>,
    contenders: Vec<Contender>,
    rolls: &Rolls,
    tie_rolls: &TieRolls,
) {
    let unit = play.encounter().round.saturating_add(1);
    start_round(play, unit);
    let single = play.encounter().iter().filter(|c| c.stats.group.is_none());
    let own = single.filter_map(|c| Some((&c.id, c.state.own_roll.clone()?)));
    let own = own.map(|(id, own)| ((id.clone(), own.roll), (id.clone(), own.tie_rolls)));
    let (mut all, mut all_ties): (Rolls, TieRolls) = own.unzip();
    all.extend(rolls.clone());
    all_ties.extend(tie_rolls.clone());
    let ranking = rank(play, contenders, &all, &all_ties);
    play.emit(InitiativeRolled { ranking });
}

/// Everybody in the fight, the stunned too: they may recover before they are asked (EX-23a). A
/// crowd rolls with the values of its first persona (EX-4), of the visible ones if any: the values
/// of a hidden one would show.
pub(super) fn contenders(encounter: &Encounter) -> Vec<Contender> {
    let mut contenders: Vec<Contender> = Vec::with_capacity(encounter.combatants.len());
    for c in seen_first(encounter.active()) {
        // A crowd rolls under its word (EX-4, EX-4a).
        let id = c.stats.group.as_ref().unwrap_or(&c.id);
        match contenders.iter_mut().find(|crowd| crowd.id == *id) {
            Some(crowd) => crowd.combatants.push(c.id.clone()),
            None => {
                let carried = encounter
                    .options
                    .encumbrance_table
                    .modifier(c.stats.encumbrance);
                let bonus = c.stats.dex.get() + c.stats.level.get() + carried;
                contenders.push(Contender {
                    id: id.clone(),
                    combatants: vec![c.id.clone()],
                    bonus,
                });
            }
        }
    }
    contenders
}

/// Refuses rolls of anybody who does not roll, and too many digits.
pub(super) fn check_rolls(
    contenders: &[Contender],
    rolls: &Rolls,
    tie_rolls: &TieRolls,
) -> Result<(), Violation> {
    let named = rolls
        .keys()
        .map(|id| ("rolls", id))
        .chain(tie_rolls.keys().map(|id| ("tie_rolls", id)));
    for (field, id) in named {
        if contenders.iter().all(|c| c.id != *id) {
            let detail = match contenders.iter().find(|c| c.combatants.contains(id)) {
                Some(crowd) => format!("{id} rolls with its crowd: give the roll of {}", crowd.id),
                None => format!("{id} does not roll here: name a persona in the fight, or a crowd"),
            };
            return Err(Violation::field(
                "does_not_roll",
                format!("{field}.{}", id.as_str()),
                detail,
            ));
        }
    }
    tie_rolls
        .iter()
        .try_for_each(|(id, digits)| few_digits(&format!("tie_rolls.{}", id.as_str()), digits))
}

fn few_digits(path: &str, digits: &[D10]) -> Result<(), Violation> {
    let detail = || format!("at most {MAX_DIGITS} digits each");
    require(
        digits.len() <= MAX_DIGITS,
        "too_many_digits",
        field(path.to_owned()),
        detail,
    )
}

/// Everybody rolls a d20; equal totals roll d10s until they differ (EX-6 to EX-8).
pub(super) fn rank(
    play: &mut Play<'_>,
    contenders: Vec<Contender>,
    rolls: &Rolls,
    tie_rolls: &TieRolls,
) -> Vec<Roll> {
    let mut ranking: Vec<Roll> = Vec::with_capacity(contenders.len());
    for Contender {
        id,
        combatants,
        bonus,
    } in contenders
    {
        let die = play.die(rolls.get(&id).copied());
        let total = i64::from(die.face) + bonus;
        ranking.push(Roll {
            id,
            combatants,
            die,
            bonus,
            total,
            digits: Vec::new(),
        });
    }
    Roll::sort(&mut ranking, |roll| {
        let given = tie_rolls
            .get(&roll.id)
            .and_then(|digits| digits.get(roll.digits.len()));
        Some(play.die(given.copied()))
    });
    ranking
}
