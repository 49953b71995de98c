//! The names of creatures and fights, as they fit into an encounter.

use super::combatant::whole;
use super::fight::Creature;
use crate::vocabulary::{Name, is_plain};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Maximum characters of a name before its number.
pub(super) const NAME: usize = 74;
/// Maximum characters of the name of a fight.
pub(super) const TITLE: usize = 120;
/// The greatest number of a file by which a creature differs from its namesakes.
const MOST_NUMBER: f64 = 999.0;

/// The names of the creatures. Namesakes have the file's numbers; without some that differ they get
/// numbers, those that are hidden the last ones.
pub(super) fn names(creatures: &[Creature]) -> Vec<String> {
    let mut names = Vec::new();
    for creature in creatures {
        let name = creature.name.as_deref().map(line).unwrap_or_default();
        let name = cut(&name, NAME);
        let is_name = Name::new(&name).is_some();
        names.push(if is_name { name } else { "Unnamed".to_owned() });
    }
    let mut namesakes: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (place, name) in names.iter().enumerate() {
        namesakes.entry(name).or_default().push(place);
    }
    let mut numbers = HashMap::new();
    for places in namesakes.into_values() {
        match numbers_of_file(&places, creatures) {
            Some(of_file) => numbers.extend(places.into_iter().zip(of_file)),
            None => numbers.extend(among_equals(&places, creatures)),
        }
    }
    for (place, name) in names.iter_mut().enumerate() {
        if let Some(number) = numbers.get(&place) {
            name.push_str(&format!(" {number}"));
        }
    }
    names
}

/// The numbers from 1 of creatures that are equal in something, the hidden ones last: those that players
/// see must look as if they were alone. One that is seen alone has none.
pub(super) fn among_equals(places: &[usize], creatures: &[Creature]) -> Vec<(usize, usize)> {
    if places.len() < 2 {
        return Vec::new();
    }
    let (mut seen, mut hidden) = (Vec::new(), Vec::new());
    for place in places {
        let is_hidden = creatures.get(*place).is_some_and(|c| c.is_hidden);
        if is_hidden {
            hidden.push(*place);
        } else {
            seen.push(*place);
        }
    }
    if seen.len() == 1 && !hidden.is_empty() {
        seen.clear();
    }
    let mut numbered = Vec::new();
    for (number, place) in seen.into_iter().chain(hidden).enumerate() {
        numbered.push((place, number + 1));
    }
    numbered
}

/// The file's numbers of namesakes, if it tells them apart and none is hidden: a gap would show it.
fn numbers_of_file(places: &[usize], creatures: &[Creature]) -> Option<Vec<usize>> {
    let mut numbers = Vec::new();
    for place in places {
        let creature = creatures
            .get(*place)
            .filter(|creature| !creature.is_hidden)?;
        let number = creature.number.filter(|number| number.fract() == 0.0)?;
        let number = (1.0..=MOST_NUMBER).contains(&number).then_some(number)?;
        numbers.push(whole(number) as usize);
    }
    let differ = numbers.iter().collect::<HashSet<_>>().len() == numbers.len();
    (places.len() > 1 && differ).then_some(numbers)
}

/// The name of a fight, as one line that fits.
pub(super) fn title(name: &str) -> String {
    cut(&line(name), TITLE)
}

/// A text as one line, without what a name may not have.
pub(super) fn line(text: &str) -> String {
    let plain: String = text
        .chars()
        .filter(|c| c.is_whitespace() || is_plain(c.encode_utf8(&mut [0; 4])))
        .collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text of several lines, without what one may not have.
pub(super) fn lines(text: &str) -> String {
    let is_wanted = |c: &char| *c != '\r' && is_plain(c.encode_utf8(&mut [0; 4]));
    let plain: String = text.chars().filter(is_wanted).collect();
    plain.trim().to_owned()
}

/// As much of a text as fits.
pub(super) fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let begun: String = text.chars().take(most - 3).collect();
    format!("{}...", begun.trim_end())
}
