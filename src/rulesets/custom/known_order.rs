//! The order of another tracker under the preset `d20`: initiatives as they are, and equals as its list
//! has them.

use super::definition::KnownTotal;
use crate::vocabulary::{KnownOrder, KnownRoll, Slug, TakenOrder};
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};

/// The number that keeps the place in the list.
const PLACE: &str = "place";

pub(super) fn take(order: &KnownOrder) -> TakenOrder {
    let is_rolled = order.rolls.iter().any(|roll| roll.initiative.is_some());
    let mut taken = TakenOrder {
        options: Some(options(order, is_rolled)),
        ..TakenOrder::default()
    };
    let split = split_groups(&order.rolls);
    for (number, roll) in order.rolls.iter().enumerate() {
        let mut stats = Map::new();
        match roll.initiative {
            Some(known) if serde_json::from_value::<KnownTotal>(json!(known)).is_ok() => {
                stats.insert("initiative".to_owned(), json!(known));
            }
            Some(_) => taken.leave(
                number,
                "initiative",
                "An initiative is from -1000 to 1000. This one is rolled.",
            ),
            None if is_rolled => taken.leave(
                number,
                "initiative",
                "It has none, and rolls when the fight starts.",
            ),
            None => {}
        }
        let mut numbers = Map::new();
        match roll.modifier {
            Some(modifier) if (-1000..=1000).contains(&modifier) => {
                numbers.insert("dex".to_owned(), json!(modifier));
            }
            Some(_) => taken.leave(number, "modifier", "A modifier is from -1000 to 1000."),
            None => {}
        }
        if roll.place > 0 {
            numbers.insert(PLACE.to_owned(), json!(roll.place));
        }
        if !numbers.is_empty() {
            stats.insert("numbers".to_owned(), Value::Object(numbers));
        }
        match &roll.group {
            Some(group) if split.contains(group) => {
                taken.leave(number, "group", "Its members have different initiatives.");
            }
            Some(group) => {
                stats.insert("group".to_owned(), json!(group));
            }
            None => {}
        }
        taken.stats.push(stats);
    }
    taken
}

/// The preset; where initiatives are known with an order in which the list decides between equals. It is
/// the same whether any are equal, because those that are may be hidden.
fn options(order: &KnownOrder, is_rolled: bool) -> Value {
    let score = if order.lowest_first {
        "score"
    } else {
        "-score"
    };
    let definition = if is_rolled {
        json!({
            "numbers": {PLACE: 0},
            "order": [score, "late", PLACE],
            "titles": {PLACE: "place in the file"},
        })
    } else if order.lowest_first {
        json!({"order": [score, "late", "-dex", "foe"]})
    } else {
        return json!({"preset": "d20"});
    };
    json!({"preset": "d20", "definition": definition})
}

/// Groups whose members have different initiatives: here a group has one.
fn split_groups(rolls: &[KnownRoll]) -> HashSet<&Slug> {
    let mut first = HashMap::new();
    let mut split = HashSet::new();
    for roll in rolls {
        let Some(group) = &roll.group else {
            continue;
        };
        if *first.entry(group).or_insert(roll.initiative) != roll.initiative {
            split.insert(group);
        }
    }
    split
}
