//! What `custom` keeps.

use super::Options;
use super::definition::{KnownTotal, Number};
use crate::json::CachedJson;
use crate::vocabulary::{
    CombatantId, Describe, Die, EffectId, FieldType, Fields, INLINE, Int, Names, Redact, Slug,
    Total, Values, fact, word,
};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use serde_with::{DeserializeFromStr, SerializeDisplay};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write};
use std::str::FromStr;
use std::sync::Arc;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// Combatant fields of the custom ruleset.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default, ToSchema, Fields)]
#[serde(deny_unknown_fields, default)]
#[schema(default)]
pub struct CombatantStats {
    /// The group with which it shares an initiative, if groups roll as one.
    pub group: Option<Slug>,
    /// Sum of its own dice, without bonuses, for its next initiative. The initiative uses it up.
    #[schema(value_type = Option<i16>, minimum = 1, maximum = 900)]
    pub roll: Option<Int<1, 900>>,
    /// Its next initiative, if it is known, from -1000 to 1000; two decimals are kept. Nothing is rolled
    /// or added for it. The initiative uses it up.
    #[schema(value_type = Option<f64>, minimum = -1000, maximum = 1000)]
    pub initiative: Option<KnownTotal>,
    /// Its numbers, by the names in the definition.
    #[schema(value_type = std::collections::HashMap<String, i16>)]
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub numbers: Arc<BTreeMap<Slug, Number>>,
}

impl CombatantStats {
    /// Forgets the roll and the initiative that it brought.
    pub(super) fn use_up_roll(&mut self) {
        self.roll = None;
        self.initiative = None;
    }
}

/// State of a combatant in the custom ruleset.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CombatantState {
    /// Turns left in this round.
    #[schema(value_type = u32)]
    pub turns_left: usize,
    /// Turns taken in this round.
    pub turns_taken: u32,
    /// True if it delays its turn.
    pub delaying: bool,
    /// Position of the delayed turn among the combatant's turns of this round, from 0. Absent for
    /// a turn of an earlier round.
    #[schema(value_type = Option<u32>)]
    pub delayed_turn: Option<usize>,
    /// Effects that have counted the delayed turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counted: Vec<EffectId>,
    /// True if its next turn has begun before: it was delayed, or given back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub resumes: bool,
    /// On a clock: true if it has had a turn since all had one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lapped: bool,
    /// True if it has declared in this round.
    pub has_declared: bool,
    /// Its declaration. Only the game master sees it until all have declared.
    pub declared: Option<Slug>,
    /// True if it is surprised.
    pub surprised: bool,
    /// Reactions used since the last turn started, once each at most.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub used: Vec<Slug>,
    /// Readied reactions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub readied_reactions: Vec<Slug>,
    /// Points in each pool. Empty pools are left out.
    #[schema(value_type = std::collections::HashMap<String, u32>)]
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub pools: BTreeMap<Slug, u32>,
    /// Its points where the viewer does not see them. They are never written, and two combatants that
    /// differ in them alone look the same.
    #[serde(skip)]
    #[schema(ignore)]
    pub unseen_pools: UnseenPools,
}

impl CombatantState {
    /// Sets what it declares in this round.
    pub(super) fn declare(&mut self, choice: Option<Slug>) {
        self.has_declared = true;
        self.declared = choice;
    }
}

/// The points of a combatant that a viewer does not see, by which its view knows who may react.
#[derive(Debug, Clone, Default)]
pub struct UnseenPools(pub BTreeMap<Slug, u32>);

impl PartialEq for UnseenPools {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for UnseenPools {}

/// State of an encounter in the custom ruleset.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct State {
    /// The current step of the fight.
    pub mode: Mode,
    /// Seat of the combatant that begins, if they sit in a circle. Only the game master sees it.
    pub first_seat: Option<i64>,
    /// True if this round's initiative is known.
    pub rolled: bool,
    /// True until a combatant has had a turn in this round by the order.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub starting: bool,
    /// The options that hold from the next round on.
    #[schema(value_type = Option<std::collections::HashMap<String, serde_json::Value>>)]
    pub planned: Option<Options>,
    /// True from a change of the definition until its first round has started.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fresh: bool,
    /// Places in the order, first to last.
    #[schema(inline, value_type = Vec<Place>)]
    pub places: Vec<CachedJson<Place>>,
    /// Sides, first to last.
    #[schema(inline)]
    pub sides: Vec<SideState>,
    /// Turns in progress. The last one is current, and interrupts the one before.
    #[schema(inline)]
    pub turns: Vec<Turn>,
    /// The combatant whose turn last ended or was delayed.
    pub last: Option<CombatantId>,
    /// True once a turn has ended or was delayed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub opened: bool,
    /// A swap of places that was offered. It lapses when one of the two starts a turn or leaves.
    #[schema(inline)]
    pub offer: Option<Offer>,
    /// The next visible combatant in the order after that one, if that one has left.
    pub stood_before: Option<CombatantId>,
    /// The side that acted last.
    pub last_side: Option<Slug>,
    /// True if a hidden combatant acted for that side, so that only the game master sees which it
    /// was.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub last_side_hidden: bool,
    /// Sides that let another one go first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<Slug>,
    /// The current tick; 0 for viewers who don't see the combatant that acts on it.
    pub tick: u32,
    /// Cards that are not in the deck. Only the game master sees them.
    #[schema(value_type = Vec<String>)]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cards: Vec<Card>,
    /// Points of the table in each pool.
    #[schema(value_type = std::collections::HashMap<String, u32>)]
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub pools: BTreeMap<Slug, u32>,
}

impl State {
    /// Ends an offer to swap in which a combatant has part.
    pub(super) fn drop_offer(&mut self, id: &CombatantId) {
        self.offer
            .take_if(|offer| offer.combatant == *id || offer.with == *id);
    }
}

/// The current step of the fight.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Not started.
    #[default]
    Setup,
    /// Combatants declare.
    Declaring,
    /// The round needs its dice or cards.
    Rolling,
    /// Combatants choose which of their cards counts.
    Keeping,
    /// A player or the game master chooses who acts next.
    Choosing,
    /// A turn is in progress.
    Turn,
    /// Some combatants may react before the next turn.
    Gap {
        /// Combatants that passed.
        passed: BTreeSet<CombatantId>,
        /// Where in the round it opened.
        at: GapAt,
    },
    /// No combatant is left in the fight.
    Halted,
    /// A combatant that the viewer can't see has the turn or must choose.
    SomeoneActs,
}

/// Where in a round a gap opens.
#[word]
pub enum GapAt {
    /// Before its first turn by the order.
    RoundStart,
    /// After a turn.
    AfterTurn,
    /// Before it ends, because no combatant can act any more.
    RoundEnd,
}

/// A place in the order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Place {
    /// The combatant.
    pub combatant: CombatantId,
    /// Position among the turns of the combatant, from 0.
    #[schema(value_type = u32)]
    pub turn: usize,
    /// True if this turn was taken or lost.
    pub done: bool,
    /// True if it left the place that its initiative gives.
    pub moved: bool,
    /// True if a choice among equal places has put it here, which holds for later rounds.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub settled: bool,
    /// The initiative.
    #[schema(value_type = Initiative)]
    #[serde(rename = "initiative_score")]
    pub initiative: CachedJson<Initiative>,
}

impl Place {
    /// True if another place differs from it at most in `done`.
    pub(super) fn is_but_for_done(&self, other: &Self) -> bool {
        let Self {
            combatant,
            turn,
            done: _,
            moved,
            settled,
            initiative,
        } = self;
        *combatant == other.combatant
            && *turn == other.turn
            && *moved == other.moved
            && *settled == other.settled
            && *initiative == other.initiative
    }
}

/// An initiative, by which the order is sorted.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Initiative {
    /// A number of the combatant for each key of the order: the lowest is first. 0 for a key that
    /// compares something else.
    pub key: Vec<i64>,
    /// The initiative; on a clock, the tick of the combatant.
    #[schema(value_type = f64)]
    pub total: Total,
    /// Bonus added to the dice.
    pub bonus: i64,
    /// The dice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dice: Vec<Die>,
    /// The card, such as `qs` or `10h`; `j1` and `j2` are the jokers. In a deck of numbers, a
    /// number.
    #[schema(value_type = Option<String>)]
    pub card: Option<Card>,
    /// Other cards, of which the combatant may choose one instead.
    #[schema(value_type = Vec<String>)]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spare: Vec<Card>,
    /// True if the initiative was known, and nothing was rolled or added for it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub known: bool,
    /// True if the initiative is fixed, not rolled.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fixed: bool,
    /// Changes since the roll. The initiative includes them.
    #[serde(default, skip_serializing_if = "Changes::is_none")]
    #[schema(inline)]
    pub changes: Changes,
}

impl Initiative {
    /// What the combatant brought for the key at this position.
    pub(super) fn key_at(&self, at: usize) -> i64 {
        self.key.get(at).copied().unwrap_or(0)
    }

    /// The same with something added to it.
    pub(super) fn shifted(&self, by: Total) -> Self {
        Self {
            total: self.total + by,
            ..self.clone()
        }
    }

    /// The same after a change.
    pub(super) fn changed(&self, cause: Cause, by: Total) -> Self {
        let mut changed = self.shifted(by);
        let changes = changed.changes.of_mut(cause);
        *changes = *changes + by;
        changed
    }

    /// The cards that it may be: the one that counts, and those that may count instead.
    pub(super) fn cards_to_choose(&self) -> Vec<Card> {
        let mut cards = self.spare.clone();
        if !cards.is_empty() {
            cards.extend(self.card);
        }
        cards
    }

    /// The same with this card for good, one of those that it may be.
    pub(super) fn keeping(&self, card: Card) -> Self {
        let before = self.card.map_or(0, Card::value);
        let mut kept = self.shifted((card.value() - before).into());
        kept.spare.clear();
        kept.card = Some(card);
        kept
    }

    /// The same without the changes of these causes.
    pub(super) fn without(&self, causes: &[Cause]) -> Self {
        let mut rest = self.clone();
        for cause in causes {
            let change = *rest.changes.of_mut(*cause);
            rest = rest.changed(*cause, -change);
        }
        rest
    }
}

/// Changes of an initiative since the roll, by cause.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Changes {
    /// The costs of turns.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schema(value_type = f64)]
    pub by_turns: Total,
    /// Lost hit points.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schema(value_type = f64)]
    pub by_wounds: Total,
    /// Conditions.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schema(value_type = f64)]
    pub by_conditions: Total,
    /// The costs of reactions.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schema(value_type = f64)]
    pub by_reactions: Total,
    /// Change by the game master.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schema(value_type = f64)]
    pub by_game_master: Total,
}

impl Changes {
    fn is_none(&self) -> bool {
        *self == Self::default()
    }

    fn of_mut(&mut self, cause: Cause) -> &mut Total {
        match cause {
            Cause::Turn => &mut self.by_turns,
            Cause::Wounds => &mut self.by_wounds,
            Cause::Condition => &mut self.by_conditions,
            Cause::Spent => &mut self.by_reactions,
            Cause::Set => &mut self.by_game_master,
        }
    }

    /// Each that is not 0, with the words for it.
    pub(super) fn in_words(self) -> impl Iterator<Item = (Total, &'static str)> {
        let all = [
            (self.by_turns, "turns"),
            (self.by_wounds, "wounds"),
            (self.by_conditions, "conditions"),
            (self.by_reactions, "reactions"),
            (self.by_game_master, "a correction"),
        ];
        all.into_iter().filter(|(change, _)| !is_zero(change))
    }
}

/// The cause of a change of initiative.
#[word]
pub enum Cause {
    /// The cost of a turn.
    Turn,
    /// Lost hit points.
    Wounds,
    /// A condition.
    Condition,
    /// The cost of a reaction.
    Spent,
    /// The game master's word.
    Set,
}

impl Cause {
    /// All of them.
    pub(super) const ALL: [Self; 5] = [
        Self::Turn,
        Self::Wounds,
        Self::Condition,
        Self::Spent,
        Self::Set,
    ];
}

fn is_zero<N: Default + PartialEq>(number: &N) -> bool {
    *number == N::default()
}

impl Describe for Initiative {
    fn describe(&self, _: &dyn Names, out: &mut String) -> bool {
        match self.card {
            Some(card) => {
                out.push_str(&card.name());
                true
            }
            None => write!(out, "{}", self.total).is_ok(),
        }
    }
}

/// A side in the order of sides.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SideState {
    /// The side.
    pub side: Slug,
    /// True if players have seen one of its combatants.
    pub seen: bool,
    /// True if `first_side` named it, until the next roll or `set_initiative`.
    pub first: bool,
    /// True if it comes last in round 1, because it is surprised.
    pub yields: bool,
    /// Its initiative, if sides have initiative.
    #[schema(value_type = Option<Initiative>)]
    #[serde(rename = "initiative_score")]
    pub initiative: Option<CachedJson<Initiative>>,
    /// True if only hidden combatants have this initiative, so that only the game master sees it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub initiative_hidden: bool,
    /// The combatant of the side that acted last. Others than the game master see it while it
    /// chooses.
    pub last: Option<CombatantId>,
    /// Points of the side in each pool. Empty pools are left out.
    #[schema(value_type = std::collections::HashMap<String, u32>)]
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub pools: BTreeMap<Slug, u32>,
    /// How far it has come in this round. Only the game master sees it.
    #[schema(inline)]
    pub reached: Option<Reached>,
}

impl SideState {
    /// A side that has not rolled.
    pub(super) fn new(side: Slug, seen: bool) -> Self {
        Self {
            side,
            seen,
            first: false,
            yields: false,
            initiative: None,
            initiative_hidden: false,
            last: None,
            pools: BTreeMap::new(),
            reached: None,
        }
    }

    /// Makes it a side that has not rolled.
    pub(super) fn drop_initiative(&mut self) {
        self.initiative = None;
        self.initiative_hidden = false;
        self.yields = false;
    }
}

/// The last place of a side that came up in a round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Reached {
    /// Its position among the turns of its combatant, from 0.
    #[schema(value_type = u32)]
    pub turn: usize,
    /// Its initiative.
    #[schema(value_type = Initiative)]
    #[serde(rename = "initiative_score")]
    pub initiative: CachedJson<Initiative>,
}

/// An offer to swap places.
#[fact]
pub struct Offer {
    /// The combatant that offers.
    pub combatant: CombatantId,
    /// The combatant that may accept.
    pub with: CombatantId,
}

/// A turn in progress.
#[fact]
pub struct Turn {
    /// The combatants. Several share a turn.
    pub combatants: Vec<CombatantId>,
    /// Combatants that have finished this step.
    pub done: Vec<CombatantId>,
    /// Position of the step, from 0.
    #[schema(value_type = u32)]
    pub step: usize,
    /// How it came about.
    #[schema(inline)]
    pub origin: TurnOrigin,
}

/// How a turn came about.
#[word]
pub enum TurnOrigin {
    /// By the order, or by choice.
    Normal,
    /// By returning to a delayed turn.
    Returned,
    /// One more turn, by a reaction.
    Bought,
    /// The combatant's own turn, by a reaction.
    Early,
    /// By an override of the game master.
    Overridden,
}

/// A card: its rank, from 2 to 15 (a joker) of a playing card, and its suit from 0 (clubs) to 3
/// (spades), or 4 for a card of a deck of numbers.
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
const SUIT_SIGNS: [char; 4] = ['♣', '♦', '♥', '♠'];
const SUIT_NAMES: [&str; 4] = ["clubs", "diamonds", "hearts", "spades"];
const JOKER: u8 = 15;
/// The suit of a card of a deck of numbers.
const NUMBERED: u8 = 4;

impl FieldType for Card {}

impl Card {
    /// Every card of a deck of this size.
    pub(super) fn deck(size: i64) -> Vec<Self> {
        let jokers = match size {
            54 => 2,
            52 => 0,
            _ => return Self::numbered(size),
        };
        let mut cards = Vec::new();
        for rank in 2..JOKER {
            cards.extend((0..NUMBERED).map(|suit| Self { rank, suit }));
        }
        cards.extend((0..jokers).map(|suit| Self { rank: JOKER, suit }));
        cards
    }

    /// The cards from 1 to a number.
    fn numbered(most: i64) -> Vec<Self> {
        let most = u8::try_from(most).unwrap_or(0);
        let suit = NUMBERED;
        (1..=most).map(|rank| Self { rank, suit }).collect()
    }

    /// Whether it is a joker.
    pub(super) fn is_joker(self) -> bool {
        self.rank == JOKER && self.suit != NUMBERED
    }

    /// Its name for people.
    pub(super) fn name(self) -> String {
        if self.is_joker() {
            return "joker".to_owned();
        }
        if self.suit == NUMBERED {
            return format!("card {}", self.rank);
        }
        let suit = SUIT_NAMES.get(usize::from(self.suit)).unwrap_or(&"");
        let rank = match self.rank {
            11 => "jack",
            12 => "queen",
            13 => "king",
            14 => "ace",
            number => return format!("{number} of {suit}"),
        };
        format!("{rank} of {suit}")
    }

    /// These cards as a client chooses one.
    pub(super) fn choice(cards: impl IntoIterator<Item = Self>) -> Values {
        let codes = cards.into_iter().map(|card| card.to_string());
        Values::coded(codes, |code| match code.parse() {
            Ok(card) => Self::sign(card),
            Err(_) => code.to_owned(),
        })
    }

    /// The card as it is printed: `Q♠`, `10♥`, `Joker`.
    pub(super) fn sign(self) -> String {
        if self.is_joker() {
            return "Joker".to_owned();
        }
        let suit = SUIT_SIGNS.get(usize::from(self.suit));
        let rank = RANKS.get(usize::from(self.rank.saturating_sub(2)));
        match (rank, suit) {
            (Some(rank), Some(suit)) => format!("{}{suit}", rank.to_uppercase()),
            _ => self.rank.to_string(),
        }
    }

    /// What it counts.
    pub(super) fn value(self) -> i64 {
        self.rank.into()
    }

    /// What the order is sorted by, lowest first. Jokers are equal. `sign` is -1 where the highest
    /// is first.
    pub(super) fn key(self, sign: i64) -> [i64; 2] {
        let has_suit = !self.is_joker() && self.suit != NUMBERED;
        let suit = if has_suit { self.suit } else { 0 };
        [sign * self.value(), sign * i64::from(suit)]
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_joker() {
            return write!(f, "j{}", self.suit + 1);
        }
        if self.suit == NUMBERED {
            return write!(f, "{}", self.rank);
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
        let playing = Self::deck(54).into_iter();
        let mut all = playing.chain(Self::numbered(100));
        let found = all.find(|card| card.to_string() == text);
        found.ok_or("Expected a card such as as, qs, 10h or 2c; j1 and j2 are the jokers. In a deck of numbers, a number from 1 to 100.")
    }
}

impl Redact for Initiative {}

impl PartialSchema for Card {
    fn schema() -> RefOr<Schema> {
        let word = ObjectBuilder::new().schema_type(Type::String);
        word.pattern(Some("^(j[12]|([2-9]|10|[jqka])[cdhs]|[1-9][0-9]?|100)$"))
            .into()
    }
}

impl ToSchema for Card {
    fn name() -> Cow<'static, str> {
        format!("{INLINE}card").into()
    }
}

impl Redact for Card {}

impl Describe for Card {
    fn describe(&self, _: &dyn Names, out: &mut String) -> bool {
        out.push_str(&self.name());
        true
    }
}
