//! Who is in an encounter: found by id however many there are, and each shared, with its JSON,
//! until it changes.

use super::{Combatant, CombatantId, FoeHp, Ruleset};
use crate::json::JsonCell;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// So many are looked through faster than an index is made.
const FEW: usize = 32;

/// The combatants of an encounter, in the order of joining, each with an id of its own. They read
/// and serialize as a list.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent, bound = "")]
pub struct Combatants<R: Ruleset> {
    list: Vec<CachedCombatant<R>>,
    /// The places in a long list by id, from the first search until somebody leaves.
    #[serde(skip)]
    places: OnceLock<Arc<HashMap<CombatantId, usize>>>,
}

impl<R: Ruleset> Combatants<R> {
    /// The combatant named `id`.
    pub fn find(&self, id: &CombatantId) -> Option<&CachedCombatant<R>> {
        self.list.get(self.place(id)?)
    }

    /// The combatant named `id`, to be changed.
    pub fn find_mut(&mut self, id: &CombatantId) -> Option<&mut CachedCombatant<R>> {
        let place = self.place(id)?;
        self.list.get_mut(place)
    }

    fn place(&self, id: &CombatantId) -> Option<usize> {
        if self.list.len() <= FEW {
            return self.list.iter().position(|c| c.id == *id);
        }
        let all = || {
            Arc::new(
                (0..)
                    .zip(&self.list)
                    .map(|(place, c)| (c.id.clone(), place))
                    .collect(),
            )
        };
        self.places.get_or_init(all).get(id).copied()
    }

    /// Everybody, to be changed in what is not the id.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, CachedCombatant<R>> {
        self.list.iter_mut()
    }

    /// Lets somebody join, whose id nobody has.
    pub fn push(&mut self, combatant: CachedCombatant<R>) {
        if let Some(places) = self.places.get_mut() {
            Arc::make_mut(places).insert(combatant.id.clone(), self.list.len());
        }
        self.list.push(combatant);
    }

    /// Lets the combatant named `id` leave, if it is there.
    pub fn remove(&mut self, id: &CombatantId) {
        self.list.retain(|c| c.id != *id);
        self.places = OnceLock::new();
    }
}

impl<R: Ruleset> Deref for Combatants<R> {
    type Target = [CachedCombatant<R>];

    fn deref(&self) -> &Self::Target {
        &self.list
    }
}

impl<R: Ruleset> FromIterator<CachedCombatant<R>> for Combatants<R> {
    fn from_iter<I: IntoIterator<Item = CachedCombatant<R>>>(combatants: I) -> Self {
        Self {
            list: combatants.into_iter().collect(),
            places: OnceLock::new(),
        }
    }
}

impl<R: Ruleset> PartialEq for Combatants<R> {
    fn eq(&self, other: &Self) -> bool {
        self.list == other.list
    }
}

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
    /// The same combatant for viewers from whom its hit points are hidden.
    without_hp: OnceLock<(FoeHp, CachedCombatant<R>)>,
}

impl<R: Ruleset> CachedCombatant<R> {
    /// A combatant without cached JSON.
    pub fn new(combatant: Combatant<R>) -> Self {
        Self(Arc::new(Cached::new(combatant)))
    }

    /// The combatant, to be changed by an event.
    pub fn change(&mut self) -> &mut Combatant<R> {
        let cached = Arc::make_mut(&mut self.0);
        (cached.stored, cached.shown) = (JsonCell::default(), JsonCell::default());
        cached.without_hp = OnceLock::new();
        &mut cached.combatant
    }

    /// The combatant with what `choice` leaves of its hit points; made once while the combatant
    /// stays as it is.
    pub fn without_hp(&self, choice: FoeHp) -> Self {
        let made = || (choice, Self::new(self.0.combatant.without_hp(choice)));
        let (made_for, combatant) = self.0.without_hp.get_or_init(made);
        if *made_for == choice {
            combatant.clone()
        } else {
            made().1
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
            without_hp: OnceLock::new(),
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
