//! DC20's combat: players' characters check against an Encounter DC, and the teams take their Initiative Turns alternately.

mod allowance;
mod command;
mod conceal;
mod contest;
mod decide;
mod event;
mod evolve;
mod flow;
mod manifest;
mod offers;
mod order;
mod react;
mod state;
mod team;

pub use command::*;
pub use event::*;
pub use state::*;

use crate::vocabulary::{
    Actor, Audience, Combatant, CombatantId, Event as AnyEvent, Manifest, Offer, Pending, Place, Play, Ruleset,
    Table as AnyTable, Telling, Violation,
};

/// The ruleset `dc20`.
#[derive(Debug, Clone, PartialEq)]
pub struct Dc20;

type Table = AnyTable<Dc20>;
type Combat<'d> = Play<'d, Dc20>;
type Creature = Combatant<Dc20>;

impl Ruleset for Dc20 {
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

    /// DC-40 counts from the turn in which an effect is made, whoever made it (ADC10).
    fn anchor(table: &Table, source: Option<&CombatantId>, target: Option<&CombatantId>) -> Option<CombatantId> {
        let acting = &table.state.acting;
        let own = source.or(target).filter(|id| acting.contains(id));
        own.or(acting.first()).or(source).or(target).cloned()
    }

    fn offers(table: &Table) -> Vec<Offer> {
        offers::offers(table)
    }

    fn current(table: &Table) -> Vec<CombatantId> {
        table.state.acting.clone()
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

    fn remark(table: &Table, combatant: &Combatant<Self>) -> String {
        order::remark(table, combatant)
    }
}
