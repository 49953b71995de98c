//! Tries legal commands out, so that what is listed is what deciding accepts.

use super::record::EncounterRecord;
use super::{Request, Stop, Viewer, rights};
use crate::vocabulary::{
    Choice, Dice, LegalCommand, ListedValues, Named, Names, Ruleset, SharedList, Values, listed,
};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A list with at most so many values stands in each choice that has it.
const SHORT: usize = 3;

/// Dice for trials: what is legal never depends on them.
pub(super) struct TrialDice;

impl Dice for TrialDice {
    fn roll(&mut self, sides: u16) -> u16 {
        sides.div_ceil(2)
    }
}

/// The trials of one viewer's legal commands.
pub(super) struct Trials<'g, R: Ruleset> {
    record: &'g EncounterRecord<R>,
    viewer: Cow<'g, Viewer>,
    stop: Stop<'g>,
    /// For each shared list, what is known of each of its values.
    verdicts: HashMap<Key, Vec<Verdict>>,
    /// The choices of options that are alike; None if they are not legal.
    alike: HashMap<AlikeKey, Option<Vec<Choice>>>,
}

/// A shared list in a field of a command: the command's type, the field and the address of the
/// list.
type Key = (String, &'static str, usize);

/// The common traits of alike options.
#[derive(PartialEq, Eq, Hash)]
struct AlikeKey {
    verb: String,
    /// The fields that are given.
    fields: Vec<String>,
    /// The template of the label.
    template: Option<Cow<'static, str>>,
    /// The address of the first shared list.
    list: Option<usize>,
}

/// What trials have shown of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Untried,
    Legal,
    Illegal,
}

/// A value that a field may hold, as far as it is known.
struct Candidate<'t> {
    value: &'t Value,
    verdict: &'t mut Verdict,
}

impl<'g, R: Ruleset> Trials<'g, R> {
    pub fn new(record: &'g EncounterRecord<R>, viewer: &'g Viewer, stop: Stop<'g>) -> Self {
        Self {
            record,
            viewer: viewer.without_reused_ids(&record.encounter),
            stop,
            verdicts: HashMap::new(),
            alike: HashMap::new(),
        }
    }

    /// The options that are legal, each with its legal values.
    pub fn keep_legal(
        &mut self,
        options: impl IntoIterator<Item = LegalCommand>,
    ) -> Vec<LegalCommand> {
        let options = options.into_iter();
        options
            .filter_map(|option| {
                if option.alike {
                    self.legal_like_others(option)
                } else {
                    self.legal(option)
                }
            })
            .collect()
    }

    /// The option with the legal values of the first that is alike and that the viewer may send.
    fn legal_like_others(&mut self, option: LegalCommand) -> Option<LegalCommand> {
        // Without its required fields the rights of a command are not known.
        if !self.is_sendable(&option.completed()?) {
            return None;
        }
        let key = alike_key(&option);
        if let Some(known) = self.alike.get(&key) {
            let choices = known.clone()?;
            // Each leaves out another value of a shared list, which is pruned once for all.
            return match self.has_tried_shared_lists(&option) {
                None => Some(LegalCommand { choices, ..option }),
                Some(true) => Some(option),
                Some(false) => self.legal(option),
            };
        }
        let legal = self.legal(option);
        let choices = legal.as_ref().map(|option| option.choices.clone());
        self.alike.insert(key, choices);
        legal
    }

    /// Whether each value of the shared lists of an option was tried; None if it has no such list.
    fn has_tried_shared_lists(&self, option: &LegalCommand) -> Option<bool> {
        let mut tried = None;
        for choice in &option.choices {
            if let Values::Shared(list) = &choice.values {
                let verdicts = self.verdicts.get(&key(&option.command, choice.field, list));
                let is_known = verdicts.is_some_and(|all| !all.contains(&Verdict::Untried));
                tried = Some(is_known && tried.unwrap_or(true));
            }
        }
        tried
    }

    /// The option with its legal values; None if nothing of it is legal.
    fn legal(&mut self, mut option: LegalCommand) -> Option<LegalCommand> {
        option
            .choices
            .retain(|choice| choice.required || !choice.values.is_empty());
        let mut tried = option.completed()?;
        let mut legal = self.is_legal(&tried);
        for choice in &mut option.choices {
            let field = choice.field;
            let first = match &mut choice.values {
                Values::OneOf(list) if choice.alike_values => {
                    let is_sendable =
                        |value: &Value| self.is_sendable(&filled(&tried, field, value));
                    list.values.retain(is_sendable);
                    let is_legal = |value: &Value| self.is_legal(&filled(&tried, field, value));
                    if !list.values.first().is_some_and(is_legal) {
                        list.values.clear();
                    }
                    list.values.first().cloned()
                }
                Values::OneOf(list) => {
                    let is_legal = |value: &Value| self.is_legal(&filled(&tried, field, value));
                    list.values.retain(is_legal);
                    list.values.first().cloned()
                }
                Values::Shared(list) => self.first_legal(&tried, choice.alike_values, field, list),
                shape => {
                    self.keep_sendable_keys(&tried, field, shape);
                    let example = shape.example()?;
                    if self.is_sendable(&filled(&tried, field, &example)) {
                        continue;
                    }
                    None
                }
            };
            if choice.required {
                tried = filled(&tried, field, &first?);
                legal = true;
            } else if first.is_none() {
                choice.values = Values::words::<Value>([]);
            }
        }
        if !legal {
            return None;
        }
        option.choices.retain(|choice| !choice.values.is_empty());
        Some(option)
    }

    /// Leaves only the keys of an object that the viewer may send: a player rolls for no combatant
    /// but its own.
    fn keep_sendable_keys(&self, command: &Value, field: &str, shape: &mut Values) {
        if self.viewer.is_gm() {
            return;
        }
        let Values::Map { keys, values, .. } = shape else {
            return;
        };
        let (Values::OneOf(keys), Some(value)) = (keys.as_mut(), values.example()) else {
            return;
        };
        keys.values.retain(|key| {
            let mut object = Map::new();
            object.insert(key.as_str().unwrap_or_default().to_owned(), value.clone());
            self.is_sendable(&filled(command, field, &Value::Object(object)))
        });
    }

    /// The first legal value of a shared list in this command. Each value is tried with one
    /// command: see [`LegalCommand::among`]. Of values that are alike one is tried.
    fn first_legal(
        &mut self,
        command: &Value,
        alike_values: bool,
        field: &'static str,
        listed: &SharedList,
    ) -> Option<Value> {
        let key = key(command, field, listed);
        let mut verdicts = match self.verdicts.remove(&key) {
            Some(verdicts) => verdicts,
            None => vec![Verdict::Untried; listed.values.len()],
        };
        let mut candidates = candidates(listed, &mut verdicts);
        let tried = if alike_values {
            candidates.len().min(1)
        } else {
            candidates.len()
        };
        let is_legal = match candidates.get_mut(..tried) {
            Some(tried) => self.is_legal_with_any(command, field, tried),
            None => false,
        };
        let first = if is_legal {
            if alike_values {
                self.let_speak_for_the_rest(command, field, &mut candidates);
            } else {
                self.try_the_rest(command, field, &mut candidates);
            }
            candidates
                .iter()
                .find(|candidate| *candidate.verdict == Verdict::Legal)
                .map(|candidate| candidate.value.clone())
        } else {
            None
        };
        self.verdicts.insert(key, verdicts);
        first
    }

    /// Whether the command is legal with one of these values. A value that was legal in another
    /// command speaks for all of them.
    fn is_legal_with_any(
        &self,
        command: &Value,
        field: &str,
        candidates: &mut [Candidate<'_>],
    ) -> bool {
        for candidate in &*candidates {
            if *candidate.verdict == Verdict::Legal {
                return self.is_legal(&filled(command, field, candidate.value));
            }
        }
        let Some(first) = candidates.first() else {
            return false;
        };
        if !self.is_sendable(&filled(command, field, first.value)) {
            return false;
        }
        // A refusal may be the command's fault, so it says nothing of the value yet.
        for candidate in candidates {
            let untried = *candidate.verdict == Verdict::Untried;
            if untried && self.is_legal(&filled(command, field, candidate.value)) {
                *candidate.verdict = Verdict::Legal;
                return true;
            }
        }
        false
    }

    /// Tries each value that was not tried, in a command that is legal with another one.
    fn try_the_rest(&self, command: &Value, field: &str, candidates: &mut [Candidate<'_>]) {
        for candidate in candidates {
            if *candidate.verdict != Verdict::Untried {
                continue;
            }
            *candidate.verdict = if self.is_legal(&filled(command, field, candidate.value)) {
                Verdict::Legal
            } else {
                Verdict::Illegal
            };
        }
    }

    /// Takes each value that was not tried as legal, if the viewer may send it.
    fn let_speak_for_the_rest(
        &self,
        command: &Value,
        field: &str,
        candidates: &mut [Candidate<'_>],
    ) {
        for candidate in candidates {
            let untried = *candidate.verdict == Verdict::Untried;
            if untried && self.is_sendable(&filled(command, field, candidate.value)) {
                *candidate.verdict = Verdict::Legal;
            }
        }
    }

    /// Leaves only legal values in the shared lists of commands that were tried.
    pub fn prune_shared_lists(&self, legal_commands: &mut [LegalCommand]) {
        let mut pruned: HashMap<Key, Arc<[Value]>> = HashMap::new();
        for LegalCommand {
            command, choices, ..
        } in legal_commands
        {
            for Choice { field, values, .. } in choices {
                let Values::Shared(listed) = values else {
                    continue;
                };
                let key = key(command, field, listed);
                let Some(verdicts) = self.verdicts.get(&key) else {
                    continue;
                };
                let values = pruned
                    .entry(key)
                    .or_insert_with(|| legal_values(&listed.values, verdicts));
                listed.values = values.clone();
                listed.except.retain(|value| values.contains(value));
            }
        }
    }

    /// Whether the viewer may send the command, and deciding accepts it.
    fn is_legal(&self, command: &Value) -> bool {
        if (self.stop)() {
            return false;
        }
        let Some(request) = self.sendable(command) else {
            return false;
        };
        self.record
            .play(&request, &mut TrialDice, self.stop)
            .is_ok()
    }

    /// Whether the viewer may send the command, legal or not.
    fn is_sendable(&self, command: &Value) -> bool {
        self.sendable(command).is_some()
    }

    /// The command as a request, if the viewer may send it.
    fn sendable(&self, command: &Value) -> Option<Request> {
        let request = Request::read(command.clone()).ok()?;
        rights::may_send::<R>(&self.viewer, &self.record.meta, &request).then_some(request)
    }
}

/// The command with one more field.
fn filled(command: &Value, field: &str, value: &Value) -> Value {
    let mut command = command.clone();
    command[field] = value.clone();
    command
}

fn alike_key(option: &LegalCommand) -> AlikeKey {
    let list = option
        .choices
        .iter()
        .find_map(|choice| match &choice.values {
            Values::Shared(list) => Some(list.values.as_ptr() as usize),
            _ => None,
        });
    let fields = option.command.as_object().into_iter();
    AlikeKey {
        verb: option.verb().to_owned(),
        fields: fields.flat_map(|fields| fields.keys().cloned()).collect(),
        template: option.template.clone(),
        list,
    }
}

fn key(command: &Value, field: &'static str, listed: &SharedList) -> Key {
    let verb = command["type"].as_str().unwrap_or_default();
    (verb.to_owned(), field, listed.values.as_ptr() as usize)
}

/// The values of a shared list that a field may hold.
fn candidates<'t>(listed: &'t SharedList, verdicts: &'t mut [Verdict]) -> Vec<Candidate<'t>> {
    let mut candidates = Vec::with_capacity(verdicts.len());
    for (value, verdict) in listed.values.iter().zip(verdicts) {
        if !listed.except.contains(value) {
            candidates.push(Candidate { value, verdict });
        }
    }
    candidates
}

/// The values of a shared list that trials have shown to be legal.
fn legal_values(values: &[Value], verdicts: &[Verdict]) -> Arc<[Value]> {
    let mut legal = Vec::with_capacity(values.len());
    for (value, verdict) in values.iter().zip(verdicts) {
        if *verdict == Verdict::Legal {
            legal.push(value.clone());
        }
    }
    legal.into()
}

/// A list that choices have in common.
#[derive(Default)]
struct CommonList {
    /// How many choices have it.
    uses: usize,
    /// Its name and its schema, once the first choice refers to it.
    definition: Option<(String, Arc<Value>)>,
}

/// The lists that choices have in common: those with equal values that name the same are one.
#[derive(Default)]
struct CommonLists {
    lists: Vec<CommonList>,
    by_values: HashMap<(Named, Arc<[Value]>), usize>,
    /// The same by the address of the values, which choices share: each list is compared once.
    by_address: HashMap<(Named, usize), usize>,
}

impl CommonLists {
    fn of(legal_commands: &mut [LegalCommand]) -> Self {
        let mut lists = Self::default();
        for option in legal_commands {
            for choice in &mut option.choices {
                for values in choice.values.lists_mut() {
                    lists.count(values);
                }
            }
        }
        lists
    }

    /// Makes a list that is not short one that can be shared, and counts the choice that has it.
    fn count(&mut self, values: &mut Values) {
        if let Values::OneOf(list) = values
            && list.values.len() > SHORT
        {
            let listed = std::mem::take(&mut list.values).into();
            *values = Values::shared(list.of, listed, Vec::new());
        }
        if let Values::Shared(shared) = values
            && shared.values.len() > SHORT
        {
            let place = self.place(shared);
            if let Some(list) = self.lists.get_mut(place) {
                list.uses += 1;
            }
        }
    }

    /// The place of a list that choices hold.
    fn place(&mut self, shared: &SharedList) -> usize {
        let address = address(shared);
        if let Some(place) = self.by_address.get(&address) {
            return *place;
        }
        let next = self.lists.len();
        let values = (shared.of, shared.values.clone());
        let place = *self.by_values.entry(values).or_insert(next);
        if place == next {
            self.lists.push(CommonList::default());
        }
        self.by_address.insert(address, place);
        place
    }

    /// The list, if several choices have it in common.
    fn common(&mut self, shared: &SharedList) -> Option<&mut CommonList> {
        let place = *self.by_address.get(&address(shared))?;
        self.lists.get_mut(place).filter(|list| list.uses > 1)
    }
}

fn address(shared: &SharedList) -> (Named, usize) {
    (shared.of, shared.values.as_ptr() as usize)
}

/// Gives each list that several choices have in common a name, and writes all others out in their
/// own choice.
pub(super) fn extract_shared_lists(legal_commands: &mut [LegalCommand], names: &dyn Names) {
    let mut lists = CommonLists::of(legal_commands);
    let mut taken = HashSet::new();
    for LegalCommand {
        command, choices, ..
    } in legal_commands
    {
        let verb = command["type"].as_str().unwrap_or_default();
        for choice in choices {
            for values in choice.values.lists_mut() {
                let Values::Shared(shared) = values else {
                    continue;
                };
                let Some(list) = lists.common(shared) else {
                    let values_of_its_own = shared.iter().cloned().collect();
                    *values = Values::OneOf(ListedValues {
                        of: shared.of,
                        values: values_of_its_own,
                    });
                    continue;
                };
                // The field that is the first to use a list names it.
                let (name, schema) = list.definition.get_or_insert_with(|| {
                    let name = free_name(verb, choice.field, &mut taken);
                    (name, Arc::new(listed(shared.of, &shared.values, names)))
                });
                shared.name.clone_from(name);
                shared.schema = schema.clone();
            }
        }
    }
}

/// A name for a list that no other list has.
fn free_name(verb: &str, field: &str, taken: &mut HashSet<String>) -> String {
    let first = format!("{verb}.{field}");
    let mut name = first.clone();
    let mut number = 1;
    while !taken.insert(name.clone()) {
        number += 1;
        name = format!("{first}.{number}");
    }
    name
}
