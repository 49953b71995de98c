//! Whoever stands before an encounter: what they may see and do follows from this and nothing else.

use crate::vocabulary::CombatantId;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What a token is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The game master: sees and does everything.
    Gm,
    /// A player: acts for the combatants that the token names.
    Player,
    /// An onlooker: does nothing.
    Spectator,
}

impl Role {
    /// As tokens and documents spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Gm => "gm",
            Self::Player => "player",
            Self::Spectator => "spectator",
        }
    }
}

/// Whoever sends a request, by the token that came with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Viewer {
    /// The token's id: never the token.
    pub token: String,
    /// What the token is for.
    pub role: Role,
    /// The combatants that a player acts for; some may not have joined yet, or be gone.
    pub combatants: Vec<CombatantId>,
    /// When the token ends, RFC 3339 in UTC; None: never.
    pub expires_at: Option<String>,
}

impl Viewer {
    /// Whether it is a game master.
    pub fn is_gm(&self) -> bool {
        self.role == Role::Gm
    }

    /// Whether it is a player who acts for `combatant`.
    pub fn owns(&self, combatant: &CombatantId) -> bool {
        self.role == Role::Player && self.combatants.contains(combatant)
    }
}
