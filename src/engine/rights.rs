//! Who may send what: role, command and ownership, decided here and nowhere else.
//!
//! Nothing here looks at the table: a refusal tells nothing about who is there. Whether the rules allow it now is another matter.

use super::{Refusal, Request, Role, Viewer};
use crate::vocabulary::{
    Actor, AllowedRole, CombatantId, CommandSpec, Ruleset, SHARED_COMMANDS, SharedCommand, Tagged,
};
use serde_json::{Map, Value};

/// Refuses a request that this viewer may not send, at its first command.
pub(super) fn check<R: Ruleset>(viewer: &Viewer, player_undo: bool, request: &Request) -> Result<(), Refusal> {
    if viewer.is_gm() {
        return Ok(());
    }
    for (index, (verb, fields)) in request.commands.iter().enumerate() {
        let denied = |detail| Refusal::Forbidden { path: request.path(index), detail };
        allow::<R>(viewer, player_undo, verb, fields).map_err(denied)?;
    }
    Ok(())
}

/// Whether somebody who is no game master may send a command; an error tells who may.
fn allow<R: Ruleset>(
    viewer: &Viewer, player_undo: bool, verb: &str, fields: &Map<String, Value>,
) -> Result<(), String> {
    if viewer.role != Role::Player {
        return Err("a spectator's token sends no commands: players send those of their combatants".to_owned());
    }
    let gm = || format!("{verb} is the game master's: send it with a token whose role is gm");
    let verbs = [R::Command::TAGS, SharedCommand::TAGS];
    // What is no command at all gets a refusal of its own.
    let Some(sender) = sender(verb, &[R::MANIFEST.commands, SHARED_COMMANDS], &verbs) else { return Ok(()) };
    match sender {
        AllowedRole::Gm => Err(gm()),
        // The app looks at who sent what is to be undone.
        AllowedRole::Author if player_undo => Ok(()),
        AllowedRole::Author => Err(format!("{}, for this encounter was created without player_undo", gm())),
        AllowedRole::Player => {
            let command = match R::Command::parse(verb, fields) {
                Some(Ok(command)) => command,
                // What cannot be read is refused for that, by the same reading.
                Some(Err(_)) => return Ok(()),
                None => return Err(gm()),
            };
            match R::sender(&command) {
                Actor::Gm => Err(format!("this {verb} is the game master's: send it with a token whose role is gm")),
                Actor::Of(actors) => match actors.iter().find(|id| !viewer.owns(id)) {
                    Some(id) => Err(format!("this {verb} is {id}'s, and this token acts for {} only", own(viewer))),
                    None => Ok(()),
                },
            }
        }
    }
}

/// Whose a command is: a verb that no table lists is the game master's, one that nothing can read is nobody's.
fn sender(verb: &str, tables: &[&[CommandSpec]], verbs: &[&[&str]]) -> Option<AllowedRole> {
    let listed = tables.iter().copied().flatten().find(|spec| spec.verb == verb);
    let unlisted = verbs.iter().any(|verbs| verbs.contains(&verb)).then_some(AllowedRole::Gm);
    listed.map(|spec| spec.sender).or(unlisted)
}

/// The combatants of a player, in words.
fn own(viewer: &Viewer) -> String {
    let ids: Vec<&str> = viewer.combatants.iter().map(CombatantId::as_str).collect();
    ids.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_no_table_lists_is_the_game_masters() {
        let own = [CommandSpec::player("end_turn", "Ends a turn."), CommandSpec::gm("start", "Starts.")];
        let whose = |verb| sender(verb, &[&own, SHARED_COMMANDS], &[&["start", "end_turn", "forgotten"], &["undo"]]);
        assert_eq!(whose("end_turn"), Some(AllowedRole::Player));
        assert_eq!(whose("start"), Some(AllowedRole::Gm));
        assert_eq!(whose("undo"), Some(AllowedRole::Author));
        assert_eq!(whose("forgotten"), Some(AllowedRole::Gm), "it can be read, and nobody said whose it is");
        assert_eq!(whose("no command"), None, "that is refused as no command");
    }
}
