//! What Seize the initiative keeps.

use crate::vocabulary::{
    CombatantId, D20, Describe, Die, Int, Participants, Redact, Slug, Tellable, Word,
};
use macro_rules_attribute::derive;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

/// Options of Seize the initiative.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(default)]
pub struct Options {
    /// What counts as a 20 or a 1: the die, or the result (WA-6a).
    #[schema(inline)]
    pub crit_on: CritOn,
    /// What decides the first turn where result and bonus are equal (WA-5a).
    #[schema(inline)]
    pub full_tie: FullTie,
    /// Sides besides `players` that are allied or neutral: their combatants are not enemies and
    /// roll for themselves (WA-3). At most 16.
    #[serde(deserialize_with = "sides", skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 16)]
    pub not_enemies: Vec<Slug>,
}

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

/// What counts as a 20 or a 1 (WA-6a).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, ToSchema, Word!)]
#[serde(rename_all = "snake_case")]
pub enum CritOn {
    /// The face of the die.
    #[default]
    Natural,
    /// The die and the bonus together: 20 or more, 1 or less.
    Total,
}

/// What decides the first turn where result and bonus are equal (WA-5a).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, ToSchema, Word!)]
#[serde(rename_all = "snake_case")]
pub enum FullTie {
    /// Everybody in the tie rolls one more d20; where that ties too it is decided as under `fixed`.
    #[default]
    RollOff,
    /// A player's character goes first, then the first to join.
    Fixed,
}

/// What a roll means, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema, Word!)]
#[serde(rename_all = "snake_case")]
pub enum Meaning {
    /// A 1: no turn in round 1 (WA-7).
    One,
    /// Nothing besides its result.
    Plain,
    /// A 20: before all others, with an extra Action in the first turn (WA-6).
    Twenty,
}

/// What decides between equal results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema, Word!)]
#[serde(rename_all = "snake_case")]
pub enum Tie {
    /// The higher Initiative Bonus (WA-5).
    Bonus,
    /// The higher die of a roll-off (WA-5a).
    RollOff,
    /// A player's character before others, then the first to join (WA-5a).
    Fixed,
}

/// What a client sets about a combatant under Seize the initiative.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(default)]
pub struct CombatantStats {
    /// The Initiative Bonus, added to the roll for the first turn (WA-1); the higher one goes first
    /// among several who seize (WA-15). The DEX modifier where it is not given (WA-2).
    pub initiative_bonus: Option<Int<-20, 50>>,
    /// The DEX modifier: the Initiative Bonus of a combatant that has none of its own (WA-2).
    pub dex_modifier: Int<-20, 50>,
    /// Enemies with the same word here roll once for all of them (WA-3). Other combatants roll for
    /// themselves.
    pub roll_group: Option<Slug>,
}

impl CombatantStats {
    /// The Initiative Bonus (WA-2).
    pub fn bonus(&self) -> i64 {
        self.initiative_bonus.unwrap_or(self.dex_modifier).get()
    }
}

/// What play keeps about a combatant under Seize the initiative.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CombatantState {
    /// The d20 that its player rolled before the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_die: Option<D20>,
    /// Whether it rolled a 1 and takes no turn in round 1 (WA-7).
    pub skips_round_1: bool,
    /// Whether it rolled a 20 and still has its extra Action, for its first turn only (WA-6).
    pub extra_action: bool,
    /// Whether it lost hit points since the current or last turn began, which lets it seize the
    /// next turn (WA-12).
    pub hurt: bool,
}

/// What play keeps about the encounter under Seize the initiative.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!)]
pub struct State {
    /// Where the round is.
    pub phase: Phase,
    /// Who took the last turn: its controller picks the next one (WA-8), also when it has died
    /// (WA-8a).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_actor: Option<CombatantId>,
    /// The seized turns to come, in their order (WA-15, WA-15a).
    pub queue: Vec<Seizer>,
    /// The turns of this round so far, the one that is going on included.
    pub turns: Vec<Taken>,
    /// Counts the windows in which turns could be seized; 0 for all but the game master.
    pub windows: u32,
}

/// Where the round is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Not started.
    #[default]
    Setup,
    /// A turn is going on.
    InTurn {
        /// Whose turn.
        actor: CombatantId,
    },
    /// A turn is over, and the combatants that it hurt seize the next one or decline (WA-13).
    SeizeDecision {},
    /// A turn is over and the next combatant must be picked (WA-8).
    ChooseNext {},
    /// A round has begun and its first combatant must be picked (WA-11).
    ChooseStarter {},
    /// The fight is over.
    Over,
    /// A combatant that the viewer does not see has the turn or must decide.
    SomeoneActs,
}

impl Phase {
    /// Somebody must be picked: the next combatant, or the first of a round.
    pub(super) fn choice(starter: bool) -> Self {
        if starter {
            Self::ChooseStarter {}
        } else {
            Self::ChooseNext {}
        }
    }
}

/// Somebody who has seized a turn and waits for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Seizer {
    /// The combatant.
    pub combatant: CombatantId,
    /// The Initiative Bonus with which it seized: turns seized after the same turn come in its
    /// order (WA-15).
    pub bonus: i64,
    /// In which window it seized; earlier ones go first (WA-15a).
    pub window: u32,
    /// Who else seized after the same turn with the same bonus, so that WA-5a decides between them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tied: Vec<CombatantId>,
}

impl Describe for Seizer {}

/// A turn of this round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Taken {
    /// The combatant.
    pub combatant: CombatantId,
    /// How it got the turn.
    pub by: Way,
}

impl Describe for Taken {}

impl Seizer {
    /// How it gets its turn.
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
    /// It won the roll at the beginning of the fight (WA-4).
    Rolled {
        /// The d20, and the die of the roll-off where there was one.
        dice: Vec<Die>,
        /// What was added to the first die.
        bonus: i64,
        /// What that came to.
        total: i64,
        /// What the roll means.
        #[schema(inline)]
        meaning: Meaning,
        /// Who had the same result, the next best first.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        equals: Vec<Equal>,
    },
    /// Somebody who had finished a turn picked it (WA-8, WA-11).
    Picked {
        /// Who; nobody where the game master picked it in place of one who has left.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<CombatantId>,
    },
    /// It had lost hit points and seized the turn (WA-12).
    Seized {
        /// Its Initiative Bonus at that time.
        bonus: i64,
        /// Who else seized after the same turn and had the same.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tied: Vec<CombatantId>,
    },
    /// The game master set it.
    Overridden {},
}

/// Somebody whose result was as good as the best.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Equal {
    /// One combatant, or a group that rolls together.
    pub combatants: Participants,
    /// What broke the tie with the best.
    #[schema(inline)]
    pub tie: Tie,
}

impl Describe for Equal {}
