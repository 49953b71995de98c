//! Combatants that are shared, with their JSON, until they change.

use super::{Combatant, FoeHp, Ruleset, SeenBy};
use crate::json::JsonCell;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// A combatant that is cheap to copy, and to serialize while it has not changed.
///
/// It reads and serializes as the [`Combatant`] that it holds, to JSON only.
/// [`change`](Self::change) is the only way to change it, so that no cached JSON outlives its
/// combatant.
#[derive(Debug, Clone)]
pub struct CachedCombatant<R: Ruleset>(Arc<Cached<R>>);

#[derive(Debug)]
struct Cached<R: Ruleset> {
    combatant: Combatant<R>,
    stored: JsonCell,
    shown: JsonCell,
    /// The same combatant for viewers who may not know all of it.
    known: OnceLock<(Reading, CachedCombatant<R>)>,
}

/// Who reads a combatant, and what is left of its hit points where they are hidden.
type Reading = (SeenBy, Option<FoeHp>);

impl<R: Ruleset> CachedCombatant<R> {
    /// A combatant without cached JSON.
    pub fn new(combatant: Combatant<R>) -> Self {
        Self(Arc::new(Cached::new(combatant)))
    }

    /// The combatant, to be changed by an event.
    pub fn change(&mut self) -> &mut Combatant<R> {
        let cached = Arc::make_mut(&mut self.0);
        cached.stored = JsonCell::default();
        cached.shown = JsonCell::default();
        cached.known = OnceLock::new();
        &mut cached.combatant
    }

    /// The combatant [as `reader` knows it](Combatant::known_to); made once while it stays as it is.
    pub fn known_to(&self, reader: SeenBy, hp: Option<FoeHp>) -> Self {
        if hp.is_none() && !self.hides_sheet_from(reader) {
            return self.clone();
        }
        let make = || Self::new(self.0.combatant.known_to(reader, hp));
        let (made_for, made) = self.0.known.get_or_init(|| ((reader, hp), make()));
        if *made_for == (reader, hp) {
            made.clone()
        } else {
            make()
        }
    }

    /// Serializes `view`, which must depend on this combatant alone.
    pub fn show<S: Serializer>(
        &self,
        view: &impl Serialize,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        self.0.shown.serialize(view, serializer)
    }
}

impl<R: Ruleset> Deref for CachedCombatant<R> {
    type Target = Combatant<R>;

    fn deref(&self) -> &Combatant<R> {
        &self.0.combatant
    }
}

impl<R: Ruleset> Cached<R> {
    fn new(combatant: Combatant<R>) -> Self {
        Self {
            combatant,
            stored: JsonCell::default(),
            shown: JsonCell::default(),
            known: OnceLock::new(),
        }
    }
}

/// Only made by [`CachedCombatant::change`].
impl<R: Ruleset> Clone for Cached<R> {
    fn clone(&self) -> Self {
        Self::new(self.combatant.clone())
    }
}

impl<R: Ruleset> PartialEq for CachedCombatant<R> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.combatant == other.0.combatant
    }
}

impl<R: Ruleset> Serialize for CachedCombatant<R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.stored.serialize(&self.0.combatant, serializer)
    }
}

impl<'de, R: Ruleset> Deserialize<'de> for CachedCombatant<R> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Combatant::deserialize(deserializer).map(Self::new)
    }
}
