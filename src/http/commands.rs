//! Sending commands, and listing those that are legal now.

use super::AppState;
use super::extract::{Conditions, EncounterId, Parameters};
use super::headers::PREFERENCE_APPLIED;
use super::post::Post;
use super::problem::Problem;
use super::reply::Reply;
use crate::app::{Answer, AnswerSize, AppError, BearerToken, CommandCall, Include, Outcome};
use crate::engine::{Brief, Request};
use crate::openapi::*;
use crate::vocabulary::{CombatantId, EncounterSchema, EventSchema, LegalCommands, Pending};
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::{IntoParams, ToSchema};

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
#[utoipa::path(post, path = "/v1/encounters/{id}/commands", tag = "commands",
    security(("token" = [])),
    params(EncounterId, CommandQuery,
        ("If-Match" = Option<String>, Header, description = IF_MATCH),
        ("Idempotency-Key" = Option<String>, Header, description = IDEMPOTENCY_KEY),
        ("Prefer" = Option<String>, Header,
            description = "`return=minimal` leaves the encounter out of the answer. A repeated \
            request gets its first answer.")),
    request_body = CommandRequest,
    responses((status = 200, description = "What happened", body = CommandAnswer<'_>,
            headers(("ETag"), ("Idempotency-Replayed"), ("Preference-Applied"))),
        BadRequest, Unauthorized, Forbidden, NotFound, RequestTimeout, Conflict, Gone,
        PreconditionFailed, PayloadTooLarge,
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
    let include = query.include;
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
        key: post.key.as_ref(),
        size,
    };
    if query.dry_run {
        return Ok(reply(shared.app.dry_run(command).await?, None)?);
    }
    let mut answer = shared.app.command(command).await?;
    let mut options = None;
    if include.options {
        let time = post.time.left();
        options = shared.app.options_after_commit(&id, &token, time).await;
    }
    if let Some(listed) = &options
        && answer.make_room_for(listed.get().len()).is_err()
    {
        options = None;
    }
    let version = answer.version;
    Ok(reply(answer, options.as_deref())?.version(version))
}

/// What a command changed: the whole encounter, or with `Prefer: return=minimal` only `current` and
/// `pending`.
#[serde_with::skip_serializing_none]
#[derive(Serialize, ToSchema)]
pub(super) struct CommandAnswer<'a> {
    /// The version that the command made. `If-Match` takes it in quotes.
    version: u64,
    /// What happened, in order.
    #[schema(value_type = Vec<EventSchema>)]
    events: &'a RawValue,
    /// The encounter after the command.
    #[schema(required = false, value_type = EncounterSchema)]
    encounter: Option<&'a RawValue>,
    /// The combatants whose turn it is.
    #[schema(required = false, value_type = Vec<CombatantId>)]
    current: Option<&'a [CombatantId]>,
    /// The decision that is awaited, if there is one.
    #[schema(value_type = Option<Pending>)]
    pending: Option<&'a Pending>,
    /// What the sender may send now, with `include=options`.
    #[schema(required = false, value_type = LegalCommands)]
    options: Option<&'a RawValue>,
}

fn reply(answer: Answer, options: Option<&RawValue>) -> Result<Reply, AppError> {
    let mut body = CommandAnswer {
        version: answer.version,
        events: &answer.events,
        encounter: None,
        current: None,
        pending: None,
        options,
    };
    match &answer.outcome {
        Outcome::Encounter(view) => body.encounter = Some(view),
        Outcome::Brief(Brief { current, pending }) => {
            body.current = Some(current);
            body.pending = pending.as_ref();
        }
    }
    let bytes = answer.bytes() + options.map_or(0, |options| options.get().len());
    let mut json = Vec::with_capacity(bytes);
    serde_json::to_writer(&mut json, &body)?;
    let mut reply = Reply::json(answer.room.keep(json.into())).replayed(answer.replayed);
    if let Outcome::Brief(_) = answer.outcome {
        let minimal = HeaderValue::from_static("return=minimal");
        reply = reply.header(PREFERENCE_APPLIED, minimal);
    }
    Ok(reply)
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
#[utoipa::path(get, path = "/v1/encounters/{id}/options", tag = "commands",
    security(("token" = [])),
    params(EncounterId, OptionsQuery, ("If-None-Match" = Option<String>, Header,
        description = IF_NONE_MATCH)),
    responses((status = 200, description = "The legal commands", body = LegalCommands,
        headers(("ETag"))),
        (status = 304, description = "The legal commands have not changed"),
        BadRequest, Unauthorized, NotFound, RequestTimeout, UnprocessableEntity, TooManyRequests,
        ServiceUnavailable))]
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
    let body = Bytes::copy_from_slice(legal.get().as_bytes());
    Ok(Reply::json(body).tagged(&tag))
}
