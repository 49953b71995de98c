//! What viewers of Venture know who do not see all combatants.

use super::{CombatantState, Encounter, Event, Phase, State, Venture};
use crate::vocabulary::{Audience, CombatantId, EventRedaction, KnownCombatants, Redact, Secrecy};

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

    /// The tick would be that of a hidden combatant while it acts, or after it was the last to act.
    fn known_state(whole: &Encounter, audience: &Audience<'_>) -> State {
        let State { phase, tick } = &whole.state;
        let phase = audience.known(phase);
        let shows_tick = !matches!(phase, Phase::SomeoneActs {} | Phase::Standstill {});
        State {
            phase,
            tick: tick.filter(|_| shows_tick),
        }
    }

    fn known_combatants<'t>(
        _whole: &'t Encounter,
        audience: &'t Audience<'t>,
    ) -> KnownCombatants<'t, Self> {
        Box::new(|c| {
            let CombatantState {
                initiative,
                join_battle,
                free_action,
                crashed,
                crashed_by,
                recovery_tokens,
                onslaught,
                delaying,
                actions_taken,
                flurrying,
                attacked,
                moved,
                follow_up,
                start_effects,
                timed_changes,
            } = &c.state;
            CombatantState {
                initiative: *initiative,
                join_battle: join_battle.clone(),
                free_action: *free_action,
                crashed: *crashed,
                crashed_by: audience.known(crashed_by),
                recovery_tokens: *recovery_tokens,
                onslaught: *onslaught,
                delaying: *delaying,
                actions_taken: *actions_taken,
                flurrying: *flurrying,
                attacked: *attacked,
                moved: *moved,
                follow_up: *follow_up,
                start_effects: start_effects.clone(),
                timed_changes: timed_changes.clone(),
            }
        })
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
