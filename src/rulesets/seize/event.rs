//! The events of Seize the initiative.

use super::Meaning;
use crate::vocabulary::{CombatantId, Die, Participants, Slug, event, events, fact};

/// An event of Seize the initiative.
#[events]
pub enum Event {
    Rolled,
    InitiativeRolled,
    RolledOff,
    Nominated,
    ExtraActionGranted,
    ExtraActionTaken,
    ExtraActionLapsed,
    SeizingOpened,
    Seized,
    Passed,
    SeizedTurnLapsed,
    ChoiceOpened,
}

/// A combatant's own die, rolled before the start (WA-1).
#[event("{combatant} {combatant:rolls|roll} {die} for initiative.")]
pub struct Rolled {
    /// The combatant.
    pub combatant: CombatantId,
    /// The d20.
    pub die: Die,
}

/// The rolls of all combatants for the first turn, once for the whole fight (WA-1, WA-18).
#[event("Initiative: {ranking}.")]
pub struct InitiativeRolled {
    /// The rolls, best first; after a roll-off its winner is the best.
    pub ranking: Vec<InitiativeRoll>,
}

/// The roll-off of a full tie for the first turn: equal results and bonuses (WA-5a).
#[event("Roll-off: {ranking}.")]
pub struct RolledOff {
    /// The dice of the tied combatants or groups, best first.
    pub ranking: Vec<RollOff>,
}

/// A combatant was chosen to act next; its turn starts at once (WA-8).
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

/// A combatant that rolled a 20 has an extra Action in this turn (WA-6).
#[event("{combatant} {combatant:has|have} an extra Action in this turn.")]
pub struct ExtraActionGranted {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant took its extra Action (WA-6).
#[event("{combatant} {combatant:takes|take} the extra Action.")]
pub struct ExtraActionTaken {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant's first turn ended without the extra Action, which is lost (WA-6).
#[event("{combatant} {combatant:loses|lose} the extra Action.")]
pub struct ExtraActionLapsed {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A turn is over, and the combatants that lost hit points in it may seize the next one (WA-13).
#[event("{combatants} may seize the next turn.")]
pub struct SeizingOpened {
    /// The combatants that may seize, in the order of joining.
    pub combatants: Participants,
}

/// A combatant seized a turn. Earlier seized turns, and higher bonuses of the same window, come
/// first (WA-15).
#[event("{combatant} {combatant:seizes|seize} a turn.")]
pub struct Seized {
    /// The combatant.
    pub combatant: CombatantId,
    /// Its Initiative Bonus.
    pub bonus: i64,
    /// The number of seized turns before its own.
    pub ahead: u32,
}

/// A combatant declined to seize the next turn (WA-13).
#[event("{combatant} {combatant:declines|decline} to seize.")]
pub struct Passed {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant was put out of action before its seized turn, which is lost (WA-15a).
#[event("{combatant} {combatant:loses|lose} the seized turn.")]
pub struct SeizedTurnLapsed {
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
    /// True if the choice is who starts a round (WA-11).
    pub starts_round: bool,
}

/// One roll for the first turn.
#[fact(
    row,
    "{combatants} {total}[{meaning=one} (rolled a 1)][{meaning=twenty} (rolled a 20)]"
)]
pub struct InitiativeRoll {
    /// The combatant that rolled, or all of a group, with the highest Initiative Bonus first.
    pub combatants: Participants,
    /// The group, if a group rolled (WA-3).
    pub group: Option<Slug>,
    /// The d20.
    pub die: Die,
    /// The Initiative Bonus; a group's highest (WA-3a).
    pub bonus: i64,
    /// The die and the bonus.
    pub total: i64,
    /// The meaning of the roll for all of `combatants` (WA-6, WA-7).
    #[schema(inline)]
    pub meaning: Meaning,
}

/// One die of a roll-off.
#[fact(row, "{combatants} {die}")]
pub struct RollOff {
    /// The combatant that rolled, or all of a group; the first would take the turn.
    pub combatants: Participants,
    /// The d20.
    pub die: Die,
}
