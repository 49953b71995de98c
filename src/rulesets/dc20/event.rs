//! The events of DC20.

use super::{Check, Difficulty, Slot, SlotId, Team, Way};
use crate::vocabulary::{
    CombatantId, Describe, Die, Names, OwnEvents, Participants, Redact, Slug, Tagged, Tellable,
    Text, Word, is_default, tell,
};
use macro_rules_attribute::derive;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

/// An event of DC20.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Redact!, Tellable!, Tagged!, OwnEvents!)]
#[serde(tag = "type")]
#[allow(missing_docs, reason = "each variant is its struct, documented there")]
pub enum Event {
    #[serde(rename = "aggression_declared")]
    AggressionDeclared(AggressionDeclared),
    #[serde(rename = "dc_set")]
    DcSet(DcSet),
    #[serde(rename = "rolled")]
    Rolled(Rolled),
    #[serde(rename = "check_made")]
    CheckMade(CheckMade),
    #[serde(rename = "fate_checked")]
    FateChecked(FateChecked),
    #[serde(rename = "order_laid")]
    OrderLaid(OrderLaid),
    #[serde(rename = "points_given")]
    PointsGiven(PointsGiven),
    #[serde(rename = "slot_opened")]
    SlotOpened(SlotOpened),
    #[serde(rename = "claimed")]
    Claimed(Claimed),
    #[serde(rename = "passed")]
    Passed(Passed),
    #[serde(rename = "answer_lapsed")]
    AnswerLapsed(AnswerLapsed),
    #[serde(rename = "slot_taken")]
    SlotTaken(SlotTaken),
    #[serde(rename = "assigned")]
    Assigned(Assigned),
    #[serde(rename = "unplaced")]
    Unplaced(Unplaced),
    #[serde(rename = "reserved")]
    Reserved(Reserved),
    #[serde(rename = "slot_skipped")]
    SlotSkipped(SlotSkipped),
    #[serde(rename = "turn_missed")]
    TurnMissed(TurnMissed),
    #[serde(rename = "returned")]
    Returned(Returned),
    #[serde(rename = "action_points_regained")]
    ActionPointsRegained(ActionPointsRegained),
    #[serde(rename = "place_held")]
    PlaceHeld(PlaceHeld),
    #[serde(rename = "delayed")]
    Delayed(Delayed),
    #[serde(rename = "slot_added")]
    SlotAdded(SlotAdded),
    #[serde(rename = "team_joined")]
    TeamJoined(TeamJoined),
    #[serde(rename = "slot_shown")]
    SlotShown(SlotShown),
    #[serde(rename = "slots_merged")]
    SlotsMerged(SlotsMerged),
    #[serde(rename = "action_points_changed")]
    ActionPointsChanged(ActionPointsChanged),
    #[serde(rename = "action_points_spent")]
    ActionPointsSpent(ActionPointsSpent),
    #[serde(rename = "readied")]
    Readied(Readied),
    #[serde(rename = "triggered")]
    Triggered(Triggered),
    #[serde(rename = "ready_lapsed")]
    ReadyLapsed(ReadyLapsed),
    #[serde(rename = "attacked")]
    Attacked(Attacked),
    #[serde(rename = "inspiration_used")]
    InspirationUsed(InspirationUsed),
    #[serde(rename = "advantage_used")]
    AdvantageUsed(AdvantageUsed),
    #[serde(rename = "legendary_opened")]
    LegendaryOpened(LegendaryOpened),
    #[serde(rename = "legendary_acted")]
    LegendaryActed(LegendaryActed),
    #[serde(rename = "legendary_points_regained")]
    LegendaryPointsRegained(LegendaryPointsRegained),
    #[serde(rename = "standstill_reached")]
    StandstillReached(StandstillReached),
}

/// An act started the fight (DC-3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct AggressionDeclared {
    /// The combatant.
    pub combatant: CombatantId,
    /// The act in words.
    pub action: Text<200>,
    /// True if it was carried out before Initiative; else the aggressor takes it on the first turn.
    pub resolved: bool,
}

/// The Encounter DC is set (DC-2).
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct DcSet {
    /// The DC.
    pub dc: i64,
    /// The level, if the table gave the DC (DC-1).
    pub level: Option<u32>,
    /// The difficulty, if the table gave the DC.
    pub difficulty: Option<Difficulty>,
}

/// A player's character rolled for its Initiative Check before the start (DC-4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Rolled {
    /// The combatant.
    pub combatant: CombatantId,
    /// Every d20 that was rolled, several with ADV or DisADV.
    pub dice: Vec<Die>,
}

/// A player's character made its Initiative Check (DC-4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
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
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct FateChecked {
    /// The die.
    pub die: Die,
    /// True if it shows 10 or more.
    pub high: bool,
    /// The side that takes the first Enemy Turn at 10 or more (DC-26).
    pub side: Option<Slug>,
}

/// The Initiative Turns are laid out (DC-15, DC-16).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
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
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unseen_teams: Vec<Slug>,
    /// The turns.
    pub slots: Vec<Slot>,
}

/// The first turn is assigned, so all combatants get their points (DC-31).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct PointsGiven {
    /// The points of each combatant.
    pub grants: Vec<StartingPoints>,
}

/// A turn waits for its combatants (DC-17, DC-20).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct SlotOpened {
    /// The turn.
    pub slot: SlotId,
    /// `claim` if the PC team decides who acts, `assign` if the game master does.
    pub decision: SlotDecision,
}

/// A combatant claims the awaited PC Turn; others may still answer (DC-18).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Passed {
    /// The turn.
    pub slot: SlotId,
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant is of another team now: its answer to the awaited turn does not count, and its turn
/// follows no enemy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct AnswerLapsed {
    /// The combatant.
    pub combatant: CombatantId,
}

/// The contest for a PC Turn is decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Assigned {
    /// The turn.
    pub slot: SlotId,
    /// The combatants.
    pub combatants: Participants,
    /// Why they have this place.
    pub because: Way,
}

/// A combatant has no turn any more: it belongs to another team (DC-30a).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Unplaced {
    /// The combatant.
    pub combatant: CombatantId,
}

/// The game master left combatants without a turn when a taken one asked for them: no turn asks for
/// them any more (DC-24b).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Reserved {
    /// The combatants.
    pub combatants: Participants,
}

/// An empty turn was skipped; it stays in the order (DC-22).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct SlotSkipped {
    /// The turn.
    pub slot: SlotId,
}

/// The turn of a combatant that is out of the fight passed; effects count it (DC-40a).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct TurnMissed {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A delayed turn continues with its remaining Action Points (DC-36).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Returned {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A finished turn gave spent Action Points back (DC-45).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
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
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct PlaceHeld {
    /// The combatant.
    pub combatant: CombatantId,
    /// The enemy.
    pub behind: Option<CombatantId>,
}

/// A turn moved permanently to a later PC Turn; no Action Points came back (DC-33 to DC-36).
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
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
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct SlotAdded {
    /// The turn.
    pub added: Slot,
    /// The turn that it follows. Absent if it is the last turn of the order.
    pub follows: Option<SlotId>,
}

/// An enemy team joined the rotation (DC-26).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct TeamJoined {
    /// Its side.
    pub side: Slug,
    /// True if all its combatants are hidden.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unseen: bool,
}

/// An unseen turn became visible to all, because a combatant in it is seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct SlotShown {
    /// The turn, by its name so far.
    pub slot: SlotId,
    /// Its name from now on: that of an unseen turn counts those of hidden combatants.
    pub named: SlotId,
    /// The team whose turn it is from now on.
    pub team: Team,
}

/// Two turns of an enemy team or of the NPC team became one (DC-25).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct SlotsMerged {
    /// The turn that stays.
    pub slot: SlotId,
    /// The turn whose combatants moved there; it is removed.
    pub emptied: SlotId,
    /// The shared PC Turn for which it was done.
    pub shared: SlotId,
    /// The turns of that team that move up. Each takes the place of the turn before it, the first
    /// the place of `emptied`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moved_up: Vec<SlotId>,
}

/// Action Points changed: a penalty came or went, or a combatant joined (DC-43, DC-50).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct ActionPointsChanged {
    /// The combatant.
    pub combatant: CombatantId,
    /// The Action Points now.
    pub left: u32,
    /// Their maximum after penalties.
    pub max: u32,
}

/// A combatant spent Action Points (DC-44).
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Triggered {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A readied action was lost with its Action Points, because the next turn starts (DC-49).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct ReadyLapsed {
    /// The combatant.
    pub combatant: CombatantId,
}

/// An Attack was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Attacked {
    /// The combatant.
    pub combatant: CombatantId,
    /// The target.
    pub target: CombatantId,
    /// True if it has ADV, once, from the target's critical failure of Initiative (DC-11).
    pub advantage: bool,
}

/// An Inspiration Die was added to a Check or Save (DC-8).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct InspirationUsed {
    /// The combatant.
    pub combatant: CombatantId,
    /// The die.
    pub die: Die,
}

/// The ADV of a critical success of Initiative was used (DC-10).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct AdvantageUsed {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Legendary monsters may act.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct LegendaryOpened {
    /// True if it is the end of the round, with their last points (DC-53), and not the end of a PC
    /// Turn (DC-52).
    pub round_end: bool,
}

/// A legendary monster acted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct LegendaryActed {
    /// The combatant.
    pub combatant: CombatantId,
    /// The Legendary Action Points spent.
    pub spent: u32,
    /// The Legendary Action Points left.
    pub left: u32,
}

/// A legendary monster has all its points again (DC-53).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct LegendaryPointsRegained {
    /// The combatant.
    pub combatant: CombatantId,
    /// The Legendary Action Points now.
    pub left: u32,
}

/// No combatant is left to act.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct StandstillReached {}

/// The sentence that tells each event.
impl Describe for Event {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        let sentence = match self {
            Self::AggressionDeclared(_) => {
                "[{resolved}{combatant} {combatant:acts|act} before the fight: {action}.]\
                 [{!resolved}{combatant} {combatant:starts|start} the fight and must act on the \
                 first turn: {action}.]"
            }
            Self::DcSet(_) => "The Encounter DC is {dc}.",
            Self::Rolled(_) => "{combatant} {combatant:rolls|roll} {dice} for initiative.",
            Self::CheckMade(_) => "{combatant} {combatant:rolls|roll} {check}.",
            Self::FateChecked(_) => "The Fate Check[ for {side}] shows {die}.",
            Self::OrderLaid(_) => "The first turn goes to {winner}.",
            Self::PointsGiven(_) => "All combatants get their Action Points.",
            Self::SlotOpened(_) => "{slot} is next.",
            Self::Claimed(_) => {
                "{combatant} {combatant:claims|claim} {slot}[{share}, alone or shared]."
            }
            Self::Passed(_) => "{combatant} {combatant:passes|pass} on {slot}.",
            Self::AnswerLapsed(_) => {
                "What {combatant} decided as one of the players' team no longer counts."
            }
            Self::SlotTaken(_) => {
                "{combatants} {combatants:takes|take} {slot}[, ahead of {outbid}]."
            }
            Self::Assigned(_) => "{combatants} {combatants:acts|act} in {slot}.",
            Self::Unplaced(_) => {
                "{combatant} {combatant:changes|change} teams and {combatant:has|have} no turn yet."
            }
            Self::Reserved(_) => "{combatants} {combatants:stays|stay} in reserve.",
            Self::SlotSkipped(_) => "{slot} stays empty.",
            Self::TurnMissed(_) => "{combatant} {combatant:misses|miss} a turn.",
            Self::Returned(_) => "{combatant} {combatant:takes|take} the delayed turn.",
            Self::ActionPointsRegained(_) => {
                "{combatant} {combatant:regains|regain} all Action Points ({left})."
            }
            Self::PlaceHeld(_) => "{combatant} {combatant:delays|delay}[ until after {behind}].",
            Self::Delayed(_) => "{combatant} {combatant:delays|delay} to {slot}.",
            Self::SlotAdded(_) => "{added} joins the order.",
            Self::TeamJoined(_) => "The {side} join the rotation of enemy teams.",
            Self::SlotShown(_) => "{named} appears in the order.",
            Self::SlotsMerged(_) => "{emptied} merges into {slot}.",
            Self::ActionPointsChanged(_) => {
                "{combatant} {combatant:has|have} {left} of {max} Action Points."
            }
            Self::ActionPointsSpent(_) => {
                "{combatant} {combatant:spends|spend} {spent} Action {spent:Point|Points} \
                 and {combatant:has|have} {left} left[: {action}]."
            }
            Self::Readied(_) => {
                "{combatant} {combatant:readies|ready} an action: {action}, when {trigger}."
            }
            Self::Triggered(_) => "{combatant} {combatant:uses|use} the readied action.",
            Self::ReadyLapsed(_) => "{combatant} {combatant:loses|lose} the readied action.",
            Self::Attacked(_) => {
                "{combatant} {combatant:attacks|attack} {target}[{advantage} with advantage]."
            }
            Self::InspirationUsed(_) => {
                "{combatant} {combatant:adds|add} the Inspiration Die: {die}."
            }
            Self::AdvantageUsed(_) => "{combatant} {combatant:uses|use} advantage.",
            Self::LegendaryOpened(_) => "Legendary monsters may act.",
            Self::LegendaryActed(_) => {
                "{combatant} {combatant:spends|spend} {spent} Legendary Action \
                 {spent:Point|Points} and {combatant:has|have} {left} left."
            }
            Self::LegendaryPointsRegained(_) => {
                "{combatant} {combatant:has|have} {left} Legendary Action {left:Point|Points}."
            }
            Self::StandstillReached(_) => "No combatant is left to act.",
        };
        tell(sentence, self, names, out)
    }
}

/// The one that decides which combatants act in a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema, Word!)]
#[serde(rename_all = "snake_case")]
pub enum SlotDecision {
    /// The PC team, by claims (DC-17).
    Claim,
    /// The game master (DC-20).
    Assign,
}

/// The points with which a combatant begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct StartingPoints {
    /// The combatant.
    pub combatant: CombatantId,
    /// Its Action Points, all of their maximum.
    pub action_points: u32,
    /// Its Legendary Action Points.
    pub legendary_points: u32,
}

impl Describe for StartingPoints {}
