//! Encounters: created, listed, read, deleted.

use super::AppState;
use super::extract::{Conditions, Creator, EncounterId, NoParameters, Parameters};
use super::post::Post;
use super::problem::Problem;
use super::reply::{ListPage, Reply};
use super::tokens::TokenAnswer;
use crate::app::{AppError, BearerToken, CreatedEncounter, Representation, Table, Tag, is_cursor};
use crate::convert::LeftOut;
use crate::engine::Summary;
use crate::json::{FieldError, read};
use crate::openapi::*;
use crate::vocabulary::{EncounterSchema, Int, NewEncounterSchema};
use axum::extract::State;
use axum::http::header::LOCATION;
use axum::http::{HeaderValue, StatusCode};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::{IntoParams, ToSchema};

/// Create an encounter
///
/// Returns the encounter and its game master's token. No other answer shows the token. If the
/// server is configured with applications, the request needs an application's key.
#[utoipa::path(post, path = "/v1/encounters", tag = "encounters", security(("application" = []),
    ()),
    params(("Idempotency-Key" = Option<String>, Header, description = IDEMPOTENCY_KEY)),
    request_body = NewEncounterSchema,
    responses(Created, BadRequest, Unauthorized, Forbidden, RequestTimeout, PayloadTooLarge,
        UnsupportedMediaType,
        UnprocessableEntity, TooManyRequests, ServiceUnavailable))]
pub(super) async fn create_encounter(
    State(shared): State<AppState>,
    Creator(application): Creator,
    _: NoParameters,
    post: Post,
) -> Result<Reply, Problem> {
    let key = post.creation_key(application.as_ref())?;
    let creation = read(&post.body).map_err(AppError::from)?;
    let encounter = shared
        .app
        .create(creation, key, application, &post.client)
        .await?;
    Ok(created(encounter, &[], "encounters/")?)
}

/// A new encounter and its game master's token.
#[derive(Serialize, ToSchema)]
#[schema(as = Created)]
pub(super) struct CreationAnswer<'a> {
    /// The encounter.
    #[schema(value_type = EncounterSchema)]
    encounter: Box<RawValue>,
    /// The game master's token. No other answer shows it.
    token: &'a str,
    /// The other tokens that the request asked for, in its order. No other answer shows them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, value_type = Vec<TokenAnswer<'static>>)]
    tokens: Vec<TokenAnswer<'a>>,
    /// The parts of another tracker's file that have no place in the encounter.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    #[schema(required = false)]
    left_out: &'a [LeftOut],
}

/// The answer to a creation, which leaves this of a file out. `base` leads from the request's path to that of the encounters.
pub(super) fn created(
    created: CreatedEncounter,
    left_out: &[LeftOut],
    base: &str,
) -> Result<Reply, AppError> {
    let Some(gm) = created.encounter.meta().tokens.first() else {
        let reason = "an encounter without tokens".to_owned();
        return Err(AppError::Internal(reason));
    };
    let viewer = gm.viewer();
    let version = created.encounter.version();
    let view = created.encounter.view(&viewer)?;
    let tag = Tag::of(version, view.get(), &viewer, Representation::Json);
    let body = CreationAnswer {
        encounter: view,
        token: created.token.reveal(),
        tokens: created.tokens.iter().map(TokenAnswer::of).collect(),
        left_out,
    };
    let location = HeaderValue::try_from(format!("{base}{}", created.encounter.meta().id));
    let location = location.map_err(|error| AppError::Internal(error.to_string()))?;
    let body = created
        .room
        .keep(serde_json::to_vec(&body).map_err(AppError::from)?.into());
    let reply = Reply::json(body)
        .status(StatusCode::CREATED)
        .version(version)
        .encounter_tag(Some(&tag));
    Ok(reply.header(LOCATION, location).replayed(created.replayed))
}

/// The page of the list to read.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct ListQuery {
    /// The `next_cursor` of the page before. Without it, the list begins with the newest encounter.
    cursor: Option<String>,
    /// The maximum number of encounters on the page.
    #[param(value_type = Option<usize>, default = 50, minimum = 1, maximum = 100)]
    limit: Option<Int<1, 100>>,
}

/// List an application's encounters
///
/// Returns the encounters that the application created or imported, newest first. Needs a server
/// that is configured with applications. A page may be shorter than `limit` even if more follow.
#[utoipa::path(get, path = "/v1/encounters", tag = "encounters", params(ListQuery),
    security(("application" = [])),
    responses((status = 200, description = "A page of the list", body = inline(ListPage<Summary>),
        headers(("Link"))),
        BadRequest, Unauthorized, Forbidden, NotFound, RequestTimeout, UnprocessableEntity, TooManyRequests,
        ServiceUnavailable))]
pub(super) async fn list_encounters(
    State(shared): State<AppState>,
    Creator(application): Creator,
    Parameters(query): Parameters<ListQuery>,
) -> Result<Reply, Problem> {
    const NONE: &str = "Listing needs application keys, and this server has none. Keep the ids that creations answer.";
    let Some(application) = application else {
        return Err(Problem::new(StatusCode::NOT_FOUND, "no_applications", NONE));
    };
    let cursor = query.cursor.as_deref();
    if let Some(cursor) = cursor
        && !is_cursor(cursor)
    {
        let message = "Unknown cursor. Send the next_cursor of the page before.";
        return Err(Problem::parameter(FieldError::malformed("cursor", message)));
    }
    let limit = query.limit.map_or(50, Int::count);
    let (items, next_cursor) = shared
        .app
        .list(&application, cursor, limit as usize)
        .await?;
    let next = next_cursor
        .as_ref()
        .map(|next| format!("?cursor={next}&limit={limit}"));
    Ok(Reply::of(&ListPage { items, next_cursor })?.next_page(next))
}

/// The state of the encounter to read.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct EncounterQuery {
    /// The version to read. Without it, the newest one.
    at: Option<u64>,
    /// The maximum number of characters of the turn table, such as 2000 for Discord. The table says
    /// how many lines it leaves out.
    #[param(value_type = Option<usize>, minimum = 200, maximum = 100_000)]
    max_length: Option<Int<200, 100_000>>,
}

/// Read an encounter
///
/// Returns the encounter as JSON, or with `Accept: text/plain` as a turn table for people. `at`
/// returns an earlier version.
#[utoipa::path(get, path = "/v1/encounters/{id}", tag = "encounters", security(("token" = [])),
    params(EncounterId, EncounterQuery, ("If-None-Match" = Option<String>, Header,
        description = IF_NONE_MATCH)),
    responses((status = 200, description = "The encounter", headers(("ETag"), ("Encounter-Version")),
            content((EncounterSchema = "application/json"), (String = "text/plain"))),
        (status = 304, description = "The encounter has not changed"),
        BadRequest, Unauthorized, NotFound, RequestTimeout, Gone, UnprocessableEntity,
        TooManyRequests, ServiceUnavailable))]
pub(super) async fn read_encounter(
    State(shared): State<AppState>,
    token: BearerToken,
    EncounterId(id): EncounterId,
    Parameters(EncounterQuery { at, max_length }): Parameters<EncounterQuery>,
    conditions: Conditions,
    representation: Representation,
) -> Result<Reply, Problem> {
    let (encounter, viewer) = shared.app.read(&id, &token, at).await?;
    let view = encounter.view(&viewer).map_err(AppError::from)?;
    let tag = Tag::of(encounter.version(), view.get(), &viewer, representation);
    if conditions.is_known(&tag) {
        return Ok(Reply::empty(StatusCode::NOT_MODIFIED).tagged(&tag));
    }
    let reply = if representation == Representation::Text {
        let max_length = max_length.map(|most| most.count() as usize);
        Reply::text(Table { max_length }.of(&*encounter))
    } else {
        Reply::json(String::from(Box::<str>::from(view)))
    };
    Ok(reply.tagged(&tag))
}

/// Delete an encounter
///
/// Deletes the encounter with its tokens and its log.
#[utoipa::path(delete, path = "/v1/encounters/{id}", tag = "encounters", security(("token" = [])),
    params(EncounterId, ("If-Match" = Option<String>, Header, description = IF_MATCH)),
    responses((status = 204, description = "The encounter is deleted"),
        BadRequest, UnprocessableEntity, Unauthorized, Forbidden, NotFound, RequestTimeout, PreconditionFailed,
        TooManyRequests, ServiceUnavailable))]
pub(super) async fn delete_encounter(
    State(shared): State<AppState>,
    token: BearerToken,
    EncounterId(id): EncounterId,
    _: NoParameters,
    conditions: Conditions,
) -> Result<Reply, Problem> {
    shared
        .app
        .delete(&id, &token, conditions.matching.as_ref())
        .await?;
    Ok(Reply::empty(StatusCode::NO_CONTENT))
}
