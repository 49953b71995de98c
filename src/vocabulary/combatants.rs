//! Who is in an encounter: found by id however many there are.

use super::{CachedCombatant, CombatantId, Ruleset};
use serde::{Deserialize, Serialize};
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
    list: Arc<Vec<CachedCombatant<R>>>,
    /// The places in a long list by id, from the first search until a combatant leaves.
    #[serde(skip)]
    places: OnceLock<Arc<HashMap<CombatantId, usize>>>,
}

impl<R: Ruleset> Combatants<R> {
    /// The combatant named `id`.
    pub fn find(&self, id: &CombatantId) -> Option<&CachedCombatant<R>> {
        self.list.get(self.place(id)?)
    }

    /// The combatant named `id`, to change it.
    pub fn find_mut(&mut self, id: &CombatantId) -> Option<&mut CachedCombatant<R>> {
        let place = self.place(id)?;
        Arc::make_mut(&mut self.list).get_mut(place)
    }

    fn place(&self, id: &CombatantId) -> Option<usize> {
        if self.list.len() <= FEW {
            return self.list.iter().position(|c| c.id == *id);
        }
        let places = self.places.get_or_init(|| Arc::new(self.index()));
        places.get(id).copied()
    }

    fn index(&self) -> HashMap<CombatantId, usize> {
        let mut places = HashMap::with_capacity(self.list.len());
        for (place, c) in self.list.iter().enumerate() {
            places.insert(c.id.clone(), place);
        }
        places
    }

    /// All combatants, to change anything but their ids.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, CachedCombatant<R>> {
        Arc::make_mut(&mut self.list).iter_mut()
    }

    /// Adds a combatant, whose id no other has.
    pub fn push(&mut self, combatant: CachedCombatant<R>) {
        if let Some(places) = self.places.get_mut() {
            Arc::make_mut(places).insert(combatant.id.clone(), self.list.len());
        }
        Arc::make_mut(&mut self.list).push(combatant);
    }

    /// Removes the combatant named `id`, if it is there.
    pub fn remove(&mut self, id: &CombatantId) {
        Arc::make_mut(&mut self.list).retain(|c| c.id != *id);
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
            list: Arc::new(combatants.into_iter().collect()),
            places: OnceLock::new(),
        }
    }
}

impl<R: Ruleset> PartialEq for Combatants<R> {
    fn eq(&self, other: &Self) -> bool {
        self.list == other.list
    }
}
