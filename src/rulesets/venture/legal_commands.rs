//! What may be legal under Venture.

use super::decide::{Fighter, MOST_TIMED, motes_of};
use super::react::acting;
use super::*;
use crate::vocabulary::{Status, shared_list};
use serde_json::{Value, json};
use std::sync::Arc;

pub(super) fn legal_commands(table: &Table) -> Vec<LegalCommand> {
    let mut legal_commands = Vec::new();
    settle(&mut legal_commands, table);
    if table.status == Status::Setup {
        let joins = "an object from combatant ids to how each joins: approach, attribute, ability, successes or dice";
        legal_commands.push(LegalCommand::of("start", "VE-2").like("joins", joins, None));
        return legal_commands;
    }
    match &table.state.phase {
        Phase::Setup | Phase::Standstill {} | Phase::SomeoneActs {} => {}
        Phase::FreeActions { next } => free_action(&mut legal_commands, next),
        Phase::Tick(tick) => {
            legal_commands.push(LegalCommand::by("begin_turn", &tick.next, "VE-9"));
            legal_commands.push(LegalCommand::by("delay", &tick.next, "VE-12"));
        }
        Phase::FollowUp { actor } => legal_commands.push(LegalCommand::by("pass", actor, "VE-15")),
        Phase::InTurn { actor } => in_turn(table, &mut legal_commands, actor),
    }
    let on_track = table.active().filter(|c| c.state.join_battle.is_some()).map(|c| &c.id);
    let reflexive = LegalCommand::of("act", "AVE16").whom("combatant", true, on_track).with("reflexive", true);
    legal_commands.push(attack(reflexive));
    let between_turns = acting(table).is_none();
    let everybody = shared_list(table.iter().map(|c| &c.id));
    for c in table.active() {
        if c.state.join_battle.is_none() {
            join_battle(&mut legal_commands, &c.id);
            continue;
        }
        if c.state.delaying && between_turns {
            legal_commands.push(LegalCommand::by("claim", &c.id, "VE-12"));
        }
        if c.state.follow_up {
            legal_commands.push(LegalCommand::by("follow_up", &c.id, "VE-15"));
        }
        at_any_time(&mut legal_commands, c, &everybody);
    }
    for c in table.iter().filter(|c| !c.state.start_effects.is_empty()) {
        let names = c.state.start_effects.iter().map(|effect| effect.name.as_str());
        legal_commands.push(LegalCommand::by("withdraw", &c.id, "VE-17").choose("name", true, names));
    }
    legal_commands
}

const TARGETS: &str =
    "a list of targets: combatant, loses, damage and killed (by a decisive attack), member (of a group), shift";

fn free_action(legal_commands: &mut Vec<LegalCommand>, id: &CombatantId) {
    let action =
        LegalCommand::by("free_action", id, "VE-6").like("action", "what is done", Some(json!("ready a weapon")));
    // What harms somebody or is opposed is no free action (VE-8): either may be said, and then denied.
    legal_commands.push(action.choose("damaging", false, [false]).choose("opposed", false, [false]));
    legal_commands.push(LegalCommand::by("pass", id, "VE-6"));
}

/// An attack, whose targets are told in words.
fn attack(act: LegalCommand) -> LegalCommand {
    let act = act.like("action", "what is done", None).like("targets", TARGETS, None);
    act.with("attack", true).choose("decisive", false, [false, true]).range("attacker_loses", false, 0, 40)
}

fn in_turn(table: &Table, legal_commands: &mut Vec<LegalCommand>, actor: &CombatantId) {
    free_action(legal_commands, actor);
    let act = || LegalCommand::by("act", actor, "VE-10");
    legal_commands.push(act().like("action", "what is done", None));
    legal_commands.push(attack(act()));
    let target = table.active().find(|c| c.id != *actor && c.state.join_battle.is_some());
    legal_commands.extend(target.map(|target| attack(act()).with("targets", json!([{"combatant": target.id}]))));
    for verb in ["rush", "disengage"] {
        legal_commands.push(LegalCommand::by(verb, actor, "VE-15").choose("moved", false, [false, true]));
    }
    legal_commands.push(LegalCommand::by("flurry", actor, "VE-11"));
    legal_commands.push(LegalCommand::by("move", actor, "VE-10"));
    legal_commands.push(LegalCommand::by("end_turn", actor, "VE-9"));
}

/// The legal_commands of each pool that an approach gives, with the dice or with the successes (VE-2 to VE-4).
fn join_battle(legal_commands: &mut Vec<LegalCommand>, id: &CombatantId) {
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
        legal_commands.push(pool.clone().range("successes", true, 0, 100));
        legal_commands.push(pool.like("dice", "the faces of dice of ten sides, at most as many as the pool has", None));
    }
}

/// One roll settles the fight with one who is no Worthy Foe (VE-1).
fn settle(legal_commands: &mut Vec<LegalCommand>, table: &Table) {
    let losers = shared_list(table.active().map(|c| &c.id));
    for c in table.active().filter(|c| !c.stats.worthy_foe && c.state.join_battle.is_none()) {
        let mut settle = LegalCommand::by("settle", &c.id, "VE-1").among("loser", true, &losers, None);
        settle.combatant = None;
        legal_commands.push(settle);
    }
}

fn at_any_time(legal_commands: &mut Vec<LegalCommand>, c: &Fighter, everybody: &Arc<[Value]>) {
    let (initiative, motes) = ((c.state.initiative + 20).min(40), motes_of(c));
    let spend = || LegalCommand::by("spend", &c.id, "VE-25").choose("perilous", false, [false, true]);
    if initiative > 0 {
        legal_commands.push(spend().range("initiative", true, 1, initiative).range("motes", false, 0, motes));
    }
    if motes > 0 {
        legal_commands.push(spend().range("motes", true, 1, motes).range("initiative", false, 0, initiative));
    }
    let name = "a name that none of its start-of-turn effects has";
    let free = (1..=9).map(|n| format!("Effect {n}"));
    let example = free.into_iter().find(|name| c.state.start_effects.iter().all(|e| e.name.as_str() != name));
    let declare = LegalCommand::by("declare", &c.id, "VE-17").like("name", name, example.map(Into::into));
    legal_commands.push(declare.range("initiative", false, -40, 40).range("motes", false, -1000, 1000));
    let mut adjust = LegalCommand::by("adjust", &c.id, "VE-24");
    adjust.combatant = None;
    let mut adjust = adjust.range("initiative", false, -40, 40).range("motes", false, -1000, 1000);
    adjust = adjust.range("onslaught", false, 0, 1000);
    adjust = adjust.choose("crashed", false, [false, true]).choose("acted", false, [false, true]);
    if c.state.crashed {
        adjust = adjust.range("recovery_tokens", false, 0, 4);
    }
    if c.state.timed.len() < MOST_TIMED {
        adjust = adjust.range("turns", false, 1, 10_000);
    }
    legal_commands.push(adjust.among("by", false, everybody, None));
}
