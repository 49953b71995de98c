//! The commands of DC20.

use super::SlotId;
use crate::vocabulary::{
    Actor, CombatantId, D6, D20, Fields, Int, Slug, Text, command, commands, word,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// A command of DC20.
#[commands]
pub enum Command {
    Start,
    Roll,
    Claim,
    Assign,
    Pass,
    Resolve,
    Merge,
    EndTurn,
    Delay,
    SpendActionPoints,
    Ready,
    Trigger,
    Attack,
    UseInspiration,
    UseAdvantage,
    Legendary,
    FateCheck,
}

/// Start the combat: players' characters check against the Encounter DC, which decides the first
/// turn.
#[command(gm, "Start the fight")]
pub struct Start {
    /// The Encounter DC (DC-2). Without it, the table gives one.
    pub dc: Option<Int<1, 60>>,
    /// The level in the table (DC-1); by default the highest level of the players' characters.
    pub level: Option<Int<1, 20>>,
    /// The difficulty in the table (DC-1); by default `normal`.
    pub difficulty: Option<Difficulty>,
    /// The natural d20s rolled at the table, by player's character. They replace dice rolled before
    /// the start. The server rolls the missing ones (DC-4).
    #[default]
    #[advanced]
    pub rolls: BTreeMap<CombatantId, D20>,
    /// The unaware combatants: they are `surprised` until the end of their first turn (DC-42).
    #[default]
    pub surprised: Vec<CombatantId>,
    /// The unaware sides: all their combatants are `surprised` (DC-42).
    #[default]
    pub surprised_sides: Vec<Slug>,
    /// The side that is the first of several enemy teams; by default Fate Checks decide (DC-26).
    #[advanced]
    pub first_side: Option<Slug>,
    /// The d20s of the Fate Checks between enemy teams, as rolled at the table. The server rolls the
    /// others (DC-27).
    #[default]
    pub fate_dice: Vec<D20>,
    /// The act that started the fight (DC-3).
    #[advanced]
    pub aggression: Option<Aggression>,
}

/// Roll the Initiative Check of a player's character (DC-4): before `start`, which then uses these
/// dice, or after the character joined later.
#[command(player, "{combatant}: roll initiative")]
pub struct Roll {
    /// The combatant.
    pub combatant: CombatantId,
    /// The natural d20 that counts, if rolled at the table. By default the server rolls.
    pub roll: Option<D20>,
}

/// Claim the awaited PC Turn. The highest check takes it after all who could take or share it have
/// claimed or passed (DC-18).
#[command(
    player,
    "{combatant}: claim the PC Turn[{at_once} and start it at once]",
    actor
)]
pub struct Claim {
    /// The combatant.
    pub combatant: CombatantId,
    /// True if no other answers are awaited: the highest claim takes the turn, and `combatant` before
    /// equal checks that do not share. Only the game master can send it.
    #[default]
    pub at_once: bool,
    /// Other claimants. With them too, the game master decides the turn at once.
    #[default]
    pub others: Vec<CombatantId>,
    /// True if these claimants agree to share the turn with equal, highest results (DC-19). Send the
    /// claim again to change it.
    #[default]
    pub share: bool,
}

impl Claim {
    /// The game master decides for others.
    pub(crate) fn actor(&self) -> Actor<'_> {
        if self.decides() {
            Actor::Gm
        } else {
            Actor::of(&self.combatant)
        }
    }

    /// Whether the game master decides the contest with this claim.
    pub(super) fn decides(&self) -> bool {
        self.at_once || !self.others.is_empty()
    }
}

/// Put enemies into an Enemy Turn or NPCs into an NPC Turn, now or in advance, or move them before
/// they act (DC-20): `combatant` and `others`, or a `side`.
#[command(gm, "[{combatant}: put into a turn][Put all {side} into a turn]")]
pub struct Assign {
    /// The combatant.
    pub combatant: Option<CombatantId>,
    /// The side: all its combatants that have no place, could act in that turn and are not in
    /// `reserve`.
    pub side: Option<Slug>,
    /// Other combatants.
    #[default]
    pub others: Vec<CombatantId>,
    /// The turn, empty or not (DC-24); by default the awaited one.
    pub slot: Option<SlotId>,
}

/// Decline the awaited PC Turn (DC-17). It takes a claim back, as a claim takes a pass back.
#[command(player, "{combatant}: pass")]
pub struct Pass {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Let the rules decide what is awaited: the claims so far decide a PC Turn (DC-18), an Enemy or NPC
/// Turn begins as it is or stays empty (DC-22), and those for whom a taken one asked go into
/// `reserve` (DC-24b); legendary actions are over (DC-52).
#[command(gm, "Resolve automatically")]
pub struct Resolve {}

/// Merge the next two turns of each other team that has more turns than there are taken PC Turns,
/// while characters share one (DC-25).
#[command(gm, "Merge the next Enemy and NPC Turns")]
pub struct Merge {}

/// End a turn, which gives the Action Points back (DC-45).
#[command(player, "{combatant}: end turn[{all} for all who share it]", actor)]
pub struct EndTurn {
    /// The combatant.
    pub combatant: CombatantId,
    /// True if the turns of all who share the Initiative Turn end. Only the game master can send it.
    #[default]
    pub all: bool,
}

impl EndTurn {
    /// All turns are the game master's to end.
    pub(crate) fn actor(&self) -> Actor<'_> {
        if self.all {
            Actor::Gm
        } else {
            Actor::of(&self.combatant)
        }
    }
}

/// Delay a turn permanently: to a later PC Turn (`slot`), or `behind` an enemy.
#[command(player, "{combatant}: delay[ until after {behind}]")]
pub struct Delay {
    /// The combatant.
    pub combatant: CombatantId,
    /// The later PC Turn (DC-33).
    pub slot: Option<SlotId>,
    /// The visible enemy behind which the turn continues (DC-34).
    pub behind: Option<CombatantId>,
}

/// Spend Action Points on an action or a reaction (DC-44).
#[command(player, "{combatant}: spend Action Points")]
pub struct SpendActionPoints {
    /// The combatant.
    pub combatant: CombatantId,
    /// The Action Points to spend.
    pub action_points: Int<1, 20>,
    /// The action that they pay for.
    pub action: Option<Text<200>>,
}

/// Ready an action on your turn: pay for it now, and let it wait for a trigger (DC-49).
#[command(player, "{combatant}: ready an action")]
pub struct Ready {
    /// The combatant.
    pub combatant: CombatantId,
    /// The Action Points that it costs.
    pub action_points: Int<1, 20>,
    /// The action.
    pub action: Text<200>,
    /// The event that triggers it.
    pub trigger: Text<200>,
}

/// Use a readied action just before its trigger (DC-49).
#[command(player, "{combatant}: use the readied action")]
pub struct Trigger {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Attack: the event says whether it has ADV (DC-11). Send `spend_action_points` for its cost and
/// `damage` for its effect.
#[command(player, "{combatant}: attack")]
pub struct Attack {
    /// The combatant.
    pub combatant: CombatantId,
    /// The target.
    pub target: CombatantId,
}

/// Use up the Inspiration Die on a Check or Save (DC-8).
#[command(player, "{combatant}: use the Inspiration Die")]
pub struct UseInspiration {
    /// The combatant.
    pub combatant: CombatantId,
    /// The d6, if rolled at the table. By default the server rolls.
    pub roll: Option<D6>,
}

/// Use the ADV of a critical success of Initiative on a Check or Save of round 1 (DC-10).
#[command(player, "{combatant}: use advantage")]
pub struct UseAdvantage {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Act with a legendary monster after a PC Turn (DC-52) or at the end of the round (DC-53).
#[command(gm, "{combatant}: take a legendary action")]
pub struct Legendary {
    /// The combatant.
    pub combatant: CombatantId,
    /// The Legendary Action Points to spend.
    pub legendary_points: Int<1, 20>,
}

/// Make a Fate Check: a plain d20, of which 10 or more is high (DC-27).
#[command(gm, "Make a Fate Check")]
pub struct FateCheck {
    /// The d20, if rolled at the table. By default the server rolls.
    pub roll: Option<D20>,
}

/// An act that started the fight (DC-3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Fields)]
#[serde(deny_unknown_fields)]
pub struct Aggression {
    /// The aggressor.
    pub combatant: CombatantId,
    /// The act in words.
    pub action: Text<200>,
    /// True if it was carried out before Initiative; else the aggressor takes it on the first turn.
    pub resolved: bool,
}

/// A column of the Encounter DC table.
#[word]
pub enum Difficulty {
    /// The lowest DC.
    Easy,
    /// 2 above easy.
    #[default]
    Normal,
    /// 4 above easy.
    Hard,
}
