//! The rules of EXP.

mod answer;
mod jump;
mod mental;
mod pass;
mod unit;

pub(super) use mental::{end_duel, may_attack};
pub(super) use pass::{advance, lose, stop, take_over};

use super::*;
use crate::rulesets::shared::check_started;
use crate::vocabulary::require;

pub(super) fn decide(play: &mut Scene<'_>, command: &Command) -> Result<(), Violation> {
    check_started(play, matches!(command, Command::Start(_)), "EX-2")?;
    match command {
        Command::Start(c) => unit::next_unit(play, &c.rolls, &c.tie_rolls),
        Command::RollUnit(c) => unit::roll_unit(play, c),
        Command::Declare(c) => answer::declare(play, c),
        Command::Announce(c) => answer::announce(play, c),
        Command::Jump(c) => jump::jump(play, c),
        Command::MentalAttack(c) => mental::attack(play, c),
        Command::MentalDuel(c) => mental::duel(play, c),
        Command::DeclineDuel(c) => mental::decline(play, &c.combatant),
    }
}

/// Refuses between two units.
fn in_unit(table: &Table, rule: &'static str) -> Result<(), Violation> {
    let detail = "no unit is going on: roll initiative first (roll_unit)";
    require(table.state.phase == Phase::Pass, "no_unit", rule, || detail)
}

/// Refuses while a mental duel waits for its attacks, which come before the list.
fn no_duel(table: &Table) -> Result<(), Violation> {
    table.state.duel.first().map_or(Ok(()), |first| {
        let detail = format!("a mental duel is going on: {first} attacks first (mental_attack)");
        Err(Violation::new("duel_going_on", "EX-32", detail))
    })
}

/// Refuses a persona that cannot do anything.
fn fit(c: &Persona) -> Result<(), Violation> {
    require(able(c), "cannot_act", "EX-23", || {
        format!("{} cannot act: it is dead, unconscious, stunned or paralyzed", c.id)
    })
}

/// These personas, for refusals.
fn joined(ids: &[CombatantId]) -> String {
    ids.iter().map(|id| id.as_str()).collect::<Vec<_>>().join(", ")
}
