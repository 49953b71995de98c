//! The commands of EXP.

use super::Component;
use crate::vocabulary::{Actor, CombatantId, D10, D20, Slug, Text, tagged};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;

tagged! {
    /// A command of EXP.
    pub enum Command {
        "start" => Start,
        "roll_unit" => RollUnit,
        "declare" => Declare,
        "announce" => Announce,
        "jump" => Jump,
        "mental_attack" => MentalAttack,
        "mental_duel" => MentalDuel,
        "decline_duel" => DeclineDuel,
    }
}

/// The d20s that were rolled at the table, by persona or crowd.
pub type Rolls = BTreeMap<Slug, D20>;
/// The d10s that were rolled at the table for ties, by persona or crowd: at most 16 each, used in their order where a tie asks
/// for them.
pub type TieRolls = BTreeMap<Slug, Vec<D10>>;

/// The fight begins: everybody rolls initiative for the first unit (EX-2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// The d20 of each persona or crowd that rolled at the table; the server rolls the others.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = std::collections::HashMap<String, u8>)]
    pub rolls: Rolls,
    /// The d10s for ties that were rolled at the table; the server rolls the others.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = std::collections::HashMap<String, Vec<u8>>)]
    pub tie_rolls: TieRolls,
}

/// The next unit begins: everybody rolls initiative again (EX-3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RollUnit {
    /// The d20 of each persona or crowd that rolled at the table; the server rolls the others.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = std::collections::HashMap<String, u8>)]
    pub rolls: Rolls,
    /// The d10s for ties that were rolled at the table; the server rolls the others.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = std::collections::HashMap<String, Vec<u8>>)]
    pub tie_rolls: TieRolls,
}

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

/// A persona that is asked answers, and what it does now happens (EX-14, EX-15).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Declare {
    /// Who is asked.
    pub combatant: CombatantId,
    /// What to do with the move; left out where the move is spent.
    #[serde(default, rename = "move", skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub movement: Option<Use>,
    /// What to do with the attack or action; left out where it is spent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub act: Option<Use>,
    /// Which comes first, where both happen now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub order: Option<Sequence>,
}

/// A persona that is asked says what it is about to do, so that others may jump ahead of it; its `declare` must say the same
/// (AEX13).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Announce {
    /// Who is asked.
    pub combatant: CombatantId,
    /// What to do with the move; left out where the move is spent.
    #[serde(default, rename = "move", skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub movement: Option<Use>,
    /// What to do with the attack or action; left out where it is spent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub act: Option<Use>,
    /// Which comes first, where both happen now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub order: Option<Sequence>,
    /// In words: whom it shoots, where it runs. At most 200 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<Text<200>>,
}

/// A wait jump: a persona tries to use a waited component ahead of the lower one that is asked (EX-25).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Jump {
    /// Who jumps.
    pub combatant: CombatantId,
    /// Which waited component it uses (EX-29).
    #[schema(inline)]
    pub component: Component,
    /// The d20 of its AWE roll, where it was rolled at the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roll: Option<D20>,
    /// The referee's d20, where it was rolled at the table; only under `awe_mode` `opposed_d20`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub referee_roll: Option<D20>,
}

/// A mental mutation attacks, at any moment of the unit and outside the list (EX-31); it spends the attack (AEX8).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MentalAttack {
    /// Who attacks.
    pub combatant: CombatantId,
    /// Whom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<CombatantId>,
}

/// Two mental attackers face each other: they roll on MSTR and level, and the higher attacks first (EX-32). The referee calls it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MentalDuel {
    /// The one.
    pub combatant: CombatantId,
    /// The other.
    pub opponent: CombatantId,
    /// The d20 of each that rolled at the table.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = std::collections::HashMap<String, u8>)]
    pub rolls: Rolls,
    /// The d10s for a tie that were rolled at the table.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = std::collections::HashMap<String, Vec<u8>>)]
    pub tie_rolls: TieRolls,
}

/// A duellist does not face the other one: it keeps its attack, and the duel ends where nobody of it has attacked yet (AEX14).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DeclineDuel {
    /// Who declines.
    pub combatant: CombatantId,
}

/// In whose name a command is sent.
pub(super) fn sender(command: &Command) -> Actor<'_> {
    match command {
        Command::Start(_) | Command::MentalDuel(_) => Actor::Gm,
        // Nobody has a choice in it, so that whoever plays may; the dice are each one's own.
        Command::RollUnit(c) => Actor::Of(c.rolls.keys().chain(c.tie_rolls.keys()).collect()),
        Command::Declare(c) => Actor::one(&c.combatant),
        Command::Announce(c) => Actor::one(&c.combatant),
        Command::Jump(Jump { referee_roll: Some(_), .. }) => Actor::Gm,
        Command::Jump(c) => Actor::one(&c.combatant),
        Command::MentalAttack(c) => Actor::one(&c.combatant),
        Command::DeclineDuel(c) => Actor::one(&c.combatant),
    }
}
