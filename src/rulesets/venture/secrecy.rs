//! What viewers of Venture know who do not see all combatants.

use super::{CombatantState, Encounter, Event, Phase, Venture};
use crate::vocabulary::{Audience, CombatantId, Redact, Redaction, Secrecy};

impl Secrecy<Self> for Venture {
    /// Without those who may return or join the battle.
    fn awaited(encounter: &Encounter) -> Vec<CombatantId> {
        encounter
            .state
            .phase
            .awaited()
            .into_iter()
            .cloned()
            .collect()
    }

    fn redact(encounter: &mut Encounter, _whole: &Encounter, audience: &Audience<'_>) {
        let unknown =
            |s: &CombatantState| s.crashed_by.as_ref().is_some_and(|id| !audience.knows(id));
        encounter.change_states(unknown, |s| s.crashed_by = None);
        let state = &mut encounter.state;
        if matches!(state.phase, Phase::SomeoneActs {} | Phase::Standstill {}) {
            state.tick = None;
        }
    }

    fn redact_event(event: &Event, redaction: &Redaction<'_, Self>) -> Option<Event> {
        if redaction.someone_acts && matches!(event, Event::TickReached(_)) {
            return None;
        }
        event.redact(redaction.audience)
    }
}

/// Someone acts, if the audience does not know who is awaited.
impl Redact for Phase {
    fn redact(&self, audience: &Audience<'_>) -> Option<Self> {
        match self.awaited() {
            Some(id) if !audience.knows(id) => Some(Self::SomeoneActs {}),
            _ => Some(self.clone()),
        }
    }
}
