//! Commands.

use super::Shared;
use super::extract::{Caller, Conditions, EncounterId, Parameters};
use super::post::{Post, Preferred};
use super::problem::Problem;
use super::reply::{PREFERENCE_APPLIED, Reply};
use crate::app::{AppError, Command, Shape};
use crate::engine::Request;
use crate::openapi::*;
use axum::extract::State;
use axum::http::HeaderValue;
use serde::Deserialize;
use utoipa::IntoParams;

/// How a command is applied.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct CommandQuery {
    /// Answers without changing anything. The dice differ from those of the real command.
    #[serde(default)]
    dry_run: bool,
}

/// Send a command
///
/// Takes one command, or a list of at most 50 commands that is applied all or nothing and makes one version. The game master sends every
/// command. A player sends those that the manifest marks with `"sender": "player"`, for the combatants that the token names.
#[utoipa::path(post, path = "/v1/encounters/{id}/commands", operation_id = "send_command", tag = "commands",
    security(("token" = [])),
    params(("id" = String, Path, description = ENCOUNTER_ID), CommandQuery,
        ("If-Match" = Option<String>, Header, description = IF_MATCH),
        ("Idempotency-Key" = Option<String>, Header, description = IDEMPOTENCY_KEY),
        ("Prefer" = Option<String>, Header, description = "`return=minimal` leaves the encounter out of the answer. A repeated \
            request gets its first answer.")),
    request_body = inline(CommandRequest),
    responses((status = 200, description = "What happened", body = CommandAnswer,
            headers(("ETag"), ("Idempotency-Replayed"), ("Preference-Applied"))),
        BadRequest, Unauthorized, Forbidden, NotFound, RequestTimeout, Conflict, Gone, PreconditionFailed, PayloadTooLarge,
        UnsupportedMediaType, UnprocessableEntity, TooManyRequests, ServiceUnavailable))]
pub(super) async fn send_command(
    State(shared): State<Shared>, Caller(token): Caller, EncounterId(id): EncounterId,
    Parameters(query): Parameters<CommandQuery>, conditions: Conditions, Preferred(shape): Preferred, post: Post,
) -> Result<Reply, Problem> {
    let request = Request::read(post.body).map_err(AppError::from)?;
    let key = post.key.as_ref();
    let command =
        Command { id: &id, token: &token, request: &request, expected: conditions.matching.as_ref(), key, shape };
    let (answer, tagged) = if query.dry_run {
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
