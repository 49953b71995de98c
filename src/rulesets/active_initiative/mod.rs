//! Active Initiative, from Giffyglyph's Darker Dungeons: whoever finishes a turn names the next, and enemies may interrupt.

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
    Actor, Audience, Combatant, CombatantId, Commands, Event as AnyEvent, LegalCommand, Manifest, OrderEntry, Pending,
    Play, Redaction, Ruleset, Table as AnyTable, Violation,
};

/// The ruleset `active-initiative`.
#[derive(Debug, Clone, PartialEq)]
pub struct ActiveInitiative;

type Table = AnyTable<ActiveInitiative>;

impl Ruleset for ActiveInitiative {
    type Options = Options;
    type CombatantStats = CombatantStats;
    type CombatantState = CombatantState;
    type State = State;
    type Command = Command;
    type Event = Event;

    const MANIFEST: &'static Manifest = &manifest::MANIFEST;

    fn decide(play: &mut Play<'_, Self>, command: &Command) -> Result<(), Violation> {
        decide::decide(play, command)
    }

    fn evolve(table: &mut Table, event: &AnyEvent<Self>) {
        if let AnyEvent::Own(event) = event {
            evolve::evolve(table, event);
        }
    }

    fn react(play: &mut Play<'_, Self>, event: &AnyEvent<Self>) -> Result<(), Violation> {
        react::react(play, event);
        Ok(())
    }

    fn actor(command: &Command) -> Actor<'_> {
        match command {
            // It takes the time to interrupt from everybody else, so the next combatant's player must agree.
            Command::EndTurn(EndTurn { combatant, next: Some(next), begin: true }) => Actor::Of(vec![combatant, next]),
            Command::Interrupt(Interrupt { means: Means::InterruptPoint, .. }) => Actor::Gm,
            command => command.actor(),
        }
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

    fn is_secret(event: &Event) -> bool {
        redact::is_secret(event)
    }

    fn remark(table: &Table, combatant: &Combatant<Self>) -> String {
        order::remark(table, combatant)
    }
}
