//! Who may send what: role, command and ownership, decided here and nowhere else.
//!
//! Nothing here reads the encounter. The caller puts in names, as the viewer sees them, so a
//! refusal says nothing about who is there.

use super::{Meta, Refusal, Request, Role, Viewer};
use crate::json::Tagged;
use crate::vocabulary::{
    Actor, AddEffect, AllowedRole, CombatantId, Commands, Ruleset, SharedCommand,
};
use serde_json::{Map, Value};

/// Refuses a request that this viewer may not send, at its first command.
pub(super) fn check<R: Ruleset>(
    viewer: &Viewer,
    meta: &Meta,
    request: &Request,
) -> Result<(), Refusal> {
    if viewer.is_gm() {
        return Ok(());
    }
    for (index, (verb, fields)) in request.commands.iter().enumerate() {
        if let Err(detail) = allow::<R>(viewer, meta, verb, fields) {
            let path = request.path(index);
            return Err(Refusal::Forbidden { path, detail });
        }
    }
    Ok(())
}

/// Whether a player or spectator may send a command; the error says who may.
fn allow<R: Ruleset>(
    viewer: &Viewer,
    meta: &Meta,
    verb: &str,
    fields: &Map<String, Value>,
) -> Result<(), String> {
    if viewer.role != Role::Player {
        return Err(
            "A spectator's token can't send commands. Use a player's or game master's token."
                .to_owned(),
        );
    }
    let mut specs = R::Command::SPECS.iter().chain(SharedCommand::SPECS);
    // An unknown command is refused as such later.
    let Some(spec) = specs.find(|spec| spec.verb == verb) else {
        return Ok(());
    };
    match spec.sender {
        AllowedRole::Gm => Err(of_gm(verb)),
        // The app looks at who sent what is to be undone.
        AllowedRole::Author if meta.player_undo => Ok(()),
        AllowedRole::Author => Err(format!(
            "{} Or create the encounter with player_undo.",
            of_gm(verb)
        )),
        AllowedRole::Source if meta.player_effects => allow_effect(viewer, fields),
        AllowedRole::Source => Err(format!(
            "{} Or create the encounter with player_effects.",
            of_gm(verb)
        )),
        AllowedRole::Player => {
            let command = match R::Command::parse(verb, fields) {
                Some(Ok(command)) => command,
                // What cannot be read is refused for that, by the same reading.
                Some(Err(_)) => return Ok(()),
                None => return Err(of_gm(verb)),
            };
            match R::actor(&command) {
                Actor::Gm => Err(format!(
                    "Only the game master can send this {verb}. Use a token with the role gm."
                )),
                Actor::Of(actors) => owns_all(viewer, verb, &actors),
            }
        }
    }
}

fn of_gm(verb: &str) -> String {
    format!("Only the game master can send {verb}. Use a token with the role gm.")
}

/// Whether a player may add an effect: all see it, and its source is the player's.
fn allow_effect(viewer: &Viewer, fields: &Map<String, Value>) -> Result<(), String> {
    let verb = "add_effect";
    // What cannot be read is refused for that, by the same reading.
    let Some(Ok(SharedCommand::AddEffect(AddEffect { effect }))) =
        SharedCommand::parse(verb, fields)
    else {
        return Ok(());
    };
    if effect.hidden {
        return Err(
            "Only the game master can add hidden effects. Remove effect.hidden.".to_owned(),
        );
    }
    let Some(source) = &effect.source else {
        return Err(
            "A player's effect needs a source. Set effect.source to a combatant of your token."
                .to_owned(),
        );
    };
    owns_all(viewer, verb, &[source])
}

/// Refuses a command in the name of a combatant that is not the player's.
fn owns_all(viewer: &Viewer, verb: &str, actors: &[&CombatantId]) -> Result<(), String> {
    let Some(id) = actors.iter().find(|id| !viewer.owns(id)) else {
        return Ok(());
    };
    let own: Vec<_> = viewer
        .combatants
        .iter()
        .map(|own| own.id.to_string())
        .collect();
    Err(format!(
        "Your token acts for {}, so it can't send {verb} for {id}.",
        own.join(" and ")
    ))
}
