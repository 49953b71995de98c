//! The commands of `custom`.

use super::definition::KnownTotal;
use super::{Card, Preset};
use crate::vocabulary::{CombatantId, Int, Slug, command, commands};
use serde_json::Value;
use std::collections::BTreeMap;

/// A command of `custom`.
#[commands]
pub enum Command {
    Start,
    Roll,
    Resolve,
    EndRound,
    ChangeDefinition,
    Grant,
    SetInitiative,
    Reorder,
    KeepCard,
    Swap,
    AcceptSwap,
    DeclineSwap,
    Declare,
    BeginTurn,
    Nominate,
    EndTurn,
    Delay,
    Return,
    Pass,
    Ready,
    React,
    Trigger,
}

/// Starts the fight. Rolls or deals, unless combatants declare first.
#[command(gm, "Start the fight")]
pub struct Start {
    /// Sums of the dice rolled at the table, by combatant, group or side. The server rolls the
    /// rest.
    #[default]
    #[advanced]
    pub rolls: BTreeMap<CombatantId, Int<1, 900>>,
    /// Initiatives that are known, by combatant, group or side. Two decimals are kept. Nothing is rolled
    /// or added for them.
    #[default]
    #[advanced]
    pub totals: BTreeMap<CombatantId, KnownTotal>,
    /// Sums of the dice of roll-offs, at most 3 in their order, by combatant, group or side. They count
    /// only in a tie. The server rolls the rest.
    #[default]
    #[advanced]
    pub tie_rolls: BTreeMap<CombatantId, Vec<Int<1, 900>>>,
    /// Cards dealt at the table, such as `qs`, `10h` or `j1`, by combatant or group. The server
    /// deals the rest.
    #[default]
    #[advanced]
    pub cards: BTreeMap<CombatantId, Card>,
    /// Surprised combatants.
    #[default]
    pub surprised: Vec<CombatantId>,
    /// The side that goes first, whatever the dice say: in this round, if each round is rolled; else
    /// in the whole fight.
    pub first_side: Option<Slug>,
}

/// Rolls or deals for this round.
#[command(gm, "Roll for the round")]
pub struct Roll {
    /// Sums of the dice rolled at the table, by combatant, group or side. The server rolls the
    /// rest.
    #[default]
    #[advanced]
    pub rolls: BTreeMap<CombatantId, Int<1, 900>>,
    /// Initiatives that are known, by combatant, group or side. Two decimals are kept. Nothing is rolled
    /// or added for them.
    #[default]
    #[advanced]
    pub totals: BTreeMap<CombatantId, KnownTotal>,
    /// Sums of the dice of roll-offs, at most 3 in their order, by combatant, group or side. They count
    /// only in a tie. The server rolls the rest.
    #[default]
    #[advanced]
    pub tie_rolls: BTreeMap<CombatantId, Vec<Int<1, 900>>>,
    /// Cards dealt at the table, by combatant or group. The server deals the rest.
    #[default]
    #[advanced]
    pub cards: BTreeMap<CombatantId, Card>,
    /// The side that goes first in this round, whatever the dice say.
    pub first_side: Option<Slug>,
}

/// Resolves the pending decision automatically: defaults, server dice, the first in order, the
/// next step, no reactions.
#[command(gm, "Resolve automatically")]
pub struct Resolve {}

/// Ends the round. A turn in progress ends, and the remaining turns are lost.
#[command(gm, "End the round")]
pub struct EndRound {}

/// Changes the definition, checked as at creation: before the start, or before a turn of the round has
/// ended. The round starts anew: initiative is rolled, and pools have their start. Numbers that the
/// new definition does not have are gone.
#[command(gm, "Change the definition")]
pub struct ChangeDefinition {
    /// A preset to begin with; without it, the present definition.
    #[schema(inline)]
    pub preset: Option<Preset>,
    /// The lines that differ, as at creation: objects are merged, and null takes a line back to its
    /// default.
    #[schema(value_type = Option<BTreeMap<String, Value>>)]
    pub definition: Option<Value>,
}

/// Adds points to a pool or takes them away, between 0 and the pool's maximum.
#[command(gm, "Change {pool} points")]
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
#[command(gm, "Set initiative")]
pub struct SetInitiative {
    /// The combatant. Absent for a side.
    pub combatant: Option<CombatantId>,
    /// The side, if sides have initiative.
    pub side: Option<Slug>,
    /// The initiative. Two decimals are kept.
    pub initiative: KnownTotal,
}

/// Moves a combatant's next open place in the order.
#[command(gm, "Move {combatant} before [{before}][{!before}another combatant]")]
pub struct Reorder {
    /// The combatant.
    pub combatant: CombatantId,
    /// The combatant before which it acts; the end of the order by default.
    pub before: Option<CombatantId>,
}

/// Keeps one of the cards that the combatant was dealt, before its turn.
#[command(player, "{combatant}: keep a card")]
pub struct KeepCard {
    /// The combatant.
    pub combatant: CombatantId,
    /// The card.
    pub card: Card,
}

/// Swaps places with another combatant, or offers to. In its own turn a combatant gives the turn
/// back.
#[command(player, "{combatant}: swap places[ with {with}]")]
pub struct Swap {
    /// The combatant.
    pub combatant: CombatantId,
    /// The other combatant.
    pub with: CombatantId,
}

/// Accepts the offer to swap places.
#[command(player, "{combatant}: accept the swap")]
pub struct AcceptSwap {
    /// The combatant that got the offer.
    pub combatant: CombatantId,
}

/// Declines the offer to swap places, or withdraws it.
#[command(player, "{combatant}: decline the swap")]
pub struct DeclineSwap {
    /// The combatant that got the offer, or made it.
    pub combatant: CombatantId,
}

/// Declares a choice for the round.
#[command(player, "{combatant}: declare[ {choice}]")]
pub struct Declare {
    /// The combatant.
    pub combatant: CombatantId,
    /// One of the definition's choices.
    pub choice: Slug,
}

/// Starts the combatant's turn, if several combatants may go next and none of them chooses.
#[command(player, "{combatant}: start turn")]
pub struct BeginTurn {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Chooses the combatant that acts next, and starts its turn.
#[command(player, "{combatant}: choose who acts next[: {next}]")]
pub struct Nominate {
    /// The combatant that chooses: the last one to act.
    pub combatant: CombatantId,
    /// The combatant that acts next.
    pub next: CombatantId,
}

/// Ends a turn, or the combatant's part of a shared turn.
#[command(player, "{combatant}: end turn")]
pub struct EndTurn {
    /// The combatant.
    pub combatant: CombatantId,
    /// Initiative that the turn costs; the usual cost by default.
    pub cost: Option<Int<1, 100>>,
}

/// Delays the combatant's turn, to return to it later.
#[command(player, "{combatant}: delay the turn")]
pub struct Delay {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Returns to a delayed turn.
#[command(player, "{combatant}: take the delayed turn")]
pub struct Return {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Declines to react now, or to act before the next choice.
#[command(player, "{combatant}: pass")]
pub struct Pass {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Readies an action on the combatant's turn, to trigger before its next turn.
#[command(player, "{combatant}: ready an action")]
pub struct Ready {
    /// The combatant.
    pub combatant: CombatantId,
    /// A reaction that is readied.
    pub reaction: Slug,
}

/// Uses a reaction outside the combatant's own turn.
#[command(player, "{combatant}: react with {reaction}")]
pub struct React {
    /// The combatant.
    pub combatant: CombatantId,
    /// The reaction.
    pub reaction: Slug,
    /// Points to spend; the fewest by default.
    pub cost: Option<Int<0, 100>>,
}

/// Uses a readied reaction.
#[command(player, "{combatant}: use the readied action")]
pub struct Trigger {
    /// The combatant.
    pub combatant: CombatantId,
    /// The reaction that was readied.
    pub reaction: Slug,
    /// Points to spend; the fewest by default.
    pub cost: Option<Int<0, 100>>,
}
