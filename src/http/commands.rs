//! Commands.

use super::Shared;
use super::conditions::Conditions;
use super::extract::{Caller, EncounterId, Parameters};
use super::post::{Post, Preferred};
use super::problem::Problem;
use super::reply::{PREFERENCE_APPLIED, Reply};
use crate::app::{AppError, Command, Shape};
use crate::engine::Request;
use axum::extract::State;
use axum::http::HeaderValue;
use serde::Deserialize;
use utoipa::IntoParams;

/// How commands are taken.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct CommandQuery {
    /// True to be answered the same without anything being written; the dice are not those of the real command.
    #[serde(default)]
    dry_run: bool,
}

/// Send a command
///
/// One command, or a list of at most 50 that is applied all or nothing and makes one version. The game master sends every command, a
/// player those that the manifest marks with `"sender": "player"`, in the name of combatants that the token names; all else is a 403.
#[utoipa::path(post, path = "/v1/encounters/{id}/commands", operation_id = "send_command", tag = "commands",
    params(("id" = String, Path, description = "The encounter"), CommandQuery),
    request_body = Object,
    responses((status = 200, description = "What happened", body = Object)))]
pub(super) async fn send_command(
    State(shared): State<Shared>, Caller(token): Caller, EncounterId(id): EncounterId,
    Parameters(manner): Parameters<CommandQuery>, conditions: Conditions, Preferred(shape): Preferred, post: Post,
) -> Result<Reply, Problem> {
    let request = Request::read(post.body).map_err(AppError::from)?;
    let key = post.key.as_ref();
    let command =
        Command { id: &id, token: &token, request: &request, expected: conditions.matching.as_ref(), key, shape };
    let (answer, tagged) = if manner.dry_run {
        (shared.app.dry_run(command).await?, false)
    } else {
        (shared.app.command(command).await?, true)
    };
    let reply = Reply::json(answer.body).replayed(answer.replayed);
    let reply = if tagged { reply.version(answer.version) } else { reply };
    Ok(match answer.shape {
        Shape::Full => reply,
        Shape::Minimal => reply.header(PREFERENCE_APPLIED, HeaderValue::from_static("return=minimal")),
    })
}
