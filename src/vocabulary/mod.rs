//! The types that every layer shares: encounter, combatant, effect, command, event, violation,
//! dice.
//!
//! Nothing here reads a clock, rolls a die of its own or knows of HTTP. [`Ruleset`] is the common
//! face of all systems.

mod audience;
mod cached_combatant;
mod character;
mod combatant;
mod combatants;
mod command;
mod decimal;
mod die;
mod effect;
mod encounter;
mod event;
mod fields;
mod fold;
mod id;
mod known_order;
mod legal_command;
mod manifest;
mod metadata;
mod order;
mod own;
mod play;
mod redact;
mod redaction;
mod ruleset;
mod scalar;
mod schema;
mod secrecy;
mod sheet;
mod time;
mod used_ids;
mod values;
mod violation;
mod words;
mod wound;

pub use audience::Audience;
pub use cached_combatant::CachedCombatant;
pub use combatant::{
    ASIDE, Band, Combatant, DRAFT_FIELDS, Draft, Hp, HpChanges, Kind, MAX_MEMBERS, Member,
    MemberDraft, MemberSpec, OUT, are_free_of, ids, is_default,
};
pub use combatants::Combatants;
pub use command::*;
pub use decimal::{Decimal, Total};
pub use die::{D6, D10, D20, Dice, Die};
pub use effect::{Clock, Effect, EffectDraft, Expiry, Moment, Recharge, Reminder};
pub use encounter::{Encounter, FoeHp, MAX_COMBATANTS, MAX_EFFECTS, Status, TurnSeconds};
pub use event::*;
pub use fields::{Field, FieldType, Fields, default_value};
pub use fold::Fold;
pub use id::{CombatantId, EffectId, MemberId, Mention, SLUG_PATTERN, Slug};
pub use known_order::{KnownOrder, KnownRoll, LeftRoll, TakenOrder};
pub use legal_command::{Choice, Group, LegalCommand, LegalCommands};
pub use manifest::{
    Actor, AllowedRole, CommandSpec, Commands, Decision, HOUSE_RULES, Listed, Manifest, PresetSpec,
    Rule, SHARED_DECISIONS,
};
pub use metadata::Metadata;
pub use order::{OrderEntry, Pending, Reason};
pub use own::OwnCombatant;
pub use play::Play;
pub use redact::{Participants, Redact};
pub use redaction::EventRedaction;
pub use ruleset::{Data, Registrar, Ruleset};
pub use scalar::{Count, HitPoints, INLINE, Int, Lines, Name, Text, is_plain};
pub use schema::*;
pub use secrecy::{KnownCombatants, Secrecy};
pub use sheet::{ArmorClass, Erasable, Level, Notes, SeenBy, SheetLink};
pub use time::Time;
pub use used_ids::UsedIds;
pub(crate) use values::capitalize;
pub use values::{
    Alternative, Coding, ListedValues, Named, Property, SharedList, Values, listed, shared_list,
};
pub use violation::{Ground, Violation, field, require};
pub use words::{
    Describe, Names, NoNames, Tellable, possessive_ending, said, spaced, tell, with_names,
};
pub use wound::Hit;

pub use turnkeeper_macros::{Fields, command, commands, event, events, fact, word};
