//! The start of a turn (VE-6, VE-9, VE-12, VE-13), and its steps (VE-14 to VE-18).

use super::adjust::count_timed;
use super::track::in_battle;
use super::{Phase, Play, Tick, Venture, start_effect};
use crate::rulesets::shared::start_turn;
use crate::vocabulary::{CombatantId, Fold, Violation, command, event};

/// Start the turn of the combatant on the reached tick, with the steps of the start of a turn in
/// order (VE-14 to VE-18).
#[command(player, "{combatant}: start turn")]
pub struct BeginTurn {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Start of turn, step 1: Onslaught ends (VE-14).
#[event("{combatant}'s Onslaught of {points} ends.")]
pub struct OnslaughtEnded {
    /// The combatant.
    pub combatant: CombatantId,
    /// The points of Onslaught.
    pub points: u32,
}

/// Start of turn, step 2: a combatant may make the move left over from a Rush or Disengage (VE-15).
#[event("{combatant} may make the leftover move.")]
pub struct FollowUpOffered {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Start of turn, step 3: recovery tokens ended the Crash (VE-16).
#[event("{combatant} {combatant:recovers|recover} from Crash at Initiative {to}.")]
pub struct Recovered {
    /// The combatant.
    pub combatant: CombatantId,
    /// The spent tokens: all of them (VE-16a).
    pub tokens_spent: i64,
    /// The Initiative before.
    pub from: i64,
    /// The Initiative after that: 3, whatever it was before (VE-16b).
    pub to: i64,
}

/// The recovery tokens that end a Crash (VE-16).
const RECOVERY: i64 = 3;

/// The Initiative after that (VE-16).
const RECOVERED: i64 = 3;

impl BeginTurn {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let id = &self.combatant;
        at_tick(play, id, "VE-9")?;
        take_turn(play, id)
    }
}

/// The tick that is reached, if it is `id`'s.
pub(super) fn at_tick<'p>(
    play: &'p Play<'_>,
    id: &CombatantId,
    rule: &'static str,
) -> Result<&'p Tick, Violation> {
    let c = in_battle(play, id)?;
    let phase = &play.encounter().state.phase;
    let (code, rule, detail) = match phase {
        Phase::Tick(tick) if tick.next == *id => return Ok(tick),
        _ if phase.acting() == Some(id) => (
            "turn_begun",
            rule,
            format!("{id}'s turn has already started. Act, or send \"end_turn\"."),
        ),
        _ if c.acted => (
            "already_acted",
            "VE-13",
            format!("{id} has already acted this round. Wait for the next round."),
        ),
        Phase::InTurn { .. } | Phase::FollowUp { .. } => (
            "turn_in_progress",
            rule,
            format!("{} Wait until that turn ends.", phase.detail()),
        ),
        Phase::Tick(tick) if c.state.delaying => (
            "already_delaying",
            "VE-12",
            format!(
                "{id} delayed the turn. Send \"return\" to act before {}.",
                tick.next
            ),
        ),
        Phase::FreeActions { .. } => (
            "free_actions_first",
            "VE-6",
            format!("{} Wait until all have had theirs.", phase.detail()),
        ),
        _ => (
            "not_your_tick",
            rule,
            format!("{} Wait for {id}'s turn.", phase.detail()),
        ),
    };
    Err(Violation::new(code, rule, detail))
}

/// The start of a turn: steps 1 and 2, and the rest unless a move may be made first.
pub(super) fn take_turn(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    start_turn(play, id);
    let state = &play.combatant("combatant", id)?.state;
    let points = state.onslaught;
    let follow_up = state.follow_up;
    if points > 0 {
        play.emit(OnslaughtEnded {
            combatant: id.clone(),
            points,
        });
    }
    count_timed(play, id)?;
    if follow_up {
        play.emit(FollowUpOffered {
            combatant: id.clone(),
        });
        return Ok(());
    }
    finish_start(play, id)
}

/// The rest of the start of a turn: steps 3 and 4. Step 5 is done by then: [`refresh`] gives the
/// new actions when `TurnStarted` is applied, or when the leftover move is made or given up.
pub(super) fn finish_start(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    let state = &play.combatant("combatant", id)?.state;
    let from = state.initiative;
    let tokens_spent = state.recovery_tokens;
    if state.crashed && tokens_spent >= RECOVERY {
        play.emit(Recovered {
            combatant: id.clone(),
            tokens_spent,
            from,
            to: RECOVERED,
        });
    }
    start_effect::resolve(play, id)
}

impl OnslaughtEnded {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Venture>) {
        fold.change(&self.combatant, |c| c.state.onslaught = 0);
    }
}

impl FollowUpOffered {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Venture>) {
        fold.change(&self.combatant, |c| c.state.delaying = false);
        fold.state().phase = Phase::FollowUp {
            actor: self.combatant.clone(),
        };
    }
}

impl Recovered {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Venture>) {
        fold.change(&self.combatant, |c| {
            c.state.initiative = self.to;
            c.state.leave_crash();
        });
    }
}

/// The move left over from a Rush or Disengage is made or given up; a turn that waits for it
/// proceeds.
pub(super) fn close_follow_up(fold: &mut Fold<'_, Venture>, id: &CombatantId) {
    fold.change(id, |c| c.state.follow_up = false);
    if matches!(&fold.state().phase, Phase::FollowUp { actor } if actor == id) {
        refresh(fold, id);
    }
}

/// Gives the combat action and the reflexive move of a turn (VE-18).
fn refresh(fold: &mut Fold<'_, Venture>, id: &CombatantId) {
    fold.change(id, |c| {
        let state = &mut c.state;
        state.delaying = false;
        state.flurrying = false;
        state.attacked = false;
        state.moved = false;
        state.actions_taken = 0;
    });
    fold.state().phase = Phase::InTurn { actor: id.clone() };
}

/// A turn has started: the combatant gets its actions (VE-18), or, with a move left over from a Rush or
/// Disengage, after that move (VE-15).
pub(super) fn turn_started(fold: &mut Fold<'_, Venture>, id: &CombatantId) {
    if fold.state_of(id).is_some_and(|s| !s.follow_up) {
        refresh(fold, id);
    }
}
