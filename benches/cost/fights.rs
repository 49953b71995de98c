//! The most expensive encounters.

use crate::support::client::{Fight, version};
use crate::support::server::Server;
use serde_json::{Value, json};

pub const RULESETS: [&str; 5] = ["active-initiative", "seize", "exp", "venture", "dc20"];

/// A started fight of 500 combatants, each with everything that opens choices.
pub async fn of_500(server: &Server, ruleset: &str) -> Fight {
    let combatants: Vec<Value> = (0..500)
        .map(|n| {
            let side = if n % 2 == 0 { "players" } else { "monsters" };
            let mut combatant =
                json!({"id": format!("c{n}"), "side": side, "hp": {"current": 20, "max": 20}});
            if ruleset == "exp" {
                combatant["mstr"] = json!(3);
            }
            combatant
        })
        .collect();
    let fight = server
        .client()
        .create(&json!({"ruleset": ruleset, "combatants": combatants}))
        .await;
    let start = match ruleset {
        "active-initiative" => json!({"type": "start", "first": "c0"}),
        _ => json!({"type": "start"}),
    };
    fight.accepted(start).await;
    for n in 0..100 {
        fight
            .accepted(json!({"type": "damage", "target": format!("c{n}"), "amount": 1}))
            .await;
    }
    fight
}

/// 250 combatants that may all react to each turn, after as many lists of 50 `resolve` as an export
/// of 12 MB has; and the number of the lists.
pub async fn of_lists(server: &Server) -> (Fight, usize) {
    let combatants: Vec<Value> = (0..250)
        .map(|n| {
            let side = if n % 2 == 0 { "players" } else { "monsters" };
            json!({"id": format!("c{n}"), "side": side, "hp": {"current": 20, "max": 20}, "numbers": {"legendary": 1}})
        })
        .collect();
    let fight = server
        .client()
        .create(
            &json!({"ruleset": "custom", "options": {"preset": "d20"}, "combatants": combatants}),
        )
        .await;
    fight.accepted(json!({"type": "start"})).await;
    let resolve: Value = vec![json!({"type": "resolve"}); 50].into();
    let (mut lists, mut bytes) = (0, 0);
    while bytes < 12_000_000 && lists < 1000 {
        let answer = fight.command(&resolve).minimal().send().await.expect(200);
        bytes += answer.json()["events"].to_string().len();
        lists += 1;
    }
    (fight, lists)
}

/// 498 hidden combatants, and 98 players each with a token for a hidden one.
pub async fn with_players(server: &Server) -> Fight {
    let hidden = (0..498)
        .map(|n| json!({"id": format!("h{n}"), "hidden": true, "hp": {"current": 99, "max": 99}}));
    let seen = ["a", "b"].map(|id| json!({"id": id, "side": "players"}));
    let combatants: Vec<Value> = seen.into_iter().chain(hidden).collect();
    let fight = server
        .client()
        .create(&json!({"ruleset": "active-initiative", "combatants": combatants}))
        .await;
    for n in 0..98 {
        fight.player(&[&format!("h{n}")]).await;
    }
    fight.accepted(json!({"type": "start", "first": "a"})).await;
    fight
}

/// Two who fight, 498 others who are out of it, and 500 effects that count the ends of rounds.
pub async fn of_two(server: &Server, hidden: bool) -> Fight {
    let out = (0..498).map(|n| {
        json!({"id": format!("h{n}"), "hidden": hidden, "hp": {"current": 0, "max": 9}, "conditions": ["defeated"]})
    });
    let seen =
        ["a", "b"].map(|id| json!({"id": id, "side": "players", "hp": {"current": 9, "max": 9}}));
    let combatants: Vec<Value> = seen.into_iter().chain(out).collect();
    let fight = server
        .client()
        .create(&json!({"ruleset": "active-initiative", "combatants": combatants}))
        .await;
    let effects = |n: usize| {
        json!({"type": "add_effect", "effect":
        {"name": format!("Effect {n}"), "expires": {"at": "round_end", "rounds": 1000}}})
    };
    for list in 0..10 {
        fight
            .accepted((0..50).map(|n| effects(50 * list + n)).collect())
            .await;
    }
    fight.accepted(json!({"type": "start", "first": "a"})).await;
    fight
}

/// The exported log with `entries` more entries of `notes` notes each.
pub async fn log_with_notes(fight: &Fight, entries: usize, notes: usize) -> String {
    let mut log = fight.read("/export").await;
    let version = version(&log);
    let events: Vec<Value> = (0..notes)
        .map(|n| json!({"type": "noted", "text": format!("note {n}"), "readers": "all"}))
        .collect();
    for version in version + 1..=version + entries as u64 {
        let entry = json!({"version": version, "at": "2026-01-01T00:00:00Z", "token": "gm", "commands": ["note"], "events": events});
        log["entries"].as_array_mut().expect("entries").push(entry);
    }
    log["version"] = json!(version + entries as u64);
    log.to_string()
}

/// The first `count` turns of the two combatants.
pub fn turns(count: usize) -> Value {
    let turn = |n: usize| {
        let (this, next) = if n.is_multiple_of(2) {
            ("a", "b")
        } else {
            ("b", "a")
        };
        json!({"type": "end_turn", "combatant": this, "next": next, "begin": true})
    };
    (0..count).map(turn).collect()
}
