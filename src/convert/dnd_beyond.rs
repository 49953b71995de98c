//! An encounter of D&D Beyond, as its encounter builder keeps it: monsters, players and other entries.

use super::fight::{Creature, Fight, HitPoints};
use super::json::{Json, JsonFields};
use super::{FoundFight, count, repeat};
use crate::vocabulary::Kind;
use std::collections::HashMap;

/// What the builder keeps for itself.
const BOOKKEEPING: [&str; 14] = [
    "id",
    "userId",
    "inProgress",
    "difficulty",
    "status",
    "versionNumber",
    "dateCreated",
    "dateModified",
    "campaign",
    "rewards",
    "editable",
    "stats",
    "turnNum",
    "permissions",
];

/// A character that was not chosen yet.
const PLACEHOLDER: &str = "CHARACTER_TYPE_ABSTRACT";

/// The encounters of a file, if it has any.
pub(super) fn fights(file: Json<'_>) -> Option<Vec<FoundFight<'_>>> {
    let mut fields = file.fields();
    let mut encounters = Vec::new();
    match fields.take("data") {
        Some(data) if data.is_list() => encounters = data.items(),
        Some(data) => encounters.push(data),
        None => encounters.push(file),
    }
    let mut found = Vec::new();
    for encounter in encounters {
        let mut encounter = encounter.fields();
        if is_encounter(&encounter) {
            let number = found.len() + 1;
            let name = encounter.get("name").and_then(Json::text);
            found.push(FoundFight {
                name: name.unwrap_or_else(|| format!("encounter {number}")),
                is_current: encounter.is_true("inProgress"),
                read: Box::new(move || read(encounter)),
            });
        }
    }
    (!found.is_empty()).then_some(found)
}

/// Whether an object is an encounter of D&D Beyond.
fn is_encounter(fields: &JsonFields<'_>) -> bool {
    let others = ["groups", "players", "roundNum"];
    fields.has("monsters") && others.iter().any(|name| fields.has(name))
}

fn read(mut fields: JsonFields<'_>) -> Fight {
    let mut groups = HashMap::new();
    for group in fields.items("groups") {
        let mut group = group.fields();
        if let Some(id) = group.text("id") {
            groups.insert(id, group.text("name"));
        }
    }
    let mut fight = Fight {
        name: fields.text("name"),
        round: fields.number("roundNum"),
        ..Fight::default()
    };
    for player in fields.items("players") {
        fight.creatures.extend(character(player));
    }
    for monster in fields.items("monsters") {
        let quantity = monster.fields().take("quantity");
        repeat(&mut fight, count(quantity), || {
            self::monster(monster, &groups)
        });
    }
    for entry in fields.items("manualEntries") {
        let mut fields = entry.fields();
        let mut creature = entrant(Kind::Npc, &mut fields);
        creature.left_of(&fields);
        fight.creatures.push(creature);
    }
    fields.ignore(&BOOKKEEPING);
    fight.left_of(&fields);
    fight
}

/// What all entries have.
fn entrant(kind: Kind, fields: &mut JsonFields<'_>) -> Creature {
    let mut creature = Creature::new(kind);
    creature.name = fields.text("name");
    creature.initiative = creature.number(fields, "initiative");
    creature.hp = Some(HitPoints {
        current: fields.number("currentHitPoints"),
        max: fields.number("maximumHitPoints"),
        temp: fields.number("temporaryHitPoints"),
    });
    fields.ignore(&["averageHitPoints", "id", "order"]);
    creature
}

fn character(player: Json<'_>) -> Option<Creature> {
    let mut fields = player.fields();
    let id = fields.text("id");
    if fields.text("type").as_deref() == Some(PLACEHOLDER) || fields.is_true("hidden") {
        return None;
    }
    let mut creature = entrant(Kind::Pc, &mut fields);
    creature.id = id;
    creature.player = fields.text("userName");
    creature.level = fields.text("level");
    fields.ignore(&[
        "avatarUrl",
        "race",
        "gender",
        "classByLine",
        "isReady",
        "count",
    ]);
    creature.left_of(&fields);
    Some(creature)
}

fn monster(monster: Json<'_>, groups: &HashMap<String, Option<String>>) -> Creature {
    let mut fields = monster.fields();
    fields.ignore(&["quantity", "index"]);
    let mut creature = entrant(Kind::Npc, &mut fields);
    creature.id = fields.text("uniqueId");
    let group = fields.text("groupId");
    // A group without a name is the builder's own.
    creature.group = group.and_then(|id| groups.get(&id).cloned().flatten());
    creature.notes = fields.text("notes");
    creature.left_of(&fields);
    creature
}
