//! A combat of the Discord bot Avrae, as it keeps it: combatants, and groups of them.

use super::fight::{Creature, Fight, HitPoints, NO_DURATION};
use super::is_place;
use super::json::{Json, JsonFields};
use crate::vocabulary::{Kind, MAX_COMBATANTS};

/// Fields of the bookkeeping of Avrae.
const BOOKKEEPING: &[&str] = &[
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

/// Fields of the sheet of a combatant.
const SHEET: &[&str] = &[
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

/// True if an object is a combat of Avrae.
pub(super) fn is_combat(fields: &JsonFields<'_>) -> bool {
    fields.has("combatants") && fields.has("channel") && fields.has("dm")
}

pub(super) fn read(mut fields: JsonFields<'_>) -> Fight {
    let mut fight = Fight {
        name: fields.fields("options").text("name"),
        round: fields.number("round"),
        ..Fight::default()
    };
    let entries = fields.items("combatants");
    let current = fields.number("current");
    for (place, entry) in entries.into_iter().enumerate() {
        if fight.is_full() {
            break;
        }
        let first = fight.creatures.len();
        let mut group = entry.fields();
        if group.get("type").and_then(Json::text).as_deref() == Some("group") {
            let name = group.text("name");
            let left = MAX_COMBATANTS + 1 - first;
            for member in group.items("combatants").into_iter().take(left) {
                let mut creature = creature(member);
                creature.group.clone_from(&name);
                fight.creatures.push(creature);
            }
        } else {
            fight.creatures.push(creature(entry));
        }
        if current.is_some_and(|current| is_place(place, current)) {
            fight.current = Some(first);
        }
    }
    // The initiative that is counted, of the one whose turn it is.
    fields.ignore(&["turn"]);
    fields.ignore(BOOKKEEPING);
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
    // Private ones are listed, without their numbers: so are foes here.
    fields.ignore(&["private"]);
    creature.initiative = creature.number(&mut fields, "init");
    creature.hp = Some(HitPoints {
        current: creature.number(&mut fields, "hp"),
        max: creature.number(&mut fields, "max_hp"),
        temp: creature.number(&mut fields, "temp_hp"),
    });
    creature.armor_class = fields.text("ac");
    creature.notes = fields.text("notes");
    let effects = fields.items("effects");
    let lasts = |effect: &Json<'_>| effect.fields().number("duration").is_some();
    if effects.iter().any(lasts) {
        creature.left("effects.duration", NO_DURATION);
    }
    creature.conditions("effects", effects, |effect| effect.fields().text("name"));
    // A Discord user, who is not the name of a player.
    fields.ignore(&["controller_id"]);
    fields.ignore(SHEET);
    creature.left_of(&fields);
    creature
}
