//! The events of Seize the initiative.

use super::{Meaning, Way};
use crate::rulesets::shared::several;
use crate::vocabulary::{CombatantId, Die, Slug, tagged};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

tagged! {
    /// Something that happens under Seize the initiative alone.
    pub enum Event {
        "initiative_rolled" => InitiativeRolled,
        "rolled_off" => RolledOff,
        "begun" => Begun,
        "extra_action_granted" => ExtraActionGranted,
        "extra_action_spent" => ExtraActionSpent,
        "extra_action_lapsed" => ExtraActionLapsed,
        "hurt" => Hurt,
        "seizing_opened" => SeizingOpened,
        "seized" => Seized,
        "declined" => Declined,
        "seizer_dropped" => SeizerDropped,
        "choice_opened" => ChoiceOpened,
        "forgotten" => Forgotten,
        "fight_closed" => FightClosed,
    }
}

/// Everybody rolled for the first turn, once and for the whole fight (WA-1, WA-18).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct InitiativeRolled {
    /// The rolls, best first.
    pub rolls: Vec<InitiativeRoll>,
}

/// One roll for the first turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct InitiativeRoll {
    /// For whom: one combatant, or a group with the highest Initiative Bonus first.
    pub combatants: Vec<CombatantId>,
    /// The group, where it is a group's (WA-3).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<Slug>,
    /// The d20.
    pub die: Die,
    /// The Initiative Bonus; a group's highest (AWA8).
    pub bonus: i64,
    /// The die and the bonus.
    pub total: i64,
    /// What it means for all of `combatants` (WA-6, WA-7).
    #[schema(inline)]
    pub meaning: Meaning,
}

/// The best rolls had the same result and the same bonus, and were rolled off (AWA2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RolledOff {
    /// The rolls of those in the tie, best first.
    pub rolls: Vec<RollOffRoll>,
}

/// One roll of a roll-off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RollOffRoll {
    /// For whom: one combatant, or a group with the one first who would act first by it.
    #[serde(alias = "combatant", deserialize_with = "several")]
    pub combatants: Vec<CombatantId>,
    /// The d20.
    pub die: Die,
}

/// A turn was given to somebody: what was lost before it lets nobody seize any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Begun {
    /// Whose turn.
    pub combatant: CombatantId,
    /// How it got the turn.
    pub by: Way,
}

/// Somebody has an extra Action in the turn that begins, for the 20 that it rolled (WA-6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ExtraActionGranted {
    /// Who.
    pub combatant: CombatantId,
}

/// Somebody spent the extra Action (WA-6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ExtraActionSpent {
    /// Who.
    pub combatant: CombatantId,
}

/// Somebody's first turn ended with the extra Action unspent: it is gone (WA-6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ExtraActionLapsed {
    /// Who.
    pub combatant: CombatantId,
}

/// Somebody without a turn in this round lost hit points, which lets it seize the next turn (WA-12).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Hurt {
    /// Who.
    pub combatant: CombatantId,
}

/// A turn is over, and those whom it hurt decide whether they seize the next one (WA-13).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SeizingOpened {
    /// Who may seize, in the order of joining.
    pub eligible: Vec<CombatantId>,
}

/// Somebody seized a turn; it comes after those who seized earlier, and after those with a higher bonus in the same window (WA-15).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Seized {
    /// Who.
    pub combatant: CombatantId,
    /// Its Initiative Bonus.
    pub bonus: i64,
    /// How many seized turns come before its own.
    pub after: u32,
}

/// Somebody who could have seized the next turn did not (WA-13).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Declined {
    /// Who.
    pub combatant: CombatantId,
}

/// Somebody who had seized a turn was put out of action before it came: the turn is lost (AWA4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SeizerDropped {
    /// Who.
    pub combatant: CombatantId,
}

/// Somebody must be picked: for the next turn, or for the first of a new round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChoiceOpened {
    /// Whose controller picks; nobody where the game master does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chooser: Option<CombatantId>,
    /// True where the one to be picked is the first of a round (WA-11).
    pub starter: bool,
}

/// Somebody who took a turn in this round, or had seized one, has left: nothing is kept of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Forgotten {
    /// Who.
    pub combatant: CombatantId,
}

/// The fight is over: nobody is awaited any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FightClosed {}
