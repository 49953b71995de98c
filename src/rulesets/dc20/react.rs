//! What follows under DC20 from deaths, comings and goings.

use super::flow::*;
use super::team::{MAX_ENEMY_TEAMS, cycle, in_play, is_enemy, new_slot, nth, placeless, team, wanting};
use super::*;
use crate::rulesets::shared::end_turn;
use crate::vocabulary::{RosterEvent, SharedEvent, Slug};

pub(super) fn react(play: &mut Combat<'_>, event: &AnyEvent<Dc20>) {
    match event {
        AnyEvent::Shared(SharedEvent::EncounterEnded(_)) => {
            let dice_lost = play.table().iter().filter(|c| c.state.inspiration_die).map(|c| c.id.clone()).collect();
            play.own(CombatClosed { dice_lost });
        }
        AnyEvent::Shared(_) | AnyEvent::Roster(_) if matches!(play.table().state.phase, Phase::Setup | Phase::Over) => {
        }
        AnyEvent::Shared(SharedEvent::Overridden(e)) => take_over(play, &e.combatant),
        AnyEvent::Shared(SharedEvent::ConditionSet(e)) => {
            allowance::adjust(play, &e.combatant);
            settle(play);
        }
        AnyEvent::Shared(SharedEvent::ConditionCleared(e)) => {
            allowance::adjust(play, &e.combatant);
            // Turns were laid out for the teams that had somebody in the fight.
            if let Some(risen) = play.table().get(&e.combatant).filter(|c| c.active()).cloned() {
                add_team(play, &risen);
            }
            settle(play);
        }
        AnyEvent::Shared(SharedEvent::CombatantLeft(e)) => {
            if play.table().state.acting.contains(&e.combatant) {
                end_turn(play, &e.combatant);
            }
            play.own(PlaceLost { combatant: e.combatant.clone() });
            settle(play);
        }
        AnyEvent::Roster(RosterEvent::CombatantJoined { combatant }) => {
            admit(play, combatant);
            settle(play);
        }
        AnyEvent::Roster(RosterEvent::CombatantUpdated { combatant }) => {
            rank(play, combatant);
            show(play, combatant);
            allowance::adjust(play, &combatant.id);
            settle(play);
        }
        AnyEvent::Shared(_) | AnyEvent::Own(_) => {}
    }
}

/// A newcomer gets its points and a team; a new PC a turn more for every team (ADC14), where there are not enough.
fn admit(play: &mut Combat<'_>, c: &Creature) {
    if play.table().round > 0 {
        let (combatant, ap) = (c.id.clone(), allowance::full(c));
        play.own(ApChanged { combatant: combatant.clone(), ap });
        if max_lap(c) > 0 {
            play.own(LapRegained { combatant, lap: max_lap(c) });
        }
    }
    rank(play, c);
    let table = play.table();
    if c.hidden || team(&table.state, c) != Team::Pc || !lacks_turns(table) {
        return;
    }
    let late = table.round > 1;
    if let Some(slot) = add_turns(play).filter(|_| late) {
        play.own(Assigned { slot, combatants: vec![c.id.clone()].into(), by: Way::Joined });
    }
}

/// Sees to it that a combatant's team takes part in the rotation.
fn rank(play: &mut Combat<'_>, c: &Creature) {
    let State { enemy_teams, unseen_teams, .. } = &play.table().state;
    let new = |teams: &[Slug]| teams.len() < MAX_ENEMY_TEAMS && !teams.contains(&c.side);
    if is_enemy(c) && new(enemy_teams) && (!c.hidden || new(unseen_teams)) {
        play.own(TeamJoined { side: c.side.clone(), unseen: c.hidden });
    }
    add_team(play, c);
}

/// Whether more of the PC team are seen than turns were laid out for. A delay may have made PC Turns of its own: what was laid out
/// for the characters shows in the Enemy Turns.
fn lacks_turns(table: &Table) -> bool {
    let turns = table.state.slots.iter().filter(|slot| slot.team == Team::Enemy(1) && !slot.unseen).count();
    turns < table.iter().filter(|c| !c.hidden && team(&table.state, c) == Team::Pc).count()
}

/// The turn that was laid out for one who was hidden is everybody's to know now that it is seen. For one of the PC team the
/// other teams get the turn that they had none of (DC-15).
fn show(play: &mut Combat<'_>, c: &Creature) {
    let state = &play.table().state;
    let slot = c.state.slot.as_ref().and_then(|id| state.slot(id));
    let Some(slot) = slot.filter(|slot| slot.unseen && !c.hidden) else { return };
    let whose = match (slot.team, team(state, c)) {
        (Team::Enemy(_), enemies @ Team::Enemy(_)) => enemies,
        (Team::Enemy(_), _) => Team::Enemy(1),
        (of_the_hidden, _) => of_the_hidden,
    };
    play.own(SlotShown { slot: slot.id.clone(), team: whose });
    if whose != Team::Pc || !lacks_turns(play.table()) {
        return;
    }
    let others = cycle(&play.table().state).into_iter().filter(|(team, _)| *team != Team::Pc);
    for (team, unseen) in others {
        let slot = new_slot(&play.table().state, team, unseen);
        play.own(SlotAdded { slot, after: None });
    }
}

/// Brings the combat on where somebody new, gone or out of the fight makes a difference.
fn settle(play: &mut Combat<'_>) {
    let table = play.table();
    let open = |c: &&Creature| c.state.delayed || table.state.acting.contains(&c.id);
    let fallen: Vec<_> = table.iter().filter(|c| !c.active()).filter(open).map(|c| c.id.clone()).collect();
    for id in fallen {
        close_turn(play, &id);
    }
    make_room(play);
    let table = play.table();
    let state = &table.state;
    match (state.phase, state.at()) {
        (Phase::Turn, _) if state.acting.is_empty() => proceed(play),
        (Phase::Claim, Some(_)) => decide::settle(play),
        (Phase::Assign, Some(slot)) if wanting(table, slot).next().is_none() => {
            let slot = slot.id.clone();
            if !begin_slot(play, &slot, 0) {
                advance(play);
            }
        }
        (Phase::BetweenTurns | Phase::RoundEnd, _) => close_window(play),
        (Phase::Idle, _) if in_play(table) => advance(play),
        _ => {}
    }
}

/// Goes on where no legendary monster can act any more.
pub(super) fn close_window(play: &mut Combat<'_>) {
    let table = play.table();
    let able = table.active().any(|c| decide::spendable(table, c) > 0);
    match table.state.phase {
        _ if able => {}
        Phase::RoundEnd => {
            close_round(play);
            advance(play);
        }
        _ => advance(play),
    }
}

/// Adds turns where more of the PC team have no place than there are PC Turns with nobody in them: somebody has risen again or
/// changed sides. A hidden one gets a turn of its own at the end, of which nobody is told: it would show in the turns of all.
pub(super) fn make_room(play: &mut Combat<'_>) {
    let table = play.table();
    let of_the_team = |c: &&Creature| team(&table.state, c) == Team::Pc;
    let in_need = |c: &&Creature| c.active() && placeless(c);
    let known = |c: &Creature| !c.hidden;
    let apart = table.iter().filter(of_the_team).any(known);
    let in_need = table.iter().filter(of_the_team).filter(in_need);
    let (hidden, seen): (Vec<_>, Vec<_>) = in_need.partition(|c| c.hidden && apart);
    let (hidden, seen): (Vec<_>, _) = (hidden.into_iter().map(|c| c.id.clone()).collect(), seen.len());
    let vacant = |slot: &&Slot| !slot.unseen && !slot.occupants.iter().any(|id| table.is_active(id));
    let vacant = table.state.slots.iter().filter(|slot| slot.team == Team::Pc).filter(vacant).count();
    for _ in vacant..seen {
        add_turns(play);
    }
    for id in hidden {
        let state = &play.table().state;
        let taken = |id: &SlotId| state.slot(id).is_some();
        let to = SlotId::from_name(&format!("p-{id}"), "p", false, state.slots.len(), taken);
        let slot = Slot { id: to.clone(), ..nth(Team::Pc, true, 0) };
        play.own(SlotAdded { slot, after: None });
        play.own(Assigned { slot: to, combatants: vec![id].into(), by: Way::Joined });
    }
}

/// The game master's override: it is that combatant's turn, and the order goes on from its place. One without a place gets the
/// turn that its team is awaited for; the turn of another team is awaited again after it. A turn that was delayed goes on: it has
/// started before (ADC8).
fn take_over(play: &mut Combat<'_>, id: &CombatantId) {
    begin_combat(play);
    let table = play.table();
    let awaited = table.state.at().filter(|_| matches!(table.state.phase, Phase::Claim | Phase::Assign));
    let placeless = table.get(id).filter(|c| c.state.slot.is_none());
    let fits = awaited.zip(placeless).filter(|(slot, c)| slot.team == team(&table.state, c));
    if let Some(slot) = fits.map(|(slot, _)| slot.id.clone()) {
        play.own(Assigned { slot, combatants: vec![id.clone()].into(), by: Way::Assigned });
        decide::follow(play);
    }
    let delayed = play.table().get(id).is_some_and(|c| c.state.delayed);
    play.own(TurnSet { combatant: id.clone() });
    if delayed {
        play.own(TurnResumed { combatant: id.clone() });
    } else {
        start(play, id);
    }
}
