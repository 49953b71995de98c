//! 5etools: lists of the encounter builder, with counts, and trackers of the DM screen.

use super::fight::{Creature, Fight, HitPoints, NO_DURATION};
use super::json::{Json, JsonFields};
use super::{FoundFight, Source, count, repeat};
use crate::vocabulary::Kind;
use percent_encoding::percent_decode_str;

/// The sort of panel that holds a tracker.
const TRACKER: f64 = 5.0;

/// Of a list: what the builder keeps for itself.
const BOOKKEEPING: [&str; 8] = [
    "fileType",
    "siteVersion",
    "saveId",
    "sources",
    "activePartyId",
    "customShapeGroups",
    "manager_isSaved",
    "manager_loader_isExpanded",
];

/// Of a tracker: how it looks and rolls.
const SETTINGS: [&str; 19] = [
    "s", "d", "c", "cndc", "rdp", "ri", "m", "rg", "rri", "wId", "g", "p", "a", "k", "piHp",
    "piHm", "piV", "piO", "isFirst",
];

/// Whether an object is a file of this program.
pub(super) fn is_file(fields: &JsonFields<'_>) -> bool {
    let sort = fields.get("fileType").and_then(Json::text);
    sort.is_some_and(|sort| {
        sort == "encounter" || sort == "dm-screen" || sort.starts_with("bestiary-sublist")
    })
}

/// The fights of a file.
pub(super) fn fights<'f>(mut file: JsonFields<'f>) -> Vec<FoundFight<'f>> {
    let mut found = Vec::new();
    if file.has("items") {
        let name = file.get("name").and_then(Json::text);
        let read: Source<'f> = Box::new(move || list(file));
        found.push(FoundFight {
            name: name.unwrap_or_else(|| "encounter".to_owned()),
            is_current: true,
            read,
        });
        return found;
    }
    for save in file.items("saves") {
        let entity = save.fields().fields("entity");
        let number = found.len() + 1;
        let name = entity.get("name").and_then(Json::text);
        found.push(FoundFight {
            name: name.unwrap_or_else(|| format!("encounter {number}")),
            is_current: false,
            read: Box::new(move || list(entity)),
        });
    }
    let mut screens: Vec<JsonFields<'f>> = file
        .fields("sls")
        .each()
        .map(|(_, screen)| screen.fields())
        .collect();
    screens.push(file);
    for mut screen in screens {
        let mut panels = screen.items("ps");
        panels.extend(screen.items("ex"));
        for panel in panels {
            let mut tabs = panel.fields().items("a");
            if tabs.is_empty() {
                tabs.push(panel);
            }
            for tab in tabs {
                let mut tab = tab.fields();
                if tab.number("t") != Some(TRACKER) {
                    continue;
                }
                let tracker = tab.fields("s");
                let number = found.len() + 1;
                found.push(FoundFight {
                    name: tab.text("r").unwrap_or_else(|| format!("tracker {number}")),
                    is_current: false,
                    read: Box::new(move || self::tracker(tracker)),
                });
            }
        }
    }
    found
}

/// A list of the builder.
fn list(mut fields: JsonFields<'_>) -> Fight {
    let mut fight = Fight {
        name: fields.text("name"),
        ..Fight::default()
    };
    let mut party = fields
        .fields("statePartyComps")
        .fields("customAdvanced")
        .fields("state");
    let mut players = party.items("playersAdvanced");
    players.extend(fields.items("playersAdvanced"));
    for player in players {
        let mut player = player.fields();
        let mut creature = Creature::new(Kind::Pc);
        creature.name = player.text("name");
        creature.level = player.text("level");
        player.ignore(&["extras"]);
        creature.left_of(&player);
        fight.creatures.push(creature);
    }
    for item in fields.items("items") {
        let mut item = item.fields();
        let count = count(item.take("c"));
        let name = item.text("h").map(|hash| name_of(&hash));
        item.ignore(&["cId", "l"]);
        repeat(&mut fight, count, || {
            let mut creature = Creature::new(Kind::Npc);
            creature.name.clone_from(&name);
            creature.left_of(&item);
            creature
        });
    }
    fields.ignore(&BOOKKEEPING);
    fight.left_of(&fields);
    fight
}

/// The name in a hash: `goblin%20boss_mm` is the Goblin Boss of a book.
fn name_of(hash: &str) -> String {
    let name = hash.rsplit_once('_').map_or(hash, |(name, _)| name);
    let name = percent_decode_str(name).decode_utf8_lossy();
    let words = name.split(' ').map(|word| {
        let mut letters = word.chars();
        let first = letters.next().map(|first| first.to_uppercase().to_string());
        first.unwrap_or_default() + letters.as_str()
    });
    words.collect::<Vec<_>>().join(" ")
}

fn tracker(mut fields: JsonFields<'_>) -> Fight {
    let is_damage = fields.get("wId").is_some_and(Json::is_true);
    let columns = fields.items("c");
    let armor = columns.iter().find_map(|column| {
        let mut column = column.fields();
        (column.text("p").as_deref() == Some("armorClass")).then(|| column.text("id"))?
    });
    let mut fight = Fight {
        round: fields.number("n"),
        lowest_first: fields.text("d").as_deref() == Some("ASC"),
        ..Fight::default()
    };
    for row in fields.items("r") {
        let is_active = matches!(row.fields().take("a"), Some(active) if active.is_true() || active.number() == Some(1.0));
        let creature = creature(row, armor.as_deref(), is_damage);
        if is_active && fight.current.is_none() {
            fight.current.clone_from(&creature.name);
        }
        fight.creatures.push(creature);
    }
    fields.ignore(&SETTINGS);
    fight.left_of(&fields);
    fight
}

/// A row of a tracker. `armor` is the column of armor classes; with `is_damage` hit points count up.
fn creature(row: Json<'_>, armor: Option<&str>, is_damage: bool) -> Creature {
    let mut fields = row.fields();
    let source = fields.text("s");
    let mut creature = Creature::new(if source.is_some() {
        Kind::Npc
    } else {
        Kind::Pc
    });
    // In old files the name is an object.
    let named = fields.take("n");
    let mut old = named.map(Json::fields).unwrap_or_default();
    let given = [
        fields.text("n_m"),
        old.text("m"),
        fields.text("n_d"),
        old.text("d"),
        named.and_then(Json::text),
        old.text("n"),
    ];
    creature.name = given.into_iter().flatten().next();
    creature.number = fields.number("o");
    creature.id = fields.text("id");
    creature.is_hidden = fields.take("v").is_some_and(|visible| visible.is_false());
    creature.initiative = creature.number(&mut fields, "i");
    let (hp, max) = (fields.number("h"), fields.number("g"));
    creature.hp = Some(HitPoints {
        current: match (hp, max) {
            (Some(damage), Some(max)) if is_damage => Some(max - damage),
            (hp, _) => hp,
        },
        max,
        temp: None,
    });
    for condition in fields.items("c") {
        let mut condition = condition.fields();
        let mut entity = condition.fields("entity");
        creature
            .conditions
            .extend(entity.text("name").or_else(|| condition.text("name")));
        if entity
            .number("turns")
            .or_else(|| condition.number("turns"))
            .is_some()
        {
            creature.left("conditions.turns", NO_DURATION);
        }
    }
    for cell in fields.items("k") {
        let mut cell = cell.fields();
        if armor.is_some() && cell.text("id").as_deref() == armor {
            creature.armor_class = cell.text("v");
        }
    }
    fields.ignore(&["a", "hh", "n_scr", "n_ssp", "n_scl"]);
    creature.left_of(&fields);
    creature
}
