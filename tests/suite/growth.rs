//! What must not grow: the cost and the size of an encounter with its log, the memory of the process with its work.
//!
//! Times are printed, not judged: `TURNKEEPER_STRESS=full`, `--release` and `--nocapture` give numbers that mean something.

use crate::support::client::{Encounter, version};
use crate::support::redis::RedisServer;
use crate::support::server::Server;
use crate::support::sized;
use futures::future::join_all;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use turnkeeper::engine::{Creation, Meta, Request, Rulesets, SeededDice};

const HP: u64 = 1_000_000;
/// In KiB.
const IDLE: u64 = 20 * 1024;

async fn fight(server: &Server) -> Encounter {
    let combatant = |n: usize| json!({"id": format!("c{n:02}"), "hp": {"current": HP, "max": HP}});
    let combatants: Vec<Value> = (0..16).map(combatant).collect();
    Encounter::create(server, json!({"ruleset": "active-initiative", "combatants": combatants})).await
}

fn hurt(target: usize) -> Value {
    json!({"type": "damage", "target": format!("c{:02}", target % 16), "amount": 7})
}

fn mend(target: usize) -> Value {
    json!({"type": "heal", "target": format!("c{:02}", target % 16), "amount": 7})
}

/// Sends `count` pairs of commands, the second of which undoes the first, and tells how long each command took.
async fn exercise(server: &Server, encounter: &Encounter, count: usize) -> Vec<Duration> {
    let mut times = Vec::with_capacity(2 * count);
    for n in 0..count {
        for command in [hurt(n), mend(n)] {
            let sent = Instant::now();
            encounter.tell(server, command).await.expect(200);
            times.push(sent.elapsed());
        }
    }
    times
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1e6
}

/// The state without what tells one encounter, or one version, from another.
fn comparable(mut state: Value) -> Value {
    for field in ["id", "version", "created_at"] {
        state[field] = Value::Null;
    }
    state
}

async fn a_long_log_costs_nothing(server: &Server, store: &str) -> [Encounter; 2] {
    let (old, new) = (fight(server).await, fight(server).await);
    let length = sized(400, 100_000);
    let clients = (0..16).map(|_| exercise(server, &old, length.div_ceil(32)));
    join_all(clients).await;
    exercise(server, &new, 25).await;
    let (mut on_old, mut on_new) = (Vec::new(), Vec::new());
    for _ in 0..sized(2, 40) {
        on_old.extend(exercise(server, &old, 25).await);
        on_new.extend(exercise(server, &new, 25).await);
    }
    let (on_old, on_new) = (median(on_old), median(on_new));
    let states = [old.state(server).await, new.state(server).await];
    assert!(version(&states[0]) >= length as u64);
    println!(
        "{store}: a commit after {} entries takes {on_old:.0} us, after {} entries {on_new:.0} us: {:.3}",
        version(&states[0]),
        version(&states[1]),
        on_old / on_new
    );
    let [old_state, new_state] = states.map(comparable);
    assert_eq!(old_state, new_state);
    [old, new]
}

#[tokio::test]
async fn a_long_log_makes_an_encounter_in_redis_neither_slower_nor_larger() {
    let redis = RedisServer::start();
    let server = Server::on(&redis);
    let sizes = a_long_log_costs_nothing(&server, "Redis").await.map(|encounter| {
        let key = format!("{{turnkeeper:{}}}:doc", encounter.id);
        let size = redis.command(&["HSTRLEN", &key, "document"]);
        redis::from_redis_value::<i64>(size).expect("a size")
    });
    // The version itself may have some digits more.
    assert!((0..8).contains(&(sizes[0] - sizes[1])), "the documents have {sizes:?} bytes");
}

#[tokio::test]
async fn a_long_log_makes_an_embedded_encounter_neither_slower_nor_larger() {
    a_long_log_costs_nothing(&Server::embedded(), "embedded").await;
}

/// Waits until the process is idle, then tells its memory in KiB.
async fn at_rest(server: &Server) -> u64 {
    tokio::time::sleep(Duration::from_millis(300)).await;
    server.resident()
}

async fn memory_is_bounded(server: Server, store: &str) {
    let idle = at_rest(&server).await;
    assert!(idle < IDLE, "the idle server takes {idle} KiB");
    let encounters = join_all((0..16).map(|_| fight(&server))).await;
    let load = |count: usize| join_all(encounters.iter().map(|e| exercise(&server, e, count.div_ceil(32))));
    let commands = sized(2_000, 100_000);
    load(commands / 10).await;
    let warm = at_rest(&server).await;
    load(commands / 2).await;
    let half = at_rest(&server).await;
    load(commands / 2).await;
    let after = at_rest(&server).await;
    println!(
        "{store}: {idle} KiB idle, {warm} after {} commands, {half} after {}, {after} after {}",
        commands / 10,
        commands / 10 + commands / 2,
        commands / 10 + commands
    );
}

#[tokio::test]
async fn the_idle_server_on_redis_is_small_and_does_not_grow() {
    let redis = RedisServer::start();
    memory_is_bounded(Server::on(&redis), "Redis").await;
}

#[tokio::test]
async fn the_idle_server_with_the_embedded_store_is_small_and_does_not_grow() {
    memory_is_bounded(Server::embedded(), "embedded").await;
}

#[test]
fn what_is_remembered_of_a_combatant_is_what_would_be_said_anew() {
    let rulesets = Rulesets::shipped();
    let meta = Meta {
        id: "e".into(),
        created_at: "now".into(),
        seed: None,
        request: None,
        player_undo: false,
        tokens: Vec::new(),
    };
    let body = json!({"ruleset": "active-initiative", "combatants": [
        {"id": "ann", "hp": {"current": 9, "max": 9}}, {"id": "bob"}, {"id": "rats", "members": ["r1", "r2"], "side": "monsters"}]});
    let mut game = rulesets.create(meta, Creation::read(body).expect("a creation")).expect("an encounter");
    let commands = json!([
        {"type": "start", "first": "ann"}, {"type": "damage", "target": "ann", "amount": 2}, {"type": "note", "text": "-"},
        {"type": "set_condition", "target": "bob", "condition": "prone"}, {"type": "heal", "target": "ann", "amount": 1},
        {"type": "damage", "target": "rats", "member": "r1", "amount": 1}, {"type": "note", "text": "-"},
        {"type": "end_turn", "combatant": "ann", "next": "bob", "begin": true},
        {"type": "update_combatant", "combatant": "bob", "changes": {"name": "Bobby"}}, {"type": "note", "text": "-"},
        {"type": "clear_condition", "target": "bob", "condition": "prone"}, {"type": "remove_combatant", "combatant": "ann"}]);
    for command in commands.as_array().expect("a list") {
        let request = Request::read(command.clone()).expect("a request");
        game = game.decide(&request, &mut SeededDice::new([7; 32])).unwrap_or_else(|_| panic!("{command}")).next;
        let document = game.document().expect("a document");
        let anew = rulesets.load(&document).expect("a document");
        // Said for the first time, then remembered, then said from memory.
        for _ in 0..3 {
            assert_eq!(game.document().expect("a document"), document);
            assert_eq!(anew.document().expect("a document"), document);
            let view = game.view().expect("a view").get().to_owned();
            assert_eq!(anew.view().expect("a view").get(), view);
            let mut answer = b"in front ".to_vec();
            game.view_into(&mut answer).expect("a view");
            assert_eq!(answer, ["in front ", &view].concat().as_bytes());
        }
    }
}
