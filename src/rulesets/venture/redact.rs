//! What viewers know of a fight under Venture.

use super::react::next_tick;
use super::*;
use crate::vocabulary::Redact;

pub(super) fn redact(table: &mut Table, whole: &Table, audience: &Audience<'_>) {
    let unknown = |s: &CombatantState| s.crashed_by.as_ref().is_some_and(|id| !audience.knows(id));
    table.change_states(unknown, |s| s.crashed_by = None);
    let phase = seen(whole, &whole.state.phase, audience);
    if matches!(phase, Phase::SomeoneActs {} | Phase::Standstill {}) {
        table.state.tick = None;
    }
    table.state.phase = phase;
}

/// Whether a hidden combatant acts in this phase.
pub(super) fn someone_acts(whole: &Table, phase: &Phase, audience: &Audience<'_>) -> bool {
    matches!(phase, Phase::SomeoneActs {}) || phase.awaited().is_some_and(|id| audience.misses(whole, id))
}

/// The phase as the audience knows it.
fn seen(whole: &Table, phase: &Phase, audience: &Audience<'_>) -> Phase {
    match phase {
        phase if someone_acts(whole, phase, audience) => Phase::SomeoneActs {},
        // A hidden combatant shares no tick.
        Phase::Tick(tick) => {
            let known = next_tick(whole, |c| audience.sees(c));
            let known = known.filter(|known| known.next == tick.next && known.tick == tick.tick);
            Phase::Tick(Tick { same_tick: known.map_or(tick.same_tick, |known| known.same_tick), ..tick.clone() })
        }
        phase => phase.clone(),
    }
}

pub(super) fn redact_event(event: &Event, redaction: &Redaction<'_, Venture>) -> Option<Event> {
    let Event::TickReached(_) = event else { return event.redact(redaction.audience) };
    let seen = |state: &State| seen(redaction.whole, &state.phase, redaction.audience);
    match seen(&redaction.whole.state) {
        // Nothing that the audience sees has changed.
        phase if phase == redaction.start.state.phase && redaction.before.is_some_and(|b| phase == seen(b)) => None,
        Phase::Tick(tick) => Some(TickReached { tick }.into()),
        _ => None,
    }
}
