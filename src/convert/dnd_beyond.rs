//! An encounter of D&D Beyond, as its encounter builder keeps it: monsters, players and other entries.

use super::fight::{Creature, Fight, HitPoints, Left};
use super::json::{Json, JsonFields};
use super::{FoundFight, count, repeat};
use crate::json::shortened;
use crate::vocabulary::Kind;
use std::collections::HashMap;

/// Fields of the bookkeeping of the builder.
const BOOKKEEPING: &[&str] = &[
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

/// True if an object is an encounter of D&D Beyond.
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
        if fight.is_full() {
            break;
        }
        match character(player) {
            Ok(creature) => fight.creatures.push(creature),
            Err(why) => fight.left.extend(why),
        }
    }
    for monster in fields.items("monsters") {
        if fight.is_full() {
            break;
        }
        let quantity = monster.fields().take("quantity");
        let creature = self::monster(monster, &groups);
        repeat(&mut fight, count(quantity), creature);
    }
    for entry in fields.items("manualEntries") {
        if fight.is_full() {
            break;
        }
        let mut fields = entry.fields();
        let mut creature = entrant(Kind::Npc, &mut fields);
        creature.left_of(&fields);
        fight.creatures.push(creature);
    }
    let turn = fields.number("turnNum").filter(|turn| *turn > 0.0);
    if let Some(turn) = turn.filter(|_| fight.round.is_some_and(|round| round > 0.0)) {
        let why = format!(
            "It was turn {turn:.0} of the round. Start the fight, and give that combatant the turn."
        );
        fight.left.push(Left::new("turn", why));
    }
    fields.ignore(BOOKKEEPING);
    fight.left_of(&fields);
    fight
}

/// What all entries have.
fn entrant(kind: Kind, fields: &mut JsonFields<'_>) -> Creature {
    let mut creature = Creature::new(kind);
    creature.name = fields.text("name");
    creature.initiative = creature.number(fields, "initiative");
    let max = creature
        .number(fields, "maximumHitPoints")
        .filter(|max| *max > 0.0);
    let current = creature.number(fields, "currentHitPoints");
    let average = creature.number(fields, "averageHitPoints");
    creature.hp = Some(HitPoints {
        // Without a maximum nothing is known of them but the average.
        current: max.and(current).or(average),
        max: max.or(average),
        temp: creature.number(fields, "temporaryHitPoints"),
    });
    fields.ignore(&["id", "order"]);
    creature
}

/// A player's character, or what is said of one that takes no part.
fn character(player: Json<'_>) -> Result<Creature, Option<Left>> {
    let mut fields = player.fields();
    let id = fields.text("id");
    if fields.text("type").as_deref() == Some(PLACEHOLDER) {
        return Err(None);
    }
    if fields.is_true("hidden") {
        let name = fields.text("name").map(|name| shortened(&name));
        let why = format!("{} takes no part there. Add it.", name.unwrap_or_default());
        return Err(Some(Left::new("players", why)));
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
    Ok(creature)
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
