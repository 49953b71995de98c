//! What DC20 keeps, and how much it may hold.

use super::team::MAX_ENEMY_TEAMS;
use super::{Check, Encounter, ReadiedAction};
use crate::rulesets::shared::{at_most, within};
use crate::vocabulary::{
    Coding, CombatantId, Describe, Die, FieldType, Fields, Int, MAX_COMBATANTS, Named, Names,
    Redact, Slug, Text, Values, fact, word,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use utoipa::ToSchema;

/// The id of an Initiative Turn: `p2` is the second PC Turn, `e2-3` the second Enemy Turn of the third
/// team, `n2` the second NPC Turn.
///
/// Turns of hidden combatants are named `e2-9`, `nx2`, and `p-` with the combatant's id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
pub struct SlotId(pub Slug);

impl SlotId {
    /// The id as it is sent.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The turn as players call it: "PC Turn 2", "Enemy Turn 2 of team 3".
    pub fn title(&self) -> String {
        let id = self.as_str();
        let Some(first_digit) = id.find(|c: char| c.is_ascii_digit()) else {
            return "Extra PC Turn".to_owned();
        };
        let (kind, number) = id.split_at(first_digit);
        match (kind, number.split_once('-')) {
            ("p", _) => format!("PC Turn {number}"),
            ("e", None) => format!("Enemy Turn {number}"),
            ("e", Some((number, team))) => format!("Enemy Turn {number} of team {team}"),
            ("n", _) => format!("NPC Turn {number}"),
            ("nx", _) => format!("Hidden NPC Turn {number}"),
            _ => "Extra PC Turn".to_owned(),
        }
    }

    /// One of these turns as a client chooses it, but none of `except`.
    pub(super) fn choice(turns: Arc<[Value]>, except: Vec<Value>) -> Values {
        Values::shared(Named::Coded(Coding(Self::said)), turns, except)
    }

    /// The turn with this id as players call it.
    pub(super) fn said(id: &str) -> String {
        match Slug::new(id) {
            Some(id) => Self(id).title(),
            None => id.to_owned(),
        }
    }
}

impl FieldType for SlotId {}

impl Redact for SlotId {}

impl Describe for SlotId {
    fn describe(&self, _: &dyn Names, out: &mut String) -> bool {
        let title = self.title();
        if let Some(rest) = title.strip_prefix("Extra") {
            out.push_str(if out.is_empty() { "The" } else { "the" });
            out.push_str(" extra");
            out.push_str(rest);
        } else {
            out.push_str(&title);
        }
        true
    }
}

/// Options of DC20.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(default)]
pub struct Options {
    /// True if a check must be above the Encounter DC to succeed (DC-7).
    pub strict_beat: bool,
    /// True if a legendary monster acts after a PC Turn once for each PC in it (DC-54), and not
    /// only once (DC-52).
    pub legendary_per_pc: bool,
}

/// Combatant fields of DC20.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Fields)]
#[serde(deny_unknown_fields, default)]
#[schema(default)]
pub struct CombatantStats {
    /// The Agility, added to the Initiative Check (DC-4).
    pub agility: Int<-10, 20>,
    /// The bonus of features to Initiative Checks. Bonuses to Agility Checks do not count (DC-6).
    pub initiative_bonus: Int<-20, 20>,
    /// ADV on Initiative Checks, or DisADV if negative: the number of extra d20; the best (worst)
    /// counts (DC-47).
    pub initiative_adv: Int<-5, 5>,
    /// The maximum of Action Points before penalties (DC-44).
    pub max_action_points: Int<1, 20>,
    /// True if an allied NPC counts as a PC and takes a PC Turn (DC-29).
    pub important: bool,
    /// True if it belongs to the NPC team although its side is not `npc` or `npcs` (DC-28).
    pub neutral: bool,
    /// Legendary Action Points for each round (DC-52).
    pub max_legendary_points: Int<0, 20>,
    /// The maximum of Legendary Action Points to spend after one PC Turn (DC-52).
    pub legendary_points_per_turn: Int<1, 20>,
}

impl Default for CombatantStats {
    fn default() -> Self {
        Self {
            agility: Int::default(),
            initiative_bonus: Int::default(),
            initiative_adv: Int::default(),
            max_action_points: Int::clamped(4),
            important: false,
            neutral: false,
            max_legendary_points: Int::default(),
            legendary_points_per_turn: Int::clamped(1),
        }
    }
}

/// Combatant state of DC20.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CombatantState {
    /// The dice that its player rolled before the start (DC-4).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rolled: Vec<Die>,
    /// The Initiative Check of a player's character (DC-4).
    pub check: Option<Check>,
    /// The Action Points. There are none before the combat begins (DC-31).
    pub action_point_pool: ActionPoints,
    /// The Initiative Turn in which it acts.
    pub slot: Option<SlotId>,
    /// The reason for that turn.
    pub placed: Option<Way>,
    /// True if its delayed turn continues in a later PC Turn (DC-33).
    pub delayed: bool,
    /// The enemy after whose turn its delayed turn continues: it follows that enemy (DC-34).
    pub behind: Option<CombatantId>,
    /// True if it holds a d6 Inspiration Die (DC-8).
    pub inspiration_die: bool,
    /// True if it has ADV on one Check or Save of round 1 (DC-10).
    pub round_one_adv: bool,
    /// True if the first Attack against it in round 1 has ADV (DC-11).
    pub attacked_with_adv: bool,
    /// The aggressive action that it must take on its first turn (DC-3).
    pub committed: Option<Text<200>>,
    /// The readied action, which waits for its trigger (DC-49).
    pub readied: Option<ReadiedAction>,
    /// The Legendary Action Points left in this round (DC-52).
    pub legendary_points: u32,
    /// The Legendary Action Points spent since the last PC Turn (DC-52).
    pub legendary_points_spent: u32,
}

impl CombatantState {
    /// Makes its turn an ordinary one again: neither delayed nor held behind an enemy.
    pub fn stop_delaying(&mut self) {
        self.delayed = false;
        self.behind = None;
    }
}

/// Action Points.
#[derive(Copy, Default)]
#[fact]
pub struct ActionPoints {
    /// The points left.
    pub current: u32,
    /// The maximum after penalties.
    pub max: u32,
}

/// The reason for a combatant's turn.
#[word]
pub enum Way {
    /// The PC team chose it for that turn (DC-17).
    Claimed,
    /// It had the highest check of the claims for that turn (DC-18).
    Contested,
    /// It shares the turn with an equal check (DC-19).
    Shared,
    /// The game master put it there (DC-20).
    Assigned,
    /// It delayed to that PC Turn (DC-33).
    Delayed,
    /// It delayed until after an enemy (DC-34).
    DelayedAfter,
    /// Its turn was merged into that one (DC-25).
    Merged,
    /// It joined after round 1 and got a turn of its own (DC-24a).
    Joined,
}

/// The step of the round.
#[word]
pub enum Phase {
    /// Not started.
    #[default]
    Setup,
    /// The PC team decides who takes the PC Turn `slot` (DC-17).
    Claim,
    /// The game master decides who acts in the Enemy or NPC Turn `slot` (DC-20).
    Assign,
    /// A turn is in progress.
    Turn,
    /// Legendary monsters may act after the PC Turn `slot` (DC-52).
    BetweenTurns,
    /// Legendary monsters may spend their last points of the round (DC-53).
    RoundEnd,
    /// No combatant is left to act.
    Idle,
    /// The combat is over.
    Over,
    /// A combatant that the viewer does not see has the turn or must choose.
    SomeoneActs,
}

/// A team.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Team {
    /// The players' characters, and important NPCs.
    Pc,
    /// An enemy team: its place in `enemy_teams` from 1, or its place in `unseen_teams` from 9.
    #[schema(value_type = u32)]
    Enemy(usize),
    /// The NPCs that are not hostile.
    Npc,
}

impl Redact for Team {}

impl Describe for Team {
    fn describe(&self, _: &dyn Names, out: &mut String) -> bool {
        out.push_str(match self {
            Self::Pc => "the PC team",
            Self::Enemy(_) => "an enemy team",
            Self::Npc => "the NPCs",
        });
        true
    }
}

/// An Initiative Turn.
#[fact(tells_itself)]
pub struct Slot {
    /// Its name.
    pub id: SlotId,
    /// The team that acts in it.
    pub team: Team,
    /// The combatants that act in it.
    pub occupants: Vec<CombatantId>,
    /// True if it was merged into another turn (DC-25).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub removed: bool,
    /// True if it was laid out for hidden combatants: only viewers who know one of them see it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unseen: bool,
}

impl Describe for Slot {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        self.id.describe(names, out)
    }
}

/// Encounter state of DC20.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct State {
    /// The step of the round.
    pub phase: Phase,
    /// The Initiative Turn that is in progress, was last, or is awaited. For viewers who don't see
    /// the combatant that acts, the last one in which they saw a combatant act.
    pub slot: Option<SlotId>,
    /// True if `slot` is awaited again after the turn of an override.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deferred: bool,
    /// The combatants whose turns are in progress.
    pub acting: Vec<CombatantId>,
    /// The Encounter DC (DC-2).
    pub dc: Option<i64>,
    /// The team that took the first turn (DC-13, DC-14).
    pub winner: Option<Team>,
    /// The sides that are enemy teams, in their rotation (DC-26). Sides beyond the eighth act with
    /// the eighth.
    pub enemy_teams: Vec<Slug>,
    /// The sides that became enemy teams while all their combatants were hidden.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unseen_teams: Vec<Slug>,
    /// The Initiative Turns in their order.
    #[schema(value_type = Vec<Slot>)]
    pub slots: Arc<Vec<Slot>>,
    /// The claims of the awaited PC Turn, in their order (DC-18).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<ClaimEntry>,
    /// The combatants that passed on that turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passed: Vec<CombatantId>,
    /// The seconds that have passed: 12 for each finished round (DC-39).
    pub seconds: u64,
}

/// A claim of the awaited PC Turn (DC-18).
#[fact]
pub struct ClaimEntry {
    /// The claimant.
    pub combatant: CombatantId,
    /// True if it agrees to share the turn with equal results (DC-19).
    pub share: bool,
}

/// The answer of a member of the PC team to the awaited PC Turn (DC-17).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// It claims the turn.
    Claim {
        /// True if it agrees to share the turn with equal results (DC-19).
        share: bool,
    },
    /// It passes.
    Pass,
}

impl State {
    /// The Initiative Turn named `id`.
    pub fn slot_named(&self, id: &SlotId) -> Option<&Slot> {
        self.slots.iter().find(|slot| slot.id == *id)
    }

    /// The Initiative Turn that the round has reached: it is in progress, was last, or is awaited.
    pub fn reached(&self) -> Option<&Slot> {
        self.slot.as_ref().and_then(|id| self.slot_named(id))
    }

    /// The place in the order of the Initiative Turn that the round has reached.
    pub fn reached_place(&self) -> Option<usize> {
        let reached = self.slot.as_ref()?;
        // An imported state may have two of one name: the later one, so that the round has an end.
        self.slots.iter().rposition(|slot| slot.id == *reached)
    }

    /// The Initiative Turns of this round that are still to come.
    pub fn later(&self) -> &[Slot] {
        match self.reached_place() {
            Some(place) => self.slots.get(place + 1..).unwrap_or_default(),
            None => &self.slots,
        }
    }

    /// The Initiative Turns of this round up to the one that it has reached, that one included.
    pub fn up_to_reached(&self) -> &[Slot] {
        match self.reached_place() {
            Some(place) => self.slots.get(..=place).unwrap_or_default(),
            None => &[],
        }
    }

    /// The claim of a combatant to the awaited turn.
    pub fn claim_of(&self, combatant: &CombatantId) -> Option<&ClaimEntry> {
        self.claims
            .iter()
            .find(|claim| claim.combatant == *combatant)
    }

    /// Sets a combatant's answer to the awaited turn.
    pub fn answer(&mut self, combatant: &CombatantId, answer: Answer) {
        self.forget_answer(combatant);
        let combatant = combatant.clone();
        match answer {
            Answer::Claim { share } => self.claims.push(ClaimEntry { combatant, share }),
            Answer::Pass => self.passed.push(combatant),
        }
    }

    /// Removes the answer of a combatant.
    pub fn forget_answer(&mut self, combatant: &CombatantId) {
        self.claims.retain(|claim| claim.combatant != *combatant);
        self.passed.retain(|passed| passed != combatant);
    }

    /// Removes all answers.
    pub fn forget_answers(&mut self) {
        self.claims.clear();
        self.passed.clear();
    }
}

/// The number of the last unseen team.
const MAX_TEAM: i64 = 16;

/// The d20 of a check, and five more with ADV or DisADV.
const MAX_DICE: usize = 6;

/// Refuses a state that no play leads to.
pub(super) fn check(encounter: &Encounter) -> Result<(), String> {
    let state = &encounter.state;
    at_most("state.acting", state.acting.len(), MAX_COMBATANTS)?;
    at_most(
        "state.enemy_teams",
        state.enemy_teams.len(),
        MAX_ENEMY_TEAMS,
    )?;
    at_most(
        "state.unseen_teams",
        state.unseen_teams.len(),
        MAX_ENEMY_TEAMS,
    )?;
    check_slots(&state.slots)?;
    let occupants = state.slots.iter().map(|slot| slot.occupants.len()).sum();
    at_most("state.slots.occupants", occupants, MAX_COMBATANTS)?;
    at_most("state.claims", state.claims.len(), MAX_COMBATANTS)?;
    at_most("state.passed", state.passed.len(), MAX_COMBATANTS)?;
    for c in encounter.iter() {
        if let Some(check) = &c.state.check {
            at_most("check.dice", check.dice.len(), MAX_DICE)?;
        }
    }
    Ok(())
}

/// Each turn has a name of its own, and each team at most one turn for each PC: the names that a
/// viewer knows are found by trying one after another.
fn check_slots(slots: &[Slot]) -> Result<(), String> {
    let mut names = HashSet::new();
    let mut turns_of: HashMap<Team, usize> = HashMap::new();
    for slot in slots {
        if let Team::Enemy(team) = slot.team {
            within("state.slots.team.enemy", team, 1, MAX_TEAM)?;
        }
        if !names.insert(&slot.id) {
            return Err(format!("two of state.slots are \"{}\"", slot.id.as_str()));
        }
        let turns = turns_of.entry(slot.team).or_default();
        *turns += 1;
        at_most("state.slots", *turns, MAX_COMBATANTS)?;
    }
    Ok(())
}
