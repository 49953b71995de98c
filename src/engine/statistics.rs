//! What was done in a fight, counted from its log.

use super::LoadError;
use super::document::unreadable;
use crate::vocabulary::{CombatantId, Encounter, Ruleset, SharedEvent, Time};
use serde::Serialize;
use serde_json::value::RawValue;
use std::collections::{BTreeMap, HashMap, HashSet};
use utoipa::ToSchema;

/// The numbers of one combatant, as far as the viewer's log tells them.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct CombatantStatistics {
    /// The combatant.
    pub combatant: CombatantId,
    /// Its name; left out if it has left.
    pub name: Option<String>,
    /// Turns that it has ended.
    pub turns: u64,
    /// Whole seconds from the starts of these turns to their ends, by the clock of the server: time in
    /// which it waits or delays is included, and breaks of the table.
    pub seconds: u64,
    /// Damage that names it as its `source`.
    pub damage_dealt: u64,
    /// Damage that it took.
    pub damage_taken: u64,
    /// Hit points that it regained.
    pub healed: u64,
}

/// What counts of a log, by the versions of its entries.
#[derive(Default)]
pub struct CountedLog {
    entries: BTreeMap<u64, CountedEntry>,
}

/// What counts of an entry.
enum CountedEntry {
    /// The state of this version is back.
    Jump(u64),
    /// These happened.
    Events { at: Time, events: Vec<CountedEvent> },
}

enum CountedEvent {
    TurnStarted(CombatantId),
    TurnEnded(CombatantId),
    Left(CombatantId),
    /// No turn is open any more.
    AllEnded,
    Damaged {
        combatant: CombatantId,
        source: Option<CombatantId>,
        amount: u32,
    },
    Healed {
        combatant: CombatantId,
        amount: u32,
    },
}

impl CountedLog {
    /// Adds the events of an entry in JSON, as a viewer reads them.
    pub fn add(&mut self, version: u64, at: &str, events: &RawValue) -> Result<(), LoadError> {
        let at = at
            .parse()
            .map_err(|_| LoadError::Unreadable(format!("the time of entry {version}")))?;
        let read: Vec<&RawValue> = serde_json::from_str(events.get()).map_err(unreadable)?;
        let mut events = Vec::new();
        for event in read {
            let event = SharedEvent::read(event.get())
                .map_err(|error| LoadError::Unreadable(error.to_string()))?;
            match event {
                Some(SharedEvent::Undone(e)) => {
                    self.entries
                        .insert(version, CountedEntry::Jump(e.to_version));
                    return Ok(());
                }
                Some(SharedEvent::Redone(e)) => {
                    self.entries
                        .insert(version, CountedEntry::Jump(e.to_version));
                    return Ok(());
                }
                Some(event) => events.extend(counted(event)),
                None => {}
            }
        }
        if !events.is_empty() {
            self.entries
                .insert(version, CountedEntry::Events { at, events });
        }
        Ok(())
    }

    /// The entries that led to `version`, without what was undone, oldest first.
    fn path(&self, mut version: u64) -> Vec<(Time, &[CountedEvent])> {
        let mut path = Vec::new();
        while let Some((&found, entry)) = self.entries.range(..=version).next_back() {
            version = match entry {
                // An earlier version, or there is no end.
                CountedEntry::Jump(to) if *to < found => *to,
                CountedEntry::Jump(_) => break,
                CountedEntry::Events { at, events } => {
                    path.push((*at, &events[..]));
                    let Some(before) = found.checked_sub(1) else {
                        break;
                    };
                    before
                }
            };
        }
        path.reverse();
        path
    }

    /// The numbers of each combatant of `encounter` and of those that have left.
    pub(super) fn statistics<R: Ruleset>(
        &self,
        encounter: &Encounter<R>,
    ) -> Vec<CombatantStatistics> {
        let mut tally = Tally::default();
        for (at, events) in self.path(encounter.version) {
            for event in events {
                tally.count(at, event);
            }
        }
        let mut statistics = Vec::with_capacity(encounter.combatants.len());
        for c in encounter.iter() {
            let numbers = tally.numbers.remove(&c.id).unwrap_or_default();
            statistics.push(numbers.of(c.id.clone(), Some(c.name.to_string())));
        }
        let left = tally.left.into_iter().chain(tally.numbers);
        statistics.extend(left.map(|(id, numbers)| numbers.of(id, None)));
        statistics
    }
}

/// What counts of an event.
fn counted(event: SharedEvent) -> Option<CountedEvent> {
    Some(match event {
        SharedEvent::TurnStarted(e) => CountedEvent::TurnStarted(e.combatant),
        SharedEvent::TurnEnded(e) => CountedEvent::TurnEnded(e.combatant),
        SharedEvent::CombatantLeft(e) => CountedEvent::Left(e.combatant),
        SharedEvent::EncounterEnded(_) | SharedEvent::Overridden(_) => CountedEvent::AllEnded,
        SharedEvent::Damaged(e) if !e.set => CountedEvent::Damaged {
            combatant: e.combatant,
            source: e.source,
            amount: e.amount,
        },
        SharedEvent::Healed(e) if !e.set => CountedEvent::Healed {
            combatant: e.combatant,
            amount: e.hp_gained,
        },
        _ => return None,
    })
}

/// The numbers so far.
#[derive(Default)]
struct Tally {
    numbers: BTreeMap<CombatantId, Numbers>,
    /// Those of combatants that have left. Another one may have the id now.
    left: Vec<(CombatantId, Numbers)>,
    /// The ids of those that have left, until another one's turn starts.
    gone: HashSet<CombatantId>,
    /// The turns that go on, by their combatants.
    started: HashMap<CombatantId, Time>,
}

#[derive(Default)]
struct Numbers {
    turns: u64,
    seconds: u64,
    damage_dealt: u64,
    damage_taken: u64,
    healed: u64,
}

impl Tally {
    fn of(&mut self, combatant: &CombatantId) -> &mut Numbers {
        self.numbers.entry(combatant.clone()).or_default()
    }

    fn count(&mut self, at: Time, event: &CountedEvent) {
        match event {
            CountedEvent::TurnStarted(combatant) => {
                self.gone.remove(combatant);
                if self.started.insert(combatant.clone(), at).is_some() {
                    // The viewer does not know when the turn before ended.
                    add(&mut self.of(combatant).turns, 1);
                }
            }
            CountedEvent::TurnEnded(combatant) => {
                // A viewer may not have seen the start. That of one that has left ended with it.
                if !self.gone.contains(combatant) {
                    self.started.entry(combatant.clone()).or_insert(at);
                }
                self.end(combatant, at);
            }
            CountedEvent::Left(combatant) => {
                self.end(combatant, at);
                self.gone.insert(combatant.clone());
                if let Some(numbers) = self.numbers.remove(combatant) {
                    self.left.push((combatant.clone(), numbers));
                }
            }
            CountedEvent::AllEnded => {
                let going_on: Vec<_> = self.started.keys().cloned().collect();
                for combatant in going_on {
                    self.end(&combatant, at);
                }
            }
            CountedEvent::Damaged {
                combatant,
                source,
                amount,
            } => {
                let amount = u64::from(*amount);
                add(&mut self.of(combatant).damage_taken, amount);
                if let Some(source) = source {
                    add(&mut self.of(source).damage_dealt, amount);
                }
            }
            CountedEvent::Healed { combatant, amount } => {
                add(&mut self.of(combatant).healed, u64::from(*amount));
            }
        }
    }

    /// Ends the turn of a combatant, if it has one.
    fn end(&mut self, combatant: &CombatantId, at: Time) {
        if let Some(started) = self.started.remove(combatant) {
            let numbers = self.of(combatant);
            add(&mut numbers.turns, 1);
            add(&mut numbers.seconds, at.seconds_since(started));
        }
    }
}

fn add(sum: &mut u64, amount: u64) {
    *sum = sum.saturating_add(amount);
}

impl Numbers {
    fn of(self, combatant: CombatantId, name: Option<String>) -> CombatantStatistics {
        let Self {
            turns,
            seconds,
            damage_dealt,
            damage_taken,
            healed,
        } = self;
        CombatantStatistics {
            combatant,
            name,
            turns,
            seconds,
            damage_dealt,
            damage_taken,
            healed,
        }
    }
}
