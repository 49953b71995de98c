//! The commands that may be legal.

use super::command::{
    Aggression, Assign, Attack, Claim, Delay, Difficulty, EndTurn, FateCheck, Legendary, Merge,
    Pass, Ready, Resolve, Roll, SpendActionPoints, Start, Trigger, UseAdvantage, UseInspiration,
};
use super::contest::{Contest, candidates, contest_so_far};
use super::points::spendable;
use super::team::{in_reserve, is_enemy, is_pc, may_take, team};
use super::{Combatant, Encounter, Phase, Slot, SlotId, State, Team};
use crate::vocabulary::{
    CombatantId, D20, Fields, LegalCommand, MAX_COMBATANTS, Property, Slug, Status, Values,
    shared_list,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

pub(super) fn legal_commands(encounter: &Encounter) -> Vec<LegalCommand> {
    let mut legal = Vec::new();
    if encounter.status == Status::Setup {
        start(encounter, &mut legal);
        return legal;
    }
    match encounter.state.phase {
        Phase::Claim => claims(encounter, &mut legal),
        _ => legal.push(LegalCommand::of::<Resolve>("DC-22")),
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
    let start = with_start_fields(encounter, &sides);
    legal.push(
        start
            .clone()
            .labelled("Start with a set DC")
            .without(&["level", "difficulty"]),
    );
    let looked_up = start.labelled("Start with a DC from the table");
    legal.push(LegalCommand {
        rule: "DC-1",
        ..looked_up
            .without(&["dc"])
            .or("difficulty", json!(Difficulty::default()))
    });
    for c in encounter.active() {
        if is_pc(c) && c.state.rolled.is_empty() {
            legal.push(LegalCommand::by::<Roll>(&c.id, "DC-4"));
        }
    }
}

fn with_start_fields(encounter: &Encounter, sides: &BTreeSet<&str>) -> LegalCommand {
    let players = || encounter.active().filter(|c| is_pc(c)).map(|c| &c.id);
    let mut aggression = vec![Property::required(
        "combatant",
        Values::combatants(players()),
    )];
    aggression.extend(Aggression::all_but(&[]));
    let fighters = || Values::combatants(encounter.active().map(|c| &c.id));
    let sides = || Values::words(sides.iter().copied());
    LegalCommand::of::<Start>("DC-2")
        .open("rolls", Values::by_combatant(players(), D20::any()))
        .open("surprised", Values::list(fighters(), MAX_COMBATANTS))
        .open("surprised_sides", Values::list(sides(), MAX_COMBATANTS))
        .open("first_side", sides())
        .object("aggression", aggression)
}

/// Assignments of combatants and sides to turns.
fn assignments(encounter: &Encounter, legal: &mut Vec<LegalCommand>) {
    let state = &encounter.state;
    let mut lists = SlotLists::default();
    let mut free: BTreeMap<&Slug, Vec<&Combatant>> = BTreeMap::new();
    for c in movable(encounter) {
        let assign = LegalCommand::of::<Assign>("DC-20").with("combatant", c.id.as_str());
        let fits = |slot: &Slot| may_take(state, c, slot);
        let own = c.state.slot.as_ref();
        let is_elsewhere = |slot: &Slot| !slot.removed && own != Some(&slot.id) && fits(slot);
        if state.slots.iter().any(is_elsewhere) {
            let turns = lists.of(state, c);
            let assign = with_slots(state, assign, fits, &turns, own);
            legal.push(assign.alike_values("slot").alike());
        }
        if c.state.slot.is_none() && !in_reserve(state, c) {
            free.entry(&c.side).or_default().push(c);
        }
    }
    for (side, members) in free {
        let assign = LegalCommand::of::<Assign>("DC-20").with("side", side.as_str());
        let fits = |slot: &Slot| members.iter().any(|c| may_take(state, c, slot));
        legal.push(with_slots(state, assign, fits, &fitting(state, fits), None));
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

/// The turns that the members of a team can take, and those of them that are hidden: each list once.
#[derive(Default)]
struct SlotLists(HashMap<(Team, bool), Arc<[Value]>>);

impl SlotLists {
    /// The turns that a combatant can take, as all of its team can that are hidden or seen as it is.
    fn of(&mut self, state: &State, c: &Combatant) -> Arc<[Value]> {
        let list = self.0.entry((team(state, c), c.hidden));
        list.or_insert_with(|| fitting(state, |slot| may_take(state, c, slot)))
            .clone()
    }
}

/// The turns that fit.
fn fitting(state: &State, fits: impl Fn(&Slot) -> bool) -> Arc<[Value]> {
    let mut turns = Vec::new();
    for slot in state.slots.iter() {
        if !slot.removed && fits(slot) {
            turns.push(Value::from(slot.id.as_str()));
        }
    }
    turns.into()
}

/// The assignment with a choice of these turns, but for the one that the combatant has. The awaited
/// turn need not be named.
fn with_slots(
    state: &State,
    assign: LegalCommand,
    fits: impl Fn(&Slot) -> bool,
    turns: &Arc<[Value]>,
    own: Option<&SlotId>,
) -> LegalCommand {
    let is_awaited_one = state.phase == Phase::Assign
        && state
            .reached()
            .is_some_and(|slot| fits(slot) && own != Some(&slot.id));
    let except = own.map(|own| Value::from(own.as_str()));
    let slots = Values::among_words(turns, except.into_iter().collect());
    let assign = assign.open("slot", slots);
    if is_awaited_one {
        assign
    } else {
        assign.required("slot")
    }
}

/// Answers to the awaited PC Turn: the players' own, and the game master's for all of them.
fn claims(encounter: &Encounter, legal: &mut Vec<LegalCommand>) {
    let state = &encounter.state;
    let contest = contest_so_far(encounter);
    let tied = matches!(contest, Contest::Tied(_));
    // Before the first answer, all seen combatants may answer in the same way.
    let unanswered = state.claims.is_empty() && state.passed.is_empty();
    let alike = |id: &CombatantId, option: LegalCommand| {
        if unanswered && encounter.get(id).is_some_and(|c| !c.hidden) {
            option.alike()
        } else {
            option
        }
    };
    for id in contest.asked() {
        let claim = LegalCommand::by::<Claim>(id, "DC-17").only(&["share"]);
        let claim = if tied {
            claim.with("share", true)
        } else {
            claim
        };
        legal.push(alike(id, claim));
        legal.push(alike(id, LegalCommand::by::<Pass>(id, "DC-17")));
    }
    legal.push(LegalCommand::of::<Resolve>("DC-17"));
    let Some(slot) = state.reached() else {
        return;
    };
    for c in candidates(encounter, slot) {
        // Who has answered may change the answer.
        if state.passed.contains(&c.id) {
            legal.push(LegalCommand::by::<Claim>(&c.id, "DC-17").only(&["share"]));
        } else if !tied && let Some(claim) = state.claim_of(&c.id) {
            let changed = LegalCommand::by::<Claim>(&c.id, "DC-19").only(&[]);
            legal.push(changed.with("share", !claim.share));
            legal.push(LegalCommand::by::<Pass>(&c.id, "DC-17"));
        }
        let decision = LegalCommand::of::<Claim>("DC-18")
            .with("combatant", c.id.as_str())
            .with("at_once", true);
        legal.push(alike(&c.id, decision));
    }
}

/// Commands of the turns in progress, and of the game master between turns.
fn turns(encounter: &Encounter, legal: &mut Vec<LegalCommand>) {
    legal.push(LegalCommand::of::<Merge>("DC-25"));
    let mut pc_turns = Vec::new();
    // Those who come later, or have no turn yet.
    let mut later = Vec::new();
    for slot in encounter.state.later() {
        if slot.team == Team::Pc {
            pc_turns.push(slot.id.as_str());
        }
        later.extend(&slot.occupants);
    }
    for c in encounter.waiting() {
        if c.state.slot.is_none() {
            later.push(&c.id);
        }
    }
    let acting = &encounter.state.acting;
    for c in acting.iter().filter_map(|id| encounter.get(id)) {
        let points = c.state.action_point_pool.current.into();
        legal.extend([
            LegalCommand::by::<EndTurn>(&c.id, "DC-45"),
            LegalCommand::by::<Delay>(&c.id, "DC-33")
                .labelled("{combatant}: delay to a later PC Turn")
                .choose("slot", pc_turns.clone())
                .required("slot"),
            LegalCommand::by::<Delay>(&c.id, "DC-34")
                .labelled("{combatant}: delay until after someone")
                .whom("behind", later.iter().copied())
                .required("behind"),
            LegalCommand::by::<Ready>(&c.id, "DC-49").range("action_points", 1, points),
        ]);
    }
}

/// Commands that do not depend on the turn.
fn acts(encounter: &Encounter, legal: &mut Vec<LegalCommand>) {
    let targets = shared_list(encounter.active().map(|c| &c.id));
    for c in encounter.iter() {
        let points = c.state.action_point_pool.current.into();
        legal.extend([
            LegalCommand::of::<Legendary>("DC-52")
                .with("combatant", c.id.as_str())
                .range("legendary_points", 1, spendable(encounter, c).into()),
            LegalCommand::by::<SpendActionPoints>(&c.id, "DC-44").range("action_points", 1, points),
        ]);
        // Without this check a combatant that cannot attack is tried with every target.
        if encounter.round > 0 && c.active() {
            let attack = LegalCommand::by::<Attack>(&c.id, "DC-11");
            legal.push(attack.among("target", &targets, Some(&c.id)));
        }
        legal.extend([
            LegalCommand::by::<Trigger>(&c.id, "DC-49"),
            LegalCommand::by::<Roll>(&c.id, "DC-4"),
            LegalCommand::by::<UseInspiration>(&c.id, "DC-8"),
            LegalCommand::by::<UseAdvantage>(&c.id, "DC-10"),
        ]);
    }
    legal.push(LegalCommand::of::<FateCheck>("DC-27"));
}
