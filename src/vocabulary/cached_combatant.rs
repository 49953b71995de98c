//! A combatant's place at the table: shared until it changes, and with its JSON, which most transitions leave as it is.

use super::{Combatant, FoeHp, Ruleset};
use serde::ser::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// A combatant that costs nothing to copy, and little to serialise while it has not changed.
///
/// It reads as the [`Combatant`] that it holds, and serialises as it does, to JSON only. To change it there is
/// [`change`](Self::change) and nothing else, so that no remembered JSON outlives what it says.
#[derive(Debug)]
pub struct CachedCombatant<R: Ruleset>(Arc<WithJson<R>>);

#[derive(Debug)]
struct WithJson<R: Ruleset> {
    combatant: Combatant<R>,
    stored: JsonCell,
    shown: JsonCell,
    /// The same combatant without its hit points, for viewers who may not know them.
    veiled: OnceLock<(FoeHp, CachedCombatant<R>)>,
}

impl<R: Ruleset> CachedCombatant<R> {
    /// Seats a combatant.
    pub fn new(combatant: Combatant<R>) -> Self {
        Self(Arc::new(WithJson::new(combatant)))
    }

    /// The combatant, to be changed by an event.
    pub fn change(&mut self) -> &mut Combatant<R> {
        let seated = Arc::make_mut(&mut self.0);
        (seated.stored, seated.shown) = (JsonCell::default(), JsonCell::default());
        seated.veiled = OnceLock::new();
        &mut seated.combatant
    }

    /// The combatant with what `choice` leaves of its hit points; made once as long as the combatant stays as it is.
    pub fn veiled(&self, choice: FoeHp) -> Self {
        let made = || (choice, Self::new(self.0.combatant.veiled(choice)));
        let (made_for, seat) = self.0.veiled.get_or_init(made);
        if *made_for == choice { seat.clone() } else { made().1 }
    }

    /// Serialises `view`, which must say of this combatant what it always says while the combatant stays as it is.
    pub fn show<S: Serializer>(&self, view: &impl Serialize, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.shown.serialize(view, serializer)
    }
}

impl<R: Ruleset> Deref for CachedCombatant<R> {
    type Target = Combatant<R>;

    fn deref(&self) -> &Combatant<R> {
        &self.0.combatant
    }
}

impl<R: Ruleset> Clone for CachedCombatant<R> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<R: Ruleset> WithJson<R> {
    fn new(combatant: Combatant<R>) -> Self {
        Self { combatant, stored: JsonCell::default(), shown: JsonCell::default(), veiled: OnceLock::new() }
    }
}

/// Only made by [`CachedCombatant::change`].
impl<R: Ruleset> Clone for WithJson<R> {
    fn clone(&self) -> Self {
        Self::new(self.combatant.clone())
    }
}

impl<R: Ruleset> PartialEq for CachedCombatant<R> {
    fn eq(&self, other: &Self) -> bool {
        self.0.combatant == other.0.combatant
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

/// The JSON of something, written once.
#[derive(Debug, Default)]
pub(super) struct JsonCell(OnceLock<Box<RawValue>>);

impl JsonCell {
    pub fn serialize<S: Serializer>(&self, value: &impl Serialize, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some(json) = self.0.get() {
            return json.serialize(serializer);
        }
        let json = to_raw_value(value).map_err(S::Error::custom)?;
        self.0.get_or_init(|| json).serialize(serializer)
    }
}
