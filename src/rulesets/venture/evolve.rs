//! What events do to the state of Venture.

use super::{Event, FreeActionState, Phase, Tick, Venture};
use crate::vocabulary::{CombatantId, Event as AnyEvent, Fold, Int, SharedEvent};
use std::sync::Arc;

pub(super) fn evolve(fold: &mut Fold<'_, Venture>, event: &AnyEvent<Venture>) {
    match event {
        // With a move left over from a Rush or Disengage the actions come after that.
        AnyEvent::Shared(SharedEvent::TurnStarted(e))
            if fold.state_of(&e.combatant).is_some_and(|s| !s.follow_up) =>
        {
            refresh(fold, &e.combatant);
        }
        AnyEvent::Shared(SharedEvent::CombatantLeft(e)) => {
            fold.change_states(
                |s| s.crashed_by.as_ref() == Some(&e.combatant),
                |s| s.crashed_by = None,
            );
        }
        AnyEvent::Own(event) => own(fold, event),
        AnyEvent::Shared(_) | AnyEvent::Roster(_) => {}
    }
}

fn own(fold: &mut Fold<'_, Venture>, event: &Event) {
    match event {
        Event::JoinedBattle(e) => fold.change(&e.combatant, |c| {
            c.state.join_battle = Some(Arc::new(e.join_battle.clone()));
            c.state.initiative = e.initiative;
            c.stats.motes = Some(Int::clamped(e.motes));
        }),
        Event::FreeActionReached(e) => {
            fold.state().phase = Phase::FreeActions {
                next: e.combatant.clone(),
            }
        }
        Event::FreeActionTaken(e) => fold.change(&e.combatant, |c| {
            c.state.free_action = FreeActionState::Taken;
        }),
        Event::Passed(e) if e.follow_up => close_follow_up(fold, &e.combatant),
        Event::Passed(e) => fold.change(&e.combatant, |c| {
            c.state.free_action = FreeActionState::Passed;
        }),
        Event::TickReached(e) => {
            fold.state().tick = Some(e.tick);
            fold.state().phase = Phase::Tick(Tick {
                next: e.combatant.clone(),
                tick: e.tick,
                same_tick: e.same_tick,
                delayed: e.delayed,
            });
        }
        Event::StandstillReached(_) => fold.state().phase = Phase::Standstill {},
        Event::OnslaughtEnded(e) => fold.change(&e.combatant, |c| c.state.onslaught = 0),
        Event::FollowUpOffered(e) => {
            fold.change(&e.combatant, |c| c.state.delaying = false);
            fold.state().phase = Phase::FollowUp {
                actor: e.combatant.clone(),
            };
        }
        Event::FollowUpTaken(e) => close_follow_up(fold, &e.combatant),
        Event::Recovered(e) => fold.change(&e.combatant, |c| {
            c.state.initiative = e.to;
            c.state.leave_crash();
        }),
        Event::StartEffectDeclared(e) => fold.change(&e.combatant, |c| {
            c.state.start_effects.push(e.start_effect.clone());
        }),
        Event::StartEffectWithdrawn(e) => {
            fold.change(&e.combatant, |c| {
                c.state.start_effects.retain(|effect| effect.name != e.name);
            });
        }
        Event::Shifted(e) => fold.change(&e.combatant, |c| c.state.crashed_by = None),
        Event::ActionTaken(e) if !e.reflexive => fold.change(&e.combatant, |c| {
            c.state.actions_taken = c.state.actions_taken.saturating_add(1);
            c.state.attacked |= e.attack;
            c.state.follow_up |= e.follow_up;
        }),
        Event::Attacked(e) => fold.change(&e.target, |c| c.state.onslaught = e.onslaught),
        Event::Flurried(e) => fold.change(&e.combatant, |c| c.state.flurrying = true),
        Event::Moved(e) => fold.change(&e.combatant, |c| c.state.moved = true),
        Event::Delayed(e) => fold.change(&e.combatant, |c| c.state.delaying = true),
        Event::DelayLapsed(e) => fold.change(&e.combatant, |c| c.state.delaying = false),
        Event::Returned(e) => fold.change(&e.combatant, |c| c.state.delaying = false),
        Event::InitiativeChanged(e) => {
            fold.change(&e.combatant, |c| c.state.initiative = e.to);
        }
        Event::Crashed(e) => fold.change(&e.combatant, |c| {
            c.state.crashed = true;
            c.state.crashed_by = e.crashed_by.clone();
            c.state.recovery_tokens = 0;
        }),
        Event::CrashEnded(e) => fold.change(&e.combatant, |c| c.state.leave_crash()),
        Event::RecoveryTokensGained(e) => {
            fold.change(&e.combatant, |c| {
                c.state.recovery_tokens = e.recovery_tokens;
            });
        }
        Event::MotesChanged(e) => {
            fold.change(&e.combatant, |c| c.stats.motes = Some(Int::clamped(e.to)));
        }
        Event::TimedChangesSet(e) => {
            fold.change(&e.combatant, |c| {
                c.state.timed_changes.clone_from(&e.timed_changes);
            });
        }
        Event::Corrected(e) => fold.change(&e.combatant, |c| {
            c.state.recovery_tokens = e.recovery_tokens.unwrap_or(c.state.recovery_tokens);
            c.state.onslaught = e.onslaught.unwrap_or(c.state.onslaught);
            c.state.delaying &= e.acted != Some(true);
            c.acted = e.acted.unwrap_or(c.acted);
        }),
        Event::Settled(_) | Event::StartEffectResolved(_) | Event::ActionTaken(_) => {}
    }
}

/// The move left over from a Rush or Disengage is made or given up; a turn that waits for it
/// proceeds.
fn close_follow_up(fold: &mut Fold<'_, Venture>, id: &CombatantId) {
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
