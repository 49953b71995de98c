//! Histories of one encounter: what its clients sent, what they were answered, and in which order. A checker by others searches for
//! one order of all operations that explains every answer.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use todc_utils::{Action, History, Specification, WGLChecker};

/// A request with what its client learned from the answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Operation {
    /// A command, once however often it was sent, and the version that it made. Without an answer it was applied or not.
    Command { number: u32, expected: Option<usize>, made: Option<usize> },
    /// A command that was refused, because the encounter was at another version than the expected one.
    Stale { expected: usize, current: usize },
    /// The encounter: its version, the damage and the number of the newest command. Also one that has not changed since.
    Read { version: usize, damage: usize, newest: u32 },
    /// All log entries after a version.
    Log { after: usize, commands: Vec<u32> },
    /// Log entries after a version, without a gap, and maybe more behind them.
    Stream { after: usize, commands: Vec<u32> },
    /// There is no version `after` yet.
    NoSuchVersion { after: usize, current: usize },
    /// A new token, also where no answer came.
    Token(u32),
    /// The list of tokens.
    Tokens(BTreeSet<u32>),
    /// The store lost its newest writes: this is what it kept, a prefix of all writes.
    Lost { version: usize, tokens: BTreeSet<u32> },
    /// A write that may have happened, and was lost then: it came after this version.
    After(usize, Box<Operation>),
    /// A request that changes nothing, and whose answer says nothing.
    Nothing,
    /// An answer with a status that nothing explains.
    Wrong(u16),
}

/// An encounter, as the checker knows it: the commands in its log, and its tokens, each with the length of the log at its time.
///
/// Where nothing is lost that length says nothing, and is 0: fewer states, and a search that ends soon.
struct Encounter<const LOSES: bool>;

impl<const LOSES: bool> Specification for Encounter<LOSES> {
    type State = (Vec<u32>, BTreeMap<u32, usize>);
    type Operation = Operation;

    fn init() -> Self::State {
        Self::State::default()
    }

    fn apply(operation: &Operation, before: &Self::State) -> (bool, Self::State) {
        let (mut log, mut tokens) = before.clone();
        let valid = match operation {
            Operation::Command { number, expected, made } => {
                let at = log.iter().position(|applied| applied == number);
                if at.is_none() && expected.is_none_or(|expected| expected == log.len()) {
                    log.push(*number);
                }
                let version = if log.last() == Some(number) { Some(log.len()) } else { at.map(|at| at + 1) };
                made.is_none() || *made == version
            }
            Operation::Stale { expected, current } => expected != current && *current == log.len(),
            Operation::Read { version, damage, newest } => {
                (*version, *damage, *newest) == (log.len(), log.len(), log.last().copied().unwrap_or(0))
            }
            Operation::Log { after, commands } => log.get(*after..) == Some(commands),
            Operation::Stream { after, commands } => log.get(*after..).is_some_and(|log| log.starts_with(commands)),
            Operation::NoSuchVersion { after, current } => after > current && *current == log.len(),
            Operation::Token(number) => {
                tokens.entry(*number).or_insert(if LOSES { log.len() } else { 0 });
                true
            }
            Operation::Tokens(listed) => tokens.keys().eq(listed),
            Operation::Lost { version, tokens: kept } => {
                let prefix =
                    tokens.iter().all(|(number, at)| if kept.contains(number) { at <= version } else { at >= version });
                let valid = *version <= log.len() && prefix && kept.iter().all(|number| tokens.contains_key(number));
                log.truncate(*version);
                tokens.retain(|number, _| kept.contains(number));
                valid
            }
            Operation::After(version, write) if log.len() >= *version => return Self::apply(write, before),
            Operation::Nothing => true,
            Operation::After(..) | Operation::Wrong(_) => false,
        };
        if valid { (true, (log, tokens)) } else { (false, before.clone()) }
    }
}

/// Records the operations on one encounter as they begin and end.
#[derive(Default)]
pub struct Recorder(Mutex<Vec<(usize, Action<Operation>)>>);

impl Recorder {
    fn push(&self, number: Option<usize>, action: Action<Operation>) -> usize {
        let mut actions = self.0.lock().expect("no panic before");
        let number = number.unwrap_or(actions.len());
        actions.push((number, action));
        number
    }

    /// Begins an operation, which counts as `unanswered` until it ends: its number.
    pub fn begin(&self, unanswered: Operation) -> usize {
        self.push(None, Action::Call(unanswered))
    }

    /// Ends an operation.
    pub fn end(&self, number: usize, answered: Operation) {
        self.push(Some(number), Action::Response(answered));
    }

    /// The number of operations. Fails with the history where no order explains it. The last operations must show all there is.
    pub fn check(&self) -> Result<usize, String> {
        let actions = self.0.lock().expect("no panic before").clone();
        let text: String = actions.iter().map(|(number, action)| format!("{number}: {action:?}\n")).collect();
        let operations = actions.iter().filter(|(_, action)| matches!(action, Action::Call(_))).count();
        let lost = actions.iter().find_map(|(number, action)| match action {
            Action::Response(Operation::Lost { version, .. }) => Some((*number, *version)),
            _ => None,
        });
        let history = match lost {
            Some((number, version)) => History::from_actions(answered(with_lost_writes(actions, number, version))),
            None => History::from_actions(answered(actions)),
        };
        let explained = match lost {
            Some(_) => WGLChecker::<Encounter<true>>::is_linearizable(history),
            None => WGLChecker::<Encounter<false>>::is_linearizable(history),
        };
        if explained { Ok(operations) } else { Err(text) }
    }
}

type Actions = Vec<(usize, Action<Operation>)>;

/// The history with an answer to each write that got none: what the last operations show of it. It may have come at any time.
fn answered(mut actions: Actions) -> Actions {
    let (mut log, mut listed, mut open) = (Vec::new(), BTreeSet::new(), BTreeMap::new());
    for (number, action) in &actions {
        match action {
            Action::Call(operation) => _ = open.insert(*number, operation.clone()),
            Action::Response(answer) => {
                open.remove(number);
                match answer {
                    Operation::Log { after: 0, commands } => log.clone_from(commands),
                    Operation::Tokens(tokens) => listed.clone_from(tokens),
                    _ => {}
                }
            }
        }
    }
    actions.extend(open.into_iter().map(|(open, operation)| {
        let answer = match operation {
            Operation::Command { number, expected, .. } => match log.iter().position(|applied| *applied == number) {
                Some(at) => Operation::Command { number, expected, made: Some(at + 1) },
                None => Operation::Nothing,
            },
            Operation::Token(number) if !listed.contains(&number) => Operation::Nothing,
            other => other,
        };
        (open, Action::Response(answer))
    }));
    // What says nothing would only make the search longer.
    let says_nothing = |action: &Action<Operation>| matches!(action, Action::Response(Operation::Nothing));
    let silent: BTreeSet<usize> =
        actions.iter().filter(|(_, action)| says_nothing(action)).map(|(number, _)| *number).collect();
    actions.retain(|(number, _)| !silent.contains(number));
    actions
}

/// The history in which each write that was under way when the store failed may have happened before too, and was lost.
fn with_lost_writes(actions: Actions, loss: usize, version: usize) -> Actions {
    let failed = actions.iter().position(|(number, _)| *number == loss).unwrap_or_default();
    let ended: BTreeSet<usize> =
        actions[..failed].iter().filter(|(_, action)| matches!(action, Action::Response(_))).map(|(n, _)| *n).collect();
    let (mut with, mut lost, mut next) = (Vec::new(), Vec::new(), actions.len());
    for (at, (number, action)) in actions.into_iter().enumerate() {
        if at == failed {
            with.append(&mut lost);
        }
        if let Action::Call(write @ (Operation::Command { .. } | Operation::Token(_))) = &action
            && at < failed
            && !ended.contains(&number)
        {
            with.push((next, Action::Call(write.clone())));
            lost.push((next, Action::Response(Operation::After(version, Box::new(write.clone())))));
            next += 1;
        }
        with.push((number, action));
    }
    with
}
