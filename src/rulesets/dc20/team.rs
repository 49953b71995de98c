//! Teams and their Initiative Turns (DC-4, DC-13, DC-17, DC-24, DC-26, DC-28, DC-29, DC-34), and
//! the turns, combatants and sides that a command names.

use super::{Combatant, Encounter, Play, Slot, SlotId, State, Team};
use crate::vocabulary::{CombatantId, Kind, Slug, Violation, field, require};

/// The team of which each lap has a turn, and each other team too: it always has turns.
pub(super) const FIRST_ENEMIES: Team = Team::Enemy(1);

/// The maximum of enemy teams that have turns of their own.
pub(super) const MAX_ENEMY_TEAMS: usize = 8;

/// Whether it is a player's character, who makes the Initiative Check and is counted (DC-4, DC-13).
pub(super) fn is_pc(c: &Combatant) -> bool {
    c.kind == Kind::Pc && c.side == "players"
}

/// Whether it is hostile to the players' characters.
pub(super) fn is_enemy(c: &Combatant) -> bool {
    !(c.side == "players" || c.side == "npc" || c.side == "npcs" || c.stats.neutral)
}

/// Whether the `n`th enemy team is of a side of which no viewer has seen a combatant.
pub(super) fn is_unseen_team(n: usize) -> bool {
    n > MAX_ENEMY_TEAMS
}

/// The team of a combatant (DC-26, DC-28, DC-29). Hidden combatants of a side that no viewer has
/// seen have a team of their own.
pub(super) fn team(state: &State, c: &Combatant) -> Team {
    if is_enemy(c) {
        Team::Enemy(enemy_place(state, c) + 1)
    } else if is_pc(c) || c.stats.important {
        Team::Pc
    } else {
        Team::Npc
    }
}

/// The place of an enemy's team in the rotation, from 0: seen teams come first, then the unseen
/// ones from [`MAX_ENEMY_TEAMS`] on. A side that is no team yet has the place that it would get;
/// without room among the seen teams it acts with the last one.
fn enemy_place(state: &State, c: &Combatant) -> usize {
    let seen = &state.enemy_teams;
    let unseen = &state.unseen_teams;
    let last = MAX_ENEMY_TEAMS - 1;
    if let Some(place) = place_in(seen, &c.side) {
        return place;
    }
    if !c.hidden {
        return seen.len().min(last);
    }
    if let Some(place) = place_in(unseen, &c.side) {
        return MAX_ENEMY_TEAMS + place;
    }
    if seen.len() < MAX_ENEMY_TEAMS {
        MAX_ENEMY_TEAMS + unseen.len().min(last)
    } else {
        last
    }
}

fn place_in(teams: &[Slug], side: &Slug) -> Option<usize> {
    teams.iter().position(|team| team == side)
}

/// The name of a team: its side.
pub(super) fn team_name(state: &State, team: Team) -> String {
    match team {
        Team::Pc => "players".to_owned(),
        Team::Npc => "npcs".to_owned(),
        Team::Enemy(n) => match enemy_side(state, n) {
            Some(side) => side.to_string(),
            None => "enemies".to_owned(),
        },
    }
}

/// The side of the `n`th enemy team.
pub(super) fn enemy_side(state: &State, n: usize) -> Option<&Slug> {
    let place = n.saturating_sub(1);
    if let Some(side) = state.enemy_teams.get(place) {
        return Some(side);
    }
    state.unseen_teams.get(place.checked_sub(MAX_ENEMY_TEAMS)?)
}

/// Whether there is room for a side among these teams, and it is none of them.
pub(super) fn can_add(teams: &[Slug], side: &Slug) -> bool {
    teams.len() < MAX_ENEMY_TEAMS && !teams.contains(side)
}

/// The turn in which a combatant has its place.
pub(super) fn slot_of<'t>(state: &'t State, c: &Combatant) -> Option<&'t Slot> {
    state.slot_named(c.state.slot.as_ref()?)
}

/// Whether a combatant has no place in the order, and holds none behind an enemy.
pub(super) fn has_no_turn(state: &State, c: &Combatant) -> bool {
    c.state.slot.is_none() && !holds_place(state, c)
}

/// Whether a member of the PC team has delayed and has no place yet (DC-34).
pub(super) fn holds_place(state: &State, c: &Combatant) -> bool {
    c.state.delayed && c.state.slot.is_none() && team(state, c) == Team::Pc
}

/// The members of a team that can still act this round and have no turn.
pub(super) fn waiting_for_turn(
    encounter: &Encounter,
    wanted: Team,
) -> impl Iterator<Item = &Combatant> {
    encounter.waiting().filter(move |c| {
        let state = &encounter.state;
        has_no_turn(state, c) && team(state, c) == wanted
    })
}

/// Whether a combatant can act in this turn: it is one of its team. An unseen turn is only for
/// hidden ones.
pub(super) fn may_take(state: &State, c: &Combatant, slot: &Slot) -> bool {
    team(state, c) == slot.team && (c.hidden || !slot.unseen)
}

/// The combatants for which this turn asks. In round 1 every PC Turn asks (DC-17), also if a delayed
/// turn continues in it; of the others those in which no combatant can act.
///
/// A taken Enemy or NPC Turn asks for those that no empty turn of their team waits for (DC-24b), but
/// not for hidden ones: the question would show them.
pub(super) fn asked_by<'t>(encounter: &'t Encounter, slot: &Slot) -> Vec<&'t Combatant> {
    let mut asked: Vec<&Combatant> = waiting_for_turn(encounter, slot.team).collect();
    if asked.is_empty() {
        return asked;
    }
    if is_open(encounter, slot) {
        asked.retain(|c| c.hidden || !slot.unseen);
    } else {
        asked.retain(|c| slot.team != Team::Pc && c.hidden == slot.unseen);
        if !asked.is_empty() && has_empty_turn(encounter, slot) {
            asked.clear();
        }
    }
    asked
}

/// Whether a turn is empty, or a PC Turn of round 1.
pub(super) fn is_open(encounter: &Encounter, slot: &Slot) -> bool {
    let is_chosen_now = slot.team == Team::Pc && encounter.round <= 1;
    is_chosen_now || !can_still_act(encounter, slot)
}

/// Whether the team of a turn has one without active combatants for those who could take this one.
fn has_empty_turn(encounter: &Encounter, taken: &Slot) -> bool {
    encounter.state.slots.iter().any(|slot| {
        let fits = slot.team == taken.team && !slot.removed && (taken.unseen || !slot.unseen);
        fits && sharers(encounter, slot) == 0
    })
}

/// Whether a combatant waits for an unseen turn of its own.
pub(super) fn waits_unseen(state: &State, c: &Combatant) -> bool {
    let Some(slot) = slot_of(state, c) else {
        return false;
    };
    slot.unseen && !c.acted && !c.state.delayed && !state.acting.contains(&c.id)
}

/// The combatants in this turn.
pub(super) fn occupants<'t>(
    encounter: &'t Encounter,
    slot: &'t Slot,
) -> impl Iterator<Item = &'t Combatant> {
    slot.occupants.iter().filter_map(|id| encounter.get(id))
}

/// Whether a combatant in this turn can still act this round.
pub(super) fn can_still_act(encounter: &Encounter, slot: &Slot) -> bool {
    occupants(encounter, slot).any(|c| c.active() && !c.acted)
}

/// How many active combatants share this turn.
pub(super) fn sharers(encounter: &Encounter, slot: &Slot) -> usize {
    occupants(encounter, slot).filter(|c| c.active()).count()
}

/// The `n`th turn of a team, or of its hidden members.
pub(super) fn nth_slot(team: Team, unseen: bool, n: usize) -> Slot {
    let name = match team {
        Team::Pc => format!("p{n}"),
        Team::Enemy(1) => format!("e{n}"),
        Team::Enemy(k) => format!("e{n}-{k}"),
        Team::Npc if unseen => format!("nx{n}"),
        Team::Npc => format!("n{n}"),
    };
    let id = SlotId(Slug::new(&name).unwrap_or(Slug::fixed("turn")));
    Slot {
        id,
        team,
        occupants: Vec::new(),
        removed: false,
        unseen,
    }
}

/// The teams in the order of their rotation, PC, enemies, NPCs, from the first one on (DC-26,
/// DC-28).
pub(super) fn rotation(enemy_teams: usize, unseen_teams: usize, first: Team) -> Vec<Team> {
    let mut teams = vec![Team::Pc];
    for n in 1..=enemy_teams.clamp(1, MAX_ENEMY_TEAMS) {
        teams.push(Team::Enemy(n));
    }
    for n in 1..=unseen_teams {
        teams.push(Team::Enemy(MAX_ENEMY_TEAMS + n));
    }
    teams.push(Team::Npc);
    if let Some(first) = teams.iter().position(|team| *team == first) {
        teams.rotate_left(first);
    }
    teams
}

/// The turn that the command's `field` names.
pub(super) fn known_slot<'p>(
    play: &'p Play<'_>,
    field: &'static str,
    id: &SlotId,
) -> Result<&'p Slot, Violation> {
    let Some(slot) = play.encounter().state.slot_named(id) else {
        let detail = format!(
            "Unknown turn \"{}\". Use a \"slot\" of the order.",
            id.as_str()
        );
        return Err(Violation::field("unknown_slot", field, detail));
    };
    Ok(slot)
}

/// The combatants that a command names in `combatant` and in its `list` of others, each once.
pub(super) fn named<'p>(
    play: &'p Play<'_>,
    first: &CombatantId,
    list: &'static str,
    others: &[CombatantId],
) -> Result<Vec<&'p Combatant>, Violation> {
    let mut named = vec![play.combatant("combatant", first)?];
    for id in others {
        let is_new = named.iter().all(|c| c.id != *id);
        require(is_new, "named_twice", field(list), || {
            format!("{id} is named twice. Name each combatant once.")
        })?;
        named.push(play.combatant(list, id)?);
    }
    Ok(named)
}

/// Refuses a side on which there is no combatant.
pub(super) fn known_side(
    encounter: &Encounter,
    path: &'static str,
    side: &Slug,
) -> Result<(), Violation> {
    let known = encounter.iter().any(|c| c.side == *side);
    require(known, "unknown_side", field(path), || {
        format!("No combatant is on the side \"{side}\". Check the name.")
    })
}
