//! DC20's combat: players' characters check against an Encounter DC, and the teams take their Initiative Turns alternately.

mod allowance;
mod command;
mod contest;
mod decide;
mod event;
mod evolve;
mod flow;
mod legal_commands;
mod manifest;
mod order;
mod react;
mod redact;
mod state;
mod team;

pub use command::*;
pub use event::*;
pub use state::*;

use crate::vocabulary::{
    Actor, Audience, Combatant, CombatantId, Commands, Event as AnyEvent, LegalCommand, Manifest, OrderEntry, Pending,
    Play, Redaction, Ruleset, Table as AnyTable, Violation,
};

/// The ruleset `dc20`.
#[derive(Debug, Clone, PartialEq)]
pub struct Dc20;

type Table = AnyTable<Dc20>;
type Combat<'d> = Play<'d, Dc20>;
type Creature = Combatant<Dc20>;

impl Ruleset for Dc20 {
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
            Command::Claim(c) if !c.others.is_empty() => Actor::Gm,
            Command::EndTurn(EndTurn { all: true, .. }) => Actor::Gm,
            command => command.actor(),
        }
    }

    /// DC-40 counts from the turn in which an effect is made, whoever made it (ADC10).
    fn anchor(table: &Table, source: Option<&CombatantId>, target: Option<&CombatantId>) -> Option<CombatantId> {
        let acting = &table.state.acting;
        let own = source.or(target).filter(|id| acting.contains(id));
        own.or(acting.first()).or(source).or(target).cloned()
    }

    fn legal_commands(table: &Table) -> Vec<LegalCommand> {
        legal_commands::legal_commands(table)
    }

    fn current(table: &Table) -> Vec<CombatantId> {
        table.state.acting.clone()
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
