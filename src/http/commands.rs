//! Sending commands, and listing those that are legal now.

use super::AppState;
use super::extract::{Conditions, EncounterId, Parameters};
use super::headers::PREFERENCE_APPLIED;
use super::post::Post;
use super::problem::Problem;
use super::reply::Reply;
use crate::app::{Answer, AnswerSize, BearerToken, Client, CommandCall, Include};
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
    /// Adds to the answer what the sender sees and may send after the command: `encounter`,
    /// `options`, or both, separated by a comma. The encounter is there anyway unless `Prefer`
    /// leaves it out. A dry run includes no options, and a server that has too much to do leaves
    /// them out: read them then.
    #[serde(default)]
    #[param(value_type = Option<String>, pattern = "^(encounter|options)(,(encounter|options))?$")]
    include: Include,
}

/// Send a command
///
/// Takes one command, or a list of at most 50 commands that is applied all or nothing and makes one
/// version. The game master sends every command. A player sends those that the manifest marks with
/// `"sender": "player"`, for the combatants that the token names.
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
    State(shared): State<AppState>,
    token: BearerToken,
    EncounterId(id): EncounterId,
    Parameters(query): Parameters<CommandQuery>,
    conditions: Conditions,
    size: AnswerSize,
    post: Post,
) -> Result<Reply, Problem> {
    let request = Request::read(post.body)?;
    let (key, time, include) = (post.key.as_ref(), post.time, query.include);
    let size = if include.encounter {
        AnswerSize::Full
    } else {
        size
    };
    let command = CommandCall {
        id: &id,
        token: &token,
        request: &request,
        expected: conditions.matching.as_ref(),
        key,
        size,
    };
    if query.dry_run {
        return Ok(reply(shared.app.dry_run(command).await?));
    }
    let mut answer = shared.app.command(command).await?;
    if include.options
        && let Some(options) = shared
            .app
            .options_after_commit(&id, &token, time.left())
            .await
    {
        // Without room for them the options are left out.
        let body = with_options(&answer.body, &options);
        answer.body = shared
            .app
            .answers
            .hold(&Client::of(&token, &id), body)
            .unwrap_or(answer.body);
    }
    let version = answer.version;
    Ok(reply(answer).version(version))
}

fn reply(answer: Answer) -> Reply {
    let reply = Reply::json(answer.body).replayed(answer.replayed);
    match answer.size {
        AnswerSize::Full => reply,
        AnswerSize::Minimal => reply.header(
            PREFERENCE_APPLIED,
            HeaderValue::from_static("return=minimal"),
        ),
    }
}

/// The body of an answer with the commands that are legal now.
fn with_options(body: &[u8], options: &[u8]) -> Bytes {
    // The body is an object with fields.
    let fields = body.strip_suffix(b"}").unwrap_or_default();
    [fields, b",\"options\":", options, b"}"].concat().into()
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
/// Each item is a command that this token may send as it is, with the choices that it leaves open
/// and the rule that allows it.
#[utoipa::path(get, path = "/v1/encounters/{id}/options", tag = "commands", security(("token" = [])),
    params(EncounterId, OptionsQuery, ("If-None-Match" = Option<String>, Header, description = IF_NONE_MATCH)),
    responses((status = 200, description = "The legal commands", body = LegalCommands, headers(("ETag"))),
        (status = 304, description = "The legal commands have not changed"),
        BadRequest, Unauthorized, NotFound, RequestTimeout, UnprocessableEntity, TooManyRequests, ServiceUnavailable))]
pub(super) async fn list_options(
    State(shared): State<AppState>,
    token: BearerToken,
    EncounterId(id): EncounterId,
    Parameters(query): Parameters<OptionsQuery>,
    conditions: Conditions,
) -> Result<Reply, Problem> {
    let known = conditions.none_matching.as_ref();
    let (tag, legal) = shared
        .app
        .options(&id, &token, query.r#for.as_ref(), known)
        .await?;
    let Some(legal) = legal else {
        return Ok(Reply::empty(StatusCode::NOT_MODIFIED).tagged(&tag));
    };
    Ok(Reply::json(legal).tagged(&tag))
}
