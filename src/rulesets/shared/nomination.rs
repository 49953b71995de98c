//! Nomination: the last to act chooses the next combatant. Active Initiative and Seize the
//! initiative play by it.

use crate::vocabulary::{Combatant, CombatantId, Encounter, Ruleset, Violation};

/// Refuses a nomination by any other than the combatant that took the last turn. If that one has
/// left, the game master chooses, without a `chooser`.
pub fn check_chooser(
    last_actor: Option<&CombatantId>,
    chooser: Option<&CombatantId>,
    rule: &'static str,
) -> Result<(), Violation> {
    if chooser == last_actor {
        return Ok(());
    }
    let detail = match last_actor {
        Some(id) => format!(
            "{id} took the last turn and chooses who acts next. Send {id} as \"combatant\"."
        ),
        None => "The game master chooses now. Leave out \"combatant\".".to_owned(),
    };
    Err(Violation::new("not_the_chooser", rule, detail))
}

/// Refuses a combatant that is out of the fight.
pub fn check_in_fight<R: Ruleset>(c: &Combatant<R>, rule: &'static str) -> Result<(), Violation> {
    if c.active() {
        return Ok(());
    }
    let detail = format!(
        "{} can't take a turn while out of the fight. Choose another combatant.",
        c.id
    );
    Err(Violation::new("not_active", rule, detail))
}

/// Refuses the one who took the last turn as the first of the next round, unless no other is in the
/// fight.
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
        "{starter} took the last turn and can't start the round. Choose another combatant."
    );
    Err(Violation::new("nominates_itself", rule, detail))
}
