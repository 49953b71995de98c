//! What may be legal under EXP.

use super::decide::{can_attack, contenders, deciders, must_announce};
use super::state::{announced, lowest};
use super::{
    AweMode, Combatant, Command, Component, Declare, Encounter, Phase, Sequence, Spending, Use,
};
use crate::vocabulary::{CombatantId, LegalCommand, Property, Values, shared_list};
use serde_json::json;

const ALL_USES: [Use; 3] = [Use::Now, Use::Wait, Use::Nothing];

pub(super) fn legal_commands(encounter: &Encounter) -> Vec<LegalCommand> {
    let state = &encounter.state;
    let mut legal = Vec::new();
    match state.phase {
        Phase::Setup => rolls(encounter, "start", "EX-2", &mut legal),
        Phase::Roll => rolls(encounter, "roll", "EX-3", &mut legal),
        Phase::Pass if state.duel.is_empty() => {
            for c in state.asked.iter().filter_map(|id| encounter.get(id)) {
                answers(encounter, c, &mut legal);
            }
            jumps(encounter, &mut legal);
            mental_attacks(encounter, &mut legal);
            mental_duels(encounter, &mut legal);
        }
        Phase::Pass | Phase::SomeoneActs => {
            mental_attacks(encounter, &mut legal);
            for id in &state.duel {
                let decline = LegalCommand::by("pass", id, "EX-32a");
                legal.push(decline.labelled("{combatant}: decline the mental duel"));
            }
        }
    }
    for c in encounter.iter() {
        if c.state.keeps_waiting {
            legal.push(LegalCommand::by("ask_again", &c.id, "EX-25c"));
        }
    }
    legal
}

/// The numbers of a newcomer.
pub(super) fn newcomer_fields(_encounter: &Encounter) -> Vec<Property> {
    Property::numbers([
        ("dex", 1, 26),
        ("awe", 1, 26),
        ("mstr", 0, 26),
        ("level", 1, 100),
    ])
}

/// The roll of all, and before it each persona's own roll.
fn rolls(
    encounter: &Encounter,
    verb: &'static str,
    rule: &'static str,
    legal: &mut Vec<LegalCommand>,
) {
    legal.push(rolling(encounter, LegalCommand::of(verb, rule)));
    for c in encounter.active() {
        let roll = LegalCommand::by("roll", &c.id, rule)
            .range("roll", false, 1, 20)
            .open("tie_dice", false, d10s())
            .advanced();
        legal.push(roll.tool_if(c.state.own_roll.is_some()));
    }
}

/// Opens the fields for the dice that the table rolled.
fn rolling(encounter: &Encounter, command: LegalCommand) -> LegalCommand {
    let contenders = contenders(encounter);
    let everyone = || contenders.iter().map(|contender| &contender.id);
    command
        .open(
            "rolls",
            false,
            Values::by_combatant(everyone(), Values::Range(1, 20)),
        )
        .advanced()
        .open("tie_rolls", false, Values::by_combatant(everyone(), d10s()))
        .advanced()
}

fn d10s() -> Values {
    Values::dice(10, 16)
}

/// The answers of a persona that is asked: what it announced, or any.
fn answers(encounter: &Encounter, c: &Combatant, legal: &mut Vec<LegalCommand>) {
    let forced = lowest(encounter, c.state.rank, |_| true);
    let rule = if forced { "EX-15" } else { "EX-14" };
    if let Some(announced) = announced(encounter)
        && announced.combatant == c.id
    {
        let declare = Declare {
            combatant: announced.combatant.clone(),
            movement: announced.movement,
            act: announced.act,
            order: announced.order,
        };
        return legal.push(LegalCommand {
            command: json!(Command::Declare(declare)),
            ..LegalCommand::by("declare", &c.id, rule)
        });
    }
    if must_announce(encounter, c) {
        answer(c, "announce", rule, &ALL_USES, legal);
        answer(c, "declare", rule, &[Use::Nothing, Use::Wait], legal);
    } else {
        answer(c, "declare", rule, &ALL_USES, legal);
        answer(c, "announce", rule, &ALL_USES, legal);
    }
}

/// One way to answer: what a persona does with each component that it has left, and if it moves and
/// acts, in which order.
fn answer(
    c: &Combatant,
    verb: &'static str,
    rule: &'static str,
    uses: &[Use],
    legal: &mut Vec<LegalCommand>,
) {
    let mut answer = LegalCommand::by(verb, &c.id, rule);
    for (field, left) in [("move", c.state.move_status), ("act", c.state.act_status)] {
        if left.open() {
            answer = answer.choose(field, true, uses.iter().map(|what| json!(what)));
        }
    }
    let both = LegalCommand::by(verb, &c.id, "EX-20")
        .with("move", json!(Use::Now))
        .with("act", json!(Use::Now));
    let orders = [json!(Sequence::MoveFirst), json!(Sequence::ActFirst)];
    let mut both = both.choose("order", true, orders);
    if verb == "announce" {
        answer = answer.text("action", false, 200);
        both = both.text("action", false, 200);
    }
    legal.push(answer);
    legal.push(both);
}

/// The wait jumps of personas that have waited, and the answers of those that are asked to jump.
fn jumps(encounter: &Encounter, legal: &mut Vec<LegalCommand>) {
    for c in encounter.iter() {
        if waits(c, Component::Move) || waits(c, Component::Act) {
            let components = [json!(Component::Move), json!(Component::Act)];
            let jump = LegalCommand::by("jump", &c.id, "EX-25");
            legal.push(awe_roll(
                encounter,
                jump.choose("component", true, components),
            ));
        }
    }
    if encounter.options.jump_both {
        for c in encounter.iter() {
            if waits(c, Component::Move) && waits(c, Component::Act) {
                legal.push(awe_roll(
                    encounter,
                    LegalCommand::by("jump", &c.id, "EX-29")
                        .labelled("{combatant}: jump ahead with move and act"),
                ));
            }
        }
    }
    for id in &deciders(encounter) {
        let keep = LegalCommand::by("pass", id, "EX-25b");
        legal.push(keep.flag("standing"));
    }
    legal.push(LegalCommand::of("resolve", "EX-25b"));
}

fn waits(c: &Combatant, component: Component) -> bool {
    c.state.of(component) == Spending::Waited
}

/// The dice of a wait jump.
fn awe_roll(encounter: &Encounter, jump: LegalCommand) -> LegalCommand {
    let jump = jump.text("action", false, 200).range("roll", false, 1, 20);
    if encounter.options.awe_mode == AweMode::OpposedD20 {
        jump.range("referee_roll", false, 1, 20)
    } else {
        jump
    }
}

fn mental_attacks(encounter: &Encounter, legal: &mut Vec<LegalCommand>) {
    let targets = shared_list(encounter.iter().map(|c| &c.id));
    for id in minds(encounter) {
        let attack = LegalCommand::by("mental_attack", id, "EX-31");
        legal.push(attack.among("target", false, &targets, Some(id)));
    }
}

fn mental_duels(encounter: &Encounter, legal: &mut Vec<LegalCommand>) {
    let minds = minds(encounter);
    let opponents = shared_list(minds.iter().copied());
    for id in minds {
        let duel = LegalCommand::of("mental_duel", "EX-32").with("combatant", id.as_str());
        legal.push(duel.among("opponent", true, &opponents, Some(id)));
    }
}

/// The personas that can attack with their minds.
fn minds(encounter: &Encounter) -> Vec<&CombatantId> {
    let mut minds = Vec::new();
    for c in encounter.iter() {
        if can_attack(encounter, c).is_ok() {
            minds.push(&c.id);
        }
    }
    minds
}
