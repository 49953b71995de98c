//! What never changes about a ruleset.

use super::{CombatantId, Field};
use crate::json::Tagged;
use serde::Serialize;
use utoipa::ToSchema;

/// A ruleset's description: static data.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Manifest {
    /// Its id, as encounters name it.
    pub id: &'static str,
    /// Its title.
    pub title: &'static str,
    /// The publisher of the system.
    pub author: &'static str,
    /// The address of its text.
    pub source: &'static str,
    /// A description in a sentence or two.
    pub summary: &'static str,
    /// Its own commands; those that every ruleset understands are not repeated here.
    #[serde(skip)]
    #[schema(ignore)]
    pub commands: &'static [CommandSpec],
    /// The system's word for a round, in lower case.
    pub round: &'static str,
    /// The conditions that it heeds, besides `dead`, `defeated` and `aside`.
    pub conditions: &'static [&'static str],
    /// The condition that a player's character gets when tracked hit points reach 0. An NPC
    /// gets `defeated`, which takes it out of the fight, and a hazard gets none. Any other condition
    /// leaves the combatant in the fight, and the ruleset says whether it acts.
    pub down: &'static str,
    /// The decisions that it awaits, besides those that every ruleset may await.
    #[serde(skip)]
    #[schema(ignore)]
    pub decisions: &'static [Decision],
    /// The rule catalogue: refusals and the order name these ids.
    pub rules: &'static [Rule],
    /// Options to start from, if it has any.
    #[serde(skip)]
    #[schema(ignore)]
    pub presets: &'static [PresetSpec],
}

/// A decision that an encounter may await.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
pub struct Decision {
    /// Its id, as `pending.decision` names it.
    #[schema(example = "nominate")]
    pub id: &'static str,
    /// The decision in one sentence.
    pub summary: &'static str,
    /// The commands that answer it.
    pub commands: &'static [&'static str],
}

impl Decision {
    /// A decision of these commands.
    pub const fn new(
        id: &'static str,
        commands: &'static [&'static str],
        summary: &'static str,
    ) -> Self {
        Self {
            id,
            summary,
            commands,
        }
    }
}

/// The decisions that every ruleset may await. A ruleset may add commands to one of them.
pub const SHARED_DECISIONS: &[Decision] = &[
    Decision::new(
        "newcomer",
        &["bring_back", "add_combatant", "end_encounter"],
        "No combatant can act: the game master brings one back, adds one or ends the encounter.",
    ),
    Decision::new(
        "someone_acts",
        &[],
        "A combatant that the viewer does not see has the turn or must choose.",
    ),
];

/// Options to start from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PresetSpec {
    /// Its id, as the options name it.
    pub id: &'static str,
    /// Its order of turns, in a few words.
    pub title: &'static str,
    /// The games that are played so.
    pub plays: &'static str,
    /// The conditions that these games name, for people to choose from.
    pub conditions: &'static [&'static str],
    /// Its definition as JSON.
    pub definition: &'static str,
}

impl PresetSpec {
    /// With these conditions.
    pub const fn with_conditions(self, conditions: &'static [&'static str]) -> Self {
        Self { conditions, ..self }
    }
}

/// One rule of a catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
pub struct Rule {
    /// Its id, such as `WA-15`. A letter at the end marks a decision of ours on what that rule
    /// leaves open: `WA-15a`. `TK-5` is a rule of all rulesets.
    pub id: &'static str,
    /// The rule in one line.
    pub summary: &'static str,
    /// The rule for players, if `summary` names lines of a definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub for_players: Option<&'static str>,
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
            for_players: None,
            official: true,
        }
    }

    /// A rule from a neighbouring document of the same game, or a decision of ours on what a rule
    /// leaves open.
    pub const fn supplementary(id: &'static str, summary: &'static str) -> Self {
        Self {
            id,
            summary,
            for_players: None,
            official: false,
        }
    }

    /// With a sentence for players, who know no definition.
    pub const fn for_players(self, sentence: &'static str) -> Self {
        Self {
            for_players: Some(sentence),
            ..self
        }
    }
}

/// One command.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
pub struct CommandSpec {
    /// Its `type`.
    #[serde(rename = "type")]
    pub verb: &'static str,
    /// The template of an option's label.
    #[serde(skip)]
    #[schema(ignore)]
    pub label: &'static str,
    /// The effect of the command, in one line.
    pub summary: &'static str,
    /// The role that may send it.
    pub sender: AllowedRole,
    /// Its fields.
    #[serde(skip)]
    #[schema(ignore)]
    pub fields: &'static [Field],
}

/// Senders of a command. The game master may send every command, a spectator none. `player`: the
/// player of the acting combatants; any player if the command has none. `gm`: only the game master.
/// `author`: with `player_undo` also the player whose command is undone. `source`: with
/// `player_effects` also the player of the effect's source. `target`: with `player_damage` also the
/// player of all of its targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AllowedRole {
    /// The player of the acting combatants; any player if the command has none.
    Player,
    /// The game master alone.
    Gm,
    /// If the encounter allows it, the player who sent the undone command.
    Author,
    /// If the encounter allows it, the player of the combatant that is the effect's source.
    Source,
    /// If the encounter allows it, the player of all of its targets.
    Target,
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

/// A command that a tagged union lists.
pub trait Listed {
    /// Who may send it, what it does, and its fields.
    const SPEC: CommandSpec;
}

/// A tagged union of commands.
pub trait Commands: Tagged {
    /// What each command's declaration says.
    const SPECS: &'static [CommandSpec];

    /// The combatants in whose name a player sends the command. Only asked of commands that the
    /// table of [`SPECS`](Self::SPECS) allows players.
    fn actor(&self) -> Actor<'_>;
}

/// Rules of the house: they hold in every ruleset.
pub const HOUSE_RULES: &[Rule] = &[
    Rule::supplementary(
        "TK-1",
        "An ended encounter takes only notes, undo and redo.",
    ),
    Rule::supplementary(
        "TK-2",
        "The ids of combatants and of effects are unique in an encounter.",
    ),
    Rule::supplementary(
        "TK-3",
        "A combatant has a condition once, and can lose only a condition that it has.",
    ),
    Rule::supplementary(
        "TK-4",
        "An encounter holds a limited number of combatants, effects and tokens, and a request \
         causes a limited number of events.",
    ),
    Rule::supplementary(
        "TK-5",
        "The game master can give the turn only during the fight, and only to a combatant that \
         is in it.",
    ),
    Rule::supplementary(
        "TK-6",
        "An effect that counts turns needs a combatant of the encounter whose turns it counts.",
    ),
    Rule::supplementary(
        "TK-7",
        "Undo takes back commands, one by one or down to any version. Redo reverts an undo until \
         another command follows.",
    ),
    Rule::supplementary(
        "TK-8",
        "The server may drop the oldest part of a long log, which can then neither be read nor \
         undone.",
    ),
    Rule::supplementary(
        "TK-9",
        "If the encounter allows it, a player may undo their own last command until someone \
         else acts.",
    ),
    Rule::supplementary(
        "TK-10",
        "The last game master token that never expires can't be revoked.",
    ),
    Rule::supplementary(
        "TK-11",
        "If a hidden combatant has the turn or must choose, other viewers see that someone acts, \
         but not who. If something hidden prevents a command, the refusal does not name it.",
    ),
    Rule::supplementary("TK-12", "A revoked or expired token is not used again."),
    Rule::supplementary(
        "TK-13",
        "If the encounter allows it, a player may add visible effects whose source is one of \
         their combatants.",
    ),
    Rule::supplementary(
        "TK-14",
        "A combatant that is set aside is out of the fight and not defeated, until it is brought \
         back.",
    ),
    Rule::supplementary(
        "TK-15",
        "If the encounter allows it, a player may record damage and healing of their combatants.",
    ),
];
