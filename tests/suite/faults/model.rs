//! A model of how two processes write three commands to one Redis, checked to the end.
//!
//! The checker (`stateright`) takes every order in which calls arrive, arrive twice, arrive late or
//! lose their replies, in which a process uses its copy or reads, and in which Redis loses its
//! newest writes. Histories record what real processes happen to do; this visits what no run may
//! meet. Each function names the code that it stands for. Left out are compaction, expiry, eviction,
//! deletion, and what a cluster's client sends again by itself.

use stateright::{Checker, HasDiscoveries, Model, Property};
use std::collections::{BTreeMap, BTreeSet};

/// When the rules accept a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    Always,
    /// Before all others, as `start`.
    First,
    /// After another one, as `end_turn`.
    Later,
}

/// A command of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Command {
    /// Whether it has an `Idempotency-Key`. Then its client repeats it.
    keyed: bool,
    /// Whether it adds an entry to the log. Writes of tokens add none.
    logged: bool,
    rule: Rule,
}

const NOTE: Command = Command {
    keyed: false,
    logged: true,
    rule: Rule::Always,
};
const KEYED: Command = Command {
    keyed: true,
    ..NOTE
};
const START: Command = Command {
    rule: Rule::First,
    ..KEYED
};
const END_TURN: Command = Command {
    rule: Rule::Later,
    ..NOTE
};
const TOKEN: Command = Command {
    logged: false,
    ..NOTE
};
const KEYED_TOKEN: Command = Command {
    keyed: true,
    ..TOKEN
};

/// What a broken program leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Without {
    Nothing,
    /// The nonce, by which a write that is sent again is known.
    Nonce,
    /// The comparison of the revision.
    Comparison,
    /// Random revisions: each is one above the revision before it.
    Chance,
    /// The record of a command under its key.
    Record,
    /// The question to Redis before a refusal that was decided on a copy.
    Recheck,
    /// The doubt about a conflict that answers a second sending.
    Doubt,
    /// The removal of the copy after a write without an answer.
    Removal,
}

/// What is checked.
#[derive(Clone, Debug)]
struct Commits {
    commands: [Command; 3],
    without: Without,
    /// How many nonces of writes without an entry are kept: 32 in `commit.lua`.
    window: usize,
    /// How often Redis may lose its newest writes.
    losses: u8,
}

/// The numbers of the commands that were applied, in their order.
type Document = Vec<u8>;

/// An encounter in Redis: the keys at the head of `src/store/redis/mod.rs`.
#[derive(Clone, Debug, Default, Hash, PartialEq, Eq, PartialOrd, Ord)]
struct Stored {
    revision: u8,
    document: Document,
    /// The nonce of each entry.
    log: Vec<u8>,
    /// The newest nonces of writes without an entry.
    silent: Vec<u8>,
    /// The keyed commands that are recorded.
    records: BTreeSet<u8>,
}

/// `CacheEntry` in `src/app/storage.rs`.
#[derive(Clone, Debug, Hash, PartialEq, Eq, PartialOrd, Ord)]
struct CacheEntry {
    revision: u8,
    document: Document,
}

/// `Commit` in `src/store/mod.rs`, with the nonce of its call.
#[derive(Clone, Debug, Hash, PartialEq, Eq, PartialOrd, Ord)]
struct Write {
    command: u8,
    document: Document,
    expected: u8,
    revision: u8,
    nonce: u8,
}

/// The reply of `commit.lua`.
enum Reply {
    Done,
    Replayed,
    Conflict,
}

/// A call that a process awaits, and how often it was sent.
#[derive(Clone, Debug, Hash, PartialEq, Eq, PartialOrd, Ord)]
struct Call {
    write: Write,
    sendings: u8,
}

/// A process. It handles one write of an encounter at a time: `App::with_lock`.
#[derive(Clone, Debug, Default, Hash, PartialEq, Eq, PartialOrd, Ord)]
struct Process {
    copy: Option<CacheEntry>,
    call: Option<Call>,
}

/// What the client of a command knows.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq, PartialOrd, Ord)]
enum Client {
    /// It has sent the command so many times, and has no answer.
    Unanswered(u8),
    Waits(u8),
    Acknowledged,
    Refused,
    /// It was refused although the rules accept it.
    RefusedWrongly,
    /// Redis has lost what was acknowledged.
    Lost,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, PartialOrd, Ord)]
struct World {
    redis: Stored,
    /// What Redis comes back with after the next loss.
    saved: Option<Stored>,
    losses: u8,
    processes: [Process; 2],
    /// Calls that no process awaits any more, and that may still arrive.
    late: Vec<Write>,
    clients: [Client; 3],
}

#[derive(Clone, Debug, PartialEq)]
enum Step {
    /// A process gets a command, and reads Redis or uses its copy.
    Take {
        process: usize,
        command: u8,
        reads: bool,
    },
    /// Redis runs a call, and its process gets the reply.
    Run { process: usize },
    /// The connection of a process breaks. If its call had run, and only the reply was lost, then
    /// `RunLate` follows at once.
    Break { process: usize },
    /// Redis runs a call that no process awaits any more.
    RunLate { call: usize },
    /// A replica or the disk has all up to now.
    Save,
    /// Redis is lost, and with it the calls on their way to it. What was saved takes its place.
    Lose,
}

/// How often a client sends a command under a key.
const REQUESTS: u8 = 2;
/// How often `Connection::send` sends a call.
const SENDINGS: u8 = 2;

impl Command {
    fn is_accepted(self, document: &[u8]) -> bool {
        match self.rule {
            Rule::Always => true,
            Rule::First => document.is_empty(),
            Rule::Later => !document.is_empty(),
        }
    }
}

impl Commits {
    fn command(&self, number: u8) -> Command {
        self.commands[usize::from(number)]
    }

    /// The version of a document: the number of its entries.
    fn version(&self, document: &[u8]) -> usize {
        let logged = document
            .iter()
            .filter(|number| self.command(**number).logged);
        logged.count()
    }

    /// `applied` in `commit.lua`.
    fn was_applied(&self, redis: &Stored, write: &Write) -> bool {
        if self.without == Without::Nonce {
            return false;
        }
        if self.command(write.command).logged {
            let version = self.version(&write.document);
            redis.log.get(version - 1) == Some(&write.nonce)
        } else {
            redis.silent.contains(&write.nonce)
        }
    }

    /// `commit.lua`.
    fn commit(&self, redis: &mut Stored, write: &Write) -> Reply {
        let command = self.command(write.command);
        if self.without != Without::Record && redis.records.contains(&write.command) {
            if self.was_applied(redis, write) {
                return Reply::Done;
            }
            return Reply::Replayed;
        }
        if self.without != Without::Comparison && redis.revision != write.expected {
            if self.was_applied(redis, write) {
                return Reply::Done;
            }
            return Reply::Conflict;
        }
        if command.logged {
            redis.log.push(write.nonce);
        } else {
            redis.silent.push(write.nonce);
            let surplus = redis.silent.len().saturating_sub(self.window);
            redis.silent.drain(..surplus);
        }
        redis.revision = write.revision;
        redis.document.clone_from(&write.document);
        if command.keyed {
            redis.records.insert(write.command);
        }
        Reply::Done
    }

    /// The beginning of `App::compare_and_set`.
    fn take(&self, world: &mut World, process: usize, number: u8, reads: bool) {
        let client = &mut world.clients[usize::from(number)];
        if let Client::Unanswered(requests) = *client {
            *client = Client::Waits(requests + 1);
        }
        if reads {
            world.read(process);
        }
        let refusal_is_final = reads && !self.command(number).keyed;
        self.decide(world, process, number, refusal_is_final);
    }

    /// A turn of the loop in `App::compare_and_set`: decides on the copy, and sends the write.
    fn decide(&self, world: &mut World, process: usize, number: u8, refusal_is_final: bool) {
        let Some(copy) = world.processes[process].copy.clone() else {
            return;
        };
        if self.command(number).is_accepted(&copy.document) {
            let write = self.write(world, number, copy);
            world.processes[process].call = Some(Call { write, sendings: 1 });
        } else if refusal_is_final || self.without == Without::Recheck {
            self.refuse(world, number);
        } else {
            self.recheck_refusal(world, process, number, &copy);
        }
    }

    /// A write that applies a command to a copy.
    fn write(&self, world: &World, number: u8, copy: CacheEntry) -> Write {
        let mut document = copy.document;
        document.push(number);
        Write {
            command: number,
            document,
            expected: copy.revision,
            revision: match self.without {
                Without::Chance => copy.revision + 1,
                _ => unused(&world.revisions()),
            },
            nonce: unused(&world.nonces()),
        }
    }

    /// `App::recheck_refusal`.
    fn recheck_refusal(&self, world: &mut World, process: usize, number: u8, copy: &CacheEntry) {
        if world.redis.records.contains(&number) {
            world.read(process);
            world.acknowledge(number);
        } else if world.redis.revision == copy.revision {
            self.refuse(world, number);
        } else {
            world.read(process);
            self.decide(world, process, number, true);
        }
    }

    fn refuse(&self, world: &mut World, number: u8) {
        let is_accepted = self.command(number).is_accepted(&world.redis.document);
        world.clients[usize::from(number)] = if is_accepted {
            Client::RefusedWrongly
        } else {
            Client::Refused
        };
    }

    /// Redis runs the call of a process: the end of a turn of the loop in `App::compare_and_set`.
    fn run(&self, world: &mut World, process: usize) {
        let Some(Call { write, sendings }) = world.processes[process].call.take() else {
            return;
        };
        match self.commit(&mut world.redis, &write) {
            Reply::Done => {
                world.processes[process].copy = Some(CacheEntry {
                    revision: write.revision,
                    document: write.document,
                });
                world.acknowledge(write.command);
            }
            Reply::Replayed => {
                world.read(process);
                world.acknowledge(write.command);
            }
            Reply::Conflict if sendings > 1 && self.is_in_doubt(&world.redis, &write) => {
                self.fail(world, process, write.command);
            }
            Reply::Conflict => {
                world.read(process);
                self.decide(world, process, write.command, true);
            }
        }
    }

    /// `RedisStore::commit`: whether an earlier sending of this write may still be applied.
    fn is_in_doubt(&self, redis: &Stored, write: &Write) -> bool {
        let is_past = self.command(write.command).logged
            && self.version(&redis.document) >= self.version(&write.document);
        self.without != Without::Doubt && !is_past
    }

    /// `Connection::send`: sends once more after a break.
    fn break_connection(&self, world: &mut World, process: usize) {
        let Some(Call { write, sendings }) = world.processes[process].call.take() else {
            return;
        };
        let command = write.command;
        world.late.push(write.clone());
        if sendings < SENDINGS {
            world.processes[process].call = Some(Call {
                write,
                sendings: sendings + 1,
            });
        } else {
            self.fail(world, process, command);
        }
    }

    /// `App::with_lock` after `StoreError::Unavailable`: the client is answered 503.
    fn fail(&self, world: &mut World, process: usize, number: u8) {
        if self.without != Without::Removal {
            world.processes[process].copy = None;
        }
        let client = &mut world.clients[usize::from(number)];
        if let Client::Waits(requests) = *client {
            *client = Client::Unanswered(requests);
        }
    }

    /// Whether the client of a command may send it now.
    fn may_be_sent(&self, world: &World, number: u8) -> bool {
        match world.clients[usize::from(number)] {
            // Of commands that are alike the first one comes first.
            Client::Unanswered(0) => !(0..number).any(|other| {
                self.command(other) == self.command(number)
                    && world.clients[usize::from(other)] == Client::Unanswered(0)
            }),
            Client::Unanswered(requests) => self.command(number).keyed && requests < REQUESTS,
            _ => false,
        }
    }
}

impl World {
    /// A process reads the encounter into its copy: `App::fetch`.
    fn read(&mut self, process: usize) {
        self.processes[process].copy = Some(CacheEntry {
            revision: self.redis.revision,
            document: self.redis.document.clone(),
        });
    }

    fn acknowledge(&mut self, number: u8) {
        self.clients[usize::from(number)] = Client::Acknowledged;
    }

    fn lose(&mut self) {
        self.redis = self.saved.take().unwrap_or_default();
        self.losses += 1;
        self.late.clear();
        for (number, client) in (0..).zip(&mut self.clients) {
            if *client == Client::Acknowledged && !self.redis.document.contains(&number) {
                *client = Client::Lost;
            }
        }
    }

    fn copies(&self) -> impl Iterator<Item = &CacheEntry> {
        self.processes
            .iter()
            .filter_map(|process| process.copy.as_ref())
    }

    /// The writes that may still run.
    fn writes(&self) -> impl Iterator<Item = &Write> {
        let calls = self
            .processes
            .iter()
            .filter_map(|process| process.call.as_ref());
        calls.map(|call| &call.write).chain(&self.late)
    }

    fn revisions(&self) -> Vec<u8> {
        let stored = [&self.redis].into_iter().chain(&self.saved);
        let mut revisions: Vec<u8> = stored.map(|stored| stored.revision).collect();
        revisions.extend(self.copies().map(|copy| copy.revision));
        for write in self.writes() {
            revisions.extend([write.expected, write.revision]);
        }
        revisions
    }

    fn nonces(&self) -> Vec<u8> {
        self.writes().map(|write| write.nonce).collect()
    }
}

/// A number that no other has: those of the program have 64 random bits.
fn unused(used: &[u8]) -> u8 {
    let mut numbers = 1..=u8::MAX;
    let number = numbers.find(|number| !used.contains(number));
    number.expect("few numbers are used")
}

// Worlds that differ in what has no effect are one.
impl Commits {
    /// The same world with the processes in one order, and the smallest numbers.
    fn canonical(&self, mut world: World) -> World {
        if self.without != Without::Comparison {
            forget_what_comes_too_late(&mut world);
        }
        let mut mirrored = world.clone();
        mirrored.processes.reverse();
        self.renumber(&mut world);
        self.renumber(&mut mirrored);
        world.min(mirrored)
    }

    fn renumber(&self, world: &mut World) {
        let by_content = |write: &Write| (write.command, write.document.clone());
        world.late.sort_by_key(by_content);
        let mut revisions = in_order(&world.revisions(), 0);
        if self.without == Without::Chance {
            for (old, new) in &mut revisions {
                *new = *old;
            }
        }
        let nonces = in_order(&world.nonces(), 1);
        for stored in [&mut world.redis].into_iter().chain(&mut world.saved) {
            stored.revision = revisions[&stored.revision];
            for nonce in stored.log.iter_mut().chain(&mut stored.silent) {
                // One that no call has is found by none.
                *nonce = nonces.get(nonce).copied().unwrap_or(0);
            }
        }
        let mut writes: Vec<&mut Write> = world.late.iter_mut().collect();
        for process in &mut world.processes {
            if let Some(copy) = &mut process.copy {
                copy.revision = revisions[&copy.revision];
            }
            writes.extend(process.call.as_mut().map(|call| &mut call.write));
        }
        for write in writes {
            write.expected = revisions[&write.expected];
            write.revision = revisions[&write.revision];
            write.nonce = nonces[&write.nonce];
        }
        world.late.sort();
    }
}

/// Drops late calls whose expected revision Redis never has again.
fn forget_what_comes_too_late(world: &mut World) {
    loop {
        let mut possible = vec![world.redis.revision];
        possible.extend(world.saved.iter().map(|saved| saved.revision));
        possible.extend(world.writes().map(|write| write.revision));
        let before = world.late.len();
        world
            .late
            .retain(|write| possible.contains(&write.expected));
        if world.late.len() == before {
            return;
        }
    }
}

/// New numbers from `first` on, in the order of the old ones.
fn in_order(numbers: &[u8], first: u8) -> BTreeMap<u8, u8> {
    let mut new_numbers = BTreeMap::new();
    let mut unused = first..;
    for number in numbers {
        new_numbers
            .entry(*number)
            .or_insert_with(|| unused.next().expect("few numbers are used"));
    }
    new_numbers
}

const ONCE: &str = "no command is applied twice";
const KEPT: &str = "what was acknowledged is kept, unless Redis loses it";
const SAME: &str = "what has the revision that Redis has was made of what Redis has";
const TRUE: &str = "a refusal is true";
const ALL: &str = "all can be acknowledged";

impl Model for Commits {
    type State = World;
    type Action = Step;

    fn init_states(&self) -> Vec<World> {
        vec![World {
            redis: Stored::default(),
            saved: None,
            losses: 0,
            processes: [Process::default(), Process::default()],
            late: Vec::new(),
            clients: [Client::Unanswered(0); 3],
        }]
    }

    fn actions(&self, world: &World, steps: &mut Vec<Step>) {
        for (process, state) in world.processes.iter().enumerate() {
            if state.call.is_some() {
                steps.push(Step::Run { process });
                steps.push(Step::Break { process });
                continue;
            }
            for command in (0..3).filter(|number| self.may_be_sent(world, *number)) {
                let take = |reads| Step::Take {
                    process,
                    command,
                    reads,
                };
                steps.push(take(true));
                if state.copy.is_some() {
                    steps.push(take(false));
                }
            }
        }
        for call in 0..world.late.len() {
            steps.push(Step::RunLate { call });
        }
        if world.losses < self.losses {
            steps.push(match world.saved {
                None => Step::Save,
                Some(_) => Step::Lose,
            });
        }
    }

    fn next_state(&self, last: &World, step: Step) -> Option<World> {
        let mut world = last.clone();
        match step {
            Step::Take {
                process,
                command,
                reads,
            } => self.take(&mut world, process, command, reads),
            Step::Run { process } => self.run(&mut world, process),
            Step::Break { process } => self.break_connection(&mut world, process),
            Step::RunLate { call } => {
                let write = world.late.remove(call);
                self.commit(&mut world.redis, &write);
            }
            Step::Save => world.saved = Some(world.redis.clone()),
            Step::Lose => world.lose(),
        }
        Some(self.canonical(world))
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(ONCE, |_, world: &World| {
                let document = &world.redis.document;
                document.iter().collect::<BTreeSet<_>>().len() == document.len()
            }),
            Property::always(KEPT, |_, world: &World| {
                let mut clients = (0..).zip(&world.clients);
                clients.all(|(number, client)| {
                    *client != Client::Acknowledged || world.redis.document.contains(&number)
                })
            }),
            Property::always(SAME, |_, world: &World| {
                let redis = &world.redis;
                let is_same = |copy: &CacheEntry| {
                    copy.revision != redis.revision || copy.document == redis.document
                };
                let follows = |write: &Write| {
                    let before = &write.document[..write.document.len() - 1];
                    write.expected != redis.revision || before == redis.document
                };
                world.copies().all(is_same) && world.writes().all(follows)
            }),
            Property::always(TRUE, |_, world: &World| {
                !world.clients.contains(&Client::RefusedWrongly)
            }),
            Property::sometimes(ALL, |_, world: &World| {
                world.clients == [Client::Acknowledged; 3]
            }),
        ]
    }
}

/// The properties that some order breaks. The search ends at the first one.
fn broken(model: Commits) -> Vec<&'static str> {
    let name = format!("without {:?}", model.without);
    let until = HasDiscoveries::AnyFailures;
    let checker = model.checker().finish_when(until).spawn_bfs().join();
    let states = checker.unique_state_count();
    let depth = checker.max_depth();
    println!("{name}: {states} states, {depth} steps deep");
    let mut broken = Vec::new();
    for property in [ONCE, KEPT, SAME, TRUE] {
        if let Some(path) = checker.discovery(property) {
            println!("  {property:?} is broken by {:?}", path.into_actions());
            broken.push(property);
        }
    }
    let all_can = checker.discovery(ALL).is_some();
    assert!(all_can || !broken.is_empty(), "{name} is stuck");
    broken
}

/// The program with these commands, and room for all of their nonces.
fn program(commands: [Command; 3], losses: u8) -> Commits {
    let silent = commands.iter().filter(|command| !command.logged).count();
    Commits {
        commands,
        without: Without::Nothing,
        window: silent,
        losses,
    }
}

#[test]
fn no_order_of_three_commands_loses_or_doubles_one() {
    for commands in [
        [KEYED, NOTE, TOKEN],
        [KEYED_TOKEN, KEYED_TOKEN, NOTE],
        [START, END_TURN, TOKEN],
    ] {
        assert_eq!(broken(program(commands, 0)), [""; 0], "{commands:?}");
    }
}

#[test]
fn no_order_doubles_one_if_redis_loses_its_newest_writes() {
    for commands in [
        [KEYED, NOTE, TOKEN],
        [START, END_TURN, TOKEN],
        [NOTE, NOTE, NOTE],
        [TOKEN, TOKEN, TOKEN],
    ] {
        assert_eq!(broken(program(commands, 1)), [""; 0], "{commands:?}");
    }
}

/// A write without an entry is found again after fewer other such writes than the window has room.
/// One that is not found is in doubt, unless a cluster's client has sent it again unseen.
#[test]
fn a_window_that_is_too_small_by_one_is_found() {
    let mut model = program([TOKEN, TOKEN, TOKEN], 0);
    model.without = Without::Doubt;
    assert_eq!(model.window, 3);
    assert_eq!(broken(model.clone()), [""; 0]);
    model.window = 2;
    assert_eq!(broken(model.clone()), [ONCE]);
    model.without = Without::Nothing;
    assert_eq!(broken(model), [""; 0]);
}

#[test]
fn each_rule_that_is_left_out_is_found() {
    let mixed = [KEYED, NOTE, TOKEN];
    for (without, commands, losses, property) in [
        (Without::Nonce, mixed, 0, ONCE),
        (Without::Comparison, mixed, 0, KEPT),
        (Without::Record, mixed, 0, ONCE),
        (Without::Recheck, [END_TURN, END_TURN, NOTE], 0, TRUE),
        (Without::Chance, mixed, 1, SAME),
        (Without::Doubt, [NOTE, NOTE, NOTE], 1, ONCE),
    ] {
        let mut model = program(commands, losses);
        model.without = without;
        assert!(broken(model).contains(&property), "without {without:?}");
    }
}

/// A copy saves work and decides nothing: one that is wrong costs a conflict.
#[test]
fn a_copy_that_stays_after_a_failed_write_is_harmless() {
    let mut model = program([KEYED, NOTE, TOKEN], 0);
    model.without = Without::Removal;
    assert_eq!(broken(model), [""; 0]);
}
