//! The commands of DC20.

use super::SlotId;
use crate::vocabulary::{Actor, CombatantId, D6, D20, Int, Slug, Text, tagged};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;

tagged! {
    /// A command of DC20.
    pub enum Command {
        "start" => Start,
        "initiative_check" => InitiativeCheck,
        "claim" => Claim,
        "assign" => Assign,
        "pass" => Pass,
        "merge" => Merge,
        "end_turn" => EndTurn,
        "delay" => Delay,
        "spend" => Spend,
        "hold" => Hold,
        "trigger_held" => TriggerHeld,
        "attack" => Attack,
        "use_inspiration" => UseInspiration,
        "use_advantage" => UseAdvantage,
        "legendary" => Legendary,
        "fate_check" => FateCheck,
    }
}

/// Initiative: the players' characters check against the Encounter DC, and the order of the teams' turns is laid out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// The Encounter DC, where the game master sets it (DC-2). Else the table gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dc: Option<Int<1, 60>>,
    /// The level to look up in the table (DC-1); the highest level of the players' characters where it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<Int<1, 20>>,
    /// The difficulty to look up in the table (DC-1); `normal` where it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difficulty: Option<Difficulty>,
    /// The natural d20 that counts of each character that rolled at the table; the server rolls the others (DC-4).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = std::collections::HashMap<String, u8>)]
    pub rolls: BTreeMap<CombatantId, D20>,
    /// Those who are caught unaware: they are `surprised` until the end of their first turn (DC-42).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub surprised: Vec<CombatantId>,
    /// The sides that are caught unaware: everybody on them is `surprised` (DC-42).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub surprised_sides: Vec<Slug>,
    /// The enemy team (a side) that is the first of several; a Fate Check decides where it is not given (DC-26).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_team: Option<Slug>,
    /// The d20 of the Fate Checks between enemy teams, as rolled at the table; the server rolls what is missing (DC-27).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fate: Vec<D20>,
    /// The aggression that triggered the clash (DC-3).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aggression: Option<Aggression>,
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

/// The Initiative Check of a player's character that has made none, because it joined later (DC-4). Who takes the first turn is
/// decided already.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct InitiativeCheck {
    /// Who makes it.
    pub combatant: CombatantId,
    /// The natural d20 that counts, as rolled at the table; the server rolls where it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roll: Option<D20>,
}

/// Claims the PC Turn that is awaited. The claim stands until all of the PC team who could take the turn or share it have claimed
/// or passed; then the highest check result takes it (DC-18).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Who wants the turn.
    pub combatant: CombatantId,
    /// Who wants it too: the game master tells the whole contest, and it is decided at once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<CombatantId>,
    /// Whether the claimants named here agree to share the turn with equal, highest results (DC-19).
    #[serde(default)]
    #[schema(default = false)]
    pub share: bool,
}

/// The game master puts enemies into an Enemy Turn, or NPCs into an NPC Turn: now or in advance, one or several (DC-20). Either
/// `combatant` (and `also`) or `side` says who.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Assign {
    /// Who gets the place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub combatant: Option<CombatantId>,
    /// Everybody on this side who has no place and could act in that turn gets it; those in `reserve` do not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<Slug>,
    /// Who gets it too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<CombatantId>,
    /// The turn, empty or not (DC-24); the one that is awaited where it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot: Option<SlotId>,
}

/// Lets go by what is awaited: an Enemy or NPC Turn stays empty (DC-22), legendary monsters do nothing more (DC-52), a member of the
/// PC team does not want the PC Turn or takes back its claim (DC-17). A PC Turn that all pass on stays empty.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Pass {
    /// For a PC Turn, who passes. The game master leaves it out: then nobody else is asked about the PC Turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub combatant: Option<CombatantId>,
}

/// The game master puts the next two Enemy Turns into one, because players' characters share the turn (DC-25).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Merge {}

/// A turn ends; the Action Points come back (DC-45).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EndTurn {
    /// Whose turn ends.
    pub combatant: CombatantId,
    /// Whether the turns of all who share the Initiative Turn end with it; the game master's.
    #[serde(default)]
    #[schema(default = false)]
    pub all: bool,
}

/// In one's own turn: moves it for good to a later PC Turn (`to`), or until after an enemy (`after`); one of the two.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Delay {
    /// Whose turn.
    pub combatant: CombatantId,
    /// The later PC Turn that it joins (DC-33).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<SlotId>,
    /// The visible enemy after which it goes on (DC-34).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<CombatantId>,
}

/// Spends Action Points, on one's own turn or on a reaction (DC-44).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Spend {
    /// Who spends them.
    pub combatant: CombatantId,
    /// How many.
    pub ap: Int<1, 20>,
    /// What for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<Text<200>>,
}

/// In one's own turn: pays for an action that waits for a trigger (DC-49).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Hold {
    /// Who holds it.
    pub combatant: CombatantId,
    /// What it costs.
    pub ap: Int<1, 20>,
    /// What will be done.
    pub action: Text<200>,
    /// What it waits for.
    pub trigger: Text<200>,
}

/// The trigger of a held action happens, and the action before it (DC-49).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TriggerHeld {
    /// Whose held action.
    pub combatant: CombatantId,
}

/// An Attack is made: the first one against a critical failure of Initiative has ADV in round 1 (DC-11). What it costs is
/// spent by `spend`, what it does is told by `damage`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Attack {
    /// Who attacks.
    pub combatant: CombatantId,
    /// Whom.
    pub target: CombatantId,
}

/// Adds the Inspiration Die to a Check or Save; it is gone (DC-8).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UseInspiration {
    /// Whose die.
    pub combatant: CombatantId,
    /// The d6, as rolled at the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roll: Option<D6>,
}

/// Takes the ADV of a critical success of Initiative, on a Check or Save of round 1 (DC-10).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UseAdvantage {
    /// Who takes it.
    pub combatant: CombatantId,
}

/// A legendary monster acts between the players' turns (DC-52), or spends what is left at the end of the round (DC-53).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Legendary {
    /// Which monster.
    pub combatant: CombatantId,
    /// How many Legendary Action Points it spends.
    pub lap: Int<1, 20>,
}

/// A Fate Check: a plain d20 that the game master asks, 10 and up one way, below it the other (DC-27).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FateCheck {
    /// The d20, as rolled at the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roll: Option<D20>,
}

/// In whose name a command is sent.
pub(super) fn sender(command: &Command) -> Actor<'_> {
    match command {
        Command::Start(_) | Command::Assign(_) | Command::Merge(_) | Command::Legendary(_) | Command::FateCheck(_) => {
            Actor::Gm
        }
        Command::Pass(c) => Actor::named(c.combatant.as_ref()),
        Command::Claim(c) => Actor::named(Some(&c.combatant).filter(|_| c.others.is_empty())),
        Command::InitiativeCheck(c) => Actor::one(&c.combatant),
        Command::EndTurn(c) => Actor::named(Some(&c.combatant).filter(|_| !c.all)),
        Command::Delay(c) => Actor::one(&c.combatant),
        Command::Spend(c) => Actor::one(&c.combatant),
        Command::Hold(c) => Actor::one(&c.combatant),
        Command::TriggerHeld(c) => Actor::one(&c.combatant),
        Command::Attack(c) => Actor::one(&c.combatant),
        Command::UseInspiration(c) => Actor::one(&c.combatant),
        Command::UseAdvantage(c) => Actor::one(&c.combatant),
    }
}
