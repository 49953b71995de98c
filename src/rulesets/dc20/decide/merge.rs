//! Merges Enemy Turns while players' characters share a PC Turn (DC-25).

use super::*;

/// Puts the next two turns of each enemy team into one: sharing has emptied a PC Turn, so the teams
/// alternate again.
pub(super) fn merge(play: &mut Play<'_>) -> Result<(), Violation> {
    let merges = Ahead::of(play.encounter())?.merges()?;
    for merged in merges {
        play.emit(merged);
    }
    Ok(())
}

/// The turns that follow a shared PC Turn, round the order up to that turn itself, without merged
/// turns and unseen ones.
struct Ahead<'t> {
    shared: &'t Slot,
    turns: Vec<&'t Slot>,
    /// How many of them are still to come in this round.
    this_round: usize,
    /// The number of PC Turns that combatants have or will claim.
    taken: usize,
    /// Those that all viewers know to be taken: where turns move must not reveal a hidden
    /// combatant.
    known_taken: HashSet<&'t SlotId>,
}

impl<'t> Ahead<'t> {
    fn of(encounter: &'t Encounter) -> Result<Self, Violation> {
        let shared = shared_turn(encounter)?;
        let later = encounter.state.later();
        let passed = encounter.state.slots.len().saturating_sub(later.len());
        let counted = |slot: &&Slot| !slot.removed && !slot.unseen;
        let mut turns: Vec<&Slot> = later.iter().filter(counted).collect();
        let this_round = turns.len();
        turns.extend(encounter.state.slots.iter().take(passed).filter(counted));
        let taken = taken_turns(encounter, &turns, |_| true).len();
        let known_taken = taken_turns(encounter, &turns, |c| counts(encounter, c));
        Ok(Self {
            shared,
            turns,
            this_round,
            taken,
            known_taken,
        })
    }

    /// The merge of each enemy team that has more turns than there are taken PC Turns.
    fn merges(&self) -> Result<Vec<SlotsMerged>, Violation> {
        let mut merges = Vec::new();
        let mut mergeable = false;
        for team in self.enemy_teams() {
            let places: Vec<usize> = (0..self.turns.len())
                .filter(|place| self.is_of(*place, team))
                .collect();
            let [into, from, later @ ..] = places.as_slice() else {
                continue;
            };
            mergeable = true;
            if places.len() > self.taken {
                merges.extend(self.merged(*into, *from, later));
            }
        }
        let detail = "no enemy team has two turns: there is nothing to merge";
        require(mergeable, "no_two_enemy_turns", "DC-25", || detail)?;
        let detail =
            "the teams alternate already: merge again when sharing leaves another PC Turn empty";
        require(!merges.is_empty(), "merged_already", "DC-25", || detail)?;
        Ok(merges)
    }

    /// The enemy teams, in the order in which their turns come.
    fn enemy_teams(&self) -> Vec<Team> {
        let mut teams = Vec::new();
        for slot in &self.turns {
            if slot.team != Team::Pc && slot.team != Team::Npc && !teams.contains(&slot.team) {
                teams.push(slot.team);
            }
        }
        teams
    }

    fn is_of(&self, place: usize, team: Team) -> bool {
        self.turns.get(place).is_some_and(|slot| slot.team == team)
    }

    fn id(&self, place: usize) -> Option<SlotId> {
        self.turns.get(place).map(|slot| slot.id.clone())
    }

    /// Merges the turn at the place `from` into that at `into`; `later` are the places of the
    /// team's other turns.
    fn merged(&self, into: usize, from: usize, later: &[usize]) -> Option<SlotsMerged> {
        let moved_up = self.moving_up(into, from, later);
        let moved_up = moved_up
            .into_iter()
            .filter_map(|place| self.id(place))
            .collect();
        Some(SlotsMerged {
            into: self.id(into)?,
            from: self.id(from)?,
            shared: self.shared.id.clone(),
            moved_up,
        })
    }

    /// The turns that move up into the emptied place, each into the place of the one before it.
    ///
    /// They move while two PC Turns would follow one another, also into the next round. Where a PC
    /// Turn is empty, this round's turns still move: in round 1 a later turn may become the empty
    /// one.
    fn moving_up(&self, into: usize, from: usize, later: &[usize]) -> Vec<usize> {
        let (mut before, mut emptied) = (into, from);
        let mut moving = Vec::new();
        for next in later.iter().copied() {
            let moves = if self.pc_between(emptied, next) {
                self.pc_between(before, emptied)
            } else {
                next < self.this_round
            };
            if !moves {
                break;
            }
            moving.push(next);
            (before, emptied) = (emptied, next);
        }
        moving
    }

    /// Whether a taken PC Turn is between two places.
    fn pc_between(&self, first: usize, second: usize) -> bool {
        let between = self.turns.get(first..second).unwrap_or_default();
        between
            .iter()
            .any(|slot| self.known_taken.contains(&slot.id))
    }
}

/// The PC Turn that is going on, if players' characters share it. Sharing with a hidden one leaves
/// no turn empty that others see.
fn shared_turn(encounter: &Encounter) -> Result<&Slot, Violation> {
    let running = matches!(encounter.state.phase, Phase::Turn | Phase::BetweenTurns);
    if running && let Some(slot) = encounter.state.at().filter(|slot| slot.team == Team::Pc) {
        let sharers = slot.occupants.iter().filter_map(|id| encounter.get(id));
        if sharers
            .filter(|c| c.active() && counts(encounter, c))
            .count()
            > 1
        {
            return Ok(slot);
        }
    }
    let detail = "Enemy Turns are merged while players' characters share a PC Turn";
    Err(Violation::new("not_shared", "DC-25", detail))
}

/// The PC Turns that combatants for whom `counts` holds have or will claim: the first empty ones go
/// to those without a turn.
fn taken_turns<'t>(
    encounter: &Encounter,
    turns: &[&'t Slot],
    counts: impl Fn(&Combatant) -> bool,
) -> HashSet<&'t SlotId> {
    let pc_team = encounter
        .active()
        .filter(|c| team(&encounter.state, c) == Team::Pc);
    let mut claims_to_come = pc_team.filter(|c| has_no_turn(c) && counts(c)).count();
    let mut taken = HashSet::new();
    for slot in turns.iter().filter(|slot| slot.team == Team::Pc) {
        let has_turn = slot
            .occupants
            .iter()
            .filter_map(|id| encounter.get(id))
            .any(&counts);
        if !has_turn && claims_to_come == 0 {
            continue;
        }
        if !has_turn {
            claims_to_come -= 1;
        }
        taken.insert(&slot.id);
    }
    taken
}

/// Whether the turns count a member of the PC team: a hidden one only if the team has no others.
fn counts(encounter: &Encounter, c: &Combatant) -> bool {
    !c.hidden
        || !encounter
            .iter()
            .any(|other| !other.hidden && team(&encounter.state, other) == Team::Pc)
}
