//! Clients of one encounter: they send what comes to their mind to any process, and record what
//! they are answered.

use super::checker::{Operation, Recorder};
use super::histories::Site;
use crate::log::feed::{LINES, Stream};
use crate::support::client::{Answer, Call, Client, Fight, text, version};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::time::timeout;

pub const HP: u64 = 1_000_000;
/// Maximum writes of an encounter whose outcome no client knows, about: the checker tries them at
/// every place.
const UNANSWERED: usize = 3;

/// An encounter and its history.
pub struct Recorded {
    pub fight: Fight,
    pub history: Recorder,
    numbers: AtomicU32,
    unanswered: AtomicUsize,
}

impl Recorded {
    pub fn new(fight: Fight) -> Arc<Self> {
        Arc::new(Self {
            fight,
            history: Recorder::default(),
            numbers: AtomicU32::new(0),
            unanswered: AtomicUsize::new(0),
        })
    }

    /// Reads the encounter after the store has lost its newest writes, and records what it kept.
    pub async fn record_loss(&self, api: &Client) -> usize {
        let fight = self.fight.through(api);
        let begun = self.history.begin(Operation::Nothing);
        // The store may still be loading what it has.
        let read = async |path| loop {
            let answer = fight.get(path).send().await;
            if answer.status != 503 {
                return answer.expect(200).json();
            }
        };
        let (version, tokens) = (
            count(version(&read("").await)),
            listed(&read("/tokens").await),
        );
        self.history.end(begun, Operation::Lost { version, tokens });
        version
    }
}

fn number(named: &Value) -> u32 {
    text(named)
        .trim_start_matches(|c: char| c.is_alphabetic())
        .parse()
        .unwrap_or(0)
}

/// The number of the command that made a log entry.
fn command_of(entry: &Value) -> u32 {
    number(&entry["events"][0]["details"]["name"])
}

fn count(version: u64) -> usize {
    usize::try_from(version).expect("a small version")
}

/// What a read encounter shows.
fn shown(state: &Value) -> Operation {
    let ann = &state["combatants"][0];
    let damage = count(HP - ann["hp"]["current"].as_u64().expect("hit points"));
    Operation::Read {
        version: count(version(state)),
        damage,
        newest: number(&ann["name"]),
    }
}

/// The numbers of the tokens that were handed out.
fn listed(tokens: &Value) -> BTreeSet<u32> {
    let tokens = tokens["items"].as_array().expect("items").iter();
    tokens
        .filter(|token| token["role"] == "spectator")
        .map(|token| number(&token["name"]))
        .collect()
}

/// One client of an encounter.
pub struct Player {
    site: Arc<Site>,
    encounter: Arc<Recorded>,
    random: StdRng,
    /// The newest version that it has seen.
    version: usize,
    /// The tag and the content of its newest read.
    read: Option<(String, Operation)>,
    /// Its commands that had a key.
    keyed: Vec<(u32, Option<usize>)>,
}

impl Player {
    pub fn of(encounter: &Arc<Recorded>, site: &Arc<Site>, seed: u64) -> Self {
        let (site, encounter, random) =
            (site.clone(), encounter.clone(), StdRng::seed_from_u64(seed));
        Self {
            site,
            encounter,
            random,
            version: 0,
            read: None,
            keyed: Vec::new(),
        }
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.random.random_ratio(percent, 100)
    }

    /// Asks a process; None where no answer comes, or one that leaves open what happened. Some
    /// clients leave early.
    async fn ask(&mut self, call: impl Fn(&Fight) -> Call) -> Option<Answer> {
        let time_limit = if self.chance(4) {
            self.random.random_range(0..40)
        } else {
            40_000
        };
        for _ in 0..10_000 {
            let call = call(
                &self
                    .encounter
                    .fight
                    .through(&self.site.client(self.random.random())),
            );
            match timeout(Duration::from_millis(time_limit), call.try_send()).await {
                Ok(Err(error)) if error.is_connect() => {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
                Ok(Ok(answer)) if answer.status == 500 => {
                    self.site.mistakes.fetch_add(1, Ordering::Relaxed);
                    return None;
                }
                Ok(Ok(answer)) if answer.status != 503 || answer.json()["code"] == "contended" => {
                    return Some(answer);
                }
                _ => return None,
            }
        }
        panic!("nobody listens any more")
    }

    /// Asks under a key until there is an answer; without a key once.
    async fn write(
        &mut self,
        key: Option<String>,
        call: impl Fn(&Fight) -> Call,
    ) -> Option<Answer> {
        let since = Instant::now();
        loop {
            let answer = self
                .ask(|fight| key.iter().fold(call(fight), |call, key| call.key(key)))
                .await;
            let refused = answer.as_ref().is_some_and(|answer| answer.status == 503);
            if key.is_some()
                && (answer.is_none() || refused)
                && since.elapsed() < self.site.time_limit
            {
                tokio::time::sleep(Duration::from_millis(5)).await;
                continue;
            }
            self.encounter
                .unanswered
                .fetch_add(usize::from(answer.is_none()), Ordering::Relaxed);
            return answer;
        }
    }

    async fn command(&mut self, number: u32, keyed: bool, expected: Option<usize>) {
        let body = json!([
            {"type": "update_combatant", "combatant": "ann", "changes": {"name": format!("c{number}")}},
            {"type": "damage", "target": "ann", "amount": 1}]);
        let history = self.encounter.clone();
        let begun = history.history.begin(Operation::Command {
            number,
            expected,
            made: None,
        });
        let tag = expected.map(|expected| format!("\"{expected}\""));
        let call = |fight: &Fight| {
            tag.iter()
                .fold(fight.command(&body).minimal(), |call, tag| {
                    call.if_match(tag)
                })
        };
        let Some(answer) = self.write(keyed.then(|| format!("c{number}")), call).await else {
            return;
        };
        let answered = match (answer.status, expected) {
            (200, _) => {
                self.version = count(answer.version());
                Operation::Command {
                    number,
                    expected,
                    made: Some(self.version),
                }
            }
            (412, Some(expected)) => {
                self.version = count(
                    answer.json()["current_version"]
                        .as_u64()
                        .expect("a version"),
                );
                Operation::Stale {
                    expected,
                    current: self.version,
                }
            }
            (503, _) => Operation::Nothing,
            (status, _) => Operation::Wrong(status),
        };
        history.history.end(begun, answered);
    }

    async fn hand_out(&mut self, number: u32, keyed: bool) {
        let history = self.encounter.clone();
        let begun = history.history.begin(Operation::Token(number));
        let body = json!({"role": "spectator", "name": format!("t{number}")});
        let Some(answer) = self
            .write(keyed.then(|| format!("t{number}")), |fight| {
                fight.ask(&body)
            })
            .await
        else {
            return;
        };
        let answered = match answer.status {
            201 => Operation::Token(number),
            503 => Operation::Nothing,
            status => Operation::Wrong(status),
        };
        history.history.end(begun, answered);
    }

    /// A request that changes nothing, and what its answer says.
    async fn look(
        &mut self,
        call: impl Fn(&Fight) -> Call,
        says: impl FnOnce(&mut Self, &Answer) -> Operation,
    ) {
        let history = self.encounter.clone();
        let begun = history.history.begin(Operation::Nothing);
        if let Some(answer) = self.ask(call).await.filter(|answer| answer.status != 503) {
            let learned = says(self, &answer);
            history.history.end(begun, learned);
        }
    }

    async fn read(&mut self, conditional: bool) {
        let known = self.read.clone().filter(|_| conditional);
        let tag = known.as_ref().map(|(tag, _)| tag.clone());
        let call = |fight: &Fight| {
            tag.iter()
                .fold(fight.get(""), |call, tag| call.header("if-none-match", tag))
        };
        let says = |player: &mut Self, answer: &Answer| {
            if let (304, Some((_, unchanged))) = (answer.status, known) {
                return unchanged;
            }
            if answer.status != 200 {
                return Operation::Wrong(answer.status);
            }
            let shown = shown(&answer.json());
            player.version = count(version(&answer.json()));
            player.read = Some((answer.header("etag").to_owned(), shown.clone()));
            shown
        };
        self.look(call, says).await;
    }

    /// Reads the log after a version, or waits for its next entry.
    async fn log(&mut self, after: usize, wait: &str) {
        let call = |fight: &Fight| fight.get(&format!("/events?after={after}{wait}"));
        let says = |player: &mut Self, answer: &Answer| {
            let body = answer.json();
            if answer.status == 422 && body["code"] == "no_such_version" {
                player.version = count(body["current_version"].as_u64().expect("a version"));
                return Operation::NoSuchVersion {
                    after,
                    current: player.version,
                };
            }
            if answer.status != 200 {
                return Operation::Wrong(answer.status);
            }
            let items = body["items"].as_array().expect("items");
            if !items
                .iter()
                .map(version)
                .map(count)
                .eq(after + 1..=after + items.len())
            {
                return Operation::Wrong(answer.status);
            }
            Operation::Log {
                after,
                commands: items.iter().map(command_of).collect(),
            }
        };
        self.look(call, says).await;
    }

    async fn tokens(&mut self) {
        self.look(
            |fight| fight.get("/tokens"),
            |_, answer| {
                if answer.status == 200 {
                    Operation::Tokens(listed(&answer.json()))
                } else {
                    Operation::Wrong(answer.status)
                }
            },
        )
        .await;
    }

    /// Follows a stream for some messages.
    async fn stream(&mut self) {
        let client = self.site.client(self.random.random());
        let (after, history) = (self.version, self.encounter.clone());
        let begun = history.history.begin(Operation::Nothing);
        let mut commands = Vec::new();
        let follow = async {
            let call = self
                .encounter
                .fight
                .through(&client)
                .get(&format!("/events?after={after}"));
            let Ok(mut stream) = Stream::of(call, LINES).await else {
                return;
            };
            // A second snapshot means a loss: what follows is another history.
            let mut snapshots = 0;
            while let Some(message) = stream.next().await.filter(|_| commands.len() < 4) {
                match message.kind.as_str() {
                    "transition" => {
                        // No command has the number 0.
                        let follows = count(version(&message.data)) == after + commands.len() + 1;
                        commands.push(if follows {
                            command_of(&message.data)
                        } else {
                            0
                        });
                    }
                    "snapshot" if snapshots == 0 => snapshots = 1,
                    "keep_alive" => {}
                    _ => return,
                }
            }
        };
        let _ = timeout(Duration::from_millis(400), follow).await;
        // It may have been refused, or have shown nothing.
        let seen = !commands.is_empty();
        history.history.end(
            begun,
            if seen {
                Operation::Stream { after, commands }
            } else {
                Operation::Nothing
            },
        );
    }

    /// Sends one request.
    pub async fn act(&mut self) {
        let number = self.encounter.numbers.fetch_add(1, Ordering::Relaxed) + 1;
        let unanswered = self.encounter.unanswered.load(Ordering::Relaxed);
        let keyed = self.chance(50) || unanswered >= UNANSWERED;
        match self.random.random_range(0..100) {
            0..46 if unanswered >= 2 * UNANSWERED => self.read(false).await,
            0..30 => {
                let expected = self.chance(30).then_some(self.version);
                self.keyed.extend(keyed.then_some((number, expected)));
                self.command(number, keyed, expected).await;
            }
            30..36 if !self.keyed.is_empty() => {
                let (number, expected) = self.keyed[self.random.random_range(0..self.keyed.len())];
                self.command(number, true, expected).await;
            }
            30..46 => self.hand_out(number, keyed).await,
            46..54 => self.tokens().await,
            54..66 => {
                let after = self.random.random_range(0..=self.version);
                self.log(after, "").await;
            }
            66..72 => self.log(self.version, "&wait=1").await,
            72..78 => self.stream().await,
            other => self.read(other >= 88).await,
        }
    }

    /// What every process shows in the end.
    pub async fn last_look(&mut self) {
        self.read(true).await;
        self.read(false).await;
        self.log(0, "").await;
        self.tokens().await;
    }
}
