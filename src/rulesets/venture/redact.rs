//! What those may know of a fight under Venture who may not know all.

use super::react::next_of;
use super::*;

pub(super) fn redact(table: &mut Table, whole: &Table, audience: &Audience<'_>) {
    let absent = |id: &CombatantId| !audience.knows(id);
    for seat in &mut table.combatants {
        if seat.state.crashed_by.as_ref().is_some_and(absent) {
            seat.change().state.crashed_by = None;
        }
    }
    let phase = phase(whole, &whole.state, audience);
    if matches!(phase, Phase::SomeoneActs {} | Phase::Standstill {}) {
        table.state.tick = None;
    }
    table.state.phase = phase;
}

pub(super) fn someone_acts(whole: &Table, audience: &Audience<'_>) -> bool {
    missing(whole, &whole.state, audience)
}

/// Whether one who is hidden acts in this state of the table.
fn missing(whole: &Table, state: &State, audience: &Audience<'_>) -> bool {
    match &state.phase {
        Phase::FreeActions { next } => audience.misses(whole, next),
        Phase::FollowUp { actor } | Phase::InTurn { actor } => audience.misses(whole, actor),
        Phase::Tick(tick) => audience.misses(whole, &tick.next),
        Phase::SomeoneActs {} => true,
        Phase::Setup | Phase::Standstill {} => false,
    }
}

/// The phase of a state of the table as it is known.
fn phase(whole: &Table, state: &State, audience: &Audience<'_>) -> Phase {
    match &state.phase {
        _ if missing(whole, state, audience) => Phase::SomeoneActs {},
        // Whoever is hidden shares no tick.
        Phase::Tick(tick) => {
            let seen = next_of(whole, |c| audience.sees(c));
            let seen = seen.filter(|seen| seen.next == tick.next && seen.tick == tick.tick);
            Phase::Tick(Tick { same_tick: seen.map_or(tick.same_tick, |seen| seen.same_tick), ..tick.clone() })
        }
        phase => phase.clone(),
    }
}

pub(super) fn looks_back(event: &Event) -> bool {
    matches!(event, Event::TickReached(_))
}

pub(super) fn redact_event(event: &Event, redaction: &Redaction<'_, Venture>) -> Option<Event> {
    let about = match event {
        Event::StandstillReached(_) => return Some(event.clone()),
        Event::TickReached(_) => {
            let seen = |state| phase(redaction.whole, state, redaction.audience);
            return match seen(&redaction.whole.state) {
                // Nothing of it has changed that is seen.
                phase if phase == redaction.start.state.phase && redaction.before.is_some_and(|b| phase == seen(b)) => {
                    None
                }
                Phase::Tick(tick) => Some(Event::TickReached(TickReached { tick })),
                _ => None,
            };
        }
        Event::Settled(e) if !redaction.knows(&e.loser) => return None,
        Event::Settled(e) => &e.combatant,
        Event::Attacked(e) if !redaction.knows(&e.target) => return None,
        Event::Attacked(e) => &e.combatant,
        Event::Crashed(e) => {
            let by = redaction.name(e.by.as_ref());
            return redaction.knows(&e.combatant).then(|| Event::Crashed(Crashed { by, ..e.clone() }));
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
        Event::TimedChangesSet(e) => &e.combatant,
        Event::Corrected(e) => &e.combatant,
    };
    redaction.knows(about).then(|| event.clone())
}
