//! The events of `custom`.

use super::{Score, TurnKind};
use crate::json::CachedJson;
use crate::vocabulary::{
    CombatantId, Describe, EffectId, Names, OwnEvents, Participants, Redact, Slug, Tagged,
    Tellable, tell,
};
use macro_rules_attribute::derive;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

/// Something that happens under `custom` alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Redact!, Tellable!, Tagged!, OwnEvents!)]
#[serde(tag = "type")]
#[allow(missing_docs, reason = "each variant is its struct, documented there")]
pub enum Event {
    #[serde(rename = "surprised")]
    Surprised(Surprised),
    #[serde(rename = "side_opens")]
    SideOpens(SideOpens),
    #[serde(rename = "declarations_opened")]
    DeclarationsOpened(DeclarationsOpened),
    #[serde(rename = "declared")]
    Declared(Declared),
    #[serde(rename = "shown")]
    Shown(Shown),
    #[serde(rename = "roll_opened")]
    RollOpened(RollOpened),
    #[serde(rename = "scored")]
    Scored(Scored),
    #[serde(rename = "placed")]
    Placed(Placed),
    #[serde(rename = "came_late")]
    CameLate(CameLate),
    #[serde(rename = "reshuffled")]
    Reshuffled(Reshuffled),
    #[serde(rename = "phase_begun")]
    PhaseBegun(PhaseBegun),
    #[serde(rename = "choice_opened")]
    ChoiceOpened(ChoiceOpened),
    #[serde(rename = "begun")]
    Begun(Begun),
    #[serde(rename = "skipped")]
    Skipped(Skipped),
    #[serde(rename = "step_begun")]
    StepBegun(StepBegun),
    #[serde(rename = "step_done")]
    StepDone(StepDone),
    #[serde(rename = "gap_opened")]
    GapOpened(GapOpened),
    #[serde(rename = "passed")]
    Passed(Passed),
    #[serde(rename = "waited")]
    Waited(Waited),
    #[serde(rename = "wait_lapsed")]
    WaitLapsed(WaitLapsed),
    #[serde(rename = "moved")]
    Moved(Moved),
    #[serde(rename = "lap_ended")]
    LapEnded(LapEnded),
    #[serde(rename = "clock_advanced")]
    ClockAdvanced(ClockAdvanced),
    #[serde(rename = "scheduled")]
    Scheduled(Scheduled),
    #[serde(rename = "pool_changed")]
    PoolChanged(PoolChanged),
    #[serde(rename = "table_pool_changed")]
    TablePoolChanged(TablePoolChanged),
    #[serde(rename = "interjected")]
    Interjected(Interjected),
    #[serde(rename = "standstill")]
    Standstill(Standstill),
}

/// A combatant is surprised.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Surprised {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A side opens, whatever the dice say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct SideOpens {
    /// The side.
    pub side: Slug,
    /// Its combatants.
    pub combatants: Participants,
}

/// Combatants declare before anything else happens in the round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct DeclarationsOpened {}

/// A combatant declared; what, is the game master's alone until all have.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Declared {
    /// The combatant.
    pub combatant: CombatantId,
    /// What.
    pub choice: Option<Slug>,
}

/// All have declared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Shown {
    /// What each declared.
    pub choices: Vec<Declaration>,
}

/// The dice or cards of the round are awaited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct RollOpened {}

/// The order of the round, or of the fight.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Scored {
    /// The places, first to last.
    pub places: Vec<ScoredPlace>,
    /// The sides, first to last.
    pub sides: Vec<ScoredSide>,
}

/// A combatant got its places.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Placed {
    /// Its places.
    pub places: Vec<ScoredPlace>,
    /// Whether they stand at the end, whatever the score.
    pub last: bool,
}

/// A place has passed before its combatant could act.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct CameLate {
    /// The combatant.
    pub combatant: CombatantId,
    /// The turns that it has left in this round.
    #[schema(value_type = u32)]
    pub turns: usize,
}

/// The cards that are not in play go back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Reshuffled {}

/// The next phase of the round began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct PhaseBegun {
    /// Its number, from 0.
    #[schema(value_type = u32)]
    pub phase: usize,
}

/// Somebody picks who acts next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct ChoiceOpened {}

/// A turn began, alone or shared, or a combatant returned to its turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Begun {
    /// Whose.
    pub combatants: Participants,
    /// How it came about.
    pub kind: TurnKind,
}

/// A surprised combatant's turn passes unused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Skipped {
    /// The combatant.
    pub combatant: CombatantId,
}

/// The next step of a shared turn began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct StepBegun {
    /// Its number, from 0.
    #[schema(value_type = u32)]
    pub step: usize,
}

/// A combatant is done with a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct StepDone {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Between two turns, some may react.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct GapOpened {
    /// Whether nobody can act in the rest of the round.
    pub stalled: bool,
}

/// A combatant passed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Passed {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant waits; its turn is not over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Waited {
    /// The combatant.
    pub combatant: CombatantId,
    /// The effects that have counted this turn.
    pub counted: Vec<EffectId>,
}

/// A combatant waits no more; its turn was lost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct WaitLapsed {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant's place moved.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Moved {
    /// The combatant.
    pub combatant: CombatantId,
    /// Beside whose place it stands now; at the end, if nobody's.
    pub beside: Option<CombatantId>,
    /// Whether it stands after that place.
    pub after: bool,
    /// Whether it is done for the round.
    pub done: bool,
}

/// On a clock, all combatants have had a turn: effects of those that take none lose one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct LapEnded {}

/// A tick is reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct ClockAdvanced {
    /// Its number.
    pub tick: u32,
}

/// A combatant acts next at a later tick.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Scheduled {
    /// The combatant.
    pub combatant: CombatantId,
    /// Which.
    pub tick: u32,
}

/// A combatant's points changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct PoolChanged {
    /// The combatant.
    pub combatant: CombatantId,
    /// The pool.
    pub pool: Slug,
    /// The points now.
    pub left: u32,
}

/// The table's points changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct TablePoolChanged {
    /// The pool.
    pub pool: Slug,
    /// The points now.
    pub left: u32,
}

/// A combatant reacted outside its turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Interjected {
    /// The combatant.
    pub combatant: CombatantId,
    /// The pool that paid.
    pub pool: Slug,
}

/// Nobody is left in the fight.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Standstill {}

/// The sentence that tells each event.
impl Describe for Event {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        let sentence = match self {
            Self::Surprised(_) => "{combatant} is surprised.",
            Self::SideOpens(_) => "The side {side} opens.",
            Self::DeclarationsOpened(_) => "Combatants declare.",
            Self::Declared(_) => "{combatant} has declared[: {choice}].",
            Self::Shown(_) => "All have declared: {choices}.",
            Self::RollOpened(_) => "The roll of the round is awaited.",
            Self::Scored(_) => "The order of the round is set[: {places}][: {sides}].",
            Self::Placed(_) => "New in the order: {places}.",
            Self::CameLate(_) => "{combatant} came too late for its place.",
            Self::Reshuffled(_) => "The cards that are not in play are shuffled.",
            Self::PhaseBegun(_) => "The next phase of the round begins.",
            Self::ChoiceOpened(_) => "The next to act is to be picked.",
            Self::Begun(_) => "It is the turn of {combatants}.",
            Self::Skipped(_) => "{combatant}'s turn passes unused.",
            Self::StepBegun(_) => "The next step of the turn begins.",
            Self::StepDone(_) => "{combatant} is done with the step.",
            Self::GapOpened(_) => "Between two turns, others may act.",
            Self::Passed(_) => "{combatant} passes.",
            Self::Waited(_) => "{combatant} waits.",
            Self::WaitLapsed(_) => "{combatant} has waited too long.",
            Self::Moved(_) => "{combatant}'s place moves.",
            Self::LapEnded(_) => "All combatants have had a turn.",
            Self::ClockAdvanced(_) => "Tick {tick} is reached.",
            Self::Scheduled(_) => "{combatant} acts next at tick {tick}.",
            Self::PoolChanged(_) => "{combatant} has {left} of {pool}.",
            Self::TablePoolChanged(_) => "The table has {left} of {pool}.",
            Self::Interjected(_) => "{combatant} acts outside its turn for {pool}.",
            Self::Standstill(_) => "Nobody is left in the fight.",
        };
        tell(sentence, self, names, out)
    }
}

/// A declaration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Declaration {
    /// The combatant.
    pub combatant: CombatantId,
    /// What it declared.
    pub choice: Slug,
}

impl Describe for Declaration {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        tell("{combatant} {choice}", self, names, out)
    }
}

/// A place and why it is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct ScoredPlace {
    /// The combatant.
    pub combatant: CombatantId,
    /// Which of its turns it is, from 0.
    #[schema(value_type = u32)]
    pub turn: usize,
    /// Its score.
    #[schema(value_type = Score)]
    pub score: CachedJson<Score>,
}

impl Describe for ScoredPlace {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        tell("{combatant} {score}", self, names, out)
    }
}

/// A side and why it is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct ScoredSide {
    /// The side.
    pub side: Slug,
    /// Its combatants.
    pub combatants: Participants,
    /// Whether it comes last in round 1 because it is surprised.
    pub yields: bool,
    /// Its score.
    #[schema(value_type = Score)]
    pub score: CachedJson<Score>,
}

impl Describe for ScoredSide {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        tell("{side} {score}", self, names, out)
    }
}
