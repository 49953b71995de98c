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
    Actor, Combatant as CombatantOf, CombatantId, Commands, Encounter as EncounterOf,
    Event as AnyEvent, LegalCommand, OrderEntry, Pending, Play as PlayOf, Reason, Ruleset, Status,
    Violation, ids,
};
use decide::deciders;

/// The ruleset `exp`.
#[derive(Debug, Clone, PartialEq)]
pub struct Exp;

type Encounter = EncounterOf<Exp>;
type Play<'d> = PlayOf<'d, Exp>;
type Combatant = CombatantOf<Exp>;

impl Ruleset for Exp {
    parts!();

    fn actor(command: &Command) -> Actor<'_> {
        match command {
            // Any player may start the roll; the dice are each player's own.
            Command::RollUnit(c) => Actor::Of(c.rolls.keys().chain(c.tie_rolls.keys()).collect()),
            Command::Jump(Jump {
                referee_roll: Some(_),
                ..
            }) => Actor::Gm,
            command => command.actor(),
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
                let all = ids(encounter.active());
                Pending {
                    gm: true,
                    ..Pending::new(
                        "roll_initiative",
                        all,
                        &["roll_unit", "roll_initiative"],
                        "EX-3",
                    )
                }
            }
            Phase::SomeoneActs => Pending::someone(),
            Phase::Pass if !state.duel.is_empty() => Pending::new(
                "mental_attack",
                state.duel.clone(),
                &["mental_attack", "decline_duel"],
                "EX-32",
            ),
            Phase::Pass => {
                let rank = state
                    .asked
                    .first()
                    .and_then(|id| encounter.get(id))
                    .and_then(|c| c.state.rank);
                let (decision, rule) = if lowest(encounter, rank, |_| true) {
                    ("spend_all", "EX-15")
                } else {
                    ("declare", "EX-14")
                };
                match announced(encounter) {
                    Some(_) if !deciders(encounter).is_empty() => Pending::new(
                        "jump",
                        deciders(encounter),
                        &["jump", "keep_waiting"],
                        "EX-25b",
                    ),
                    Some(announced) => Pending::new(
                        decision,
                        vec![announced.combatant.clone()],
                        &["declare"],
                        rule,
                    ),
                    None => Pending::new(
                        decision,
                        state.asked.clone(),
                        &["declare", "announce"],
                        rule,
                    ),
                }
            }
        })
    }

    fn order(encounter: &Encounter) -> Vec<OrderEntry> {
        let places = encounter
            .state
            .ranking
            .iter()
            .flat_map(|roll| roll.combatants.iter().map(move |id| (roll, id)));
        let entries =
            places.filter(|(_, id)| encounter.get(id).is_some_and(|c| c.state.rank.is_some()));
        let entries = entries.map(|(roll, id)| {
            let crowd = roll.combatants != std::slice::from_ref(&roll.id);
            let because = Reason {
                dice: std::iter::once(roll.die)
                    .chain(roll.digits.iter().copied())
                    .collect(),
                bonus: Some(roll.bonus),
                total: Some(roll.total),
                tie_rule: (!roll.digits.is_empty()).then_some("EX-7"),
                ..Reason::new("EX-5", format!("initiative {}", roll.written()))
            };
            let slot = crowd.then(|| roll.id.as_str().to_owned());
            OrderEntry {
                slot,
                ..OrderEntry::new(id, because)
            }
        });
        entries.collect()
    }

    fn remark(encounter: &Encounter, c: &Combatant) -> String {
        let rank = c
            .state
            .rank
            .and_then(|rank| usize::try_from(rank).ok()?.checked_sub(1));
        let Some(roll) = rank.and_then(|rank| encounter.state.ranking.get(rank)) else {
            return String::new();
        };
        // The row has the number without the digits that broke a tie.
        let tied = if roll.digits.is_empty() {
            String::new()
        } else {
            format!("init {}, ", roll.written())
        };
        let keeps = if c.state.keeps_waiting {
            ", keeps waiting"
        } else {
            ""
        };
        format!(
            "{tied}move {}, act {}{keeps}",
            c.state.movement, c.state.act
        )
    }

    fn moment(encounter: &Encounter) -> String {
        format!("unit {}, pass {}", encounter.round, encounter.state.pass)
    }
}
