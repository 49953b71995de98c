//! What events do to a fight under `custom`; no rules here.

use super::definition::*;
use super::query::{declaration, is_skipped, phase, pool_size, turns};
use super::*;
use crate::vocabulary::{CachedCombatant, RosterEvent, SharedEvent, Status};
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn evolve(encounter: &mut Encounter, event: &AnyEvent<Custom>) {
    apply(encounter, event);
    drop_hidden_scores(encounter);
}

fn apply(encounter: &mut Encounter, event: &AnyEvent<Custom>) {
    match event {
        AnyEvent::Own(event) => evolve_own(encounter, event),
        AnyEvent::Shared(SharedEvent::RoundStarted(_)) => start_round(encounter),
        AnyEvent::Shared(SharedEvent::TurnEnded(e)) => end_turn(encounter, &e.combatant),
        AnyEvent::Shared(SharedEvent::CombatantLeft(e)) => leave(encounter, &e.combatant),
        AnyEvent::Roster(RosterEvent::CombatantJoined { combatant })
            if encounter.status == Status::Running =>
        {
            enter(encounter, &combatant.id);
        }
        AnyEvent::Roster(RosterEvent::CombatantUpdated { .. })
            if encounter.status == Status::Running =>
        {
            add_sides(encounter);
        }
        AnyEvent::Shared(_) | AnyEvent::Roster(_) => {}
    }
}

fn evolve_own(encounter: &mut Encounter, event: &Event) {
    let state = &mut encounter.state;
    match event {
        Event::Surprised(e) => encounter.change_state(&e.combatant, |s| s.surprised = true),
        Event::SideOpens(e) => {
            state
                .sides
                .iter_mut()
                .for_each(|side| side.first = side.side == e.side);
            sort_sides(state);
        }
        Event::DeclarationsOpened(_) => state.mode = Mode::Declaring,
        Event::Declared(e) => declare(encounter, &e.combatant, e.choice.clone()),
        Event::Shown(e) => e
            .choices
            .iter()
            .for_each(|e| declare(encounter, &e.combatant, Some(e.choice.clone()))),
        Event::RollOpened(_) => state.mode = Mode::Rolling,
        Event::Scored(e) => score(encounter, e),
        Event::Placed(e) => place(encounter, e),
        Event::CameLate(e) => {
            encounter.change_state(&e.combatant, |s| s.turns_left = e.turns);
            let kept = usize::try_from(e.turns).unwrap_or(usize::MAX);
            let open = encounter
                .state
                .places
                .iter_mut()
                .filter(|place| place.combatant == e.combatant && !place.done);
            open.rev()
                .skip(kept)
                .for_each(|place| set_done(place, true));
        }
        Event::Reshuffled(_) => reshuffle(state),
        Event::PhaseBegun(e) => {
            begin_phase(state, e.phase);
            let begun = |s: &CombatantState| s.turns_in_phase > 0 || s.passed;
            encounter.change_states(begun, |s| (s.turns_in_phase, s.passed) = (0, false));
        }
        Event::ChoiceOpened(_) => state.mode = Mode::Choosing,
        Event::Begun(e) => begin(encounter, e),
        Event::Skipped(e) => encounter.change_state(&e.combatant, |s| s.surprised = false),
        Event::StepBegun(e) => {
            if let Some(turn) = state.turns.last_mut() {
                turn.step = e.step;
                turn.done.clear();
            }
        }
        Event::StepDone(e) => state
            .turns
            .last_mut()
            .into_iter()
            .for_each(|turn| turn.done.push(e.combatant.clone())),
        Event::GapOpened(e) => open_gap(state, e.stalled),
        Event::Passed(e) => match &mut state.mode {
            Mode::Gap { passed, .. } => passed.push(e.combatant.clone()),
            _ => encounter.change_state(&e.combatant, |s| s.passed = true),
        },
        Event::Waited(e) => {
            remove_from_turn(state, &e.combatant);
            set_last(state, Some(e.combatant.clone()));
            // The end of this turn has counted.
            encounter.change(&e.combatant, |c| c.acted = true);
            encounter.change_state(&e.combatant, |s| {
                s.waiting = true;
                s.counted.clone_from(&e.counted);
                s.turns_left = s.turns_left.saturating_add(1);
                s.turns_in_phase = s.turns_in_phase.saturating_sub(1);
            });
        }
        Event::WaitLapsed(e) => lapse(encounter, &e.combatant),
        Event::Moved(e) => move_place(encounter, e),
        Event::LapEnded(_) => {
            encounter.counted.clear();
            encounter.change_states(|s| s.lapped, |s| s.lapped = false);
        }
        Event::ClockAdvanced(e) => state.tick = e.tick,
        Event::Scheduled(e) => schedule(state, e),
        Event::PoolChanged(e) => {
            encounter.change_state(&e.combatant, |s| set_points(&mut s.pools, &e.pool, e.left));
        }
        Event::TablePoolChanged(e) => _ = state.pools.insert(e.pool.clone(), e.left),
        Event::Interjected(e) => encounter.change_state(&e.combatant, |s| {
            if !s.used.contains(&e.pool) {
                s.used.push(e.pool.clone());
            }
        }),
        Event::Standstill(_) => {
            state.mode = Mode::Standstill;
            state.turns.clear();
        }
    }
}

/// Lets cards go back. Those of the round's places stay out, if its scores are known.
fn reshuffle(state: &mut State) {
    let mut kept = Vec::new();
    if state.rolled {
        take_out(&mut kept, state.places.iter().map(|place| &*place.score));
    }
    state.cards = kept;
}

/// Takes the cards of scores out of the deck. A group has one card for all its places.
fn take_out<'t>(out: &mut Vec<Card>, scores: impl Iterator<Item = &'t Score>) {
    for card in scores.filter_map(|score| score.card) {
        if !out.contains(&card) {
            out.push(card);
        }
    }
}

/// Opens a gap. One that follows another in the same round keeps who has passed.
fn open_gap(state: &mut State, stalled: bool) {
    let passed = match std::mem::take(&mut state.mode) {
        Mode::Gap { passed, .. } => passed,
        _ => Vec::new(),
    };
    state.mode = Mode::Gap { passed, stalled };
}

/// Takes the turn from a combatant that waits. If it is lost because the combatant has no turns,
/// the effects have counted it.
fn lapse(encounter: &mut Encounter, id: &CombatantId) {
    let options = encounter.options.clone();
    encounter.change(id, |c| {
        let lost = !c.active() || is_skipped(options.definition(), c);
        c.acted |= lost && !c.state.counted.is_empty();
        c.state.waiting = false;
        c.state.turns_left = 0;
        c.state.counted.clear();
    });
}

fn declare(encounter: &mut Encounter, id: &CombatantId, choice: Option<Slug>) {
    encounter.change_state(id, |s| (s.has_declared, s.declared) = (true, choice));
}

/// A round: everybody has turns, pools refill, places are open again.
fn start_round(encounter: &mut Encounter) {
    add_sides(encounter);
    let options = encounter.options.clone();
    let (definition, first) = (options.definition(), encounter.round == 1);
    refill(definition, None, &mut encounter.state.pools, first);
    for c in encounter.combatants.iter_mut() {
        refresh(definition, c, first);
    }
    let used = definition
        .wait
        .as_ref()
        .is_some_and(|wait| wait.lasts == Lasts::Used);
    let Encounter {
        state, combatants, ..
    } = encounter;
    if definition.clock.is_none() {
        for place in &mut state.places {
            let waits = used
                && combatants
                    .find(&place.combatant)
                    .is_some_and(|c| c.state.waiting);
            set_done(place, waits);
        }
    }
    if let Mode::Gap { passed, .. } = &mut state.mode {
        passed.clear();
    }
    begin_phase(state, 0);
    if first || definition.score.as_ref().is_some_and(|score| score.reroll) {
        state.rolled = false;
    }
    state.sides.iter_mut().for_each(|side| side.yields = false);
    sort_sides(state);
}

fn begin_phase(state: &mut State, phase: u32) {
    (state.phase, state.last_side) = (phase, None);
    state.sides.iter_mut().for_each(|side| side.count = None);
}

/// What a new round gives back to a combatant.
fn refresh(definition: &Definition, c: &mut CachedCombatant<Custom>, first: bool) {
    let CombatantState {
        waiting,
        counted,
        lapped,
        surprised,
        mut pools,
        ..
    } = c.state.clone();
    let turns_left = if waiting { 1 } else { turns(definition, c) };
    let surprised = surprised && (first || definition.surprise == Surprise::Skips);
    refill(definition, Some(c), &mut pools, first);
    c.change().state = CombatantState {
        turns_left,
        waiting,
        counted,
        lapped,
        surprised,
        pools,
        ..CombatantState::default()
    };
}

/// Sets a combatant's points; pools without any are left out, so that it is cheap to copy.
fn set_points(pools: &mut BTreeMap<Slug, u32>, pool: &Slug, left: u32) {
    if left == 0 {
        pools.remove(pool);
    } else {
        pools.insert(pool.clone(), left);
    }
}

/// Fills the pools of a combatant, or of the table, for a round.
fn refill(
    definition: &Definition,
    c: Option<&Combatant>,
    pools: &mut BTreeMap<Slug, u32>,
    first: bool,
) {
    let of = if c.is_some() {
        Owner::Combatant
    } else {
        Owner::Table
    };
    for (name, pool) in definition.pools.iter().filter(|(_, pool)| pool.of == of) {
        let (max, start) = pool_size(definition, c, pool);
        match (of, if first { start } else { max }) {
            _ if !first && pool.refill != Refill::Round => {}
            (Owner::Combatant, left) => set_points(pools, name, left),
            (Owner::Table, left) => _ = pools.insert(name.clone(), left),
        }
    }
}

/// What a combatant has that joins a fight that goes on.
fn enter(encounter: &mut Encounter, id: &CombatantId) {
    add_sides(encounter);
    let options = encounter.options.clone();
    let Some(c) = encounter.combatants.find_mut(id) else {
        return;
    };
    refresh(options.definition(), c, true);
    let choice = declaration(options.definition(), c);
    if choice.is_some() && encounter.state.mode != Mode::Declaring {
        declare(encounter, id, choice);
    }
}

fn new_place(scored: &ScoredPlace, moved: bool) -> CachedJson<Place> {
    let ScoredPlace {
        combatant,
        turn,
        score,
    } = scored.clone();
    Place {
        combatant,
        turn,
        done: false,
        moved,
        score,
    }
    .into()
}

fn set_done(place: &mut CachedJson<Place>, done: bool) {
    if place.done != done {
        *place = Place {
            done,
            ..Place::clone(place)
        }
        .into();
    }
}

fn score(encounter: &mut Encounter, e: &Scored) {
    let state = &mut encounter.state;
    state.rolled = true;
    state.places = e
        .places
        .iter()
        .map(|scored| new_place(scored, false))
        .collect();
    take_out(&mut state.cards, e.places.iter().map(|place| &*place.score));
    if !e.sides.is_empty() {
        let combatants = &encounter.combatants;
        let is_hidden = |id: &CombatantId| combatants.find(id).is_some_and(|c| c.hidden);
        for side in &mut state.sides {
            let scored = e.sides.iter().find(|scored| scored.side == side.side);
            side.yields = scored.is_some_and(|scored| scored.yields);
            side.score = scored.map(|scored| scored.score.clone());
            side.score_hidden =
                scored.is_some_and(|scored| scored.combatants.iter().all(is_hidden));
        }
        sort_sides(state);
    }
    let in_sides = e.sides.iter().flat_map(|scored| &scored.combatants.0);
    e.places
        .iter()
        .map(|scored| &scored.combatant)
        .chain(in_sides)
        .for_each(|id| use_up_roll(encounter, id));
}

fn use_up_roll(encounter: &mut Encounter, id: &CombatantId) {
    if encounter.get(id).is_some_and(|c| c.stats.roll.is_some()) {
        encounter.change(id, |c| c.stats.roll = None);
    }
}

fn place(encounter: &mut Encounter, e: &Placed) {
    let state = &mut encounter.state;
    for scored in &e.places {
        let new = new_place(scored, e.last);
        let before = |place: &CachedJson<Place>| !place.moved && place.score.key > new.score.key;
        let at = state
            .places
            .iter()
            .position(before)
            .filter(|_| !e.last)
            .unwrap_or(state.places.len());
        state.places.insert(at, new);
    }
    take_out(&mut state.cards, e.places.iter().map(|place| &*place.score));
    e.places
        .iter()
        .for_each(|scored| use_up_roll(encounter, &scored.combatant));
}

fn begin(encounter: &mut Encounter, e: &Begun) {
    if e.kind != TurnKind::Bought {
        give_back_uses(encounter);
        e.combatants
            .iter()
            .for_each(|id| take_turn(encounter, id, e.kind));
    }
    encounter.state.mode = Mode::Turn;
    let combatants = e.combatants.to_vec();
    encounter.state.turns.push(Turn {
        combatants,
        done: Vec::new(),
        step: 0,
        kind: e.kind,
    });
}

/// Lets pools pay again, except for combatants whose bought turn is not over.
fn give_back_uses(encounter: &mut Encounter) {
    let bought = encounter
        .state
        .turns
        .iter()
        .filter(|turn| turn.kind == TurnKind::Bought);
    let bought: Vec<CombatantId> = bought.flat_map(|turn| turn.combatants.clone()).collect();
    let users = ids(encounter
        .iter()
        .filter(|c| !c.state.used.is_empty() && !bought.contains(&c.id)));
    for id in users {
        encounter.change_state(&id, |s| s.used.clear());
    }
}

/// Uses up a turn of a combatant, and its place.
fn take_turn(encounter: &mut Encounter, id: &CombatantId, kind: TurnKind) {
    let (options, pick) = (encounter.options.clone(), phase(encounter).pick);
    let definition = options.definition();
    let Some(c) = encounter.get_mut(id) else {
        return;
    };
    for (name, pool) in definition
        .pools
        .iter()
        .filter(|(_, pool)| pool.of == Owner::Combatant)
    {
        let points = match pool.refill {
            Refill::Turn => pool_size(definition, Some(c), pool).0,
            Refill::Ready => 0,
            Refill::Round | Refill::Hand => continue,
        };
        set_points(&mut c.state.pools, name, points);
    }
    c.state.turns_left = c.state.turns_left.saturating_sub(1);
    c.state.turns_in_phase = c.state.turns_in_phase.saturating_add(1);
    (c.state.waiting, c.state.surprised) = (false, false);
    let (side, state) = (c.side.clone(), &mut encounter.state);
    let normal = kind == TurnKind::Normal;
    let alternates = normal || kind == TurnKind::Overridden;
    let open = |place: &&mut CachedJson<Place>| place.combatant == *id && !place.done;
    if definition.clock.is_none()
        && let Some(place) = state.places.iter_mut().find(open)
    {
        set_done(place, true);
        if normal
            && pick == Pick::Order
            && !place.moved
            && let Some(known) = state.sides.iter_mut().find(|known| known.side == side)
        {
            known.count = Some(place.score.clone());
        }
    }
    if alternates {
        state.last_side = Some(side);
    }
}

/// Takes a combatant out of the turn that is going on, which is over when it was the last one.
fn remove_from_turn(state: &mut State, id: &CombatantId) -> Option<TurnKind> {
    let turn = state.turns.last_mut()?;
    turn.combatants.retain(|c| c != id);
    let kind = turn.kind;
    state.turns.pop_if(|turn| turn.combatants.is_empty());
    Some(kind)
}

fn end_turn(encounter: &mut Encounter, id: &CombatantId) {
    let Some(kind) = remove_from_turn(&mut encounter.state, id) else {
        return;
    };
    let bought = kind == TurnKind::Bought;
    let clock = encounter.options.definition().clock.is_some();
    let side = encounter.get_mut(id).map(|c| {
        c.acted = c.state.turns_left == 0 || clock;
        c.state.counted.clear();
        c.state.lapped |= clock && !bought;
        c.side.clone()
    });
    if bought {
        return;
    }
    let state = &mut encounter.state;
    // Where the one that acted has left, nobody picks for it.
    set_last(state, side.is_some().then(|| id.clone()));
    let known = state
        .sides
        .iter_mut()
        .find(|known| Some(&known.side) == side.as_ref());
    known
        .into_iter()
        .for_each(|side| side.last = Some(id.clone()));
}

/// Sets whose turn ended or was delayed last.
fn set_last(state: &mut State, last: Option<CombatantId>) {
    state.last = last;
    state.stood_before = None;
}

fn leave(encounter: &mut Encounter, id: &CombatantId) {
    let Encounter {
        state, combatants, ..
    } = encounter;
    if [&state.last, &state.stood_before].contains(&&Some(id.clone())) {
        // One that players do not see would show that it is there by not being named.
        let is_shown = |id: &CombatantId| combatants.find(id).is_some_and(|c| !c.hidden);
        let mut after = state
            .places
            .iter()
            .map(|place| &place.combatant)
            .skip_while(|other| *other != id);
        state.stood_before = after.find(|other| *other != id && is_shown(other)).cloned();
    }
    state.places.retain(|place| place.combatant != *id);
    // The turn that is going on stays, so that it can be ended.
    let current = state.turns.pop();
    state
        .turns
        .iter_mut()
        .for_each(|turn| turn.combatants.retain(|c| c != id));
    state.turns.retain(|turn| !turn.combatants.is_empty());
    state.turns.extend(current);
    state
        .turns
        .iter_mut()
        .for_each(|turn| turn.done.retain(|c| c != id));
    state.last.take_if(|last| last == id);
    state
        .sides
        .iter_mut()
        .for_each(|side| _ = side.last.take_if(|last| last == id));
    if let Mode::Gap { passed, .. } = &mut state.mode {
        passed.retain(|c| c != id);
    }
}

/// Adds the sides that are new, the players before others. A side that players have not seen is new
/// when they see it.
fn add_sides(encounter: &mut Encounter) {
    let Encounter {
        state, combatants, ..
    } = encounter;
    let mut new: Vec<SideState> = Vec::new();
    let (hidden, shown): (Vec<_>, Vec<_>) = combatants.iter().partition(|c| c.hidden);
    for c in shown.into_iter().chain(hidden) {
        let known = state
            .sides
            .iter()
            .any(|side| side.side == c.side && (side.seen || c.hidden));
        if !known && !new.iter().any(|side| side.side == c.side) {
            let (side, seen) = (c.side.clone(), !c.hidden);
            new.push(SideState {
                side,
                seen,
                first: false,
                yields: false,
                score: None,
                score_hidden: false,
                last: None,
                count: None,
            });
        }
    }
    if !new.is_empty() {
        new.sort_by_key(|side| (!side.seen, side.side != "players"));
        state
            .sides
            .retain(|side| !new.iter().any(|new| new.side == side.side));
        state.sides.extend(new);
    }
}

/// Takes a side's score away when somebody whom players see comes to act for it, and only hidden
/// combatants had that score: the side is last, as one that has not rolled, or the place would show
/// that they are there.
fn drop_hidden_scores(encounter: &mut Encounter) {
    if !encounter.state.sides.iter().any(|side| side.score_hidden) {
        return;
    }
    let shown: BTreeSet<Slug> = encounter
        .active()
        .filter(|c| !c.hidden)
        .map(|c| c.side.clone())
        .collect();
    let state = &mut encounter.state;
    for side in &mut state.sides {
        if side.score_hidden && shown.contains(&side.side) {
            side.drop_score();
        }
    }
    sort_sides(state);
}

pub(super) fn sort_sides(state: &mut State) {
    // Sides without a score stand as before, unless others have one: a score that players do not
    // know must not have moved them.
    let scored = state
        .sides
        .iter()
        .any(|side| side.score.is_some() && !side.score_hidden);
    let name = |side: &SideState| (scored && side.score.is_none()).then(|| side.side.clone());
    state
        .sides
        .sort_by(|one, other| (one.rank(), name(one)).cmp(&(other.rank(), name(other))));
}

fn move_place(encounter: &mut Encounter, e: &Moved) {
    let state = &mut encounter.state;
    let (mut own, mut others): (Vec<_>, Vec<_>) = state
        .places
        .drain(..)
        .partition(|place| place.combatant == e.combatant);
    let beside = others
        .iter()
        .rposition(|place| Some(&place.combatant) == e.beside.as_ref());
    let at = beside.map_or(others.len(), |at| if e.after { at + 1 } else { at });
    for place in &mut own {
        *place = Place {
            moved: true,
            done: place.done || e.done,
            ..Place::clone(place)
        }
        .into();
    }
    others.splice(at..at, own);
    state.places = others;
    if e.done {
        encounter.change_state(&e.combatant, |s| (s.turns_left, s.waiting) = (0, false));
    }
}

fn schedule(state: &mut State, e: &Scheduled) {
    let Some(at) = state
        .places
        .iter()
        .position(|place| place.combatant == e.combatant)
    else {
        return;
    };
    let mut place = Place::clone(&state.places.remove(at));
    let mut score = Score::clone(&place.score);
    score.total = e.tick.into();
    score
        .key
        .first_mut()
        .into_iter()
        .for_each(|key| *key = e.tick.into());
    place.score = score.into();
    let before = |other: &CachedJson<Place>| other.score.key > place.score.key;
    let to = state
        .places
        .iter()
        .position(before)
        .unwrap_or(state.places.len());
    state.places.insert(to, place.into());
}
