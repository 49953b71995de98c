//! What may be legal under Venture.

use super::decide::MAX_TIMED;
use super::{Approach, Combatant, Encounter, Phase, on_track};
use crate::vocabulary::{CombatantId, LegalCommand, Status, shared_list};
use serde_json::{Value, json};
use std::sync::Arc;

const TARGETS: &str = "a list of targets: combatant, loses, damage and killed (by a decisive attack), member (of a group), rejoin";
const JOINS: &str = "an object from combatant ids to how each joins: approach, attribute, ability, successes or faces";
const SHIFT: &str = "how `source` joins again if this shifts the fight: approach, attribute, ability, successes or faces";
const DICE: &str = "the faces of d10s, at most as many as the pool has";

pub(super) fn legal_commands(encounter: &Encounter) -> Vec<LegalCommand> {
    let mut legal = Vec::new();
    let active = shared_list(encounter.active().map(|c| &c.id));
    let all = shared_list(encounter.iter().map(|c| &c.id));
    for c in encounter.active().filter(|c| !c.stats.worthy_foe) {
        let settle = LegalCommand::of("settle", "VE-1").with("combatant", c.id.as_str());
        legal.push(settle.among("loser", true, &active, None));
    }
    if encounter.status == Status::Setup {
        legal.push(LegalCommand::of("start", "VE-2").like("joins", JOINS, None));
        for c in encounter.active().filter(|c| c.state.join_battle.is_none()) {
            join_battle(&mut legal, &c.id);
        }
        // What is refused before the start would be tried with every combatant.
        return legal;
    }
    if let Some(actor) = encounter.state.phase.awaited() {
        in_turn(encounter, &mut legal, actor);
    }
    let attackers = on_track(encounter).map(|c| &c.id);
    legal.push(attack(
        LegalCommand::of("act", "VE-10a")
            .whom("combatant", true, attackers)
            .with("reflexive", true),
    ));
    for c in encounter.active() {
        if c.state.join_battle.is_some() {
            at_any_time(&mut legal, c, &all);
        } else {
            join_battle(&mut legal, &c.id);
        }
    }
    for c in encounter.iter() {
        let effects = &c.state.start_effects;
        if effects.is_empty() {
            continue;
        }
        let names = effects.iter().map(|effect| effect.name.as_str());
        legal.push(LegalCommand::by("withdraw", &c.id, "VE-17").choose("name", true, names));
    }
    legal
}

fn attack(act: LegalCommand) -> LegalCommand {
    let act = act
        .like("action", "what is done", None)
        .like("targets", TARGETS, None);
    act.with("attack", true)
        .choose("decisive", false, [false, true])
        .range("attacker_loses", false, 0, 40)
}

/// Commands of the combatant that has the turn or is next.
fn in_turn(encounter: &Encounter, legal: &mut Vec<LegalCommand>, actor: &CombatantId) {
    // An action that harms a combatant or is opposed is no free action (VE-8).
    let free_action = LegalCommand::by("free_action", actor, "VE-6")
        .choose("damaging", false, [false])
        .choose("opposed", false, [false]);
    let pass = if matches!(encounter.state.phase, Phase::FollowUp { .. }) {
        "VE-15"
    } else {
        "VE-6"
    };
    let act = LegalCommand::by("act", actor, "VE-10");
    legal.push(LegalCommand::by("begin_turn", actor, "VE-9"));
    legal.push(LegalCommand::by("delay", actor, "VE-12"));
    legal.push(free_action.like("action", "what is done", Some(json!("ready a weapon"))));
    legal.push(LegalCommand::by("pass", actor, pass));
    legal.push(act.clone().like("action", "what is done", None));
    legal.push(attack(act.clone()));
    legal.push(manoeuvre("rush", actor));
    legal.push(manoeuvre("disengage", actor));
    legal.push(LegalCommand::by("flurry", actor, "VE-11"));
    legal.push(LegalCommand::by("move", actor, "VE-10"));
    legal.push(LegalCommand::by("end_turn", actor, "VE-9"));
    if let Some(target) = on_track(encounter).find(|c| c.id != *actor) {
        legal.push(attack(act).with("targets", json!([{"combatant": target.id}])));
    }
}

fn manoeuvre(verb: &'static str, actor: &CombatantId) -> LegalCommand {
    LegalCommand::by(verb, actor, "VE-15").choose("moved", false, [false, true])
}

/// Each pool that an approach allows (VE-2 to VE-4), with the dice or with the successes.
fn join_battle(legal: &mut Vec<LegalCommand>, id: &CombatantId) {
    let usual = pool(id, Approach::Default)
        .choose("approach", false, ["default", "stealth", "escalation"])
        .choose("attribute", false, ["wits"])
        .choose("ability", false, ["awareness"]);
    let mut pools = vec![usual];
    for approach in [Approach::Stealth, Approach::Escalation] {
        let (attribute, ability, _) = approach.swaps();
        let unusual = pool(id, approach).with("approach", json!(approach));
        let abilities = [json!("awareness"), json!(ability)];
        pools.push(
            unusual
                .clone()
                .with("attribute", json!(attribute))
                .choose("ability", false, abilities),
        );
        pools.push(
            unusual
                .choose("attribute", false, ["wits"])
                .with("ability", json!(ability)),
        );
    }
    for pool in pools {
        let pool = pool.range("bonus_dice", false, -40, 40);
        legal.push(pool.clone().range("successes", true, 0, 100));
        legal.push(pool.like("faces", DICE, None));
    }
}

fn pool(id: &CombatantId, approach: Approach) -> LegalCommand {
    let (_, _, rule) = approach.swaps();
    LegalCommand::by("join_battle", id, rule)
}

fn at_any_time(legal: &mut Vec<LegalCommand>, c: &Combatant, all: &Arc<[Value]>) {
    let id = &c.id;
    let initiative = (c.state.initiative + 20).min(40);
    let motes = c.stats.motes();
    let name = "a name that none of its start-of-turn effects has";
    let example = free_name(c).map(Value::from);
    legal.push(LegalCommand::by("return", id, "VE-12"));
    legal.push(LegalCommand::by("follow_up", id, "VE-15"));
    legal.push(
        spend(id)
            .range("initiative", true, 1, initiative)
            .range("motes", false, 0, motes),
    );
    legal.push(
        spend(id)
            .range("motes", true, 1, motes)
            .range("initiative", false, 0, initiative),
    );
    let declare = LegalCommand::by("declare", id, "VE-17");
    legal.push(changes(declare.like("name", name, example)));
    let mut adjust = changes(LegalCommand::of("adjust", "VE-24").with("combatant", id.as_str()))
        .range("onslaught", false, 0, 1000)
        .choose("crashed", false, [false, true])
        .choose("acted", false, [false, true])
        .among("source", false, all, None)
        .range("recovery_tokens", false, 0, 4)
        .like("rejoin", SHIFT, None);
    if c.state.timed_changes.len() < MAX_TIMED {
        adjust = adjust.range("turns", false, 1, 10_000);
    }
    legal.push(adjust);
}

fn spend(id: &CombatantId) -> LegalCommand {
    LegalCommand::by("spend_initiative", id, "VE-25").choose("perilous", false, [false, true])
}

/// Opens the fields for changes of Initiative and motes.
fn changes(command: LegalCommand) -> LegalCommand {
    command
        .range("initiative", false, -40, 40)
        .range("motes", false, -1000, 1000)
}

/// A name that none of a combatant's start-of-turn effects has.
fn free_name(c: &Combatant) -> Option<String> {
    let mut names = (1..=9).map(|n| format!("Effect {n}"));
    names.find(|name| {
        let mut effects = c.state.start_effects.iter();
        effects.all(|effect| effect.name.as_str() != name)
    })
}
