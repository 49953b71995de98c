//! What may be legal under EXP.

use super::decide::may_attack;
use super::*;
use crate::vocabulary::{Status, shared_list};

const ROLLS: &str = "an object from personas or crowds to the d20 that each rolled";
const TIE_ROLLS: &str = "an object from personas or crowds to a list of d10s, used where they tie";

pub(super) fn legal_commands(table: &Table) -> Vec<LegalCommand> {
    let state = &table.state;
    match state.phase {
        _ if table.status == Status::Ended => Vec::new(),
        Phase::Setup => vec![rolling(LegalCommand::of("start", "EX-2"))],
        Phase::SomeoneActs => mental_attacks(table).collect(),
        Phase::Roll => vec![rolling(LegalCommand::of("roll_unit", "EX-3"))],
        Phase::Pass if !state.duel.is_empty() => {
            let decline = state.duel.iter().map(|id| LegalCommand::by("decline_duel", id, "AEX14"));
            mental_attacks(table).chain(decline).collect()
        }
        Phase::Pass => {
            let mut legal_commands = Vec::new();
            for c in state.asked.iter().filter_map(|id| table.get(id)) {
                answers(table, c, &mut legal_commands);
            }
            legal_commands.extend(table.iter().filter(|c| !state.asked.contains(&c.id)).filter_map(|c| jump(table, c)));
            legal_commands.extend(mental_attacks(table));
            let minds: Vec<_> = table.iter().filter(|c| may_attack(c)).collect();
            let opponents = shared_list(minds.iter().map(|c| &c.id));
            for c in &minds {
                let duel = LegalCommand::of("mental_duel", "EX-32").with("combatant", c.id.as_str());
                legal_commands.push(rolling(duel.among("opponent", true, &opponents, Some(&c.id))));
            }
            legal_commands
        }
    }
}

fn rolling(option: LegalCommand) -> LegalCommand {
    option.like("rolls", ROLLS, None).like("tie_rolls", TIE_ROLLS, None)
}

/// The answers of one who is asked: what was announced, or else any.
fn answers(table: &Table, c: &Persona, legal_commands: &mut Vec<LegalCommand>) {
    let state = &c.state;
    let forced = lowest(table, state.rank);
    let rule = if forced { "EX-15" } else { "EX-14" };
    if let Some(announced) = announced(table).filter(|announced| announced.combatant == c.id) {
        let mut option = LegalCommand::by("declare", &c.id, rule);
        let uses = [("move", announced.movement), ("act", announced.act)];
        for (field, what) in uses.into_iter().filter_map(|(field, what)| Some((field, what?))) {
            option.set(field, word(what).into());
        }
        if let Some(order) = announced.order {
            option.set("order", sequence(order).into());
        }
        legal_commands.push(option);
        return;
    }
    let uses = if forced { &[Use::Now, Use::Nothing][..] } else { &[Use::Now, Use::Wait, Use::Nothing] };
    for verb in ["declare", "announce"] {
        let text = |option: LegalCommand| {
            if verb == "announce" { option.like("text", "in words, at most 200 characters", None) } else { option }
        };
        let mut option = LegalCommand::by(verb, &c.id, rule);
        for (field, _) in [("move", state.movement), ("act", state.act)].iter().filter(|(_, left)| left.open()) {
            option = option.choose(field, true, uses.iter().map(|what| word(*what)));
        }
        legal_commands.push(text(option));
        if state.movement.open() && state.act.open() {
            let both = LegalCommand::by(verb, &c.id, "EX-20").with("move", word(Use::Now)).with("act", word(Use::Now));
            let sequences = [Sequence::MoveFirst, Sequence::ActFirst].map(sequence);
            legal_commands.push(text(both.choose("order", true, sequences)));
        }
    }
}

fn word(what: Use) -> &'static str {
    match what {
        Use::Now => "now",
        Use::Wait => "wait",
        Use::Nothing => "nothing",
    }
}

fn sequence(order: Sequence) -> &'static str {
    match order {
        Sequence::MoveFirst => "move_first",
        Sequence::ActFirst => "act_first",
    }
}

/// The wait jumps of one who has waited with something.
fn jump(table: &Table, c: &Persona) -> Option<LegalCommand> {
    let state = &c.state;
    let waited = [("move", state.movement), ("act", state.act)].into_iter();
    let mut waited = waited.filter(|(_, left)| *left == Spending::Waited).map(|(name, _)| name).peekable();
    waited.peek()?;
    let option = LegalCommand::by("jump", &c.id, "EX-25").choose("component", true, waited).range("roll", false, 1, 20);
    let opposed = table.options.awe_mode == AweMode::OpposedD20;
    Some(if opposed { option.range("referee_roll", false, 1, 20) } else { option })
}

fn mental_attacks(table: &Table) -> impl Iterator<Item = LegalCommand> {
    let targets = shared_list(table.iter().map(|c| &c.id));
    let attack = move |c: &Persona| {
        LegalCommand::by("mental_attack", &c.id, "EX-31").among("target", false, &targets, Some(&c.id))
    };
    table.iter().filter(|c| may_attack(c)).map(attack)
}
