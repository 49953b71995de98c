//! What the events of Venture do to the state; no rules here.

use super::{CombatantState, Event, FreeActionState, Phase, Table};
use crate::vocabulary::{Combatant, CombatantId, Int};
use std::sync::Arc;

pub(super) fn evolve(table: &mut Table, event: &Event) {
    match event {
        Event::JoinedBattle(e) => change(table, &e.combatant, |c| {
            c.state.join_battle = Some(Arc::new(e.roll.clone()));
            c.state.initiative = e.initiative;
            c.stats.motes = Some(Int::clamped(e.motes));
        }),
        Event::FreeActionReached(e) => table.state.phase = Phase::FreeActions { next: e.combatant.clone() },
        Event::FreeActionTaken(e) => change_state(table, &e.combatant, |s| s.free_action = FreeActionState::Taken),
        Event::FreeActionPassed(e) => change_state(table, &e.combatant, |s| s.free_action = FreeActionState::Passed),
        Event::TickReached(e) => {
            table.state.tick = Some(e.tick.tick);
            table.state.phase = Phase::Tick(e.tick.clone());
        }
        Event::StandstillReached(_) => table.state.phase = Phase::Standstill {},
        Event::OnslaughtEnded(e) => change_state(table, &e.combatant, |s| s.onslaught = 0),
        Event::FollowUpOffered(e) => {
            change_state(table, &e.combatant, |s| s.delaying = false);
            table.state.phase = Phase::FollowUp { actor: e.combatant.clone() };
        }
        Event::FollowUpTaken(e) => change_state(table, &e.combatant, |s| s.follow_up = false),
        Event::FollowUpPassed(e) => change_state(table, &e.combatant, |s| s.follow_up = false),
        Event::Recovered(e) => change_state(table, &e.combatant, |s| {
            s.initiative = e.to;
            leave_crash(s);
        }),
        Event::StartEffectDeclared(e) => {
            change_state(table, &e.combatant, |s| s.start_effects.push(e.effect.clone()));
        }
        Event::StartEffectWithdrawn(e) => {
            change_state(table, &e.combatant, |s| s.start_effects.retain(|effect| effect.name != e.name));
        }
        Event::Settled(_) | Event::StartEffectResolved(_) => {}
        Event::Shifted(e) => change_state(table, &e.combatant, |s| s.crashed_by = None),
        Event::ActionsRefreshed(e) => {
            change_state(table, &e.combatant, |s| {
                (s.delaying, s.flurrying, s.attacked, s.moved) = (false, false, false, false);
                s.actions_taken = 0;
            });
            table.state.phase = Phase::InTurn { actor: e.combatant.clone() };
        }
        Event::ActionTaken(e) if e.reflexive => {}
        Event::ActionTaken(e) => change_state(table, &e.combatant, |s| {
            s.actions_taken = s.actions_taken.saturating_add(1);
            s.attacked |= e.attack;
            s.follow_up |= e.follow_up;
        }),
        Event::Attacked(e) => change_state(table, &e.target, |s| s.onslaught = e.onslaught),
        Event::Flurried(e) => change_state(table, &e.combatant, |s| s.flurrying = true),
        Event::Moved(e) => change_state(table, &e.combatant, |s| s.moved = true),
        Event::Delayed(e) => change_state(table, &e.combatant, |s| s.delaying = true),
        Event::DelayLapsed(e) => change_state(table, &e.combatant, |s| s.delaying = false),
        Event::InitiativeChanged(e) => change_state(table, &e.combatant, |s| s.initiative = e.to),
        Event::Crashed(e) => change_state(table, &e.combatant, |s| {
            s.crashed = true;
            s.crashed_by = e.by.clone();
            s.recovery_tokens = 0;
        }),
        Event::CrashEnded(e) => change_state(table, &e.combatant, leave_crash),
        Event::RecoveryTokensGained(e) => change_state(table, &e.combatant, |s| s.recovery_tokens = e.tokens),
        Event::MotesChanged(e) => change(table, &e.combatant, |c| c.stats.motes = Some(Int::clamped(e.to))),
        Event::TimedChangesSet(e) => change_state(table, &e.combatant, |s| s.timed.clone_from(&e.changes)),
        Event::Corrected(e) => change(table, &e.combatant, |c| {
            c.state.recovery_tokens = e.recovery_tokens.unwrap_or(c.state.recovery_tokens);
            c.state.onslaught = e.onslaught.unwrap_or(c.state.onslaught);
            c.acted = e.acted.unwrap_or(c.acted);
        }),
    }
}

fn leave_crash(state: &mut CombatantState) {
    state.crashed = false;
    state.crashed_by = None;
    state.recovery_tokens = 0;
}

fn change_state(table: &mut Table, id: &CombatantId, alter: impl FnOnce(&mut CombatantState)) {
    change(table, id, |c| alter(&mut c.state));
}

fn change(table: &mut Table, id: &CombatantId, alter: impl FnOnce(&mut Combatant<super::Venture>)) {
    if let Some(c) = table.get_mut(id) {
        alter(c);
    }
}
