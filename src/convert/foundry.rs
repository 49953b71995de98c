//! A `Combat` of Foundry, as its documents are exported: alone, among the `encounters` of a module, or
//! beside the `actors` that its combatants play.

use super::fight::{Creature, Fight, HitPoints};
use super::json::{Json, JsonFields};
use super::{FoundFight, is_place, one};
use crate::vocabulary::Kind;
use std::collections::HashMap;

/// What Foundry keeps for itself.
const BOOKKEEPING: [&str; 11] = [
    "_stats",
    "flags",
    "sort",
    "type",
    "system",
    "scene",
    "sceneId",
    "active",
    "img",
    "ownership",
    "roundJoined",
];

const NAMES: &str = "Foundry keeps this name with its token. Name it with `update_combatant`, or export the \
    names too: docs/how-to/from-another-tracker.md.";

/// A field that each of its combatants has.
const OF_FOUNDRY: [&str; 5] = ["tokenId", "actorId", "tokenUuid", "actorUuid", "actorData"];

/// Actors of a file by their ids.
type Actors<'f> = HashMap<String, Json<'f>>;

/// The combats of a file, if it has any.
pub(super) fn fights(file: Json<'_>) -> Option<Vec<FoundFight<'_>>> {
    let mut fields = file.fields();
    if is_combat(&fields) {
        return Some(vec![one(move || read(fields, &Actors::new()))]);
    }
    if let Some(combat) = fields
        .take("combat")
        .filter(|combat| is_combat(&combat.fields()))
    {
        let actors = actors(&mut fields);
        return Some(vec![one(move || read(combat.fields(), &actors))]);
    }
    let mut found = Vec::new();
    for combat in fields.items("encounters") {
        let mut combat = combat.fields();
        if is_combat(&combat) {
            let number = found.len() + 1;
            let name = combat.get("name").and_then(Json::text);
            found.push(FoundFight {
                name: name.unwrap_or_else(|| format!("encounter {number}")),
                is_current: combat.is_true("active"),
                read: Box::new(move || read(combat, &Actors::new())),
            });
        }
    }
    (!found.is_empty()).then_some(found)
}

/// Whether an object is a combat: its combatants are those of Foundry.
fn is_combat(fields: &JsonFields<'_>) -> bool {
    let combatants = fields
        .get("combatants")
        .map(Json::items)
        .unwrap_or_default();
    let first = combatants.first().map(|first| first.fields());
    first.is_some_and(|first| OF_FOUNDRY.iter().any(|name| first.has(name)))
}

/// The actors that a file holds beside its combat.
fn actors<'f>(fields: &mut JsonFields<'f>) -> Actors<'f> {
    let mut actors = Actors::new();
    for actor in fields.items("actors") {
        let mut fields = actor.fields();
        let data = fields.get("data").unwrap_or(actor);
        if let Some(id) = fields.text("id").or_else(|| fields.text("_id")) {
            actors.insert(id, data);
        }
    }
    actors
}

fn read(mut fields: JsonFields<'_>, actors: &Actors<'_>) -> Fight {
    let combatants = fields.items("combatants");
    let mut groups = HashMap::new();
    for group in fields.items("groups") {
        let mut group = group.fields();
        if let Some(id) = group.text("_id") {
            groups.insert(id, group.text("name"));
        }
    }
    let mut fight = Fight {
        name: fields.text("name"),
        round: fields.number("round"),
        ..Fight::default()
    };
    for combatant in combatants {
        fight.creatures.push(creature(combatant, actors, &groups));
    }
    let turn = fields.number("turn");
    fight.current = turn.and_then(|turn| acting(&fight.creatures, turn));
    fields.ignore(&BOOKKEEPING);
    fields.ignore(&["_id", "id", "current", "description", "timestamp", "userId"]);
    fight.left_of(&fields);
    fight
}

/// Who acts at a place of the order: the greatest initiative first, those without any last, equals by
/// their ids.
fn acting(creatures: &[Creature], turn: f64) -> Option<String> {
    let mut order: Vec<&Creature> = creatures.iter().collect();
    order.sort_by(|a, b| {
        let rank = |creature: &Creature| creature.initiative.unwrap_or(f64::NEG_INFINITY);
        rank(b).total_cmp(&rank(a)).then(a.id.cmp(&b.id))
    });
    let place = (0..order.len()).find(|place| is_place(*place, turn))?;
    order.get(place)?.name.clone()
}

fn creature(
    combatant: Json<'_>,
    actors: &Actors<'_>,
    groups: &HashMap<String, Option<String>>,
) -> Creature {
    let mut fields = combatant.fields();
    let actor_id = fields.text("actorId");
    let actor = fields.take("actor").or_else(|| fields.take("actorData"));
    let known = actor_id.as_ref().and_then(|id| actors.get(id).copied());
    let mut actor = actor.or(known).map(Json::fields).unwrap_or_default();
    let is_character = actor.text("type").is_some_and(|sort| sort == "character");
    let kind = if is_character { Kind::Pc } else { Kind::Npc };
    let mut creature = Creature::new(kind);
    creature.id = fields.text("_id").or_else(|| fields.text("id"));
    creature.name = fields.text("name").or_else(|| actor.text("name"));
    if creature.name.is_none() {
        creature.left("name", NAMES);
    }
    creature.is_hidden =
        fields.is_true("hidden") || fields.get("visible").is_some_and(Json::is_false);
    creature.is_defeated = fields.is_true("defeated");
    creature.initiative = creature.number(&mut fields, "initiative");
    let group = fields.text("group");
    creature.group = group.map(|id| groups.get(&id).cloned().flatten().unwrap_or(id));
    // The data of the system stand in `system`, in older exports in `data`.
    let mut system = actor.fields("system");
    let mut attributes = system.fields("attributes");
    if attributes.rest().next().is_none() {
        attributes = actor.fields("data").fields("attributes");
    }
    let mut hp = attributes.fields("hp");
    if hp.has("value") {
        creature.hp = Some(HitPoints {
            current: hp.number("value"),
            max: hp.number("max"),
            temp: hp.number("temp"),
        });
    }
    creature.armor_class = attributes.fields("ac").text("value");
    fields.ignore(&BOOKKEEPING);
    fields.ignore(&["actorId", "tokenId", "tokenUuid", "actorUuid", "visible"]);
    creature.left_of(&fields);
    creature
}
