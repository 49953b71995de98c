//! The events of Active Initiative.

use super::{Means, Readied};
use crate::vocabulary::{
    CombatantId, D20, Describe, Die, Names, OwnEvents, Redact, Tagged, Tellable, tell,
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
    #[serde(rename = "own_die_given")]
    OwnDieGiven(OwnDieGiven),
    #[serde(rename = "opening_rolled")]
    OpeningRolled(OpeningRolled),
    #[serde(rename = "opening_rolled_off")]
    OpeningRolledOff(OpeningRolledOff),
    #[serde(rename = "interrupt_points_gained")]
    InterruptPointsGained(InterruptPointsGained),
    #[serde(rename = "named")]
    Named(Named),
    #[serde(rename = "interrupted")]
    Interrupted(Interrupted),
    #[serde(rename = "choice_opened")]
    ChoiceOpened(ChoiceOpened),
    #[serde(rename = "exposed")]
    Exposed(Exposed),
    #[serde(rename = "readied")]
    ActionReadied(ActionReadied),
    #[serde(rename = "readied_fired")]
    ReadiedFired(ReadiedFired),
    #[serde(rename = "readied_lapsed")]
    ReadiedLapsed(ReadiedLapsed),
    #[serde(rename = "inspired")]
    Inspired(Inspired),
    #[serde(rename = "inspiration_spent")]
    InspirationSpent(InspirationSpent),
    #[serde(rename = "scene_closed")]
    SceneClosed(SceneClosed),
}

/// Advice, not a rule: there are fewer groups of monsters than half the players (AI-15).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Advised {
    /// How many monsters and groups can be named.
    pub groups: u32,
    /// How many there had better be.
    pub wanted: u32,
}

/// A combatant's player rolled before the start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct OwnDieGiven {
    /// The combatant.
    pub combatant: CombatantId,
    /// The d20.
    pub roll: D20,
}

/// Everybody rolled for the first turn; only the highest result matters (AI-3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct OpeningRolled {
    /// The rolls, highest first.
    pub rolls: Vec<OpeningRoll>,
}

/// The highest rolls were equal, and DEX and WIS too: they were rolled off (AI-5a).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct OpeningRolledOff {
    /// The dice of those in the tie, best first.
    pub rolls: Vec<OpeningRollOff>,
}

/// The game master got interrupt points: one for each player, or as many as the option says
/// (AI-30).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct InterruptPointsGained {
    /// How many.
    pub points: u32,
}

/// Somebody was named to take the next turn; the window for interrupts is open (AI-17).
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Named {
    /// The combatant.
    pub combatant: CombatantId,
    /// Who named it; nobody where the game master stood in for one who has left.
    pub by: Option<CombatantId>,
}

/// Somebody stole the next turn; the window stays open (AI-22, AI-22a).
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Interrupted {
    /// Who takes the next turn now.
    pub combatant: CombatantId,
    /// The combatant that was named before and has not acted, if the viewer knows it.
    pub displaced: Option<CombatantId>,
    /// What paid for it.
    pub means: Means,
}

/// Somebody must be named: the next combatant, or the first of a new round.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct ChoiceOpened {
    /// Whose controller names; nobody where the game master does.
    pub chooser: Option<CombatantId>,
    /// True where the one to be named is the first of a round (AI-41).
    pub starter: bool,
}

/// A combatant took damage. It may interrupt for free until the next turn begins (AI-20, AI-20a).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Exposed {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Somebody readied an action (AI-12).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct ActionReadied {
    /// The combatant.
    pub combatant: CombatantId,
    /// What, and what it waits for.
    pub readied: Readied,
}

/// A readied action happened (AI-13).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct ReadiedFired {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A readied action came to nothing: its owner's next turn began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct ReadiedLapsed {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Somebody got an inspiration point (AI-28).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Inspired {
    /// The combatant.
    pub combatant: CombatantId,
    /// How many it holds now.
    pub held: u32,
}

/// Somebody spent an inspiration point.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct InspirationSpent {
    /// The combatant.
    pub combatant: CombatantId,
    /// How many it holds now.
    pub held: u32,
}

/// The scene is over; what the game master had left of the interrupt points is gone (AI-33).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct SceneClosed {
    /// How many points were left.
    pub points_lost: u32,
}

/// The sentence that tells each event.
impl Describe for Event {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        let sentence = match self {
            Self::Advised(_) => {
                "Advice: {groups} monsters or groups can be named, {wanted} would be better."
            }
            Self::OwnDieGiven(_) => "{combatant} rolls {roll} for initiative.",
            Self::OpeningRolled(_) => "Everybody rolled for the first turn: {rolls}.",
            Self::OpeningRolledOff(_) => "The tie is rolled off: {rolls}.",
            Self::InterruptPointsGained(_) => "The game master has {points} interrupt points.",
            Self::Named(_) => "{combatant} is named to act next[ by {by}].",
            Self::Interrupted(_) => {
                "{combatant} interrupts[ {displaced}] and takes the next turn ({means})."
            }
            Self::ChoiceOpened(_) => {
                "The next combatant is to be named[ by {chooser}][{starter}, the first of a round]."
            }
            Self::Exposed(_) => "{combatant} took damage: it may interrupt, unless it has acted.",
            Self::ActionReadied(_) => "{combatant} readies an action[: {readied}].",
            Self::ReadiedFired(_) => "{combatant} carries out its readied action.",
            Self::ReadiedLapsed(_) => "{combatant}'s readied action lapses.",
            Self::Inspired(_) => "{combatant} gets an inspiration point and has {held}.",
            Self::InspirationSpent(_) => {
                "{combatant} spends an inspiration point and has {held} left."
            }
            Self::SceneClosed(_) => {
                "The scene is over. Interrupt points that are lost: {points_lost}."
            }
        };
        tell(sentence, self, names, out)
    }
}

/// One combatant's roll for the first turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct OpeningRoll {
    /// The combatant.
    pub combatant: CombatantId,
    /// The d20.
    pub die: Die,
    /// The die and the INT modifier (AI-5).
    pub total: i64,
}

impl Describe for OpeningRoll {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        tell("{combatant} {total}", self, names, out)
    }
}

/// One combatant's die in the roll-off of the opening roll.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct OpeningRollOff {
    /// The combatant.
    pub combatant: CombatantId,
    /// The d20.
    pub die: Die,
}

impl Describe for OpeningRollOff {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        tell("{combatant} {die}", self, names, out)
    }
}
