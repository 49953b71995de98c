//! The unions and objects that answers and requests are made of, for every registered ruleset.

use super::naming::{Components, SchemaSet, reference};
use super::schemas::Schemas;
use crate::engine::{Creation, NewToken, Summary, TokenInfo, TypeSchema, type_schema};
use crate::vocabulary::*;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use utoipa::{PartialSchema, ToSchema};

/// The schemas of everything that is the encounter's, by name: shared types, and each ruleset's own with its name in front.
pub fn components() -> Components {
    let mut shelf = SchemaSet::default();
    take::<SharedCommand>(&mut shelf);
    take::<SharedEvent>(&mut shelf);
    take::<Creation>(&mut shelf);
    take::<Draft>(&mut shelf);
    take::<Member>(&mut shelf);
    take::<Kind>(&mut shelf);
    take::<Effect>(&mut shelf);
    take::<Status>(&mut shelf);
    take::<OrderEntry>(&mut shelf);
    take::<Die>(&mut shelf);
    take::<Pending>(&mut shelf);
    take::<LegalCommand>(&mut shelf);
    take::<Manifest>(&mut shelf);
    take::<NewToken>(&mut shelf);
    take::<TokenInfo>(&mut shelf);
    take::<Summary>(&mut shelf);
    let mut all = shelf.publish("", &BTreeSet::new());
    let shared: BTreeSet<String> = all.keys().cloned().collect();
    let mut rulesets: Vec<Schemas> = Vec::new();
    crate::rulesets::register(&mut rulesets);
    let prefixes: Vec<(String, &'static str)> =
        rulesets.iter().map(|r| (prefix(r.manifest.id), r.manifest.id)).collect();
    for ruleset in rulesets {
        all.extend(of_ruleset(ruleset, &shared, &all));
    }
    for name in ["AddCombatant", "UpdateCombatant", "SharedCommand", "SharedEvent", "CombatantDraft"] {
        all.remove(name);
    }
    let schema = |what: &str| json!({"type": "object", "description": what});
    let told = [
        ("options", "The options and their defaults, as a JSON Schema."),
        ("combatant", "What a combatant may bring, as a JSON Schema."),
    ];
    for (field, what) in told {
        all.entry("RulesetInfo".to_owned()).or_default()["properties"][field] = schema(what);
    }
    let shared = [
        ("shared_commands", "CommandSpec", "The commands that every ruleset understands."),
        ("shared_rules", "Rule", "The rules that hold in every ruleset: refusals name them too."),
    ];
    for (field, item, what) in shared {
        all.entry("RulesetInfo".to_owned()).or_default()["properties"][field] = list(reference(item), what);
    }
    all.extend(super::history::components());
    for name in ["Encounter", "NewEncounter"] {
        all.insert(name.to_owned(), by_ruleset(&prefixes, name));
    }
    for name in ["Command", "LogEntry", "ExportedEntry", "CommandAnswer", "Created"] {
        let any: Vec<Value> = prefixes.iter().map(|(prefix, _)| reference(&format!("{prefix}{name}"))).collect();
        all.insert(
            name.to_owned(),
            json!({"anyOf": any, "description": format!("{} under any ruleset.", described(name))}),
        );
    }
    all
}

fn take<T: ToSchema + PartialSchema>(shelf: &mut SchemaSet) {
    let TypeSchema { schema, components } = type_schema::<T>();
    shelf.take(&T::name(), schema, components);
}

/// `active-initiative` becomes `ActiveInitiative`.
fn prefix(id: &str) -> String {
    let capitalised = id.split('-').map(|word| {
        let (first, rest) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
        first.to_uppercase() + rest
    });
    capitalised.collect()
}

fn described(name: &str) -> &str {
    match name {
        "Command" => "A command",
        "LogEntry" => "An entry of the log",
        "ExportedEntry" => "An entry of the log with what is kept beside it",
        "CommandAnswer" => "What a command brought about",
        _ => "A new encounter with its token",
    }
}

fn by_ruleset(prefixes: &[(String, &'static str)], name: &str) -> Value {
    let target = |prefix: &String| format!("#/components/schemas/{prefix}{name}");
    let mapping: Map<_, _> = prefixes.iter().map(|(prefix, id)| ((*id).to_owned(), target(prefix).into())).collect();
    let one_of: Vec<Value> = prefixes.iter().map(|(prefix, _)| reference(&format!("{prefix}{name}"))).collect();
    json!({"oneOf": one_of, "discriminator": {"propertyName": "ruleset", "mapping": mapping}})
}

fn of_ruleset(ruleset: Schemas, shared: &BTreeSet<String>, known: &Components) -> Components {
    let mut shelf = SchemaSet::default();
    let parts = [
        ("Options", ruleset.options),
        ("CombatantStats", ruleset.stats),
        ("CombatantState", ruleset.combatant_state),
        ("State", ruleset.state),
        ("OwnCommand", ruleset.command),
        ("OwnEvent", ruleset.event),
    ];
    for (name, TypeSchema { schema, components }) in parts {
        shelf.take(name, schema, components);
    }
    let Manifest { id, title, .. } = *ruleset.manifest;
    let prefix = prefix(id);
    let mut own = shelf.publish(&prefix, shared);
    own.retain(|name, _| !shared.contains(name));
    let part = |own: &mut Components, name: &str| own.remove(&format!("{prefix}{name}")).unwrap_or_default();
    let (stats, combatant_state) = (part(&mut own, "CombatantStats"), part(&mut own, "CombatantState"));
    let (command, event) = (part(&mut own, "OwnCommand"), part(&mut own, "OwnEvent"));
    let name = |name: &str| format!("{prefix}{name}");
    let shared_schema = |name: &str| known.get(name).cloned().unwrap_or_default();
    let draft = drafted(&shared_schema("CombatantDraft"), &stats, title);
    own.insert(name("CombatantChanges"), changes(&draft));
    own.insert(name("CombatantDraft"), draft);
    own.insert(name("Combatant"), combatant(&stats, &combatant_state, title));
    for (verb, field, object) in
        [("AddCombatant", "combatant", "CombatantDraft"), ("UpdateCombatant", "changes", "CombatantChanges")]
    {
        let mut schema = shared_schema(verb);
        if let Some(slot) = schema.pointer_mut(&format!("/properties/{field}")) {
            *slot = reference(&name(object));
        }
        own.insert(name(verb), schema);
    }
    own.insert(name("CombatantEntry"), combatant_entry(&stats, &combatant_state, title));
    for event in ["CombatantJoined", "CombatantUpdated"] {
        own.insert(name(event), roster_event(event, &name("CombatantEntry")));
    }
    let swap = |target: &str| match target {
        "AddCombatant" | "UpdateCombatant" => name(target),
        _ => target.to_owned(),
    };
    own.insert(
        name("Command"),
        joined(&command, &shared_schema("SharedCommand"), &[], swap, &format!("A command under {title}.")),
    );
    let roster = [("combatant_joined", name("CombatantJoined")), ("combatant_updated", name("CombatantUpdated"))];
    let what = format!("Something that happened under {title}.");
    own.insert(name("Event"), joined(&event, &shared_schema("SharedEvent"), &roster, str::to_owned, &what));
    own.insert(name("NewEncounter"), new_encounter(shared_schema("NewEncounter"), &prefix, id, title));
    own.extend(answers(&prefix, id, title, &shared_schema("NewEncounter")));
    own
}

/// One tagged union of a ruleset's own and the shared variants.
fn joined(
    own: &Value, shared: &Value, more: &[(&str, String)], rename: impl Fn(&str) -> String, description: &str,
) -> Value {
    let mut mapping = Map::new();
    for union in [own, shared] {
        let entries = union.pointer("/discriminator/mapping").and_then(Value::as_object);
        for (tag, target) in entries.into_iter().flatten() {
            let target = target.as_str().and_then(|t| t.rsplit('/').next()).unwrap_or_default();
            mapping.insert(tag.clone(), format!("#/components/schemas/{}", rename(target)).into());
        }
    }
    for (tag, target) in more {
        mapping.insert((*tag).to_owned(), format!("#/components/schemas/{target}").into());
    }
    let one_of: Vec<Value> = mapping.values().map(|target| json!({"$ref": target})).collect();
    json!({"description": description, "oneOf": one_of, "discriminator": {"propertyName": "type", "mapping": mapping}})
}

/// An object's properties, by name.
fn properties(object: &Value) -> Map<String, Value> {
    object.get("properties").and_then(Value::as_object).cloned().unwrap_or_default()
}

fn drafted(shared: &Value, stats: &Value, title: &str) -> Value {
    let mut fields = properties(shared);
    fields.extend(properties(stats));
    json!({
        "type": "object", "properties": fields, "additionalProperties": false,
        "description": format!("A combatant as a client describes it under {title}; a name or an id is needed."),
    })
}

fn changes(draft: &Value) -> Value {
    let mut fields = properties(draft);
    fields.remove("id");
    json!({
        "type": "object", "properties": fields, "additionalProperties": false,
        "description": "The fields of a combatant that change.",
    })
}

fn object(description: String, fields: &[(&str, bool, Value)]) -> Value {
    let required: Vec<&str> = fields.iter().filter(|(_, required, _)| *required).map(|(name, ..)| *name).collect();
    let fields: Map<String, Value> =
        fields.iter().map(|(name, _, schema)| ((*name).to_owned(), schema.clone())).collect();
    json!({"type": "object", "description": description, "properties": fields, "required": required})
}

fn text(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

fn list(items: Value, description: &str) -> Value {
    json!({"type": "array", "items": items, "description": description})
}

fn combatant(stats: &Value, combatant_state: &Value, title: &str) -> Value {
    let flag = |description: &str| json!({"type": "boolean", "description": description});
    let mut object = object(
        format!("A combatant under {title}."),
        &[
            ("id", true, text("Names it within the encounter.")),
            ("name", true, text("Its name for people.")),
            ("side", true, text("Whose side it is on.")),
            ("kind", true, reference("Kind")),
            ("controller", true, text("Who decides for it: `gm`, or a player's name.")),
            ("hidden", true, flag("True while the players may not know of it.")),
            ("hp", false, reference("Hp")),
            ("hp_band", false, reference("Band")),
            ("members", true, list(reference("Member"), "The members of a group; empty for a single combatant.")),
            ("conditions", true, list(json!({"type": "string"}), "Its conditions.")),
            ("active", true, flag("Whether it is still in the fight.")),
            ("acted", true, flag("Whether its turn of this round is over.")),
        ],
    );
    for part in [stats, combatant_state] {
        if let Some(Value::Object(fields)) = object.get_mut("properties") {
            fields.extend(properties(part));
        }
    }
    object
}

/// A combatant as the log carries it: the ruleset's parts apart, and what has its usual value left out.
fn combatant_entry(stats: &Value, combatant_state: &Value, title: &str) -> Value {
    let mut object = combatant(&Value::Null, &Value::Null, title);
    object["description"] =
        format!("A combatant as the log of {title} carries it: what has its usual value is left out.").into();
    object["required"] = json!(["id", "name", "side", "kind", "controller"]);
    let Some(fields) = object["properties"].as_object_mut() else { return object };
    fields.remove("active");
    fields.insert(
        "joined".into(),
        json!({"type": "integer", "minimum": 1, "description": "Counts the combatants in the order of joining."}),
    );
    fields.insert("stats".into(), stats.clone());
    fields.insert("standing".into(), combatant_state.clone());
    object
}

fn roster_event(event: &str, combatant: &str) -> Value {
    let (tag, what) = match event {
        "CombatantJoined" => ("combatant_joined", "Somebody joined."),
        _ => ("combatant_updated", "Something about a combatant changed."),
    };
    object(
        what.to_owned(),
        &[("type", true, json!({"type": "string", "enum": [tag]})), ("combatant", true, reference(combatant))],
    )
}

fn the_ruleset(id: &str) -> Value {
    json!({"type": "string", "enum": [id], "description": "The id of its ruleset."})
}

/// What creates an encounter: every field that is read, with the ruleset's own types where it has some.
fn new_encounter(mut creation: Value, prefix: &str, id: &str, title: &str) -> Value {
    let own = |name: &str| reference(&format!("{prefix}{name}"));
    creation["description"] = format!("A new encounter under {title}.").into();
    creation["properties"]["ruleset"] = the_ruleset(id);
    creation["properties"]["options"] = own("Options");
    creation["properties"]["combatants"]["items"] = own("CombatantDraft");
    creation
}

fn answers(prefix: &str, id: &str, title: &str, creation: &Value) -> Components {
    let chosen = |field: &str| properties(creation).remove(field).unwrap_or_default();
    let own = |name: &str| reference(&format!("{prefix}{name}"));
    let version = json!({"type": "integer", "format": "int64", "minimum": 0, "description": "How many transitions made it; `If-Match` takes it in quotes."});
    let ids = |description: &str| list(json!({"type": "string"}), description);
    let pending =
        json!({"oneOf": [{"type": "null"}, reference("Pending")], "description": "The decision that is awaited."});
    let time = |description: &str| json!({"type": "string", "format": "date-time", "description": description});
    let encounter = object(
        format!("An encounter under {title}."),
        &[
            ("id", true, text("Names the encounter; unguessable.")),
            ("name", true, text("Its name for people.")),
            ("ruleset", true, the_ruleset(id)),
            ("status", true, reference("Status")),
            (
                "round",
                true,
                json!({"type": "integer", "minimum": 0, "description": "The round (or unit), from 1; 0 before the first."}),
            ),
            ("version", true, version.clone()),
            ("current", true, ids("Whose turn it is: several where a turn is shared, none between turns.")),
            ("pending", true, pending.clone()),
            ("order", true, list(reference("OrderEntry"), "The order as far as the system knows one.")),
            ("combatants", true, list(own("Combatant"), "Who is in it, in the order of joining.")),
            ("effects", true, list(reference("Effect"), "What lasts.")),
            ("options", true, own("Options")),
            ("foe_hp", true, chosen("foe_hp")),
            ("player_undo", true, chosen("player_undo")),
            ("state", true, own("State")),
            ("created_at", true, time("When it was created.")),
        ],
    );
    let events = list(own("Event"), "What happened, in order.");
    let entry = object(
        "What one transition brought about.".into(),
        &[
            ("version", true, version.clone()),
            ("at", true, time("When.")),
            (
                "by",
                false,
                text("The token that sent it, by its id; left out where somebody acts of whom the viewer is not told."),
            ),
            ("commands", true, ids("The types of the commands that were sent.")),
            ("events", true, events.clone()),
        ],
    );
    let kept = |what: &str| json!({"type": "object", "description": what});
    let mut exported = entry.clone();
    exported["properties"]["told"] = kept("What players and spectators were told, where that is not all of it.");
    exported["properties"]["checkpoint"] = kept("The state after it, where it carries one.");
    let answer = object(
        "What a command brought about; `encounter` in full, or `current` and `pending` alone.".into(),
        &[
            ("version", true, version),
            ("events", true, events),
            ("encounter", false, own("Encounter")),
            ("current", false, ids("Whose turn it is, with `Prefer: return=minimal`.")),
            ("pending", false, pending),
        ],
    );
    let created = object(
        "A new encounter and its game master's token.".into(),
        &[
            ("encounter", true, own("Encounter")),
            ("token", true, text("The game master's token; it is not shown again.")),
        ],
    );
    let named = [
        ("Encounter", encounter),
        ("LogEntry", entry),
        ("ExportedEntry", exported),
        ("CommandAnswer", answer),
        ("Created", created),
    ];
    named.into_iter().map(|(name, schema)| (format!("{prefix}{name}"), schema)).collect()
}
