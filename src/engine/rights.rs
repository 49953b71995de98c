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
use std::fmt::{self, Display};

/// Why a player or spectator may not send a command. Its text may name every combatant of the
/// viewer, so only a refusal that is answered writes it.
enum Barrier<'a> {
    /// Spectators only read.
    Spectator,
    /// The game master alone sends commands of this type.
    OfGm(&'a str),
    /// The game master alone sends this command, and players others of its type.
    ThisOfGm(&'a str),
    /// The encounter was created without what lets players send commands of this type.
    Unset(&'a str, &'static str),
    /// An effect that not all would see.
    HiddenEffect,
    /// An effect that happens by itself.
    AutomaticEffect,
    /// An effect of no combatant.
    EffectWithoutSource,
    /// A command in the name of a combatant that is not the viewer's.
    Foreign(&'a Viewer, &'a str, CombatantId),
}

impl Display for Barrier<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Spectator => f.write_str(
                "A spectator's token can't send commands. Use a player's or game master's token.",
            ),
            Self::OfGm(verb) => {
                write!(
                    f,
                    "Only the game master can send {verb}. Use a token with the role gm."
                )
            }
            Self::ThisOfGm(verb) => write!(
                f,
                "Only the game master can send this {verb}. Use a token with the role gm."
            ),
            Self::Unset(verb, setting) => {
                write!(
                    f,
                    "{} Or create the encounter with {setting}.",
                    Self::OfGm(verb)
                )
            }
            Self::HiddenEffect => {
                f.write_str("Only the game master can add hidden effects. Remove effect.hidden.")
            }
            Self::AutomaticEffect => f.write_str(
                "Only the game master can add effects that apply by themselves. Remove \
                 effect.reminder.automatic.",
            ),
            Self::EffectWithoutSource => f.write_str(
                "A player's effect needs a source. Set effect.source to a combatant of your token.",
            ),
            Self::Foreign(viewer, verb, id) => {
                let own: Vec<String> = viewer
                    .combatants
                    .iter()
                    .map(|own| own.id.to_string())
                    .collect();
                write!(
                    f,
                    "Your token acts for {}, so it can't send {verb} for {id}.",
                    own.join(" and ")
                )
            }
        }
    }
}

/// Refuses a request that this viewer may not send, at its first command.
pub(super) fn check<R: Ruleset>(
    viewer: &Viewer,
    meta: &Meta,
    request: &Request,
) -> Result<(), Refusal> {
    match first_barrier::<R>(viewer, meta, request) {
        None => Ok(()),
        Some((index, barrier)) => Err(Refusal::Forbidden {
            path: request.path(index),
            detail: barrier.to_string(),
        }),
    }
}

/// True if this viewer may send all commands of a request.
pub(super) fn may_send<R: Ruleset>(viewer: &Viewer, meta: &Meta, request: &Request) -> bool {
    first_barrier::<R>(viewer, meta, request).is_none()
}

/// The place of the first command that this viewer may not send, and why.
fn first_barrier<'a, R: Ruleset>(
    viewer: &'a Viewer,
    meta: &Meta,
    request: &'a Request,
) -> Option<(usize, Barrier<'a>)> {
    if viewer.is_gm() {
        return None;
    }
    for (index, (verb, fields)) in request.commands.iter().enumerate() {
        if let Err(barrier) = allow::<R>(viewer, meta, verb, fields) {
            return Some((index, barrier));
        }
    }
    None
}

/// Refuses a command that this player or spectator may not send.
fn allow<'a, R: Ruleset>(
    viewer: &'a Viewer,
    meta: &Meta,
    verb: &'a str,
    fields: &Map<String, Value>,
) -> Result<(), Barrier<'a>> {
    if viewer.role != Role::Player {
        return Err(Barrier::Spectator);
    }
    let mut specs = R::Command::SPECS.iter().chain(SharedCommand::SPECS);
    // An unknown command is refused as such later.
    let Some(spec) = specs.find(|spec| spec.verb == verb) else {
        return Ok(());
    };
    match spec.sender {
        AllowedRole::Gm => Err(Barrier::OfGm(verb)),
        // The app looks at who sent what is to be undone.
        AllowedRole::Author if meta.player_undo => Ok(()),
        AllowedRole::Author => Err(Barrier::Unset(verb, "player_undo")),
        AllowedRole::Source if meta.player_effects => allow_effect(viewer, fields),
        AllowedRole::Source => Err(Barrier::Unset(verb, "player_effects")),
        AllowedRole::Target if meta.player_damage => allow_hit(viewer, verb, fields),
        AllowedRole::Target => Err(Barrier::Unset(verb, "player_damage")),
        AllowedRole::Player => {
            let command = match R::Command::parse(verb, fields) {
                Some(Ok(command)) => command,
                // What cannot be read is refused for that, by the same reading.
                Some(Err(_)) => return Ok(()),
                None => return Err(Barrier::OfGm(verb)),
            };
            match command.actor() {
                Actor::Gm => Err(Barrier::ThisOfGm(verb)),
                Actor::Of(actors) => owns_all(viewer, verb, &actors),
            }
        }
    }
}

/// Whether a player may add an effect: all see it, and its source is the player's.
fn allow_effect<'a>(viewer: &'a Viewer, fields: &Map<String, Value>) -> Result<(), Barrier<'a>> {
    let verb = "add_effect";
    // What cannot be read is refused for that, by the same reading.
    let Some(Ok(SharedCommand::AddEffect(AddEffect { effect }))) =
        SharedCommand::parse(verb, fields)
    else {
        return Ok(());
    };
    if effect.hidden {
        return Err(Barrier::HiddenEffect);
    }
    if effect
        .reminder
        .as_ref()
        .is_some_and(|reminder| reminder.automatic)
    {
        return Err(Barrier::AutomaticEffect);
    }
    let Some(source) = &effect.source else {
        return Err(Barrier::EffectWithoutSource);
    };
    owns_all(viewer, verb, &[source])
}

/// Whether a player may record damage or healing: all targets are the player's.
fn allow_hit<'a>(
    viewer: &'a Viewer,
    verb: &'a str,
    fields: &Map<String, Value>,
) -> Result<(), Barrier<'a>> {
    let (target, targets) = match SharedCommand::parse(verb, fields) {
        Some(Ok(SharedCommand::Damage(c))) => (c.target, c.targets),
        Some(Ok(SharedCommand::Heal(c))) => (c.target, c.targets),
        // What cannot be read is refused for that, by the same reading.
        Some(Err(_)) => return Ok(()),
        _ => return Err(Barrier::OfGm(verb)),
    };
    let all: Vec<&CombatantId> = target.iter().chain(targets.iter().flatten()).collect();
    owns_all(viewer, verb, &all)
}

/// Refuses a command in the name of a combatant that is not the player's.
fn owns_all<'a>(
    viewer: &'a Viewer,
    verb: &'a str,
    actors: &[&CombatantId],
) -> Result<(), Barrier<'a>> {
    match actors.iter().find(|id| !viewer.owns(id)) {
        None => Ok(()),
        Some(&id) => Err(Barrier::Foreign(viewer, verb, id.clone())),
    }
}
