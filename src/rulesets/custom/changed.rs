//! What the rules of a definition make of an event, as the log keeps it.
//!
//! A definition says little of what an event changes: the rules say it, and a release may correct them.
//! So their result stands in the log, and reading the log asks no rule.

use super::by_rule::ByRule;
use super::newcomer::{combatant_joined, combatant_left};
use super::places::set_done;
use super::round::round_started;
use super::sides::{add_sides, drop_hidden_initiative};
use super::turn::turn_ended;
use super::{CombatantState, Custom, Encounter, Event, Place, SideState, State};
use crate::json::CachedJson;
use crate::vocabulary::{
    Audience, CombatantId, Describe, Event as AnyEvent, Fold, Redact, RosterEvent, SharedEvent,
    Status,
};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::HashMap;

/// The consequences of the event before it.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Changed {
    /// The state of the encounter now, without places, sides and the coming definition.
    state: Option<Box<State>>,
    /// The places now.
    places: Option<Vec<PlacesNow>>,
    /// The sides now.
    sides: Option<Vec<SideState>>,
    /// The states of changed combatants now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    combatants: Vec<CombatantsNow>,
    /// The combatants that have used up the roll or initiative that they brought.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    rolled: Vec<CombatantId>,
}

/// A part of the places, in their order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum PlacesNow {
    /// Places that were there before.
    Before {
        /// The position of the first one, before.
        from: usize,
        count: usize,
        /// True if these turns were taken or lost by now; None: as before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        done: Option<bool>,
    },
    /// Another one.
    New(CachedJson<Place>),
}

/// Combatants that are alike now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CombatantsNow {
    combatants: Vec<CombatantId>,
    acted: bool,
    state: CombatantState,
}

impl Changed {
    /// The changes from one encounter to another with the same combatants; None without any.
    fn between(before: &Encounter, after: &Encounter) -> Option<Self> {
        let (state, now) = (rest(&before.state), rest(&after.state));
        let (places, sides) = (&after.state.places, &after.state.sides);
        let mut changed = Self {
            state: (state != now).then(|| Box::new(now)),
            places: (before.state.places != *places)
                .then(|| places_between(&before.state.places, places)),
            sides: (before.state.sides != *sides).then(|| sides.clone()),
            combatants: Vec::new(),
            rolled: Vec::new(),
        };
        for (before, after) in before.iter().zip(after.iter()) {
            if before.stats != after.stats {
                changed.rolled.push(after.id.clone());
            }
            if before.acted == after.acted && before.state == after.state {
                continue;
            }
            match changed.combatants.last_mut() {
                Some(alike) if alike.acted == after.acted && alike.state == after.state => {
                    alike.combatants.push(after.id.clone());
                }
                _ => changed.combatants.push(CombatantsNow {
                    combatants: vec![after.id.clone()],
                    acted: after.acted,
                    state: after.state.clone(),
                }),
            }
        }
        (changed != Self::default()).then_some(changed)
    }

    pub(super) fn apply(&self, fold: &mut Fold<'_, Custom>) {
        let state = fold.state();
        if let Some(now) = &self.state {
            let before = std::mem::take(state);
            *state = State {
                places: before.places,
                sides: before.sides,
                planned: before.planned,
                ..State::clone(now)
            };
        }
        if let Some(places) = &self.places {
            state.places = placed(std::mem::take(&mut state.places), places);
        }
        if let Some(sides) = &self.sides {
            state.sides.clone_from(sides);
        }
        for alike in &self.combatants {
            for id in &alike.combatants {
                fold.change(id, |c| {
                    c.acted = alike.acted;
                    c.state.clone_from(&alike.state);
                });
            }
        }
        for id in &self.rolled {
            fold.change(id, |c| c.stats.use_up_roll());
        }
    }
}

/// The state of an encounter without the parts for which [`Changed`] has fields of their own.
fn rest(state: &State) -> State {
    State {
        places: Vec::new(),
        sides: Vec::new(),
        planned: None,
        ..state.clone()
    }
}

/// The places now, by those before.
fn places_between(before: &[CachedJson<Place>], now: &[CachedJson<Place>]) -> Vec<PlacesNow> {
    let mut positions = HashMap::with_capacity(before.len());
    for (position, place) in before.iter().enumerate() {
        positions.insert((&place.combatant, place.turn), position);
    }
    let mut parts: Vec<PlacesNow> = Vec::new();
    for place in now {
        let position = positions.remove(&(&place.combatant, place.turn));
        let known = position.and_then(|at| Some((at, before.get(at)?)));
        let part = match known {
            Some((from, known)) if known.is_but_for_done(place) => PlacesNow::Before {
                from,
                count: 1,
                done: (known.done != place.done).then_some(place.done),
            },
            _ => PlacesNow::New(place.clone()),
        };
        if !parts.last_mut().is_some_and(|last| last.takes_up(&part)) {
            parts.push(part);
        }
    }
    parts
}

impl PlacesNow {
    /// Takes up a place that follows those of this part, if it can.
    fn takes_up(&mut self, next: &Self) -> bool {
        let Self::Before { from, count, done } = self else {
            return false;
        };
        let end = *from + *count;
        let follows =
            matches!(next, Self::Before { from, done: other, .. } if *from == end && other == done);
        *count += usize::from(follows);
        follows
    }
}

/// The places that `parts` say, each of those before at most once.
fn placed(before: Vec<CachedJson<Place>>, parts: &[PlacesNow]) -> Vec<CachedJson<Place>> {
    let mut left = before.len();
    let mut before: Vec<_> = before.into_iter().map(Some).collect();
    let mut places = Vec::new();
    for part in parts {
        let (from, count, done) = match part {
            PlacesNow::New(place) => {
                places.push(place.clone());
                continue;
            }
            PlacesNow::Before { from, count, done } => (*from, left.min(*count), *done),
        };
        left -= count;
        for place in before.iter_mut().skip(from).take(count) {
            let Some(mut place) = place.take() else {
                continue;
            };
            if let Some(done) = done {
                set_done(&mut place, done);
            }
            places.push(place);
        }
    }
    places
}

/// No client reads of it.
impl Redact for Changed {
    fn redact(&self, _audience: &Audience<'_>) -> Option<Self> {
        None
    }
}

impl Describe for Changed {}

/// The consequences of an event by the rules.
pub(super) fn outcome(encounter: &Encounter, event: &AnyEvent<Custom>) -> Option<Event> {
    let mut after = Cow::Borrowed(encounter);
    follow(&mut after, event);
    match after {
        Cow::Borrowed(_) => None,
        Cow::Owned(after) => Changed::between(encounter, &after).map(Event::from),
    }
}

/// Lets an event happen in an encounter that is thought of, with what follows from it.
pub(super) fn happen(encounter: &mut Cow<'_, Encounter>, event: impl Into<AnyEvent<Custom>>) {
    let event = event.into();
    encounter.to_mut().apply(&event);
    follow(encounter, &event);
}

/// Does to an encounter what follows by the rules from an event that has happened.
fn follow(encounter: &mut Cow<'_, Encounter>, event: &AnyEvent<Custom>) {
    let runs = encounter.status == Status::Running;
    match event {
        AnyEvent::Own(event) => {
            if let Some(event) = by_rule(event) {
                event.follow(encounter.to_mut());
            }
        }
        AnyEvent::Shared(SharedEvent::RoundStarted(e)) => {
            let is_first = e.round == 1 || encounter.state.fresh;
            round_started(encounter.to_mut(), is_first);
        }
        AnyEvent::Shared(SharedEvent::TurnEnded(e)) => turn_ended(encounter.to_mut(), &e.combatant),
        AnyEvent::Shared(SharedEvent::CombatantLeft(e)) => {
            combatant_left(encounter.to_mut(), &e.combatant);
        }
        AnyEvent::Roster(RosterEvent::CombatantJoined { details }) if runs => {
            combatant_joined(encounter.to_mut(), &details.id);
        }
        AnyEvent::Roster(RosterEvent::CombatantUpdated { .. }) if runs => {
            add_sides(encounter.to_mut());
        }
        AnyEvent::Shared(_) | AnyEvent::Roster(_) => {}
    }
    drop_hidden_initiative(encounter);
}

/// The event, if something follows from it by the rules.
fn by_rule(event: &Event) -> Option<&dyn ByRule> {
    Some(match event {
        Event::SideOpened(e) => e,
        Event::InitiativeRolled(e) => e,
        Event::InitiativeChanged(e) => e,
        Event::SideInitiativeChanged(e) => e,
        Event::CardKept(e) => e,
        Event::PlacesSwapped(e) => e,
        Event::Placed(e) => e,
        Event::TurnOpened(e) => e,
        Event::Delayed(e) => e,
        Event::DelayLapsed(e) => e,
        Event::Returned(e) => e,
        Event::PlaceMoved(e) => e,
        Event::Reacted(e) => e,
        Event::Triggered(e) => e,
        Event::TurnSpent(e) => e,
        Event::DefinitionChanged(e) => e,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rulesets::custom::Initiative;

    /// The places of combatants with these ids and turns.
    fn places(of: &[(&str, usize)]) -> Vec<CachedJson<Place>> {
        let place = |(id, turn): &(&str, usize)| Place {
            combatant: CombatantId::new(id).expect("an id"),
            turn: *turn,
            done: false,
            moved: false,
            settled: false,
            initiative: Initiative::default().into(),
        };
        of.iter().map(|of| place(of).into()).collect()
    }

    fn kept(from: usize, count: usize) -> PlacesNow {
        let done = None;
        PlacesNow::Before { from, count, done }
    }

    #[test]
    fn a_place_that_moves_is_one_part_of_three() {
        let before = places(&[("a", 0), ("b", 0), ("c", 0), ("d", 0)]);
        let now = places(&[("b", 0), ("c", 0), ("a", 0), ("e", 0)]);
        let parts = places_between(&before, &now);
        let [new] = &places(&[("e", 0)])[..] else {
            panic!("one place");
        };
        let expected = [kept(1, 2), kept(0, 1), PlacesNow::New(new.clone())];
        assert_eq!(parts, expected);
        assert_eq!(placed(before, &parts), now);
    }

    #[test]
    fn no_part_gives_a_place_twice() {
        let before = places(&[("a", 0), ("a", 1)]);
        let twice = [kept(0, usize::MAX), kept(1, 1)];
        assert_eq!(placed(before.clone(), &twice), before);
        assert_eq!(placed(before, &[kept(7, 1)]), Vec::new());
    }
}
