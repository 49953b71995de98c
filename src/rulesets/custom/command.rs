//! The commands of `custom`.

use super::Card;
use crate::vocabulary::{
    Actor, AllowedRole, CombatantId, CommandSpec, Commands, Int, Slug, Summary, Tagged,
};
use macro_rules_attribute::derive;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// A command of `custom`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Tagged!)]
#[serde(tag = "type")]
#[allow(missing_docs, reason = "each variant is its struct, documented there")]
pub enum Command {
    #[serde(rename = "start")]
    Start(Start),
    #[serde(rename = "roll")]
    Roll(Roll),
    #[serde(rename = "resolve")]
    Resolve(Resolve),
    #[serde(rename = "grant")]
    Grant(Grant),
    #[serde(rename = "set_initiative")]
    SetInitiative(SetInitiative),
    #[serde(rename = "reorder")]
    Reorder(Reorder),
    #[serde(rename = "keep_card")]
    KeepCard(KeepCard),
    #[serde(rename = "swap")]
    Swap(Swap),
    #[serde(rename = "accept_swap")]
    AcceptSwap(AcceptSwap),
    #[serde(rename = "decline_swap")]
    DeclineSwap(DeclineSwap),
    #[serde(rename = "declare")]
    Declare(Declare),
    #[serde(rename = "begin_turn")]
    BeginTurn(BeginTurn),
    #[serde(rename = "nominate")]
    Nominate(Nominate),
    #[serde(rename = "end_turn")]
    EndTurn(EndTurn),
    #[serde(rename = "delay")]
    Delay(Delay),
    #[serde(rename = "return")]
    Return(Return),
    #[serde(rename = "pass")]
    Pass(Pass),
    #[serde(rename = "ready")]
    Ready(Ready),
    #[serde(rename = "react")]
    React(React),
    #[serde(rename = "trigger")]
    Trigger(Trigger),
}

/// Starts the fight. Rolls or deals, unless combatants declare first.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// Sums of the dice rolled at the table, by combatant, group or side. The server rolls the
    /// rest.
    #[schema(value_type = std::collections::HashMap<String, Int<1, 900>>)]
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rolls: BTreeMap<CombatantId, Int<1, 900>>,
    /// Sums of the dice of roll-offs, at most 3 in their order, by combatant, group or side. They count
    /// only in a tie. The server rolls the rest.
    #[schema(value_type = std::collections::HashMap<String, Vec<Int<1, 900>>>)]
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tie_rolls: BTreeMap<CombatantId, Vec<Int<1, 900>>>,
    /// Cards dealt at the table, such as `qs`, `10h` or `j1`, by combatant or group. The server
    /// deals the rest.
    #[schema(value_type = std::collections::HashMap<String, Card>)]
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub cards: BTreeMap<CombatantId, Card>,
    /// Surprised combatants.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub surprised: Vec<CombatantId>,
    /// The side that goes first, whatever the dice say: in this round, if each round is rolled; else
    /// in the whole fight.
    pub first_side: Option<Slug>,
}

/// Rolls or deals for this round.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Roll {
    /// Sums of the dice rolled at the table, by combatant, group or side. The server rolls the
    /// rest.
    #[schema(value_type = std::collections::HashMap<String, Int<1, 900>>)]
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rolls: BTreeMap<CombatantId, Int<1, 900>>,
    /// Sums of the dice of roll-offs, at most 3 in their order, by combatant, group or side. They count
    /// only in a tie. The server rolls the rest.
    #[schema(value_type = std::collections::HashMap<String, Vec<Int<1, 900>>>)]
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tie_rolls: BTreeMap<CombatantId, Vec<Int<1, 900>>>,
    /// Cards dealt at the table, by combatant or group. The server deals the rest.
    #[schema(value_type = std::collections::HashMap<String, Card>)]
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub cards: BTreeMap<CombatantId, Card>,
    /// The side that goes first in this round, whatever the dice say.
    pub first_side: Option<Slug>,
}

/// Resolves the pending decision automatically: defaults, server dice, the first in order, the
/// next step, no reactions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Resolve {}

/// Adds points to a pool or takes them away, between 0 and the pool's maximum.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Grant {
    /// The pool.
    pub pool: Slug,
    /// The combatant that has the pool.
    pub combatant: Option<CombatantId>,
    /// The side that has the pool. A pool of the table has neither.
    pub side: Option<Slug>,
    /// Points to add; below 0, points to take.
    pub amount: Int<-100, 100>,
}

/// Sets the initiative of a combatant or side. The order is sorted again at once.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct SetInitiative {
    /// The combatant. Absent for a side.
    pub combatant: Option<CombatantId>,
    /// The side, if sides have initiative.
    pub side: Option<Slug>,
    /// The initiative.
    pub initiative: Int<-1000, 1000>,
}

/// Moves a combatant's next open place in the order.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Reorder {
    /// The combatant.
    pub combatant: CombatantId,
    /// The combatant before which it acts; the end of the order by default.
    pub before: Option<CombatantId>,
}

/// Keeps one of the cards that the combatant was dealt, before its turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct KeepCard {
    /// The combatant.
    pub combatant: CombatantId,
    /// The card.
    pub card: Card,
}

/// Swaps places with another combatant, or offers to. In its own turn a combatant gives the turn
/// back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Swap {
    /// The combatant.
    pub combatant: CombatantId,
    /// The other combatant.
    pub with: CombatantId,
}

/// Accepts the offer to swap places.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct AcceptSwap {
    /// The combatant that got the offer.
    pub combatant: CombatantId,
}

/// Declines the offer to swap places, or withdraws it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct DeclineSwap {
    /// The combatant that got the offer, or made it.
    pub combatant: CombatantId,
}

/// Declares a choice for the round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Declare {
    /// The combatant.
    pub combatant: CombatantId,
    /// One of the definition's choices.
    pub choice: Slug,
}

/// Starts the combatant's turn, if several combatants may go next and none of them chooses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct BeginTurn {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Chooses the combatant that acts next, and starts its turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Nominate {
    /// The combatant that chooses: the last one to act.
    pub combatant: CombatantId,
    /// The combatant that acts next.
    pub next: CombatantId,
}

/// Ends a turn, or the combatant's part of a shared turn.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct EndTurn {
    /// The combatant.
    pub combatant: CombatantId,
    /// Initiative that the turn costs; the usual cost by default.
    pub cost: Option<Int<1, 100>>,
}

/// Delays the combatant's turn, to return to it later.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Delay {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Returns to a delayed turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Return {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Declines to react now, or to act in this phase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Pass {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Readies an action on the combatant's turn, to trigger before its next turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Ready {
    /// The combatant.
    pub combatant: CombatantId,
    /// A reaction that is readied.
    pub reaction: Slug,
}

/// Uses a reaction outside the combatant's own turn.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct React {
    /// The combatant.
    pub combatant: CombatantId,
    /// The reaction.
    pub reaction: Slug,
    /// Points to spend; the fewest by default.
    pub cost: Option<Int<0, 100>>,
}

/// Uses a readied reaction.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Trigger {
    /// The combatant.
    pub combatant: CombatantId,
    /// The reaction that was readied.
    pub reaction: Slug,
    /// Points to spend; the fewest by default.
    pub cost: Option<Int<0, 100>>,
}

impl Commands for Command {
    const SPECS: &'static [CommandSpec] = &[
        CommandSpec::new("start", AllowedRole::Gm, "Start the fight", Start::SUMMARY),
        CommandSpec::new("roll", AllowedRole::Gm, "Roll for the round", Roll::SUMMARY),
        CommandSpec::new(
            "resolve",
            AllowedRole::Gm,
            "Resolve automatically",
            Resolve::SUMMARY,
        ),
        CommandSpec::new(
            "grant",
            AllowedRole::Gm,
            "Change {pool} points",
            Grant::SUMMARY,
        ),
        CommandSpec::new(
            "set_initiative",
            AllowedRole::Gm,
            "Set initiative",
            SetInitiative::SUMMARY,
        ),
        CommandSpec::new(
            "reorder",
            AllowedRole::Gm,
            "Move {combatant} before [{before}][{!before}another combatant]",
            Reorder::SUMMARY,
        ),
        CommandSpec::new(
            "keep_card",
            AllowedRole::Player,
            "{combatant}: keep a card",
            KeepCard::SUMMARY,
        ),
        CommandSpec::new(
            "swap",
            AllowedRole::Player,
            "{combatant}: swap places[ with {with}]",
            Swap::SUMMARY,
        ),
        CommandSpec::new(
            "accept_swap",
            AllowedRole::Player,
            "{combatant}: accept the swap",
            AcceptSwap::SUMMARY,
        ),
        CommandSpec::new(
            "decline_swap",
            AllowedRole::Player,
            "{combatant}: decline the swap",
            DeclineSwap::SUMMARY,
        ),
        CommandSpec::new(
            "declare",
            AllowedRole::Player,
            "{combatant}: declare[ {choice}]",
            Declare::SUMMARY,
        ),
        CommandSpec::new(
            "begin_turn",
            AllowedRole::Player,
            "{combatant}: start turn",
            BeginTurn::SUMMARY,
        ),
        CommandSpec::new(
            "nominate",
            AllowedRole::Player,
            "{combatant}: choose who acts next[: {next}]",
            Nominate::SUMMARY,
        ),
        CommandSpec::new(
            "end_turn",
            AllowedRole::Player,
            "{combatant}: end turn",
            EndTurn::SUMMARY,
        ),
        CommandSpec::new(
            "delay",
            AllowedRole::Player,
            "{combatant}: delay the turn",
            Delay::SUMMARY,
        ),
        CommandSpec::new(
            "return",
            AllowedRole::Player,
            "{combatant}: take the delayed turn",
            Return::SUMMARY,
        ),
        CommandSpec::new(
            "pass",
            AllowedRole::Player,
            "{combatant}: pass",
            Pass::SUMMARY,
        ),
        CommandSpec::new(
            "ready",
            AllowedRole::Player,
            "{combatant}: ready an action",
            Ready::SUMMARY,
        ),
        CommandSpec::new(
            "react",
            AllowedRole::Player,
            "{combatant}: react with {reaction}",
            React::SUMMARY,
        ),
        CommandSpec::new(
            "trigger",
            AllowedRole::Player,
            "{combatant}: use the readied action",
            Trigger::SUMMARY,
        ),
    ];

    fn actor(&self) -> Actor<'_> {
        match self {
            Self::Start(_)
            | Self::Roll(_)
            | Self::Resolve(_)
            | Self::Grant(_)
            | Self::SetInitiative(_)
            | Self::Reorder(_) => Actor::Gm,
            Self::Declare(Declare { combatant, .. })
            | Self::KeepCard(KeepCard { combatant, .. })
            | Self::Swap(Swap { combatant, .. })
            | Self::AcceptSwap(AcceptSwap { combatant })
            | Self::DeclineSwap(DeclineSwap { combatant })
            | Self::BeginTurn(BeginTurn { combatant })
            | Self::Nominate(Nominate { combatant, .. })
            | Self::EndTurn(EndTurn { combatant, .. })
            | Self::Delay(Delay { combatant })
            | Self::Return(Return { combatant })
            | Self::Pass(Pass { combatant })
            | Self::Ready(Ready { combatant, .. })
            | Self::React(React { combatant, .. })
            | Self::Trigger(Trigger { combatant, .. }) => Actor::of(combatant),
        }
    }
}
