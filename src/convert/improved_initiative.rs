//! Improved Initiative: a fight, the file of its library, or the backup of all it keeps.

use super::fight::{Creature, Fight, HitPoints, NO_DURATION};
use super::json::{Json, JsonFields};
use super::{CURRENT, FoundFight, Source, modifier_of};
use crate::vocabulary::Kind;

/// Fields of the bookkeeping of the tracker.
const BOOKKEEPING: &[&str] = &[
    "Id",
    "Path",
    "Version",
    "LastUpdateMs",
    "BackgroundImageUrl",
    "ElapsedSeconds",
    "ActiveCombatantId",
    "ActiveCreatureIndex",
    "InterfaceVersion",
];

/// What it keeps of a combatant: looks, and numbers of its own.
const APPEARANCE: &[&str] = &[
    "Color",
    "ReactionsSpent",
    "RoundCounter",
    "ElapsedSeconds",
    "RevealedAC",
    "InterfaceVersion",
    "PersistentCharacterId",
    "IndexLabel",
];

/// The current fight in the backup: a text of JSON.
const AUTO_SAVED: &str = "ImprovedInitiative.AutoSavedEncounters.default";
/// The beginning of the keys of saved fights.
const SAVED: &str = "SavedEncounters.";
/// The beginning of those that an old program saved: texts of JSON.
const OLD: &str = "ImprovedInitiative.SavedEncounters.";

/// True if an object is a fight of the tracker.
pub(super) fn is_fight(fields: &JsonFields<'_>) -> bool {
    ["Combatants", "Creatures"]
        .iter()
        .any(|name| fields.get(name).is_some_and(Json::is_list))
}

/// True if an object is a file of its library or a backup.
pub(super) fn is_file(fields: &JsonFields<'_>) -> bool {
    fields
        .names()
        .any(|name| name == AUTO_SAVED || name.starts_with(SAVED) || name.starts_with(OLD))
}

/// The fights of a file.
pub(super) fn fights(file: JsonFields<'_>) -> Vec<FoundFight<'_>> {
    let mut found = Vec::new();
    for (key, value) in file.each() {
        let is_current = key == AUTO_SAVED;
        let Some(id) = key.strip_prefix(SAVED).or_else(|| key.strip_prefix(OLD)) else {
            if is_current && let Some(text) = value.whole_text() {
                found.extend(of_text(CURRENT.to_owned(), text, true));
            }
            continue;
        };
        if let Some(text) = value.whole_text() {
            found.extend(of_text(id.to_owned(), text, false));
            continue;
        }
        let name = value.fields().text("Name").unwrap_or_else(|| id.to_owned());
        let read: Source<'_> = Box::new(move || read(value.fields()));
        found.push(FoundFight {
            name,
            is_current,
            read,
        });
    }
    found
}

/// A fight that stands in the file as a text of JSON; none if it has no combatants.
fn of_text<'f>(name: String, text: String, is_current: bool) -> Option<FoundFight<'f>> {
    let fields = Json::of(&text).ok()?.fields();
    let has_any = ["Combatants", "Creatures"].iter().any(|name| {
        fields
            .get(name)
            .is_some_and(|list| !list.items().is_empty())
    });
    let name = fields.get("Name").and_then(Json::text).unwrap_or(name);
    drop(fields);
    has_any.then(|| FoundFight {
        name,
        is_current,
        read: Box::new(move || {
            let fields = Json::of(&text).map(Json::fields).unwrap_or_default();
            read(fields)
        }),
    })
}

pub(super) fn read(mut fields: JsonFields<'_>) -> Fight {
    let active = fields.text("ActiveCombatantId");
    let mut fight = Fight {
        name: fields.text("Name"),
        round: fields.number("RoundCounter"),
        ..Fight::default()
    };
    let old = fields.items("Creatures");
    let mut combatants = fields.items("Combatants");
    combatants.extend(old);
    for combatant in combatants {
        if fight.is_full() {
            break;
        }
        let creature = creature(combatant);
        if active.is_some() && creature.id == active {
            fight.current = Some(fight.creatures.len());
        }
        fight.creatures.push(creature);
    }
    fields.ignore(BOOKKEEPING);
    fight.left_of(&fields);
    fight
}

fn creature(combatant: Json<'_>) -> Creature {
    let mut fields = combatant.fields();
    let old = fields.take("Statblock");
    // Other programs post the stat block itself.
    let block = fields.take("StatBlock").or(old).unwrap_or(combatant);
    let mut block = block.fields();
    let player = block.text("Player").filter(|player| player != "npc");
    let mut creature = Creature::new(if player.is_some() {
        Kind::Pc
    } else {
        Kind::Npc
    });
    let own = fields.text("Id");
    creature.id = own;
    creature.number = fields.number("IndexLabel");
    let name = block.text("Name");
    creature.name = fields.text("Alias").or(name);
    creature.is_hidden = fields.is_true("Hidden");
    creature.initiative = creature.number(&mut fields, "Initiative");
    creature.modifier = modifier(&mut block);
    creature.group = fields.text("InitiativeGroup");
    let mut hp = block.fields("HP");
    let max = creature.number(&mut hp, "Max");
    let value = creature.number(&mut hp, "Value");
    creature.hp = Some(HitPoints {
        current: creature.number(&mut fields, "CurrentHP").or(value),
        max: creature.number(&mut fields, "MaxHP").or(max).or(value),
        temp: creature.number(&mut fields, "TemporaryHP"),
    });
    creature.armor_class = block.fields("AC").text("Value");
    // Of a player's character it says its class and level.
    creature.level = block.text("Challenge").filter(|_| player.is_some());
    creature.notes = fields.text("CurrentNotes");
    let tags = fields.items("Tags");
    let lasts = |tag: &Json<'_>| {
        let left = tag.fields().number("DurationRemaining");
        left.is_some_and(|left| left > 0.0)
    };
    if tags.iter().any(lasts) {
        creature.left("Tags.DurationRemaining", NO_DURATION);
    }
    creature.conditions("Tags", tags, |tag| {
        tag.text().or_else(|| tag.fields().text("Text"))
    });
    fields.ignore(APPEARANCE);
    fields.ignore(BLOCK);
    creature.left_of(&fields);
    creature
}

/// The parts of a stat block, which is a monster's and not a fight's.
const BLOCK: &[&str] = &[
    "Name",
    "Path",
    "Version",
    "LastUpdateMs",
    "Source",
    "Type",
    "HP",
    "AC",
    "Speed",
    "Abilities",
    "InitiativeModifier",
    "TotalInitiativeModifier",
    "InitiativeSpecialRoll",
    "InitiativeAdvantage",
    "DamageVulnerabilities",
    "DamageResistances",
    "DamageImmunities",
    "ConditionImmunities",
    "Saves",
    "Skills",
    "Senses",
    "Languages",
    "Challenge",
    "Traits",
    "Actions",
    "Reactions",
    "LegendaryActions",
    "BonusActions",
    "MythicActions",
    "Description",
    "Player",
    "ImageURL",
    "Notes",
    "Initiative",
];

/// What is added to a roll: the modifier of Dexterity, and more on top of it.
fn modifier(block: &mut JsonFields<'_>) -> Option<f64> {
    if let Some(total) = block.number("TotalInitiativeModifier") {
        return Some(total);
    }
    let more = block.number("InitiativeModifier");
    let dexterity = block.fields("Abilities").number("Dex");
    let of_dexterity = dexterity.map(modifier_of);
    match (of_dexterity, more) {
        (None, None) => None,
        (one, other) => Some(one.unwrap_or_default() + other.unwrap_or_default()),
    }
}
