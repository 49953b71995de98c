//! The commands of Active Initiative.

use super::Means;
use crate::vocabulary::{
    Actor, AllowedRole, CombatantId, CommandSpec, Commands, D20, Summary, Tagged, Text,
};
use macro_rules_attribute::derive;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// A command of Active Initiative.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Tagged!)]
#[serde(tag = "type")]
#[allow(missing_docs, reason = "each variant is its struct, documented there")]
pub enum Command {
    #[serde(rename = "start")]
    Start(Start),
    #[serde(rename = "roll_initiative")]
    RollInitiative(RollInitiative),
    #[serde(rename = "end_turn")]
    EndTurn(EndTurn),
    #[serde(rename = "nominate")]
    Nominate(Nominate),
    #[serde(rename = "begin_turn")]
    BeginTurn(BeginTurn),
    #[serde(rename = "interrupt")]
    Interrupt(Interrupt),
    #[serde(rename = "ready")]
    Ready(Ready),
    #[serde(rename = "fire")]
    Fire(Fire),
    #[serde(rename = "inspire")]
    Inspire(Inspire),
    #[serde(rename = "spend")]
    Spend(Spend),
    #[serde(rename = "delay")]
    Delay(Delay),
}

/// Begin the scene: `first`, who triggered it, takes the first turn (AI-2), else the highest roll
/// does (AI-3).
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// Who triggered the scene: a combatant, a group or a hazard (AI-6).
    pub first: Option<CombatantId>,
    /// The d20 of each combatant that rolled at the table, where nobody triggered it, in place of
    /// its `roll_initiative`; the server rolls the others.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = std::collections::HashMap<String, u8>)]
    pub rolls: BTreeMap<CombatantId, D20>,
    /// The d20 with which a combatant rolls off a full tie, should there be one (AI-5a).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = std::collections::HashMap<String, u8>)]
    pub roll_offs: BTreeMap<CombatantId, D20>,
}

/// Give the d20 that a combatant's player rolled, before a `start` without `first` (AI-3). A later
/// roll replaces it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct RollInitiative {
    /// The combatant.
    pub combatant: CombatantId,
    /// The d20.
    pub roll: D20,
}

/// End a turn. With `next`, name the next combatant too (AI-7); with `begin`, its turn begins.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct EndTurn {
    /// The combatant.
    pub combatant: CombatantId,
    /// A combatant that has not acted this round (AI-8), or the first of the next round (AI-41).
    pub next: Option<CombatantId>,
    /// Whether nobody wants to interrupt, so that the turn of `next` begins at once. A player needs
    /// the right to both combatants.
    #[serde(default)]
    #[schema(default = false)]
    pub begin: bool,
    /// Whether the turn of `next` begins at once if nobody could interrupt (AI-17b).
    #[serde(default)]
    #[schema(default = false)]
    pub begin_unopposed: bool,
}

/// Name the next combatant, if the turn ended without a name or the named one is gone.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Nominate {
    /// Who names: the one who took the last turn. The game master leaves it out where that one has
    /// left the encounter.
    pub combatant: Option<CombatantId>,
    /// Who is named.
    pub next: CombatantId,
    /// Whether nobody wants to interrupt, so that the turn of `next` begins at once. A player needs
    /// the right to both combatants.
    #[serde(default)]
    #[schema(default = false)]
    pub begin: bool,
    /// Whether the turn of `next` begins at once if nobody could interrupt (AI-17b).
    #[serde(default)]
    #[schema(default = false)]
    pub begin_unopposed: bool,
}

/// Begin the turn of the named combatant; nobody can interrupt any more (AI-24).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct BeginTurn {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Steal the next turn from the named combatant (AI-22).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Interrupt {
    /// The combatant.
    pub combatant: CombatantId,
    /// What pays for it.
    pub means: Means,
}

/// Ready an action in your own turn; the place in the round stays (AI-12).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Ready {
    /// The combatant.
    pub combatant: CombatantId,
    /// What will be done.
    pub action: Text<200>,
    /// What it waits for.
    pub trigger: Text<200>,
}

/// Carry out a readied action; it does not change who names the next combatant (AI-13).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Fire {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Give an inspiration point to a combatant, which holds at most three (AI-28).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Inspire {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Spend an inspiration point on advantage for a roll, before it is rolled (AI-29).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Spend {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Always refused: nobody passes or delays under Active Initiative (AI-11).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Delay {
    /// The combatant.
    pub combatant: CombatantId,
}

impl Commands for Command {
    const SPECS: &'static [CommandSpec] = &[
        CommandSpec::new(
            "start",
            AllowedRole::Gm,
            "Start the scene[ with {first}]",
            Start::SUMMARY,
        ),
        CommandSpec::new(
            "roll_initiative",
            AllowedRole::Player,
            "Roll initiative for {combatant}",
            RollInitiative::SUMMARY,
        ),
        CommandSpec::new(
            "end_turn",
            AllowedRole::Player,
            "End {combatant}'s turn[ and name {next}][{begin} and begin the next][{begin_unopposed}, to begin at once]",
            EndTurn::SUMMARY,
        ),
        CommandSpec::new(
            "nominate",
            AllowedRole::Player,
            "Name the next to act[ as {combatant}][{begin} and begin the turn][{begin_unopposed}, to begin at once]",
            Nominate::SUMMARY,
        ),
        CommandSpec::new(
            "begin_turn",
            AllowedRole::Player,
            "Begin {combatant}'s turn",
            BeginTurn::SUMMARY,
        ),
        CommandSpec::new(
            "interrupt",
            AllowedRole::Player,
            "Interrupt as {combatant}",
            Interrupt::SUMMARY,
        ),
        CommandSpec::new(
            "ready",
            AllowedRole::Player,
            "Ready an action as {combatant}",
            Ready::SUMMARY,
        ),
        CommandSpec::new(
            "fire",
            AllowedRole::Player,
            "Carry out {combatant}'s readied action",
            Fire::SUMMARY,
        ),
        CommandSpec::new(
            "inspire",
            AllowedRole::Gm,
            "Give an inspiration point[ to {combatant}]",
            Inspire::SUMMARY,
        ),
        CommandSpec::new(
            "spend",
            AllowedRole::Player,
            "Spend an inspiration point of {combatant}",
            Spend::SUMMARY,
        ),
        CommandSpec::new(
            "delay",
            AllowedRole::Player,
            "Delay {combatant}'s turn",
            Delay::SUMMARY,
        ),
    ];

    fn actor(&self) -> Actor<'_> {
        match self {
            Self::Start(_) | Self::Inspire(_) => Actor::Gm,
            Self::RollInitiative(RollInitiative { combatant, .. })
            | Self::EndTurn(EndTurn { combatant, .. })
            | Self::BeginTurn(BeginTurn { combatant, .. })
            | Self::Interrupt(Interrupt { combatant, .. })
            | Self::Ready(Ready { combatant, .. })
            | Self::Fire(Fire { combatant, .. })
            | Self::Spend(Spend { combatant, .. })
            | Self::Delay(Delay { combatant, .. }) => Actor::of(combatant),
            Self::Nominate(Nominate { combatant, .. }) => Actor::of_optional(combatant.as_ref()),
        }
    }
}
