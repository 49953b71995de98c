//! The commands of Venture.

use crate::vocabulary::{
    CombatantId, D10, Int, MemberId, Text, commands, redacted, settings, words,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;

commands! {
    /// A command of Venture.
    Command;

    /// Begin the fight: all combatants Join Battle (VE-2), then take their free actions (VE-6).
    "start" (Gm) => Start says "Start the fight" {
        /// How each combatant Joins Battle, in place of its own `join_battle`. For the others the server rolls Wits and Awareness.
        #[schema(value_type = std::collections::HashMap<String, Join>)]
        joins: BTreeMap<CombatantId, Join>,
    }

    /// Settle the fight with a combatant that is no Worthy Foe: one roll at the table says who is defeated (VE-1).
    "settle" (Gm) => Settle says "Settle the fight[ with {combatant}]" {
        /// The combatant that is no Worthy Foe.
        combatant: CombatantId,
        /// Who lost the roll: that combatant, or its opponent.
        loser: CombatantId,
    }

    /// Join Battle as one combatant (VE-2): before the fight starts, or as a newcomer.
    "join_battle" (Player: combatant) => JoinBattle says "Join Battle as {combatant}" {
        combatant: CombatantId,
        /// How it gets into the fight.
        #[serde(default)]
        approach: Approach,
        /// The attribute of the pool.
        #[serde(default)]
        attribute: Attribute,
        /// The ability of the pool.
        #[serde(default)]
        ability: Ability,
        /// Dice beyond attribute and ability, fewer if negative: stunts, Charms, wounds.
        bonus_dice: Int<-40, 40> = 0,
        /// The successes, if the table counted them; then leave out `dice`.
        successes: Option<Int<0, 100>>,
        /// The dice that the table rolled, at most the whole pool; the server rolls the others.
        #[schema(max_items = 80)]
        dice: Vec<D10>,
    }

    /// Take the free action of Joining Battle: a combat action that harms nobody and that nobody opposes (VE-6).
    "free_action" (Player: combatant) => FreeAction says "Take {combatant}'s free action" {
        combatant: CombatantId,
        /// What it does: ready a weapon, enter a Form, take cover, use a Charm that prepares.
        action: Text<200>,
        /// Whether it would harm somebody, which is refused (VE-8).
        damaging: bool = false,
        /// Whether somebody opposes it, which is refused (VE-8).
        opposed: bool = false,
    }

    /// Begin the turn of the combatant on the reached tick, with the steps of a turn's start in order (VE-14 to VE-18).
    "begin_turn" (Player: combatant) => BeginTurn says "Begin {combatant}'s turn" { combatant: CombatantId }

    /// Hold the action back when its tick is reached (VE-12).
    "delay" (Player: combatant) => Delay says "Delay {combatant}'s turn" { combatant: CombatantId }

    /// Take the delayed turn now, between two others (VE-12, AVE4).
    "claim" (Player: combatant) => Claim says "Take {combatant}'s delayed turn" { combatant: CombatantId }

    /// Take a combat action (VE-10), an attack if `attack` is true.
    "act" (Player: combatant) => Act says "Act[ with {combatant}][{attack}: attack][{decisive}, decisive][{reflexive}, reflexive]" {
        combatant: CombatantId,
        /// What it does, for the log.
        action: Option<Text<200>>,
        /// Whether it is an attack (VE-19).
        attack: bool = false,
        /// Whether the attack is decisive.
        decisive: bool = false,
        /// Whether the attack happens outside the attacker's own turn, as a counterattack does. It takes no combat action and does
        /// not count at the end of a turn. Only the game master sends it (AVE16).
        reflexive: bool = false,
        /// Who is attacked, hit or missed: at most 50, each once.
        #[schema(max_items = 50)]
        targets: Vec<Target>,
        /// Initiative that the attack costs the attacker, instead of what the options say (VE-27).
        attacker_loses: Option<Int<0, 40>>,
    }

    /// Take a combat action that closes in on somebody.
    "rush" (Player: combatant) => Rush says "Rush with {combatant}" {
        combatant: CombatantId,
        /// Whether it moved as part of it; if not, the move can follow until its next turn has begun (VE-15).
        moved: bool = false,
    }

    /// Take a combat action that breaks away from everybody close.
    "disengage" (Player: combatant) => Disengage says "Disengage {combatant}" {
        combatant: CombatantId,
        /// Whether it moved as part of it; if not, the move can follow until its next turn has begun (VE-15).
        moved: bool = false,
    }

    /// Open a second combat action after the first; Initiative pays for both at the turn's end (VE-11, VE-21).
    "flurry" (Player: combatant) => Flurry says "Open {combatant}'s flurry" { combatant: CombatantId }

    /// Make the reflexive move of a turn (VE-10).
    "move" (Player: combatant) => Move says "Move {combatant}" { combatant: CombatantId }

    /// Make the move that a Rush or Disengage left open, at the latest when the next turn begins (VE-15).
    "follow_up" (Player: combatant) => FollowUp says "Make {combatant}'s leftover move" { combatant: CombatantId }

    /// Give up the free action (VE-6), or at the start of a turn the move from a Rush or Disengage (VE-15).
    "pass" (Player: combatant) => Pass says "Pass as {combatant}" { combatant: CombatantId }

    /// End the turn, with the steps of a turn's end in order (VE-19 to VE-22).
    "end_turn" (Player: combatant) => EndTurn says "End {combatant}'s turn" { combatant: CombatantId }

    /// Pay a cost in Initiative (such as 2i), in motes, or in both, at any time (VE-25).
    "spend" (Player: combatant) => Spend says "Spend {combatant}'s Initiative or motes" {
        combatant: CombatantId,
        /// Initiative; paying it may cause a Crash.
        initiative: Int<0, 40> = 0,
        /// Motes.
        motes: Int<0, 1000> = 0,
        /// Whether it is for a Perilous Charm, which nobody uses while Crashed (VE-29).
        perilous: bool = false,
    }

    /// From now on something happens at the start of each turn of a combatant, such as anima flux (VE-17).
    "declare" (Player: combatant) => Declare says "Declare something for {combatant}'s turns" {
        combatant: CombatantId,
        /// Its name for people, unique within its combatant, which has at most 8.
        name: Text<80>,
        /// Initiative gained, or lost if negative, at each start of turn.
        initiative: Int<-40, 40> = 0,
        /// Motes gained, or lost if negative, at each start of turn.
        motes: Int<-1000, 1000> = 0,
    }

    /// End what was declared for the start of turns.
    "withdraw" (Player: combatant) => Withdraw says "Withdraw[ {name}] of {combatant}" {
        combatant: CombatantId,
        /// Its name.
        name: Text<80>,
    }

    /// Correct the state of a combatant (VE-13, VE-24). The change of Initiative and its consequences come first; then `crashed`,
    /// `recovery_tokens`, `onslaught` and `acted` are set.
    "adjust" (Gm) => Adjust says "Correct {combatant}" {
        combatant: CombatantId,
        /// Initiative gained, or lost if negative.
        initiative: Int<-40, 40> = 0,
        /// Motes gained, or lost if negative.
        motes: Int<-1000, 1000> = 0,
        /// Who brought it about: an opponent who forces a Crash gains its bonus (VE-26).
        by: Option<CombatantId>,
        /// How `by` Joins Battle again if this shifts the fight (VE-31).
        shift: Option<Join>,
        /// The number of turn starts after which the change of Initiative ends, 1 for the combatant's next (AVE18). Without it the
        /// change stays. A combatant has at most 8 timed changes.
        turns: Option<Int<1, 10_000>>,
        /// Whether it is Crashed. Neither cost nor bonus follows. It holds until the Initiative changes next (AVE19).
        crashed: Option<bool>,
        /// The recovery tokens (VE-20); ignored unless the combatant is Crashed when the rest is done (AVE8).
        recovery_tokens: Option<Int<0, 4>>,
        /// The Onslaught (VE-30).
        onslaught: Option<Int<0, 1000>>,
        /// Whether it has acted in this round and gets no further turn in it (VE-13).
        acted: Option<bool>,
    }
}

words! {
    /// How a combatant gets into the fight, which decides the possible Join Battle pools.
    Approach = Default {
        /// Weapons drawn, into the fray: Wits and Awareness (VE-2).
        Default,
        /// From stealth or seclusion: Dexterity for Wits and Stealth for Awareness, either, both or none (VE-3).
        Stealth,
        /// Turning talk into violence: Manipulation for Wits and Socialize for Awareness, either, both or none (VE-4).
        Escalation,
    }

    /// An attribute of a Join Battle pool.
    Attribute = Wits {
        /// Wits.
        Wits,
        /// Dexterity, from stealth (VE-3).
        Dexterity,
        /// Manipulation, escalating (VE-4).
        Manipulation,
    }

    /// An ability of a Join Battle pool.
    Ability = Awareness {
        /// Awareness.
        Awareness,
        /// Stealth, from stealth (VE-3).
        Stealth,
        /// Socialize, escalating (VE-4).
        Socialize,
    }
}

redacted! {
    /// What a Join Battle pool is made of.
    pub struct Pool {
        /// How it gets into the fight.
        pub approach: Approach,
        /// The attribute.
        pub attribute: Attribute,
        /// The ability.
        pub ability: Ability,
    }
}

settings! {
    /// How a combatant Joins Battle: the pool, and what the table rolled.
    Join {
        /// How it gets into the fight.
        approach: Approach,
        /// The attribute of the pool.
        attribute: Attribute,
        /// The ability of the pool.
        ability: Ability,
        /// Dice beyond attribute and ability, fewer if negative: stunts, Charms, wounds.
        bonus_dice: Int<-40, 40>,
        /// The successes, if the table counted them; then leave out `dice`.
        successes: Option<Int<0, 100>>,
        /// The dice that the table rolled, at most the whole pool; the server rolls the others.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        #[schema(max_items = 80)]
        dice: Vec<D10>,
    }
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
    /// Damage of a decisive attack, from the game master. If it takes the last hit point it is a killing blow (AVE17).
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
