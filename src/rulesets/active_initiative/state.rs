//! What Active Initiative keeps, what of it viewers know, and how much it may hold.

use super::Encounter;
use crate::json::CachedJson;
use crate::rulesets::shared::{at_most, check_own_die, within};
use crate::vocabulary::{
    Audience, CombatantId, Describe, Die, Fields, Int, MAX_COMBATANTS, Redact, Text, fact, word,
};
use serde::de::{self, Deserializer};
use serde::{Deserialize, Serialize};
use std::fmt;
use utoipa::ToSchema;

/// No sum of a die and an INT modifier comes near it, so that taking the die away is safe.
const MAX_TOTAL: i64 = 1 << 53;

/// Options of Active Initiative.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(default)]
pub struct Options {
    /// The Interrupt Points variant (AI-30 to AI-34): `true` for one point per player, or a number
    /// of points. Each named controller of players' characters counts as one player, and each
    /// character with the controller `player` as another.
    #[schema(inline)]
    pub interrupt_points: InterruptPoints,
    /// True if combatants hurt in a turn may interrupt before the next one is chosen (AI-17a).
    pub interrupt_before_nomination: bool,
    /// True if each turn that was chosen waits for the game master's `resolve`, so that the wait
    /// shows no hidden combatant (AI-17c).
    pub wait_for_gm: bool,
    /// True if allies of players' characters can hold inspiration too (AI-28).
    pub npc_inspiration: bool,
}

/// The Interrupt Points variant (AI-30).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(untagged)]
pub enum InterruptPoints {
    /// `true`: one point per player. `false`: no interrupt points.
    ByPlayers(bool),
    /// This number of points.
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

/// The fields of a combatant under Active Initiative.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Fields)]
#[serde(deny_unknown_fields, default)]
#[schema(default)]
pub struct CombatantStats {
    /// Inspiration points, at most 3 (AI-28). Only players' characters can hold them; with the
    /// option `npc_inspiration` also their allies.
    pub inspiration: Int<0, 3>,
    /// The INT modifier, added to a rolled initiative (AI-5).
    pub int_modifier: Int<-10, 20>,
    /// The DEX score: the higher one wins a tie of rolled initiatives (AI-5).
    pub dex: Int<0, 50>,
    /// The WIS score: the higher one wins if DEX is equal too (AI-5).
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

/// The state of a combatant under Active Initiative.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CombatantState {
    /// Its own d20, rolled before the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_die: Option<Die>,
    /// True if it took damage since the current or last turn started (AI-20b), which lets it
    /// interrupt for free (AI-20, AI-20a).
    pub hurt: bool,
    /// True if it has interrupted since the last turn, which it can do once (AI-22a).
    pub interrupted: bool,
    /// True if it has declined to interrupt the next turn, or the choice of it (AI-17b).
    pub passed: bool,
    /// The action that it has readied (AI-12).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub readied: Option<ReadiedAction>,
}

/// An action that waits for its trigger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadiedAction {
    /// The action.
    pub action: Text<200>,
    /// The occasion that it waits for.
    pub trigger: Text<200>,
}

/// The state of the encounter under Active Initiative.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct State {
    /// The phase of the round.
    pub phase: Phase,
    /// The combatant that took the last turn. Its controller chooses who acts next (AI-7), even if
    /// the combatant has died (AI-7a).
    pub last_actor: Option<CombatantId>,
    /// The game master's remaining interrupt points (AI-30); only the game master sees them.
    pub interrupt_points: Option<u32>,
    /// True if an interrupt point was spent in this round (AI-32).
    pub interrupt_point_used: bool,
    /// True if a turn of this round has started. If not, the choice is who starts the round
    /// (AI-41).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub begun: bool,
    /// The turns of this round so far, with the current one and without those of combatants that
    /// have left.
    #[schema(value_type = Vec<Taken>)]
    pub turns: Vec<CachedJson<Taken>>,
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

/// The phase of a round.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Not started.
    #[default]
    Setup,
    /// A turn is in progress.
    InTurn {
        /// The combatant that has the turn.
        actor: CombatantId,
    },
    /// A turn is over, and its controller chooses who acts next (AI-7).
    Nominate {},
    /// A round has started, and the last to act chooses who starts it (AI-41).
    NominateFirst {},
    /// The next combatant is chosen, and enemies may interrupt until its turn starts (AI-17).
    Window {
        /// The combatant that takes the next turn unless another interrupts.
        nominee: CombatantId,
        /// The way in which it got the turn.
        way: Way,
    },
    /// The scene is over.
    Over,
    /// A combatant that the viewer does not see has the turn or must choose.
    SomeoneActs,
}

impl Phase {
    /// The choice of the next combatant, or of the first of a round.
    pub(super) fn choice(starts_round: bool) -> Self {
        if starts_round {
            Self::NominateFirst {}
        } else {
            Self::Nominate {}
        }
    }
}

/// A turn of this round.
#[fact]
pub struct Taken {
    /// The combatant.
    pub combatant: CombatantId,
    /// The way in which it got the turn.
    pub way: Way,
}

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
        /// The others that rolled as high, so that DEX or WIS decided (AI-5).
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tied: Vec<CombatantId>,
        /// The die of the roll-off, if DEX and WIS were equal too (AI-5a).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        roll_off: Option<Die>,
        /// The others in the roll-off.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        rolled_off: Vec<CombatantId>,
    },
    /// The combatant that had the turn before chose it (AI-7, AI-41).
    Nominated {
        /// The combatant that chose; absent if the game master chose for one that has left.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        nominated_by: Option<CombatantId>,
    },
    /// It interrupted (AI-22).
    Interrupted {
        /// The means that paid for it.
        means: Means,
    },
    /// The game master set it.
    Overridden {},
}

/// The means that pay for an interrupt.
#[word]
pub enum Means {
    /// One inspiration point (AI-19).
    Inspiration,
    /// Damage taken in the last turn: free (AI-20).
    Damage,
    /// One of the game master's interrupt points (AI-31).
    InterruptPoint,
}

/// Every means.
pub(super) const MEANS: [Means; 3] = [Means::Damage, Means::Inspiration, Means::InterruptPoint];

impl State {
    /// Removes the name of a combatant that has left. Its turn stays in progress until it is ended.
    pub(super) fn forget(&mut self, left: &CombatantId) {
        let others = Audience::all_but(left);
        self.last_actor.take_if(|last| last == left);
        self.turns = self.turns.redact(&others).unwrap_or_default();
        if let Phase::Window { way, .. } = &mut self.phase {
            *way = way.redact(&others).unwrap_or(Way::Overridden {});
        }
    }
}

/// Someone acts, if the audience does not know whose turn it is.
impl Redact for Phase {
    fn redact(&self, audience: &Audience<'_>) -> Option<Self> {
        let mut known = self.clone();
        match &mut known {
            Self::InTurn { actor: id } | Self::Window { nominee: id, .. }
                if !audience.knows(id) =>
            {
                return Some(Self::SomeoneActs);
            }
            Self::Window { way, .. } => *way = way.redact(audience)?,
            _ => {}
        }
        Some(known)
    }
}

/// Without the roll-off, if all who rolled off with it are hidden.
impl Redact for Way {
    fn redact(&self, audience: &Audience<'_>) -> Option<Self> {
        let mut known = self.clone();
        match &mut known {
            Self::Nominated { nominated_by } => *nominated_by = nominated_by.redact(audience)?,
            Self::Rolled {
                tied,
                roll_off,
                rolled_off,
                ..
            } => {
                *tied = tied.redact(audience)?;
                *rolled_off = rolled_off.redact(audience)?;
                roll_off.take_if(|_| rolled_off.is_empty());
            }
            Self::Opened {} | Self::Interrupted { .. } | Self::Overridden {} => {}
        }
        Some(known)
    }
}

/// Refuses a state that no play leads to.
pub(super) fn check(encounter: &Encounter) -> Result<(), String> {
    for c in encounter.iter() {
        check_own_die(c.state.own_die)?;
    }
    let state = &encounter.state;
    at_most("state.turns", state.turns.len(), MAX_COMBATANTS)?;
    for taken in &state.turns {
        check_way(&taken.way)?;
    }
    if let Phase::Window { way, .. } = &state.phase {
        check_way(way)?;
    }
    Ok(())
}

fn check_way(way: &Way) -> Result<(), String> {
    match way {
        Way::Rolled {
            tied,
            rolled_off,
            total,
            ..
        } => {
            within("total", *total, -MAX_TOTAL, MAX_TOTAL)?;
            at_most("tied", tied.len(), MAX_COMBATANTS)?;
            at_most("rolled_off", rolled_off.len(), MAX_COMBATANTS)
        }
        Way::Opened {} | Way::Nominated { .. } | Way::Interrupted { .. } | Way::Overridden {} => {
            Ok(())
        }
    }
}
