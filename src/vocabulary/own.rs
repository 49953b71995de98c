//! The combatants that a player acts for.

use super::{Combatant, CombatantId, Ruleset};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// One of a player's combatants. Its join number tells it from another one with the same id, before it or
/// later.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OwnCombatant {
    /// Its id.
    pub id: CombatantId,
    /// Its number in the order of joining, which no other combatant of the encounter has.
    pub joined: u32,
}

impl OwnCombatant {
    /// This combatant.
    pub fn of<R: Ruleset>(c: &Combatant<R>) -> Self {
        Self {
            id: c.id.clone(),
            joined: c.joined,
        }
    }

    /// Whether it is this combatant.
    pub fn is<R: Ruleset>(&self, c: &Combatant<R>) -> bool {
        self.joined == c.joined && self.id == c.id
    }
}
