//! Effects that begin later, remind, and apply again and again.

use crate::support::table::{RULESETS, Table, seeded};
use serde_json::{Value, json};
use turnkeeper::vocabulary::{Group, LegalCommand, Time};

/// How many rounds are played.
const ROUNDS: u64 = 4;

fn effect(name: &str, target: &str, rest: &Value) -> Value {
    let mut effect = json!({"name": name, "target": target, "expires": {"at": "removed"}});
    let fields = rest.as_object().expect("an object");
    effect
        .as_object_mut()
        .expect("an object")
        .extend(fields.clone());
    json!({"type": "add_effect", "effect": effect})
}

/// The events of a fight of two and two with these effects, round after round.
fn played(ruleset: &str, effects: &[Value]) -> Vec<Value> {
    let hp = json!({"current": 500, "max": 1000});
    let combatant = |id: &str, side: &str| json!({"id": id, "name": id, "side": side, "hp": hp});
    let combatants = json!([
        combatant("ann", "players"),
        combatant("bo", "players"),
        combatant("orc", "monsters"),
        combatant("wolf", "monsters"),
    ]);
    let mut table = Table::create(json!({"ruleset": ruleset, "combatants": combatants}));
    let mut events = Vec::new();
    let mut send = |table: &mut Table, command: Value| {
        let sent = table.send(command.clone());
        events.extend(sent.unwrap_or_else(|refused| panic!("{ruleset}: {command}: {refused:?}")));
    };
    for effect in effects {
        send(&mut table, effect.clone());
    }
    for _ in 0..300 {
        if table.at("round").as_u64() == Some(ROUNDS) {
            return events;
        }
        let options = table.legal_commands();
        let mut usual = options.iter().filter(|option| option.primary);
        let resolve = options.iter().find(|option| option.verb() == "resolve");
        let usual = resolve.or_else(|| usual.next());
        let usual = usual.or_else(|| options.iter().find(|o| o.group == Group::Decision));
        let command = usual.and_then(LegalCommand::completed);
        send(&mut table, command.expect("an option"));
    }
    panic!("{ruleset}: {}", table.view());
}

fn of(events: &[Value], kind: &str, field: &str, id: &str) -> usize {
    let fits = |event: &&Value| event["type"] == kind && (id.is_empty() || event[field] == id);
    events.iter().filter(fits).count()
}

#[test]
fn what_an_effect_reminds_of_comes_with_each_of_its_moments() {
    for ruleset in RULESETS.iter().map(|ruleset| ruleset.manifest.id) {
        let events = played(
            ruleset,
            &[
                effect(
                    "Burning",
                    "orc",
                    &json!({"reminder": {"due": {"at": "round_end", "rounds": 1}, "damage": 3, "automatic": true}}),
                ),
                effect(
                    "Troll blood",
                    "ann",
                    &json!({"reminder": {"due": {"at": "turn_start"}, "heal": 5}}),
                ),
                effect(
                    "Every other",
                    "bo",
                    &json!({"reminder": {"due": {"at": "turn_end", "turns": 2}, "every": 2}}),
                ),
                effect(
                    "Later",
                    "wolf",
                    &json!({"begins": {"at": "round_end", "rounds": 2}, "expires": {"at": "round_end", "rounds": 1}}),
                ),
            ],
        );
        let count = |kind: &str, field: &str, id: &str| of(&events, kind, field, id);
        // Before the first round nothing counts.
        let is_round = |event: &&Value| event["type"] == "round_ended" && event["round"] != 0;
        let rounds = events.iter().filter(is_round).count();
        assert!(rounds >= 3, "{ruleset}: {rounds} rounds");
        for (kind, field) in [("effect_due", "effect_id"), ("effect_applied", "effect_id")] {
            assert_eq!(count(kind, field, "burning"), rounds, "{ruleset}: {kind}");
        }
        assert_eq!(count("damaged", "combatant", "orc"), rounds, "{ruleset}");
        let starts = count("turn_started", "combatant", "ann");
        assert_eq!(
            count("effect_due", "effect_id", "troll-blood"),
            starts,
            "{ruleset}"
        );
        assert_eq!(
            count("effect_applied", "effect_id", "troll-blood"),
            0,
            "{ruleset}"
        );
        let ends = count("turn_ended", "combatant", "bo");
        assert_eq!(
            count("effect_due", "effect_id", "every-other"),
            ends / 2,
            "{ruleset}"
        );
        assert_eq!(count("effect_begun", "effect_id", "later"), 1, "{ruleset}");
        let place = |kind: &str| {
            events
                .iter()
                .position(|event| event["type"] == kind && event["effect_id"] == "later")
        };
        assert!(place("effect_begun") < place("effect_ended"), "{ruleset}");
    }
}

#[test]
fn the_game_master_applies_what_is_due_and_a_die_brings_it_back() {
    for ruleset in RULESETS.iter().map(|ruleset| ruleset.manifest.id) {
        let combatants = json!([{"id": "ann", "hp": {"current": 5, "max": 9}}, {"id": "orc", "side": "monsters"}]);
        let mut table = Table::create(json!({"ruleset": ruleset, "combatants": combatants}));
        let recharge = json!({"due": {"at": "turn_start"}, "recharge": {"sides": 6, "from": 5}});
        let heal = json!({"due": {"at": "round_end", "rounds": 1}, "heal": 3});
        table.accept(effect("Breath", "orc", &json!({"reminder": recharge})));
        table.accept(effect("Moss", "ann", &json!({"reminder": heal})));
        table.accept(effect(
            "Plain",
            "ann",
            &json!({"reminder": {"due": {"at": "turn_end"}}}),
        ));
        table.accept(effect(
            "Soon",
            "ann",
            &json!({"begins": {"at": "turn_end"}, "reminder": heal}),
        ));
        let apply = |id: &str| json!({"type": "apply_effect", "effect_id": id});
        let mut rolled = apply("breath");
        rolled["roll"] = json!(7);
        assert_eq!(table.refuse(rolled.clone()).field.as_deref(), Some("roll"));
        rolled["roll"] = json!(4);
        table.accept(rolled.clone());
        assert_eq!(table.at("effects.0.id"), "breath", "{ruleset}");
        rolled["roll"] = json!(5);
        let events = table.accept(rolled);
        assert_eq!(events, ["effect_applied", "effect_ended"], "{ruleset}");
        table.accept(apply("moss"));
        assert_eq!(table.at("combatants.ann.hp.current"), 8, "{ruleset}");
        let mut rolled = apply("moss");
        rolled["roll"] = json!(1);
        assert_eq!(table.refuse(rolled).field.as_deref(), Some("roll"));
        for nothing in ["plain", "soon"] {
            assert_eq!(
                table.refuse(apply(nothing)).code,
                "nothing_to_apply",
                "{ruleset}"
            );
        }
        assert_eq!(
            table.refuse(apply("none")).code,
            "unknown_effect",
            "{ruleset}"
        );
    }
}

/// A fight of Ann and an orc in which Ann has the turn, with this effect.
fn in_turn(effect: Value) -> Table {
    let combatants = json!([{"id": "ann", "hp": {"current": 30}}, {"id": "orc", "side": "monsters", "hp": {"current": 30}}]);
    let options = json!({"preset": "popcorn"});
    let mut table =
        Table::create(json!({"ruleset": "custom", "options": options, "combatants": combatants}));
    table.accept(effect);
    table.accept(json!({"type": "start"}));
    table.accept(json!({"type": "override", "combatant": "ann"}));
    table
}

#[test]
fn an_effect_whose_time_is_up_with_its_reminder_ends_once_it_is_applied() {
    let poison = |automatic: bool| {
        effect(
            "Poison",
            "ann",
            &json!({"expires": {"at": "turn_end", "of": "ann"}, "reminder": {
            "due": {"at": "turn_end", "of": "ann"}, "damage": 2, "automatic": automatic}}),
        )
    };
    let end = json!({"type": "override", "combatant": "orc"});
    let mut table = in_turn(poison(false));
    let end_turn = json!({"type": "end_turn", "combatant": "ann"});
    let events = table.accept(end_turn.clone());
    assert!(events.contains(&"effect_due".to_owned()), "{events:?}");
    assert!(!events.contains(&"effect_ended".to_owned()), "{events:?}");
    table.accept(end);
    table.accept(json!({"type": "override", "combatant": "ann"}));
    let events = table.accept(end_turn.clone());
    assert!(
        !events.contains(&"effect_due".to_owned()),
        "once: {events:?}"
    );
    let events = table.accept(json!({"type": "apply_effect", "effect_id": "poison"}));
    assert_eq!(events, ["effect_applied", "damaged", "effect_ended"]);
    let events = in_turn(poison(true)).accept(end_turn);
    let [.., applied, damaged, ended] = &events[..] else {
        panic!("{events:?}")
    };
    assert_eq!(
        [applied, damaged, ended],
        ["effect_applied", "damaged", "effect_ended"]
    );
}

#[test]
fn rounds_that_pass_at_once_count_from_the_beginning_to_the_end() {
    let combatants =
        json!([{"id": "ann", "hp": {"current": 90}}, {"id": "orc", "side": "monsters"}]);
    let options = json!({"preset": "clock"});
    let mut table =
        Table::create(json!({"ruleset": "custom", "options": options, "combatants": combatants}));
    table.accept(json!({"type": "start", "rolls": {"ann": 3, "orc": 3}}));
    let round = |rounds: u32| json!({"at": "round_end", "rounds": rounds});
    table.accept(effect(
        "Third",
        "ann",
        &json!({"reminder": {"due": round(1), "every": 3}}),
    ));
    table.accept(effect(
        "Late",
        "ann",
        &json!({"begins": round(1), "expires": round(2)}),
    ));
    table.accept(effect("Plain", "ann", &json!({"expires": round(9)})));
    table.accept(json!({"type": "override", "combatant": "ann"}));
    table.accept(json!({"type": "remove_combatant", "combatant": "orc"}));
    let round = |table: &Table| table.at("round").as_u64().expect("a round");
    let before = round(&table);
    table.accept(json!({"type": "end_turn", "combatant": "ann", "cost": 5}));
    let passed = round(&table) - before;
    assert!(passed > 3, "{passed} rounds");
    let effects = table.at("effects.*.id");
    assert_eq!(
        effects,
        json!(["third", "plain"]),
        "what began late is over"
    );
    assert_eq!(table.at("effects.plain.expires.rounds"), json!(9 - passed));
    assert_eq!(
        table.at("effects.third.reminder.due.rounds"),
        json!(3 - (passed - 1) % 3)
    );
}

#[test]
fn a_hidden_effect_that_is_applied_looks_like_damage_by_hand() {
    let mut fights = [false, true].map(|hidden| {
        let reminder = json!({"due": {"at": "turn_end", "of": "ann"}, "damage": 2});
        in_turn(effect(
            "Secret",
            "ann",
            &json!({"hidden": hidden, "reminder": reminder}),
        ))
    });
    let commands = [
        json!({"type": "damage", "target": "ann", "amount": 2}),
        json!({"type": "apply_effect", "effect_id": "hidden_secret"}),
    ];
    let [by_hand, applied] = [0, 1].map(|n| {
        let request = turnkeeper::engine::Request::read(commands[n].clone()).expect("a request");
        let decided =
            fights[n]
                .game
                .decide(&[], &request, Time::default(), &mut seeded(1), &|| false);
        let redactions = decided.expect("it is accepted").redactions;
        let entry = redactions
            .as_ref()
            .and_then(|redactions| redactions.to("none"));
        entry.map(|entry| (entry.commands.clone(), entry.events.get().to_owned()))
    });
    let applied = applied.expect("something is redacted");
    if let Some(by_hand) = by_hand {
        assert_eq!(by_hand, applied);
    }
    assert_eq!(applied.0, ["damage"]);
    assert!(!applied.1.contains("ecret"), "{}", applied.1);
    fights[0].accept(json!({"type": "note", "text": "on"}));
}

#[test]
fn who_does_not_know_when_an_effect_begins_is_told_of_none_of_its_times() {
    let combatants = json!([{"id": "ann"}, {"id": "ninja", "side": "monsters", "hidden": true}]);
    let options = json!({"preset": "popcorn"});
    let mut table =
        Table::create(json!({"ruleset": "custom", "options": options, "combatants": combatants}));
    let fog = json!({"begins": {"at": "turn_start", "of": "ninja"}, "expires": {"at": "round_end", "rounds": 3},
        "reminder": {"due": {"at": "turn_end", "of": "ann"}, "damage": 2}});
    table.accept(effect("Fog", "ann", &fog));
    let seen = |table: &Table| {
        let spectator = turnkeeper::engine::Viewer {
            role: turnkeeper::engine::Role::Spectator,
            ..turnkeeper::engine::Viewer::gm("s")
        };
        let view = table.game.redacted(&[]).view(&spectator).expect("a view");
        let view: Value = serde_json::from_str(view.get()).expect("JSON");
        view["effects"].clone()
    };
    let before = seen(&table);
    assert_eq!(before[0]["expires"], json!({"at": "removed"}));
    table.accept(json!({"type": "start"}));
    table.accept(json!({"type": "override", "combatant": "ninja"}));
    assert_eq!(table.at("effects.fog.begins"), Value::Null);
    assert_eq!(seen(&table), before);
}
