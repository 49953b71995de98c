//! Events: they carry every die and every choice, and applying them in order gives the state.

use super::{
    Audience, Combatant, CombatantId, Describe, Effect, EffectId, Lines, MemberId, Metadata, Names,
    Readers, Redact, Ruleset, Slug, Tagged, Tellable, Text, Word, capitalize, is_default, spaced,
    tell,
};
use crate::json::{FieldError, Source, Tagged as _, read_json_beside};
use macro_rules_attribute::derive;
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use serde_with::skip_serializing_none;
use std::borrow::Cow;
use std::fmt::Write;
use std::sync::Arc;
use utoipa::ToSchema;

/// An event: shared, of the roster, or of the ruleset. In JSON an object with a `type`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged, bound = "")]
pub enum Event<R: Ruleset> {
    /// Something that happens in every ruleset.
    Shared(SharedEvent),
    /// A change of the roster.
    Roster(RosterEvent<R>),
    /// Something that happens in this ruleset alone.
    Own(R::Event),
}

impl<R: Ruleset> Event<R> {
    /// Reads one in JSON, with or without its sentence. An error names the field that is wrong; an
    /// unknown one is.
    pub fn read(json: &str) -> Result<Self, FieldError> {
        let kind = event_type(json)?;
        let event = &EventFields {
            json,
            beside: if kind == NOTED {
                &["type"]
            } else {
                &["type", TEXT]
            },
        };
        if kind == "combatant_joined" {
            let Joined { details } = event.read()?;
            return Ok(Self::Roster(RosterEvent::CombatantJoined { details }));
        }
        if kind == "combatant_updated" {
            let Updated { details, changed } = event.read()?;
            return Ok(Self::Roster(RosterEvent::CombatantUpdated {
                details,
                changed,
            }));
        }
        if let Some(shared) = SharedEvent::parse(&kind, event) {
            return Ok(Self::Shared(shared?));
        }
        if let Some(own) = R::Event::parse(&kind, event) {
            return Ok(Self::Own(own?));
        }
        Err(FieldError::meaningless(
            "type",
            "This ruleset has no such event.",
        ))
    }

    /// Whether it has a sentence. A note is a text itself; some events are told by another one.
    pub fn has_sentence(&self) -> bool {
        self.describe(&NoNames, &mut String::new())
    }

    /// The combatant that joins or changes with it.
    pub fn combatant(&self) -> Option<&Combatant<R>> {
        match self {
            Self::Roster(
                RosterEvent::CombatantJoined { details }
                | RosterEvent::CombatantUpdated { details, .. },
            ) => Some(details),
            Self::Shared(_) | Self::Own(_) => None,
        }
    }

    /// Whether the whole encounter is another one after it.
    pub fn jumps(&self) -> bool {
        matches!(
            self,
            Self::Shared(SharedEvent::Undone(_) | SharedEvent::Redone(_))
        )
    }
}

impl<'de, R: Ruleset> Deserialize<'de> for Event<R> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let event = Box::<RawValue>::deserialize(deserializer)?;
        Self::read(event.get()).map_err(D::Error::custom)
    }
}

/// Nothing has a name.
struct NoNames;

impl Names for NoNames {
    fn combatant(&self, _: &CombatantId) -> Option<&str> {
        None
    }

    fn is_group(&self, _: &CombatantId) -> bool {
        false
    }

    fn effect(&self, _: &EffectId) -> Option<&Arc<Effect>> {
        None
    }
}

/// The type of an event in JSON.
fn event_type(json: &str) -> Result<Cow<'_, str>, FieldError> {
    #[derive(Deserialize)]
    struct TypeField<'j> {
        #[serde(borrow, rename = "type")]
        kind: Option<&'j RawValue>,
    }
    if !json.starts_with('{') {
        return Err(FieldError::malformed(
            "",
            "Expected an object: an event with its type.",
        ));
    }
    let field: TypeField<'_> = serde_json::from_str(json).map_err(|_| FieldError::twice("type"))?;
    let Some(kind) = field.kind else {
        return Err(FieldError::malformed("type", "This field is required."));
    };
    serde_json::from_str(kind.get())
        .map_err(|_| FieldError::malformed("type", "The type must be a string."))
}

/// The type of notes.
const NOTED: &str = "noted";
/// The field of an event in JSON with the sentence that tells it.
const TEXT: &str = "text";

/// An event in JSON, of which some fields are read elsewhere.
struct EventFields<'j> {
    json: &'j str,
    beside: &'static [&'static str],
}

impl Source for EventFields<'_> {
    fn read<T: DeserializeOwned>(&self) -> Result<T, FieldError> {
        read_json_beside(self.json, self.beside)
    }
}

/// Makes the events that every ruleset has events of an encounter under any ruleset.
macro_rules! SharedEvents {
    (
        $(#[$_meta:meta])*
        $_vis:vis enum $name:ident {
            $( $(#[$_variant_meta:meta])* $variant:ident($type:ty) ),* $(,)?
        }
    ) => {
        $(
            impl<R: Ruleset> From<$type> for Event<R> {
                fn from(event: $type) -> Self {
                    Self::Shared($name::$variant(event))
                }
            }
        )*
    };
}

/// Something that happens in every ruleset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[derive(Redact!, Tellable!, Tagged!, SharedEvents!)]
#[serde(tag = "type")]
#[allow(missing_docs, reason = "each variant is its struct, documented there")]
pub enum SharedEvent {
    #[serde(rename = "encounter_started")]
    EncounterStarted(EncounterStarted),
    #[serde(rename = "encounter_updated")]
    EncounterUpdated(EncounterUpdated),
    #[serde(rename = "encounter_ended")]
    EncounterEnded(EncounterEnded),
    #[serde(rename = "round_started")]
    RoundStarted(RoundStarted),
    #[serde(rename = "round_ended")]
    RoundEnded(RoundEnded),
    #[serde(rename = "turn_started")]
    TurnStarted(TurnStarted),
    #[serde(rename = "turn_ended")]
    TurnEnded(TurnEnded),
    #[serde(rename = "damaged")]
    Damaged(Damaged),
    #[serde(rename = "healed")]
    Healed(Healed),
    #[serde(rename = "condition_set")]
    ConditionSet(ConditionSet),
    #[serde(rename = "condition_cleared")]
    ConditionCleared(ConditionCleared),
    #[serde(rename = "effect_added")]
    EffectAdded(EffectAdded),
    #[serde(rename = "effect_ticked")]
    EffectTicked(EffectTicked),
    #[serde(rename = "effect_ended")]
    EffectEnded(EffectEnded),
    #[serde(rename = "combatant_left")]
    CombatantLeft(CombatantLeft),
    #[serde(rename = "overridden")]
    Overridden(Overridden),
    #[serde(rename = "noted")]
    Noted(Noted),
    #[serde(rename = "undone")]
    Undone(Undone),
    #[serde(rename = "redone")]
    Redone(Redone),
    #[serde(rename = "someone_acts")]
    SomeoneActs(SomeoneActs),
}

/// The fight started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct EncounterStarted {}

/// The name or metadata of the encounter changed.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct EncounterUpdated {
    /// The new name.
    pub name: Option<Text<120>>,
    /// The new metadata, which replaces the old one.
    pub metadata: Option<Metadata>,
}

/// The fight ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct EncounterEnded {}

/// A round (or unit) started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct RoundStarted {
    /// Its number, from 1 (0 in a ruleset with a round before the first).
    pub round: u32,
}

/// A round (or unit) ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct RoundEnded {
    /// Its number.
    pub round: u32,
}

/// A combatant's turn started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct TurnStarted {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant's turn ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct TurnEnded {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant took damage.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Damaged {
    /// The combatant.
    pub combatant: CombatantId,
    /// The member of a group.
    pub member: Option<MemberId>,
    /// Damage taken.
    pub amount: u32,
    /// Temporary hit points lost.
    pub temp_lost: u32,
    /// Hit points lost; all damage but `temp_lost` if hit points are not tracked.
    pub hp_lost: u32,
    /// Remaining hit points, if tracked.
    pub hp_left: Option<u32>,
    /// The combatant that dealt the damage.
    pub source: Option<CombatantId>,
    /// True if the hit points were set. Viewers that don't see them don't get the event.
    #[serde(default, skip_serializing_if = "is_default")]
    pub set: bool,
}

/// A combatant regained hit points.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Healed {
    /// The combatant.
    pub combatant: CombatantId,
    /// The member of a group.
    pub member: Option<MemberId>,
    /// Hit points that the command gives.
    pub amount: u32,
    /// Hit points gained, at most up to the maximum; equals `amount` if hit points are not tracked.
    pub hp_gained: u32,
    /// Remaining hit points, if tracked.
    pub hp_left: Option<u32>,
    /// True if the hit points were set. Viewers that don't see them don't get the event.
    #[serde(default, skip_serializing_if = "is_default")]
    pub set: bool,
}

/// A combatant got a condition.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct ConditionSet {
    /// The combatant.
    pub combatant: CombatantId,
    /// The member of a group.
    pub member: Option<MemberId>,
    /// The condition.
    pub condition: Slug,
}

/// A combatant lost a condition.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct ConditionCleared {
    /// The combatant.
    pub combatant: CombatantId,
    /// The member of a group.
    pub member: Option<MemberId>,
    /// The condition.
    pub condition: Slug,
}

/// An effect started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct EffectAdded {
    /// The effect.
    #[schema(value_type = Effect)]
    pub effect: Arc<Effect>,
}

/// An effect counted down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct EffectTicked {
    /// Id of the effect.
    pub effect_id: EffectId,
    /// Turns or rounds left, at least 1.
    pub remaining: u32,
}

/// An effect ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct EffectEnded {
    /// Id of the effect.
    pub effect_id: EffectId,
    /// Why it ended.
    #[schema(inline)]
    pub reason: EndReason,
}

/// Why an effect ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[derive(Serialize, Deserialize, ToSchema, Word!)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// Its time was up.
    Expired,
    /// A command removed it.
    Removed,
    /// Its target left the encounter.
    TargetLeft,
}

/// A combatant left. Its effects lose their source, and those that count its turns count rounds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Tellable!)]
pub struct CombatantLeft {
    /// The combatant.
    pub combatant: CombatantId,
    /// The effects that have counted its turn of this round, and count rounds from the next one on;
    /// for the game master alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counted: Vec<EffectId>,
}

/// Effects that count on do so for hidden combatants too.
impl Redact for CombatantLeft {
    fn redact(&self, audience: &Audience<'_>) -> Option<Self> {
        Some(Self {
            combatant: self.combatant.redact(audience)?,
            counted: Vec::new(),
        })
    }
}

/// The game master gave the turn to a combatant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Overridden {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Noted {
    /// The note.
    pub text: Lines<2000>,
    /// Readers of the note.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schema(inline)]
    pub readers: Readers,
}

/// An undo restored an earlier version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Undone {
    /// The restored version.
    pub to_version: u64,
}

/// A redo restored the version before an undo.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Redone {
    /// The restored version.
    pub to_version: u64,
}

/// A hidden combatant has the turn, must choose, or did something visible. Only viewers that can't
/// see the combatant get this event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct SomeoneActs {}

/// The sentence that tells each event.
impl Describe for SharedEvent {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        let sentence = match self {
            Self::EncounterStarted(_) => "The fight starts.",
            Self::EncounterUpdated(_) => {
                "[The encounter is now called {name}.][{!name}The encounter's metadata changed.]"
            }
            Self::EncounterEnded(_) => "The fight ends.",
            Self::RoundStarted(_) => "Round {round} starts.",
            Self::RoundEnded(_) => "Round {round} ends.",
            Self::TurnStarted(_) => "{combatant}'s turn starts.",
            Self::TurnEnded(_) => "{combatant}'s turn ends.",
            Self::Damaged(e) if e.set => {
                "[{member} of {combatant} loses]\
                 [{!member}{combatant} {combatant:loses|lose}] \
                 {hp_lost} {hp_lost:hit point|hit points}[, {hp_left} left]."
            }
            Self::Damaged(_) => {
                "[{member} of {combatant} takes]\
                 [{!member}{combatant} {combatant:takes|take}] {amount} damage[ from {source}]\
                 [, {hp_left} {hp_left:hit point|hit points} left]."
            }
            Self::Healed(_) => {
                "[{member} of {combatant} regains]\
                 [{!member}{combatant} {combatant:regains|regain}] \
                 {hp_gained} {hp_gained:hit point|hit points}\
                 [{member?} and has {hp_left}][{!member} and {combatant:has|have} {hp_left}]."
            }
            Self::ConditionSet(_) => {
                "[{member} of {combatant} is]\
                 [{!member}{combatant} {combatant:is|are}] {condition}."
            }
            Self::ConditionCleared(_) => {
                "[{member} of {combatant} is]\
                 [{!member}{combatant} {combatant:is|are}] no longer {condition}."
            }
            Self::EffectAdded(_) => "{effect} starts.",
            Self::EffectTicked(_) => "{effect_id}: {remaining} left.",
            Self::EffectEnded(_) => "{effect_id} ends.",
            Self::CombatantLeft(_) => "{combatant} {combatant:leaves|leave}.",
            Self::Overridden(_) => "The game master gives {combatant} the turn.",
            Self::Noted(_) => return false,
            Self::Undone(_) => "Undo: the encounter is back at version {to_version}.",
            Self::Redone(_) => "Redo: the encounter is back at version {to_version}.",
            Self::SomeoneActs(_) => "Someone acts.",
        };
        tell(sentence, self, names, out)
    }
}

/// A change of the roster that carries a whole combatant.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case", bound = "")]
pub enum RosterEvent<R: Ruleset> {
    /// A combatant joined.
    CombatantJoined {
        /// The combatant as it joined.
        details: Box<Combatant<R>>,
    },
    /// A combatant changed.
    CombatantUpdated {
        /// The combatant as it is now.
        details: Box<Combatant<R>>,
        /// Names of the fields that changed.
        changed: Vec<Slug>,
    },
}

impl<R: Ruleset> Describe for Event<R> {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        match self {
            Self::Shared(SharedEvent::RoundStarted(e)) => {
                round_changes::<R>(e.round, "starts", out)
            }
            Self::Shared(SharedEvent::RoundEnded(e)) => round_changes::<R>(e.round, "ends", out),
            Self::Shared(SharedEvent::EffectTicked(e)) => tell_tick::<R>(e, names, out),
            Self::Shared(event) => event.describe(names, out),
            Self::Own(event) => event.describe(names, out),
            Self::Roster(RosterEvent::CombatantJoined { details }) => {
                let verb = if details.members.is_empty() {
                    "joins"
                } else {
                    "join"
                };
                write!(out, "{} {verb}.", details.name).is_ok()
            }
            Self::Roster(RosterEvent::CombatantUpdated { details, changed }) => {
                tell_update(details, changed, names, out)
            }
        }
    }
}

/// Says that a round begins or is over, by the system's own word for it.
fn round_changes<R: Ruleset>(round: u32, what: &str, out: &mut String) -> bool {
    let mut name = R::round_name(round);
    capitalize(&mut name);
    write!(out, "{name} {what}.").is_ok()
}

/// Says how long an effect lasts, in turns or in the system's own word for rounds.
fn tell_tick<R: Ruleset>(e: &EffectTicked, names: &dyn Names, out: &mut String) -> bool {
    let effect = names.effect(&e.effect_id);
    let counts_turns = effect.is_some_and(|effect| effect.expires.anchor().is_some());
    let unit = if counts_turns {
        "turn"
    } else {
        R::MANIFEST.round
    };
    let ending = if e.remaining == 1 { "" } else { "s" };
    e.effect_id.describe(names, out);
    write!(out, ": {} {unit}{ending} left.", e.remaining).is_ok()
}

/// Says what changed about a combatant.
fn tell_update<R: Ruleset>(
    details: &Combatant<R>,
    changed: &[Slug],
    names: &dyn Names,
    out: &mut String,
) -> bool {
    let is = if details.members.is_empty() {
        "is"
    } else {
        "are"
    };
    let name = &details.name;
    match changed {
        [] => write!(out, "{name} {is} updated.").is_ok(),
        [only] if only.as_str() == "hidden" => {
            let now = if details.hidden { "now" } else { "no longer" };
            write!(out, "{name} {is} {now} hidden.").is_ok()
        }
        _ => {
            let mut fields = Vec::with_capacity(changed.len());
            for field in changed {
                fields.push(Changed {
                    words: words_for_field::<R>(field),
                });
            }
            out.push_str(name.as_str());
            out.push_str(": ");
            fields.describe(names, out);
            out.push_str(" changed.");
            true
        }
    }
}

/// A field of a combatant that changed, as players call it.
struct Changed {
    words: Cow<'static, str>,
}

impl Describe for Changed {
    fn describe(&self, _: &dyn Names, out: &mut String) -> bool {
        out.push_str(&self.words);
        true
    }
}

/// What players call a field of a combatant.
fn words_for_field<R: Ruleset>(field: &Slug) -> Cow<'static, str> {
    if field.as_str() == "hp" {
        return "hit points".into();
    }
    if let Some(words) = R::words_for_stat(field.as_str()) {
        return words.into();
    }
    let mut words = String::new();
    spaced(field.as_str(), &mut words);
    words.into()
}

/// What `combatant_joined` carries.
#[derive(Deserialize)]
#[serde(bound = "")]
struct Joined<R: Ruleset> {
    details: Box<Combatant<R>>,
}

/// What `combatant_updated` carries.
#[derive(Deserialize)]
#[serde(bound = "")]
struct Updated<R: Ruleset> {
    details: Box<Combatant<R>>,
    changed: Vec<Slug>,
}
