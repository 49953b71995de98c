//! The answer to a command: its parts as JSON, of which the HTTP layer makes the body.

use super::budget::{Client, Room};
use super::tag::{Representation, Tag};
use super::token::BearerToken;
use super::{App, AppError};
use crate::engine::{AnyEncounter, Brief, Decided, Viewer, fitted};
use serde_json::value::{RawValue, to_raw_value};

/// About the bytes of an answer besides its parts.
const FRAME: usize = 512;

/// How much an answer says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum AnswerSize {
    /// With the encounter.
    Full = 1,
    /// Without the encounter.
    Minimal = 2,
}

impl AnswerSize {
    pub(super) fn from_byte(byte: u8) -> Option<Self> {
        [Self::Full, Self::Minimal]
            .into_iter()
            .find(|size| *size as u8 == byte)
    }
}

/// The turn table as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Table {
    /// The maximum number of characters, if there is one.
    pub max_length: Option<usize>,
}

impl Table {
    /// The table of an encounter that a viewer sees.
    pub fn of(self, seen: &dyn AnyEncounter) -> String {
        let text = seen.text();
        match self.max_length {
            Some(most) => fitted(&text, most),
            None => text,
        }
    }

    /// The table as a JSON string.
    pub(super) fn json(self, seen: &dyn AnyEncounter) -> Result<Box<RawValue>, AppError> {
        Ok(to_raw_value(&self.of(seen))?)
    }
}

/// Who gets the answer to a command, and what it holds besides the usual parts.
#[derive(Clone, Copy)]
pub struct AnswerCall<'a> {
    /// The encounter.
    pub id: &'a str,
    /// The sender.
    pub token: &'a BearerToken,
    /// The turn table that the answer holds, if the sender asks for one.
    pub table: Option<Table>,
}

/// The answer to a command, as its sender sees it.
pub struct Answer {
    /// The version that the command made.
    pub version: u64,
    /// The current combatants and the pending decision after it.
    pub brief: Brief,
    /// The events, as a JSON array.
    pub events: Box<RawValue>,
    /// The encounter after it, as JSON, in a full answer.
    pub encounter: Option<Box<RawValue>>,
    /// The entity tag of that encounter.
    pub tag: Option<Tag>,
    /// The turn table after it, as a JSON string, if it was asked for.
    pub table: Option<Box<RawValue>>,
    /// True for a repeated request, which applied nothing.
    pub replayed: bool,
    /// Room for the answer, until the client has read it.
    pub room: Room,
}

impl Answer {
    /// About the bytes of its body.
    pub fn bytes(&self) -> usize {
        let mut bytes = FRAME.saturating_add(self.events.get().len());
        for part in [&self.encounter, &self.table].into_iter().flatten() {
            bytes = bytes.saturating_add(part.get().len());
        }
        bytes
    }

    /// Takes room for `options` too, which have so many bytes. Refused without it.
    pub fn make_room_for(&mut self, options: usize) -> Result<(), AppError> {
        self.room
            .grow_if_large(self.bytes().saturating_add(options))
    }
}

impl App {
    /// The answer to what was decided, as the viewer sees it, counted until the client has read it.
    pub(super) fn answer(
        &self,
        call: AnswerCall<'_>,
        viewer: &Viewer,
        decided: &Decided,
        size: AnswerSize,
    ) -> Result<Answer, AppError> {
        let mut events = &decided.events;
        if !viewer.is_gm()
            && let Some(redactions) = &decided.redactions
            && let Some(redacted) = redactions.to(&viewer.token_id)
        {
            events = &redacted.events;
        }
        let seen = viewer.redact(&decided.next);
        let version = seen.version();
        let mut encounter = None;
        let mut tag = None;
        if size == AnswerSize::Full {
            let view = seen.view(viewer)?;
            tag = Some(Tag::of(version, view.get(), viewer, Representation::Json));
            encounter = Some(view);
        }
        let table = match call.table {
            Some(table) => Some(table.json(&*seen)?),
            None => None,
        };
        let client = Client::of(call.token, call.id);
        let mut answer = Answer {
            version,
            brief: seen.brief(),
            events: events.clone(),
            encounter,
            tag,
            table,
            replayed: false,
            room: self.answers.room(&client),
        };
        answer.make_room_for(0)?;
        Ok(answer)
    }
}
