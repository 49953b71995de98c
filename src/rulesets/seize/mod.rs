//! Seize the initiative, from the World Anvil world "The New World": a roll decides the first turn, whoever finishes a turn picks
//! the next, and whoever loses hit points may seize it.

mod command;
mod decide;
mod event;
mod evolve;
mod legal_commands;
mod manifest;
mod order;
mod react;
mod redact;
mod state;

pub use command::*;
pub use event::*;
pub use state::*;

use crate::vocabulary::{
    Audience, Combatant, CombatantId, Event as AnyEvent, LegalCommand, Manifest, OrderEntry, Pending, Play, Redaction,
    Ruleset, Table as AnyTable, Violation,
};

/// The ruleset `seize`.
#[derive(Debug, Clone, PartialEq)]
pub struct Seize;

type Table = AnyTable<Seize>;
type Fight<'d> = Play<'d, Seize>;

impl Ruleset for Seize {
    type Options = Options;
    type CombatantStats = CombatantStats;
    type CombatantState = CombatantState;
    type State = State;
    type Command = Command;
    type Event = Event;

    const MANIFEST: &'static Manifest = &manifest::MANIFEST;

    fn decide(play: &mut Fight<'_>, command: &Command) -> Result<(), Violation> {
        decide::decide(play, command)
    }

    fn evolve(table: &mut Table, event: &AnyEvent<Self>) {
        if let AnyEvent::Own(event) = event {
            evolve::evolve(table, event);
        }
    }

    fn react(play: &mut Fight<'_>, event: &AnyEvent<Self>) -> Result<(), Violation> {
        react::react(play, event);
        Ok(())
    }

    fn legal_commands(table: &Table) -> Vec<LegalCommand> {
        legal_commands::legal_commands(table)
    }

    fn current(table: &Table) -> Vec<CombatantId> {
        order::current(table)
    }

    fn pending(table: &Table) -> Option<Pending> {
        order::pending(table)
    }

    fn order(table: &Table) -> Vec<OrderEntry> {
        order::order(table)
    }

    fn someone_acts(whole: &Table, audience: &Audience<'_>) -> bool {
        redact::someone_acts(whole, audience)
    }

    fn redact(table: &mut Table, whole: &Table, audience: &Audience<'_>) {
        redact::redact(table, whole, audience);
    }

    fn redact_event(event: &Event, redaction: &Redaction<'_, Self>) -> Option<Event> {
        redact::redact_event(event, redaction)
    }

    fn remark(table: &Table, combatant: &Combatant<Self>) -> String {
        order::remark(table, combatant)
    }
}
