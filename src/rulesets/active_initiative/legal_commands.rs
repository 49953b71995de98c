//! What may be legal under Active Initiative.

use super::decide::{asked, holds_inspiration};
use super::{Encounter, MEANS, Means, Phase};
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
            .whom("first", true, fighters()),
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
    let others_wait = encounter.waiting().nth(1).is_some();
    let mut next = Vec::new();
    for c in encounter.active() {
        if c.id != *actor || !others_wait {
            next.push(&c.id);
        }
    }
    let end = LegalCommand::by("end_turn", actor, "AI-7");
    vec![
        end.clone().whom("next", false, next.clone()),
        end.with("begin", true).whom("next", true, next),
        LegalCommand::by("ready", actor, "AI-12")
            .text("action", true, 200)
            .text("trigger", true, 200),
    ]
}

fn at_a_choice(encounter: &Encounter) -> Vec<LegalCommand> {
    let chooser = encounter.state.last_actor.as_ref();
    let nominate = LegalCommand::by("nominate", chooser, "AI-7");
    let next: Vec<&CombatantId> = encounter.waiting().map(|c| &c.id).collect();
    let mut legal = vec![
        nominate.clone().whom("next", true, next.clone()),
        nominate.with("begin", true).whom("next", true, next),
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
