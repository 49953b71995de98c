//! A whole round of each ruleset by players' tokens alone, once the game master has begun the fight.

use crate::support::http::{Answer, Client};
use serde_json::{Value, json};

/// An encounter whose game master has begun the fight, handed out two players' tokens, and left.
struct Round {
    path: String,
    players: [Client; 2],
    gm: Client,
}

/// What a player does first, where there is a choice.
const EAGER: [&str; 9] =
    ["end_turn", "begin_turn", "claim", "nominate", "decline", "pass", "declare", "mental_attack", "roll_unit"];

impl Round {
    /// `start` and whatever else only the game master can set up.
    async fn new(ruleset: &str, combatants: Value, start: Value) -> Self {
        let client = Client::embedded().await;
        let created = client.post("/v1/encounters", &json!({"ruleset": ruleset, "combatants": combatants})).await;
        assert_eq!(created.status, 201, "{}", created.text);
        let gm = client.with_token(&created);
        let path = format!("/v1/encounters/{}", created.json()["encounter"]["id"].as_str().expect("an id"));
        let ids: Vec<Value> = created.json()["encounter"]["combatants"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|c| c["id"].clone())
            .collect();
        let token = async |own: Vec<&Value>| {
            let answer = gm.post(&format!("{path}/tokens"), &json!({"role": "player", "combatants": own})).await;
            assert_eq!(answer.status, 201, "{}", answer.text);
            client.with_token(&answer)
        };
        let (even, odd) = (ids.iter().step_by(2).collect(), ids.iter().skip(1).step_by(2).collect());
        let players = [token(even).await, token(odd).await];
        let begun = gm.post(&format!("{path}/commands"), &start).await;
        assert_eq!(begun.status, 200, "{}", begun.text);
        Self { path, players, gm }
    }

    async fn state(&self) -> Value {
        self.players[0].get(&self.path).await.json()
    }

    /// What is offered to a player, of the commands that are awaited.
    async fn offers(&self, player: &Client, awaited: &Value) -> Vec<Value> {
        let options = player.get(&format!("{}/options", self.path)).await;
        assert_eq!(options.status, 200, "{}", options.text);
        let commands: Vec<Value> =
            options.json()["items"].as_array().into_iter().flatten().map(|o| o["command"].clone()).collect();
        let awaited = |command: &Value| awaited.as_array().is_some_and(|verbs| verbs.contains(&command["type"]));
        commands.into_iter().filter(awaited).collect()
    }

    async fn send(&self, player: &Client, command: &Value) -> Answer {
        player.post(&format!("{}/commands", self.path), command).await
    }

    /// Plays until the next round has begun; how many commands that took.
    async fn play(&self) -> usize {
        let first = self.state().await["round"].clone();
        for sent in 0..120 {
            let state = self.state().await;
            if state["round"] != first {
                return sent;
            }
            let mut offers = Vec::new();
            for player in &self.players {
                offers
                    .extend(self.offers(player, &state["pending"]["commands"]).await.into_iter().map(|o| (player, o)));
            }
            let rank = |verb: &Value| EAGER.iter().position(|eager| verb == eager).unwrap_or(EAGER.len());
            offers.sort_by_key(|(_, offer)| rank(&offer["type"]));
            let Some((player, command)) = offers.first() else {
                panic!("no player can do what is awaited: {}", state["pending"]);
            };
            let answer = self.send(player, command).await;
            assert_eq!(answer.status, 200, "{command}: {}", answer.text);
            let commands = answer.json()["events"].clone();
            assert!(commands.is_array(), "{commands}");
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
    let start = json!({"type": "start"});
    for (ruleset, start) in [
        ("active-initiative", json!({"type": "start", "first": "ann"})),
        ("seize", start.clone()),
        ("venture", start.clone()),
        ("exp", start.clone()),
    ] {
        let round = Round::new(ruleset, four(), start).await;
        let sent = [round.play().await, round.play().await];
        println!("{ruleset}: two rounds by players' tokens alone, {sent:?} commands");
    }
}

#[tokio::test]
async fn players_alone_play_a_round_of_dc20_once_the_game_master_has_placed_the_enemies() {
    let start = json!({"type": "start", "dc": 1, "rolls": {"ann": 20, "bob": 19}});
    let round = Round::new("dc20", four(), start).await;
    // Which enemies are in which of their turns is the game master's to say (DC-20), and is said in advance.
    for _ in 0..2 {
        let options = round.gm.get(&format!("{}/options", round.path)).await.json();
        let assign = options["items"].as_array().into_iter().flatten().find(|o| o["command"]["type"] == "assign");
        let Some(assign) = assign else { panic!("nobody is to be assigned: {options}") };
        let mut command = assign["command"].clone();
        if let Some(slot) = assign["choices"].as_array().into_iter().flatten().find(|c| c["field"] == "slot") {
            command["slot"] = slot["one_of"][0].clone();
        }
        let answer = round.send(&round.gm, &command).await;
        assert_eq!(answer.status, 200, "{command}: {}", answer.text);
    }
    let sent = [round.play().await, round.play().await];
    println!("dc20: two rounds by players' tokens alone, {sent:?} commands");
}

#[tokio::test]
async fn whoever_must_choose_and_has_fallen_still_chooses_by_its_player() {
    let round = Round::new("active-initiative", four(), json!({"type": "start", "first": "ann"})).await;
    let [ann, bob] = &round.players;
    assert_eq!(round.send(ann, &json!({"type": "end_turn", "combatant": "ann"})).await.status, 200);
    let dead = json!({"type": "set_condition", "target": "ann", "condition": "dead"});
    assert_eq!(round.send(ann, &dead).await.status, 403);
    assert_eq!(round.send(&round.gm, &dead).await.status, 200);
    let pending = round.state().await["pending"].clone();
    assert_eq!((&pending["combatants"], &pending["controllers"]), (&json!(["ann"]), &json!(["Ann"])), "{pending}");
    let choice = json!({"type": "nominate", "combatant": "ann", "next": "bob"});
    let offered = round.offers(ann, &json!(["nominate"])).await;
    assert!(!offered.is_empty(), "the choice is listed");
    assert!(round.offers(bob, &json!(["nominate"])).await.is_empty(), "and for nobody else");
    let stolen = round.send(bob, &choice).await;
    assert_eq!(stolen.status, 403, "{}", stolen.text);
    let own = json!({"type": "nominate", "combatant": "bob", "next": "bob"});
    assert_eq!(round.send(bob, &own).await.status, 409, "an own name does not make it an own choice");
    assert_eq!(round.send(ann, &choice).await.status, 200);
}

#[tokio::test]
async fn a_player_ends_the_last_turn_of_a_round_with_no_game_master_there() {
    let round = Round::new("seize", four(), json!({"type": "start"})).await;
    round.play().await;
    let log = round.players[0].get(&format!("{}/events?limit=1000", round.path)).await.json();
    let entries = log["items"].as_array().expect("a log").clone();
    let ended =
        |entry: &&Value| entry["events"].as_array().is_some_and(|e| e.iter().any(|e| e["type"] == "round_ended"));
    let last = entries.iter().find(ended).expect("a round ended");
    assert!(last["by"].as_str().is_some_and(|by| by.starts_with("player-")), "{last}");
}
