//! What events do to the state of Venture.

use super::*;
use crate::vocabulary::{Int, SharedEvent};
use std::sync::Arc;

pub(super) fn evolve(table: &mut Table, event: &AnyEvent<Venture>) {
    match event {
        // With a move left from a Rush or Disengage the actions come after that.
        AnyEvent::Shared(SharedEvent::TurnStarted(e))
            if table.get(&e.combatant).is_some_and(|c| !c.state.follow_up) =>
        {
            refresh(table, &e.combatant);
        }
        AnyEvent::Shared(SharedEvent::CombatantLeft(e)) => {
            let crashed = |s: &CombatantState| s.crashed_by.as_ref() == Some(&e.combatant);
            table.change_states(crashed, |s| s.crashed_by = None);
        }
        AnyEvent::Shared(SharedEvent::ConditionSet(e)) => drop_delay(table, &e.combatant),
        AnyEvent::Roster(RosterEvent::CombatantUpdated { combatant }) => {
            drop_delay(table, &combatant.id);
        }
        AnyEvent::Own(event) => own(table, event),
        AnyEvent::Shared(_) | AnyEvent::Roster(_) => {}
    }
}

fn own(table: &mut Table, event: &Event) {
    match event {
        Event::JoinedBattle(e) => table.change(&e.combatant, |c| {
            c.state.join_battle = Some(Arc::new(e.roll.clone()));
            c.state.initiative = e.initiative;
            c.stats.motes = Some(Int::clamped(e.motes));
        }),
        Event::FreeActionReached(e) => {
            table.state.phase = Phase::FreeActions {
                next: e.combatant.clone(),
            }
        }
        Event::FreeActionTaken(e) => table.change(&e.combatant, |c| {
            c.state.free_action = FreeActionState::Taken;
        }),
        Event::FreeActionPassed(e) => table.change(&e.combatant, |c| {
            c.state.free_action = FreeActionState::Passed;
        }),
        Event::TickReached(e) => {
            table.state.tick = Some(e.tick.tick);
            table.state.phase = Phase::Tick(e.tick.clone());
        }
        Event::StandstillReached(_) => table.state.phase = Phase::Standstill {},
        Event::OnslaughtEnded(e) => table.change(&e.combatant, |c| c.state.onslaught = 0),
        Event::FollowUpOffered(e) => {
            table.change(&e.combatant, |c| c.state.delaying = false);
            table.state.phase = Phase::FollowUp {
                actor: e.combatant.clone(),
            };
        }
        Event::FollowUpTaken(FollowUpTaken { combatant })
        | Event::FollowUpPassed(FollowUpPassed { combatant }) => {
            table.change(combatant, |c| c.state.follow_up = false);
            if matches!(&table.state.phase, Phase::FollowUp { actor } if actor == combatant) {
                refresh(table, combatant);
            }
        }
        Event::Recovered(e) => table.change(&e.combatant, |c| {
            c.state.initiative = e.to;
            c.state.leave_crash();
        }),
        Event::StartEffectDeclared(e) => table.change(&e.combatant, |c| {
            c.state.start_effects.push(e.effect.clone());
        }),
        Event::StartEffectWithdrawn(e) => {
            table.change(&e.combatant, |c| {
                c.state.start_effects.retain(|effect| effect.name != e.name);
            });
        }
        Event::Shifted(e) => table.change(&e.combatant, |c| c.state.crashed_by = None),
        Event::ActionTaken(e) if !e.reflexive => table.change(&e.combatant, |c| {
            c.state.actions_taken = c.state.actions_taken.saturating_add(1);
            c.state.attacked |= e.attack;
            c.state.follow_up |= e.follow_up;
        }),
        Event::Attacked(e) => table.change(&e.target, |c| c.state.onslaught = e.onslaught),
        Event::Flurried(e) => table.change(&e.combatant, |c| c.state.flurrying = true),
        Event::Moved(e) => table.change(&e.combatant, |c| c.state.moved = true),
        Event::Delayed(e) => table.change(&e.combatant, |c| c.state.delaying = true),
        Event::InitiativeChanged(e) => table.change(&e.combatant, |c| c.state.initiative = e.to),
        Event::Crashed(e) => table.change(&e.combatant, |c| {
            c.state.crashed = true;
            c.state.crashed_by = e.by.clone();
            c.state.recovery_tokens = 0;
        }),
        Event::CrashEnded(e) => table.change(&e.combatant, |c| c.state.leave_crash()),
        Event::RecoveryTokensGained(e) => {
            table.change(&e.combatant, |c| c.state.recovery_tokens = e.tokens);
        }
        Event::MotesChanged(e) => {
            table.change(&e.combatant, |c| c.stats.motes = Some(Int::clamped(e.to)));
        }
        Event::TimedChangesSet(e) => {
            table.change(&e.combatant, |c| c.state.timed.clone_from(&e.changes));
        }
        Event::Corrected(e) => table.change(&e.combatant, |c| {
            c.state.recovery_tokens = e.recovery_tokens.unwrap_or(c.state.recovery_tokens);
            c.state.onslaught = e.onslaught.unwrap_or(c.state.onslaught);
            c.state.delaying &= e.acted != Some(true);
            c.acted = e.acted.unwrap_or(c.acted);
        }),
        Event::Settled(_) | Event::StartEffectResolved(_) | Event::ActionTaken(_) => {}
    }
}

/// A combatant that falls out of the fight no longer holds its action back.
fn drop_delay(table: &mut Table, id: &CombatantId) {
    if table
        .get(id)
        .is_some_and(|c| c.state.delaying && !c.active())
    {
        table.change(id, |c| c.state.delaying = false);
    }
}

/// Gives the combat action and the reflexive move of a turn (VE-18).
fn refresh(table: &mut Table, id: &CombatantId) {
    table.change(id, |c| {
        let state = &mut c.state;
        (state.delaying, state.flurrying, state.attacked, state.moved) =
            (false, false, false, false);
        state.actions_taken = 0;
    });
    table.state.phase = Phase::InTurn { actor: id.clone() };
}
