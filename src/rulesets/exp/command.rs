//! The commands of EXP.

use super::Component;
use crate::vocabulary::{
    Actor, AllowedRole, CombatantId, CommandSpec, Commands, D10, D20, Summary, Tagged, Text, Word,
};
use macro_rules_attribute::derive;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// A command of EXP.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Tagged!)]
#[serde(tag = "type")]
#[allow(missing_docs, reason = "each variant is its struct, documented there")]
pub enum Command {
    #[serde(rename = "start")]
    Start(Start),
    #[serde(rename = "roll_initiative")]
    RollInitiative(RollInitiative),
    #[serde(rename = "roll_unit")]
    RollUnit(RollUnit),
    #[serde(rename = "declare")]
    Declare(Declare),
    #[serde(rename = "announce")]
    Announce(Announce),
    #[serde(rename = "jump")]
    Jump(Jump),
    #[serde(rename = "keep_waiting")]
    KeepWaiting(KeepWaiting),
    #[serde(rename = "ask_again")]
    AskAgain(AskAgain),
    #[serde(rename = "close_jumps")]
    CloseJumps(CloseJumps),
    #[serde(rename = "mental_attack")]
    MentalAttack(MentalAttack),
    #[serde(rename = "mental_duel")]
    MentalDuel(MentalDuel),
    #[serde(rename = "decline_duel")]
    DeclineDuel(DeclineDuel),
}

/// Begin the fight: everybody rolls initiative for the first unit (EX-2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// The d20s rolled at the table, in place of those of `roll_initiative`; the server rolls the
    /// others.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = std::collections::HashMap<String, u8>)]
    pub rolls: BTreeMap<CombatantId, D20>,
    /// The d10s rolled at the table for ties; the server rolls the others.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = std::collections::HashMap<String, Vec<u8>>)]
    pub tie_rolls: BTreeMap<CombatantId, Vec<D10>>,
}

/// Give the d20 that a persona's player rolled for the next unit, before `start` or `roll_unit`. A
/// later roll replaces it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct RollInitiative {
    /// The combatant.
    pub combatant: CombatantId,
    /// The d20.
    pub roll: D20,
    /// The d10s for ties: at most 16, used in their order; the server rolls the others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tie_rolls: Vec<D10>,
}

/// Begin the next unit: everybody rolls initiative again (EX-3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct RollUnit {
    /// The d20s rolled at the table, in place of those of `roll_initiative`; the server rolls the
    /// others.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = std::collections::HashMap<String, u8>)]
    pub rolls: BTreeMap<CombatantId, D20>,
    /// The d10s rolled at the table for ties; the server rolls the others.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = std::collections::HashMap<String, Vec<u8>>)]
    pub tie_rolls: BTreeMap<CombatantId, Vec<D10>>,
}

/// Answer as a persona that is asked; what it does now happens (EX-14, EX-15).
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Declare {
    /// The combatant.
    pub combatant: CombatantId,
    /// What to do with the move; left out if the move is spent.
    #[serde(rename = "move")]
    pub movement: Option<Use>,
    /// What to do with the attack or action; left out if it is spent.
    pub act: Option<Use>,
    /// Which comes first, if both happen now.
    pub order: Option<Sequence>,
}

/// Say what a persona that is asked will declare, so that others may jump ahead of it (EX-27b).
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Announce {
    /// The combatant.
    pub combatant: CombatantId,
    /// What to do with the move; left out if the move is spent.
    #[serde(rename = "move")]
    pub movement: Option<Use>,
    /// What to do with the attack or action; left out if it is spent.
    pub act: Option<Use>,
    /// Which comes first, if both happen now.
    pub order: Option<Sequence>,
    /// In words: whom it shoots, where it runs.
    pub text: Option<Text<200>>,
}

/// Try a wait jump: use a waited component ahead of the lower persona that is asked (EX-25).
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Jump {
    /// The combatant.
    pub combatant: CombatantId,
    /// Which waited component it uses (EX-29). Left out where the option `jump_both` is on, it uses
    /// both.
    pub component: Option<Component>,
    /// The d20 of its AWE roll, if rolled at the table.
    pub roll: Option<D20>,
    /// The referee's d20, if rolled at the table; only with `awe_mode` `opposed_d20`.
    pub referee_roll: Option<D20>,
}

/// Let the announced act go ahead and keep waiting, with the option `jump_window` (EX-25b).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct KeepWaiting {
    /// The combatant.
    pub combatant: CombatantId,
    /// Whether it keeps waiting at all later acts too, unasked, until `ask_again` (EX-25c).
    #[serde(default)]
    #[schema(default = false)]
    pub standing: bool,
}

/// End a standing `keep_waiting`: the persona is asked again whether it jumps (EX-25c).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct AskAgain {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Go on: personas that have not jumped by now keep waiting (EX-25b).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct CloseJumps {}

/// Attack with a mental mutation, at any moment of the unit and outside the list (EX-31, EX-31a).
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct MentalAttack {
    /// The combatant.
    pub combatant: CombatantId,
    /// The target.
    pub target: Option<CombatantId>,
}

/// Roll for two mental attackers who face each other: the higher attacks first (EX-32).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct MentalDuel {
    /// One of them.
    pub combatant: CombatantId,
    /// The other.
    pub opponent: CombatantId,
    /// The d20s rolled at the table; the server rolls the others.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = std::collections::HashMap<String, u8>)]
    pub rolls: BTreeMap<CombatantId, D20>,
    /// The d10s rolled at the table for a tie; the server rolls the others.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = std::collections::HashMap<String, Vec<u8>>)]
    pub tie_rolls: BTreeMap<CombatantId, Vec<D10>>,
}

/// Decline a mental duel: the duellist keeps its attack, and the duel ends (EX-32a).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct DeclineDuel {
    /// The combatant.
    pub combatant: CombatantId,
}

impl Commands for Command {
    const SPECS: &'static [CommandSpec] = &[
        CommandSpec::new("start", AllowedRole::Gm, "Start the fight", Start::SUMMARY),
        CommandSpec::new(
            "roll_initiative",
            AllowedRole::Player,
            "Roll initiative for {combatant}",
            RollInitiative::SUMMARY,
        ),
        CommandSpec::new(
            "roll_unit",
            AllowedRole::Player,
            "Roll the next unit",
            RollUnit::SUMMARY,
        ),
        CommandSpec::new(
            "declare",
            AllowedRole::Player,
            "Declare as {combatant}[: move {move}][, act {act}][, {order}]",
            Declare::SUMMARY,
        ),
        CommandSpec::new(
            "announce",
            AllowedRole::Player,
            "Announce as {combatant}[: move {move}][, act {act}][, {order}]",
            Announce::SUMMARY,
        ),
        CommandSpec::new(
            "jump",
            AllowedRole::Player,
            "Jump ahead with {combatant}[: {component}]",
            Jump::SUMMARY,
        ),
        CommandSpec::new(
            "keep_waiting",
            AllowedRole::Player,
            "Keep waiting with {combatant}[{standing} until further notice]",
            KeepWaiting::SUMMARY,
        ),
        CommandSpec::new(
            "ask_again",
            AllowedRole::Player,
            "Ask again whether {combatant} jumps",
            AskAgain::SUMMARY,
        ),
        CommandSpec::new(
            "close_jumps",
            AllowedRole::Gm,
            "Let nobody else jump ahead",
            CloseJumps::SUMMARY,
        ),
        CommandSpec::new(
            "mental_attack",
            AllowedRole::Player,
            "Attack with {combatant}'s mind",
            MentalAttack::SUMMARY,
        ),
        CommandSpec::new(
            "mental_duel",
            AllowedRole::Gm,
            "Roll a mental duel[ of {combatant}][ and {opponent}]",
            MentalDuel::SUMMARY,
        ),
        CommandSpec::new(
            "decline_duel",
            AllowedRole::Player,
            "Decline the duel as {combatant}",
            DeclineDuel::SUMMARY,
        ),
    ];

    fn actor(&self) -> Actor<'_> {
        match self {
            Self::Start(_) | Self::RollUnit(_) | Self::CloseJumps(_) | Self::MentalDuel(_) => {
                Actor::Gm
            }
            Self::RollInitiative(RollInitiative { combatant, .. })
            | Self::Declare(Declare { combatant, .. })
            | Self::Announce(Announce { combatant, .. })
            | Self::Jump(Jump { combatant, .. })
            | Self::KeepWaiting(KeepWaiting { combatant, .. })
            | Self::AskAgain(AskAgain { combatant, .. })
            | Self::MentalAttack(MentalAttack { combatant, .. })
            | Self::DeclineDuel(DeclineDuel { combatant, .. }) => Actor::of(combatant),
        }
    }
}

/// The d20s rolled at the table, by persona or crowd.
pub type Rolls = BTreeMap<CombatantId, D20>;
/// The d10s rolled at the table for ties, by persona or crowd: at most 16 each, used in their
/// order.
pub type TieRolls = BTreeMap<CombatantId, Vec<D10>>;

/// What to do with a component now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema, Word!)]
#[serde(rename_all = "snake_case")]
pub enum Use {
    /// Use it now.
    Now,
    /// Wait with it; not open to the lowest persona (EX-15).
    Wait,
    /// Let it go unused: stay put, hold fire (EX-15a).
    Nothing,
}

/// Which of two components comes first (EX-20).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema, Word!)]
#[serde(rename_all = "snake_case")]
pub enum Sequence {
    /// Move, then act.
    MoveFirst,
    /// Act, then move.
    ActFirst,
}
