//! Active Initiative, from Giffyglyph's Darker Dungeons: after a turn, its player chooses who acts
//! next, and enemies may interrupt.

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

use crate::json::FieldError;
use crate::rulesets::shared::{had_turn, parts};
use crate::vocabulary::{
    Combatant as CombatantOf, CombatantId, Encounter as EncounterOf, Event as AnyEvent, Int,
    LegalCommand, OrderEntry, Pending, Play as PlayOf, Reason, Ruleset, Violation,
};
use decide::{asked, can_ever_hold, could_interrupt_for_damage, is_choice_held, is_held};
use std::collections::BTreeSet;

/// The ruleset `active-initiative`.
#[derive(Debug, Clone, PartialEq)]
pub struct ActiveInitiative;

type Encounter = EncounterOf<ActiveInitiative>;
type Play<'d> = PlayOf<'d, ActiveInitiative>;
type Combatant = CombatantOf<ActiveInitiative>;

impl Ruleset for ActiveInitiative {
    parts!();

    fn words_for_stat(field: &str) -> Option<&'static str> {
        match field {
            "dex" => Some("DEX"),
            "int_modifier" => Some("INT modifier"),
            "wis" => Some("WIS"),
            _ => None,
        }
    }

    fn check_combatant(options: &Options, combatant: &Combatant) -> Result<(), FieldError> {
        if combatant.stats.inspiration.get() == 0 || can_ever_hold(options, combatant) {
            return Ok(());
        }
        let message = format!(
            "{} can't hold inspiration (AI-28). Leave \"inspiration\" out.",
            combatant.name
        );
        Err(FieldError::meaningless("inspiration", message))
    }

    fn drop_outdated(options: &Options, combatant: &mut Combatant, given: &BTreeSet<String>) {
        if !given.contains("inspiration") && !can_ever_hold(options, combatant) {
            combatant.stats.inspiration = Int::default();
        }
    }

    fn current(encounter: &Encounter) -> Vec<CombatantId> {
        if let Phase::InTurn { actor } = &encounter.state.phase {
            vec![actor.clone()]
        } else {
            Vec::new()
        }
    }

    fn pending(encounter: &Encounter) -> Option<Pending> {
        let none_fights = encounter.active().next().is_none();
        Some(match &encounter.state.phase {
            Phase::Over => return None,
            Phase::SomeoneActs => Pending::someone(),
            Phase::InTurn { actor } => {
                Pending::new("end_turn", vec![actor.clone()], &["end_turn"], "AI-7")
            }
            Phase::Window { nominee, .. } => pending_window(encounter, nominee),
            _ if none_fights => Pending::newcomer("AI-35"),
            Phase::Setup => Pending::new("start", Vec::new(), &["start"], "AI-2"),
            Phase::Nominate {} => pending_choice(encounter, "nominate", "AI-7"),
            Phase::NominateFirst {} => pending_choice(encounter, "nominate_first", "AI-41"),
        })
    }

    /// The turns of this round that started and were not taken back, and the next one.
    fn order(encounter: &Encounter) -> Vec<OrderEntry> {
        let mut order = Vec::new();
        for taken in &encounter.state.turns {
            let Taken { combatant, way } = &**taken;
            if had_turn(encounter, combatant) {
                order.push(OrderEntry::new(combatant, because(way)));
            }
        }
        if let Phase::Window { nominee, way } = &encounter.state.phase {
            order.push(OrderEntry::new(nominee, because(way)));
        }
        order
    }

    fn remark(encounter: &Encounter, c: &Combatant) -> String {
        let mut remarks = Vec::new();
        if let Phase::Window { nominee, .. } = &encounter.state.phase
            && *nominee == c.id
        {
            remarks.push("next".to_owned());
        }
        if could_interrupt_for_damage(encounter, c) {
            remarks.push("may interrupt".to_owned());
        }
        if c.stats.inspiration.get() > 0 {
            remarks.push(format!("inspiration {}", c.stats.inspiration));
        }
        if c.state.readied.is_some() {
            remarks.push("action readied".to_owned());
        }
        remarks.join(", ")
    }
}

/// The last to act chooses the next combatant, once the hurt have interrupted or passed.
fn pending_choice(encounter: &Encounter, decision: &'static str, rule: &'static str) -> Pending {
    if is_choice_held(encounter) {
        return pending_interrupts(encounter);
    }
    let mut deciders = Vec::new();
    deciders.extend(encounter.state.last_actor.clone());
    pending_unheld(encounter, decision, deciders, "nominate", rule)
}

/// The next combatant starts its turn, once all that could interrupt have interrupted or passed.
fn pending_window(encounter: &Encounter, nominee: &CombatantId) -> Pending {
    if is_held(encounter, nominee) {
        return pending_interrupts(encounter);
    }
    let deciders = vec![nominee.clone()];
    pending_unheld(encounter, "begin_turn", deciders, "begin_turn", "AI-17")
}

fn pending_interrupts(encounter: &Encounter) -> Pending {
    let commands = ["interrupt", "pass", "resolve"];
    Pending::new("interrupt", asked(encounter), &commands, "AI-17b")
}

/// A decision that waits for no interrupt. Hidden combatants may still interrupt.
fn pending_unheld(
    encounter: &Encounter,
    decision: &'static str,
    mut deciders: Vec<CombatantId>,
    answer: &'static str,
    rule: &'static str,
) -> Pending {
    let asked = asked(encounter);
    if asked.is_empty() {
        return Pending::new(decision, deciders, &[answer], rule);
    }
    deciders.extend(asked);
    Pending::new(decision, deciders, &[answer, "interrupt", "pass"], rule)
}

fn because(way: &Way) -> Reason {
    match way {
        Way::Opened {} => Reason::new("AI-2", "triggered the scene"),
        Way::Rolled {
            die,
            total,
            tied,
            roll_off,
            ..
        } => Reason {
            dice: match roll_off {
                Some(roll_off) => vec![*die, *roll_off],
                None => vec![*die],
            },
            tie_rule: match roll_off {
                Some(_) => Some("AI-5a"),
                None if tied.is_empty() => None,
                None => Some("AI-5"),
            },
            bonus: Some(*total - i64::from(die.face)),
            total: Some(*total),
            ..Reason::new("AI-3", "rolled the highest initiative")
        },
        Way::Nominated { nominated_by } => Reason {
            named_by: nominated_by.clone(),
            ..Reason::new("AI-7", "was chosen")
        },
        Way::Interrupted {
            means: Means::Inspiration,
        } => Reason::new("AI-19", "interrupted with inspiration"),
        Way::Interrupted {
            means: Means::Damage,
        } => Reason::new("AI-20", "interrupted after taking damage"),
        Way::Interrupted {
            means: Means::InterruptPoint,
        } => Reason::new("AI-31", "interrupted with an interrupt point"),
        Way::Overridden {} => Reason::new("TK-5", "set by the game master"),
    }
}
