//! The turn order of Roll20: `[{"id", "pr", "custom", "formula"}]`, the one whose turn it is first.
//! It has no names and hit points; a row of one's own has the id `-1` and its title in `custom`.

use super::fight::{Creature, Fight};
use super::json::Json;
use crate::vocabulary::{Kind, MAX_COMBATANTS};

/// The id of rows that stand for no token.
const OWN_ROW: &str = "-1";

const NAMES: &str = "Roll20 keeps the names with its tokens. Rename it.";

/// The pages of tokens, under the names that scripts write.
const PAGES: &[&str] = &["_pageid", "pageid"];

/// True if a list is a turn order.
pub(super) fn is_turn_order(items: &[Json<'_>]) -> bool {
    let first = items.first().map(|item| item.fields());
    first.is_some_and(|fields| fields.has("id") && fields.has("pr"))
}

pub(super) fn read(rows: &[Json<'_>]) -> Fight {
    let mut fight = Fight::default();
    for row in rows.iter().take(MAX_COMBATANTS + 1) {
        fight.creatures.push(creature(*row));
    }
    fight.current = Some(0);
    fight
}

fn creature(row: Json<'_>) -> Creature {
    let mut fields = row.fields();
    fields.ignore(PAGES);
    let id = fields.text("id");
    let title = fields.text("custom");
    // A row that counts is a timer: it takes turns, and can't be defeated.
    let counts = fields.get("formula").and_then(Json::text).is_some();
    let mut creature = Creature::new(if counts { Kind::Hazard } else { Kind::Npc });
    // Scripts of the table write names into rows; Roll20 itself keeps the token's.
    let name = fields.text("name").or(title);
    if name.is_none() && id.is_some() {
        creature.left("name", NAMES);
    }
    creature.name = name.or_else(|| id.clone());
    creature.id = id.filter(|id| id != OWN_ROW);
    creature.initiative = creature.number(&mut fields, "pr");
    creature.left_of(&fields);
    creature
}
