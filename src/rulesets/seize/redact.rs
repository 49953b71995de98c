//! What viewers know of a fight under Seize the initiative.

use super::decide::{barred, chooser, may_seize};
use super::*;
use crate::vocabulary::Redact;

pub(super) fn redact(table: &mut Table, whole: &Table, audience: &Audience<'_>) {
    let state = &mut table.state;
    state.queue = state.queue.redact(audience).unwrap_or_default();
    state.turns = state.turns.redact(audience).unwrap_or_default();
    state.last_actor = state.last_actor.redact(audience).flatten();
    // Windows of hidden combatants would be counted with the others.
    state.windows = 0;
    for seizer in &mut state.queue {
        seizer.window = 0;
    }
    if someone_acts(whole, audience) {
        state.phase = Phase::SomeoneActs;
    }
}

pub(super) fn someone_acts(whole: &Table, audience: &Audience<'_>) -> bool {
    // Only hidden combatants are left.
    let exhausted = |open: &dyn Fn(&Combatant<Seize>) -> bool| {
        whole.iter().any(open) && !whole.iter().filter(|c| audience.sees(c)).any(open)
    };
    match &whole.state.phase {
        Phase::InTurn { actor } => audience.misses(whole, actor),
        Phase::SeizeDecision {} => exhausted(&|c| may_seize(whole, c)),
        Phase::ChooseNext {} | Phase::ChooseStarter {} => {
            chooser(whole).is_some_and(|id| audience.misses(whole, &id))
                || exhausted(&|c| c.active() && !c.acted && !barred(whole, c))
        }
        Phase::SomeoneActs => true,
        Phase::Setup | Phase::Over => false,
    }
}

/// A roll-off with hidden combatants alone did not take place.
impl Redact for Way {
    fn redact(&self, audience: &Audience<'_>) -> Option<Self> {
        Some(match self {
            Self::Picked { by } => Self::Picked { by: by.redact(audience)? },
            Self::Seized { bonus, tied } => Self::Seized { bonus: *bonus, tied: tied.redact(audience)? },
            Self::Rolled { dice, bonus, total, meaning, equals } => {
                let equals = equals.redact(audience)?;
                let rolled_off = equals.iter().any(|equal| equal.tie != Tie::Bonus);
                let dice = dice.iter().take(if rolled_off { 2 } else { 1 }).copied().collect();
                Self::Rolled { dice, bonus: *bonus, total: *total, meaning: *meaning, equals }
            }
            by => by.clone(),
        })
    }
}

pub(super) fn redact_event(event: &Event, redaction: &Redaction<'_, Seize>) -> Option<Event> {
    let redacted = match event {
        Event::ChoiceOpened(_) if redaction.someone_acts => return None,
        event => event.redact(redaction.audience)?,
    };
    match redacted {
        // Nobody rolls off alone.
        Event::RolledOff(e) if e.rolls.len() < 2 => None,
        Event::SeizingOpened(e) if e.eligible.is_empty() => None,
        Event::Seized(e) => {
            let mut known = redaction.whole.state.queue.iter().filter(|s| redaction.audience.knows(&s.combatant));
            let after = known.position(|seizer| seizer.combatant == e.combatant)?;
            Some(Seized { after: u32::try_from(after).unwrap_or(u32::MAX), ..e }.into())
        }
        redacted => Some(redacted),
    }
}
