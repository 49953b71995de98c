//! The events of DC20.

use super::{Ap, Check, Difficulty, Held, Phase, Slot, SlotId, Team, Way};
use crate::vocabulary::{CombatantId, Die, Slug, Text, tagged};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

tagged! {
    /// Something that happens under DC20 alone.
    pub enum Event {
        "aggression" => Aggressed,
        "dc_set" => DcSet,
        "check_made" => CheckMade,
        "fate_checked" => FateChecked,
        "order_laid" => OrderLaid,
        "combat_began" => CombatBegan,
        "slot_opened" => SlotOpened,
        "claim_made" => ClaimMade,
        "claim_passed" => ClaimPassed,
        "slot_claimed" => SlotClaimed,
        "assigned" => Assigned,
        "slot_skipped" => SlotSkipped,
        "slot_began" => SlotBegan,
        "turn_missed" => TurnMissed,
        "turn_resumed" => TurnResumed,
        "turn_closed" => TurnClosed,
        "place_held" => PlaceHeld,
        "delayed" => Delayed,
        "slot_added" => SlotAdded,
        "team_joined" => TeamJoined,
        "slot_shown" => SlotShown,
        "slots_merged" => SlotsMerged,
        "place_lost" => PlaceLost,
        "ap_changed" => ApChanged,
        "ap_spent" => ApSpent,
        "action_held" => ActionHeld,
        "held_triggered" => HeldTriggered,
        "held_wasted" => HeldWasted,
        "attacked" => Attacked,
        "inspiration_used" => InspirationUsed,
        "advantage_used" => AdvantageUsed,
        "round_one_lost" => RoundOneLost,
        "legendary_opened" => LegendaryOpened,
        "legendary_acted" => LegendaryActed,
        "lap_regained" => LapRegained,
        "round_closed" => RoundClosed,
        "nobody_left" => NobodyLeft,
        "turn_set" => TurnSet,
        "combat_closed" => CombatClosed,
    }
}

/// Somebody's act triggered the clash (DC-3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Aggressed {
    /// Whose act.
    pub combatant: CombatantId,
    /// What it was, or will have to be.
    pub action: Text<200>,
    /// True where it was carried out before Initiative; else it must be taken on that combatant's first turn.
    pub resolved: bool,
}

/// The Encounter DC is set (DC-2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DcSet {
    /// The DC.
    pub dc: i64,
    /// The level that was looked up in the table (DC-1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<u32>,
    /// The difficulty that was looked up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difficulty: Option<Difficulty>,
}

/// A player's character made its Initiative Check (DC-4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CheckMade {
    /// Who.
    pub combatant: CombatantId,
    /// The check: a success gives the Inspiration Die (DC-8), a critical one more or worse (DC-10, DC-11).
    pub check: Check,
}

/// A Fate Check was made (DC-27).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FateChecked {
    /// The die.
    pub die: Die,
    /// Whether it shows 10 or more.
    pub high: bool,
    /// The enemy team that is first if it does (DC-26).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<Slug>,
}

/// The Initiative Turns are laid out (DC-15, DC-16).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OrderLaid {
    /// How many PCs beat the Encounter DC.
    pub successes: u32,
    /// Of how many: half of them is enough (DC-13).
    pub pcs: u32,
    /// The team of the first turn.
    pub winner: Team,
    /// The enemy teams in the order of their rotation (DC-26).
    pub enemy_teams: Vec<Slug>,
    /// Those of which nobody is seen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unseen_teams: Vec<Slug>,
    /// The turns.
    pub slots: Vec<Slot>,
}

/// The first turn is assigned: the combat begins, and everybody has its Action Points (DC-31).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CombatBegan {
    /// What each combatant has.
    pub points: Vec<Points>,
}

/// Somebody must be named for a turn (DC-17, DC-20).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SlotOpened {
    /// Which turn.
    pub slot: SlotId,
    /// `claim` where the PC team names, `assign` where the game master does.
    pub phase: Phase,
}

/// Somebody claims the PC Turn that is awaited; others may still answer (DC-18).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ClaimMade {
    /// Which turn.
    pub slot: SlotId,
    /// Who claims it.
    pub combatant: CombatantId,
    /// Whether the claimant agrees to share the turn with equal results (DC-19).
    pub share: bool,
}

/// Somebody passes on the PC Turn that is awaited, or takes back a claim; others may still answer (DC-17).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ClaimPassed {
    /// Which turn.
    pub slot: SlotId,
    /// Who passes.
    pub combatant: CombatantId,
}

/// The PC team has said who takes a PC Turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SlotClaimed {
    /// Which turn.
    pub slot: SlotId,
    /// Who takes it; several share it (DC-19).
    pub combatants: Vec<CombatantId>,
    /// How they came to it.
    pub by: Way,
    /// Who wanted it too and had a lower check result (DC-18).
    pub outbid: Vec<CombatantId>,
}

/// Combatants got a place in a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Assigned {
    /// Which turn.
    pub slot: SlotId,
    /// Who.
    pub combatants: Vec<CombatantId>,
    /// How.
    pub by: Way,
}

/// A turn with nobody in it was passed over; it stays in the order (DC-22).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SlotSkipped {
    /// Which turn.
    pub slot: SlotId,
}

/// The turns of everybody in an Initiative Turn begin, or of somebody who joins one that is going on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SlotBegan {
    /// Which turn.
    pub slot: SlotId,
    /// Who acts in it.
    pub combatants: Vec<CombatantId>,
}

/// Somebody who is out of the fight came to its place in the order: what counts its turns counts this one (ADC10).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TurnMissed {
    /// Who.
    pub combatant: CombatantId,
}

/// A delayed turn goes on with the Action Points that were left (DC-36).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TurnResumed {
    /// Whose turn.
    pub combatant: CombatantId,
}

/// Somebody has finished its turn and has its Action Points back (DC-45).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TurnClosed {
    /// Who.
    pub combatant: CombatantId,
    /// The Action Points that it has now.
    pub ap: Ap,
}

/// Somebody moved its turn for good to a later PC Turn; no Action Points came back (DC-33 to DC-36).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Delayed {
    /// Who.
    pub combatant: CombatantId,
    /// The turn in which it goes on.
    pub to: SlotId,
    /// `delayed` to that turn, or `delayed_after` an enemy.
    pub by: Way,
}

/// Somebody delayed its turn behind an enemy that has no turn yet; `delayed` follows once the enemy is assigned, and at the end of
/// the round at the latest (DC-34).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PlaceHeld {
    /// Who.
    pub combatant: CombatantId,
    /// The enemy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub behind: Option<CombatantId>,
}

/// A turn was added to the order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SlotAdded {
    /// The turn.
    pub slot: Slot,
    /// The turn that it follows; the last one of all where none is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<SlotId>,
}

/// An enemy team joined the rotation (DC-26).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TeamJoined {
    /// Its side.
    pub side: Slug,
    /// Whether nobody of it is seen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unseen: bool,
}

/// Somebody is seen who has its place in a turn that was laid out for the hidden: the turn is everybody's to know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SlotShown {
    /// The turn.
    pub slot: SlotId,
    /// Whose turn it is from now on.
    pub team: Team,
}

/// Two Enemy Turns became one (DC-25).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SlotsMerged {
    /// The turn that stays.
    pub into: SlotId,
    /// The turn whose enemies moved there; it is there no more.
    pub from: SlotId,
    /// The shared PC Turn for which it was done.
    pub shared: SlotId,
    /// The later turns of that team: each takes the place in the order of the one before it, the first that of `from`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moved_up: Vec<SlotId>,
}

/// Somebody has left, and has no place in the order any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PlaceLost {
    /// Who.
    pub combatant: CombatantId,
}

/// Somebody's Action Points changed without being spent: a penalty came or went (DC-43, DC-50).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ApChanged {
    /// Who.
    pub combatant: CombatantId,
    /// What it has now.
    pub ap: Ap,
}

/// Somebody spent Action Points (DC-44).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ApSpent {
    /// Who.
    pub combatant: CombatantId,
    /// How many.
    pub spent: u32,
    /// How many are left.
    pub left: u32,
    /// What for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<Text<200>>,
}

/// Somebody paid for an action that waits for a trigger (DC-49).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ActionHeld {
    /// Who.
    pub combatant: CombatantId,
    /// The action.
    pub held: Held,
}

/// A held action happened, before what triggered it (DC-49).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HeldTriggered {
    /// Whose.
    pub combatant: CombatantId,
}

/// A held action came to nothing, and its Action Points with it: its owner's next turn starts (DC-49).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HeldWasted {
    /// Whose.
    pub combatant: CombatantId,
}

/// An Attack was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Attacked {
    /// Who attacked.
    pub combatant: CombatantId,
    /// Whom.
    pub target: CombatantId,
    /// Whether it has ADV from the target's critical failure of Initiative (DC-11); that is used up then.
    pub adv: bool,
}

/// An Inspiration Die was added to a Check or Save (DC-8).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct InspirationUsed {
    /// Whose.
    pub combatant: CombatantId,
    /// The die.
    pub die: Die,
}

/// The ADV of a critical success of Initiative was taken (DC-10).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AdvantageUsed {
    /// Whose.
    pub combatant: CombatantId,
}

/// Round 1 is over, and what held for it alone is gone (DC-10, DC-11).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RoundOneLost {
    /// Whose.
    pub combatants: Vec<CombatantId>,
}

/// Legendary monsters may act.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LegendaryOpened {
    /// `between_turns` after a PC Turn (DC-52), `round_end` with what they have left (DC-53).
    pub phase: Phase,
}

/// A legendary monster acted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LegendaryActed {
    /// Which.
    pub combatant: CombatantId,
    /// How many Legendary Action Points it spent.
    pub spent: u32,
    /// How many it has left.
    pub left: u32,
}

/// A legendary monster has all its points again (DC-53).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LapRegained {
    /// Which.
    pub combatant: CombatantId,
    /// How many.
    pub lap: u32,
}

/// A round is over: 12 seconds more (DC-39).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RoundClosed {
    /// How many seconds the fight has lasted.
    pub seconds: u64,
}

/// Nobody is left in the fight.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NobodyLeft {}

/// The game master set whose turn it is; turns that were going on are taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TurnSet {
    /// Whose turn it is now.
    pub combatant: CombatantId,
}

/// The combat is over; Inspiration Dice that are left are lost (DC-8).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CombatClosed {
    /// Who still had one.
    pub dice_lost: Vec<CombatantId>,
}

/// The Action Points that a combatant begins with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Points {
    /// Who.
    pub combatant: CombatantId,
    /// Its Action Points.
    pub ap: Ap,
    /// Its Legendary Action Points.
    pub lap: u32,
}
