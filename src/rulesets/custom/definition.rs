//! What a definition can say: bounded data of a closed vocabulary, with no scripts.

use crate::vocabulary::{Int, SLUG_PATTERN, Slug, Word};
use macro_rules_attribute::derive;
use serde::de::{self, Deserializer};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use serde_with::{DeserializeFromStr, SerializeDisplay};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// A table's own turn order. A line that is left out has its default.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(default)]
pub struct Definition {
    /// The numbers that combatants may bring in `numbers`, each with its default: at most 12, from
    /// -1000 to 1000.
    #[schema(value_type = std::collections::HashMap<String, i16>)]
    pub numbers: BTreeMap<Slug, Int<-1000, 1000>>,
    /// The turns of a combatant in a round.
    #[schema(inline)]
    pub turns: Term<0, 10>,
    /// What fixes an order; without it there is none.
    pub score: Option<ScoreRule>,
    /// The parts of a round, one after the other: 1 to 8.
    #[schema(min_items = 1, max_items = 8)]
    pub phases: Vec<PhaseRule>,
    /// What combatants declare at the start of each round, before the dice.
    #[schema(inline)]
    pub declare: Option<DeclareRule>,
    /// What surprise does to the combatants that `start` names.
    #[schema(inline)]
    pub surprise: Surprise,
    /// Whether a combatant may delay in its turn and return later.
    #[schema(inline)]
    pub delay: Option<DelayRule>,
    /// Points that pay for actions and turns outside the combatant's turn: at most 4 pools by their
    /// names.
    #[schema(value_type = std::collections::HashMap<String, PoolRule>)]
    pub pools: BTreeMap<Slug, PoolRule>,
    /// Turns cost ticks, and the lowest tick acts.
    #[schema(inline)]
    pub clock: Option<ClockRule>,
    /// What happens to the place of a combatant that becomes unconscious.
    #[schema(inline)]
    pub down: Down,
    /// When a newcomer first acts.
    #[schema(inline)]
    pub join: Join,
}

impl Default for Definition {
    fn default() -> Self {
        Self {
            numbers: BTreeMap::new(),
            turns: Term::Fixed(Int::clamped(1)),
            score: None,
            phases: vec![PhaseRule::default()],
            declare: None,
            surprise: Surprise::default(),
            delay: None,
            pools: BTreeMap::new(),
            clock: None,
            down: Down::default(),
            join: Join::default(),
        }
    }
}

/// What fixes the order: dice and numbers, or cards.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(default)]
pub struct ScoreRule {
    /// Who shares a score. A group (`group`) or side counts its best number.
    #[schema(inline)]
    pub per: Per,
    /// The dice, such as `1d20`: 1 to 9 dice with 4 to 100 sides.
    #[schema(value_type = Option<String>)]
    pub dice: Option<Dice>,
    /// What is added to the dice: at most 4 names of numbers, or constants.
    #[schema(inline, max_items = 4)]
    pub add: Vec<Term<-1000, 1000>>,
    /// What the foes of the players roll and add instead.
    #[schema(inline)]
    pub foes: Option<FoesRule>,
    /// Whether one of 54 cards is dealt instead: jokers first, then ace to two; spades, hearts,
    /// diamonds, clubs.
    pub cards: bool,
    /// A number: this many more rolls (at most 3), the best of which counts; below 0 the worst.
    pub edge: Option<Slug>,
    /// A number: a combatant that has one other than 0 does not roll. It stands there, after all
    /// with the same score.
    pub pinned: Option<Slug>,
    /// Whether the lowest score acts first.
    pub low_first: bool,
    /// Whether everybody rolls again each round.
    pub reroll: bool,
    /// What decides equal scores: at most 4 names of numbers, or `players`, `foes`, `roll`. What
    /// stays equal is a free choice.
    #[schema(max_items = 4)]
    pub ties: Vec<Slug>,
    /// How much worse each further turn of the same combatant stands.
    pub again: Int<1, 100>,
}

impl Default for ScoreRule {
    fn default() -> Self {
        Self {
            per: Per::default(),
            dice: None,
            add: Vec::new(),
            foes: None,
            cards: false,
            edge: None,
            pinned: None,
            low_first: false,
            reroll: false,
            ties: Vec::new(),
            again: Int::clamped(10),
        }
    }
}

/// What foes roll and add.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(default)]
pub struct FoesRule {
    /// The dice, such as `1d20`.
    #[schema(value_type = Option<String>)]
    pub dice: Option<Dice>,
    /// What is added: at most 4 names of numbers, or constants.
    #[schema(inline, max_items = 4)]
    pub add: Vec<Term<-1000, 1000>>,
}

/// A part of a round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(default)]
pub struct PhaseRule {
    /// Who acts in it.
    pub who: Who,
    /// How sides take turns.
    #[schema(inline)]
    pub sides: Sides,
    /// Who picks the next combatant.
    #[schema(inline)]
    pub pick: Pick,
    /// The most turns of a combatant in this phase; 0 for no limit.
    pub turns: Int<0, 10>,
    /// Whether a combatant may pass, and so act in a later phase.
    pub optional: bool,
    /// The steps of a shared turn: at most 8.
    #[schema(inline, max_items = 8)]
    pub steps: Vec<StepRule>,
}

/// A step of a shared turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(default)]
pub struct StepRule {
    /// Its name.
    pub name: Slug,
    /// Who takes part.
    pub who: Who,
}

impl Default for StepRule {
    fn default() -> Self {
        Self {
            name: Slug::fixed("step"),
            who: Who::default(),
        }
    }
}

/// Combatants that fit all of these; everybody, where nothing is said.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(default)]
pub struct Who {
    /// Only one team.
    #[schema(inline)]
    pub side: Option<Team>,
    /// Only those that declared one of these choices.
    pub declared: Vec<Slug>,
    /// Only those whose number of this name is above 0.
    pub has: Option<Slug>,
}

/// What is declared each round, secret until all have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(default)]
pub struct DeclareRule {
    /// The choices, 2 to 6; the first is the default.
    #[schema(min_items = 2, max_items = 6)]
    pub choices: Vec<Slug>,
    /// Who declares. A combatant with as many turns as there are choices declares none and fits
    /// all.
    pub who: Who,
}

/// What a combatant may do instead of acting at its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(default)]
pub struct DelayRule {
    /// How long it may delay.
    #[schema(inline)]
    pub lasts: Lasts,
    /// Whether its new place stays.
    pub moves: bool,
    /// Whether it may return within the turn of another.
    pub interrupts: bool,
}

/// Points of a combatant or of the table.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(default)]
pub struct PoolRule {
    /// Whose points.
    #[schema(inline)]
    pub of: Owner,
    /// The most points.
    #[schema(inline)]
    pub max: Term<0, 100>,
    /// The points at the start, all of them where it is left out.
    #[schema(inline)]
    pub start: Option<Term<0, 100>>,
    /// When it is full again.
    #[schema(inline)]
    pub refill: Refill,
    /// How points are spent.
    #[schema(inline)]
    pub spend: SpendRule,
}

impl Default for PoolRule {
    fn default() -> Self {
        Self {
            of: Owner::default(),
            max: Term::Fixed(Int::clamped(1)),
            start: None,
            refill: Refill::default(),
            spend: SpendRule::default(),
        }
    }
}

/// How points are spent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(default)]
pub struct SpendRule {
    /// When.
    #[schema(inline)]
    pub when: When,
    /// What they buy.
    #[schema(inline)]
    pub gives: Gives,
    /// The fewest and the most points, from 0 to 100.
    #[schema(value_type = Vec<Int<0, 100>>, min_items = 2, max_items = 2)]
    pub cost: [Int<0, 100>; 2],
    /// Who may spend them.
    pub who: Who,
}

impl Default for SpendRule {
    fn default() -> Self {
        Self {
            when: When::default(),
            gives: Gives::default(),
            cost: [Int::clamped(1); 2],
            who: Who::default(),
        }
    }
}

/// Turns that cost ticks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(default)]
pub struct ClockRule {
    /// The fewest and the most ticks of a turn, from 1 to 100.
    #[schema(value_type = Vec<Int<1, 100>>, min_items = 2, max_items = 2)]
    pub cost: [Int<1, 100>; 2],
    /// The ticks of a round.
    pub round: Int<1, 1000>,
}

impl Default for ClockRule {
    fn default() -> Self {
        Self {
            cost: [Int::clamped(1), Int::clamped(100)],
            round: Int::clamped(1),
        }
    }
}

/// Who shares a score: nobody, combatants of the same `group`, or combatants of the same side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, ToSchema, Word!)]
#[serde(rename_all = "snake_case")]
pub enum Per {
    #[default]
    Combatant,
    Group,
    Side,
}

/// A team: the side `players`, or all other sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema, Word!)]
#[serde(rename_all = "snake_case")]
pub enum Team {
    Players,
    Foes,
}

/// How sides take turns within a phase: they do not matter; all of one side, then all of the next;
/// or one of each side in turn, in which a side that is done is skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, ToSchema, Word!)]
#[serde(rename_all = "snake_case")]
pub enum Sides {
    #[default]
    Mixed,
    InOrder,
    Alternate,
}

/// Who picks the next combatant: the order of scores; anybody that may act; the combatant that
/// acted last; or nobody, because all act at once in a shared turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, ToSchema, Word!)]
#[serde(rename_all = "snake_case")]
pub enum Pick {
    #[default]
    Order,
    Free,
    Last,
    Together,
}

/// What surprise does: nothing; the first turn passes unused; one more roll, the worst of which
/// counts; or a side that is wholly surprised comes last in round 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, ToSchema, Word!)]
#[serde(rename_all = "snake_case")]
pub enum Surprise {
    #[default]
    None,
    Skips,
    Disadvantage,
    Yields,
}

/// How long a combatant may delay: until its place comes again, until the round ends, or until it
/// returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, ToSchema, Word!)]
#[serde(rename_all = "snake_case")]
pub enum Lasts {
    #[default]
    Place,
    Round,
    Used,
}

/// Whose points: each combatant has its own, or the table shares them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, ToSchema, Word!)]
#[serde(rename_all = "snake_case")]
pub enum Owner {
    #[default]
    Combatant,
    Table,
}

/// When a pool is full again: at the start of each round; at the start of the combatant's turn; by
/// `ready` in its turn, until the next one; or by `grant` alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, ToSchema, Word!)]
#[serde(rename_all = "snake_case")]
pub enum Refill {
    #[default]
    Round,
    Turn,
    Ready,
    Hand,
}

/// When points are spent: between two turns, or within the turns of others too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, ToSchema, Word!)]
#[serde(rename_all = "snake_case")]
pub enum When {
    #[default]
    Gap,
    Any,
}

/// What points buy: something that happens at once, or a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, ToSchema, Word!)]
#[serde(rename_all = "snake_case")]
pub enum Gives {
    #[default]
    Action,
    Turn,
}

/// The unconscious keep their place and their turns; move before the turn that is going on, done
/// for the round; or have no turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, ToSchema, Word!)]
#[serde(rename_all = "snake_case")]
pub enum Down {
    #[default]
    Stays,
    Moves,
    Skips,
}

/// When a newcomer first acts: at its place, or in the next round if that has passed; in the next
/// round; or at the end of the round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, ToSchema, Word!)]
#[serde(rename_all = "snake_case")]
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
    /// Refuses a sum that they cannot come to.
    pub(super) fn check(self, sum: i64) -> Result<(), String> {
        let least = i64::from(self.count);
        let most = least * i64::from(self.sides);
        if (least..=most).contains(&sum) {
            return Ok(());
        }
        Err(format!("{self} comes to {least} to {most}, not {sum}"))
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
            return Err("dice such as 1d20 are expected: 1 to 9 dice with 4 to 100 sides");
        }
        Ok(dice)
    }
}
