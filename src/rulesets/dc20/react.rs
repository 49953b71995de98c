//! What follows from deaths, arrivals, departures and changes of combatants.

use super::allowance::{adjust, full, spendable};
use super::contest::contest;
use super::decide::{follow, resolve};
use super::flow::{advance, begin_combat, close_turn, close_window, proceed, start, take};
use super::team::{
    can_add, has_no_turn, in_play, is_enemy, may_take, new_slot, nth, rotation, sharing, slot_of,
    team, wanting,
};
use super::{
    ActionPointsChanged, AnyEvent, Assigned, Combatant, Dc20, Encounter, LegendaryPointsRegained,
    Phase, Play, Slot, SlotAdded, SlotId, SlotShown, State, Team, TeamJoined, Way,
};
use crate::rulesets::shared::end_turn;
use crate::vocabulary::{CombatantId, RosterEvent, SharedEvent, Slug, Violation};

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
            if let Some(risen) = play.encounter().get(&e.combatant).cloned()
                && risen.active()
            {
                join_team(play, &risen);
            }
        }
        AnyEvent::Shared(SharedEvent::CombatantLeft(e)) => {
            if play.encounter().state.acting.contains(&e.combatant) {
                end_turn(play, &e.combatant);
            }
        }
        AnyEvent::Roster(RosterEvent::CombatantJoined { details }) => admit(play, details),
        AnyEvent::Roster(RosterEvent::CombatantUpdated { details, .. }) => {
            join_team(play, details);
            show(play, details);
            adjust(play, &details.id);
        }
        AnyEvent::Shared(_) | AnyEvent::Own(_) => return Ok(()),
    }
    settle(play);
    Ok(())
}

/// Starts the turn of an override; the turns in progress are taken back. A combatant without a place
/// takes the turn that is awaited if it is one of its team; else that turn is awaited again
/// afterwards.
fn take_over(play: &mut Play<'_>, id: &CombatantId) {
    begin_combat(play);
    if let Some(slot) = awaited_turn_for(play.encounter(), id) {
        play.emit(Assigned {
            slot,
            combatants: vec![id.clone()].into(),
            because: Way::Assigned,
        });
        follow(play);
    }
    start(play, id);
}

/// The turn that was put off, if it is one of the team of a combatant without a place.
fn awaited_turn_for(encounter: &Encounter, id: &CombatantId) -> Option<SlotId> {
    let state = &encounter.state;
    let slot = state.at()?;
    let c = encounter.get(id)?;
    let fits = state.deferred && c.state.slot.is_none() && slot.team == team(state, c);
    fits.then(|| slot.id.clone())
}

/// Gives a newcomer its points and a team. For a new PC every team gets one turn more if there are
/// not enough (DC-24a).
fn admit(play: &mut Play<'_>, c: &Combatant) {
    if play.encounter().round > 0 {
        give_points(play, c);
    }
    join_team(play, c);
    let encounter = play.encounter();
    if c.hidden || team(&encounter.state, c) != Team::Pc || !lacks_turns(encounter) {
        return;
    }
    add_turns(play);
    if play.encounter().round <= 1 {
        return;
    }
    let slots = &play.encounter().state.slots;
    if let Some(added) = slots.iter().rfind(|slot| slot.team == Team::Pc) {
        play.emit(Assigned {
            slot: added.id.clone(),
            combatants: vec![c.id.clone()].into(),
            because: Way::Joined,
        });
    }
}

/// Gives a newcomer its Action Points and Legendary Action Points.
fn give_points(play: &mut Play<'_>, c: &Combatant) {
    let points = full(c);
    play.emit(ActionPointsChanged {
        combatant: c.id.clone(),
        left: points.current,
        max: points.max,
    });
    let legendary_points = c.stats.max_legendary_points.count();
    if legendary_points > 0 {
        play.emit(LegendaryPointsRegained {
            combatant: c.id.clone(),
            left: legendary_points,
        });
    }
}

/// Puts a combatant's team into the rotation. If it has no turns, it gets one after each turn of
/// the team before it (DC-26, DC-28). Unseen turns do not count for a newcomer that is seen.
fn join_team(play: &mut Play<'_>, c: &Combatant) {
    if founds_team(&play.encounter().state, c) {
        play.emit(TeamJoined {
            side: c.side.clone(),
            unseen: c.hidden,
        });
    }
    let state = &play.encounter().state;
    if state.slots.iter().any(|slot| may_take(state, c, slot)) {
        return;
    }
    let whose = team(state, c);
    for before in turns_before(state, whose) {
        let state = &play.encounter().state;
        let slot = new_slot(state, whose, c.hidden);
        let follows = Some(last_begun_behind(state, before));
        play.emit(SlotAdded {
            added: slot,
            follows,
        });
    }
}

/// Whether a combatant's side becomes an enemy team.
fn founds_team(state: &State, c: &Combatant) -> bool {
    is_enemy(c)
        && can_add(&state.enemy_teams, &c.side)
        && (!c.hidden || can_add(&state.unseen_teams, &c.side))
}

/// The turns of the team before this one in the rotation; teams without turns that all see are
/// passed over.
fn turns_before(state: &State, whose: Team) -> Vec<SlotId> {
    let mut before = Vec::new();
    let teams = rotation(state.enemy_teams.len(), state.unseen_teams.len(), Team::Pc);
    for team in teams {
        if team == whose {
            break;
        }
        let turns = seen_turns(state, team);
        if !turns.is_empty() {
            before = turns;
        }
    }
    before
}

/// The turns of a team that all viewers see.
fn seen_turns(state: &State, team: Team) -> Vec<SlotId> {
    let mut turns = Vec::new();
    for slot in state.slots.iter() {
        if slot.team == team && !slot.unseen {
            turns.push(slot.id.clone());
        }
    }
    turns
}

/// The turn after which a new one comes that follows `id`: an unseen turn behind `id` that
/// goes on comes first. Else the new turn would be past, and reveal it.
fn last_begun_behind(state: &State, id: SlotId) -> SlotId {
    let behind = state.slots.iter().skip_while(|slot| slot.id != id).skip(1);
    for slot in behind {
        if !slot.unseen {
            break;
        }
        if state.slot.as_ref() == Some(&slot.id) {
            return slot.id.clone();
        }
    }
    id
}

/// Whether the PC team has more seen members than the first enemy team has turns: delays add PC
/// Turns, but no Enemy Turns.
fn lacks_turns(encounter: &Encounter) -> bool {
    let state = &encounter.state;
    let mut members = 0;
    for c in encounter.iter() {
        if !c.hidden && team(state, c) == Team::Pc {
            members += 1;
        }
    }
    seen_turns(state, Team::Enemy(1)).len() < members
}

/// Adds a turn for each team that has some (DC-24a).
fn add_turns(play: &mut Play<'_>) {
    for team in teams_from_winner(&play.encounter().state) {
        add_turn(play, team);
    }
}

/// The teams in the order in which their turns were laid out.
fn teams_from_winner(state: &State) -> Vec<Team> {
    rotation(
        state.enemy_teams.len(),
        state.unseen_teams.len(),
        state.winner.unwrap_or(Team::Pc),
    )
}

/// Adds a turn at the end of the order for a team that has some (DC-24a).
fn add_turn(play: &mut Play<'_>, team: Team) {
    let state = &play.encounter().state;
    let mut has_turns = false;
    // Hidden members have turns of their own only if their team has no others.
    let mut unseen = true;
    for slot in state.slots.iter() {
        if slot.team == team {
            has_turns = true;
            unseen &= slot.unseen;
        }
    }
    if !has_turns {
        return;
    }
    let slot = new_slot(state, team, unseen);
    play.emit(SlotAdded {
        added: slot,
        follows: None,
    });
}

/// Shows the unseen turn that a revealed combatant has. For a member of the PC team the
/// other teams get one turn more (DC-15).
fn show(play: &mut Play<'_>, c: &Combatant) {
    let state = &play.encounter().state;
    let Some(slot) = slot_of(state, c) else {
        return;
    };
    if c.hidden || !slot.unseen {
        return;
    }
    let whose = match (slot.team, team(state, c)) {
        (Team::Enemy(_), enemies @ Team::Enemy(_)) => enemies,
        (Team::Enemy(_), _) => Team::Enemy(1),
        (unseen, _) => unseen,
    };
    play.emit(SlotShown {
        slot: slot.id.clone(),
        team: whose,
    });
    if whose == Team::Pc && lacks_turns(play.encounter()) {
        for team in teams_from_winner(&play.encounter().state) {
            if team != Team::Pc {
                add_turn(play, team);
            }
        }
    }
}

/// Brings the combat on after a command or a change of its combatants.
pub(super) fn settle(play: &mut Play<'_>) {
    for id in fallen_in_turn(play.encounter()) {
        close_turn(play, &id);
    }
    make_room(play);
    let encounter = play.encounter();
    let state = &encounter.state;
    match state.phase {
        Phase::Turn if state.acting.is_empty() => proceed(play),
        Phase::Claim if state.at().is_some() => {
            resolve(play, contest(encounter, false));
        }
        Phase::Assign => {
            if let Some(slot) = state.at()
                && wanting(encounter, slot).next().is_none()
            {
                take(play);
            }
        }
        Phase::BetweenTurns | Phase::RoundEnd
            if !encounter.active().any(|c| spendable(encounter, c) > 0) =>
        {
            close_window(play);
        }
        Phase::Setup | Phase::Idle if in_play(encounter) => advance(play),
        _ => {}
    }
}

/// Those out of the fight whose turns are going on or delayed.
fn fallen_in_turn(encounter: &Encounter) -> Vec<CombatantId> {
    let mut fallen = Vec::new();
    for c in encounter.iter() {
        let in_turn = c.state.delayed || encounter.state.acting.contains(&c.id);
        if in_turn && !c.active() {
            fallen.push(c.id.clone());
        }
    }
    fallen
}

/// Adds turns for the members of the PC team without a place, if there are not enough PC Turns
/// without active combatants. A hidden member gets an unseen turn of its own at the end of the
/// order: turns for all teams would reveal it.
pub(super) fn make_room(play: &mut Play<'_>) {
    let encounter = play.encounter();
    let state = &encounter.state;
    let any_seen = encounter
        .iter()
        .any(|c| !c.hidden && team(state, c) == Team::Pc);
    let mut seen = 0;
    let mut hidden = Vec::new();
    for c in encounter.active() {
        if team(state, c) != Team::Pc || !has_no_turn(c) {
            continue;
        }
        if c.hidden && any_seen {
            hidden.push(c.id.clone());
        } else {
            seen += 1;
        }
    }
    for _ in vacant_pc_turns(encounter)..seen {
        add_turns(play);
    }
    for id in hidden {
        add_unseen_turn(play, id);
    }
}

/// The number of PC Turns that all see and in which there is no active combatant.
fn vacant_pc_turns(encounter: &Encounter) -> usize {
    let mut vacant = 0;
    for slot in encounter.state.slots.iter() {
        if slot.team == Team::Pc && !slot.unseen && sharing(encounter, slot) == 0 {
            vacant += 1;
        }
    }
    vacant
}

/// Gives a hidden member of the PC team an unseen turn of its own at the end of the order.
fn add_unseen_turn(play: &mut Play<'_>, id: CombatantId) {
    let state = &play.encounter().state;
    let name = format!("p-{}", id.as_str());
    let taken = |id: &str| state.slots.iter().any(|slot| slot.id.as_str() == id);
    let to = SlotId(Slug::from_name(&name, "p", false, state.slots.len(), taken));
    let slot = Slot {
        id: to.clone(),
        ..nth(Team::Pc, true, 0)
    };
    play.emit(SlotAdded {
        added: slot,
        follows: None,
    });
    play.emit(Assigned {
        slot: to,
        combatants: vec![id].into(),
        because: Way::Joined,
    });
}
