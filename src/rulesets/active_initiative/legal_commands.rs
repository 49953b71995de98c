//! What may be legal under Active Initiative.

use super::decide::{asked, check_nominee, holds_inspiration};
use super::{Combatant, Encounter, MEANS, Means, Phase};
use crate::vocabulary::{CombatantId, LegalCommand, Property, Values};
use serde_json::json;

pub(super) fn legal_commands(encounter: &Encounter) -> Vec<LegalCommand> {
    let mut legal = match &encounter.state.phase {
        Phase::Setup => return before_the_start(encounter),
        Phase::Over | Phase::SomeoneActs => Vec::new(),
        Phase::InTurn { actor } => in_turn(encounter, actor),
        Phase::Nominate {} | Phase::NominateFirst {} => at_a_choice(encounter),
        Phase::Window { nominee, .. } => in_window(encounter, nominee),
    };
    for c in encounter.active() {
        if c.state.readied.is_some() {
            legal.push(LegalCommand::by("trigger", &c.id, "AI-12"));
        }
    }
    for c in encounter.iter() {
        if holds_inspiration(encounter, c) {
            legal.push(LegalCommand::by("spend_inspiration", &c.id, "AI-29"));
            legal.push(LegalCommand::of("inspire", "AI-28").with("combatant", c.id.as_str()));
        }
    }
    legal
}

/// The numbers of a newcomer.
pub(super) fn newcomer_fields(encounter: &Encounter) -> Vec<Property> {
    let mut fields = Property::numbers([("int_modifier", -10, 20), ("dex", 0, 50), ("wis", 0, 50)]);
    // Otherwise it depends on the kind whether a newcomer can hold some.
    if encounter.options.npc_inspiration {
        fields.extend(Property::numbers([("inspiration", 0, 3)]));
    }
    fields
}

fn before_the_start(encounter: &Encounter) -> Vec<LegalCommand> {
    let fighters = || encounter.active().map(|c| &c.id);
    let d20s = || Values::by_combatant(fighters(), Values::Range(1, 20));
    let mut legal = vec![
        LegalCommand::of("start", "AI-2")
            .labelled("Start: choose who goes first")
            .whom("first", true, fighters())
            .alike_values(),
        LegalCommand::of("start", "AI-3")
            .labelled("Start: roll for the first turn")
            .open("rolls", false, d20s())
            .advanced()
            .open("roll_offs", false, d20s())
            .advanced(),
    ];
    for c in encounter.active() {
        let roll = LegalCommand::by("roll", &c.id, "AI-3").range("roll", false, 1, 20);
        legal.push(roll.tool_if(c.state.own_die.is_some()));
    }
    legal
}

fn in_turn(encounter: &Encounter, actor: &CombatantId) -> Vec<LegalCommand> {
    let next = after_turn(encounter, actor);
    let end = LegalCommand::by("end_turn", actor, "AI-7");
    vec![
        end.clone().whom("next", false, next.clone()).alike_values(),
        end.with("begin", true)
            .whom("next", true, next)
            .alike_values(),
        LegalCommand::by("ready", actor, "AI-12")
            .text("action", true, 200)
            .text("trigger", true, 200),
    ]
}

/// The combatants that may act next once this turn ends: the others that wait, or all others in the
/// next round, or the actor alone.
fn after_turn<'t>(encounter: &'t Encounter, actor: &CombatantId) -> Vec<&'t CombatantId> {
    let is_other = |c: &&Combatant| c.id != *actor;
    let waiting: Vec<_> = encounter
        .waiting()
        .filter(is_other)
        .map(|c| &c.id)
        .collect();
    if !waiting.is_empty() {
        return waiting;
    }
    let others: Vec<_> = encounter.active().filter(is_other).map(|c| &c.id).collect();
    if !others.is_empty() {
        return others;
    }
    encounter.active().map(|c| &c.id).collect()
}

fn at_a_choice(encounter: &Encounter) -> Vec<LegalCommand> {
    let chooser = encounter.state.last_actor.as_ref();
    let nominate = LegalCommand::by("nominate", chooser, "AI-7");
    let mut next = Vec::new();
    for c in encounter.waiting() {
        if check_nominee(encounter, c).is_ok() {
            next.push(&c.id);
        }
    }
    let begin = nominate.clone().with("begin", true);
    let mut legal = vec![
        nominate.whom("next", true, next.clone()).alike_values(),
        begin.whom("next", true, next).alike_values(),
    ];
    legal.extend(interrupts(encounter, &[Means::Damage]));
    legal
}

fn in_window(encounter: &Encounter, nominee: &CombatantId) -> Vec<LegalCommand> {
    let mut legal = vec![LegalCommand::by("begin_turn", nominee, "AI-7")];
    legal.extend(interrupts(encounter, &MEANS));
    legal
}

/// What the combatants that could interrupt may send, and what ends the wait for them.
fn interrupts(encounter: &Encounter, means: &[Means]) -> Vec<LegalCommand> {
    let mut legal = Vec::new();
    for id in asked(encounter) {
        let means = means.iter().map(|means| json!(means));
        let interrupt = LegalCommand::by("interrupt", &id, "AI-17");
        legal.push(interrupt.choose("means", true, means));
        legal.push(LegalCommand::by("pass", &id, "AI-17b"));
    }
    legal.push(LegalCommand::of("resolve", "AI-17b"));
    legal
}
