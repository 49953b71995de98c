//! The events of DC20.

use super::{Check, Difficulty, Slot, SlotId, Team, Way};
use crate::vocabulary::{
    CombatantId, Die, Participants, Slug, Text, event, events, fact, is_default, word,
};

/// An event of DC20.
#[events]
pub enum Event {
    AggressionDeclared,
    DcSet,
    Rolled,
    CheckMade,
    FateChecked,
    OrderLaid,
    PointsGiven,
    SlotOpened,
    Claimed,
    Passed,
    AnswerLapsed,
    SlotTaken,
    Assigned,
    Unplaced,
    Reserved,
    SlotSkipped,
    TurnMissed,
    Returned,
    ActionPointsRegained,
    PlaceHeld,
    Delayed,
    SlotAdded,
    TeamJoined,
    SlotShown,
    SlotsMerged,
    ActionPointsChanged,
    ActionPointsSpent,
    Readied,
    Triggered,
    ReadyLapsed,
    Attacked,
    InspirationUsed,
    AdvantageUsed,
    LegendaryOpened,
    LegendaryActed,
    LegendaryPointsRegained,
    StandstillReached,
}

/// An act started the fight (DC-3).
#[event(
    "[{resolved}{combatant} {combatant:acts|act} before the fight: {action}.]\
     [{!resolved}{combatant} {combatant:starts|start} the fight and must act on the \
     first turn: {action}.]"
)]
pub struct AggressionDeclared {
    /// The combatant.
    pub combatant: CombatantId,
    /// The act in words.
    pub action: Text<200>,
    /// True if it was carried out before Initiative; else the aggressor takes it on the first turn.
    pub resolved: bool,
}

/// The Encounter DC is set (DC-2).
#[event("The Encounter DC is {dc}.")]
pub struct DcSet {
    /// The DC.
    pub dc: i64,
    /// The level, if the table gave the DC (DC-1).
    pub level: Option<u32>,
    /// The difficulty, if the table gave the DC.
    pub difficulty: Option<Difficulty>,
}

/// A player's character rolled for its Initiative Check before the start (DC-4).
#[event("{combatant} {combatant:rolls|roll} {dice} for initiative.")]
pub struct Rolled {
    /// The combatant.
    pub combatant: CombatantId,
    /// Every d20 that was rolled, several with ADV or DisADV.
    pub dice: Vec<Die>,
}

/// A player's character made its Initiative Check (DC-4).
#[event("{combatant} {combatant:rolls|roll} {check}.")]
pub struct CheckMade {
    /// The combatant.
    pub combatant: CombatantId,
    /// The check. It gives an Inspiration Die (DC-8).
    pub check: Check,
    /// True if the character has ADV once in round 1 (DC-10).
    #[serde(default, skip_serializing_if = "is_default")]
    pub round_one_adv: bool,
    /// True if the first attack against the character has ADV (DC-11).
    #[serde(default, skip_serializing_if = "is_default")]
    pub attacked_with_adv: bool,
}

/// A Fate Check was made (DC-27).
#[event("The Fate Check[ for {side}] shows {die}.")]
pub struct FateChecked {
    /// The die.
    pub die: Die,
    /// True if it shows 10 or more.
    pub high: bool,
    /// The side that takes the first Enemy Turn at 10 or more (DC-26).
    pub side: Option<Slug>,
}

/// The Initiative Turns are laid out (DC-15, DC-16).
#[event("The first turn goes to {winner}.")]
pub struct OrderLaid {
    /// The number of successful Initiative Checks.
    #[schema(value_type = u32)]
    pub successes: usize,
    /// The number of PCs that count: half of them is enough (DC-13).
    #[schema(value_type = u32)]
    pub pcs: usize,
    /// The team of the first turn.
    pub winner: Team,
    /// The enemy teams in their rotation (DC-26).
    pub enemy_teams: Vec<Slug>,
    /// The enemy teams whose combatants are all hidden.
    #[default]
    pub unseen_teams: Vec<Slug>,
    /// The turns.
    pub slots: Vec<Slot>,
}

/// The first turn is assigned, so all combatants get their points (DC-31).
#[event("All combatants get their Action Points.")]
pub struct PointsGiven {
    /// The points of each combatant.
    pub grants: Vec<StartingPoints>,
}

/// A turn waits for its combatants (DC-17, DC-20).
#[event("{slot} is next.")]
pub struct SlotOpened {
    /// The turn.
    pub slot: SlotId,
    /// `claim` if the PC team decides who acts, `assign` if the game master does.
    pub decision: SlotDecision,
}

/// A combatant claims the awaited PC Turn; others may still answer (DC-18).
#[event("{combatant} {combatant:claims|claim} {slot}[{share}, alone or shared].")]
pub struct Claimed {
    /// The turn.
    pub slot: SlotId,
    /// The combatant.
    pub combatant: CombatantId,
    /// True if it agrees to share the turn with equal results (DC-19).
    pub share: bool,
}

/// A combatant passes on the awaited PC Turn, or takes back its claim; others may still answer
/// (DC-17).
#[event("{combatant} {combatant:passes|pass} on {slot}.")]
pub struct Passed {
    /// The turn.
    pub slot: SlotId,
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant is of another team now: its answer to the awaited turn does not count, and its turn
/// follows no enemy.
#[event("What {combatant} decided as one of the players' team no longer counts.")]
pub struct AnswerLapsed {
    /// The combatant.
    pub combatant: CombatantId,
}

/// The contest for a PC Turn is decided.
#[event("{combatants} {combatants:takes|take} {slot}[, ahead of {outbid}].")]
pub struct SlotTaken {
    /// The turn.
    pub slot: SlotId,
    /// The combatants that take it; several share it (DC-19).
    pub combatants: Participants,
    /// Why they take it.
    pub because: Way,
    /// The claimants with a lower check (DC-18).
    pub outbid: Vec<CombatantId>,
}

/// Combatants were put into a turn.
#[event("{combatants} {combatants:acts|act} in {slot}.")]
pub struct Assigned {
    /// The turn.
    pub slot: SlotId,
    /// The combatants.
    pub combatants: Participants,
    /// Why they have this place.
    pub because: Way,
}

/// A combatant has no turn any more: it belongs to another team (DC-30a).
#[event("{combatant} {combatant:changes|change} teams and {combatant:has|have} no turn yet.")]
pub struct Unplaced {
    /// The combatant.
    pub combatant: CombatantId,
}

/// The game master left combatants without a turn when a taken one asked for them: no turn asks for
/// them any more (DC-24b).
#[event("{combatants} {combatants:stays|stay} in reserve.")]
pub struct Reserved {
    /// The combatants.
    pub combatants: Participants,
}

/// An empty turn was skipped; it stays in the order (DC-22).
#[event("{slot} stays empty.")]
pub struct SlotSkipped {
    /// The turn.
    pub slot: SlotId,
}

/// The turn of a combatant that is out of the fight passed; effects count it (DC-40a).
#[event("{combatant} {combatant:misses|miss} a turn.")]
pub struct TurnMissed {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A delayed turn continues with its remaining Action Points (DC-36).
#[event("{combatant} {combatant:takes|take} the delayed turn.")]
pub struct Returned {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A finished turn gave spent Action Points back (DC-45).
#[event("{combatant} {combatant:regains|regain} all Action Points ({left}).")]
pub struct ActionPointsRegained {
    /// The combatant.
    pub combatant: CombatantId,
    /// The Action Points now.
    pub left: u32,
    /// Their maximum after penalties.
    pub max: u32,
}

/// A delayed turn waits for an enemy without a turn. `delayed` follows after its assignment, or at
/// the end of the round (DC-34).
#[event("{combatant} {combatant:delays|delay}[ until after {behind}].")]
pub struct PlaceHeld {
    /// The combatant.
    pub combatant: CombatantId,
    /// The enemy.
    pub behind: Option<CombatantId>,
}

/// A turn moved permanently to a later PC Turn; no Action Points came back (DC-33 to DC-36).
#[event("{combatant} {combatant:delays|delay} to {slot}.")]
pub struct Delayed {
    /// The combatant.
    pub combatant: CombatantId,
    /// The turn in which it continues.
    pub slot: SlotId,
    /// `delayed`, or `delayed_after` an enemy.
    pub because: Way,
    /// The enemy, if the turn moves with it (DC-34b).
    pub behind: Option<CombatantId>,
}

/// A turn was added to the order.
#[event("{added} joins the order.")]
pub struct SlotAdded {
    /// The turn.
    pub added: Slot,
    /// The turn that it follows. Absent if it is the last turn of the order.
    pub follows: Option<SlotId>,
}

/// An enemy team joined the rotation (DC-26).
#[event("The {side} join the rotation of enemy teams.")]
pub struct TeamJoined {
    /// Its side.
    pub side: Slug,
    /// True if all its combatants are hidden.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unseen: bool,
}

/// An unseen turn became visible to all, because a combatant in it is seen.
#[event("{named} appears in the order.")]
pub struct SlotShown {
    /// The turn, by its name so far.
    pub slot: SlotId,
    /// Its name from now on: that of an unseen turn counts those of hidden combatants.
    pub named: SlotId,
    /// The team whose turn it is from now on.
    pub team: Team,
}

/// Two turns of an enemy team or of the NPC team became one (DC-25).
#[event("{emptied} merges into {slot}.")]
pub struct SlotsMerged {
    /// The turn that stays.
    pub slot: SlotId,
    /// The turn whose combatants moved there; it is removed.
    pub emptied: SlotId,
    /// The shared PC Turn for which it was done.
    pub shared: SlotId,
    /// The turns of that team that move up. Each takes the place of the turn before it, the first
    /// the place of `emptied`.
    #[default]
    pub moved_up: Vec<SlotId>,
}

/// Action Points changed: a penalty came or went, or a combatant joined (DC-43, DC-50).
#[event("{combatant} {combatant:has|have} {left} of {max} Action Points.")]
pub struct ActionPointsChanged {
    /// The combatant.
    pub combatant: CombatantId,
    /// The Action Points now.
    pub left: u32,
    /// Their maximum after penalties.
    pub max: u32,
}

/// A combatant spent Action Points (DC-44).
#[event(
    "{combatant} {combatant:spends|spend} {spent} Action {spent:Point|Points} \
     and {combatant:has|have} {left} left[: {action}]."
)]
pub struct ActionPointsSpent {
    /// The combatant.
    pub combatant: CombatantId,
    /// The Action Points spent.
    pub spent: u32,
    /// The Action Points left.
    pub left: u32,
    /// The action that they paid for.
    pub action: Option<Text<200>>,
}

/// A combatant paid for an action that waits for a trigger (DC-49).
#[event("{combatant} {combatant:readies|ready} an action: {action}, when {trigger}.")]
pub struct Readied {
    /// The combatant.
    pub combatant: CombatantId,
    /// The action.
    pub action: Text<200>,
    /// The event that triggers it.
    pub trigger: Text<200>,
    /// The Action Points paid for it.
    pub action_points: u32,
}

/// A readied action happened, before its trigger (DC-49).
#[event("{combatant} {combatant:uses|use} the readied action.")]
pub struct Triggered {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A readied action was lost with its Action Points, because the next turn starts (DC-49).
#[event("{combatant} {combatant:loses|lose} the readied action.")]
pub struct ReadyLapsed {
    /// The combatant.
    pub combatant: CombatantId,
}

/// An Attack was made.
#[event("{combatant} {combatant:attacks|attack} {target}[{advantage} with advantage].")]
pub struct Attacked {
    /// The combatant.
    pub combatant: CombatantId,
    /// The target.
    pub target: CombatantId,
    /// True if it has ADV, once, from the target's critical failure of Initiative (DC-11).
    pub advantage: bool,
}

/// An Inspiration Die was added to a Check or Save (DC-8).
#[event("{combatant} {combatant:adds|add} the Inspiration Die: {die}.")]
pub struct InspirationUsed {
    /// The combatant.
    pub combatant: CombatantId,
    /// The die.
    pub die: Die,
}

/// The ADV of a critical success of Initiative was used (DC-10).
#[event("{combatant} {combatant:uses|use} advantage.")]
pub struct AdvantageUsed {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Legendary monsters may act.
#[event("Legendary monsters may act.")]
pub struct LegendaryOpened {
    /// True if it is the end of the round, with their last points (DC-53), and not the end of a PC
    /// Turn (DC-52).
    pub round_end: bool,
}

/// A legendary monster acted.
#[event(
    "{combatant} {combatant:spends|spend} {spent} Legendary Action \
     {spent:Point|Points} and {combatant:has|have} {left} left."
)]
pub struct LegendaryActed {
    /// The combatant.
    pub combatant: CombatantId,
    /// The Legendary Action Points spent.
    pub spent: u32,
    /// The Legendary Action Points left.
    pub left: u32,
}

/// A legendary monster has all its points again (DC-53).
#[event("{combatant} {combatant:has|have} {left} Legendary Action {left:Point|Points}.")]
pub struct LegendaryPointsRegained {
    /// The combatant.
    pub combatant: CombatantId,
    /// The Legendary Action Points now.
    pub left: u32,
}

/// No combatant is left to act.
#[event("No combatant is left to act.")]
pub struct StandstillReached {}

/// The one that decides which combatants act in a turn.
#[word]
pub enum SlotDecision {
    /// The PC team, by claims (DC-17).
    Claim,
    /// The game master (DC-20).
    Assign,
}

/// The points with which a combatant begins.
#[fact]
pub struct StartingPoints {
    /// The combatant.
    pub combatant: CombatantId,
    /// Its Action Points, all of their maximum.
    pub action_points: u32,
    /// Its Legendary Action Points.
    pub legendary_points: u32,
}
