//! What the events of Seize the initiative do to the state; no rules here.

use super::{CombatantState, Event, Meaning, Phase, Seizer, State, Table, Taken};
use crate::vocabulary::CombatantId;

pub(super) fn evolve(table: &mut Table, event: &Event) {
    match event {
        Event::InitiativeRolled(e) => {
            for roll in e.rolls.iter().filter(|roll| roll.meaning != Meaning::Plain) {
                let twenty = roll.meaning == Meaning::Twenty;
                for id in roll.combatants.iter() {
                    change_state(table, id, |s| {
                        s.extra_action = twenty;
                        s.skips_round_1 = !twenty;
                    });
                }
            }
        }
        Event::RolledOff(_) | Event::ExtraActionGranted(_) => {}
        Event::Begun(e) => {
            forget_losses(table);
            let state = &mut table.state;
            state.queue.retain(|seizer| seizer.combatant != e.combatant);
            state.turns.retain(|taken| taken.combatant != e.combatant);
            state.turns.push(Taken { combatant: e.combatant.clone(), by: e.by.clone() });
            state.last_actor = Some(e.combatant.clone());
            state.phase = Phase::InTurn { actor: e.combatant.clone() };
        }
        Event::ExtraActionSpent(e) => change_state(table, &e.combatant, |s| s.extra_action = false),
        Event::ExtraActionLapsed(e) => change_state(table, &e.combatant, |s| s.extra_action = false),
        Event::Hurt(e) => change_state(table, &e.combatant, |s| s.hurt = true),
        Event::SeizingOpened(_) => {
            table.state.windows = table.state.windows.saturating_add(1);
            table.state.phase = Phase::SeizeDecision {};
        }
        Event::Seized(e) => {
            change_state(table, &e.combatant, |s| s.hurt = false);
            let State { queue, windows, .. } = &mut table.state;
            let window = *windows;
            let mut tied = Vec::new();
            for equal in queue.iter_mut().filter(|s| (s.window, s.bonus) == (window, e.bonus)) {
                equal.tied.push(e.combatant.clone());
                tied.push(equal.combatant.clone());
            }
            let place = usize::try_from(e.after).unwrap_or(usize::MAX).min(queue.len());
            queue.insert(place, Seizer { combatant: e.combatant.clone(), bonus: e.bonus, window, tied });
        }
        Event::Declined(e) => change_state(table, &e.combatant, |s| s.hurt = false),
        Event::SeizerDropped(e) => table.state.queue.retain(|seizer| seizer.combatant != e.combatant),
        Event::ChoiceOpened(e) => {
            forget_losses(table);
            if e.starter {
                table.state.turns.clear();
                table.state.phase = Phase::ChooseStarter {};
            } else {
                table.state.phase = Phase::ChooseNext {};
            }
        }
        Event::Forgotten(e) => {
            let state = &mut table.state;
            state.queue.retain(|seizer| seizer.combatant != e.combatant);
            state.turns.retain(|taken| taken.combatant != e.combatant);
            state.last_actor.take_if(|last| *last == e.combatant);
        }
        Event::FightClosed(_) => table.state.phase = Phase::Over,
    }
}

/// Nobody's loss of hit points counts any more.
fn forget_losses(table: &mut Table) {
    for c in table.combatants.iter_mut().filter(|c| c.state.hurt) {
        c.change().state.hurt = false;
    }
}

fn change_state(table: &mut Table, id: &CombatantId, change: impl FnOnce(&mut CombatantState)) {
    if let Some(c) = table.get_mut(id) {
        change(&mut c.state);
    }
}
