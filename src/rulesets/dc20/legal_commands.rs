//! The commands that may be legal.

use super::allowance::spendable;
use super::contest::{Contest, candidates, contest};
use super::team::{is_enemy, is_pc, may_take, team};
use super::{Combatant, Encounter, Phase, Slot, State, Team};
use crate::vocabulary::{LegalCommand, Slug, Status, shared_list};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum listed choices of a turn for all enemies; beyond it the choice is described in words.
const MAX_CHOICES: usize = 400;

pub(super) fn legal_commands(encounter: &Encounter) -> Vec<LegalCommand> {
    let mut legal = Vec::new();
    if encounter.status == Status::Setup {
        start(encounter, &mut legal);
        return legal;
    }
    match encounter.state.phase {
        Phase::Claim => claims(encounter, &mut legal),
        _ => legal.push(LegalCommand::of("resolve", "DC-22")),
    }
    assignments(encounter, &mut legal);
    turns(encounter, &mut legal);
    acts(encounter, &mut legal);
    legal
}

fn start(encounter: &Encounter, legal: &mut Vec<LegalCommand>) {
    let mut sides = BTreeSet::new();
    for c in encounter.iter() {
        if is_enemy(c) {
            sides.insert(c.side.as_str());
        }
    }
    let given = LegalCommand::of("start", "DC-2").range("dc", false, 1, 60);
    let looked_up = LegalCommand::of("start", "DC-1").range("level", false, 1, 20);
    let looked_up = looked_up.choose("difficulty", false, ["easy", "normal", "hard"]);
    legal.push(with_start_fields(given, &sides));
    legal.push(with_start_fields(looked_up, &sides));
    for c in encounter.active() {
        if is_pc(c) && c.state.rolled.is_empty() {
            let check = LegalCommand::by("roll", &c.id, "DC-4");
            legal.push(check.range("roll", false, 1, 20));
        }
    }
}

fn with_start_fields(start: LegalCommand, sides: &BTreeSet<&str>) -> LegalCommand {
    let rolls = "an object from players' characters to the d20 that counts of each";
    let start = start.like("rolls", rolls, None);
    let start = start.like("surprised", "a list of combatants", None);
    let start = start.like("surprised_sides", "a list of sides", None);
    let start = start.choose("first_side", false, sides.iter().copied());
    let fate = "a list of d20, one less than there are enemy teams at most";
    let start = start.like("fate_dice", fate, None);
    start.like("aggression", "an object: combatant, action, resolved", None)
}

/// Puts combatants and sides into turns.
fn assignments(encounter: &Encounter, legal: &mut Vec<LegalCommand>) {
    let state = &encounter.state;
    let movable = movable(encounter);
    let many = movable.len().saturating_mul(state.slots.len()) > MAX_CHOICES;
    let mut free: BTreeMap<&Slug, Vec<&Combatant>> = BTreeMap::new();
    for c in movable {
        let assign = LegalCommand::of("assign", "DC-20").with("combatant", c.id.as_str());
        let elsewhere = |slot: &Slot| c.state.slot.as_ref() != Some(&slot.id);
        let assign = into_turns(
            state,
            assign,
            |slot| may_take(state, c, slot) && elsewhere(slot),
            many,
        );
        legal.push(assign.like("others", "a list of others of its team", None));
        if c.state.slot.is_none() && !c.stats.reserve {
            free.entry(&c.side).or_default().push(c);
        }
    }
    for (side, members) in free {
        let assign = LegalCommand::of("assign", "DC-20").with("side", side.as_str());
        let fits = |slot: &Slot| members.iter().any(|c| may_take(state, c, slot));
        legal.push(into_turns(state, assign, fits, many));
    }
}

/// The enemies and NPCs that the game master can put into a turn: their turns have not begun.
fn movable(encounter: &Encounter) -> Vec<&Combatant> {
    let state = &encounter.state;
    let mut movable = Vec::new();
    for c in encounter.waiting() {
        let begun = c.state.slot.is_some() && state.acting.contains(&c.id);
        if team(state, c) != Team::Pc && !begun {
            movable.push(c);
        }
    }
    movable
}

/// Opens an assignment to the turns that fit.
fn into_turns(
    state: &State,
    assign: LegalCommand,
    fits: impl Fn(&Slot) -> bool,
    many: bool,
) -> LegalCommand {
    let here = state.phase == Phase::Assign && state.at().is_some_and(&fits);
    let mut turns = Vec::new();
    for slot in state.slots.iter() {
        if !slot.removed && fits(slot) {
            turns.push(slot.id.as_str());
            if many {
                break;
            }
        }
    }
    match turns.first() {
        Some(first) if many => assign.like("slot", "a turn of its team", Some(json!(first))),
        _ => assign.choose("slot", !here, turns),
    }
}

/// Answers to the awaited PC Turn: of the PC team's members, and of the game master for all of
/// them.
fn claims(encounter: &Encounter, legal: &mut Vec<LegalCommand>) {
    let contest = contest(encounter, false);
    let tied = matches!(contest, Contest::Tied(_));
    for id in contest.asked() {
        let claim = LegalCommand::by("claim", id, "DC-17");
        legal.push(if tied {
            claim.with("share", true)
        } else {
            claim.choose("share", false, [true, false])
        });
        legal.push(LegalCommand::by("pass", id, "DC-17"));
    }
    legal.push(LegalCommand::of("resolve", "DC-17"));
    let state = &encounter.state;
    let Some(slot) = state.at() else {
        return;
    };
    for c in candidates(encounter, slot) {
        if state.passed.contains(&c.id) {
            let claim = LegalCommand::by("claim", &c.id, "DC-17");
            legal.push(claim.choose("share", false, [true, false]));
        } else if !tied && state.claim_of(&c.id).is_some() {
            legal.push(LegalCommand::by("pass", &c.id, "DC-17"));
        }
        let claim = LegalCommand::of("claim", "DC-18")
            .with("combatant", c.id.as_str())
            .with("at_once", true);
        let claim = claim.choose("share", false, [true, false]);
        legal.push(claim.like("others", "a list of the others who want the turn too", None));
    }
}

/// Commands of the turns that are going on, and between turns.
fn turns(encounter: &Encounter, legal: &mut Vec<LegalCommand>) {
    legal.push(LegalCommand::of("merge", "DC-25"));
    let mut pc_turns = Vec::new();
    let mut others = Vec::new();
    for slot in encounter.state.later() {
        if slot.team == Team::Pc {
            pc_turns.push(slot.id.as_str());
        }
        others.extend(&slot.occupants);
    }
    for c in encounter.waiting() {
        if c.state.slot.is_none() {
            others.push(&c.id);
        }
    }
    let acting = &encounter.state.acting;
    for c in acting.iter().filter_map(|id| encounter.get(id)) {
        let by = |verb, rule| LegalCommand::by(verb, &c.id, rule);
        let ready = by("ready", "DC-49").range(
            "action_points",
            true,
            1,
            c.state.action_points.current.into(),
        );
        let ready = ready.like("action", "what will be done", Some(json!("attack")));
        let ready = ready.like(
            "trigger",
            "what it waits for",
            Some(json!("the door opens")),
        );
        legal.extend([
            by("end_turn", "DC-45").choose("all", false, [true, false]),
            by("delay", "DC-33").choose("slot", true, pc_turns.clone()),
            by("delay", "DC-34").whom("behind", true, others.iter().copied()),
            ready,
        ]);
    }
}

/// Commands that do not depend on the turn.
fn acts(encounter: &Encounter, legal: &mut Vec<LegalCommand>) {
    let targets = shared_list(encounter.active().map(|c| &c.id));
    for c in encounter.iter() {
        let by = |verb, rule| LegalCommand::by(verb, &c.id, rule);
        let legendary = LegalCommand::of("legendary", "DC-52").with("combatant", c.id.as_str());
        legal.extend([
            legendary.range("legendary_points", true, 1, spendable(encounter, c).into()),
            by("spend_action_points", "DC-44")
                .range(
                    "action_points",
                    true,
                    1,
                    c.state.action_points.current.into(),
                )
                .like("action", "what for", None),
        ]);
        // Without this check a combatant that cannot attack is tried with every target.
        if encounter.round > 0 && c.active() {
            legal.push(by("attack", "DC-11").among("target", true, &targets, Some(&c.id)));
        }
        legal.extend([
            by("trigger", "DC-49"),
            by("roll", "DC-4").range("roll", false, 1, 20),
            by("use_inspiration", "DC-8").range("roll", false, 1, 6),
            by("use_advantage", "DC-10"),
        ]);
    }
    legal.push(LegalCommand::of("fate_check", "DC-27").range("roll", false, 1, 20));
}
