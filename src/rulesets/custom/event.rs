//! The events of `custom`.

use super::{Card, Cause, GapAt, Initiative, Options, TurnOrigin};
use crate::json::CachedJson;
use crate::vocabulary::{CombatantId, EffectId, Participants, Slug, Total, event, events, fact};

/// Something that happens under `custom` alone.
#[events]
pub enum Event {
    Surprised,
    SideOpened,
    DeclarationsOpened,
    Declared,
    DeclarationsShown,
    RollOpened,
    InitiativeRolled,
    InitiativeChanged,
    SideInitiativeChanged,
    CardChoiceOpened,
    CardChoiceClosed,
    CardKept,
    SwapOffered,
    SwapDeclined,
    Placed,
    CameLate,
    Reshuffled,
    ChoiceOpened,
    TurnOpened,
    Skipped,
    StepStarted,
    StepFinished,
    GapOpened,
    GapClosed,
    Passed,
    Delayed,
    DelayLapsed,
    Returned,
    PlaceMoved,
    PlacesSwapped,
    LapEnded,
    ClockAdvanced,
    PoolChanged,
    SidePoolChanged,
    TablePoolChanged,
    Reacted,
    Readied,
    Triggered,
    TurnSpent,
    SideSkipped,
    TurnsForgone,
    DefinitionChanged,
    Halted,
}

/// A combatant is surprised.
#[event("{combatant} {combatant:is|are} surprised.")]
pub struct Surprised {
    /// The combatant.
    pub combatant: CombatantId,
}

/// The side that goes first was set, whatever the dice say.
#[event("The {side} go first.")]
pub struct SideOpened {
    /// The side.
    pub side: Slug,
    /// Its combatants.
    pub combatants: Participants,
}

/// Combatants declare before anything else happens in the round.
#[event("All combatants declare what they will do.")]
pub struct DeclarationsOpened {}

/// A combatant declared. Only the game master sees the choice until all have declared.
#[event("{combatant} {combatant:declares|declare}[ {choice}].")]
pub struct Declared {
    /// The combatant.
    pub combatant: CombatantId,
    /// The choice.
    pub choice: Option<Slug>,
}

/// All have declared.
#[event("[Declared: {declarations}.][{!declarations}No combatant declares anything.]")]
pub struct DeclarationsShown {
    /// The declarations.
    pub declarations: Vec<Declaration>,
}

/// The round needs its dice or cards.
#[event("This round needs a new roll.")]
pub struct RollOpened {}

/// The order of the round, or of the fight, is set.
#[event(
    "[Initiative: {places}][{places?}: {side_places}][{!places}Initiative: {side_places}]\
     [{!places}{!side_places}No combatant has a place in the order]."
)]
pub struct InitiativeRolled {
    /// The places, first to last.
    pub places: Vec<RolledPlace>,
    /// The sides, first to last.
    pub side_places: Vec<RolledSide>,
    /// Cards that were drawn and do not count. Only the game master sees them.
    #[schema(value_type = Vec<String>)]
    #[default]
    pub discarded: Vec<Card>,
}

/// A combatant's initiative changed, and all its places with it. The order is sorted again.
#[event("{combatant} {combatant:goes|go} from initiative {from} to {to} ({cause}).")]
pub struct InitiativeChanged {
    /// The combatant.
    pub combatant: CombatantId,
    /// The initiative of its first turn before.
    #[schema(value_type = f64)]
    pub from: Total,
    /// The initiative of its first turn after that.
    #[schema(value_type = f64)]
    pub to: Total,
    /// The cause.
    pub cause: Cause,
}

/// The game master set the initiative of a side.
#[event("The {side} go from initiative {from} to {to}.")]
pub struct SideInitiativeChanged {
    /// The side.
    pub side: Slug,
    /// The initiative before.
    #[schema(value_type = f64)]
    pub from: Total,
    /// The initiative after that.
    #[schema(value_type = f64)]
    pub to: Total,
}

/// The game master changed the definition. If the fight is running, its round starts anew.
#[event("The turn order changes.")]
pub struct DefinitionChanged {
    /// The new options, as the encounter shows them.
    #[schema(value_type = std::collections::HashMap<String, serde_json::Value>)]
    pub options: Options,
    /// On a clock, the tick before the round.
    pub tick: u32,
    /// The combatants whose turns had started.
    pub resumed: Vec<CombatantId>,
    /// The effects that have counted the start of those turns.
    pub counted: Vec<EffectId>,
    /// The combatants whose brought roll or initiative makes no sense any more.
    pub outdated: Vec<CombatantId>,
}

/// Combatants that were dealt several cards choose which of them counts.
#[event("Which card counts?")]
pub struct CardChoiceOpened {}

/// The choice is over: the best card counts for all that have not chosen.
#[event("The best card counts for {combatants}.")]
pub struct CardChoiceClosed {
    /// The combatants that have not chosen.
    pub combatants: Participants,
}

/// A combatant chose one of its cards, also for those that share it.
#[event("{combatant} {combatant:keeps|keep} the {card}.")]
pub struct CardKept {
    /// The combatant.
    pub combatant: CombatantId,
    /// The card that counts now.
    pub card: Card,
}

/// A combatant offered to swap places.
#[event("{combatant} {combatant:offers|offer} {with} to swap places.")]
pub struct SwapOffered {
    /// The combatant.
    pub combatant: CombatantId,
    /// The combatant that may accept.
    pub with: CombatantId,
}

/// An offer to swap places was declined or withdrawn.
#[event("{combatant} {combatant:declines|decline} to swap places.")]
pub struct SwapDeclined {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Two combatants exchanged their next open places, and the initiative of them. If it was the turn
/// of the first of the two, it gave the turn back.
#[event("{combatant} and {with} exchange places.")]
pub struct PlacesSwapped {
    /// The combatant.
    pub combatant: CombatantId,
    /// The other combatant.
    pub with: CombatantId,
    /// Effects that have counted the start of the turn that was given back.
    #[default]
    pub counted: Vec<EffectId>,
}

/// A combatant got its places in the order.
#[event("Joining the order: {places}.")]
pub struct Placed {
    /// Its places.
    pub places: Vec<RolledPlace>,
    /// True if the places are last, whatever the initiative.
    pub last: bool,
    /// Cards that were drawn and do not count. Only the game master sees them.
    #[schema(value_type = Vec<String>)]
    #[default]
    pub discarded: Vec<Card>,
}

/// A combatant missed turns of this round, because its places had passed.
#[event("{combatant} {combatant:misses|miss} a turn in this round.")]
pub struct CameLate {
    /// The combatant.
    pub combatant: CombatantId,
    /// Turns left in this round.
    #[schema(value_type = u32)]
    pub turns: usize,
}

/// All cards that are not in play were shuffled into the deck.
#[event("The deck is shuffled.")]
pub struct Reshuffled {}

/// A player or the game master chooses who acts next.
#[event("[{chooser} {chooser:chooses|choose} who acts next.][{!chooser}Who acts next?]")]
pub struct ChoiceOpened {
    /// The combatant that chooses. Left out if each candidate may start its own turn.
    pub chooser: Option<CombatantId>,
}

/// A turn opened, of one combatant or shared. `turn_started` of each follows and tells it.
#[event(untold)]
pub struct TurnOpened {
    /// The combatants that share the turn.
    pub combatants: Participants,
    /// How the turn came about.
    pub origin: TurnOrigin,
}

/// A surprised combatant's turn passed unused.
#[event("{combatant} {combatant:is|are} surprised and {combatant:loses|lose} the turn.")]
pub struct Skipped {
    /// The combatant.
    pub combatant: CombatantId,
}

/// The next step of a shared turn started.
#[event("[The {step_name} step starts.][{!step_name}The next step starts.]")]
pub struct StepStarted {
    /// Position of the step in the definition, from 0.
    #[schema(value_type = u32)]
    pub step_index: usize,
    /// Name of the step, if the definition has one.
    pub step_name: Option<Slug>,
}

/// A combatant finished its part of a step.
#[event("{combatant} {combatant:finishes|finish} the[ {step_name}] step.")]
pub struct StepFinished {
    /// The combatant.
    pub combatant: CombatantId,
    /// Name of the step, if the definition has one.
    pub step_name: Option<Slug>,
}

/// Some combatants may react before the next turn.
#[event("Others may react now.")]
pub struct GapOpened {
    /// Where in the round it opens.
    #[schema(inline)]
    pub at: GapAt,
}

/// The gap closed: none of those that could still react does.
#[event("No one else reacts.")]
pub struct GapClosed {
    /// The combatants that could still react.
    pub combatants: Participants,
}

/// A combatant declined to react.
#[event("{combatant} {combatant:passes|pass}.")]
pub struct Passed {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant delayed its turn.
#[event("{combatant} {combatant:delays|delay}.")]
pub struct Delayed {
    /// The combatant.
    pub combatant: CombatantId,
    /// Effects that counted this turn.
    pub counted: Vec<EffectId>,
}

/// A combatant lost its delayed turn.
#[event("{combatant} {combatant:loses|lose} the delayed turn.")]
pub struct DelayLapsed {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant returned to its delayed turn.
#[event("{combatant} {combatant:takes|take} the delayed turn.")]
pub struct Returned {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant's place in the order moved.
#[event(
    "{combatant} {combatant:moves|move}[{after} after {beside} in the order]\
     [{!after} before {beside} in the order][{!beside} to the end of the order]."
)]
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
#[event("All combatants have had a turn.")]
pub struct LapEnded {}

/// The clock reached a tick.
#[event("The clock reaches tick {tick}.")]
pub struct ClockAdvanced {
    /// The tick.
    pub tick: u32,
}

/// A combatant's points in a pool changed.
#[event("{combatant} {combatant:has|have} {left} {pool} {left:point|points}.")]
pub struct PoolChanged {
    /// The combatant.
    pub combatant: CombatantId,
    /// The pool.
    pub pool: Slug,
    /// Points left.
    pub left: u32,
}

/// A side's points in a pool changed.
#[event("The {side} have {left} {pool} {left:point|points}.")]
pub struct SidePoolChanged {
    /// The side.
    pub side: Slug,
    /// The pool.
    pub pool: Slug,
    /// Points left.
    pub left: u32,
}

/// The table's points in a pool changed.
#[event("The table has {left} {pool} {left:point|points}.")]
pub struct TablePoolChanged {
    /// The pool.
    pub pool: Slug,
    /// Points left.
    pub left: u32,
}

/// A combatant reacted outside its own turn.
#[event(
    "{combatant} {combatant:reacts|react} with {reaction}[ for {cost} {pool} {cost:point|points}]."
)]
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
#[event("{combatant} {combatant:readies|ready} an action.")]
pub struct Readied {
    /// The combatant.
    pub combatant: CombatantId,
    /// The reaction.
    pub reaction: Slug,
}

/// A combatant used a readied reaction.
#[event(
    "{combatant} {combatant:uses|use} the readied action[ for {cost} {pool} {cost:point|points}]."
)]
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
#[event("{combatant} {combatant:spends|spend} a turn of this round.")]
pub struct TurnSpent {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A side let another one go first.
#[event("The {side} let another side go first.")]
pub struct SideSkipped {
    /// The combatant that decided it.
    pub combatant: CombatantId,
    /// The side.
    pub side: Slug,
}

/// The game master ends the round, and combatants had turns left in it.
#[event("{combatants} {combatants:has|have} no more turns in this round.")]
pub struct TurnsForgone {
    /// The combatants.
    pub combatants: Participants,
}

/// No combatant is left in the fight.
#[event("No combatant is left to act.")]
pub struct Halted {}

/// A declaration.
#[fact(row, "{combatant} {choice}")]
pub struct Declaration {
    /// The combatant.
    pub combatant: CombatantId,
    /// Its choice.
    pub choice: Slug,
}

/// A place in the order, and its initiative.
#[fact(row, "{combatant} {initiative}")]
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

/// A side in the order, and its initiative.
#[fact(row, "{side} {initiative}")]
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
