//! What never changes about a ruleset.

use serde::Serialize;
use utoipa::ToSchema;

/// A ruleset's description: static data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = RulesetInfo)]
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
    /// Its id.
    pub id: &'static str,
    /// What it says, in one line.
    pub summary: &'static str,
    /// False for a rule that comes from a neighbouring document of the same game.
    #[serde(skip)]
    #[schema(ignore)]
    pub seed: bool,
}

impl Rule {
    /// A rule of the system's own text.
    pub const fn seed(id: &'static str, summary: &'static str) -> Self {
        Self { id, summary, seed: true }
    }

    /// A rule from a neighbouring document of the same game, or a decision where the text is silent.
    pub const fn neighbour(id: &'static str, summary: &'static str) -> Self {
        Self { id, summary, seed: false }
    }
}

/// One command of a ruleset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
pub struct CommandSpec {
    /// Its `type`.
    #[serde(rename = "type")]
    pub verb: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Who may send it.
    pub sender: Sender,
}

/// Who may send a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sender {
    /// The combatant's own player, and the game master.
    Player,
    /// The game master alone.
    Gm,
}

/// Rules of the house: they hold in every ruleset.
pub const HOUSE_RULES: &[Rule] = &[
    Rule::neighbour("TK-1", "An encounter that has ended takes notes, undo and redo, and nothing else."),
    Rule::neighbour("TK-2", "A combatant's id is unique in its encounter, an effect's too."),
    Rule::neighbour("TK-3", "A condition is set once and cleared only where it is set."),
    Rule::neighbour("TK-4", "An encounter holds a bounded number of combatants and effects."),
    Rule::neighbour(
        "TK-5",
        "The game master can set whose turn it is only while the fight goes on, and only for a combatant that is in it.",
    ),
    Rule::neighbour("TK-6", "An effect that counts turns needs a combatant of the encounter whose turns it counts."),
    Rule::neighbour(
        "TK-7",
        "What was accepted can be undone step by step or down to any version, and what was undone be redone until something else is accepted.",
    ),
    Rule::neighbour(
        "TK-8",
        "The oldest part of a long log may be gone; what happened in it can neither be seen nor undone.",
    ),
];
