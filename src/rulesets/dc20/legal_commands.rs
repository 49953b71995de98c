//! The commands that may be legal.

use super::contest::{Contest, candidates, contest_so_far};
use super::points::spendable;
use super::team::{in_reserve, is_enemy, is_pc, may_take, team};
use super::{Combatant, Encounter, Phase, Slot, SlotId, State, Team};
use crate::vocabulary::{
    CombatantId, LegalCommand, MAX_COMBATANTS, Property, Slug, Status, Values, shared_list,
};
use serde_json::Value;
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
        _ => legal.push(LegalCommand::of("resolve", "DC-22")),
    }
    assignments(encounter, &mut legal);
    turns(encounter, &mut legal);
    acts(encounter, &mut legal);
    legal
}

/// The numbers and flags of a newcomer.
pub(super) fn newcomer_fields(_encounter: &Encounter) -> Vec<Property> {
    let numbers = [
        ("level", 1, 20),
        ("agility", -10, 20),
        ("initiative_bonus", -20, 20),
        ("initiative_adv", -5, 5),
        ("max_action_points", 1, 20),
        ("max_legendary_points", 0, 20),
        ("legendary_points_per_turn", 1, 20),
    ];
    let mut fields = Property::numbers(numbers);
    for flag in ["important", "neutral", "reserve"] {
        fields.push(Property::optional(flag, Values::flag()));
    }
    fields
}

fn start(encounter: &Encounter, legal: &mut Vec<LegalCommand>) {
    let mut sides = BTreeSet::new();
    for c in encounter.iter() {
        if is_enemy(c) {
            sides.insert(c.side.as_str());
        }
    }
    let given = LegalCommand::of("start", "DC-2")
        .labelled("Start with a set DC")
        .range("dc", false, 1, 60);
    let looked_up = LegalCommand::of("start", "DC-1")
        .labelled("Start with a DC from the table")
        .range("level", false, 1, 20)
        .choose("difficulty", false, ["easy", "normal", "hard"])
        .or("normal");
    legal.push(with_start_fields(encounter, given, &sides));
    legal.push(with_start_fields(encounter, looked_up, &sides));
    for c in encounter.active() {
        if is_pc(c) && c.state.rolled.is_empty() {
            let check = LegalCommand::by("roll", &c.id, "DC-4");
            legal.push(check.range("roll", false, 1, 20));
        }
    }
}

fn with_start_fields(
    encounter: &Encounter,
    start: LegalCommand,
    sides: &BTreeSet<&str>,
) -> LegalCommand {
    let players = || encounter.active().filter(|c| is_pc(c)).map(|c| &c.id);
    let aggression = vec![
        Property::required("combatant", Values::combatants(players())),
        Property::required("action", Values::Text(200)),
        Property::required("resolved", Values::flag()),
    ];
    let fighters = || Values::combatants(encounter.active().map(|c| &c.id));
    let sides = || Values::words(sides.iter().copied());
    start
        .open(
            "rolls",
            false,
            Values::by_combatant(players(), Values::Range(1, 20)),
        )
        .advanced()
        .open("surprised", false, Values::list(fighters(), MAX_COMBATANTS))
        .open(
            "surprised_sides",
            false,
            Values::list(sides(), MAX_COMBATANTS),
        )
        .open("first_side", false, sides())
        .advanced()
        .object("aggression", false, aggression)
        .advanced()
}

/// Assignments of combatants and sides to turns.
fn assignments(encounter: &Encounter, legal: &mut Vec<LegalCommand>) {
    let state = &encounter.state;
    let mut lists = SlotLists::default();
    let mut free: BTreeMap<&Slug, Vec<&Combatant>> = BTreeMap::new();
    for c in movable(encounter) {
        let assign = LegalCommand::of("assign", "DC-20").with("combatant", c.id.as_str());
        let fits = |slot: &Slot| may_take(state, c, slot);
        let own = c.state.slot.as_ref();
        let is_elsewhere = |slot: &Slot| !slot.removed && own != Some(&slot.id) && fits(slot);
        if state.slots.iter().any(is_elsewhere) {
            let turns = lists.of(state, c);
            let assign = with_slots(state, assign, fits, &turns, own);
            legal.push(assign.alike_values().alike());
        }
        if c.state.slot.is_none() && !in_reserve(state, c) {
            free.entry(&c.side).or_default().push(c);
        }
    }
    for (side, members) in free {
        let assign = LegalCommand::of("assign", "DC-20").with("side", side.as_str());
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
    assign.open("slot", !is_awaited_one, slots)
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
        let claim = LegalCommand::by("claim", id, "DC-17");
        let claim = if tied {
            claim.with("share", true)
        } else {
            claim.flag("share")
        };
        legal.push(alike(id, claim));
        legal.push(alike(id, LegalCommand::by("pass", id, "DC-17")));
    }
    legal.push(LegalCommand::of("resolve", "DC-17"));
    let Some(slot) = state.reached() else {
        return;
    };
    for c in candidates(encounter, slot) {
        // Who has answered may change the answer.
        if state.passed.contains(&c.id) {
            let claim = LegalCommand::by("claim", &c.id, "DC-17");
            legal.push(claim.flag("share"));
        } else if !tied && let Some(claim) = state.claim_of(&c.id) {
            legal.push(LegalCommand::by("claim", &c.id, "DC-19").with("share", !claim.share));
            legal.push(LegalCommand::by("pass", &c.id, "DC-17"));
        }
        let decision = LegalCommand::of("claim", "DC-18")
            .with("combatant", c.id.as_str())
            .with("at_once", true)
            .flag("share");
        legal.push(alike(&c.id, decision));
    }
}

/// Commands of the turns in progress, and of the game master between turns.
fn turns(encounter: &Encounter, legal: &mut Vec<LegalCommand>) {
    legal.push(LegalCommand::of("merge", "DC-25"));
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
        let by = |verb, rule| LegalCommand::by(verb, &c.id, rule);
        let points = c.state.action_point_pool.current.into();
        legal.extend([
            by("end_turn", "DC-45").flag("all"),
            by("delay", "DC-33")
                .labelled("{combatant}: delay to a later PC Turn")
                .choose("slot", true, pc_turns.clone()),
            by("delay", "DC-34")
                .labelled("{combatant}: delay until after someone")
                .whom("behind", true, later.iter().copied()),
            by("ready", "DC-49")
                .range("action_points", true, 1, points)
                .text("action", true, 200)
                .text("trigger", true, 200),
        ]);
    }
}

/// Commands that do not depend on the turn.
fn acts(encounter: &Encounter, legal: &mut Vec<LegalCommand>) {
    let targets = shared_list(encounter.active().map(|c| &c.id));
    for c in encounter.iter() {
        let by = |verb, rule| LegalCommand::by(verb, &c.id, rule);
        let points = c.state.action_point_pool.current.into();
        legal.extend([
            LegalCommand::of("legendary", "DC-52")
                .with("combatant", c.id.as_str())
                .range("legendary_points", true, 1, spendable(encounter, c).into()),
            by("spend_action_points", "DC-44")
                .range("action_points", true, 1, points)
                .text("action", false, 200),
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
