//! Teams and turns that join the order after it was laid out.
//!
//! A team that joins gets its place in the rotation, and a PC that joins gives each team one turn
//! more (DC-24a). For hidden combatants turns are added that only viewers who know them see.

use super::team::{
    can_add, has_no_turn, is_enemy, may_take, new_slot, nth_slot, rotation, sharers, slot_of, team,
};
use super::{
    Assigned, Combatant, Encounter, Play, Slot, SlotAdded, SlotId, SlotShown, State, Team,
    TeamJoined, Way,
};
use crate::vocabulary::{CombatantId, Slug};

/// Puts a combatant's team into the rotation. If it has no turns, it gets one after each turn of
/// the team before it (DC-26, DC-28). Unseen turns do not count for a newcomer that is seen.
pub(super) fn join_team(play: &mut Play<'_>, c: &Combatant) {
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
    let joined = team(state, c);
    for before in turns_before(state, joined) {
        let state = &play.encounter().state;
        play.emit(SlotAdded {
            added: new_slot(state, joined, c.hidden),
            follows: Some(not_yet_passed(state, before)),
        });
    }
}

/// Whether a combatant's side becomes an enemy team.
fn founds_team(state: &State, c: &Combatant) -> bool {
    is_enemy(c)
        && can_add(&state.enemy_teams, &c.side)
        && (!c.hidden || can_add(&state.unseen_teams, &c.side))
}

/// The turns of the team before this one in the rotation, of those that have turns which all
/// viewers see.
fn turns_before(state: &State, joined: Team) -> Vec<SlotId> {
    let mut before = Vec::new();
    let teams = rotation(state.enemy_teams.len(), state.unseen_teams.len(), Team::Pc);
    for team in teams {
        if team == joined {
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

/// The turn after which a new one comes that is to follow `before`. An unseen turn in progress
/// behind `before` comes first: the place between them has passed, and a new turn there would show
/// that.
fn not_yet_passed(state: &State, before: SlotId) -> SlotId {
    let behind = state
        .slots
        .iter()
        .skip_while(|slot| slot.id != before)
        .skip(1);
    for slot in behind {
        if !slot.unseen {
            break;
        }
        if state.slot.as_ref() == Some(&slot.id) {
            return slot.id.clone();
        }
    }
    before
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
        if slot.team == Team::Pc && !slot.unseen && sharers(encounter, slot) == 0 {
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
        ..nth_slot(Team::Pc, true, 0)
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

/// Shows the unseen turn that a revealed combatant has. For a member of the PC team the
/// other teams get one turn more (DC-15).
pub(super) fn show_turn(play: &mut Play<'_>, c: &Combatant) {
    let state = &play.encounter().state;
    let Some(slot) = slot_of(state, c) else {
        return;
    };
    if c.hidden || !slot.unseen {
        return;
    }
    let shown_as = match (slot.team, team(state, c)) {
        (Team::Enemy(_), seen_enemies @ Team::Enemy(_)) => seen_enemies,
        // The turn stays an Enemy Turn when its combatant has changed sides.
        (Team::Enemy(_), _) => Team::Enemy(1),
        (other_team, _) => other_team,
    };
    play.emit(SlotShown {
        slot: slot.id.clone(),
        team: shown_as,
    });
    if shown_as == Team::Pc && lacks_turns(play.encounter()) {
        for team in teams_from_winner(&play.encounter().state) {
            if team != Team::Pc {
                add_turn(play, team);
            }
        }
    }
}

/// Whether the PC team has more seen members than the first enemy team has turns: delays add PC
/// Turns, but no Enemy Turns.
pub(super) fn lacks_turns(encounter: &Encounter) -> bool {
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
pub(super) fn add_turns(play: &mut Play<'_>) {
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
    play.emit(SlotAdded {
        added: new_slot(state, team, unseen),
        follows: None,
    });
}
