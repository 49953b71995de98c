//! A creature as a combatant.

use super::Wish;
use super::fight::{Creature, HitPoints, Left};
use super::names::{NAME, cut, line, lines};
use crate::json::shortened;
use crate::vocabulary::{ASIDE, CombatantId, Kind, Lines, Name, Notes, OUT, SheetLink, Slug};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::collections::HashSet;

/// Fewest characters of an id that does not count.
const COUNTED: usize = 5;
/// Maximum hit points.
const MOST_HP: f64 = 1_000_000.0;
/// Maximum conditions of a combatant, without those for one that is out.
const MOST_CONDITIONS: usize = 30;
/// Maximum characters of a text of the client's own.
const TEXT: usize = 200;

/// A combatant of a creation, and what of its creature has no place in it.
#[derive(Default)]
pub(super) struct ConvertedCombatant {
    pub fields: Map<String, Value>,
    pub left: Vec<Left>,
}

impl ConvertedCombatant {
    fn set(&mut self, field: &str, value: impl Into<Value>) {
        self.fields.insert(field.to_owned(), value.into());
    }

    pub fn left(&mut self, field: &str, why: impl Into<Cow<'static, str>>) {
        self.left.push(Left::new(field, why));
    }

    /// Armor class, level, notes and link.
    pub fn sheet(&mut self, creature: &Creature) {
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
            let number = first_number(text).filter(|number| numbers.contains(number));
            if let Some(number) = number {
                self.set(field, json!(number));
            }
            if number.is_none_or(|number| number.to_string() != *text) {
                notes = format!("{title}: {text}\n{notes}");
            }
        }
        if let Some(text) = &creature.link {
            match SheetLink::new(text) {
                Some(link) => self.set("link", link.as_str()),
                None => notes = format!("{notes}\nSheet: {text}"),
            }
        }
        let notes = lines(&notes);
        let short = cut(&notes, Notes::MOST);
        if short.len() < notes.len() {
            self.left(
                "notes",
                "Notes have at most 1000 characters. These are cut.",
            );
        }
        if let Some(notes) = Notes::new(&short) {
            self.set("notes", notes.as_str());
        }
    }

    /// Name, id, side and controller. With `shows_hidden`, ids that count may show that there are hidden
    /// ones.
    pub fn identity(
        &mut self,
        creature: &Creature,
        name: &str,
        ids: &mut HashSet<String>,
        shows_hidden: bool,
    ) {
        self.set("name", name);
        let long = creature.name.as_deref().map(line);
        if long.is_some_and(|name| name.chars().count() > NAME) {
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
        let player = creature.player.as_deref().map(line);
        if let Some(player) = player.and_then(|name| Name::new(&name)) {
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
        let text = lines(text);
        let short = cut(&text, TEXT);
        if short.len() < text.len() {
            self.left(name, "A text has at most 200 characters. This one is cut.");
        }
        if let Some(text) = Lines::<TEXT>::new(&short) {
            metadata.insert(name.to_owned(), json!(text));
        }
    }

    /// Hit points and conditions.
    pub fn body(&mut self, creature: &Creature, wish: &Wish<'_>) {
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
        if creature.is_defeated && !is_out(&conditions) {
            conditions.push("defeated".to_owned());
        }
        if creature.is_disabled && !is_out(&conditions) {
            conditions.push(ASIDE.to_owned());
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
        // Hit points above the maximum are temporary.
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

    /// The modifier of its roll.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a whole number of this size is one of both types"
    )]
    pub fn modifier(&mut self, creature: &Creature) -> Option<i64> {
        let modifier = creature.modifier.filter(|modifier| *modifier != 0.0)?;
        if modifier.fract() != 0.0 || modifier.abs() > MOST_HP {
            self.left("modifier", "A modifier is a whole number.");
            return None;
        }
        Some(modifier as i64)
    }

    pub fn group(&mut self, creature: &Creature) -> Option<Slug> {
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

/// The number that a text begins with.
fn first_number(text: &str) -> Option<i64> {
    let first = text.split_whitespace().next()?;
    first.strip_prefix('+').unwrap_or(first).parse().ok()
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
pub(super) fn whole(number: f64) -> u32 {
    number.clamp(0.0, MOST_HP).ceil() as u32
}
