//! The events of Seize the initiative.

use super::Meaning;
use crate::vocabulary::{
    CombatantId, Describe, Die, Names, OwnEvents, Participants, Redact, Slug, Tagged, Tellable,
    tell,
};
use macro_rules_attribute::derive;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

/// An event of Seize the initiative.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Redact!, Tellable!, Tagged!, OwnEvents!)]
#[serde(tag = "type")]
#[allow(missing_docs, reason = "each variant is its struct, documented there")]
pub enum Event {
    #[serde(rename = "rolled")]
    Rolled(Rolled),
    #[serde(rename = "initiative_rolled")]
    InitiativeRolled(InitiativeRolled),
    #[serde(rename = "rolled_off")]
    RolledOff(RolledOff),
    #[serde(rename = "nominated")]
    Nominated(Nominated),
    #[serde(rename = "extra_action_granted")]
    ExtraActionGranted(ExtraActionGranted),
    #[serde(rename = "extra_action_taken")]
    ExtraActionTaken(ExtraActionTaken),
    #[serde(rename = "extra_action_lapsed")]
    ExtraActionLapsed(ExtraActionLapsed),
    #[serde(rename = "seizing_opened")]
    SeizingOpened(SeizingOpened),
    #[serde(rename = "seized")]
    Seized(Seized),
    #[serde(rename = "passed")]
    Passed(Passed),
    #[serde(rename = "seized_turn_lapsed")]
    SeizedTurnLapsed(SeizedTurnLapsed),
    #[serde(rename = "choice_opened")]
    ChoiceOpened(ChoiceOpened),
}

/// A combatant's own die, rolled before the start (WA-1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Rolled {
    /// The combatant.
    pub combatant: CombatantId,
    /// The d20.
    pub die: Die,
}

/// The rolls of all combatants for the first turn, once for the whole fight (WA-1, WA-18).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct InitiativeRolled {
    /// The rolls, best first; after a roll-off its winner is the best.
    pub ranking: Vec<InitiativeRoll>,
}

/// The roll-off of a full tie for the first turn: equal results and bonuses (WA-5a).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct RolledOff {
    /// The dice of the tied combatants or groups, best first.
    pub ranking: Vec<RollOff>,
}

/// A combatant was chosen to act next; its turn starts at once (WA-8).
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Nominated {
    /// The combatant that acts next.
    pub combatant: CombatantId,
    /// The combatant that chose; absent if the game master chose for one that has left.
    pub nominated_by: Option<CombatantId>,
}

/// A combatant that rolled a 20 has an extra Action in this turn (WA-6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct ExtraActionGranted {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant took its extra Action (WA-6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct ExtraActionTaken {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant's first turn ended without the extra Action, which is lost (WA-6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct ExtraActionLapsed {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A turn is over, and the combatants that lost hit points in it may seize the next one (WA-13).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct SeizingOpened {
    /// The combatants that may seize, in the order of joining.
    pub combatants: Participants,
}

/// A combatant seized a turn. Earlier seized turns, and higher bonuses of the same window, come
/// first (WA-15).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Seized {
    /// The combatant.
    pub combatant: CombatantId,
    /// Its Initiative Bonus.
    pub bonus: i64,
    /// The number of seized turns before its own.
    pub ahead: u32,
}

/// A combatant declined to seize the next turn (WA-13).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Passed {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant was put out of action before its seized turn, which is lost (WA-15a).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct SeizedTurnLapsed {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A player or the game master must choose who acts next, or who starts a new round.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct ChoiceOpened {
    /// The combatant whose controller chooses; absent if the game master chooses.
    pub chooser: Option<CombatantId>,
    /// True if the choice is who starts a round (WA-11).
    pub starts_round: bool,
}

/// The sentence that tells each event.
impl Describe for Event {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        let sentence = match self {
            Self::Rolled(_) => "{combatant} {combatant:rolls|roll} {die} for initiative.",
            Self::InitiativeRolled(_) => "Initiative: {ranking}.",
            Self::RolledOff(_) => "Roll-off: {ranking}.",
            Self::Nominated(_) => {
                "[{nominated_by} {nominated_by:chooses|choose} {combatant} to act next.]\
                 [{!nominated_by}{combatant} {combatant:acts|act} next.]"
            }
            Self::ExtraActionGranted(_) => {
                "{combatant} {combatant:has|have} an extra Action in this turn."
            }
            Self::ExtraActionTaken(_) => "{combatant} {combatant:takes|take} the extra Action.",
            Self::ExtraActionLapsed(_) => "{combatant} {combatant:loses|lose} the extra Action.",
            Self::SeizingOpened(_) => "{combatants} may seize the next turn.",
            Self::Seized(_) => "{combatant} {combatant:seizes|seize} a turn.",
            Self::Passed(_) => "{combatant} {combatant:declines|decline} to seize.",
            Self::SeizedTurnLapsed(_) => "{combatant} {combatant:loses|lose} the seized turn.",
            Self::ChoiceOpened(_) => {
                "[{chooser} {chooser:chooses|choose}][{!chooser}The game master chooses]\
                 [{starts_round} who starts the round][{!starts_round} who acts next]."
            }
        };
        tell(sentence, self, names, out)
    }
}

/// One roll for the first turn.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
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

impl Describe for InitiativeRoll {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        tell(
            "{combatants} {total}[{meaning=one} (rolled a 1)][{meaning=twenty} (rolled a 20)]",
            self,
            names,
            out,
        )
    }

    fn is_row(&self) -> bool {
        true
    }
}

/// One die of a roll-off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct RollOff {
    /// The combatant that rolled, or all of a group; the first would take the turn.
    pub combatants: Participants,
    /// The d20.
    pub die: Die,
}

impl Describe for RollOff {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        tell("{combatants} {die}", self, names, out)
    }

    fn is_row(&self) -> bool {
        true
    }
}
