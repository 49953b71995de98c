//! 5etools: lists of the encounter builder, with counts, and trackers of the DM screen.

use super::fight::{Creature, Fight, HitPoints, Left, NO_DURATION, NO_FIELD};
use super::json::{Json, JsonFields};
use super::{FoundFight, Source, count, repeat};
use crate::json::shortened;
use crate::vocabulary::Kind;
use percent_encoding::percent_decode_str;

/// The sort of panel that holds a tracker.
const TRACKER: f64 = 5.0;

/// Fields of a list that say nothing about a fight.
const BOOKKEEPING: &[&str] = &[
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
const SETTINGS: &[&str] = &[
    "s", "d", "c", "cndc", "rdp", "ri", "m", "rg", "rri", "wId", "g", "p", "a", "k", "piHp",
    "piHm", "piV", "piO", "isFirst",
];

/// True if an object is a file of this program.
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
    party(&mut fields, &mut fight);
    for item in fields.items("items") {
        let mut item = item.fields();
        let count = count(item.take("c"));
        let name = item.text("h").map(|hash| name_of(&hash));
        let scaled = item
            .text("customHashId")
            .and_then(|id| id.split("__").nth(2).map(str::to_owned));
        item.ignore(&["cId", "l"]);
        let mut creature = Creature::new(Kind::Npc);
        creature.name = name;
        if let Some(challenge) = scaled.filter(|challenge| !challenge.is_empty()) {
            let challenge = shortened(&challenge);
            let why = format!("It is scaled to challenge {challenge}. Give it those numbers.");
            creature.left("customHashId", why);
        }
        creature.left_of(&item);
        repeat(&mut fight, count, creature);
    }
    fields.ignore(BOOKKEEPING);
    fight.left_of(&fields);
    fight
}

/// Adds the players' characters, if the list has their names.
fn party(fields: &mut JsonFields<'_>, fight: &mut Fight) {
    let mut parties = fields.fields("statePartyComps");
    let is_advanced = match fields.text("activePartyId") {
        Some(party) => party == "customAdvanced",
        None => fields.take("isAdvanced").is_none_or(Json::is_true),
    };
    let mut of_state = |name: &str| parties.fields(name).fields("state");
    let (mut simple, mut advanced) = (of_state("custom"), of_state("customAdvanced"));
    let mut columns = Vec::new();
    for list in [&mut advanced, &mut *fields] {
        columns.extend(list.items("colsExtraAdvanced"));
    }
    let hit_points = columns.iter().position(|column| {
        let name = column.fields().text("name");
        name.is_some_and(|name| name.eq_ignore_ascii_case("hp"))
    });
    let mut players = advanced.items("playersAdvanced");
    players.extend(fields.items("playersAdvanced"));
    let mut counts = simple.items("playersSimple");
    counts.extend(fields.items("playersSimple"));
    if !is_advanced {
        for group in counts {
            let mut group = group.fields();
            if let (Some(count), Some(level)) = (group.text("count"), group.text("level")) {
                let why = format!(
                    "The list has {count} characters of level {level}, without names. Add them."
                );
                fight.left.push(Left::new("players", why));
            }
        }
        return;
    }
    for player in players {
        if fight.is_full() {
            break;
        }
        let mut player = player.fields();
        let Some(name) = player.text("name") else {
            continue;
        };
        let mut creature = Creature::new(Kind::Pc);
        creature.name = Some(name);
        creature.level = player.text("level");
        let extras = player.items("extras");
        let value = hit_points.and_then(|place| extras.get(place)?.fields().text("value"));
        if let Some(value) = value {
            let (current, max) = value.split_once('/').unwrap_or((&value, &value));
            creature.hp = Some(HitPoints {
                current: current
                    .trim()
                    .parse()
                    .ok()
                    .filter(|number: &f64| number.is_finite()),
                max: max
                    .trim()
                    .parse()
                    .ok()
                    .filter(|number: &f64| number.is_finite()),
                temp: None,
            });
        }
        if extras.len() > usize::from(hit_points.is_some()) {
            creature.left("extras", NO_FIELD);
        }
        creature.left_of(&player);
        fight.creatures.push(creature);
    }
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
        if fight.is_full() {
            break;
        }
        let is_active = matches!(row.fields().take("a"), Some(active) if active.is_true() || active.number() == Some(1.0));
        let creature = creature(row, armor.as_deref(), is_damage);
        if is_active && fight.current.is_none() {
            fight.current = Some(fight.creatures.len());
        }
        fight.creatures.push(creature);
    }
    fields.ignore(SETTINGS);
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
    // Players' characters are seen in any case.
    let visible = fields.take("v");
    creature.is_hidden = source.is_some() && visible.is_some_and(Json::is_false);
    creature.initiative = creature.number(&mut fields, "i");
    let hp = creature.number(&mut fields, "h");
    let max = creature.number(&mut fields, "g");
    creature.hp = Some(HitPoints {
        current: match (hp, max) {
            (Some(damage), Some(max)) if is_damage => Some(max - damage),
            (hp, _) => hp,
        },
        max,
        temp: None,
    });
    let conditions = fields.items("c");
    let lasts = |condition: &Json<'_>| {
        let turns = part(*condition, "turns").and_then(Json::number);
        turns.is_some()
    };
    if conditions.iter().any(lasts) {
        creature.left("conditions.turns", NO_DURATION);
    }
    creature.conditions("c", conditions, |condition| part(condition, "name")?.text());
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

/// A part of a condition; in old files it stands in the condition itself.
fn part<'f>(condition: Json<'f>, name: &str) -> Option<Json<'f>> {
    let mut condition = condition.fields();
    let entity = condition.fields("entity");
    entity.get(name).or_else(|| condition.take(name))
}
