//! The command path of the real program against a bare axum handler that does the same two round
//! trips with the same bytes.
//!
//! `cargo bench --bench load` starts a Redis, the program with its cache (hot), the program without
//! (cold: every command reads before it commits) and the bare handler. Each is a process of its own
//! with the same allocator and runtime, and gets the load in turn, several times, over 64
//! connections. Compare only ratios within one run, which share machine, load generator and Redis.
//! `LOAD_ROUNDS` (5) and `LOAD_SECONDS` (2, each measurement) make it longer, and `LOAD_CONNECTIONS`
//! says how many (64) send. `LOAD_AGAINST` names another program, such as an older one, to compare with
//! instead of the bare handler; with `LOAD_STORE=embedded` both have their embedded stores.

mod bare;
mod fight;
mod figures;
mod generator;
mod report;
mod support;

use bare::Example;
use generator::{Requests, Sample};
use report::Row;
use std::path::PathBuf;
use std::time::Duration;
use support::client::{Client, Fight};
use support::redis::RedisServer;
use support::server::Server;

/// The program's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const COMBATANTS: usize = 16;

fn main() {
    match std::env::var("BARE_REDIS") {
        Ok(url) => bare::serve(&url),
        Err(_) => measure(),
    }
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| {
        value
            .parse()
            .unwrap_or_else(|_| panic!("{name} is a number"))
    })
}

/// The servers to compare.
struct Bench {
    redis: RedisServer,
    hot: Server,
    cold: Server,
    bare: Server,
    /// Another program with its cache, and without.
    other: Option<[Server; 2]>,
    duration: Duration,
    connections: u64,
}

#[tokio::main(flavor = "current_thread")]
async fn measure() {
    let redis = RedisServer::start();
    let url = redis.url();
    let program = std::env::current_exe().expect("this program");
    let other = std::env::var_os("LOAD_AGAINST").map(PathBuf::from);
    let is_embedded = std::env::var("LOAD_STORE").is_ok_and(|store| store == "embedded");
    assert!(
        other.is_some() || !is_embedded,
        "the bare handler has no embedded store: set LOAD_AGAINST"
    );
    let hot = if is_embedded {
        Vec::new()
    } else {
        vec![("REDIS_URL", &*url)]
    };
    let cold = [&hot[..], &[("TURNKEEPER_CACHE_MIB", "0")]].concat();
    let bench = Bench {
        hot: Server::with(&hot),
        cold: Server::with(&cold),
        other: other.map(|other| {
            [
                Server::run(Some(other.clone()), &hot),
                Server::run(Some(other), &cold),
            ]
        }),
        bare: Server::run(Some(program), &[("BARE_REDIS", &url)]),
        redis,
        duration: Duration::from_secs(setting("LOAD_SECONDS", 2)),
        connections: setting("LOAD_CONNECTIONS", 64),
    };
    for (minimal, answer) in [
        (false, "whole encounter answered"),
        (true, "Prefer: return=minimal"),
    ] {
        println!("{answer}:");
        let mut example = None;
        if bench.other.is_none() {
            let made = bench.example(minimal).await;
            println!(
                "{} bytes of document, {} of log entry, {} of recorded answer, {} of answer",
                made.document.len(),
                made.entry.len(),
                made.record.len(),
                made.answer.len()
            );
            example = Some(made);
        }
        let (mut hot, mut cold) = (Row::new("hot"), Row::new("cold"));
        let [other_hot, other_cold] = bench
            .other
            .as_ref()
            .map_or([None, None], |other| other.each_ref().map(Some));
        for round in 0..setting("LOAD_ROUNDS", 5) {
            for (row, ours, other) in [
                (&mut hot, &bench.hot, other_hot),
                (&mut cold, &bench.cold, other_cold),
            ] {
                // The order alternates, so that none always follows the same other.
                if round % 2 == 0 {
                    let ours = bench.program(ours, minimal).await;
                    row.add(ours, bench.other(other, example.as_ref(), minimal).await);
                } else {
                    let other = bench.other(other, example.as_ref(), minimal).await;
                    row.add(bench.program(ours, minimal).await, other);
                }
            }
        }
        println!("{}\n{hot}\n{cold}\n", Row::HEAD);
    }
}

/// The commands for an encounter.
fn requests(encounter: &Fight, minimal: bool) -> Requests {
    Requests::new(
        &encounter.path("/commands"),
        &encounter.token,
        minimal,
        fight::commands(COMBATANTS),
    )
}

impl Bench {
    /// The bytes of one command of the program.
    async fn example(&self, minimal: bool) -> Example {
        self.redis.command(&["FLUSHALL"]);
        let fight = fight::started(&self.hot.client(), COMBATANTS).await;
        Example::of(&fight, minimal, &self.redis.url()).await
    }

    async fn other(
        &self,
        program: Option<&Server>,
        example: Option<&Example>,
        minimal: bool,
    ) -> Sample {
        match (program, example) {
            (Some(program), _) => self.program(program, minimal).await,
            (None, Some(example)) => self.bare(example, minimal).await,
            (None, None) => unreachable!("there is an example for the bare handler"),
        }
    }

    async fn program(&self, server: &Server, minimal: bool) -> Sample {
        self.redis.command(&["FLUSHALL"]);
        let mut requests = Vec::new();
        for _ in 0..self.connections {
            requests.push(self::requests(
                &fight::started(&server.client(), COMBATANTS).await,
                minimal,
            ));
        }
        self.sample(server, requests).await
    }

    async fn bare(&self, example: &Example, minimal: bool) -> Sample {
        self.redis.command(&["FLUSHALL"]);
        let api = Client::at(&self.bare.url());
        let encounter = |n| Fight {
            api: api.clone(),
            id: format!("{n:032}"),
            token: "t".repeat(49),
        };
        let encounters: Vec<_> = (0..self.connections).map(encounter).collect();
        example.write(
            &self.redis.url(),
            encounters.iter().map(|encounter| encounter.id.as_str()),
        );
        // It reads the example when it starts.
        self.bare.crash();
        let requests = encounters
            .iter()
            .map(|encounter| self::requests(encounter, minimal))
            .collect();
        self.sample(&self.bare, requests).await
    }

    async fn sample(&self, server: &Server, requests: Vec<Requests>) -> Sample {
        let used = || {
            (
                figures::process_cpu(&server.pid().to_string()),
                figures::redis_cpu(&self.redis),
            )
        };
        generator::run(&server.url(), requests, self.duration, used).await
    }
}
