//! The commands of DC20.

use super::SlotId;
use crate::vocabulary::{
    Actor, AllowedRole, CombatantId, CommandSpec, Commands, D6, D20, Int, Slug, Summary, Tagged,
    Text, Word,
};
use macro_rules_attribute::derive;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// A command of DC20.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Tagged!)]
#[serde(tag = "type")]
#[allow(missing_docs, reason = "each variant is its struct, documented there")]
pub enum Command {
    #[serde(rename = "start")]
    Start(Start),
    #[serde(rename = "initiative_check")]
    InitiativeCheck(InitiativeCheck),
    #[serde(rename = "claim")]
    Claim(Claim),
    #[serde(rename = "assign")]
    Assign(Assign),
    #[serde(rename = "pass")]
    Pass(Pass),
    #[serde(rename = "merge")]
    Merge(Merge),
    #[serde(rename = "end_turn")]
    EndTurn(EndTurn),
    #[serde(rename = "delay")]
    Delay(Delay),
    #[serde(rename = "spend")]
    Spend(Spend),
    #[serde(rename = "hold")]
    Hold(Hold),
    #[serde(rename = "trigger_held")]
    TriggerHeld(TriggerHeld),
    #[serde(rename = "attack")]
    Attack(Attack),
    #[serde(rename = "use_inspiration")]
    UseInspiration(UseInspiration),
    #[serde(rename = "use_advantage")]
    UseAdvantage(UseAdvantage),
    #[serde(rename = "legendary")]
    Legendary(Legendary),
    #[serde(rename = "fate_check")]
    FateCheck(FateCheck),
}

/// Begin the combat: the players' characters check against the Encounter DC, and the teams' turns
/// are laid out.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// The Encounter DC (DC-2). Without it, the table gives one.
    pub dc: Option<Int<1, 60>>,
    /// The level in the table (DC-1); by default the highest level of the players' characters.
    pub level: Option<Int<1, 20>>,
    /// The difficulty in the table (DC-1); by default `normal`.
    pub difficulty: Option<Difficulty>,
    /// The natural d20 that counts, for each character that rolled at the table, in place of its
    /// `initiative_check`. The server rolls the others (DC-4).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = std::collections::HashMap<String, u8>)]
    pub rolls: BTreeMap<CombatantId, D20>,
    /// The unaware combatants: they are `surprised` until the end of their first turn (DC-42).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub surprised: Vec<CombatantId>,
    /// The unaware sides: all their combatants are `surprised` (DC-42).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub surprised_sides: Vec<Slug>,
    /// The side that is the first of several enemy teams; by default Fate Checks decide (DC-26).
    pub first_team: Option<Slug>,
    /// The d20 of the Fate Checks between enemy teams, as rolled at the table. The server rolls the
    /// missing ones (DC-27).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fate: Vec<D20>,
    /// The aggression that triggered the clash (DC-3).
    pub aggression: Option<Aggression>,
}

/// Make the Initiative Check of a player's character (DC-4): before `start`, which then takes its
/// dice, or as one that joined later.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct InitiativeCheck {
    /// The combatant.
    pub combatant: CombatantId,
    /// The natural d20 that counts, as rolled at the table; by default the server rolls.
    pub roll: Option<D20>,
}

/// Claim the awaited PC Turn. The highest check takes it after all who could take or share it have
/// claimed or passed (DC-18).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The combatant.
    pub combatant: CombatantId,
    /// Whether nobody else is asked: the highest claim takes the turn, and `combatant` before equal
    /// checks that do not share. Only the game master can send it.
    #[serde(default)]
    #[schema(default = false)]
    pub at_once: bool,
    /// Other claimants. With them too, the game master decides the turn at once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<CombatantId>,
    /// Whether these claimants agree to share the turn with equal, highest results (DC-19).
    #[serde(default)]
    #[schema(default = false)]
    pub share: bool,
}

/// Put enemies into an Enemy Turn or NPCs into an NPC Turn, now or in advance, or move them before
/// they act (DC-20): `combatant` and `also`, or a `side`.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Assign {
    /// The combatant.
    pub combatant: Option<CombatantId>,
    /// The side: all its combatants that have no place, could act in that turn and are not in
    /// `reserve`.
    pub side: Option<Slug>,
    /// Other combatants.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<CombatantId>,
    /// The turn, empty or not (DC-24); by default the awaited one.
    pub slot: Option<SlotId>,
}

/// Pass on what is awaited: a PC Turn (DC-17; a claim is taken back so, and a pass by a claim), an
/// Enemy or NPC Turn (DC-22), or legendary actions (DC-52).
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Pass {
    /// The member of the PC team that passes on a PC Turn. Without it, the game master closes the
    /// contest.
    pub combatant: Option<CombatantId>,
}

/// Merge the next two turns of each enemy team that has more turns than there are taken PC Turns,
/// while characters share one (DC-25).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Merge {}

/// End a turn; the Action Points come back (DC-45).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct EndTurn {
    /// The combatant.
    pub combatant: CombatantId,
    /// Whether all turns of the Initiative Turn end. Only the game master can send it.
    #[serde(default)]
    #[schema(default = false)]
    pub all: bool,
}

/// Delay your turn for good: `to` a later PC Turn, or until `after` an enemy.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Delay {
    /// The combatant.
    pub combatant: CombatantId,
    /// The later PC Turn (DC-33).
    pub to: Option<SlotId>,
    /// The visible enemy after which the turn goes on (DC-34).
    pub after: Option<CombatantId>,
}

/// Spend Action Points on your turn or on a reaction (DC-44).
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Spend {
    /// The combatant.
    pub combatant: CombatantId,
    /// How many.
    pub ap: Int<1, 20>,
    /// What for.
    pub action: Option<Text<200>>,
}

/// Hold an action on your turn: pay for it now, and let it wait for a trigger (DC-49).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Hold {
    /// The combatant.
    pub combatant: CombatantId,
    /// What it costs.
    pub ap: Int<1, 20>,
    /// What will be done.
    pub action: Text<200>,
    /// What it waits for.
    pub trigger: Text<200>,
}

/// Carry out a held action just before its trigger (DC-49).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct TriggerHeld {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Attack: the event says whether it has ADV (DC-11). Send `spend` for its cost and `damage` for
/// its effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Attack {
    /// The combatant.
    pub combatant: CombatantId,
    /// The target.
    pub target: CombatantId,
}

/// Use up the Inspiration Die on a Check or Save (DC-8).
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct UseInspiration {
    /// The combatant.
    pub combatant: CombatantId,
    /// The d6, as rolled at the table.
    pub roll: Option<D6>,
}

/// Use the ADV of a critical success of Initiative on a Check or Save of round 1 (DC-10).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct UseAdvantage {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Act with a legendary monster after a PC Turn (DC-52) or at the end of the round (DC-53).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Legendary {
    /// The combatant.
    pub combatant: CombatantId,
    /// The Legendary Action Points that it spends.
    pub lap: Int<1, 20>,
}

/// Make a Fate Check: a plain d20, of which 10 or more is high (DC-27).
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct FateCheck {
    /// The d20, as rolled at the table.
    pub roll: Option<D20>,
}

impl Commands for Command {
    const SPECS: &'static [CommandSpec] = &[
        CommandSpec::new("start", AllowedRole::Gm, "Start the combat", Start::SUMMARY),
        CommandSpec::new(
            "initiative_check",
            AllowedRole::Player,
            "Make {combatant}'s Initiative Check",
            InitiativeCheck::SUMMARY,
        ),
        CommandSpec::new(
            "claim",
            AllowedRole::Player,
            "Claim the turn for {combatant}[{at_once} and decide it]",
            Claim::SUMMARY,
        ),
        CommandSpec::new(
            "assign",
            AllowedRole::Gm,
            "Put[ {combatant}][ side {side}] into a turn",
            Assign::SUMMARY,
        ),
        CommandSpec::new(
            "pass",
            AllowedRole::Player,
            "Pass[ as {combatant}]",
            Pass::SUMMARY,
        ),
        CommandSpec::new(
            "merge",
            AllowedRole::Gm,
            "Merge the next enemy turns",
            Merge::SUMMARY,
        ),
        CommandSpec::new(
            "end_turn",
            AllowedRole::Player,
            "End {combatant}'s turn[{all} and all others in it]",
            EndTurn::SUMMARY,
        ),
        CommandSpec::new(
            "delay",
            AllowedRole::Player,
            "Delay {combatant}'s turn[ to {to}][ behind {after}]",
            Delay::SUMMARY,
        ),
        CommandSpec::new(
            "spend",
            AllowedRole::Player,
            "Spend {combatant}'s Action Points",
            Spend::SUMMARY,
        ),
        CommandSpec::new(
            "hold",
            AllowedRole::Player,
            "Hold an action as {combatant}",
            Hold::SUMMARY,
        ),
        CommandSpec::new(
            "trigger_held",
            AllowedRole::Player,
            "Carry out {combatant}'s held action",
            TriggerHeld::SUMMARY,
        ),
        CommandSpec::new(
            "attack",
            AllowedRole::Player,
            "Attack with {combatant}",
            Attack::SUMMARY,
        ),
        CommandSpec::new(
            "use_inspiration",
            AllowedRole::Player,
            "Use {combatant}'s Inspiration Die",
            UseInspiration::SUMMARY,
        ),
        CommandSpec::new(
            "use_advantage",
            AllowedRole::Player,
            "Use {combatant}'s ADV",
            UseAdvantage::SUMMARY,
        ),
        CommandSpec::new(
            "legendary",
            AllowedRole::Gm,
            "Act with legendary {combatant}",
            Legendary::SUMMARY,
        ),
        CommandSpec::new(
            "fate_check",
            AllowedRole::Gm,
            "Make a Fate Check",
            FateCheck::SUMMARY,
        ),
    ];

    fn actor(&self) -> Actor<'_> {
        match self {
            Self::Start(_)
            | Self::Assign(_)
            | Self::Merge(_)
            | Self::Legendary(_)
            | Self::FateCheck(_) => Actor::Gm,
            Self::InitiativeCheck(InitiativeCheck { combatant, .. })
            | Self::Claim(Claim { combatant, .. })
            | Self::EndTurn(EndTurn { combatant, .. })
            | Self::Delay(Delay { combatant, .. })
            | Self::Spend(Spend { combatant, .. })
            | Self::Hold(Hold { combatant, .. })
            | Self::TriggerHeld(TriggerHeld { combatant, .. })
            | Self::Attack(Attack { combatant, .. })
            | Self::UseInspiration(UseInspiration { combatant, .. })
            | Self::UseAdvantage(UseAdvantage { combatant, .. }) => Actor::of(combatant),
            Self::Pass(Pass { combatant, .. }) => Actor::of_optional(combatant.as_ref()),
        }
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

/// A column of the Encounter DC table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, ToSchema, Word!)]
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

impl Claim {
    /// Whether the game master decides the contest with it.
    pub(super) fn decides(&self) -> bool {
        self.at_once || !self.others.is_empty()
    }
}
