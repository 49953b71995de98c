//! Active Initiative, from Giffyglyph's Darker Dungeons: whoever finishes a turn names the next, and enemies may interrupt.

mod command;
mod conceal;
mod decide;
mod event;
mod evolve;
mod manifest;
mod offers;
mod order;
mod react;
mod state;

pub use command::*;
pub use event::*;
pub use state::*;

use crate::vocabulary::{
    Actor, Audience, Combatant, CombatantId, Event as AnyEvent, Manifest, Offer, Pending, Place, Play, Ruleset,
    Table as AnyTable, Telling, Violation,
};

/// The ruleset `active-initiative`.
#[derive(Debug, Clone, PartialEq)]
pub struct ActiveInitiative;

type Table = AnyTable<ActiveInitiative>;

impl Ruleset for ActiveInitiative {
    type Options = Options;
    type Stats = Stats;
    type Standing = Standing;
    type State = State;
    type Command = Command;
    type Event = Event;

    const MANIFEST: &'static Manifest = &manifest::MANIFEST;

    fn decide(play: &mut Play<'_, Self>, command: &Command) -> Result<(), Violation> {
        decide::decide(play, command)
    }

    fn evolve(table: &mut Table, event: &Event) {
        evolve::evolve(table, event);
    }

    fn react(play: &mut Play<'_, Self>, event: &AnyEvent<Self>) -> Result<(), Violation> {
        react::react(play, event);
        Ok(())
    }

    fn sender(command: &Command) -> Actor<'_> {
        command::sender(command)
    }

    fn offers(table: &Table) -> Vec<Offer> {
        offers::offers(table)
    }

    fn current(table: &Table) -> Vec<CombatantId> {
        order::current(table)
    }

    fn pending(table: &Table) -> Option<Pending> {
        order::pending(table)
    }

    fn order(table: &Table) -> Vec<Place> {
        order::order(table)
    }

    fn someone_acts(whole: &Table, audience: &Audience<'_>) -> bool {
        conceal::someone_acts(whole, audience)
    }

    fn conceal(table: &mut Table, whole: &Table, audience: &Audience<'_>) {
        conceal::conceal(table, whole, audience);
    }

    fn retell(event: &Event, telling: &Telling<'_, Self>) -> Option<Event> {
        conceal::retell(event, telling)
    }

    fn secret(event: &Event) -> bool {
        conceal::secret(event)
    }

    fn remark(table: &Table, combatant: &Combatant<Self>) -> String {
        order::remark(table, combatant)
    }
}
