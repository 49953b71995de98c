//! What Venture keeps, what of it viewers know, and how much it may hold.

use super::adjust::MAX_TIMED;
use super::end_turn::MAX_TOKENS;
use super::start_effect::MAX_START_EFFECTS;
use super::{Ability, Attribute, Encounter, JoinRoll, Pool, StartEffect, Tick, TimedChange};
use crate::rulesets::shared::{at_most, within};
use crate::vocabulary::{Audience, CombatantId, Fields, Int, Redact, word};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use std::sync::Arc;
use utoipa::ToSchema;

/// Options of Venture: amounts that its text leaves open, and variants from later versions of the
/// game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(default)]
pub struct Options {
    /// Initiative gained for forcing an opponent into Crash (VE-26).
    pub crash_bonus: Int<0, 20>,
    /// Initiative lost on going into Crash, on top of what brought it there (VE-27).
    pub crash_loss: Int<0, 20>,
    /// Initiative that the target of an attack loses if the command gives no amount (VE-27).
    pub attacked_loss: Int<0, 20>,
    /// The decisive attacks that reset the attacker to its base Initiative (VE-27, VE-28).
    pub decisive_reset: DecisiveReset,
    /// The base Initiative (VE-28).
    pub base_initiative: BaseInitiative,
    /// True if an unusual Join Battle swaps only one of attribute and ability (VE-33).
    pub single_swap: bool,
    /// True if crashing the combatant that crashed you adds a new Join Battle roll to your
    /// Initiative (VE-31).
    pub shift: bool,
    /// The time for which a turn can be delayed (VE-12a).
    pub delay_lasts: DelayLasts,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            crash_bonus: Int::clamped(5),
            crash_loss: Int::default(),
            attacked_loss: Int::default(),
            decisive_reset: DecisiveReset::default(),
            base_initiative: BaseInitiative::default(),
            single_swap: false,
            shift: false,
            delay_lasts: DelayLasts::default(),
        }
    }
}

/// The stats of a combatant under Venture.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Fields)]
#[serde(deny_unknown_fields, default)]
#[schema(default)]
pub struct CombatantStats {
    /// The attribute of the usual Join Battle pool (VE-2).
    pub wits: Int<0, 20>,
    /// The attribute that can replace Wits from stealth (VE-3).
    pub dexterity: Int<0, 20>,
    /// The attribute that can replace Wits when talk turns violent (VE-4).
    pub manipulation: Int<0, 20>,
    /// The attribute that the base Initiative may rest on (VE-28).
    pub stamina: Int<0, 20>,
    /// The ability of the usual Join Battle pool (VE-2).
    pub awareness: Int<0, 20>,
    /// The ability that can replace Awareness from stealth (VE-3).
    pub stealth: Int<0, 20>,
    /// The ability that can replace Awareness when talk turns violent (VE-4).
    pub socialize: Int<0, 20>,
    /// Current motes; by default all of them when it Joins Battle. Play changes them (VE-22).
    pub motes: Option<Int<0, 1000>>,
    /// The maximum of its motes.
    pub max_motes: Int<0, 1000>,
    /// True if it is a Worthy Foe. One roll settles a fight with any other combatant (VE-1).
    pub worthy_foe: bool,
}

impl Default for CombatantStats {
    fn default() -> Self {
        Self {
            wits: Int::clamped(1),
            dexterity: Int::clamped(1),
            manipulation: Int::clamped(1),
            stamina: Int::clamped(1),
            awareness: Int::default(),
            stealth: Int::default(),
            socialize: Int::default(),
            motes: None,
            max_motes: Int::default(),
            worthy_foe: true,
        }
    }
}

/// The decisive attacks that reset the attacker to its base Initiative.
#[word]
pub enum DecisiveReset {
    /// Killing blows.
    #[default]
    KillingBlow,
    /// All, as in the later revision.
    Always,
    /// None.
    Never,
}

/// The Initiative to which a decisive attack resets the attacker.
#[word]
pub enum BaseInitiative {
    /// 3.
    #[default]
    Three,
    /// 2 and half the Stamina, rounded up, as in the later revision.
    Stamina,
}

/// The time for which a turn can be delayed.
#[word]
pub enum DelayLasts {
    /// Until every other turn of the round is over.
    #[default]
    Round,
    /// Until the combatant returns, even in a later round.
    UntilReturn,
}

/// The state of a free action.
#[word]
pub enum FreeActionState {
    /// It can still be taken.
    #[default]
    Open,
    /// It was taken.
    Taken,
    /// It was given up.
    Passed,
}

/// The state of a combatant under Venture.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CombatantState {
    /// Its place on the track, from -20 to 20 (VE-24); 0 before it has Joined Battle.
    #[schema(minimum = -20, maximum = 20)]
    pub initiative: i64,
    /// Its Join Battle roll, if it has joined.
    #[schema(value_type = Option<JoinRoll>)]
    pub join_battle: Option<Arc<JoinRoll>>,
    /// Its free action (VE-6).
    pub free_action: FreeActionState,
    /// True if it is Crashed: at 0 or less on the track (VE-23).
    pub crashed: bool,
    /// The combatant that forced it into Crash, if one did.
    pub crashed_by: Option<CombatantId>,
    /// Recovery tokens towards leaving Crash, at most 4 (VE-16, VE-20).
    #[schema(minimum = 0, maximum = 4)]
    pub recovery_tokens: i64,
    /// The number of attacks on it since its last turn started (VE-30).
    pub onslaught: u32,
    /// True if it delays its turn (VE-12).
    pub delaying: bool,
    /// Combat actions taken in its turn.
    pub actions_taken: u32,
    /// True if it flurries in its turn (VE-11).
    pub flurrying: bool,
    /// True if it has attacked in its turn (VE-19).
    pub attacked: bool,
    /// True if it has used the reflexive move of its turn (VE-10).
    pub moved: bool,
    /// True if it has a move left over from a Rush or Disengage (VE-15).
    pub follow_up: bool,
    /// The effects that apply at the start of each of its turns (VE-17).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub start_effects: Vec<StartEffect>,
    /// The changes of its Initiative that end later (VE-14a).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub timed_changes: Vec<TimedChange>,
}

/// The state of the encounter under Venture.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct State {
    /// The phase of the fight.
    pub phase: Phase,
    /// The tick that was reached last: the Initiative of that combatant (VE-9).
    pub tick: Option<i64>,
}

/// The phase of a fight.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Not started.
    #[default]
    Setup,
    /// Round 0: combatants take their free actions in turn (VE-7).
    FreeActions {
        /// The combatant whose free action is next.
        next: CombatantId,
    },
    /// Between two turns: the combatant on the reached tick starts its turn or delays it.
    Tick(Tick),
    /// A turn has started, and a move left over from a Rush or Disengage may come first (VE-15).
    FollowUp {
        /// The combatant that has the turn.
        actor: CombatantId,
    },
    /// A turn is in progress.
    InTurn {
        /// The combatant that has the turn.
        actor: CombatantId,
    },
    /// No combatant in the fight has Joined Battle; a newcomer must.
    Standstill {},
    /// A combatant that the viewer does not see has the turn or comes next.
    SomeoneActs {},
}

impl CombatantStats {
    /// The dice of a Join Battle pool.
    pub(super) fn dice(&self, pool: &Pool) -> i64 {
        let attribute = match pool.attribute {
            Attribute::Wits => self.wits,
            Attribute::Dexterity => self.dexterity,
            Attribute::Manipulation => self.manipulation,
        };
        let ability = match pool.ability {
            Ability::Awareness => self.awareness,
            Ability::Stealth => self.stealth,
            Ability::Socialize => self.socialize,
        };
        attribute.get() + ability.get()
    }

    /// Its motes now.
    pub(super) fn motes(&self) -> i64 {
        self.motes.map_or(0, Int::get)
    }
}

impl CombatantState {
    /// Whether it has a combat action left in its turn: it has one, or two in a flurry (VE-10,
    /// VE-11).
    pub(super) fn has_action(&self) -> bool {
        self.actions_taken == 0 || self.flurrying && self.actions_taken == 1
    }

    /// Ends its Crash and clears its recovery tokens.
    pub(super) fn leave_crash(&mut self) {
        self.crashed = false;
        self.crashed_by = None;
        self.recovery_tokens = 0;
    }
}

impl Phase {
    /// The combatant whose turn is in progress.
    pub(super) fn acting(&self) -> Option<&CombatantId> {
        match self {
            Self::InTurn { actor } | Self::FollowUp { actor } => Some(actor),
            _ => None,
        }
    }

    /// The combatant whose action is awaited, in its turn or before it.
    pub(super) fn awaited(&self) -> Option<&CombatantId> {
        match self {
            Self::FreeActions { next } | Self::Tick(Tick { next, .. }) => Some(next),
            phase => phase.acting(),
        }
    }

    /// The present phase in a sentence, for refusals.
    pub(super) fn detail(&self) -> String {
        match self {
            Self::FreeActions { next } => {
                format!("Free actions come first, and {next}'s is next.")
            }
            Self::Tick(tick) => format!("The next turn is {}'s.", tick.next),
            Self::FollowUp { actor } | Self::InTurn { actor } => format!("It's {actor}'s turn."),
            Self::SomeoneActs {} => "Another combatant acts now.".to_owned(),
            Self::Setup | Self::Standstill {} => "No turn is in progress.".to_owned(),
        }
    }
}

/// Someone acts, if the audience does not know who is awaited.
impl Redact for Phase {
    fn redact(&self, audience: &Audience<'_>) -> Option<Self> {
        match self.awaited() {
            Some(id) if !audience.knows(id) => Some(Self::SomeoneActs {}),
            _ => Some(self.clone()),
        }
    }
}

/// The dice of the largest Join Battle pool: attribute 20, ability 20 and 40 bonus dice.
const MAX_POOL: usize = 80;

/// Refuses a state that no play leads to.
pub(super) fn check(encounter: &Encounter) -> Result<(), String> {
    if let Some(tick) = encounter.state.tick {
        within("state.tick", tick, -20, 20)?;
    }
    for c in encounter.iter() {
        let state = &c.state;
        within("initiative", state.initiative, -20, 20)?;
        within("recovery_tokens", state.recovery_tokens, 0, MAX_TOKENS)?;
        at_most(
            "start_effects",
            state.start_effects.len(),
            MAX_START_EFFECTS,
        )?;
        at_most("timed_changes", state.timed_changes.len(), MAX_TIMED)?;
        if let Some(roll) = &state.join_battle {
            at_most("join_battle.dice", roll.dice.len(), MAX_POOL)?;
        }
    }
    Ok(())
}
