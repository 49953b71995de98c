//! The events of Active Initiative.

use super::Means;
use crate::vocabulary::{
    CombatantId, Describe, Die, Names, OwnEvents, Redact, Tagged, Tellable, Text, tell,
};
use macro_rules_attribute::derive;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

/// An event of Active Initiative.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Redact!, Tellable!, Tagged!, OwnEvents!)]
#[serde(tag = "type")]
#[allow(missing_docs, reason = "each variant is its struct, documented there")]
pub enum Event {
    #[serde(rename = "advised")]
    Advised(Advised),
    #[serde(rename = "rolled")]
    Rolled(Rolled),
    #[serde(rename = "initiative_rolled")]
    InitiativeRolled(InitiativeRolled),
    #[serde(rename = "rolled_off")]
    RolledOff(RolledOff),
    #[serde(rename = "interrupt_points_gained")]
    InterruptPointsGained(InterruptPointsGained),
    #[serde(rename = "nominated")]
    Nominated(Nominated),
    #[serde(rename = "interrupted")]
    Interrupted(Interrupted),
    #[serde(rename = "passed")]
    Passed(Passed),
    #[serde(rename = "choice_opened")]
    ChoiceOpened(ChoiceOpened),
    #[serde(rename = "readied")]
    Readied(Readied),
    #[serde(rename = "triggered")]
    Triggered(Triggered),
    #[serde(rename = "ready_lapsed")]
    ReadyLapsed(ReadyLapsed),
    #[serde(rename = "inspired")]
    Inspired(Inspired),
    #[serde(rename = "inspiration_spent")]
    InspirationSpent(InspirationSpent),
    #[serde(rename = "interrupt_points_lost")]
    InterruptPointsLost(InterruptPointsLost),
}

/// Advice, not a rule: fewer groups of monsters than half the players (AI-15).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Advised {
    /// The number of monsters and groups that can be nominated.
    pub groups: u32,
    /// The recommended number.
    pub wanted: u32,
}

/// A combatant's own die, rolled before the start (AI-3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Rolled {
    /// The combatant.
    pub combatant: CombatantId,
    /// The d20.
    pub die: Die,
}

/// The rolls of all combatants for the first turn; only the highest result matters (AI-3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct InitiativeRolled {
    /// The rolls, highest first.
    pub ranking: Vec<InitiativeRoll>,
}

/// The roll-off of a full tie for the first turn: equal rolls, DEX and WIS (AI-5a).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct RolledOff {
    /// The dice of the tied combatants, best first.
    pub ranking: Vec<RollOff>,
}

/// The interrupt points that the game master starts with: one for each player, or as many as the
/// option says (AI-30).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct InterruptPointsGained {
    /// The number of points.
    pub points: u32,
}

/// A combatant was chosen to act next; the window for interrupts is open (AI-17).
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Nominated {
    /// The combatant that acts next.
    pub combatant: CombatantId,
    /// The combatant that chose; absent if the game master chose for one that has left.
    pub nominated_by: Option<CombatantId>,
}

/// A combatant stole the next turn; the window stays open (AI-22, AI-22a).
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Interrupted {
    /// The combatant that takes the next turn.
    pub combatant: CombatantId,
    /// The combatant that was to act next and has not acted, if the viewer knows it.
    pub displaced: Option<CombatantId>,
    /// The means that paid for it.
    pub means: Means,
}

/// A combatant declined to interrupt the next turn, or the choice of it (AI-17b).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Passed {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A player or the game master must choose who acts next, or who starts a new round.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct ChoiceOpened {
    /// The combatant whose controller chooses; absent if the game master chooses.
    pub chooser: Option<CombatantId>,
    /// True if the choice is who starts a round (AI-41).
    pub starts_round: bool,
}

/// A combatant readied an action (AI-12).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Readied {
    /// The combatant.
    pub combatant: CombatantId,
    /// The action.
    pub action: Text<200>,
    /// The occasion that it waits for.
    pub trigger: Text<200>,
}

/// A combatant carried out its readied action (AI-13).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Triggered {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A readied action is lost: the next turn of its combatant began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct ReadyLapsed {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant got an inspiration point (AI-28).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Inspired {
    /// The combatant.
    pub combatant: CombatantId,
    /// Its inspiration points after that.
    pub inspiration: u32,
}

/// A combatant spent an inspiration point (AI-19, AI-29).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct InspirationSpent {
    /// The combatant.
    pub combatant: CombatantId,
    /// Its inspiration points after that.
    pub inspiration: u32,
}

/// The scene is over, and the game master's remaining interrupt points are lost (AI-33).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct InterruptPointsLost {
    /// The number of points.
    pub points: u32,
}

/// The sentence that tells each event.
impl Describe for Event {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        let sentence = match self {
            Self::Advised(_) => {
                "Advice: use {wanted} monsters or groups instead of {groups} for this many players."
            }
            Self::Rolled(_) => "{combatant} {combatant:rolls|roll} {die} for initiative.",
            Self::InitiativeRolled(_) => "Initiative: {ranking}.",
            Self::RolledOff(_) => "Roll-off: {ranking}.",
            Self::InterruptPointsGained(_) => {
                "The game master has {points} interrupt {points:point|points}."
            }
            Self::Nominated(_) => {
                "[{nominated_by} {nominated_by:chooses|choose} {combatant} to act next.]\
                 [{!nominated_by}{combatant} {combatant:acts|act} next.]"
            }
            Self::Interrupted(_) => {
                "{combatant} {combatant:interrupts|interrupt}[ {displaced}]\
                 [{means=damage} after damage][{means=inspiration} with inspiration]\
                 [{means=interrupt point} with an interrupt point] and \
                 {combatant:takes|take} the next turn."
            }
            Self::Passed(_) => "{combatant} {combatant:declines|decline} to interrupt.",
            Self::ChoiceOpened(_) => {
                "[{chooser} {chooser:chooses|choose}][{!chooser}The game master chooses]\
                 [{starts_round} who starts the round][{!starts_round} who acts next]."
            }
            Self::Readied(_) => {
                "{combatant} {combatant:readies|ready} an action: {action}, when {trigger}."
            }
            Self::Triggered(_) => "{combatant} {combatant:uses|use} the readied action.",
            Self::ReadyLapsed(_) => "{combatant} {combatant:loses|lose} the readied action.",
            Self::Inspired(_) => {
                "{combatant} {combatant:gains|gain} an inspiration point and {combatant:has|have} {inspiration}."
            }
            Self::InspirationSpent(_) => {
                "{combatant} {combatant:spends|spend} an inspiration point and {combatant:has|have} {inspiration} left."
            }
            Self::InterruptPointsLost(_) => {
                "The game master loses {points} interrupt {points:point|points}."
            }
        };
        tell(sentence, self, names, out)
    }
}

/// One combatant's roll for the first turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct InitiativeRoll {
    /// The combatant.
    pub combatant: CombatantId,
    /// The d20.
    pub die: Die,
    /// The die and the INT modifier (AI-5).
    pub total: i64,
}

impl Describe for InitiativeRoll {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        tell("{combatant} {total}", self, names, out)
    }

    fn is_row(&self) -> bool {
        true
    }
}

/// One combatant's die in a roll-off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct RollOff {
    /// The combatant.
    pub combatant: CombatantId,
    /// The d20.
    pub die: Die,
}

impl Describe for RollOff {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        tell("{combatant} {die}", self, names, out)
    }

    fn is_row(&self) -> bool {
        true
    }
}
