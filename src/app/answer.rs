//! The answers to commands.

use super::AppError;
use crate::engine::{Decided, Game, Viewer};
use bytes::Bytes;
use serde_json::value::RawValue;
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

    /// The body for an encounter and its new events. Parts that are JSON are copied.
    pub(super) fn render(self, game: &dyn Game, events: &RawValue) -> Result<Bytes, AppError> {
        let events = events.get();
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
                // The fields of `{"current":...,"pending":...}` follow the others.
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
    AppError::Internal(error.to_string())
}

/// The answer to a command.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The version that the command made.
    pub version: u64,
    /// The shape of the body.
    pub shape: Shape,
    /// JSON.
    pub body: Bytes,
    /// True for a repeated request, which applied nothing.
    pub replayed: bool,
}

impl Answer {
    /// The answer to what was decided, as the viewer sees it.
    pub(super) fn to(viewer: &Viewer, decided: &Decided, shape: Shape) -> Result<Self, AppError> {
        if viewer.is_gm() {
            let body = shape.render(&*decided.next, &decided.events)?;
            return Ok(Self { version: decided.next.version(), shape, body, replayed: false });
        }
        let redacted = decided.redactions.as_ref().and_then(|redactions| redactions.to(&viewer.token));
        let game = decided.next.redacted(&viewer.combatants);
        let body = shape.render(&*game, redacted.map_or(&decided.events, |entry| &entry.events))?;
        Ok(Self { version: game.version(), shape, body, replayed: false })
    }
}
