//! The events of Active Initiative.

use super::Means;
use crate::vocabulary::{CombatantId, Die, Text, event, events, fact};

/// An event of Active Initiative.
#[events]
pub enum Event {
    Advised,
    Rolled,
    InitiativeRolled,
    RolledOff,
    InterruptPointsGained,
    Nominated,
    Interrupted,
    Passed,
    ChoiceOpened,
    Readied,
    Triggered,
    ReadyLapsed,
    Inspired,
    InspirationSpent,
    InterruptPointsLost,
}

/// Advice, not a rule: fewer groups of monsters than half the players (AI-15).
#[event("Advice: use {wanted} monsters or groups instead of {groups} for this many players.")]
pub struct Advised {
    /// The number of monsters and groups that can be nominated.
    pub groups: u32,
    /// The recommended number.
    pub wanted: u32,
}

/// A combatant's own die, rolled before the start (AI-3).
#[event("{combatant} {combatant:rolls|roll} {die} for initiative.")]
pub struct Rolled {
    /// The combatant.
    pub combatant: CombatantId,
    /// The d20.
    pub die: Die,
}

/// The rolls of all combatants for the first turn; only the highest result matters (AI-3).
#[event("Initiative: {ranking}.")]
pub struct InitiativeRolled {
    /// The rolls, highest first.
    pub ranking: Vec<InitiativeRoll>,
}

/// The roll-off of a full tie for the first turn: equal rolls, DEX and WIS (AI-5a).
#[event("Roll-off: {ranking}.")]
pub struct RolledOff {
    /// The dice of the tied combatants, best first.
    pub ranking: Vec<RollOff>,
}

/// The interrupt points that the game master starts with: one for each player, or as many as the
/// option says (AI-30).
#[event("The game master has {points} interrupt {points:point|points}.")]
pub struct InterruptPointsGained {
    /// The number of points.
    pub points: u32,
}

/// A combatant was chosen to act next; the window for interrupts is open (AI-17).
#[event(
    "[{nominated_by} {nominated_by:chooses|choose} {combatant} to act next.]\
     [{!nominated_by}{combatant} {combatant:acts|act} next.]"
)]
pub struct Nominated {
    /// The combatant that acts next.
    pub combatant: CombatantId,
    /// The combatant that chose; absent if the game master chose for one that has left.
    pub nominated_by: Option<CombatantId>,
}

/// A combatant stole the next turn; the window stays open (AI-22, AI-22a).
#[event(
    "{combatant} {combatant:interrupts|interrupt}[ {displaced}]\
     [{means=damage} after damage][{means=inspiration} with inspiration]\
     [{means=interrupt point} with an interrupt point] and \
     {combatant:takes|take} the next turn."
)]
pub struct Interrupted {
    /// The combatant that takes the next turn.
    pub combatant: CombatantId,
    /// The combatant that was to act next and has not acted, if the viewer knows it.
    pub displaced: Option<CombatantId>,
    /// The means that paid for it.
    pub means: Means,
}

/// A combatant declined to interrupt the next turn, or the choice of it (AI-17b).
#[event("{combatant} {combatant:declines|decline} to interrupt.")]
pub struct Passed {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A player or the game master must choose who acts next, or who starts a new round.
#[event(
    "[{chooser} {chooser:chooses|choose}][{!chooser}The game master chooses]\
     [{starts_round} who starts the round][{!starts_round} who acts next]."
)]
pub struct ChoiceOpened {
    /// The combatant whose controller chooses; absent if the game master chooses.
    pub chooser: Option<CombatantId>,
    /// True if the choice is who starts a round (AI-41).
    pub starts_round: bool,
}

/// A combatant readied an action (AI-12).
#[event("{combatant} {combatant:readies|ready} an action: {action}, when {trigger}.")]
pub struct Readied {
    /// The combatant.
    pub combatant: CombatantId,
    /// The action.
    pub action: Text<200>,
    /// The occasion that it waits for.
    pub trigger: Text<200>,
}

/// A combatant carried out its readied action (AI-13).
#[event("{combatant} {combatant:uses|use} the readied action.")]
pub struct Triggered {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A readied action is lost: the next turn of its combatant began.
#[event("{combatant} {combatant:loses|lose} the readied action.")]
pub struct ReadyLapsed {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant got an inspiration point (AI-28).
#[event(
    "{combatant} {combatant:gains|gain} an inspiration point and {combatant:has|have} {inspiration}."
)]
pub struct Inspired {
    /// The combatant.
    pub combatant: CombatantId,
    /// Its inspiration points after that.
    pub inspiration: u32,
}

/// A combatant spent an inspiration point (AI-19, AI-29).
#[event(
    "{combatant} {combatant:spends|spend} an inspiration point and {combatant:has|have} {inspiration} left."
)]
pub struct InspirationSpent {
    /// The combatant.
    pub combatant: CombatantId,
    /// Its inspiration points after that.
    pub inspiration: u32,
}

/// The scene is over, and the game master's remaining interrupt points are lost (AI-33).
#[event("The game master loses {points} interrupt {points:point|points}.")]
pub struct InterruptPointsLost {
    /// The number of points.
    pub points: u32,
}

/// One combatant's roll for the first turn.
#[fact(row, "{combatant} {total}")]
pub struct InitiativeRoll {
    /// The combatant.
    pub combatant: CombatantId,
    /// The d20.
    pub die: Die,
    /// The die and the INT modifier (AI-5).
    pub total: i64,
}

/// One combatant's die in a roll-off.
#[fact(row, "{combatant} {die}")]
pub struct RollOff {
    /// The combatant.
    pub combatant: CombatantId,
    /// The d20.
    pub die: Die,
}
