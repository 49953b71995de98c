//! What viewers of Venture know who do not see all combatants.

use super::{CombatantState, Encounter, Event, Phase, Venture};
use crate::vocabulary::{Audience, CombatantId, EventRedaction, Redact, Secrecy};

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

    /// The engine has redacted the phase. What is left is the combatant that forced another one into
    /// Crash, and the tick, which would be that of a hidden combatant while it acts or after it was
    /// the last to act.
    fn redact(encounter: &mut Encounter, _whole: &Encounter, audience: &Audience<'_>) {
        let unknown =
            |s: &CombatantState| s.crashed_by.as_ref().is_some_and(|id| !audience.knows(id));
        encounter.change_states(unknown, |s| s.crashed_by = None);
        let state = &mut encounter.state;
        if matches!(state.phase, Phase::SomeoneActs {} | Phase::Standstill {}) {
            state.tick = None;
        }
    }

    /// A tick that names a known combatant is dropped too if a hidden one is awaited after it: the
    /// state shows no tick then.
    fn redact_event(event: &Event, redaction: &EventRedaction<'_, Self>) -> Option<Event> {
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
