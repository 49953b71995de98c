//! A full round of each ruleset by players' tokens alone, once the game master has begun the fight.

use crate::e2e::{Api, Fight};
use serde_json::{Value, json};

/// An encounter whose game master has begun the fight, handed out two players' tokens, and left.
struct Round {
    players: [Fight; 2],
    gm: Fight,
}

/// What a player does first, where there is a choice.
const EAGER: [&str; 9] =
    ["end_turn", "begin_turn", "claim", "nominate", "decline", "pass", "declare", "mental_attack", "roll_unit"];

impl Round {
    /// `start` and whatever else only the game master can set up.
    async fn new(api: &Api, ruleset: &str, combatants: Value, start: Value) -> Self {
        let gm = api.create(&json!({"ruleset": ruleset, "combatants": combatants})).await;
        let encounter = gm.read("").await;
        let ids: Vec<&Value> = encounter["combatants"].as_array().into_iter().flatten().map(|c| &c["id"]).collect();
        let player = async |first: usize| {
            let own: Vec<&&Value> = ids.iter().skip(first).step_by(2).collect();
            gm.hand_out(json!({"role": "player", "combatants": own})).await.0
        };
        let players = [player(0).await, player(1).await];
        gm.accepted(start).await;
        Self { players, gm }
    }

    async fn state(&self) -> Value {
        self.players[0].read("").await
    }

    /// The legal commands of a player, of those that are awaited.
    async fn legal_commands(&self, player: &Fight, awaited: &Value) -> Vec<Value> {
        let awaited = |command: &Value| awaited.as_array().is_some_and(|verbs| verbs.contains(&command["type"]));
        player.options().await.iter().map(|option| option["command"].clone()).filter(awaited).collect()
    }

    /// Plays until the next round has begun.
    async fn play(&self) {
        let first = self.state().await["round"].clone();
        for _ in 0..120 {
            let state = self.state().await;
            if state["round"] != first {
                return;
            }
            let mut legal_commands = Vec::new();
            for player in &self.players {
                legal_commands.extend(
                    self.legal_commands(player, &state["pending"]["commands"]).await.into_iter().map(|o| (player, o)),
                );
            }
            let rank = |verb: &Value| EAGER.iter().position(|eager| verb == eager).unwrap_or(EAGER.len());
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

#[tokio::test]
async fn players_alone_play_a_round_of_each_ruleset() {
    let api = Api::start().await;
    for ruleset in ["active-initiative", "seize", "venture", "exp"] {
        let mut start = json!({"type": "start"});
        if ruleset == "active-initiative" {
            start["first"] = json!("ann");
        }
        let round = Round::new(&api, ruleset, four(), start).await;
        round.play().await;
        round.play().await;
    }
}

#[tokio::test]
async fn players_alone_play_a_round_of_dc20_once_the_game_master_has_placed_the_enemies() {
    let api = Api::start().await;
    let start = json!({"type": "start", "dc": 1, "rolls": {"ann": 20, "bob": 19}});
    let round = Round::new(&api, "dc20", four(), start).await;
    // Which enemies are in which of their turns is the game master's to say (DC-20), and is said in advance.
    for _ in 0..2 {
        let options = round.gm.options().await;
        let assign = options.iter().find(|o| o["command"]["type"] == "assign").expect("an enemy to be assigned");
        let mut command = assign["command"].clone();
        if let Some(slot) = assign["choices"].as_array().into_iter().flatten().find(|c| c["field"] == "slot") {
            command["slot"] = slot["one_of"][0].clone();
        }
        round.gm.accepted(command).await;
    }
    round.play().await;
    round.play().await;
}

#[tokio::test]
async fn a_player_ends_the_last_turn_of_a_round_with_no_game_master_there() {
    let api = Api::start().await;
    let round = Round::new(&api, "seize", four(), json!({"type": "start"})).await;
    round.play().await;
    let entries = round.players[0].entries().await;
    let ended =
        |entry: &&Value| entry["events"].as_array().is_some_and(|e| e.iter().any(|e| e["type"] == "round_ended"));
    let last = entries.iter().find(ended).expect("a round ended");
    assert!(last["by"].as_str().is_some_and(|by| by.starts_with("player-")), "{last}");
}
