//! The program beside peers on the same work: `benches/peers/run` installs them and starts this.
//!
//! One client sends the same commands to each in turn, several times. Two groups: without a promise
//! about the disk, and durable. `PEERS_ROUNDS` (3) and `PEERS_SECONDS` (1.5, each measurement) make
//! it longer, `PEERS_CELLS` chooses combatants and connections, such as `16x64,64x64`, and
//! `TURNKEEPER` another build of the program.

#[path = "../load/bare.rs"]
mod bare;
#[path = "../load/fight.rs"]
mod fight;
#[path = "../load/figures.rs"]
mod figures;
#[path = "../load/generator.rs"]
mod generator;
mod pair;
mod peer;
mod socket_io;
#[path = "../load/support.rs"]
mod support;
mod table;

use bare::Example;
use futures::FutureExt;
use generator::{Requests, Sample, Wire};
use pair::Pair;
use peer::Peer;
use socket_io::Moves;
use std::panic::AssertUnwindSafe;
use std::process::Command;
use std::rc::Rc;
use std::time::Duration;
use support::client::Client;
use support::redis::RedisServer;
use table::{Cell, Table};

/// The program's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    match std::env::var("BARE_REDIS") {
        Ok(url) => bare::serve(&url),
        Err(_) => measure(),
    }
}

fn setting(name: &str, default: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| default.to_owned())
}

fn number(text: &str) -> f64 {
    text.parse()
        .unwrap_or_else(|_| panic!("{text} is a number"))
}

#[tokio::main(flavor = "current_thread")]
async fn measure() {
    let cells = setting("PEERS_CELLS", "16x64,16x1,4x64,64x64,16x512");
    let cells = cells
        .split(',')
        .map(|cell| cell.split_once('x').expect("combatants x connections"));
    let rounds = number(&setting("PEERS_ROUNDS", "3")) as usize;
    println!("Medians of {rounds}.");
    let mut count = 0;
    for (combatants, connections) in cells {
        let bench = Bench::start(number(combatants) as usize, number(connections) as usize);
        for minimal in [false, true] {
            let cell = Cell {
                combatants: bench.combatants,
                connections: bench.connections,
                minimal,
            };
            let mut table = Table::new(cell);
            // The first round only warms up: just-in-time compilers take their time.
            for round in 0..=rounds {
                // The order alternates, so that none always follows the same other.
                let mut order = ALL;
                if round % 2 == 0 {
                    order.reverse();
                }
                for name in order {
                    count += 1;
                    eprintln!("{cell}, round {round}: {name}");
                    // A peer may give up under a load; the others go on.
                    let sample = AssertUnwindSafe(bench.sample(name, minimal, count))
                        .catch_unwind()
                        .await;
                    if round > 0 {
                        table.add(name, sample.ok());
                    }
                }
            }
            print!("{table}");
        }
    }
}

const ON_REDIS: &str = "Turnkeeper on Redis";
const BARE: &str = "bare axum handler on Redis";
const PAIR: &str = "the raw pair: Redis alone";
const BOARDGAME: &str = "boardgame.io in memory";
const BOARDGAME_ON_REDIS: &str = "boardgame.io on Redis";
const EMBEDDED: &str = "Turnkeeper, embedded store";
const RESTATE: &str = "Restate";
const OBJECT: &str = "Durable Object in workerd";
/// In the order of the table.
const ALL: [&str; 8] = [
    ON_REDIS,
    BARE,
    PAIR,
    BOARDGAME,
    BOARDGAME_ON_REDIS,
    EMBEDDED,
    RESTATE,
    OBJECT,
];

/// The running peers.
struct Bench {
    combatants: usize,
    connections: usize,
    duration: Duration,
    redis: RedisServer,
    on_redis: Peer,
    embedded: Peer,
    boardgame: Peer,
    boardgame_on_redis: Peer,
    restate: Peer,
    object: Peer,
}

impl Bench {
    fn start(combatants: usize, connections: usize) -> Self {
        let redis = RedisServer::start();
        let ours = || Command::new(setting("TURNKEEPER", env!("CARGO_BIN_EXE_turnkeeper")));
        Self {
            combatants,
            connections,
            duration: Duration::from_secs_f64(number(&setting("PEERS_SECONDS", "1.5"))),
            on_redis: Peer::start(ours().env("REDIS_URL", redis.url())),
            embedded: Peer::start(&mut ours()),
            boardgame: Peer::script("boardgame.mjs", combatants, None),
            boardgame_on_redis: Peer::script("boardgame.mjs", combatants, Some(redis.url())),
            restate: Peer::script("restate.mjs", combatants, None),
            object: Peer::script("durable-object.mjs", combatants, None),
            redis,
        }
    }

    async fn sample(&self, name: &str, minimal: bool, count: usize) -> Sample {
        self.redis.command(&["FLUSHALL"]);
        let ids: Vec<String> = (0..self.connections)
            .map(|n| format!("{count:016}{n:016}"))
            .collect();
        match name {
            ON_REDIS => self.ours(&self.on_redis, minimal).await,
            EMBEDDED => self.ours(&self.embedded, minimal).await,
            RESTATE => self.http(&self.restate, "", ids, minimal).await,
            OBJECT => self.http(&self.object, "", ids, minimal).await,
            BOARDGAME => self.moves(&self.boardgame, ids, minimal).await,
            BOARDGAME_ON_REDIS => self.moves(&self.boardgame_on_redis, ids, minimal).await,
            BARE => {
                self.example(minimal, &ids).await;
                let program = std::env::current_exe().expect("this program");
                // It reads the example when it starts.
                let bare = Peer::start(Command::new(program).env("BARE_REDIS", self.redis.url()));
                self.http(&bare, "/v1", ids, minimal).await
            }
            PAIR => {
                let example = Rc::new(self.example(minimal, &ids).await);
                let script: Rc<str> = self
                    .redis
                    .ask::<String>(&["SCRIPT", "LOAD", bare::COMMIT])
                    .into();
                let pairs = ids
                    .into_iter()
                    .map(|id| Pair::new(id, example.clone(), script.clone()))
                    .collect();
                let used = || (0.0, figures::redis_cpu(&self.redis));
                generator::run::<Pair>(&self.redis.url(), pairs, self.duration, used).await
            }
            _ => panic!("no peer is called {name}"),
        }
    }

    async fn moves(&self, peer: &Peer, ids: Vec<String>, minimal: bool) -> Sample {
        let moves = |id| Moves::new(id, minimal, fight::commands(self.combatants));
        self.load(peer, ids.into_iter().map(moves).collect()).await
    }

    /// A peer whose encounters begin with the first command.
    async fn http(&self, peer: &Peer, prefix: &str, ids: Vec<String>, minimal: bool) -> Sample {
        let path = |id| format!("{prefix}/encounters/{id}/commands");
        // As long as ours.
        let token = "t".repeat(49);
        let requests =
            |id| Requests::new(&path(id), &token, minimal, fight::commands(self.combatants));
        self.load(peer, ids.into_iter().map(requests).collect())
            .await
    }

    async fn ours(&self, peer: &Peer, minimal: bool) -> Sample {
        let api = Client::at(&peer.url);
        let mut requests = Vec::new();
        for _ in 0..self.connections {
            let fight = fight::started(&api, self.combatants).await;
            let commands = fight::commands(self.combatants);
            requests.push(Requests::new(
                &fight.path("/commands"),
                &fight.token,
                minimal,
                commands,
            ));
        }
        self.load(peer, requests).await
    }

    async fn load<W: Wire + 'static>(&self, peer: &Peer, wires: Vec<W>) -> Sample {
        let used = || (peer.cpu(), figures::redis_cpu(&self.redis));
        generator::run(&peer.url, wires, self.duration, used).await
    }

    /// The bytes of one command of the program, written for these encounters.
    async fn example(&self, minimal: bool, ids: &[String]) -> Example {
        let fight = fight::started(&Client::at(&self.on_redis.url), self.combatants).await;
        let example = Example::of(&fight, minimal, &self.redis.url()).await;
        self.redis.command(&["FLUSHALL"]);
        example.write(&self.redis.url(), ids.iter().map(String::as_str));
        example
    }
}
