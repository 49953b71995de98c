//! The events of DC20.

use super::{Ap, Check, Difficulty, Held, Phase, Slot, SlotId, Team, Way};
use crate::vocabulary::{
    CombatantId, Describe, Die, Names, OwnEvents, Participants, Redact, Slug, Tagged, Tellable,
    Text, tell,
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
    #[serde(rename = "aggression")]
    Aggressed(Aggressed),
    #[serde(rename = "dc_set")]
    DcSet(DcSet),
    #[serde(rename = "check_rolled")]
    CheckRolled(CheckRolled),
    #[serde(rename = "check_made")]
    CheckMade(CheckMade),
    #[serde(rename = "fate_checked")]
    FateChecked(FateChecked),
    #[serde(rename = "order_laid")]
    OrderLaid(OrderLaid),
    #[serde(rename = "combat_began")]
    CombatBegan(CombatBegan),
    #[serde(rename = "slot_opened")]
    SlotOpened(SlotOpened),
    #[serde(rename = "claim_made")]
    ClaimMade(ClaimMade),
    #[serde(rename = "claim_passed")]
    ClaimPassed(ClaimPassed),
    #[serde(rename = "slot_claimed")]
    SlotClaimed(SlotClaimed),
    #[serde(rename = "assigned")]
    Assigned(Assigned),
    #[serde(rename = "slot_skipped")]
    SlotSkipped(SlotSkipped),
    #[serde(rename = "slot_began")]
    SlotBegan(SlotBegan),
    #[serde(rename = "turn_missed")]
    TurnMissed(TurnMissed),
    #[serde(rename = "turn_resumed")]
    TurnResumed(TurnResumed),
    #[serde(rename = "turn_closed")]
    TurnClosed(TurnClosed),
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
    #[serde(rename = "ap_changed")]
    ApChanged(ApChanged),
    #[serde(rename = "ap_spent")]
    ApSpent(ApSpent),
    #[serde(rename = "action_held")]
    ActionHeld(ActionHeld),
    #[serde(rename = "held_triggered")]
    HeldTriggered(HeldTriggered),
    #[serde(rename = "held_wasted")]
    HeldWasted(HeldWasted),
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
    #[serde(rename = "lap_regained")]
    LapRegained(LapRegained),
    #[serde(rename = "nobody_left")]
    NobodyLeft(NobodyLeft),
}

/// An act triggered the clash (DC-3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Aggressed {
    /// The combatant.
    pub combatant: CombatantId,
    /// What it is.
    pub action: Text<200>,
    /// Whether it was carried out before Initiative; else the aggressor takes it on its first turn.
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

/// A player's character rolled before the start: the dice of its Initiative Check (DC-4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct CheckRolled {
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
    /// The check. It gives an Inspiration Die (DC-8), ADV (DC-10), or ADV against the character
    /// (DC-11).
    pub check: Check,
}

/// A Fate Check was made (DC-27).
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct FateChecked {
    /// The die.
    pub die: Die,
    /// Whether it shows 10 or more.
    pub high: bool,
    /// The enemy team that is first at 10 or more (DC-26).
    pub team: Option<Slug>,
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

/// The combat begins with its first assigned turn; all combatants get their points (DC-31).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct CombatBegan {
    /// The points of each combatant.
    pub points: Vec<Points>,
}

/// A turn waits for its combatants (DC-17, DC-20).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct SlotOpened {
    /// The turn.
    pub slot: SlotId,
    /// `claim` if the PC team decides, `assign` if the game master does.
    pub phase: Phase,
}

/// A combatant claims the awaited PC Turn; others may still answer (DC-18).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct ClaimMade {
    /// The turn.
    pub slot: SlotId,
    /// The combatant.
    pub combatant: CombatantId,
    /// Whether it agrees to share the turn with equal results (DC-19).
    pub share: bool,
}

/// A combatant passes on the awaited PC Turn, or takes back its claim; others may still answer
/// (DC-17).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct ClaimPassed {
    /// The turn.
    pub slot: SlotId,
    /// The combatant.
    pub combatant: CombatantId,
}

/// The contest for a PC Turn is decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct SlotClaimed {
    /// The turn.
    pub slot: SlotId,
    /// The combatants that take it; several share it (DC-19).
    pub combatants: Participants,
    /// Why they take it.
    pub by: Way,
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
    pub by: Way,
}

/// An empty turn was skipped; it stays in the order (DC-22).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct SlotSkipped {
    /// The turn.
    pub slot: SlotId,
}

/// An Initiative Turn begins, or more combatants join one that is going on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct SlotBegan {
    /// The turn.
    pub slot: SlotId,
    /// The combatants whose turns begin.
    pub combatants: Participants,
}

/// The turn of a combatant that is out of the fight passed; effects count it (DC-40a).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct TurnMissed {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A delayed turn goes on with the Action Points that were left (DC-36).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct TurnResumed {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A finished turn gave the Action Points back (DC-45).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct TurnClosed {
    /// The combatant.
    pub combatant: CombatantId,
    /// Its Action Points now.
    pub ap: Ap,
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

/// A turn moved for good to a later PC Turn; no Action Points came back (DC-33 to DC-36).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Delayed {
    /// The combatant.
    pub combatant: CombatantId,
    /// The turn in which it goes on.
    pub to: SlotId,
    /// `delayed`, or `delayed_after` an enemy.
    pub by: Way,
}

/// A turn was added to the order.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct SlotAdded {
    /// The turn.
    pub slot: Slot,
    /// The turn that it follows; without it, the last turn of the order.
    pub after: Option<SlotId>,
}

/// An enemy team joined the rotation (DC-26).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct TeamJoined {
    /// Its side.
    pub side: Slug,
    /// Whether all its combatants are hidden.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unseen: bool,
}

/// An unseen turn became visible to all, because a combatant in it is seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct SlotShown {
    /// The turn.
    pub slot: SlotId,
    /// The team whose turn it is from now on.
    pub team: Team,
}

/// Two Enemy Turns became one (DC-25).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct SlotsMerged {
    /// The turn that stays.
    pub into: SlotId,
    /// The turn whose enemies moved there; it is removed.
    pub from: SlotId,
    /// The shared PC Turn for which it was done.
    pub shared: SlotId,
    /// The turns of that team that move up. Each takes the place of the turn before it, the first
    /// the place of `from`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moved_up: Vec<SlotId>,
}

/// Action Points changed: a penalty came or went, or a combatant joined (DC-43, DC-50).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct ApChanged {
    /// The combatant.
    pub combatant: CombatantId,
    /// Its Action Points now.
    pub ap: Ap,
}

/// A combatant spent Action Points (DC-44).
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct ApSpent {
    /// The combatant.
    pub combatant: CombatantId,
    /// The Action Points that it spent.
    pub spent: u32,
    /// The Action Points that are left.
    pub left: u32,
    /// What for.
    pub action: Option<Text<200>>,
}

/// A combatant paid for an action that waits for a trigger (DC-49).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct ActionHeld {
    /// The combatant.
    pub combatant: CombatantId,
    /// The action.
    pub held: Held,
}

/// A held action happened, before what triggered it (DC-49).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct HeldTriggered {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A held action was lost with its Action Points, because the next turn starts (DC-49).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct HeldWasted {
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
    /// Whether it has ADV, once, from the target's critical failure of Initiative (DC-11).
    pub adv: bool,
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
    /// `between_turns` after a PC Turn (DC-52), `round_end` with their last points (DC-53).
    pub phase: Phase,
}

/// A legendary monster acted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct LegendaryActed {
    /// The combatant.
    pub combatant: CombatantId,
    /// The Legendary Action Points that it spent.
    pub spent: u32,
    /// The Legendary Action Points that are left.
    pub left: u32,
}

/// A legendary monster has all its points again (DC-53).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct LapRegained {
    /// The combatant.
    pub combatant: CombatantId,
    /// Its Legendary Action Points now.
    pub lap: u32,
}

/// No combatant is left to act.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct NobodyLeft {}

/// The sentence that tells each event.
impl Describe for Event {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        let sentence = match self {
            Self::Aggressed(_) => "{combatant} triggered the fight: {action}.",
            Self::DcSet(_) => "The Encounter DC is {dc}.",
            Self::CheckRolled(_) => "{combatant} rolls {dice} for initiative.",
            Self::CheckMade(_) => "{combatant} makes its Initiative Check[: {check}].",
            Self::FateChecked(_) => "The Fate Check shows {die}.",
            Self::OrderLaid(_) => "The turns are laid out: {winner} is first.",
            Self::CombatBegan(_) => "The combat begins.",
            Self::SlotOpened(_) => "Turn {slot} waits for its combatants.",
            Self::ClaimMade(_) => "{combatant} claims turn {slot}[{share}, and would share it].",
            Self::ClaimPassed(_) => "{combatant} passes on turn {slot}.",
            Self::SlotClaimed(_) => "Turn {slot} goes to {combatants}[, before {outbid}].",
            Self::Assigned(_) => "Turn {slot} goes to {combatants}.",
            Self::SlotSkipped(_) => "Turn {slot} is skipped.",
            Self::SlotBegan(_) => "Turn {slot} begins for {combatants}.",
            Self::TurnMissed(_) => "{combatant} misses its turn.",
            Self::TurnResumed(_) => "{combatant}'s delayed turn goes on.",
            Self::TurnClosed(_) => "{combatant} has its Action Points back[: {ap}].",
            Self::PlaceHeld(_) => "{combatant} delays[ behind {behind}].",
            Self::Delayed(_) => "{combatant} delays its turn to {to}.",
            Self::SlotAdded(_) => "A turn is added to the order.",
            Self::TeamJoined(_) => "The side {side} joins the rotation.",
            Self::SlotShown(_) => "Turn {slot} is seen by all.",
            Self::SlotsMerged(_) => "Turn {from} merges into {into}.",
            Self::ApChanged(_) => "{combatant}'s Action Points change[: {ap}].",
            Self::ApSpent(_) => "{combatant} spends {spent} AP[ on {action}] and has {left} left.",
            Self::ActionHeld(_) => "{combatant} holds an action[: {held}].",
            Self::HeldTriggered(_) => "{combatant} carries out its held action.",
            Self::HeldWasted(_) => "{combatant}'s held action is lost.",
            Self::Attacked(_) => "{combatant} attacks {target}[{adv} with ADV].",
            Self::InspirationUsed(_) => "{combatant} adds its Inspiration Die: {die}.",
            Self::AdvantageUsed(_) => "{combatant} uses its ADV.",
            Self::LegendaryOpened(_) => "Legendary monsters may act.",
            Self::LegendaryActed(_) => {
                "{combatant} spends {spent} Legendary AP and has {left} left."
            }
            Self::LapRegained(_) => "{combatant} has {lap} Legendary AP again.",
            Self::NobodyLeft(_) => "Nobody is left to act.",
        };
        tell(sentence, self, names, out)
    }
}

/// The points with which a combatant begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Points {
    /// The combatant.
    pub combatant: CombatantId,
    /// Its Action Points.
    pub ap: Ap,
    /// Its Legendary Action Points.
    pub lap: u32,
}

impl Describe for Points {}
