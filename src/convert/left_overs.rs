//! The list of what has no place in a creation.

use super::LeftOut;
use super::fight::Left;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Maximum entries of the list of what has no place.
const MOST_LEFT: usize = 60;
/// Maximum combatants that an entry names.
const MOST_SAID: usize = 10;

/// What has no place: by the field and why, the combatants that have it.
#[derive(Default)]
pub(super) struct LeftOvers(BTreeMap<(String, Cow<'static, str>), Who>);

/// The combatants that something is left out of.
#[derive(Default)]
struct Who {
    count: usize,
    /// The first of them.
    names: Vec<String>,
    /// The place of the last.
    last: Option<usize>,
}

impl LeftOvers {
    /// `combatant` is the place and the name of the one that has it; None for the fight.
    pub fn add(&mut self, Left { field, why }: Left, combatant: Option<(usize, &str)>) {
        let key = (field, why);
        if self.0.len() >= MOST_LEFT && !self.0.contains_key(&key) {
            return;
        }
        let who = self.0.entry(key).or_default();
        let Some((place, name)) = combatant else {
            return;
        };
        if who.last == Some(place) {
            return;
        }
        who.last = Some(place);
        who.count += 1;
        if who.names.len() < MOST_SAID {
            who.names.push(name.to_owned());
        }
    }

    pub fn list(self) -> Vec<LeftOut> {
        let entries = self.0.into_iter();
        let entries = entries.map(|((field, why), who)| LeftOut {
            field,
            why: why.into_owned(),
            count: who.count,
            combatants: who.names,
        });
        entries.collect()
    }
}
