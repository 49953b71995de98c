//! The rules of EXP.

mod answer;
mod jump;
mod mental;
mod pass;
mod unit;

pub(super) use mental::{end_duel, may_attack};
pub(super) use pass::{advance, lose, stop, take_over};

use super::*;

pub(super) type Scene<'d> = Play<'d, Exp>;

pub(super) fn decide(play: &mut Scene<'_>, command: &Command) -> Result<(), Violation> {
    match command {
        Command::Start(c) => return unit::start(play, c),
        _ => play.running("EX-2")?,
    }
    match command {
        Command::Start(_) => Ok(()),
        Command::RollUnit(c) => unit::roll_unit(play, c),
        Command::Declare(c) => answer::declare(play, c),
        Command::Announce(c) => answer::announce(play, c),
        Command::Jump(c) => jump::jump(play, c),
        Command::MentalAttack(c) => mental::attack(play, c),
        Command::MentalDuel(c) => mental::duel(play, c),
        Command::DeclineDuel(c) => mental::decline(play, &c.combatant),
    }
}

/// Refused between two units: nothing is asked there.
fn in_unit(table: &Table, rule: &'static str) -> Result<(), Violation> {
    if table.state.phase == Phase::Pass {
        return Ok(());
    }
    let detail = "no unit is going on: everybody rolls initiative first (roll_unit)";
    Err(Violation::new("no_unit", rule, detail))
}

/// Refused while a mental duel waits for its attacks: they come before anything of the list.
fn no_duel(table: &Table) -> Result<(), Violation> {
    let Some(first) = table.state.duel.first() else { return Ok(()) };
    let detail = format!("a mental duel is going on: {first} attacks first (mental_attack)");
    Err(Violation::new("duel_going_on", "EX-32", detail))
}

/// Refused for one who cannot do anything at all.
fn fit(c: &Persona) -> Result<(), Violation> {
    if able(c) {
        return Ok(());
    }
    let detail = format!("{} cannot act: it is dead, unconscious, stunned or paralyzed", c.id);
    Err(Violation::new("cannot_act", "EX-23", detail))
}
