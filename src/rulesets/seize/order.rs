//! Whose turn it is, what is awaited, and why, under Seize the initiative.

use super::decide::{barred, chooser, may_seize};
use super::*;
use crate::vocabulary::Reason;

pub(super) fn current(table: &Table) -> Vec<CombatantId> {
    match &table.state.phase {
        Phase::InTurn { actor } => vec![actor.clone()],
        _ => Vec::new(),
    }
}

pub(super) fn pending(table: &Table) -> Option<Pending> {
    let awaited = |decision, who, commands: &[&'static str], rule| Some(Pending::new(decision, who, commands, rule));
    match &table.state.phase {
        Phase::Over => None,
        Phase::SomeoneActs => Some(Pending::someone()),
        Phase::InTurn { actor } => awaited("end_turn", vec![actor.clone()], &["end_turn"], "WA-8"),
        Phase::SeizeDecision {} => {
            let eligible = table.iter().filter(|c| may_seize(table, c)).map(|c| c.id.clone()).collect();
            awaited("seize", eligible, &["seize", "decline"], "WA-13")
        }
        _ if table.active().next().is_none() => {
            awaited("newcomer", Vec::new(), &["add_combatant", "end_encounter"], "WA-10")
        }
        Phase::Setup => awaited("start", Vec::new(), &["start"], "WA-1"),
        Phase::ChooseNext {} => awaited("next", chooser(table).into_iter().collect(), &["nominate"], "WA-8"),
        Phase::ChooseStarter {} => awaited("starter", chooser(table).into_iter().collect(), &["nominate"], "WA-11"),
    }
}

/// The turns of this round that were had or are going on (not one that was taken back), and those that are seized.
pub(super) fn order(table: &Table) -> Vec<OrderEntry> {
    let state = &table.state;
    let mut places: Vec<OrderEntry> = Vec::with_capacity(state.turns.len() + state.queue.len());
    let acting = current(table);
    let had = |id: &CombatantId| acting.contains(id) || table.get(id).is_some_and(|c| c.acted);
    for taken in state.turns.iter().filter(|taken| had(&taken.combatant)) {
        places.extend(place(table, &taken.combatant, because(&taken.by)));
    }
    for seizer in &state.queue {
        places.extend(place(
            table,
            &seizer.combatant,
            because(&Way::Seized { bonus: seizer.bonus, tied: seizer.tied.clone() }),
        ));
    }
    places
}

fn place(table: &Table, id: &CombatantId, because: Reason) -> Option<OrderEntry> {
    let acted = table.get(id)?.acted;
    Some(OrderEntry { combatant: id.clone(), acted, slot: None, because })
}

fn because(by: &Way) -> Reason {
    match by {
        Way::Rolled { dice, bonus, total, meaning, equals } => {
            let (rule, reason) = match meaning {
                Meaning::Twenty => ("WA-6", "rolled a 20"),
                Meaning::Plain => ("WA-4", "rolled the highest result"),
                Meaning::One => ("AWA3", "everybody rolled a 1, and it has the highest bonus"),
            };
            Reason {
                dice: dice.clone(),
                bonus: Some(*bonus),
                total: Some(*total),
                tie_rule: equals.first().map(|next| if next.tie == Tie::Bonus { "WA-5" } else { "AWA2" }),
                ..Reason::new(rule, reason)
            }
        }
        Way::Picked { by } => Reason { named_by: by.clone(), ..Reason::new("WA-8", "was picked") },
        Way::Seized { bonus, tied } => Reason {
            bonus: Some(*bonus),
            tie_rule: (!tied.is_empty()).then_some("AWA2"),
            ..Reason::new("WA-12", "seized the turn after losing hit points")
        },
        Way::Overridden {} => Reason::new("TK-5", "the game master set it"),
    }
}

pub(super) fn remark(table: &Table, c: &Combatant<Seize>) -> String {
    let mut remarks = Vec::new();
    if barred(table, c) {
        remarks.push("out for round 1");
    }
    if table.state.queue.iter().any(|seizer| seizer.combatant == c.id) {
        remarks.push("has seized a turn");
    }
    if may_seize(table, c) {
        remarks.push("may seize");
    }
    if c.state.extra_action {
        remarks.push("extra Action");
    }
    remarks.join(", ")
}
