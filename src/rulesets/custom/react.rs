//! What follows from damage, conditions, comings, goings and the game master's word.

use super::definition::*;
use super::flow::*;
use super::query::*;
use super::score;
use super::*;
use crate::rulesets::shared::end_turn;
use crate::vocabulary::{OUT, RosterEvent, SharedEvent, Status};

pub(super) fn react(play: &mut Play<'_>, event: &AnyEvent<Custom>) -> Result<(), Violation> {
    if play.encounter().status != Status::Running {
        return Ok(());
    }
    match event {
        AnyEvent::Shared(SharedEvent::Overridden(e)) => return take_over(play, &e.combatant),
        AnyEvent::Shared(SharedEvent::ConditionSet(e))
            if e.condition == MANIFEST.down && e.member.is_none() =>
        {
            fall(play, &e.combatant);
        }
        AnyEvent::Shared(SharedEvent::ConditionCleared(e)) => {
            let down =
                e.condition == MANIFEST.down && definition(play.encounter()).down == Down::Skips;
            if down || OUT.contains(&e.condition.as_str()) {
                come_back(play, &e.combatant);
            }
        }
        AnyEvent::Shared(SharedEvent::CombatantLeft(e)) => {
            if top(play.encounter()).is_some_and(|turn| turn.combatants.contains(&e.combatant)) {
                end_turn(play, &e.combatant);
                proceed(play, Point::Turn);
            }
        }
        AnyEvent::Roster(RosterEvent::CombatantJoined { combatant }) => {
            find_place(play, &combatant.id);
            let definition = definition(play.encounter());
            if definition.join == Join::NextRound && definition.clock.is_none() {
                play.emit(CameLate {
                    combatant: combatant.id.clone(),
                    turns: 0,
                });
            }
        }
        AnyEvent::Roster(RosterEvent::CombatantUpdated { combatant }) => {
            find_place(play, &combatant.id);
        }
        AnyEvent::Shared(SharedEvent::ConditionSet(_)) => {}
        AnyEvent::Shared(_) | AnyEvent::Own(_) => return Ok(()),
    }
    settle(play);
    Ok(())
}

/// The game master's word: declarations and rolls are settled, the turns that are going on end, and
/// this one begins.
fn take_over(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    if play.encounter().state.mode == Mode::Declaring {
        show(play);
    }
    if owes_roll(play.encounter()) {
        score::roll_all(play, &score::NOTHING)?;
    }
    while let Some(id) = top(play.encounter()).and_then(|turn| turn.combatants.last().cloned()) {
        end_one(play, &id, None);
    }
    begin(play, vec![id.clone()], TurnKind::Overridden);
    proceed(play, Point::Turn);
    Ok(())
}

/// A combatant becomes unconscious.
fn fall(play: &mut Play<'_>, id: &CombatantId) {
    let encounter = play.encounter();
    let between = matches!(
        encounter.state.mode,
        Mode::Turn | Mode::Gap { .. } | Mode::Choosing
    );
    let placed = encounter
        .state
        .places
        .iter()
        .any(|place| place.combatant == *id);
    if definition(encounter).down != Down::Moves || !between || in_a_turn(encounter, id) || !placed
    {
        return;
    }
    // Before any turn has ended there is no turn to stand before.
    let (Some(beside), _) = beside_now(encounter) else {
        return;
    };
    if beside != id {
        let beside = Some(beside.clone());
        play.emit(Moved {
            combatant: id.clone(),
            beside,
            after: false,
            done: true,
        });
    }
}

/// A combatant is in the fight again: where its place has passed, it waits for the next round.
fn come_back(play: &mut Play<'_>, id: &CombatantId) {
    find_place(play, id);
    let encounter = play.encounter();
    if encounter.is_active(id) && !in_a_turn(encounter, id) {
        come_late(play, id);
    }
}

/// Gives an active combatant its place, where scores are known and it has none.
fn find_place(play: &mut Play<'_>, id: &CombatantId) {
    let encounter = play.encounter();
    let placed = encounter
        .state
        .places
        .iter()
        .any(|place| place.combatant == *id);
    let waits = encounter.get(id).is_some_and(|c| c.state.waiting);
    if placed
        || waits
        || !encounter.state.rolled
        || !encounter.is_active(id)
        || !has_places(definition(encounter))
    {
        return;
    }
    let last = definition(encounter).join == Join::Last && definition(encounter).clock.is_none();
    let places = score::newcomer(play, id);
    play.emit(Placed { places, last });
    if !last {
        come_late(play, id);
    }
}

/// Takes from a combatant the turns of places that the round has passed already.
fn come_late(play: &mut Play<'_>, id: &CombatantId) {
    let encounter = play.encounter();
    let Some(c) = encounter.get(id) else { return };
    if definition(encounter).clock.is_some() {
        let tick = encounter.state.tick;
        let behind =
            |place: &CachedJson<Place>| place.combatant == *id && place.score.total < tick.into();
        if encounter.state.places.iter().any(behind) {
            play.emit(Scheduled {
                combatant: id.clone(),
                tick,
            });
        }
        return;
    }
    let mixed = phase(encounter).sides == Sides::Mixed;
    let sides = encounter
        .state
        .sides
        .iter()
        .filter(|side| mixed || side.side == c.side);
    let count = sides
        .filter_map(|side| side.count.as_ref().map(|score| &score.key))
        .max();
    let places = &encounter.state.places;
    let passed = |at: usize, place: &Place| match place.moved {
        true => places.iter().skip(at).any(|other| other.done),
        false => count.is_some_and(|count| place.score.key < *count),
    };
    let open = places
        .iter()
        .enumerate()
        .filter(|(_, place)| place.combatant == *id && !place.done);
    let (late, ahead): (Vec<_>, Vec<_>) = open.partition(|(at, place)| passed(*at, place));
    let turns = u32::try_from(ahead.len()).unwrap_or(u32::MAX);
    if !late.is_empty() && c.state.turns_left > 0 {
        play.emit(CameLate {
            combatant: id.clone(),
            turns: turns.min(c.state.turns_left),
        });
    }
}

/// Goes on after a change of who is in the fight.
fn settle(play: &mut Play<'_>) {
    let encounter = play.encounter();
    let lapses =
        |c: &&Combatant| c.state.waiting && (!c.active() || is_skipped(definition(encounter), c));
    let lapsed = ids(encounter.iter().filter(lapses));
    lapsed
        .into_iter()
        .for_each(|combatant| play.emit(WaitLapsed { combatant }));
    let encounter = play.encounter();
    let nobody = encounter.active().next().is_none();
    match &encounter.state.mode {
        Mode::Standstill => proceed(play, Point::Roll),
        Mode::Declaring if undeclared(encounter).next().is_none() => {
            show(play);
            proceed(play, Point::Roll);
        }
        Mode::Rolling if nobody => play.emit(Standstill {}),
        Mode::Choosing => proceed(play, Point::Next),
        Mode::Gap { stalled: false, .. } => close_used_gap(play),
        Mode::Gap { stalled: true, .. } if nobody || !candidates(encounter).is_empty() => {
            proceed(play, Point::Next);
        }
        Mode::Turn if !encounter.state.turns.is_empty() => end_fallen(play),
        _ => {}
    }
}

/// Ends the turns of combatants that are out of the fight.
fn end_fallen(play: &mut Play<'_>) {
    let encounter = play.encounter();
    let turn = top(encounter);
    let fallen = turn
        .into_iter()
        .flat_map(|turn| &turn.combatants)
        .filter(|id| !encounter.is_active(id));
    let fallen: Vec<_> = fallen.cloned().collect();
    for id in &fallen {
        end_one(play, id, None);
    }
    proceed(play, Point::Turn);
}
