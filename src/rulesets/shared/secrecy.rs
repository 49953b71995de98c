//! The order in which rules take combatants, so that hidden ones do not show.

use crate::json::FieldError;
use crate::vocabulary::{Combatant, Ruleset, SeenBy};

/// These combatants, those that all viewers see before hidden ones. What follows from the first of
/// them does not show a hidden one.
pub fn seen_first<'t, R: Ruleset>(
    combatants: impl Iterator<Item = &'t Combatant<R>>,
) -> Vec<&'t Combatant<R>> {
    let mut sorted: Vec<_> = combatants.collect();
    sorted.sort_by_key(|c| c.hidden);
    sorted
}

/// Those of these combatants that all viewers see; all of them if they are all hidden. Beside one
/// that is seen, a hidden one would show.
pub fn seen_if_any<R: Ruleset>(mut combatants: Vec<&Combatant<R>>) -> Vec<&Combatant<R>> {
    if combatants.iter().any(|c| !c.hidden) {
        combatants.retain(|c| !c.hidden);
    }
    combatants
}

/// Refuses readers of a level that each roll shows.
pub fn level_is_public<R: Ruleset>(c: &Combatant<R>) -> Result<(), FieldError> {
    if c.level_seen_by.is_none_or(|readers| readers == SeenBy::All) {
        return Ok(());
    }
    let message = "The rolls of this ruleset show the level. Leave this out, or send \"all\".";
    Err(FieldError::meaningless("level_seen_by", message))
}
