//! Lays the order of the turns, so that the teams alternate (DC-15, DC-16, DC-24a, DC-26, DC-30a).
//!
//! The order is a list of laps. In a lap each team has at most one turn, in the order of the
//! rotation. A turn that is added goes into the first lap in which its team has none, so at the
//! start, after newcomers, reveals and changes of team one rule lays all turns. Merged turns stay in
//! their laps. Turns that all viewers see stand where they would stand without the unseen ones.

use super::slots::{place_in_order, slot_mut, vacate};
use super::team::{
    FIRST_ENEMIES, MAX_ENEMY_TEAMS, can_add, enemy_side, has_no_turn, is_enemy, nth_slot,
    occupants, rotation, sharers, team,
};
use super::{Assigned, Combatant, Dc20, Encounter, Play, Slot, SlotId, State, Team, Way};
use crate::vocabulary::{CombatantId, Fold, Slug, event, ids};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A turn was added to the order.
#[event("{added} joins the order.")]
pub struct SlotAdded {
    /// The turn.
    pub added: Slot,
    /// The turn that it follows. Absent if it is the last turn of the order.
    pub follows: Option<SlotId>,
}

/// An enemy team joined the rotation (DC-26).
#[event("The {side} join the rotation of enemy teams.")]
pub struct TeamJoined {
    /// Its side.
    pub side: Slug,
    /// True if all its combatants are hidden.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unseen: bool,
}

/// An unseen turn became visible to all, because a combatant in it is seen.
#[event("{named} appears in the order.")]
pub struct SlotShown {
    /// The turn, by its name so far.
    pub slot: SlotId,
    /// Its name from now on: that of an unseen turn counts those of hidden combatants.
    pub named: SlotId,
    /// The team whose turn it is from now on.
    pub team: Team,
}

/// A combatant has no turn any more: it belongs to another team (DC-30a).
#[event("{combatant} {combatant:changes|change} teams and {combatant:has|have} no turn yet.")]
pub struct Unplaced {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Lays the order again after a change of its combatants: teams join, each combatant is in a turn of
/// its team or in none, and each team has as many turns as there are characters.
pub(super) fn lay(play: &mut Play<'_>) {
    join_teams(play);
    let shown = part_from_other_teams(play);
    add_turns(play, shown);
    for id in hidden_without_turn(play.encounter()) {
        add_unseen_turn(play, id);
    }
}

/// Whether a member of the PC team waits for a turn that is not laid yet.
pub(super) fn lacks_room(encounter: &Encounter) -> bool {
    let unplaced = unplaced_members(encounter);
    unplaced > 0 && unplaced > vacant_pc_turns(encounter)
        || !hidden_without_turn(encounter).is_empty()
}

/// Makes a team of each side of enemies that is none, if there is room (DC-26).
fn join_teams(play: &mut Play<'_>) {
    let encounter = play.encounter();
    let mut seen = encounter.state.enemy_teams.clone();
    let mut unseen = encounter.state.unseen_teams.clone();
    let mut joined = Vec::new();
    for c in encounter.iter() {
        if !is_enemy(c) || !can_add(&seen, &c.side) || c.hidden && !can_add(&unseen, &c.side) {
            continue;
        }
        let teams = if c.hidden { &mut unseen } else { &mut seen };
        teams.push(c.side.clone());
        joined.push(TeamJoined {
            side: c.side.clone(),
            unseen: c.hidden,
        });
    }
    for event in joined {
        play.emit(event);
    }
}

/// Takes combatants out of the turns of other teams, and shows the unseen turns of revealed ones.
/// Returns how many of the turns shown are PC Turns.
fn part_from_other_teams(play: &mut Play<'_>) -> usize {
    let encounter = play.encounter();
    let state = &encounter.state;
    let mut shown = Vec::new();
    let mut unplaced = Vec::new();
    for slot in state.slots.iter() {
        let shown_as = occupants(encounter, slot).find_map(|c| shown_as(state, c, slot));
        if let Some(team) = shown_as {
            shown.push(SlotShown {
                slot: slot.id.clone(),
                named: name_when_shown(state, slot, team, &shown),
                team,
            });
        }
        let unseen = slot.unseen && shown_as.is_none();
        for c in occupants(encounter, slot) {
            let fits = team(state, c) == shown_as.unwrap_or(slot.team) && (c.hidden || !unseen);
            if !fits {
                unplaced.push(c.id.clone());
            }
        }
    }
    for combatant in unplaced {
        play.emit(Unplaced { combatant });
    }
    let pc_turns = shown.iter().filter(|event| event.team == Team::Pc).count();
    for event in shown {
        play.emit(event);
    }
    pc_turns
}

/// The name of an unseen turn once it is shown among these others: that of a PC Turn is its
/// combatant's, others count the turns that all viewers see.
fn name_when_shown(state: &State, slot: &Slot, team: Team, shown: &[SlotShown]) -> SlotId {
    if team == Team::Pc {
        return slot.id.clone();
    }
    let mut n = 1;
    loop {
        let name = nth_slot(team, false, n).id;
        let is_taken =
            state.slot_named(&name).is_some() || shown.iter().any(|event| event.named == name);
        if !is_taken {
            return name;
        }
        n += 1;
    }
}

/// The team whose turn an unseen one becomes, if a combatant in it is revealed. A team that has
/// turns which all viewers see needs no other ones, but for the PC team.
fn shown_as(state: &State, c: &Combatant, slot: &Slot) -> Option<Team> {
    if c.hidden || !slot.unseen {
        return None;
    }
    let team = team(state, c);
    let is_of_its_side = match (slot.team, team) {
        (Team::Enemy(before), Team::Enemy(after)) => {
            enemy_side(state, before) == Some(&c.side) && enemy_side(state, after) == Some(&c.side)
        }
        (before, after) => before == after,
    };
    let mut slots = state.slots.iter();
    let has_turns = team != Team::Pc && slots.any(|slot| slot.team == team && !slot.unseen);
    (is_of_its_side && !has_turns).then_some(team)
}

/// Adds the missing turns: for each character, and for each member of the PC team without a place
/// that finds no vacant PC Turn, one of each team (DC-15, DC-24a). A PC Turn that was shown needs no
/// other one.
fn add_turns(play: &mut Play<'_>, shown_pc_turns: usize) {
    let encounter = play.encounter();
    let state = &encounter.state;
    let mut laps = Laps::of(state);
    let mut vacant = vacant_pc_turns(encounter);
    let missing = seen_members(encounter).saturating_sub(laps.turns_of(FIRST_ENEMIES));
    for n in 0..missing {
        if n >= shown_pc_turns {
            laps.add(Team::Pc);
            vacant += 1;
        }
        laps.add(FIRST_ENEMIES);
    }
    for _ in vacant..unplaced_members(encounter) {
        laps.add(Team::Pc);
        laps.add(FIRST_ENEMIES);
    }
    laps.add_other_teams(encounter, &state.enemy_teams, &state.unseen_teams);
    for added in laps.added() {
        play.emit(added);
    }
}

/// The number of active members of the PC team that all viewers see.
fn seen_members(encounter: &Encounter) -> usize {
    encounter
        .active()
        .filter(|c| !c.hidden && team(&encounter.state, c) == Team::Pc)
        .count()
}

/// The active members of the PC team without a place.
fn members_without_turn(encounter: &Encounter) -> impl Iterator<Item = &Combatant> {
    let state = &encounter.state;
    encounter
        .active()
        .filter(|c| has_no_turn(state, c) && team(state, c) == Team::Pc)
}

/// How many members of the PC team without a place wait for a turn that all viewers see: hidden ones
/// only if the team has no others.
fn unplaced_members(encounter: &Encounter) -> usize {
    let any_seen = has_seen_members(encounter);
    members_without_turn(encounter)
        .filter(|c| !c.hidden || !any_seen)
        .count()
}

/// The hidden members of the PC team that need an unseen turn of their own: turns for all teams
/// would reveal them.
fn hidden_without_turn(encounter: &Encounter) -> Vec<CombatantId> {
    let hidden = ids(members_without_turn(encounter).filter(|c| c.hidden));
    if hidden.is_empty() || !has_seen_members(encounter) {
        return Vec::new();
    }
    hidden
}

fn has_seen_members(encounter: &Encounter) -> bool {
    let mut seen = encounter.iter().filter(|c| !c.hidden);
    seen.any(|c| team(&encounter.state, c) == Team::Pc)
}

/// The number of PC Turns that all see and in which no active combatant is.
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

/// One more PC Turn at the end of the order.
pub(super) fn new_pc_turn(state: &State) -> Slot {
    Laps::of(state).new_slot(Team::Pc, false)
}

/// The order in laps, so that the teams alternate (DC-16).
pub(super) struct Laps {
    /// The teams from the one that took the first turn.
    rotation: Vec<Team>,
    laps: Vec<Lap>,
    names: HashSet<SlotId>,
    /// The number of turns of each team: those that all viewers see, and the unseen ones.
    turns: HashMap<(Team, bool), usize>,
    /// The number of laps from the first on that have a turn of a team.
    full: HashMap<Team, usize>,
}

#[derive(Default)]
struct Lap {
    turns: Vec<Turn>,
    /// The teams that have a turn here: one that all viewers see, or an unseen one.
    teams: Vec<(Team, bool)>,
    /// Whether the first enemy team has a turn here that was not merged into another one.
    is_played: bool,
}

struct Turn {
    slot: Slot,
    is_new: bool,
    /// Whether the round has come to it.
    passed: bool,
}

impl Laps {
    /// No turns yet.
    pub(super) fn new(rotation: Vec<Team>) -> Self {
        Self {
            rotation,
            laps: Vec::new(),
            names: HashSet::new(),
            turns: HashMap::new(),
            full: HashMap::new(),
        }
    }

    /// The turns that are laid. A lap ends before a team that has had its turn in it.
    fn of(state: &State) -> Self {
        let first = state.winner.unwrap_or(Team::Pc);
        let rotation = rotation(state.enemy_teams.len(), state.unseen_teams.len(), first);
        let mut laps = Self::new(rotation);
        let passed = state.reached_place().map_or(0, |place| place + 1);
        for (place, slot) in state.slots.iter().enumerate() {
            let is_over = !slot.unseen
                && laps
                    .laps
                    .last()
                    .is_some_and(|lap| lap.has(slot.team, false));
            if laps.laps.is_empty() || is_over {
                laps.laps.push(Lap::default());
            }
            laps.count(slot);
            if let Some(lap) = laps.laps.last_mut() {
                let place_in_lap = lap.turns.len();
                lap.insert(
                    place_in_lap,
                    Turn {
                        slot: slot.clone(),
                        is_new: false,
                        passed: place < passed,
                    },
                );
            }
        }
        laps
    }

    fn count(&mut self, slot: &Slot) {
        self.names.insert(slot.id.clone());
        *self.turns.entry((slot.team, slot.unseen)).or_default() += 1;
    }

    /// The number of turns of a team that all viewers see, merged ones included.
    fn turns_of(&self, team: Team) -> usize {
        self.turns.get(&(team, false)).copied().unwrap_or_default()
    }

    /// Adds a turn that all viewers see to the first lap in which the team has none (DC-16a).
    pub(super) fn add(&mut self, team: Team) {
        let full = self.full.entry(team).or_default();
        while self.laps.get(*full).is_some_and(|lap| lap.has(team, false)) {
            *full += 1;
        }
        let place = *full;
        self.add_to(place, team, false);
    }

    /// Adds the turns that the other teams lack: one in each lap in which the first enemies have
    /// one.
    pub(super) fn add_other_teams(
        &mut self,
        encounter: &Encounter,
        enemy_teams: &[Slug],
        unseen_teams: &[Slug],
    ) {
        for (team, unseen) in self.other_teams(encounter, enemy_teams, unseen_teams) {
            for place in 0..self.laps.len() {
                let lacks = |lap: &Lap| lap.is_played && !lap.has(team, unseen);
                if self.laps.get(place).is_some_and(lacks) {
                    self.add_to(place, team, unseen);
                }
            }
        }
    }

    /// The teams beside the PC team and the first enemies that have turns, and whether these are
    /// unseen. Hidden NPCs have turns of their own only if no others are there.
    fn other_teams(
        &self,
        encounter: &Encounter,
        enemy_teams: &[Slug],
        unseen_teams: &[Slug],
    ) -> Vec<(Team, bool)> {
        let mut teams = Vec::new();
        for n in 2..=enemy_teams.len() {
            teams.push((Team::Enemy(n), false));
        }
        for (place, side) in unseen_teams.iter().enumerate() {
            if !enemy_teams.contains(side) {
                teams.push((Team::Enemy(MAX_ENEMY_TEAMS + place + 1), true));
            }
        }
        let is_npc = |c: &Combatant| team(&encounter.state, c) == Team::Npc;
        let mut seen = encounter.active().filter(|c| !c.hidden);
        // One out of the fight counts: its owner sees the turns of its team, whether others of that
        // team are hidden or not.
        let mut hidden = encounter.iter().filter(|c| c.hidden);
        if self.turns_of(Team::Npc) > 0 || seen.any(is_npc) {
            teams.push((Team::Npc, false));
        } else if hidden.any(is_npc) {
            teams.push((Team::Npc, true));
        }
        teams
    }

    /// Adds a turn to the lap at this place, or to a new one behind the last.
    fn add_to(&mut self, place: usize, team: Team, unseen: bool) {
        let slot = self.new_slot(team, unseen);
        self.count(&slot);
        while self.laps.len() <= place {
            self.laps.push(Lap::default());
        }
        if let Some(lap) = self.laps.get_mut(place) {
            let place_in_lap = lap.place_of(&self.rotation, team);
            lap.insert(
                place_in_lap,
                Turn {
                    slot,
                    is_new: true,
                    passed: false,
                },
            );
        }
    }

    /// One more turn of a team, or of its hidden members.
    fn new_slot(&self, team: Team, unseen: bool) -> Slot {
        let mut n = self.turns.get(&(team, unseen)).copied().unwrap_or_default() + 1;
        while self.names.contains(&nth_slot(team, unseen, n).id) {
            n += 1;
        }
        nth_slot(team, unseen, n)
    }

    /// All turns in their order.
    pub(super) fn into_slots(self) -> Vec<Slot> {
        let turns = self.laps.into_iter().flat_map(|lap| lap.turns);
        turns.map(|turn| turn.slot).collect()
    }

    /// The added turns in their order. One behind all turns that viewers see is the last of all,
    /// also if unseen ones are there: else its place would show them.
    fn added(self) -> Vec<SlotAdded> {
        let turns: Vec<Turn> = self.laps.into_iter().flat_map(|lap| lap.turns).collect();
        let last_seen = turns
            .iter()
            .rposition(|turn| !turn.is_new && !turn.slot.unseen)
            .unwrap_or_default();
        let mut added = Vec::new();
        let mut before = None;
        for (place, turn) in turns.into_iter().enumerate() {
            let id = turn.slot.id.clone();
            if turn.is_new {
                added.push(SlotAdded {
                    added: turn.slot,
                    follows: before.filter(|_| place < last_seen),
                });
            }
            before = Some(id);
        }
        added
    }
}

impl Lap {
    fn has(&self, team: Team, unseen: bool) -> bool {
        self.teams.contains(&(team, unseen))
    }

    /// The place of a team's turn: behind the teams before it in the rotation, and behind unseen
    /// turns that the round has come to, because the place before them has passed.
    fn place_of(&self, rotation: &[Team], team: Team) -> usize {
        let rank = |team: Team| rotation.iter().position(|other| *other == team);
        let own = rank(team);
        let is_before = |turn: &Turn| rank(turn.slot.team) < own;
        let before = self
            .turns
            .iter()
            .rposition(|turn| !turn.slot.unseen && is_before(turn));
        let from = before.map_or(0, |place| place + 1);
        let behind = self.turns.iter().skip(from);
        let skipped = behind
            .take_while(|turn| turn.slot.unseen && (is_before(turn) || turn.passed))
            .count();
        from + skipped
    }

    fn insert(&mut self, place: usize, turn: Turn) {
        let Slot { team, unseen, .. } = turn.slot;
        // Hidden members of the PC team have unseen turns without number.
        if team != Team::Pc || !unseen {
            self.teams.push((team, unseen));
        }
        self.is_played |= team == FIRST_ENEMIES && !turn.slot.removed;
        self.turns.insert(place, turn);
    }
}

impl SlotAdded {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Dc20>) {
        let slots = Arc::make_mut(&mut fold.state().slots);
        let place = match self
            .follows
            .as_ref()
            .and_then(|id| place_in_order(slots, id))
        {
            Some(before) => before + 1,
            None => slots.len(),
        };
        slots.insert(place, self.added.clone());
    }
}

impl TeamJoined {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Dc20>) {
        if self.unseen {
            fold.state().unseen_teams.push(self.side.clone());
        } else {
            fold.state().enemy_teams.push(self.side.clone());
        }
    }
}

impl SlotShown {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Dc20>) {
        if let Some(slot) = slot_mut(fold, &self.slot) {
            slot.id = self.named.clone();
            slot.unseen = false;
            slot.team = self.team;
        }
        if fold.state().slot.as_ref() == Some(&self.slot) {
            fold.state().slot = Some(self.named.clone());
        }
        fold.change_states(
            |s| s.slot.as_ref() == Some(&self.slot),
            |s| s.slot = Some(self.named.clone()),
        );
    }
}

impl Unplaced {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Dc20>) {
        vacate(fold, &self.combatant);
        fold.change(&self.combatant, |c| {
            c.state.slot = None;
            c.state.placed = None;
            c.state.behind = None;
        });
    }
}
