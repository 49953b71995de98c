//! The events of `custom`.

use super::{Card, Cause, Initiative, TurnOrigin};
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
    #[serde(rename = "side_opened")]
    SideOpened(SideOpened),
    #[serde(rename = "declarations_opened")]
    DeclarationsOpened(DeclarationsOpened),
    #[serde(rename = "declared")]
    Declared(Declared),
    #[serde(rename = "declarations_shown")]
    DeclarationsShown(DeclarationsShown),
    #[serde(rename = "roll_opened")]
    RollOpened(RollOpened),
    #[serde(rename = "initiative_rolled")]
    InitiativeRolled(InitiativeRolled),
    #[serde(rename = "initiative_changed")]
    InitiativeChanged(InitiativeChanged),
    #[serde(rename = "side_initiative_changed")]
    SideInitiativeChanged(SideInitiativeChanged),
    #[serde(rename = "card_choice_opened")]
    CardChoiceOpened(CardChoiceOpened),
    #[serde(rename = "card_choice_closed")]
    CardChoiceClosed(CardChoiceClosed),
    #[serde(rename = "card_kept")]
    CardKept(CardKept),
    #[serde(rename = "swap_offered")]
    SwapOffered(SwapOffered),
    #[serde(rename = "swap_declined")]
    SwapDeclined(SwapDeclined),
    #[serde(rename = "placed")]
    Placed(Placed),
    #[serde(rename = "came_late")]
    CameLate(CameLate),
    #[serde(rename = "reshuffled")]
    Reshuffled(Reshuffled),
    #[serde(rename = "phase_started")]
    PhaseStarted(PhaseStarted),
    #[serde(rename = "pass_started")]
    PassStarted(PassStarted),
    #[serde(rename = "choice_opened")]
    ChoiceOpened(ChoiceOpened),
    #[serde(rename = "turn_opened")]
    TurnOpened(TurnOpened),
    #[serde(rename = "skipped")]
    Skipped(Skipped),
    #[serde(rename = "step_started")]
    StepStarted(StepStarted),
    #[serde(rename = "step_finished")]
    StepFinished(StepFinished),
    #[serde(rename = "gap_opened")]
    GapOpened(GapOpened),
    #[serde(rename = "gap_closed")]
    GapClosed(GapClosed),
    #[serde(rename = "passed")]
    Passed(Passed),
    #[serde(rename = "delayed")]
    Delayed(Delayed),
    #[serde(rename = "delay_lapsed")]
    DelayLapsed(DelayLapsed),
    #[serde(rename = "returned")]
    Returned(Returned),
    #[serde(rename = "place_moved")]
    PlaceMoved(PlaceMoved),
    #[serde(rename = "places_swapped")]
    PlacesSwapped(PlacesSwapped),
    #[serde(rename = "lap_ended")]
    LapEnded(LapEnded),
    #[serde(rename = "clock_advanced")]
    ClockAdvanced(ClockAdvanced),
    #[serde(rename = "pool_changed")]
    PoolChanged(PoolChanged),
    #[serde(rename = "side_pool_changed")]
    SidePoolChanged(SidePoolChanged),
    #[serde(rename = "table_pool_changed")]
    TablePoolChanged(TablePoolChanged),
    #[serde(rename = "reacted")]
    Reacted(Reacted),
    #[serde(rename = "readied")]
    Readied(Readied),
    #[serde(rename = "triggered")]
    Triggered(Triggered),
    #[serde(rename = "turn_spent")]
    TurnSpent(TurnSpent),
    #[serde(rename = "side_skipped")]
    SideSkipped(SideSkipped),
    #[serde(rename = "halted")]
    Halted(Halted),
}

/// A combatant is surprised.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Surprised {
    /// The combatant.
    pub combatant: CombatantId,
}

/// The side that goes first was set, whatever the dice say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct SideOpened {
    /// The side.
    pub side: Slug,
    /// Its combatants.
    pub combatants: Participants,
}

/// Combatants declare before anything else happens in the round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct DeclarationsOpened {}

/// A combatant declared. Only the game master sees the choice until all have declared.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Declared {
    /// The combatant.
    pub combatant: CombatantId,
    /// The choice.
    pub choice: Option<Slug>,
}

/// All have declared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct DeclarationsShown {
    /// The declarations.
    pub declarations: Vec<Declaration>,
}

/// The round needs its dice or cards.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct RollOpened {}

/// The order of the round, or of the fight, is set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct InitiativeRolled {
    /// The places, first to last.
    pub places: Vec<RolledPlace>,
    /// The sides, first to last.
    pub side_places: Vec<RolledSide>,
    /// Cards that were drawn and do not count. Only the game master sees them.
    #[schema(value_type = Vec<String>)]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub discarded: Vec<Card>,
}

/// A combatant's initiative changed, and all its places with it. The order is sorted again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct InitiativeChanged {
    /// The combatant.
    pub combatant: CombatantId,
    /// The initiative of its first turn before.
    pub from: i64,
    /// The initiative of its first turn after that.
    pub to: i64,
    /// The cause.
    pub cause: Cause,
}

/// The game master set the initiative of a side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct SideInitiativeChanged {
    /// The side.
    pub side: Slug,
    /// The initiative before.
    pub from: i64,
    /// The initiative after that.
    pub to: i64,
}

/// Combatants that were dealt several cards choose which of them counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct CardChoiceOpened {}

/// The choice is over: the best card counts for all that have not chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct CardChoiceClosed {
    /// The combatants that have not chosen.
    pub combatants: Participants,
}

/// A combatant chose one of its cards, also for those that share it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct CardKept {
    /// The combatant.
    pub combatant: CombatantId,
    /// The card that counts now.
    pub card: Card,
}

/// A combatant offered to swap places.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct SwapOffered {
    /// The combatant.
    pub combatant: CombatantId,
    /// The combatant that may accept.
    pub with: CombatantId,
}

/// An offer to swap places was declined or withdrawn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct SwapDeclined {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Two combatants exchanged their next open places, and the initiative of them. If it was the turn
/// of the first of the two, it gave the turn back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct PlacesSwapped {
    /// The combatant.
    pub combatant: CombatantId,
    /// The other combatant.
    pub with: CombatantId,
    /// Effects that have counted the start of the turn that was given back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counted: Vec<EffectId>,
}

/// A combatant got its places in the order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Placed {
    /// Its places.
    pub places: Vec<RolledPlace>,
    /// True if the places are last, whatever the initiative.
    pub last: bool,
    /// Cards that were drawn and do not count. Only the game master sees them.
    #[schema(value_type = Vec<String>)]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub discarded: Vec<Card>,
}

/// A combatant missed turns of this round, because its places had passed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct CameLate {
    /// The combatant.
    pub combatant: CombatantId,
    /// Turns left in this round.
    #[schema(value_type = u32)]
    pub turns: usize,
}

/// All cards that are not in play were shuffled into the deck.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Reshuffled {}

/// The next phase of the round started.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct PhaseStarted {
    /// Position of the phase in the definition, from 0.
    #[schema(value_type = u32)]
    pub phase_index: usize,
    /// Name of the phase, if the definition has one.
    pub phase_name: Option<Slug>,
}

/// All have acted in the pass, and those with further turns act again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct PassStarted {
    /// Number of the pass, from 1.
    pub pass: u32,
}

/// A player or the game master chooses who acts next.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct ChoiceOpened {
    /// The combatant that chooses. Left out if each candidate may start its own turn.
    pub chooser: Option<CombatantId>,
}

/// A turn opened, of one combatant or shared. `turn_started` of each follows and tells it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct TurnOpened {
    /// The combatants that share the turn.
    pub combatants: Participants,
    /// How the turn came about.
    pub origin: TurnOrigin,
}

/// A surprised combatant's turn passed unused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Skipped {
    /// The combatant.
    pub combatant: CombatantId,
}

/// The next step of a shared turn started.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct StepStarted {
    /// Position of the step in the definition, from 0.
    #[schema(value_type = u32)]
    pub step_index: usize,
    /// Name of the step, if the definition has one.
    pub step_name: Option<Slug>,
}

/// A combatant finished its part of a step.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct StepFinished {
    /// The combatant.
    pub combatant: CombatantId,
    /// Name of the step, if the definition has one.
    pub step_name: Option<Slug>,
}

/// Some combatants may react before the next turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct GapOpened {
    /// True if no combatant can act for the rest of the round.
    pub stalled: bool,
}

/// The gap closed: none of those that could still react does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct GapClosed {
    /// The combatants that could still react.
    pub combatants: Participants,
}

/// A combatant declined to react, or to act in this phase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Passed {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant delayed its turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Delayed {
    /// The combatant.
    pub combatant: CombatantId,
    /// Effects that counted this turn.
    pub counted: Vec<EffectId>,
}

/// A combatant lost its delayed turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct DelayLapsed {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant returned to its delayed turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Returned {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant's place in the order moved.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct PlaceMoved {
    /// The combatant.
    pub combatant: CombatantId,
    /// The combatant that it now stands next to. Absent if last.
    pub beside: Option<CombatantId>,
    /// True if it stands after that combatant, false if before.
    pub after: bool,
    /// Position of the place among the combatant's turns, from 0. Absent if all its places moved.
    #[schema(value_type = Option<u32>)]
    pub turn: Option<usize>,
    /// True if it has no more turns in this round.
    pub done: bool,
}

/// On a clock, all combatants have had a turn: effects of those that take none lose one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct LapEnded {}

/// The clock reached a tick.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct ClockAdvanced {
    /// The tick.
    pub tick: u32,
}

/// A combatant's points in a pool changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct PoolChanged {
    /// The combatant.
    pub combatant: CombatantId,
    /// The pool.
    pub pool: Slug,
    /// Points left.
    pub left: u32,
}

/// A side's points in a pool changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct SidePoolChanged {
    /// The side.
    pub side: Slug,
    /// The pool.
    pub pool: Slug,
    /// Points left.
    pub left: u32,
}

/// The table's points in a pool changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct TablePoolChanged {
    /// The pool.
    pub pool: Slug,
    /// Points left.
    pub left: u32,
}

/// A combatant reacted outside its own turn.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Reacted {
    /// The combatant.
    pub combatant: CombatantId,
    /// The reaction.
    pub reaction: Slug,
    /// The pool that paid. Absent if the reaction costs no points.
    pub pool: Option<Slug>,
    /// Points spent.
    pub cost: u32,
}

/// A combatant readied a reaction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Readied {
    /// The combatant.
    pub combatant: CombatantId,
    /// The reaction.
    pub reaction: Slug,
}

/// A combatant used a readied reaction.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Triggered {
    /// The combatant.
    pub combatant: CombatantId,
    /// The reaction.
    pub reaction: Slug,
    /// The pool that paid. Absent if the reaction costs no points.
    pub pool: Option<Slug>,
    /// Points spent.
    pub cost: u32,
}

/// A combatant spent a turn of this round on a reaction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct TurnSpent {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A side let another one go first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct SideSkipped {
    /// The combatant that decided it.
    pub combatant: CombatantId,
    /// The side.
    pub side: Slug,
}

/// No combatant is left in the fight.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Halted {}

/// The sentence that tells each event.
impl Describe for Event {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        let sentence = match self {
            Self::Surprised(_) => "{combatant} {combatant:is|are} surprised.",
            Self::SideOpened(_) => "The {side} go first.",
            Self::DeclarationsOpened(_) => "All combatants declare what they will do.",
            Self::Declared(_) => "{combatant} {combatant:declares|declare}[ {choice}].",
            Self::DeclarationsShown(e) if e.declarations.is_empty() => {
                "No combatant declares anything."
            }
            Self::DeclarationsShown(_) => "Declared: {declarations}.",
            Self::RollOpened(_) => "This round needs a new roll.",
            Self::InitiativeRolled(e) if e.places.is_empty() && e.side_places.is_empty() => {
                "No combatant has a place in the order."
            }
            Self::InitiativeRolled(_) => "Initiative[: {places}][: {side_places}].",
            Self::InitiativeChanged(_) => {
                "{combatant} {combatant:goes|go} from initiative {from} to {to} ({cause})."
            }
            Self::SideInitiativeChanged(_) => "The {side} go from initiative {from} to {to}.",
            Self::CardChoiceOpened(_) => "Which card counts?",
            Self::CardChoiceClosed(_) => "The best card counts for {combatants}.",
            Self::CardKept(_) => "{combatant} {combatant:keeps|keep} the {card}.",
            Self::SwapOffered(_) => "{combatant} {combatant:offers|offer} {with} to swap places.",
            Self::SwapDeclined(_) => "{combatant} {combatant:declines|decline} to swap places.",
            Self::Placed(_) => "Joining the order: {places}.",
            Self::CameLate(_) => "{combatant} {combatant:misses|miss} a turn in this round.",
            Self::Reshuffled(_) => "The deck is shuffled.",
            Self::PhaseStarted(_) => {
                "[The {phase_name} phase starts.][{!phase_name}The next phase starts.]"
            }
            Self::PassStarted(_) => "Pass {pass} starts.",
            Self::ChoiceOpened(_) => {
                "[{chooser} {chooser:chooses|choose} who acts next.][{!chooser}Who acts next?]"
            }
            // Its `turn_started` tells it.
            Self::TurnOpened(_) => return false,
            Self::Skipped(_) => {
                "{combatant} {combatant:is|are} surprised and {combatant:loses|lose} the turn."
            }
            Self::StepStarted(_) => {
                "[The {step_name} step starts.][{!step_name}The next step starts.]"
            }
            Self::StepFinished(_) => {
                "{combatant} {combatant:finishes|finish} the[ {step_name}] step."
            }
            Self::GapOpened(_) => "Others may react now.",
            Self::GapClosed(_) => "No one else reacts.",
            Self::Passed(_) => "{combatant} {combatant:passes|pass}.",
            Self::Delayed(_) => "{combatant} {combatant:delays|delay}.",
            Self::DelayLapsed(_) => "{combatant} {combatant:loses|lose} the delayed turn.",
            Self::Returned(_) => "{combatant} {combatant:takes|take} the delayed turn.",
            Self::PlacesSwapped(_) => "{combatant} and {with} exchange places.",
            Self::PlaceMoved(_) => {
                "{combatant} {combatant:moves|move}[{after} after {beside} in the order]\
                 [{!after} before {beside} in the order][{!beside} to the end of the order]."
            }
            Self::LapEnded(_) => "All combatants have had a turn.",
            Self::ClockAdvanced(_) => "The clock reaches tick {tick}.",
            Self::PoolChanged(_) => {
                "{combatant} {combatant:has|have} {left} {pool} {left:point|points}."
            }
            Self::TablePoolChanged(_) => "The table has {left} {pool} {left:point|points}.",
            Self::SidePoolChanged(_) => "The {side} have {left} {pool} {left:point|points}.",
            Self::Reacted(_) => {
                "{combatant} {combatant:reacts|react} with {reaction}[ for {cost} {pool} {cost:point|points}]."
            }
            Self::Readied(_) => "{combatant} {combatant:readies|ready} an action.",
            Self::Triggered(_) => {
                "{combatant} {combatant:uses|use} the readied action[ for {cost} {pool} {cost:point|points}]."
            }
            Self::TurnSpent(_) => "{combatant} {combatant:spends|spend} a turn of this round.",
            Self::SideSkipped(_) => "The {side} let another side go first.",
            Self::Halted(_) => "No combatant is left to act.",
        };
        tell(sentence, self, names, out)
    }
}

/// A declaration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Declaration {
    /// The combatant.
    pub combatant: CombatantId,
    /// Its choice.
    pub choice: Slug,
}

impl Describe for Declaration {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        tell("{combatant} {choice}", self, names, out)
    }

    fn is_row(&self) -> bool {
        true
    }
}

/// A place in the order, and its initiative.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct RolledPlace {
    /// The combatant.
    pub combatant: CombatantId,
    /// Position among the turns of the combatant, from 0.
    #[schema(value_type = u32)]
    pub turn: usize,
    /// Its initiative.
    #[schema(value_type = Initiative)]
    #[serde(rename = "initiative_score")]
    pub initiative: CachedJson<Initiative>,
}

impl Describe for RolledPlace {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        tell("{combatant} {initiative}", self, names, out)
    }

    fn is_row(&self) -> bool {
        true
    }
}

/// A side in the order, and its initiative.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct RolledSide {
    /// The side.
    pub side: Slug,
    /// Its combatants.
    pub combatants: Participants,
    /// True if the side comes last in round 1, because it is surprised.
    pub yields: bool,
    /// Its initiative.
    #[schema(value_type = Initiative)]
    #[serde(rename = "initiative_score")]
    pub initiative: CachedJson<Initiative>,
}

impl Describe for RolledSide {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        tell("{side} {initiative}", self, names, out)
    }

    fn is_row(&self) -> bool {
        true
    }
}
