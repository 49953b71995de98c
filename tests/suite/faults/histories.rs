//! Recorded histories of several processes on one store while these, their connections and the
//! store are disturbed.
//!
//! Each round has new encounters with a few clients each, which ask a random process each time.
//! `TURNKEEPER_HISTORIES` is the minimum number of operations of each test, `TURNKEEPER_SEED`
//! chooses what is sent and what is disturbed.

use super::player::{HP, Player, Recorded};
use crate::e2e::Api;
use crate::support::client::{Client, Fight, crowd};
use crate::support::cluster::{NODE_TIMEOUT, RedisCluster};
use crate::support::process::wait;
use crate::support::proxy::{Gate, Proxy};
use crate::support::redis::{DURABLE, RedisServer};
use crate::support::server::Server;
use crate::support::setting;
use async_trait::async_trait;
use futures::future::{join_all, try_join_all};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Clients of each encounter.
const CLIENTS: usize = 4;
/// Requests of each client.
const REQUESTS: usize = 14;

/// Timeout of the search for the orders of a round, which takes some milliseconds an encounter.
const CHECK: Duration = Duration::from_secs(60);

/// Processes on one store.
pub struct Site {
    servers: Vec<Server>,
    clients: Vec<Mutex<Client>>,
    /// How long a client repeats a request that is not answered.
    pub time_limit: Duration,
    /// Answers with the status 500.
    pub mistakes: AtomicUsize,
    /// True when the clients are done.
    over: AtomicBool,
}

/// What is disturbed beside the processes.
enum Store {
    Single {
        server: RedisServer,
        proxies: Vec<Proxy>,
    },
    Cluster {
        cluster: RedisCluster,
        /// When each node was last replaced, by its port.
        replaced: BTreeMap<u16, Instant>,
    },
}

/// Ends the disturbance, also where a client panics: else the test would wait for it for ever.
struct Ending<'s>(&'s AtomicBool);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn pause(random: &mut StdRng, most: u64) {
    sleep(Duration::from_millis(random.random_range(5..most)));
}

impl Store {
    /// Breaks something for a while, and says what.
    fn disturb(&mut self, random: &mut StdRng) -> &'static str {
        let cut = |server: &RedisServer| server.command(&["CLIENT", "KILL", "TYPE", "normal"]);
        match (self, random.random_range(0..5)) {
            (Self::Single { server, .. }, 0) => {
                cut(server);
                "connections cut"
            }
            (Self::Single { server, .. }, 1) => {
                server.kill();
                pause(random, 300);
                server.again();
                "Redis killed"
            }
            (Self::Single { server, .. }, 2) => {
                server.pause();
                pause(random, 1500);
                server.resume();
                "Redis frozen"
            }
            (Self::Single { proxies, .. }, 3) => {
                proxies[random.random_range(0..proxies.len())].forget();
                "connections forgotten"
            }
            (Self::Single { proxies, .. }, _) => {
                proxies.iter().for_each(Proxy::swallow_the_next_answer);
                "answers swallowed"
            }
            (Self::Cluster { cluster, .. }, 0 | 1) => {
                cluster.servers.iter().map(cut).for_each(drop);
                "connections cut"
            }
            (Self::Cluster { cluster, .. }, 2) => {
                let server = &cluster.servers[random.random_range(0..cluster.servers.len())];
                server.pause();
                pause(random, 700);
                server.resume();
                "a node frozen"
            }
            (Self::Cluster { cluster, replaced }, _) => {
                // The others do not vote a second time in twice their timeout. A vote that comes when
                // the attempt ends, after five seconds, loses what the primary accepts until it hears
                // of it.
                let may_be = |primary| {
                    let last: Option<&Instant> = replaced.get(&primary);
                    last.is_none_or(|at| at.elapsed() > 2 * NODE_TIMEOUT)
                };
                let replicas = cluster.servers.iter().filter_map(|server| {
                    let primary = server.primary().filter(|primary| may_be(*primary))?;
                    Some((server, primary))
                });
                let replicas: Vec<_> = replicas.collect();
                if replicas.is_empty() {
                    return "primaries kept";
                }
                let (replica, primary) = replicas[random.random_range(0..replicas.len())];
                replica.command(&["CLUSTER", "FAILOVER"]);
                wait(Duration::from_secs(5), || replica.is_primary());
                replaced.insert(primary, Instant::now());
                "primaries replaced"
            }
        }
    }
}

impl Site {
    /// Starts a process for each of these addresses of a store.
    fn on(urls: &[String], time_limit: Duration) -> Arc<Self> {
        let start = |url: &String| Server::with(&[("REDIS_URL", url), ("TURNKEEPER_LOG", "warn")]);
        let servers: Vec<_> = urls.iter().map(start).collect();
        let clients = servers
            .iter()
            .map(|server| Mutex::new(server.client()))
            .collect();
        Arc::new(Self {
            servers,
            clients,
            time_limit,
            mistakes: AtomicUsize::new(0),
            over: AtomicBool::new(false),
        })
    }

    /// A client of one of the processes as it runs now.
    pub fn client(&self, process: u32) -> Client {
        self.clients[process as usize % self.clients.len()]
            .lock()
            .expect("no panic before")
            .clone()
    }

    /// Creates an encounter, as often as it takes.
    async fn create(&self, key: &str) -> Arc<Recorded> {
        let creation = crowd(HP);
        loop {
            let answer = self
                .client(0)
                .post("/v1/encounters", &creation)
                .key(key)
                .try_send()
                .await;
            if let Some(answer) = answer.ok().filter(|answer| answer.status != 503) {
                return Recorded::new(Fight::of(&self.client(0), &answer));
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Plays new encounters under a disturbance, which is given them: the number of operations, or
    /// a history that no order explains.
    async fn round<F: Future<Output = ()>>(
        self: &Arc<Self>,
        seed: u64,
        disturbance: impl FnOnce(Vec<Arc<Recorded>>) -> F,
    ) -> Result<usize, String> {
        let ending = Ending(&self.over);
        let keys: Vec<_> = (0..encounters())
            .map(|n| format!("encounter-{n:02}-of-round-{seed:012}"))
            .collect();
        let encounters = join_all(keys.iter().map(|key| self.create(key))).await;
        let players = (0..encounters.len() * CLIENTS).map(|n| {
            let mut player = Player::of(&encounters[n % encounters.len()], self, seed + n as u64);
            tokio::spawn(async move {
                for _ in 0..REQUESTS {
                    player.act().await;
                }
                player
            })
        });
        let players = async {
            let players = try_join_all(players).await.expect("no panic");
            drop(ending);
            players
        };
        let (mut players, ()) = tokio::join!(players, disturbance(encounters.clone()));
        join_all(players.iter_mut().map(Player::last_look)).await;
        // On a thread of its own: the runtime would wait for a search that does not end.
        let (checked, verdict) = tokio::sync::oneshot::channel();
        std::thread::spawn(move || {
            checked.send(
                encounters
                    .iter()
                    .map(|encounter| encounter.history.check())
                    .sum(),
            )
        });
        tokio::time::timeout(CHECK, verdict)
            .await
            .expect("the search ends")
            .expect("no panic")
    }

    /// Disturbs processes and their store until the clients are done, and counts what it did.
    fn disturb(
        &self,
        store: &mut Store,
        random: &mut StdRng,
        done: &mut BTreeMap<&'static str, usize>,
    ) {
        while !self.over.load(Ordering::Relaxed) {
            pause(random, 100);
            let process = random.random_range(0..self.servers.len());
            let what = match random.random_range(0..8) {
                0 => {
                    self.servers[process].crash();
                    *self.clients[process].lock().expect("no panic before") =
                        self.servers[process].client();
                    "processes killed"
                }
                1 => {
                    self.servers[process].signal("STOP");
                    pause(random, 1500);
                    self.servers[process].signal("CONT");
                    "processes frozen"
                }
                _ => store.disturb(random),
            };
            *done.entry(what).or_default() += 1;
        }
    }

    /// Plays rounds until there are enough operations.
    async fn rounds(self: Arc<Self>, store: Store) {
        let (began, seed) = (Instant::now(), seed());
        let disturbed = Arc::new(Mutex::new((
            store,
            StdRng::seed_from_u64(seed),
            BTreeMap::new(),
        )));
        let (mut rounds, mut operations) = (0, 0);
        while operations < least() {
            self.over.store(false, Ordering::Relaxed);
            let (site, disturbed) = (self.clone(), disturbed.clone());
            let disturbance = tokio::task::spawn_blocking(move || {
                let (store, random, done) = &mut *disturbed.lock().expect("no panic before");
                site.disturb(store, random, done);
            });
            let round = self.round(seed + rounds * 1000, |_| async {
                disturbance.await.expect("no panic");
            });
            operations += round.await.unwrap_or_else(explained);
            rounds += 1;
        }
        let done = &disturbed.lock().expect("no panic before").2;
        println!(
            "{operations} operations in {rounds} rounds and {:?}: {done:?}",
            began.elapsed()
        );
        assert_eq!(self.mistakes.load(Ordering::Relaxed), 0);
    }
}

/// The minimum number of operations.
fn least() -> usize {
    setting("TURNKEEPER_HISTORIES").map_or(800, |least| {
        usize::try_from(least).expect("a number of operations")
    })
}

/// The encounters of a round.
fn encounters() -> usize {
    if least() < 10_000 { 12 } else { 60 }
}

/// What chooses everything that is chosen.
pub fn seed() -> u64 {
    let seed = setting("TURNKEEPER_SEED").unwrap_or_else(|| rand::random::<u32>().into());
    println!("TURNKEEPER_SEED={seed}");
    seed
}

fn explained(history: String) -> usize {
    panic!("no order of these operations explains their answers:\n{history}")
}

/// A process behind a proxy of its own, as often as wanted.
async fn behind_proxies(
    server: &RedisServer,
    processes: usize,
    time_limit: Duration,
) -> (Arc<Site>, Vec<Proxy>) {
    let proxies = join_all((0..processes).map(|_| Proxy::before(server))).await;
    (
        Site::on(
            &proxies.iter().map(Proxy::url).collect::<Vec<_>>(),
            time_limit,
        ),
        proxies,
    )
}

const TIME_LIMIT: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn histories_of_three_processes_on_one_redis_are_linearizable() {
    let server = RedisServer::with(&DURABLE);
    let (site, proxies) = behind_proxies(&server, 3, TIME_LIMIT).await;
    site.rounds(Store::Single { server, proxies }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn histories_of_two_processes_on_a_cluster_are_linearizable() {
    let cluster = RedisCluster::with_replicas();
    let site = Site::on(&[cluster.url(), cluster.url()], TIME_LIMIT);
    let replaced = BTreeMap::new();
    site.rounds(Store::Cluster { cluster, replaced }).await;
}

fn document_key(encounter: &Recorded) -> String {
    format!("{{turnkeeper:{}}}:doc", encounter.fight.id)
}

/// What Redis keeps is a prefix: all writes up to one of them, and none after it. All processes
/// show one state, and go on from it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn histories_go_on_from_a_prefix_where_redis_loses_acknowledged_writes() {
    let (began, seed, mut primary, mut replica) = (
        Instant::now(),
        seed(),
        RedisServer::start(),
        RedisServer::start(),
    );
    let (site, proxies) = behind_proxies(&primary, 2, TIME_LIMIT).await;
    let (mut rounds, mut operations, mut lost) = (0, 0, 0);
    while operations < least() {
        replica.command(&["REPLICAOF", "127.0.0.1", &primary.port().to_string()]);
        let linked = || {
            replica
                .ask::<String>(&["INFO", "replication"])
                .contains("master_link_status:up")
        };
        assert!(wait(Duration::from_secs(20), linked), "no replication");
        let fail_over = async |encounters: Vec<Arc<Recorded>>| {
            let milliseconds = async |n| tokio::time::sleep(Duration::from_millis(n)).await;
            milliseconds(100).await;
            let has = |encounter: &Arc<Recorded>| {
                replica.ask::<bool>(&["EXISTS", &document_key(encounter)])
            };
            assert!(
                wait(Duration::from_secs(20), || encounters.iter().all(has)),
                "no replication"
            );
            // From here on the replica misses what the primary acknowledges.
            replica.command(&["REPLICAOF", "NO", "ONE"]);
            milliseconds(150).await;
            lost += encounters
                .iter()
                .map(|encounter| {
                    primary.ask::<usize>(&["HGET", &document_key(encounter), "version"])
                })
                .sum::<usize>();
            primary.kill();
            let api = Api::on_redis(&replica.url()).await;
            for encounter in &encounters {
                lost -= encounter.record_loss(&api).await;
            }
            proxies
                .iter()
                .for_each(|proxy| proxy.lead_to(replica.port()));
        };
        operations += site
            .round(seed + rounds * 1000, fail_over)
            .await
            .unwrap_or_else(explained);
        primary.again();
        std::mem::swap(&mut primary, &mut replica);
        rounds += 1;
    }
    assert_eq!(site.mistakes.load(Ordering::Relaxed), 0);
    assert!(lost > 0, "nothing was lost");
    println!(
        "{operations} operations, {lost} versions lost, in {rounds} rounds and {:?}",
        began.elapsed()
    );
}

/// Has Redis run another script in place of the program's.
struct Altered {
    script: String,
    by: String,
}

#[async_trait]
impl Gate for Altered {
    async fn pass(&self, bytes: &mut Vec<u8>) -> bool {
        let script = self.script.as_bytes();
        if let Some(at) = bytes
            .windows(script.len())
            .position(|window| window == script)
        {
            bytes[at..at + script.len()].copy_from_slice(self.by.as_bytes());
        }
        true
    }
}

/// Plays against a commit script without some of its lines while answers are swallowed, until the
/// checker finds a history wrong.
async fn is_found(without: &[(&str, &str)]) {
    let commit = include_str!("../../../src/store/redis/commit.lua");
    let altered = without
        .iter()
        .fold(commit.to_owned(), |script, (line, by)| {
            assert!(script.contains(line), "the script has no {line:?}");
            script.replace(line, by)
        });
    let server = RedisServer::start();
    let hash = |script: &str| server.ask::<String>(&["SCRIPT", "LOAD", script]);
    let gate = Arc::new(Altered {
        script: hash(commit),
        by: hash(&altered),
    });
    let proxies = join_all((0..2).map(|_| Proxy::gated(server.port(), gate.clone()))).await;
    let urls: Vec<_> = proxies.iter().map(Proxy::url).collect();
    let site = Site::on(&urls, Duration::from_millis(200));
    let (began, seed) = (Instant::now(), seed());
    for round in 0.. {
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "{round} rounds show nothing wrong"
        );
        site.over.store(false, Ordering::Relaxed);
        let swallowing = async |_| {
            while !site.over.load(Ordering::Relaxed) {
                proxies.iter().for_each(Proxy::swallow_the_next_answer);
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        if site.round(seed + round * 1000, swallowing).await.is_err() {
            return println!("found in round {round} after {:?}", began.elapsed());
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_without_its_nonce_is_found() {
    is_found(&[
        ("return at[1] and at[1][2][4] == nonce", "return false"),
        (
            "return recent_nonces and string.find(recent_nonces, nonce, 1, true)",
            "return false",
        ),
    ])
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_that_does_not_compare_is_found() {
    is_found(&[
        ("if found[1] ~= expected then", "if false then"),
        ("if version ~= previous_version then", "if false then"),
    ])
    .await;
}
