//! What follows from deaths, arrivals, departures and changes of combatants.

use super::*;
use crate::rulesets::shared::end_turn;

pub(super) fn react(play: &mut Play<'_>, event: &AnyEvent<Dc20>) -> Result<(), Violation> {
    if matches!(play.encounter().state.phase, Phase::Setup | Phase::Over) {
        return Ok(());
    }
    match event {
        AnyEvent::Shared(SharedEvent::Overridden(e)) => {
            take_over(play, &e.combatant);
            return Ok(());
        }
        AnyEvent::Shared(SharedEvent::ConditionSet(e)) => adjust(play, &e.combatant),
        AnyEvent::Shared(SharedEvent::ConditionCleared(e)) => {
            adjust(play, &e.combatant);
            // Turns were laid out for the teams that had an active combatant.
            if let Some(risen) = play
                .encounter()
                .get(&e.combatant)
                .filter(|c| c.active())
                .cloned()
            {
                join_team(play, &risen);
            }
        }
        AnyEvent::Shared(SharedEvent::CombatantLeft(e)) => {
            if play.encounter().state.acting.contains(&e.combatant) {
                end_turn(play, &e.combatant);
            }
        }
        AnyEvent::Roster(RosterEvent::CombatantJoined { combatant }) => admit(play, combatant),
        AnyEvent::Roster(RosterEvent::CombatantUpdated { combatant }) => {
            join_team(play, combatant);
            show(play, combatant);
            adjust(play, &combatant.id);
        }
        AnyEvent::Shared(_) | AnyEvent::Own(_) => return Ok(()),
    }
    settle(play);
    Ok(())
}

/// Starts the turn of an override. A combatant without a place takes the turn that is awaited if it
/// is one of its team; else that turn is awaited again afterwards.
fn take_over(play: &mut Play<'_>, id: &CombatantId) {
    begin_combat(play);
    let encounter = play.encounter();
    let awaited = encounter.state.at().filter(|_| encounter.state.put_off);
    let placeless = encounter.get(id).filter(|c| c.state.slot.is_none());
    let fits = awaited
        .zip(placeless)
        .filter(|(slot, c)| slot.team == team(&encounter.state, c));
    if let Some(slot) = fits.map(|(slot, _)| slot.id.clone()) {
        play.emit(Assigned {
            slot,
            combatants: vec![id.clone()].into(),
            by: Way::Assigned,
        });
        decide::follow(play);
    }
    start(play, id);
}

/// Gives a newcomer its points and a team. For a new PC every team gets one turn more if there are
/// not enough (ADC14).
fn admit(play: &mut Play<'_>, c: &Combatant) {
    if play.encounter().round > 0 {
        play.emit(ApChanged {
            combatant: c.id.clone(),
            ap: full(c),
        });
        let lap = c.stats.max_lap.count();
        if lap > 0 {
            play.emit(LapRegained {
                combatant: c.id.clone(),
                lap,
            });
        }
    }
    join_team(play, c);
    let encounter = play.encounter();
    if c.hidden || team(&encounter.state, c) != Team::Pc || !lacks_turns(encounter) {
        return;
    }
    add_turns(play, |_| true);
    let added = play
        .encounter()
        .state
        .slots
        .iter()
        .rev()
        .find(|slot| slot.team == Team::Pc)
        .map(|slot| slot.id.clone());
    if let Some(slot) = added.filter(|_| play.encounter().round > 1) {
        play.emit(Assigned {
            slot,
            combatants: vec![c.id.clone()].into(),
            by: Way::Joined,
        });
    }
}

/// Puts a combatant's team into the rotation. If it has no turns, it gets one after each turn of
/// the team before it (DC-26, DC-28). Turns of the hidden do not count for a newcomer that is seen.
fn join_team(play: &mut Play<'_>, c: &Combatant) {
    let State {
        enemy_teams,
        unseen_teams,
        ..
    } = &play.encounter().state;
    let new = |teams: &[Slug]| teams.len() < MAX_ENEMY_TEAMS && !teams.contains(&c.side);
    if is_enemy(c) && new(enemy_teams) && (!c.hidden || new(unseen_teams)) {
        play.emit(TeamJoined {
            side: c.side.clone(),
            unseen: c.hidden,
        });
    }
    let state = &play.encounter().state;
    if state.slots.iter().any(|slot| may_take(state, c, slot)) {
        return;
    }
    let (whose, unseen) = (team(state, c), c.hidden);
    let seen = |team: Team| {
        state
            .slots
            .iter()
            .filter(move |slot| slot.team == team && !slot.unseen)
    };
    let before = rotation(state.enemy_teams.len(), state.unseen_teams.len(), Team::Pc).into_iter();
    let before = before
        .take_while(|team| *team != whose)
        .filter(|team| seen(*team).next().is_some())
        .last();
    let after: Vec<_> = before
        .into_iter()
        .flat_map(seen)
        .map(|slot| slot.id.clone())
        .collect();
    for id in after {
        let state = &play.encounter().state;
        // A turn of the hidden that goes on behind `id` comes first: else the new turn would be
        // past, and reveal it.
        let hidden = state
            .slots
            .iter()
            .skip_while(|slot| slot.id != id)
            .skip(1)
            .take_while(|slot| slot.unseen);
        let current = hidden
            .map(|slot| &slot.id)
            .find(|slot| state.slot.as_ref() == Some(*slot))
            .cloned();
        let slot = new_slot(state, whose, unseen);
        play.emit(SlotAdded {
            slot,
            after: Some(current.unwrap_or(id)),
        });
    }
}

/// Whether the PC team has more seen members than the first enemy team has turns: delays add PC
/// Turns, but no Enemy Turns.
fn lacks_turns(encounter: &Encounter) -> bool {
    let turns = encounter
        .state
        .slots
        .iter()
        .filter(|slot| slot.team == Team::Enemy(1) && !slot.unseen)
        .count();
    turns
        < encounter
            .iter()
            .filter(|c| !c.hidden && team(&encounter.state, c) == Team::Pc)
            .count()
}

/// Adds a turn for each of these teams that has some at the end of the order (ADC14).
fn add_turns(play: &mut Play<'_>, teams: impl Fn(Team) -> bool) {
    let State {
        enemy_teams,
        unseen_teams,
        winner,
        ..
    } = &play.encounter().state;
    let rotation = rotation(
        enemy_teams.len(),
        unseen_teams.len(),
        winner.unwrap_or(Team::Pc),
    )
    .into_iter();
    for team in rotation.filter(|team| teams(*team)) {
        let state = &play.encounter().state;
        // Hidden members have turns of their own only if their team has no others.
        let unseen = state
            .slots
            .iter()
            .filter(|slot| slot.team == team)
            .map(|slot| slot.unseen)
            .min();
        if let Some(slot) = unseen.map(|unseen| new_slot(state, team, unseen)) {
            play.emit(SlotAdded { slot, after: None });
        }
    }
}

/// Shows the turn of the hidden that a revealed combatant has. For a member of the PC team the
/// other teams get one turn more (DC-15).
fn show(play: &mut Play<'_>, c: &Combatant) {
    let state = &play.encounter().state;
    let slot = c.state.slot.as_ref().and_then(|id| state.slot(id));
    let Some(slot) = slot.filter(|slot| slot.unseen && !c.hidden) else {
        return;
    };
    let whose = match (slot.team, team(state, c)) {
        (Team::Enemy(_), enemies @ Team::Enemy(_)) => enemies,
        (Team::Enemy(_), _) => Team::Enemy(1),
        (of_the_hidden, _) => of_the_hidden,
    };
    play.emit(SlotShown {
        slot: slot.id.clone(),
        team: whose,
    });
    if whose == Team::Pc && lacks_turns(play.encounter()) {
        add_turns(play, |team| team != Team::Pc);
    }
}

/// Brings the combat on after a command or a change of its combatants.
pub(super) fn settle(play: &mut Play<'_>) {
    let encounter = play.encounter();
    let open = |c: &&Combatant| c.state.delayed || encounter.state.acting.contains(&c.id);
    let fallen = ids(encounter.iter().filter(|c| !c.active()).filter(open));
    fallen.iter().for_each(|id| close_turn(play, id));
    make_room(play);
    let encounter = play.encounter();
    let state = &encounter.state;
    match (state.phase, state.at()) {
        (Phase::Turn, _) if state.acting.is_empty() => proceed(play),
        (Phase::Claim, Some(_)) => decide::resolve(play, contest(encounter, false), None),
        (Phase::Assign, Some(slot)) if wanting(encounter, slot).next().is_none() => take(play),
        (Phase::BetweenTurns | Phase::RoundEnd, _)
            if !encounter.active().any(|c| spendable(encounter, c) > 0) =>
        {
            close_window(play);
        }
        (Phase::Setup | Phase::Idle, _) if in_play(encounter) => advance(play),
        _ => {}
    }
}

/// Adds turns for the members of the PC team without a place, if there are not enough PC Turns
/// without active combatants. A hidden member gets an unseen turn of its own at the end of the
/// order: turns for all teams would reveal it.
pub(super) fn make_room(play: &mut Play<'_>) {
    let encounter = play.encounter();
    let of_the_team = |c: &&Combatant| team(&encounter.state, c) == Team::Pc;
    let apart = encounter.iter().filter(of_the_team).any(|c| !c.hidden);
    let in_need = encounter
        .active()
        .filter(of_the_team)
        .filter(|c| placeless(c));
    let (hidden, seen): (Vec<_>, Vec<_>) = in_need.partition(|c| c.hidden && apart);
    let (hidden, seen) = (ids(hidden), seen.len());
    let vacant =
        |slot: &&Slot| slot.team == Team::Pc && !slot.unseen && sharing(encounter, slot) == 0;
    let vacant = encounter.state.slots.iter().filter(vacant).count();
    for _ in vacant..seen {
        add_turns(play, |_| true);
    }
    for id in hidden {
        let state = &play.encounter().state;
        let taken = |id: &str| state.slots.iter().any(|slot| slot.id == *id);
        let to = SlotId::from_name(
            &format!("p-{}", id.as_str()),
            "p",
            false,
            state.slots.len(),
            taken,
        );
        let slot = Slot {
            id: to.clone(),
            ..nth(Team::Pc, true, 0)
        };
        play.emit(SlotAdded { slot, after: None });
        play.emit(Assigned {
            slot: to,
            combatants: vec![id].into(),
            by: Way::Joined,
        });
    }
}
