//! Whose turn it is, what is awaited, and why, under Active Initiative.

use super::decide::{chooser, hurt_off_turn, is_the_gms};
use super::*;
use crate::vocabulary::{Kind, Reason};

pub(super) fn current(table: &Table) -> Vec<CombatantId> {
    match &table.state.phase {
        Phase::InTurn { actor } => vec![actor.clone()],
        _ => Vec::new(),
    }
}

pub(super) fn pending(table: &Table) -> Option<Pending> {
    let awaited = |decision, who, commands: &[&'static str], rule| Some(Pending::new(decision, who, commands, rule));
    match &table.state.phase {
        Phase::Setup => awaited("start", Vec::new(), &["start"], "AI-2"),
        Phase::InTurn { actor } => awaited("end_turn", vec![actor.clone()], &["end_turn"], "AI-7"),
        Phase::ChooseNext {} | Phase::ChooseStarter {} if table.active().next().is_none() => {
            awaited("newcomer", Vec::new(), &["add_combatant", "end_encounter"], "AI-35")
        }
        Phase::ChooseNext {} => awaited("next", chooser(table).into_iter().collect(), &["nominate"], "AI-7"),
        Phase::ChooseStarter {} => awaited("starter", chooser(table).into_iter().collect(), &["nominate"], "AI-41"),
        Phase::Window { nominee, .. } => {
            let may_interrupt = table.waiting().filter(|c| may_interrupt(table, c, nominee)).map(|c| c.id.clone());
            let who: Vec<_> = std::iter::once(nominee.clone()).chain(may_interrupt).collect();
            match who.len() {
                1 => awaited("begin_turn", who, &["begin_turn"], "AI-17"),
                _ => awaited("begin_or_interrupt", who, &["begin_turn", "interrupt"], "AI-17"),
            }
        }
        Phase::Over => None,
        Phase::SomeoneActs => Some(Pending::someone()),
    }
}

/// Whether some means would let `c` steal the turn of `nominee` (AI-18 to AI-21, AI-31).
fn may_interrupt(table: &Table, c: &Combatant<ActiveInitiative>, nominee: &CombatantId) -> bool {
    let enemy = table.get(nominee).is_some_and(|n| n.side != c.side);
    let pc = c.kind == Kind::Pc;
    let state = &table.state;
    let left =
        table.options.interrupt_points.played() && state.interrupt_points > Some(0) && !state.interrupt_point_used;
    let point = left && is_the_gms(c);
    let paid = pc && c.stats.inspiration.get() > 0;
    enemy && !c.state.interrupted && (hurt_off_turn(table, c) || paid || point)
}

/// The turns of this round that were had or are going on (not one that was taken back, nor that of one who left for a newcomer of
/// the same id), and the next one.
pub(super) fn order(table: &Table) -> Vec<OrderEntry> {
    let mut places: Vec<OrderEntry> = Vec::with_capacity(table.state.turns.len() + 1);
    let acting = current(table);
    let had = |id: &CombatantId| acting.contains(id) || table.get(id).is_some_and(|c| c.acted);
    for taken in table.state.turns.iter().filter(|taken| had(&taken.combatant)) {
        places.extend(place(table, &taken.combatant, &taken.by));
    }
    if let Phase::Window { nominee, by } = &table.state.phase {
        places.extend(place(table, nominee, by));
    }
    places
}

fn place(table: &Table, id: &CombatantId, by: &Way) -> Option<OrderEntry> {
    let acted = table.get(id)?.acted;
    Some(OrderEntry { combatant: id.clone(), acted, slot: None, because: because(by) })
}

fn because(by: &Way) -> Reason {
    match by {
        Way::Opened {} => Reason::new("AI-2", "triggered the scene"),
        Way::Rolled { die, total, tied } => Reason {
            dice: vec![*die],
            tie_rule: (!tied.is_empty()).then_some("AI-5"),
            bonus: Some(*total - i64::from(die.face)),
            total: Some(*total),
            ..Reason::new("AI-3", "rolled the highest initiative")
        },
        Way::Named { by } => Reason { named_by: by.clone(), ..Reason::new("AI-7", "was named") },
        Way::Interrupted { means: Means::Inspiration } => Reason::new("AI-19", "interrupted for an inspiration point"),
        Way::Interrupted { means: Means::Damage } => Reason::new("AI-20", "interrupted after taking damage"),
        Way::Interrupted { means: Means::InterruptPoint } => {
            Reason::new("AI-31", "interrupted for one of the game master's points")
        }
        Way::Overridden {} => Reason::new("TK-5", "the game master set it"),
    }
}

pub(super) fn remark(table: &Table, c: &Combatant<ActiveInitiative>) -> String {
    let mut remarks = Vec::new();
    if matches!(&table.state.phase, Phase::Window { nominee, .. } if *nominee == c.id) {
        remarks.push("named".to_owned());
    }
    if hurt_off_turn(table, c) && !c.acted {
        remarks.push("may interrupt".to_owned());
    }
    if c.stats.inspiration.get() > 0 {
        remarks.push(format!("inspiration {}", c.stats.inspiration));
    }
    if c.state.readied.is_some() {
        remarks.push("readied".to_owned());
    }
    remarks.join(", ")
}
