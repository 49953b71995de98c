//! What each viewer reads over HTTP: no answer shows what is hidden from it.

use super::{Answer, Api, Fight, note};
use crate::support::client::Call;
use crate::support::shows;
use futures::future::join_all;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::LazyLock;
use std::time::Duration;
use turnkeeper::http::Settings;

/// Streams that end soon, so that a test reads them to their end.
fn settings() -> Settings {
    Settings {
        stream_time: Duration::from_millis(400),
        ..Settings::default()
    }
}

/// What is played with a hidden combatant and without it: see `tests/secrecy.json`.
#[derive(Deserialize)]
struct Scene {
    combatants: Vec<Value>,
    hidden: Value,
    rounds: Vec<Round>,
    /// What players try.
    tried: Vec<Value>,
}

/// What the game master does where something is hidden, and what the game master does in any case.
#[derive(Deserialize)]
struct Round {
    secret: Vec<Value>,
    open: Value,
}

static SCENE: LazyLock<Scene> =
    LazyLock::new(|| serde_json::from_str(include_str!("../../secrecy.json")).expect("a scene"));

/// An encounter with the player of Ann and a spectator.
struct Table {
    gm: Fight,
    player: Fight,
    onlooker: Fight,
    /// What differs between two encounters by chance, and its replacement.
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
        Self {
            gm,
            player,
            onlooker,
            names,
        }
    }

    /// An answer without what differs by chance: status, headers, body.
    fn plain(&self, answer: &Answer) -> String {
        let chance = ["date", "x-request-id"];
        let headers = answer
            .headers
            .iter()
            .filter(|(name, _)| !chance.contains(&name.as_str()));
        // An entity tag digests what is answered, the encounter's id with it; its version is left.
        let plain = |name: &str, value: String| match value.split_once('-') {
            Some((version, _)) if name == "etag" => version.to_owned(),
            _ => value,
        };
        let headers = headers
            .map(|(name, value)| format!("{name}: {}", plain(name.as_str(), format!("{value:?}"))));
        let headers: Vec<String> = headers.collect();
        let mut text = format!(
            "{}\n{}\n{}",
            answer.status,
            headers.join("\n"),
            answer.text()
        );
        let request_id = answer.header("x-request-id");
        if !request_id.is_empty() {
            text = text.replace(request_id, "REQUEST");
        }
        for (name, sign) in &self.names {
            text = text.replace(name, sign);
        }
        // The place of an event digests its entry, the time with it; its version is left.
        for before in ["\"event_id\":\"", "\nid: "] {
            let mut parts = text.split(before);
            let mut plain = parts.next().unwrap_or_default().to_owned();
            for part in parts {
                let id = part.find(['"', '\n']).expect("an end");
                let version = part[..id].split('-').next().expect("a version");
                plain = plain + before + version + &part[id..];
            }
            text = plain;
        }
        // Times: 2026-01-01T00:00:00.000Z
        let mut timeless = String::new();
        while let Some(at) = text.find("\"20") {
            let (before, rest) = text.split_at(at);
            let end = rest[1..].find('"').map_or(rest.len(), |end| end + 2);
            timeless.push_str(before);
            timeless.push_str(if rest[..end].ends_with("Z\"") {
                "TIME"
            } else {
                &rest[..end]
            });
            text = rest[end..].to_owned();
        }
        timeless + &text
    }

    /// The answers to everything that the player and the onlooker can ask for.
    async fn seen(&self) -> Vec<String> {
        let version = self.onlooker.read("").await["version"]
            .as_u64()
            .expect("a version");
        let mut all = Vec::new();
        for viewer in [&self.player, &self.onlooker] {
            let mut calls = vec![
                viewer.get(""),
                viewer.get("").header("accept", "text/plain"),
                viewer.get("/options"),
            ];
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
            for command in &SCENE.tried {
                calls.push(viewer.dry_run(command));
                calls.push(viewer.command(command).if_match("\"999\""));
            }
            let answers = join_all(calls.into_iter().map(Call::send)).await;
            all.extend(answers.iter().map(|answer| self.plain(answer)));
        }
        all
    }
}

/// The creation of an encounter of these combatants under Active Initiative, with the hidden one at
/// this place.
fn creation(hidden: Option<usize>) -> Value {
    let mut combatants = SCENE.combatants.clone();
    if let Some(place) = hidden {
        combatants.insert(place, SCENE.hidden.clone());
    }
    json!({"ruleset": "active-initiative", "combatants": combatants, "options": {"interrupt_points": true}})
}

#[tokio::test]
async fn no_answer_differs_between_a_hidden_combatant_and_none() {
    shows(&["TK-11"]);
    let api = Api::with(settings()).await;
    let with = Table::new(&api, creation(Some(1))).await;
    let without = Table::new(&api, creation(None)).await;
    assert_eq!(with.seen().await, without.seen().await);
    for Round { secret, open } in &SCENE.rounds {
        // What the players must not know makes a version too: in the other encounter a note stands
        // for it.
        for command in secret {
            with.gm.accepted(command.clone()).await;
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
        table
            .gm
            .accepted(json!({"type": "override", "combatant": "bob"}))
            .await;
        table
            .gm
            .accepted(json!({"type": "override", "combatant": "ann"}))
            .await;
        table.player.refused(end.clone(), 403, "forbidden").await;
    }
    let ready =
        json!({"type": "ready", "combatant": "ann", "action": "run", "trigger": "the door opens"});
    let mut answers = Vec::new();
    for table in [&with, &without] {
        let version = table.player.get("").send().await.header("etag").to_owned();
        let sent = || {
            table
                .player
                .command(&ready)
                .if_match(&version)
                .key("once")
                .minimal()
        };
        let (first, again) = (sent().send().await, sent().send().await);
        assert_eq!(
            (first.status, first.text()),
            (200, again.text()),
            "{first:?}"
        );
        let trigger = table
            .player
            .command(&json!({"type": "trigger", "combatant": "ann"}))
            .send()
            .await;
        answers.push([
            table.plain(&first),
            table.plain(&again),
            table.plain(&trigger),
        ]);
    }
    assert_eq!(answers[0], answers[1]);
}

#[tokio::test]
async fn each_command_has_dice_of_its_own_of_a_seed() {
    let api = Api::start().await;
    let hidden = |id: &str| json!({"id": id, "hidden": true, "wits": 5, "awareness": 5});
    let body = json!({"ruleset": "venture", "seed": 7, "combatants": [{"id": "ann"}]});
    let mut plays = Vec::new();
    for _ in 0..2 {
        let table = Table::new(&api, body.clone()).await;
        table
            .gm
            .accepted(json!({"type": "start", "joins": {"ann": {"successes": 1}}}))
            .await;
        for id in ["bob", "cid"] {
            table
                .gm
                .accepted(json!({"type": "add_combatant", "details": hidden(id)}))
                .await;
        }
        let mut dice = Vec::new();
        for id in ["bob", "cid"] {
            let player = table.gm.player(&[id]).await;
            let answer = player
                .accepted(json!({"type": "join_battle", "combatant": id}))
                .await
                .json();
            let fighters = answer["encounter"]["combatants"]
                .as_array()
                .expect("combatants")
                .iter();
            dice.extend(
                fighters
                    .filter(|c| c["id"] == id)
                    .map(|c| c["join_battle"]["dice"].clone()),
            );
        }
        assert_eq!(dice[0].as_array().map(Vec::len), Some(10), "{dice:?}");
        assert_ne!(dice[0], dice[1], "each has dice of its own");
        plays.push(dice);
    }
    assert_eq!(plays[0], plays[1], "a seed makes them reproducible");
}

#[tokio::test]
async fn an_imported_log_keeps_its_secrets() {
    let api = Api::start().await;
    let table = Table::new(&api, creation(Some(3))).await;
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
    // Without the redacted entries they are made anew.
    let mut bare = log.clone();
    for entry in bare["entries"]
        .as_array_mut()
        .expect("entries")
        .iter_mut()
        .take(3)
    {
        entry
            .as_object_mut()
            .expect("an entry")
            .remove("redactions");
    }
    bare["entries"].as_array_mut().expect("entries").truncate(3);
    bare["version"] = json!(3);
    for (log, count) in [(log, 3), (bare, 1)] {
        let answer = api.post("/v1/encounters/import", &log).send().await;
        let onlooker = Fight::of(&api, &answer).spectator().await;
        let after = onlooker.read("/events").await;
        assert_eq!(
            after["items"].as_array().map(Vec::len),
            Some(count),
            "{after}"
        );
        if count == 3 {
            assert_eq!(after, before);
        }
    }
}
