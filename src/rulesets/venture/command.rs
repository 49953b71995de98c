//! The commands of Venture.

use crate::vocabulary::{
    Actor, AllowedRole, CombatantId, CommandSpec, Commands, D10, Describe, Int, MemberId, Redact,
    Summary, Tagged, Tellable, Text, Word,
};
use macro_rules_attribute::derive;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// A command of Venture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Tagged!)]
#[serde(tag = "type")]
#[allow(missing_docs, reason = "each variant is its struct, documented there")]
pub enum Command {
    #[serde(rename = "start")]
    Start(Start),
    #[serde(rename = "settle")]
    Settle(Settle),
    #[serde(rename = "join_battle")]
    JoinBattle(JoinBattle),
    #[serde(rename = "free_action")]
    FreeAction(FreeAction),
    #[serde(rename = "begin_turn")]
    BeginTurn(BeginTurn),
    #[serde(rename = "delay")]
    Delay(Delay),
    #[serde(rename = "claim")]
    Claim(Claim),
    #[serde(rename = "act")]
    Act(Act),
    #[serde(rename = "rush")]
    Rush(Rush),
    #[serde(rename = "disengage")]
    Disengage(Disengage),
    #[serde(rename = "flurry")]
    Flurry(Flurry),
    #[serde(rename = "move")]
    Move(Move),
    #[serde(rename = "follow_up")]
    FollowUp(FollowUp),
    #[serde(rename = "pass")]
    Pass(Pass),
    #[serde(rename = "end_turn")]
    EndTurn(EndTurn),
    #[serde(rename = "spend")]
    Spend(Spend),
    #[serde(rename = "declare")]
    Declare(Declare),
    #[serde(rename = "withdraw")]
    Withdraw(Withdraw),
    #[serde(rename = "adjust")]
    Adjust(Adjust),
}

/// Begin the fight: all combatants Join Battle (VE-2), then take their free actions (VE-6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// How each combatant Joins Battle, in place of its own `join_battle`. For the others the
    /// server rolls Wits and Awareness.
    #[schema(value_type = std::collections::HashMap<String, Join>)]
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub joins: BTreeMap<CombatantId, Join>,
}

/// Settle the fight with a combatant that is no Worthy Foe: one roll at the table says who is
/// defeated (VE-1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Settle {
    /// The combatant that is no Worthy Foe.
    pub combatant: CombatantId,
    /// Who lost the roll: that combatant, or its opponent.
    pub loser: CombatantId,
}

/// Join Battle as one combatant (VE-2): before the fight starts, or as a newcomer.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct JoinBattle {
    /// The combatant.
    pub combatant: CombatantId,
    /// How it gets into the fight.
    #[serde(default)]
    pub approach: Approach,
    /// The attribute of the pool.
    #[serde(default)]
    pub attribute: Attribute,
    /// The ability of the pool.
    #[serde(default)]
    pub ability: Ability,
    /// Dice beyond attribute and ability, fewer if negative: stunts, Charms, wounds.
    #[serde(default)]
    #[schema(default = 0)]
    pub bonus_dice: Int<-40, 40>,
    /// The successes, if the table counted them; then leave out `dice`.
    pub successes: Option<Int<0, 100>>,
    /// The dice that the table rolled, at most the whole pool; the server rolls the others.
    #[schema(max_items = 80)]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dice: Vec<D10>,
}

/// Take the free action of Joining Battle: a combat action that harms nobody and that nobody
/// opposes (VE-6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct FreeAction {
    /// The combatant.
    pub combatant: CombatantId,
    /// What it does: ready a weapon, enter a Form, take cover, use a Charm that prepares.
    pub action: Text<200>,
    /// Whether it would harm somebody, which is refused (VE-8).
    #[serde(default)]
    #[schema(default = false)]
    pub damaging: bool,
    /// Whether somebody opposes it, which is refused (VE-8).
    #[serde(default)]
    #[schema(default = false)]
    pub opposed: bool,
}

/// Begin the turn of the combatant on the reached tick, with the steps of a turn's start in order
/// (VE-14 to VE-18).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct BeginTurn {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Hold the action back when its tick is reached (VE-12).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Delay {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Take the delayed turn now, between two others (VE-12, VE-12a).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Take a combat action (VE-10), an attack if `attack` is true.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Act {
    /// The combatant.
    pub combatant: CombatantId,
    /// What it does, for the log.
    pub action: Option<Text<200>>,
    /// Whether it is an attack (VE-19).
    #[serde(default)]
    #[schema(default = false)]
    pub attack: bool,
    /// Whether the attack is decisive.
    #[serde(default)]
    #[schema(default = false)]
    pub decisive: bool,
    /// Whether the attack happens outside the attacker's own turn, as a counterattack does. It
    /// takes no combat action and does not count at the end of a turn. Only the game master sends
    /// it (VE-10a).
    #[serde(default)]
    #[schema(default = false)]
    pub reflexive: bool,
    /// Who is attacked, hit or missed: at most 50, each once.
    #[schema(max_items = 50)]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<Target>,
    /// Initiative that the attack costs the attacker, instead of what the options say (VE-27).
    pub attacker_loses: Option<Int<0, 40>>,
}

/// Take a combat action that closes in on somebody.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Rush {
    /// The combatant.
    pub combatant: CombatantId,
    /// Whether it moved as part of it; if not, the move can follow until its next turn has begun
    /// (VE-15).
    #[serde(default)]
    #[schema(default = false)]
    pub moved: bool,
}

/// Take a combat action that breaks away from everybody close.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Disengage {
    /// The combatant.
    pub combatant: CombatantId,
    /// Whether it moved as part of it; if not, the move can follow until its next turn has begun
    /// (VE-15).
    #[serde(default)]
    #[schema(default = false)]
    pub moved: bool,
}

/// Open a second combat action after the first; Initiative pays for both at the turn's end (VE-11,
/// VE-21).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Flurry {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Make the reflexive move of a turn (VE-10).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Move {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Make the move that a Rush or Disengage left open, at the latest when the next turn begins
/// (VE-15).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct FollowUp {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Give up the free action (VE-6), or at the start of a turn the move from a Rush or Disengage
/// (VE-15).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Pass {
    /// The combatant.
    pub combatant: CombatantId,
}

/// End the turn, with the steps of a turn's end in order (VE-19 to VE-22).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct EndTurn {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Pay a cost in Initiative (such as 2i), in motes, or in both, at any time (VE-25).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Spend {
    /// The combatant.
    pub combatant: CombatantId,
    /// Initiative; paying it may cause a Crash.
    #[serde(default)]
    #[schema(default = 0)]
    pub initiative: Int<0, 40>,
    /// Motes.
    #[serde(default)]
    #[schema(default = 0)]
    pub motes: Int<0, 1000>,
    /// Whether it is for a Perilous Charm, which nobody uses while Crashed (VE-29).
    #[serde(default)]
    #[schema(default = false)]
    pub perilous: bool,
}

/// From now on something happens at the start of each turn of a combatant, such as anima flux
/// (VE-17).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Declare {
    /// The combatant.
    pub combatant: CombatantId,
    /// Its name for people, unique within its combatant, which has at most 8.
    pub name: Text<80>,
    /// Initiative gained, or lost if negative, at each start of turn.
    #[serde(default)]
    #[schema(default = 0)]
    pub initiative: Int<-40, 40>,
    /// Motes gained, or lost if negative, at each start of turn.
    #[serde(default)]
    #[schema(default = 0)]
    pub motes: Int<-1000, 1000>,
}

/// End what was declared for the start of turns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Withdraw {
    /// The combatant.
    pub combatant: CombatantId,
    /// Its name.
    pub name: Text<80>,
}

/// Correct the state of a combatant (VE-13, VE-24). The change of Initiative and its consequences
/// come first; then `crashed`, `recovery_tokens`, `onslaught` and `acted` are set.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Adjust {
    /// The combatant.
    pub combatant: CombatantId,
    /// Initiative gained, or lost if negative.
    #[serde(default)]
    #[schema(default = 0)]
    pub initiative: Int<-40, 40>,
    /// Motes gained, or lost if negative.
    #[serde(default)]
    #[schema(default = 0)]
    pub motes: Int<-1000, 1000>,
    /// Who brought it about: an opponent who forces a Crash gains its bonus (VE-26).
    pub by: Option<CombatantId>,
    /// How `by` Joins Battle again if this shifts the fight (VE-31).
    pub shift: Option<Join>,
    /// The number of turn starts after which the change of Initiative ends, 1 for the combatant's
    /// next (VE-14a). Without it the change stays. A combatant has at most 8 timed changes.
    pub turns: Option<Int<1, 10_000>>,
    /// Whether it is Crashed. Neither cost nor bonus follows. It holds until the Initiative changes
    /// next (VE-23b).
    pub crashed: Option<bool>,
    /// The recovery tokens (VE-20); ignored unless the combatant is Crashed when the rest is done
    /// (VE-16a).
    pub recovery_tokens: Option<Int<0, 4>>,
    /// The Onslaught (VE-30).
    pub onslaught: Option<Int<0, 1000>>,
    /// Whether it has acted in this round and gets no further turn in it (VE-13).
    pub acted: Option<bool>,
}

impl Commands for Command {
    const SPECS: &'static [CommandSpec] = &[
        CommandSpec::new("start", AllowedRole::Gm, "Start the fight", Start::SUMMARY),
        CommandSpec::new(
            "settle",
            AllowedRole::Gm,
            "Settle the fight[ with {combatant}]",
            Settle::SUMMARY,
        ),
        CommandSpec::new(
            "join_battle",
            AllowedRole::Player,
            "Join Battle as {combatant}",
            JoinBattle::SUMMARY,
        ),
        CommandSpec::new(
            "free_action",
            AllowedRole::Player,
            "Take {combatant}'s free action",
            FreeAction::SUMMARY,
        ),
        CommandSpec::new(
            "begin_turn",
            AllowedRole::Player,
            "Begin {combatant}'s turn",
            BeginTurn::SUMMARY,
        ),
        CommandSpec::new(
            "delay",
            AllowedRole::Player,
            "Delay {combatant}'s turn",
            Delay::SUMMARY,
        ),
        CommandSpec::new(
            "claim",
            AllowedRole::Player,
            "Take {combatant}'s delayed turn",
            Claim::SUMMARY,
        ),
        CommandSpec::new(
            "act",
            AllowedRole::Player,
            "Act[ with {combatant}][{attack}: attack][{decisive}, decisive][{reflexive}, reflexive]",
            Act::SUMMARY,
        ),
        CommandSpec::new(
            "rush",
            AllowedRole::Player,
            "Rush with {combatant}",
            Rush::SUMMARY,
        ),
        CommandSpec::new(
            "disengage",
            AllowedRole::Player,
            "Disengage {combatant}",
            Disengage::SUMMARY,
        ),
        CommandSpec::new(
            "flurry",
            AllowedRole::Player,
            "Open {combatant}'s flurry",
            Flurry::SUMMARY,
        ),
        CommandSpec::new(
            "move",
            AllowedRole::Player,
            "Move {combatant}",
            Move::SUMMARY,
        ),
        CommandSpec::new(
            "follow_up",
            AllowedRole::Player,
            "Make {combatant}'s leftover move",
            FollowUp::SUMMARY,
        ),
        CommandSpec::new(
            "pass",
            AllowedRole::Player,
            "Pass as {combatant}",
            Pass::SUMMARY,
        ),
        CommandSpec::new(
            "end_turn",
            AllowedRole::Player,
            "End {combatant}'s turn",
            EndTurn::SUMMARY,
        ),
        CommandSpec::new(
            "spend",
            AllowedRole::Player,
            "Spend {combatant}'s Initiative or motes",
            Spend::SUMMARY,
        ),
        CommandSpec::new(
            "declare",
            AllowedRole::Player,
            "Declare something for {combatant}'s turns",
            Declare::SUMMARY,
        ),
        CommandSpec::new(
            "withdraw",
            AllowedRole::Player,
            "Withdraw[ {name}] of {combatant}",
            Withdraw::SUMMARY,
        ),
        CommandSpec::new(
            "adjust",
            AllowedRole::Gm,
            "Correct {combatant}",
            Adjust::SUMMARY,
        ),
    ];

    fn actor(&self) -> Actor<'_> {
        match self {
            Self::Start(_) | Self::Settle(_) | Self::Adjust(_) => Actor::Gm,
            Self::JoinBattle(JoinBattle { combatant, .. })
            | Self::FreeAction(FreeAction { combatant, .. })
            | Self::BeginTurn(BeginTurn { combatant, .. })
            | Self::Delay(Delay { combatant, .. })
            | Self::Claim(Claim { combatant, .. })
            | Self::Act(Act { combatant, .. })
            | Self::Rush(Rush { combatant, .. })
            | Self::Disengage(Disengage { combatant, .. })
            | Self::Flurry(Flurry { combatant, .. })
            | Self::Move(Move { combatant, .. })
            | Self::FollowUp(FollowUp { combatant, .. })
            | Self::Pass(Pass { combatant, .. })
            | Self::EndTurn(EndTurn { combatant, .. })
            | Self::Spend(Spend { combatant, .. })
            | Self::Declare(Declare { combatant, .. })
            | Self::Withdraw(Withdraw { combatant, .. }) => Actor::of(combatant),
        }
    }
}

/// How a combatant gets into the fight, which decides the possible Join Battle pools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, ToSchema, Word!)]
#[serde(rename_all = "snake_case")]
pub enum Approach {
    /// Weapons drawn, into the fray: Wits and Awareness (VE-2).
    #[default]
    Default,
    /// From stealth or seclusion: Dexterity for Wits and Stealth for Awareness, either, both or
    /// none (VE-3).
    Stealth,
    /// Turning talk into violence: Manipulation for Wits and Socialize for Awareness, either, both
    /// or none (VE-4).
    Escalation,
}

/// An attribute of a Join Battle pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, ToSchema, Word!)]
#[serde(rename_all = "snake_case")]
pub enum Attribute {
    /// Wits.
    #[default]
    Wits,
    /// Dexterity, from stealth (VE-3).
    Dexterity,
    /// Manipulation, escalating (VE-4).
    Manipulation,
}

/// An ability of a Join Battle pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, ToSchema, Word!)]
#[serde(rename_all = "snake_case")]
pub enum Ability {
    /// Awareness.
    #[default]
    Awareness,
    /// Stealth, from stealth (VE-3).
    Stealth,
    /// Socialize, escalating (VE-4).
    Socialize,
}

/// What a Join Battle pool is made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Pool {
    /// How it gets into the fight.
    pub approach: Approach,
    /// The attribute.
    pub attribute: Attribute,
    /// The ability.
    pub ability: Ability,
}

impl Describe for Pool {}

/// How a combatant Joins Battle: the pool, and what the table rolled.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(default)]
pub struct Join {
    /// How it gets into the fight.
    pub approach: Approach,
    /// The attribute of the pool.
    pub attribute: Attribute,
    /// The ability of the pool.
    pub ability: Ability,
    /// Dice beyond attribute and ability, fewer if negative: stunts, Charms, wounds.
    pub bonus_dice: Int<-40, 40>,
    /// The successes, if the table counted them; then leave out `dice`.
    pub successes: Option<Int<0, 100>>,
    /// The dice that the table rolled, at most the whole pool; the server rolls the others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 80)]
    pub dice: Vec<D10>,
}

/// A target of an attack.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// Who.
    pub combatant: CombatantId,
    /// Initiative that it loses; the option `attacked_loss` if not given (VE-27).
    pub loses: Option<Int<0, 40>>,
    /// Whether a decisive attack kills it, which costs the attacker Initiative (VE-27).
    #[serde(default)]
    #[schema(default = false)]
    pub killed: bool,
    /// Damage of a decisive attack, from the game master. If it takes the last hit point it is a
    /// killing blow (VE-28a).
    pub damage: Option<Int<0, 1_000_000>>,
    /// Which member of a group is killed or takes the damage.
    pub member: Option<MemberId>,
    /// How the attacker Joins Battle again if this shifts the fight (VE-31).
    pub shift: Option<Join>,
}

impl Target {
    /// Whether it deals damage or kills, which is the game master's ruling.
    pub(super) fn is_ruling(&self) -> bool {
        self.killed || self.damage.is_some()
    }
}

impl JoinBattle {
    /// How it Joins Battle.
    pub(super) fn join(&self) -> Join {
        let Self {
            combatant: _,
            approach,
            attribute,
            ability,
            bonus_dice,
            successes,
            dice,
        } = self.clone();
        Join {
            approach,
            attribute,
            ability,
            bonus_dice,
            successes,
            dice,
        }
    }
}

impl Approach {
    /// The attribute and the ability that it allows beside Wits and Awareness, and the rule.
    pub(super) fn swaps(self) -> (Attribute, Ability, &'static str) {
        match self {
            Self::Default => (Attribute::Wits, Ability::Awareness, "VE-2"),
            Self::Stealth => (Attribute::Dexterity, Ability::Stealth, "VE-3"),
            Self::Escalation => (Attribute::Manipulation, Ability::Socialize, "VE-4"),
        }
    }
}
