//! The space of a log entry: the bytes of its events and their sentences, for all audiences
//! together.

use super::Refusal;
use crate::json::FieldError;
use crate::vocabulary::Violation;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use std::fmt;

/// The most bytes of the events and sentences of one log entry, for all audiences together.
const MAX_ENTRY: usize = 1024 * 1024;

/// The reason for which events are not written.
#[derive(Debug)]
pub(super) enum WriteError {
    /// They have more bytes than the entry has space.
    TooLarge,
    /// They cannot be written as JSON.
    Json(serde_json::Error),
    /// The work was stopped: no client waits for it.
    Stopped,
}

impl WriteError {
    /// The refusal of a request that would write them; its last command is at `path`.
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

/// The refusal of an imported log, whose events were written before.
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

/// The bytes that may still be written into an entry.
#[derive(Debug, Clone, Copy)]
pub(super) struct Space(usize);

impl Space {
    /// The space of an empty entry.
    pub fn of_entry() -> Self {
        Self(MAX_ENTRY)
    }

    /// Takes a number of bytes.
    pub fn take(&mut self, bytes: usize) -> Result<(), WriteError> {
        self.0 = self.0.checked_sub(bytes).ok_or(WriteError::TooLarge)?;
        Ok(())
    }

    /// The bytes that were taken since the space was `before`.
    pub fn taken_since(self, before: Self) -> usize {
        before.0.saturating_sub(self.0)
    }

    /// Writes a value of a list as JSON, if there is space for it and a comma.
    pub fn write(&mut self, value: &impl Serialize) -> Result<Box<RawValue>, WriteError> {
        let json = to_raw_value(value).map_err(WriteError::Json)?;
        self.take(json.get().len().saturating_add(1))?;
        Ok(json)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_up_to_the_last_byte_of_the_space() {
        let mut space = Space(9);
        assert_eq!(space.write(&"abc").expect("space").get(), "\"abc\"");
        assert_eq!(space.write(&"").expect("space").get(), "\"\"");
        assert!(matches!(space.write(&1), Err(WriteError::TooLarge)));
        assert!(matches!(Space(5).write(&"abc"), Err(WriteError::TooLarge)));
    }

    #[test]
    fn what_was_taken_is_counted() {
        let before = Space(100);
        let mut space = before;
        assert!(space.take(60).is_ok() && space.take(41).is_err());
        assert_eq!(space.taken_since(before), 60);
    }
}
