//! The end of a turn (VE-9), and its steps (VE-19 to VE-22, VE-23b).

use super::initiative::{change, change_motes};
use super::track::{in_turn, reach_tick};
use super::{Cause, CombatantState, FreeActionState, Passed, Play, Venture};
use crate::rulesets::shared::end_turn;
use crate::vocabulary::{CombatantId, Fold, Violation, command, event};

/// End the turn, with the steps of the end of a turn in order (VE-19 to VE-22).
#[command(player, "{combatant}: end turn")]
pub struct EndTurn {
    /// The combatant.
    pub combatant: CombatantId,
}

/// End of turn, step 2: a Crashed combatant gets recovery tokens (VE-20).
#[event(
    "{combatant} {combatant:has|have} {recovery_tokens} recovery {recovery_tokens:token|tokens}."
)]
pub struct RecoveryTokensGained {
    /// The combatant.
    pub combatant: CombatantId,
    /// The number gained: 1, or 2 after a turn without an attack.
    pub gained: i64,
    /// Its recovery tokens after that, at most 4.
    pub recovery_tokens: i64,
}

/// The Initiative that a turn without an attack brings (VE-19).
const REST: i64 = 5;

/// The price of each combat action of a flurry (VE-21).
const FLURRY_COST: i64 = 3;

/// The motes that each turn brings (VE-22).
const MOTES: i64 = 5;

/// The maximum of recovery tokens.
pub(super) const MAX_TOKENS: i64 = 4;

impl EndTurn {
    /// The end of a turn: its four steps, in order.
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let id = &self.combatant;
        let c = in_turn(play, id, "VE-9")?;
        let prone = c.has("prone");
        let CombatantState {
            attacked,
            crashed,
            flurrying,
            actions_taken,
            free_action,
            ..
        } = c.state;
        if free_action == FreeActionState::Open {
            play.emit(Passed {
                combatant: id.clone(),
                follow_up: false,
            });
        }
        if !crashed && !prone && !attacked {
            change(play, id, REST, Cause::NoAttack, None)?;
        }
        // What step 1 brought about counts in step 2: a corrected Crash comes back with a change
        // (VE-23b).
        let CombatantState {
            crashed,
            recovery_tokens,
            ..
        } = play.combatant("combatant", id)?.state;
        let held = recovery_tokens;
        let recovery_tokens = (held + if attacked { 1 } else { 2 }).min(MAX_TOKENS);
        if crashed && recovery_tokens > held {
            let gained = recovery_tokens - held;
            play.emit(RecoveryTokensGained {
                combatant: id.clone(),
                gained,
                recovery_tokens,
            });
        }
        if flurrying {
            change(
                play,
                id,
                -FLURRY_COST * i64::from(actions_taken),
                Cause::Flurry,
                None,
            )?;
        }
        change_motes(play, id, MOTES);
        end_turn(play, id);
        reach_tick(play);
        Ok(())
    }
}

impl RecoveryTokensGained {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Venture>) {
        fold.change(&self.combatant, |c| {
            c.state.recovery_tokens = self.recovery_tokens;
        });
    }
}
