//! The most expensive encounters.

use crate::support::client::{Encounter, send};
use crate::support::server::Server;
use reqwest::Method;
use serde_json::{Value, json};

pub const RULESETS: [&str; 5] = ["active-initiative", "seize", "exp", "venture", "dc20"];

/// An encounter with its game master's token.
pub struct Fight {
    pub encounter: Encounter,
}

impl Fight {
    async fn create(server: &Server, creation: Value) -> Self {
        Self { encounter: Encounter::create(server, creation).await }
    }

    async fn tell(&self, server: &Server, command: Value) {
        self.encounter.tell(server, command).await.expect(200);
    }

    pub fn token(&self) -> String {
        self.encounter.token.clone()
    }

    /// A player's token for these combatants.
    pub async fn player(&self, server: &Server, combatants: &[&str]) -> String {
        let body = json!({"role": "player", "combatants": combatants});
        let request = self.encounter.request(server, Method::POST, "/tokens");
        let request = request.header("content-type", "application/json").body(body.to_string());
        let answer = send(request).await.expect("an answer").expect(201).json();
        answer["token"].as_str().expect("a token").to_owned()
    }

    /// A started fight of 500 combatants with as many legal commands as possible.
    pub async fn of_500(server: &Server, ruleset: &str) -> Self {
        let combatants: Vec<Value> = (0..500)
            .map(|n| {
                let side = if n % 2 == 0 { "players" } else { "monsters" };
                let mut combatant = json!({"id": format!("c{n}"), "side": side, "hp": {"current": 20, "max": 20}});
                if ruleset == "exp" {
                    combatant["mstr"] = json!(3);
                }
                combatant
            })
            .collect();
        let fight = Self::create(server, json!({"ruleset": ruleset, "combatants": combatants})).await;
        let start = match ruleset {
            "active-initiative" => json!({"type": "start", "first": "c0"}),
            _ => json!({"type": "start"}),
        };
        fight.tell(server, start).await;
        for n in 0..100 {
            fight.tell(server, json!({"type": "damage", "target": format!("c{n}"), "amount": 1})).await;
        }
        fight
    }

    /// 498 hidden combatants, and 98 players each with a token for a hidden one.
    pub async fn with_players(server: &Server) -> Self {
        let hidden = (0..498).map(|n| json!({"id": format!("h{n}"), "hidden": true, "hp": {"current": 99, "max": 99}}));
        let seen = ["a", "b"].map(|id| json!({"id": id, "side": "players"}));
        let combatants: Vec<Value> = seen.into_iter().chain(hidden).collect();
        let fight = Self::create(server, json!({"ruleset": "active-initiative", "combatants": combatants})).await;
        for n in 0..98 {
            fight.player(server, &[&format!("h{n}")]).await;
        }
        fight.tell(server, json!({"type": "start", "first": "a"})).await;
        fight
    }

    /// Two fighting combatants, 498 defeated ones, and 500 effects that expire by rounds.
    pub async fn of_two(server: &Server, hidden: bool) -> Self {
        let out = (0..498).map(|n| {
            json!({"id": format!("h{n}"), "hidden": hidden, "hp": {"current": 0, "max": 9}, "conditions": ["defeated"]})
        });
        let seen = ["a", "b"].map(|id| json!({"id": id, "side": "players", "hp": {"current": 9, "max": 9}}));
        let combatants: Vec<Value> = seen.into_iter().chain(out).collect();
        let fight = Self::create(server, json!({"ruleset": "active-initiative", "combatants": combatants})).await;
        let effects = |n: usize| {
            json!({"type": "add_effect", "effect":
            {"name": format!("Effect {n}"), "expires": {"at": "round_end", "rounds": 1000}}})
        };
        for list in 0..10 {
            fight.tell(server, (0..50).map(|n| effects(50 * list + n)).collect()).await;
        }
        fight.tell(server, json!({"type": "start", "first": "a"})).await;
        fight
    }

    /// The exported log with `entries` more entries of `notes` notes each.
    pub async fn log_with_notes(&self, server: &Server, entries: usize, notes: usize) -> String {
        let mut log = self.encounter.get(server, "/export").await.expect(200).json();
        let version = log["version"].as_u64().expect("a version");
        let events: Vec<Value> =
            (0..notes).map(|n| json!({"type": "noted", "text": format!("note {n}"), "readers": "all"})).collect();
        for version in version + 1..=version + entries as u64 {
            let entry = json!({"version": version, "at": "2026-01-01T00:00:00Z", "by": "gm", "commands": ["note"], "events": events});
            log["entries"].as_array_mut().expect("entries").push(entry);
        }
        log["version"] = json!(version + entries as u64);
        log.to_string()
    }
}

/// The first `count` turns of the two combatants.
pub fn turns(count: usize) -> Value {
    let turn = |n: usize| {
        let (this, next) = if n.is_multiple_of(2) { ("a", "b") } else { ("b", "a") };
        json!({"type": "end_turn", "combatant": this, "next": next, "begin": true})
    };
    (0..count).map(turn).collect()
}
