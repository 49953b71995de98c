//! What Active Initiative keeps.

use crate::vocabulary::{
    CombatantId, D20, Describe, Die, Int, Names, Redact, Tellable, Text, Word, tell,
};
use macro_rules_attribute::derive;
use serde::de::{self, Deserializer};
use serde::{Deserialize, Serialize};
use std::fmt;
use utoipa::ToSchema;

/// Options of Active Initiative.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(default)]
pub struct Options {
    /// The Interrupt Points variant (AI-30 to AI-34): true for one point for each player, or a
    /// number of points. A named controller of players' characters is one player, as is each
    /// character without one (`player`).
    #[schema(inline)]
    pub interrupt_points: InterruptPoints,
    /// Whether those hurt in a turn may interrupt before anybody is named (AI-17a).
    pub interrupt_before_nomination: bool,
    /// Whether those who fight beside a player's character hold inspiration too (AI-28).
    pub npc_inspiration: bool,
}

/// Whether the Interrupt Points variant is played, and with how many points (AI-30).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(untagged)]
pub enum InterruptPoints {
    /// True for one point for each player, false for a scene without the variant.
    ByPlayers(bool),
    /// The variant with this number of points.
    Exactly(Int<0, 100>),
}

impl Default for InterruptPoints {
    fn default() -> Self {
        Self::ByPlayers(false)
    }
}

/// By hand, because the derived error does not say what fits.
impl<'de> Deserialize<'de> for InterruptPoints {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl de::Visitor<'_> for Visitor {
            type Value = InterruptPoints;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("true, false or a whole number from 0 to 100")
            }
            fn visit_bool<E: de::Error>(self, by_players: bool) -> Result<InterruptPoints, E> {
                Ok(InterruptPoints::ByPlayers(by_players))
            }
            fn visit_i64<E: de::Error>(self, points: i64) -> Result<InterruptPoints, E> {
                let exactly = Int::new(points).map(InterruptPoints::Exactly);
                exactly.ok_or_else(|| E::invalid_value(de::Unexpected::Signed(points), &self))
            }
            fn visit_u64<E: de::Error>(self, points: u64) -> Result<InterruptPoints, E> {
                let exactly = i64::try_from(points)
                    .ok()
                    .and_then(Int::new)
                    .map(InterruptPoints::Exactly);
                exactly.ok_or_else(|| E::invalid_value(de::Unexpected::Unsigned(points), &self))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

/// What a client sets about a combatant under Active Initiative.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(default)]
pub struct CombatantStats {
    /// Inspiration points held, at most 3 (AI-28). Only players' characters have any, and with the
    /// option `npc_inspiration` those on their side.
    pub inspiration: Int<0, 3>,
    /// The INT modifier, added to a rolled initiative (AI-5).
    pub int_modifier: Int<-10, 20>,
    /// The DEX score: the higher one wins a tie of rolled initiatives (AI-5).
    pub dex: Int<0, 50>,
    /// The WIS score: the higher one wins where DEX is equal too (AI-5).
    pub wis: Int<0, 50>,
}

impl Default for CombatantStats {
    fn default() -> Self {
        Self {
            inspiration: Int::default(),
            int_modifier: Int::default(),
            dex: Int::clamped(10),
            wis: Int::clamped(10),
        }
    }
}

/// What play keeps about a combatant under Active Initiative.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CombatantState {
    /// The d20 that its player rolled before the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_die: Option<D20>,
    /// Whether it took damage since the current or last turn began (AI-20b), which lets it
    /// interrupt for free (AI-20, AI-20a).
    pub exposed: bool,
    /// Whether it has interrupted in this window: once is all (AI-22a).
    pub interrupted: bool,
    /// The action that it has readied (AI-12).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub readied: Option<Readied>,
}

/// An action that waits for its trigger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
#[serde(deny_unknown_fields)]
pub struct Readied {
    /// What will be done.
    pub action: Text<200>,
    /// What it waits for.
    pub trigger: Text<200>,
}

impl Describe for Readied {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        tell("{action}, when {trigger}", self, names, out)
    }
}

/// What play keeps about the encounter under Active Initiative.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!)]
pub struct State {
    /// Where the round is.
    pub phase: Phase,
    /// Who took the last turn: its controller names the next one (AI-7), also when it has died
    /// (AI-7a).
    pub last_actor: Option<CombatantId>,
    /// The interrupt points that the game master has left (AI-30); only the game master sees them.
    pub interrupt_points: Option<u32>,
    /// Whether one was spent in this round (AI-32).
    pub interrupt_point_used: bool,
    /// Whether a turn of this round has begun: if not, the first of the round is named (AI-41).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub begun: bool,
    /// The turns of this round so far, the one that is going on included; without those of
    /// combatants that have left.
    pub turns: Vec<Taken>,
}

impl Default for State {
    fn default() -> Self {
        Self {
            phase: Phase::Setup,
            last_actor: None,
            interrupt_points: Some(0),
            interrupt_point_used: false,
            begun: false,
            turns: Vec::new(),
        }
    }
}

/// Where the round is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Not started.
    #[default]
    Setup,
    /// A turn is going on.
    InTurn {
        /// Whose turn.
        actor: CombatantId,
    },
    /// A turn is over and the next combatant must be named (AI-7).
    ChooseNext {},
    /// A round has begun and its first combatant must be named (AI-41).
    ChooseStarter {},
    /// Somebody is named, and until the turn begins enemies may interrupt (AI-17).
    Window {
        /// Who takes the next turn unless interrupted.
        nominee: CombatantId,
        /// How it got there.
        by: Way,
    },
    /// The scene is over.
    Over,
    /// A combatant that the viewer does not see has the turn or must choose.
    SomeoneActs,
}

impl Phase {
    /// Somebody must be named: the next combatant, or the first of a round.
    pub(super) fn choice(starter: bool) -> Self {
        if starter {
            Self::ChooseStarter {}
        } else {
            Self::ChooseNext {}
        }
    }
}

/// A turn of this round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Taken {
    /// The combatant.
    pub combatant: CombatantId,
    /// How it got the turn.
    pub by: Way,
}

impl Describe for Taken {}

impl Describe for Way {}

/// The ways to get a turn (AI-16).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// It triggered the scene (AI-2).
    Opened {},
    /// It rolled the highest initiative (AI-3).
    Rolled {
        /// The die.
        die: Die,
        /// The die and the INT modifier.
        total: i64,
        /// Who else rolled as high, so that DEX or WIS decided (AI-5).
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tied: Vec<CombatantId>,
        /// The die of the roll-off, if DEX and WIS were equal too (AI-5a).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        roll_off: Option<Die>,
        /// Who else rolled off.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        rolled_off: Vec<CombatantId>,
    },
    /// Somebody who had finished a turn named it (AI-7, AI-41).
    Named {
        /// Who; nobody where the game master named it in place of one who has left.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<CombatantId>,
    },
    /// It interrupted (AI-22).
    Interrupted {
        /// By what means.
        means: Means,
    },
    /// The game master set it.
    Overridden {},
}

/// What pays for an interrupt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema, Word!)]
#[serde(rename_all = "snake_case")]
pub enum Means {
    /// One inspiration point (AI-19).
    Inspiration,
    /// Damage taken in the turn that has just ended: free (AI-20).
    Damage,
    /// One of the game master's interrupt points (AI-31).
    InterruptPoint,
}

/// Every means.
pub(super) const MEANS: [Means; 3] = [Means::Damage, Means::Inspiration, Means::InterruptPoint];
