//! What is asked of all combatants at once, so that it is looked up once.

use super::lines::has_places;
use super::query::{definition, is_over};
use super::ready::is_ready;
use super::{Encounter, Place};
use crate::vocabulary::{CombatantId, Slug};
use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};

/// What many questions about an encounter need: the places of each combatant, and the sides that can
/// act. Each is made when it is first asked for, so that asking for every combatant looks through
/// the places once.
pub(super) struct Survey<'t> {
    pub(super) encounter: &'t Encounter,
    places: OnceCell<HashMap<&'t CombatantId, PlacesOfOne<'t>>>,
    able: OnceCell<BTreeSet<(&'t Slug, bool)>>,
}

/// The places of one combatant.
struct PlacesOfOne<'t> {
    first: &'t Place,
    has_open: bool,
}

impl<'t> Survey<'t> {
    pub(super) fn of(encounter: &'t Encounter) -> Self {
        Self {
            encounter,
            places: OnceCell::new(),
            able: OnceCell::new(),
        }
    }

    fn places(&self) -> &HashMap<&'t CombatantId, PlacesOfOne<'t>> {
        self.places.get_or_init(|| {
            let definition = definition(self.encounter);
            let mut places: HashMap<_, PlacesOfOne<'t>> = HashMap::new();
            for place in &self.encounter.state.places {
                let of_one = places.entry(&place.combatant).or_insert(PlacesOfOne {
                    first: place,
                    has_open: false,
                });
                of_one.has_open |= !is_over(definition, place);
            }
            places
        })
    }

    /// The first place of a combatant.
    pub(super) fn place_of(&self, id: &CombatantId) -> Option<&'t Place> {
        Some(self.places().get(id)?.first)
    }

    /// Whether a combatant has a place that is still to come up.
    pub(super) fn has_open_place(&self, id: &CombatantId) -> bool {
        self.places().get(id).is_some_and(|places| places.has_open)
    }

    /// The sides of which a combatant can act: with true those of hidden combatants.
    pub(super) fn able(&self) -> &BTreeSet<(&'t Slug, bool)> {
        self.able.get_or_init(|| {
            let by_places = has_places(definition(self.encounter));
            let mut able = BTreeSet::new();
            for c in self.encounter.iter() {
                let comes_up = !by_places || self.has_open_place(&c.id);
                if comes_up && is_ready(self.encounter, c) {
                    able.insert((&c.side, c.hidden));
                }
            }
            able
        })
    }
}
