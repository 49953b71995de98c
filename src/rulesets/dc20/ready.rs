//! Actions that are readied, and triggered later (DC-49).

use super::action_points::points_left_after;
use super::{Combatant, Dc20, Play};
use crate::vocabulary::{
    CombatantId, Fold, Int, LegalCommand, Text, Violation, command, event, fact, require,
};

/// Ready an action on your turn: pay for it now, and let it wait for a trigger (DC-49).
#[command(player, "{combatant}: ready an action")]
pub struct Ready {
    /// The combatant.
    pub combatant: CombatantId,
    /// The Action Points that it costs.
    pub action_points: Int<1, 20>,
    /// The action.
    pub action: Text<200>,
    /// The event that triggers it.
    pub trigger: Text<200>,
}

/// Use a readied action just before its trigger (DC-49).
#[command(player, "{combatant}: use the readied action")]
pub struct Trigger {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant paid for an action that waits for a trigger (DC-49).
#[event("{combatant} {combatant:readies|ready} an action: {action}, when {trigger}.")]
pub struct Readied {
    /// The combatant.
    pub combatant: CombatantId,
    /// The action.
    pub action: Text<200>,
    /// The event that triggers it.
    pub trigger: Text<200>,
    /// The Action Points paid for it.
    pub action_points: u32,
}

/// A readied action happened, before its trigger (DC-49).
#[event("{combatant} {combatant:uses|use} the readied action.")]
pub struct Triggered {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A readied action was lost with its Action Points, because the next turn starts (DC-49).
#[event("{combatant} {combatant:loses|lose} the readied action.")]
pub struct ReadyLapsed {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A paid action that waits for its trigger (DC-49).
#[fact]
pub struct ReadiedAction {
    /// The action.
    pub action: Text<200>,
    /// The event that triggers it.
    pub trigger: Text<200>,
    /// The Action Points paid for it.
    pub action_points: u32,
}

impl Ready {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let id = &self.combatant;
        let action_points = self.action_points.count();
        let has_readied = play.in_turn(id, "DC-49")?.state.readied.is_some();
        points_left_after(play, id, action_points)?;
        require(!has_readied, "already_readied", "DC-49", || {
            format!("{id} has already readied an action. Send \"trigger\" to use it first.")
        })?;
        play.emit(Readied {
            combatant: id.clone(),
            action: self.action.clone(),
            trigger: self.trigger.clone(),
            action_points,
        });
        Ok(())
    }
}

impl Trigger {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let id = &self.combatant;
        let has_readied = play
            .fighter("combatant", id, "DC-49")?
            .state
            .readied
            .is_some();
        require(has_readied, "nothing_readied", "DC-49", || {
            format!("{id} has no readied action. Send \"ready\" first.")
        })?;
        play.emit(Triggered {
            combatant: id.clone(),
        });
        Ok(())
    }
}

impl Readied {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Dc20>) {
        fold.change_state(&self.combatant, |s| {
            s.action_point_pool.current = s
                .action_point_pool
                .current
                .saturating_sub(self.action_points);
            s.readied = Some(ReadiedAction {
                action: self.action.clone(),
                trigger: self.trigger.clone(),
                action_points: self.action_points,
            });
        });
    }
}

impl Triggered {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Dc20>) {
        fold.change_state(&self.combatant, |s| s.readied = None);
    }
}

impl ReadyLapsed {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Dc20>) {
        fold.change_state(&self.combatant, |s| s.readied = None);
    }
}

pub(super) fn options(c: &Combatant) -> LegalCommand {
    let points = c.state.action_point_pool.current.into();
    LegalCommand::by::<Ready>(&c.id, "DC-49").range("action_points", 1, points)
}
