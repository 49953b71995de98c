//! What DC20 keeps.

use crate::rulesets::shared::several;
use crate::vocabulary::{CombatantId, Die, Int, Slug, Text, public, redacted};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::ToSchema;

/// Names an Initiative Turn: `p2` is the second PC Turn, `e2` the second Enemy Turn, `e2-3` the second of the third enemy team,
/// `n2` the second NPC Turn. Turns that are laid out for the hidden have names of their own: `e2-9`, `nx2`, `p-` and who it is.
pub type SlotId = Slug;

/// Options of DC20.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// True where a check must be above the Encounter DC to succeed; else meeting it is enough (DC-7).
    #[schema(default = false)]
    pub strict_beat: bool,
    /// True where a legendary monster may act, after a PC Turn, once for each PC of that turn (DC-54); else once (DC-52).
    #[schema(default = false)]
    pub legendary_per_pc: bool,
}

/// What a client tells about a combatant under DC20.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CombatantStats {
    /// The level; half of it, rounded up, is the Combat Mastery (DC-5).
    #[schema(default = 1)]
    pub level: Int<1, 20>,
    /// Agility, added to the Initiative Check (DC-4).
    #[schema(default = 0)]
    pub agility: Int<-10, 20>,
    /// What a feature adds to Initiative Checks; bonuses to Agility Checks do not count (DC-6).
    #[schema(default = 0)]
    pub initiative_bonus: Int<-20, 20>,
    /// ADV on Initiative Checks, or DisADV where it is negative: so many extra d20, of which the best (worst) counts (DC-47).
    #[schema(default = 0)]
    pub initiative_adv: Int<-5, 5>,
    /// The most Action Points there can be, before penalties (DC-44).
    #[schema(default = 4)]
    pub max_ap: Int<1, 20>,
    /// Whether an allied NPC counts as a PC for the turns and takes a PC Turn (DC-29).
    #[schema(default = false)]
    pub important: bool,
    /// Whether somebody who is on another side than `npc` or `npcs` belongs to the NPC team all the same (DC-28).
    #[schema(default = false)]
    pub neutral: bool,
    /// Whether an enemy or NPC is held back: no turn asks for it, until the game master assigns it (DC-24).
    #[schema(default = false)]
    pub reserve: bool,
    /// Legendary Action Points for each round (DC-52).
    #[schema(default = 0)]
    pub max_lap: Int<0, 20>,
    /// How many of them can be spent after one PC Turn (DC-52).
    #[schema(default = 1)]
    pub lap_per_turn: Int<1, 20>,
}

impl Default for CombatantStats {
    fn default() -> Self {
        Self {
            level: Int::clamped(1),
            agility: Int::default(),
            initiative_bonus: Int::default(),
            initiative_adv: Int::default(),
            max_ap: Int::clamped(4),
            important: false,
            neutral: false,
            reserve: false,
            max_lap: Int::default(),
            lap_per_turn: Int::clamped(1),
        }
    }
}

/// What play keeps about a combatant under DC20.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CombatantState {
    /// The Initiative Check of a player's character (DC-4).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<Check>,
    /// The Action Points; none before the combat begins (DC-31).
    pub ap: Ap,
    /// The Initiative Turn that it has a place in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot: Option<SlotId>,
    /// How it came to that place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placed: Option<Way>,
    /// Whether it has delayed its turn, which goes on in a later PC Turn (DC-33).
    pub delayed: bool,
    /// The enemy without a turn behind which it has delayed: its place is held until that enemy is assigned (DC-34).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub behind: Option<CombatantId>,
    /// Whether it holds a d6 Inspiration Die (DC-8).
    pub inspiration_die: bool,
    /// Whether it may have ADV on one Check or Save of round 1 (DC-10).
    pub round_one_adv: bool,
    /// Whether the first Attack against it in round 1 has ADV (DC-11).
    pub attacked_with_adv: bool,
    /// The aggressive action that it must take on its first turn (DC-3).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub committed: Option<Text<200>>,
    /// The action that it holds for a trigger (DC-49).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<Held>,
    /// The Legendary Action Points that are left of the round (DC-52).
    pub lap: u32,
    /// How many of them it has spent since the last PC Turn (DC-52).
    pub lap_spent: u32,
}

redacted! {
    /// Action Points.
    #[derive(Copy, Default)]
    pub struct Ap {
        /// What is left.
        pub current: u32,
        /// The most there can be now, penalties taken off.
        pub max: u32,
    }
}

redacted! {
    /// An Initiative Check as it was made.
    pub struct Check {
        /// Every d20 that was rolled; more than one with ADV or DisADV.
        pub dice: Vec<Die>,
        /// The face that counts.
        pub natural: u16,
        /// Combat Mastery, Agility and what features add.
        pub bonus: i64,
        /// The result, by which competing claims are settled (DC-18).
        pub total: i64,
        /// Whether it beat the Encounter DC (DC-7).
        pub success: bool,
        /// Whether it was critical (DC-9).
        pub critical: Critical,
    }
}

/// What the natural die says besides success and failure (DC-9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Critical {
    /// Neither.
    None,
    /// A natural 20.
    Success,
    /// A natural 1.
    Failure,
}

redacted! {
    /// An action that waits for its trigger; its Action Points are paid (DC-49).
    pub struct Held {
        /// What will be done.
        pub action: Text<200>,
        /// What it waits for.
        pub trigger: Text<200>,
        /// What was paid.
        pub ap: u32,
    }
}

/// How a combatant came to its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// The PC team chose it for that turn (DC-17).
    Claimed,
    /// It had the highest check of those who wanted that turn (DC-18).
    Contested,
    /// It shares the turn with somebody of the same check result (DC-19).
    Shared,
    /// The game master put it there (DC-20).
    Assigned,
    /// It delayed to that PC Turn (DC-33).
    Delayed,
    /// It delayed until after an enemy (DC-34).
    DelayedAfter,
    /// Its Enemy Turn was merged into that one (DC-25).
    Merged,
    /// It joined after round 1 and got a turn of its own (ADC14).
    Joined,
}

/// A team.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Team {
    /// The players' characters, and important NPCs.
    Pc,
    /// An enemy team: a number from 1, its place in `enemy_teams`; from 9 on its place in `unseen_teams`.
    Enemy(u32),
    /// Those who are hostile to nobody.
    Npc,
}

redacted! {
    /// An Initiative Turn.
    pub struct Slot {
        /// Names it.
        pub id: SlotId,
        /// Whose turn it is.
        pub team: Team,
        /// Who acts in it.
        pub occupants: Vec<CombatantId>,
        /// Whether it was merged into another one and is there no more (DC-25).
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pub removed: bool,
        /// Whether it was laid out for the hidden: nobody is told of it who knows nobody in it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pub unseen: bool,
    }
}

/// What play keeps about the encounter under DC20.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct State {
    /// Where the round is.
    pub phase: Phase,
    /// The Initiative Turn that is going on, was last, or awaits somebody to take it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot: Option<SlotId>,
    /// Whether `slot` is still awaited, after a turn that the game master set meanwhile for somebody without a place.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub put_off: bool,
    /// Whose turns are going on.
    pub acting: Vec<CombatantId>,
    /// The Encounter DC (DC-2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dc: Option<i64>,
    /// The team that took the first turn (DC-13, DC-14).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub winner: Option<Team>,
    /// The sides that are enemy teams, in the order of their rotation (DC-26). Sides beyond the eighth act with the eighth.
    pub enemy_teams: Vec<Slug>,
    /// The sides that were enemy teams before anybody of them was seen; those that are not in `enemy_teams` still are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unseen_teams: Vec<Slug>,
    /// The Initiative Turns in their order.
    #[schema(value_type = Vec<Slot>)]
    pub slots: Arc<Vec<Slot>>,
    /// The shared PC Turns for which Enemy Turns were merged; each one gives that right once (DC-25).
    #[serde(default, alias = "merged_for", deserialize_with = "several", skip_serializing_if = "Vec::is_empty")]
    pub merged_turns: Vec<SlotId>,
    /// The claims of the PC Turn that is awaited, in the order in which they were made (DC-18).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<Claimed>,
    /// Who passed on that turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passed: Vec<CombatantId>,
    /// How many seconds of the fight have passed: 12 for each round that is over (DC-39).
    pub seconds: u64,
}

/// A claim of the PC Turn that is awaited. It stands until all who could take the turn or share it have answered (DC-18).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Claimed {
    /// Who claims it.
    pub combatant: CombatantId,
    /// Whether the claimant agrees to share the turn with equal results (DC-19).
    pub share: bool,
}

/// Where the round is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Not started.
    #[default]
    Setup,
    /// The PC team must say who takes the PC Turn `slot` (DC-17).
    Claim,
    /// The game master must say who acts in the Enemy or NPC Turn `slot` (DC-20).
    Assign,
    /// Somebody's turn is going on.
    Turn,
    /// The PC Turn `slot` is over, and legendary monsters may act (DC-52).
    BetweenTurns,
    /// The round is all but over, and legendary monsters may spend what they have left (DC-53).
    RoundEnd,
    /// Nobody is left in the fight.
    Idle,
    /// The combat is over.
    Over,
    /// Somebody has the turn or must be named of whom the viewer may not know.
    SomeoneActs,
}

impl State {
    /// The Initiative Turn named `id`.
    pub fn slot(&self, id: &SlotId) -> Option<&Slot> {
        self.slots.iter().find(|slot| slot.id == *id)
    }

    /// The Initiative Turn that is going on, was last, or is awaited.
    pub fn at(&self) -> Option<&Slot> {
        self.slot.as_ref().and_then(|id| self.slot(id))
    }

    /// The Initiative Turns of this round that are still to come, in their order.
    pub fn later(&self) -> &[Slot] {
        let passed = self.slot.as_ref().and_then(|id| self.slots.iter().position(|slot| slot.id == *id));
        self.slots.get(passed.map_or(0, |i| i + 1)..).unwrap_or_default()
    }
}

public! { Critical, Way, Team, Phase }
