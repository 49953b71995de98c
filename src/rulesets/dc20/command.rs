//! The commands of DC20.

use super::SlotId;
use crate::vocabulary::{CombatantId, D6, D20, Int, Slug, Text, commands, words};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;

commands! {
    /// A command of DC20.
    Command;

    /// Begin the combat: the players' characters check against the Encounter DC, and the teams' turns are laid out.
    "start" (Gm) => Start says "Start the combat" {
        /// The Encounter DC (DC-2). Without it, the table gives one.
        dc: Option<Int<1, 60>>,
        /// The level in the table (DC-1); by default the highest level of the players' characters.
        level: Option<Int<1, 20>>,
        /// The difficulty in the table (DC-1); by default `normal`.
        difficulty: Option<Difficulty>,
        /// The natural d20 that counts, for each character that rolled at the table, in place of its `initiative_check`. The server rolls
        /// the others (DC-4).
        rolls: BTreeMap<CombatantId, D20>,
        /// The unaware combatants: they are `surprised` until the end of their first turn (DC-42).
        surprised: Vec<CombatantId>,
        /// The unaware sides: all their combatants are `surprised` (DC-42).
        surprised_sides: Vec<Slug>,
        /// The side that is the first of several enemy teams; by default Fate Checks decide (DC-26).
        first_team: Option<Slug>,
        /// The d20 of the Fate Checks between enemy teams, as rolled at the table. The server rolls the missing ones (DC-27).
        fate: Vec<D20>,
        /// The aggression that triggered the clash (DC-3).
        aggression: Option<Aggression>,
    }

    /// Make the Initiative Check of a player's character (DC-4): before `start`, which then takes its dice, or as one that joined later.
    "initiative_check" (Player: combatant) => InitiativeCheck says "Make {combatant}'s Initiative Check" {
        combatant: CombatantId,
        /// The natural d20 that counts, as rolled at the table; by default the server rolls.
        roll: Option<D20>,
    }

    /// Claim the awaited PC Turn. The highest check takes it after all who could take or share it have claimed or passed (DC-18).
    "claim" (Player: combatant) => Claim says "Claim the turn for {combatant}[{at_once} and decide it]" {
        combatant: CombatantId,
        /// Whether nobody else is asked: the highest claim takes the turn, and `combatant` before equal checks that do not share. Only the
        /// game master can send it.
        at_once: bool = false,
        /// Other claimants. With them too, the game master decides the turn at once.
        others: Vec<CombatantId>,
        /// Whether these claimants agree to share the turn with equal, highest results (DC-19).
        share: bool = false,
    }

    /// Put enemies into an Enemy Turn or NPCs into an NPC Turn, now or in advance, or move them before they act (DC-20): `combatant` and
    /// `also`, or a `side`.
    "assign" (Gm) => Assign says "Put[ {combatant}][ side {side}] into a turn" {
        /// The combatant.
        combatant: Option<CombatantId>,
        /// The side: all its combatants that have no place, could act in that turn and are not in `reserve`.
        side: Option<Slug>,
        /// Other combatants.
        also: Vec<CombatantId>,
        /// The turn, empty or not (DC-24); by default the awaited one.
        slot: Option<SlotId>,
    }

    /// Pass on what is awaited: a PC Turn (DC-17; a claim is taken back so, and a pass by a claim), an Enemy or NPC Turn (DC-22), or legendary actions (DC-52).
    "pass" (Player: combatant) => Pass says "Pass[ as {combatant}]" {
        /// The member of the PC team that passes on a PC Turn. Without it, the game master closes the contest.
        combatant: Option<CombatantId>,
    }

    /// Merge the next two turns of each enemy team that has more turns than there are taken PC Turns, while characters share one (DC-25).
    "merge" (Gm) => Merge says "Merge the next enemy turns" {}

    /// End a turn; the Action Points come back (DC-45).
    "end_turn" (Player: combatant) => EndTurn says "End {combatant}'s turn[{all} and all others in it]" {
        combatant: CombatantId,
        /// Whether all turns of the Initiative Turn end. Only the game master can send it.
        all: bool = false,
    }

    /// Delay your turn for good: `to` a later PC Turn, or until `after` an enemy.
    "delay" (Player: combatant) => Delay says "Delay {combatant}'s turn[ to {to}][ behind {after}]" {
        combatant: CombatantId,
        /// The later PC Turn (DC-33).
        to: Option<SlotId>,
        /// The visible enemy after which the turn goes on (DC-34).
        after: Option<CombatantId>,
    }

    /// Spend Action Points on your turn or on a reaction (DC-44).
    "spend" (Player: combatant) => Spend says "Spend {combatant}'s Action Points" {
        combatant: CombatantId,
        /// How many.
        ap: Int<1, 20>,
        /// What for.
        action: Option<Text<200>>,
    }

    /// Hold an action on your turn: pay for it now, and let it wait for a trigger (DC-49).
    "hold" (Player: combatant) => Hold says "Hold an action as {combatant}" {
        combatant: CombatantId,
        /// What it costs.
        ap: Int<1, 20>,
        /// What will be done.
        action: Text<200>,
        /// What it waits for.
        trigger: Text<200>,
    }

    /// Carry out a held action just before its trigger (DC-49).
    "trigger_held" (Player: combatant) => TriggerHeld says "Carry out {combatant}'s held action" { combatant: CombatantId }

    /// Attack: the event says whether it has ADV (DC-11). Send `spend` for its cost and `damage` for its effect.
    "attack" (Player: combatant) => Attack says "Attack with {combatant}" {
        combatant: CombatantId,
        /// The target.
        target: CombatantId,
    }

    /// Use up the Inspiration Die on a Check or Save (DC-8).
    "use_inspiration" (Player: combatant) => UseInspiration says "Use {combatant}'s Inspiration Die" {
        combatant: CombatantId,
        /// The d6, as rolled at the table.
        roll: Option<D6>,
    }

    /// Use the ADV of a critical success of Initiative on a Check or Save of round 1 (DC-10).
    "use_advantage" (Player: combatant) => UseAdvantage says "Use {combatant}'s ADV" { combatant: CombatantId }

    /// Act with a legendary monster after a PC Turn (DC-52) or at the end of the round (DC-53).
    "legendary" (Gm) => Legendary says "Act with legendary {combatant}" {
        combatant: CombatantId,
        /// The Legendary Action Points that it spends.
        lap: Int<1, 20>,
    }

    /// Make a Fate Check: a plain d20, of which 10 or more is high (DC-27).
    "fate_check" (Gm) => FateCheck says "Make a Fate Check" {
        /// The d20, as rolled at the table.
        roll: Option<D20>,
    }
}

/// An act that triggered the clash (DC-3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Aggression {
    /// The aggressor.
    pub combatant: CombatantId,
    /// What it is.
    pub action: Text<200>,
    /// Whether it was carried out before Initiative; else the aggressor takes it on its first turn.
    pub resolved: bool,
}

words! {
    /// A column of the Encounter DC table.
    Difficulty = Normal {
        /// The lowest DC.
        Easy,
        /// 2 above easy.
        Normal,
        /// 4 above easy.
        Hard,
    }
}

impl Claim {
    /// Whether the game master decides the contest with it.
    pub(super) fn decides(&self) -> bool {
        self.at_once || !self.others.is_empty()
    }
}
