//! Teams and their Initiative Turns: who belongs to whom, and how turns are laid out.

use super::{Creature, Slot, SlotId, State, Table, Team};
use crate::vocabulary::{Kind, Slug};

/// The most enemy teams that have turns of their own.
pub(super) const MAX_ENEMY_TEAMS: usize = 8;

/// Whether it is a player's character, who makes the Initiative Check and is counted (DC-4, DC-13).
pub(super) fn is_pc(c: &Creature) -> bool {
    c.kind == Kind::Pc && c.side == "players"
}

/// Whether it is hostile to the players' characters.
pub(super) fn is_enemy(c: &Creature) -> bool {
    !(c.side == "players" || c.side == "npc" || c.side == "npcs" || c.stats.neutral)
}

/// The team that a combatant belongs to (DC-26, DC-28, DC-29).
pub(super) fn team(state: &State, c: &Creature) -> Team {
    if is_enemy(c) {
        let known = state.enemy_teams.iter().position(|side| *side == c.side).unwrap_or(state.enemy_teams.len());
        Team::Enemy(u32::try_from(known.min(MAX_ENEMY_TEAMS - 1) + 1).unwrap_or(1))
    } else if is_pc(c) || c.stats.important {
        Team::Pc
    } else {
        Team::Npc
    }
}

/// The active members of a team that have neither acted this round nor a place in the order.
pub(super) fn unplaced(table: &Table, wanted: Team) -> impl Iterator<Item = &Creature> {
    table.waiting().filter(move |c| c.standing.slot.is_none() && team(&table.state, c) == wanted)
}

/// Whether somebody in this turn can still act in it this round.
pub(super) fn occupied(table: &Table, slot: &Slot) -> bool {
    slot.occupants.iter().any(|id| table.get(id).is_some_and(|c| c.active() && !c.acted))
}

/// How many share this turn: those of it who are in the fight.
pub(super) fn sharing(table: &Table, slot: &Slot) -> usize {
    slot.occupants.iter().filter(|id| table.is_active(id)).count()
}

/// How many of the PC Turns to come in this round will ask for somebody.
pub(super) fn asking_later(table: &Table) -> usize {
    let open = |slot: &&Slot| slot.team == Team::Pc && (table.round <= 1 || !occupied(table, slot));
    table.state.later().iter().filter(open).count()
}

/// The name of the `n`th turn of a team.
pub(super) fn slot_id(team: Team, n: usize) -> SlotId {
    let name = match team {
        Team::Pc => format!("p{n}"),
        Team::Enemy(1) => format!("e{n}"),
        Team::Enemy(k) => format!("e{n}-{k}"),
        Team::Npc => format!("n{n}"),
    };
    Slug::new(&name).unwrap_or(Slug::fixed("turn"))
}

/// The next turn of a team that is not there yet.
pub(super) fn new_slot(state: &State, team: Team) -> Slot {
    let n = state.slots.iter().filter(|slot| slot.team == team).count() + 1;
    Slot { id: slot_id(team, n), team, occupants: Vec::new(), removed: false }
}

/// The teams in the order of their rotation, beginning with the players' characters: PC, enemies, NPCs (DC-26, DC-28).
pub(super) fn rotation(enemy_teams: usize, npcs: bool) -> Vec<Team> {
    let enemies = u32::try_from(enemy_teams.clamp(1, MAX_ENEMY_TEAMS)).unwrap_or(1);
    let mut teams = vec![Team::Pc];
    teams.extend((1..=enemies).map(Team::Enemy));
    teams.extend(npcs.then_some(Team::Npc));
    teams
}

/// The teams that have turns, in the order of their rotation from the first turn on.
pub(super) fn cycle(state: &State) -> Vec<Team> {
    let has = |team: Team| state.slots.iter().any(|slot| slot.team == team);
    let mut teams: Vec<Team> = rotation(state.enemy_teams.len(), true).into_iter().filter(|team| has(*team)).collect();
    let first = teams.iter().position(|team| Some(*team) == state.winner).unwrap_or(0);
    teams.rotate_left(first);
    teams
}
