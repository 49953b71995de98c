//! Events: they carry every die and every choice, and applying them in order gives the state.

use super::{
    Audience, Clock, Combatant, CombatantId, Describe, Die, Effect, EffectId, Lines, MemberId,
    Metadata, Names, NoNames, Readers, Recharge, Redact, Ruleset, Slug, Text, TurnSeconds,
    capitalize, event, events, is_default, spaced, word,
};
use crate::json::{FieldError, Source, Tagged as _, read_json_beside};
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt::Write;
use std::sync::Arc;

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
        let event = &EventFields::new(json, &kind);
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

    /// Whether it stands in the log alone: no viewer reads of it, the game master neither.
    pub fn is_kept(&self) -> bool {
        match self {
            Self::Own(event) => event.is_kept(),
            Self::Shared(_) | Self::Roster(_) => false,
        }
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

impl<'j> EventFields<'j> {
    /// The fields of an event of this type.
    fn new(json: &'j str, kind: &str) -> Self {
        Self {
            json,
            beside: if kind == NOTED {
                &["type"]
            } else {
                &["type", TEXT]
            },
        }
    }
}

impl Source for EventFields<'_> {
    fn read<T: DeserializeOwned>(&self) -> Result<T, FieldError> {
        read_json_beside(self.json, self.beside)
    }
}

/// Something that happens in every ruleset.
#[events(shared)]
pub enum SharedEvent {
    EncounterStarted,
    EncounterUpdated,
    TurnTimeSet,
    EncounterEnded,
    RoundStarted,
    RoundEnded,
    TurnStarted,
    TurnEnded,
    Damaged,
    Healed,
    ConditionSet,
    ConditionCleared,
    EffectAdded,
    EffectTicked,
    EffectBegun,
    EffectDue,
    EffectApplied,
    EffectEnded,
    CombatantLeft,
    Overridden,
    Noted,
    Undone,
    Redone,
    SomeoneActs,
}

impl SharedEvent {
    /// Reads an event in JSON, with or without its sentence; None if it is not a shared one.
    pub fn read(json: &str) -> Result<Option<Self>, FieldError> {
        let kind = event_type(json)?;
        Self::parse(&kind, &EventFields::new(json, &kind)).transpose()
    }
}

/// The fight started.
#[event("The fight starts.")]
pub struct EncounterStarted {}

/// The name or metadata of the encounter changed.
#[event("[The encounter is now called {name}.][{!name}The encounter's metadata changed.]")]
pub struct EncounterUpdated {
    /// The new name.
    pub name: Option<Text<120>>,
    /// The new metadata, which replaces the old one.
    pub metadata: Option<Metadata>,
}

/// The time that a turn may take changed.
#[event(
    "[A turn has {turn_seconds} {turn_seconds:second|seconds}.][{!turn_seconds}A turn has no set time.]"
)]
pub struct TurnTimeSet {
    /// The seconds; none if nothing counts them.
    pub turn_seconds: Option<TurnSeconds>,
}

/// The fight ended.
#[event("The fight ends.")]
pub struct EncounterEnded {}

/// A round (or unit) started.
#[event("Round {round} starts.")]
pub struct RoundStarted {
    /// Its number, from 1 (0 in a ruleset with a round before the first).
    pub round: u32,
}

/// A round (or unit) ended.
#[event("Round {round} ends.")]
pub struct RoundEnded {
    /// Its number.
    pub round: u32,
}

/// A combatant's turn started.
#[event("{combatant}'s turn starts.")]
pub struct TurnStarted {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant's turn ended.
#[event("{combatant}'s turn ends.")]
pub struct TurnEnded {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant took damage.
#[event(
    "[{set}{member} of {combatant} loses][{set}{!member}{combatant} {combatant:loses|lose}]\
     [{set} {hp_lost} {hp_lost:hit point|hit points}][{set}, {hp_left} left]\
     [{!set}{member} of {combatant} takes][{!set}{!member}{combatant} {combatant:takes|take}]\
     [{!set} {amount} damage][{!set} from {source}]\
     [{!set}, {hp_left} {hp_left:hit point|hit points} left]."
)]
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
#[event(
    "[{member} of {combatant} regains]\
     [{!member}{combatant} {combatant:regains|regain}] \
     {hp_gained} {hp_gained:hit point|hit points}\
     [{member?} and has {hp_left}][{!member} and {combatant:has|have} {hp_left}]."
)]
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
#[event(
    "[{member} of {combatant} is]\
     [{!member}{combatant} {combatant:is|are}] {condition}."
)]
pub struct ConditionSet {
    /// The combatant.
    pub combatant: CombatantId,
    /// The member of a group.
    pub member: Option<MemberId>,
    /// The condition.
    pub condition: Slug,
}

/// A combatant lost a condition.
#[event(
    "[{member} of {combatant} is]\
     [{!member}{combatant} {combatant:is|are}] no longer {condition}."
)]
pub struct ConditionCleared {
    /// The combatant.
    pub combatant: CombatantId,
    /// The member of a group.
    pub member: Option<MemberId>,
    /// The condition.
    pub condition: Slug,
}

/// An effect started.
#[event("{effect} starts.")]
pub struct EffectAdded {
    /// The effect.
    #[schema(value_type = Effect)]
    pub effect: Arc<Effect>,
}

/// An effect counted down.
#[event("{effect_id}: {remaining} left.")]
pub struct EffectTicked {
    /// Id of the effect.
    pub effect_id: EffectId,
    /// Turns or rounds left, at least 1.
    pub remaining: u32,
    /// The change that they lead to.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schema(inline)]
    pub clock: Clock,
}

/// An effect that was to come began.
#[event("{effect_id} starts.")]
pub struct EffectBegun {
    /// Id of the effect.
    pub effect_id: EffectId,
}

/// The reminder of an effect is due.
#[event("{effect_id} is due.")]
pub struct EffectDue {
    /// Id of the effect.
    pub effect_id: EffectId,
    /// The moments from this one to the next one at which it is due.
    pub next: u32,
    /// True if its time is up with it: it ends once it is applied.
    #[default]
    pub last: bool,
}

/// An effect that is due was applied. The events that follow are its consequences.
#[event("{effect_id} applies[: {die} rolled].")]
pub struct EffectApplied {
    /// Id of the effect.
    pub effect_id: EffectId,
    /// The die that may end it.
    pub die: Option<Die>,
}

/// An effect ended.
#[event("{effect_id} ends.")]
pub struct EffectEnded {
    /// Id of the effect.
    pub effect_id: EffectId,
    /// Why it ended.
    #[schema(inline)]
    pub reason: EndReason,
}

/// Why an effect ended.
#[word]
pub enum EndReason {
    /// Its time was up.
    Expired,
    /// A command removed it.
    Removed,
    /// Its target left the encounter.
    TargetLeft,
    /// Its die brought back what it had taken.
    Recharged,
}

/// A combatant left. Its effects lose their source, and those that count its turns count rounds.
#[event("{combatant} {combatant:leaves|leave}.", redacts_itself)]
pub struct CombatantLeft {
    /// The combatant.
    pub combatant: CombatantId,
    /// The effects that have counted its turn of this round, and count rounds from the next one on;
    /// for the game master alone.
    #[default]
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
#[event("The game master gives {combatant} the turn.")]
pub struct Overridden {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A note.
#[event(untold)]
pub struct Noted {
    /// The note.
    pub text: Lines<2000>,
    /// Readers of the note.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schema(inline)]
    pub readers: Readers,
}

/// An undo restored an earlier version.
#[event("Undo: the encounter is back at version {to_version}.")]
pub struct Undone {
    /// The restored version.
    pub to_version: u64,
}

/// A redo restored the version before an undo.
#[event("Redo: the encounter is back at version {to_version}.")]
pub struct Redone {
    /// The restored version.
    pub to_version: u64,
}

/// A hidden combatant has the turn, must choose, or did something visible. Only viewers that can't
/// see the combatant get this event.
#[event("Someone acts.")]
pub struct SomeoneActs {}

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
            Self::Shared(SharedEvent::EffectAdded(e)) if e.effect.begins.is_some() => {
                e.effect.describe(names, out);
                out.push_str(" is to come.");
                true
            }
            Self::Shared(SharedEvent::EffectTicked(e)) => tell_tick::<R>(e, names, out),
            Self::Shared(SharedEvent::EffectDue(e)) => tell_due(e, names, out),
            Self::Shared(SharedEvent::EffectEnded(e)) if e.reason == EndReason::Recharged => {
                e.effect_id.describe(names, out);
                out.push_str(" is recharged.");
                true
            }
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

/// Says how long an effect lasts, or when it begins or reminds again, in turns or in the system's own
/// word for rounds.
fn tell_tick<R: Ruleset>(e: &EffectTicked, names: &dyn Names, out: &mut String) -> bool {
    let effect = names.effect(&e.effect_id);
    let counted = effect.and_then(|effect| effect.clock(e.clock));
    let counts_turns = counted.is_some_and(|counted| counted.anchor().is_some());
    let unit = if counts_turns {
        "turn"
    } else {
        R::MANIFEST.round
    };
    let ending = if e.remaining == 1 { "" } else { "s" };
    e.effect_id.describe(names, out);
    let count = format_args!("{} {unit}{ending}", e.remaining);
    match e.clock {
        Clock::End => write!(out, ": {count} left."),
        Clock::Beginning => write!(out, " starts in {count}."),
        Clock::Reminder => write!(out, " is due in {count}."),
    }
    .is_ok()
}

/// Says what is to be done about an effect that is due.
fn tell_due(e: &EffectDue, names: &dyn Names, out: &mut String) -> bool {
    e.effect_id.describe(names, out);
    let effect = names.effect(&e.effect_id);
    out.push_str(if e.last {
        " is due for the last time"
    } else {
        " is due"
    });
    let mut dues = Vec::new();
    if let Some(reminder) = effect.and_then(|effect| effect.reminder.as_ref()) {
        match reminder.recharge {
            Some(Recharge { sides, from }) if from.get() == sides.get() => {
                dues.push(format!("roll to recharge ({from})"));
            }
            Some(Recharge { sides, from }) => {
                dues.push(format!("roll to recharge ({from} to {sides})"));
            }
            None => {}
        }
        if let Some(damage) = reminder.damage {
            dues.push(format!("{damage} damage"));
        }
        if let Some(heal) = reminder.heal {
            let ending = if heal.get() == 1 { "" } else { "s" };
            dues.push(format!("{heal} hit point{ending}"));
        }
    }
    if !dues.is_empty() {
        out.push_str(": ");
    }
    write!(out, "{}.", dues.join(", ")).is_ok()
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
    if let Some(part) = field.as_str().strip_suffix("_seen_by") {
        let mut words = "readers of the ".to_owned();
        spaced(part, &mut words);
        return words.into();
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
