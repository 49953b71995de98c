//! What a refusal says besides its own sentence.

use super::query::current;
use super::{Encounter, Mode};
use crate::vocabulary::{Violation, require};
use std::fmt::Display;

/// Refuses unless `holds`, with the line of the definition that says so.
pub(super) fn ensure<D: Display>(
    holds: bool,
    code: &'static str,
    rule: &'static str,
    line: &str,
    detail: impl FnOnce() -> D,
) -> Result<(), Violation> {
    require(holds, code, rule, || {
        format!("{} See definition.{line}.", detail())
    })
}

/// What is going on, for a refusal.
pub(super) fn now(encounter: &Encounter) -> String {
    if let Some(id) = current(encounter).next() {
        return format!("It's {id}'s turn.");
    }
    let now = match encounter.state.mode {
        Mode::Declaring => "Combatants declare first.",
        Mode::Rolling => "The roll for this round comes first.",
        Mode::Keeping => "Combatants choose their cards first.",
        Mode::Choosing => "The choice of who acts next comes first.",
        Mode::Gap { .. } => "Combatants react or pass first.",
        Mode::SomeoneActs => "Another combatant acts first.",
        Mode::Setup | Mode::Turn | Mode::Halted => "No combatant can act now.",
    };
    now.to_owned()
}
