//! The order, and what is awaited.

use super::{CombatantId, Die, Text};
use serde::Serialize;
use std::borrow::Cow;
use utoipa::ToSchema;

/// A place in the order of a system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderEntry {
    /// The combatant that has this place; none for an empty turn.
    pub combatant: Option<CombatantId>,
    /// Whether the turn of this place is over, if a combatant may have several places; else whether
    /// the combatant has acted.
    pub done: Option<bool>,
    /// Whether the turn of this place comes next, if the system says so; else the first one after
    /// the current turn does.
    pub next: Option<bool>,
    /// The turn that it belongs to, where the system numbers or names turns, or the card that it
    /// was dealt.
    pub slot: Option<String>,
    /// The team of that turn, if the turns are those of teams.
    pub team: Option<String>,
    /// Why it stands here.
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
            team: None,
            because,
        }
    }
}

/// Why somebody stands at a place of the order.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct Reason {
    /// The rule that puts it here.
    pub rule: &'static str,
    /// In a few words, for people.
    pub reason: Cow<'static, str>,
    /// The dice that decided, in the order of their rolling.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dice: Vec<Die>,
    /// What was added to the dice.
    pub bonus: Option<i64>,
    /// What it came to: the number that the order is sorted by, where there is one.
    pub total: Option<i64>,
    /// The rule that broke a tie, where there was one.
    pub tie_rule: Option<&'static str>,
    /// Who named it, if somebody did.
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

/// The decision that is awaited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Pending {
    /// Which decision, as a stable name.
    pub decision: &'static str,
    /// The combatants whose controllers may take it.
    pub combatants: Vec<CombatantId>,
    /// Their controllers by name, each once, for people; who may really send it is a matter of
    /// tokens.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub controllers: Vec<Text<80>>,
    /// Whether the game master takes it even where no combatant is named (the game master may
    /// always decide for anybody).
    pub gm: bool,
    /// The commands that take it.
    pub commands: Vec<&'static str>,
    /// The rule that asks for it.
    pub rule: &'static str,
    /// The turn that is awaited or goes on, if the system names turns.
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

    /// Nobody is left in the fight: it waits for a newcomer, by `rule`.
    pub fn newcomer(rule: &'static str) -> Self {
        Self::new(
            "newcomer",
            Vec::new(),
            &["add_combatant", "end_encounter"],
            rule,
        )
    }

    /// Whether it is [`someone`](Self::someone).
    pub fn is_someone(&self) -> bool {
        self.decision == Self::SOMEONE_ACTS
    }
}
