//! An encounter under one ruleset, as it is kept, and how a request is played on it.

use super::document::{Document, read_stored};
use super::history::UndoHistory;
use super::{
    LoadError, LogEntry, MAX_EVENTS, Meta, Refusal, Request, SCHEMA, Since, Stop, effects, shared,
};
use crate::json::{CachedJson, Tagged};
use crate::vocabulary::{
    Commands, Dice, Encounter, Event, OwnCombatant, Play, Ruleset, SharedCommand, Status,
    Violation, require,
};
use serde_json::Value;
use std::borrow::Cow;

/// An encounter under one ruleset.
pub(super) struct EncounterRecord<R: Ruleset> {
    pub meta: CachedJson<Meta>,
    pub history: UndoHistory,
    pub since: Since,
    pub encounter: Encounter<R>,
}

impl<R: Ruleset> EncounterRecord<R> {
    /// Reads a document or checkpoint of the present schema; without `meta` it must hold its own.
    pub fn read(stored: &[u8], meta: Option<CachedJson<Meta>>) -> Result<Self, LoadError> {
        let Document::<R> {
            ruleset,
            meta: own,
            history,
            since,
            encounter,
            ..
        } = read_stored(stored)?;
        if ruleset != R::MANIFEST.id {
            return Err(LoadError::Unreadable(format!(
                "ruleset: {ruleset} is another one"
            )));
        }
        let Some(meta) = meta.or(own) else {
            return Err(LoadError::Unreadable("a document without meta".to_owned()));
        };
        Ok(Self {
            meta,
            history: history.into_owned(),
            since,
            encounter: encounter.into_owned(),
        })
    }

    /// The encounter after the events of the next entry, which is no undo or redo.
    pub fn after(&self, events: &[Event<R>], entry: &LogEntry) -> Self {
        let version = entry.version;
        let mut encounter = self.encounter.clone();
        for event in events {
            encounter.apply(event);
        }
        encounter.version = version;
        Self {
            meta: self.meta.clone(),
            history: UndoHistory::ordinary(version),
            since: entry.since.unwrap_or(self.since),
            encounter,
        }
    }

    /// The document, or without `meta` the checkpoint.
    pub fn stored(&self, meta: Option<CachedJson<Meta>>) -> Document<'_, R> {
        Document {
            schema: SCHEMA,
            ruleset: Cow::Borrowed(R::MANIFEST.id),
            meta,
            history: Cow::Borrowed(&self.history),
            since: self.since,
            encounter: Cow::Borrowed(&self.encounter),
        }
    }

    /// Plays a request on a copy of the encounter.
    pub fn play<'r>(
        &self,
        request: &'r Request,
        dice: &mut dyn Dice,
        stop: Stop<'_>,
    ) -> Result<Played<'r, R>, Refusal> {
        let mut play = Play::new(self.encounter.clone(), dice);
        let mut commands = Vec::with_capacity(request.commands.len());
        for (index, (verb, fields)) in request.commands.iter().enumerate() {
            if stop() {
                return Err(Refusal::Stopped);
            }
            if let Err(refusal) = play_one(&mut play, verb, fields, stop) {
                return Err(refusal
                    .within(&request.path(index))
                    .with_names(play.encounter()));
            }
            commands.push((verb.as_str(), play.events().len()));
            if play.events().len() > MAX_EVENTS {
                return Err(Refusal::too_many_events(request.path(index)));
            }
        }
        let (mut encounter, events) = play.finish();
        encounter.version = encounter.version.saturating_add(1);
        Ok(Played {
            encounter,
            events,
            commands,
        })
    }

    /// The encounter as the holder of these combatants may know it.
    pub fn redacted_for(&self, own: &[OwnCombatant]) -> Self {
        let encounter = Encounter {
            version: self.encounter.version,
            ..self.encounter.redacted(own)
        };
        Self {
            meta: self.meta.clone(),
            history: self.history.clone(),
            since: self.since.seen_by(&self.encounter, own),
            encounter,
        }
    }
}

/// A request that was played.
pub(super) struct Played<'r, R: Ruleset> {
    pub encounter: Encounter<R>,
    pub events: Vec<Event<R>>,
    /// The type of each command, and how many events there were after it.
    pub commands: Vec<(&'r str, usize)>,
}

fn play_one<R: Ruleset>(
    play: &mut Play<'_, R>,
    verb: &str,
    fields: &serde_json::Map<String, Value>,
    stop: Stop<'_>,
) -> Result<(), Refusal> {
    if let Some(command) = R::Command::parse(verb, fields).transpose()? {
        check_open(play, verb)?;
        R::decide(play, &command)?;
    } else if let Some(command) = SharedCommand::parse(verb, fields).transpose()? {
        check_open(play, verb)?;
        shared::decide(play, command)?;
    } else {
        return Err(unknown_command::<R>(verb).into());
    }
    effects::apply_due(play, stop)
}

/// Refuses everything but notes after the end.
fn check_open<R: Ruleset>(play: &Play<'_, R>, verb: &str) -> Result<(), Violation> {
    let open = play.encounter().status != Status::Ended || verb == "note";
    require(
        open,
        "encounter_ended",
        "TK-1",
        || "The encounter has ended. Only \"note\", \"undo\" and \"redo\" are possible.",
    )
}

fn unknown_command<R: Ruleset>(verb: &str) -> Violation {
    let specs = R::Command::SPECS.iter().chain(SharedCommand::SPECS);
    let known: Vec<&str> = specs.map(|spec| spec.verb).collect();
    let detail = format!(
        "Unknown command {:?}. Commands: {}.",
        verb.chars().take(40).collect::<String>(),
        known.join(", ")
    );
    Violation::field("unknown_command", "type", detail)
}
