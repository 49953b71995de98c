//! The answer to a command: its parts as JSON, of which the HTTP layer makes the body.

use super::budget::{Client, Room};
use super::{App, AppError};
use crate::engine::{Brief, Decided, Viewer};
use serde_json::value::RawValue;

/// About the bytes of an answer besides its parts.
const FRAME: usize = 256;

/// How much an answer says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum AnswerSize {
    /// `version`, `events` and `encounter`.
    Full = 1,
    /// `version`, `events`, `current` and `pending`.
    Minimal = 2,
}

impl AnswerSize {
    pub(super) fn from_byte(byte: u8) -> Option<Self> {
        [Self::Full, Self::Minimal]
            .into_iter()
            .find(|size| *size as u8 == byte)
    }
}

/// The answer to a command, as its sender sees it.
pub struct Answer {
    /// The version that the command made.
    pub version: u64,
    /// The events, as a JSON array.
    pub events: Box<RawValue>,
    /// The state after it.
    pub outcome: Outcome,
    /// True for a repeated request, which applied nothing.
    pub replayed: bool,
    /// Room for the answer, until the client has read it.
    pub room: Room,
}

/// The state after a command, in full or in brief.
pub enum Outcome {
    /// The encounter, as JSON.
    Encounter(Box<RawValue>),
    /// The current combatants and the pending decision.
    Brief(Brief),
}

impl Answer {
    /// About the bytes of its body.
    pub fn bytes(&self) -> usize {
        bytes(&self.events, &self.outcome)
    }

    /// Takes room for `options` too, which have so many bytes. Refused without it.
    pub fn make_room_for(&mut self, options: usize) -> Result<(), AppError> {
        self.room
            .grow_for_answer(self.bytes().saturating_add(options))
    }
}

fn bytes(events: &RawValue, outcome: &Outcome) -> usize {
    let encounter = match outcome {
        Outcome::Encounter(view) => view.get().len(),
        Outcome::Brief(_) => 0,
    };
    FRAME
        .saturating_add(events.get().len())
        .saturating_add(encounter)
}

impl App {
    /// The answer to what was decided, as the viewer sees it, counted until the client has read it.
    pub(super) fn answer(
        &self,
        client: &Client,
        viewer: &Viewer,
        decided: &Decided,
        size: AnswerSize,
    ) -> Result<Answer, AppError> {
        let mut events = &decided.events;
        if !viewer.is_gm()
            && let Some(redactions) = &decided.redactions
            && let Some(redacted) = redactions.to(&viewer.token)
        {
            events = &redacted.events;
        }
        let encounter = viewer.view(&decided.next);
        let outcome = match size {
            AnswerSize::Full => Outcome::Encounter(encounter.view(viewer)?),
            AnswerSize::Minimal => Outcome::Brief(encounter.brief()),
        };
        Ok(Answer {
            version: encounter.version(),
            events: events.clone(),
            replayed: false,
            room: self.answers.reserve(client, bytes(events, &outcome))?,
            outcome,
        })
    }
}
