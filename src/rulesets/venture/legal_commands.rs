//! What may be legal under Venture.

use super::command::{
    Act, Adjust, BeginTurn, Declare, Delay, Disengage, EndTurn, Flurry, FollowUp, FreeAction, Join,
    JoinBattle, Move, Pass, Return, Rush, Settle, SpendInitiative, Start, Target, Withdraw,
};
use super::decide::MAX_TIMED;
use super::{Approach, Combatant, Encounter, Phase, on_track};
use crate::vocabulary::{
    CombatantId, Fields, LegalCommand, Property, Slug, Status, Values, shared_list,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) fn legal_commands(encounter: &Encounter) -> Vec<LegalCommand> {
    let mut legal = Vec::new();
    let active = shared_list(encounter.active().map(|c| &c.id));
    let all = shared_list(encounter.iter().map(|c| &c.id));
    for c in encounter.active().filter(|c| !c.stats.worthy_foe) {
        let settle = LegalCommand::of::<Settle>("VE-1").with("combatant", c.id.as_str());
        legal.push(settle.among("loser", &active, None));
    }
    if encounter.status == Status::Setup {
        let fighters = encounter.active().map(|c| &c.id);
        let joins = Values::by_combatant(fighters, Values::Object(join()));
        legal.push(LegalCommand::of::<Start>("VE-2").open("joins", joins));
        for c in encounter.active().filter(|c| c.state.join_battle.is_none()) {
            join_battle(encounter, &mut legal, &c.id);
        }
        // What is refused before the start would be tried with every combatant.
        return legal;
    }
    let lists = targets_by_side(encounter);
    if let Some(actor) = encounter.state.phase.awaited() {
        in_turn(encounter, &lists, &mut legal, actor);
    }
    for c in on_track(encounter) {
        let outside = LegalCommand::by::<Act>(&c.id, "VE-10a")
            .labelled("{combatant}: attack outside the turn")
            .with("reflexive", true);
        legal.push(attack(&lists, c, outside, true));
    }
    for c in encounter.active() {
        if c.state.join_battle.is_some() {
            at_any_time(&mut legal, c, &all);
        } else {
            join_battle(encounter, &mut legal, &c.id);
        }
    }
    for c in encounter.iter() {
        let effects = &c.state.start_effects;
        if effects.is_empty() {
            continue;
        }
        let names = effects.iter().map(|effect| effect.name.as_str());
        legal.push(LegalCommand::by::<Withdraw>(&c.id, "VE-17").choose("name", names));
    }
    legal
}

/// The combatants on the track as each side attacks them: its foes first.
fn targets_by_side(encounter: &Encounter) -> BTreeMap<&Slug, Arc<[Value]>> {
    let mut lists = BTreeMap::new();
    for attacker in on_track(encounter) {
        lists.entry(&attacker.side).or_insert_with(|| {
            let mut targets: Vec<&Combatant> = on_track(encounter).collect();
            targets.sort_by_key(|c| c.side == attacker.side);
            shared_list(targets.into_iter().map(|c| &c.id))
        });
    }
    lists
}

/// An attack, which may have to name a target.
fn attack(
    lists: &BTreeMap<&Slug, Arc<[Value]>>,
    attacker: &Combatant,
    attack: LegalCommand,
    at_somebody: bool,
) -> LegalCommand {
    let attack = attack.with("attack", true).without(&["reflexive"]);
    let Some(targets) = lists.get(&attacker.side) else {
        return attack;
    };
    let mut target = vec![Property::required(
        "combatant",
        Values::among(targets, vec![json!(attacker.id)]),
    )];
    target.extend(Target::only(&["loses"]));
    let attack = attack.open("targets", Values::only(Values::Object(target)));
    if at_somebody {
        attack.required("targets")
    } else {
        attack
    }
}

/// How a combatant Joins Battle, rolled at the table, with the usual pool.
fn join() -> Vec<Property> {
    Join::only(&["bonus_dice", "successes"])
}

/// Commands of the combatant that has the turn or is next.
fn in_turn(
    encounter: &Encounter,
    lists: &BTreeMap<&Slug, Arc<[Value]>>,
    legal: &mut Vec<LegalCommand>,
    actor: &CombatantId,
) {
    // An action that harms a combatant or is opposed is no free action (VE-8).
    let free_action = LegalCommand::by::<FreeAction>(actor, "VE-6")
        .choose("damaging", [false])
        .choose("opposed", [false]);
    let pass = if matches!(encounter.state.phase, Phase::FollowUp { .. }) {
        LegalCommand::by::<Pass>(actor, "VE-15").labelled("{combatant}: give up the leftover move")
    } else {
        LegalCommand::by::<Pass>(actor, "VE-6")
    };
    let act = LegalCommand::by::<Act>(actor, "VE-10");
    legal.push(LegalCommand::by::<BeginTurn>(actor, "VE-9"));
    legal.push(LegalCommand::by::<Delay>(actor, "VE-12"));
    legal.push(free_action);
    legal.push(pass);
    legal.push(act.clone().only(&["action"]));
    let attacking = act.labelled("{combatant}: attack");
    if let Some(c) = encounter.get(actor) {
        legal.push(attack(lists, c, attacking, false));
    }
    legal.push(LegalCommand::by::<Rush>(actor, "VE-15"));
    legal.push(LegalCommand::by::<Disengage>(actor, "VE-15"));
    legal.push(LegalCommand::by::<Flurry>(actor, "VE-11"));
    legal.push(LegalCommand::by::<Move>(actor, "VE-10"));
    legal.push(LegalCommand::by::<EndTurn>(actor, "VE-9"));
}

/// The approaches, each with the pools that it allows (VE-2 to VE-4).
fn join_battle(encounter: &Encounter, legal: &mut Vec<LegalCommand>, id: &CombatantId) {
    let usual = LegalCommand::by::<JoinBattle>(id, "VE-2").without(&["approach"]);
    legal.push(usual_ability(usual_attribute(usual)));
    for approach in [Approach::Stealth, Approach::Escalation] {
        let (attribute, ability, rule) = approach.swaps();
        let join = LegalCommand::by::<JoinBattle>(id, rule).with("approach", json!(approach));
        let attributes = [json!("wits"), json!(attribute)];
        let abilities = [json!("awareness"), json!(ability)];
        let [both, attribute_swapped, ability_swapped] = join_labels(approach);
        let join = join
            .choose("attribute", attributes)
            .choose("ability", abilities);
        if !encounter.options.single_swap {
            legal.push(join.labelled(both));
            continue;
        }
        // Only one of the two may be swapped (VE-33).
        legal.push(usual_ability(join.clone().labelled(attribute_swapped)));
        legal.push(usual_attribute(join.labelled(ability_swapped)));
    }
}

fn usual_attribute(join: LegalCommand) -> LegalCommand {
    join.choose("attribute", ["wits"]).advanced("attribute")
}

fn usual_ability(join: LegalCommand) -> LegalCommand {
    join.choose("ability", ["awareness"]).advanced("ability")
}

fn join_labels(approach: Approach) -> [&'static str; 3] {
    match approach {
        Approach::Stealth => [
            "{combatant}: join battle from hiding",
            "{combatant}: join battle from hiding with Dexterity",
            "{combatant}: join battle from hiding with Stealth",
        ],
        _ => [
            "{combatant}: join battle as talk turns violent",
            "{combatant}: join battle as talk turns violent with Manipulation",
            "{combatant}: join battle as talk turns violent with Socialize",
        ],
    }
}

fn at_any_time(legal: &mut Vec<LegalCommand>, c: &Combatant, all: &Arc<[Value]>) {
    let id = &c.id;
    let initiative = (c.state.initiative + 20).min(40);
    let motes = c.stats.motes();
    legal.push(LegalCommand::by::<Return>(id, "VE-12"));
    legal.push(LegalCommand::by::<FollowUp>(id, "VE-15"));
    let spend = LegalCommand::by::<SpendInitiative>(id, "VE-25");
    legal.push(
        spend
            .clone()
            .labelled("{combatant}: spend Initiative")
            .range("initiative", 1, initiative)
            .required("initiative")
            .range("motes", 0, motes),
    );
    legal.push(
        spend
            .labelled("{combatant}: spend motes")
            .range("motes", 1, motes)
            .required("motes")
            .range("initiative", 0, initiative),
    );
    let declare = LegalCommand::by::<Declare>(id, "VE-17");
    let known = c
        .state
        .start_effects
        .iter()
        .map(|effect| json!(effect.name));
    let name = Values::NewText(80, known.collect());
    legal.push(declare.open("name", name));
    let adjust = LegalCommand::of::<Adjust>("VE-24")
        .with("combatant", id.as_str())
        .among("source", all, None)
        .object("rejoin", join());
    legal.push(if c.state.timed_changes.len() < MAX_TIMED {
        adjust
    } else {
        adjust.without(&["turns"])
    });
}
