//! Events: they carry every die and every choice, and applying them in order gives the state.

use super::{
    Combatant, CombatantId, Describe, Effect, EffectId, FieldError, MemberId, Metadata, Names,
    Readers, Ruleset, Slug, Tagged, Text, event_type, events, is_default, read_event,
};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
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
    /// Reads one in JSON. An error names the field that is wrong; an unknown one is.
    pub fn read(event: &str) -> Result<Self, FieldError> {
        let kind = event_type(event)?;
        let carried = || read_event::<Carried<R>>(event).map(|carried| carried.combatant);
        match &*kind {
            "combatant_joined" => {
                carried().map(|combatant| Self::Roster(RosterEvent::CombatantJoined { combatant }))
            }
            "combatant_updated" => {
                carried().map(|combatant| Self::Roster(RosterEvent::CombatantUpdated { combatant }))
            }
            kind => {
                let shared = SharedEvent::parse(kind, event).map(|event| event.map(Self::Shared));
                let known = shared
                    .or_else(|| R::Event::parse(kind, event).map(|event| event.map(Self::Own)));
                let unknown = || FieldError::meaningless("type", "the ruleset has no such event");
                known.ok_or_else(unknown)?
            }
        }
    }

    /// The combatant that joins or changes with it.
    pub fn combatant(&self) -> Option<&Combatant<R>> {
        match self {
            Self::Roster(
                RosterEvent::CombatantJoined { combatant }
                | RosterEvent::CombatantUpdated { combatant },
            ) => Some(combatant),
            Self::Shared(_) | Self::Own(_) => None,
        }
    }

    /// Whether the whole table is another one after it.
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

events! {
    /// Something that happens in every ruleset.
    SharedEvent;

    /// The fight began.
    "encounter_started" => EncounterStarted says "The fight begins." {}

    /// The encounter has another name or other metadata.
    "encounter_updated" => EncounterUpdated says "The encounter changes[: it is {name} now]." {
        /// Its new name.
        name: Option<Text<120>>,
        /// Its new metadata, which replace the old.
        metadata: Option<Metadata>,
    }

    /// The fight is over.
    "encounter_ended" => EncounterEnded says "The fight is over." {}

    /// A round (or unit) began; nobody has acted in it.
    "round_started" => RoundStarted says "Round {round} begins." {
        /// Its number, from 1 (0 where a ruleset has a round before the first).
        round: u32,
    }

    /// A round (or unit) is over.
    "round_ended" => RoundEnded says "Round {round} is over." {
        /// Its number.
        round: u32,
    }

    /// A combatant's turn began.
    "turn_started" => TurnStarted says "{combatant}'s turn begins." {
        /// Whose turn.
        combatant: CombatantId,
    }

    /// A combatant's turn is over; it has acted this round.
    "turn_ended" => TurnEnded says "{combatant}'s turn is over." {
        /// Whose turn.
        combatant: CombatantId,
    }

    /// Somebody took damage.
    "damaged" => Damaged says "{combatant}[ ({member})] takes {amount} damage[ from {source}][, {hp} hit points left]." {
        /// Who took it.
        combatant: CombatantId,
        /// Which member of a group.
        member: Option<MemberId>,
        /// How much, temporary hit points included.
        amount: u32,
        /// How much of it temporary hit points took.
        temp_lost: u32,
        /// How much of it was lost for real; all but `temp_lost` where hit points are not tracked.
        hp_lost: u32,
        /// The hit points that are left, where they are tracked.
        hp: Option<u32>,
        /// Who dealt it.
        source: Option<CombatantId>,
    }

    /// Somebody regained hit points.
    "healed" => Healed says "{combatant}[ ({member})] regains up to {amount} hit points[ and has {hp}]." {
        /// Who.
        combatant: CombatantId,
        /// Which member of a group.
        member: Option<MemberId>,
        /// How much was asked for.
        amount: u32,
        /// The hit points after it, where they are tracked.
        hp: Option<u32>,
    }

    /// Somebody got a condition.
    "condition_set" => ConditionSet says "{combatant}[ ({member})] is {condition}." {
        /// Who.
        combatant: CombatantId,
        /// Which member of a group.
        member: Option<MemberId>,
        /// Which condition.
        condition: Slug,
    }

    /// Somebody lost a condition.
    "condition_cleared" => ConditionCleared says "{combatant}[ ({member})] is no longer {condition}." {
        /// Who.
        combatant: CombatantId,
        /// Which member of a group.
        member: Option<MemberId>,
        /// Which condition.
        condition: Slug,
    }

    /// An effect began.
    "effect_added" => EffectAdded says "{effect} begins." {
        /// The effect.
        #[schema(value_type = Effect)]
        effect: Arc<Effect>,
    }

    /// An effect lasts one count less.
    "effect_ticked" => EffectTicked says "{effect} lasts {remaining} more." {
        /// Which effect.
        effect: EffectId,
        /// What remains, at least 1.
        remaining: u32,
    }

    /// An effect is over.
    "effect_ended" => EffectEnded says "{effect} ends ({because})." {
        /// Which effect.
        effect: EffectId,
        /// Why: `expired`, `removed` by somebody, or its `target_left`.
        because: Text<40>,
    }

    /// Somebody left. Effects that it caused have no source any more, and those that count its turns count rounds.
    "combatant_left" => CombatantLeft says "{combatant} leaves." {
        /// Who.
        combatant: CombatantId,
    }

    /// The game master said whose turn it is.
    "overridden" => Overridden says "The game master gives the turn to {combatant}." {
        /// Whose turn it is now.
        combatant: CombatantId,
    }

    /// A line for the log.
    "noted" => Noted says "" {
        /// What it says.
        text: Text<2000>,
        /// Who may read it.
        #[serde(default, skip_serializing_if = "is_default")]
        #[schema(inline)]
        readers: Readers,
    }

    /// Everything is again as it was at an earlier version.
    "undone" => Undone says "The state of version {to_version} is back." {
        /// The version whose state it is.
        to_version: u64,
    }

    /// Everything is again as it was before an undo.
    "redone" => Redone says "The state of version {to_version} is back again." {
        /// The version whose state it is.
        to_version: u64,
    }

    /// A hidden combatant has the turn, must choose, or did something that shows. Only in redacted entries.
    "someone_acts" => SomeoneActs says "Somebody acts." {}
}

/// A change of the roster that carries a whole combatant.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case", bound = "")]
pub enum RosterEvent<R: Ruleset> {
    /// Somebody joined.
    CombatantJoined {
        /// The combatant as it joined.
        combatant: Box<Combatant<R>>,
    },
    /// Something about a combatant changed.
    CombatantUpdated {
        /// The combatant as it is now.
        combatant: Box<Combatant<R>>,
    },
}

impl<R: Ruleset> Describe for Event<R> {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        let (combatant, words) = match self {
            Self::Shared(SharedEvent::RoundStarted(e)) => {
                return round_changes::<R>(e.round, "begins", out);
            }
            Self::Shared(SharedEvent::RoundEnded(e)) => {
                return round_changes::<R>(e.round, "is over", out);
            }
            Self::Shared(event) => return event.describe(names, out),
            Self::Own(event) => return event.describe(names, out),
            Self::Roster(RosterEvent::CombatantJoined { combatant }) => (combatant, " joins."),
            Self::Roster(RosterEvent::CombatantUpdated { combatant }) => (combatant, " changes."),
        };
        out.push_str(combatant.name.as_str());
        out.push_str(words);
        true
    }
}

/// Says that a round begins or is over, by the system's own word for it.
fn round_changes<R: Ruleset>(round: u32, what: &str, out: &mut String) -> bool {
    let mut word = R::MANIFEST.round.to_owned();
    if let Some(first) = word.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    write!(out, "{word} {round} {what}.").is_ok()
}

/// What an event carries that changes the roster.
#[derive(Deserialize)]
#[serde(bound = "")]
struct Carried<R: Ruleset> {
    combatant: Box<Combatant<R>>,
}
