//! What Venture keeps.

use super::Pool;
use crate::vocabulary::{CombatantId, Die, Int, Text, redacted};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::ToSchema;

/// Options of Venture: the amounts that its text leaves open, and variants from later versions of the game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// Initiative gained by whoever forces an opponent into Crash (VE-26).
    #[schema(default = 5)]
    pub crash_bonus: Int<0, 20>,
    /// Initiative lost by whoever goes into Crash, on top of what brought it there (VE-27).
    #[schema(default = 0)]
    pub crash_loss: Int<0, 20>,
    /// Initiative lost by the target of an attack where the command gives no amount (VE-27).
    #[schema(default = 0)]
    pub attacked_loss: Int<0, 20>,
    /// Which decisive attacks bring the attacker down to its base Initiative (VE-27, VE-28).
    #[schema(default = "killing_blow")]
    pub decisive_reset: DecisiveReset,
    /// What the base Initiative is (VE-28).
    #[schema(default = "three")]
    pub base_initiative: BaseInitiative,
    /// Whether an unusual way to Join Battle swaps the attribute or the ability, but not both (VE-33).
    #[schema(default = false)]
    pub single_swap: bool,
    /// Whether crashing the one who crashed oneself adds a new Join Battle roll to one's Initiative (VE-31).
    #[schema(default = false)]
    pub shift: bool,
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
        }
    }
}

/// Which decisive attacks bring the attacker down to its base Initiative.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DecisiveReset {
    /// Those that kill.
    #[default]
    KillingBlow,
    /// All of them, as in the later revision.
    Always,
    /// None.
    Never,
}

/// The Initiative that a decisive attack brings the attacker down to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum BaseInitiative {
    /// 3.
    #[default]
    Three,
    /// 2 and half the Stamina, rounded up, as in the later revision.
    Stamina,
}

/// What a client tells about a combatant under Venture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CombatantStats {
    /// The attribute of the usual Join Battle pool (VE-2).
    #[schema(default = 1)]
    pub wits: Int<0, 20>,
    /// The attribute that may stand in for Wits from stealth (VE-3).
    #[schema(default = 1)]
    pub dexterity: Int<0, 20>,
    /// The attribute that may stand in for Wits when talk turns violent (VE-4).
    #[schema(default = 1)]
    pub manipulation: Int<0, 20>,
    /// The attribute that the base Initiative may rest on (VE-28).
    #[schema(default = 1)]
    pub stamina: Int<0, 20>,
    /// The ability of the usual Join Battle pool (VE-2).
    #[schema(default = 0)]
    pub awareness: Int<0, 20>,
    /// The ability that may stand in for Awareness from stealth (VE-3).
    #[schema(default = 0)]
    pub stealth: Int<0, 20>,
    /// The ability that may stand in for Awareness when talk turns violent (VE-4).
    #[schema(default = 0)]
    pub socialize: Int<0, 20>,
    /// Motes now; where not given, all of them when it Joins Battle. Play changes it (VE-22).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub motes: Option<Int<0, 1000>>,
    /// The most motes there can be.
    #[schema(default = 0)]
    pub max_motes: Int<0, 1000>,
    /// Whether it is a Worthy Foe: a fight with anybody who is not is settled by one roll (VE-1).
    #[schema(default = true)]
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

/// What play keeps about a combatant under Venture.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CombatantState {
    /// Its place on the track, from -20 to 20 (VE-24); 0 before it has Joined Battle.
    #[schema(minimum = -20, maximum = 20)]
    pub initiative: i64,
    /// How it Joined Battle; nothing while it has not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<JoinRoll>)]
    pub join_battle: Option<Arc<JoinRoll>>,
    /// What became of its free action (VE-6).
    pub free_action: FreeActionState,
    /// Whether it is Crashed: at 0 or less on the track (VE-23).
    pub crashed: bool,
    /// Who forced it into Crash, where somebody did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crashed_by: Option<CombatantId>,
    /// Recovery tokens towards leaving Crash, at most 4 (VE-16, VE-20).
    #[schema(minimum = 0, maximum = 4)]
    pub recovery_tokens: i64,
    /// How often it was attacked since its last turn began (VE-30).
    pub onslaught: u32,
    /// Whether it holds its action back (VE-12).
    pub delaying: bool,
    /// Combat actions taken in its turn.
    pub actions_taken: u32,
    /// Whether it flurries in its turn (VE-11).
    pub flurrying: bool,
    /// Whether it has attacked in its turn (VE-19).
    pub attacked: bool,
    /// Whether it has used the reflexive move of its turn (VE-10).
    pub moved: bool,
    /// Whether it has Rushed or Disengaged and not moved as part of it yet (VE-15).
    pub follow_up: bool,
    /// What happens at the start of each of its turns (VE-17).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub start_effects: Vec<StartEffect>,
    /// The changes of its Initiative that are taken back later (AVE18).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub timed: Vec<TimedChange>,
}

/// What became of a free action.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FreeActionState {
    /// It can still be taken.
    #[default]
    Open,
    /// It was taken.
    Taken,
    /// It was given up.
    Passed,
}

redacted! {
    /// How somebody Joined Battle.
    pub struct JoinRoll {
        /// The pool that was chosen.
        pub pool: Pool,
        /// The dice of ten sides, in the order of rolling; none where the table gave the successes.
        pub dice: Vec<Die>,
        /// The successes: 7 and up counts one, 10 counts two (AVE9).
        pub successes: i64,
    }
}

redacted! {
    /// Something that happens at the start of each turn of a combatant, such as anima flux (VE-17).
    pub struct StartEffect {
        /// Its name for people, unique among those of its combatant.
        pub name: Text<80>,
        /// Initiative gained, or lost where negative, at each start of turn.
        pub initiative: Int<-40, 40>,
        /// Motes gained, or lost where negative, at each start of turn.
        pub motes: Int<-1000, 1000>,
    }
}

redacted! {
    /// A change of Initiative that lasts for a number of turns (AVE18).
    pub struct TimedChange {
        /// Initiative that was gained, or lost where negative.
        pub initiative: Int<-40, 40>,
        /// The starts of its turns until it is taken back, 1 for the next.
        pub turns: Int<1, 10_000>,
    }
}

/// What play keeps about the encounter under Venture.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct State {
    /// Where the fight is.
    pub phase: Phase,
    /// The tick that was reached last: the Initiative of the one whose turn came up (VE-9).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tick: Option<i64>,
}

/// Where the fight is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Not started.
    #[default]
    Setup,
    /// Round 0: one after another takes its free action (VE-7).
    FreeActions {
        /// Whose free action it is.
        next: CombatantId,
    },
    /// Between two turns: a tick is reached, and whoever stands there begins its turn or delays it.
    Tick(Tick),
    /// A turn has begun, and a move from a Rush or Disengage of the turn before may be made first (VE-15).
    FollowUp {
        /// Whose turn.
        actor: CombatantId,
    },
    /// A turn is going on.
    InTurn {
        /// Whose turn.
        actor: CombatantId,
    },
    /// Nobody in the fight has Joined Battle: it waits for a newcomer.
    Standstill {},
    /// Somebody has the turn, or comes next, of whom the viewer may not know.
    SomeoneActs {},
}

redacted! {
    /// A tick of the track on which somebody acts.
    pub struct Tick {
        /// Whose turn comes next.
        pub next: CombatantId,
        /// Its Initiative.
        pub tick: i64,
        /// Whether others who have not acted stand on the same tick (AVE5); the hidden do not count.
        pub same_tick: bool,
        /// Whether it has delayed and every other turn of the round is over (AVE4).
        pub delayed: bool,
    }
}
