//! Viewers of an encounter, and their tokens. Only the viewer decides what a request may see and
//! do.

use crate::vocabulary::{CombatantId, Encounter, Int, OwnCombatant, Ruleset, Text, word};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use utoipa::ToSchema;

/// The role of a token.
#[word]
#[schema(as = TokenRole)]
pub enum Role {
    /// The game master: sees and does everything.
    Gm,
    /// A player: acts for the combatants that the token names.
    Player,
    /// A spectator: only reads.
    Spectator,
}

/// A token's holder, as lists of tokens and encounters show it: never the token itself.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = TokenInfo)]
pub struct Viewer {
    /// The token's id. The list of tokens and the log show it; send it to revoke the token.
    #[serde(rename = "id")]
    pub token_id: String,
    /// The token's role.
    pub role: Role,
    /// The name of the token's holder; left out if it has no name.
    pub name: Option<Text<80>>,
    /// The combatants that a player acts for; some may have left. A later combatant with the same
    /// id is not the player's.
    #[serde(with = "ids")]
    #[schema(value_type = Vec<CombatantId>)]
    pub combatants: Vec<OwnCombatant>,
    /// The expiry of the token, RFC 3339 in UTC; left out if it never expires.
    #[schema(format = DateTime)]
    pub expires_at: Option<String>,
}

impl Viewer {
    /// A game master whose token has this id.
    pub fn gm(token_id: &str) -> Self {
        Self {
            token_id: token_id.to_owned(),
            role: Role::Gm,
            name: None,
            combatants: Vec::new(),
            expires_at: None,
        }
    }

    /// Whether it is a game master.
    pub fn is_gm(&self) -> bool {
        self.role == Role::Gm
    }

    /// Whether it is a player who acts for `combatant`.
    pub fn owns(&self, combatant: &CombatantId) -> bool {
        self.role == Role::Player && self.combatants.iter().any(|own| own.id == *combatant)
    }

    /// The viewer without those of its combatants that have left and whose ids others have in
    /// `encounter`. Others that are hidden do not count: that an id is taken would reveal them.
    pub(super) fn without_reused_ids<R: Ruleset>(&self, encounter: &Encounter<R>) -> Cow<'_, Self> {
        if !self
            .combatants
            .iter()
            .any(|own| has_reused_id(own, encounter))
        {
            return Cow::Borrowed(self);
        }
        let mut viewer = self.clone();
        viewer
            .combatants
            .retain(|own| !has_reused_id(own, encounter));
        Cow::Owned(viewer)
    }
}

/// True if its id now belongs to another combatant that all viewers see.
fn has_reused_id<R: Ruleset>(own: &OwnCombatant, encounter: &Encounter<R>) -> bool {
    match encounter.get(&own.id) {
        Some(c) => !own.is(c) && !c.hidden,
        None => false,
    }
}

/// A token to create.
#[derive(Debug, Clone, PartialEq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewToken {
    /// The role.
    pub role: Role,
    /// The name of its holder, for people, in the game master's list and in the log. It grants no
    /// rights.
    pub name: Option<Text<80>>,
    /// The combatants that a player acts for: at least one. Other roles have none.
    #[serde(default)]
    #[schema(max_items = 500)]
    pub combatants: Vec<CombatantId>,
    /// The expiry: RFC 3339, in the future, 9999-12-30T22:00:00Z at the latest. Without it and
    /// `expires_in` the token never expires.
    #[schema(format = DateTime)]
    pub expires_at: Option<String>,
    /// The seconds until it expires, ten years at most. Send `expires_at` instead for a later
    /// time.
    pub expires_in: Option<Int<1, 316_224_000>>,
}

/// Combatants in JSON: their ids alone.
mod ids {
    use crate::vocabulary::{CombatantId, OwnCombatant};
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(
        combatants: &[OwnCombatant],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(combatants.iter().map(|own| &own.id))
    }

    /// For an answer that is given again: it names combatants, and grants no rights to them.
    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<OwnCombatant>, D::Error> {
        let ids = Vec::<CombatantId>::deserialize(deserializer)?;
        Ok(ids
            .into_iter()
            .map(|id| OwnCombatant { id, joined: 0 })
            .collect())
    }
}
