//! What happened: events carry every die and every choice, and folding them gives the state.

use super::{
    Combatant, CombatantId, Effect, EffectId, FieldError, Readers, Ruleset, Slug, Tagged, Text, read_fields, tagged,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// One thing that happened, of any origin. In JSON they all look alike: an object with a `type`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    /// Reads one that comes from elsewhere, naming the field that is wrong where one is.
    pub fn read(event: Value) -> Result<Self, FieldError> {
        let Value::Object(mut fields) = event else {
            return Err(FieldError::malformed("", "an object is expected: an event with its `type`"));
        };
        let Some(Value::String(kind)) = fields.remove("type") else {
            return Err(FieldError::malformed("type", "text is expected: it names the event"));
        };
        let carried = || read_fields::<Carried<R>>(&fields, &["type"]).map(|carried| carried.combatant);
        match kind.as_str() {
            "combatant_joined" => carried().map(|combatant| Self::Roster(RosterEvent::CombatantJoined { combatant })),
            "combatant_updated" => carried().map(|combatant| Self::Roster(RosterEvent::CombatantUpdated { combatant })),
            kind => {
                let shared = SharedEvent::parse(kind, &fields).map(|event| event.map(Self::Shared));
                let event = shared.or_else(|| R::Event::parse(kind, &fields).map(|event| event.map(Self::Own)));
                let unknown = || FieldError::meaningless("type", "the ruleset has no such event");
                event.ok_or_else(unknown)?
            }
        }
    }

    /// Whether the whole table is another one after it.
    pub fn jumps(&self) -> bool {
        matches!(self, Self::Shared(SharedEvent::Undone(_) | SharedEvent::Redone(_)))
    }
}

tagged! {
    /// Something that happens in every ruleset.
    pub enum SharedEvent {
        "encounter_started" => EncounterStarted,
        "encounter_ended" => EncounterEnded,
        "round_started" => RoundStarted,
        "round_ended" => RoundEnded,
        "turn_started" => TurnStarted,
        "turn_ended" => TurnEnded,
        "damaged" => Damaged,
        "healed" => Healed,
        "condition_set" => ConditionSet,
        "condition_cleared" => ConditionCleared,
        "effect_added" => EffectAdded,
        "effect_ticked" => EffectTicked,
        "effect_ended" => EffectEnded,
        "combatant_left" => CombatantLeft,
        "overridden" => Overridden,
        "noted" => Noted,
        "undone" => Undone,
        "redone" => Redone,
        "someone_acts" => SomeoneActs,
    }
}

/// A change of the roster that carries a whole combatant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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

/// What an event carries that changes the roster.
#[derive(Deserialize)]
#[serde(bound = "")]
struct Carried<R: Ruleset> {
    combatant: Box<Combatant<R>>,
}

/// The fight began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EncounterStarted {}

/// The fight is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EncounterEnded {}

/// A round (or unit) began; nobody has acted in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RoundStarted {
    /// Its number, from 1 (0 where a ruleset has a round before the first).
    pub round: u32,
}

/// A round (or unit) is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RoundEnded {
    /// Its number.
    pub round: u32,
}

/// A combatant's turn began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TurnStarted {
    /// Whose turn.
    pub combatant: CombatantId,
}

/// A combatant's turn is over; it has acted this round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TurnEnded {
    /// Whose turn.
    pub combatant: CombatantId,
}

/// Somebody took damage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Damaged {
    /// Who took it.
    pub combatant: CombatantId,
    /// Which member of a group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<Slug>,
    /// How much, temporary hit points included.
    pub amount: u32,
    /// How much of it temporary hit points took.
    pub temp_lost: u32,
    /// How much of it was lost for real; all but `temp_lost` where hit points are not tracked.
    pub hp_lost: u32,
    /// The hit points that are left, where they are tracked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hp: Option<u32>,
    /// Who dealt it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<CombatantId>,
}

/// Somebody regained hit points.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Healed {
    /// Who.
    pub combatant: CombatantId,
    /// Which member of a group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<Slug>,
    /// How much was asked for.
    pub amount: u32,
    /// The hit points after it, where they are tracked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hp: Option<u32>,
}

/// Somebody got a condition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ConditionSet {
    /// Who.
    pub combatant: CombatantId,
    /// Which member of a group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<Slug>,
    /// Which condition.
    pub condition: Slug,
}

/// Somebody lost a condition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ConditionCleared {
    /// Who.
    pub combatant: CombatantId,
    /// Which member of a group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<Slug>,
    /// Which condition.
    pub condition: Slug,
}

/// An effect began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EffectAdded {
    /// The effect.
    pub effect: Effect,
}

/// An effect lasts one count less.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EffectTicked {
    /// Which effect.
    pub effect: EffectId,
    /// What remains, at least 1.
    pub remaining: u32,
}

/// An effect is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EffectEnded {
    /// Which effect.
    pub effect: EffectId,
    /// Why: `expired`, `removed` by somebody, or its `target_left`.
    pub because: Text<40>,
}

/// Somebody left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CombatantLeft {
    /// Who.
    pub combatant: CombatantId,
}

/// The game master said whose turn it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Overridden {
    /// Whose turn it is now.
    pub combatant: CombatantId,
}

/// A line for the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Noted {
    /// What it says.
    pub text: Text<2000>,
    /// Who may read it.
    #[serde(default, skip_serializing_if = "Readers::gm")]
    #[schema(inline)]
    pub readers: Readers,
}

/// Somebody has the turn or a decision to take of whom the viewer may not know, or did something that shows. Never in the log
/// itself, only in what is told of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SomeoneActs {}

/// Everything is again as it was at an earlier version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Undone {
    /// The version whose state it is.
    pub to_version: u64,
}

/// Everything is again as it was before an undo.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Redone {
    /// The version whose state it is.
    pub to_version: u64,
}
