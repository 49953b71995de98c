//! What viewers of Seize the initiative know who do not see all combatants.

use super::decide::barred;
use super::{CombatantState, Encounter, Event, Phase, Seize, Seized, Seizer, State, Way};
use crate::vocabulary::{
    Audience, CombatantId, EventRedaction, KnownCombatants, Redact, Secrecy, ids,
};

impl Secrecy<Self> for Seize {
    fn choosable(encounter: &Encounter) -> Vec<CombatantId> {
        match encounter.state.phase {
            Phase::Nominate {} | Phase::NominateFirst {} => {
                ids(encounter.waiting().filter(|c| !barred(encounter, c)))
            }
            _ => Vec::new(),
        }
    }

    fn known_state(whole: &Encounter, audience: &Audience<'_>) -> State {
        let State {
            phase,
            last_actor,
            queue,
            turns,
            windows: _,
        } = &whole.state;
        State {
            phase: if whole.someone_acts(audience) {
                Phase::SomeoneActs
            } else {
                audience.known(phase)
            },
            last_actor: audience.known(last_actor),
            queue: known_queue(queue, audience),
            turns: audience.known(turns),
            // Windows of hidden combatants would be counted with the others.
            windows: 0,
        }
    }

    fn known_combatants<'t>(
        _whole: &'t Encounter,
        _audience: &'t Audience<'t>,
    ) -> KnownCombatants<'t, Self> {
        Box::new(|c| {
            let CombatantState {
                own_die,
                skips_round_1,
                extra_action,
                hurt,
            } = &c.state;
            CombatantState {
                own_die: *own_die,
                skips_round_1: *skips_round_1,
                extra_action: *extra_action,
                hurt: *hurt,
            }
        })
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

/// The seizers that the audience knows, without their windows, which are counted with others.
fn known_queue(queue: &[Seizer], audience: &Audience<'_>) -> Vec<Seizer> {
    let mut known = Vec::with_capacity(queue.len());
    for seizer in queue {
        let Seizer {
            combatant,
            bonus,
            window: _,
            tied,
        } = seizer;
        if audience.knows(combatant) {
            known.push(Seizer {
                combatant: combatant.clone(),
                bonus: *bonus,
                window: 0,
                tied: audience.known(tied),
            });
        }
    }
    known
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
            Self::Rolled {
                dice,
                bonus,
                equals,
                ..
            } => {
                *equals = equals.redact(audience)?;
                dice.truncate(if equals.iter().any(|equal| equal.bonus == *bonus) {
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
