//! What may be legal under DC20.

use super::contest::{Contest, candidates, contest, result};
use super::decide::spendable;
use super::team::{is_enemy, is_pc, team, waits_unseen};
use super::*;
use crate::vocabulary::{Slug, Status, shared_list};
use serde_json::json;

/// More choices than this of a turn for every enemy are told in words, not one by one.
const MANY: usize = 400;

pub(super) fn legal_commands(table: &Table) -> Vec<LegalCommand> {
    let mut legal_commands = Vec::new();
    match table.status {
        Status::Setup => start(table, &mut legal_commands),
        Status::Running => {
            places(table, &mut legal_commands);
            turns(table, &mut legal_commands);
            acts(table, &mut legal_commands);
            legal_commands.push(LegalCommand::of("fate_check", "DC-27").range("roll", false, 1, 20));
        }
        Status::Ended => {}
    }
    legal_commands
}

fn start(table: &Table, legal_commands: &mut Vec<LegalCommand>) {
    let mut sides: Vec<&str> = table.iter().filter(|c| is_enemy(c)).map(|c| c.side.as_str()).collect();
    sides.sort_unstable();
    sides.dedup();
    let with = |option: LegalCommand| {
        let option = option.like("rolls", "an object from players' characters to the d20 that counts of each", None);
        let option = option.like("surprised", "a list of combatants", None);
        let option = option.like("surprised_sides", "a list of sides", None);
        let option = option.choose("first_team", false, sides.iter().copied());
        let option = option.like("fate", "a list of d20, one less than there are enemy teams at most", None);
        option.like("aggression", "an object: combatant, action, resolved", None)
    };
    legal_commands.push(with(LegalCommand::of("start", "DC-2").range("dc", false, 1, 60)));
    let looked_up = LegalCommand::of("start", "DC-1").range("level", false, 1, 20);
    legal_commands.push(with(looked_up.choose("difficulty", false, ["easy", "normal", "hard"])));
}

/// Who acts in which turn.
fn places(table: &Table, legal_commands: &mut Vec<LegalCommand>) {
    let state = &table.state;
    if state.phase == Phase::Claim {
        claims(table, legal_commands);
    }
    let free = |c: &Creature| c.state.slot.is_none() || waits_unseen(state, c);
    let placeless = |c: &&Creature| free(c) && team(state, c) != Team::Pc;
    let placeless: Vec<&Creature> = table.waiting().filter(placeless).collect();
    let many = placeless.len().saturating_mul(state.slots.len()) > MANY;
    for c in &placeless {
        let assign = LegalCommand::of("assign", "DC-20").with("combatant", c.id.as_str());
        let assign = into_turns(table, assign, &[c], many);
        legal_commands.push(assign.like("also", "a list of others of its team", None));
    }
    let mut sides: Vec<(&Slug, Vec<&Creature>)> = Vec::new();
    for c in placeless.into_iter().filter(|c| c.state.slot.is_none() && !c.stats.reserve) {
        match sides.iter_mut().find(|(side, _)| **side == c.side) {
            Some((_, members)) => members.push(c),
            None => sides.push((&c.side, vec![c])),
        }
    }
    for (side, members) in sides {
        let assign = LegalCommand::of("assign", "DC-20").with("side", side.as_str());
        legal_commands.push(into_turns(table, assign, &members, many));
    }
    if matches!(state.phase, Phase::Assign | Phase::BetweenTurns | Phase::RoundEnd) {
        legal_commands.push(LegalCommand::of("pass", "DC-22"));
    }
    for c in table.active().filter(|c| spendable(table, c) > 0) {
        let legendary = LegalCommand::of("legendary", "DC-52").with("combatant", c.id.as_str());
        legal_commands.push(legendary.range("lap", true, 1, spendable(table, c).into()));
    }
    legal_commands.push(LegalCommand::of("merge", "DC-25"));
}

/// An assignment of one of these, or of all of them, with the turns that they could have.
fn into_turns(table: &Table, assign: LegalCommand, who: &[&Creature], many: bool) -> LegalCommand {
    let state = &table.state;
    let fits = |slot: &Slot| who.iter().any(|c| team(state, c) == slot.team && (c.hidden || !slot.unseen));
    let mut own = state.slots.iter().filter(|slot| !slot.removed && fits(slot)).map(|slot| slot.id.as_str());
    let here = state.phase == Phase::Assign && state.at().is_some_and(fits);
    match own.clone().next().filter(|_| many) {
        Some(first) => assign.like("slot", "a turn of its team", Some(json!(first))),
        None => assign.choose("slot", !here, own.by_ref()),
    }
}

/// Who takes the PC Turn that is awaited: what each member of the PC team can answer, and what the game master can.
fn claims(table: &Table, legal_commands: &mut Vec<LegalCommand>) {
    let (asked, tied) = match contest(table) {
        Contest::Open(asked) | Contest::Needed(asked) => (asked, false),
        Contest::Tied(asked) => (asked, true),
        Contest::Won { .. } | Contest::Unclaimed => (Vec::new(), false),
    };
    for id in &asked {
        let claim = LegalCommand::by("claim", id, "DC-17");
        legal_commands.push(if tied { claim.with("share", true) } else { claim.choose("share", false, [true, false]) });
        legal_commands.push(LegalCommand::by("pass", id, "DC-17"));
    }
    legal_commands.push(LegalCommand::of("pass", "DC-17"));
    let able: Vec<&Creature> = candidates(table).collect();
    for c in &able {
        let mut others = able.iter().filter(|other| other.id != c.id);
        let apart = others.clone().find(|other| result(other) != result(c));
        let Some(other) = apart.or(others.next()) else { continue };
        let told = LegalCommand::of("claim", "DC-18").with("combatant", c.id.as_str());
        let told = told.like("others", "a list of the others who want the turn too", Some(json!([other.id])));
        legal_commands.push(told.clone().choose("share", false, [true, false]));
        legal_commands.push(told.with("share", true));
    }
}

/// What those can do whose turn it is.
fn turns(table: &Table, legal_commands: &mut Vec<LegalCommand>) {
    for c in table.state.acting.iter().filter_map(|id| table.get(id)) {
        legal_commands.push(LegalCommand::by("end_turn", &c.id, "DC-45").choose("all", false, [true, false]));
        let later = table.state.later();
        let to = later.iter().filter(|slot| slot.team == Team::Pc).map(|slot| slot.id.as_str());
        legal_commands.push(LegalCommand::by("delay", &c.id, "DC-33").choose("to", true, to));
        let enemies = later.iter().flat_map(|slot| &slot.occupants);
        let unplaced = table.waiting().filter(|c| c.state.slot.is_none()).map(|c| &c.id);
        legal_commands.push(LegalCommand::by("delay", &c.id, "DC-34").whom("after", true, enemies.chain(unplaced)));
        if c.state.ap.current > 0 {
            let hold = LegalCommand::by("hold", &c.id, "DC-49").range("ap", true, 1, c.state.ap.current.into());
            let hold = hold.like("action", "what will be done", Some(json!("attack")));
            legal_commands.push(hold.like("trigger", "what it waits for", Some(json!("the door opens"))));
        }
    }
}

/// What can be done on one's own turn and between turns.
fn acts(table: &Table, legal_commands: &mut Vec<LegalCommand>) {
    let targets = shared_list(table.active().map(|c| &c.id));
    for c in table.active() {
        if c.state.ap.current > 0 {
            let spend = LegalCommand::by("spend", &c.id, "DC-44").range("ap", true, 1, c.state.ap.current.into());
            legal_commands.push(spend.like("action", "what for", None));
        }
        if table.round > 0 {
            legal_commands.push(LegalCommand::by("attack", &c.id, "DC-11").among(
                "target",
                true,
                &targets,
                Some(&c.id),
            ));
        }
        if c.state.held.is_some() {
            legal_commands.push(LegalCommand::by("trigger_held", &c.id, "DC-49"));
        }
    }
    for c in table.active().filter(|c| is_pc(c) && c.state.check.is_none()) {
        legal_commands.push(LegalCommand::by("initiative_check", &c.id, "DC-4").range("roll", false, 1, 20));
    }
    for c in table.iter() {
        if c.state.inspiration_die {
            legal_commands.push(LegalCommand::by("use_inspiration", &c.id, "DC-8").range("roll", false, 1, 6));
        }
        if c.state.round_one_adv {
            legal_commands.push(LegalCommand::by("use_advantage", &c.id, "DC-10"));
        }
    }
}
