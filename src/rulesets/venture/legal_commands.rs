//! What may be legal under Venture.

use super::decide::MAX_TIMED;
use super::{Approach, Combatant, Encounter, Phase, on_track};
use crate::vocabulary::{CombatantId, LegalCommand, Property, Slug, Status, Values, shared_list};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) fn legal_commands(encounter: &Encounter) -> Vec<LegalCommand> {
    let mut legal = Vec::new();
    let active = shared_list(encounter.active().map(|c| &c.id));
    let all = shared_list(encounter.iter().map(|c| &c.id));
    for c in encounter.active().filter(|c| !c.stats.worthy_foe) {
        let settle = LegalCommand::of("settle", "VE-1").with("combatant", c.id.as_str());
        legal.push(settle.among("loser", true, &active, None));
    }
    if encounter.status == Status::Setup {
        let fighters = encounter.active().map(|c| &c.id);
        let joins = Values::by_combatant(fighters, Values::Object(join()));
        legal.push(
            LegalCommand::of("start", "VE-2")
                .open("joins", false, joins)
                .advanced(),
        );
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
        let outside = LegalCommand::by("act", &c.id, "VE-10a")
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
        legal.push(LegalCommand::by("withdraw", &c.id, "VE-17").choose("name", true, names));
    }
    legal
}

/// The numbers of a newcomer, and whether it is a Worthy Foe.
pub(super) fn newcomer_fields(_encounter: &Encounter) -> Vec<Property> {
    let numbers = [
        ("wits", 0, 20),
        ("dexterity", 0, 20),
        ("manipulation", 0, 20),
        ("stamina", 0, 20),
        ("awareness", 0, 20),
        ("stealth", 0, 20),
        ("socialize", 0, 20),
        ("max_motes", 0, 1000),
    ];
    let mut fields = Property::numbers(numbers);
    fields.push(Property::optional("worthy_foe", Values::flag()));
    fields
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

/// Opens the fields of an attack, which may have to name a target.
fn attack(
    lists: &BTreeMap<&Slug, Arc<[Value]>>,
    attacker: &Combatant,
    attack: LegalCommand,
    at_somebody: bool,
) -> LegalCommand {
    let attack = attack.with("attack", true);
    let Some(targets) = lists.get(&attacker.side) else {
        return attack;
    };
    let target = Values::Object(vec![
        Property::required(
            "combatant",
            Values::among(targets, vec![json!(attacker.id)]),
        ),
        Property::optional("loses", Values::Range(0, 40)),
    ]);
    attack
        .text("action", false, 200)
        .open("targets", at_somebody, Values::only(target))
        .flag("decisive")
        .range("attacker_loses", false, 0, 40)
        .advanced()
}

/// How a combatant Joins Battle, rolled at the table, with the usual pool.
fn join() -> Vec<Property> {
    vec![
        Property::optional("successes", Values::Range(0, 100)),
        Property::optional("bonus_dice", Values::Range(-40, 40)),
    ]
}

/// Commands of the combatant that has the turn or is next.
fn in_turn(
    encounter: &Encounter,
    lists: &BTreeMap<&Slug, Arc<[Value]>>,
    legal: &mut Vec<LegalCommand>,
    actor: &CombatantId,
) {
    // An action that harms a combatant or is opposed is no free action (VE-8).
    let free_action = LegalCommand::by("free_action", actor, "VE-6")
        .choose("damaging", false, [false])
        .or(false)
        .choose("opposed", false, [false])
        .or(false);
    let pass = if matches!(encounter.state.phase, Phase::FollowUp { .. }) {
        LegalCommand::by("pass", actor, "VE-15").labelled("{combatant}: give up the leftover move")
    } else {
        LegalCommand::by("pass", actor, "VE-6")
    };
    let act = LegalCommand::by("act", actor, "VE-10");
    legal.push(LegalCommand::by("begin_turn", actor, "VE-9"));
    legal.push(LegalCommand::by("delay", actor, "VE-12"));
    legal.push(free_action.text("action", true, 200));
    legal.push(pass);
    legal.push(act.clone().text("action", false, 200));
    let attacking = act.labelled("{combatant}: attack");
    if let Some(c) = encounter.get(actor) {
        legal.push(attack(lists, c, attacking, false));
    }
    legal.push(manoeuvre("rush", actor));
    legal.push(manoeuvre("disengage", actor));
    legal.push(LegalCommand::by("flurry", actor, "VE-11"));
    legal.push(LegalCommand::by("move", actor, "VE-10"));
    legal.push(LegalCommand::by("end_turn", actor, "VE-9"));
}

fn manoeuvre(verb: &'static str, actor: &CombatantId) -> LegalCommand {
    LegalCommand::by(verb, actor, "VE-15").flag("moved")
}

/// The approaches, each with the pools that it allows (VE-2 to VE-4).
fn join_battle(encounter: &Encounter, legal: &mut Vec<LegalCommand>, id: &CombatantId) {
    let usual = usual_attribute(LegalCommand::by("join_battle", id, "VE-2"));
    legal.push(join_options(usual_ability(usual)));
    for approach in [Approach::Stealth, Approach::Escalation] {
        let (attribute, ability, rule) = approach.swaps();
        let join = LegalCommand::by("join_battle", id, rule).with("approach", json!(approach));
        let attributes = [json!("wits"), json!(attribute)];
        let abilities = [json!("awareness"), json!(ability)];
        let [both, attribute_swapped, ability_swapped] = join_labels(approach);
        let with_attribute =
            |join: LegalCommand| join.choose("attribute", false, attributes).or("wits");
        let with_ability =
            |join: LegalCommand| join.choose("ability", false, abilities).or("awareness");
        if !encounter.options.single_swap {
            legal.push(join_options(with_ability(with_attribute(
                join.labelled(both),
            ))));
            continue;
        }
        // Only one of the two may be swapped (VE-33).
        let swapped = with_attribute(join.clone().labelled(attribute_swapped));
        legal.push(join_options(usual_ability(swapped)));
        let swapped = with_ability(join.labelled(ability_swapped));
        legal.push(join_options(usual_attribute(swapped)));
    }
}

fn usual_attribute(join: LegalCommand) -> LegalCommand {
    join.choose("attribute", false, ["wits"])
        .or("wits")
        .advanced()
}

fn usual_ability(join: LegalCommand) -> LegalCommand {
    join.choose("ability", false, ["awareness"])
        .or("awareness")
        .advanced()
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

fn join_options(join: LegalCommand) -> LegalCommand {
    join.range("bonus_dice", false, -40, 40)
        .or(0)
        .range("successes", false, 0, 100)
        .advanced()
}

fn at_any_time(legal: &mut Vec<LegalCommand>, c: &Combatant, all: &Arc<[Value]>) {
    let id = &c.id;
    let initiative = (c.state.initiative + 20).min(40);
    let motes = c.stats.motes();
    legal.push(LegalCommand::by("return", id, "VE-12"));
    legal.push(LegalCommand::by("follow_up", id, "VE-15"));
    legal.push(
        spend(id)
            .labelled("{combatant}: spend Initiative")
            .range("initiative", true, 1, initiative)
            .range("motes", false, 0, motes)
            .or(0),
    );
    legal.push(
        spend(id)
            .labelled("{combatant}: spend motes")
            .range("motes", true, 1, motes)
            .range("initiative", false, 0, initiative)
            .or(0),
    );
    let declare = LegalCommand::by("declare", id, "VE-17");
    let known = c
        .state
        .start_effects
        .iter()
        .map(|effect| json!(effect.name));
    let name = Values::NewText(80, known.collect());
    legal.push(changes(declare.open("name", true, name)));
    let mut adjust = changes(LegalCommand::of("adjust", "VE-24").with("combatant", id.as_str()))
        .range("onslaught", false, 0, 1000)
        .choose("crashed", false, [false, true])
        .choose("acted", false, [false, true])
        .among("source", false, all, None)
        .range("recovery_tokens", false, 0, 4)
        .object("rejoin", false, join());
    if c.state.timed_changes.len() < MAX_TIMED {
        adjust = adjust.range("turns", false, 1, 10_000);
    }
    legal.push(adjust);
}

fn spend(id: &CombatantId) -> LegalCommand {
    LegalCommand::by("spend_initiative", id, "VE-25").flag("perilous")
}

/// Opens the fields for changes of Initiative and motes.
fn changes(command: LegalCommand) -> LegalCommand {
    command
        .range("initiative", false, -40, 40)
        .or(0)
        .range("motes", false, -1000, 1000)
        .or(0)
}
