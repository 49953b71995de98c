//! The types that every layer shares: encounter, combatant, effect, command, event, violation, dice.
//!
//! Nothing here reads a clock, rolls a die of its own or knows of HTTP. [`Ruleset`] is the common face of all systems.

mod audience;
mod cached_combatant;
mod cached_json;
mod combatant;
mod command;
mod die;
mod effect;
mod event;
mod legal_command;
mod manifest;
mod order;
mod play;
mod reading;
mod redact;
mod redaction;
mod ruleset;
mod scalar;
mod schema;
mod table;
mod tagged;
mod violation;
mod wound;

pub use audience::Audience;
pub use cached_combatant::CachedCombatant;
pub use cached_json::CachedJson;
pub use combatant::{Band, Combatant, Draft, Hp, Kind, MAX_MEMBERS, Member, MemberDraft, MemberSpec, OUT};
pub use command::*;
pub use die::{D6, D10, D20, Dice, Die};
pub use effect::{Effect, EffectDraft, Expiry, Moment};
pub use event::*;
pub use legal_command::{Choice, LegalCommand, ListReference, Values, shared_list};
pub use manifest::{Actor, AllowedRole, CommandSpec, HOUSE_RULES, Manifest, Rule};
pub use order::{OrderEntry, Pending, Reason};
pub use play::Play;
pub use reading::{BadJson, ErrorKind, FieldError, parse, parse_beside, read, read_fields, read_query};
pub use redact::{Participants, Redact};
pub use redaction::Redaction;
pub use ruleset::{Data, Registrar, Ruleset};
pub use scalar::{CombatantId, EffectId, INLINE, Int, Slug, Text, inlined};
pub use schema::*;
pub use table::{FoeHp, Removed, Status, Table};
pub use tagged::{Commands, OlderEvent, Tagged, union_schema};
pub use violation::{Ground, Violation, require};
pub use wound::Wound;

pub use crate::{commands, events, public, redacted, settings, words};
