//! The commands of Active Initiative.

use super::Means;
use crate::vocabulary::{Actor, CombatantId, D20, Text, tagged};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;

tagged! {
    /// A command of Active Initiative.
    pub enum Command {
        "start" => Start,
        "end_turn" => EndTurn,
        "nominate" => Nominate,
        "begin_turn" => BeginTurn,
        "interrupt" => Interrupt,
        "ready" => Ready,
        "fire" => Fire,
        "inspire" => Inspire,
        "spend" => Spend,
        "delay" => Delay,
    }
}

/// The scene begins and its first turn with it: of `first`, who triggered it (AI-2), else of whoever rolls highest (AI-3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// Who triggered the scene: a combatant, a group or a hazard (AI-6).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<CombatantId>,
    /// The d20 of each combatant that rolled at the table, where nobody triggered it; the server rolls the others.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = std::collections::HashMap<String, u8>)]
    pub rolls: BTreeMap<CombatantId, D20>,
}

/// A turn ends; with `next` the next combatant is named in the same breath (AI-7), with `begin` its turn begins too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EndTurn {
    /// Whose turn ends.
    pub combatant: CombatantId,
    /// Who is next: anybody who has not acted this round (AI-8), or who starts the next round where this turn was the last (AI-41).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<CombatantId>,
    /// True where nobody at the table wants to interrupt: the turn of `next` begins at once.
    #[serde(default)]
    #[schema(default = false)]
    pub begin: bool,
}

/// Names the next combatant, where the turn ended without that, or where the one who was named is gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Nominate {
    /// Who names: the one who took the last turn. The game master leaves it out where that one has left the encounter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub combatant: Option<CombatantId>,
    /// Who is named.
    pub next: CombatantId,
}

/// The turn of the one who is named begins; nobody can interrupt any more (AI-24).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BeginTurn {
    /// Whose turn begins.
    pub combatant: CombatantId,
}

/// Steals the next turn from the one who is named (AI-22).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Interrupt {
    /// Who interrupts.
    pub combatant: CombatantId,
    /// What pays for it.
    pub means: Means,
}

/// Readies an action in one's own turn; the place in the round stays as it is (AI-12).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Ready {
    /// Who readies.
    pub combatant: CombatantId,
    /// What will be done.
    pub action: Text<200>,
    /// What it waits for.
    pub trigger: Text<200>,
}

/// A readied action happens; who names the next combatant stays the same (AI-13).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Fire {
    /// Whose readied action.
    pub combatant: CombatantId,
}

/// The game master hands out an inspiration point; three is the most that anybody holds (AI-28).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Inspire {
    /// Who gets it.
    pub combatant: CombatantId,
}

/// Spends an inspiration point on advantage for a roll, before it is rolled (AI-29).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Spend {
    /// Who spends it.
    pub combatant: CombatantId,
}

/// Always refused: nobody passes or delays under Active Initiative (AI-11).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Delay {
    /// Who would like to.
    pub combatant: CombatantId,
}

/// In whose name a command is sent.
pub(super) fn sender(command: &Command) -> Actor<'_> {
    match command {
        Command::Start(_) | Command::Inspire(_) => Actor::Gm,
        // Whoever begins the next turn too takes from all others the time to interrupt: that is for the one whose turn it is.
        Command::EndTurn(c) => {
            Actor::Of([Some(&c.combatant), c.next.as_ref().filter(|_| c.begin)].into_iter().flatten().collect())
        }
        Command::Nominate(c) => Actor::named(c.combatant.as_ref()),
        Command::BeginTurn(c) => Actor::one(&c.combatant),
        Command::Interrupt(Interrupt { means: Means::InterruptPoint, .. }) => Actor::Gm,
        Command::Interrupt(c) => Actor::one(&c.combatant),
        Command::Ready(c) => Actor::one(&c.combatant),
        Command::Fire(c) => Actor::one(&c.combatant),
        Command::Spend(c) => Actor::one(&c.combatant),
        Command::Delay(c) => Actor::one(&c.combatant),
    }
}
