//! Histories of one encounter: what its clients sent, what they were answered, and in which order.
//! A linearizability checker (`todc-utils`) searches for one order of all operations that explains
//! every answer.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use todc_utils::{Action, History, Specification, WGLChecker};

/// A request with what its client learned from the answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Operation {
    /// A command, once however often it was sent, and the version that it made. Without an answer
    /// it was applied or not.
    Command {
        number: u32,
        expected: Option<usize>,
        made: Option<usize>,
    },
    /// A command that was refused, because the encounter was at another version than the expected
    /// one.
    Stale { expected: usize, current: usize },
    /// The encounter: its version, the damage and the number of the newest command. Also one that
    /// has not changed since.
    Read {
        version: usize,
        damage: usize,
        newest: u32,
    },
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
    Lost {
        version: usize,
        tokens: BTreeSet<u32>,
    },
    /// A write that came no earlier than this version: what the store lost.
    NotBefore(usize, Box<Operation>),
    /// A write that came no later than this version: what the store kept.
    NotAfter(usize, Box<Operation>),
    /// A request that changes nothing, and whose answer says nothing.
    Nothing,
    /// An answer with a status that nothing explains.
    Wrong(u16),
}

/// An encounter, as the checker knows it: the commands in its log, and its tokens. The search grows
/// with the number of such states.
struct Encounter;

impl Specification for Encounter {
    type State = (Vec<u32>, BTreeSet<u32>);
    type Operation = Operation;

    fn init() -> Self::State {
        Self::State::default()
    }

    fn apply(operation: &Operation, before: &Self::State) -> (bool, Self::State) {
        let (mut log, mut tokens) = before.clone();
        let valid = match operation {
            Operation::Command {
                number,
                expected,
                made,
            } => {
                let at = log.iter().position(|applied| applied == number);
                if at.is_none() && expected.is_none_or(|expected| expected == log.len()) {
                    log.push(*number);
                }
                let version = if log.last() == Some(number) {
                    Some(log.len())
                } else {
                    at.map(|at| at + 1)
                };
                made.is_none() || *made == version
            }
            Operation::Stale { expected, current } => expected != current && *current == log.len(),
            // Each command deals one point of damage.
            Operation::Read {
                version,
                damage,
                newest,
            } => {
                (*version, *damage, *newest)
                    == (log.len(), log.len(), log.last().copied().unwrap_or(0))
            }
            Operation::Log { after, commands } => log.get(*after..) == Some(commands),
            Operation::Stream { after, commands } => log
                .get(*after..)
                .is_some_and(|log| log.starts_with(commands)),
            Operation::NoSuchVersion { after, current } => after > current && *current == log.len(),
            Operation::Token(number) => {
                tokens.insert(*number);
                true
            }
            Operation::Tokens(listed) => tokens == *listed,
            Operation::Lost {
                version,
                tokens: kept,
            } => {
                let valid = *version <= log.len() && kept.is_subset(&tokens);
                log.truncate(*version);
                tokens.clone_from(kept);
                valid
            }
            Operation::NotBefore(version, write) if log.len() >= *version => {
                return Self::apply(write, before);
            }
            Operation::NotAfter(version, write) if log.len() <= *version => {
                return Self::apply(write, before);
            }
            Operation::Nothing => true,
            Operation::NotBefore(..) | Operation::NotAfter(..) | Operation::Wrong(_) => false,
        };
        if valid {
            (true, (log, tokens))
        } else {
            (false, before.clone())
        }
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

    /// The number of operations. Fails with the history where no order explains it. The last
    /// operations must show all there is.
    pub fn check(&self) -> Result<usize, String> {
        let actions = self.0.lock().expect("no panic before").clone();
        let text: String = actions
            .iter()
            .map(|(number, action)| format!("{number}: {action:?}\n"))
            .collect();
        let operations = actions
            .iter()
            .filter(|(_, action)| matches!(action, Action::Call(_)))
            .count();
        let history = History::from_actions(answered(with_losses(actions)));
        if WGLChecker::<Encounter>::is_linearizable(history) {
            Ok(operations)
        } else {
            Err(text)
        }
    }
}

type Actions = Vec<(usize, Action<Operation>)>;

/// The history with an answer to each write that got none: what the last operations show of it. It
/// may have come at any time.
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
            Operation::Command {
                number, expected, ..
            } => match log.iter().position(|applied| *applied == number) {
                Some(at) => Operation::Command {
                    number,
                    expected,
                    made: Some(at + 1),
                },
                None => Operation::Nothing,
            },
            Operation::Token(number) if !listed.contains(&number) => Operation::Nothing,
            other => other,
        };
        (open, Action::Response(answer))
    }));
    // Operations that show nothing only make the search longer.
    let says_nothing =
        |action: &Action<Operation>| matches!(action, Action::Response(Operation::Nothing));
    let silent: BTreeSet<usize> = actions
        .iter()
        .filter(|(_, action)| says_nothing(action))
        .map(|(number, _)| *number)
        .collect();
    actions.retain(|(number, _)| !silent.contains(number));
    actions
}

/// The history with what a loss says of each write that began before it: what was kept came before
/// all that was lost.
///
/// A write that was under way then, and was not kept, may have happened, been lost, and happened
/// again.
fn with_losses(actions: Actions) -> Actions {
    let loss = actions.iter().find_map(|(number, action)| match action {
        Action::Response(Operation::Lost { version, tokens }) => {
            Some((*number, *version, tokens.clone()))
        }
        _ => None,
    });
    let Some((loss, version, kept)) = loss else {
        return actions;
    };
    let failed = actions
        .iter()
        .position(|(number, _)| *number == loss)
        .unwrap_or_default();
    let ended: BTreeSet<usize> = actions[..failed]
        .iter()
        .filter(|(_, action)| matches!(action, Action::Response(_)))
        .map(|(n, _)| *n)
        .collect();
    let is_kept =
        |write: &Operation| matches!(write, Operation::Token(number) if kept.contains(number));
    let not_before = |write| Operation::NotBefore(version, Box::new(write));
    let not_after = |write| Operation::NotAfter(version, Box::new(write));
    let (mut begun, mut with, mut lost, mut next) =
        (BTreeSet::new(), Vec::new(), Vec::new(), actions.len());
    for (at, (number, action)) in actions.into_iter().enumerate() {
        if at == failed {
            with.append(&mut lost);
        }
        let action = match action {
            Action::Call(write @ (Operation::Command { .. } | Operation::Token(_)))
                if at < failed =>
            {
                begun.insert(number);
                if is_kept(&write) {
                    Action::Call(not_after(write))
                } else {
                    if !ended.contains(&number) {
                        with.push((next, Action::Call(write.clone())));
                        lost.push((next, Action::Response(not_before(write.clone()))));
                        next += 1;
                    }
                    Action::Call(write)
                }
            }
            Action::Response(write @ Operation::Token(_)) if begun.contains(&number) => {
                Action::Response(if is_kept(&write) {
                    not_after(write)
                } else {
                    not_before(write)
                })
            }
            other => other,
        };
        with.push((number, action));
    }
    with
}

/// Whether an order explains these operations, each of which ended before the next one began.
fn explains(operations: &[Operation]) -> bool {
    let recorder = Recorder::default();
    for operation in operations {
        recorder.end(recorder.begin(operation.clone()), operation.clone());
    }
    recorder.check().is_ok()
}

#[test]
fn a_loss_keeps_all_writes_up_to_one_and_none_after_it() {
    let command = |number, made| Operation::Command {
        number,
        expected: None,
        made: Some(made),
    };
    let lost = |version, tokens: &[u32]| Operation::Lost {
        version,
        tokens: tokens.iter().copied().collect(),
    };
    let writes = [
        command(1, 1),
        Operation::Token(2),
        command(3, 2),
        Operation::Token(4),
    ];
    let kept = |loss| explains(&[&writes[..], &[loss]].concat());
    assert!(
        kept(lost(0, &[]))
            && kept(lost(1, &[]))
            && kept(lost(1, &[2]))
            && kept(lost(2, &[2]))
            && kept(lost(2, &[2, 4]))
    );
    assert!(
        !kept(lost(2, &[])) && !kept(lost(2, &[4])),
        "an older token is gone"
    );
    assert!(
        !kept(lost(0, &[2])) && !kept(lost(1, &[2, 4])),
        "a younger token is kept"
    );
    assert!(
        !kept(lost(3, &[2, 4])) && !kept(lost(2, &[2, 4, 5])),
        "what was never written"
    );
}

#[test]
fn a_write_that_is_under_way_at_a_loss_may_have_been_kept_lost_or_made_after_it() {
    let write = Operation::Command {
        number: 1,
        expected: None,
        made: Some(1),
    };
    let history = |kept, last| {
        let recorder = Recorder::default();
        let begun = recorder.begin(write.clone());
        recorder.end(
            recorder.begin(Operation::Nothing),
            Operation::Read {
                version: 1,
                damage: 1,
                newest: 1,
            },
        );
        recorder.end(
            recorder.begin(Operation::Nothing),
            Operation::Lost {
                version: kept,
                tokens: BTreeSet::new(),
            },
        );
        recorder.end(begun, write.clone());
        recorder.end(
            recorder.begin(Operation::Nothing),
            Operation::Log {
                after: 0,
                commands: last,
            },
        );
        recorder.check().is_ok()
    };
    assert!(history(1, vec![1]) && history(0, vec![1]) && history(0, vec![]));
    assert!(!history(1, vec![]) && !history(0, vec![1, 1]));
}
