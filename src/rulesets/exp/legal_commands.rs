//! What may be legal under EXP.

use super::decide::{can_attack, must_announce};
use super::*;
use crate::vocabulary::shared_list;
use serde_json::json;

const ROLLS: &str = "an object from personas or crowds to the d20 that each rolled";
const TIE_ROLLS: &str = "an object from personas or crowds to a list of d10s, used where they tie";
const TEXT: &str = "in words, at most 200 characters";

pub(super) fn legal_commands(encounter: &Encounter) -> Vec<LegalCommand> {
    let state = &encounter.state;
    let mut legal = match state.phase {
        Phase::Setup => rolls(encounter, "start", "EX-2"),
        Phase::Roll => rolls(encounter, "roll_unit", "EX-3"),
        Phase::Pass if state.duel.is_empty() => {
            let mut legal = Vec::new();
            for c in state.asked.iter().filter_map(|id| encounter.get(id)) {
                answers(encounter, c, &mut legal);
            }
            let waits =
                |c: &&Combatant| [c.state.movement, c.state.act].contains(&Spending::Waited);
            legal.extend(encounter.iter().filter(waits).map(|c| jump(encounter, c)));
            let waits_with_both = |c: &&Combatant| {
                (c.state.movement, c.state.act) == (Spending::Waited, Spending::Waited)
            };
            if encounter.options.jump_both {
                legal.extend(
                    encounter
                        .iter()
                        .filter(waits_with_both)
                        .map(|c| awe_roll(encounter, LegalCommand::by("jump", &c.id, "EX-29"))),
                );
            }
            let keep = |id: &CombatantId| LegalCommand::by("keep_waiting", id, "EX-25b");
            legal.extend(
                deciders(encounter)
                    .iter()
                    .map(|id| keep(id).choose("standing", false, [false, true])),
            );
            legal.push(LegalCommand::of("close_jumps", "EX-25b"));
            legal.extend(mental_attacks(encounter));
            let minds = || {
                encounter
                    .iter()
                    .filter(|c| can_attack(encounter, c).is_ok())
                    .map(|c| &c.id)
            };
            let opponents = shared_list(minds());
            legal.extend(minds().map(|id| {
                let duel = LegalCommand::of("mental_duel", "EX-32").with("combatant", id.as_str());
                rolling(duel.among("opponent", true, &opponents, Some(id)))
            }));
            legal
        }
        Phase::Pass | Phase::SomeoneActs => {
            let decline = state
                .duel
                .iter()
                .map(|id| LegalCommand::by("decline_duel", id, "EX-32a"));
            mental_attacks(encounter).chain(decline).collect()
        }
    };
    let keeping = encounter.iter().filter(|c| c.state.keeps_waiting);
    legal.extend(keeping.map(|c| LegalCommand::by("ask_again", &c.id, "EX-25c")));
    legal
}

/// The roll of all, and before it each persona's own roll.
fn rolls(encounter: &Encounter, verb: &'static str, rule: &'static str) -> Vec<LegalCommand> {
    let own = encounter
        .active()
        .map(|c| LegalCommand::by("roll_initiative", &c.id, rule).range("roll", true, 1, 20));
    let own = own.map(|own| own.like("tie_rolls", "a list of d10s, used in a tie", None));
    std::iter::once(rolling(LegalCommand::of(verb, rule)))
        .chain(own)
        .collect()
}

fn rolling(command: LegalCommand) -> LegalCommand {
    command
        .like("rolls", ROLLS, None)
        .like("tie_rolls", TIE_ROLLS, None)
}

/// The answers of a persona that is asked: what it announced, or any.
fn answers(encounter: &Encounter, c: &Combatant, legal: &mut Vec<LegalCommand>) {
    let state = &c.state;
    let forced = lowest(encounter, state.rank, |_| true);
    let rule = if forced { "EX-15" } else { "EX-14" };
    if let Some(announced) = announced(encounter).filter(|announced| announced.combatant == c.id) {
        let Announced {
            combatant,
            movement,
            act,
            order,
            ..
        } = announced.clone();
        let command = json!(Command::Declare(Declare {
            combatant,
            movement,
            act,
            order
        }));
        return legal.push(LegalCommand {
            command,
            ..LegalCommand::by("declare", &c.id, rule)
        });
    }
    let announces = must_announce(encounter, c);
    for verb in if announces {
        ["announce", "declare"]
    } else {
        ["declare", "announce"]
    } {
        let acts = verb == "announce" || !announces;
        let uses = if acts {
            &[Use::Now, Use::Wait, Use::Nothing][..]
        } else {
            &[Use::Nothing, Use::Wait]
        };
        let text = |answer: LegalCommand| {
            if verb == "announce" {
                answer.like("text", TEXT, None)
            } else {
                answer
            }
        };
        let mut answer = LegalCommand::by(verb, &c.id, rule);
        for (field, _) in [("move", state.movement), ("act", state.act)]
            .iter()
            .filter(|(_, left)| left.open())
        {
            answer = answer.choose(field, true, uses.iter().map(|what| json!(what)));
        }
        legal.push(text(answer));
        let both = LegalCommand::by(verb, &c.id, "EX-20")
            .with("move", json!(Use::Now))
            .with("act", json!(Use::Now));
        let orders = [Sequence::MoveFirst, Sequence::ActFirst].map(|order| json!(order));
        legal.push(text(both.choose("order", true, orders)));
    }
}

/// The wait jump of a persona that has waited.
fn jump(encounter: &Encounter, c: &Combatant) -> LegalCommand {
    let components = [Component::Move, Component::Act].map(|component| json!(component));
    awe_roll(
        encounter,
        LegalCommand::by("jump", &c.id, "EX-25").choose("component", true, components),
    )
}

/// The dice of a wait jump.
fn awe_roll(encounter: &Encounter, jump: LegalCommand) -> LegalCommand {
    let jump = jump.range("roll", false, 1, 20);
    let opposed = encounter.options.awe_mode == AweMode::OpposedD20;
    if opposed {
        jump.range("referee_roll", false, 1, 20)
    } else {
        jump
    }
}

fn mental_attacks(encounter: &Encounter) -> impl Iterator<Item = LegalCommand> {
    let targets = shared_list(encounter.iter().map(|c| &c.id));
    let attack = move |c: &Combatant| {
        LegalCommand::by("mental_attack", &c.id, "EX-31").among(
            "target",
            false,
            &targets,
            Some(&c.id),
        )
    };
    encounter
        .iter()
        .filter(|c| can_attack(encounter, c).is_ok())
        .map(attack)
}
