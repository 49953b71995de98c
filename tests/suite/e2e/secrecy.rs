//! What each viewer reads over HTTP: no answer shows what is hidden from it.

use super::{Answer, Api, Fight, note, text};
use crate::support::shows;
use serde_json::{Value, json};
use std::time::Duration;
use turnkeeper::http::Settings;

/// Streams that end soon, so that a test reads them to their end.
fn settings() -> Settings {
    Settings { stream_time: Duration::from_millis(400), ..Settings::default() }
}

/// An encounter with the player of Ann and a spectator.
struct Table {
    gm: Fight,
    player: Fight,
    onlooker: Fight,
    /// What differs between two encounters by chance alone, and its replacement.
    names: Vec<(String, &'static str)>,
}

impl Table {
    async fn new(api: &Api, body: Value) -> Self {
        let gm = api.create(&body).await;
        let mut names = vec![(gm.id.clone(), "ENCOUNTER")];
        let mut holder = async |body: Value, name| {
            let (holder, id) = gm.hand_out(body).await;
            names.push((id, name));
            holder
        };
        let player = holder(json!({"role": "player", "combatants": ["ann"]}), "PLAYER").await;
        let onlooker = holder(json!({"role": "spectator"}), "ONLOOKER").await;
        Self { gm, player, onlooker, names }
    }

    /// An answer without what differs by chance: status, headers, body.
    fn plain(&self, answer: &Answer) -> String {
        let chance = ["date", "x-request-id"];
        let headers = answer.headers.iter().filter(|(name, _)| !chance.contains(&name.as_str()));
        // An entity tag digests what is answered, the encounter's id with it; its version is left.
        let plain = |name: &str, value: String| match value.split_once('-') {
            Some((version, _)) if name == "etag" => version.to_owned(),
            _ => value,
        };
        let headers = headers.map(|(name, value)| format!("{name}: {}", plain(name.as_str(), format!("{value:?}"))));
        let headers: Vec<String> = headers.collect();
        let mut text = format!("{}\n{}\n{}", answer.status, headers.join("\n"), answer.text());
        for (name, sign) in &self.names {
            text = text.replace(name, sign);
        }
        // Times: 2026-01-01T00:00:00.000Z
        let mut timeless = String::new();
        while let Some(at) = text.find("\"20") {
            let (before, rest) = text.split_at(at);
            let end = rest[1..].find('"').map_or(rest.len(), |end| end + 2);
            timeless.push_str(before);
            timeless.push_str(if rest[..end].ends_with("Z\"") { "TIME" } else { &rest[..end] });
            text = rest[end..].to_owned();
        }
        timeless + &text
    }

    /// The answers to everything that the player and the onlooker can ask for.
    async fn seen(&self) -> Vec<String> {
        let version = self.onlooker.read("").await["version"].as_u64().expect("a version");
        let mut all = Vec::new();
        for viewer in [&self.player, &self.onlooker] {
            let mut calls = vec![viewer.get(""), viewer.get("").header("accept", "text/plain"), viewer.get("/options")];
            for at in 0..=version + 1 {
                calls.push(viewer.get(&format!("?at={at}")));
                calls.push(viewer.get(&format!("/events?after={at}&limit=2")));
                calls.push(viewer.get("").header("if-none-match", &format!("\"{at}\"")));
            }
            calls.push(viewer.get("/events"));
            calls.push(viewer.get("/export"));
            calls.push(viewer.get("/tokens"));
            for media in ["application/x-ndjson", "text/event-stream"] {
                calls.push(viewer.get("/events?after=0").header("accept", media));
            }
            for command in [
                json!({"type": "interrupt", "combatant": "ann", "means": "inspiration"}),
                json!({"type": "end_turn", "combatant": "ann", "next": "shade"}),
                json!({"type": "end_turn", "combatant": "shade"}),
                json!({"type": "nominate", "combatant": "ann", "next": "shade"}),
                json!({"type": "begin_turn", "combatant": "ann"}),
                json!({"type": "end_turn", "combatant": "ann", "next": "nobody"}),
                json!({"type": "damage", "target": "shade", "amount": 1}),
            ] {
                calls.push(viewer.dry_run(&command));
                calls.push(viewer.command(&command).if_match("\"999\""));
            }
            for call in calls {
                all.push(self.plain(&call.send().await));
            }
        }
        all
    }
}

fn cast() -> Vec<Value> {
    vec![
        json!({"id": "ann", "side": "players", "inspiration": 1, "hp": {"current": 20}}),
        json!({"id": "bob", "side": "players"}),
        json!({"id": "orc", "side": "monsters", "hp": {"current": 12}}),
    ]
}

/// A table of these combatants, under Active Initiative.
async fn table(api: &Api, combatants: &[Value]) -> Table {
    Table::new(api, json!({"ruleset": "active-initiative", "combatants": combatants})).await
}

/// A table with the shade among them.
async fn with_shade(api: &Api) -> Table {
    table(api, &[cast(), vec![shade()]].concat()).await
}

fn shade() -> Value {
    json!({"id": "shade", "name": "Night Shade", "side": "monsters", "hidden": true, "hp": {"current": 77}})
}

#[tokio::test]
async fn no_answer_differs_between_a_hidden_combatant_and_none() {
    shows(&["TK-11"]);
    let api = Api::with(settings()).await;
    let mut hidden = cast();
    hidden.insert(1, shade());
    let body = |combatants| json!({"ruleset": "active-initiative", "combatants": combatants, "options": {"interrupt_points": true}});
    let with = Table::new(&api, body(hidden)).await;
    let without = Table::new(&api, body(cast())).await;
    let rounds = [
        (
            vec![
                note("they must not see it"),
                json!({"type": "set_condition", "target": "shade", "condition": "marked"}),
            ],
            json!({"type": "start", "first": "ann"}),
        ),
        (
            vec![
                json!({"type": "damage", "target": "shade", "amount": 3, "source": "ann"}),
                json!([{"type": "heal", "target": "shade", "amount": 1}, note("two at once")]),
            ],
            json!([{"type": "damage", "target": "orc", "amount": 2}, {"type": "note", "text": "ouch", "readers": "all"}]),
        ),
        (
            vec![
                json!({"type": "add_combatant", "combatant": {"id": "wisp", "side": "monsters", "hidden": true}}),
                json!({"type": "add_effect", "effect": {"id": "fog", "name": "Fog", "hidden": true, "expires": {"at": "removed"}}}),
                json!({"type": "update_combatant", "combatant": "wisp", "changes": {"name": "Wisp"}}),
            ],
            json!({"type": "end_turn", "combatant": "ann", "next": "orc"}),
        ),
        (
            vec![
                json!({"type": "add_combatant", "combatant": {"name": "Bat", "side": "monsters", "hidden": true}}),
                json!({"type": "add_effect", "effect": {"name": "Bless", "hidden": true, "expires": {"at": "removed"}}}),
                json!({"type": "add_effect", "effect": {"name": "Bless", "target": "shade", "expires": {"at": "removed"}}}),
            ],
            json!([{"type": "add_combatant", "combatant": {"name": "Bat", "side": "monsters"}},
                {"type": "add_effect", "effect": {"name": "Bless", "expires": {"at": "removed"}}}]),
        ),
        (
            vec![json!({"type": "remove_combatant", "combatant": "wisp"})],
            json!({"type": "begin_turn", "combatant": "orc"}),
        ),
    ];
    assert_eq!(with.seen().await, without.seen().await);
    for (secret, open) in rounds {
        // What the players must not know makes a version too: in the other encounter a note stands for it.
        for command in secret {
            with.gm.accepted(command).await;
            without.gm.accepted(note("for me alone")).await;
        }
        let mut open_with = open.clone();
        if let Some(list) = open_with.as_array_mut() {
            list.push(note("in the same breath"));
        }
        with.gm.accepted(open_with).await;
        without.gm.accepted(open.clone()).await;
        for (with, without) in with.seen().await.iter().zip(without.seen().await) {
            assert_eq!(*with, without, "after {open}");
        }
    }
    // The commands of players are answered alike, in full and in short, and again under their keys.
    let end = json!({"type": "end_turn", "combatant": "orc", "next": "ann"});
    for table in [&with, &without] {
        table.gm.accepted(json!({"type": "override", "combatant": "bob"})).await;
        table.gm.accepted(json!({"type": "override", "combatant": "ann"})).await;
        table.player.refused(end.clone(), 403, "forbidden").await;
    }
    let ready = json!({"type": "ready", "combatant": "ann", "action": "run", "trigger": "the door opens"});
    let mut answers = Vec::new();
    for table in [&with, &without] {
        let version = table.player.get("").send().await.header("etag").to_owned();
        let sent = || table.player.command(&ready).if_match(&version).key("once").minimal();
        let (first, again) = (sent().send().await, sent().send().await);
        assert_eq!((first.status, first.text()), (200, again.text()), "{first:?}");
        let fire = table.player.command(&json!({"type": "fire", "combatant": "ann"})).send().await;
        answers.push([table.plain(&first), table.plain(&again), table.plain(&fire)]);
    }
    assert_eq!(answers[0], answers[1]);
}

#[tokio::test]
async fn whose_player_acts_for_somebody_hidden_is_not_told() {
    let api = Api::start().await;
    let table = with_shade(&api).await;
    let (shade, shades_id) = table.gm.hand_out(json!({"role": "player", "combatants": ["shade"]})).await;
    table.gm.accepted(json!({"type": "start", "first": "shade"})).await;
    let last = async |fight: &Fight| fight.entries().await.pop().expect("an entry");
    let open = json!({"type": "note", "text": "a scream", "readers": "all"});
    table.gm.accepted(open).await;
    let entry = last(&table.onlooker).await;
    assert!(entry.get("by").is_none() && entry["events"][0]["text"] == "a scream", "{entry}");
    shade.accepted(json!({"type": "end_turn", "combatant": "shade", "next": "ann"})).await;
    for viewer in [&table.player, &table.onlooker] {
        let entry = last(viewer).await;
        assert!(entry.get("by").is_none() && entry["at"].is_string(), "{entry}");
    }
    for viewer in [&table.gm, &shade] {
        assert_eq!(last(viewer).await["by"], json!(shades_id));
    }
    table.player.accepted(json!({"type": "begin_turn", "combatant": "ann"})).await;
    assert_eq!(last(&table.onlooker).await["by"], last(&table.gm).await["by"]);
}

#[tokio::test]
async fn a_hidden_combatant_in_turn_is_somebody_and_its_reveal_is_its_joining() {
    let api = Api::start().await;
    let table = with_shade(&api).await;
    table.gm.accepted(json!({"type": "start", "first": "shade"})).await;
    let state = table.player.read("").await;
    assert_eq!((&state["current"], &state["pending"]["decision"]), (&json!([]), &json!("someone_acts")));
    assert_eq!((&state["pending"]["gm"], &state["state"]["phase"]), (&json!(true), &json!("someone_acts")));
    let log = table.onlooker.get("/events").send().await;
    let types = |entry: &Value| -> Vec<String> {
        entry["events"].as_array().expect("events").iter().map(|event| text(&event["type"])).collect()
    };
    assert_eq!(types(&log.json()["items"][0]), ["encounter_started", "round_started", "someone_acts"]);
    let refused = table.player.command(&json!({"type": "end_turn", "combatant": "ann"})).send().await;
    assert_eq!(refused.problem(409, "not_your_turn")["detail"], "somebody else acts now, not ann");
    let printed = table.player.get("").header("accept", "text/plain").send().await;
    assert!(printed.text().ends_with("\nawaiting: someone acts\n"), "{}", printed.text());
    for answer in [&log, &refused, &printed] {
        assert!(!answer.text().to_lowercase().contains("shade"), "{answer:?}");
    }
    table.gm.accepted(json!({"type": "update_combatant", "combatant": "shade", "changes": {"hidden": false}})).await;
    let entry = table.onlooker.read("/events?after=1").await["items"][0].clone();
    assert_eq!((types(&entry), &entry["version"]), (vec!["combatant_joined".to_owned()], &json!(2)));
    assert_eq!(entry["events"][0]["combatant"]["name"], "Night Shade");
    let state = table.onlooker.read("").await;
    assert_eq!((&state["current"], &state["version"]), (&json!(["shade"]), &json!(2)));
    table.gm.accepted(json!({"type": "update_combatant", "combatant": "shade", "changes": {"hidden": true}})).await;
    let entry = table.onlooker.read("/events?after=2").await["items"][0].clone();
    assert_eq!(types(&entry), ["combatant_left", "someone_acts"]);
}

#[tokio::test]
async fn every_viewer_counts_all_versions_and_is_told_of_some() {
    let api = Api::with(settings()).await;
    let mut combatants = cast();
    combatants[0]["hidden"] = json!(true);
    let table = table(&api, &combatants).await;
    table.gm.accepted(json!({"type": "damage", "target": "ann", "amount": 2})).await;
    table.gm.accepted(note("for me alone")).await;
    table.gm.accepted(json!({"type": "damage", "target": "orc", "amount": 2})).await;
    let version = async |viewer: &Fight| viewer.read("").await["version"].clone();
    for viewer in [&table.gm, &table.player, &table.onlooker] {
        assert_eq!(version(viewer).await, 3);
    }
    assert_eq!(table.gm.log().await, [1, 2, 3]);
    assert_eq!(table.player.log().await, [1, 3], "the owner of Ann");
    assert_eq!(table.onlooker.log().await, [3]);
    let ids = async |viewer: &Fight, at: &str| -> Vec<String> {
        let state = viewer.read(at).await;
        let combatants = state["combatants"].as_array().expect("combatants").iter();
        combatants.map(|c| format!("{}{}", c["id"].as_str().unwrap_or(""), c["hp"]["current"])).collect()
    };
    assert_eq!(ids(&table.player, "?at=0").await, ["ann20", "bobnull", "orc12"]);
    assert_eq!(ids(&table.player, "?at=1").await, ["ann18", "bobnull", "orc12"]);
    assert_eq!(ids(&table.onlooker, "?at=2").await, ["bobnull", "orc12"]);
    assert_eq!(ids(&table.onlooker, "").await, ["bobnull", "orc10"]);
    let stream = table.player.get("/events?after=1").header("accept", "text/event-stream").send().await.text();
    assert!(stream.contains("id: 3\n") && !stream.contains("id: 2\n") && !stream.contains("alone"), "{stream}");
    table.player.get("?at=4").send().await.problem(422, "no_such_version");
    let stale = table.player.command(&json!({"type": "spend", "combatant": "ann"})).if_match("\"2\"").send().await;
    assert_eq!(stale.problem(412, "stale_version")["current_version"], 3);
}

#[tokio::test]
async fn a_page_holds_at_most_its_limit_and_goes_on_where_nothing_is_told() {
    let api = Api::start().await;
    let table = with_shade(&api).await;
    let open = |n: u64| json!({"type": "note", "text": format!("open {n}"), "readers": "all"});
    table.gm.accepted(open(1)).await;
    table.gm.accepted(open(2)).await;
    table.gm.accepted(open(3)).await;
    table.gm.notes(120).await;
    table.gm.accepted(open(4)).await;
    let page = async |query: &str| {
        let page = table.onlooker.get(query).send().await.json();
        let versions: Vec<u64> =
            page["items"].as_array().expect("items").iter().filter_map(|entry| entry["version"].as_u64()).collect();
        (versions, page["next_cursor"].as_str().map(str::to_owned))
    };
    assert_eq!(page("/events?limit=2").await, (vec![1, 2], Some("2".to_owned())));
    // The viewer reads none of the next hundred entries: the page says where to go on.
    let (versions, next) = page("/events?limit=2&after=2").await;
    assert_eq!((versions, next.as_deref()), (vec![3], Some("102")));
    assert_eq!(page("/events?limit=2&after=102").await, (vec![124], None));
    assert_eq!(page("/events?limit=2&after=3&wait=5").await, (vec![], Some("103".to_owned())), "it does not wait");
}

#[tokio::test]
async fn each_command_has_dice_of_its_own_of_a_seed() {
    let api = Api::start().await;
    let hidden = |id: &str| json!({"id": id, "hidden": true, "wits": 5, "awareness": 5});
    let body = json!({"ruleset": "venture", "seed": 7, "combatants": [{"id": "ann"}]});
    let mut plays = Vec::new();
    for _ in 0..2 {
        let table = Table::new(&api, body.clone()).await;
        table.gm.accepted(json!({"type": "start", "joins": {"ann": {"successes": 1}}})).await;
        for id in ["bob", "cid"] {
            table.gm.accepted(json!({"type": "add_combatant", "combatant": hidden(id)})).await;
        }
        let mut dice = Vec::new();
        for id in ["bob", "cid"] {
            let player = table.gm.player(&[id]).await;
            let answer = player.accepted(json!({"type": "join_battle", "combatant": id})).await.json();
            let fighters = answer["encounter"]["combatants"].as_array().expect("combatants").iter();
            dice.extend(fighters.filter(|c| c["id"] == id).map(|c| c["join_battle"]["dice"].clone()));
        }
        assert_eq!(dice[0].as_array().map(Vec::len), Some(10), "{dice:?}");
        assert_ne!(dice[0], dice[1], "each has dice of its own");
        plays.push(dice);
    }
    assert_eq!(plays[0], plays[1], "a seed makes them reproducible");
}

#[tokio::test]
async fn hit_points_of_foes_are_told_as_the_encounter_says_and_those_of_the_own_always() {
    let api = Api::start().await;
    for (choice, exact, band) in
        [("exact", true, Value::Null), ("banded", false, json!("bloodied")), ("none", false, Value::Null)]
    {
        let mut combatants = cast();
        combatants.push(json!({"id": "spy", "side": "monsters", "hp": {"current": 9}}));
        combatants.push(json!({"id": "rats", "side": "monsters", "members": [{"id": "one", "hp": {"current": 4}}]}));
        let body = json!({"ruleset": "active-initiative", "foe_hp": choice, "combatants": combatants});
        let table = Table::new(&api, body).await;
        let spy = table.gm.player(&["spy", "rats"]).await;
        for (verb, target, amount) in [("damage", "orc", 8), ("damage", "spy", 3), ("heal", "spy", 1)] {
            table.gm.accepted(json!({"type": verb, "target": target, "amount": amount})).await;
        }
        for (viewer, all, own) in [
            (&table.gm, true, true),
            (&spy, exact, true),
            (&table.player, exact, exact),
            (&table.onlooker, exact, exact),
        ] {
            let hp = |known: bool, hp: u64| if known { json!(hp) } else { Value::Null };
            let state = viewer.read("").await;
            let [ann, orc, spy, rats] = [0, 2, 3, 4].map(|place| &state["combatants"][place]);
            assert_eq!((&ann["hp"]["current"], &orc["hp"]["current"]), (&json!(20), &hp(all, 4)), "{choice}");
            assert_eq!(orc["hp_band"], if all { Value::Null } else { band.clone() }, "{choice}");
            let rat = &rats["members"][0]["hp"]["current"];
            assert_eq!((&spy["hp"]["current"], rat), (&hp(own, 7), &hp(own, 4)), "{choice}");
            let events: Vec<Value> = viewer.entries().await.iter().map(|entry| entry["events"][0].clone()).collect();
            assert_eq!((&events[0]["hp"], &events[0]["amount"]), (&hp(all, 4), &json!(8)), "{choice}");
            assert_eq!((&events[1]["hp"], &events[2]["hp"]), (&hp(own, 6), &hp(own, 7)), "{choice}: {events:?}");
        }
    }
}

#[tokio::test]
async fn an_effect_that_somebody_hidden_made_names_no_source() {
    let api = Api::start().await;
    let table = with_shade(&api).await;
    for expires in [json!({"at": "removed"}), json!({"at": "turn_end", "turns": 2})] {
        let effect = json!({"name": "Hex", "target": "bob", "source": "shade", "expires": expires});
        table.gm.accepted(json!({"type": "add_effect", "effect": effect})).await;
    }
    for viewer in [&table.player, &table.onlooker] {
        for rest in ["", "/events", "/events?after=0&limit=1", "?at=1"] {
            let text = viewer.get(rest).send().await.text();
            assert!(text.contains("Hex") && !text.contains("shade"), "{rest}: {text}");
        }
        let effects = viewer.read("").await["effects"].clone();
        assert_eq!((&effects[0]["target"], effects[0].get("source")), (&json!("bob"), None), "{effects}");
        for media in ["text/plain", "application/x-ndjson"] {
            let rest = if media == "text/plain" { "" } else { "/events?after=0&limit=2" };
            let text = viewer.get(rest).header("accept", media).send().await.text();
            assert!(text.contains("Hex") && !text.contains("shade"), "{media}: {text}");
        }
    }
    let reveal = json!({"type": "update_combatant", "combatant": "shade", "changes": {"hidden": false}});
    table.gm.accepted(reveal).await;
    let effects = table.onlooker.read("").await["effects"].clone();
    assert_eq!((&effects[0]["source"], &effects[1]["expires"]["of"]), (&json!("shade"), &json!("shade")));
}

#[tokio::test]
async fn an_imported_log_keeps_its_secrets() {
    let api = Api::start().await;
    let table = with_shade(&api).await;
    for command in [
        json!({"type": "start", "first": "ann"}),
        note("for me alone"),
        json!({"type": "damage", "target": "shade", "amount": 2}),
        json!({"type": "damage", "target": "orc", "amount": 2}),
        json!({"type": "undo"}),
    ] {
        table.gm.accepted(command).await;
    }
    let before = table.onlooker.read("/events").await;
    let log = table.gm.read("/export").await;
    // An older program did not store redacted entries.
    let mut older = log.clone();
    for entry in older["entries"].as_array_mut().expect("entries").iter_mut().take(3) {
        entry.as_object_mut().expect("an entry").remove("told");
    }
    older["entries"].as_array_mut().expect("entries").truncate(3);
    older["version"] = json!(3);
    for (log, count) in [(log, 3), (older, 1)] {
        let answer = api.post("/v1/encounters/import", &log).send().await;
        let onlooker = Fight::of(&api, &answer).spectator().await;
        let after = onlooker.read("/events").await;
        assert_eq!(after["items"].as_array().map(Vec::len), Some(count), "{after}");
        if count == 3 {
            assert_eq!(after, before);
        }
    }
}
