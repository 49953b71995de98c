//! Venture, a rewrite of Exalted: a signed initiative track that rises, falls and crashes while the fight goes on.

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

/// The ruleset `venture`.
#[derive(Debug, Clone, PartialEq)]
pub struct Venture;

type Table = AnyTable<Venture>;

impl Ruleset for Venture {
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
        react::react(play, event)
    }

    fn actor(command: &Command) -> Actor<'_> {
        match command {
            // A ruling: it takes combatants out of the fight, or gives an attack outside the own turn.
            Command::Act(c) if c.reflexive || c.targets.iter().any(Target::ruling) => Actor::Gm,
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
        redact::someone_acts(whole, &whole.state, audience)
    }

    fn redact(table: &mut Table, whole: &Table, audience: &Audience<'_>) {
        redact::redact(table, whole, audience);
    }

    fn looks_back(event: &Event) -> bool {
        matches!(event, Event::TickReached(_))
    }

    fn redact_event(event: &Event, redaction: &Redaction<'_, Self>) -> Option<Event> {
        redact::redact_event(event, redaction)
    }

    fn remark(table: &Table, combatant: &Combatant<Self>) -> String {
        order::remark(table, combatant)
    }
}
