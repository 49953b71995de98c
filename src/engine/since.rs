//! Since when a decision is awaited: the clock of a table.

use super::view::pending;
use crate::vocabulary::{
    CombatantId, Encounter, Event, OwnCombatant, Pending, Ruleset, SharedEvent, Time,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// When the turn, or the decision that is awaited, became another one. A viewer who does not see all
/// of the fight must not learn when something changed that it does not see, so there are two times.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Since {
    /// By the changes that all viewers see.
    #[schema(value_type = Option<String>, format = DateTime)]
    everybody: Option<Time>,
    /// By all changes.
    #[schema(value_type = Option<String>, format = DateTime)]
    gm: Option<Time>,
}

impl Since {
    /// Both at `at`.
    pub(super) fn new(at: Time) -> Self {
        Self {
            everybody: Some(at),
            gm: Some(at),
        }
    }

    /// The time by all that there is.
    pub(super) fn time(&self) -> Option<Time> {
        self.gm
    }

    /// What the owner of these combatants may know of it: nothing if it sees more than everybody.
    pub(super) fn seen_by<R: Ruleset>(
        self,
        encounter: &Encounter<R>,
        own: &[OwnCombatant],
    ) -> Self {
        let sees_more = encounter
            .iter()
            .any(|c| c.hidden && own.contains(&OwnCombatant::of(c)));
        if sees_more {
            return Self::default();
        }
        Self {
            gm: self.everybody,
            ..self
        }
    }

    /// It after events at `at` that made `after` of `before`.
    pub(super) fn after<R: Ruleset>(
        self,
        before: &Encounter<R>,
        events: &[Event<R>],
        after: &Encounter<R>,
        at: Time,
    ) -> Self {
        let moved = has_moved(before, events, after, |_| true);
        let seen_to_move = if before.hides_nothing() && after.hides_nothing() {
            moved
        } else {
            let sees = |id: &CombatantId| {
                let mut found = [before, after]
                    .into_iter()
                    .filter_map(|e| e.get(id))
                    .peekable();
                found.peek().is_some() && found.all(|c| !c.hidden)
            };
            has_moved(&before.redacted(&[]), events, &after.redacted(&[]), sees)
        };
        let at = Some(at);
        Self {
            everybody: if seen_to_move { at } else { self.everybody },
            gm: if moved { at } else { self.gm },
        }
    }
}

/// Whether the turn of a combatant that a viewer sees has started, or something else is awaited.
fn has_moved<R: Ruleset>(
    before: &Encounter<R>,
    events: &[Event<R>],
    after: &Encounter<R>,
    sees: impl Fn(&CombatantId) -> bool,
) -> bool {
    let has_started = events.iter().any(|event| match event {
        Event::Shared(SharedEvent::TurnStarted(e)) => sees(&e.combatant),
        _ => false,
    });
    has_started
        || R::current(before) != R::current(after)
        || is_another(pending(before), pending(after))
}

/// Whether a decision is another one. One that fewer or more combatants may make is the same.
fn is_another(before: Option<Pending>, after: Option<Pending>) -> bool {
    let (Some(before), Some(after)) = (&before, &after) else {
        return before.is_some() != after.is_some();
    };
    let is_same = before.decision == after.decision
        && before.slot == after.slot
        && before.team == after.team
        && (before.combatants == after.combatants
            || before
                .combatants
                .iter()
                .any(|id| after.combatants.contains(id)));
    !is_same
}
