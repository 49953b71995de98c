//! Seize the initiative, from the World Anvil world "The New World": a roll decides the first turn.
//! After a turn, its player chooses who acts next, unless a combatant that lost hit points seizes
//! the turn.

mod bounds;
mod command;
mod decide;
mod event;
mod evolve;
mod legal_commands;
mod manifest;
mod react;
mod secrecy;
mod state;

pub use command::*;
pub use event::*;
pub use state::*;

use crate::rulesets::shared::{had_turn, parts};
use crate::vocabulary::{
    Combatant as CombatantOf, CombatantId, Encounter as EncounterOf, Event as AnyEvent,
    LegalCommand, OrderEntry, Pending, Play as PlayOf, Reason, Ruleset, Violation,
};
use decide::{barred, eligible, may_seize, queued};

/// The ruleset `seize`.
#[derive(Debug, Clone, PartialEq)]
pub struct Seize;

type Encounter = EncounterOf<Seize>;
type Play<'d> = PlayOf<'d, Seize>;
type Combatant = CombatantOf<Seize>;

impl Ruleset for Seize {
    parts!();

    fn words_for_stat(field: &str) -> Option<&'static str> {
        (field == "dex_modifier").then_some("DEX modifier")
    }

    fn current(encounter: &Encounter) -> Vec<CombatantId> {
        if let Phase::InTurn { actor } = &encounter.state.phase {
            vec![actor.clone()]
        } else {
            Vec::new()
        }
    }

    fn pending(encounter: &Encounter) -> Option<Pending> {
        let chooser = encounter.state.last_actor.iter().cloned().collect();
        Some(match &encounter.state.phase {
            Phase::Over => return None,
            Phase::SomeoneActs => Pending::someone(),
            Phase::InTurn { actor } => {
                Pending::new("end_turn", vec![actor.clone()], &["end_turn"], "WA-8")
            }
            Phase::Seize {} => {
                let commands = ["seize", "pass", "resolve"];
                Pending::new("seize", eligible(encounter), &commands, "WA-13")
            }
            _ if encounter.active().next().is_none() => Pending::newcomer("WA-10"),
            Phase::Setup => Pending::new("start", Vec::new(), &["start"], "WA-1"),
            Phase::Nominate {} => Pending::new("nominate", chooser, &["nominate"], "WA-8"),
            Phase::NominateFirst {} => {
                Pending::new("nominate_first", chooser, &["nominate"], "WA-11")
            }
        })
    }

    fn order(encounter: &Encounter) -> Vec<OrderEntry> {
        let mut order = Vec::new();
        for taken in &encounter.state.turns {
            let Taken { combatant, way } = &**taken;
            if had_turn(encounter, combatant) {
                order.push(OrderEntry::new(combatant, because(way)));
            }
        }
        for seizer in &encounter.state.queue {
            order.push(OrderEntry::new(&seizer.combatant, because(&seizer.way())));
        }
        order
    }

    fn remark(encounter: &Encounter, c: &Combatant) -> String {
        let mut remarks = Vec::new();
        if barred(encounter, c) {
            remarks.push("no turn in round 1");
        }
        if queued(encounter, &c.id) {
            remarks.push("has seized a turn");
        }
        if may_seize(encounter, c) {
            remarks.push("may seize");
        }
        if c.state.extra_action {
            remarks.push("extra Action");
        }
        remarks.join(", ")
    }
}

fn because(way: &Way) -> Reason {
    match way {
        Way::Rolled {
            dice,
            bonus,
            total,
            meaning,
            equals,
        } => {
            let (rule, reason) = match meaning {
                Meaning::Twenty => ("WA-6", "rolled a 20"),
                Meaning::Plain => ("WA-4", "rolled the highest result"),
                Meaning::One => ("WA-7a", "had the highest bonus when all rolled a 1"),
            };
            Reason {
                dice: dice.clone(),
                bonus: Some(*bonus),
                total: Some(*total),
                tie_rule: match equals.first() {
                    None => None,
                    Some(next) if next.bonus != *bonus => Some("WA-5"),
                    Some(_) => Some("WA-5a"),
                },
                ..Reason::new(rule, reason)
            }
        }
        Way::Nominated { nominated_by } => Reason {
            named_by: nominated_by.clone(),
            ..Reason::new("WA-8", "was chosen")
        },
        Way::Seized { bonus, tied } => Reason {
            bonus: Some(*bonus),
            tie_rule: (!tied.is_empty()).then_some("WA-5a"),
            ..Reason::new("WA-12", "seized the turn")
        },
        Way::Overridden {} => Reason::new("TK-5", "set by the game master"),
    }
}
