//! Whose turn it is, what is awaited, and why, under DC20.

use super::contest::{Contest, contest, passable};
use super::decide::spendable;
use super::team::{placeless, team};
use super::*;
use crate::vocabulary::Reason;

pub(super) fn pending(table: &Table) -> Option<Pending> {
    let state = &table.state;
    let awaited = |decision, who, commands: &[&'static str], rule| Some(Pending::new(decision, who, commands, rule));
    match state.phase {
        Phase::Setup => awaited("start", Vec::new(), &["start"], "DC-4"),
        Phase::Claim => {
            let (who, rule): (_, &'static str) = match contest(table) {
                Contest::Tied(who) => (who, "DC-19"),
                Contest::Open(who) if !state.claims.is_empty() => (who, "DC-18"),
                Contest::Open(who) | Contest::Needed(who) => (who, "DC-17"),
                Contest::Won { .. } | Contest::Unclaimed => (Vec::new(), "DC-17"),
            };
            let commands: &[&str] = if passable(table, &who) { &["claim", "pass"] } else { &["claim"] };
            awaited("claim", who, commands, rule)
        }
        Phase::Assign => awaited("assign", Vec::new(), &["assign", "pass"], "DC-20"),
        Phase::Turn => awaited("end_turn", state.acting.clone(), &["end_turn"], "DC-45"),
        Phase::BetweenTurns => awaited("legendary", Vec::new(), &["legendary", "pass"], "DC-52"),
        Phase::RoundEnd => awaited("legendary", Vec::new(), &["legendary", "pass"], "DC-53"),
        Phase::Idle => awaited("newcomer", Vec::new(), &["assign", "add_combatant", "end_encounter"], "DC-38"),
        Phase::Over => None,
        Phase::SomeoneActs => Some(Pending::someone()),
    }
}

pub(super) fn order(table: &Table) -> Vec<OrderEntry> {
    let mut places: Vec<OrderEntry> = Vec::with_capacity(table.combatants.len());
    for slot in table.state.slots.iter() {
        for c in slot.occupants.iter().filter_map(|id| table.get(id)) {
            let because = c.state.placed.map(|way| because(c, way)).unwrap_or_default();
            places.push(OrderEntry {
                combatant: c.id.clone(),
                acted: c.acted,
                slot: Some(slot.id.to_string()),
                because,
            });
        }
    }
    places
}

fn because(c: &Creature, way: Way) -> Reason {
    let checked = |rule, reason| match &c.state.check {
        Some(check) => Reason {
            dice: check.dice.clone(),
            bonus: Some(check.bonus),
            total: Some(check.total),
            ..Reason::new(rule, reason)
        },
        None => Reason::new(rule, reason),
    };
    match way {
        Way::Claimed => Reason::new("DC-17", "the PC team chose it for this turn"),
        Way::Contested => checked("DC-18", "had the highest check of those who wanted this turn"),
        Way::Shared => Reason { tie_rule: Some("DC-19"), ..checked("DC-18", "shares this turn with an equal check") },
        Way::Assigned => Reason::new("DC-20", "the game master put it here"),
        Way::Delayed => Reason::new("DC-33", "delayed to this turn"),
        Way::DelayedAfter => Reason::new("DC-34", "delayed until after an enemy"),
        Way::Merged => Reason::new("DC-25", "two enemy turns were merged"),
        Way::Joined => Reason::new("ADC14", "joined later with a turn of its own"),
    }
}

pub(super) fn remark(table: &Table, c: &Creature) -> String {
    let state = &c.state;
    let mut remarks: Vec<String> = Vec::new();
    remarks.extend(state.slot.as_ref().map(|slot| format!("turn {slot}")));
    remarks.extend(state.behind.as_ref().map(|enemy| format!("behind {enemy}")));
    if placeless(c) && c.active() && !table.state.slots.is_empty() {
        remarks.push("no turn yet".to_owned());
    }
    if table.round > 0 {
        remarks.push(format!("AP {}/{}", state.ap.current, state.ap.max));
    }
    let mut flag = |on: bool, word: &str| remarks.extend(on.then(|| word.to_owned()));
    flag(state.delayed, "delayed");
    flag(state.inspiration_die, "inspiration d6");
    flag(state.round_one_adv, "ADV in round 1");
    flag(state.attacked_with_adv, "attacked with ADV");
    flag(state.committed.is_some(), "committed");
    flag(state.held.is_some(), "holds an action");
    if c.stats.max_lap.get() > 0 && team(&table.state, c) != Team::Pc {
        remarks.push(format!("LAP {}/{}", state.lap, c.stats.max_lap));
        let now = spendable(table, c);
        remarks.extend((now > 0).then(|| format!("may spend {now}")));
    }
    remarks.join(", ")
}
