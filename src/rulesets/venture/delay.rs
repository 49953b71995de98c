//! A turn that is delayed, and taken later (VE-12).

use super::start_turn::{at_tick, take_turn};
use super::track::in_battle;
use super::{Play, Venture};
use crate::vocabulary::{CombatantId, Fold, Violation, command, event, ids, require};

/// Delay the turn when its tick is reached (VE-12).
#[command(player, "{combatant}: delay the turn")]
pub struct Delay {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Take the delayed turn now, between two others (VE-12, VE-12a).
#[command(player, "{combatant}: take the delayed turn")]
pub struct Return {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant delayed its turn (VE-12).
#[event("{combatant} {combatant:delays|delay} the turn.")]
pub struct Delayed {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant that delays fell out of the fight and lost the turn (VE-12).
#[event("{combatant} {combatant:loses|lose} the delayed turn.")]
pub struct DelayLapsed {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant takes its delayed turn (VE-12).
#[event("{combatant} {combatant:takes|take} the delayed turn.")]
pub struct Returned {
    /// The combatant.
    pub combatant: CombatantId,
}

impl Delay {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let id = &self.combatant;
        let tick = at_tick(play, id, "VE-12")?;
        require(!tick.delayed, "already_delaying", "VE-12a", || {
            format!("{id} has already delayed until the end of the round. Send \"begin_turn\".")
        })?;
        play.emit(Delayed {
            combatant: id.clone(),
        });
        Ok(())
    }
}

impl Return {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let id = &self.combatant;
        let c = in_battle(play, id)?;
        require(c.state.delaying, "not_delaying", "VE-12", || {
            format!("{id} didn't delay a turn. Send \"delay\" when that turn is next.")
        })?;
        let phase = &play.encounter().state.phase;
        require(
            phase.acting().is_none(),
            "turn_in_progress",
            "VE-12a",
            || format!("{} A delayed turn comes between two turns.", phase.detail()),
        )?;
        play.emit(Returned {
            combatant: id.clone(),
        });
        take_turn(play, id)
    }
}

/// Combatants that have fallen out of the fight lose their delayed turns.
pub(super) fn drop_delays(play: &mut Play<'_>) {
    let all = play.encounter().iter();
    for combatant in ids(all.filter(|c| c.state.delaying && !c.active())) {
        play.emit(DelayLapsed { combatant });
    }
}

impl Delayed {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Venture>) {
        fold.change(&self.combatant, |c| c.state.delaying = true);
    }
}

impl DelayLapsed {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Venture>) {
        fold.change(&self.combatant, |c| c.state.delaying = false);
    }
}

impl Returned {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Venture>) {
        fold.change(&self.combatant, |c| c.state.delaying = false);
    }
}
