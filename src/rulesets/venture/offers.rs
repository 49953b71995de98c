//! What may be legal under Venture.

use super::decide::{Fighter, MOST_TIMED, motes_of};
use super::react::acting;
use super::*;
use crate::vocabulary::{Status, shared_list};
use serde_json::{Value, json};
use std::sync::Arc;

pub(super) fn offers(table: &Table) -> Vec<Offer> {
    let mut offers = Vec::new();
    settle(&mut offers, table);
    if table.status == Status::Setup {
        let joins = "an object from combatant ids to how each joins: approach, attribute, ability, successes or dice";
        offers.push(Offer::of("start", "VE-2").like("joins", joins, None));
        return offers;
    }
    match &table.state.phase {
        Phase::Setup | Phase::Standstill {} | Phase::SomeoneActs {} => {}
        Phase::FreeActions { next } => free_action(&mut offers, next),
        Phase::Tick(tick) => {
            offers.push(Offer::by("begin_turn", &tick.next, "VE-9"));
            offers.push(Offer::by("delay", &tick.next, "VE-12"));
        }
        Phase::FollowUp { actor } => offers.push(Offer::by("pass", actor, "VE-15")),
        Phase::InTurn { actor } => in_turn(table, &mut offers, actor),
    }
    let on_track = table.active().filter(|c| c.standing.join_battle.is_some()).map(|c| &c.id);
    let reflexive = Offer::of("act", "AVE16").whom("combatant", true, on_track).with("reflexive", true);
    offers.push(attack(reflexive));
    let between_turns = acting(table).is_none();
    let everybody = shared_list(table.iter().map(|c| &c.id));
    for c in table.active() {
        if c.standing.join_battle.is_none() {
            join_battle(&mut offers, &c.id);
            continue;
        }
        if c.standing.delaying && between_turns {
            offers.push(Offer::by("claim", &c.id, "VE-12"));
        }
        if c.standing.follow_up {
            offers.push(Offer::by("follow_up", &c.id, "VE-15"));
        }
        at_any_time(&mut offers, c, &everybody);
    }
    for c in table.iter().filter(|c| !c.standing.start_effects.is_empty()) {
        let names = c.standing.start_effects.iter().map(|effect| effect.name.as_str());
        offers.push(Offer::by("withdraw", &c.id, "VE-17").choose("name", true, names));
    }
    offers
}

const TARGETS: &str =
    "a list of targets: combatant, loses, damage and killed (by a decisive attack), member (of a group), shift";

fn free_action(offers: &mut Vec<Offer>, id: &CombatantId) {
    let action = Offer::by("free_action", id, "VE-6").like("action", "what is done", Some(json!("ready a weapon")));
    // What harms somebody or is opposed is no free action (VE-8): either may be said, and then denied.
    offers.push(action.choose("damaging", false, [false]).choose("opposed", false, [false]));
    offers.push(Offer::by("pass", id, "VE-6"));
}

/// An attack, whose targets are told in words.
fn attack(act: Offer) -> Offer {
    let act = act.like("action", "what is done", None).like("targets", TARGETS, None);
    act.with("attack", true).choose("decisive", false, [false, true]).range("attacker_loses", false, 0, 40)
}

fn in_turn(table: &Table, offers: &mut Vec<Offer>, actor: &CombatantId) {
    free_action(offers, actor);
    let act = || Offer::by("act", actor, "VE-10");
    offers.push(act().like("action", "what is done", None));
    offers.push(attack(act()));
    let target = table.active().find(|c| c.id != *actor && c.standing.join_battle.is_some());
    offers.extend(target.map(|target| attack(act()).with("targets", json!([{"combatant": target.id}]))));
    for verb in ["rush", "disengage"] {
        offers.push(Offer::by(verb, actor, "VE-15").choose("moved", false, [false, true]));
    }
    offers.push(Offer::by("flurry", actor, "VE-11"));
    offers.push(Offer::by("move", actor, "VE-10"));
    offers.push(Offer::by("end_turn", actor, "VE-9"));
}

/// The offers of each pool that an approach gives, with the dice or with the successes (VE-2 to VE-4).
fn join_battle(offers: &mut Vec<Offer>, id: &CombatantId) {
    let usual = Offer::by("join_battle", id, "VE-2");
    let usual = usual.choose("approach", false, ["default", "stealth", "escalation"]);
    let mut pools = vec![usual.choose("attribute", false, ["wits"]).choose("ability", false, ["awareness"])];
    for (approach, attribute, ability, rule) in
        [("stealth", "dexterity", "stealth", "VE-3"), ("escalation", "manipulation", "socialize", "VE-4")]
    {
        let unusual = || Offer::by("join_battle", id, rule).with("approach", approach);
        pools.push(unusual().with("attribute", attribute).choose("ability", false, ["awareness", ability]));
        pools.push(unusual().choose("attribute", false, ["wits"]).with("ability", ability));
    }
    for pool in pools.into_iter().map(|pool| pool.range("bonus_dice", false, -40, 40)) {
        offers.push(pool.clone().range("successes", true, 0, 100));
        offers.push(pool.like("dice", "the faces of dice of ten sides, at most as many as the pool has", None));
    }
}

/// One roll settles the fight with one who is no Worthy Foe (VE-1).
fn settle(offers: &mut Vec<Offer>, table: &Table) {
    let losers = shared_list(table.active().map(|c| &c.id));
    for c in table.active().filter(|c| !c.stats.worthy_foe && c.standing.join_battle.is_none()) {
        let mut settle = Offer::by("settle", &c.id, "VE-1").among("loser", true, &losers, None);
        settle.combatant = None;
        offers.push(settle);
    }
}

fn at_any_time(offers: &mut Vec<Offer>, c: &Fighter, everybody: &Arc<[Value]>) {
    let (initiative, motes) = ((c.standing.initiative + 20).min(40), motes_of(c));
    let spend = || Offer::by("spend", &c.id, "VE-25").choose("perilous", false, [false, true]);
    if initiative > 0 {
        offers.push(spend().range("initiative", true, 1, initiative).range("motes", false, 0, motes));
    }
    if motes > 0 {
        offers.push(spend().range("motes", true, 1, motes).range("initiative", false, 0, initiative));
    }
    let name = "a name that none of its start-of-turn effects has";
    let free = (1..=9).map(|n| format!("Effect {n}"));
    let example = free.into_iter().find(|name| c.standing.start_effects.iter().all(|e| e.name.as_str() != name));
    let declare = Offer::by("declare", &c.id, "VE-17").like("name", name, example.map(Into::into));
    offers.push(declare.range("initiative", false, -40, 40).range("motes", false, -1000, 1000));
    let mut adjust = Offer::by("adjust", &c.id, "VE-24");
    adjust.combatant = None;
    let mut adjust = adjust.range("initiative", false, -40, 40).range("motes", false, -1000, 1000);
    adjust = adjust.range("onslaught", false, 0, 1000);
    adjust = adjust.choose("crashed", false, [false, true]).choose("acted", false, [false, true]);
    if c.standing.crashed {
        adjust = adjust.range("recovery_tokens", false, 0, 4);
    }
    if c.standing.timed.len() < MOST_TIMED {
        adjust = adjust.range("turns", false, 1, 10_000);
    }
    offers.push(adjust.among("by", false, everybody, None));
}
