//! What events do to a fight under `custom`. Here rules are asked, of the definition.

use super::candidates::candidates;
use super::definition::{Chooser, Definition, Fact, Key, Lasts, Owner, Surprise};
use super::lines::{
    costs_turns, delays_last, has_clock, has_laps, has_places, has_unlimited_turns,
    keeps_last_side, keys, position_of, rerolls,
};
use super::pools::{gained, pool_size, side_pool_size};
use super::query::{
    declaration, has_places_now, in_a_turn, in_top_turn, is_over, is_skipped, last_begun,
    next_place, open_place, turns,
};
use super::rank::Ranks;
use super::{
    CameLate, Card, CardKept, Cause, Combatant, CombatantState, Custom, DefinitionChanged, Delayed,
    Encounter, Event, GapAt, Initiative, InitiativeChanged, InitiativeRolled, Mode, Offer, Options,
    Place, PlaceMoved, Placed, PlacesSwapped, Reached, RolledPlace, RolledSide,
    SideInitiativeChanged, SideState, State, Turn, TurnOrigin,
};
use crate::json::CachedJson;
use crate::rulesets::shared::seen_first;
use crate::vocabulary::{
    CachedCombatant, CombatantId, Combatants, Event as AnyEvent, Fold, RosterEvent, SharedEvent,
    Slug, Status, Total, ids,
};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

pub(super) fn evolve(fold: &mut Fold<'_, Custom>, event: &AnyEvent<Custom>) {
    let encounter = fold.whole();
    apply(encounter, event);
    drop_hidden_initiative(encounter);
}

fn apply(encounter: &mut Encounter, event: &AnyEvent<Custom>) {
    match event {
        AnyEvent::Own(event) => evolve_own(encounter, event),
        AnyEvent::Shared(SharedEvent::RoundStarted(_)) => {
            start_round(encounter, encounter.round == 1);
        }
        AnyEvent::Shared(SharedEvent::TurnEnded(e)) => end_turn(encounter, &e.combatant),
        AnyEvent::Shared(SharedEvent::CombatantLeft(e)) => leave(encounter, &e.combatant),
        AnyEvent::Roster(RosterEvent::CombatantJoined { details })
            if encounter.status == Status::Running =>
        {
            enter(encounter, &details.id);
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
        Event::SideOpened(e) => {
            for side in &mut state.sides {
                side.first = side.side == e.side;
            }
            sort_sides(
                state,
                Ranks::new(encounter.options.definition(), encounter.round, None),
            );
        }
        Event::DeclarationsOpened(_) => state.mode = Mode::Declaring,
        Event::Declared(e) => declare(encounter, &e.combatant, e.choice.clone()),
        Event::DeclarationsShown(e) => {
            for shown in &e.declarations {
                declare(encounter, &shown.combatant, Some(shown.choice.clone()));
            }
        }
        Event::RollOpened(_) => state.mode = Mode::Rolling,
        Event::InitiativeChanged(e) => change_initiative(encounter, e),
        Event::SideInitiativeChanged(e) => change_side(encounter, e),
        Event::CardKept(e) => keep_card(encounter, e),
        Event::CardChoiceOpened(_) => state.mode = Mode::Keeping,
        Event::CardChoiceClosed(e) => close_card_choice(state, &e.combatants),
        Event::SwapOffered(e) => {
            state.offer = Some(Offer {
                combatant: e.combatant.clone(),
                with: e.with.clone(),
            });
        }
        Event::SwapDeclined(_) => state.offer = None,
        Event::InitiativeRolled(e) => set_initiative(encounter, e),
        Event::Placed(e) => place(encounter, e),
        Event::CameLate(e) => come_late(encounter, e),
        Event::Reshuffled(_) => reshuffle(state),
        Event::ChoiceOpened(_) => state.mode = Mode::Choosing,
        Event::TurnOpened(e) => begin(encounter, &e.combatants, e.origin),
        Event::Skipped(e) => encounter.change_state(&e.combatant, |s| s.surprised = false),
        Event::StepStarted(e) => {
            if let Some(turn) = top_mut(state) {
                turn.step = e.step_index;
                turn.done.clear();
            }
        }
        Event::StepFinished(e) => {
            if let Some(turn) = top_mut(state) {
                turn.done.push(e.combatant.clone());
            }
        }
        Event::GapOpened(e) => open_gap(state, e.at),
        Event::Passed(e) => {
            if let Mode::Gap { passed, .. } = &mut state.mode {
                passed.insert(e.combatant.clone());
            }
        }
        Event::GapClosed(e) => {
            if let Mode::Gap { passed, .. } = &mut state.mode {
                passed.extend(e.combatants.iter().cloned());
            }
        }
        Event::Delayed(e) => delay(encounter, e),
        Event::DelayLapsed(e) => lapse(encounter, &e.combatant),
        Event::Returned(e) => begin(
            encounter,
            std::slice::from_ref(&e.combatant),
            TurnOrigin::Returned,
        ),
        Event::PlaceMoved(e) => move_place(encounter, e),
        Event::PlacesSwapped(e) => swap_places(encounter, e),
        Event::LapEnded(_) => {
            encounter.counted.clear();
            encounter.change_states(|s| s.lapped, |s| s.lapped = false);
        }
        Event::ClockAdvanced(e) => state.tick = e.tick,
        Event::PoolChanged(e) => {
            encounter.change_state(&e.combatant, |s| set_points(&mut s.pools, &e.pool, e.left));
        }
        Event::SidePoolChanged(e) => {
            let mut sides = state.sides.iter_mut();
            if let Some(side) = sides.find(|side| side.side == e.side) {
                set_points(&mut side.pools, &e.pool, e.left);
            }
        }
        Event::TablePoolChanged(e) => _ = state.pools.insert(e.pool.clone(), e.left),
        Event::Reacted(e) => {
            use_reaction(
                encounter,
                &e.combatant,
                &e.reaction,
                e.pool.as_ref(),
                e.cost,
            );
        }
        Event::Readied(e) => {
            encounter.change_state(&e.combatant, |s| {
                s.readied_reactions.push(e.reaction.clone());
            });
        }
        Event::Triggered(e) => {
            encounter.change_state(&e.combatant, |s| {
                s.readied_reactions.retain(|name| *name != e.reaction);
            });
            use_reaction(
                encounter,
                &e.combatant,
                &e.reaction,
                e.pool.as_ref(),
                e.cost,
            );
        }
        Event::TurnSpent(e) => spend_turn(encounter, &e.combatant),
        Event::SideSkipped(e) => state.skipped.push(e.side.clone()),
        Event::TurnsForgone(_) => {}
        Event::DefinitionChanged(e) => change_definition(encounter, e),
        Event::Halted(_) => {
            state.mode = Mode::Halted;
            state.turns.clear();
        }
    }
}

/// Leaves a combatant as many turns as the event says, at the open places that come up last.
fn come_late(encounter: &mut Encounter, e: &CameLate) {
    encounter.change_state(&e.combatant, |s| s.turns_left = e.turns);
    let places = encounter.state.places.iter_mut();
    let open = places.filter(|place| place.combatant == e.combatant && !place.done);
    for place in open.rev().skip(e.turns) {
        set_done(place, true);
    }
}

/// Lets cards go back. Those of the round's places stay out, if its initiative is known.
fn reshuffle(state: &mut State) {
    let mut kept = Vec::new();
    if state.rolled {
        let places = state.places.iter().map(|place| &*place.initiative);
        let sides = state
            .sides
            .iter()
            .filter_map(|side| side.initiative.as_deref());
        take_out(&mut kept, places.chain(sides));
    }
    state.cards = kept;
}

/// Takes the cards of initiative out of the deck. A group has one card for all its places.
fn take_out<'t>(out: &mut Vec<Card>, initiative: impl Iterator<Item = &'t Initiative>) {
    for initiative in initiative {
        discard(out, initiative.card.as_slice());
        discard(out, &initiative.spare);
    }
}

/// Takes cards out of the deck that count for nobody.
fn discard(out: &mut Vec<Card>, cards: &[Card]) {
    for card in cards {
        if !out.contains(card) {
            out.push(*card);
        }
    }
}

/// Opens a gap. One that follows another in the same round keeps who has passed.
fn open_gap(state: &mut State, at: GapAt) {
    let passed = match std::mem::take(&mut state.mode) {
        Mode::Gap { passed, .. } => passed,
        _ => BTreeSet::new(),
    };
    state.mode = Mode::Gap { passed, at };
}

fn delay(encounter: &mut Encounter, e: &Delayed) {
    let begun = last_begun(encounter, &e.combatant);
    let place = begun.and_then(|at| encounter.state.places.get(at));
    let delayed_turn = place.map(|place| place.turn);
    remove_from_turn(&mut encounter.state, &e.combatant);
    set_last(&mut encounter.state, Some(e.combatant.clone()));
    encounter.change(&e.combatant, |c| {
        // The end of this turn has counted.
        c.acted = true;
        c.state.delaying = true;
        c.state.resumes = true;
        c.state.delayed_turn = delayed_turn;
        c.state.counted.clone_from(&e.counted);
        c.state.turns_left = c.state.turns_left.saturating_add(1);
        c.state.turns_taken = c.state.turns_taken.saturating_sub(1);
    });
}

/// Takes the turn from a combatant that delays. If it is lost because the combatant has no turns,
/// the effects have counted it. A delay of an earlier round has no turn of this one, unless it
/// keeps the combatant from its place.
fn lapse(encounter: &mut Encounter, id: &CombatantId) {
    let options = encounter.options.clone();
    let definition = options.definition();
    encounter.change(id, |c| {
        let lost = !c.active() || is_skipped(definition, c);
        c.acted |= lost && !c.state.counted.is_empty();
        c.state.delaying = false;
        c.state.resumes = false;
        if c.state.delayed_turn.take().is_some() || delays_last(definition, Lasts::Used) {
            c.state.turns_left = c.state.turns_left.saturating_sub(1);
        }
        c.state.counted.clear();
    });
}

fn declare(encounter: &mut Encounter, id: &CombatantId, choice: Option<Slug>) {
    encounter.change_state(id, |s| {
        s.has_declared = true;
        s.declared = choice;
    });
}

/// Takes a new definition. The round of a fight that is running starts anew.
fn change_definition(encounter: &mut Encounter, e: &DefinitionChanged) {
    encounter.options = e.options.clone();
    let numbers = &e.options.definition().numbers;
    for c in encounter.combatants.iter_mut() {
        if c.stats
            .numbers
            .keys()
            .any(|name| !numbers.contains_key(name))
        {
            let known = Arc::make_mut(&mut c.change().stats.numbers);
            known.retain(|name, _| numbers.contains_key(name));
        }
    }
    for id in &e.outdated {
        use_up_roll(encounter, id);
    }
    if encounter.status != Status::Running {
        return;
    }
    encounter.counted.clear();
    encounter.state = State {
        tick: e.tick,
        ..State::default()
    };
    for c in encounter.combatants.iter_mut() {
        let c = c.change();
        c.acted = false;
        c.state = CombatantState::default();
    }
    start_round(encounter, true);
    for id in &e.resumed {
        encounter.change_state(id, |s| {
            s.resumes = true;
            s.counted.clone_from(&e.counted);
        });
    }
}

/// A round: everybody has turns, pools refill, places are open again. The first one of a fight or of a
/// definition gives pools their start.
fn start_round(encounter: &mut Encounter, first: bool) {
    add_sides(encounter);
    let options = encounter.options.clone();
    let definition = options.definition();
    refill(definition, None, &mut encounter.state.pools, first);
    refill_sides(encounter);
    for c in encounter.combatants.iter_mut() {
        refresh(definition, c, first);
    }
    if !has_clock(definition) {
        open_places(encounter, delays_last(definition, Lasts::Used));
        give_back_costs(encounter);
    }
    let state = &mut encounter.state;
    if let Mode::Gap { passed, .. } = &mut state.mode {
        passed.clear();
    }
    begin_sides(state, definition);
    state.starting = true;
    if first || rerolls(definition) {
        state.rolled = false;
    }
    for side in &mut state.sides {
        side.yields = false;
        // Where each round is rolled, its roll says who goes first.
        side.first &= !rerolls(definition);
    }
    let ranks = Ranks::new(definition, encounter.round, state.first_seat);
    sort_sides(state, ranks);
    let before = encounter.round.saturating_sub(1);
    let changes = |key: &Key| key.only.counts_in(before) != key.only.counts_in(encounter.round);
    if keys(definition).iter().any(changes) {
        sort_places(encounter);
    }
}

/// Sorts all places again, also those that were moved, and lets equal ones choose again.
fn sort_places(encounter: &mut Encounter) {
    let options = encounter.options.clone();
    let ranks = ranks(&options, encounter);
    let mut joined = HashMap::new();
    for c in encounter.combatants.iter() {
        joined.insert(c.id.clone(), c.joined);
    }
    let places = &mut encounter.state.places;
    for place in &mut *places {
        let initiative = Initiative::clone(&place.initiative);
        set_initiative_of(place, initiative);
    }
    places.sort_by(|one, other| {
        let [first, second] = [one, other].map(|place| joined.get(&place.combatant));
        let by_rank = ranks.compare(one, other);
        by_rank
            .then(first.cmp(&second))
            .then(one.turn.cmp(&other.turn))
    });
}

/// Gives back what turns and reactions cost in the round before.
fn give_back_costs(encounter: &mut Encounter) {
    let options = encounter.options.clone();
    let ranks = ranks(&options, encounter);
    let places = &mut encounter.state.places;
    let (mut paid, rest): (Vec<_>, Vec<_>) = places.drain(..).partition(|place| {
        let changes = place.initiative.changes;
        changes.by_turns != Total::ZERO || changes.by_reactions != Total::ZERO
    });
    *places = rest;
    for place in &mut paid {
        let initiative = place.initiative.without(&[Cause::Turn, Cause::Spent]);
        *place = Place {
            turn: 0,
            ..Place::clone(place)
        }
        .into();
        set_initiative_of(place, initiative);
    }
    for place in paid {
        insert_in_order(&encounter.combatants, places, place, ranks);
    }
}

/// The keys of the order as they are now.
fn ranks<'o>(options: &'o Options, encounter: &Encounter) -> Ranks<'o> {
    Ranks::new(
        options.definition(),
        encounter.round,
        encounter.state.first_seat,
    )
}

/// Opens the places again, but for those of combatants that keep delaying.
fn open_places(encounter: &mut Encounter, keep_delaying: bool) {
    let combatants = &encounter.combatants;
    for place in &mut encounter.state.places {
        let c = combatants.find(&place.combatant);
        let delays = c.is_some_and(|c| c.state.delaying);
        set_done(place, keep_delaying && delays);
    }
}

fn begin_sides(state: &mut State, definition: &Definition) {
    if !keeps_last_side(definition) {
        state.last_side = None;
        state.last_side_hidden = false;
    }
    state.skipped.clear();
    forget_reached(state);
}

/// Forgets how far the sides have come.
fn forget_reached(state: &mut State) {
    for side in &mut state.sides {
        side.reached = None;
    }
}

/// What a new round gives back to a combatant.
fn refresh(definition: &Definition, c: &mut CachedCombatant<Custom>, first: bool) {
    let before = &c.state;
    // A combatant that keeps delaying has the delayed turn alone.
    let turns_left = if before.delaying && delays_last(definition, Lasts::Used) {
        turns(definition, c).min(1)
    } else {
        turns(definition, c)
    };
    let counted = if before.delaying {
        before.counted.clone()
    } else {
        Vec::new()
    };
    let stays_surprised = first || definition.surprise == Surprise::Skips;
    let mut state = CombatantState {
        turns_left,
        delaying: before.delaying,
        resumes: before.resumes && before.delaying,
        counted,
        lapped: before.lapped,
        surprised: before.surprised && stays_surprised,
        readied_reactions: before.readied_reactions.clone(),
        pools: before.pools.clone(),
        ..CombatantState::default()
    };
    refill(definition, Some(c), &mut state.pools, first);
    c.change().state = state;
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
    let owner = match c {
        Some(_) => Owner::Combatant,
        None => Owner::Table,
    };
    for (name, pool) in &definition.pools {
        if pool.of != owner {
            continue;
        }
        let (max, start) = pool_size(definition, c, pool);
        let before = pools.get(name).copied().unwrap_or(0);
        let points = match &pool.gain.round {
            _ if first => start,
            Some(gain) => gained(definition, c, gain, before, max),
            None => continue,
        };
        if c.is_some() {
            set_points(pools, name, points);
        } else {
            pools.insert(name.clone(), points);
        }
    }
}

/// Gives the pools of the sides what they gain in a round.
fn refill_sides(encounter: &mut Encounter) {
    if encounter.round == 1 {
        return;
    }
    let mut filled = Vec::new();
    for side in &encounter.state.sides {
        let mut pools = side.pools.clone();
        for (name, pool) in &encounter.options.definition().pools {
            if let Some(gain) = &pool.gain.round
                && pool.of == Owner::Side
            {
                let definition = encounter.options.definition();
                let (max, _) = side_pool_size(encounter, &side.side, pool);
                let before = pools.get(name).copied().unwrap_or(0);
                let points = gained(definition, None, gain, before, max);
                set_points(&mut pools, name, points);
            }
        }
        filled.push(pools);
    }
    for (side, pools) in encounter.state.sides.iter_mut().zip(filled) {
        side.pools = pools;
    }
}

/// The points that a side has when its first combatant comes.
fn first_pools(encounter: &Encounter, side: &Slug) -> BTreeMap<Slug, u32> {
    let mut pools = BTreeMap::new();
    for (name, pool) in &encounter.options.definition().pools {
        if pool.of == Owner::Side {
            let (_, start) = side_pool_size(encounter, side, pool);
            set_points(&mut pools, name, start);
        }
    }
    pools
}

/// What a combatant has that joins a fight that goes on.
fn enter(encounter: &mut Encounter, id: &CombatantId) {
    add_sides(encounter);
    let options = encounter.options.clone();
    let Some(c) = encounter.combatants.find_mut(id) else {
        return;
    };
    refresh(options.definition(), c, true);
    catch_up_with_lap(encounter, id);
    let Some(c) = encounter.get(id) else { return };
    let choice = declaration(options.definition(), c);
    if choice.is_some() && encounter.state.mode != Mode::Declaring {
        declare(encounter, id, choice);
    }
}

/// Where laps are counted in turns, a newcomer has none of those that are over.
fn catch_up_with_lap(encounter: &mut Encounter, id: &CombatantId) {
    let definition = encounter.options.definition();
    if !has_laps(definition) || has_places(definition) {
        return;
    }
    let others = encounter
        .active()
        .filter(|c| c.id != *id && c.state.turns_left > 0);
    let Some(lap) = others.map(|c| c.state.turns_taken).min() else {
        return;
    };
    let unlimited = has_unlimited_turns(definition);
    encounter.change_state(id, |s| {
        s.turns_taken = lap;
        if !unlimited {
            let missed = usize::try_from(lap).unwrap_or(usize::MAX);
            s.turns_left = s.turns_left.saturating_sub(missed);
        }
    });
}

fn new_place(rolled: &RolledPlace, moved: bool) -> CachedJson<Place> {
    let RolledPlace {
        combatant,
        turn,
        initiative,
    } = rolled.clone();
    Place {
        combatant,
        turn,
        done: false,
        moved,
        settled: false,
        initiative,
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

fn set_initiative(encounter: &mut Encounter, e: &InitiativeRolled) {
    let state = &mut encounter.state;
    state.rolled = true;
    if let Some(at) = position_of(encounter.options.definition(), &Fact::Seat) {
        let first = e.places.first();
        state.first_seat = first.map(|place| place.initiative.key_at(at));
    }
    state.places.clear();
    for rolled in &e.places {
        state.places.push(new_place(rolled, false));
    }
    let places = e.places.iter().map(|place| &*place.initiative);
    let sides = e.side_places.iter().map(|side| &*side.initiative);
    take_out(&mut state.cards, places.chain(sides));
    discard(&mut state.cards, &e.discarded);
    if !e.side_places.is_empty() {
        roll_sides(encounter, &e.side_places);
    }
    for place in &e.places {
        use_up_roll(encounter, &place.combatant);
    }
    for side in &e.side_places {
        for id in &side.combatants.0 {
            use_up_roll(encounter, id);
        }
    }
}

fn roll_sides(encounter: &mut Encounter, rolled: &[RolledSide]) {
    let options = encounter.options.clone();
    let ranks = ranks(&options, encounter);
    let combatants = &encounter.combatants;
    for side in &mut encounter.state.sides {
        let Some(rolled) = rolled.iter().find(|rolled| rolled.side == side.side) else {
            side.drop_initiative();
            continue;
        };
        let mut rollers = rolled.combatants.0.iter();
        side.yields = rolled.yields;
        side.initiative = Some(rolled.initiative.clone());
        side.initiative_hidden = rollers.all(|id| combatants.find(id).is_some_and(|c| c.hidden));
    }
    sort_sides(&mut encounter.state, ranks);
}

fn use_up_roll(encounter: &mut Encounter, id: &CombatantId) {
    let brought = |c: &Combatant| c.stats.roll.is_some() || c.stats.initiative.is_some();
    if encounter.get(id).is_some_and(brought) {
        encounter.change(id, |c| {
            c.stats.roll = None;
            c.stats.initiative = None;
        });
    }
}

fn place(encounter: &mut Encounter, e: &Placed) {
    let options = encounter.options.clone();
    let ranks = ranks(&options, encounter);
    let state = &mut encounter.state;
    for rolled in &e.places {
        let place = new_place(rolled, e.last);
        if e.last {
            state.places.push(place);
        } else {
            insert_in_order(&encounter.combatants, &mut state.places, place, ranks);
        }
    }
    take_out(
        &mut state.cards,
        e.places.iter().map(|place| &*place.initiative),
    );
    discard(&mut state.cards, &e.discarded);
    for rolled in &e.places {
        use_up_roll(encounter, &rolled.combatant);
    }
}

/// Inserts a place before the first one with a worse initiative that stands where its initiative
/// says. Hidden places decide nothing for those that players see, or the order would show them.
fn insert_in_order(
    combatants: &Combatants<Custom>,
    places: &mut Vec<CachedJson<Place>>,
    new: CachedJson<Place>,
    ranks: Ranks<'_>,
) {
    let is_hidden = |place: &Place| {
        let c = combatants.find(&place.combatant);
        c.is_some_and(|c| c.hidden)
    };
    let is_worse = |place: &Place| !place.moved && ranks.compare(place, &new).is_gt();
    let counts_all = is_hidden(&new);
    let mut others = places.iter();
    let worse = others.position(|place| is_worse(place) && (counts_all || !is_hidden(place)));
    let mut at = worse.unwrap_or(places.len());
    while let Some(before) = at.checked_sub(1)
        && places
            .get(before)
            .is_some_and(|place| is_hidden(place) && is_worse(place))
    {
        at = before;
    }
    places.insert(at, new);
}

fn begin(encounter: &mut Encounter, combatants: &[CombatantId], origin: TurnOrigin) {
    encounter.state.skipped.clear();
    for id in combatants {
        drop_offer(&mut encounter.state, id);
    }
    if matches!(origin, TurnOrigin::Normal | TurnOrigin::Overridden) {
        encounter.state.starting = false;
    }
    if origin == TurnOrigin::Normal
        && let [id] = combatants
    {
        settle_tie(encounter, id);
    }
    if origin != TurnOrigin::Bought {
        give_back_uses(encounter);
        for id in combatants {
            take_turn(encounter, id, origin);
        }
        if origin != TurnOrigin::Returned {
            note_side(encounter, combatants);
        }
    }
    encounter.state.mode = Mode::Turn;
    encounter.state.turns.push(Turn {
        combatants: combatants.to_vec(),
        done: Vec::new(),
        step: 0,
        origin,
    });
}

/// Puts the place of a combatant that was chosen among equal ones before the others, so that later
/// rounds need no choice.
fn settle_tie(encounter: &mut Encounter, id: &CombatantId) {
    let chooser = encounter.options.definition().chooser;
    if encounter.state.mode != Mode::Choosing
        || chooser != Chooser::Candidates
        || !has_places_now(encounter)
    {
        return;
    }
    let tied = candidates(encounter);
    if tied.len() < 2 || !tied.contains(id) {
        return;
    }
    let Some(chosen) = next_place(encounter, id).cloned() else {
        return;
    };
    let options = encounter.options.clone();
    let ranks = ranks(&options, encounter);
    let is_equal = |one: &Place, other: &Place| {
        !one.moved && !other.moved && ranks.compare(one, other).is_eq()
    };
    let places = encounter.state.places.drain(..);
    // In laps the answer holds for the further turns too.
    let (own, mut others): (Vec<_>, Vec<_>) = places.partition(|place| {
        let same_lap = Place {
            turn: chosen.turn,
            ..Place::clone(place)
        };
        let is_further = has_laps(options.definition())
            && !place.settled
            && !place.moved
            && is_equal(&same_lap, &chosen);
        place.combatant == *id && (place.turn == chosen.turn || is_further)
    });
    for place in own {
        let equal =
            |other: &CachedJson<Place>| !other.done && !other.settled && is_equal(&place, other);
        let beside = others.iter().position(equal);
        let later =
            |other: &CachedJson<Place>| !other.moved && ranks.compare(other, &place).is_gt();
        let at = beside.or_else(|| others.iter().position(later));
        let place = Place {
            settled: true,
            ..Place::clone(&place)
        };
        others.insert(at.unwrap_or(others.len()), place.into());
    }
    encounter.state.places = others;
}

/// Spends a combatant's points on a reaction, which it uses once until the next turn. What its side
/// or the table pays is an event of its own.
fn use_reaction(
    encounter: &mut Encounter,
    id: &CombatantId,
    reaction: &Slug,
    pool: Option<&Slug>,
    cost: u32,
) {
    let options = encounter.options.clone();
    encounter.change_state(id, |s| {
        if let Some(pool) = pool
            && let Some(rule) = options.definition().pools.get(pool)
            && rule.of == Owner::Combatant
            && cost > 0
        {
            let before = s.pools.get(pool).copied().unwrap_or(0);
            set_points(&mut s.pools, pool, before.saturating_sub(cost));
        }
        if !s.used.contains(reaction) {
            s.used.push(reaction.clone());
        }
    });
}

/// Lets combatants use their reactions again, except for those whose bought turn is not over.
fn give_back_uses(encounter: &mut Encounter) {
    let mut buyers = Vec::new();
    for turn in &encounter.state.turns {
        if turn.origin == TurnOrigin::Bought {
            buyers.extend(turn.combatants.iter().cloned());
        }
    }
    for id in ids(encounter.iter().filter(|c| !c.state.used.is_empty())) {
        if !buyers.contains(&id) {
            encounter.change_state(&id, |s| s.used.clear());
        }
    }
}

/// Uses up a turn of a combatant, and its place.
fn take_turn(encounter: &mut Encounter, id: &CombatantId, origin: TurnOrigin) {
    let options = encounter.options.clone();
    let definition = options.definition();
    let in_order = origin == TurnOrigin::Normal && definition.chooser != Chooser::Last;
    let place = open_place(encounter, id);
    let Some(c) = encounter.get_mut(id) else {
        return;
    };
    if !std::mem::take(&mut c.state.resumes) {
        begin_turn_of_pools(definition, c);
    }
    if !has_unlimited_turns(definition) {
        c.state.turns_left = c.state.turns_left.saturating_sub(1);
    }
    c.state.turns_taken = c.state.turns_taken.saturating_add(1);
    c.state.delaying = false;
    c.state.surprised = false;
    c.state.readied_reactions.clear();
    // A turn that was delayed in this round has used up its place.
    let has_place = c.state.delayed_turn.take().is_none();
    let side = c.side.clone();
    if !costs_turns(definition) && has_place {
        use_up_place(&mut encounter.state, place, &side, in_order);
    }
}

/// Notes the side for which these combatants act: that of one whom players see, if there is one.
fn note_side(encounter: &mut Encounter, acting: &[CombatantId]) {
    let mut acting = acting.iter().rev().filter_map(|id| encounter.get(id));
    let last = acting.clone().find(|c| !c.hidden);
    let Some(last) = last.or_else(|| acting.next()) else {
        return;
    };
    let (side, is_hidden) = (last.side.clone(), last.hidden);
    encounter.state.last_side = Some(side);
    encounter.state.last_side_hidden = is_hidden;
}

/// Gives the pools of a combatant what they gain at its turn.
fn begin_turn_of_pools(definition: &Definition, c: &mut Combatant) {
    for (name, pool) in &definition.pools {
        if let Some(gain) = &pool.gain.own_turn {
            let (max, _) = pool_size(definition, Some(c), pool);
            let before = c.state.pools.get(name).copied().unwrap_or(0);
            let points = gained(definition, Some(c), gain, before, max);
            set_points(&mut c.state.pools, name, points);
        }
    }
}

/// Uses up a turn of a combatant that acts in no turn for it.
fn spend_turn(encounter: &mut Encounter, id: &CombatantId) {
    let definition = encounter.options.definition();
    let place = if has_laps(definition) {
        // It still acts in this lap, and in fewer of those that come.
        let is_open = |place: &CachedJson<Place>| place.combatant == *id && !place.done;
        encounter.state.places.iter().rposition(is_open)
    } else {
        open_place(encounter, id)
    };
    let Some(c) = encounter.get_mut(id) else {
        return;
    };
    c.state.turns_left = c.state.turns_left.saturating_sub(1);
    c.acted = c.state.turns_left == 0;
    let side = c.side.clone();
    use_up_place(&mut encounter.state, place, &side, false);
}

/// Uses up the place at this position. If its initiative gave a turn, its side has come that far.
fn use_up_place(state: &mut State, at: Option<usize>, side: &Slug, in_order: bool) {
    let Some(place) = at.and_then(|at| state.places.get_mut(at)) else {
        return;
    };
    set_done(place, true);
    if !in_order || place.moved {
        return;
    }
    let mut sides = state.sides.iter_mut();
    if let Some(known) = sides.find(|known| known.side == *side) {
        known.reached = Some(Reached {
            turn: place.turn,
            initiative: place.initiative.clone(),
        });
    }
}

/// The turn that is going on.
fn top_mut(state: &mut State) -> Option<&mut Turn> {
    let mut turns = state.turns.iter_mut();
    turns.rfind(|turn| !turn.combatants.is_empty())
}

/// Takes a combatant out of the turn that is going on, which is over when it was the last one.
fn remove_from_turn(state: &mut State, id: &CombatantId) -> Option<TurnOrigin> {
    let turn = top_mut(state)?;
    turn.combatants.retain(|c| c != id);
    let origin = turn.origin;
    state.turns.pop_if(|turn| turn.combatants.is_empty());
    Some(origin)
}

fn end_turn(encounter: &mut Encounter, id: &CombatantId) {
    let Some(origin) = remove_from_turn(&mut encounter.state, id) else {
        return;
    };
    let is_bought = origin == TurnOrigin::Bought;
    let options = encounter.options.clone();
    let on_clock = has_clock(options.definition());
    let mut side = None;
    if let Some(c) = encounter.get_mut(id) {
        c.acted = c.state.turns_left == 0 || costs_turns(options.definition());
        c.state.counted.clear();
        c.state.lapped |= on_clock && !is_bought;
        side = Some(c.side.clone());
    }
    if is_bought {
        return;
    }
    let state = &mut encounter.state;
    let Some(side) = side else {
        // Where the one that acted has left, nobody picks for it.
        set_last(state, None);
        return;
    };
    set_last(state, Some(id.clone()));
    let mut sides = state.sides.iter_mut();
    if let Some(known) = sides.find(|known| known.side == side) {
        known.last = Some(id.clone());
    }
}

/// Sets whose turn ended or was delayed last.
fn set_last(state: &mut State, last: Option<CombatantId>) {
    state.opened = true;
    state.last = last;
    state.stood_before = None;
}

fn leave(encounter: &mut Encounter, id: &CombatantId) {
    let state = &encounter.state;
    if state.last.as_ref() == Some(id) || state.stood_before.as_ref() == Some(id) {
        encounter.state.stood_before = first_shown_after(encounter, id);
    }
    let state = &mut encounter.state;
    state.places.retain(|place| place.combatant != *id);
    // The turn that is going on stays, so that it can be ended.
    let current = state.turns.pop();
    for turn in &mut state.turns {
        turn.combatants.retain(|c| c != id);
    }
    state.turns.retain(|turn| !turn.combatants.is_empty());
    state.turns.extend(current);
    for turn in &mut state.turns {
        turn.done.retain(|c| c != id);
    }
    drop_offer(state, id);
    state.last.take_if(|last| last == id);
    for side in &mut state.sides {
        side.last.take_if(|last| last == id);
    }
    if let Mode::Gap { passed, .. } = &mut state.mode {
        passed.retain(|c| c != id);
    }
}

/// Whose place follows those of a combatant. One that players do not see would show that it is
/// there by not being named.
fn first_shown_after(encounter: &Encounter, id: &CombatantId) -> Option<CombatantId> {
    let mut places = encounter.state.places.iter();
    places.find(|place| place.combatant == *id)?;
    for place in places {
        if let Some(c) = encounter.get(&place.combatant)
            && c.id != *id
            && !c.hidden
        {
            return Some(c.id.clone());
        }
    }
    None
}

/// Adds the sides that are new, the players before others. A side that players have not seen is new
/// when they see it.
fn add_sides(encounter: &mut Encounter) {
    let mut new: Vec<SideState> = Vec::new();
    for c in seen_first(encounter.iter()) {
        if let Some(known) = side_named(&encounter.state.sides, &c.side)
            && (known.seen || c.hidden)
        {
            continue;
        }
        if side_named(&new, &c.side).is_some() {
            continue;
        }
        new.push(SideState {
            pools: first_pools(encounter, &c.side),
            ..SideState::new(c.side.clone(), !c.hidden)
        });
    }
    if new.is_empty() {
        return;
    }
    new.sort_by_key(|side| (!side.seen, side.side != "players"));
    let sides = &mut encounter.state.sides;
    sides.retain(|side| side_named(&new, &side.side).is_none());
    sides.extend(new);
    sides.sort_by_key(|side| side.side != "players");
    let options = encounter.options.clone();
    let ranks = ranks(&options, encounter);
    sort_sides(&mut encounter.state, ranks);
}

fn side_named<'s>(sides: &'s [SideState], name: &Slug) -> Option<&'s SideState> {
    sides.iter().find(|side| side.side == *name)
}

/// Clears a side's initiative if only hidden combatants rolled it and one that players see joins: its
/// place would show that they are there. The side is last, as one that has not rolled.
fn drop_hidden_initiative(encounter: &mut Encounter) {
    if !encounter
        .state
        .sides
        .iter()
        .any(|side| side.initiative_hidden)
    {
        return;
    }
    let shown: BTreeSet<Slug> = encounter
        .active()
        .filter(|c| !c.hidden)
        .map(|c| c.side.clone())
        .collect();
    let options = encounter.options.clone();
    let ranks = ranks(&options, encounter);
    let state = &mut encounter.state;
    for side in &mut state.sides {
        if side.initiative_hidden && shown.contains(&side.side) {
            side.drop_initiative();
        }
    }
    sort_sides(state, ranks);
}

/// Sorts the sides by rank. Those without an initiative stand as before, unless others have one: an initiative
/// that players do not know must not have moved them.
pub(super) fn sort_sides(state: &mut State, ranks: Ranks<'_>) {
    let mut sides = state.sides.iter();
    let some_rolled = sides.any(|side| side.initiative.is_some() && !side.initiative_hidden);
    state.sides.sort_by(|one, other| {
        let by_rank = ranks.compare_sides(one, other);
        // Sides of equal rank have an initiative both or neither.
        if some_rolled && one.initiative.is_none() {
            by_rank.then_with(|| one.side.cmp(&other.side))
        } else {
            by_rank
        }
    });
}

/// A place that leaves where its initiative puts it.
fn moved(place: &Place, done: bool) -> CachedJson<Place> {
    Place {
        moved: true,
        done: place.done || done,
        ..place.clone()
    }
    .into()
}

fn move_place(encounter: &mut Encounter, e: &PlaceMoved) {
    let places = encounter.state.places.drain(..);
    let moves = |place: &CachedJson<Place>| {
        place.combatant == e.combatant && e.turn.is_none_or(|turn| place.turn == turn)
    };
    let (mut own, mut others): (Vec<_>, Vec<_>) = places.partition(moves);
    for place in &mut own {
        *place = moved(place, e.done);
    }
    let beside = match &e.beside {
        Some(id) => place_beside(encounter, &others, id, e.after || e.done),
        None => None,
    };
    let at = match beside {
        Some(beside) if e.after => beside + 1,
        Some(beside) => beside,
        None => others.len(),
    };
    others.splice(at..at, own);
    encounter.state.places = others;
    if e.done {
        encounter.change_state(&e.combatant, |s| {
            s.turns_left = 0;
            s.delaying = false;
        });
    }
}

/// The position beside which a place is put: that of the combatant's place. If it has several, the
/// one whose turn began last counts. Before a combatant that has no turn now, its next open place
/// counts.
fn place_beside(
    encounter: &Encounter,
    places: &[CachedJson<Place>],
    id: &CombatantId,
    after: bool,
) -> Option<usize> {
    let definition = encounter.options.definition();
    let is_own = |place: &CachedJson<Place>| place.combatant == *id;
    let begun = places.iter().rposition(|place| is_own(place) && place.done);
    let mut open = places.iter();
    let next = open.position(|place| is_own(place) && !is_over(definition, place));
    let found = if after || in_a_turn(encounter, id) {
        begun.or(next)
    } else {
        next.or(begun)
    };
    found.or_else(|| places.iter().position(is_own))
}

/// Changes the initiative of a combatant, and sorts its places in again.
fn change_initiative(encounter: &mut Encounter, e: &InitiativeChanged) {
    let options = encounter.options.clone();
    let ranks = ranks(&options, encounter);
    let next_lap = e.cause == Cause::Turn && has_laps(options.definition());
    let by = e.to - e.from;
    let places = &mut encounter.state.places;
    let (own, others): (Vec<_>, Vec<_>) = places
        .drain(..)
        .partition(|place| place.combatant == e.combatant);
    *places = others;
    for mut place in own {
        let initiative = place.initiative.changed(e.cause, by);
        if next_lap {
            place = Place {
                turn: place.turn.saturating_add(1),
                ..Place::clone(&place)
            }
            .into();
        }
        set_initiative_of(&mut place, initiative);
        insert_in_order(&encounter.combatants, places, place, ranks);
    }
}

/// Sets the initiative of a place, which stands where that says.
fn set_initiative_of(place: &mut CachedJson<Place>, initiative: Initiative) {
    *place = Place {
        moved: false,
        settled: false,
        initiative: initiative.into(),
        ..Place::clone(place)
    }
    .into();
}

/// Changes the initiative of a side, which then says when the side acts. That of a side which players
/// do not know leaves the others as they stand.
fn change_side(encounter: &mut Encounter, e: &SideInitiativeChanged) {
    let options = encounter.options.clone();
    let ranks = ranks(&options, encounter);
    let state = &mut encounter.state;
    let mut sides = state.sides.iter_mut();
    if let Some(side) = sides.find(|side| side.side == e.side)
        && let Some(initiative) = &mut side.initiative
    {
        let by = e.to - e.from;
        *initiative = initiative.changed(Cause::Set, by).into();
        side.yields = false;
        side.first = false;
        let is_known = side.seen && !side.initiative_hidden;
        for side in &mut state.sides {
            side.first &= !is_known;
        }
    }
    sort_sides(state, ranks);
}

/// Ends an offer to swap in which a combatant has part.
fn drop_offer(state: &mut State, id: &CombatantId) {
    state
        .offer
        .take_if(|offer| offer.combatant == *id || offer.with == *id);
}

/// Exchanges the next open places of two combatants, or the place of the turn that one gives back.
/// What wounds and conditions change stays with each.
fn swap_places(encounter: &mut Encounter, e: &PlacesSwapped) {
    encounter.state.offer = None;
    let own = place_to_give(encounter, &e.combatant);
    let other = place_to_give(encounter, &e.with);
    if in_top_turn(encounter, &e.combatant) {
        give_turn_back(encounter, e);
    }
    let (Some(own), Some(other)) = (own, other) else {
        return;
    };
    let options = encounter.options.clone();
    let ranks = ranks(&options, encounter);
    let places = &mut encounter.state.places;
    let (Some(one), Some(two)) = (places.get(own), places.get(other)) else {
        return;
    };
    let first = in_place_of(one, two);
    let second = in_place_of(two, one);
    let stays = |place: &Place, at: &Place| ranks.compare(place, at).is_eq();
    if stays(&first, two) && stays(&second, one) {
        for (at, place) in [(own, second), (other, first)] {
            if let Some(here) = places.get_mut(at) {
                *here = place.into();
            }
        }
        return;
    }
    let mut at = 0;
    places.retain(|_| {
        at += 1;
        at - 1 != own && at - 1 != other
    });
    for place in [first, second] {
        let place = Place {
            moved: false,
            settled: false,
            ..place
        };
        insert_in_order(&encounter.combatants, places, place.into(), ranks);
    }
}

/// Where the place stands that a combatant gives away: its next open one, or that of its turn.
fn place_to_give(encounter: &Encounter, id: &CombatantId) -> Option<usize> {
    if in_top_turn(encounter, id) && !costs_turns(encounter.options.definition()) {
        last_begun(encounter, id)
    } else {
        open_place(encounter, id)
    }
}

/// A combatant's place after it has taken that of another.
fn in_place_of(own: &Place, other: &Place) -> Place {
    let of_own_body = [Cause::Wounds, Cause::Condition];
    let changes = own.initiative.changes;
    let taken = other.initiative.without(&of_own_body);
    let taken = taken.changed(Cause::Wounds, changes.by_wounds);
    Place {
        combatant: own.combatant.clone(),
        turn: own.turn,
        done: false,
        moved: other.moved,
        settled: other.settled,
        initiative: taken
            .changed(Cause::Condition, changes.by_conditions)
            .into(),
    }
}

/// Takes a combatant out of its turn, which it has later.
fn give_turn_back(encounter: &mut Encounter, e: &PlacesSwapped) {
    remove_from_turn(&mut encounter.state, &e.combatant);
    encounter.change_state(&e.combatant, |s| {
        s.counted.clone_from(&e.counted);
        s.resumes = true;
        s.turns_left = s.turns_left.saturating_add(1);
        s.turns_taken = s.turns_taken.saturating_sub(1);
    });
}

/// Lets another card count for a combatant, and for those that share it.
fn keep_card(encounter: &mut Encounter, e: &CardKept) {
    let options = encounter.options.clone();
    let ranks = ranks(&options, encounter);
    let places = &mut encounter.state.places;
    let own = places.iter().find(|place| {
        let cards = place.initiative.cards_to_choose();
        place.combatant == e.combatant && cards.contains(&e.card)
    });
    let Some(before) = own.and_then(|place| place.initiative.card) else {
        return;
    };
    let (sharing, others): (Vec<_>, Vec<_>) = places
        .drain(..)
        .partition(|place| place.initiative.card == Some(before));
    *places = others;
    for mut place in sharing {
        let kept = place.initiative.keeping(e.card);
        set_initiative_of(&mut place, kept);
        insert_in_order(&encounter.combatants, places, place, ranks);
    }
}

/// Lets the cards count that do, for these combatants.
fn close_card_choice(state: &mut State, combatants: &[CombatantId]) {
    let combatants: HashSet<_> = combatants.iter().collect();
    for place in &mut state.places {
        if place.initiative.spare.is_empty() || !combatants.contains(&place.combatant) {
            continue;
        }
        let initiative = Initiative {
            spare: Vec::new(),
            ..Initiative::clone(&place.initiative)
        };
        *place = Place {
            initiative: initiative.into(),
            ..Place::clone(place)
        }
        .into();
    }
}
