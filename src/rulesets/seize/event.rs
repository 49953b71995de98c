//! The events of Seize the initiative.

use super::{Meaning, Way};
use crate::vocabulary::{
    CombatantId, D20, Describe, Die, Names, OwnEvents, Participants, Redact, Slug, Tagged,
    Tellable, tell,
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
    #[serde(rename = "own_die_given")]
    OwnDieGiven(OwnDieGiven),
    #[serde(rename = "initiative_rolled")]
    InitiativeRolled(InitiativeRolled),
    #[serde(rename = "rolled_off")]
    RolledOff(RolledOff),
    #[serde(rename = "picked")]
    Picked(Picked),
    #[serde(rename = "extra_action_granted")]
    ExtraActionGranted(ExtraActionGranted),
    #[serde(rename = "extra_action_spent")]
    ExtraActionSpent(ExtraActionSpent),
    #[serde(rename = "extra_action_lapsed")]
    ExtraActionLapsed(ExtraActionLapsed),
    #[serde(rename = "hurt")]
    Hurt(Hurt),
    #[serde(rename = "seizing_opened")]
    SeizingOpened(SeizingOpened),
    #[serde(rename = "seized")]
    Seized(Seized),
    #[serde(rename = "declined")]
    Declined(Declined),
    #[serde(rename = "seizer_dropped")]
    SeizerDropped(SeizerDropped),
    #[serde(rename = "choice_opened")]
    ChoiceOpened(ChoiceOpened),
}

/// A combatant's player rolled before the start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct OwnDieGiven {
    /// The combatant.
    pub combatant: CombatantId,
    /// The d20.
    pub roll: D20,
}

/// Everybody rolled for the first turn, once and for the whole fight (WA-1, WA-18).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct InitiativeRolled {
    /// The rolls, best first.
    pub rolls: Vec<InitiativeRoll>,
}

/// The best rolls had the same result and the same bonus, and were rolled off (WA-5a).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct RolledOff {
    /// The rolls of those in the tie, best first.
    pub rolls: Vec<RollOffRoll>,
}

/// The next turn was given: by the roll, or by the player of the last one. It starts at once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Picked {
    /// The combatant.
    pub combatant: CombatantId,
    /// How it got the turn: `rolled` or `picked`.
    pub by: Way,
}

/// Somebody has an extra Action in the turn that begins, for the 20 that it rolled (WA-6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct ExtraActionGranted {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Somebody spent the extra Action (WA-6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct ExtraActionSpent {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Somebody's first turn ended with the extra Action unspent: it is gone (WA-6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct ExtraActionLapsed {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Somebody without a turn in this round lost hit points, which lets it seize the next turn
/// (WA-12).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Hurt {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A turn is over, and the combatants that it hurt decide whether they seize the next one (WA-13).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct SeizingOpened {
    /// Who may seize, in the order of joining.
    pub eligible: Participants,
}

/// A combatant seized a turn. Earlier seized turns, and higher bonuses of the same window, come
/// first (WA-15).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Seized {
    /// The combatant.
    pub combatant: CombatantId,
    /// Its Initiative Bonus.
    pub bonus: i64,
    /// How many seized turns come before its own.
    pub after: u32,
}

/// Somebody who could have seized the next turn did not (WA-13).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Declined {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Somebody who had seized a turn was put out of action before it came: the turn is lost (WA-15a).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct SeizerDropped {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Somebody must be picked: for the next turn, or for the first of a new round.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct ChoiceOpened {
    /// Whose controller picks; nobody where the game master does.
    pub chooser: Option<CombatantId>,
    /// True where the one to be picked is the first of a round (WA-11).
    pub starter: bool,
}

/// The sentence that tells each event.
impl Describe for Event {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        let sentence = match self {
            Self::OwnDieGiven(_) => "{combatant} rolls {roll} for initiative.",
            Self::InitiativeRolled(_) => "Everybody rolled initiative: {rolls}.",
            Self::RolledOff(_) => "The tie is rolled off: {rolls}.",
            Self::Picked(_) => "{combatant} has the next turn.",
            Self::ExtraActionGranted(_) => "{combatant} has an extra Action for its 20.",
            Self::ExtraActionSpent(_) => "{combatant} spends its extra Action.",
            Self::ExtraActionLapsed(_) => "{combatant}'s extra Action lapses.",
            Self::Hurt(_) => "{combatant} was hurt and may seize the next turn.",
            Self::SeizingOpened(_) => "{eligible} may seize the next turn.",
            Self::Seized(_) => "{combatant} seizes a turn.",
            Self::Declined(_) => "{combatant} declines to seize.",
            Self::SeizerDropped(_) => {
                "{combatant} is out of action and loses the turn that it seized."
            }
            Self::ChoiceOpened(_) => {
                "The next combatant is to be picked[ by {chooser}][{starter}, the first of a round]."
            }
        };
        tell(sentence, self, names, out)
    }
}

/// One roll for the first turn.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct InitiativeRoll {
    /// For whom: one combatant, or a group with the highest Initiative Bonus first.
    pub combatants: Participants,
    /// The group, where it is a group's (WA-3).
    pub group: Option<Slug>,
    /// The d20.
    pub die: Die,
    /// The Initiative Bonus; a group's highest (WA-3a).
    pub bonus: i64,
    /// The die and the bonus.
    pub total: i64,
    /// What it means for all of `combatants` (WA-6, WA-7).
    #[schema(inline)]
    pub meaning: Meaning,
}

impl Describe for InitiativeRoll {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        tell("{combatants} {total}", self, names, out)
    }
}

/// One roll of a roll-off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct RollOffRoll {
    /// For whom: one combatant, or a group, of which the first would take the turn.
    pub combatants: Participants,
    /// The d20.
    pub die: Die,
}

impl Describe for RollOffRoll {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        tell("{combatants} {die}", self, names, out)
    }
}
