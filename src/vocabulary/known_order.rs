//! An order that is known before a fight begins, as another tracker has it.

use super::{Slug, Total};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// What another tracker knows of the order of a fight.
#[derive(Debug, Default)]
pub struct KnownOrder {
    /// Whether the lowest initiative acts first.
    pub lowest_first: bool,
    /// What it knows of each combatant.
    pub rolls: Vec<KnownRoll>,
}

/// What another tracker knows of a combatant's initiative.
#[derive(Debug, Default)]
pub struct KnownRoll {
    /// The initiative; None before it is rolled.
    pub initiative: Option<Total>,
    /// What is added to its roll.
    pub modifier: Option<i64>,
    /// The group that acts on one initiative.
    pub group: Option<Slug>,
    /// The place among those with the same initiative, from 1; 0 if it has no equals.
    pub place: usize,
}

/// What a ruleset takes of a known order.
#[derive(Debug, Default)]
pub struct TakenOrder {
    /// Options of the ruleset, if the order needs some.
    pub options: Option<Value>,
    /// The stats of each combatant, in the order of the rolls.
    pub stats: Vec<Map<String, Value>>,
    /// What it does not take.
    pub left: Vec<LeftRoll>,
}

/// A part of a combatant's roll that a ruleset does not take.
#[derive(Debug)]
pub struct LeftRoll {
    /// The position of the roll.
    pub roll: usize,
    /// What it is: `initiative`, `modifier` or `group`.
    pub field: &'static str,
    /// Why, in a sentence.
    pub why: Cow<'static, str>,
}

/// Why a ruleset takes no initiative, or no modifier, or no group.
const OWN_ORDER: &str = "The ruleset decides the order by its own numbers.";

impl TakenOrder {
    /// What a ruleset takes that rolls by its own numbers: of each roll what `stats` makes of its
    /// modifier and its group, and nothing of its initiative.
    pub fn by(
        order: &KnownOrder,
        stats: impl Fn(Option<i64>, Option<&Slug>) -> Map<String, Value>,
    ) -> Self {
        let mut taken = Self::default();
        for (roll, known) in order.rolls.iter().enumerate() {
            let (modifier, group) = (known.modifier, known.group.as_ref());
            let unused = [
                ("initiative", known.initiative.is_some()),
                (
                    "modifier",
                    modifier.is_some() && stats(modifier, None).is_empty(),
                ),
                ("group", group.is_some() && stats(None, group).is_empty()),
            ];
            for (field, is_unused) in unused {
                if is_unused {
                    taken.leave(roll, field, OWN_ORDER);
                }
            }
            taken.stats.push(stats(modifier, group));
        }
        taken
    }

    /// Says that a part of a roll is not taken.
    pub fn leave(&mut self, roll: usize, field: &'static str, why: impl Into<Cow<'static, str>>) {
        let why = why.into();
        self.left.push(LeftRoll { roll, field, why });
    }
}
