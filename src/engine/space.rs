//! The bytes of a log entry: its events and their sentences, for all audiences together.

use super::Refusal;
use crate::json::FieldError;
use crate::vocabulary::Violation;
use serde::Serialize;
use serde_json::value::RawValue;
use std::fmt;

/// The most bytes of the events and sentences of one log entry, for all audiences together.
const MAX_ENTRY: usize = 1024 * 1024;

/// Why events are not written.
#[derive(Debug)]
pub(super) enum WriteError {
    /// They have too many bytes.
    TooLarge,
    /// They are no JSON.
    Json(serde_json::Error),
    /// Nobody waits for them any more.
    Stopped,
}

impl WriteError {
    /// The refusal of the request whose last command is at `path`.
    pub fn refusal(self, path: String) -> Refusal {
        if matches!(self, Self::TooLarge) {
            let detail = "This request would write more than 1 MiB of events to the log. Send \
                          shorter lists of commands, or remove effects first.";
            return Refusal::Violation {
                path,
                violation: Violation::new("events_too_large", "TK-4", detail),
            };
        }
        self.into()
    }
}

/// The refusal of events that were written before, in a log.
impl From<WriteError> for Refusal {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Stopped => Self::Stopped,
            error => FieldError::meaningless("events", error.to_string()).into(),
        }
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge => write!(
                f,
                "the events have more than {MAX_ENTRY} bytes with their sentences"
            ),
            Self::Json(error) => error.fmt(f),
            Self::Stopped => write!(f, "it was stopped"),
        }
    }
}

/// The bytes that are left for an entry.
#[derive(Debug, Clone, Copy)]
pub(super) struct Space(usize);

impl Space {
    /// That of an empty entry.
    pub fn of_entry() -> Self {
        Self(MAX_ENTRY)
    }

    /// Takes so many bytes.
    pub fn take(&mut self, bytes: usize) -> Result<(), WriteError> {
        self.0 = self.0.checked_sub(bytes).ok_or(WriteError::TooLarge)?;
        Ok(())
    }

    /// The bytes that were taken since it was `before`.
    pub fn taken_since(self, before: Self) -> usize {
        before.0.saturating_sub(self.0)
    }

    /// Writes events as a JSON array, as far as there is space.
    pub fn events<E: Serialize>(&mut self, events: &[E]) -> Result<Box<RawValue>, WriteError> {
        let mut json = vec![b'['];
        for event in events {
            let before = json.len();
            serde_json::to_writer(&mut json, event).map_err(WriteError::Json)?;
            json.push(b',');
            self.take(json.len() - before)?;
        }
        // The comma after the last one.
        json.pop_if(|last| *last == b',');
        json.push(b']');
        RawValue::from_string(String::from_utf8(json).unwrap_or_default()).map_err(WriteError::Json)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_written_up_to_the_last_byte_of_the_space() {
        let mut space = Space(10);
        assert_eq!(
            space.events(&["abc", ""]).expect("space").get(),
            "[\"abc\",\"\"]"
        );
        assert!(matches!(space.events(&[10]), Err(WriteError::TooLarge)));
        assert_eq!(space.events::<u8>(&[]).expect("space").get(), "[]");
        assert!(matches!(
            Space(8).events(&["abc", ""]),
            Err(WriteError::TooLarge)
        ));
    }

    #[test]
    fn what_was_taken_is_counted() {
        let before = Space(100);
        let mut space = before;
        assert!(space.take(60).is_ok() && space.take(41).is_err());
        assert_eq!(space.taken_since(before), 60);
    }
}
