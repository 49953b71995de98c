//! Merges turns of the other teams while players' characters share a PC Turn (DC-25).

use super::slots::{place_in_order, put_into, slot_mut};
use super::team::{has_no_turn, occupants, team};
use super::{Combatant, Dc20, Encounter, Phase, Play, Slot, SlotId, Team, Way};
use crate::vocabulary::{Fold, Violation, command, event, require};
use std::collections::HashSet;
use std::sync::Arc;

/// Merge the next two turns of each other team that has more turns than there are taken PC Turns,
/// while characters share one (DC-25).
#[command(gm, "Merge the next Enemy and NPC Turns")]
pub struct Merge {}

/// Two turns of an enemy team or of the NPC team became one (DC-25).
#[event("{emptied} merges into {slot}.")]
pub struct SlotsMerged {
    /// The turn that stays.
    pub slot: SlotId,
    /// The turn whose combatants moved there; it is removed.
    pub emptied: SlotId,
    /// The shared PC Turn for which it was done.
    pub shared: SlotId,
    /// The turns of that team that move up. Each takes the place of the turn before it, the first
    /// the place of `emptied`.
    #[default]
    pub moved_up: Vec<SlotId>,
}

impl Merge {
    /// Puts the next two turns of each other team into one: sharing has emptied a PC Turn, so the teams
    /// alternate again.
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let merges = Ahead::of(play.encounter())?.merges()?;
        for merged in merges {
            play.emit(merged);
        }
        Ok(())
    }
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
    /// Those that all viewers know to be taken: the places to which turns move must not reveal a
    /// hidden combatant.
    known_taken: HashSet<&'t SlotId>,
}

/// A turn of another team than the PC team, with its place among the turns ahead.
struct OtherTurn<'t> {
    place: usize,
    slot: &'t Slot,
}

impl<'t> Ahead<'t> {
    fn of(encounter: &'t Encounter) -> Result<Self, Violation> {
        let shared = shared_turn(encounter)?;
        let mut turns = movable_turns(encounter.state.later());
        let this_round = turns.len();
        turns.extend(movable_turns(encounter.state.up_to_reached()));
        let taken = taken_turns(encounter, &turns, |_| true).len();
        let known_taken = taken_turns(encounter, &turns, |c| is_counted(encounter, c));
        Ok(Self {
            shared,
            turns,
            this_round,
            taken,
            known_taken,
        })
    }

    /// The merge of each other team that has more turns than there are taken PC Turns.
    fn merges(&self) -> Result<Vec<SlotsMerged>, Violation> {
        let mut merges = Vec::new();
        let mut mergeable = false;
        for team in self.other_teams() {
            let turns = self.turns_of(team);
            let [into, from, later @ ..] = turns.as_slice() else {
                continue;
            };
            mergeable = true;
            if turns.len() > self.taken {
                merges.push(SlotsMerged {
                    slot: into.slot.id.clone(),
                    emptied: from.slot.id.clone(),
                    shared: self.shared.id.clone(),
                    moved_up: self.moving_up(into, from, later),
                });
            }
        }
        let detail = "No other team has two turns, so none can merge.";
        require(mergeable, "no_two_turns", "DC-25", || detail)?;
        let detail =
            "The teams already alternate. Merge again when sharing leaves another PC Turn empty.";
        require(!merges.is_empty(), "merged_already", "DC-25", || detail)?;
        Ok(merges)
    }

    /// The teams other than the PC team, in the order in which their turns come.
    fn other_teams(&self) -> Vec<Team> {
        let mut teams = Vec::new();
        for slot in &self.turns {
            if slot.team != Team::Pc && !teams.contains(&slot.team) {
                teams.push(slot.team);
            }
        }
        teams
    }

    fn turns_of(&self, team: Team) -> Vec<OtherTurn<'t>> {
        let mut turns = Vec::new();
        for (place, slot) in self.turns.iter().copied().enumerate() {
            if slot.team == team {
                turns.push(OtherTurn { place, slot });
            }
        }
        turns
    }

    /// The turns that move up into the emptied place, each into the place of the one before it, as
    /// long as two PC Turns would otherwise follow one another, also into the next round.
    ///
    /// If the PC Turn before a turn is empty, turns of this round still move up: in round 1 a later
    /// PC Turn may become the empty one.
    fn moving_up(
        &self,
        into: &OtherTurn<'t>,
        from: &OtherTurn<'t>,
        later: &[OtherTurn<'t>],
    ) -> Vec<SlotId> {
        let mut before = into;
        let mut emptied = from;
        let mut moving = Vec::new();
        for next in later {
            let pc_before = self.pc_between(before, emptied);
            let pc_after = self.pc_between(emptied, next);
            let pc_turns_would_meet = pc_before && pc_after;
            let fills_this_round = !pc_after && next.place < self.this_round;
            if !pc_turns_would_meet && !fills_this_round {
                break;
            }
            moving.push(next.slot.id.clone());
            before = emptied;
            emptied = next;
        }
        moving
    }

    /// Whether a taken PC Turn is between two turns.
    fn pc_between(&self, first: &OtherTurn<'t>, second: &OtherTurn<'t>) -> bool {
        let between = self.turns.get(first.place..second.place);
        between
            .unwrap_or_default()
            .iter()
            .any(|slot| self.known_taken.contains(&slot.id))
    }
}

/// The PC Turn in progress, if players' characters share it. Sharing with a hidden one leaves
/// no turn empty that others see.
fn shared_turn(encounter: &Encounter) -> Result<&Slot, Violation> {
    let in_progress = matches!(encounter.state.phase, Phase::Turn | Phase::BetweenTurns);
    if in_progress
        && let Some(slot) = encounter.state.reached()
        && slot.team == Team::Pc
        && counted_sharers(encounter, slot) > 1
    {
        return Ok(slot);
    }
    let detail = "No characters share a PC Turn now. Merge turns while some do.";
    Err(Violation::new("not_shared", "DC-25", detail))
}

/// How many active combatants share a turn, of those whom the turns count.
fn counted_sharers(encounter: &Encounter, slot: &Slot) -> usize {
    let mut sharers = 0;
    for c in occupants(encounter, slot) {
        if c.active() && is_counted(encounter, c) {
            sharers += 1;
        }
    }
    sharers
}

fn movable_turns(slots: &[Slot]) -> Vec<&Slot> {
    let mut turns = Vec::new();
    for slot in slots {
        if !slot.removed && !slot.unseen {
            turns.push(slot);
        }
    }
    turns
}

/// The PC Turns that combatants for whom `counts` holds have or will claim: the first empty ones go
/// to those without a turn.
fn taken_turns<'t>(
    encounter: &Encounter,
    turns: &[&'t Slot],
    counts: impl Fn(&Combatant) -> bool,
) -> HashSet<&'t SlotId> {
    let mut claims_to_come = 0;
    for c in encounter.active() {
        if team(&encounter.state, c) == Team::Pc && has_no_turn(&encounter.state, c) && counts(c) {
            claims_to_come += 1;
        }
    }
    let mut taken = HashSet::new();
    for slot in turns {
        if slot.team != Team::Pc {
            continue;
        }
        if occupants(encounter, slot).any(&counts) {
            taken.insert(&slot.id);
        } else if claims_to_come > 0 {
            claims_to_come -= 1;
            taken.insert(&slot.id);
        }
    }
    taken
}

/// Whether the turns count a member of the PC team: a hidden one only if the team has no others.
fn is_counted(encounter: &Encounter, c: &Combatant) -> bool {
    if !c.hidden {
        return true;
    }
    let mut seen_members = encounter
        .iter()
        .filter(|other| !other.hidden && team(&encounter.state, other) == Team::Pc);
    seen_members.next().is_none()
}

impl SlotsMerged {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Dc20>) {
        let mut moved = Vec::new();
        if let Some(from) = slot_mut(fold, &self.emptied) {
            from.removed = true;
            moved = std::mem::take(&mut from.occupants);
        }
        put_into(fold, &self.slot, &moved, Way::Merged);
        // Each later turn takes the place of the turn before it, and the emptied turn the last place.
        let slots = Arc::make_mut(&mut fold.state().slots);
        for later in &self.moved_up {
            if let Some(emptied) = place_in_order(slots, &self.emptied)
                && let Some(place) = place_in_order(slots, later)
            {
                slots.swap(emptied, place);
            }
        }
    }
}
