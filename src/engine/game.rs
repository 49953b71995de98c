//! An encounter in hand, whatever its ruleset.

use super::document::Document;
use super::view::{EncounterView, pending};
use super::{LoadError, Meta, Refusal, Request, SCHEMA, legal, shared, text};
use crate::vocabulary::*;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::sync::Arc;

/// An encounter in hand: its ruleset's types are behind these verbs. It never changes; a transition makes another one.
pub trait Game: Send + Sync {
    /// What is known of it besides its fight.
    fn meta(&self) -> &Meta;

    /// Its version: the number of its newest log entry.
    fn version(&self) -> u64;

    /// Decides a request: what happens and the encounter after it, or why not.
    fn decide(&self, request: &Request, dice: &mut dyn Dice) -> Result<Decided, Refusal>;

    /// The encounter after the events of the next log entry.
    fn fold(&self, version: u64, events: &RawValue) -> Result<Arc<dyn Game>, LoadError>;

    /// The encounter in full, as JSON.
    fn view(&self) -> Result<Box<RawValue>, serde_json::Error>;

    /// Whose turn it is and what is awaited.
    fn brief(&self) -> Brief;

    /// What is legal now.
    fn options(&self) -> Vec<Offer>;

    /// The turn table as plain text.
    fn text(&self) -> String;

    /// The document to be stored.
    fn document(&self) -> Result<Vec<u8>, serde_json::Error>;
}

/// A transition that was decided and not yet committed.
pub struct Decided {
    /// The encounter after it.
    pub next: Arc<dyn Game>,
    /// What happened, a JSON array.
    pub events: Box<RawValue>,
}

/// Whose turn it is and what is awaited: what a bot needs between two commands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Brief {
    /// Whose turn it is.
    pub current: Vec<CombatantId>,
    /// The decision that is awaited.
    pub pending: Option<Pending>,
}

/// An encounter under one ruleset.
pub(super) struct Live<R: Ruleset> {
    pub meta: Arc<Meta>,
    pub table: Table<R>,
}

impl<R: Ruleset> Live<R> {
    /// Plays a request on a copy of the table.
    pub fn play(&self, request: &Request, dice: &mut dyn Dice) -> Result<(Table<R>, Vec<Event<R>>), Refusal> {
        let mut play = Play::new(self.table.clone(), dice);
        for (index, (verb, fields)) in request.commands.iter().enumerate() {
            let path = request.path(index);
            play_one(&mut play, verb, fields, &path)?;
        }
        let (mut table, events) = play.finish();
        table.version = table.version.saturating_add(1);
        Ok((table, events))
    }
}

fn play_one<R: Ruleset>(
    play: &mut Play<'_, R>, verb: &str, fields: &serde_json::Map<String, Value>, path: &str,
) -> Result<(), Refusal> {
    let fields = Value::Object(fields.clone());
    let ended = play.table().status == Status::Ended && verb != "note";
    let closed = || Violation::new("encounter_ended", "TK-1", "the encounter has ended: only notes can be added");
    let refuse = |violation| Refusal::Violation { path: path.to_owned(), violation };
    let misread = |error: FieldError| Refusal::Field(error.within(path));
    if let Some(command) = R::Command::parse(verb, fields.clone()) {
        let command = command.map_err(misread)?;
        if ended {
            return Err(refuse(closed()));
        }
        return R::decide(play, &command).map_err(refuse);
    }
    let Some(command) = SharedCommand::parse(verb, fields) else {
        let known = R::Command::VERBS.iter().chain(SharedCommand::VERBS).copied().collect();
        return Err(Refusal::UnknownCommand { path: path.to_owned(), verb: verb.to_owned(), known });
    };
    let command = command.map_err(misread)?;
    if ended {
        return Err(refuse(closed()));
    }
    shared::decide(play, command).map_err(|refused| match refused {
        shared::Refused::Field(error) => misread(error),
        shared::Refused::Violation(violation) => refuse(violation),
    })
}

impl<R: Ruleset> Game for Live<R> {
    fn meta(&self) -> &Meta {
        &self.meta
    }

    fn version(&self) -> u64 {
        self.table.version
    }

    fn decide(&self, request: &Request, dice: &mut dyn Dice) -> Result<Decided, Refusal> {
        let (table, events) = self.play(request, dice)?;
        let events = serde_json::value::to_raw_value(&events).map_err(|error| {
            Refusal::Field(FieldError { path: String::new(), message: error.to_string(), meaningless: true })
        })?;
        Ok(Decided { next: Arc::new(Self { meta: self.meta.clone(), table }), events })
    }

    fn fold(&self, version: u64, events: &RawValue) -> Result<Arc<dyn Game>, LoadError> {
        let events: Vec<Event<R>> = serde_json::from_str(events.get()).map_err(unreadable)?;
        let mut table = self.table.clone();
        for event in &events {
            table.apply(event);
        }
        table.version = version;
        Ok(Arc::new(Self { meta: self.meta.clone(), table }))
    }

    fn view(&self) -> Result<Box<RawValue>, serde_json::Error> {
        serde_json::value::to_raw_value(&EncounterView::new(&self.meta, &self.table))
    }

    fn brief(&self) -> Brief {
        Brief { current: R::current(&self.table), pending: pending(&self.table) }
    }

    fn options(&self) -> Vec<Offer> {
        legal::offers(self)
    }

    fn text(&self) -> String {
        text::table(&self.table)
    }

    fn document(&self) -> Result<Vec<u8>, serde_json::Error> {
        serde_json::to_vec(&Document {
            schema: SCHEMA,
            ruleset: Cow::Borrowed(R::MANIFEST.id),
            meta: Cow::Borrowed(&self.meta),
            table: Cow::Borrowed(&self.table),
        })
    }
}

pub(super) fn unreadable(error: serde_json::Error) -> LoadError {
    LoadError::Unreadable(error.to_string())
}
