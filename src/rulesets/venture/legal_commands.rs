//! What may be legal under Venture.

use super::decide::MAX_TIMED;
use super::*;
use crate::vocabulary::shared_list;
use serde_json::{Value, json};
use std::sync::Arc;

const TARGETS: &str =
    "a list of targets: combatant, loses, damage and killed (by a decisive attack), member (of a group), shift";
const JOINS: &str = "an object from combatant ids to how each joins: approach, attribute, ability, successes or dice";
const DICE: &str = "the faces of d10s, at most as many as the pool has";

pub(super) fn legal_commands(table: &Table) -> Vec<LegalCommand> {
    let mut legal = Vec::new();
    let losers = shared_list(table.active().map(|c| &c.id));
    for c in table.active().filter(|c| !c.stats.worthy_foe && c.state.join_battle.is_none()) {
        let settle = LegalCommand::of("settle", "VE-1").with("combatant", c.id.as_str());
        legal.push(settle.among("loser", true, &losers, None));
    }
    if table.status == Status::Setup {
        legal.push(LegalCommand::of("start", "VE-2").like("joins", JOINS, None));
        return legal;
    }
    match &table.state.phase {
        Phase::Setup | Phase::Standstill {} | Phase::SomeoneActs {} => {}
        Phase::FreeActions { next } => free_action(&mut legal, next),
        Phase::Tick(tick) => {
            legal.push(LegalCommand::by("begin_turn", &tick.next, "VE-9"));
            legal.push(LegalCommand::by("delay", &tick.next, "VE-12"));
        }
        Phase::FollowUp { actor } => legal.push(LegalCommand::by("pass", actor, "VE-15")),
        Phase::InTurn { actor } => in_turn(table, &mut legal, actor),
    }
    let on_track = table.active().filter(|c| c.state.join_battle.is_some()).map(|c| &c.id);
    legal.push(attack(LegalCommand::of("act", "AVE16").whom("combatant", true, on_track).with("reflexive", true)));
    let between_turns = table.state.phase.acting().is_none();
    let everybody = shared_list(table.iter().map(|c| &c.id));
    for c in table.active() {
        if c.state.join_battle.is_none() {
            join_battle(&mut legal, &c.id);
            continue;
        }
        if c.state.delaying && between_turns {
            legal.push(LegalCommand::by("claim", &c.id, "VE-12"));
        }
        if c.state.follow_up {
            legal.push(LegalCommand::by("follow_up", &c.id, "VE-15"));
        }
        at_any_time(&mut legal, c, &everybody);
    }
    for c in table.iter().filter(|c| !c.state.start_effects.is_empty()) {
        let names = c.state.start_effects.iter().map(|effect| effect.name.as_str());
        legal.push(LegalCommand::by("withdraw", &c.id, "VE-17").choose("name", true, names));
    }
    legal
}

fn free_action(legal: &mut Vec<LegalCommand>, id: &CombatantId) {
    let action = LegalCommand::by("free_action", id, "VE-6");
    let action = action.like("action", "what is done", Some(json!("ready a weapon")));
    // An action that harms somebody or is opposed is no free action (VE-8).
    legal.push(action.choose("damaging", false, [false]).choose("opposed", false, [false]));
    legal.push(LegalCommand::by("pass", id, "VE-6"));
}

fn attack(act: LegalCommand) -> LegalCommand {
    let act = act.like("action", "what is done", None).like("targets", TARGETS, None);
    act.with("attack", true).choose("decisive", false, [false, true]).range("attacker_loses", false, 0, 40)
}

fn in_turn(table: &Table, legal: &mut Vec<LegalCommand>, actor: &CombatantId) {
    free_action(legal, actor);
    let act = || LegalCommand::by("act", actor, "VE-10");
    legal.push(act().like("action", "what is done", None));
    legal.push(attack(act()));
    let target = table.active().find(|c| c.id != *actor && c.state.join_battle.is_some());
    legal.extend(target.map(|target| attack(act()).with("targets", json!([{"combatant": target.id}]))));
    for verb in ["rush", "disengage"] {
        legal.push(LegalCommand::by(verb, actor, "VE-15").choose("moved", false, [false, true]));
    }
    legal.push(LegalCommand::by("flurry", actor, "VE-11"));
    legal.push(LegalCommand::by("move", actor, "VE-10"));
    legal.push(LegalCommand::by("end_turn", actor, "VE-9"));
}

/// Each pool that an approach allows (VE-2 to VE-4), with the dice or with the successes.
fn join_battle(legal: &mut Vec<LegalCommand>, id: &CombatantId) {
    let usual = LegalCommand::by("join_battle", id, "VE-2");
    let usual = usual.choose("approach", false, ["default", "stealth", "escalation"]);
    let mut pools = vec![usual.choose("attribute", false, ["wits"]).choose("ability", false, ["awareness"])];
    for (approach, attribute, ability, rule) in
        [("stealth", "dexterity", "stealth", "VE-3"), ("escalation", "manipulation", "socialize", "VE-4")]
    {
        let unusual = || LegalCommand::by("join_battle", id, rule).with("approach", approach);
        pools.push(unusual().with("attribute", attribute).choose("ability", false, ["awareness", ability]));
        pools.push(unusual().choose("attribute", false, ["wits"]).with("ability", ability));
    }
    for pool in pools.into_iter().map(|pool| pool.range("bonus_dice", false, -40, 40)) {
        legal.push(pool.clone().range("successes", true, 0, 100));
        legal.push(pool.like("dice", DICE, None));
    }
}

fn at_any_time(legal: &mut Vec<LegalCommand>, c: &Fighter, everybody: &Arc<[Value]>) {
    let (initiative, motes) = ((c.state.initiative + 20).min(40), c.stats.motes());
    let spend = || LegalCommand::by("spend", &c.id, "VE-25").choose("perilous", false, [false, true]);
    if initiative > 0 {
        legal.push(spend().range("initiative", true, 1, initiative).range("motes", false, 0, motes));
    }
    if motes > 0 {
        legal.push(spend().range("motes", true, 1, motes).range("initiative", false, 0, initiative));
    }
    let changes =
        |command: LegalCommand| command.range("initiative", false, -40, 40).range("motes", false, -1000, 1000);
    let name = "a name that none of its start-of-turn effects has";
    let free = (1..=9).map(|n| format!("Effect {n}"));
    let example = free.into_iter().find(|name| c.state.start_effects.iter().all(|e| e.name.as_str() != name));
    legal.push(changes(LegalCommand::by("declare", &c.id, "VE-17").like("name", name, example.map(Into::into))));
    let adjust = changes(LegalCommand::of("adjust", "VE-24").with("combatant", c.id.as_str()));
    let adjust = adjust.range("onslaught", false, 0, 1000).choose("crashed", false, [false, true]);
    let mut adjust = adjust.choose("acted", false, [false, true]).among("by", false, everybody, None);
    if c.state.crashed {
        adjust = adjust.range("recovery_tokens", false, 0, 4);
    }
    if c.state.timed.len() < MAX_TIMED {
        adjust = adjust.range("turns", false, 1, 10_000);
    }
    legal.push(adjust);
}
