//! A fight as the body of a creation, and what has no place in it.

use super::combatant::{ConvertedCombatant, whole};
use super::fight::{Fight, Left};
use super::left_overs::LeftOvers;
use super::names::{TITLE, among_equals, names, title};
use super::{LeftOut, Wish};
use crate::json::FieldError;
use crate::vocabulary::{KnownOrder, KnownRoll, LeftRoll, MAX_COMBATANTS, Text, Total};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};

/// The body of the creation of a fight, and what has no place in it.
pub(super) fn creation(
    mut fight: Fight,
    wish: &Wish<'_>,
) -> Result<(Value, Vec<LeftOut>), FieldError> {
    if fight.creatures.is_empty() {
        let detail = "The fight has no creatures. Add some in the tracker first.";
        return Err(FieldError::meaningless("", detail));
    }
    if fight.creatures.len() > MAX_COMBATANTS {
        let detail = format!(
            "The fight has more than {MAX_COMBATANTS} creatures, the most of an encounter. Remove some first."
        );
        return Err(FieldError::meaningless("", detail));
    }
    let mut left = LeftOvers::default();
    for said in std::mem::take(&mut fight.left) {
        left.add(said, None);
    }
    let names = names(&fight.creatures);
    say_where(&fight, &names, &mut left);
    let has_hidden = fight.creatures.iter().any(|creature| creature.is_hidden);
    let mut ids = HashSet::new();
    let mut converted = Vec::new();
    for (creature, name) in fight.creatures.iter().zip(&names) {
        let mut combatant = ConvertedCombatant::default();
        combatant.identity(creature, name, &mut ids, has_hidden);
        combatant.sheet(creature);
        combatant.body(creature, wish);
        converted.push(combatant);
    }
    let taken = (wish.take_order)(&known_order(&fight, &mut converted));
    for LeftRoll { roll, field, why } in taken.left {
        if let Some(combatant) = converted.get_mut(roll) {
            combatant.left(field, why);
        }
    }
    for (combatant, stats) in converted.iter_mut().zip(taken.stats) {
        combatant.fields.extend(stats);
    }
    let mut combatants = Vec::new();
    let all = converted.into_iter().zip(fight.creatures).zip(&names);
    for (place, ((combatant, creature), name)) in all.enumerate() {
        for said in creature.left.into_iter().chain(combatant.left) {
            left.add(said, Some((place, name)));
        }
        combatants.push(Value::Object(combatant.fields));
    }
    let mut body = json!({"ruleset": wish.ruleset, "combatants": combatants});
    let name = fight.name.map(|name| title(&name));
    if let Some(name) = name.and_then(|name| Text::<TITLE>::new(&name)) {
        body["name"] = json!(name);
    }
    if let Some(options) = taken.options {
        body["options"] = options;
    }
    Ok((body, left.list()))
}

/// The order, as far as a file knows it.
fn known_order(fight: &Fight, converted: &mut [ConvertedCombatant]) -> KnownOrder {
    // A fight that was never rolled has 0 everywhere.
    let is_rolled = fight.is_rolled();
    let mut equals: HashMap<Total, Vec<usize>> = HashMap::new();
    let mut rolls = Vec::new();
    for (place, (creature, combatant)) in fight.creatures.iter().zip(converted).enumerate() {
        let known = creature.initiative.filter(|_| is_rolled);
        let initiative = known.and_then(|known| serde_json::from_value(json!(known)).ok());
        if known.is_some() && initiative.is_none() {
            combatant.left("initiative", "No initiative is as far from 0.");
        }
        if is_rolled && known == Some(0.0) {
            combatant.left("initiative", "It has 0. Set it, if it was not rolled yet.");
        }
        if let Some(initiative) = initiative {
            equals.entry(initiative).or_default().push(place);
        }
        rolls.push(KnownRoll {
            initiative,
            modifier: combatant.modifier(creature),
            group: combatant.group(creature),
            place: 0,
        });
    }
    for places in equals.into_values() {
        for (place, number) in among_equals(&places, &fight.creatures) {
            if let Some(roll) = rolls.get_mut(place) {
                roll.place = number;
            }
        }
    }
    KnownOrder {
        lowest_first: fight.lowest_first,
        rolls,
    }
}

/// Tells the round and the turn of a fight that had begun: a creation starts at the beginning.
fn say_where(fight: &Fight, names: &[String], left: &mut LeftOvers) {
    let round = fight.round.filter(|round| *round > 1.0);
    if let Some(round) = round {
        let why = format!(
            "It was round {}. The fight starts in round 1.",
            whole(round)
        );
        left.add(Left::new("round", why), None);
    }
    let Some(current) = fight.current.filter(|_| fight.is_rolled()) else {
        return;
    };
    if round.is_none() && acts_first(fight) == Some(current) {
        return;
    }
    if let Some(name) = names.get(current) {
        let why = format!("It was the turn of {name}. Start the fight, and give it the turn.");
        left.add(Left::new("turn", why), None);
    }
}

/// The place of the creature that acts first.
fn acts_first(fight: &Fight) -> Option<usize> {
    let mut first: Option<(usize, f64)> = None;
    for (place, creature) in fight.creatures.iter().enumerate() {
        let Some(initiative) = creature.initiative else {
            continue;
        };
        let rank = if fight.lowest_first {
            -initiative
        } else {
            initiative
        };
        if first.is_none_or(|(_, best)| rank > best) {
            first = Some((place, rank));
        }
    }
    first.map(|(place, _)| place)
}
