//! Reads imported logs as strictly as requests: an unknown field is refused wherever it stands.

use super::document::{Document, DocumentHeader};
use super::{MAX_EVENTS, SCHEMA};
use crate::vocabulary::{Event, FieldError, Ruleset, parse, read};
use serde_json::Value;
use serde_json::value::RawValue;

/// The events of an entry.
pub(super) fn events<R: Ruleset>(raw: &RawValue) -> Result<Vec<Event<R>>, FieldError> {
    let events: Vec<Value> = read(&parse(raw.get().as_bytes())?)?;
    if events.len() > MAX_EVENTS {
        return Err(FieldError::meaningless("", format!("an entry has at most {MAX_EVENTS} events")));
    }
    let events = events.into_iter().enumerate();
    events.map(|(i, event)| Event::read(event).map_err(|error| error.within(&i.to_string()))).collect()
}

/// Whether a checkpoint is one, as far as its shape goes; whether it makes sense, and whether this program reads its schema, shows when
/// it is restored.
pub(super) fn checkpoint<R: Ruleset>(checkpoint: Value) -> Result<(), FieldError> {
    if DocumentHeader::read(&checkpoint)?.schema != SCHEMA {
        return Ok(());
    }
    read::<Document<'_, R>>(&checkpoint)?;
    let errors = R::read_options(&checkpoint["table"]["options"]).err();
    let first = errors.into_iter().flatten().next();
    first.map_or(Ok(()), |error| Err(error.within("table.options")))
}
