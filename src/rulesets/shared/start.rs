//! The start of a fight.

use crate::vocabulary::{EncounterStarted, Play, Ruleset, Status, Violation, require};

/// Refuses the start of a fight that has started, and everything else before it; `rule` says when it starts.
pub fn check_started<R: Ruleset>(play: &Play<'_, R>, starts: bool, rule: &'static str) -> Result<(), Violation> {
    if !starts {
        return play.running(rule);
    }
    require(play.table().status == Status::Setup, "already_started", rule, || "the encounter has started already")
}

/// Starts the fight, unless it has started. Refused where nobody is in it.
pub fn start_encounter<R: Ruleset>(play: &mut Play<'_, R>, rule: &'static str) -> Result<(), Violation> {
    let detail = "nobody is here to act: add a combatant first";
    require(play.table().active().next().is_some(), "nobody_to_act", rule, || detail)?;
    if play.table().status == Status::Setup {
        play.shared(EncounterStarted {});
    }
    Ok(())
}
