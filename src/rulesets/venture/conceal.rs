//! What those may know of a fight under Venture who may not know all.

use super::react::next_tick;
use super::*;

pub(super) fn conceal(table: &mut Table, whole: &Table) {
    let absent = |id: &CombatantId| !table.knows(id);
    let scrubbed: Vec<CombatantId> =
        table.iter().filter(|c| c.standing.crashed_by.as_ref().is_some_and(absent)).map(|c| c.id.clone()).collect();
    for id in &scrubbed {
        if let Some(c) = table.get_mut(id) {
            c.standing.crashed_by = None;
        }
    }
    let unseen = |id: &CombatantId| table.unseen(whole, id);
    let phase = match &table.state.phase {
        Phase::FreeActions { next } if unseen(next) => Phase::SomeoneActs {},
        Phase::FollowUp { actor } | Phase::InTurn { actor } if unseen(actor) => Phase::SomeoneActs {},
        Phase::Tick(tick) if unseen(&tick.next) => Phase::SomeoneActs {},
        // Whoever is hidden shares no tick.
        Phase::Tick(tick) => {
            let seen = next_tick(table).filter(|seen| seen.next == tick.next && seen.tick == tick.tick);
            Phase::Tick(Tick { same_tick: seen.map_or(tick.same_tick, |seen| seen.same_tick), ..tick.clone() })
        }
        phase => phase.clone(),
    };
    if matches!(phase, Phase::SomeoneActs {} | Phase::Standstill {}) {
        table.state.tick = None;
    }
    table.state.phase = phase;
}

pub(super) fn retell(event: &Event, telling: &Telling<'_, Venture>) -> Option<Event> {
    let about = match event {
        Event::StandstillReached(_) => return Some(event.clone()),
        Event::TickReached(_) => {
            return match &telling.after.state.phase {
                // Nothing of it has changed that is seen.
                phase if *phase == telling.before.state.phase && *phase == telling.start.state.phase => None,
                Phase::Tick(tick) => Some(Event::TickReached(TickReached { tick: tick.clone() })),
                _ => None,
            };
        }
        Event::Settled(e) if !telling.knows(&e.loser) => return None,
        Event::Settled(e) => &e.combatant,
        Event::Attacked(e) if !telling.knows(&e.target) => return None,
        Event::Attacked(e) => &e.combatant,
        Event::Crashed(e) => {
            let by = telling.name(e.by.as_ref());
            return telling.knows(&e.combatant).then(|| Event::Crashed(Crashed { by, ..e.clone() }));
        }
        Event::JoinedBattle(e) => &e.combatant,
        Event::FreeActionReached(e) => &e.combatant,
        Event::FreeActionTaken(e) => &e.combatant,
        Event::FreeActionPassed(e) => &e.combatant,
        Event::OnslaughtEnded(e) => &e.combatant,
        Event::FollowUpOffered(e) => &e.combatant,
        Event::FollowUpTaken(e) => &e.combatant,
        Event::FollowUpPassed(e) => &e.combatant,
        Event::Recovered(e) => &e.combatant,
        Event::StartEffectDeclared(e) => &e.combatant,
        Event::StartEffectWithdrawn(e) => &e.combatant,
        Event::StartEffectResolved(e) => &e.combatant,
        Event::ActionsRefreshed(e) => &e.combatant,
        Event::ActionTaken(e) => &e.combatant,
        Event::Flurried(e) => &e.combatant,
        Event::Moved(e) => &e.combatant,
        Event::Delayed(e) => &e.combatant,
        Event::DelayLapsed(e) => &e.combatant,
        Event::InitiativeChanged(e) => &e.combatant,
        Event::CrashEnded(e) => &e.combatant,
        Event::Shifted(e) => &e.combatant,
        Event::RecoveryTokensGained(e) => &e.combatant,
        Event::MotesChanged(e) => &e.combatant,
    };
    telling.knows(about).then(|| event.clone())
}
