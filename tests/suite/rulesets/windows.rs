//! Windows to react: the clients of a table answer in every order, and no right depends on which of
//! them is faster.

use crate::support::shows;
use crate::support::table::{Table, owned, player, seeded};
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashSet};
use turnkeeper::engine::Viewer;
use turnkeeper::vocabulary::CombatantId;

/// A client that sends its commands one after another, each again until it is accepted.
struct Client {
    viewer: Viewer,
    /// Each with the forms in which the client tries it.
    commands: Vec<Vec<Value>>,
}

/// A table and its clients, who all know what they want.
struct Scene {
    table: Table,
    clients: Vec<Client>,
}

/// What the orders of answers lead to.
#[derive(Debug, Default, PartialEq)]
struct Outcomes {
    /// Who has the turn when no client can send anything more.
    turns: BTreeSet<String>,
    /// The number of different ways there.
    orders: usize,
}

impl Scene {
    fn new(creation: Value) -> Self {
        Self {
            table: Table::create(creation),
            clients: Vec::new(),
        }
    }

    /// The game master sets the scene.
    fn gm_sends(mut self, command: Value) -> Self {
        self.table.accept(command);
        self
    }

    /// A player acts for one combatant and sends these commands.
    fn player(mut self, combatant: &'static str, commands: &[Value]) -> Self {
        let own = owned(&*self.table.game, &[CombatantId::fixed(combatant)]);
        self.clients.push(Client {
            viewer: player(combatant, own),
            commands: commands.iter().map(forms).collect(),
        });
        self
    }

    /// The game master sends this command.
    fn gm(mut self, command: Value) -> Self {
        self.clients.push(Client {
            viewer: Viewer::gm("gm"),
            commands: vec![forms(&command)],
        });
        self
    }

    /// Lets the clients answer in every order.
    fn play(self) -> Outcomes {
        let mut outcomes = Outcomes::default();
        let sent = vec![0; self.clients.len()];
        self.explore(&self.table, &sent, &mut HashSet::new(), &mut outcomes);
        outcomes
    }

    fn explore(
        &self,
        table: &Table,
        sent: &[usize],
        visited: &mut HashSet<(Vec<usize>, Vec<u8>)>,
        outcomes: &mut Outcomes,
    ) {
        let mut ended = true;
        for (number, client) in self.clients.iter().enumerate() {
            let Some(forms) = client.commands.get(sent[number]) else {
                continue;
            };
            let Some(next) = forms.iter().find_map(|form| send(table, client, form)) else {
                continue;
            };
            ended = false;
            let mut sent = sent.to_vec();
            sent[number] += 1;
            let document = next.document().expect("a document");
            if visited.insert((sent.clone(), document)) {
                self.explore(&next, &sent, visited, outcomes);
            }
        }
        if ended {
            outcomes.orders += 1;
            outcomes.turns.insert(turn(table));
        }
    }
}

/// A command as it stands, or the forms of a list.
fn forms(command: &Value) -> Vec<Value> {
    match command {
        Value::Array(forms) => forms.clone(),
        command => vec![command.clone()],
    }
}

/// The table after a client's command, if it is accepted.
fn send(table: &Table, client: &Client, command: &Value) -> Option<Table> {
    let mut next = table.clone();
    let answer = next.try_send_as(&client.viewer, command.clone(), &mut seeded(0));
    answer.expect("no promise is broken").ok().map(|_| next)
}

/// Who has the turn.
fn turn(table: &Table) -> String {
    let current = table.at("current");
    let ids = current.as_array().expect("a list");
    match &ids[..] {
        [one] => one.as_str().expect("an id").to_owned(),
        _ => format!("no single one: {}", table.at("pending")),
    }
}

fn only(turn: &str) -> BTreeSet<String> {
    BTreeSet::from([turn.to_owned()])
}

fn by(verb: &str, combatant: &str) -> Value {
    json!({"type": verb, "combatant": combatant})
}

fn interrupt(combatant: &str, means: &str) -> Value {
    json!({"type": "interrupt", "combatant": combatant, "means": means})
}

/// The ways in which Ann ends her turn and chooses Bob.
fn ways_to_choose(next: &str) -> [Vec<Value>; 4] {
    let end = json!({"type": "end_turn", "combatant": "ann"});
    let chosen = json!({"type": "end_turn", "combatant": "ann", "next": next});
    let begun = json!({"type": "end_turn", "combatant": "ann", "next": next, "begin": true});
    let nominate = json!({"type": "nominate", "combatant": "ann", "next": next, "begin": true});
    [
        vec![chosen],
        vec![begun.clone()],
        vec![end.clone(), nominate.clone()],
        // A client that hears that it must wait ends the turn without a choice.
        vec![json!([begun, end]), nominate],
    ]
}

/// Ann has hurt an ogre and a pack of rats in her turn.
fn bridge(options: &Value) -> Scene {
    let scene = Scene::new(
        json!({"ruleset": "active-initiative", "options": options, "combatants": [
            {"id": "ann", "side": "players"},
            {"id": "bob", "side": "players"},
            {"id": "cy", "side": "players", "inspiration": 1},
            {"id": "ogre", "side": "monsters"},
            {"id": "rats", "side": "monsters"},
        ]}),
    );
    scene
        .gm_sends(json!({"type": "start", "first": "ann"}))
        .gm_sends(json!({"type": "damage", "target": "ogre", "amount": 5}))
        .gm_sends(json!({"type": "damage", "target": "rats", "amount": 1}))
}

#[test]
fn an_ogre_that_was_hurt_takes_the_turn_however_fast_the_players_are() {
    shows(&["AI-20", "AI-24", "AI-27"]);
    for ending in ways_to_choose("bob") {
        let scene = bridge(&json!({}))
            .player("ann", &ending)
            .player("bob", &[by("begin_turn", "bob")])
            .player(
                "ogre",
                &[interrupt("ogre", "damage"), by("begin_turn", "ogre")],
            )
            .player("rats", &[by("pass", "rats")])
            .player("cy", &[by("pass", "cy")]);
        let outcomes = scene.play();
        assert_eq!(outcomes.turns, only("ogre"), "{ending:?}");
        assert!(outcomes.orders > 0);
    }
}

#[test]
fn the_chosen_player_acts_once_all_have_passed_in_whatever_order() {
    shows(&["AI-17"]);
    for ending in ways_to_choose("bob") {
        let scene = bridge(&json!({}))
            .player("ann", &ending)
            .player("bob", &[by("begin_turn", "bob")])
            .player("ogre", &[by("pass", "ogre")])
            .player("rats", &[by("pass", "rats")]);
        assert_eq!(scene.play().turns, only("bob"), "{ending:?}");
        let silent = bridge(&json!({}))
            .player("ann", &ending)
            .player("bob", &[by("begin_turn", "bob")])
            .player("ogre", &[by("pass", "ogre")]);
        let awaited = silent.play().turns;
        assert!(
            awaited.iter().all(|turn| turn.contains("\"rats\"")),
            "the rats have not decided: {awaited:?}"
        );
    }
}

#[test]
fn an_interrupt_is_interrupted_however_fast_its_own_turn_would_start() {
    shows(&["AI-19", "AI-22"]);
    for ending in ways_to_choose("bob") {
        let scene = bridge(&json!({}))
            .player("ann", &ending)
            .player("bob", &[by("begin_turn", "bob")])
            .player(
                "ogre",
                &[interrupt("ogre", "damage"), by("begin_turn", "ogre")],
            )
            .player("rats", &[by("pass", "rats"), by("pass", "rats")])
            .player(
                "cy",
                &[interrupt("cy", "inspiration"), by("begin_turn", "cy")],
            );
        // Cy takes the ogre's turn, and the rats decline Bob's turn and Cy's.
        assert_eq!(scene.play().turns, only("cy"), "{ending:?}");
    }
}

#[test]
fn only_the_game_master_ends_the_wait_for_others() {
    for ending in ways_to_choose("bob") {
        let scene = bridge(&json!({}))
            .player("ann", &ending)
            .player("bob", &[by("begin_turn", "bob")])
            .gm(json!({"type": "resolve"}));
        assert_eq!(scene.play().turns, only("bob"), "{ending:?}");
        let unresolved = bridge(&json!({}))
            .player("ann", &ending)
            .player(
                "bob",
                &[by("begin_turn", "bob"), json!({"type": "resolve"})],
            )
            .player("ann", &[json!({"type": "resolve"}), by("pass", "ogre")]);
        assert!(!unresolved.play().turns.contains("bob"), "{ending:?}");
    }
}

#[test]
fn one_that_was_hurt_takes_the_turn_of_a_friend_before_the_choice_however_fast_that_is() {
    let options = json!({"interrupt_before_nomination": true});
    for ending in ways_to_choose("rats") {
        // After the choice it could not: the rats are its friends.
        let scene = bridge(&options)
            .player("ann", &ending)
            .player("rats", &[by("pass", "rats"), by("begin_turn", "rats")])
            .player(
                "ogre",
                &[interrupt("ogre", "damage"), by("begin_turn", "ogre")],
            )
            .player("cy", &[by("pass", "cy")]);
        // A client that insists on its choice ends no turn.
        let insists = ending.len() == 1;
        let expected = only(if insists { "ann" } else { "ogre" });
        assert_eq!(scene.play().turns, expected, "{ending:?}");
    }
}

/// Ann has hurt Cy and Dee in her turn.
fn ford() -> Scene {
    let scene = Scene::new(json!({"ruleset": "seize", "combatants": [
        {"id": "ann", "side": "players"},
        {"id": "bob", "side": "players"},
        {"id": "cy", "side": "players"},
        {"id": "dee", "side": "monsters"},
    ]}));
    scene
        .gm_sends(json!({"type": "start", "rolls": {"ann": 15, "bob": 3, "cy": 4, "dee": 5}}))
        .gm_sends(json!({"type": "damage", "target": "cy", "amount": 1}))
        .gm_sends(json!({"type": "damage", "target": "dee", "amount": 1}))
}

/// Ann's client ends the turn, with a choice if it may, and chooses as soon as it can.
fn ann_of_the_ford() -> [Value; 2] {
    [
        json!([{"type": "end_turn", "combatant": "ann", "next": "bob"}, {"type": "end_turn", "combatant": "ann"}]),
        json!({"type": "nominate", "combatant": "ann", "next": "bob"}),
    ]
}

#[test]
fn one_that_was_hurt_seizes_the_turn_however_fast_the_choice_is() {
    shows(&["WA-12", "WA-13"]);
    let scene = ford()
        .player("ann", &ann_of_the_ford())
        .player("cy", &[by("seize", "cy")])
        .player("dee", &[by("pass", "dee")]);
    assert_eq!(scene.play().turns, only("cy"));
    let both = ford()
        .player("ann", &ann_of_the_ford())
        .player("cy", &[by("seize", "cy"), by("end_turn", "cy")])
        .player("dee", &[by("seize", "dee")]);
    assert_eq!(both.play().turns, only("dee"));
}

#[test]
fn the_choice_counts_once_all_have_passed_or_the_game_master_closes_seizing() {
    let passed = ford()
        .player("ann", &ann_of_the_ford())
        .player("cy", &[by("pass", "cy")])
        .player("dee", &[by("pass", "dee")]);
    assert_eq!(passed.play().turns, only("bob"));
    let closed = ford()
        .player("ann", &ann_of_the_ford())
        .gm(json!({"type": "resolve"}));
    assert_eq!(closed.play().turns, only("bob"));
    let silent = ford()
        .player("ann", &ann_of_the_ford())
        .player("cy", &[by("pass", "cy"), json!({"type": "resolve"})]);
    assert!(
        silent
            .play()
            .turns
            .iter()
            .all(|turn| turn.contains("\"dee\""))
    );
}
