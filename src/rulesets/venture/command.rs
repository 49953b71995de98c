//! The commands of Venture.

use crate::vocabulary::{CombatantId, D10, Int, Slug, Text, commands, public};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;

commands! {
    /// A command of Venture.
    Command;

    /// The fight begins: everybody in it Joins Battle (VE-2), and the free actions follow (VE-6).
    "start" (Gm) => Start {
        /// How each combatant Joins Battle; for those not named the server rolls Wits and Awareness.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        #[schema(value_type = std::collections::HashMap<String, Join>)]
        joins: BTreeMap<CombatantId, Join>,
    }

    /// One roll at the table settles the fight with one who is no Worthy Foe: whoever loses it is defeated (VE-1).
    "settle" (Gm) => Settle {
        /// The one who is no Worthy Foe.
        combatant: CombatantId,
        /// Who lost: the same, or whoever rolled against it.
        loser: CombatantId,
    }

    /// Somebody who came later Joins Battle (VE-2).
    "join_battle" (Player: combatant) => JoinBattle {
        /// Who.
        combatant: CombatantId,
        /// How one gets into the fight.
        #[serde(default)]
        approach: Approach,
        /// The attribute of the pool.
        #[serde(default)]
        attribute: Attribute,
        /// The ability of the pool.
        #[serde(default)]
        ability: Ability,
        /// Dice more than attribute and ability make, or fewer where negative: stunts, Charms, wounds.
        #[serde(default)]
        #[schema(default = 0)]
        bonus_dice: Int<-40, 40>,
        /// The successes, where the table counted them; then there are no `dice`.
        successes: Option<Int<0, 100>>,
        /// The dice that the table rolled, at most as many as the pool has; the server rolls the others.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[schema(max_items = 80)]
        dice: Vec<D10>,
    }

    /// The free action of one who has Joined Battle: one combat action that harms nobody and that nobody opposes (VE-6).
    "free_action" (Player: combatant) => FreeAction {
        /// Who.
        combatant: CombatantId,
        /// What is done: ready a weapon, enter a Form, take cover, a Charm that prepares.
        action: Text<200>,
        /// Whether it would harm somebody; then it is refused (VE-8).
        #[serde(default)]
        #[schema(default = false)]
        damaging: bool,
        /// Whether somebody opposes it; then it is refused (VE-8).
        #[serde(default)]
        #[schema(default = false)]
        opposed: bool,
    }

    /// The turn begins of the one whose tick is reached: the steps of the start of a turn happen, in order (VE-14 to VE-18).
    "begin_turn" (Player: combatant) => BeginTurn {
        /// Whose turn.
        combatant: CombatantId,
    }

    /// The one whose tick is reached holds its action back (VE-12).
    "delay" (Player: combatant) => Delay {
        /// Who.
        combatant: CombatantId,
    }

    /// One who has delayed takes its turn now, between two others (VE-12, AVE4).
    "claim" (Player: combatant) => Claim {
        /// Who.
        combatant: CombatantId,
    }

    /// A combat action (VE-10); an attack where `attack` says so.
    "act" (Player: combatant) => Act {
        /// Who acts.
        combatant: CombatantId,
        /// What is done, for the log.
        action: Option<Text<200>>,
        /// Whether it is an attack (VE-19).
        #[serde(default)]
        #[schema(default = false)]
        attack: bool,
        /// Whether the attack is a decisive one.
        #[serde(default)]
        #[schema(default = false)]
        decisive: bool,
        /// Whether the attack happens outside the attacker's own turn, as a counterattack does. It takes no combat action and does not
        /// count at the end of a turn. The game master records it (AVE16).
        #[serde(default)]
        #[schema(default = false)]
        reflexive: bool,
        /// Who is attacked, hit or missed: at most 50, each once.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[schema(max_items = 50)]
        targets: Vec<Target>,
        /// Initiative that the attack costs the attacker, in place of what the options say of decisive attacks (VE-27).
        attacker_loses: Option<Int<0, 40>>,
    }

    /// A combat action that closes in on somebody.
    "rush" (Player: combatant) => Rush {
        /// Who.
        combatant: CombatantId,
        /// Whether it moved as part of it; if not, the move can follow until its next turn has begun (VE-15).
        #[serde(default)]
        #[schema(default = false)]
        moved: bool,
    }

    /// A combat action that breaks away from everybody close.
    "disengage" (Player: combatant) => Disengage {
        /// Who.
        combatant: CombatantId,
        /// Whether it moved as part of it; if not, the move can follow until its next turn has begun (VE-15).
        #[serde(default)]
        #[schema(default = false)]
        moved: bool,
    }

    /// After the combat action of a turn there will be a second one; Initiative pays for both at the turn's end (VE-11, VE-21).
    "flurry" (Player: combatant) => Flurry {
        /// Who.
        combatant: CombatantId,
    }

    /// The reflexive move of a turn (VE-10).
    "move" (Player: combatant) => Move {
        /// Who.
        combatant: CombatantId,
    }

    /// The move of a Rush or Disengage that had none: at any time until the next turn has begun, at its start at last (VE-15).
    "follow_up" (Player: combatant) => FollowUp {
        /// Who.
        combatant: CombatantId,
    }

    /// Gives up the free action (VE-6), or the move from a Rush or Disengage that is asked for at the start of a turn (VE-15).
    "pass" (Player: combatant) => Pass {
        /// Who.
        combatant: CombatantId,
    }

    /// A turn ends: the steps of the end of a turn happen, in order (VE-19 to VE-22).
    "end_turn" (Player: combatant) => EndTurn {
        /// Whose turn.
        combatant: CombatantId,
    }

    /// Pays a cost in Initiative (written 2i and the like), in motes, or in both, at any time (VE-25).
    "spend" (Player: combatant) => Spend {
        /// Who pays.
        combatant: CombatantId,
        /// Initiative; it may bring its payer into Crash.
        #[serde(default)]
        #[schema(default = 0)]
        initiative: Int<0, 40>,
        /// Motes.
        #[serde(default)]
        #[schema(default = 0)]
        motes: Int<0, 1000>,
        /// Whether it is for a Perilous Charm, which nobody uses while Crashed (VE-29).
        #[serde(default)]
        #[schema(default = false)]
        perilous: bool,
    }

    /// From now on something happens at the start of each turn of a combatant, such as anima flux (VE-17).
    "declare" (Player: combatant) => Declare {
        /// Whose turns.
        combatant: CombatantId,
        /// Its name for people, unique among those of its combatant; one combatant has at most 8.
        name: Text<80>,
        /// Initiative gained, or lost where negative, at each start of turn.
        #[serde(default)]
        #[schema(default = 0)]
        initiative: Int<-40, 40>,
        /// Motes gained, or lost where negative, at each start of turn.
        #[serde(default)]
        #[schema(default = 0)]
        motes: Int<-1000, 1000>,
    }

    /// What was declared to happen at the start of turns happens no more.
    "withdraw" (Player: combatant) => Withdraw {
        /// Whose turns.
        combatant: CombatantId,
        /// Its name.
        name: Text<80>,
    }

    /// The game master corrects what is kept about somebody, for whatever the other commands do not cover (VE-13, VE-24). The change of
    /// Initiative comes first, with all that follows from it; then `crashed`, `recovery_tokens`, `onslaught` and `acted` are set.
    "adjust" (Gm) => Adjust {
        /// Who.
        combatant: CombatantId,
        /// Initiative gained, or lost where negative.
        #[serde(default)]
        #[schema(default = 0)]
        initiative: Int<-40, 40>,
        /// Motes gained, or lost where negative.
        #[serde(default)]
        #[schema(default = 0)]
        motes: Int<-1000, 1000>,
        /// Who brought it about: an opponent who forces a Crash gains its bonus (VE-26).
        by: Option<CombatantId>,
        /// How long the change of Initiative lasts: it is taken back at the start of so many of the combatant's turns from now, 1 for the
        /// next (AVE18). It stays where this is left out. One combatant has at most 8 such changes at a time.
        turns: Option<Int<1, 10_000>>,
        /// Whether it is Crashed. Neither cost nor bonus follows. It holds until the Initiative changes next (AVE19).
        crashed: Option<bool>,
        /// The recovery tokens of one who is Crashed (VE-20). They are gone where the same command ends the Crash (AVE8).
        recovery_tokens: Option<Int<0, 4>>,
        /// The Onslaught (VE-30).
        onslaught: Option<Int<0, 1000>>,
        /// Whether it has acted in this round (VE-13). One who has is passed over; one who has not gets a turn.
        acted: Option<bool>,
    }
}

/// How one gets into the fight; it decides which stats may make the Join Battle pool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Approach {
    /// Weapons drawn, into the fray: Wits and Awareness (VE-2).
    #[default]
    Default,
    /// From stealth or seclusion: Dexterity for Wits and Stealth for Awareness, either, both or none (VE-3).
    Stealth,
    /// Turning talk into violence: Manipulation for Wits and Socialize for Awareness, either, both or none (VE-4).
    Escalation,
}

/// An attribute of a Join Battle pool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
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
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
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
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Pool {
    /// How one gets into the fight.
    pub approach: Approach,
    /// The attribute.
    pub attribute: Attribute,
    /// The ability.
    pub ability: Ability,
}

/// How one combatant Joins Battle: the pool, and what the table rolled for it, if it did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Join {
    /// How one gets into the fight.
    pub approach: Approach,
    /// The attribute of the pool.
    pub attribute: Attribute,
    /// The ability of the pool.
    pub ability: Ability,
    /// Dice more than attribute and ability make, or fewer where negative: stunts, Charms, wounds.
    #[schema(default = 0)]
    pub bonus_dice: Int<-40, 40>,
    /// The successes, where the table counted them; then there are no `dice`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub successes: Option<Int<0, 100>>,
    /// The dice that the table rolled, at most as many as the pool has; the server rolls the others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 80)]
    pub dice: Vec<D10>,
}

/// Somebody who is attacked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// Who.
    pub combatant: CombatantId,
    /// Initiative lost by it; what the option `attacked_loss` says where not given (VE-27).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loses: Option<Int<0, 40>>,
    /// Whether a decisive attack kills it: it is dead, and the attacker loses Initiative (VE-27).
    #[serde(default)]
    #[schema(default = false)]
    pub killed: bool,
    /// Damage to the hit points by a decisive attack. Damage that takes the last hit point is a killing blow too (AVE17). The game
    /// master says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damage: Option<Int<0, 1_000_000>>,
    /// Which member is killed or takes the damage, where the target is a group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<Slug>,
    /// How the attacker Joins Battle anew where this shifts the fight (VE-31); it counts for nothing otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shift: Option<Join>,
}

impl Target {
    /// Whether it says how somebody falls, which is the game master's to say.
    pub(super) fn ruling(&self) -> bool {
        self.killed || self.damage.is_some()
    }
}

impl JoinBattle {
    /// How it Joins Battle.
    pub fn join(&self) -> Join {
        Join {
            approach: self.approach,
            attribute: self.attribute,
            ability: self.ability,
            bonus_dice: self.bonus_dice,
            successes: self.successes,
            dice: self.dice.clone(),
        }
    }
}

public! { Pool }
