//! A combat of the Discord bot Avrae, as it keeps it: combatants, and groups of them.

use super::fight::{Creature, Fight, HitPoints, NO_DURATION};
use super::is_place;
use super::json::{Json, JsonFields};
use crate::vocabulary::Kind;

/// What Avrae keeps for itself.
const BOOKKEEPING: [&str; 9] = [
    "_id",
    "lastchanged",
    "channel",
    "summary",
    "dm",
    "options",
    "metadata",
    "nlp_record_session_id",
    "current",
];

/// What it knows of a combatant besides: the sheet.
const SHEET: [&str; 14] = [
    "stats",
    "levels",
    "attacks",
    "skills",
    "saves",
    "resistances",
    "spellbook",
    "monster_id",
    "monster_name",
    "character_id",
    "character_owner",
    "creature_type",
    "index",
    "group_id",
];

/// Whether an object is a combat of Avrae.
pub(super) fn is_combat(fields: &JsonFields<'_>) -> bool {
    fields.has("combatants") && fields.has("channel") && fields.has("dm")
}

pub(super) fn read(mut fields: JsonFields<'_>) -> Fight {
    let mut fight = Fight {
        round: fields.number("round"),
        ..Fight::default()
    };
    let entries = fields.items("combatants");
    let current = fields.number("current");
    for (place, entry) in entries.into_iter().enumerate() {
        let first = fight.creatures.len();
        let mut group = entry.fields();
        if group.get("type").and_then(Json::text).as_deref() == Some("group") {
            let name = group.text("name");
            for member in group.items("combatants") {
                let mut creature = creature(member);
                creature.group.clone_from(&name);
                fight.creatures.push(creature);
            }
        } else {
            fight.creatures.push(creature(entry));
        }
        if current.is_some_and(|current| is_place(place, current)) {
            let acting = fight.creatures.get(first);
            fight.current = acting.and_then(|creature| creature.name.clone());
        }
    }
    // The initiative that is counted, of the one whose turn it is.
    fields.ignore(&["turn"]);
    fields.ignore(&BOOKKEEPING);
    fight.left_of(&fields);
    fight
}

fn creature(combatant: Json<'_>) -> Creature {
    let mut fields = combatant.fields();
    let sort = fields.text("type");
    let kind = match sort.as_deref() {
        Some("player") => Kind::Pc,
        _ => Kind::Npc,
    };
    let mut creature = Creature::new(kind);
    creature.id = fields.text("id");
    creature.name = fields.text("name");
    creature.is_hidden = fields.is_true("private");
    creature.initiative = creature.number(&mut fields, "init");
    creature.hp = Some(HitPoints {
        current: fields.number("hp"),
        max: fields.number("max_hp"),
        temp: fields.number("temp_hp"),
    });
    creature.armor_class = fields.text("ac");
    creature.notes = fields.text("notes");
    for effect in fields.items("effects") {
        let mut effect = effect.fields();
        creature.conditions.extend(effect.text("name"));
        if effect.number("duration").is_some() {
            creature.left("effects.duration", NO_DURATION);
        }
    }
    // A Discord user, who is not the name of a player.
    fields.ignore(&["controller_id"]);
    fields.ignore(&SHEET);
    creature.left_of(&fields);
    creature
}
