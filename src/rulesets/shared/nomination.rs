//! Nomination: whoever took the last turn names the next combatant. Active Initiative and Seize the
//! initiative play by it.

use crate::vocabulary::{Combatant, CombatantId, Encounter, Ruleset, Violation};

/// Refuses a nomination by anybody but the one who took the last turn. If that one has left, the
/// game master names, without a `chooser`.
pub fn check_chooser(
    last_actor: Option<&CombatantId>,
    chooser: Option<&CombatantId>,
    rule: &'static str,
) -> Result<(), Violation> {
    if chooser == last_actor {
        return Ok(());
    }
    let detail = match last_actor {
        Some(id) => format!("the choice is {id}'s, who took the last turn: set `combatant` to it"),
        None => "the choice is the game master's: leave `combatant` out".to_owned(),
    };
    Err(Violation::new("not_the_chooser", rule, detail))
}

/// Refuses a combatant that is out of the fight.
pub fn check_in_fight<R: Ruleset>(c: &Combatant<R>, rule: &'static str) -> Result<(), Violation> {
    if c.active() {
        return Ok(());
    }
    let detail = format!("{} is out of the fight and takes no turn", c.id);
    Err(Violation::new("not_active", rule, detail))
}

/// Refuses the one who took the last turn as the first of the next round, unless nobody else is in
/// the fight.
pub fn check_starter<R: Ruleset>(
    encounter: &Encounter<R>,
    last_actor: Option<&CombatantId>,
    starter: &CombatantId,
    rule: &'static str,
) -> Result<(), Violation> {
    if last_actor != Some(starter) || encounter.active().all(|c| c.id == *starter) {
        return Ok(());
    }
    let detail = format!(
        "{starter} took the last turn and cannot start the round while there is anybody else"
    );
    Err(Violation::new("names_itself", rule, detail))
}
