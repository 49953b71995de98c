//! What may be legal under Venture.

use super::decide::MAX_TIMED;
use super::*;
use crate::vocabulary::shared_list;
use serde_json::{Value, json};
use std::sync::Arc;

const TARGETS: &str = "a list of targets: combatant, loses, damage and killed (by a decisive attack), member (of a group), shift";
const JOINS: &str = "an object from combatant ids to how each joins: approach, attribute, ability, successes or dice";
const SHIFT: &str = "how `by` joins again if this shifts the fight: approach, attribute, ability, successes or dice";
const DICE: &str = "the faces of d10s, at most as many as the pool has";

pub(super) fn legal_commands(encounter: &Encounter) -> Vec<LegalCommand> {
    let mut legal = Vec::new();
    let (active, all) = (
        shared_list(encounter.active().map(|c| &c.id)),
        shared_list(encounter.iter().map(|c| &c.id)),
    );
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
        LegalCommand::of("act", "AVE16")
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
    for c in encounter
        .iter()
        .filter(|c| !c.state.start_effects.is_empty())
    {
        let names = c
            .state
            .start_effects
            .iter()
            .map(|effect| effect.name.as_str());
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
    let by = |verb, rule| LegalCommand::by(verb, actor, rule);
    // An action that harms a combatant or is opposed is no free action (VE-8).
    let free_action = by("free_action", "VE-6")
        .choose("damaging", false, [false])
        .choose("opposed", false, [false]);
    let manoeuvre = |verb| by(verb, "VE-15").choose("moved", false, [false, true]);
    let target = on_track(encounter).find(|c| c.id != *actor);
    let pass = if matches!(encounter.state.phase, Phase::FollowUp { .. }) {
        "VE-15"
    } else {
        "VE-6"
    };
    legal.extend([
        by("begin_turn", "VE-9"),
        by("delay", "VE-12"),
        free_action.like("action", "what is done", Some(json!("ready a weapon"))),
        by("pass", pass),
        by("act", "VE-10").like("action", "what is done", None),
        attack(by("act", "VE-10")),
        manoeuvre("rush"),
        manoeuvre("disengage"),
        by("flurry", "VE-11"),
        by("move", "VE-10"),
        by("end_turn", "VE-9"),
    ]);
    legal.extend(target.map(|target| {
        attack(by("act", "VE-10")).with("targets", json!([{"combatant": target.id}]))
    }));
}

/// Each pool that an approach allows (VE-2 to VE-4), with the dice or with the successes.
fn join_battle(legal: &mut Vec<LegalCommand>, id: &CombatantId) {
    let pool = |approach: Approach| LegalCommand::by("join_battle", id, approach.swaps().2);
    let usual =
        pool(Approach::Default).choose("approach", false, ["default", "stealth", "escalation"]);
    let mut pools =
        vec![
            usual
                .choose("attribute", false, ["wits"])
                .choose("ability", false, ["awareness"]),
        ];
    for approach in [Approach::Stealth, Approach::Escalation] {
        let (attribute, ability, _) = approach.swaps();
        let (attribute, ability) = (json!(attribute), json!(ability));
        let unusual = || pool(approach).with("approach", json!(approach));
        let abilities = [json!("awareness"), ability.clone()];
        pools.push(
            unusual()
                .with("attribute", attribute)
                .choose("ability", false, abilities),
        );
        pools.push(
            unusual()
                .choose("attribute", false, ["wits"])
                .with("ability", ability),
        );
    }
    for pool in pools
        .into_iter()
        .map(|pool| pool.range("bonus_dice", false, -40, 40))
    {
        legal.push(pool.clone().range("successes", true, 0, 100));
        legal.push(pool.like("dice", DICE, None));
    }
}

fn at_any_time(legal: &mut Vec<LegalCommand>, c: &Combatant, all: &Arc<[Value]>) {
    let by = |verb, rule| LegalCommand::by(verb, &c.id, rule);
    let (initiative, motes) = ((c.state.initiative + 20).min(40), c.stats.motes());
    let spend = || by("spend", "VE-25").choose("perilous", false, [false, true]);
    let changes = |command: LegalCommand| {
        command
            .range("initiative", false, -40, 40)
            .range("motes", false, -1000, 1000)
    };
    let name = "a name that none of its start-of-turn effects has";
    let free = (1..=9).map(|n| format!("Effect {n}"));
    let example = free.into_iter().find(|name| {
        c.state
            .start_effects
            .iter()
            .all(|e| e.name.as_str() != name)
    });
    let adjust = changes(LegalCommand::of("adjust", "VE-24").with("combatant", c.id.as_str()));
    let adjust = adjust
        .range("onslaught", false, 0, 1000)
        .choose("crashed", false, [false, true]);
    let adjust = adjust
        .choose("acted", false, [false, true])
        .among("by", false, all, None);
    let mut adjust = adjust
        .range("recovery_tokens", false, 0, 4)
        .like("shift", SHIFT, None);
    if c.state.timed.len() < MAX_TIMED {
        adjust = adjust.range("turns", false, 1, 10_000);
    }
    legal.extend([
        by("claim", "VE-12"),
        by("follow_up", "VE-15"),
        spend()
            .range("initiative", true, 1, initiative)
            .range("motes", false, 0, motes),
        spend()
            .range("motes", true, 1, motes)
            .range("initiative", false, 0, initiative),
        changes(by("declare", "VE-17").like("name", name, example.map(Into::into))),
        adjust,
    ]);
}
