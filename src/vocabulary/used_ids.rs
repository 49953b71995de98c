//! Which ids combatants had that have left, so that no id that is made from a name is used twice.

use super::CombatantId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// Maximum stems with a number of their own.
const MAX_STEMS: usize = 500;
/// Maximum digits of the number of an id; a longer one is a part of the stem.
const MAX_DIGITS: usize = 6;

/// The ids that combatants had that have left, as the highest number of each stem: 3 for `goblin`
/// after `goblin-3`.
///
/// Numbers below count as used too, so that it stays small. If there are too many stems, the first
/// ones share a number with all others.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UsedIds {
    stems: BTreeMap<CombatantId, u32>,
    /// The highest number of every other stem; 0 if none was used.
    others: u32,
}

impl UsedIds {
    /// Records the id of a combatant that leaves.
    pub fn record(&mut self, id: &CombatantId) {
        let (stem, number) = stem_and_number(id.as_str());
        let Some(stem) = CombatantId::new(stem) else {
            return;
        };
        let highest = self.stems.entry(stem).or_insert(self.others);
        *highest = number.max(*highest);
        if self.stems.len() > MAX_STEMS
            && let Some((_, number)) = self.stems.pop_first()
        {
            self.others = number.max(self.others);
        }
    }

    /// The highest number that was used with a stem: 1 for the stem itself, 0 if it was not used.
    pub fn highest(&self, stem: &str) -> u32 {
        let known = CombatantId::new(stem).and_then(|stem| self.stems.get(&stem).copied());
        known.unwrap_or(self.others)
    }

    /// Whether a combatant may have had this id.
    pub fn has(&self, id: &str) -> bool {
        let (stem, number) = stem_and_number(id);
        number <= self.highest(stem)
    }

    /// Whether there are no more stems than it keeps.
    pub fn is_bounded(&self) -> bool {
        self.stems.len() <= MAX_STEMS
    }
}

/// The stem and the number of an id: `goblin` and 3 of `goblin-3`, `goblin` and 1 of `goblin`.
fn stem_and_number(id: &str) -> (&str, u32) {
    let Some((stem, digits)) = id.rsplit_once('-') else {
        return (id, 1);
    };
    let is_number = !stem.is_empty()
        && digits.len() <= MAX_DIGITS
        && digits.bytes().all(|b| b.is_ascii_digit());
    match digits.parse() {
        // `goblin-1` and `goblin-02` are never made.
        Ok(number) if is_number && number > 1 && !digits.starts_with('0') => (stem, number),
        _ => (id, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(ids: &[&str]) -> UsedIds {
        let mut used = UsedIds::default();
        ids.iter()
            .for_each(|id| used.record(&CombatantId::new(id).expect("an id")));
        used
    }

    #[test]
    fn an_id_counts_as_used_with_those_of_lower_numbers() {
        let used = used(&["goblin-3", "rat", "orc-1", "wolf-02", "-5", "bat-1234567"]);
        for id in [
            "goblin",
            "goblin-2",
            "goblin-3",
            "rat",
            "orc-1",
            "wolf-02",
            "-5",
            "bat-1234567",
        ] {
            assert!(used.has(id), "{id}");
        }
        for id in [
            "goblin-4",
            "goblin-3-2",
            "rat-2",
            "orc",
            "orc-2",
            "wolf",
            "bat",
            "bat-2",
            "imp",
        ] {
            assert!(!used.has(id), "{id}");
        }
        assert_eq!(
            (
                used.highest("goblin"),
                used.highest("rat"),
                used.highest("imp")
            ),
            (3, 1, 0)
        );
    }

    #[test]
    fn however_many_are_used_each_is_known_and_the_document_is_bounded() {
        let ids: Vec<String> = (0..2000)
            .map(|n| format!("stem{n}-{}", 2 + n % 7))
            .collect();
        let used = used(&ids.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(ids.iter().all(|id| used.has(id)) && used.is_bounded());
        assert_eq!(
            (used.highest("imp"), used.has("imp-8"), used.has("imp-9")),
            (8, true, false)
        );
    }
}
