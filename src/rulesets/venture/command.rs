//! The commands of Venture.

use crate::vocabulary::{
    Actor, CombatantId, D10, Fields, Int, MemberId, Text, command, commands, fact, word,
};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// A command of Venture.
#[commands]
pub enum Command {
    Start,
    Settle,
    JoinBattle,
    FreeAction,
    BeginTurn,
    Delay,
    Return,
    Act,
    Rush,
    Disengage,
    Flurry,
    Move,
    FollowUp,
    Pass,
    EndTurn,
    SpendInitiative,
    Declare,
    Withdraw,
    Adjust,
}

/// Start the fight: all combatants Join Battle (VE-2), then take their free actions (VE-6).
#[command(gm, "Start the fight")]
pub struct Start {
    /// The Join Battle rolls made at the table, by combatant; they replace an earlier
    /// `join_battle`. The server rolls Wits and Awareness for the rest.
    #[default]
    #[advanced]
    pub joins: BTreeMap<CombatantId, Join>,
}

/// Settle the fight with a combatant that is no Worthy Foe with one roll at the table (VE-1).
#[command(
    gm,
    "[{combatant}: settle the fight][{!combatant}Settle a fight] with one roll"
)]
pub struct Settle {
    /// The combatant that is no Worthy Foe.
    pub combatant: CombatantId,
    /// The combatant that lost the roll and is defeated: this one or its opponent.
    pub loser: CombatantId,
}

/// Join Battle with one combatant (VE-2), before the fight starts or as a newcomer.
#[command(player, "{combatant}: join battle")]
pub struct JoinBattle {
    /// The combatant.
    pub combatant: CombatantId,
    /// The way into the fight.
    #[default]
    pub approach: Approach,
    /// The attribute of the pool.
    #[default]
    pub attribute: Attribute,
    /// The ability of the pool.
    #[default]
    pub ability: Ability,
    /// Extra dice for stunts, Charms and wounds; fewer dice if negative.
    #[default]
    pub bonus_dice: Int<-40, 40>,
    /// The successes, if the table counted them; then leave out `faces`.
    #[advanced]
    pub successes: Option<Int<0, 100>>,
    /// The d10s that the table rolled, at most the whole pool. The server rolls the rest.
    #[schema(max_items = 80)]
    #[default]
    pub faces: Vec<D10>,
}

/// Take the free action of Joining Battle: a combat action that harms no combatant and that no
/// combatant opposes (VE-6).
#[command(player, "{combatant}: take the free action")]
pub struct FreeAction {
    /// The combatant.
    pub combatant: CombatantId,
    /// The action, such as to ready a weapon, enter a Form or take cover.
    pub action: Text<200>,
    /// True if it would harm a combatant, which is refused (VE-8).
    #[default]
    pub damaging: bool,
    /// True if a combatant opposes it, which is refused (VE-8).
    #[default]
    pub opposed: bool,
}

/// Start the turn of the combatant on the reached tick, with the steps of the start of a turn in
/// order (VE-14 to VE-18).
#[command(player, "{combatant}: start turn")]
pub struct BeginTurn {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Delay the turn when its tick is reached (VE-12).
#[command(player, "{combatant}: delay the turn")]
pub struct Delay {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Take the delayed turn now, between two others (VE-12, VE-12a).
#[command(player, "{combatant}: take the delayed turn")]
pub struct Return {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Take a combat action (VE-10), an attack if `attack` is true.
#[command(
    player,
    "[{combatant}: {!attack}act][{combatant}: {attack}{!decisive}attack]\
     [{combatant}: {decisive}decisive attack][{!combatant}Attack][{reflexive} outside the turn]",
    actor
)]
pub struct Act {
    /// The combatant.
    pub combatant: CombatantId,
    /// The action, for the log.
    pub action: Option<Text<200>>,
    /// True if it is an attack (VE-19).
    #[default]
    pub attack: bool,
    /// True if the attack is decisive.
    #[default]
    pub decisive: bool,
    /// True if the attack happens outside the attacker's turn, like a counterattack. It takes no
    /// combat action and does not count at the end of a turn. Game master only (VE-10a).
    #[default]
    pub reflexive: bool,
    /// The targets of the attack, hit or missed: at most 50, each once. At least one if it is
    /// `reflexive`.
    #[schema(max_items = 50)]
    #[default]
    pub targets: Vec<Target>,
    /// The Initiative that the attack costs the attacker, instead of the amount by the options
    /// (VE-27).
    #[advanced]
    pub attacker_loses: Option<Int<0, 40>>,
}

impl Act {
    /// The game master rules on acts that take combatants out of the fight, and on attacks outside the
    /// attacker's turn.
    pub(crate) fn actor(&self) -> Actor<'_> {
        if self.reflexive || self.targets.iter().any(Target::is_ruling) {
            Actor::Gm
        } else {
            Actor::of(&self.combatant)
        }
    }
}

/// Take a combat action that closes in on another combatant.
#[command(player, "{combatant}: rush")]
pub struct Rush {
    /// The combatant.
    pub combatant: CombatantId,
    /// True if it moved as part of the action. If not, the move can follow until its next turn has
    /// started (VE-15).
    #[default]
    pub moved: bool,
}

/// Take a combat action that breaks away from all close combatants.
#[command(player, "{combatant}: disengage")]
pub struct Disengage {
    /// The combatant.
    pub combatant: CombatantId,
    /// True if it moved as part of the action. If not, the move can follow until its next turn has
    /// started (VE-15).
    #[default]
    pub moved: bool,
}

/// Start a flurry: a second combat action after the first. Both cost Initiative at the end of the
/// turn (VE-11, VE-21).
#[command(player, "{combatant}: flurry")]
pub struct Flurry {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Make the reflexive move of a turn (VE-10).
#[command(player, "{combatant}: move")]
pub struct Move {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Make the move left over from a Rush or Disengage, at the latest when the next turn starts
/// (VE-15).
#[command(player, "{combatant}: make the leftover move")]
pub struct FollowUp {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Give up the free action (VE-6), or at the start of a turn the move left over from a Rush or
/// Disengage (VE-15).
#[command(player, "{combatant}: give up the free action")]
pub struct Pass {
    /// The combatant.
    pub combatant: CombatantId,
}

/// End the turn, with the steps of the end of a turn in order (VE-19 to VE-22).
#[command(player, "{combatant}: end turn")]
pub struct EndTurn {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Pay a cost in Initiative (such as 2i), in motes, or in both, at any time (VE-25).
#[command(player, "{combatant}: spend Initiative or motes")]
pub struct SpendInitiative {
    /// The combatant.
    pub combatant: CombatantId,
    /// The Initiative spent, which may cause a Crash.
    #[default]
    pub initiative: Int<0, 40>,
    /// The motes spent.
    #[default]
    pub motes: Int<0, 1000>,
    /// True if it pays for a Perilous Charm, which a Crashed combatant cannot use (VE-29).
    #[default]
    pub perilous: bool,
}

/// Add an effect that applies at the start of each turn of a combatant, such as anima flux (VE-17).
#[command(player, "{combatant}: add a start-of-turn effect")]
pub struct Declare {
    /// The combatant.
    pub combatant: CombatantId,
    /// The name of the effect, unique for its combatant, which can have 8.
    pub name: Text<80>,
    /// Initiative gained, or lost if negative, at each start of turn.
    #[default]
    pub initiative: Int<-40, 40>,
    /// Motes gained, or lost if negative, at each start of turn.
    #[default]
    pub motes: Int<-1000, 1000>,
}

/// End an effect that was declared for the start of turns.
#[command(player, "{combatant}: end [{name}][{!name}a start-of-turn effect]")]
pub struct Withdraw {
    /// The combatant.
    pub combatant: CombatantId,
    /// The name of the effect.
    pub name: Text<80>,
}

/// Correct the state of a combatant (VE-13, VE-24). The change of Initiative and its consequences
/// come first; then `crashed`, `recovery_tokens`, `onslaught` and `acted` are set.
#[command(gm, "{combatant}: correct Initiative and other values")]
pub struct Adjust {
    /// The combatant.
    pub combatant: CombatantId,
    /// Initiative gained, or lost if negative.
    #[default]
    pub initiative: Int<-40, 40>,
    /// Motes gained, or lost if negative.
    #[default]
    pub motes: Int<-1000, 1000>,
    /// The combatant that caused the change: an opponent that forces a Crash gains a bonus (VE-26).
    pub source: Option<CombatantId>,
    /// The new Join Battle roll of `source`, if this shifts the fight (VE-31).
    pub rejoin: Option<Join>,
    /// The number of turn starts after which the change of Initiative ends: 1 for the combatant's
    /// next (VE-14a). Without it the change is permanent. A combatant can have 8 timed changes.
    pub turns: Option<Int<1, 10_000>>,
    /// True if it is Crashed, without cost or bonus, until the Initiative changes next (VE-23b).
    pub crashed: Option<bool>,
    /// The recovery tokens (VE-20); ignored unless the combatant is Crashed after the rest
    /// (VE-16a).
    pub recovery_tokens: Option<Int<0, 4>>,
    /// The Onslaught (VE-30).
    pub onslaught: Option<Int<0, 1000>>,
    /// True if it has acted in this round and gets no further turn in it (VE-13).
    pub acted: Option<bool>,
}

/// The way into the fight, which decides the possible Join Battle pools.
#[word]
pub enum Approach {
    /// With weapons drawn: Wits and Awareness (VE-2).
    #[default]
    Default,
    /// From stealth or seclusion: Dexterity may replace Wits, and Stealth Awareness (VE-3).
    Stealth,
    /// When talk turns violent: Manipulation may replace Wits, and Socialize Awareness (VE-4).
    Escalation,
}

/// An attribute of a Join Battle pool.
#[word]
pub enum Attribute {
    /// Wits.
    #[default]
    Wits,
    /// Dexterity, from stealth (VE-3).
    Dexterity,
    /// Manipulation, when talk turns violent (VE-4).
    Manipulation,
}

/// An ability of a Join Battle pool.
#[word]
pub enum Ability {
    /// Awareness.
    #[default]
    Awareness,
    /// Stealth, from stealth (VE-3).
    Stealth,
    /// Socialize, when talk turns violent (VE-4).
    Socialize,
}

/// A Join Battle pool.
#[fact]
pub struct Pool {
    /// The way into the fight.
    pub approach: Approach,
    /// The attribute.
    pub attribute: Attribute,
    /// The ability.
    pub ability: Ability,
}

/// A Join Battle roll: the pool, and the dice or successes from the table.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default, ToSchema, Fields)]
#[serde(deny_unknown_fields, default)]
#[schema(default)]
pub struct Join {
    /// The way into the fight.
    pub approach: Approach,
    /// The attribute of the pool.
    pub attribute: Attribute,
    /// The ability of the pool.
    pub ability: Ability,
    /// Extra dice for stunts, Charms and wounds; fewer dice if negative.
    pub bonus_dice: Int<-40, 40>,
    /// The successes, if the table counted them; then leave out `faces`.
    pub successes: Option<Int<0, 100>>,
    /// The d10s that the table rolled, at most the whole pool. The server rolls the rest.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 80)]
    pub faces: Vec<D10>,
}

/// A target of an attack.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Fields)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// The combatant that is attacked.
    pub combatant: CombatantId,
    /// The Initiative that it loses; by default the option `attacked_loss` (VE-27).
    pub loses: Option<Int<0, 40>>,
    /// True if a decisive attack kills it, which costs the attacker Initiative, game master only
    /// (VE-27).
    #[serde(default)]
    #[schema(default = false)]
    pub killed: bool,
    /// Damage of a decisive attack, game master only. A killing blow if it takes the last hit point
    /// (VE-28a).
    pub damage: Option<Int<0, 1_000_000>>,
    /// The member of a group that is killed or takes the damage.
    pub member: Option<MemberId>,
    /// The attacker's new Join Battle roll, if this shifts the fight (VE-31).
    pub rejoin: Option<Join>,
}

impl Target {
    /// Whether it deals damage or kills, which is the game master's ruling.
    pub(super) fn is_ruling(&self) -> bool {
        self.killed || self.damage.is_some()
    }
}

impl JoinBattle {
    /// Its Join Battle roll.
    pub(super) fn join(&self) -> Join {
        let Self {
            combatant: _,
            approach,
            attribute,
            ability,
            bonus_dice,
            successes,
            faces,
        } = self.clone();
        Join {
            approach,
            attribute,
            ability,
            bonus_dice,
            successes,
            faces,
        }
    }
}

impl Approach {
    /// The attribute and the ability that it allows besides Wits and Awareness, and the rule.
    pub(super) fn swaps(self) -> (Attribute, Ability, &'static str) {
        match self {
            Self::Default => (Attribute::Wits, Ability::Awareness, "VE-2"),
            Self::Stealth => (Attribute::Dexterity, Ability::Stealth, "VE-3"),
            Self::Escalation => (Attribute::Manipulation, Ability::Socialize, "VE-4"),
        }
    }
}
