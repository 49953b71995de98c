//! What a definition can say: bounded data of a closed vocabulary, with no scripts.

use crate::vocabulary::{Decimal, Int, Name, SLUG_PATTERN, Slug, word};
use serde::de::{self, Deserializer};
use serde::{Deserialize, Serialize, Serializer};
use serde_with::skip_serializing_none;
use serde_with::{DeserializeFromStr, SerializeDisplay};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// A number of a combatant.
pub type Number = Int<-1000, 1000>;
/// An initiative that the table knows.
pub type KnownTotal = Decimal<-1000, 1000>;

/// A table's own turn order. Missing lines have their defaults.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(default)]
pub struct Definition {
    /// Numbers of the combatants with their defaults, from -1000 to 1000; at most 12.
    #[schema(value_type = std::collections::HashMap<String, i16>)]
    pub numbers: BTreeMap<Slug, Number>,
    /// Turns of a combatant per round: 0 to 10, the name of a number, `unlimited`, `while_score` or
    /// `by_tick`.
    #[schema(inline)]
    pub turns: Turns,
    /// Combatants that take turns. The others act by reactions alone.
    pub who: Who,
    /// Initiative of the combatants, groups or sides. Absent for none.
    pub score: Option<ScoreRule>,
    /// Keys of the order, at most 8. The first that differs decides, and those that are equal in all
    /// choose. `["-score", "late"]` by default if there is a `score`, else none: all choose.
    #[schema(max_items = 8)]
    pub order: Option<Vec<Key>>,
    /// The one that chooses among equals.
    #[schema(inline)]
    pub chooser: Chooser,
    /// One turn that all share that are equal.
    #[schema(inline)]
    pub together: Option<TogetherRule>,
    /// Cost of a turn: initiative, or points of a pool.
    #[schema(inline)]
    pub turn_cost: Option<TurnCostRule>,
    /// Changes of the initiative in play.
    #[schema(inline)]
    pub changes: ChangesRule,
    /// Declarations at the start of each round, before the dice.
    #[schema(inline)]
    pub declare: Option<DeclareRule>,
    /// Effect of surprise on the combatants that `start` names.
    #[schema(inline)]
    pub surprise: Surprise,
    /// Reactions outside the combatants' own turns, by name; at most 6.
    #[schema(value_type = std::collections::HashMap<String, ReactionRule>)]
    pub reactions: BTreeMap<Slug, ReactionRule>,
    /// Points that reactions spend, by pool; at most 4 pools.
    #[schema(value_type = std::collections::HashMap<String, PoolRule>)]
    pub pools: BTreeMap<Slug, PoolRule>,
    /// Place of a combatant that becomes unconscious.
    #[schema(inline)]
    pub unconscious: Unconscious,
    /// First turn of a newcomer.
    #[schema(inline)]
    pub join: Join,
    /// The table's own words for numbers, choices, steps, reactions, pools, sides and conditions,
    /// by name; at most 40. A name without one is said as it is, with spaces.
    #[schema(value_type = std::collections::HashMap<String, String>)]
    pub titles: BTreeMap<Slug, Name>,
}

/// What turns are besides a number of them.
pub(super) const TURNS: [(&str, Turns); 3] = [
    ("unlimited", Turns::Unlimited),
    ("while_score", Turns::WhileScore),
    ("by_tick", Turns::ByTick),
];

/// How many turns a combatant has in a round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Turns {
    /// So many.
    Count(Term<0, 10>),
    /// Any number. The round ends when the game master says so.
    Unlimited,
    /// As long as the initiative is above 0, of which each turn costs some. The round ends when
    /// nobody's is.
    WhileScore,
    /// Whenever its tick comes: initiative is time, each turn takes some, and rounds are ticks.
    ByTick,
}

impl Default for Turns {
    fn default() -> Self {
        Self::Count(Term::Fixed(Int::clamped(1)))
    }
}

impl Serialize for Turns {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (self, TURNS.iter().find(|(_, turns)| turns == self)) {
            (Self::Count(turns), _) => turns.serialize(serializer),
            (_, word) => word.map(|(word, _)| word).serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Turns {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let turns = Term::deserialize(deserializer)?;
        if let Term::Number(word) = &turns
            && let Some((_, turns)) = TURNS.into_iter().find(|(known, _)| word == known)
        {
            return Ok(turns);
        }
        Ok(Self::Count(turns))
    }
}

impl PartialSchema for Turns {
    fn schema() -> RefOr<Schema> {
        Term::<0, 10>::schema()
    }
}

impl ToSchema for Turns {}

/// The initiative of combatants, groups or sides: dice and numbers, or cards.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(default)]
pub struct ScoreRule {
    /// Combatants that share an initiative. A group or side uses its best number.
    #[schema(inline)]
    pub per: Per,
    /// Dice, such as `1d20`: 1 to 9 dice with 4 to 100 sides.
    #[schema(value_type = Option<String>)]
    pub dice: Option<Dice>,
    /// Bonuses: at most 4 names of numbers, or constants.
    #[schema(inline, max_items = 4)]
    pub add: Vec<Term<-1000, 1000>>,
    /// Dice and bonuses of the foes, if they differ.
    #[schema(inline)]
    pub foes: Option<RollRule>,
    /// Dice and bonuses of the combatants that declared a choice, if they differ.
    #[schema(value_type = std::collections::HashMap<String, RollRule>)]
    pub choices: BTreeMap<Slug, RollRule>,
    /// Cards instead of dice.
    #[schema(inline)]
    pub deck: Option<DeckRule>,
    /// Number of further dice. A combatant rolls at most 9 dice.
    pub more_dice: Option<Slug>,
    /// Number of additional rolls or cards, at most 3. The best roll counts; below 0, the worst.
    pub advantage: Option<Slug>,
    /// Number that replaces the roll, unless it is 0. By the key `late` the combatant acts after all
    /// with the same initiative.
    pub fixed: Option<Slug>,
    /// True if all roll again each round.
    pub reroll: bool,
    /// Swaps of places between two combatants.
    #[schema(inline)]
    pub swap: Option<SwapRule>,
}

/// Dice, and what is added to them.
pub(super) type Rolled<'d> = (Option<Dice>, &'d [Term<-1000, 1000>]);

impl ScoreRule {
    /// The dice and bonuses of the foes, or else those of all.
    pub(super) fn of_team(&self, is_foe: bool) -> Rolled<'_> {
        match &self.foes {
            Some(foes) if is_foe => (foes.dice, &foes.add),
            _ => (self.dice, &self.add),
        }
    }

    /// Those of one that declared this, if it did.
    pub(super) fn of_choice(&self, is_foe: bool, choice: Option<&Slug>) -> Rolled<'_> {
        match choice.and_then(|choice| self.choices.get(choice)) {
            Some(rule) => (rule.dice, &rule.add),
            None => self.of_team(is_foe),
        }
    }
}

/// The most keys of an order.
pub(super) const MAX_KEYS: usize = 8;

/// Key of the order: a fact of a combatant's next turn. The lowest acts first, or with `-` before the
/// word the highest. In an object it counts only in some rounds, or in one lap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// The fact that is compared.
    pub fact: Fact,
    /// True if the highest acts first.
    pub highest: bool,
    /// When it counts.
    pub only: Only,
}

/// When a key of the order counts: always, unless one of these is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Only {
    /// The one round.
    pub round: Option<Int<1, 1000>>,
    /// The first of all rounds in which it counts.
    pub from_round: Option<Int<2, 1000>>,
    /// The one lap, from 1: the first, second or further turns of the combatants.
    pub lap: Option<Int<1, 10>>,
}

impl Only {
    /// Whether the key counts in a round, for the turn of this position among a combatant's turns.
    pub(super) fn holds(self, round: u32, turn: usize) -> bool {
        let lap = turn.saturating_add(1);
        self.round.is_none_or(|only| only.count() == round)
            && self.from_round.is_none_or(|from| from.count() <= round)
            && self
                .lap
                .is_none_or(|only| usize::try_from(only.get()).is_ok_and(|only| only == lap))
    }

    /// Whether the key counts in a round, for some turn.
    pub(super) fn counts_in(self, round: u32) -> bool {
        Self { lap: None, ..self }.holds(round, 0)
    }
}

/// Fact of a turn, by which the order compares it with others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fact {
    /// The initiative: `score`.
    Score,
    /// 1 for an initiative that is fixed, not rolled: `late`.
    Late,
    /// 1 for a foe, 0 for a player's side: `foe`.
    Foe,
    /// Dice that those roll which are equal up to here: `die`.
    Die,
    /// Turns that the combatant has had in this round: `lap`.
    Lap,
    /// The twelfth of the round in which the turn falls, if the combatant's turns are spread evenly over
    /// it: `segment`.
    Segment,
    /// By how many combatants its side is fewer than the largest: `outnumbered`.
    Outnumbered,
    /// The position of its declaration among the choices: `choice`.
    Choice,
    /// The position of its side: the players first, then the others as they joined: `side`.
    Side,
    /// How long its side waits until it comes again, the one that has just acted longest: `again` in a
    /// round, `again_across_rounds` from one round to the next.
    Again {
        /// True if a new round does not forget who acted last.
        across_rounds: bool,
    },
    /// The number `seat`, counted around the table from the one that is first by the other keys, which
    /// say nothing more: `seat`.
    Seat,
    /// The combatant's number of this name.
    Number(Slug),
}

/// The number that seats combatants around the table.
pub(super) const SEAT: &str = "seat";

impl Fact {
    /// The words that mean something else than a number of this name.
    pub(super) const WORDS: [(&'static str, Self); 11] = [
        ("score", Self::Score),
        ("late", Self::Late),
        ("foe", Self::Foe),
        ("die", Self::Die),
        ("lap", Self::Lap),
        ("segment", Self::Segment),
        (OUTNUMBERED, Self::Outnumbered),
        ("choice", Self::Choice),
        ("side", Self::Side),
        (
            "again",
            Self::Again {
                across_rounds: false,
            },
        ),
        (
            "again_across_rounds",
            Self::Again {
                across_rounds: true,
            },
        ),
    ];

    fn word(&self) -> &str {
        if let Self::Number(name) = self {
            return name.as_str();
        }
        let mut words = Self::WORDS.iter();
        words
            .find(|(_, fact)| fact == self)
            .map_or(SEAT, |(word, _)| word)
    }
}

impl Key {
    /// The factor of its fact, so that the lowest is first.
    pub(super) fn sign(&self) -> i64 {
        if self.highest { -1 } else { 1 }
    }
}

/// The word of a key: a fact, with `-` before it if the highest is first.
#[derive(DeserializeFromStr, SerializeDisplay)]
struct KeyWord {
    fact: Fact,
    highest: bool,
}

impl KeyWord {
    fn at(self, only: Only) -> Key {
        let Self { fact, highest } = self;
        Key {
            fact,
            highest,
            only,
        }
    }
}

impl fmt::Display for KeyWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.highest { "-" } else { "" };
        write!(f, "{sign}{}", self.fact.word())
    }
}

impl FromStr for KeyWord {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (highest, word) = match text.strip_prefix('-') {
            Some(word) => (true, word),
            None => (false, text),
        };
        let word = Slug::new(word).ok_or(
            "Expected score, late, foe, die, lap, segment, choice, side, again, again_across_rounds, outnumbered, seat or the name of a number, with - before it if the highest is first.",
        )?;
        let mut words = Fact::WORDS.into_iter();
        let fact = match words.find(|(known, _)| word == *known) {
            Some((_, fact)) => fact,
            None if word == SEAT => Fact::Seat,
            None => Fact::Number(word),
        };
        Ok(Self { fact, highest })
    }
}

/// A key in an object: the word, and when it counts.
#[skip_serializing_none]
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct KeyRule {
    /// The word of the key, such as `-dex`.
    #[schema(value_type = String)]
    key: KeyWord,
    /// The one round in which it counts.
    round: Option<Int<1, 1000>>,
    /// The first round from which on it counts.
    from_round: Option<Int<2, 1000>>,
    /// The one lap in which it counts: 1 for the first turns of the combatants in a round, 2 for their
    /// second turns.
    lap: Option<Int<1, 10>>,
}

impl Serialize for Key {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Only {
            round,
            from_round,
            lap,
        } = self.only;
        let key = KeyWord {
            fact: self.fact.clone(),
            highest: self.highest,
        };
        if self.only == Only::default() {
            return key.serialize(serializer);
        }
        let rule = KeyRule {
            key,
            round,
            from_round,
            lap,
        };
        rule.serialize(serializer)
    }
}

/// By hand, because a word alone is a key too.
impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = Key;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "a key such as -score, or an object with key and round, from_round or lap",
                )
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
                let word: KeyWord = text.parse().map_err(E::custom)?;
                Ok(word.at(Only::default()))
            }
            fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                let KeyRule {
                    key,
                    round,
                    from_round,
                    lap,
                } = KeyRule::deserialize(de::value::MapAccessDeserializer::new(map))?;
                let only = Only {
                    round,
                    from_round,
                    lap,
                };
                Ok(key.at(only))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

impl PartialSchema for Key {
    fn schema() -> RefOr<Schema> {
        let word = ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some(
                "`score`, `late`, `foe`, `die`, `lap`, `segment`, `choice`, `side`, `again`, `again_across_rounds`, `outnumbered`, `seat` or the name of a number, with `-` if the highest is first",
            ));
        OneOfBuilder::new()
            .item(word)
            .item(KeyRule::schema())
            .into()
    }
}

impl ToSchema for Key {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        KeyRule::schemas(schemas);
    }
}

/// The cost of a turn: initiative, or points of a pool.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(default)]
pub struct TurnCostRule {
    /// The pool that pays. Absent if turns cost initiative.
    pub pool: Option<Slug>,
    /// Least and greatest cost of a turn, from 1 to 100.
    #[schema(value_type = Vec<Int<1, 100>>, min_items = 2, max_items = 2)]
    pub cost: [Int<1, 100>; 2],
    /// Cost of a turn that ends without a cost; the least by default.
    pub usual: Option<Int<1, 100>>,
    /// Ticks of a round, if turns come by tick.
    pub ticks: Int<1, 1000>,
}

impl Default for TurnCostRule {
    fn default() -> Self {
        Self {
            pool: None,
            cost: [Int::clamped(1), Int::clamped(100)],
            usual: None,
            ticks: Int::clamped(1),
        }
    }
}

impl TurnCostRule {
    /// The cost of a turn that ends without one.
    pub(super) fn usual(&self) -> Int<1, 100> {
        let [least, _] = self.cost;
        self.usual.unwrap_or(least)
    }
}

/// Changes of the initiative in play.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(default)]
pub struct ChangesRule {
    /// How much later each further turn of a combatant is. 10 by default, and 0 with the key `lap`.
    pub further_turn: Option<Int<0, 100>>,
    /// Change by lost hit points.
    #[schema(inline)]
    pub wounds: Option<WoundsRule>,
    /// Change by each condition, from -1000 to 1000; at most 8 conditions.
    #[schema(value_type = std::collections::HashMap<String, i16>)]
    pub conditions: BTreeMap<Slug, Number>,
}

/// Wounds that change the initiative.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(default)]
pub struct WoundsRule {
    /// Hit points that a combatant loses for each change.
    pub each: Int<1, 1000>,
    /// The change.
    pub by: Int<-100, 100>,
}

impl Default for WoundsRule {
    fn default() -> Self {
        Self {
            each: Int::clamped(1),
            by: Int::clamped(-1),
        }
    }
}

/// A deck of which each draws a card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(default)]
pub struct DeckRule {
    /// Number of cards: 54 for playing cards with two jokers, 52 without; else cards from 1 to this
    /// number. Of playing cards the jokers are the highest, then ace to two; spades, hearts,
    /// diamonds, clubs.
    pub size: Int<2, 100>,
    /// A card of this value or less is drawn again. Jack to ace are 11 to 14.
    #[schema(inline)]
    pub redraw: Term<0, 100>,
    /// Card that counts of several.
    #[schema(inline)]
    pub keep: Keep,
    /// When the cards go back to the deck. They always do when it runs out.
    #[schema(inline)]
    pub reshuffle: Reshuffle,
}

impl Default for DeckRule {
    fn default() -> Self {
        Self {
            size: Int::clamped(54),
            redraw: Term::Fixed(Int::clamped(0)),
            keep: Keep::default(),
            reshuffle: Reshuffle::default(),
        }
    }
}

/// Card that counts of several: the best, or the one that the combatant chooses.
#[word]
pub enum Keep {
    #[default]
    Best,
    Choose,
}

/// When all cards go back to the deck: when it is empty; before each round; or after a round with a
/// joker.
#[word]
pub enum Reshuffle {
    #[default]
    Empty,
    Round,
    Joker,
}

/// Dice and bonuses of some combatants, in place of those of all.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(default)]
pub struct RollRule {
    /// Dice, such as `1d20`.
    #[schema(value_type = Option<String>)]
    pub dice: Option<Dice>,
    /// Bonuses: at most 4 names of numbers, or constants.
    #[schema(inline, max_items = 4)]
    pub add: Vec<Term<-1000, 1000>>,
}

/// A turn that all share that are equal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(default)]
pub struct TogetherRule {
    /// Steps of the turn, at most 8. Without any it has one.
    #[schema(inline, max_items = 8)]
    pub steps: Vec<StepRule>,
}

/// A step of a shared turn.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(default)]
pub struct StepRule {
    /// Name of the step, for people.
    pub name: Option<Slug>,
    /// Combatants that take part.
    pub who: Who,
}

/// Combatants that match all of these; all combatants if it is empty.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(default)]
pub struct Who {
    /// Combatants of one team.
    #[schema(inline)]
    pub side: Option<Team>,
    /// Combatants that declared one of these choices.
    pub declared: Vec<Slug>,
    /// Combatants whose number of this name is above 0.
    pub has: Option<Slug>,
}

/// Declarations of a round, secret until all have declared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(default)]
pub struct DeclareRule {
    /// Choices, 2 to 6. The first is the default.
    #[schema(min_items = 2, max_items = 6)]
    pub choices: Vec<Slug>,
    /// Combatants that declare. A combatant with a turn for each choice declares none and matches
    /// all.
    pub who: Who,
    /// True if no combatant declares before the round. All begin with the choice that the key `choice`
    /// puts first, and one that may act may pass, and comes with the next choice.
    pub passing: bool,
}

/// Reaction outside the combatant's own turn.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(default)]
pub struct ReactionRule {
    /// Combatants that have the reaction.
    pub who: Who,
    /// Moments when it is possible.
    #[schema(inline)]
    pub when: When,
    /// True if no combatant is asked for it. It is used in a gap that opens for others, or before the
    /// next turn ends.
    pub silent: bool,
    /// Preparation on the combatant's own turn.
    #[schema(inline)]
    pub prepare: Prepare,
    /// Length of a delay.
    #[schema(inline)]
    pub lasts: Lasts,
    /// True if a combatant that delayed, or used what it had readied, keeps its new place.
    pub moves: bool,
    /// Cost of a use.
    pub cost: CostRule,
    /// Result of a use: an action by default, the delayed turn after a delay.
    #[schema(inline)]
    pub gives: Option<Gives>,
}

impl ReactionRule {
    /// The result of a use, with its default.
    pub(super) fn gives(&self) -> Gives {
        match (self.gives, self.prepare) {
            (Some(gives), _) => gives,
            (None, Prepare::Delay) => Gives::OwnTurn,
            (None, _) => Gives::Action,
        }
    }
}

/// Cost of a reaction.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(default)]
pub struct CostRule {
    /// The pool that pays. Absent if the reaction costs no points.
    pub pool: Option<Slug>,
    /// Fewest and most points, from 0 to 100.
    #[schema(value_type = Vec<Int<0, 100>>, min_items = 2, max_items = 2)]
    pub points: [Int<0, 100>; 2],
    /// Initiative that it costs: taken from the combatant's, or added to it if the lowest acts first.
    pub initiative: Int<0, 100>,
    /// True if it costs the combatant a turn of this round.
    pub turn: bool,
}

impl Default for CostRule {
    fn default() -> Self {
        Self {
            pool: None,
            points: [Int::clamped(1); 2],
            initiative: Int::clamped(0),
            turn: false,
        }
    }
}

/// The word that `max` of a side's pool takes instead of a number.
pub(super) const OUTNUMBERED: &str = "outnumbered";

/// Points of a combatant, a side or the table.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(default)]
pub struct PoolRule {
    /// Owner of the points.
    #[schema(inline)]
    pub of: Owner,
    /// Maximum points. `outnumbered` gives a side as many as it has fewer combatants than the largest
    /// side.
    #[schema(inline)]
    pub max: Term<0, 100>,
    /// Points at the start; the maximum by default.
    #[schema(inline)]
    pub start: Option<Term<0, 100>>,
    /// Points that come back. With none, only `grant` adds some.
    #[schema(inline)]
    pub gain: GainRule,
}

impl Default for PoolRule {
    fn default() -> Self {
        Self {
            of: Owner::default(),
            max: Term::Fixed(Int::clamped(1)),
            start: None,
            gain: GainRule {
                round: Some(Gain::Max),
                own_turn: None,
            },
        }
    }
}

/// Points that a pool gains, up to its maximum: a number, the name of one, or `max` for all.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(default)]
pub struct GainRule {
    /// Gain at the start of each round after the first.
    #[schema(inline)]
    pub round: Option<Gain>,
    /// Gain at the start of the combatant's turn.
    #[schema(inline)]
    pub own_turn: Option<Gain>,
}

/// The word for a gain of all points that a pool may hold.
pub(super) const MAX: &str = "max";

/// How many points a pool gains: `max` for all that it may hold, or a number of points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Gain {
    /// All.
    Max,
    /// So many.
    Points(Term<0, 100>),
}

impl Gain {
    /// The number of points, if it is not all.
    pub(super) fn points(&self) -> Option<&Term<0, 100>> {
        match self {
            Self::Max => None,
            Self::Points(points) => Some(points),
        }
    }
}

impl Serialize for Gain {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Max => serializer.serialize_str(MAX),
            Self::Points(points) => points.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Gain {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let points = Term::deserialize(deserializer)?;
        Ok(match points {
            Term::Number(word) if word == MAX => Self::Max,
            points => Self::Points(points),
        })
    }
}

impl PartialSchema for Gain {
    fn schema() -> RefOr<Schema> {
        Term::<0, 100>::schema()
    }
}

impl ToSchema for Gain {}

/// Swaps of places between two combatants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(default)]
pub struct SwapRule {
    /// Combatants that may swap.
    pub who: Who,
    /// Combatants with which they may swap.
    #[schema(inline)]
    pub with: Partner,
    /// True if the other combatant must agree.
    pub agrees: bool,
    /// When combatants swap.
    #[schema(inline)]
    pub when: SwapWhen,
}

/// When combatants swap: at any time; in their own turn alone, which they give back for a later place; or
/// before the first turn of a round, when they are asked.
#[word]
pub enum SwapWhen {
    #[default]
    Any,
    OwnTurn,
    RoundStart,
}

/// Combatants with which one may swap places: any, or those of the same side.
#[word]
pub enum Partner {
    #[default]
    Any,
    Side,
}

/// Owner of an initiative: each combatant, all of the same `group`, or all of the same side.
#[word]
pub enum Per {
    #[default]
    Combatant,
    Group,
    Side,
}

/// A team: the side `players`, or all other sides.
#[word]
pub enum Team {
    Players,
    Foes,
}

/// The one that chooses among equals: the `candidates` themselves; the `last` to act, and the keys of
/// combatants only say who begins; or the `side` that has the first place, of which any may take it.
#[word]
pub enum Chooser {
    #[default]
    Candidates,
    Last,
    Side,
}

/// Effect of surprise: nothing; a lost first turn; one more roll, of which the worst counts; or a
/// side of which all are surprised comes last in round 1.
#[word]
pub enum Surprise {
    #[default]
    None,
    Skips,
    Disadvantage,
    Yields,
}

/// Length of a delay: until the combatant's place comes again, until the round ends, or until it
/// returns.
#[word]
pub enum Lasts {
    #[default]
    Place,
    Round,
    Used,
}

/// Owner of the points: each combatant, each side, or the table.
#[word]
pub enum Owner {
    #[default]
    Combatant,
    Side,
    Table,
}

/// Moments when a reaction is possible: in the gap between two turns; within the turns of others;
/// at both; or before the first turn of a round.
#[word]
pub enum When {
    #[default]
    Gap,
    Turn,
    Any,
    RoundStart,
}

/// Preparation for a reaction on the combatant's own turn: none; the combatant readies the
/// reaction, until its next turn; or it delays the turn.
#[word]
pub enum Prepare {
    #[default]
    None,
    Ready,
    Delay,
}

/// Result of a reaction: an action that happens at once; one more turn; the combatant's own turn of
/// this round, now; or its side lets another side go first.
#[word]
pub enum Gives {
    #[default]
    Action,
    Turn,
    OwnTurn,
    Skip,
}

/// Place of unconscious combatants: they keep their place and turns; move before the current turn,
/// done for the round; or have no turns.
#[word]
pub enum Unconscious {
    #[default]
    Stays,
    Moves,
    Skips,
}

/// When a newcomer first acts: at its place, or in the next round if that has passed; in the next
/// round; or at the end of the round.
#[word]
pub enum Join {
    #[default]
    Place,
    NextRound,
    Last,
}

/// A whole number, or the name of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Term<const MIN: i64, const MAX: i64> {
    /// The number itself.
    Fixed(Int<MIN, MAX>),
    /// The combatant's number of this name.
    Number(Slug),
}

/// By hand, because the derived error does not say what fits.
impl<'de, const MIN: i64, const MAX: i64> Deserialize<'de> for Term<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor<const MIN: i64, const MAX: i64>;
        impl<const MIN: i64, const MAX: i64> de::Visitor<'_> for Visitor<MIN, MAX> {
            type Value = Term<MIN, MAX>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(
                    f,
                    "a whole number from {MIN} to {MAX} or the name of a number"
                )
            }
            fn visit_i64<E: de::Error>(self, n: i64) -> Result<Self::Value, E> {
                let fixed = Int::new(n).map(Term::Fixed);
                fixed.ok_or_else(|| E::invalid_value(de::Unexpected::Signed(n), &self))
            }
            fn visit_u64<E: de::Error>(self, n: u64) -> Result<Self::Value, E> {
                let fixed = i64::try_from(n).ok().and_then(Int::new).map(Term::Fixed);
                fixed.ok_or_else(|| E::invalid_value(de::Unexpected::Unsigned(n), &self))
            }
            fn visit_str<E: de::Error>(self, name: &str) -> Result<Self::Value, E> {
                if name.starts_with('-') {
                    return Err(E::custom(
                        "Numbers are added. To subtract, give combatants a number below 0.",
                    ));
                }
                let number = Slug::new(name).map(Term::Number);
                number.ok_or_else(|| E::invalid_value(de::Unexpected::Str(name), &self))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

impl<const MIN: i64, const MAX: i64> PartialSchema for Term<MIN, MAX> {
    fn schema() -> RefOr<Schema> {
        let name = ObjectBuilder::new()
            .schema_type(Type::String)
            .pattern(Some(SLUG_PATTERN));
        OneOfBuilder::new()
            .item(Int::<MIN, MAX>::schema())
            .item(name)
            .into()
    }
}

impl<const MIN: i64, const MAX: i64> ToSchema for Term<MIN, MAX> {}

/// Dice of one kind, such as `2d6`: 1 to 9 dice with 4 to 100 sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, DeserializeFromStr, SerializeDisplay)]
pub struct Dice {
    pub count: u16,
    pub sides: u16,
}

impl Dice {
    /// Maximum number of dice.
    const MOST: u16 = 9;

    /// The same with further dice, at most [`Self::MOST`].
    pub(super) fn with_more(self, further: i64) -> Self {
        let further = u16::try_from(further).unwrap_or(0);
        let count = self.count.saturating_add(further).min(Self::MOST);
        Self { count, ..self }
    }

    /// Their least and their greatest sum.
    pub(super) fn sums(self) -> [i64; 2] {
        let least = i64::from(self.count);
        [least, least * i64::from(self.sides)]
    }

    /// Refuses a sum that they cannot come to.
    pub(super) fn check(self, sum: i64) -> Result<(), String> {
        let [least, most] = self.sums();
        if (least..=most).contains(&sum) {
            return Ok(());
        }
        Err(format!(
            "{self} can't show {sum}. Send a sum from {least} to {most}."
        ))
    }
}

impl fmt::Display for Dice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}d{}", self.count, self.sides)
    }
}

impl FromStr for Dice {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (count, sides) = text.split_once('d').unwrap_or_default();
        let dice = Self {
            count: count.parse().unwrap_or(0),
            sides: sides.parse().unwrap_or(0),
        };
        let valid = (1..=9).contains(&dice.count)
            && (4..=100).contains(&dice.sides)
            && dice.to_string() == text;
        if !valid {
            return Err(
                "Expected dice such as 1d20: 1 to 9 dice with 4 to 100 sides. Numbers go into add.",
            );
        }
        Ok(dice)
    }
}
