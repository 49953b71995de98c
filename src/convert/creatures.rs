//! Lists of creatures with counts, as encounter builders have them: Kobold+ Fight Club, Open5e, and
//! whatever else says a name and a number.

use super::fight::{Creature, Fight, HitPoints};
use super::json::{Json, JsonFields};
use super::{FoundFight, count, modifier_of, repeat};
use crate::vocabulary::Kind;

/// Under which names lists say how many.
const COUNTS: &[&str] = &["count", "quantity", "qty", "number"];

/// Fields of the bookkeeping of builders.
const BOOKKEEPING: &[&str] = &[
    "slug",
    "key",
    "document",
    "experience_points",
    "challenge_rating",
    "cr",
];

/// True if a value is a creature with a name, or a name.
fn is_creature(item: Json<'_>) -> bool {
    let fields = item.fields();
    item.is_text() || fields.has("name") || fields.get("monster").is_some_and(Json::is_object)
}

/// The fights of a list: of creatures, or of such lists.
pub(super) fn fights(items: Vec<Json<'_>>) -> Option<Vec<FoundFight<'_>>> {
    let first = *items.first()?;
    if is_creature(first) {
        return Some(vec![FoundFight {
            name: "creatures".to_owned(),
            is_current: true,
            read: Box::new(move || read(&items)),
        }]);
    }
    if !first.items().first().copied().is_some_and(is_creature) {
        return None;
    }
    let mut found = Vec::new();
    for (place, list) in items.into_iter().enumerate() {
        found.push(FoundFight {
            name: (place + 1).to_string(),
            is_current: false,
            read: Box::new(move || read(&list.items())),
        });
    }
    Some(found)
}

fn read(items: &[Json<'_>]) -> Fight {
    let mut fight = Fight::default();
    for item in items {
        if fight.is_full() {
            break;
        }
        if let Some(name) = item.text() {
            let mut creature = Creature::new(Kind::Npc);
            creature.name = Some(name);
            fight.creatures.push(creature);
            continue;
        }
        let mut fields = item.fields();
        let counts: Vec<_> = COUNTS.iter().filter_map(|name| fields.take(name)).collect();
        let count = count(counts.first().copied());
        let monster = fields.take("monster").filter(|monster| monster.is_object());
        let monster = monster.unwrap_or(*item);
        repeat(&mut fight, count, creature(monster.fields()));
    }
    fight
}

fn creature(mut fields: JsonFields<'_>) -> Creature {
    fields.ignore(COUNTS);
    let is_player = fields.get("player").is_some_and(Json::is_true)
        || fields
            .get("type")
            .and_then(Json::text)
            .is_some_and(|sort| sort == "player" || sort == "pc");
    let mut creature = Creature::new(if is_player { Kind::Pc } else { Kind::Npc });
    fields.ignore(&["player", "type"]);
    creature.name = fields.text("name");
    creature.id = fields.text("id");
    creature.is_hidden = fields.is_true("hidden");
    creature.is_friend |= fields.is_true("friendly");
    creature.initiative = creature.number(&mut fields, "initiative");
    creature.modifier = ["modifier", "initiative_modifier", "initiativeMod"]
        .iter()
        .find_map(|name| fields.number(name));
    let dexterity = fields.number("dexterity").map(modifier_of);
    creature.modifier = creature.modifier.or(dexterity);
    let first = |fields: &mut JsonFields<'_>, names: &[&str]| {
        names.iter().find_map(|name| fields.number(name))
    };
    let max = first(&mut fields, &["max_hp", "maxHp", "hit_points"]);
    let current = first(&mut fields, &["hp", "current_hp", "currentHp", "curHp"]);
    creature.hp = Some(HitPoints {
        current: current.or(max),
        max: max.or(current),
        temp: first(&mut fields, &["temp_hp", "tempHp"]),
    });
    creature.armor_class = fields.text("ac").or_else(|| fields.text("armor_class"));
    creature.level = fields.text("level");
    creature.notes = fields.text("notes");
    let conditions = fields.items("conditions");
    creature.conditions("conditions", conditions, |condition| {
        condition.text().or_else(|| condition.fields().text("name"))
    });
    fields.ignore(BOOKKEEPING);
    creature.left_of(&fields);
    creature
}
