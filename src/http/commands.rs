//! Sending commands, and listing those that are legal now.

use super::AppState;
use super::extract::{Conditions, EncounterId, Parameters};
use super::post::Post;
use super::problem::Problem;
use super::reply::{PREFERENCE_APPLIED, Reply};
use crate::app::{AnswerSize, AppError, BearerToken, CommandCall, Include};
use crate::engine::Request;
use crate::openapi::*;
use crate::vocabulary::{CombatantId, LegalCommands};
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode};
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
    /// Adds to the answer what the sender sees and may send after the command: `encounter`, `options`, or both, separated by a comma. The
    /// encounter is there anyway unless `Prefer` leaves it out. A dry run includes no options.
    #[serde(default)]
    #[param(value_type = Option<String>, pattern = "^(encounter|options)(,(encounter|options))?$")]
    include: Include,
}

/// Send a command
///
/// Takes one command, or a list of at most 50 commands that is applied all or nothing and makes one version. The game master sends every
/// command. A player sends those that the manifest marks with `"sender": "player"`, for the combatants that the token names.
#[utoipa::path(post, path = "/v1/encounters/{id}/commands", tag = "commands", security(("token" = [])),
    params(EncounterId, CommandQuery,
        ("If-Match" = Option<String>, Header, description = IF_MATCH),
        ("Idempotency-Key" = Option<String>, Header, description = IDEMPOTENCY_KEY),
        ("Prefer" = Option<String>, Header, description = "`return=minimal` leaves the encounter out of the answer. A repeated \
            request gets its first answer.")),
    request_body = CommandRequest,
    responses((status = 200, description = "What happened", body = CommandAnswer,
            headers(("ETag"), ("Idempotency-Replayed"), ("Preference-Applied"))),
        BadRequest, Unauthorized, Forbidden, NotFound, RequestTimeout, Conflict, Gone, PreconditionFailed, PayloadTooLarge,
        UnsupportedMediaType, UnprocessableEntity, TooManyRequests, ServiceUnavailable))]
pub(super) async fn send_command(
    State(shared): State<AppState>, token: BearerToken, EncounterId(id): EncounterId,
    Parameters(query): Parameters<CommandQuery>, conditions: Conditions, size: AnswerSize, post: Post,
) -> Result<Reply, Problem> {
    let request = Request::read(post.body)?;
    let (key, include) = (post.key.as_ref(), query.include);
    let size = if include.encounter { AnswerSize::Full } else { size };
    let command =
        CommandCall { id: &id, token: &token, request: &request, expected: conditions.matching.as_ref(), key, size };
    let (answer, tagged) = if query.dry_run {
        (shared.app.dry_run(command).await?, false)
    } else {
        (shared.app.command(command).await?, true)
    };
    let body = match include.options && !query.dry_run {
        true => with_options(&shared, &id, &token, answer.body).await?,
        false => answer.body,
    };
    let reply = Reply::json(body).replayed(answer.replayed);
    let reply = if tagged { reply.version(answer.version) } else { reply };
    Ok(match answer.size {
        AnswerSize::Full => reply,
        AnswerSize::Minimal => reply.header(PREFERENCE_APPLIED, HeaderValue::from_static("return=minimal")),
    })
}

/// The body of an answer with the commands that are legal now.
async fn with_options(shared: &AppState, id: &str, token: &BearerToken, body: Bytes) -> Result<Bytes, AppError> {
    let legal = shared.app.legal(id, token).await?;
    let mut body = Vec::from(body);
    // The closing brace of the body, which is an object with fields.
    body.pop();
    body.extend_from_slice(b",\"options\":");
    serde_json::to_writer(&mut body, &legal)?;
    body.push(b'}');
    Ok(body.into())
}

/// The legal commands to list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct OptionsQuery {
    /// Only those in the name of this combatant.
    #[param(value_type = Option<String>)]
    r#for: Option<CombatantId>,
}

/// List the legal commands
///
/// Each item is a command that this token may send as it is, with the choices that it leaves open and the rule that allows it.
#[utoipa::path(get, path = "/v1/encounters/{id}/options", tag = "commands", security(("token" = [])),
    params(EncounterId, OptionsQuery, ("If-None-Match" = Option<String>, Header, description = IF_NONE_MATCH)),
    responses((status = 200, description = "The legal commands", body = LegalCommands, headers(("ETag"))),
        (status = 304, description = "The legal commands have not changed"),
        BadRequest, Unauthorized, NotFound, RequestTimeout, UnprocessableEntity, TooManyRequests, ServiceUnavailable))]
pub(super) async fn list_options(
    State(shared): State<AppState>, token: BearerToken, EncounterId(id): EncounterId,
    Parameters(query): Parameters<OptionsQuery>, conditions: Conditions,
) -> Result<Reply, Problem> {
    let known = conditions.none_matching.as_ref();
    let (tag, legal) = shared.app.options(&id, &token, query.r#for.as_ref(), known).await?;
    let Some(legal) = legal else {
        return Ok(Reply::empty(StatusCode::NOT_MODIFIED).tagged(&tag));
    };
    Ok(Reply::of(&legal)?.tagged(&tag))
}
