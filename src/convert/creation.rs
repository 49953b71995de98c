//! A fight as the body of a creation, and what has no place in it.

use super::fight::{Creature, Fight, HitPoints, Left};
use super::{LeftOut, Wish};
use crate::json::{FieldError, shortened};
use crate::vocabulary::{
    CombatantId, Kind, KnownOrder, KnownRoll, LeftRoll, Lines, MAX_COMBATANTS, Name, Notes, OUT,
    SheetLink, Slug, Text, Total, is_plain,
};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::RangeInclusive;

/// Maximum hit points.
const MOST_HP: f64 = 1_000_000.0;
/// Maximum conditions of a combatant, without those for one that is out.
const MOST_CONDITIONS: usize = 30;
/// Fewest characters of an id that does not count.
const COUNTED: usize = 5;
/// Maximum characters of a name before its number.
const NAME: usize = 74;
/// Maximum characters of the name of a fight.
const TITLE: usize = 120;
/// Maximum characters of a text of the client's own.
const TEXT: usize = 200;
/// Maximum entries of the list of what has no place.
const MOST_LEFT: usize = 60;
/// Maximum combatants that an entry names.
pub(super) const MOST_SAID: usize = 10;
/// The greatest number of a file by which a creature differs from its namesakes.
const MOST_NUMBER: f64 = 999.0;

/// What has no place: by the field and why, the combatants that have it.
#[derive(Default)]
struct LeftOvers(BTreeMap<(String, Cow<'static, str>), Who>);

/// The combatants that something is left out of.
#[derive(Default)]
struct Who {
    count: usize,
    /// The first of them.
    names: Vec<String>,
    /// The place of the last.
    last: Option<usize>,
}

impl LeftOvers {
    /// `combatant` is the place and the name of the one that has it; None for the fight.
    fn add(&mut self, Left { field, why }: Left, combatant: Option<(usize, &str)>) {
        let key = (field, why);
        if self.0.len() >= MOST_LEFT && !self.0.contains_key(&key) {
            return;
        }
        let who = self.0.entry(key).or_default();
        let Some((place, name)) = combatant else {
            return;
        };
        if who.last == Some(place) {
            return;
        }
        who.last = Some(place);
        who.count += 1;
        if who.names.len() < MOST_SAID {
            who.names.push(name.to_owned());
        }
    }

    fn list(self) -> Vec<LeftOut> {
        let entries = self.0.into_iter();
        let entries = entries.map(|((field, why), who)| LeftOut {
            field,
            why: why.into_owned(),
            count: who.count,
            combatants: who.names,
        });
        entries.collect()
    }
}

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
    let mut lots = Vec::new();
    for (creature, name) in fight.creatures.iter().zip(&names) {
        let mut lot = Lot {
            fields: Map::new(),
            left: Vec::new(),
        };
        lot.identity(creature, name, &mut ids, has_hidden);
        lot.sheet(creature);
        lot.body(creature, wish);
        lots.push(lot);
    }
    let taken = (wish.take_order)(&known_order(&fight, &mut lots));
    for LeftRoll { roll, field, why } in taken.left {
        if let Some(lot) = lots.get_mut(roll) {
            lot.left(field, why);
        }
    }
    for (lot, stats) in lots.iter_mut().zip(taken.stats) {
        lot.fields.extend(stats);
    }
    let mut combatants = Vec::new();
    let all = lots.into_iter().zip(fight.creatures).zip(&names);
    for (place, ((lot, creature), name)) in all.enumerate() {
        for said in creature.left.into_iter().chain(lot.left) {
            left.add(said, Some((place, name)));
        }
        combatants.push(Value::Object(lot.fields));
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

/// What a file knows of the order.
fn known_order(fight: &Fight, lots: &mut [Lot]) -> KnownOrder {
    // A fight that was never rolled has 0 everywhere.
    let is_rolled = fight.is_rolled();
    let mut equals: HashMap<Total, Vec<usize>> = HashMap::new();
    let mut rolls = Vec::new();
    for (place, (creature, lot)) in fight.creatures.iter().zip(lots).enumerate() {
        let known = creature.initiative.filter(|_| is_rolled);
        let initiative = known.and_then(|known| serde_json::from_value(json!(known)).ok());
        if known.is_some() && initiative.is_none() {
            lot.left("initiative", "No initiative is as far from 0.");
        }
        if is_rolled && known == Some(0.0) {
            lot.left("initiative", "It has 0. Set it, if it was not rolled yet.");
        }
        if let Some(initiative) = initiative {
            equals.entry(initiative).or_default().push(place);
        }
        rolls.push(KnownRoll {
            initiative,
            modifier: lot.modifier(creature),
            group: lot.group(creature),
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

/// Says where the fight was, if it had begun: a creation starts at its beginning.
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
    let ranks = fight.creatures.iter().map(|creature| {
        let initiative = creature.initiative.unwrap_or(f64::NEG_INFINITY);
        if fight.lowest_first {
            -initiative
        } else {
            initiative
        }
    });
    let ranks: Vec<f64> = ranks.collect();
    let first = ranks.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let is_first = ranks.iter().position(|rank| *rank >= first) == Some(current);
    if round.is_none() && is_first {
        return;
    }
    if let Some(name) = names.get(current) {
        let why = format!("It was the turn of {name}. Start the fight, and give it the turn.");
        left.add(Left::new("turn", why), None);
    }
}

/// The names of the creatures. Namesakes have the file's numbers; without some that differ they get
/// numbers, those that are hidden the last ones.
fn names(creatures: &[Creature]) -> Vec<String> {
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
fn among_equals(places: &[usize], creatures: &[Creature]) -> Vec<(usize, usize)> {
    let is_hidden = |place: &usize| creatures.get(*place).is_some_and(|c| c.is_hidden);
    let (hidden, seen): (Vec<usize>, Vec<usize>) = places.iter().copied().partition(is_hidden);
    let first = usize::from(seen.len() != 1 || hidden.is_empty());
    if places.len() < 2 {
        return Vec::new();
    }
    let numbered = seen.into_iter().chain(hidden).zip(first..);
    numbered.filter(|(_, number)| *number > 0).collect()
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
fn line(text: &str) -> String {
    let plain: String = text
        .chars()
        .filter(|c| c.is_whitespace() || is_plain(c.encode_utf8(&mut [0; 4])))
        .collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// As much of a text as fits.
fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let begun: String = text.chars().take(most - 3).collect();
    format!("{}...", begun.trim_end())
}

/// A combatant in the making.
struct Lot {
    fields: Map<String, Value>,
    left: Vec<Left>,
}

impl Lot {
    fn set(&mut self, field: &str, value: impl Into<Value>) {
        self.fields.insert(field.to_owned(), value.into());
    }

    fn left(&mut self, field: &str, why: impl Into<Cow<'static, str>>) {
        self.left.push(Left::new(field, why));
    }

    /// Armor class, level, notes and link.
    fn sheet(&mut self, creature: &Creature) {
        // The number that the text begins with.
        let number_of = |text: &str, numbers: RangeInclusive<i64>| {
            let first = text.split_whitespace().next()?;
            let number = first.strip_prefix('+').unwrap_or(first).parse().ok()?;
            numbers.contains(&number).then_some(number)
        };
        let mut notes = creature.notes.clone().unwrap_or_default();
        // A number may have words, such as those of a shield: they are notes.
        let numbers = [
            ("armor_class", "AC", &creature.armor_class, -100..=1000),
            ("level", "Level", &creature.level, 1..=100),
        ];
        for (field, title, text, numbers) in numbers {
            let Some(text) = text else {
                continue;
            };
            let number = number_of(text, numbers);
            if let Some(number) = number {
                self.set(field, json!(number));
            }
            if number.is_none_or(|number| number.to_string() != *text) {
                notes = format!("{title}: {text}\n{notes}");
            }
        }
        let link = creature.link.as_deref();
        match link.map(|text| (text, SheetLink::new(text))) {
            Some((_, Some(link))) => self.set("link", link.as_str()),
            Some((text, None)) => notes = format!("{notes}\nSheet: {text}"),
            None => {}
        }
        let plain: String = notes
            .replace('\r', "")
            .chars()
            .filter(|c| is_plain(c.encode_utf8(&mut [0; 4])))
            .collect();
        let short = cut(plain.trim(), Notes::MOST);
        if short.len() < plain.trim().len() {
            self.left(
                "notes",
                "Notes have at most 1000 characters. These are cut.",
            );
        }
        if let Some(notes) = Notes::new(&short) {
            self.set("notes", notes.as_str());
        }
    }

    /// Name, id and side, and the texts that are nobody's rule. With `shows_hidden`, ids that count may
    /// show that there are hidden ones.
    fn identity(
        &mut self,
        creature: &Creature,
        name: &str,
        ids: &mut HashSet<String>,
        shows_hidden: bool,
    ) {
        self.set("name", name);
        if creature
            .name
            .as_deref()
            .is_some_and(|name| line(name).chars().count() > NAME)
        {
            self.left("name", "A name has at most 80 characters. This one is cut.");
        }
        let mut metadata = Map::new();
        if let Some(id) = &creature.id {
            if shows_hidden && id.len() < COUNTED {
                self.left("id", "A gap in such ids would show the hidden ones.");
            } else if CombatantId::new(id).is_some() && ids.insert(id.clone()) {
                self.set("id", id.as_str());
            } else {
                self.text(&mut metadata, "id", id);
            }
        }
        let side = if creature.is_friend {
            "players"
        } else {
            "monsters"
        };
        self.set("side", side);
        if creature.kind != Kind::Pc {
            self.set("kind", json!(creature.kind));
        }
        if let Some(player) = creature
            .player
            .as_deref()
            .and_then(|name| Name::new(&line(name)))
        {
            self.set("controller", player.as_str());
        }
        if creature.is_hidden {
            self.set("hidden", true);
        }
        if !metadata.is_empty() {
            self.set("metadata", metadata);
        }
    }

    fn text(&mut self, metadata: &mut Map<String, Value>, name: &str, text: &str) {
        let plain: String = text
            .replace('\r', "")
            .chars()
            .filter(|c| is_plain(c.encode_utf8(&mut [0; 4])))
            .collect();
        let short = cut(&plain, TEXT);
        if short.len() < plain.len() {
            self.left(name, "A text has at most 200 characters. This one is cut.");
        }
        if let Some(text) = Lines::<TEXT>::new(&short) {
            metadata.insert(name.to_owned(), json!(text));
        }
    }

    /// Hit points and conditions.
    fn body(&mut self, creature: &Creature, wish: &Wish<'_>) {
        let mut conditions: Vec<String> = Vec::new();
        for text in &creature.conditions {
            let Some(word) = condition(text) else {
                let text = shortened(text);
                self.left(
                    "conditions",
                    format!("{text:?} is no condition of ours. Add it as an effect."),
                );
                continue;
            };
            if !conditions.iter().any(|known| word == **known) {
                conditions.push(word.as_str().to_owned());
            }
        }
        if conditions.len() > MOST_CONDITIONS {
            conditions.truncate(MOST_CONDITIONS);
            self.left(
                "conditions",
                "A combatant has at most 32. The last ones are left out.",
            );
        }
        let is_out = |conditions: &[String]| conditions.iter().any(|word| OUT.contains(&&**word));
        if creature.is_disabled {
            self.left("enabled", "It takes no part, and is defeated here.");
        }
        if (creature.is_disabled || creature.is_defeated) && !is_out(&conditions) {
            conditions.push("defeated".to_owned());
        }
        if let Some(current) = creature.hp.as_ref().and_then(|hp| self.hit_points(hp)) {
            let down = match creature.kind {
                Kind::Pc => wish.down,
                Kind::Npc | Kind::Hazard => "defeated",
            };
            let is_down = is_out(&conditions) || conditions.iter().any(|word| word == down);
            if current == 0 && !is_down && creature.kind != Kind::Hazard {
                conditions.push(down.to_owned());
            }
        }
        if !conditions.is_empty() {
            self.set("conditions", conditions);
        }
    }

    /// Sets the hit points; the current ones. None if the file tracks none.
    fn hit_points(&mut self, hp: &HitPoints) -> Option<u32> {
        let max = hp.max.or(hp.current).filter(|max| *max > 0.0)?;
        let current = hp.current.unwrap_or(max);
        if current < 0.0 {
            self.left("hp", "Hit points below 0 are 0 here.");
        }
        // What is above the maximum is temporary.
        let more = (current - max).max(0.0);
        if more > 0.0 {
            self.left("hp", "What is above the maximum is temporary here.");
        }
        let temp = hp.temp.unwrap_or_default().max(0.0) + more;
        let current = whole(current.min(max));
        let mut hp = json!({"current": current, "max": whole(max)});
        if whole(temp) > 0 {
            hp["temp"] = json!(whole(temp));
        }
        self.set("hp", hp);
        Some(current)
    }

    /// What is added to a roll.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a whole number of this size is one of both types"
    )]
    fn modifier(&mut self, creature: &Creature) -> Option<i64> {
        let modifier = creature.modifier.filter(|modifier| *modifier != 0.0)?;
        if modifier.fract() != 0.0 || modifier.abs() > MOST_HP {
            self.left("modifier", "A modifier is a whole number.");
            return None;
        }
        Some(modifier as i64)
    }

    fn group(&mut self, creature: &Creature) -> Option<Slug> {
        let group = creature.group.as_deref()?;
        let word = condition(group);
        if word.is_none() {
            self.left(
                "group",
                "Its name is no word of 40 letters, digits, - and _.",
            );
        }
        word
    }
}

/// A text as a word for machines: spaces become hyphens, other punctuation goes.
fn condition(text: &str) -> Option<Slug> {
    let hyphened = text.split_whitespace().collect::<Vec<_>>().join("-");
    Slug::new(&hyphened).or_else(|| {
        let is_punctuation = |c: &char| c.is_ascii_punctuation() && !matches!(c, '-' | '_');
        let word: String = hyphened
            .chars()
            .filter(|c| !is_punctuation(c) && *c != '\u{2019}')
            .collect();
        Slug::new(&word)
    })
}

/// A number of hit points: whole, from 0 to the most.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the number is brought into range"
)]
fn whole(number: f64) -> u32 {
    number.clamp(0.0, MOST_HP).ceil() as u32
}
