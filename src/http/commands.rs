//! Sending commands, and listing those that are legal now.

use super::Shared;
use super::extract::{Caller, Conditions, EncounterId, Nothing, Parameters};
use super::post::{Post, Preferred};
use super::problem::Problem;
use super::reply::{PREFERENCE_APPLIED, Reply};
use crate::app::{AppError, Command, Shape};
use crate::engine::Request;
use crate::openapi::*;
use crate::vocabulary::{CombatantId, LegalCommand, Values};
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

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
    request_body = CommandRequest,
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

/// The commands that are legal now.
#[derive(Serialize, ToSchema)]
pub(super) struct LegalCommands {
    /// The version of the encounter.
    version: u64,
    /// Commands that are ready to send, each with the values that its fields may take.
    items: Vec<LegalCommand>,
    /// Long lists that several choices share, by name. A choice with `from` takes any value of `lists[from.list]` that is not in
    /// `from.except`. Empty in most encounters: a list of at most 32 values stands in its choice as `one_of`.
    #[schema(value_type = BTreeMap<String, Vec<CombatantId>>)]
    lists: BTreeMap<String, Arc<[Value]>>,
    /// Always null. The list has one page.
    #[schema(required = true)]
    next_cursor: Option<String>,
}

/// List the legal commands
///
/// Each item is a command that this token may send as it is, with the choices that it leaves open and the rule that allows it.
#[utoipa::path(get, path = "/v1/encounters/{id}/options", operation_id = "list_options", tag = "commands", security(("token" = [])),
    params(("id" = String, Path, description = ENCOUNTER_ID),
        ("If-None-Match" = Option<String>, Header, description = IF_NONE_MATCH)),
    responses((status = 200, description = "The legal commands", body = LegalCommands, headers(("ETag"))),
        (status = 304, description = "The legal commands have not changed"),
        BadRequest, Unauthorized, NotFound, RequestTimeout, TooManyRequests, ServiceUnavailable))]
pub(super) async fn list_options(
    State(shared): State<Shared>, Caller(token): Caller, EncounterId(id): EncounterId,
    Parameters(Nothing {}): Parameters<Nothing>, conditions: Conditions,
) -> Result<Reply, Problem> {
    let (tag, legal_commands) = shared.app.options(&id, &token, conditions.none_matching.as_ref()).await?;
    let Some(items) = legal_commands else {
        return Ok(Reply::empty(StatusCode::NOT_MODIFIED).tagged(&tag));
    };
    let legal = LegalCommands { version: tag.version(), lists: lists(&items), items, next_cursor: None };
    Ok(Reply::of(&legal)?.tagged(&tag))
}

/// The lists that the choices of these commands refer to.
fn lists(legal_commands: &[LegalCommand]) -> BTreeMap<String, Arc<[Value]>> {
    let choices = legal_commands.iter().flat_map(|option| &option.choices);
    let shared = choices.filter_map(|choice| match &choice.values {
        Values::From(listed) => Some((listed.list.clone(), listed.values.clone())),
        Values::OneOf(_) | Values::Range { .. } | Values::Like(_) => None,
    });
    shared.collect()
}
