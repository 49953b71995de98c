//! Whose turn it is, what is awaited, and why, under Venture.

use super::decide::{Fighter, motes_of};
use super::react::{acting, rank};
use super::*;
use crate::vocabulary::{Reason, Status};

pub(super) fn current(table: &Table) -> Vec<CombatantId> {
    if table.status != Status::Running {
        return Vec::new();
    }
    match &table.state.phase {
        Phase::FreeActions { next } => vec![next.clone()],
        _ => acting(table).cloned().into_iter().collect(),
    }
}

pub(super) fn pending(table: &Table) -> Option<Pending> {
    let awaited = |decision, who, commands: &[&'static str], rule| Some(Pending::new(decision, who, commands, rule));
    match &table.state.phase {
        Phase::Setup if table.active().next().is_none() => {
            awaited("newcomer", Vec::new(), &["add_combatant", "end_encounter"], "VE-9")
        }
        Phase::Setup if table.active().any(|c| !c.stats.worthy_foe) => awaited("settle", Vec::new(), &UNWORTHY, "VE-1"),
        Phase::Setup => awaited("start", Vec::new(), &["start"], "VE-2"),
        Phase::FreeActions { next } => {
            let (who, joins) = with_newcomers(table, vec![next.clone()]);
            let commands = ["free_action", "pass", "join_battle"];
            awaited("free_action", who, if joins { &commands } else { &commands[..2] }, "VE-7")
        }
        Phase::Tick(tick) => between_turns(table, tick),
        Phase::FollowUp { actor } => awaited("follow_up", vec![actor.clone()], &["follow_up", "pass"], "VE-15"),
        Phase::InTurn { actor } => awaited("end_turn", vec![actor.clone()], &in_turn(table, actor), "VE-10"),
        Phase::SomeoneActs {} => Some(Pending::someone()),
        Phase::Standstill {} => match with_newcomers(table, Vec::new()) {
            (who, true) => awaited("join_battle", who, &["join_battle"], "VE-2"),
            (who, false) if table.active().next().is_some() => awaited("settle", who, &UNWORTHY, "VE-1"),
            (who, false) => awaited("newcomer", who, &["add_combatant", "end_encounter"], "VE-9"),
        },
    }
}

/// What makes a fight one that is played in turns.
const UNWORTHY: [&str; 3] = ["settle", "update_combatant", "remove_combatant"];

/// Those awaited, and with them whoever can Join Battle; whether there is any.
fn with_newcomers(table: &Table, mut who: Vec<CombatantId>) -> (Vec<CombatantId>, bool) {
    let before = who.len();
    let newcomers = table.active().filter(|c| c.stats.worthy_foe && c.state.join_battle.is_none());
    who.extend(newcomers.map(|c| c.id.clone()));
    let joins = who.len() > before;
    (who, joins)
}

/// What is awaited between two turns: that the next begins or delays, that one who delays claims, that a newcomer joins.
fn between_turns(table: &Table, tick: &Tick) -> Option<Pending> {
    let mut combatants = vec![tick.next.clone()];
    let delaying = table.waiting().filter(|c| c.state.delaying && c.id != tick.next);
    combatants.extend(delaying.map(|c| c.id.clone()));
    let claims = tick.delayed || combatants.len() > 1;
    let (combatants, joins) = with_newcomers(table, combatants);
    let open = [("begin_turn", true), ("delay", !tick.delayed), ("claim", claims), ("join_battle", joins)];
    let commands = open.into_iter().filter(|(_, open)| *open).map(|(verb, _)| verb).collect::<Vec<_>>();
    let rule = if tick.delayed { "AVE4" } else { "VE-9" };
    Some(Pending::new("begin_turn", combatants, &commands, rule))
}

/// The commands of a turn that are open.
fn in_turn(table: &Table, actor: &CombatantId) -> Vec<&'static str> {
    let Some(c) = table.get(actor) else { return Vec::new() };
    let s = &c.state;
    let mut commands = Vec::new();
    if s.free_action == FreeActionState::Open && s.actions_taken == 0 {
        commands.extend(["free_action", "pass"]);
    }
    if s.actions_taken == 0 || (s.flurrying && s.actions_taken == 1) {
        commands.extend(["act", "rush", "disengage"]);
    }
    if s.actions_taken > 0 && !s.flurrying {
        commands.push("flurry");
    }
    if !s.moved {
        commands.push("move");
    }
    commands.push("end_turn");
    commands
}

/// Those who are to act first, as they will; then those who have acted, as they stand on the track.
pub(super) fn order(table: &Table) -> Vec<OrderEntry> {
    let acting = current(table);
    let mut on_track: Vec<&Fighter> = table.active().filter(|c| c.state.join_battle.is_some()).collect();
    let free_actions = matches!(table.state.phase, Phase::FreeActions { .. });
    let done = |c: &Fighter| if free_actions { c.state.free_action != FreeActionState::Open } else { c.acted };
    let done = |c: &Fighter| done(c) && !acting.contains(&c.id);
    on_track.sort_by_cached_key(|c| (!acting.contains(&c.id), done(c), c.state.delaying, rank(c)));
    let place = |c: &&Fighter| OrderEntry {
        combatant: c.id.clone(),
        acted: done(c),
        slot: Some(c.state.initiative.to_string()),
        because: because(c, &on_track),
    };
    on_track.iter().map(place).collect()
}

fn because(c: &Fighter, on_track: &[&Fighter]) -> Reason {
    let s = &c.state;
    let same_tick = on_track.iter().any(|other| {
        let (mine, others) = ((s.initiative, c.acted, s.delaying), &other.state);
        other.id != c.id && mine == (others.initiative, other.acted, others.delaying)
    });
    let (rule, reason) = if s.delaying { ("VE-12", "holds its action") } else { ("VE-9", "Initiative") };
    Reason {
        dice: s.join_battle.as_ref().map(|roll| roll.dice.clone()).unwrap_or_default(),
        total: Some(s.initiative),
        tie_rule: same_tick.then_some("AVE5"),
        ..Reason::new(rule, reason)
    }
}

pub(super) fn remark(table: &Table, c: &Combatant<Venture>) -> String {
    let s = &c.state;
    if s.join_battle.is_none() {
        return if table.status == Status::Running { "not joined".to_owned() } else { String::new() };
    }
    let mut remarks = vec![format!("initiative {}", s.initiative)];
    if matches!(&table.state.phase, Phase::Tick(tick) if tick.next == c.id) {
        remarks.push("next".to_owned());
    }
    if s.crashed {
        remarks.push(format!("crashed ({} of 3 tokens)", s.recovery_tokens));
    }
    if s.delaying {
        remarks.push("delaying".to_owned());
    }
    if s.onslaught > 0 {
        remarks.push(format!("onslaught {}", s.onslaught));
    }
    if c.stats.max_motes.get() > 0 {
        remarks.push(format!("motes {}/{}", motes_of(c), c.stats.max_motes));
    }
    remarks.join(", ")
}
