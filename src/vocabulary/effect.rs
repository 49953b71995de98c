//! Effects with a duration.

use super::{CombatantId, Count, EffectId, Fields, HitPoints, Int, Metadata, Name, word};
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;
use utoipa::ToSchema;

/// When an effect ends. Counts say what remains.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(tag = "at", rename_all = "snake_case", deny_unknown_fields)]
pub enum Expiry {
    /// At the end of this round (or unit) for 1, of the next for 2, and so on.
    RoundEnd {
        /// Round ends left.
        rounds: Count,
    },
    /// At the start of a combatant's turn.
    TurnStart {
        /// The combatant whose turns count. By default the ruleset chooses one: usually the effect's
        /// source, else its target. Absent in an effect that counts rounds instead, because the
        /// combatant has left.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        of: Option<CombatantId>,
        /// Turn starts left; 1 is the next one.
        #[serde(default)]
        #[schema(default = 1)]
        turns: Count,
    },
    /// At the end of a combatant's turn.
    TurnEnd {
        /// The combatant whose turns count. By default the ruleset chooses one: usually the effect's
        /// source, else its target. Absent in an effect that counts rounds instead, because the
        /// combatant has left.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        of: Option<CombatantId>,
        /// Turn ends left; 1 is the next one.
        #[serde(default)]
        #[schema(default = 1)]
        turns: Count,
    },
    /// At the end of the encounter.
    EncounterEnd {},
    /// When a command removes it. Viewers also read this of an effect that counts the turns of a
    /// combatant that they don't see.
    Removed {},
}

/// The moments at which an effect can end.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum At {
    RoundEnd,
    TurnStart,
    TurnEnd,
    EncounterEnd,
    Removed,
}

/// By hand, because the derived error does not name the field.
impl<'de> Deserialize<'de> for Expiry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ExpiryFields;
        impl<'de> Visitor<'de> for ExpiryFields {
            type Value = Expiry;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(r#"an object such as {"at": "round_end", "rounds": 10}"#)
            }
            fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Expiry, A::Error> {
                let mut at = None;
                let mut rounds = None;
                let mut of = None;
                let mut turns = None;
                let mut given: Vec<String> = Vec::new();
                while let Some(field) = fields.next_key::<String>()? {
                    match field.as_str() {
                        "at" => at = Some(fields.next_value()?),
                        "rounds" => rounds = Some(fields.next_value()?),
                        "of" => of = fields.next_value()?,
                        "turns" => turns = Some(fields.next_value()?),
                        _ => _ = fields.next_value::<Value>()?,
                    }
                    given.push(field);
                }
                let at = at.ok_or_else(|| A::Error::missing_field("at"))?;
                let known: &[&str] = match at {
                    At::RoundEnd => &["at", "rounds"],
                    At::TurnStart | At::TurnEnd => &["at", "of", "turns"],
                    At::EncounterEnd | At::Removed => &["at"],
                };
                if let Some(stray) = given.iter().find(|field| !known.contains(&field.as_str())) {
                    return Err(A::Error::unknown_field(stray, known));
                }
                let turns = turns.unwrap_or(Int::clamped(1));
                Ok(match at {
                    At::RoundEnd => Expiry::RoundEnd {
                        rounds: rounds.ok_or_else(|| A::Error::missing_field("rounds"))?,
                    },
                    At::TurnStart => Expiry::TurnStart { of, turns },
                    At::TurnEnd => Expiry::TurnEnd { of, turns },
                    At::EncounterEnd => Expiry::EncounterEnd {},
                    At::Removed => Expiry::Removed {},
                })
            }
        }
        deserializer.deserialize_struct("Expiry", &["at", "rounds", "of", "turns"], ExpiryFields)
    }
}

/// A point of the clock at which effects may end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment<'a> {
    /// A round (or unit) ends.
    RoundEnd,
    /// A combatant's turn starts.
    TurnStart(&'a CombatantId),
    /// A combatant's turn ends.
    TurnEnd(&'a CombatantId),
    /// The encounter ends.
    EncounterEnd,
}

impl Expiry {
    /// Whether it counts this moment.
    pub fn counts(&self, moment: Moment<'_>) -> bool {
        match (self, moment) {
            (Self::RoundEnd { .. }, Moment::RoundEnd)
            | (Self::EncounterEnd {}, Moment::EncounterEnd) => true,
            (Self::TurnStart { of, .. }, Moment::TurnStart(who))
            | (Self::TurnEnd { of, .. }, Moment::TurnEnd(who)) => of.as_ref() == Some(who),
            _ => false,
        }
    }

    /// Sets what remains; nothing for an expiry that does not count.
    pub fn set_remaining(&mut self, remaining: u32) {
        match self {
            Self::RoundEnd { rounds: n }
            | Self::TurnStart { turns: n, .. }
            | Self::TurnEnd { turns: n, .. } => {
                *n = Int::clamped(remaining.into());
            }
            Self::EncounterEnd {} | Self::Removed {} => {}
        }
    }

    /// The turns that it still sees, if it counts those of a combatant.
    pub fn turns(&self) -> Option<u32> {
        match self {
            Self::TurnStart { turns, .. } | Self::TurnEnd { turns, .. } => Some(turns.count()),
            Self::RoundEnd { .. } | Self::EncounterEnd {} | Self::Removed {} => None,
        }
    }

    /// Whether it is a moment of a round or a turn, which comes while the fight goes on.
    pub fn comes_in_play(&self) -> bool {
        self.remaining().is_some()
    }

    /// What remains, if it counts.
    pub fn remaining(&self) -> Option<Count> {
        match self {
            Self::RoundEnd { rounds: n }
            | Self::TurnStart { turns: n, .. }
            | Self::TurnEnd { turns: n, .. } => Some(*n),
            Self::EncounterEnd {} | Self::Removed {} => None,
        }
    }

    /// Whose turns it counts, to be changed; None if it counts no turns.
    pub fn whose_turns(&mut self) -> Option<&mut Option<CombatantId>> {
        match self {
            Self::TurnStart { of, .. } | Self::TurnEnd { of, .. } => Some(of),
            Self::RoundEnd { .. } | Self::EncounterEnd {} | Self::Removed {} => None,
        }
    }

    /// The combatant whose turns it counts.
    pub fn anchor(&self) -> Option<&CombatantId> {
        match self {
            Self::TurnStart { of, .. } | Self::TurnEnd { of, .. } => of.as_ref(),
            Self::RoundEnd { .. } | Self::EncounterEnd {} | Self::Removed {} => None,
        }
    }
}

/// The change that an effect counts down to.
#[word]
pub enum Clock {
    /// Until it ends.
    #[default]
    End,
    /// Until it begins.
    Beginning,
    /// Until it reminds again.
    Reminder,
}

/// A die that brings something back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema, Fields)]
#[serde(deny_unknown_fields)]
pub struct Recharge {
    /// The sides of the die.
    pub sides: Int<2, 100>,
    /// The lowest face that ends the effect.
    pub from: Int<1, 100>,
}

/// A moment that comes again and again, and its consequences.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Fields)]
#[serde(deny_unknown_fields)]
pub struct Reminder {
    /// The moment at which it is due next: of a round or a turn. By default the turns are the
    /// target's, else the source's.
    pub due: Expiry,
    /// How many such moments there are from one time to the next.
    #[serde(default)]
    #[schema(default = 1)]
    pub every: Count,
    /// The die that ends the effect, such as a 5 or 6 for a dragon's breath.
    pub recharge: Option<Recharge>,
    /// Damage to the target, from the effect's source.
    pub damage: Option<HitPoints>,
    /// Hit points that the target regains.
    pub heal: Option<HitPoints>,
    /// True if it happens by itself, right after the command in which it is due. If not, the game
    /// master sends `apply_effect`.
    #[serde(default)]
    #[schema(default = false)]
    pub automatic: bool,
}

impl Reminder {
    /// Whether it does something: a mere reminder says the name of its effect.
    pub fn does_something(&self) -> bool {
        self.recharge.is_some() || self.damage.is_some() || self.heal.is_some()
    }
}

/// Something that lasts: a spell, a poison, a cooldown, a timer.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Effect {
    /// Id of the effect, unique in the encounter.
    pub id: EffectId,
    /// Name for people.
    pub name: Name,
    /// Target combatant. Absent for scene-wide effects.
    pub target: Option<CombatantId>,
    /// The combatant that caused it.
    pub source: Option<CombatantId>,
    /// True if players can't see it.
    pub hidden: bool,
    /// When it begins, by rounds or turns. Absent once it has begun.
    pub begins: Option<Expiry>,
    /// The time at which it ends, counted from its beginning.
    pub expires: Expiry,
    /// A reminder that comes until then.
    pub reminder: Option<Reminder>,
    /// True if its reminder was due, and `apply_effect` was not sent since.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub waits: bool,
    /// True if its time was up with its reminder: it ends once that is applied.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub last: bool,
    /// True if only the game master sees when it ends, because it counted the turns of a combatant
    /// that left while it was hidden.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub expiry_hidden: bool,
    /// Texts of the client's own.
    #[serde(default, skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
}

impl Effect {
    /// The same for whom it has no time: it seems to have begun, and to last until it is removed.
    pub fn untimed(&self) -> Self {
        Self {
            begins: None,
            expires: Expiry::Removed {},
            reminder: None,
            waits: false,
            last: false,
            expiry_hidden: false,
            ..self.clone()
        }
    }

    /// Whether this combatant caused it, or its turns are or will be counted.
    pub fn names(&self, id: &CombatantId) -> bool {
        self.source.as_ref() == Some(id) || self.anchors().any(|anchor| anchor == id)
    }

    /// The combatants whose turns are or will be counted.
    pub fn anchors(&self) -> impl Iterator<Item = &CombatantId> {
        let due = self.reminder.as_ref().map(|reminder| &reminder.due);
        let clocks = self.begins.iter().chain([&self.expires]).chain(due);
        clocks.filter_map(Expiry::anchor)
    }

    /// What it counts now: until it has begun nothing else but the end of the encounter, and nothing
    /// once its time is up.
    pub fn clocks(&self) -> impl Iterator<Item = (Clock, &Expiry)> {
        let has_begun = self.begins.is_none();
        let all = [Clock::Beginning, Clock::Reminder, Clock::End];
        let clocks = all
            .into_iter()
            .filter_map(|clock| Some((clock, self.clock(clock)?)));
        clocks.filter(move |(clock, counted)| {
            let is_first = has_begun || *clock == Clock::Beginning;
            !self.last && (is_first || matches!(counted, Expiry::EncounterEnd {}))
        })
    }

    /// What it counts with `clock`, now or later.
    pub fn clock(&self, clock: Clock) -> Option<&Expiry> {
        match clock {
            Clock::End => Some(&self.expires),
            Clock::Beginning => self.begins.as_ref(),
            Clock::Reminder => self.reminder.as_ref().map(|reminder| &reminder.due),
        }
    }

    /// Whether it has begun, and does something when it is due.
    pub fn can_be_applied(&self) -> bool {
        let does_something = self.reminder.as_ref().is_some_and(Reminder::does_something);
        does_something && self.begins.is_none()
    }

    /// The die that ends it, if it has one.
    pub fn recharge(&self) -> Option<Recharge> {
        self.reminder.as_ref()?.recharge
    }

    /// Whether it counts the turns of this combatant now.
    pub fn counts_turns_of(&self, id: &CombatantId) -> bool {
        self.clocks().any(|(_, clock)| clock.anchor() == Some(id))
    }

    /// What it counts with `clock`, to be changed.
    pub fn clock_mut(&mut self, clock: Clock) -> Option<&mut Expiry> {
        match clock {
            Clock::End => Some(&mut self.expires),
            Clock::Beginning => self.begins.as_mut(),
            Clock::Reminder => self.reminder.as_mut().map(|reminder| &mut reminder.due),
        }
    }
}

/// An effect as a client describes it.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EffectDraft {
    /// Id of the effect, unique in the encounter. Made from the name by default, and always with
    /// several `targets`.
    pub id: Option<EffectId>,
    /// Name for people.
    pub name: Name,
    /// Target combatant. Absent for scene-wide effects.
    pub target: Option<CombatantId>,
    /// Several targets instead of one. Each gets an effect of its own.
    #[schema(min_items = 1, max_items = 500)]
    pub targets: Option<Vec<CombatantId>>,
    /// The combatant that caused it.
    pub source: Option<CombatantId>,
    /// True if players can't see it.
    #[serde(default)]
    pub hidden: bool,
    /// When it begins, by rounds or turns. Absent if it begins at once.
    pub begins: Option<Expiry>,
    /// The time at which it ends, counted from its beginning.
    pub expires: Expiry,
    /// A reminder that comes until then.
    pub reminder: Option<Reminder>,
    /// Texts of the client's own.
    #[serde(default, skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
}
