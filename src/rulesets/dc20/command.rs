//! The commands of DC20.

use super::SlotId;
use crate::vocabulary::{CombatantId, D6, D20, Int, Slug, Text, commands, public};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;

commands! {
    /// A command of DC20.
    Command;

    /// Initiative: the players' characters check against the Encounter DC, and the order of the teams' turns is laid out.
    "start" (Gm) => Start {
        /// The Encounter DC, where the game master sets it (DC-2). Else the table gives it.
        dc: Option<Int<1, 60>>,
        /// The level to look up in the table (DC-1); the highest level of the players' characters where it is not given.
        level: Option<Int<1, 20>>,
        /// The difficulty to look up in the table (DC-1); `normal` where it is not given.
        difficulty: Option<Difficulty>,
        /// The natural d20 that counts of each character that rolled at the table; the server rolls the others (DC-4).
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        #[schema(value_type = std::collections::HashMap<String, u8>)]
        rolls: BTreeMap<CombatantId, D20>,
        /// Those who are caught unaware: they are `surprised` until the end of their first turn (DC-42).
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        surprised: Vec<CombatantId>,
        /// The sides that are caught unaware: everybody on them is `surprised` (DC-42).
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        surprised_sides: Vec<Slug>,
        /// The enemy team (a side) that is the first of several; a Fate Check decides where it is not given (DC-26).
        first_team: Option<Slug>,
        /// The d20 of the Fate Checks between enemy teams, as rolled at the table; the server rolls what is missing (DC-27).
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        fate: Vec<D20>,
        /// The aggression that triggered the clash (DC-3).
        aggression: Option<Aggression>,
    }

    /// The Initiative Check of a player's character that has made none, because it joined later (DC-4). Who takes the first turn is
    /// decided already.
    "initiative_check" (Player: combatant) => InitiativeCheck {
        /// Who makes it.
        combatant: CombatantId,
        /// The natural d20 that counts, as rolled at the table; the server rolls where it is not given.
        roll: Option<D20>,
    }

    /// Claims the PC Turn that is awaited. The claim stands until all of the PC team who could take the turn or share it have claimed
    /// or passed; then the highest check result takes it (DC-18).
    "claim" (Player: combatant) => Claim {
        /// Who wants the turn.
        combatant: CombatantId,
        /// Who wants it too: the game master tells the whole contest, and it is decided at once.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        others: Vec<CombatantId>,
        /// Whether the claimants named here agree to share the turn with equal, highest results (DC-19).
        #[serde(default)]
        #[schema(default = false)]
        share: bool,
    }

    /// The game master puts enemies into an Enemy Turn, or NPCs into an NPC Turn: now or in advance, one or several (DC-20). Either
    /// `combatant` (and `also`) or `side` says who.
    "assign" (Gm) => Assign {
        /// Who gets the place.
        combatant: Option<CombatantId>,
        /// Everybody on this side who has no place and could act in that turn gets it; those in `reserve` do not.
        side: Option<Slug>,
        /// Who gets it too.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        also: Vec<CombatantId>,
        /// The turn, empty or not (DC-24); the one that is awaited where it is not given.
        slot: Option<SlotId>,
    }

    /// Lets go by what is awaited: an Enemy or NPC Turn stays empty (DC-22), legendary monsters do nothing more (DC-52), a member of the
    /// PC team does not want the PC Turn or takes back its claim (DC-17). A PC Turn that all pass on stays empty.
    "pass" (Player: combatant) => Pass {
        /// For a PC Turn, who passes. The game master leaves it out: then nobody else is asked about the PC Turn.
        combatant: Option<CombatantId>,
    }

    /// The game master puts the next two Enemy Turns into one, because players' characters share the turn (DC-25).
    "merge" (Gm) => Merge {}

    /// A turn ends; the Action Points come back (DC-45).
    "end_turn" (Player: combatant) => EndTurn {
        /// Whose turn ends.
        combatant: CombatantId,
        /// Whether the turns of all who share the Initiative Turn end with it; the game master's.
        #[serde(default)]
        #[schema(default = false)]
        all: bool,
    }

    /// In one's own turn: moves it for good to a later PC Turn (`to`), or until after an enemy (`after`); one of the two.
    "delay" (Player: combatant) => Delay {
        /// Whose turn.
        combatant: CombatantId,
        /// The later PC Turn that it joins (DC-33).
        to: Option<SlotId>,
        /// The visible enemy after which it goes on (DC-34).
        after: Option<CombatantId>,
    }

    /// Spends Action Points, on one's own turn or on a reaction (DC-44).
    "spend" (Player: combatant) => Spend {
        /// Who spends them.
        combatant: CombatantId,
        /// How many.
        ap: Int<1, 20>,
        /// What for.
        action: Option<Text<200>>,
    }

    /// In one's own turn: pays for an action that waits for a trigger (DC-49).
    "hold" (Player: combatant) => Hold {
        /// Who holds it.
        combatant: CombatantId,
        /// What it costs.
        ap: Int<1, 20>,
        /// What will be done.
        action: Text<200>,
        /// What it waits for.
        trigger: Text<200>,
    }

    /// The trigger of a held action happens, and the action before it (DC-49).
    "trigger_held" (Player: combatant) => TriggerHeld {
        /// Whose held action.
        combatant: CombatantId,
    }

    /// An Attack is made: the first one against a critical failure of Initiative has ADV in round 1 (DC-11). What it costs is
    /// spent by `spend`, what it does is told by `damage`.
    "attack" (Player: combatant) => Attack {
        /// Who attacks.
        combatant: CombatantId,
        /// Whom.
        target: CombatantId,
    }

    /// Adds the Inspiration Die to a Check or Save; it is gone (DC-8).
    "use_inspiration" (Player: combatant) => UseInspiration {
        /// Whose die.
        combatant: CombatantId,
        /// The d6, as rolled at the table.
        roll: Option<D6>,
    }

    /// Takes the ADV of a critical success of Initiative, on a Check or Save of round 1 (DC-10).
    "use_advantage" (Player: combatant) => UseAdvantage {
        /// Who takes it.
        combatant: CombatantId,
    }

    /// A legendary monster acts between the players' turns (DC-52), or spends what is left at the end of the round (DC-53).
    "legendary" (Gm) => Legendary {
        /// Which monster.
        combatant: CombatantId,
        /// How many Legendary Action Points it spends.
        lap: Int<1, 20>,
    }

    /// A Fate Check: a plain d20 that the game master asks, 10 and up one way, below it the other (DC-27).
    "fate_check" (Gm) => FateCheck {
        /// The d20, as rolled at the table.
        roll: Option<D20>,
    }
}

/// An act that triggered the clash, and whether there was time for it (DC-3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Aggression {
    /// Whose act.
    pub combatant: CombatantId,
    /// What it is.
    pub action: Text<200>,
    /// True where it was carried out before Initiative; else it must be taken on that character's first turn.
    pub resolved: bool,
}

/// A column of the Encounter DC table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Difficulty {
    /// The lowest DC.
    Easy,
    /// 2 above easy.
    #[default]
    Normal,
    /// 4 above easy.
    Hard,
}

public! { Difficulty }
