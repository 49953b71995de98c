//! DC20: players' characters check against an Encounter DC, then the teams take their Initiative Turns alternately.

mod allowance;
mod command;
mod contest;
mod decide;
mod event;
mod evolve;
mod flow;
mod legal_commands;
mod manifest;
mod react;
mod redact;
mod state;
mod team;

pub use command::*;
pub use event::*;
pub use state::*;

use crate::vocabulary::{
    Actor, Audience, Combatant, CombatantId, Commands, D20, Die, Event as AnyEvent, LegalCommand, Manifest, OrderEntry,
    Pending, Play, Reason, Redact, Redaction, RosterEvent, Ruleset, SharedEvent, Slug, Status, Table as AnyTable,
    Violation, ids, require,
};
use allowance::*;
use contest::*;
use flow::*;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use team::*;

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
        evolve::evolve(table, event);
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

    /// DC-40 counts from the turn in which an effect is made, whatever its source (ADC10).
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
        let state = &table.state;
        Some(match state.phase {
            Phase::Setup => Pending::new("start", Vec::new(), &["start"], "DC-4"),
            Phase::Claim => {
                let contest = contest(table, false);
                let rule = match contest {
                    Contest::Tied(_) => "DC-19",
                    Contest::Open(_) if !state.claims.is_empty() => "DC-18",
                    _ => "DC-17",
                };
                let asked = contest.asked().to_vec();
                let several = asked.len() > 1 && !matches!(contest, Contest::Needed(_));
                let passable = several || !state.claims.is_empty() || may_pass(table);
                Pending::new("claim", asked, if passable { &["claim", "pass"] } else { &["claim"] }, rule)
            }
            Phase::Assign => Pending::new("assign", Vec::new(), &["assign", "pass"], "DC-20"),
            Phase::Turn => Pending::new("end_turn", state.acting.clone(), &["end_turn"], "DC-45"),
            Phase::BetweenTurns => Pending::new("legendary", Vec::new(), &["legendary", "pass"], "DC-52"),
            Phase::RoundEnd => Pending::new("legendary", Vec::new(), &["legendary", "pass"], "DC-53"),
            Phase::Idle => Pending::new("newcomer", Vec::new(), &["assign", "add_combatant", "end_encounter"], "DC-38"),
            Phase::Over => return None,
            Phase::SomeoneActs => Pending::someone(),
        })
    }

    fn order(table: &Table) -> Vec<OrderEntry> {
        let places = table.state.slots.iter().flat_map(|slot| slot.occupants.iter().map(move |id| (slot, id)));
        let entries = places.filter_map(|(slot, id)| {
            let c = table.get(id)?;
            let because = c.state.placed.map(|way| reason(c, way)).unwrap_or_default();
            Some(OrderEntry { combatant: id.clone(), acted: c.acted, slot: Some(slot.id.to_string()), because })
        });
        entries.collect()
    }

    fn remark(table: &Table, c: &Creature) -> String {
        let state = &c.state;
        let mut remarks: Vec<String> = Vec::new();
        remarks.extend(state.slot.as_ref().map(|slot| format!("turn {slot}")));
        remarks.extend(state.behind.as_ref().map(|enemy| format!("behind {enemy}")));
        if placeless(c) && c.active() && !table.state.slots.is_empty() {
            remarks.push("no turn yet".to_owned());
        }
        if table.round > 0 {
            remarks.push(format!("AP {}/{}", state.ap.current, state.ap.max));
        }
        let flags = [
            (state.delayed, "delayed"),
            (state.inspiration_die, "inspiration d6"),
            (state.round_one_adv, "ADV in round 1"),
            (state.attacked_with_adv, "attacked with ADV"),
            (state.committed.is_some(), "committed"),
            (state.held.is_some(), "holds an action"),
        ];
        remarks.extend(flags.into_iter().filter(|(on, _)| *on).map(|(_, remark)| remark.to_owned()));
        if c.stats.max_lap.get() > 0 && team(&table.state, c) != Team::Pc {
            remarks.push(format!("LAP {}/{}", state.lap, c.stats.max_lap));
            let spendable = spendable(table, c);
            remarks.extend((spendable > 0).then(|| format!("may spend {spendable}")));
        }
        remarks.join(", ")
    }

    fn someone_acts(whole: &Table, audience: &Audience<'_>) -> bool {
        let state = &whole.state;
        let misses = |id: &CombatantId| audience.misses(whole, id);
        match state.phase {
            Phase::Turn => !state.acting.is_empty() && state.acting.iter().all(|id| misses(id) || !audience.knows(id)),
            Phase::Claim | Phase::Assign => {
                let Some(slot) = state.at() else { return false };
                let contest = (state.phase == Phase::Claim).then(|| contest(whole, false));
                let mut asked = contest.map(|contest| contest.asked().to_vec()).unwrap_or_default();
                if asked.is_empty() {
                    asked = wanting(whole, slot).map(|c| c.id.clone()).collect();
                }
                // Where nobody is asked, the combatants in the turn are about to begin.
                let involved = if asked.is_empty() { &slot.occupants } else { &asked };
                !involved.is_empty() && involved.iter().all(misses)
            }
            Phase::BetweenTurns | Phase::RoundEnd => {
                let mut legendary = whole.active().filter(|c| c.state.lap > 0 && team(state, c) != Team::Pc).peekable();
                legendary.peek().is_some() && !legendary.any(|c| audience.sees(c))
            }
            Phase::SomeoneActs => true,
            Phase::Setup | Phase::Idle | Phase::Over => false,
        }
    }

    fn redact(table: &mut Table, whole: &Table, audience: &Audience<'_>) {
        redact::redact(table, whole, audience);
    }

    fn redact_event(event: &Event, redaction: &Redaction<'_, Self>) -> Option<Event> {
        redact::redact_event(event, redaction)
    }
}

/// Why a combatant has its place.
fn reason(c: &Creature, way: Way) -> Reason {
    let checked = |reason| match &c.state.check {
        Some(Check { dice, bonus, total, .. }) => {
            Reason { dice: dice.clone(), bonus: Some(*bonus), total: Some(*total), ..Reason::new("DC-18", reason) }
        }
        None => Reason::new("DC-18", reason),
    };
    match way {
        Way::Claimed => Reason::new("DC-17", "the PC team chose it for this turn"),
        Way::Contested => checked("had the highest check of the claims for this turn"),
        Way::Shared => Reason { tie_rule: Some("DC-19"), ..checked("shares this turn with an equal check") },
        Way::Assigned => Reason::new("DC-20", "the game master put it here"),
        Way::Delayed => Reason::new("DC-33", "delayed to this turn"),
        Way::DelayedAfter => Reason::new("DC-34", "delayed until after an enemy"),
        Way::Merged => Reason::new("DC-25", "two enemy turns were merged"),
        Way::Joined => Reason::new("ADC14", "joined later with a turn of its own"),
    }
}
