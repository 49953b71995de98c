//! Fights of other trackers as creations.
//!
//! Each format has a file, which reads a fight from what public programs write; `creation` makes of it what
//! `POST /v1/encounters` takes. A file is read loosely, and what has no place is listed.

mod avrae;
mod combatant;
mod creation;
mod creatures;
mod dnd_beyond;
mod fight;
mod five_etools;
mod foundry;
mod improved_initiative;
mod json;
mod left_overs;
mod names;
mod obsidian;
mod roll20;

use self::fight::{Creature, Fight};
use self::json::Json;
use self::names::title;
use crate::json::{FieldError, json_text, shortened};
use crate::vocabulary::{KnownOrder, MAX_COMBATANTS, TakenOrder, word};
use serde::Serialize;
use serde_json::Value;
use std::collections::HashMap;
use utoipa::ToSchema;

/// The mark of the order of bytes in UTF-8.
const BYTE_ORDER: &[u8] = b"\xef\xbb\xbf";
/// How the fight that is played now is called, in a file that keeps it apart.
const CURRENT: &str = "current";
/// Maximum fights of a file that an answer names.
const MOST_NAMED: usize = 100;

/// The tracker or builder that wrote a file.
#[word]
pub enum Tracker {
    /// Initiative Tracker, a plugin of Obsidian: its `data.json`, or one fight of it.
    Obsidian,
    /// Improved Initiative: a fight, the file of its library, or the backup.
    ImprovedInitiative,
    /// The turn order of Roll20.
    Roll20,
    /// 5etools: a list of the encounter builder, or the trackers of a DM screen.
    FiveEtools,
    /// A `Combat` of Foundry.
    Foundry,
    /// An encounter of D&D Beyond.
    DndBeyond,
    /// A combat of the Discord bot Avrae.
    Avrae,
    /// A list of creatures with counts, such as those of Kobold+ Fight Club and Open5e.
    Creatures,
}

/// What to make of a file.
pub struct Wish<'a> {
    /// The id of the ruleset.
    pub ruleset: &'a str,
    /// The condition of a player's character without hit points.
    pub down: &'a str,
    /// What the ruleset takes of the order.
    pub take_order: fn(&KnownOrder) -> TakenOrder,
    /// The name of the fight, in a file with several.
    pub encounter: Option<&'a str>,
    /// True if to refuse a file with several fights of which none is named or played now. Otherwise
    /// the first is taken.
    pub is_strict: bool,
}

/// A fight of another tracker as a creation.
#[derive(Debug, Serialize, ToSchema)]
pub struct Conversion {
    /// The tracker or builder that wrote the file.
    #[schema(inline)]
    pub format: Tracker,
    /// The name of the fight that was taken.
    pub encounter: String,
    /// The names of the fights in the file, at most 100.
    #[schema(max_items = 100)]
    pub encounters: Vec<String>,
    /// The body for `POST /v1/encounters`.
    #[schema(value_type = Object)]
    pub creation: Value,
    /// The parts of the file that have no place in it.
    pub left_out: Vec<LeftOut>,
}

/// A part of a file that has no place in an encounter.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct LeftOut {
    /// The field of the file.
    pub field: String,
    /// The reason, and the remedy.
    pub why: String,
    /// How many combatants have it; 0 for a field of the fight.
    pub count: usize,
    /// The names of the first of them, at most 10.
    #[schema(max_items = 10)]
    pub combatants: Vec<String>,
}

/// Reads a fight when it is chosen.
type Source<'f> = Box<dyn FnOnce() -> Fight + 'f>;

/// A fight of a file.
struct FoundFight<'f> {
    name: String,
    /// True if it is the one that is played now.
    is_current: bool,
    read: Source<'f>,
}

const UNKNOWN: &str = "No known file. Send one of Obsidian's Initiative Tracker, Improved \
    Initiative, Roll20, 5etools, Foundry, D&D Beyond or Avrae, or a list of creatures with their \
    names and counts.";

/// Makes a creation of a file. An error says what the file lacks.
pub fn convert(file: &[u8], wish: &Wish<'_>) -> Result<Conversion, FieldError> {
    // Some programs begin a file with a mark of its bytes' order.
    let text = json_text(file.strip_prefix(BYTE_ORDER).unwrap_or(file))?;
    let file = Json::of(text).map_err(|error| FieldError::malformed("", error.to_string()))?;
    // Roll20 keeps its turn order as a text of JSON.
    let inner = file.whole_text();
    let file = match &inner {
        Some(text) => Json::of(text).map_err(|_| FieldError::meaningless("", UNKNOWN))?,
        None => file,
    };
    let (format, mut found) = open(file).ok_or_else(|| FieldError::meaningless("", UNKNOWN))?;
    tell_apart(&mut found);
    let mut encounters = Vec::new();
    for fight in found.iter().take(MOST_NAMED) {
        encounters.push(fight.name.clone());
    }
    let FoundFight { name, read, .. } = choose(found, wish)?;
    let (creation, left_out) = creation::creation(read(), wish)?;
    Ok(Conversion {
        format,
        encounter: name,
        encounters,
        creation,
        left_out,
    })
}

/// Gives the fights names of one line, each another one.
fn tell_apart(found: &mut [FoundFight<'_>]) {
    let mut namesakes = HashMap::new();
    for fight in found {
        fight.name = title(&fight.name);
        let number: &mut usize = namesakes.entry(fight.name.clone()).or_default();
        *number += 1;
        if *number > 1 {
            fight.name = format!("{} ({number})", fight.name);
        }
    }
}

/// The fight that is meant: the one with the name, the one that is played now, or the first.
fn choose<'f>(
    mut found: Vec<FoundFight<'f>>,
    wish: &Wish<'_>,
) -> Result<FoundFight<'f>, FieldError> {
    let place = match wish.encounter {
        Some(name) => found.iter().position(|fight| fight.name == name),
        None => {
            let first = (found.len() == 1 || !wish.is_strict).then_some(0);
            found.iter().position(|fight| fight.is_current).or(first)
        }
    };
    if let Some(place) = place.filter(|place| *place < found.len()) {
        return Ok(found.swap_remove(place));
    }
    let names: Vec<_> = found
        .iter()
        .take(20)
        .map(|fight| shortened(&fight.name))
        .collect();
    let more = if found.len() > names.len() {
        ", ..."
    } else {
        ""
    };
    let detail = if names.is_empty() {
        "The file has no fight. Save one in the tracker first.".to_owned()
    } else if wish.encounter.is_some() {
        format!(
            "The file has no fight of this name. It has: {}{more}.",
            names.join(", ")
        )
    } else {
        format!(
            "The file has {} fights: {}{more}. Say which one with `encounter`.",
            found.len(),
            names.join(", ")
        )
    };
    Err(FieldError::meaningless("", detail))
}

/// Whose file it is, and its fights.
fn open(file: Json<'_>) -> Option<(Tracker, Vec<FoundFight<'_>>)> {
    if file.is_list() {
        let items = file.items();
        if roll20::is_turn_order(&items) {
            return Some((Tracker::Roll20, vec![one(move || roll20::read(&items))]));
        }
        return Some((Tracker::Creatures, creatures::fights(items)?));
    }
    let fields = file.fields();
    if five_etools::is_file(&fields) {
        return Some((Tracker::FiveEtools, five_etools::fights(fields)));
    }
    if improved_initiative::is_fight(&fields) {
        let read = move || improved_initiative::read(fields);
        return Some((Tracker::ImprovedInitiative, vec![one(read)]));
    }
    if improved_initiative::is_file(&fields) {
        return Some((
            Tracker::ImprovedInitiative,
            improved_initiative::fights(fields),
        ));
    }
    if obsidian::is_file(&fields) {
        return Some((Tracker::Obsidian, obsidian::fights(fields)));
    }
    if obsidian::is_fight(&fields) {
        let read = move || obsidian::read(fields, false);
        return Some((Tracker::Obsidian, vec![one(read)]));
    }
    if avrae::is_combat(&fields) {
        return Some((Tracker::Avrae, vec![one(move || avrae::read(fields))]));
    }
    if let Some(found) = foundry::fights(file) {
        return Some((Tracker::Foundry, found));
    }
    Some((Tracker::DndBeyond, dnd_beyond::fights(file)?))
}

/// The only fight of a file, which has no name besides its own.
fn one<'f>(read: impl FnOnce() -> Fight + 'f) -> FoundFight<'f> {
    FoundFight {
        name: "Encounter".to_owned(),
        is_current: true,
        read: Box::new(read),
    }
}

/// How many of a creature there are; 1 if the list does not say.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "the number is brought into a small range"
)]
fn count(count: Option<Json<'_>>) -> usize {
    let count = count.and_then(Json::number).unwrap_or(1.0);
    // One more than there may be is too many in any case.
    count.clamp(0.0, MAX_COMBATANTS as f64 + 1.0) as usize
}

/// The modifier of a score such as Dexterity.
fn modifier_of(score: f64) -> f64 {
    ((score - 10.0) / 2.0).floor()
}

/// True if a file's number is this place of a list.
fn is_place(place: usize, number: f64) -> bool {
    u32::try_from(place).is_ok_and(|place| f64::from(place).total_cmp(&number).is_eq())
}

/// Adds a creature so many times. Those of one line of a list act on one initiative.
fn repeat(fight: &mut Fight, count: usize, mut creature: Creature) {
    if count > 1 && creature.group.is_none() {
        creature.group.clone_from(&creature.name);
    }
    for _ in 0..count {
        if fight.is_full() {
            return;
        }
        fight.creatures.push(creature.clone());
    }
}
