//! What an event has whose consequences are the rules' to say.

use super::{Custom, Encounter};
use crate::vocabulary::Fold;

/// An event from which something follows by the rules.
pub(super) trait ByRule {
    /// Does to the encounter what follows.
    fn follow(&self, encounter: &mut Encounter);

    /// Assigns the event's own fields; the other consequences stand in [`Changed`](super::Changed).
    fn apply(&self, _fold: &mut Fold<'_, Custom>) {}
}
