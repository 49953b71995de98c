//! Who may send what: role, command and ownership, decided here and nowhere else.
//!
//! Nothing here reads the table. The caller puts in names, as the viewer sees them, so a refusal says nothing about who is there.

use super::{Refusal, Request, Role, Viewer};
use crate::vocabulary::{Actor, AllowedRole, CombatantId, Commands, Ruleset, SharedCommand, Tagged};
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

/// Whether a player or spectator may send a command; the error says who may.
fn allow<R: Ruleset>(
    viewer: &Viewer, player_undo: bool, verb: &str, fields: &Map<String, Value>,
) -> Result<(), String> {
    if viewer.role != Role::Player {
        return Err("a spectator's token sends no commands: players send those of their combatants".to_owned());
    }
    let gm = || format!("{verb} is the game master's: send it with a token whose role is gm");
    let mut specs = R::Command::SPECS.iter().chain(SharedCommand::SPECS);
    // An unknown command is refused as such later.
    let Some(spec) = specs.find(|spec| spec.verb == verb) else { return Ok(()) };
    match spec.sender {
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
            match R::actor(&command) {
                Actor::Gm => Err(format!("this {verb} is the game master's: send it with a token whose role is gm")),
                Actor::Of(actors) => match actors.iter().find(|id| !viewer.owns(id)) {
                    Some(id) => {
                        let own: Vec<_> = viewer.combatants.iter().map(CombatantId::to_string).collect();
                        Err(format!(
                            "this {verb} is {id}'s, and this token acts for {} only: send the id of one of its own",
                            own.join(", ")
                        ))
                    }
                    None => Ok(()),
                },
            }
        }
    }
}
