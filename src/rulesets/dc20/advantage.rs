//! Attacks, and the Inspiration Die and ADV that an Initiative Check gives (DC-8, DC-10, DC-11).

use super::action_points::check_begun;
use super::{Dc20, Play};
use crate::vocabulary::{CombatantId, D6, Die, Fold, Violation, command, event, field, require};

/// Attack: the event says whether it has ADV (DC-11). Send `spend_action_points` for its cost and
/// `damage` for its effect.
#[command(player, "{combatant}: attack, points and damage apart")]
pub struct Attack {
    /// The combatant.
    pub combatant: CombatantId,
    /// The target.
    pub target: CombatantId,
}

/// Use up the Inspiration Die on a Check or Save (DC-8).
#[command(player, "{combatant}: use the Inspiration Die")]
pub struct UseInspiration {
    /// The combatant.
    pub combatant: CombatantId,
    /// The d6, if rolled at the table. By default the server rolls.
    pub roll: Option<D6>,
}

/// Use the ADV of a critical success of Initiative on a Check or Save of round 1 (DC-10).
#[command(player, "{combatant}: use advantage")]
pub struct UseAdvantage {
    /// The combatant.
    pub combatant: CombatantId,
}

/// An Attack was made.
#[event("{combatant} {combatant:attacks|attack} {target}[{advantage} with advantage].")]
pub struct Attacked {
    /// The combatant.
    pub combatant: CombatantId,
    /// The target.
    pub target: CombatantId,
    /// True if it has ADV, once, from the target's critical failure of Initiative (DC-11).
    pub advantage: bool,
}

/// An Inspiration Die was added to a Check or Save (DC-8).
#[event("{combatant} {combatant:adds|add} the Inspiration Die: {die}.")]
pub struct InspirationUsed {
    /// The combatant.
    pub combatant: CombatantId,
    /// The die.
    pub die: Die,
}

/// The ADV of a critical success of Initiative was used (DC-10).
#[event("{combatant} {combatant:uses|use} advantage.")]
pub struct AdvantageUsed {
    /// The combatant.
    pub combatant: CombatantId,
}

impl Attack {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let Attack { combatant, target } = self;
        play.fighter("combatant", combatant, "DC-11")?;
        let attacked = play.fighter("target", target, "DC-11")?;
        let advantage = attacked.state.attacked_with_adv;
        check_begun(play)?;
        require(
            combatant != target,
            "attacks_itself",
            field("target"),
            || format!("{target} can't be the attacker and the target. Name another target."),
        )?;
        play.emit(Attacked {
            combatant: combatant.clone(),
            target: target.clone(),
            advantage,
        });
        Ok(())
    }
}

impl UseInspiration {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let id = &self.combatant;
        let has_die = play.combatant("combatant", id)?.state.inspiration_die;
        check_begun(play)?;
        require(has_die, "no_inspiration_die", "DC-8", || {
            format!("{id} has no Inspiration Die. Roll without it.")
        })?;
        let die = play.die(self.roll);
        play.emit(InspirationUsed {
            combatant: id.clone(),
            die,
        });
        Ok(())
    }
}

impl UseAdvantage {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let id = &self.combatant;
        let has_adv = play.combatant("combatant", id)?.state.round_one_adv;
        check_begun(play)?;
        require(has_adv, "no_advantage", "DC-10", || {
            format!("{id} has no advantage to use. A critical success gives it once, in round 1.")
        })?;
        play.emit(AdvantageUsed {
            combatant: id.clone(),
        });
        Ok(())
    }
}

impl Attacked {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Dc20>) {
        if self.advantage {
            fold.change_state(&self.target, |s| s.attacked_with_adv = false);
        }
    }
}

impl InspirationUsed {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Dc20>) {
        fold.change_state(&self.combatant, |s| s.inspiration_die = false);
    }
}

impl AdvantageUsed {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Dc20>) {
        fold.change_state(&self.combatant, |s| s.round_one_adv = false);
    }
}
