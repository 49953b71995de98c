//! The move of a turn, and the one that a Rush or Disengage leaves over (VE-10, VE-15).

use super::start_turn::{close_follow_up, finish_start};
use super::track::{in_battle, in_turn};
use super::{Phase, Play, Venture};
use crate::vocabulary::{CombatantId, Fold, Violation, command, event, require};

/// Make the reflexive move of a turn (VE-10).
#[command(player, "{combatant}: move")]
pub struct Move {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Make the move left over from a Rush or Disengage, at the latest when the next turn starts
/// (VE-15).
#[command(player, "{combatant}: make the leftover move")]
pub struct FollowUp {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant made the reflexive move of its turn (VE-10).
#[event("{combatant} {combatant:moves|move}.")]
pub struct Moved {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant made the move left over from a Rush or Disengage (VE-15).
#[event("{combatant} {combatant:makes|make} the leftover move.")]
pub struct FollowUpTaken {
    /// The combatant.
    pub combatant: CombatantId,
}

impl Move {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let id = &self.combatant;
        let moved = in_turn(play, id, "VE-10")?.state.moved;
        require(!moved, "already_moved", "VE-10", || {
            format!("{id} has already moved this turn. Wait for the next turn.")
        })?;
        play.emit(Moved {
            combatant: id.clone(),
        });
        Ok(())
    }
}

impl FollowUp {
    /// Makes the move left over from a Rush or Disengage; a turn that waits for it proceeds.
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let id = &self.combatant;
        let open = in_battle(play, id)?.state.follow_up;
        require(open, "no_follow_up", "VE-15", || {
            format!("{id} can't make a leftover move. Only a Rush or Disengage leaves one.")
        })?;
        let Phase::FollowUp { actor } = &play.encounter().state.phase else {
            play.emit(FollowUpTaken {
                combatant: id.clone(),
            });
            return Ok(());
        };
        require(actor == id, "not_your_follow_up", "VE-15", || {
            format!("{actor}'s leftover move comes first. Wait for \"follow_up\" or \"pass\".")
        })?;
        play.emit(FollowUpTaken {
            combatant: id.clone(),
        });
        finish_start(play, id)
    }
}

impl Moved {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Venture>) {
        fold.change(&self.combatant, |c| c.state.moved = true);
    }
}

impl FollowUpTaken {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Venture>) {
        close_follow_up(fold, &self.combatant);
    }
}
