//! The words that every floor shares: encounter, combatant, effect, command, event, violation, dice.
//!
//! Nothing here reads a clock, rolls a die of its own or knows of HTTP. [`Ruleset`] is the common face of all systems.

mod combatant;
mod command;
mod conceal;
mod die;
mod effect;
mod event;
mod kept;
mod manifest;
mod offer;
mod place;
mod play;
mod reading;
mod ruleset;
mod scalar;
mod seat;
mod table;
mod tagged;
mod telling;
mod violation;
mod wound;

pub use combatant::{Band, Combatant, Draft, Hp, Kind, MAX_MEMBERS, Member, MemberDraft, MemberSpec, OUT};
pub use command::*;
pub use conceal::Audience;
pub use die::{D6, D10, D20, Dice, Die};
pub use effect::{Effect, EffectDraft, Expiry, Moment};
pub use event::*;
pub use kept::Kept;
pub use manifest::{Actor, CommandSpec, HOUSE_RULES, Manifest, Rule, SHARED_COMMANDS, Sender};
pub use offer::{Choice, Listed, Offer, Values, shared_list};
pub use place::{Because, Pending, Place};
pub use play::Play;
pub use reading::{BadJson, FieldError, Flaw, parse, parse_beside, read, read_fields, read_query};
pub use ruleset::{Data, Registrar, Ruleset};
pub use scalar::{CombatantId, EffectId, INLINE, Int, Slug, Text, inlined};
pub use seat::Seat;
pub use table::{FoeHp, Ghost, Status, Table};
pub use tagged::Verbs;
pub use telling::Telling;
pub use violation::{Ground, Violation};
pub use wound::Wound;

pub(crate) use tagged::tagged;
