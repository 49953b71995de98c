//! What never changes about a ruleset.

use super::CombatantId;
use crate::json::Tagged;
use serde::Serialize;
use utoipa::ToSchema;

/// A ruleset's description: static data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Manifest {
    /// Its id, as encounters name it.
    pub id: &'static str,
    /// Its title.
    pub title: &'static str,
    /// Who published the system.
    pub author: &'static str,
    /// Where its text is.
    pub source: &'static str,
    /// What it is, in a sentence or two.
    pub summary: &'static str,
    /// Its own commands; those that every ruleset understands are not repeated here.
    pub commands: &'static [CommandSpec],
    /// What it calls a round, in lower case.
    pub round: &'static str,
    /// The conditions that it heeds, besides `dead` and `defeated`.
    pub conditions: &'static [&'static str],
    /// The condition that a player's character gets when its tracked hit points come to 0.
    pub down: &'static str,
    /// The rule catalogue: refusals and the order name these ids.
    pub rules: &'static [Rule],
}

/// One rule of a catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
pub struct Rule {
    /// Its id, such as `WA-15`. A letter at the end marks a decision of ours on what that rule
    /// leaves open: `WA-15a`. `TK-5` is a rule of all rulesets.
    pub id: &'static str,
    /// What it says, in one line.
    pub summary: &'static str,
    /// False for a rule from a neighbouring document of the same game, and for a decision of ours.
    #[serde(skip)]
    #[schema(ignore)]
    pub official: bool,
}

impl Rule {
    /// A rule of the system's own text.
    pub const fn official(id: &'static str, summary: &'static str) -> Self {
        Self {
            id,
            summary,
            official: true,
        }
    }

    /// A rule from a neighbouring document of the same game, or a decision of ours on what a rule
    /// leaves open.
    pub const fn supplementary(id: &'static str, summary: &'static str) -> Self {
        Self {
            id,
            summary,
            official: false,
        }
    }
}

/// One command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
pub struct CommandSpec {
    /// Its `type`.
    #[serde(rename = "type")]
    pub verb: &'static str,
    /// The template of an option's label.
    #[serde(skip)]
    #[schema(ignore)]
    pub label: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Who may send it.
    pub sender: AllowedRole,
}

impl CommandSpec {
    /// A command's type, who may send it, its label's template and its summary.
    pub const fn new(
        verb: &'static str,
        sender: AllowedRole,
        label: &'static str,
        summary: &'static str,
    ) -> Self {
        Self {
            verb,
            label,
            summary,
            sender,
        }
    }
}

/// Who may send a command. The game master may send every one, a spectator none. `player`: the
/// player of every combatant in whose name it is sent; any player if it is in no combatant's name.
/// `gm`: the game master alone. `author`: with `player_undo` also the player whose command is
/// undone. `source`: with `player_effects` also the player of the effect's source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AllowedRole {
    /// The player of every combatant in whose name it is sent; any player, where it is in nobody's
    /// name.
    Player,
    /// The game master alone.
    Gm,
    /// Where the encounter allows it, the player who sent what it takes back.
    Author,
    /// If the encounter allows it, the player of the combatant that is the effect's source.
    Source,
}

/// In whose name a command is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Actor<'c> {
    /// The game master alone sends it.
    Gm,
    /// The player of all of these combatants sends it; without any, any player.
    Of(Vec<&'c CombatantId>),
}

impl<'c> Actor<'c> {
    /// The player of this combatant.
    pub fn of(combatant: &'c CombatantId) -> Self {
        Self::Of(vec![combatant])
    }

    /// The player of this combatant; the game master if it is left out.
    pub fn of_optional(combatant: Option<&'c CombatantId>) -> Self {
        match combatant {
            Some(combatant) => Self::of(combatant),
            None => Self::Gm,
        }
    }
}

/// A tagged union of commands.
pub trait Commands: Tagged {
    /// Who may send each command, and what it does.
    const SPECS: &'static [CommandSpec];

    /// The combatants in whose name a player sends the command. Only asked of commands that the
    /// table of [`SPECS`](Self::SPECS) allows players.
    fn actor(&self) -> Actor<'_> {
        Actor::Gm
    }
}

/// Rules of the house: they hold in every ruleset.
pub const HOUSE_RULES: &[Rule] = &[
    Rule::supplementary(
        "TK-1",
        "An encounter that has ended takes notes, undo and redo, and nothing else.",
    ),
    Rule::supplementary(
        "TK-2",
        "A combatant's id is unique in its encounter, an effect's too.",
    ),
    Rule::supplementary(
        "TK-3",
        "A condition is set once and cleared only where it is set.",
    ),
    Rule::supplementary(
        "TK-4",
        "An encounter holds a bounded number of combatants, effects and tokens, and a request \
         brings about a bounded number of events.",
    ),
    Rule::supplementary(
        "TK-5",
        "The game master can set whose turn it is only while the fight goes on, and only for a \
         combatant that is in it.",
    ),
    Rule::supplementary(
        "TK-6",
        "An effect that counts turns needs a combatant of the encounter whose turns it counts.",
    ),
    Rule::supplementary(
        "TK-7",
        "What was accepted can be undone step by step or down to any version, and what was \
         undone be redone until something else is accepted.",
    ),
    Rule::supplementary(
        "TK-8",
        "The oldest part of a long log may be gone; what happened in it can neither be seen nor \
         undone.",
    ),
    Rule::supplementary(
        "TK-9",
        "If the encounter allows it, a player may undo their own last command until somebody \
         else acts.",
    ),
    Rule::supplementary(
        "TK-10",
        "The last game master's token without an end cannot be revoked.",
    ),
    Rule::supplementary(
        "TK-11",
        "If a hidden combatant has the turn or must choose, other viewers learn that somebody \
         acts, but not who. If something hidden prevents a command, the refusal does not name \
         it.",
    ),
    Rule::supplementary(
        "TK-12",
        "A token that was revoked or has ended is not handed out again.",
    ),
    Rule::supplementary(
        "TK-13",
        "If the encounter allows it, a player may add open effects whose source is a combatant \
         of the player.",
    ),
];
