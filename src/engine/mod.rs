//! The shared engine: decides shared commands, calls the ruleset for its own, and applies events to
//! the state.
//!
//! Pure: no clock, no randomness of its own, no environment, no HTTP. [`Rulesets`] knows every
//! system by its trait alone. It creates and loads each encounter as an [`AnyEncounter`], which
//! hides the types of the encounter's ruleset.

mod aim;
mod any_encounter;
mod dice;
mod document;
mod effects;
mod encounter;
mod history;
mod import;
mod legal;
mod narration;
mod order;
mod record;
mod redaction;
mod refusal;
mod registry;
mod request;
mod rights;
mod roster;
mod shared;
mod since;
mod space;
mod statistics;
mod text;
mod trial;
mod view;
mod viewer;

pub use any_encounter::{AnyEncounter, Brief, Decided};
pub use dice::SeededDice;
pub use document::{Document, LogEntry, Meta, SCHEMA, TokenRecord};
pub use history::{CHECKPOINTS, Rewind, UndoHistory};
pub use legal::OptionsFilter;
pub use order::OrderRow;
pub use redaction::{RedactedEntry, Redactions};
pub use refusal::{LoadError, Refusal};
pub use registry::{AnyRuleset, Rulesets};
pub use request::{Creation, Request};
pub use since::Since;
pub use statistics::{CombatantStatistics, CountedLog};
pub use text::fitted;
pub use view::{EncounterView, Summary};
pub use viewer::{NewToken, Role, Viewer};

/// Asks whether long work should stop because no client waits for it.
pub type Stop<'a> = &'a dyn Fn() -> bool;

/// The most commands in one list.
pub const MAX_COMMANDS: usize = 50;
/// The most events of one request, or of one entry of an imported log.
pub const MAX_EVENTS: usize = 20_000;
/// The most redacted events of one request: its events times the audiences that read them.
const MAX_REDACTED: usize = 60_000;
/// The most bytes of redacted events of one request. An event may name every combatant, so that few
/// events may be long.
const MAX_REDACTED_BYTES: usize = 4 * 1024 * 1024;
/// The most conditions that a combatant or member has at a time.
pub const MAX_CONDITIONS: usize = 32;
