//! Free actions, the end of their round, and giving up a free action or a leftover move (VE-6 to VE-8,
//! VE-15).

use super::start_turn::{close_follow_up, finish_start};
use super::track::{in_battle, in_turn, on_track, rank, reach_tick};
use super::{Combatant, Encounter, FreeActionState, Phase, Play, Venture};
use crate::rulesets::shared::start_round;
use crate::vocabulary::{
    CombatantId, Fold, LegalCommand, RoundEnded, Text, Violation, command, event, require,
};

/// Take the free action of Joining Battle: a combat action that harms no combatant and that no
/// combatant opposes (VE-6).
#[command(player, "{combatant}: take the free action")]
pub struct FreeAction {
    /// The combatant.
    pub combatant: CombatantId,
    /// The action, such as to ready a weapon, enter a Form or take cover.
    pub action: Option<Text<200>>,
    /// True if it would harm a combatant, which is refused (VE-8).
    #[default]
    pub damaging: bool,
    /// True if a combatant opposes it, which is refused (VE-8).
    #[default]
    pub opposed: bool,
}

/// Give up the free action (VE-6), or at the start of a turn the move left over from a Rush or
/// Disengage (VE-15).
#[command(player, "{combatant}: give up the free action")]
pub struct Pass {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant's free action is next (VE-7).
#[event("{combatant} may take the free action.")]
pub struct FreeActionReached {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant took its free action (VE-6).
#[event("{combatant} {combatant:takes|take} the free action[: {action}].")]
pub struct FreeActionTaken {
    /// The combatant.
    pub combatant: CombatantId,
    /// The action.
    pub action: Option<Text<200>>,
}

/// A combatant gave up its free action (VE-6), or the move left over from a Rush or Disengage
/// (VE-15).
#[event(
    "{combatant} {combatant:gives|give} up [{follow_up}the leftover move][{!follow_up}the free action]."
)]
pub struct Passed {
    /// The combatant.
    pub combatant: CombatantId,
    /// True if it gave up the leftover move, not the free action.
    pub follow_up: bool,
}

impl FreeAction {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        may_act_freely(play, &self.combatant)?;
        require(
            !self.damaging,
            "free_action_damaging",
            "VE-8",
            || "A free action can't harm. Send \"act\" in a turn instead.",
        )?;
        require(
            !self.opposed,
            "free_action_opposed",
            "VE-8",
            || "A free action can't be opposed. Send \"act\" in a turn instead.",
        )?;
        play.emit(FreeActionTaken {
            combatant: self.combatant.clone(),
            action: self.action.clone(),
        });
        Ok(())
    }
}

/// Refuses unless `id` may take its free action: in round 0 in the order of the track (VE-7),
/// newcomers in their first turn, before they act.
fn may_act_freely(play: &Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    let c = in_battle(play, id)?;
    require(
        c.state.free_action == FreeActionState::Open,
        "free_action_used",
        "VE-8",
        || format!("{id} has already had the free action. Each combatant has one."),
    )?;
    if let Phase::FreeActions { next } = &play.encounter().state.phase {
        return require(next == id, "not_your_free_action", "VE-7", || {
            format!("The next free action is {next}'s. Wait for {id}'s.")
        });
    }
    require(
        in_turn(play, id, "VE-7")?.state.actions_taken == 0,
        "free_action_late",
        "VE-7",
        || format!("{id} has already acted this turn. The free action comes before that."),
    )
}

impl Pass {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let id = &self.combatant;
        if matches!(&play.encounter().state.phase, Phase::FollowUp { actor } if actor == id) {
            play.emit(Passed {
                combatant: id.clone(),
                follow_up: true,
            });
            return finish_start(play, id);
        }
        may_act_freely(play, id)?;
        play.emit(Passed {
            combatant: id.clone(),
            follow_up: false,
        });
        Ok(())
    }
}

pub(super) fn with_free_action(encounter: &Encounter) -> impl Iterator<Item = &Combatant> {
    on_track(encounter).filter(|c| c.state.free_action == FreeActionState::Open)
}

/// Goes to the highest with a free action left, or begins the first round (VE-7).
pub(super) fn open_free_action(play: &mut Play<'_>) {
    let first = with_free_action(play.encounter())
        .min_by_key(|c| rank(c))
        .map(|c| c.id.clone());
    let Some(combatant) = first else {
        leave_round_zero(play);
        return reach_tick(play);
    };
    play.emit(FreeActionReached { combatant });
}

/// Ends round 0, which effects do not count.
pub(super) fn leave_round_zero(play: &mut Play<'_>) {
    play.emit(RoundEnded { round: 0 });
    start_round(play, 1);
}

impl FreeActionReached {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Venture>) {
        fold.state().phase = Phase::FreeActions {
            next: self.combatant.clone(),
        };
    }
}

impl FreeActionTaken {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Venture>) {
        fold.change(&self.combatant, |c| {
            c.state.free_action = FreeActionState::Taken;
        });
    }
}

impl Passed {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Venture>) {
        if self.follow_up {
            close_follow_up(fold, &self.combatant);
        } else {
            fold.change(&self.combatant, |c| {
                c.state.free_action = FreeActionState::Passed;
            });
        }
    }
}

pub(super) fn options(encounter: &Encounter, actor: &CombatantId) -> [LegalCommand; 2] {
    // An action that harms a combatant or is opposed is no free action (VE-8).
    let free_action = LegalCommand::by::<FreeAction>(actor, "VE-6")
        .choose("damaging", [false])
        .choose("opposed", [false]);
    let pass = if matches!(encounter.state.phase, Phase::FollowUp { .. }) {
        LegalCommand::by::<Pass>(actor, "VE-15").labelled("{combatant}: give up the leftover move")
    } else {
        LegalCommand::by::<Pass>(actor, "VE-6")
    };
    [free_action, pass]
}
