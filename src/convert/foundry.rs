//! A `Combat` of Foundry, as its documents are exported: alone, among the `encounters` of a module, or
//! beside the `actors` that its combatants play.

use super::fight::{Creature, Fight, HitPoints};
use super::json::{Json, JsonFields};
use super::{FoundFight, is_place, one};
use crate::vocabulary::{Kind, MAX_COMBATANTS};
use std::collections::HashMap;

/// Fields of the bookkeeping of Foundry.
const BOOKKEEPING: &[&str] = &[
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

const NAMES: &str = "Foundry keeps this name with its token. Rename it, or copy the combat with \
    its names.";

/// A field that each of its combatants has.
const OF_FOUNDRY: &[&str] = &["tokenId", "actorId", "tokenUuid", "actorUuid", "actorData"];

/// The combats of a file, if it has any.
pub(super) fn fights(file: Json<'_>) -> Option<Vec<FoundFight<'_>>> {
    let mut fields = file.fields();
    if is_combat(&fields) {
        return Some(vec![one(move || read(fields, &mut Actors::default()))]);
    }
    if let Some(combat) = fields
        .take("combat")
        .filter(|combat| is_combat(&combat.fields()))
    {
        let mut actors = Actors::beside(&mut fields);
        return Some(vec![one(move || read(combat.fields(), &mut actors))]);
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
                read: Box::new(move || read(combat, &mut Actors::default())),
            });
        }
    }
    (!found.is_empty()).then_some(found)
}

/// True if an object is a combat: its combatants are those of Foundry.
fn is_combat(fields: &JsonFields<'_>) -> bool {
    let combatants = fields
        .get("combatants")
        .map(Json::items)
        .unwrap_or_default();
    let first = combatants.first().map(|first| first.fields());
    first.is_some_and(|first| OF_FOUNDRY.iter().any(|name| first.has(name)))
}

/// Actors of a file by their ids. Each is read once, when the first combatant plays it.
#[derive(Default)]
struct Actors<'f> {
    sources: HashMap<String, Json<'f>>,
    read: HashMap<String, Creature>,
}

impl<'f> Actors<'f> {
    /// The actors that a file holds beside its combat.
    fn beside(fields: &mut JsonFields<'f>) -> Self {
        let mut sources = HashMap::new();
        for actor in fields.items("actors") {
            let mut fields = actor.fields();
            let data = fields.get("data").unwrap_or(actor);
            if let Some(id) = fields.text("id").or_else(|| fields.text("_id")) {
                sources.insert(id, data);
            }
        }
        Self {
            sources,
            read: HashMap::new(),
        }
    }

    fn get(&mut self, id: &str) -> Option<Creature> {
        if !self.read.contains_key(id) {
            let actor = played(*self.sources.get(id)?);
            self.read.insert(id.to_owned(), actor);
        }
        self.read.get(id).cloned()
    }
}

fn read(mut fields: JsonFields<'_>, actors: &mut Actors<'_>) -> Fight {
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
    for combatant in combatants.into_iter().take(MAX_COMBATANTS + 1) {
        fight.creatures.push(creature(combatant, actors, &groups));
    }
    let turn = fields.number("turn");
    fight.current = turn.and_then(|turn| acting(&fight.creatures, turn));
    fields.ignore(BOOKKEEPING);
    fields.ignore(&["_id", "id", "current", "description", "timestamp", "userId"]);
    fight.left_of(&fields);
    fight
}

/// Who acts at a place of the order: the greatest initiative first, those without any last, equals by
/// their ids.
fn acting(creatures: &[Creature], turn: f64) -> Option<usize> {
    let mut order: Vec<(usize, &Creature)> = creatures.iter().enumerate().collect();
    order.sort_by(|(_, a), (_, b)| {
        let rank = |creature: &Creature| creature.initiative.unwrap_or(f64::NEG_INFINITY);
        rank(b).total_cmp(&rank(a)).then(a.id.cmp(&b.id))
    });
    let place = (0..order.len()).find(|place| is_place(*place, turn))?;
    order.get(place).map(|(place, _)| *place)
}

/// The creature that an actor is.
fn played(actor: Json<'_>) -> Creature {
    let mut fields = actor.fields();
    let is_character = fields.text("type").as_deref() == Some("character");
    let mut creature = Creature::new(if is_character { Kind::Pc } else { Kind::Npc });
    creature.name = fields.text("name");
    // The data of the system stand in `system`, in older exports in `data`.
    let mut attributes = fields.fields("system").fields("attributes");
    if attributes.is_empty() {
        attributes = fields.fields("data").fields("attributes");
    }
    creature.armor_class = attributes.fields("ac").text("value");
    let mut hp = attributes.fields("hp");
    if hp.has("value") {
        creature.hp = Some(HitPoints {
            current: creature.number(&mut hp, "value"),
            max: creature.number(&mut hp, "max"),
            temp: creature.number(&mut hp, "temp"),
        });
    }
    // An effect has the conditions that it brings, in Pathfinder they are items.
    let mut conditions = Vec::new();
    for effect in fields.items("effects") {
        let mut effect = effect.fields();
        if effect.is_true("disabled") {
            continue;
        }
        let statuses = effect.items("statuses");
        if statuses.is_empty() {
            conditions.extend(effect.take("name"));
        }
        conditions.extend(statuses);
    }
    for item in fields.items("items") {
        let mut item = item.fields();
        if item.text("type").as_deref() == Some("condition") {
            conditions.extend(item.take("name"));
        }
    }
    creature.conditions("effects", conditions, Json::text);
    creature
}

fn creature(
    combatant: Json<'_>,
    actors: &mut Actors<'_>,
    groups: &HashMap<String, Option<String>>,
) -> Creature {
    let mut fields = combatant.fields();
    let known = fields.text("actorId").and_then(|id| actors.get(&id));
    let own = fields.take("actor").or_else(|| fields.take("actorData"));
    let actor = own.map(played).or(known);
    let mut creature = actor.unwrap_or_else(|| Creature::new(Kind::Npc));
    creature.id = fields.text("_id").or_else(|| fields.text("id"));
    if let Some(name) = fields.text("name") {
        creature.name = Some(name);
    }
    if creature.name.is_none() {
        creature.left("name", NAMES);
    }
    creature.is_hidden =
        fields.is_true("hidden") || fields.get("visible").is_some_and(Json::is_false);
    creature.is_defeated = fields.is_true("defeated");
    creature.initiative = creature.number(&mut fields, "initiative");
    let group = fields.text("group");
    creature.group = group.map(|id| groups.get(&id).cloned().flatten().unwrap_or(id));
    fields.ignore(BOOKKEEPING);
    fields.ignore(&["tokenId", "tokenUuid", "actorUuid", "visible"]);
    creature.left_of(&fields);
    creature
}
