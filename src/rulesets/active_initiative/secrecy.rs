//! What viewers of Active Initiative know who do not see all combatants.

use super::{ActiveInitiative, CombatantState, Encounter, Event, Phase, State, Way};
use crate::vocabulary::{
    Audience, CombatantId, EventRedaction, KnownCombatants, Redact, Secrecy, ids,
};

impl Secrecy<Self> for ActiveInitiative {
    /// Without those who may interrupt.
    fn awaited(encounter: &Encounter) -> Vec<CombatantId> {
        match &encounter.state.phase {
            Phase::InTurn { actor: id } | Phase::Window { nominee: id, .. } => vec![id.clone()],
            Phase::Nominate {} | Phase::NominateFirst {} => {
                encounter.state.last_actor.iter().cloned().collect()
            }
            Phase::Setup | Phase::Over | Phase::SomeoneActs => Vec::new(),
        }
    }

    fn choosable(encounter: &Encounter) -> Vec<CombatantId> {
        match encounter.state.phase {
            Phase::Nominate {} | Phase::NominateFirst {} => ids(encounter.waiting()),
            _ => Vec::new(),
        }
    }

    fn known_state(whole: &Encounter, audience: &Audience<'_>) -> State {
        let State {
            phase,
            last_actor,
            interrupt_points: _,
            interrupt_point_used,
            begun,
            turns,
        } = &whole.state;
        State {
            phase: if whole.someone_acts(audience) {
                Phase::SomeoneActs
            } else {
                audience.known(phase)
            },
            last_actor: audience.known(last_actor),
            interrupt_points: None,
            interrupt_point_used: *interrupt_point_used,
            begun: *begun,
            turns: audience.known(turns),
        }
    }

    fn known_combatants<'t>(
        _whole: &'t Encounter,
        _audience: &'t Audience<'t>,
    ) -> KnownCombatants<'t, Self> {
        Box::new(|c| {
            let CombatantState {
                own_die,
                hurt,
                interrupted,
                passed,
                readied,
            } = &c.state;
            CombatantState {
                own_die: *own_die,
                hurt: *hurt,
                interrupted: *interrupted,
                passed: *passed,
                readied: readied.clone(),
            }
        })
    }

    fn redact_event(event: &Event, redaction: &EventRedaction<'_, Self>) -> Option<Event> {
        if Self::is_secret(event) {
            return None;
        }
        if redaction.someone_acts && matches!(event, Event::ChoiceOpened(_)) {
            return None;
        }
        match event.redact(redaction.audience)? {
            // A roll-off takes two.
            Event::RolledOff(e) if e.ranking.len() < 2 => None,
            event => Some(event),
        }
    }

    /// The game master's points, and advice on how many monsters there are.
    fn is_secret(event: &Event) -> bool {
        matches!(
            event,
            Event::Advised(_) | Event::InterruptPointsGained(_) | Event::InterruptPointsLost(_)
        )
    }
}

/// Someone acts, if the audience does not know whose turn it is.
impl Redact for Phase {
    fn redact(&self, audience: &Audience<'_>) -> Option<Self> {
        let mut known = self.clone();
        match &mut known {
            Self::InTurn { actor: id } | Self::Window { nominee: id, .. }
                if !audience.knows(id) =>
            {
                return Some(Self::SomeoneActs);
            }
            Self::Window { way, .. } => *way = way.redact(audience)?,
            _ => {}
        }
        Some(known)
    }
}

/// Without the roll-off, if all who rolled off with it are hidden.
impl Redact for Way {
    fn redact(&self, audience: &Audience<'_>) -> Option<Self> {
        let mut known = self.clone();
        match &mut known {
            Self::Nominated { nominated_by } => *nominated_by = nominated_by.redact(audience)?,
            Self::Rolled {
                tied,
                roll_off,
                rolled_off,
                ..
            } => {
                *tied = tied.redact(audience)?;
                *rolled_off = rolled_off.redact(audience)?;
                roll_off.take_if(|_| rolled_off.is_empty());
            }
            Self::Opened {} | Self::Interrupted { .. } | Self::Overridden {} => {}
        }
        Some(known)
    }
}
