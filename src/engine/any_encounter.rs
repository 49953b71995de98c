//! What the layers above the engine ask of an encounter, whatever its ruleset.

use super::{
    CombatantStatistics, CountedLog, LoadError, LogEntry, Meta, OptionsFilter, Redactions, Refusal,
    Request, Rewind, Since, Stop, Summary, Viewer,
};
use crate::vocabulary::{CombatantId, Dice, LegalCommand, OwnCombatant, Pending, Time};
use serde::Serialize;
use serde_json::value::RawValue;
use std::any::Any;
use std::sync::Arc;

/// An encounter whose ruleset's types are erased. It never changes; a transition makes another one.
pub trait AnyEncounter: Any + Send + Sync {
    /// Its id, tokens and settings.
    fn meta(&self) -> &Meta;

    /// The id of its ruleset.
    fn ruleset(&self) -> &'static str;

    /// Whether it is within the bounds that no command breaks, but an imported log may. The error
    /// names the bound.
    fn check(&self) -> Result<(), String>;

    /// The combatant that a field names, hidden or not, active or not; refused if there is none.
    fn named(&self, field: String, id: &CombatantId) -> Result<OwnCombatant, Refusal>;

    /// A viewer as this encounter names it: without combatants whose ids others have.
    fn you(&self, viewer: &Viewer) -> Viewer;

    /// Its version: the number of its newest log entry.
    fn version(&self) -> u64;

    /// Refuses a request that this viewer has no right to send. A player's undo passes if the
    /// encounter allows it; whether it takes back the player's own command follows from the log.
    fn authorize(&self, viewer: &Viewer, request: &Request) -> Result<(), Refusal>;

    /// Decides a request of a viewer that acts for these combatants, none if it is a game master, at
    /// this time,
    /// or refuses it, with [`Refusal::Stopped`] as soon as `stop` says so; it is asked before each
    /// command, and before each event is redacted. An undo or redo is for [`rewind`](Self::rewind).
    fn decide(
        &self,
        sender: &[OwnCombatant],
        request: &Request,
        at: Time,
        dice: &mut dyn Dice,
        stop: Stop<'_>,
    ) -> Result<Decided, Refusal>;

    /// What a request wants from the past, if it is an undo or redo.
    fn rewind_target(&self, request: &Request) -> Result<Option<Rewind>, Refusal>;

    /// Carries out an undo or redo of a viewer that acts for these combatants; `past` is this
    /// encounter at the version that it wants.
    fn rewind(
        &self,
        sender: &[OwnCombatant],
        rewind: &Rewind,
        past: &dyn AnyEncounter,
        at: Time,
    ) -> Result<Decided, LoadError>;

    /// The encounter after the next log entry.
    fn fold(&self, entry: &LogEntry) -> Result<Arc<dyn AnyEncounter>, LoadError>;

    /// The state without tokens and settings.
    fn checkpoint(&self) -> Result<Box<RawValue>, serde_json::Error>;

    /// This encounter as it was at a checkpoint of its own.
    fn restore(&self, checkpoint: &RawValue) -> Result<Arc<dyn AnyEncounter>, LoadError>;

    /// The same fight under another meta.
    fn with_meta(&self, meta: Meta) -> Arc<dyn AnyEncounter>;

    /// The encounter as the owner of these combatants sees it. Show it and try commands on it;
    /// never store it.
    fn redacted(&self, own: &[OwnCombatant]) -> Arc<dyn AnyEncounter>;

    /// Tries a request on what the owner of these combatants sees. Asks `stop` as
    /// [`decide`](Self::decide) does.
    fn examine(
        &self,
        own: &[OwnCombatant],
        request: &Request,
        stop: Stop<'_>,
    ) -> Result<(), Refusal>;

    /// Reads the next entry of an imported log as strictly as a request. Writes its events as this
    /// program does, and redacts them if it carries no redacted forms, unless `stop` says so.
    /// Returns the encounter after it; None if it is an undo or redo.
    fn import_entry(
        &self,
        entry: &mut LogEntry,
        stop: Stop<'_>,
    ) -> Result<Option<Arc<dyn AnyEncounter>>, Refusal>;

    /// The encounter in full, as JSON for `you`.
    fn view(&self, you: &Viewer) -> Result<Box<RawValue>, serde_json::Error>;

    /// The current combatants and the pending decision.
    fn brief(&self) -> Brief;

    /// What a list says of it.
    fn summary(&self) -> Summary;

    /// The legal commands of this viewer that are asked for, incomplete as soon as `stop` says so;
    /// it is asked before each trial. Undo and redo are the game master's, back to the version
    /// `oldest`.
    fn options(
        &self,
        viewer: &Viewer,
        filter: &OptionsFilter,
        oldest: u64,
        stop: Stop<'_>,
    ) -> Vec<LegalCommand>;

    /// The work of a command, its redaction and its answer: about the combatants and effects, for
    /// each audience.
    fn weight(&self) -> usize;

    /// The numbers of the combatants by a log that this viewer reads.
    fn statistics(&self, log: &CountedLog) -> Vec<CombatantStatistics>;

    /// The turn table as plain text.
    fn text(&self) -> String;

    /// The document to be stored.
    fn document(&self) -> Result<Vec<u8>, serde_json::Error>;
}

/// A transition that was decided and not yet committed.
pub struct Decided {
    /// The encounter after it.
    pub next: Arc<dyn AnyEncounter>,
    /// The events with their sentences, as a JSON array.
    pub events: Box<RawValue>,
    /// The events that no client reads, as a JSON array.
    pub kept: Option<Box<RawValue>>,
    /// What viewers see of it who may not see everything; None if nothing is redacted.
    pub redactions: Option<Redactions>,
    /// Since when the encounter waits for what it waits for, if that is another time than before.
    pub since: Option<Since>,
    /// The state after it, where its log entry is to carry it.
    pub checkpoint: Option<Box<RawValue>>,
}

/// The current combatants and the pending decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Brief {
    /// Whose turn it is.
    pub current: Vec<CombatantId>,
    /// The decision that is awaited, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending: Option<Pending>,
    /// Since when.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Time>,
}
