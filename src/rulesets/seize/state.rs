//! What Seize the initiative keeps, what of it viewers know, and how much it may hold.

use super::Encounter;
use crate::json::CachedJson;
use crate::rulesets::shared::{at_most, check_own_die};
use crate::vocabulary::{
    Audience, CombatantId, Describe, Die, Fields, Int, MAX_COMBATANTS, Participants, Redact, Slug,
    fact, word,
};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

/// Options of Seize the initiative.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(default)]
pub struct Options {
    /// The number that counts as a 20 or a 1: the die, or the result (WA-6a).
    #[schema(inline)]
    pub crit_on: CritOn,
    /// The rule that decides the first turn if result and bonus are equal (WA-5a).
    #[schema(inline)]
    pub full_tie: FullTie,
    /// Allied or neutral sides besides `players`, at most 16. Their combatants are not enemies and
    /// roll one by one (WA-3).
    #[serde(deserialize_with = "sides", skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 16)]
    pub not_enemies: Vec<Slug>,
}

/// The d20, and the die of the roll-off.
const MAX_DICE: usize = 2;
/// The maximum number of sides in [`Options::not_enemies`].
const MAX_SIDES: usize = 16;

/// Reads at most [`MAX_SIDES`] sides.
fn sides<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Slug>, D::Error> {
    let sides = Vec::deserialize(deserializer)?;
    if sides.len() > MAX_SIDES {
        return Err(Error::invalid_length(
            sides.len(),
            &format!("a list of at most {MAX_SIDES} sides").as_str(),
        ));
    }
    Ok(sides)
}

/// The number that counts as a 20 or a 1 (WA-6a).
#[word]
pub enum CritOn {
    /// The face of the die.
    #[default]
    Natural,
    /// The die and the bonus together: 20 or more, 1 or less.
    Total,
}

/// The rule that decides the first turn if result and bonus are equal (WA-5a).
#[word]
pub enum FullTie {
    /// Each in the tie rolls another d20; if that ties too, `fixed` decides.
    #[default]
    RollOff,
    /// Players' characters go first, then the first to join.
    Fixed,
}

/// The meaning of a roll, the worst first.
#[word]
pub enum Meaning {
    /// A 1: no turn in round 1 (WA-7).
    One,
    /// Any other roll, which counts by its result.
    Plain,
    /// A 20: first of all, with an extra Action in the first turn (WA-6).
    Twenty,
}

/// The fields of a combatant under Seize the initiative.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default, ToSchema, Fields)]
#[serde(deny_unknown_fields, default)]
#[schema(default)]
pub struct CombatantStats {
    /// The Initiative Bonus, added to the roll for the first turn (WA-1). The higher bonus goes
    /// first among several that seize (WA-15). By default the DEX modifier (WA-2).
    pub initiative_bonus: Option<Int<-20, 50>>,
    /// The DEX modifier: the Initiative Bonus if that is not set (WA-2).
    pub dex_modifier: Int<-20, 50>,
    /// The group of enemies that share one roll (WA-3). Other combatants roll one by one.
    pub roll_group: Option<Slug>,
}

impl CombatantStats {
    /// What it takes of another tracker's: the modifier of a roll, and the group that rolls once.
    pub(super) fn known(modifier: Option<i64>, group: Option<&Slug>) -> Map<String, Value> {
        let mut stats = Map::new();
        if let Some(modifier) = modifier.filter(|modifier| (-20..=50).contains(modifier)) {
            stats.insert("dex_modifier".to_owned(), modifier.into());
        }
        if let Some(group) = group {
            stats.insert("roll_group".to_owned(), group.as_str().into());
        }
        stats
    }

    /// The Initiative Bonus (WA-2).
    pub fn bonus(&self) -> i64 {
        self.initiative_bonus.unwrap_or(self.dex_modifier).get()
    }
}

/// The state of a combatant under Seize the initiative.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CombatantState {
    /// Its own d20, rolled before the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_die: Option<Die>,
    /// True if it rolled a 1 and takes no turn in round 1 (WA-7).
    pub skips_round_1: bool,
    /// True if it rolled a 20 and still has its extra Action, for its first turn only (WA-6).
    pub extra_action: bool,
    /// True if it lost hit points since the current or last turn started, and has not answered
    /// whether it seizes the next one (WA-12).
    pub hurt: bool,
}

/// The state of the encounter under Seize the initiative.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct State {
    /// The phase of the round.
    pub phase: Phase,
    /// The combatant that took the last turn. Its controller chooses who acts next (WA-8), even if
    /// the combatant has died (WA-8a).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_actor: Option<CombatantId>,
    /// The seized turns to come, in order (WA-15, WA-15a).
    pub queue: Vec<Seizer>,
    /// The turns of this round so far, with the current one.
    #[schema(value_type = Vec<Taken>)]
    pub turns: Vec<CachedJson<Taken>>,
    /// The number of windows so far in which turns could be seized; 0 for all but the game master.
    pub windows: u32,
}

/// The phase of a round.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Not started.
    #[default]
    Setup,
    /// A turn is in progress.
    InTurn {
        /// The combatant that has the turn.
        actor: CombatantId,
    },
    /// A turn is over, and the combatants hurt in it seize the next one or pass (WA-13).
    Seize {},
    /// A turn is over, and its controller chooses who acts next (WA-8).
    Nominate {},
    /// A round has started, and the last to act chooses who starts it (WA-11).
    NominateFirst {},
    /// The fight is over.
    Over,
    /// A combatant that the viewer does not see has the turn or must decide.
    SomeoneActs,
}

impl Phase {
    /// The choice of the next combatant, or of the first of a round.
    pub(super) fn choice(starts_round: bool) -> Self {
        if starts_round {
            Self::NominateFirst {}
        } else {
            Self::Nominate {}
        }
    }
}

/// A combatant waiting for a seized turn.
#[fact]
pub struct Seizer {
    /// The combatant.
    pub combatant: CombatantId,
    /// Its Initiative Bonus at that time, which orders turns seized after the same turn (WA-15).
    pub bonus: i64,
    /// The window in which it seized; earlier ones go first (WA-15a).
    pub window: u32,
    /// The others that seized after the same turn with the same bonus, so that WA-5a decides.
    #[default]
    pub tied: Vec<CombatantId>,
}

/// A turn of this round.
#[fact]
pub struct Taken {
    /// The combatant.
    pub combatant: CombatantId,
    /// The way in which it got the turn.
    pub way: Way,
}

impl Seizer {
    /// The way in which it gets its turn.
    pub(super) fn way(&self) -> Way {
        Way::Seized {
            bonus: self.bonus,
            tied: self.tied.clone(),
        }
    }
}

impl Describe for Way {}

/// The ways to get a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// It won the roll at the start of the fight (WA-4).
    Rolled {
        /// The d20, and the die of the roll-off if it rolled one.
        dice: Vec<Die>,
        /// The Initiative Bonus, added to the first die.
        bonus: i64,
        /// The first die and the bonus.
        total: i64,
        /// The meaning of the roll.
        #[schema(inline)]
        meaning: Meaning,
        /// The others with the same result, the next best first.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        equals: Vec<Equal>,
    },
    /// The combatant that had the turn before chose it (WA-8, WA-11).
    Nominated {
        /// The combatant that chose; absent if the game master chose for one that has left.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        nominated_by: Option<CombatantId>,
    },
    /// It had lost hit points and seized the turn (WA-12).
    Seized {
        /// Its Initiative Bonus at that time.
        bonus: i64,
        /// The others that seized after the same turn with the same bonus.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tied: Vec<CombatantId>,
    },
    /// The game master set it.
    Overridden {},
}

/// A roll with the same result as the best.
#[fact]
pub struct Equal {
    /// The combatant that rolled, or all of a group.
    pub combatants: Participants,
    /// True if the Initiative Bonus is the same too, so that a roll-off or the order of joining
    /// decided (WA-5a); else the bonus did (WA-5).
    pub same_bonus: bool,
}

impl State {
    /// Removes the name of a combatant that has left. Its turn stays in progress until it is ended.
    pub(super) fn forget(&mut self, left: &CombatantId) {
        let others = Audience::all_but(left);
        self.queue = self.queue.redact(&others).unwrap_or_default();
        self.turns = self.turns.redact(&others).unwrap_or_default();
        self.last_actor.take_if(|last| last == left);
    }
}

/// Someone acts, if the audience does not know whose turn it is.
impl Redact for Phase {
    fn redact(&self, audience: &Audience<'_>) -> Option<Self> {
        match self {
            Self::InTurn { actor } if !audience.knows(actor) => Some(Self::SomeoneActs),
            phase => Some(phase.clone()),
        }
    }
}

/// Without the roll-off, if all who rolled off with it are hidden.
impl Redact for Way {
    fn redact(&self, audience: &Audience<'_>) -> Option<Self> {
        let mut known = self.clone();
        match &mut known {
            Self::Nominated { nominated_by } => *nominated_by = nominated_by.redact(audience)?,
            Self::Seized { tied, .. } => *tied = tied.redact(audience)?,
            Self::Rolled { dice, equals, .. } => {
                *equals = equals.redact(audience)?;
                dice.truncate(if equals.iter().any(|equal| equal.same_bonus) {
                    2
                } else {
                    1
                });
            }
            Self::Overridden {} => {}
        }
        Some(known)
    }
}

/// Refuses a state that no play leads to.
pub(super) fn check(encounter: &Encounter) -> Result<(), String> {
    for c in encounter.iter() {
        check_own_die(c.state.own_die)?;
    }
    let state = &encounter.state;
    at_most("state.queue", state.queue.len(), MAX_COMBATANTS)?;
    at_most("state.turns", state.turns.len(), MAX_COMBATANTS)?;
    for seizer in &state.queue {
        at_most("state.queue.tied", seizer.tied.len(), MAX_COMBATANTS)?;
    }
    for taken in &state.turns {
        check_way(&taken.way)?;
    }
    Ok(())
}

fn check_way(way: &Way) -> Result<(), String> {
    match way {
        Way::Rolled { dice, equals, .. } => {
            at_most("state.turns.way.dice", dice.len(), MAX_DICE)?;
            at_most("state.turns.way.equals", equals.len(), MAX_COMBATANTS)?;
            let combatants = equals.iter().map(|equal| equal.combatants.len()).sum();
            at_most(
                "state.turns.way.equals.combatants",
                combatants,
                MAX_COMBATANTS,
            )
        }
        Way::Seized { tied, .. } => at_most("state.turns.way.tied", tied.len(), MAX_COMBATANTS),
        Way::Nominated { .. } | Way::Overridden {} => Ok(()),
    }
}
