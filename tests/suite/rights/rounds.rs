//! A full round of each ruleset with players' tokens, once the game master has begun the fight.

use crate::e2e::{Api, Fight, text};
use crate::support::choices::{completed, smallest};
use serde_json::{Value, json};
use turnkeeper::engine::Rulesets;

/// An encounter whose game master has begun the fight, handed out two players' tokens, and left.
struct Round {
    players: [Fight; 2],
    gm: Fight,
}

/// What a player does first, where there is a choice.
const EAGER: [&str; 8] = [
    "end_turn",
    "begin_turn",
    "claim",
    "nominate",
    "pass",
    "declare",
    "mental_attack",
    "roll",
];

impl Round {
    /// `start` and whatever else only the game master can set up.
    async fn new(api: &Api, ruleset: &str, combatants: Value) -> Self {
        let gm = api
            .create(&json!({"ruleset": ruleset, "combatants": combatants}))
            .await;
        let encounter = gm.read("").await;
        let ids: Vec<&Value> = encounter["combatants"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|c| &c["id"])
            .collect();
        let player = async |first: usize| {
            let own: Vec<&&Value> = ids.iter().skip(first).step_by(2).collect();
            gm.hand_out(json!({"role": "player", "combatants": own}))
                .await
                .0
        };
        let players = [player(0).await, player(1).await];
        let start = start_of(&gm, ruleset).await;
        gm.accepted(start).await;
        Self { players, gm }
    }

    async fn state(&self) -> Value {
        self.players[0].read("").await
    }

    /// Plays until the next round has begun.
    async fn play(&self) {
        let first = self.state().await["round"].clone();
        for _ in 0..120 {
            let state = self.state().await;
            if state["round"] != first {
                return;
            }
            let awaited = state["pending"]["commands"]
                .as_array()
                .cloned()
                .unwrap_or_default();
            let mut legal_commands = Vec::new();
            for player in &self.players {
                let options = player
                    .options()
                    .await
                    .into_iter()
                    .map(|option| (player, completed(&option)));
                legal_commands
                    .extend(options.filter(|(_, command)| awaited.contains(&command["type"])));
            }
            let rank = |verb: &Value| {
                EAGER
                    .iter()
                    .position(|eager| verb == eager)
                    .unwrap_or(EAGER.len())
            };
            legal_commands.sort_by_key(|(_, option)| rank(&option["type"]));
            let Some((player, command)) = legal_commands.first() else {
                panic!("no player can do what is awaited: {}", state["pending"]);
            };
            let answer = player.accepted(command.clone()).await.json();
            assert!(answer["events"].is_array(), "{answer}");
        }
        panic!("the round does not end: {}", self.state().await["pending"]);
    }
}

fn four() -> Value {
    json!([
        {"id": "ann", "side": "players", "controller": "Ann"}, {"id": "bob", "side": "players", "controller": "Bob"},
        {"id": "orc", "side": "monsters", "controller": "Ann"}, {"id": "rat", "side": "monsters", "controller": "Bob"}])
}

/// The first start among the options. Of DC20 it has dice that let the players act first.
async fn start_of(gm: &Fight, ruleset: &str) -> Value {
    if ruleset == "dc20" {
        return json!({"type": "start", "dc": 1, "rolls": {"ann": 20, "bob": 19}});
    }
    let options = gm.options().await;
    let start = options
        .iter()
        .find(|option| option["command"]["type"] == "start");
    completed(start.expect("a start"))
}

/// The game master places the enemies of DC20 in turns of their side, in advance: only the game
/// master may (DC-20).
async fn place_enemies(gm: &Fight) {
    for enemy in ["orc", "rat"] {
        let options = gm.options().await;
        let assigns =
            |o: &&Value| o["command"]["type"] == "assign" && o["command"]["combatant"] == enemy;
        let assign = options
            .iter()
            .find(assigns)
            .expect("an enemy to be assigned");
        let mut command = completed(assign);
        let mut choices = assign["choices"].as_array().expect("choices").iter();
        if let Some(slot) = choices.find(|choice| choice["field"] == "slot") {
            command["slot"] = smallest(&slot["schema"]);
        }
        gm.accepted(command).await;
    }
}

#[tokio::test]
async fn players_play_two_rounds_of_each_ruleset_without_the_game_master() {
    let api = Api::start().await;
    for ruleset in Rulesets::shipped().iter() {
        let ruleset = ruleset.manifest.id;
        let round = Round::new(&api, ruleset, four()).await;
        if ruleset == "dc20" {
            place_enemies(&round.gm).await;
        }
        round.play().await;
        round.play().await;
        // Also the last turn of a round is ended by a player.
        for entry in round.players[0].entries().await {
            let ends = entry["events"]
                .as_array()
                .is_some_and(|e| e.iter().any(|e| e["type"] == "round_ended"));
            assert!(
                !ends || text(&entry["token"]).starts_with("player-"),
                "{entry}"
            );
        }
    }
}
