//! The commands of EXP.

use super::Component;
use crate::vocabulary::{Actor, CombatantId, D10, D20, Text, command, commands, word};
use std::collections::BTreeMap;

/// A command of EXP.
#[commands]
pub enum Command {
    Start,
    Roll,
    Declare,
    Announce,
    Jump,
    Pass,
    AskAgain,
    Resolve,
    MentalAttack,
    MentalDuel,
}

/// Start the fight: all personas roll initiative for the first unit (EX-2).
#[command(gm, "Start the fight")]
pub struct Start {
    /// The d20s rolled at the table, by persona or crowd, in place of those that personas rolled
    /// ahead. The server rolls the others.
    #[default]
    pub rolls: BTreeMap<CombatantId, D20>,
    /// The d10s rolled at the table for ties; the server rolls the others.
    #[default]
    pub tie_rolls: BTreeMap<CombatantId, Vec<D10>>,
}

/// Roll initiative: with `combatant`, that persona's own dice for the next unit, before `start` or
/// before all roll; without it, for all, so that the next unit begins (EX-3).
#[command(
    player,
    "[{combatant}: roll initiative][{!combatant}Roll initiative for all]",
    actor
)]
pub struct Roll {
    /// The persona that rolls ahead of the others. A later roll replaces it.
    pub combatant: Option<CombatantId>,
    /// The persona's d20, if rolled at the table. By default the server rolls.
    pub roll: Option<D20>,
    /// The persona's d10s for ties, if rolled at the table: at most 16, used in their order.
    #[default]
    pub tie_dice: Vec<D10>,
    /// The d20s rolled at the table for the unit, by persona or crowd, in place of those that
    /// personas rolled ahead.
    #[default]
    pub rolls: BTreeMap<CombatantId, D20>,
    /// The d10s rolled at the table for ties of the unit, by persona or crowd.
    #[default]
    pub tie_rolls: BTreeMap<CombatantId, Vec<D10>>,
}

impl Roll {
    /// Any player may start the roll; the dice are each player's own.
    pub(crate) fn actor(&self) -> Actor<'_> {
        Actor::Of(self.rollers())
    }
}

/// Answer the list: use, keep or give up the move and the attack or action (EX-14, EX-15).
#[command(
    player,
    "{combatant}:[{!move}{!act} declare][{move=now} move][{move=wait} wait with the move]\
     [{move=nothing} give up the move][{move?}{act?},][{act=now} act]\
     [{act=wait} wait with the act][{act=nothing} give up the act]"
)]
pub struct Declare {
    /// The combatant.
    pub combatant: CombatantId,
    /// The use of the move. Leave it out if the move is spent.
    #[serde(rename = "move")]
    pub movement: Option<Use>,
    /// The use of the attack or action. Leave it out if it is spent.
    pub act: Option<Use>,
    /// The component that comes first, if both happen now.
    pub order: Option<Sequence>,
}

/// Announce the answer that a persona will declare, so that others may jump ahead of it (EX-27b).
#[command(
    player,
    "{combatant}: announce[{move=now} move][{move=wait} wait with the move]\
     [{move=nothing} give up the move][{move?}{act?},][{act=now} act]\
     [{act=wait} wait with the act][{act=nothing} give up the act]"
)]
pub struct Announce {
    /// The combatant.
    pub combatant: CombatantId,
    /// The use of the move. Leave it out if the move is spent.
    #[serde(rename = "move")]
    pub movement: Option<Use>,
    /// The use of the attack or action. Leave it out if it is spent.
    pub act: Option<Use>,
    /// The component that comes first, if both happen now.
    pub order: Option<Sequence>,
    /// The act in words, such as its target.
    pub action: Option<Text<200>>,
}

/// Try a wait jump: use a waited component ahead of the next act of a lower persona (EX-25), be it
/// in the list or a jump (EX-27a).
#[command(player, "{combatant}: jump ahead[ with the {component}]", actor)]
pub struct Jump {
    /// The combatant.
    pub combatant: CombatantId,
    /// The waited component to use (EX-29). Leave it out to use both, with the option `jump_both`.
    pub component: Option<Component>,
    /// The act in words, such as its target.
    pub action: Option<Text<200>>,
    /// The d20 of the AWE roll, if rolled at the table. By default the server rolls.
    pub roll: Option<D20>,
    /// The referee's d20, if rolled at the table. Only with `awe_mode` `opposed_d20`.
    pub referee_roll: Option<D20>,
}

impl Jump {
    /// The game master rolls the referee's die.
    pub(crate) fn actor(&self) -> Actor<'_> {
        if self.referee_roll.is_some() {
            Actor::Gm
        } else {
            Actor::of(&self.combatant)
        }
    }
}

/// Decline what a persona is asked: to jump ahead of a lower persona's jump (EX-27a) or of the
/// announced act, with the option `jump_window` (EX-25b), or to attack in a mental duel, which ends
/// (EX-32a).
#[command(player, "{combatant}: keep waiting[{standing} until further notice]")]
pub struct Pass {
    /// The combatant.
    pub combatant: CombatantId,
    /// True if the persona passes at all later acts too, unasked, until `ask_again` (EX-25c).
    #[default]
    pub standing: bool,
}

/// End a standing `pass`: the persona is asked again at each announced act (EX-25c).
#[command(player, "{combatant}: ask me about jumps again")]
pub struct AskAgain {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Let the announced act or jump happen: all who could still jump ahead of it pass (EX-25b).
#[command(gm, "Let the announced act happen")]
pub struct Resolve {}

/// Attack with a mental mutation, at any moment of the unit and outside the list (EX-31, EX-31a).
#[command(player, "{combatant}: attack with the mind")]
pub struct MentalAttack {
    /// The combatant.
    pub combatant: CombatantId,
    /// The target.
    pub target: Option<CombatantId>,
}

/// Roll for two mental attackers who face each other: the higher attacks first (EX-32).
#[command(gm, "{combatant}: start a mental duel[ with {opponent}]")]
pub struct MentalDuel {
    /// One of them.
    pub combatant: CombatantId,
    /// The other.
    pub opponent: CombatantId,
    /// The d20s rolled at the table; the server rolls the others.
    #[default]
    pub rolls: BTreeMap<CombatantId, D20>,
    /// The d10s rolled at the table for a tie; the server rolls the others.
    #[default]
    pub tie_rolls: BTreeMap<CombatantId, Vec<D10>>,
}

/// The d20s rolled at the table, by persona or crowd.
pub type Rolls = BTreeMap<CombatantId, D20>;
/// The d10s rolled at the table for ties, by persona or crowd: at most 16 each, used in their
/// order.
pub type TieRolls = BTreeMap<CombatantId, Vec<D10>>;

/// A use of a component.
#[word]
pub enum Use {
    /// Use it now.
    Now,
    /// Wait with it. The lowest persona may not (EX-15).
    Wait,
    /// Let it go unused: stay put, hold fire (EX-15a).
    Nothing,
}

/// The order of two components (EX-20).
#[word]
pub enum Sequence {
    /// Move, then act.
    MoveFirst,
    /// Act, then move.
    ActFirst,
}

impl Roll {
    /// The personas and crowds whose dice it names.
    pub(super) fn rollers(&self) -> Vec<&CombatantId> {
        let mut rollers: Vec<&CombatantId> = self.combatant.iter().collect();
        rollers.extend(self.rolls.keys());
        rollers.extend(self.tie_rolls.keys());
        rollers
    }
}
