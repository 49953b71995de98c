//! Reads imported logs as strictly as requests: an unknown field is refused wherever it stands.

use super::document::{Document, DocumentHeader};
use super::{LogEntry, MAX_COMMANDS, MAX_EVENTS, RedactedEntry, SCHEMA};
use crate::json::{FieldError, each_item, parse, read_json};
use crate::vocabulary::{Event, Ruleset, Text, is_plain};
use serde::Deserialize;
use serde_json::value::RawValue;

/// Maximum characters of an imported sentence, which may name every combatant with each of ten
/// turns.
const MAX_TEXT: usize = 500_000;
/// Maximum bytes of a ruleset's options: a request has no more.
const MAX_OPTIONS: usize = 256 * 1024;

/// The options in a checkpoint.
#[derive(Deserialize)]
struct CheckpointOptions<'j> {
    #[serde(borrow)]
    encounter: EncounterOptions<'j>,
}

#[derive(Deserialize)]
struct EncounterOptions<'j> {
    #[serde(borrow)]
    options: &'j RawValue,
}

/// The events of an entry.
pub(super) fn events<R: Ruleset>(raw: &RawValue) -> Result<Vec<Event<R>>, FieldError> {
    let mut events = Vec::new();
    each_item(raw, |place, event| {
        if place >= MAX_EVENTS {
            return Err(FieldError::meaningless(
                "",
                format!("an entry has at most {MAX_EVENTS} events"),
            ));
        }
        events.push(Event::read(event.get()).map_err(|error| error.within(&place.to_string()))?);
        Ok(())
    })?;
    if events.len() > 1 && events.iter().any(Event::jumps) {
        return Err(FieldError::meaningless(
            "",
            "an undo or redo is the only event of its entry",
        ));
    }
    Ok(events)
}

/// Whether a checkpoint is one, as far as its shape goes; whether it makes sense, and whether this
/// program reads its schema, shows when it is restored.
pub(super) fn checkpoint<R: Ruleset>(checkpoint: &RawValue) -> Result<(), FieldError> {
    if DocumentHeader::read(checkpoint)?.schema != SCHEMA {
        return Ok(());
    }
    let Ok(CheckpointOptions { encounter }) = serde_json::from_str(checkpoint.get()) else {
        // The document says what is wrong.
        return read_json::<Document<'_, R>>(checkpoint.get()).map(drop);
    };
    let options = encounter.options.get();
    if options.len() > MAX_OPTIONS {
        return Err(FieldError::meaningless(
            "encounter.options",
            format!("options have at most {MAX_OPTIONS} bytes"),
        ));
    }
    read_json::<Document<'_, R>>(checkpoint.get())?;
    if let Err(errors) = R::read_options(&parse(options.as_bytes())?)
        && let Some(first) = errors.into_iter().next()
    {
        return Err(first.within("encounter.options"));
    }
    Ok(())
}

/// Refuses texts that are not one for each event.
pub(super) fn sentences<R: Ruleset>(
    texts: &[String],
    events: &[Event<R>],
) -> Result<(), FieldError> {
    if texts.len() == events.len() {
        return Ok(());
    }
    Err(FieldError::meaningless(
        "texts",
        format!(
            "a sentence for each of the {} events is expected",
            events.len()
        ),
    ))
}

impl LogEntry {
    /// Refuses texts of an imported entry that no request makes: too many or too long ones, and
    /// control characters.
    pub fn check_texts(&self) -> Result<(), FieldError> {
        if Text::<64>::new(&self.by).is_none() {
            let message =
                "a token's id is expected: at most 64 characters without control characters";
            return Err(FieldError::meaningless("by", message));
        }
        check_commands(&self.commands)?;
        check_sentences(&self.texts)?;
        if let Some(redactions) = &self.redactions {
            for redacted in redactions.entries() {
                redacted
                    .check_texts()
                    .map_err(|error| error.within("redactions"))?;
            }
        }
        Ok(())
    }
}

impl RedactedEntry {
    fn check_texts(&self) -> Result<(), FieldError> {
        check_commands(&self.commands)?;
        check_sentences(&self.texts)
    }
}

fn check_commands(commands: &[String]) -> Result<(), FieldError> {
    if commands.len() <= MAX_COMMANDS && commands.iter().all(|verb| Text::<64>::new(verb).is_some())
    {
        return Ok(());
    }
    let message = format!(
        "at most {MAX_COMMANDS} types of commands are expected, each of at most 64 characters \
         without control characters"
    );
    Err(FieldError::meaningless("commands", message))
}

fn check_sentences(texts: &[String]) -> Result<(), FieldError> {
    if texts
        .iter()
        .all(|text| text.chars().count() <= MAX_TEXT && is_plain(text))
    {
        return Ok(());
    }
    let message = format!("a text has at most {MAX_TEXT} characters, and no control characters");
    Err(FieldError::meaningless("texts", message))
}
