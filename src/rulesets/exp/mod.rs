//! EXP, the game of technological chaos: a high initiative is a tactical advantage, which lets a
//! persona wait.

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

use crate::rulesets::shared::parts;
use crate::vocabulary::{
    Combatant as CombatantOf, CombatantId, Encounter as EncounterOf, Event as AnyEvent,
    LegalCommand, OrderEntry, Pending, Play as PlayOf, Reason, Ruleset, Status, Violation, ids,
};
use decide::{are_lowest, deciders};

/// The ruleset `exp`.
#[derive(Debug, Clone, PartialEq)]
pub struct Exp;

type Encounter = EncounterOf<Exp>;
type Play<'d> = PlayOf<'d, Exp>;
type Combatant = CombatantOf<Exp>;

impl Ruleset for Exp {
    parts!();

    fn words_for_stat(field: &str) -> Option<&'static str> {
        match field {
            "awe" => Some("AWE"),
            "dex" => Some("DEX"),
            "mstr" => Some("MSTR"),
            _ => None,
        }
    }

    fn current(encounter: &Encounter) -> Vec<CombatantId> {
        let nobody =
            encounter.status == Status::Ended || encounter.state.phase == Phase::SomeoneActs;
        if nobody {
            Vec::new()
        } else {
            encounter.state.asked.clone()
        }
    }

    fn pending(encounter: &Encounter) -> Option<Pending> {
        let state = &encounter.state;
        Some(match state.phase {
            Phase::Setup | Phase::Roll if encounter.active().next().is_none() => {
                Pending::newcomer("EX-2")
            }
            Phase::Setup => Pending::new("start", Vec::new(), &["start"], "EX-2"),
            Phase::Roll => {
                let unrolled = encounter.active().filter(|c| c.state.own_roll.is_none());
                Pending {
                    gm: true,
                    ..Pending::new("roll", ids(unrolled), &["roll"], "EX-3")
                }
            }
            Phase::SomeoneActs => Pending::someone(),
            Phase::Pass if !state.duel.is_empty() => Pending::new(
                "mental_attack",
                state.duel.clone(),
                &["mental_attack", "pass"],
                "EX-32",
            ),
            Phase::Pass => pending_answer(encounter),
        })
    }

    fn order(encounter: &Encounter) -> Vec<OrderEntry> {
        let mut entries = Vec::new();
        for roll in encounter.state.ranking.iter() {
            for id in &roll.combatants {
                if encounter.get(id).is_some_and(|c| c.state.rank.is_some()) {
                    entries.push(order_entry(roll, id, &encounter.state.ranking));
                }
            }
        }
        entries
    }

    fn remark(encounter: &Encounter, c: &Combatant) -> String {
        let mut remarks = Vec::new();
        if let Some(roll) = roll_of(encounter, c) {
            // The row has the number without the digits that broke a tie.
            if !roll.digits.is_empty() {
                let written = roll.written(&encounter.state.ranking);
                remarks.push(format!("initiative {written}"));
            }
            remarks.push(format!("move {}", c.state.move_status));
            remarks.push(format!("act {}", c.state.act_status));
            if c.state.keeps_waiting {
                remarks.push("keeps waiting until further notice".to_owned());
            }
        }
        remarks.extend(plan_of(encounter, c));
        remarks.join(", ")
    }

    fn moment(encounter: &Encounter) -> String {
        format!("unit {}, pass {}", encounter.round, encounter.state.pass)
    }
}

/// What a persona has announced, on which others decide whether they jump.
fn plan_of(encounter: &Encounter, c: &Combatant) -> Option<String> {
    let mut jumps = encounter.state.jumps.iter();
    if let Some(jump) = jumps.find(|jump| jump.combatant == c.id) {
        return Some(jump.plan());
    }
    let announced = announced(encounter)?;
    (announced.combatant == c.id).then(|| announced.plan())
}

/// What the list awaits: the answers of those that could jump ahead of the next act, or of those
/// that are asked.
fn pending_answer(encounter: &Encounter) -> Pending {
    let deciders = deciders(encounter);
    if !deciders.is_empty() {
        let is_over_jump = !encounter.state.jumps.is_empty();
        let rule = if is_over_jump { "EX-27a" } else { "EX-25b" };
        return Pending::new("jump", deciders, &["jump", "pass", "resolve"], rule);
    }
    let asked = &encounter.state.asked;
    let (decision, rule) = if are_lowest(encounter, asked, |_| true) {
        ("spend_all", "EX-15")
    } else {
        ("declare", "EX-14")
    };
    let Some(announced) = announced(encounter) else {
        return Pending::new(decision, asked.clone(), &["declare", "announce"], rule);
    };
    let announcer = vec![announced.combatant.clone()];
    Pending::new(decision, announcer, &["declare"], rule)
}

fn order_entry(roll: &InitiativeRoll, id: &CombatantId, ranking: &[InitiativeRoll]) -> OrderEntry {
    let mut dice = vec![roll.die];
    dice.extend(&roll.digits);
    let tied = !roll.digits.is_empty();
    let because = Reason {
        dice,
        bonus: Some(roll.bonus),
        total: Some(roll.total),
        tie_rule: if tied { Some("EX-7") } else { None },
        ..Reason::new("EX-5", format!("rolled {}", roll.written(ranking)))
    };
    let mut entry = OrderEntry::new(id, because);
    let is_crowd = roll.combatants != std::slice::from_ref(&roll.id);
    if is_crowd {
        entry.slot = Some(roll.id.as_str().to_owned());
    }
    entry
}

/// The roll that gave a persona its place in the list.
fn roll_of<'t>(encounter: &'t Encounter, c: &Combatant) -> Option<&'t InitiativeRoll> {
    let rank = usize::try_from(c.state.rank?).ok()?;
    encounter.state.ranking.get(rank.checked_sub(1)?)
}
