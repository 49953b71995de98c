//! The commands that may be legal.

use super::*;
use crate::vocabulary::shared_list;
use serde_json::json;
use std::collections::BTreeSet;

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
        _ => legal.push(LegalCommand::of("pass", "DC-22")),
    }
    assignments(encounter, &mut legal);
    turns(encounter, &mut legal);
    acts(encounter, &mut legal);
    legal
}

fn start(encounter: &Encounter, legal: &mut Vec<LegalCommand>) {
    let sides: BTreeSet<&str> = encounter
        .iter()
        .filter(|c| is_enemy(c))
        .map(|c| c.side.as_str())
        .collect();
    let given = LegalCommand::of("start", "DC-2").range("dc", false, 1, 60);
    let looked_up = LegalCommand::of("start", "DC-1").range("level", false, 1, 20);
    let looked_up = looked_up.choose("difficulty", false, ["easy", "normal", "hard"]);
    legal.extend([given, looked_up].map(|start| {
        let start = start.like(
            "rolls",
            "an object from players' characters to the d20 that counts of each",
            None,
        );
        let start = start.like("surprised", "a list of combatants", None);
        let start = start.like("surprised_sides", "a list of sides", None);
        let start = start.choose("first_team", false, sides.iter().copied());
        let start = start.like(
            "fate",
            "a list of d20, one less than there are enemy teams at most",
            None,
        );
        start.like("aggression", "an object: combatant, action, resolved", None)
    }));
    let unrolled = encounter
        .active()
        .filter(|c| is_pc(c) && c.state.rolled.is_empty());
    legal.extend(
        unrolled.map(|c| {
            LegalCommand::by("initiative_check", &c.id, "DC-4").range("roll", false, 1, 20)
        }),
    );
}

/// Puts combatants and sides into turns.
fn assignments(encounter: &Encounter, legal: &mut Vec<LegalCommand>) {
    let state = &encounter.state;
    let begun = |c: &Combatant| c.state.slot.is_some() && state.acting.contains(&c.id);
    let movable = |c: &&Combatant| team(state, c) != Team::Pc && !begun(c);
    let free: Vec<&Combatant> = encounter.waiting().filter(movable).collect();
    let many = free.len().saturating_mul(state.slots.len()) > MAX_CHOICES;
    for c in &free {
        let assign = LegalCommand::of("assign", "DC-20").with("combatant", c.id.as_str());
        let fits =
            |slot: &Slot| may_take(state, c, slot) && c.state.slot.as_ref() != Some(&slot.id);
        let assign = into_turns(state, assign, fits, many);
        legal.push(assign.like("also", "a list of others of its team", None));
    }
    let of_sides: Vec<_> = free
        .into_iter()
        .filter(|c| c.state.slot.is_none() && !c.stats.reserve)
        .collect();
    for side in of_sides.iter().map(|c| &c.side).collect::<BTreeSet<_>>() {
        let assign = LegalCommand::of("assign", "DC-20").with("side", side.as_str());
        let fits = |slot: &Slot| {
            of_sides
                .iter()
                .any(|c| c.side == *side && may_take(state, c, slot))
        };
        legal.push(into_turns(state, assign, fits, many));
    }
}

/// Opens an assignment to the turns that fit.
fn into_turns(
    state: &State,
    assign: LegalCommand,
    fits: impl Fn(&Slot) -> bool,
    many: bool,
) -> LegalCommand {
    let here = state.phase == Phase::Assign && state.at().is_some_and(&fits);
    let mut turns = state
        .slots
        .iter()
        .filter(|slot| !slot.removed && fits(slot))
        .map(|slot| slot.id.as_str());
    if many && let Some(first) = turns.next() {
        return assign.like("slot", "a turn of its team", Some(json!(first)));
    }
    assign.choose("slot", !here, turns)
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
    legal.push(LegalCommand::of("pass", "DC-17"));
    for c in encounter
        .state
        .at()
        .into_iter()
        .flat_map(|slot| candidates(encounter, slot))
    {
        if encounter.state.passed.contains(&c.id) {
            legal.push(LegalCommand::by("claim", &c.id, "DC-17").choose(
                "share",
                false,
                [true, false],
            ));
        } else if encounter
            .state
            .claims
            .iter()
            .any(|claim| claim.combatant == c.id)
            && !tied
        {
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
    let later = encounter.state.later();
    let pc_turns = later
        .iter()
        .filter(|slot| slot.team == Team::Pc)
        .map(|slot| slot.id.as_str());
    let unplaced = encounter
        .waiting()
        .filter(|c| c.state.slot.is_none())
        .map(|c| &c.id);
    let others: Vec<_> = later
        .iter()
        .flat_map(|slot| &slot.occupants)
        .chain(unplaced)
        .collect();
    for c in encounter
        .state
        .acting
        .iter()
        .filter_map(|id| encounter.get(id))
    {
        let by = |verb, rule| LegalCommand::by(verb, &c.id, rule);
        let hold = by("hold", "DC-49").range("ap", true, 1, c.state.ap.current.into());
        let hold = hold.like("action", "what will be done", Some(json!("attack")));
        legal.extend([
            by("end_turn", "DC-45").choose("all", false, [true, false]),
            by("delay", "DC-33").choose("to", true, pc_turns.clone()),
            by("delay", "DC-34").whom("after", true, others.iter().copied()),
            hold.like(
                "trigger",
                "what it waits for",
                Some(json!("the door opens")),
            ),
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
            legendary.range("lap", true, 1, spendable(encounter, c).into()),
            by("spend", "DC-44")
                .range("ap", true, 1, c.state.ap.current.into())
                .like("action", "what for", None),
        ]);
        // Who cannot attack would be tried with every target.
        if encounter.round > 0 && c.active() {
            legal.push(by("attack", "DC-11").among("target", true, &targets, Some(&c.id)));
        }
        legal.extend([
            by("trigger_held", "DC-49"),
            by("initiative_check", "DC-4").range("roll", false, 1, 20),
            by("use_inspiration", "DC-8").range("roll", false, 1, 6),
            by("use_advantage", "DC-10"),
        ]);
    }
    legal.push(LegalCommand::of("fate_check", "DC-27").range("roll", false, 1, 20));
}
