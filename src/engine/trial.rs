//! Tries legal_commands out, so that what is listed is what deciding accepts.

use super::game::TypedGame;
use super::{Game, Request, Stop, Viewer};
use crate::vocabulary::{Choice, Dice, LegalCommand, ListReference, Ruleset, Values};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A list with more values than this stands once in the answer where several commands share it.
const LONG: usize = 32;

/// Dice for trials: what is legal never depends on them.
pub(super) struct TrialDice;

impl Dice for TrialDice {
    fn roll(&mut self, sides: u16) -> u16 {
        sides.div_ceil(2)
    }
}

/// The trials of one viewer's legal_commands.
pub(super) struct Trials<'g, R: Ruleset> {
    live: &'g TypedGame<R>,
    viewer: &'g Viewer,
    stop: Stop<'g>,
    /// For each shared list, which of its values are accepted; None for a value that was not tried.
    verdicts: HashMap<Key, Vec<Option<bool>>>,
}

/// A shared list in a field of a command: the command's type, the field and the address of the list.
type Key = (String, &'static str, usize);

impl<'g, R: Ruleset> Trials<'g, R> {
    pub fn new(live: &'g TypedGame<R>, viewer: &'g Viewer, stop: Stop<'g>) -> Self {
        Self { live, viewer, stop, verdicts: HashMap::new() }
    }

    /// The option with the values that are accepted; None when nothing of it is.
    pub fn tried(&mut self, mut option: LegalCommand) -> Option<LegalCommand> {
        let mut choices = std::mem::take(&mut option.choices);
        let mut accepted = self.accepts(&option.command);
        for choice in &mut choices {
            let first = match &mut choice.values {
                Values::OneOf(values) => {
                    values.retain(|value| self.accepts(&filled(&option, choice.field, value)));
                    values.first().cloned()
                }
                Values::From(listed) => {
                    let first = self.first_of(&option, choice.field, listed);
                    if first.is_none() {
                        choice.values = Values::OneOf(Vec::new());
                    }
                    first
                }
                Values::Range { min, .. } if !self.sendable(&filled(&option, choice.field, &json!(min))) => {
                    choice.values = Values::OneOf(Vec::new());
                    continue;
                }
                Values::Range { .. } | Values::Like(_) => continue,
            };
            if choice.required {
                option.set(choice.field, first?);
                accepted = true;
            }
        }
        choices.retain(|choice| !matches!(&choice.values, Values::OneOf(values) if values.is_empty()));
        option.choices = choices;
        accepted.then_some(option)
    }

    /// The first value of a shared list that is accepted in this option. Each value is tried with one option, see [`LegalCommand::among`].
    fn first_of(&mut self, option: &LegalCommand, field: &'static str, listed: &ListReference) -> Option<Value> {
        let key = key(option, field, listed);
        let mut known = self.verdicts.remove(&key).unwrap_or_else(|| vec![None; listed.values.len()]);
        let accepts = |value: &Value| self.accepts(&filled(option, field, value));
        let mut open: Vec<_> =
            listed.values.iter().zip(&mut known).filter(|(value, _)| !listed.except.contains(value)).collect();
        let one = open.iter().position(|(_, known)| **known == Some(true));
        let legal = match one.and_then(|at| open.get(at)) {
            Some((value, _)) => accepts(value),
            None if open.first().is_none_or(|(value, _)| !self.sendable(&filled(option, field, value))) => false,
            None => open.iter_mut().filter(|(_, known)| known.is_none()).any(|(value, known)| {
                let accepted = accepts(value);
                // A refusal may be the option's fault, so it says nothing of the value yet.
                **known = accepted.then_some(true);
                accepted
            }),
        };
        if legal {
            for (value, known) in open.iter_mut().filter(|(_, known)| known.is_none()) {
                **known = Some(accepts(value));
            }
        }
        let first = open.iter().find(|(_, known)| legal && **known == Some(true)).map(|(value, _)| (*value).clone());
        self.verdicts.insert(key, known);
        first
    }

    /// Leaves only accepted values in the shared lists of legal_commands that were tried.
    pub fn settle(&self, legal_commands: &mut [LegalCommand]) {
        let mut accepted: HashMap<Key, Arc<[Value]>> = HashMap::new();
        for option in legal_commands {
            let mut choices = std::mem::take(&mut option.choices);
            for Choice { field, values, .. } in &mut choices {
                let Values::From(listed) = values else { continue };
                let key = key(option, field, listed);
                let Some(known) = self.verdicts.get(&key) else { continue };
                let values = accepted.entry(key).or_insert_with(|| {
                    let good = listed.values.iter().zip(known).filter(|(_, known)| **known == Some(true));
                    good.map(|(value, _)| value.clone()).collect()
                });
                listed.values = values.clone();
                listed.except.retain(|value| values.contains(value));
            }
            option.choices = choices;
        }
    }

    fn accepts(&self, command: &Value) -> bool {
        let sent = |request: &Request| {
            self.live.authorize(self.viewer, request).is_ok()
                && self.live.play(request, &mut TrialDice, self.stop).is_ok()
        };
        !(self.stop)() && Request::read(command.clone()).is_ok_and(|request| sent(&request))
    }

    /// Whether it is the viewer's to send, legal or not.
    fn sendable(&self, command: &Value) -> bool {
        self.viewer.is_gm()
            || Request::read(command.clone()).is_ok_and(|request| self.live.authorize(self.viewer, &request).is_ok())
    }
}

/// The command of an option with one more field.
fn filled(option: &LegalCommand, field: &str, value: &Value) -> Value {
    let mut command = option.command.clone();
    command[field] = value.clone();
    command
}

fn key(option: &LegalCommand, field: &'static str, listed: &ListReference) -> Key {
    let verb = option.command.get("type").and_then(Value::as_str).unwrap_or_default();
    (verb.to_owned(), field, listed.values.as_ptr() as usize)
}

/// Gives each long list that several choices have in common a name, and writes all others out in their own choice.
pub(super) fn share(legal_commands: &mut [LegalCommand]) {
    // How many choices have a list, and its name.
    let mut uses: HashMap<Arc<[Value]>, (usize, Option<String>)> = HashMap::new();
    for Choice { values, .. } in legal_commands.iter_mut().flat_map(|option| &mut option.choices) {
        if let Values::OneOf(long) = values
            && long.len() > LONG
        {
            let listed = std::mem::take(long).into();
            *values = Values::From(ListReference { list: String::new(), except: Vec::new(), values: listed });
        }
        if let Values::From(listed) = values
            && listed.values.len() > LONG
        {
            uses.entry(listed.values.clone()).or_default().0 += 1;
        }
    }
    let mut taken = HashSet::new();
    for option in legal_commands {
        let verb = option.command.get("type").and_then(Value::as_str).unwrap_or_default();
        for Choice { field, values, .. } in &mut option.choices {
            let Values::From(listed) = values else { continue };
            let Some((2.., name)) = uses.get_mut(&listed.values) else {
                *values = Values::OneOf(listed.iter().cloned().collect());
                continue;
            };
            // The field that is the first to use a list names it.
            let numbered = |n| if n == 1 { format!("{verb}.{field}") } else { format!("{verb}.{field}.{n}") };
            let free = || (1..).map(numbered).find(|name| taken.insert(name.clone())).unwrap_or_default();
            listed.list = name.get_or_insert_with(free).clone();
        }
    }
}
