//! What `custom` keeps.

use crate::json::CachedJson;
use crate::vocabulary::{
    CombatantId, Describe, Die, EffectId, Int, Names, Redact, Slug, Tellable, Word,
};
use macro_rules_attribute::derive;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use serde_with::{DeserializeFromStr, SerializeDisplay};
use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::str::FromStr;
use std::sync::Arc;
use utoipa::ToSchema;

/// What a client tells about a combatant under `custom`.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(default)]
pub struct CombatantStats {
    /// The group with which it shares a score, where the definition says `"per": "group"`.
    pub group: Option<Slug>,
    /// The sum of its own dice without what is added, for its next score. That uses it up.
    #[schema(value_type = Option<i16>, minimum = 1, maximum = 900)]
    pub roll: Option<Int<1, 900>>,
    /// Its numbers, by the names of the definition.
    #[schema(value_type = std::collections::HashMap<String, i16>)]
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub numbers: Arc<BTreeMap<Slug, Int<-1000, 1000>>>,
}

/// What play keeps about a combatant under `custom`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CombatantState {
    /// The turns that it has left in this round.
    #[schema(value_type = u32)]
    pub turns_left: usize,
    /// The turns that it has had in this phase.
    pub turns_in_phase: u32,
    /// Whether it passed in this phase.
    pub passed: bool,
    /// Whether it delays, to return later.
    pub delaying: bool,
    /// The effects that have counted the turn in which it delays.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counted: Vec<EffectId>,
    /// On a clock: whether it has had a turn since all had one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lapped: bool,
    /// Whether it has declared in this round.
    pub has_declared: bool,
    /// What it declared; until all have, the game master's alone.
    pub declared: Option<Slug>,
    /// Whether it is surprised.
    pub surprised: bool,
    /// The pools that it has spent from since the last turn began: once each is all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub used: Vec<Slug>,
    /// Its points in each pool; a pool without any is left out.
    #[schema(value_type = std::collections::HashMap<String, u32>)]
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub pools: BTreeMap<Slug, u32>,
}

/// What play keeps about the encounter under `custom`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!)]
pub struct State {
    /// Where the round is.
    pub mode: Mode,
    /// The number of the phase in the definition, from 0.
    #[schema(value_type = u32)]
    pub phase: usize,
    /// Whether this round's scores are known.
    pub rolled: bool,
    /// The places of the order, first to last.
    #[schema(inline, value_type = Vec<Place>)]
    pub places: Vec<CachedJson<Place>>,
    /// The sides, first to last.
    #[schema(inline)]
    pub sides: Vec<SideState>,
    /// The turns that are going on: the last one is current, and interrupts the one before it.
    #[schema(inline)]
    pub turns: Vec<Turn>,
    /// Whose turn ended or was delayed last.
    pub last: Option<CombatantId>,
    /// Whose place follows that of the last one, if that has left the encounter: the next that is
    /// not hidden.
    pub stood_before: Option<CombatantId>,
    /// Which side acted last in this phase.
    pub last_side: Option<Slug>,
    /// The tick that is reached.
    pub tick: u32,
    /// The cards that are out; the game master's alone.
    #[schema(value_type = Vec<String>)]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cards: Vec<Card>,
    /// The table's points in each pool.
    #[schema(value_type = std::collections::HashMap<String, u32>)]
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub pools: BTreeMap<Slug, u32>,
}

/// Where the round is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Not started.
    #[default]
    Setup,
    /// Combatants declare.
    Declaring,
    /// The dice or cards of the round are awaited.
    Rolling,
    /// Somebody picks who acts next.
    Choosing,
    /// A turn is going on.
    Turn,
    /// Between two turns, some may react.
    Gap {
        /// Combatants that pass on theirs.
        passed: Vec<CombatantId>,
        /// Whether nobody can act in the rest of the round.
        stalled: bool,
    },
    /// Nobody is left in the fight.
    Halted,
    /// A combatant that the viewer does not see has the turn or must choose.
    SomeoneActs,
}

/// A place in the order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Place {
    /// Whose place it is.
    pub combatant: CombatantId,
    /// Which of its turns it is, from 0.
    #[schema(value_type = u32)]
    pub turn: usize,
    /// Whether this turn was taken or lost.
    pub done: bool,
    /// Whether it left the place of its score.
    pub moved: bool,
    /// Why it stands here.
    #[schema(value_type = Score)]
    pub score: CachedJson<Score>,
}

/// A score: what the order is sorted by.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Score {
    /// What is compared, the lowest first: the score, then what breaks ties.
    pub key: Vec<i64>,
    /// The score, or the tick that the combatant has reached.
    pub total: i64,
    /// What was added to the dice.
    pub bonus: i64,
    /// The dice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dice: Vec<Die>,
    /// The card, such as `qs` or `10h`; `j1` and `j2` are the jokers.
    #[schema(value_type = Option<String>)]
    pub card: Option<Card>,
    /// Whether it was not rolled.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
}

impl Describe for Score {
    fn describe(&self, _: &dyn Names, out: &mut String) -> bool {
        match self.card {
            Some(card) => write!(out, "{card}").is_ok(),
            None => write!(out, "{}", self.total).is_ok(),
        }
    }
}

/// A side in the order of sides.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!)]
pub struct SideState {
    /// The side.
    pub side: Slug,
    /// Whether players have seen one of its combatants.
    pub seen: bool,
    /// Whether it was named to open.
    pub first: bool,
    /// Whether it comes last in round 1 because it is surprised.
    pub yields: bool,
    /// Its score, where sides have one.
    #[schema(value_type = Option<Score>)]
    pub score: Option<CachedJson<Score>>,
    /// Whether only hidden combatants have this score, so that it is the game master's alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub score_hidden: bool,
    /// Which of its combatants acted last.
    pub last: Option<CombatantId>,
    /// What its last place that came up was sorted by; the game master's alone.
    #[schema(value_type = Option<Score>)]
    pub count: Option<CachedJson<Score>>,
}

impl SideState {
    /// A side that has not rolled.
    pub(super) fn new(side: Slug, seen: bool) -> Self {
        Self {
            side,
            seen,
            first: false,
            yields: false,
            score: None,
            score_hidden: false,
            last: None,
            count: None,
        }
    }

    /// What sides are sorted by: one without a score is last.
    pub(super) fn rank(&self) -> impl Ord {
        let key = self.score.as_ref().map(|score| &score.key);
        (!self.first, self.yields, key.is_none(), key)
    }

    /// Makes it a side that has not rolled.
    pub(super) fn drop_score(&mut self) {
        self.score = None;
        self.score_hidden = false;
        self.yields = false;
    }

    /// Whether it ranks with the side before it.
    pub(super) fn ties(&self, before: &Self) -> bool {
        self.score.is_some() && self.rank() == before.rank()
    }
}

/// A turn that is going on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Turn {
    /// Whose: several share a turn.
    pub combatants: Vec<CombatantId>,
    /// Those that are done with this step.
    pub done: Vec<CombatantId>,
    /// The number of the step, from 0.
    #[schema(value_type = u32)]
    pub step: usize,
    /// How it came about.
    #[schema(inline)]
    pub kind: TurnKind,
}

impl Describe for Turn {}

/// How a turn came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema, Word!)]
#[serde(rename_all = "snake_case")]
pub enum TurnKind {
    /// By the order, or by being picked.
    Normal,
    /// By returning after delaying.
    Returned,
    /// For points.
    Bought,
    /// By the game master's word.
    Overridden,
}

/// A playing card: its rank from 2 to 15 (a joker), and its suit from 0 (clubs) to 3 (spades).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, DeserializeFromStr, SerializeDisplay,
)]
pub struct Card {
    rank: u8,
    suit: u8,
}

const RANKS: [&str; 13] = [
    "2", "3", "4", "5", "6", "7", "8", "9", "10", "j", "q", "k", "a",
];
const SUITS: [char; 4] = ['c', 'd', 'h', 's'];
const JOKER: u8 = 15;

impl Card {
    /// Every card of the deck.
    pub(super) fn deck() -> impl Iterator<Item = Self> {
        let suited = (2..JOKER).flat_map(|rank| (0..4).map(move |suit| Self { rank, suit }));
        suited.chain((0..2).map(|suit| Self { rank: JOKER, suit }))
    }

    /// Whether it is a joker.
    pub(super) fn is_joker(self) -> bool {
        self.rank == JOKER
    }

    /// What it counts.
    pub(super) fn value(self) -> i64 {
        self.rank.into()
    }

    /// What the order is sorted by, lowest first. Jokers are equal.
    pub(super) fn key(self) -> Vec<i64> {
        let suit = if self.is_joker() { 0 } else { self.suit };
        vec![-i64::from(self.rank), -i64::from(suit)]
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_joker() {
            return write!(f, "j{}", self.suit + 1);
        }
        let rank = RANKS.get(usize::from(self.rank.saturating_sub(2)));
        let suit = SUITS.get(usize::from(self.suit));
        match (rank, suit) {
            (Some(rank), Some(suit)) => write!(f, "{rank}{suit}"),
            // Every card of the deck has both.
            _ => Ok(()),
        }
    }
}

impl FromStr for Card {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::deck().find(|card| card.to_string() == text);
        found.ok_or("a card such as as, qs, 10h or 2c is expected; j1 and j2 are the jokers")
    }
}

impl Redact for CachedJson<Score> {}

impl Redact for Card {}
