//! Many clients at once, with and without crashes: what is acknowledged is in the log, and once.

use crate::support::client::{Answer, Client, Fight, text, version};
use crate::support::redis::RedisServer;
use crate::support::server::Server;
use crate::support::sized;
use futures::future::join_all;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const CLIENTS: usize = 64;
const HP: u64 = 1_000_000;

/// Servers on one store, and encounters in it.
struct Stand {
    servers: Vec<(Mutex<Client>, Server)>,
    encounters: Vec<Fight>,
    /// Commands that their clients are done with.
    done: AtomicUsize,
    /// Answers that were "not now".
    unavailable: AtomicUsize,
}

/// What the client knows of a command in the end.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fate {
    /// It was accepted and made this version.
    Accepted(u64),
    /// The connection broke before the answer: it was applied once, or not at all.
    Unknown,
    /// It was answered that nothing was applied.
    NotApplied,
}

/// A command of a client's: the text that tells it from all others.
struct Sent {
    encounter: usize,
    text: String,
    fate: Fate,
}

impl Stand {
    async fn new(servers: Vec<Server>, encounters: usize) -> Arc<Self> {
        let fight = json!({"ruleset": "active-initiative", "combatants": [
            {"id": "ann", "hp": {"current": HP, "max": HP}}, {"id": "bob"}, {"id": "orc", "side": "monsters"}]});
        let api = servers[0].client();
        let encounters = join_all((0..encounters).map(|_| api.create(&fight))).await;
        let servers = servers.into_iter().map(|server| (Mutex::new(server.client()), server)).collect();
        Arc::new(Self { servers, encounters, done: AtomicUsize::new(0), unavailable: AtomicUsize::new(0) })
    }

    /// The client of a server as it runs now.
    fn client(&self, server: usize) -> Client {
        self.servers[server % self.servers.len()].0.lock().expect("no panic before").clone()
    }

    /// Sends the command `text` to a server, under a key or not; None when the connection breaks before the answer. Tries the next
    /// server where one refuses connections.
    async fn attempt(&self, encounter: usize, text: &str, key: Option<&str>, server: usize) -> Option<Answer> {
        let command = json!([{"type": "note", "text": text}, {"type": "damage", "target": "ann", "amount": 1}]);
        for server in server..server + 10_000 {
            let call = self.encounters[encounter].through(&self.client(server)).command(&command);
            let call = key.into_iter().fold(call, |call, key| call.key(key));
            match call.try_send().await {
                Ok(answer) => return Some(answer),
                Err(error) if error.is_connect() => tokio::time::sleep(Duration::from_millis(5)).await,
                Err(_) => return None,
            }
        }
        panic!("nobody listens any more")
    }

    /// Sends a command once.
    async fn once(&self, encounter: usize, text: &str, server: usize) -> Fate {
        match self.attempt(encounter, text, None, server).await {
            None => Fate::Unknown,
            Some(answer) if answer.status == 503 => {
                self.unavailable.fetch_add(1, Ordering::Relaxed);
                if answer.json()["code"] == "contended" { Fate::NotApplied } else { Fate::Unknown }
            }
            Some(answer) => Fate::Accepted(accepted(&answer, text)),
        }
    }

    /// Sends a command under a key until it is accepted.
    async fn insist(&self, encounter: usize, text: &str, server: usize) -> Answer {
        for attempt in 0..10_000 {
            match self.attempt(encounter, text, Some(&text.replace(' ', "-")), server + attempt).await {
                None => {}
                Some(answer) if answer.status == 503 => {
                    self.unavailable.fetch_add(1, Ordering::Relaxed);
                }
                Some(answer) => return answer,
            }
        }
        panic!("{text} is never accepted")
    }

    /// Sends a command twice at once under one key, through two servers where there are two.
    async fn twice(&self, encounter: usize, text: &str, server: usize) -> Fate {
        let (one, other) = tokio::join!(self.insist(encounter, text, server), self.insist(encounter, text, server + 1));
        let version = accepted(&one, text);
        assert_eq!((accepted(&other, text), &one.body), (version, &other.body));
        let replayed = [&one, &other].map(|answer| answer.header("idempotency-replayed") == "true");
        assert!(replayed != [false, false], "{text} was applied twice");
        Fate::Accepted(version)
    }

    /// One client: one command after the other, a quarter of them twice.
    async fn writer(self: Arc<Self>, number: usize, commands: usize) -> Vec<Sent> {
        let mut sent = Vec::new();
        let encounter = number % self.encounters.len();
        for i in 0..commands {
            let text = format!("command {i} of client {number}");
            let fate = match i % 4 {
                0 => self.twice(encounter, &text, number + i).await,
                _ => self.once(encounter, &text, number + i).await,
            };
            self.done.fetch_add(1, Ordering::Relaxed);
            sent.push(Sent { encounter, text, fate });
        }
        sent
    }

    /// Kills and starts servers in turn, evenly over the load.
    async fn crash(self: Arc<Self>, times: usize, load: usize) {
        for n in 1..=times {
            while self.done.load(Ordering::Relaxed) < load * n / (times + 1) {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            let stand = self.clone();
            let crash = move || {
                let (client, server) = &stand.servers[n % stand.servers.len()];
                server.crash();
                *client.lock().expect("no panic before") = server.client();
            };
            tokio::task::spawn_blocking(crash).await.expect("it starts again");
        }
    }

    /// Lets the clients send about `load` commands while servers crash `times` times; then holds their answers against
    /// what is there.
    async fn storm(self: Arc<Self>, load: usize, times: usize) {
        let each = load.div_ceil(CLIENTS);
        let crashes = tokio::spawn(self.clone().crash(times, each * CLIENTS));
        let clients = (0..CLIENTS).map(|number| tokio::spawn(self.clone().writer(number, each)));
        let sent: Vec<Sent> = join_all(clients).await.into_iter().flat_map(|sent| sent.expect("no panic")).collect();
        crashes.await.expect("no panic");
        self.check(&sent, times > 0).await;
    }

    async fn check(&self, sent: &[Sent], crashed: bool) {
        let count = |right: fn(&Fate) -> bool| sent.iter().filter(|sent| right(&sent.fate)).count();
        let accepted = count(|fate| matches!(fate, Fate::Accepted(_)));
        let unknown = count(|fate| *fate == Fate::Unknown);
        let unavailable = self.unavailable.load(Ordering::Relaxed);
        let mut entries = 0;
        let mut found = 0;
        for (number, encounter) in self.encounters.iter().enumerate() {
            let encounter = encounter.through(&self.client(number));
            let log = encounter.entries().await;
            assert!(log.iter().map(version).eq(1..=log.len() as u64), "the versions are 1, 2, 3 and so on");
            let applied: HashMap<String, u64> = log.iter().map(|entry| (noted(entry), version(entry))).collect();
            assert_eq!(applied.len(), log.len(), "nothing is applied twice");
            let state = encounter.read("").await;
            assert_eq!(version(&state), log.len() as u64);
            assert_eq!(state["combatants"][0]["hp"]["current"], HP - log.len() as u64, "each took its hit point, once");
            for sent in sent.iter().filter(|sent| sent.encounter == number) {
                let at = applied.get(sent.text.as_str()).copied();
                match sent.fate {
                    Fate::Accepted(version) => assert_eq!(at, Some(version), "{} is in the log", sent.text),
                    Fate::NotApplied => assert_eq!(at, None, "{} is not in the log", sent.text),
                    Fate::Unknown => {}
                }
                found += usize::from(at.is_some());
            }
            entries += log.len();
        }
        assert_eq!(found, entries, "nothing is in the log that nobody sent");
        if !crashed {
            assert_eq!((unknown, unavailable), (0, 0));
            assert_eq!(accepted, entries);
        }
    }
}

/// The version that an accepted command made; its answer tells what was sent.
#[track_caller]
fn accepted(answer: &Answer, sent: &str) -> u64 {
    assert_eq!(answer.status, 200, "{answer:?}");
    let body = answer.json();
    assert_eq!(noted(&body), sent);
    assert_eq!(version(&body), answer.version());
    version(&body)
}

/// What the note in a log entry, or in an answer, says.
#[track_caller]
fn noted(entry: &Value) -> String {
    assert_eq!(entry["events"].as_array().map(Vec::len), Some(2), "{entry}");
    text(&entry["events"][0]["text"])
}

/// In the end every log entry is compared with what was acknowledged.
fn keeping_all(redis: &RedisServer) -> Server {
    Server::with(&[("REDIS_URL", &redis.url()), ("TURNKEEPER_LOG_KEEP", "0")])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_of_two_processes_on_one_redis_lose_and_double_nothing() {
    let redis = RedisServer::start();
    let stand = Stand::new(vec![keeping_all(&redis), keeping_all(&redis)], 1).await;
    stand.storm(sized(640, 20_000), 0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_of_crashing_processes_on_one_redis_lose_and_double_nothing() {
    let redis = RedisServer::start();
    let stand = Stand::new(vec![keeping_all(&redis), keeping_all(&redis)], 1).await;
    stand.storm(sized(640, 20_000), sized(3, 20)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_of_a_crashing_embedded_store_lose_and_double_nothing() {
    let stand = Stand::new(vec![Server::with(&[("TURNKEEPER_LOG_KEEP", "0")])], 8).await;
    stand.storm(sized(640, 20_000), sized(3, 20)).await;
}
