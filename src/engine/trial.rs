//! Tries legal commands out, so that what is listed is what deciding accepts.

use super::encounter::EncounterRecord;
use super::{AnyEncounter, Request, Stop, Viewer};
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

/// The trials of one viewer's legal commands.
pub(super) struct Trials<'g, R: Ruleset> {
    live: &'g EncounterRecord<R>,
    viewer: &'g Viewer,
    stop: Stop<'g>,
    /// For each shared list, which of its values are accepted; None for a value that was not tried.
    verdicts: HashMap<Key, Vec<Option<bool>>>,
}

/// A shared list in a field of a command: the command's type, the field and the address of the
/// list.
type Key = (String, &'static str, usize);

impl<'g, R: Ruleset> Trials<'g, R> {
    pub fn new(live: &'g EncounterRecord<R>, viewer: &'g Viewer, stop: Stop<'g>) -> Self {
        Self {
            live,
            viewer,
            stop,
            verdicts: HashMap::new(),
        }
    }

    /// The option with the values that are accepted; None when nothing of it is.
    pub fn tried(&mut self, mut option: LegalCommand) -> Option<LegalCommand> {
        let command = &mut option.command;
        let mut accepted = self.accepts(command);
        for Choice {
            field,
            required,
            values,
        } in &mut option.choices
        {
            let first = match values {
                Values::OneOf(values) => {
                    values.retain(|value| self.accepts(&filled(command, field, value)));
                    values.first().cloned()
                }
                Values::From(listed) => {
                    let first = self.first_of(command, field, listed);
                    if first.is_none() {
                        *values = Values::OneOf(Vec::new());
                    }
                    first
                }
                Values::Range { min, .. }
                    if self
                        .sendable(&filled(command, field, &json!(min)))
                        .is_none() =>
                {
                    *values = Values::OneOf(Vec::new());
                    continue;
                }
                Values::Range { .. } | Values::Like(_) => continue,
            };
            if *required {
                *command = filled(command, field, &first?);
                accepted = true;
            }
        }
        option
            .choices
            .retain(|choice| !matches!(&choice.values, Values::OneOf(values) if values.is_empty()));
        accepted.then_some(option)
    }

    /// The first value of a shared list that is accepted in this command. Each value is tried with
    /// one command: see [`LegalCommand::among`].
    fn first_of(
        &mut self,
        command: &Value,
        field: &'static str,
        listed: &ListReference,
    ) -> Option<Value> {
        let key = key(command, field, listed);
        let mut known = self
            .verdicts
            .remove(&key)
            .unwrap_or_else(|| vec![None; listed.values.len()]);
        let accepts = |value: &Value| self.accepts(&filled(command, field, value));
        let mut open: Vec<_> = listed
            .values
            .iter()
            .zip(&mut known)
            .filter(|(value, _)| !listed.except.contains(value))
            .collect();
        let good = open
            .iter()
            .find(|(_, known)| **known == Some(true))
            .map(|(value, _)| *value);
        let legal = match good {
            Some(value) => accepts(value),
            None if open.first().is_none_or(|(value, _)| {
                self.sendable(&filled(command, field, value)).is_none()
            }) =>
            {
                false
            }
            None => open
                .iter_mut()
                .filter(|(_, known)| known.is_none())
                .any(|(value, known)| {
                    let accepted = accepts(value);
                    // A refusal may be the command's fault, so it says nothing of the value yet.
                    **known = accepted.then_some(true);
                    accepted
                }),
        };
        if legal {
            for (value, known) in open.iter_mut().filter(|(_, known)| known.is_none()) {
                **known = Some(accepts(value));
            }
        }
        let first = open
            .iter()
            .find(|(_, known)| legal && **known == Some(true))
            .map(|(value, _)| (*value).clone());
        self.verdicts.insert(key, known);
        first
    }

    /// Leaves only accepted values in the shared lists of legal commands that were tried.
    pub fn settle(&self, legal_commands: &mut [LegalCommand]) {
        let mut accepted: HashMap<Key, Arc<[Value]>> = HashMap::new();
        for LegalCommand {
            command, choices, ..
        } in legal_commands
        {
            for Choice { field, values, .. } in choices {
                let Values::From(listed) = values else {
                    continue;
                };
                let key = key(command, field, listed);
                let Some(known) = self.verdicts.get(&key) else {
                    continue;
                };
                let values = accepted.entry(key).or_insert_with(|| {
                    let good = listed
                        .values
                        .iter()
                        .zip(known)
                        .filter(|(_, known)| **known == Some(true));
                    good.map(|(value, _)| value.clone()).collect()
                });
                listed.values = values.clone();
                listed.except.retain(|value| values.contains(value));
            }
        }
    }

    fn accepts(&self, command: &Value) -> bool {
        let legal = |request: &Request| self.live.play(request, &mut TrialDice, self.stop).is_ok();
        !(self.stop)()
            && self
                .sendable(command)
                .is_some_and(|request| legal(&request))
    }

    /// The request, if it is the viewer's to send, legal or not.
    fn sendable(&self, command: &Value) -> Option<Request> {
        let request = Request::read(command.clone()).ok()?;
        self.live
            .authorize(self.viewer, &request)
            .is_ok()
            .then_some(request)
    }
}

/// The command with one more field.
fn filled(command: &Value, field: &str, value: &Value) -> Value {
    let mut command = command.clone();
    command[field] = value.clone();
    command
}

fn key(command: &Value, field: &'static str, listed: &ListReference) -> Key {
    let verb = command["type"].as_str().unwrap_or_default();
    (verb.to_owned(), field, listed.values.as_ptr() as usize)
}

/// Gives each long list that several choices have in common a name, and writes all others out in
/// their own choice.
pub(super) fn share(legal_commands: &mut [LegalCommand]) {
    // How many choices have a list, and its name.
    let mut uses: HashMap<Arc<[Value]>, (usize, Option<String>)> = HashMap::new();
    for Choice { values, .. } in legal_commands
        .iter_mut()
        .flat_map(|option| &mut option.choices)
    {
        if let Values::OneOf(long) = values
            && long.len() > LONG
        {
            let listed = std::mem::take(long).into();
            *values = Values::From(ListReference {
                list: String::new(),
                except: Vec::new(),
                values: listed,
            });
        }
        if let Values::From(listed) = values
            && listed.values.len() > LONG
        {
            uses.entry(listed.values.clone()).or_default().0 += 1;
        }
    }
    let mut taken = HashSet::new();
    for option in legal_commands {
        let verb = option.command["type"].as_str().unwrap_or_default();
        for Choice { field, values, .. } in &mut option.choices {
            let Values::From(listed) = values else {
                continue;
            };
            let Some((2.., name)) = uses.get_mut(&listed.values) else {
                *values = Values::OneOf(listed.iter().cloned().collect());
                continue;
            };
            // The field that is the first to use a list names it.
            let numbered = |n| {
                if n == 1 {
                    format!("{verb}.{field}")
                } else {
                    format!("{verb}.{field}.{n}")
                }
            };
            let free = || {
                (1..)
                    .map(numbered)
                    .find(|name| taken.insert(name.clone()))
                    .unwrap_or_default()
            };
            listed.list = name.get_or_insert_with(free).clone();
        }
    }
}
