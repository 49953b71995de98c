//! Many clients at once while servers or their store are disturbed: what is acknowledged is in the
//! log, and once.

use crate::support::client::{Answer, Client, Fight, crowd, text, version};
use crate::support::redis::RedisServer;
use crate::support::server::Server;
use crate::support::sized;
use futures::future::{join_all, try_join_all};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const HP: u64 = 1_000_000;

/// Clients of servers on one store, and encounters in it.
pub struct Storm {
    servers: Vec<Mutex<Client>>,
    pub encounters: Vec<Fight>,
    /// Commands that were accepted.
    accepted: AtomicUsize,
    over: AtomicBool,
}

/// What the client knows of a command in the end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fate {
    /// It was accepted and made this version.
    Accepted(u64),
    /// The connection broke before the answer: it was applied once, or not at all.
    Unknown,
    /// It was answered that nothing was applied.
    NotApplied,
}

/// A command of a client's: the text that tells it from all others.
pub struct Sent {
    pub encounter: usize,
    text: String,
    pub fate: Fate,
}

impl Storm {
    pub async fn new(servers: Vec<Client>, encounters: usize) -> Arc<Self> {
        let fight = crowd(HP);
        let encounters = join_all((0..encounters).map(|_| servers[0].create(&fight))).await;
        let servers = servers.into_iter().map(Mutex::new).collect();
        Arc::new(Self {
            servers,
            encounters,
            accepted: AtomicUsize::new(0),
            over: AtomicBool::new(false),
        })
    }

    /// The client of a server as it runs now.
    fn client(&self, server: usize) -> Client {
        self.servers[server % self.servers.len()]
            .lock()
            .expect("no panic before")
            .clone()
    }

    /// Sends the command `text` to a server, under a key or not; None when the connection breaks
    /// before the answer. Tries the next server where one refuses connections.
    async fn attempt(
        &self,
        encounter: usize,
        text: &str,
        key: Option<&str>,
        server: usize,
    ) -> Option<Answer> {
        let command = json!([{"type": "note", "text": text}, {"type": "damage", "target": "ann", "amount": 1}]);
        for server in server..server + 10_000 {
            let call = self.encounters[encounter]
                .through(&self.client(server))
                .command(&command);
            let call = key.into_iter().fold(call, |call, key| call.key(key));
            match call.try_send().await {
                Ok(answer) => return Some(answer),
                Err(error) if error.is_connect() => {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
                Err(_) => return None,
            }
        }
        panic!("nobody listens any more")
    }

    /// Sends a command once.
    async fn once(&self, encounter: usize, text: &str, server: usize) -> Fate {
        match self.attempt(encounter, text, None, server).await {
            None => Fate::Unknown,
            Some(answer) if answer.status == 503 && answer.json()["code"] == "contended" => {
                Fate::NotApplied
            }
            Some(answer) if answer.status == 503 => Fate::Unknown,
            Some(answer) => fate(&answer, text),
        }
    }

    /// Sends a command under a key until it is answered.
    async fn insist(&self, encounter: usize, text: &str, server: usize) -> Answer {
        let (key, since, mut server) = (text.replace(' ', "-"), Instant::now(), server);
        loop {
            match self.attempt(encounter, text, Some(&key), server).await {
                Some(answer) if answer.status != 503 => return answer,
                answer => assert!(
                    since.elapsed() < Duration::from_secs(120),
                    "{text} is never accepted: {answer:?}"
                ),
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
            server += 1;
        }
    }

    /// Sends a command twice at once under one key, through two servers where there are two.
    async fn twice(&self, encounter: usize, text: &str, server: usize) -> Fate {
        let (one, other) = tokio::join!(
            self.insist(encounter, text, server),
            self.insist(encounter, text, server + 1)
        );
        let fates = [fate(&one, text), fate(&other, text)];
        assert_eq!((fates[0], &one.body), (fates[1], &other.body));
        let replayed = [&one, &other].map(|answer| answer.header("idempotency-replayed") == "true");
        assert!(replayed != [false, false], "{text} was applied twice");
        fates[0]
    }

    /// One client: one command after the other, a quarter of them twice.
    async fn writer(self: Arc<Self>, number: usize) -> Vec<Sent> {
        let mut sent = Vec::new();
        let encounter = number % self.encounters.len();
        while !self.over.load(Ordering::Relaxed) {
            let i = sent.len();
            let text = format!("command {i} of client {number}");
            let fate = match i % 4 {
                0 => self.twice(encounter, &text, number + i).await,
                _ => self.once(encounter, &text, number + i).await,
            };
            let accepted = usize::from(matches!(fate, Fate::Accepted(_)));
            self.accepted.fetch_add(accepted, Ordering::Relaxed);
            sent.push(Sent {
                encounter,
                text,
                fate,
            });
        }
        sent
    }

    /// Waits until this number of commands was accepted.
    async fn wait_for(&self, load: usize) {
        while self.accepted.load(Ordering::Relaxed) < load {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    /// Waits until this number of commands more was accepted.
    pub async fn wait_for_more(&self, load: usize) {
        self.wait_for(self.accepted.load(Ordering::Relaxed) + load)
            .await;
    }

    /// Lets this number of clients send commands until the disturbance is over; what they sent, and
    /// what comes of the disturbance.
    pub async fn rage<T>(
        self: &Arc<Self>,
        clients: usize,
        disturbance: impl Future<Output = T>,
    ) -> (Vec<Sent>, T) {
        let writers = (0..clients).map(|number| tokio::spawn(self.clone().writer(number)));
        let writers = async { try_join_all(writers).await.expect("no panic") };
        let disturbed = async {
            let disturbed = disturbance.await;
            self.over.store(true, Ordering::Relaxed);
            disturbed
        };
        let (sent, disturbed) = tokio::join!(writers, disturbed);
        (sent.into_iter().flatten().collect(), disturbed)
    }

    /// Holds the answers against what is there.
    pub async fn check(&self, sent: &[Sent]) {
        let mut entries = 0;
        let mut found = 0;
        for (number, encounter) in self.encounters.iter().enumerate() {
            let encounter = encounter.through(&self.client(number));
            let log = encounter.entries().await;
            assert!(
                log.iter().map(version).eq(1..=log.len() as u64),
                "the versions are 1, 2, 3 and so on"
            );
            let applied: HashMap<String, u64> = log
                .iter()
                .map(|entry| (noted(entry), version(entry)))
                .collect();
            assert_eq!(applied.len(), log.len(), "nothing is applied twice");
            let state = encounter.read("").await;
            assert_eq!(version(&state), log.len() as u64);
            assert_eq!(
                state["combatants"][0]["hp"]["current"],
                HP - log.len() as u64,
                "each took its hit point, once"
            );
            for sent in sent.iter().filter(|sent| sent.encounter == number) {
                let at = applied.get(sent.text.as_str()).copied();
                match sent.fate {
                    Fate::Accepted(version) => {
                        assert_eq!(at, Some(version), "{} is in the log", sent.text);
                    }
                    Fate::NotApplied => assert_eq!(at, None, "{} is not in the log", sent.text),
                    Fate::Unknown => {}
                }
                found += usize::from(at.is_some());
            }
            entries += log.len();
        }
        assert_eq!(found, entries, "nothing is in the log that nobody sent");
    }
}

/// What an answer other than a 503 says of the command: an accepted one shows what was sent.
#[track_caller]
fn fate(answer: &Answer, sent: &str) -> Fate {
    assert_eq!(answer.status, 200, "{answer:?}");
    let body = answer.json();
    assert_eq!(noted(&body), sent);
    assert_eq!(version(&body), answer.version());
    Fate::Accepted(version(&body))
}

/// What the note in a log entry, or in an answer, says.
#[track_caller]
fn noted(entry: &Value) -> String {
    assert_eq!(entry["events"].as_array().map(Vec::len), Some(2), "{entry}");
    text(&entry["events"][0]["text"])
}

/// Lets 64 clients send a load of commands while the servers crash in turn, evenly over the load.
async fn storm(servers: Vec<Server>, encounters: usize, crashes: usize) {
    let storm = Storm::new(servers.iter().map(Server::client).collect(), encounters).await;
    let (servers, load) = (Arc::new(servers), sized(640, 20_000));
    let disturbance = async {
        for n in 1..=crashes {
            storm.wait_for(load * n / (crashes + 1)).await;
            let (servers, server) = (servers.clone(), n % servers.len());
            let crash = move || {
                servers[server].crash();
                servers[server].client()
            };
            let client = tokio::task::spawn_blocking(crash)
                .await
                .expect("it starts again");
            *storm.servers[server].lock().expect("no panic before") = client;
        }
        storm.wait_for(load).await;
    };
    let (sent, ()) = storm.rage(64, disturbance).await;
    storm.check(&sent).await;
}

/// In the end every log entry is compared with what was acknowledged.
fn keeping_all(redis: &RedisServer) -> Server {
    Server::with(&[("REDIS_URL", &redis.url()), ("TURNKEEPER_LOG_KEEP", "0")])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_of_two_processes_on_one_redis_lose_and_double_nothing() {
    let redis = RedisServer::start();
    storm(vec![keeping_all(&redis), keeping_all(&redis)], 1, 0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_of_crashing_processes_on_one_redis_lose_and_double_nothing() {
    let redis = RedisServer::start();
    storm(
        vec![keeping_all(&redis), keeping_all(&redis)],
        1,
        sized(3, 20),
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_of_a_crashing_embedded_store_lose_and_double_nothing() {
    storm(
        vec![Server::with(&[("TURNKEEPER_LOG_KEEP", "0")])],
        8,
        sized(3, 20),
    )
    .await;
}
