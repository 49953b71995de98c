//! DC20: players' characters check against an Encounter DC, then the teams take their Initiative Turns alternately.

mod allowance;
mod bounds;
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

use crate::rulesets::shared::parts;
use crate::vocabulary::{
    Actor, Audience, Combatant, CombatantId, Commands, D20, Die, Event as AnyEvent, LegalCommand,
    OrderEntry, Pending, Play, Reason, Redact, Redaction, RosterEvent, Ruleset, SharedEvent, Slug,
    Status, Table as AnyTable, Violation, ids, require,
};
use allowance::*;
use contest::*;
use flow::*;
use std::collections::HashSet;
use std::sync::Arc;
use team::*;

/// The ruleset `dc20`.
#[derive(Debug, Clone, PartialEq)]
pub struct Dc20;

type Table = AnyTable<Dc20>;
type Combat<'d> = Play<'d, Dc20>;
type Creature = Combatant<Dc20>;

impl Ruleset for Dc20 {
    parts!();

    fn actor(command: &Command) -> Actor<'_> {
        match command {
            Command::Claim(c) if c.decides() => Actor::Gm,
            Command::EndTurn(EndTurn { all: true, .. }) => Actor::Gm,
            command => command.actor(),
        }
    }

    /// DC-40 counts from the turn in which an effect is made, whatever its source (ADC10).
    fn anchor(
        table: &Table,
        source: Option<&CombatantId>,
        target: Option<&CombatantId>,
    ) -> Option<CombatantId> {
        let acting = &table.state.acting;
        let own = source.or(target).filter(|id| acting.contains(id));
        own.or(acting.first()).or(source).or(target).cloned()
    }

    fn current(table: &Table) -> Vec<CombatantId> {
        table.state.acting.clone()
    }

    fn pending(table: &Table) -> Option<Pending> {
        let state = &table.state;
        Some(match state.phase {
            Phase::Setup if table.active().next().is_none() => Pending::newcomer("DC-4"),
            Phase::Setup => Pending::new("start", Vec::new(), &["start"], "DC-4"),
            Phase::Claim => {
                let (contest, claimed) = (contest(table, false), !state.claims.is_empty());
                let rule = match contest {
                    Contest::Tied(_) => "DC-19",
                    Contest::Open(_) if claimed => "DC-18",
                    _ => "DC-17",
                };
                let several = contest.asked().len() > 1 && !matches!(contest, Contest::Needed(_));
                let commands: &[&str] = if several || claimed || may_pass(table) {
                    &["claim", "pass"]
                } else {
                    &["claim"]
                };
                in_turn(
                    state,
                    state.at(),
                    Pending::new("claim", contest.asked().to_vec(), commands, rule),
                )
            }
            Phase::Assign => in_turn(
                state,
                state.at(),
                Pending::new("assign", Vec::new(), &["assign", "pass"], "DC-20"),
            ),
            Phase::Turn => {
                let place = state
                    .acting
                    .first()
                    .and_then(|id| table.get(id)?.state.slot.as_ref());
                let slot = place.and_then(|place| state.slot(place));
                in_turn(
                    state,
                    slot,
                    Pending::new("end_turn", state.acting.clone(), &["end_turn"], "DC-45"),
                )
            }
            Phase::BetweenTurns => {
                Pending::new("legendary", Vec::new(), &["legendary", "pass"], "DC-52")
            }
            Phase::RoundEnd => {
                Pending::new("legendary", Vec::new(), &["legendary", "pass"], "DC-53")
            }
            Phase::Idle => Pending::new(
                "newcomer",
                Vec::new(),
                &["assign", "add_combatant", "end_encounter"],
                "DC-38",
            ),
            Phase::Over => return None,
            Phase::SomeoneActs => Pending::someone(),
        })
    }

    fn order(table: &Table) -> Vec<OrderEntry> {
        order::order(table)
    }

    fn remark(table: &Table, c: &Creature) -> String {
        let state = &c.state;
        let flag = |on: bool, remark: &str| on.then(|| remark.to_owned());
        let legendary = c.stats.max_lap.get() > 0 && team(&table.state, c) != Team::Pc;
        let spendable = spendable(table, c);
        let remarks = [
            state
                .behind
                .as_ref()
                .and_then(|enemy| table.get(enemy))
                .map(|enemy| format!("behind {}", enemy.name)),
            flag(
                placeless(c) && c.active() && !table.state.slots.is_empty(),
                "no turn yet",
            ),
            (table.round > 0).then(|| format!("AP {}/{}", state.ap.current, state.ap.max)),
            flag(state.delayed, "delayed"),
            flag(state.inspiration_die, "inspiration d6"),
            flag(state.round_one_adv, "ADV in round 1"),
            flag(state.attacked_with_adv, "attacked with ADV"),
            flag(state.committed.is_some(), "committed"),
            flag(state.held.is_some(), "holds an action"),
            legendary.then(|| format!("LAP {}/{}", state.lap, c.stats.max_lap)),
            (spendable > 0).then(|| format!("may spend {spendable}")),
        ];
        remarks.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    fn someone_acts(whole: &Table, audience: &Audience<'_>) -> bool {
        let state = &whole.state;
        let misses = |id: &CombatantId| audience.misses(whole, id);
        match state.phase {
            Phase::Turn => {
                !state.acting.is_empty()
                    && state
                        .acting
                        .iter()
                        .all(|id| misses(id) || !audience.knows(id))
            }
            Phase::Claim | Phase::Assign => {
                let Some(slot) = state.at() else { return false };
                let claim = state.phase == Phase::Claim;
                let asked = if claim {
                    contest(whole, false).asked().to_vec()
                } else {
                    Vec::new()
                };
                // Where no combatant is asked, those in the turn are about to begin.
                let mut involved =
                    [asked, ids(wanting(whole, slot)), slot.occupants.clone()].into_iter();
                involved
                    .find(|ids| !ids.is_empty())
                    .is_some_and(|ids| ids.iter().all(misses))
            }
            Phase::BetweenTurns | Phase::RoundEnd => {
                audience.misses_all(whole, |c| legendary(state, c))
            }
            Phase::SomeoneActs => true,
            Phase::Setup | Phase::Idle | Phase::Over => false,
        }
    }

    fn hides_something(table: &Table) -> bool {
        let State {
            slots,
            unseen_teams,
            ..
        } = &table.state;
        !unseen_teams.is_empty() || slots.iter().any(|slot| slot.unseen)
    }

    fn redact(table: &mut Table, whole: &Table, audience: &Audience<'_>) {
        redact::redact(table, whole, audience);
    }

    fn redact_event(event: &Event, redaction: &Redaction<'_, Self>) -> Option<Event> {
        redact::redact_event(event, redaction)
    }
}

/// Says in which turn a decision is awaited.
fn in_turn(state: &State, slot: Option<&Slot>, pending: Pending) -> Pending {
    let name = slot.map(|slot| slot.id.to_string());
    Pending {
        slot: name,
        team: slot.map(|slot| team_name(state, slot.team)),
        ..pending
    }
}
