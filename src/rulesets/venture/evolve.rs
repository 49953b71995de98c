//! What events do to the state of Venture.

use super::{Encounter, Event, FreeActionState, Phase, Tick, Venture};
use crate::vocabulary::{CombatantId, Event as AnyEvent, Int, RosterEvent, SharedEvent};
use std::sync::Arc;

pub(super) fn evolve(encounter: &mut Encounter, event: &AnyEvent<Venture>) {
    match event {
        // With a move left over from a Rush or Disengage the actions come after that.
        AnyEvent::Shared(SharedEvent::TurnStarted(e))
            if encounter
                .get(&e.combatant)
                .is_some_and(|c| !c.state.follow_up) =>
        {
            refresh(encounter, &e.combatant);
        }
        AnyEvent::Shared(SharedEvent::CombatantLeft(e)) => {
            encounter.change_states(
                |s| s.crashed_by.as_ref() == Some(&e.combatant),
                |s| s.crashed_by = None,
            );
        }
        AnyEvent::Shared(SharedEvent::ConditionSet(e)) => drop_delay(encounter, &e.combatant),
        AnyEvent::Roster(RosterEvent::CombatantUpdated { details, .. }) => {
            drop_delay(encounter, &details.id);
        }
        AnyEvent::Own(event) => own(encounter, event),
        AnyEvent::Shared(_) | AnyEvent::Roster(_) => {}
    }
}

fn own(encounter: &mut Encounter, event: &Event) {
    match event {
        Event::JoinedBattle(e) => encounter.change(&e.combatant, |c| {
            c.state.join_battle = Some(Arc::new(e.join_battle.clone()));
            c.state.initiative = e.initiative;
            c.stats.motes = Some(Int::clamped(e.motes));
        }),
        Event::FreeActionReached(e) => {
            encounter.state.phase = Phase::FreeActions {
                next: e.combatant.clone(),
            }
        }
        Event::FreeActionTaken(e) => encounter.change(&e.combatant, |c| {
            c.state.free_action = FreeActionState::Taken;
        }),
        Event::Passed(e) if e.follow_up => close_follow_up(encounter, &e.combatant),
        Event::Passed(e) => encounter.change(&e.combatant, |c| {
            c.state.free_action = FreeActionState::Passed;
        }),
        Event::TickReached(e) => {
            encounter.state.tick = Some(e.tick);
            encounter.state.phase = Phase::Tick(Tick {
                next: e.combatant.clone(),
                tick: e.tick,
                same_tick: e.same_tick,
                delayed: e.delayed,
            });
        }
        Event::StandstillReached(_) => encounter.state.phase = Phase::Standstill {},
        Event::OnslaughtEnded(e) => encounter.change(&e.combatant, |c| c.state.onslaught = 0),
        Event::FollowUpOffered(e) => {
            encounter.change(&e.combatant, |c| c.state.delaying = false);
            encounter.state.phase = Phase::FollowUp {
                actor: e.combatant.clone(),
            };
        }
        Event::FollowUpTaken(e) => close_follow_up(encounter, &e.combatant),
        Event::Recovered(e) => encounter.change(&e.combatant, |c| {
            c.state.initiative = e.to;
            c.state.leave_crash();
        }),
        Event::StartEffectDeclared(e) => encounter.change(&e.combatant, |c| {
            c.state.start_effects.push(e.start_effect.clone());
        }),
        Event::StartEffectWithdrawn(e) => {
            encounter.change(&e.combatant, |c| {
                c.state.start_effects.retain(|effect| effect.name != e.name);
            });
        }
        Event::Shifted(e) => encounter.change(&e.combatant, |c| c.state.crashed_by = None),
        Event::ActionTaken(e) if !e.reflexive => encounter.change(&e.combatant, |c| {
            c.state.actions_taken = c.state.actions_taken.saturating_add(1);
            c.state.attacked |= e.attack;
            c.state.follow_up |= e.follow_up;
        }),
        Event::Attacked(e) => encounter.change(&e.target, |c| c.state.onslaught = e.onslaught),
        Event::Flurried(e) => encounter.change(&e.combatant, |c| c.state.flurrying = true),
        Event::Moved(e) => encounter.change(&e.combatant, |c| c.state.moved = true),
        Event::Delayed(e) => encounter.change(&e.combatant, |c| c.state.delaying = true),
        Event::Returned(e) => encounter.change(&e.combatant, |c| c.state.delaying = false),
        Event::InitiativeChanged(e) => {
            encounter.change(&e.combatant, |c| c.state.initiative = e.to);
        }
        Event::Crashed(e) => encounter.change(&e.combatant, |c| {
            c.state.crashed = true;
            c.state.crashed_by = e.crashed_by.clone();
            c.state.recovery_tokens = 0;
        }),
        Event::CrashEnded(e) => encounter.change(&e.combatant, |c| c.state.leave_crash()),
        Event::RecoveryTokensGained(e) => {
            encounter.change(&e.combatant, |c| {
                c.state.recovery_tokens = e.recovery_tokens;
            });
        }
        Event::MotesChanged(e) => {
            encounter.change(&e.combatant, |c| c.stats.motes = Some(Int::clamped(e.to)));
        }
        Event::TimedChangesSet(e) => {
            encounter.change(&e.combatant, |c| {
                c.state.timed_changes.clone_from(&e.timed_changes);
            });
        }
        Event::Corrected(e) => encounter.change(&e.combatant, |c| {
            c.state.recovery_tokens = e.recovery_tokens.unwrap_or(c.state.recovery_tokens);
            c.state.onslaught = e.onslaught.unwrap_or(c.state.onslaught);
            c.state.delaying &= e.acted != Some(true);
            c.acted = e.acted.unwrap_or(c.acted);
        }),
        Event::Settled(_) | Event::StartEffectResolved(_) | Event::ActionTaken(_) => {}
    }
}

/// A combatant that falls out of the fight loses its delayed turn.
fn drop_delay(encounter: &mut Encounter, id: &CombatantId) {
    if encounter
        .get(id)
        .is_some_and(|c| c.state.delaying && !c.active())
    {
        encounter.change(id, |c| c.state.delaying = false);
    }
}

/// The move left over from a Rush or Disengage is made or given up; a turn that waits for it
/// proceeds.
fn close_follow_up(encounter: &mut Encounter, id: &CombatantId) {
    encounter.change(id, |c| c.state.follow_up = false);
    if matches!(&encounter.state.phase, Phase::FollowUp { actor } if actor == id) {
        refresh(encounter, id);
    }
}

/// Gives the combat action and the reflexive move of a turn (VE-18).
fn refresh(encounter: &mut Encounter, id: &CombatantId) {
    encounter.change(id, |c| {
        let state = &mut c.state;
        state.delaying = false;
        state.flurrying = false;
        state.attacked = false;
        state.moved = false;
        state.actions_taken = 0;
    });
    encounter.state.phase = Phase::InTurn { actor: id.clone() };
}
