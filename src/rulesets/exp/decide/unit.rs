//! A unit begins: all personas roll.

use super::pass::advance;
use crate::rulesets::exp::state::MAX_DIGITS;
use crate::rulesets::exp::{
    Combatant, Encounter, InitiativeRoll, InitiativeRolled, OwnRoll, Phase, Play, Roll, Rolled,
    Rolls, TieRolls,
};
use crate::rulesets::shared::{seen_first, start_encounter, start_round};
use crate::vocabulary::{CombatantId, D10, Violation, field, require};

/// A persona or a crowd that is about to roll.
pub(in crate::rulesets::exp) struct Contender {
    pub id: CombatantId,
    pub combatants: Vec<CombatantId>,
    pub bonus: i64,
    /// The dice that it rolled ahead of the others.
    pub own: Option<OwnRoll>,
}

/// A persona's own roll for the next unit, or the roll of all, with which it begins.
pub(super) fn roll(play: &mut Play<'_>, c: &Roll) -> Result<(), Violation> {
    match &c.combatant {
        Some(id) => {
            let mixed = !c.rolls.is_empty() || !c.tie_rolls.is_empty();
            require(
                !mixed,
                "own_or_all",
                field("combatant"),
                || "\"rolls\" and \"tie_rolls\" are for the roll of all. Remove them, or \"combatant\".",
            )?;
            own_roll(play, id, c)
        }
        None => {
            let mixed = c.roll.is_some() || !c.tie_dice.is_empty();
            require(
                !mixed,
                "own_or_all",
                field("combatant"),
                || "\"roll\" and \"tie_dice\" are one persona's dice. Add \"combatant\", or remove them.",
            )?;
            next_unit(play, &c.rolls, &c.tie_rolls)
        }
    }
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
    let is_over = matches!(encounter.state.phase, Phase::Setup | Phase::Roll);
    require(
        is_over,
        "unit_going_on",
        "EX-2",
        || "A unit is in progress, and initiative is rolled once per unit. Roll again when all have used their move and act.",
    )
}

/// Rolls the dice of one persona for the next unit.
fn own_roll(play: &mut Play<'_>, id: &CombatantId, c: &Roll) -> Result<(), Violation> {
    let roller = play.fighter("combatant", id, "EX-2")?;
    between_units(play.encounter())?;
    if let Some(crowd) = &roller.stats.crowd {
        let detail =
            format!("{id} rolls with the crowd {crowd}. The game master rolls for the crowd.");
        return Err(Violation::field("does_not_roll", "combatant", detail));
    }
    few_digits("tie_dice", &c.tie_dice)?;
    let die = play.die(c.roll);
    play.emit(Rolled {
        combatant: id.clone(),
        die,
        tie_dice: c.tie_dice.clone(),
    });
    Ok(())
}

/// Rolls for a unit; no persona is asked yet.
pub(super) fn begin(
    play: &mut Play<'_>,
    contenders: Vec<Contender>,
    rolls: &Rolls,
    tie_rolls: &TieRolls,
) {
    let unit = play.encounter().round.saturating_add(1);
    start_round(play, unit);
    let ranking = rank(play, contenders, rolls, tie_rolls);
    play.emit(InitiativeRolled { ranking });
}

/// All personas in the fight, the stunned too: they may recover before they are asked (EX-23a). A
/// crowd rolls with the values of its first persona (EX-4), of the visible ones if any: the values
/// of a hidden one would show.
pub(in crate::rulesets::exp) fn contenders(encounter: &Encounter) -> Vec<Contender> {
    let mut contenders: Vec<Contender> = Vec::with_capacity(encounter.combatants.len());
    for c in seen_first(encounter.active()) {
        // A crowd rolls under its word (EX-4, EX-4a).
        let id = c.stats.crowd.as_ref().unwrap_or(&c.id);
        match contenders.iter_mut().find(|crowd| crowd.id == *id) {
            Some(crowd) => crowd.combatants.push(c.id.clone()),
            None => contenders.push(Contender {
                id: id.clone(),
                combatants: vec![c.id.clone()],
                bonus: bonus(encounter, c),
                own: own_dice(c),
            }),
        }
    }
    contenders
}

/// The dice that a persona rolled ahead of the others. A crowd's roll is the game master's.
fn own_dice(c: &Combatant) -> Option<OwnRoll> {
    if c.stats.crowd.is_some() {
        return None;
    }
    c.state.own_roll.clone()
}

/// What a persona adds to its d20 (EX-1, EX-11).
fn bonus(encounter: &Encounter, c: &Combatant) -> i64 {
    let table = encounter.options.encumbrance_table;
    c.stats.dex.get() + c.stats.level.get() + table.modifier(c.stats.encumbrance)
}

/// Refuses rolls of personas that do not roll, and too many digits.
pub(super) fn check_rolls(
    contenders: &[Contender],
    rolls: &Rolls,
    tie_rolls: &TieRolls,
) -> Result<(), Violation> {
    for id in rolls.keys() {
        rolls_here(contenders, "rolls", id)?;
    }
    for id in tie_rolls.keys() {
        rolls_here(contenders, "tie_rolls", id)?;
    }
    for (id, digits) in tie_rolls {
        few_digits(&format!("tie_rolls.{}", id.as_str()), digits)?;
    }
    Ok(())
}

fn rolls_here(contenders: &[Contender], path: &str, id: &CombatantId) -> Result<(), Violation> {
    if contenders.iter().any(|c| c.id == *id) {
        return Ok(());
    }
    let detail = match contenders.iter().find(|c| c.combatants.contains(id)) {
        Some(crowd) => format!("{id} rolls with a crowd. Send one roll, for {}.", crowd.id),
        None => format!("{id} doesn't roll here. Name a persona in the fight, or a crowd."),
    };
    let path = format!("{path}.{}", id.as_str());
    Err(Violation::field("does_not_roll", path, detail))
}

fn few_digits(path: &str, digits: &[D10]) -> Result<(), Violation> {
    let few = digits.len() <= MAX_DIGITS;
    require(few, "too_many_digits", field(path.to_owned()), || {
        format!("Too many dice for a tie. Send at most {MAX_DIGITS} for each persona.")
    })
}

/// Each contender rolls a d20; equal totals roll d10s until they differ (EX-6 to EX-8).
pub(super) fn rank(
    play: &mut Play<'_>,
    contenders: Vec<Contender>,
    rolls: &Rolls,
    tie_rolls: &TieRolls,
) -> Vec<InitiativeRoll> {
    let mut ranking: Vec<InitiativeRoll> = Vec::with_capacity(contenders.len());
    let mut all_ties = TieRolls::new();
    for contender in contenders {
        let die = match (rolls.get(&contender.id), &contender.own) {
            (None, Some(own)) => own.die,
            (roll, _) => play.die(roll.copied()),
        };
        if let Some(own) = contender.own {
            all_ties.insert(contender.id.clone(), own.tie_dice);
        }
        ranking.push(InitiativeRoll {
            id: contender.id,
            combatants: contender.combatants,
            die,
            bonus: contender.bonus,
            total: i64::from(die.face) + contender.bonus,
            digits: Vec::new(),
        });
    }
    all_ties.extend(tie_rolls.clone());
    InitiativeRoll::sort(&mut ranking, |roll| {
        let given = all_ties
            .get(&roll.id)
            .and_then(|digits| digits.get(roll.digits.len()));
        Some(play.die(given.copied()))
    });
    ranking
}
