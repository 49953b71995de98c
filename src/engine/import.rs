//! Reads imported logs as strictly as requests: an unknown field is refused wherever it stands.

use super::document::{Document, DocumentHeader};
use super::narration::{KeptEvent, ToldEvent};
use super::{LogEntry, MAX_COMMANDS, MAX_EVENTS, SCHEMA};
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

/// The sentence of an event.
#[derive(Deserialize)]
struct Sentence {
    text: Option<String>,
}

/// The events of an entry with their sentences.
pub(super) fn events<R: Ruleset>(raw: &RawValue) -> Result<Vec<ToldEvent<Event<R>>>, FieldError> {
    let events = each_event(raw, told::<R>)?;
    if events.len() > 1 && events.iter().any(|told| told.event.jumps()) {
        return Err(FieldError::meaningless(
            "",
            "An undo or redo must be the only event of its entry.",
        ));
    }
    Ok(events)
}

/// The events of an entry that no client reads.
pub(super) fn kept<R: Ruleset>(entry: &LogEntry) -> Result<Vec<KeptEvent<Event<R>>>, FieldError> {
    match &entry.kept {
        Some(raw) => each_event(raw, kept_event),
        None => Ok(Vec::new()),
    }
}

/// Reads each event of a list, as many as an entry has.
fn each_event<T>(
    raw: &RawValue,
    read: impl Fn(&RawValue) -> Result<T, FieldError>,
) -> Result<Vec<T>, FieldError> {
    let mut events = Vec::new();
    each_item(raw, |place, event| {
        if place >= MAX_EVENTS {
            return Err(FieldError::meaningless(
                "",
                format!("Too many events. An entry has at most {MAX_EVENTS}."),
            ));
        }
        events.push(read(event).map_err(|error| error.within(&place.to_string()))?);
        Ok(())
    })?;
    Ok(events)
}

/// An event that no client reads, with its place.
fn kept_event<R: Ruleset>(raw: &RawValue) -> Result<KeptEvent<Event<R>>, FieldError> {
    let KeptEvent { after, event }: KeptEvent<Box<RawValue>> = read_json(raw.get())?;
    let event: Event<R> = Event::read(event.get()).map_err(|error| error.within("event"))?;
    if !event.is_kept() {
        let message = "This event is read, and stands in \"events\".";
        return Err(FieldError::meaningless("event", message));
    }
    Ok(KeptEvent { after, event })
}

/// An event with its sentence.
fn told<R: Ruleset>(raw: &RawValue) -> Result<ToldEvent<Event<R>>, FieldError> {
    let event = Event::read(raw.get())?;
    if event.is_kept() {
        let message = "No client reads this event. It stands in \"kept\".";
        return Err(FieldError::meaningless("type", message));
    }
    if !event.has_sentence() {
        return Ok(ToldEvent { event, text: None });
    }
    let Sentence { text } = serde_json::from_str(raw.get())
        .map_err(|_| FieldError::malformed("text", "The text must be a string."))?;
    let Some(text) = text else {
        return Err(FieldError::malformed("text", "This field is required."));
    };
    if text.chars().count() > MAX_TEXT || !is_plain(&text) {
        let message =
            format!("Invalid text. Send at most {MAX_TEXT} characters, and no control characters.");
        return Err(FieldError::meaningless("text", message));
    }
    Ok(ToldEvent {
        event,
        text: Some(text),
    })
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
            format!("The options are too large. Send at most {MAX_OPTIONS} bytes."),
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

impl LogEntry {
    /// Refuses texts of an imported entry that no request makes: too many or too long ones, and
    /// control characters.
    pub fn check_texts(&self) -> Result<(), FieldError> {
        if <Text<64>>::new(&self.token).is_none() {
            let message =
                "Expected a token's id: at most 64 characters without control characters.";
            return Err(FieldError::meaningless("token", message));
        }
        check_commands(&self.commands)?;
        if let Some(redactions) = &self.redactions {
            for redacted in redactions.entries() {
                check_commands(&redacted.commands).map_err(|error| error.within("redactions"))?;
            }
        }
        Ok(())
    }
}

fn check_commands(commands: &[String]) -> Result<(), FieldError> {
    if commands.len() <= MAX_COMMANDS && commands.iter().all(|verb| <Text<64>>::new(verb).is_some())
    {
        return Ok(());
    }
    let message = format!(
        "at most {MAX_COMMANDS} types of commands are expected, each of at most 64 characters \
         without control characters"
    );
    Err(FieldError::meaningless("commands", message))
}
