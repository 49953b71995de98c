//! The commands of EXP.

use super::Component;
use crate::vocabulary::{CombatantId, D10, D20, Text, commands, public};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;

commands! {
    /// A command of EXP.
    Command;

    /// The fight begins: everybody rolls initiative for the first unit (EX-2).
    "start" (Gm) => Start {
        /// The d20 of each persona or crowd that rolled at the table; the server rolls the others.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        #[schema(value_type = std::collections::HashMap<String, u8>)]
        rolls: Rolls,
        /// The d10s for ties that were rolled at the table; the server rolls the others.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        #[schema(value_type = std::collections::HashMap<String, Vec<u8>>)]
        tie_rolls: TieRolls,
    }

    /// The next unit begins: everybody rolls initiative again (EX-3).
    "roll_unit" (Player) => RollUnit {
        /// The d20 of each persona or crowd that rolled at the table; the server rolls the others.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        #[schema(value_type = std::collections::HashMap<String, u8>)]
        rolls: Rolls,
        /// The d10s for ties that were rolled at the table; the server rolls the others.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        #[schema(value_type = std::collections::HashMap<String, Vec<u8>>)]
        tie_rolls: TieRolls,
    }

    /// A persona that is asked answers, and what it does now happens (EX-14, EX-15).
    "declare" (Player: combatant) => Declare {
        /// Who is asked.
        combatant: CombatantId,
        /// What to do with the move; left out where the move is spent.
        #[serde(rename = "move")]
        #[schema(inline)]
        movement: Option<Use>,
        /// What to do with the attack or action; left out where it is spent.
        #[schema(inline)]
        act: Option<Use>,
        /// Which comes first, where both happen now.
        #[schema(inline)]
        order: Option<Sequence>,
    }

    /// A persona that is asked says what it is about to do, so that others may jump ahead of it; its `declare` must say the same
    /// (AEX13).
    "announce" (Player: combatant) => Announce {
        /// Who is asked.
        combatant: CombatantId,
        /// What to do with the move; left out where the move is spent.
        #[serde(rename = "move")]
        #[schema(inline)]
        movement: Option<Use>,
        /// What to do with the attack or action; left out where it is spent.
        #[schema(inline)]
        act: Option<Use>,
        /// Which comes first, where both happen now.
        #[schema(inline)]
        order: Option<Sequence>,
        /// In words: whom it shoots, where it runs. At most 200 characters.
        text: Option<Text<200>>,
    }

    /// A wait jump: a persona tries to use a waited component ahead of the lower one that is asked (EX-25).
    "jump" (Player: combatant) => Jump {
        /// Who jumps.
        combatant: CombatantId,
        /// Which waited component it uses (EX-29).
        #[schema(inline)]
        component: Component,
        /// The d20 of its AWE roll, where it was rolled at the table.
        roll: Option<D20>,
        /// The referee's d20, where it was rolled at the table; only under `awe_mode` `opposed_d20`.
        referee_roll: Option<D20>,
    }

    /// A mental mutation attacks, at any moment of the unit and outside the list (EX-31); it spends the attack (AEX8).
    "mental_attack" (Player: combatant) => MentalAttack {
        /// Who attacks.
        combatant: CombatantId,
        /// Whom.
        target: Option<CombatantId>,
    }

    /// Two mental attackers face each other: they roll on MSTR and level, and the higher attacks first (EX-32). The referee calls it.
    "mental_duel" (Gm) => MentalDuel {
        /// The one.
        combatant: CombatantId,
        /// The other.
        opponent: CombatantId,
        /// The d20 of each that rolled at the table.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        #[schema(value_type = std::collections::HashMap<String, u8>)]
        rolls: Rolls,
        /// The d10s for a tie that were rolled at the table.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        #[schema(value_type = std::collections::HashMap<String, Vec<u8>>)]
        tie_rolls: TieRolls,
    }

    /// A duellist does not face the other one: it keeps its attack, and the duel ends where nobody of it has attacked yet (AEX14).
    "decline_duel" (Player: combatant) => DeclineDuel {
        /// Who declines.
        combatant: CombatantId,
    }
}

/// The d20s that were rolled at the table, by persona or crowd.
pub type Rolls = BTreeMap<CombatantId, D20>;
/// The d10s that were rolled at the table for ties, by persona or crowd: at most 16 each, used in their order where a tie asks
/// for them.
pub type TieRolls = BTreeMap<CombatantId, Vec<D10>>;

/// What to do with a component now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Use {
    /// Use it now.
    Now,
    /// Wait with it; not open to the lowest persona (EX-15).
    Wait,
    /// Let it go unused: stay put, hold fire (AEX2).
    Nothing,
}

/// Which of two components comes first (EX-20).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sequence {
    /// Move, then act.
    MoveFirst,
    /// Act, then move.
    ActFirst,
}

public! { Use, Sequence }
