//! What is legal: how it is listed at every moment, and in large fights as exactly as in small ones,
//! at a cost that grows with the fight.

use crate::support::legal_commands::{completed, listed, listed_values, repeated_label};
use crate::support::openapi::{self, AllSchemas};
use crate::support::table::{RULESETS, Table, owned, player, seeded};
use serde_json::{Value, json};
use std::cell::Cell;
use std::collections::BTreeSet;
use turnkeeper::engine::{AnyEncounter, OptionsFilter, Refusal, Request, SeededDice, Viewer};
use turnkeeper::openapi::RulesetManifest;
use turnkeeper::rulesets::custom::Preset;
use turnkeeper::vocabulary::{CombatantId, Group, LegalCommand, Time, Values};

/// A started fight of `size` combatants. Some are out of it, and under EXP some have no mental
/// attack.
fn fight(ruleset: &str, size: usize) -> Table {
    let combatants: Vec<Value> = (0..size)
        .map(|n| {
            let side = if n % 2 == 0 { "players" } else { "monsters" };
            let mut combatant = json!({"id": format!("c{n}"), "side": side});
            if n % 7 == 3 {
                combatant["conditions"] = json!(["unconscious"]);
            }
            match ruleset {
                "exp" if n % 5 != 4 => combatant["mstr"] = json!(3),
                "venture" if n >= size / 2 => combatant["worthy_foe"] = json!(false),
                _ => {}
            }
            combatant
        })
        .collect();
    // Who is no Worthy Foe joins a Venture fight that goes on already.
    let first = if ruleset == "venture" { size / 2 } else { size };
    let mut table = Table::create(json!({"ruleset": ruleset, "combatants": combatants[..first]}));
    table.accept(json!({"type": "start"}));
    for combatant in &combatants[first..] {
        table.accept(json!({"type": "add_combatant", "details": combatant}));
    }
    if ruleset == "dc20" {
        // Nobody attacks before the first turn.
        let legal_commands = table.legal_commands();
        let first = legal_commands
            .iter()
            .find(|option| option.command["type"] == "claim" || option.command["type"] == "assign");
        let first = completed(first.expect("a turn to be taken"));
        table.accept(first.clone());
        if first["type"] == "claim" && first["at_once"] != true {
            // Nobody else wants the turn.
            table.accept(json!({"type": "resolve"}));
        }
    }
    table
}

fn accepted(table: &Table, command: &Value) -> bool {
    let request = Request::read(command.clone()).expect("a request");
    table
        .game
        .decide(
            &[],
            &request,
            Time::default(),
            &mut SeededDice::new([1; 32]),
            &|| false,
        )
        .is_ok()
}

/// `start` alone, or with the values that the ruleset requires.
fn start_of(table: &Table) -> Value {
    let mut starts = table.legal_commands();
    starts.retain(|option| option.verb() == "start");
    if starts.iter().any(|option| option.complete) {
        return json!({"type": "start"});
    }
    completed(starts.first().expect("a start"))
}

/// The lists that choices refer to, by name.
fn shared(legal_commands: &[LegalCommand]) -> BTreeSet<String> {
    let choices = legal_commands.iter().flat_map(|option| &option.choices);
    let names = choices.filter_map(|choice| match &choice.values {
        Values::Shared(shared) => Some(shared.name.clone()),
        _ => None,
    });
    names.collect()
}

#[test]
fn shared_lists_hold_exactly_what_is_accepted() {
    for (ruleset, verb, field) in [
        ("exp", "mental_attack", "target"),
        ("exp", "mental_duel", "opponent"),
        ("venture", "adjust", "source"),
        ("venture", "settle", "loser"),
        ("dc20", "attack", "target"),
    ] {
        let table = fight(ruleset, 60);
        let legal_commands = table.legal_commands();
        assert!(!shared(&legal_commands).is_empty(), "{ruleset} {verb}");
        let (mut legal, mut refused) = (0, 0);
        for actor in 0..60 {
            for value in 0..60 {
                let command = json!({"type": verb, "combatant": format!("c{actor}"), field: format!("c{value}")});
                let accepted = accepted(&table, &command);
                assert_eq!(
                    listed(&legal_commands, &command),
                    accepted,
                    "{ruleset}: {command}"
                );
                if accepted { legal += 1 } else { refused += 1 }
            }
        }
        assert!(
            legal > 0,
            "{ruleset} {verb}: {legal} legal, {refused} refused"
        );
    }
}

#[test]
fn short_lists_stand_in_their_own_choice() {
    for ruleset in ["exp", "venture", "dc20"] {
        let legal_commands = fight(ruleset, 3).legal_commands();
        assert_eq!(shared(&legal_commands), BTreeSet::new(), "{ruleset}");
    }
}

/// How many trials these options of a fight take.
fn trials(table: &Table, filter: &OptionsFilter) -> usize {
    let asked = Cell::new(0);
    let count = || {
        asked.set(asked.get() + 1);
        false
    };
    table.game.options(&Viewer::gm("gm"), filter, 0, &count);
    asked.get()
}

#[test]
fn trials_and_bytes_grow_with_the_fight_and_not_with_its_square() {
    for ruleset in ["exp", "venture", "dc20"] {
        let (small, large) = (fight(ruleset, 50), fight(ruleset, 200));
        let all = OptionsFilter::all();
        let (few, many) = (trials(&small, &all), trials(&large, &all));
        assert!(
            many <= 5 * few,
            "{ruleset}: {few} trials for 50 and {many} for 200"
        );
        let legal_commands = large.legal_commands();
        let bytes = serde_json::to_string(&legal_commands).expect("JSON").len();
        assert!(bytes < 324_000, "{ruleset}: {bytes} bytes for 200");
    }
}

#[test]
fn what_is_not_listed_is_not_tried() {
    let combatants: Vec<Value> = (0..60).map(|n| json!({"id": format!("c{n}")})).collect();
    let definition = json!({"turns": 2, "score": {"dice": "1d20"}, "order": ["lap", "-score"]});
    let mut table = Table::create(json!({
        "ruleset": "custom",
        "options": {"definition": definition},
        "combatants": combatants,
    }));
    table.accept(json!({"type": "start"}));
    let nobody = OptionsFilter {
        combatant: Some(CombatantId::fixed("nobody")),
        ..OptionsFilter::all()
    };
    assert!(trials(&table, &OptionsFilter::all()) > 60);
    assert!(trials(&table, &OptionsFilter::default()) <= 10);
    assert_eq!(trials(&table, &nobody), 0);
}

#[test]
fn without_tools_the_same_is_listed_but_for_them() {
    let gm = Viewer::gm("gm");
    let told = |option: &LegalCommand| (option.label.clone(), option.command.clone());
    for creation in creations() {
        for (moment, table) in moments(&creation, 12) {
            let mut all = table.game.options(&gm, &OptionsFilter::all(), 0, &|| false);
            if all.iter().any(|option| option.group != Group::Tools) {
                all.retain(|option| option.group != Group::Tools);
            }
            let some = table
                .game
                .options(&gm, &OptionsFilter::default(), 0, &|| false);
            let all: Vec<_> = all.iter().map(told).collect();
            let some: Vec<_> = some.iter().map(told).collect();
            assert_eq!(some, all, "{creation}, {moment}");
        }
    }
}

/// A fight of `size` combatants, every third of them hidden, at moments from its creation to its
/// end.
fn moments(creation: &Value, size: usize) -> Vec<(&'static str, Table)> {
    let combatants = (0..size).map(|n| {
        let side = if n % 2 == 0 { "players" } else { "monsters" };
        json!({"id": format!("c{n}"), "side": side, "hidden": n % 3 == 2})
    });
    let mut creation = creation.clone();
    creation["combatants"] = combatants.collect();
    let mut table = Table::create(creation);
    let mut moments = vec![("created", table.clone())];
    table.accept(start_of(&table));
    moments.push(("started", table.clone()));
    for _ in 0..8 {
        let legal_commands = table.legal_commands();
        table.accept(completed(
            legal_commands.first().expect("something is legal"),
        ));
    }
    moments.push(("going on", table.clone()));
    for n in (0..size).step_by(2) {
        table.accept(
            json!({"type": "set_condition", "target": format!("c{n}"), "condition": "unconscious"}),
        );
    }
    moments.push(("half of them out", table.clone()));
    table.accept(json!({"type": "end_encounter"}));
    moments.push(("ended", table));
    moments
}

/// A creation under each ruleset, and under each preset of `custom`.
fn creations() -> Vec<Value> {
    let mut creations = Vec::new();
    for ruleset in RULESETS.iter().map(|ruleset| ruleset.manifest.id) {
        if ruleset != "custom" {
            creations.push(json!({"ruleset": ruleset}));
        }
    }
    for preset in Preset::ALL {
        creations.push(json!({"ruleset": "custom", "options": {"preset": preset}}));
    }
    creations
}

/// Lets `check` see each moment of a small fight under each ruleset.
fn at_every_moment(check: impl Fn(&str, &Table)) {
    for creation in creations() {
        for (moment, table) in moments(&creation, 7) {
            check(&format!("{creation}, {moment}"), &table);
        }
    }
}

/// Where nothing is hidden, a player is offered what the game master is offered, as far as the player
/// may send it.
#[test]
fn a_player_is_offered_what_it_may_send_and_no_more() {
    for mut creation in creations() {
        let combatants = (0..6).map(|n| {
            let side = if n % 2 == 0 { "players" } else { "monsters" };
            json!({"id": format!("c{n}"), "side": side, "kind": "pc"})
        });
        creation["combatants"] = combatants.collect();
        let mut table = Table::create(creation.clone());
        for step in 0..8 {
            for n in 0..6 {
                let id = CombatantId::new(&format!("c{n}")).expect("an id");
                offers_what_may_be_sent(&table, &id, &format!("{creation}, step {step}, c{n}"));
            }
            let next = if step == 0 {
                start_of(&table)
            } else {
                completed(table.legal_commands().first().expect("something is legal"))
            };
            table.accept(next);
        }
    }
}

fn offers_what_may_be_sent(table: &Table, id: &CombatantId, moment: &str) {
    let own = owned(&*table.game, std::slice::from_ref(id));
    let viewer = player("player", own.clone());
    let options = |game: &dyn AnyEncounter, viewer: &Viewer| {
        game.options(viewer, &OptionsFilter::default(), 0, &|| false)
    };
    let may_send = |option: &LegalCommand| {
        let request = Request::read(completed(option)).expect("a request");
        table.game.authorize(&viewer, &request).is_ok()
    };
    let told = |option: &LegalCommand| (option.label.clone(), option.command.clone());
    let mut expected = options(&*table.game, &Viewer::gm("gm"));
    expected.retain(|option| may_send(option) && option.group != Group::Tools);
    let mut offered = options(&*table.game.redacted(&own), &viewer);
    offered.retain(|option| option.group != Group::Tools);
    let expected: Vec<_> = expected.iter().map(told).collect();
    let offered: Vec<_> = offered.iter().map(told).collect();
    assert_eq!(offered, expected, "{moment}");
}

#[test]
fn a_required_value_without_another_one_stands_in_the_command() {
    at_every_moment(|moment, table| {
        for option in table.legal_commands() {
            for choice in &option.choices {
                let only = choice.values.only_value();
                assert!(
                    !choice.required || only.is_none(),
                    "{moment}: {}, {} may only be {only:?}",
                    option.label,
                    choice.field
                );
            }
            let asks = option.choices.iter().any(|choice| choice.required);
            assert_eq!(option.complete, !asks, "{moment}: {}", option.label);
        }
    });
}

#[test]
fn decisions_stand_first_and_the_usual_one_before_the_others() {
    at_every_moment(|moment, table| {
        let places: Vec<_> = table
            .legal_commands()
            .iter()
            .map(|option| (option.group, !option.primary))
            .collect();
        assert!(places.is_sorted(), "{moment}: {places:?}");
    });
}

#[test]
fn the_default_of_a_choice_is_what_leaving_it_out_means() {
    let sent = |table: &Table, command: Value| table.clone().try_send(command, &mut seeded(1));
    at_every_moment(|moment, table| {
        for option in table.legal_commands() {
            let left_out = completed(&option);
            for choice in &option.choices {
                let mut filled = left_out.clone();
                let default = &choice.schema["default"];
                if default.is_null() || choice.required {
                    assert!(default.is_null(), "{moment}: {}", option.label);
                    continue;
                }
                filled[choice.field] = default.clone();
                assert_eq!(
                    sent(table, filled),
                    sent(table, left_out.clone()),
                    "{moment}: {}, {}",
                    option.label,
                    choice.field
                );
            }
        }
    });
}

#[test]
fn a_default_that_the_document_has_the_choice_has() {
    let manifests: Vec<RulesetManifest> = AllSchemas::shipped()
        .0
        .iter()
        .map(openapi::ruleset_manifest)
        .collect();
    at_every_moment(|moment, table| {
        let own = |manifest: &&RulesetManifest| manifest.manifest.id == table.game.ruleset();
        let Some(manifest) = manifests.iter().find(own) else {
            return;
        };
        for option in table.legal_commands() {
            let mut commands = manifest.commands.iter();
            let command = commands.find(|command| command.kind == option.verb());
            let schema = &command.expect("a command of the manifest").schema;
            for choice in option.choices.iter().filter(|choice| !choice.required) {
                let published = &schema["properties"][choice.field]["default"];
                let (listed, label) = (&choice.schema["default"], &option.label);
                assert!(
                    published.is_null() || published == listed,
                    "{moment}: {label}, {}: {listed}, not {published}",
                    choice.field
                );
            }
        }
    });
}

#[test]
fn no_two_options_of_a_list_have_the_same_label() {
    at_every_moment(|moment, table| {
        let own = owned(
            &*table.game,
            &[CombatantId::fixed("c0"), CombatantId::fixed("c2")],
        );
        for viewer in [Viewer::gm("gm"), player("player", own)] {
            let options = table.legal_commands_of(&viewer);
            let repeated = repeated_label(&options);
            assert_eq!(repeated, None, "{moment}: {:?}", viewer.role);
        }
    });
}

#[test]
fn names_and_words_that_read_the_same_make_no_equal_labels() {
    for creation in creations() {
        let mut creation = creation;
        creation["combatants"] = json!([
            {"id": "one", "name": "Wolf", "side": "monsters", "conditions": ["on-fire"]},
            {"id": "two", "name": "Wolf", "side": "monsters", "conditions": ["on_fire"]},
            {"id": "three", "name": "Wolf #1", "side": "players"}]);
        let mut table = Table::create(creation);
        table.accept(start_of(&table));
        let options = table.legal_commands();
        assert_eq!(repeated_label(&options), None);
        let labels: Vec<&str> = options.iter().map(|option| option.label.as_str()).collect();
        assert!(labels.contains(&"Add on fire"), "{labels:?}");
        assert!(labels.contains(&"Add on fire #2"), "{labels:?}");
    }
}

#[test]
fn each_shape_of_a_value_has_a_title() {
    let table = fight("seize", 3);
    let options = table.legal_commands();
    let add_effect = options.iter().find(|option| option.verb() == "add_effect");
    let effect = &add_effect.expect("an effect may be added").choices[0].schema;
    let shapes = effect["properties"]["expires"]["anyOf"].as_array();
    let mut titles = Vec::new();
    for shape in shapes.into_iter().flatten() {
        titles.push(shape["title"].as_str().unwrap_or_default());
    }
    let expected = [
        "For a number of rounds",
        "Until a turn starts",
        "Until a turn ends",
        "Until the fight ends",
        "Until the game master ends it",
    ];
    assert_eq!(titles, expected);
}

#[test]
fn cards_to_choose_are_said_as_they_are_printed() {
    let mut table = Table::create(json!({"ruleset": "custom",
        "options": {"definition": {"score": {"deck": {"keep": "choose"}, "advantage": "edge"}, "numbers": {"edge": 2}}},
        "combatants": [{"id": "ann", "side": "players"}]}));
    table.accept(json!({"type": "start"}));
    let options = table.legal_commands();
    let keep = options.iter().find(|option| option.verb() == "keep_card");
    let schema = &keep.expect("a choice between cards").choices[0].schema;
    let items = schema["oneOf"].as_array().expect("cards");
    assert_eq!(items.len(), 3);
    for item in items {
        let (code, title) = (item["const"].as_str(), item["title"].as_str());
        let suit = match code.and_then(|code| code.chars().last()) {
            Some('c') => "♣",
            Some('d') => "♦",
            Some('h') => "♥",
            Some('s') => "♠",
            _ => "Joker",
        };
        assert!(title.is_some_and(|title| title.ends_with(suit)), "{item}");
    }
}

/// The objects with fields in a schema.
fn objects(schema: &Value) -> Vec<&Value> {
    let mut found = Vec::new();
    if schema["properties"].is_object() {
        found.push(schema);
    }
    match schema {
        Value::Array(items) => found.extend(items.iter().flat_map(objects)),
        Value::Object(fields) => found.extend(fields.values().flat_map(objects)),
        _ => {}
    }
    found
}

#[test]
fn each_field_of_an_object_has_a_title() {
    at_every_moment(|moment, table| {
        for option in table.legal_commands() {
            for object in option.choices.iter().flat_map(|one| objects(&one.schema)) {
                for (field, schema) in object["properties"].as_object().into_iter().flatten() {
                    let title = schema["title"].as_str().unwrap_or_default();
                    let begins = title.chars().next().is_some_and(char::is_uppercase);
                    assert!(begins, "{moment}: {}, {field}: {title:?}", option.label);
                }
            }
        }
    });
}

/// The schema of the fields of a newcomer, if one may join.
fn newcomer(table: &Table) -> Option<Value> {
    let legal_commands = table.legal_commands();
    let mut adds = legal_commands.iter();
    let add = adds.find(|option| option.verb() == "add_combatant")?;
    Some(add.choices.first()?.schema.clone())
}

/// A value with every field of a schema, in which each number is the least or the most.
fn filled_in(schema: &Value, most: bool) -> Value {
    if let Some(values) = schema["oneOf"].as_array() {
        let value = if most { values.last() } else { values.first() };
        return value.expect("a value")["const"].clone();
    }
    match schema["type"].as_str() {
        Some("integer" | "number") => schema[if most { "maximum" } else { "minimum" }].clone(),
        Some("boolean") => json!(most),
        Some("array") => json!([filled_in(&schema["items"], most)]),
        Some("object") => {
            let properties = schema["properties"].as_object().into_iter().flatten();
            properties
                .map(|(field, schema)| (field.clone(), filled_in(schema, most)))
                .collect()
        }
        _ => json!("newcomer"),
    }
}

#[test]
fn a_newcomer_may_have_all_fields_that_are_offered() {
    at_every_moment(|moment, table| {
        let Some(schema) = newcomer(table) else {
            return;
        };
        for most in [false, true] {
            let details = filled_in(&schema, most);
            let command = json!({"type": "add_combatant", "details": details});
            assert!(accepted(table, &command), "{moment}: {command}");
        }
    });
}

#[test]
fn a_newcomer_is_offered_the_numbers_of_its_ruleset() {
    for schemas in &AllSchemas::shipped().0 {
        let manifest = openapi::ruleset_manifest(schemas);
        let id = manifest.manifest.id;
        let table = Table::create(json!({"ruleset": id, "combatants": [{"id": "ann"}]}));
        let schema = newcomer(&table).expect("a newcomer may join");
        let offered = &schema["properties"];
        let published = manifest.combatant["properties"]
            .as_object()
            .expect("fields");
        for (field, published) in published {
            // What these may hold depends on other fields: the side, the kind, the maximum.
            let depends = [
                ("custom", "roll"),
                ("active-initiative", "inspiration"),
                ("venture", "motes"),
            ];
            if depends.contains(&(id, field.as_str())) {
                continue;
            }
            for limit in ["minimum", "maximum"] {
                assert_eq!(offered[field][limit], published[limit], "{id}: {field}");
            }
            let is_flag = published["type"] == "boolean";
            let offers_flag = offered[field]["type"] == "boolean";
            assert_eq!(offers_flag, is_flag, "{id}: {field}");
        }
    }
}

#[test]
fn a_newcomer_is_offered_the_numbers_of_the_definition_and_a_group_that_shares_an_initiative() {
    let fields = |preset: &str| {
        let table = Table::create(
            json!({"ruleset": "custom", "options": {"preset": preset}, "combatants": [{"id": "ann"}]}),
        );
        newcomer(&table).expect("a newcomer may join")["properties"].clone()
    };
    let d20 = fields("d20");
    let numbers = d20["numbers"]["properties"].as_object().expect("numbers");
    assert!(
        numbers
            .keys()
            .eq(["advantage", "count", "dex", "legendary"])
    );
    assert!(d20["group"].is_object());
    let side = fields("side");
    assert!(
        side["numbers"].is_null() && side["group"].is_null(),
        "{side}"
    );
}

#[test]
fn who_has_rolled_before_the_start_may_still_replace_the_roll() {
    for ruleset in ["active-initiative", "seize", "exp"] {
        let combatants = json!([{"id": "ann"}, {"id": "orc", "side": "monsters"}]);
        let mut table = Table::create(json!({"ruleset": ruleset, "combatants": combatants}));
        let roll = json!({"type": "roll", "combatant": "ann"});
        let group = |table: &Table, combatant: &str| {
            let options = table.legal_commands();
            let of = |option: &&LegalCommand| {
                option.verb() == "roll" && option.command["combatant"] == combatant
            };
            options.iter().find(of).map(|option| option.group)
        };
        assert_eq!(group(&table, "ann"), Some(Group::Decision), "{ruleset}");
        table.accept(roll);
        assert_eq!(group(&table, "ann"), Some(Group::Tools), "{ruleset}");
        assert_eq!(group(&table, "orc"), Some(Group::Decision), "{ruleset}");
    }
}

#[test]
fn at_every_moment_trials_grow_with_the_fight() {
    for creation in creations() {
        let (small, large) = (moments(&creation, 8), moments(&creation, 32));
        for ((moment, small), (_, large)) in small.iter().zip(&large) {
            let all = OptionsFilter::all();
            let (few, many) = (trials(small, &all), trials(large, &all));
            assert!(
                many <= 6 * few,
                "{creation}, {moment}: {few} trials for 8 and {many} for 32"
            );
        }
    }
}

#[test]
fn trials_grow_with_those_who_have_brought_dice_before_venture_starts() {
    let joined = |count| {
        let combatants: Vec<Value> = (0..count)
            .map(|n| json!({"id": format!("c{n}"), "side": "players"}))
            .collect();
        let mut table = Table::create(json!({"ruleset": "venture", "combatants": combatants}));
        for commands in (0..count).collect::<Vec<_>>().chunks(50) {
            let join = |n: &usize| json!({"type": "join_battle", "combatant": format!("c{n}"), "successes": 3});
            table.accept(commands.iter().map(join).collect());
        }
        trials(&table, &OptionsFilter::all())
    };
    let (few, many) = (joined(16), joined(64));
    assert!(many <= 5 * few, "{few} trials for 16 and {many} for 64");
}

#[test]
fn deciding_stops_before_the_next_command() {
    let table = fight("venture", 4);
    let notes: Vec<Value> = (0..50)
        .map(|n| json!({"type": "note", "text": format!("{n}")}))
        .collect();
    let request = Request::read(json!(notes)).expect("a request");
    let asked = Cell::new(0);
    let tenth = || {
        asked.set(asked.get() + 1);
        asked.get() == 10
    };
    let stopped = table.game.decide(
        &[],
        &request,
        Time::default(),
        &mut SeededDice::new([1; 32]),
        &tenth,
    );
    assert_eq!((stopped.err(), asked.get()), (Some(Refusal::Stopped), 10));
}

#[test]
fn redaction_stops_before_the_next_event() {
    let table = Table::create(
        json!({"ruleset": "round-robin", "combatants": [{"id": "shade", "hidden": true}]}),
    );
    let notes: Vec<Value> = (0..50)
        .map(|n| json!({"type": "note", "text": format!("{n}")}))
        .collect();
    let request = Request::read(json!(notes)).expect("a request");
    let asked = Cell::new(0);
    // All 50 are decided by then.
    let sixtieth = || {
        asked.set(asked.get() + 1);
        asked.get() == 60
    };
    let stopped = table.game.decide(
        &[],
        &request,
        Time::default(),
        &mut SeededDice::new([1; 32]),
        &sixtieth,
    );
    assert_eq!((stopped.err(), asked.get()), (Some(Refusal::Stopped), 60));
}

#[test]
fn what_is_listed_grows_no_faster_than_the_encounter_does() {
    let size = |count: usize| {
        let group = |n: usize| json!({"id": format!("g{n}"), "side": "monsters", "members": ["one", "two"]});
        let combatants: Vec<Value> = (0..count).map(group).collect();
        let legal_commands =
            Table::create(json!({"ruleset": "round-robin", "combatants": combatants}))
                .legal_commands();
        assert!(listed(
            &legal_commands,
            &json!({"type": "damage", "target": "g7", "amount": 1, "source": "g9"})
        ));
        serde_json::to_vec(&legal_commands)
            .expect("legal_commands are JSON")
            .len()
    };
    let (half, full) = (size(250), size(500));
    assert!(
        full < half * 5 / 2,
        "{half} bytes for 250 groups, {full} for 500"
    );
}

/// The combatants for whom an option takes dice in its field `rolls`.
fn rollers(option: &LegalCommand) -> Vec<Value> {
    let choice = option.choices.iter().find(|choice| choice.field == "rolls");
    match choice.map(|choice| &choice.values) {
        Some(Values::Map { keys, .. }) => listed_values(keys).into_iter().cloned().collect(),
        _ => Vec::new(),
    }
}

#[test]
fn a_player_rolls_for_no_combatant_but_its_own() {
    let combatants = json!([{"id": "ann"}, {"id": "bob"}, {"id": "orc", "side": "monsters"}]);
    let mut table = Table::create(json!({"ruleset": "exp", "combatants": combatants}));
    table.accept(json!({"type": "start"}));
    while table.at("pending.decision") != "roll" {
        let next = completed(&table.legal_commands()[0]);
        table.accept(next);
    }
    let of_all = |options: Vec<LegalCommand>| {
        let is_of_all = |option: &LegalCommand| {
            option.verb() == "roll" && option.command["combatant"].is_null()
        };
        options
            .into_iter()
            .find(is_of_all)
            .expect("the roll of all")
    };
    let own = owned(&*table.game, &[CombatantId::fixed("ann")]);
    let players = table.legal_commands_of(&player("player", own));
    assert_eq!(
        rollers(&of_all(table.legal_commands())),
        ["ann", "bob", "orc"]
    );
    assert_eq!(rollers(&of_all(players)), ["ann"]);
}
