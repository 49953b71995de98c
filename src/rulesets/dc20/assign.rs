//! The game master puts enemies and NPCs into the turns of their teams (DC-17, DC-20, DC-23a, DC-24
//! to DC-26, DC-28, DC-34, DC-38).

use super::delay::follow;
use super::slots::{put_into, reach};
use super::team::{
    asked_by, has_no_turn, holds_place, is_open, known_side, known_slot, may_take, named, team,
};
use super::turn::{begin_awaited, begin_combat, begin_turns};
use super::{Combatant, Dc20, Encounter, Phase, Play, Slot, SlotId, State, Team, Way};
use crate::vocabulary::{
    ASIDE, CombatantId, ConditionSet, Fold, LegalCommand, Participants, Slug, Violation, command,
    event, ids, require,
};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Put enemies into an Enemy Turn or NPCs into an NPC Turn, now or in advance, or move them before
/// they act (DC-20): `combatant` and `others`, or a `side`.
#[command(gm, "[{combatant}: put into a turn][Put all {side} into a turn]")]
pub struct Assign {
    /// The combatant.
    pub combatant: Option<CombatantId>,
    /// The side: all its combatants that have no place and could act in that turn.
    pub side: Option<Slug>,
    /// Other combatants.
    #[default]
    pub others: Vec<CombatantId>,
    /// The turn, empty or not (DC-24); by default the awaited one.
    pub slot: Option<SlotId>,
}

/// Combatants were put into a turn.
#[event("{combatants} {combatants:acts|act} in {slot}.")]
pub struct Assigned {
    /// The turn.
    pub slot: SlotId,
    /// The combatants.
    pub combatants: Participants,
    /// Why they have this place.
    pub because: Way,
}

impl Assign {
    /// Puts combatants into a turn of their team, or moves them there before they act.
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let id = match &self.slot {
            Some(slot) => slot.clone(),
            None => awaited_turn(play, Phase::Assign, "DC-20")?,
        };
        let slot = known_slot(play, "slot", &id)?;
        require(slot.team != Team::Pc, "pc_turn", "DC-17", || {
            format!(
                "{} is a PC Turn. The PC team takes it with \"claim\".",
                id.title()
            )
        })?;
        require(!slot.removed, "slot_merged", "DC-25", || {
            format!("{} was merged into another turn. Use that one.", id.title())
        })?;
        let combatants = assignees(play, self, slot)?;
        begin_combat(play);
        play.emit(Assigned {
            slot: id.clone(),
            combatants: combatants.clone().into(),
            because: Way::Assigned,
        });
        follow(play, &combatants);
        let state = &play.encounter().state;
        if state.slot.as_ref() != Some(&id) {
            return Ok(());
        }
        match state.phase {
            Phase::Assign => begin_awaited(play),
            Phase::Turn if !state.acting.is_empty() => begin_turns(play, combatants, 0),
            _ => {}
        }
        Ok(())
    }
}

/// Begins the awaited Enemy or NPC Turn as it is. Those for whom a taken turn asked are set aside
/// (DC-24b).
pub(super) fn close_question(play: &mut Play<'_>) {
    let encounter = play.encounter();
    if let Some(slot) = encounter.state.reached()
        && !is_open(encounter, slot)
    {
        for combatant in ids(asked_by(encounter, slot)) {
            play.emit(ConditionSet {
                combatant,
                member: None,
                condition: Slug::fixed(ASIDE),
            });
        }
    }
    begin_awaited(play);
}

/// The combatants that a command puts into a turn of their team.
fn assignees(play: &Play<'_>, assign: &Assign, slot: &Slot) -> Result<Vec<CombatantId>, Violation> {
    match (&assign.combatant, &assign.side) {
        (Some(first), None) => named_assignees(play, first, &assign.others, slot),
        (None, Some(side)) if assign.others.is_empty() => {
            waiting_on_side(play.encounter(), side, slot)
        }
        _ => {
            let detail = "An assignment needs either \"combatant\" or \"side\". Send one of them.";
            Err(Violation::field("combatant_or_side", "combatant", detail))
        }
    }
}

/// The named combatants, if each can move into this turn.
fn named_assignees(
    play: &Play<'_>,
    first: &CombatantId,
    others: &[CombatantId],
    slot: &Slot,
) -> Result<Vec<CombatantId>, Violation> {
    let combatants = named(play, first, "others", others)?;
    let rule = if slot.team == Team::Npc {
        "DC-28"
    } else {
        "DC-26"
    };
    let encounter = play.encounter();
    for c in &combatants {
        let fits = may_take(&encounter.state, c, slot);
        require(fits, "wrong_team", rule, || {
            format!(
                "{} belongs to another team than {}. Choose a turn of the right team.",
                slot.id.title(),
                c.id
            )
        })?;
        let elsewhere = c.state.slot.as_ref() != Some(&slot.id);
        require(elsewhere, "already_placed", "DC-20", || {
            format!(
                "{} already acts in {}. Choose another turn.",
                c.id,
                slot.id.title()
            )
        })?;
        check_yet_to_act(encounter, c)?;
    }
    Ok(ids(combatants))
}

/// The combatants on a side that wait for a place and can take this turn.
fn waiting_on_side(
    encounter: &Encounter,
    side: &Slug,
    slot: &Slot,
) -> Result<Vec<CombatantId>, Violation> {
    known_side(encounter, "side", side)?;
    let mut waiting = Vec::new();
    for c in encounter.waiting() {
        let state = &encounter.state;
        if c.side != *side || !has_no_turn(state, c) {
            continue;
        }
        if may_take(state, c, slot) {
            waiting.push(c.id.clone());
        }
    }
    require(!waiting.is_empty(), "nobody_to_assign", "DC-20", || {
        let turn = slot.id.title();
        format!(
            "No combatant of the side \"{side}\" waits for {turn}. Choose another side or turn."
        )
    })?;
    Ok(waiting)
}

/// Refuses a combatant that takes no turn of this round any more.
pub(super) fn check_yet_to_act(encounter: &Encounter, c: &Combatant) -> Result<(), Violation> {
    let id = &c.id;
    let holds_place = holds_place(&encounter.state, c);
    require(!holds_place, "already_placed", "DC-34", || {
        format!("{id} has a delayed turn that comes after an enemy's. Choose another combatant.")
    })?;
    require(c.active(), "not_active", "DC-23a", || {
        format!("{id} is out of the fight. Choose another combatant.")
    })?;
    let begun = c.acted || c.state.slot.is_some() && encounter.state.acting.contains(id);
    require(!begun, "already_acted", "DC-38", || {
        format!("{id} has already acted this round. Choose another combatant.")
    })
}

/// The turn that is awaited in this phase.
pub(super) fn awaited_turn(
    play: &Play<'_>,
    phase: Phase,
    rule: &'static str,
) -> Result<SlotId, Violation> {
    let state = &play.encounter().state;
    match &state.slot {
        Some(slot) if state.phase == phase => Ok(slot.clone()),
        _ => {
            let detail = "No such turn is open now. See \"pending\".";
            Err(Violation::new("nothing_to_take", rule, detail))
        }
    }
}

impl Assigned {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Dc20>) {
        put_into(fold, &self.slot, &self.combatants, self.because);
        // An override puts its combatant into the turn that was awaited.
        let state = fold.state();
        if state.slot.as_ref() == Some(&self.slot)
            && self.combatants.iter().any(|id| state.acting.contains(id))
        {
            reach(state, &self.slot);
        }
    }
}

/// Assignments of combatants and sides to turns.
pub(super) fn options(encounter: &Encounter, legal: &mut Vec<LegalCommand>) {
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
            // A combatant that has a turn keeps it.
            let is_usual = own.is_none() && !assign.requires("slot");
            let assign = assign.alike_values("slot").alike();
            legal.push(assign.preferred_if(is_usual));
        }
        if c.state.slot.is_none() {
            free.entry(&c.side).or_default().push(c);
        }
    }
    for (side, members) in free {
        let assign = LegalCommand::of::<Assign>("DC-20").with("side", side.as_str());
        let fits = |slot: &Slot| members.iter().any(|c| may_take(state, c, slot));
        let assign = with_slots(state, assign, fits, &fitting(state, fits), None);
        // In the last free turn of the round, all the others act.
        let is_last = members.len() > 1 && !has_later(state, fits);
        let is_usual = is_last && !assign.requires("slot");
        legal.push(assign.preferred_if(is_usual));
    }
}

/// True if a free turn that fits comes after the awaited one.
fn has_later(state: &State, fits: impl Fn(&Slot) -> bool) -> bool {
    let awaited = state.reached().map(|slot| &slot.id);
    let mut later = state.slots.iter();
    later.any(|slot| Some(&slot.id) == awaited);
    later.any(|slot| !slot.removed && slot.occupants.is_empty() && fits(slot))
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
    let slots = SlotId::choice(turns.clone(), except.into_iter().collect());
    let assign = assign.open("slot", slots);
    match state.reached() {
        Some(slot) if is_awaited_one => {
            let whom = "[{combatant}][all {side}]";
            assign.labelled(format!("Start {}: {whom}", slot.id.title()))
        }
        _ => assign.required("slot"),
    }
}
