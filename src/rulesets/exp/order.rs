//! Whose place it is, what is awaited, and why, under EXP.

use super::decide::may_attack;
use super::*;
use crate::vocabulary::{Reason, Status};

pub(super) fn current(table: &Table) -> Vec<CombatantId> {
    if table.status == Status::Ended { Vec::new() } else { table.state.asked.clone() }
}

pub(super) fn pending(table: &Table) -> Option<Pending> {
    let state = &table.state;
    match state.phase {
        Phase::Setup => return Some(Pending::new("start", Vec::new(), &["start"], "EX-2")),
        Phase::Roll if table.active().next().is_none() => {
            return Some(Pending::new("newcomer", Vec::new(), &["add_combatant", "end_encounter"], "EX-2"));
        }
        Phase::Roll => {
            let all = table.active().map(|c| c.id.clone()).collect();
            return Some(Pending { gm: true, ..Pending::new("roll_initiative", all, &["roll_unit"], "EX-3") });
        }
        Phase::SomeoneActs => return Some(Pending::someone()),
        Phase::Pass => {}
    }
    if !state.duel.is_empty() {
        // Others may attack with their minds meanwhile (EX-31).
        let others = table.iter().filter(|c| may_attack(c) && !state.duel.contains(&c.id)).map(|c| &c.id);
        let combatants = state.duel.iter().chain(others).cloned().collect();
        return Some(Pending::new("mental_attack", combatants, &["mental_attack", "decline_duel"], "EX-32"));
    }
    let rank = state.asked.first().and_then(|id| table.get(id)).and_then(|c| c.state.rank);
    let (decision, rule) = if lowest(table, rank) { ("spend_all", "EX-15") } else { ("declare", "EX-14") };
    let (combatants, commands) = match announced(table) {
        Some(announced) => (vec![announced.combatant.clone()], &["declare"][..]),
        None => (state.asked.clone(), &["declare", "announce"][..]),
    };
    Some(Pending::new(decision, combatants, commands, rule))
}

pub(super) fn order(table: &Table) -> Vec<OrderEntry> {
    let places = table.state.ranking.iter().flat_map(|roll| {
        let crowd = roll.combatants.first().is_some_and(|first| *first != roll.id) || roll.combatants.len() > 1;
        let here = roll.combatants.iter().filter_map(|id| table.get(id)).filter(|c| c.state.rank.is_some());
        here.map(move |c| OrderEntry {
            combatant: c.id.clone(),
            acted: c.acted,
            slot: crowd.then(|| roll.id.to_string()),
            because: Reason {
                dice: std::iter::once(roll.die).chain(roll.digits.iter().copied()).collect(),
                bonus: Some(roll.bonus),
                total: Some(roll.total),
                tie_rule: (!roll.digits.is_empty()).then_some("EX-7"),
                ..Reason::new("EX-5", format!("initiative {}", roll.written()))
            },
        })
    });
    places.collect()
}

pub(super) fn remark(table: &Table, c: &Persona) -> String {
    let state = &c.state;
    let rank = state.rank.and_then(|rank| usize::try_from(rank).ok());
    let Some(roll) = rank.and_then(|rank| table.state.ranking.get(rank.checked_sub(1)?)) else { return String::new() };
    let left = |spending: Spending| match spending {
        Spending::Pending => "pending",
        Spending::Waited => "waited",
        Spending::Done => "done",
        Spending::Lost => "lost",
    };
    format!("init {}, move {}, act {}", roll.written(), left(state.movement), left(state.act))
}
