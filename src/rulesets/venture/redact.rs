//! What viewers know of a fight under Venture.

use super::react::next_of;
use super::*;
use crate::vocabulary::Redact;

pub(super) fn redact(table: &mut Table, whole: &Table, audience: &Audience<'_>) {
    for combatant in &mut table.combatants {
        if combatant.state.crashed_by.as_ref().is_some_and(|id| !audience.knows(id)) {
            combatant.change().state.crashed_by = None;
        }
    }
    let phase = phase(whole, &whole.state, audience);
    if matches!(phase, Phase::SomeoneActs {} | Phase::Standstill {}) {
        table.state.tick = None;
    }
    table.state.phase = phase;
}

/// Whether a hidden combatant acts in this state of the table.
pub(super) fn someone_acts(whole: &Table, state: &State, audience: &Audience<'_>) -> bool {
    match &state.phase {
        Phase::FreeActions { next } => audience.misses(whole, next),
        Phase::FollowUp { actor } | Phase::InTurn { actor } => audience.misses(whole, actor),
        Phase::Tick(tick) => audience.misses(whole, &tick.next),
        Phase::SomeoneActs {} => true,
        Phase::Setup | Phase::Standstill {} => false,
    }
}

/// The phase of a state of the table as the audience knows it.
fn phase(whole: &Table, state: &State, audience: &Audience<'_>) -> Phase {
    match &state.phase {
        _ if someone_acts(whole, state, audience) => Phase::SomeoneActs {},
        // A hidden combatant shares no tick.
        Phase::Tick(tick) => {
            let seen = next_of(whole, |c| audience.sees(c));
            let seen = seen.filter(|seen| seen.next == tick.next && seen.tick == tick.tick);
            Phase::Tick(Tick { same_tick: seen.map_or(tick.same_tick, |seen| seen.same_tick), ..tick.clone() })
        }
        phase => phase.clone(),
    }
}

pub(super) fn redact_event(event: &Event, redaction: &Redaction<'_, Venture>) -> Option<Event> {
    let Event::TickReached(_) = event else { return event.redact(redaction.audience) };
    let seen = |state| phase(redaction.whole, state, redaction.audience);
    match seen(&redaction.whole.state) {
        // Nothing that the audience sees has changed.
        phase if phase == redaction.start.state.phase && redaction.before.is_some_and(|b| phase == seen(b)) => None,
        Phase::Tick(tick) => Some(TickReached { tick }.into()),
        _ => None,
    }
}
