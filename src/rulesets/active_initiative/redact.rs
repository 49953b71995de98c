//! What viewers know of a scene of Active Initiative.

use super::decide::chooser;
use super::*;
use crate::vocabulary::{CachedJson, Redact};

pub(super) fn redact(table: &mut Table, whole: &Table, audience: &Audience<'_>) {
    table.state.interrupt_points = None;
    table.state.turns = table.state.turns.redact(audience).unwrap_or_default();
    table.state.last_actor = table.state.last_actor.redact(audience).flatten();
    if let Phase::Window { by, .. } = &mut table.state.phase {
        *by = by.redact(audience).unwrap_or(Way::Overridden {});
    }
    if someone_acts(whole, audience) {
        table.state.phase = Phase::SomeoneActs;
    }
}

pub(super) fn someone_acts(whole: &Table, audience: &Audience<'_>) -> bool {
    match &whole.state.phase {
        Phase::InTurn { actor } => audience.misses(whole, actor),
        Phase::Window { nominee, .. } => audience.misses(whole, nominee),
        Phase::ChooseNext {} | Phase::ChooseStarter {} => {
            // Only hidden combatants are left to be named.
            let exhausted = || whole.waiting().next().is_some() && !whole.waiting().any(|c| audience.sees(c));
            chooser(whole).is_some_and(|id| audience.misses(whole, &id)) || exhausted()
        }
        Phase::SomeoneActs => true,
        Phase::Setup | Phase::Over => false,
    }
}

impl Redact for CachedJson<Taken> {
    fn redact(&self, audience: &Audience<'_>) -> Option<Self> {
        let redacted = Taken::redact(self, audience)?;
        Some(if redacted == **self { self.clone() } else { redacted.into() })
    }
}

impl Redact for Way {
    fn redact(&self, audience: &Audience<'_>) -> Option<Self> {
        Some(match self {
            Self::Named { by } => Self::Named { by: by.redact(audience)? },
            Self::Rolled { die, total, tied } => {
                Self::Rolled { die: *die, total: *total, tied: tied.redact(audience)? }
            }
            by => by.clone(),
        })
    }
}

/// The game master's points, and advice on how many monsters there are.
pub(super) fn is_secret(event: &Event) -> bool {
    matches!(event, Event::Advised(_) | Event::InterruptPointsGained(_) | Event::SceneClosed(_))
}

pub(super) fn redact_event(event: &Event, redaction: &Redaction<'_, ActiveInitiative>) -> Option<Event> {
    match event {
        event if is_secret(event) => None,
        Event::ChoiceOpened(_) if redaction.someone_acts => None,
        event => event.redact(redaction.audience),
    }
}
