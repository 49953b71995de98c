//! The path of a write, from its arrival to its answer, stopped at every step between the process
//! and Redis.
//!
//! A step is what passes between them at a time: requests, or answers. At a step the connection,
//! the process or Redis ends, or the process is held up. Then the client repeats its request
//! through another process, if it has a key. `TURNKEEPER_STRESS=full` takes every single stop, and
//! many pairs of them, instead of a sample; `TURNKEEPER_SEED` chooses.

use super::histories::seed;
use crate::e2e::{Api, Setup, note, redis_store};
use crate::support::client::{Answer, Call, Client, Fight, crowd};
use crate::support::proxy::{Gate, Proxy};
use crate::support::redis::{DURABLE, RedisServer};
use crate::support::sized;
use async_trait::async_trait;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Semaphore;

#[derive(Debug, Clone, Copy)]
enum Stop {
    /// The connection breaks before the step passes, in the middle of it, or after it.
    CutBefore,
    CutWithin,
    CutAfter,
    /// The process ends.
    Process,
    /// Redis is killed and started again.
    Redis,
    /// The step waits until the client has repeated its request.
    Held,
}

const STOPS: [Stop; 6] = [
    Stop::CutBefore,
    Stop::CutWithin,
    Stop::CutAfter,
    Stop::Process,
    Stop::Redis,
    Stop::Held,
];

/// The stops by the number of their step.
type Plan = BTreeMap<usize, Stop>;

/// What the process knows of the encounter before the request.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Cache {
    /// Nothing; it has no connection either.
    Cold,
    Warm,
    /// What another process has changed since.
    Stale,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Write {
    Command,
    /// A command that expects the version that the encounter has.
    Conditional,
    Token,
    Creation,
}

#[derive(Debug, Clone, Copy)]
struct Case {
    write: Write,
    keyed: bool,
    cache: Cache,
    /// Whether Redis knows the scripts.
    scripts: bool,
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for write in [
        Write::Command,
        Write::Conditional,
        Write::Token,
        Write::Creation,
    ] {
        for keyed in [true, false] {
            for cache in [Cache::Cold, Cache::Warm, Cache::Stale] {
                for scripts in [true, false] {
                    // Nobody could name what a creation without a key has made, and no cache has
                    // anything of it.
                    if write != Write::Creation || keyed && cache != Cache::Stale {
                        cases.push(Case {
                            write,
                            keyed,
                            cache,
                            scripts,
                        });
                    }
                }
            }
        }
    }
    cases
}

const TEXT: &str = "the one";

impl Case {
    fn call(self, fight: &Fight, version: u64) -> Call {
        let call = match self.write {
            Write::Command => fight.command(&note(TEXT)),
            Write::Conditional => fight
                .command(&note(TEXT))
                .if_match(&format!("\"{version}\"")),
            Write::Token => fight.ask(&json!({"role": "spectator", "name": TEXT})),
            Write::Creation => fight.api.post("/v1/encounters", &crowd(1)),
        };
        if self.keyed {
            call.key(&format!("for-{}", fight.id))
        } else {
            call
        }
    }
}

/// A write and what stops it.
struct Run {
    plan: Plan,
    steps: AtomicUsize,
    /// The process that gets the request first.
    process: Mutex<Option<Runtime>>,
    held: Semaphore,
    released: Semaphore,
}

impl Run {
    fn end_process(&self) {
        if let Some(process) = self.process.lock().expect("no panic before").take() {
            process.shutdown_background();
        }
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.end_process();
    }
}

/// Stops the present run as its plan says.
struct Stops {
    redis: Mutex<RedisServer>,
    run: Mutex<Option<Arc<Run>>>,
}

#[async_trait]
impl Gate for Stops {
    async fn pass(&self, bytes: &mut Vec<u8>) -> bool {
        let Some(run) = self.run.lock().expect("no panic before").clone() else {
            return true;
        };
        let stop = run.plan.get(&run.steps.fetch_add(1, Ordering::SeqCst));
        match stop {
            None | Some(Stop::CutAfter) => {}
            Some(Stop::CutWithin) => bytes.truncate(bytes.len() / 2),
            Some(Stop::CutBefore) => bytes.clear(),
            Some(Stop::Process) => {
                bytes.clear();
                run.end_process();
            }
            Some(Stop::Redis) => {
                bytes.clear();
                self.redis.lock().expect("no panic before").restart();
            }
            Some(Stop::Held) => {
                run.held.add_permits(1);
                drop(run.released.acquire().await);
                return true;
            }
        }
        stop.is_none()
    }
}

/// Sends a request again while the answer is 503.
async fn settled(call: Call) -> Answer {
    loop {
        let answer = call.clone().send().await;
        if answer.status != 503 {
            return answer;
        }
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
}

/// A process that nothing stops, and a way to Redis for those that are stopped.
struct Simulation {
    undisturbed: Api,
    stops: Arc<Stops>,
    proxy: Proxy,
    runs: usize,
    /// Runs whose first request was not accepted.
    unanswered: usize,
}

impl Simulation {
    fn redis<T>(&self, with: impl FnOnce(&RedisServer) -> T) -> T {
        with(&self.stops.redis.lock().expect("no panic before"))
    }

    fn encounters(&self) -> usize {
        self.redis(|redis| {
            redis
                .keys()
                .iter()
                .filter(|key| key.ends_with(":doc"))
                .count()
        })
    }

    /// How often the write was done.
    async fn done(&self, case: Case, fight: &Fight, encounters: usize) -> usize {
        match case.write {
            Write::Command | Write::Conditional => {
                let log = settled(fight.get("/events?after=0"))
                    .await
                    .expect(200)
                    .json();
                log["items"]
                    .as_array()
                    .expect("items")
                    .iter()
                    .filter(|entry| entry["events"][0]["text"] == TEXT)
                    .count()
            }
            Write::Token => {
                let tokens = settled(fight.get("/tokens")).await.expect(200).json();
                tokens["items"]
                    .as_array()
                    .expect("items")
                    .iter()
                    .filter(|token| token["name"] == TEXT)
                    .count()
            }
            Write::Creation => self.encounters() - encounters,
        }
    }

    /// Sends a write to a process that is stopped as planned: the number of steps.
    async fn run(&mut self, case: Case, plan: &Plan) -> usize {
        let process = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        let stopped = process.spawn(Api::on(redis_store(&self.proxy.url()), Setup::default()));
        let run = Arc::new(Run {
            plan: plan.clone(),
            steps: AtomicUsize::new(0),
            process: Mutex::new(Some(process)),
            held: Semaphore::new(0),
            released: Semaphore::new(0),
        });
        let stopped = stopped.await.expect("a server");
        let fight = Fight::of(
            &self.undisturbed,
            &settled(self.undisturbed.post("/v1/encounters", &crowd(1))).await,
        );
        let mut version = settled(fight.command(&note("before"))).await.version();
        let through: &Client = &stopped;
        if case.cache != Cache::Cold {
            assert_eq!(fight.through(through).read("").await["version"], version);
        }
        if case.cache == Cache::Stale {
            version = settled(fight.command(&note("unseen"))).await.version();
        }
        if !case.scripts {
            self.redis(|redis| redis.command(&["SCRIPT", "FLUSH"]));
        }
        let encounters = self.encounters();
        let present = |run| *self.stops.run.lock().expect("no panic before") = run;
        present(Some(run.clone()));
        let mut sent = tokio::spawn(case.call(&fight.through(through), version).try_send());
        let first =
            tokio::select! { answer = &mut sent => Some(answer), _ = run.held.acquire() => None };
        let repeated = if case.keyed {
            Some(settled(case.call(&fight, version)).await)
        } else {
            None
        };
        run.released.add_permits(Semaphore::MAX_PERMITS);
        let first = match first {
            Some(answer) => answer,
            None => sent.await,
        };
        let first = first.expect("no panic").ok();
        present(None);
        run.end_process();

        let what = format!("{case:?} stopped at {plan:?}: first {first:?}, then {repeated:?}");
        let done = self.done(case, &fight, encounters).await;
        let accepted = |answer: &Answer| matches!(answer.status, 200 | 201);
        assert!(done <= 1, "doubled: {what}");
        assert!(
            first
                .as_ref()
                .is_none_or(|answer| accepted(answer) || answer.status == 503),
            "refused: {what}"
        );
        if first.iter().chain(&repeated).any(accepted) {
            assert_eq!(done, 1, "lost: {what}");
        }
        if let Some(repeated) = &repeated {
            assert!(accepted(repeated), "refused: {what}");
            let first = first.as_ref().filter(|first| accepted(first));
            assert!(
                first.is_none_or(|first| first.body == repeated.body),
                "another answer: {what}"
            );
        }
        self.runs += 1;
        self.unanswered += usize::from(!first.is_some_and(|first| accepted(&first)));
        run.steps.load(Ordering::SeqCst)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_that_is_stopped_anywhere_is_neither_lost_nor_doubled() {
    let redis = RedisServer::with(&DURABLE);
    let undisturbed = Api::on(redis_store(&redis.url()), Setup::default()).await;
    let port = redis.port();
    let stops = Arc::new(Stops {
        redis: Mutex::new(redis),
        run: Mutex::default(),
    });
    let proxy = Proxy::gated(port, stops.clone()).await;
    let mut simulation = Simulation {
        undisturbed,
        proxy,
        stops,
        runs: 0,
        unanswered: 0,
    };
    let mut random = StdRng::seed_from_u64(seed());
    let mut points = 0;
    for case in cases() {
        let steps = simulation.run(case, &Plan::new()).await;
        for step in 0..steps {
            for stop in STOPS {
                points += 1;
                let repeated_meanwhile =
                    matches!(stop, Stop::Held) && case.keyed && case.cache == Cache::Stale;
                let always = case.scripts
                    && (repeated_meanwhile || !case.keyed && case.cache == Cache::Warm);
                if always || random.random_range(0..sized(16, 1)) == 0 {
                    simulation.run(case, &Plan::from([(step, stop)])).await;
                }
            }
            // The way on from a stop may be stopped again.
            for _ in 0..sized(0, 24) {
                let again = step + random.random_range(1..=steps + 2);
                let stops =
                    [step, again].map(|step| (step, *STOPS.choose(&mut random).expect("a stop")));
                simulation.run(case, &Plan::from(stops)).await;
            }
        }
    }
    let Simulation {
        runs, unanswered, ..
    } = simulation;
    println!(
        "{points} points; {runs} runs, {unanswered} without a first answer; lost 0, doubled 0"
    );
}
