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
    #[serde(rename = "roll")]
    Roll(Roll),
    #[serde(rename = "declare")]
    Declare(Declare),
    #[serde(rename = "announce")]
    Announce(Announce),
    #[serde(rename = "jump")]
    Jump(Jump),
    #[serde(rename = "pass")]
    Pass(Pass),
    #[serde(rename = "ask_again")]
    AskAgain(AskAgain),
    #[serde(rename = "resolve")]
    Resolve(Resolve),
    #[serde(rename = "mental_attack")]
    MentalAttack(MentalAttack),
    #[serde(rename = "mental_duel")]
    MentalDuel(MentalDuel),
}

/// Start the fight: all personas roll initiative for the first unit (EX-2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// The d20s rolled at the table, by persona or crowd, in place of those that personas rolled
    /// ahead. The server rolls the others.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = std::collections::HashMap<String, D20>)]
    pub rolls: BTreeMap<CombatantId, D20>,
    /// The d10s rolled at the table for ties; the server rolls the others.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = std::collections::HashMap<String, Vec<D10>>)]
    pub tie_rolls: BTreeMap<CombatantId, Vec<D10>>,
}

/// Roll initiative: with `combatant`, that persona's own dice for the next unit, before `start` or
/// before all roll; without it, for all, so that the next unit begins (EX-3).
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Roll {
    /// The persona that rolls ahead of the others. A later roll replaces it.
    pub combatant: Option<CombatantId>,
    /// The persona's d20, if rolled at the table. By default the server rolls.
    pub roll: Option<D20>,
    /// The persona's d10s for ties, if rolled at the table: at most 16, used in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tie_dice: Vec<D10>,
    /// The d20s rolled at the table for the unit, by persona or crowd, in place of those that
    /// personas rolled ahead.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = std::collections::HashMap<String, D20>)]
    pub rolls: BTreeMap<CombatantId, D20>,
    /// The d10s rolled at the table for ties of the unit, by persona or crowd.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = std::collections::HashMap<String, Vec<D10>>)]
    pub tie_rolls: BTreeMap<CombatantId, Vec<D10>>,
}

/// Answer the list: use, keep or give up the move and the attack or action (EX-14, EX-15).
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Declare {
    /// The combatant.
    pub combatant: CombatantId,
    /// The use of the move. Leave it out if the move is spent.
    #[serde(rename = "move")]
    pub movement: Option<Use>,
    /// The use of the attack or action. Leave it out if it is spent.
    pub act: Option<Use>,
    /// The component that comes first, if both happen now.
    pub order: Option<Sequence>,
}

/// Announce the answer that a persona will declare, so that others may jump ahead of it (EX-27b).
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Announce {
    /// The combatant.
    pub combatant: CombatantId,
    /// The use of the move. Leave it out if the move is spent.
    #[serde(rename = "move")]
    pub movement: Option<Use>,
    /// The use of the attack or action. Leave it out if it is spent.
    pub act: Option<Use>,
    /// The component that comes first, if both happen now.
    pub order: Option<Sequence>,
    /// The act in words, such as its target.
    pub action: Option<Text<200>>,
}

/// Try a wait jump: use a waited component ahead of the next act of a lower persona (EX-25), be it
/// in the list or a jump (EX-27a).
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Jump {
    /// The combatant.
    pub combatant: CombatantId,
    /// The waited component to use (EX-29). Leave it out to use both, with the option `jump_both`.
    pub component: Option<Component>,
    /// The act in words, such as its target.
    pub action: Option<Text<200>>,
    /// The d20 of the AWE roll, if rolled at the table. By default the server rolls.
    pub roll: Option<D20>,
    /// The referee's d20, if rolled at the table. Only with `awe_mode` `opposed_d20`.
    pub referee_roll: Option<D20>,
}

/// Decline what a persona is asked: to jump ahead of a lower persona's jump (EX-27a) or of the
/// announced act, with the option `jump_window` (EX-25b), or to attack in a mental duel, which ends
/// (EX-32a).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Pass {
    /// The combatant.
    pub combatant: CombatantId,
    /// True if the persona passes at all later acts too, unasked, until `ask_again` (EX-25c).
    #[serde(default)]
    #[schema(default = false)]
    pub standing: bool,
}

/// End a standing `pass`: the persona is asked again at each announced act (EX-25c).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct AskAgain {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Let the announced act or jump happen: all who could still jump ahead of it pass (EX-25b).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Resolve {}

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
    #[schema(value_type = std::collections::HashMap<String, D20>)]
    pub rolls: BTreeMap<CombatantId, D20>,
    /// The d10s rolled at the table for a tie; the server rolls the others.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = std::collections::HashMap<String, Vec<D10>>)]
    pub tie_rolls: BTreeMap<CombatantId, Vec<D10>>,
}

impl Commands for Command {
    const SPECS: &'static [CommandSpec] = &[
        CommandSpec::new("start", AllowedRole::Gm, "Start the fight", Start::SUMMARY),
        CommandSpec::new(
            "roll",
            AllowedRole::Player,
            "[{combatant}: roll initiative][{!combatant}Roll initiative for all]",
            Roll::SUMMARY,
        ),
        CommandSpec::new(
            "declare",
            AllowedRole::Player,
            "{combatant}:[{!move}{!act} declare][{move=now} move][{move=wait} wait with the move]\
             [{move=nothing} give up the move][{move?}{act?},][{act=now} act]\
             [{act=wait} wait with the act][{act=nothing} give up the act]",
            Declare::SUMMARY,
        ),
        CommandSpec::new(
            "announce",
            AllowedRole::Player,
            "{combatant}: announce[{move=now} move][{move=wait} wait with the move]\
             [{move=nothing} give up the move][{move?}{act?},][{act=now} act]\
             [{act=wait} wait with the act][{act=nothing} give up the act]",
            Announce::SUMMARY,
        ),
        CommandSpec::new(
            "jump",
            AllowedRole::Player,
            "{combatant}: jump ahead[ with the {component}]",
            Jump::SUMMARY,
        ),
        CommandSpec::new(
            "pass",
            AllowedRole::Player,
            "{combatant}: keep waiting[{standing} until further notice]",
            Pass::SUMMARY,
        ),
        CommandSpec::new(
            "ask_again",
            AllowedRole::Player,
            "{combatant}: ask me about jumps again",
            AskAgain::SUMMARY,
        ),
        CommandSpec::new(
            "resolve",
            AllowedRole::Gm,
            "Let the announced act happen",
            Resolve::SUMMARY,
        ),
        CommandSpec::new(
            "mental_attack",
            AllowedRole::Player,
            "{combatant}: attack with the mind",
            MentalAttack::SUMMARY,
        ),
        CommandSpec::new(
            "mental_duel",
            AllowedRole::Gm,
            "{combatant}: start a mental duel[ with {opponent}]",
            MentalDuel::SUMMARY,
        ),
    ];

    fn actor(&self) -> Actor<'_> {
        match self {
            Self::Start(_) | Self::Resolve(_) | Self::MentalDuel(_) => Actor::Gm,
            Self::Roll(Roll { combatant, .. }) => Actor::of_optional(combatant.as_ref()),
            Self::Declare(Declare { combatant, .. })
            | Self::Announce(Announce { combatant, .. })
            | Self::Jump(Jump { combatant, .. })
            | Self::Pass(Pass { combatant, .. })
            | Self::AskAgain(AskAgain { combatant, .. })
            | Self::MentalAttack(MentalAttack { combatant, .. }) => Actor::of(combatant),
        }
    }
}

/// The d20s rolled at the table, by persona or crowd.
pub type Rolls = BTreeMap<CombatantId, D20>;
/// The d10s rolled at the table for ties, by persona or crowd: at most 16 each, used in their
/// order.
pub type TieRolls = BTreeMap<CombatantId, Vec<D10>>;

/// A use of a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema, Word!)]
#[serde(rename_all = "snake_case")]
pub enum Use {
    /// Use it now.
    Now,
    /// Wait with it. The lowest persona may not (EX-15).
    Wait,
    /// Let it go unused: stay put, hold fire (EX-15a).
    Nothing,
}

/// The order of two components (EX-20).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema, Word!)]
#[serde(rename_all = "snake_case")]
pub enum Sequence {
    /// Move, then act.
    MoveFirst,
    /// Act, then move.
    ActFirst,
}

impl Roll {
    /// The personas and crowds whose dice it names.
    pub(super) fn rollers(&self) -> Vec<&CombatantId> {
        let mut rollers: Vec<&CombatantId> = self.combatant.iter().collect();
        rollers.extend(self.rolls.keys());
        rollers.extend(self.tie_rolls.keys());
        rollers
    }
}
