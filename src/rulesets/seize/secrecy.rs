//! What viewers of Seize the initiative know who do not see all combatants.

use super::decide::barred;
use super::{Encounter, Event, Phase, Seize, Seized, Tie, Way};
use crate::vocabulary::{Audience, CombatantId, EventRedaction, Redact, Secrecy, ids};

impl Secrecy<Self> for Seize {
    fn choosable(encounter: &Encounter) -> Vec<CombatantId> {
        match encounter.state.phase {
            Phase::Nominate {} | Phase::NominateFirst {} => {
                ids(encounter.waiting().filter(|c| !barred(encounter, c)))
            }
            _ => Vec::new(),
        }
    }

    fn redact(encounter: &mut Encounter, whole: &Encounter, audience: &Audience<'_>) {
        let state = &mut encounter.state;
        // Windows of hidden combatants would be counted with the others.
        state.windows = 0;
        for seizer in &mut state.queue {
            seizer.window = 0;
        }
        if whole.someone_acts(audience) {
            state.phase = Phase::SomeoneActs;
        }
    }

    fn redact_event(event: &Event, redaction: &EventRedaction<'_, Self>) -> Option<Event> {
        let redacted = match event {
            Event::ChoiceOpened(_) if redaction.someone_acts => return None,
            event => event.redact(redaction.audience)?,
        };
        match redacted {
            // A roll-off takes two.
            Event::RolledOff(e) if e.ranking.len() < 2 => None,
            Event::Seized(e) => Some(redact_place(e, redaction)?.into()),
            redacted => Some(redacted),
        }
    }
}

/// Counts only the seizers that the audience knows.
fn redact_place(e: Seized, redaction: &EventRedaction<'_, Seize>) -> Option<Seized> {
    let mut ahead = 0;
    for seizer in &redaction.whole.state.queue {
        if seizer.combatant == e.combatant {
            return Some(Seized { ahead, ..e });
        }
        if redaction.audience.knows(&seizer.combatant) {
            ahead += 1;
        }
    }
    None
}

/// Someone acts, if the audience does not know whose turn it is.
impl Redact for Phase {
    fn redact(&self, audience: &Audience<'_>) -> Option<Self> {
        match self {
            Self::InTurn { actor } if !audience.knows(actor) => Some(Self::SomeoneActs),
            phase => Some(phase.clone()),
        }
    }
}

/// Without the roll-off, if all who rolled off with it are hidden.
impl Redact for Way {
    fn redact(&self, audience: &Audience<'_>) -> Option<Self> {
        let mut known = self.clone();
        match &mut known {
            Self::Nominated { nominated_by } => *nominated_by = nominated_by.redact(audience)?,
            Self::Seized { tied, .. } => *tied = tied.redact(audience)?,
            Self::Rolled { dice, equals, .. } => {
                *equals = equals.redact(audience)?;
                dice.truncate(if equals.iter().any(|equal| equal.tie != Tie::Bonus) {
                    2
                } else {
                    1
                });
            }
            Self::Overridden {} => {}
        }
        Some(known)
    }
}
