//! EXP, the game of technological chaos: a high initiative is a tactical advantage, and whoever has it may wait.

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

/// The ruleset `exp`.
#[derive(Debug, Clone, PartialEq)]
pub struct Exp;

type Table = AnyTable<Exp>;
type Persona = Combatant<Exp>;

impl Ruleset for Exp {
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
            // Everybody must roll, so any player may start it; the dice are each player's own.
            Command::RollUnit(c) => Actor::Of(c.rolls.keys().chain(c.tie_rolls.keys()).collect()),
            Command::Jump(Jump { referee_roll: Some(_), .. }) => Actor::Gm,
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

    fn remark(table: &Table, combatant: &Persona) -> String {
        order::remark(table, combatant)
    }
}
