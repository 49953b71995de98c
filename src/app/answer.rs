//! What a command is answered with.

use super::AppError;
use crate::engine::{Decided, Viewer};
use bytes::Bytes;
use std::io::Write;

/// How much an answer says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Shape {
    /// `version`, `events` and the whole `encounter`.
    Full = 1,
    /// `version`, `events`, `current` and `pending`.
    Minimal = 2,
}

impl Shape {
    pub(super) fn from_byte(byte: u8) -> Option<Self> {
        [Self::Full, Self::Minimal].into_iter().find(|shape| *shape as u8 == byte)
    }

    /// The body for what was decided, as `viewer` may see it; the parts that are JSON already are put in as they are.
    pub(super) fn render(self, decided: &Decided, _viewer: &Viewer) -> Result<Bytes, AppError> {
        let (game, events) = (&*decided.next, decided.events.get());
        let body = match self {
            Self::Full => {
                let mut body = Vec::with_capacity(events.len() + 48);
                write!(body, "{{\"version\":{},\"events\":{events},\"encounter\":", game.version())
                    .map_err(unwritable)?;
                game.view_into(&mut body)?;
                body.push(b'}');
                Ok::<_, AppError>(body)
            }
            Self::Minimal => {
                // `{"current":...,"pending":...}` goes on where the other fields end.
                let brief = serde_json::to_string(&game.brief())?;
                let mut body = Vec::with_capacity(events.len() + brief.len() + 48);
                write!(body, "{{\"version\":{},\"events\":{events},", game.version()).map_err(unwritable)?;
                body.extend_from_slice(brief.trim_start_matches('{').as_bytes());
                Ok(body)
            }
        };
        body.map(Bytes::from)
    }
}

fn unwritable(error: std::io::Error) -> AppError {
    AppError::Broken(error.to_string())
}

/// The answer to a command.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The version that the command made.
    pub version: u64,
    /// How much the body says.
    pub shape: Shape,
    /// JSON.
    pub body: Bytes,
    /// True when it was given before, under the same idempotency key, and nothing was applied now.
    pub replayed: bool,
}
