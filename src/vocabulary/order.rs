//! The order, and what is awaited.

use super::{ASIDE, CombatantId, Die, Encounter, Ruleset, Text, Total};
use serde::Serialize;
use std::borrow::Cow;
use utoipa::ToSchema;

/// A place in the order of a system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderEntry {
    /// The combatant that has this place; none for an empty turn.
    pub combatant: Option<CombatantId>,
    /// True if the turn of this place is over, if a combatant may have several places; else whether
    /// the combatant has acted.
    pub done: Option<bool>,
    /// True if the turn of this place comes next, if the system says so; else the first one after
    /// the current turn does.
    pub next: Option<bool>,
    /// The turn that it belongs to, where the system numbers or names turns, or the card that it
    /// was dealt.
    pub slot: Option<String>,
    /// The turn as players call it, if that is more than its `slot`.
    pub turn: Option<String>,
    /// The team of that turn, if the turns are those of teams.
    pub team: Option<String>,
    /// The reason for its place.
    pub because: Reason,
}

impl OrderEntry {
    /// The one place of a combatant.
    pub fn new(combatant: &CombatantId, because: Reason) -> Self {
        Self {
            combatant: Some(combatant.clone()),
            ..Self::empty(because)
        }
    }

    /// A turn without a combatant.
    pub fn empty(because: Reason) -> Self {
        Self {
            combatant: None,
            done: None,
            next: None,
            slot: None,
            turn: None,
            team: None,
            because,
        }
    }
}

/// Reason for a place in the order.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct Reason {
    /// The rule that sets the place.
    pub rule: &'static str,
    /// The reason in a few words, for people.
    pub reason: Cow<'static, str>,
    /// Dice rolled, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dice: Vec<Die>,
    /// Bonus added to the dice.
    pub bonus: Option<i64>,
    /// Total: the number that the order is sorted by, if any.
    #[schema(value_type = Option<f64>)]
    pub total: Option<Total>,
    /// The rule that broke a tie, if any.
    pub tie_rule: Option<&'static str>,
    /// The combatant that nominated this one, if any.
    pub named_by: Option<CombatantId>,
}

impl Reason {
    /// A reason in words.
    pub fn new(rule: &'static str, reason: impl Into<Cow<'static, str>>) -> Self {
        Self {
            rule,
            reason: reason.into(),
            ..Self::default()
        }
    }
}

/// The pending decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Pending {
    /// Name of the decision. The manifest lists the names.
    pub decision: &'static str,
    /// Combatants whose players may decide.
    pub combatants: Vec<CombatantId>,
    /// Names of their players, each once, for people. Tokens say who may really send a command.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub controllers: Vec<Text<80>>,
    /// True if the game master decides, even if no combatant is named. The game master may decide
    /// for every combatant at any time.
    pub gm: bool,
    /// Commands that answer the decision.
    pub commands: Vec<&'static str>,
    /// The rule that asks for the decision.
    pub rule: &'static str,
    /// The turn, phase or step that is next or in progress, if the system names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<String>,
    /// The team of that turn: `players`, `npcs`, or the side of an enemy team.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
}

impl Pending {
    /// A hidden combatant has the turn or must choose.
    pub const SOMEONE_ACTS: &str = "someone_acts";

    /// A decision of these combatants; of the game master, if there are none.
    pub fn new(
        decision: &'static str,
        combatants: Vec<CombatantId>,
        commands: &[&'static str],
        rule: &'static str,
    ) -> Self {
        let gm = combatants.is_empty();
        let commands = commands.to_vec();
        Self {
            decision,
            combatants,
            controllers: Vec::new(),
            gm,
            commands,
            rule,
            slot: None,
            team: None,
        }
    }

    /// A hidden combatant acts or must choose.
    pub fn someone() -> Self {
        Self::new(Self::SOMEONE_ACTS, Vec::new(), &[], "TK-11")
    }

    /// No combatant is left in the fight, so it waits for a newcomer or one that was set aside, by
    /// `rule`.
    pub fn newcomer<R: Ruleset>(encounter: &Encounter<R>, rule: &'static str) -> Self {
        let commands: &[_] = if encounter.iter().any(|c| c.has(ASIDE)) {
            &["bring_back", "add_combatant", "end_encounter"]
        } else {
            &["add_combatant", "end_encounter"]
        };
        Self::new("newcomer", Vec::new(), commands, rule)
    }

    /// Whether it is [`someone`](Self::someone).
    pub fn is_someone(&self) -> bool {
        self.decision == Self::SOMEONE_ACTS
    }
}
