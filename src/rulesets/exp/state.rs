//! What EXP keeps.

use super::{Announced, Persona, Table, Use};
use crate::vocabulary::{CombatantId, Die, Int, OUT, Slug, public, redacted};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::sync::Arc;
use utoipa::ToSchema;

/// Options of EXP.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// How a Normal AWE roll is made (AEX3).
    #[schema(inline, default = "roll_under")]
    pub awe_mode: AweMode,
    /// Which edition's encumbrance table changes the initiative (EX-11), if any.
    #[schema(inline, default = "off")]
    pub encumbrance_table: EncumbranceTable,
}

/// How a Normal AWE roll is made (EX-26).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AweMode {
    /// A d20 of at most AWE and level.
    #[default]
    RollUnder,
    /// A d20 with AWE and level of at least 18.
    #[serde(rename = "fixed_18")]
    Fixed18,
    /// A d20 with AWE and level of at least a d20 of the referee's.
    #[serde(rename = "opposed_d20")]
    OpposedD20,
}

/// Which encumbrance table changes the initiative (EX-11).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum EncumbranceTable {
    /// None.
    #[default]
    Off,
    /// Free +1, unencumbered 0, encumbered -2, over-encumbered -4, lift only -6.
    Older,
    /// Free +2, light +1, unencumbered (there: normal) 0, encumbered (there: burdened) -4, lift only -6.
    Newer,
}

/// What a client tells about a persona under EXP.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CombatantStats {
    /// What sort of persona it is.
    #[schema(inline, default = "anthro")]
    pub persona: Sort,
    /// Dexterity: part of the initiative (EX-1). An anthro's is 3 to 18, an alien's 1 to 26.
    #[schema(default = 10)]
    pub dex: Int<1, 26>,
    /// Awareness: what a wait jump is rolled on (EX-26).
    #[schema(default = 10)]
    pub awe: Int<1, 26>,
    /// Mental strength: the initiative of mental attacks (EX-32). 0 for a persona without a mental attack; a robot's counts
    /// as 0 whatever stands here (EX-34).
    #[schema(default = 0)]
    pub mstr: Int<0, 26>,
    /// Experience level: part of every roll here.
    #[schema(default = 1)]
    pub level: Int<1, 100>,
    /// What it carries; it counts only where the option `encumbrance_table` is on (EX-11).
    #[schema(inline, default = "unencumbered")]
    pub encumbrance: Encumbrance,
    /// The crowd that it belongs to: personas with the same word here share one roll and one place in the list (EX-4). A
    /// player's persona with a `group` rolls with it too (AEX10).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<CombatantId>,
}

impl Default for CombatantStats {
    fn default() -> Self {
        Self {
            persona: Sort::Anthro,
            dex: Int::clamped(10),
            awe: Int::clamped(10),
            mstr: Int::default(),
            level: Int::clamped(1),
            encumbrance: Encumbrance::Unencumbered,
            group: None,
        }
    }
}

/// What sort of persona it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sort {
    /// The only sort that can be stunned or knocked out (EX-24).
    #[default]
    Anthro,
    /// Cannot be stunned or knocked out.
    Alien,
    /// Cannot be stunned or knocked out, and has no mind to attack with (EX-34).
    Robot,
}

/// What a persona carries (EX-11).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Encumbrance {
    /// Next to nothing.
    Free,
    /// Little; the older table counts it as unencumbered.
    Light,
    /// The usual.
    #[default]
    Unencumbered,
    /// Much.
    Encumbered,
    /// Too much; the newer table counts it as encumbered.
    OverEncumbered,
    /// As much as it can lift.
    LiftOnly,
}

impl EncumbranceTable {
    /// What the table adds to the initiative of one who carries this much (EX-11).
    pub(super) fn modifier(self, carried: Encumbrance) -> i64 {
        let row: [i64; 6] = match self {
            Self::Off => return 0,
            Self::Older => [1, 0, 0, -2, -4, -6],
            Self::Newer => [2, 1, 0, -4, -4, -6],
        };
        let [free, light, unencumbered, encumbered, over, lift] = row;
        match carried {
            Encumbrance::Free => free,
            Encumbrance::Light => light,
            Encumbrance::Unencumbered => unencumbered,
            Encumbrance::Encumbered => encumbered,
            Encumbrance::OverEncumbered => over,
            Encumbrance::LiftOnly => lift,
        }
    }
}

/// One of the two things that a persona can do in a unit (EX-12).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Component {
    /// The move.
    Move,
    /// The attack, or any other action.
    Act,
}

/// What has become of a component in this unit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Spending {
    /// Not yet asked for.
    #[default]
    Pending,
    /// Waited: to be used in a later pass, or by a wait jump.
    Waited,
    /// Used.
    Done,
    /// Lost for this unit.
    Lost,
}

impl Spending {
    /// Whether it can still be used.
    pub(super) fn open(self) -> bool {
        matches!(self, Self::Pending | Self::Waited)
    }
}

/// What play keeps about a persona under EXP.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CombatantState {
    /// Its place in this unit's list, 1 for the highest initiative; none for one that has not rolled in this unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank: Option<u32>,
    /// What has become of its move.
    #[serde(rename = "move")]
    #[schema(inline)]
    pub movement: Spending,
    /// What has become of its attack or action.
    #[schema(inline)]
    pub act: Spending,
    /// Whether it has been asked in this unit.
    pub asked: bool,
}

impl CombatantState {
    /// Whether anything is left to be used.
    pub(super) fn open(&self) -> bool {
        self.movement.open() || self.act.open()
    }

    /// What has become of this component.
    pub(super) fn of(&self, component: Component) -> Spending {
        match component {
            Component::Move => self.movement,
            Component::Act => self.act,
        }
    }

    /// Sets what has become of this component.
    pub(super) fn set(&mut self, component: Component, spending: Spending) {
        match component {
            Component::Move => self.movement = spending,
            Component::Act => self.act = spending,
        }
    }
}

/// What play keeps about the encounter under EXP.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct State {
    /// Where the unit is.
    #[schema(inline)]
    pub phase: Phase,
    /// The pass through the list, from 1; 0 before the first unit.
    pub pass: u32,
    /// The rank that is asked, or was asked last in this pass; 0 at the top.
    pub cursor: u32,
    /// Who is asked and has not answered: one persona, or those of a crowd.
    pub asked: Vec<CombatantId>,
    /// What the one who is asked has announced and not yet done (AEX13).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub announced: Option<Announced>,
    /// The wait jumps over the act that is about to happen.
    pub jumps: Vec<Jumper>,
    /// Who of a mental duel has still to attack, in order (EX-32).
    pub duel: Vec<CombatantId>,
    /// The list of this unit, highest first (EX-5).
    #[schema(value_type = Vec<Roll>)]
    pub ranking: Arc<Vec<Roll>>,
}

/// Where the unit is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Before the first unit.
    #[default]
    Setup,
    /// The next unit's initiative is to be rolled.
    Roll,
    /// A pass through the list is going on.
    Pass,
    /// Somebody is asked of whom the viewer may not know.
    SomeoneActs,
}

redacted! {
    /// A wait jump over the act that is about to happen.
    pub struct Jumper {
        /// Who jumped.
        pub combatant: CombatantId,
        /// Whether it came off.
        pub success: bool,
    }
}

/// An initiative roll.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Roll {
    /// Whose: a persona's id, or the word that a crowd shares.
    pub id: CombatantId,
    /// Who stands at this place.
    pub combatants: Vec<CombatantId>,
    /// The d20.
    pub die: Die,
    /// What was added to it.
    pub bonus: i64,
    /// What it came to.
    pub total: i64,
    /// The d10s that broke a tie, each a further digit (EX-7).
    pub digits: Vec<Die>,
}

impl Roll {
    /// Descending: the higher total first, then the higher digits one by one, 10 being the highest (AEX4).
    pub(super) fn compare(&self, other: &Self) -> Ordering {
        let digits = |roll: &Self| roll.digits.iter().map(|d| d.face).collect::<Vec<_>>();
        other.total.cmp(&self.total).then_with(|| digits(other).cmp(&digits(self)))
    }

    /// As people write it: 17, or 17.8 after a tie.
    pub(super) fn written(&self) -> String {
        let digits: String = self.digits.iter().map(|d| d.face.to_string()).collect();
        if digits.is_empty() { self.total.to_string() } else { format!("{}.{digits}", self.total) }
    }
}

impl CombatantStats {
    /// The bonus of a mental attack's initiative (EX-32).
    pub(super) fn mental_bonus(&self) -> i64 {
        self.mstr.get() + self.level.get()
    }

    /// Whether it can attack with its mind: it has the strength for it and is no robot (EX-34).
    pub(super) fn mental(&self) -> bool {
        self.persona != Sort::Robot && self.mstr.get() > 0
    }
}

/// Whether it can do anything: it is in the fight, and neither it nor (of a group) all its members are stopped (EX-23). What only
/// anthros can get stops nobody else, however it was written down (EX-24).
pub(super) fn able(c: &Persona) -> bool {
    let anthro = c.stats.persona == Sort::Anthro;
    let stopped = |conditions: &[Slug]| conditions.iter().any(|x| x == "paralyzed" || anthro && knocks_out(x));
    let out = |conditions: &[Slug]| conditions.iter().any(|x| OUT.contains(&x.as_str()));
    let stands = |conditions: &[Slug]| !stopped(conditions) && !out(conditions);
    c.active() && !stopped(&c.conditions) && (c.members.is_empty() || c.members.iter().any(|m| stands(&m.conditions)))
}

/// Whether a condition is one that only anthros can get (EX-24).
pub(super) fn knocks_out(condition: &Slug) -> bool {
    condition == "stunned" || condition == "unconscious"
}

/// Whether the place of this rank is the lowest that still can do anything: it may not wait (EX-15). So is one without a rank,
/// whom nobody would ask again.
pub(super) fn lowest(table: &Table, rank: Option<u32>) -> bool {
    lowest_of(table, rank, |_| true)
}

/// The same among those who are `seen`.
pub(super) fn lowest_of(table: &Table, rank: Option<u32>, seen: impl Fn(&Persona) -> bool) -> bool {
    let Some(rank) = rank else { return true };
    let below = |c: &Persona| c.state.rank.is_some_and(|r| r > rank) && c.state.open() && able(c);
    !table.iter().any(|c| below(c) && seen(c))
}

/// The announcement that stands: one who has meanwhile become the lowest may not wait as it said, and is free to say anew.
pub(super) fn announced(table: &Table) -> Option<&Announced> {
    let announced = table.state.announced.as_ref()?;
    let waits = announced.movement == Some(Use::Wait) || announced.act == Some(Use::Wait);
    let rank = table.get(&announced.combatant)?.state.rank;
    (!waits || !lowest(table, rank)).then_some(announced)
}

/// The word under which a persona rolls: its crowd's, or its own id (EX-4, AEX10).
pub(super) fn roll_id(c: &Persona) -> &CombatantId {
    c.stats.group.as_ref().unwrap_or(&c.id)
}

public! { Component }
