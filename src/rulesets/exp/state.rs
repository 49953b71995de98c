//! What EXP keeps, what of it viewers know, and how much it may hold.

use super::{Announced, Combatant, Encounter, JumpAnnounced, Use};
use crate::rulesets::shared::{at_most, within};
use crate::vocabulary::{
    Audience, CombatantId, D10, Describe, Die, Fields, Int, MAX_COMBATANTS, Redact, word,
};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;
use utoipa::ToSchema;

/// The personas of a mental duel.
const MAX_DUELLISTS: usize = 2;

/// The components of a unit: the move, and the attack or action.
const COMPONENTS: usize = 2;

/// Options of EXP.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(default)]
pub struct Options {
    /// How a Normal AWE roll is made (EX-26).
    #[schema(inline)]
    pub awe_mode: AweMode,
    /// The edition of the encumbrance table that changes the initiative (EX-11), if any.
    #[schema(inline)]
    pub encumbrance_table: EncumbranceTable,
    /// True if an act is announced first if a persona could jump ahead of it. It waits until those
    /// that could have jumped or passed (EX-25b).
    pub jump_window: bool,
    /// True if one AWE roll lets a persona jump with its move and its attack together (EX-29).
    pub jump_both: bool,
    /// The cost of a mental attack (EX-31a).
    #[schema(inline)]
    pub mental_attack_uses: MentalAttackUses,
}

/// The stats of a persona under EXP.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Fields)]
#[serde(deny_unknown_fields, default)]
#[schema(default)]
pub struct CombatantStats {
    /// The sort of persona.
    #[schema(inline)]
    pub persona: Sort,
    /// Dexterity: part of the initiative (EX-1). An anthro's is 3 to 18, an alien's 1 to 26.
    pub dex: Int<1, 26>,
    /// Awareness, for the roll of a wait jump (EX-26).
    pub awe: Int<1, 26>,
    /// Mental strength: the initiative of mental attacks (EX-32); 0 for none. A robot has none
    /// (EX-34).
    pub mstr: Int<0, 26>,
    /// Encumbrance. It counts only if the option `encumbrance_table` is on (EX-11).
    #[schema(inline)]
    pub encumbrance: Encumbrance,
    /// The crowd of the persona: all with the same word share one roll and one place in the list
    /// (EX-4). The roll has the bonus of the member that joined first (EX-4a).
    pub crowd: Option<CombatantId>,
}

impl Default for CombatantStats {
    fn default() -> Self {
        Self {
            persona: Sort::default(),
            dex: Int::clamped(10),
            awe: Int::clamped(10),
            mstr: Int::default(),
            encumbrance: Encumbrance::default(),
            crowd: None,
        }
    }
}

/// How a Normal AWE roll is made (EX-26).
#[word]
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

/// The cost of a mental attack.
#[word]
pub enum MentalAttackUses {
    /// The attack or action of the unit.
    #[default]
    Act,
    /// Nothing: it comes on top of the attack or action, once a unit.
    Nothing,
}

/// An encumbrance table, which changes the initiative (EX-11).
#[word]
pub enum EncumbranceTable {
    /// None.
    #[default]
    Off,
    /// Free +1, unencumbered 0, encumbered -2, over-encumbered -4, lift only -6.
    Older,
    /// Free +2, light +1, unencumbered (there: normal) 0, encumbered (there: burdened) -4, lift
    /// only -6.
    Newer,
}

/// The sort of persona.
#[word]
pub enum Sort {
    /// A person of flesh.
    #[default]
    Anthro,
    /// Not of this world.
    Alien,
    /// A machine, which has no mind to attack with (EX-34).
    Robot,
}

/// Encumbrance (EX-11).
#[word]
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

/// One of the two things that a persona can do in a unit (EX-12).
#[word]
pub enum Component {
    /// The move.
    Move,
    /// The attack, or any other action.
    Act,
}

/// The state of a component in this unit.
#[word]
pub enum Spending {
    /// Not asked yet.
    #[default]
    Pending,
    /// Waited: to be used in a later pass, or by a wait jump.
    Waited,
    /// Used.
    Done,
    /// Lost for this unit.
    Lost,
}

/// The step of the unit.
#[word]
pub enum Phase {
    /// Before the first unit.
    #[default]
    Setup,
    /// The next unit's initiative is to be rolled.
    Roll,
    /// A pass through the list is in progress.
    Pass,
    /// A combatant that the viewer does not see is asked.
    SomeoneActs,
}

impl EncumbranceTable {
    /// What the table adds to the initiative of a persona that carries this much (EX-11).
    pub(super) fn modifier(self, carried: Encumbrance) -> i64 {
        match (self, carried) {
            (Self::Off, _) | (_, Encumbrance::Unencumbered) | (Self::Older, Encumbrance::Light) => {
                0
            }
            (Self::Older, Encumbrance::Free) | (Self::Newer, Encumbrance::Light) => 1,
            (Self::Newer, Encumbrance::Free) => 2,
            (Self::Older, Encumbrance::Encumbered) => -2,
            (Self::Newer, Encumbrance::Encumbered) | (_, Encumbrance::OverEncumbered) => -4,
            (_, Encumbrance::LiftOnly) => -6,
        }
    }
}

impl Spending {
    /// Whether it can still be used.
    pub(super) fn open(self) -> bool {
        matches!(self, Self::Pending | Self::Waited)
    }
}

/// The state of a persona under EXP.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CombatantState {
    /// Its place in this unit's list, 1 for the highest initiative; none if it has not rolled in
    /// this unit.
    pub rank: Option<u32>,
    /// Its move.
    #[schema(inline)]
    pub move_status: Spending,
    /// Its attack or action.
    #[schema(inline)]
    pub act_status: Spending,
    /// True if it has been asked in this unit.
    pub asked: bool,
    /// True if it passes at every announced act, unasked (EX-25c).
    pub keeps_waiting: bool,
    /// True if it has attacked with its mind in this unit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub mental: bool,
    /// The dice that it rolled ahead of the others for the next unit.
    pub own_roll: Option<OwnRoll>,
}

/// The dice that a persona rolled ahead of the others for the next unit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OwnRoll {
    /// The d20.
    pub die: Die,
    /// The d10s for ties, if rolled at the table.
    pub tie_dice: Vec<D10>,
}

impl CombatantState {
    /// Whether any component can still be used.
    pub(super) fn open(&self) -> bool {
        self.move_status.open() || self.act_status.open()
    }

    /// Whether it has used nothing in this unit and lost both components.
    pub(super) fn lost_all(&self) -> bool {
        self.move_status == Spending::Lost && self.act_status == Spending::Lost
    }

    /// The state of this component.
    pub(super) fn of(&self, component: Component) -> Spending {
        match component {
            Component::Move => self.move_status,
            Component::Act => self.act_status,
        }
    }

    /// Sets the state of this component.
    pub(super) fn set(&mut self, component: Component, spending: Spending) {
        match component {
            Component::Move => self.move_status = spending,
            Component::Act => self.act_status = spending,
        }
    }
}

/// The state of the encounter under EXP.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct State {
    /// The step of the unit.
    #[schema(inline)]
    pub phase: Phase,
    /// The pass through the list, from 1; 0 before the first unit.
    pub pass: u32,
    /// The rank that is asked, or was asked last in this pass; 0 at the top. Only the game master
    /// sees that of combatants that others don't see.
    pub cursor: u32,
    /// The personas that are asked and have not answered: one, or several of a crowd.
    pub asked: Vec<CombatantId>,
    /// The announced act that is not done yet (EX-27b).
    #[schema(inline)]
    pub announced: Option<Announced>,
    /// The announced wait jumps that have not taken place, the next one last: each waits for the
    /// personas above it (EX-27a).
    pub jumps: Vec<JumpAnnounced>,
    /// The personas that failed to jump ahead of the act of the list or a jump over it (EX-28a).
    pub failed: Vec<CombatantId>,
    /// The personas that passed at the next act (EX-25b).
    pub kept: Vec<CombatantId>,
    /// The duellists that have not attacked, in order (EX-32).
    pub duel: Vec<CombatantId>,
    /// The list of this unit, highest first (EX-5).
    #[schema(value_type = Vec<InitiativeRoll>)]
    pub ranking: Arc<Vec<InitiativeRoll>>,
}

/// The maximum of d10s that a persona or crowd rolls for a tie. After that the first that joined is
/// first.
pub(super) const MAX_DIGITS: usize = 16;

/// An initiative roll.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct InitiativeRoll {
    /// Persona id, or the crowd's word.
    pub id: CombatantId,
    /// The personas in this place.
    pub combatants: Vec<CombatantId>,
    /// The d20.
    pub die: Die,
    /// The bonus. A crowd's is that of its member that joined first (EX-4a).
    pub bonus: i64,
    /// The total.
    pub total: i64,
    /// The d10s that broke a tie, each a further digit (EX-7).
    pub digits: Vec<Die>,
}

impl Describe for InitiativeRoll {}

impl InitiativeRoll {
    /// Sorts rolls descending by the total, then by each digit, of which 10 is the highest (EX-7a).
    /// Equal rolls get a further digit until they differ (EX-6 to EX-8).
    pub(super) fn sort(rolls: &mut [Self], mut next_digit: impl FnMut(&Self) -> Option<Die>) {
        rolls.sort_by(Self::compare);
        for _ in 0..MAX_DIGITS {
            let mut tied = false;
            for equals in rolls.chunk_by_mut(|a, b| a.compare(b).is_eq()) {
                if equals.len() == 1 {
                    continue;
                }
                tied = true;
                for roll in equals.iter_mut() {
                    let digit = next_digit(roll);
                    roll.digits.extend(digit);
                }
                equals.sort_by(Self::compare);
            }
            if !tied {
                break;
            }
        }
    }

    /// Compares two rolls in the order of the list, highest first.
    fn compare(&self, other: &Self) -> Ordering {
        let by_total = other.total.cmp(&self.total);
        let (own, others) = (self.digits.iter(), other.digits.iter());
        by_total.then_with(|| others.map(|d| d.face).cmp(own.map(|d| d.face)))
    }

    /// The initiative for people, as one of these sorted rolls: 17, or 17.8 after a tie. If a ten
    /// is among the digits of the tie, each has two places, so that 17.10 is more than 17.09.
    pub(super) fn written(&self, rolls: &[Self]) -> String {
        if self.digits.is_empty() {
            return self.total.to_string();
        }
        let first = rolls.partition_point(|roll| roll.total > self.total);
        let tied = rolls.iter().skip(first);
        let has_ten = tied
            .take_while(|roll| roll.total == self.total)
            .any(|roll| roll.digits.iter().any(|digit| digit.face == 10));
        let places = if has_ten { 2 } else { 1 };
        let mut written = format!("{}.", self.total);
        for digit in &self.digits {
            written += &format!("{:0places$}", digit.face);
        }
        written
    }
}

/// True if it can act: it is in the fight, and neither it nor all members of a group are stopped
/// (EX-23).
pub(super) fn able(c: &Combatant) -> bool {
    c.free_of(|condition| matches!(condition, "paralyzed" | "stunned" | "unconscious"))
}

/// True if no lower place can still do anything, among the `seen`: the lowest may not wait (EX-15),
/// nor may a persona without a rank, which is not asked again.
pub(super) fn lowest(
    encounter: &Encounter,
    rank: Option<u32>,
    seen: impl Fn(&Combatant) -> bool,
) -> bool {
    let Some(rank) = rank else { return true };
    for c in encounter.iter() {
        let is_below = c.state.rank > Some(rank);
        if is_below && c.state.open() && able(c) && seen(c) {
            return false;
        }
    }
    true
}

/// The announcement that holds. A persona that is the lowest by now may not wait, so it may
/// announce again.
pub(super) fn announced(encounter: &Encounter) -> Option<&Announced> {
    let announced = encounter.state.announced.as_ref()?;
    let waits = announced.movement == Some(Use::Wait) || announced.act == Some(Use::Wait);
    let rank = encounter.get(&announced.combatant)?.state.rank;
    if waits && lowest(encounter, rank, |_| true) {
        return None;
    }
    Some(announced)
}

/// A roll is for an audience that knows all who rolled; `InitiativeRoll::known` redacts the list of a unit.
impl Redact for InitiativeRoll {
    fn redact(&self, audience: &Audience<'_>) -> Option<Self> {
        self.combatants
            .iter()
            .all(|id| audience.knows(id))
            .then(|| self.clone())
    }
}

impl InitiativeRoll {
    /// The rolls of known combatants, with only the digits that break ties among them.
    pub(super) fn known(rolls: &[Self], audience: &Audience<'_>) -> Vec<Self> {
        let known = rolls.iter().filter_map(|roll| {
            let combatants = roll
                .combatants
                .redact(audience)
                .filter(|known| !known.is_empty())?;
            Some(Self {
                combatants,
                digits: Vec::new(),
                ..roll.clone()
            })
        });
        let mut known: Vec<Self> = known.collect();
        let digits: HashMap<&CombatantId, &Vec<Die>> =
            rolls.iter().map(|roll| (&roll.id, &roll.digits)).collect();
        Self::sort(&mut known, |roll| {
            digits.get(&roll.id)?.get(roll.digits.len()).copied()
        });
        known
    }
}

/// Refuses a state that no play leads to.
pub(super) fn check(encounter: &Encounter) -> Result<(), String> {
    let state = &encounter.state;
    at_most("state.asked", state.asked.len(), MAX_COMBATANTS)?;
    at_most("state.jumps", state.jumps.len(), MAX_COMBATANTS)?;
    for jump in &state.jumps {
        at_most("state.jumps.components", jump.components.len(), COMPONENTS)?;
        at_most("state.jumps.asked_anew", jump.asked_anew.len(), 0)?;
    }
    at_most("state.failed", state.failed.len(), MAX_COMBATANTS)?;
    at_most("state.kept", state.kept.len(), MAX_COMBATANTS)?;
    at_most("state.duel", state.duel.len(), MAX_DUELLISTS)?;
    at_most("state.ranking", state.ranking.len(), MAX_COMBATANTS)?;
    let ranked = state.ranking.iter().map(|roll| roll.combatants.len()).sum();
    at_most("state.ranking.combatants", ranked, MAX_COMBATANTS)?;
    for roll in state.ranking.iter() {
        at_most("state.ranking.digits", roll.digits.len(), MAX_DIGITS)?;
    }
    let last = i64::try_from(state.ranking.len()).unwrap_or(i64::MAX);
    for persona in encounter.iter() {
        if let Some(rank) = persona.state.rank {
            within("rank", rank, 1, last)?;
        }
        if let Some(own) = &persona.state.own_roll {
            at_most("own_roll.tie_dice", own.tie_dice.len(), MAX_DIGITS)?;
        }
    }
    Ok(())
}
