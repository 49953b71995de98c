//! Obsidian's Initiative Tracker: its `data.json`, with the current fight in `state` and the saved ones
//! in `encounters`, or one fight of it.

use super::fight::{Creature, Fight, HitPoints};
use super::json::{Json, JsonFields};
use super::{CURRENT, FoundFight, Source};
use crate::vocabulary::Kind;

/// Fields of the bookkeeping of the plugin.
const BOOKKEEPING: &[&str] = &["state", "logFile", "newLog", "roll", "rollHP", "timestamp"];

/// Fields of a creature that say nothing about a fight.
const APPEARANCE: &[&str] = &[
    "static", "marker", "active", "rollHP", "xp", "cr", "hit_dice",
];

/// The first version whose files have an initiative with its modifier.
const WHOLE_INITIATIVE: (f64, f64) = (9.0, 11.0);

/// True if an object is a fight of the plugin.
pub(super) fn is_fight(fields: &JsonFields<'_>) -> bool {
    fields.get("creatures").is_some_and(Json::is_list)
}

/// True if an object is the plugin's file.
pub(super) fn is_file(fields: &JsonFields<'_>) -> bool {
    let of_state = |state: Json<'_>| is_fight(&state.fields());
    let encounters = fields.get("encounters").map(Json::fields);
    let saved = encounters.and_then(|saved| saved.each().next());
    fields.get("state").is_some_and(of_state)
        || saved.is_some_and(|(_, fight)| is_fight(&fight.fields()))
}

/// The fights of a file.
pub(super) fn fights<'f>(mut file: JsonFields<'f>) -> Vec<FoundFight<'f>> {
    let adds_modifier = file.items("version");
    let version = |place: usize| adds_modifier.get(place).and_then(|part| part.number());
    let adds_modifier = match (version(0), version(1)) {
        (Some(major), minor) => (major, minor.unwrap_or_default()) < WHOLE_INITIATIVE,
        (None, _) => false,
    };
    let lowest_first = file.get("descending").is_some_and(Json::is_false);
    let source = move |fight: Json<'f>| -> Source<'f> {
        Box::new(move || Fight {
            lowest_first,
            ..read(fight.fields(), adds_modifier)
        })
    };
    let mut found = Vec::new();
    // Between two fights it is there without creatures.
    let has_any = |state: &Json<'_>| !state.fields().items("creatures").is_empty();
    if let Some(state) = file.take("state").filter(has_any) {
        found.push(FoundFight {
            name: CURRENT.to_owned(),
            is_current: true,
            read: source(state),
        });
    }
    for (name, fight) in file.fields("encounters").each() {
        found.push(FoundFight {
            name,
            is_current: false,
            read: source(fight),
        });
    }
    found
}

/// `adds_modifier`: the file has each initiative without its modifier.
pub(super) fn read(mut fields: JsonFields<'_>, adds_modifier: bool) -> Fight {
    let rolls = fields.get("roll").is_some_and(Json::is_true);
    let mut fight = Fight {
        name: fields.text("name"),
        round: fields.number("round"),
        ..Fight::default()
    };
    for entry in fields.items("creatures") {
        if fight.is_full() {
            break;
        }
        let is_active = entry.fields().is_true("active");
        let mut creature = creature(entry);
        // The plugin rolls when it loads the fight.
        if rolls {
            creature.initiative = None;
        }
        if adds_modifier && let Some(initiative) = &mut creature.initiative {
            *initiative += creature.modifier.unwrap_or_default();
        }
        if is_active {
            fight.current = Some(fight.creatures.len());
        }
        fight.creatures.push(creature);
    }
    fields.ignore(BOOKKEEPING);
    fight.left_of(&fields);
    fight
}

fn creature(entry: Json<'_>) -> Creature {
    let mut fields = entry.fields();
    let is_player = fields.is_true("player");
    let mut creature = Creature::new(if is_player { Kind::Pc } else { Kind::Npc });
    creature.is_friend |= fields.is_true("friendly");
    creature.id = fields.text("id");
    let name = fields.text("name");
    creature.name = fields.text("display").or(name);
    creature.number = fields.number("number");
    creature.is_hidden = fields.is_true("hidden");
    creature.is_disabled = fields.take("enabled").is_some_and(Json::is_false);
    creature.initiative = creature.number(&mut fields, "initiative");
    creature.modifier = if fields.get("modifier").is_some_and(Json::is_list) {
        // A roll of several dice has one each.
        let modifiers = fields.items("modifier");
        Some(modifiers.iter().filter_map(|one| one.number()).sum())
    } else {
        creature.number(&mut fields, "modifier")
    };
    let max = creature.number(&mut fields, "hp");
    let changed = creature.number(&mut fields, "currentMaxHP");
    creature.hp = Some(HitPoints {
        current: creature.number(&mut fields, "currentHP"),
        max: changed.filter(|max| *max > 0.0).or(max),
        temp: creature.number(&mut fields, "tempHP"),
    });
    let armor = fields.text("ac");
    creature.armor_class = fields.text("currentAC").or(armor);
    creature.level = fields.text("level");
    creature.notes = fields.text("note");
    creature.link = fields
        .text("statblock-link")
        .or_else(|| fields.text("path"));
    let statuses = fields.items("status");
    creature.conditions("status", statuses, |status| {
        status.text().or_else(|| status.fields().text("name"))
    });
    fields.ignore(APPEARANCE);
    creature.left_of(&fields);
    creature
}
