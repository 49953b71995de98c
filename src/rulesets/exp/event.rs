//! The events of EXP.

use super::{Component, Roll, Sequence, Use};
use crate::vocabulary::{CombatantId, Die, Text, events, public};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

events! {
    /// Something that happens under EXP alone.
    Event;

    /// Everybody rolled initiative for a unit (EX-2); both components of each are pending, and the first pass begins.
    "initiative_rolled" => InitiativeRolled {
        /// The list, highest first (EX-5), without ties (EX-6).
        ranking: Vec<Roll>,
    }

    /// Another pass through the list begins at the top (EX-16).
    "pass_started" => PassStarted {
        /// Its number in the unit.
        pass: u32,
    }

    /// The list has come to somebody who can still do something (EX-13).
    "asked" => Asked {
        /// The rank that is asked.
        rank: u32,
        /// Who is asked: one persona, or those of a crowd.
        combatants: Vec<CombatantId>,
    }

    /// Somebody said what it is about to do (AEX13).
    "announced" => Announced {
        /// Who.
        combatant: CombatantId,
        /// What is done with the move.
        #[serde(rename = "move")]
        #[schema(inline)]
        movement: Option<Use>,
        /// What is done with the attack or action.
        #[schema(inline)]
        act: Option<Use>,
        /// Which comes first.
        #[schema(inline)]
        order: Option<Sequence>,
        /// In words.
        text: Option<Text<200>>,
    }

    /// Somebody answered, and did what it does now.
    "declared" => Declared {
        /// Who.
        combatant: CombatantId,
        /// What is done with the move.
        #[serde(rename = "move")]
        #[schema(inline)]
        movement: Option<Use>,
        /// What is done with the attack or action.
        #[schema(inline)]
        act: Option<Use>,
        /// Which comes first.
        #[schema(inline)]
        order: Option<Sequence>,
        /// Whether it was the lowest and had to spend all that it had left (EX-15).
        forced: bool,
    }

    /// Somebody tried to jump ahead of a lower persona's act (EX-25).
    "wait_jumped" => WaitJumped {
        /// Who.
        combatant: CombatantId,
        /// The waited component, used where the jump came off (EX-27) and still waited where not (EX-28).
        #[schema(inline)]
        component: Component,
        /// Ahead of whom.
        before: Vec<CombatantId>,
        /// The d20 of the AWE roll.
        die: Die,
        /// AWE and level.
        bonus: i64,
        /// The referee's d20, where it is rolled against.
        referee_die: Option<Die>,
        /// Whether it came off.
        success: bool,
    }

    /// Two mental attackers rolled for who is first (EX-32).
    "mental_duel_rolled" => MentalDuelRolled {
        /// The two, the first attacker first.
        duel: Vec<Roll>,
    }

    /// A mental mutation attacked outside the list (EX-31).
    "mental_attacked" => MentalAttacked {
        /// Who.
        combatant: CombatantId,
        /// Whom.
        target: Option<CombatantId>,
    }

    /// Somebody lost what it had not yet used, for this unit.
    "components_lost" => ComponentsLost {
        /// Who.
        combatant: CombatantId,
        /// What it lost.
        #[schema(inline)]
        components: Vec<Component>,
        /// Why.
        #[schema(inline)]
        because: Loss,
    }

    /// The game master gave somebody both components again, to set its turn.
    "components_restored" => ComponentsRestored {
        /// Who.
        combatant: CombatantId,
    }

    /// Somebody who left is not asked any more.
    "dropped_out" => DroppedOut {
        /// Who.
        combatant: CombatantId,
    }

    /// Somebody takes part in the mental duel no more: one of the two declined, left, or can no longer attack with its mind, or the
    /// game master set whose turn it is.
    "duel_broken_off" => DuelBrokenOff {
        /// Who.
        combatant: CombatantId,
    }

    /// Nobody has anything left: the unit is over (EX-19).
    "unit_over" => UnitOver {
        /// How many passes it took.
        passes: u32,
    }
}

/// Why components were lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Loss {
    /// It cannot act any more: what had waited is lost (EX-23).
    CannotAct,
    /// It could not act when the list came to it (AEX9).
    CouldNotAnswer,
    /// It joined when the unit was going on, and rolls for the next one (AEX11).
    JoinedLate,
}

public! { Loss }
