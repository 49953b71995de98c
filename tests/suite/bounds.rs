//! Bounds: of the events of one request, counted for each audience, of who is in a fight, and of
//! what an import brings.

mod stored;

use crate::support::client::note;
use crate::support::table::{RULESETS, Table, meta, owned, token};
use serde_json::{Value, json};
use turnkeeper::engine::{MAX_CONDITIONS, MAX_EVENTS, Refusal, Request, Role, SeededDice};
use turnkeeper::json::read;
use turnkeeper::vocabulary::{
    CombatantId, MAX_COMBATANTS, MAX_EFFECTS, MAX_MEMBERS, OwnCombatant, Time,
};

/// The code of a refusal and what it rests on.
fn code(refusal: Refusal) -> (String, String) {
    match refusal {
        Refusal::Violation { path, violation } => (violation.code.to_owned(), path),
        other => panic!("expected a violation, got {other:?}"),
    }
}

#[test]
fn a_list_that_brings_about_too_many_events_or_too_many_bytes_is_refused_and_a_shorter_one_is_not()
{
    let mut table = Table::create(
        json!({"ruleset": "active-initiative", "combatants": [{"id": "ann", "side": "players"}]}),
    );
    let effect = |n: usize| {
        let expires = json!({"at": "round_end", "rounds": 100});
        json!({"type": "add_effect", "effect": {"id": format!("e{n}"), "name": "Timer", "expires": expires}})
    };
    for from in (0..500).step_by(50) {
        table.accept((from..from + 50).map(effect).collect());
    }
    table.accept(json!({"type": "start", "first": "ann"}));
    let turn = json!({"type": "end_turn", "combatant": "ann", "next": "ann", "begin": true});
    let refused = table.refuse(vec![turn.clone(); 50].into());
    assert_eq!(
        (refused.code.as_str(), refused.rule.as_deref()),
        ("too_many_events", Some("TK-4"))
    );
    let refused = table.refuse(vec![turn.clone(); 39].into());
    assert_eq!(
        (refused.code.as_str(), refused.rule.as_deref()),
        ("events_too_large", Some("TK-4"))
    );
    let events = table.accept(vec![turn; 22].into());
    assert!(
        events.len() > 11_000 && events.len() < MAX_EVENTS,
        "{}",
        events.len()
    );
}

#[test]
fn a_document_from_elsewhere_holds_no_more_than_commands_could_make() {
    let combatant = json!({"id": "c", "members": ["one"], "conditions": ["marked"]});
    let mut table = Table::create(json!({"ruleset": "seize", "combatants": [combatant]}));
    let expires = json!({"at": "round_end", "rounds": 1});
    table.accept(
        json!({"type": "add_effect", "effect": {"id": "e", "name": "Timer", "expires": expires}}),
    );
    let document: Value =
        serde_json::from_slice(&table.game.document().expect("a document")).expect("JSON");
    let copies = |item: &Value, count: usize| -> Value {
        let copy = |n: usize| match item {
            Value::Object(fields) => {
                let mut fields = fields.clone();
                fields.insert("id".to_owned(), format!("x{n}").into());
                Value::Object(fields)
            }
            _ => format!("x{n}").into(),
        };
        (0..count).map(copy).collect()
    };
    for (list, most) in [
        ("/encounter/combatants", MAX_COMBATANTS),
        ("/encounter/effects", MAX_EFFECTS),
        ("/encounter/combatants/0/members", MAX_MEMBERS),
        ("/encounter/combatants/0/conditions", 2 * MAX_CONDITIONS),
        (
            "/encounter/combatants/0/members/0/conditions",
            2 * MAX_CONDITIONS,
        ),
    ] {
        let first = document
            .pointer(&format!("{list}/0"))
            .cloned()
            .unwrap_or("marked".into());
        let check = |items: Value| {
            let mut changed = document.clone();
            *changed
                .pointer_mut(list)
                .unwrap_or_else(|| panic!("{list} of {document}")) = items;
            RULESETS
                .load(changed.to_string().as_bytes())
                .expect("a document")
                .check()
        };
        assert_eq!(check(copies(&first, most)), Ok(()), "{list}");
        assert!(check(copies(&first, most + 1)).is_err(), "{list}");
        if !list.ends_with("conditions") {
            assert!(check(json!([first, first])).is_err(), "{list}");
        }
    }
}

/// Fifty effects on a combatant.
fn effects(target: &str) -> Value {
    let effect = json!({"name": "Timer", "target": target, "expires": {"at": "removed"}});
    vec![json!({"type": "add_effect", "effect": effect}); 50].into()
}

#[test]
fn a_player_can_add_as_many_effects_as_if_none_were_hidden() {
    let combatants = json!([{"id": "ann"}, {"id": "shade", "side": "monsters", "hidden": true}]);
    let mut table = Table::create(json!({"ruleset": "seize", "combatants": combatants}));
    for _ in (0..MAX_EFFECTS).step_by(50) {
        table.accept(effects("shade"));
    }
    assert_eq!(table.refuse(effects("shade")).code, "too_many_effects");
    let own = owned(&*table.game, &[CombatantId::new("ann").expect("an id")]);
    let examined = |table: &Table| {
        let request = Request::read(effects("ann")).expect("a request");
        let refusal = table.game.examine(&own, &request, &|| false).err()?;
        Some(code(refusal).0)
    };
    for _ in (0..MAX_EFFECTS).step_by(50) {
        assert_eq!(examined(&table), None);
        table.accept(effects("ann"));
    }
    assert_eq!(examined(&table), Some("too_many_effects".to_owned()));
    assert_eq!(table.refuse(effects("ann")).code, "too_many_effects");
    for (combatant, hidden) in [("shade", false), ("ann", true)] {
        let changes = json!({"hidden": hidden});
        let changed =
            json!({"type": "update_combatant", "combatant": combatant, "changes": changes});
        assert_eq!(table.refuse(changed).code, "too_many_effects");
    }
}

/// A stored encounter of three with another state of the ruleset.
fn with_state(ruleset: &str, change: impl FnOnce(&mut Value)) -> Result<(), String> {
    let combatants = json!([
        {"id": "ann", "side": "players"}, {"id": "bo", "side": "players"}, {"id": "orc", "side": "monsters"}
    ]);
    let table = Table::create(json!({"ruleset": ruleset, "combatants": combatants}));
    let document = table.game.document().expect("a document");
    let mut document: Value = serde_json::from_slice(&document).expect("JSON");
    change(&mut document["encounter"]);
    RULESETS
        .load(document.to_string().as_bytes())
        .expect("a document")
        .check()
}

#[test]
fn each_turn_of_dc20_has_a_name_of_its_own() {
    let turns = |names: [&str; 2]| {
        let turn = |name| json!({"id": name, "team": {"enemy": 1}, "occupants": []});
        with_state("dc20", |encounter| {
            encounter["state"]["slots"] = names.map(turn).into();
        })
    };
    assert_eq!(turns(["e1", "e2"]), Ok(()));
    assert_eq!(
        turns(["e1", "e1"]),
        Err("two of state.slots are \"e1\"".to_owned())
    );
}

#[test]
fn each_rank_of_exp_is_a_place_of_its_list() {
    let die = json!({"sides": 20, "face": 7, "given": false});
    let roll = |id| json!({"id": id, "combatants": [id], "die": die, "bonus": 0, "total": 7, "digits": []});
    let rank = |rank: u32| {
        with_state("exp", |encounter| {
            encounter["state"]["ranking"] = json!([roll("ann"), roll("bo")]);
            encounter["combatants"][0]["state"] = json!({
                "move_status": "pending",
                "act_status": "pending",
                "asked": false,
                "keeps_waiting": false,
                "rank": rank,
            });
        })
    };
    assert!(rank(0).is_err());
    assert_eq!(rank(1), Ok(()));
    assert_eq!(rank(2), Ok(()));
    assert!(rank(3).is_err());
}

#[test]
fn the_steps_of_custom_end_although_its_last_turn_is_nobodys() {
    let together = json!({"steps": [{"name": "move"}, {"name": "act"}]});
    let mut table = Table::create(json!({
        "ruleset": "custom",
        "options": {"definition": {"together": together}},
        "combatants": [{"id": "ann", "side": "players"}],
    }));
    table.accept(json!({"type": "start"}));
    let document = table.game.document().expect("a document");
    let mut document: Value = serde_json::from_slice(&document).expect("JSON");
    let turns = &mut document["encounter"]["state"]["turns"];
    let turns = turns.as_array_mut().expect("a list");
    assert_eq!(turns.len(), 1);
    turns.push(json!({"combatants": [], "done": [], "step": 0, "origin": "normal"}));
    let loaded = RULESETS.load(document.to_string().as_bytes());
    table.game = loaded.expect("an encounter");
    for _ in 0..2 {
        let events = table.accept(json!({"type": "end_turn", "combatant": "ann"}));
        assert!(events.len() < 20, "{} events", events.len());
    }
}

#[test]
fn a_command_that_would_keep_more_than_an_import_may_is_refused() {
    let combatants = json!([{"id": "ann"}, {"id": "bo"}]);
    let mut table =
        Table::create(json!({"ruleset": "active-initiative", "combatants": combatants}));
    table.accept(json!({"type": "start", "first": "ann"}));
    let mut document: Value =
        serde_json::from_slice(&table.game.document().expect("a document")).expect("JSON");
    let turns = &mut document["encounter"]["state"]["turns"];
    let turns = turns.as_array_mut().expect("turns");
    while turns.len() < MAX_COMBATANTS {
        turns.push(json!({"combatant": format!("t{}", turns.len()), "way": {"opened": {}}}));
    }
    let full = RULESETS
        .load(document.to_string().as_bytes())
        .expect("a document");
    assert_eq!(full.check(), Ok(()));
    let next = json!({"type": "end_turn", "combatant": "ann", "next": "bo", "begin": true});
    let request = Request::read(next).expect("a request");
    let refused = full
        .decide(
            &[],
            &request,
            Time::default(),
            &mut SeededDice::new([7; 32]),
            &|| false,
        )
        .map(drop)
        .map_err(code);
    assert_eq!(refused, Err(("too_much_state".to_owned(), String::new())));
}

#[test]
fn newcomers_leave_a_definition_that_comes_the_space_to_roll() {
    let mut combatants = vec![json!({"id": "spy", "hidden": true})];
    combatants.extend((0..250).map(|n| json!({"id": format!("c{n}")})));
    let mut table = Table::create(json!({
        "ruleset": "custom",
        "options": {"definition": {"numbers": {"dex": 0}, "order": ["-dex"]}},
        "combatants": combatants,
    }));
    table.accept(json!({"type": "start"}));
    let lines = json!({"turns": 10, "score": {"dice": "9d6"}, "order": ["-score", "lap"]});
    table.accept(json!({"type": "change_definition", "definition": lines}));
    let refused = (0..100).find_map(|n| {
        let details = json!({"id": format!("n{n}")});
        let newcomer = json!({"type": "add_combatant", "details": details});
        table.send(newcomer).err()
    });
    assert_eq!(refused.expect("a refusal").code, "too_much_state");
    table.accept(json!({"type": "end_round"}));
    let rolled = table.accept(json!({"type": "roll"}));
    assert!(rolled.iter().any(|event| event == "initiative_rolled"));
}

#[test]
fn the_turns_of_a_round_do_not_grow_with_those_that_come_and_go() {
    for (ruleset, start) in [
        (
            "active-initiative",
            json!({"type": "start", "first": "ann"}),
        ),
        ("seize", json!({"type": "start"})),
    ] {
        let mut table =
            Table::create(json!({"ruleset": ruleset, "combatants": [{"id": "ann"}, {"id": "bo"}]}));
        table.accept(start);
        for n in 0..10 {
            let id = format!("c{n}");
            table.accept(json!([
                {"type": "add_combatant", "details": {"id": id}},
                {"type": "override", "combatant": id},
                {"type": "remove_combatant", "combatant": id},
            ]));
        }
        let document: Value =
            serde_json::from_slice(&table.game.document().expect("a document")).expect("JSON");
        let turns = document["encounter"]["state"]["turns"]
            .as_array()
            .expect("turns")
            .len();
        assert!(turns <= 3, "{ruleset}: {document}");
    }
}

/// Where the fields are wrong that refuse an encounter of custom.
fn wrong_fields(definition: &Value, combatants: Value) -> Vec<String> {
    let creation = json!({"ruleset": "custom", "options": {"definition": definition}, "combatants": combatants});
    match RULESETS
        .create(meta(Vec::new()), read(&creation).expect("a creation"))
        .err()
    {
        Some(Refusal::Fields(errors)) => errors.into_iter().map(|error| error.path).collect(),
        other => panic!("expected wrong fields, got {other:?}"),
    }
}

#[test]
fn a_refused_creation_lists_20_errors_at_most() {
    let order: Value = (0..4).map(|n| format!("tie-{n}")).collect();
    let unknown = json!({"who": {"has": "unknown"}});
    let reactions: Value = (0..6).map(|n| (format!("r{n}"), unknown.clone())).collect();
    let definition = json!({"score": {"dice": "1d20"}, "order": order, "reactions": reactions,
        "who": {"has": "unknown"}, "together": {"steps": vec![unknown; 8]}});
    let wrong = wrong_fields(&definition, json!([{"nam": "Ann"}, {"nam": "Bo"}]));
    assert_eq!(wrong.len(), 20, "{wrong:?}");
}

#[test]
fn the_lists_of_a_definition_are_compared_only_if_they_are_short_enough() {
    let same = |count| json!(vec!["same"; count]);
    let choices = |count| json!({"declare": {"choices": same(count)}, "score": {"dice": "1d20"}});
    let own = |path: &str| format!("options.definition.{path}");
    assert_eq!(wrong_fields(&choices(6), json!([])).len(), 5);
    assert_eq!(
        wrong_fields(&choices(30_000), json!([])),
        [own("declare.choices")]
    );
    let keys = json!({"order": vec!["foe"; 30_000]});
    assert_eq!(wrong_fields(&keys, json!([])), [own("order")]);
}

#[test]
fn events_are_counted_for_every_player_who_owns_a_hidden_combatant() {
    let id = |n: usize| CombatantId::new(&format!("h{n}")).expect("an id");
    let tokens = |owners: usize| -> Vec<_> {
        let own = |n: usize| OwnCombatant {
            id: id(n),
            joined: u32::try_from(n + 1).expect("a small number"),
        };
        (0..owners)
            .map(|n| token(&format!("player-{n}"), Role::Player, vec![own(n)]))
            .collect()
    };
    let combatants: Vec<Value> = (0..98)
        .map(|n| json!({"id": format!("h{n}"), "hidden": true}))
        .collect();
    let start = |owners| {
        let creation = json!({"ruleset": "active-initiative", "combatants": combatants});
        let mut game = RULESETS
            .create(meta(tokens(owners)), read(&creation).expect("a creation"))
            .expect("an encounter");
        let effect = |n: usize| {
            let (expires, target) = (
                json!({"at": "round_end", "rounds": 100}),
                format!("h{}", n % 98),
            );
            json!({"type": "add_effect", "effect": {"id": format!("e{n}"), "name": "Timer", "target": target, "expires": expires}})
        };
        let mut dice = SeededDice::new([7; 32]);
        let mut send = |game: &std::sync::Arc<dyn turnkeeper::engine::AnyEncounter>,
                        body: Value| {
            game.decide(
                &[],
                &Request::read(body).expect("a request"),
                Time::default(),
                &mut dice,
                &|| false,
            )
        };
        for from in (0..500).step_by(50) {
            game = send(&game, (from..from + 50).map(effect).collect())
                .expect("it is accepted")
                .next;
        }
        let rest = json!({"type": "start", "first": "h0"});
        game = send(&game, rest).expect("it is accepted").next;
        // Everybody else falls, so that each turn is a round.
        for from in (1..98).step_by(40) {
            let dead = |n: usize| json!({"type": "set_condition", "target": format!("h{n}"), "condition": "dead"});
            game = send(&game, (from..98.min(from + 40)).map(dead).collect())
                .expect("it is accepted")
                .next;
        }
        let turn = json!({"type": "end_turn", "combatant": "h0", "next": "h0", "begin": true});
        send(&game, json!([turn, note("n"), turn]))
            .map(|decided| decided.next.version())
            .map_err(code)
    };
    assert_eq!(
        start(98),
        Err(("too_many_events".to_owned(), "2".to_owned()))
    );
    assert_eq!(start(10), Ok(15));
}

/// One event may name every combatant: what is kept of it grows with the audiences that it is
/// redacted for.
#[test]
fn what_events_say_is_counted_for_every_player_who_owns_a_hidden_combatant() {
    let id = |n: usize| format!("{n:x>60}");
    let definition = json!({"numbers": {"one": 0}, "score": {"dice": "1d20", "reroll": true},
        "who": {"has": "one"}});
    let combatant = |n: usize| json!({"id": id(n), "name": id(n), "hidden": n > 0, "numbers": {"one": i32::from(n == 0)}});
    let combatants: Vec<Value> = (0..MAX_COMBATANTS).map(combatant).collect();
    let rounds = |owners: usize| {
        let own = |n: usize| OwnCombatant {
            id: CombatantId::new(&id(n + 1)).expect("an id"),
            joined: u32::try_from(n + 2).expect("a small number"),
        };
        let tokens = (0..owners)
            .map(|n| token(&format!("player-{n}"), Role::Player, vec![own(n)]))
            .collect();
        let creation = json!({"ruleset": "custom", "options": {"definition": definition}, "combatants": combatants});
        let game = RULESETS
            .create(meta(tokens), read(&creation).expect("a creation"))
            .expect("an encounter");
        let mut dice = SeededDice::new([7; 32]);
        let mut send = |game: &std::sync::Arc<dyn turnkeeper::engine::AnyEncounter>,
                        body: Value| {
            game.decide(
                &[],
                &Request::read(body).expect("a request"),
                Time::default(),
                &mut dice,
                &|| false,
            )
        };
        let started = send(&game, json!({"type": "start"}))
            .expect("it is accepted")
            .next;
        send(&started, vec![json!({"type": "resolve"}); 8].into())
            .map(|decided| decided.next.version())
            .map_err(code)
    };
    assert_eq!(
        rounds(40),
        Err(("too_many_events".to_owned(), "7".to_owned()))
    );
    assert_eq!(rounds(0), Ok(2));
}

/// A few words of a player make many bytes where the effects that they count down have long names.
#[test]
fn a_player_reads_why_a_request_writes_too_many_bytes() {
    let ann = OwnCombatant {
        id: CombatantId::fixed("ann"),
        joined: 1,
    };
    let tokens = vec![token("player-1", Role::Player, vec![ann.clone()])];
    let creation = json!({"ruleset": "active-initiative", "combatants": [{"id": "ann", "side": "players", "name": "n".repeat(80)}]});
    let mut game = RULESETS
        .create(meta(tokens), read(&creation).expect("a creation"))
        .expect("an encounter");
    let mut dice = SeededDice::new([7; 32]);
    let effect = |n: usize| {
        let expires = json!({"at": "round_end", "rounds": 100});
        let effect = json!({"id": format!("{n:e>64}"), "name": "n".repeat(80), "target": "ann", "expires": expires});
        json!({"type": "add_effect", "effect": effect})
    };
    let mut requests: Vec<Value> = (0..500)
        .step_by(50)
        .map(|from| (from..from + 50).map(effect).collect())
        .collect();
    requests.push(json!({"type": "start", "first": "ann"}));
    for request in requests {
        let request = Request::read(request).expect("a request");
        game = game
            .decide(&[], &request, Time::default(), &mut dice, &|| false)
            .expect("it is accepted")
            .next;
    }
    let turn = json!({"type": "end_turn", "combatant": "ann", "next": "ann", "begin": true});
    let turns = |count: usize| Request::read(vec![turn.clone(); count].into()).expect("a request");
    let refused = game
        .examine(std::slice::from_ref(&ann), &turns(30), &|| false)
        .expect_err("it is too much");
    assert_eq!(
        code(refused),
        ("events_too_large".to_owned(), "29".to_owned())
    );
    assert!(game.examine(&[ann], &turns(1), &|| false).is_ok());
    let written = game
        .decide(&[], &turns(1), Time::default(), &mut dice, &|| false)
        .expect("it is accepted");
    assert!(
        written.events.get().len() > 50_000,
        "one turn has room, with all effects that there can be"
    );
}

/// What a form of an entry says is stored for each token that reads it.
#[test]
fn the_bytes_of_an_entry_count_for_each_token_that_reads_a_form_of_its_own() {
    let spy = || OwnCombatant {
        id: CombatantId::fixed("spy"),
        joined: 1,
    };
    let members: Vec<String> = (0..50).map(|n| format!("{n:m>40}")).collect();
    let update = |n: usize| json!({"type": "update_combatant", "combatant": "spy", "changes": {"name": format!("Spy {n}")}});
    let stored = |owners: usize| {
        let tokens = (0..owners)
            .map(|n| token(&format!("player-{n}"), Role::Player, vec![spy()]))
            .collect();
        let combatants = json!([{"id": "spy", "hidden": true, "members": members}]);
        let creation = json!({"ruleset": "active-initiative", "combatants": combatants});
        let game = RULESETS
            .create(meta(tokens), read(&creation).expect("a creation"))
            .expect("an encounter");
        let request = Request::read((0..50).map(update).collect()).expect("a request");
        let decided = game
            .decide(
                &[],
                &request,
                Time::default(),
                &mut SeededDice::new([7; 32]),
                &|| false,
            )
            .map_err(code)?;
        Ok(serde_json::to_vec(&decided.redactions).expect("JSON").len())
    };
    let each = stored(2).expect("it is accepted") - stored(1).expect("it is accepted");
    assert!(each > 20_000, "{each} bytes for each token");
    let most = 1024 * 1024 / each;
    assert!(stored(most / 2).is_ok());
    assert_eq!(
        stored(most + 1),
        Err(("events_too_large".to_owned(), "49".to_owned()))
    );
}

#[test]
fn in_a_large_fight_everybody_is_found_whoever_comes_and_goes() {
    let combatant = |n: usize| json!({"id": format!("c{n}"), "hp": {"current": 1000}});
    let creation =
        json!({"ruleset": "round-robin", "combatants": (0..40).map(combatant).collect::<Vec<_>>()});
    let mut table = Table::create(creation);
    let damage = |n: usize| json!({"type": "damage", "target": format!("c{n}"), "amount": 1});
    let mut left = [1000; 80];
    // First as many come as go, then all but ten go.
    for gone in 0..70 {
        if gone < 40 {
            table.accept(json!({"type": "add_combatant", "details": combatant(gone + 40)}));
        }
        table.accept(json!({"type": "remove_combatant", "combatant": format!("c{gone}")}));
        assert_eq!(table.refuse(damage(gone)).code, "unknown_combatant");
        for there in [gone + 1, 79.min(gone + 20), 79.min(gone + 40)] {
            table.accept(damage(there));
            left[there] -= 1;
        }
    }
    let view = table.at("combatants");
    let shown: Vec<_> = view
        .as_array()
        .expect("a list")
        .iter()
        .map(|c| (&c["id"], &c["hp"]["current"]))
        .collect();
    assert_eq!(
        json!(shown),
        json!(
            (70..80)
                .map(|n| (format!("c{n}"), left[n]))
                .collect::<Vec<_>>()
        )
    );
}

#[test]
fn hidden_combatants_that_come_and_go_leave_nothing_behind() {
    let mut table = Table::create(json!({"ruleset": "round-robin", "combatants": [{"id": "ann"}]}));
    let come_and_go = |n: usize| {
        let id = format!("hidden-{n:x>50}");
        let joins = json!({"type": "add_combatant", "details": {"id": id, "hidden": true}});
        [joins, json!({"type": "remove_combatant", "combatant": id})]
    };
    let mut sizes = Vec::new();
    for times in 0..4 {
        for from in (times * 500..(times + 1) * 500).step_by(25) {
            table.accept((from..from + 25).flat_map(come_and_go).collect());
        }
        sizes.push(table.document().expect("a document").len());
    }
    assert!(
        sizes[3] < sizes[0] + 50,
        "the document grows: {sizes:?} bytes"
    );
    assert_eq!(table.game.weight(), 2, "nothing is redacted");
}
