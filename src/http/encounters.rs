//! Encounters: created, read, removed.

use super::Shared;
use super::extract::{Caller, Conditions, Creator, EncounterId, Nothing, Parameters, PlainText};
use super::post::Post;
use super::problem::Problem;
use super::reply::Reply;
use crate::app::{AppError, CreatedEncounter, Form, Tag};
use crate::engine::Creation;
use crate::openapi::*;
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, LOCATION};
use axum::http::{HeaderValue, StatusCode};
use serde::Deserialize;
use utoipa::IntoParams;

/// Create an encounter
///
/// Answers with the encounter and its game master's token. No other answer shows the token. Where the server is configured with
/// applications, the request needs an application's key.
#[utoipa::path(post, path = "/v1/encounters", operation_id = "create_encounter", tag = "encounters",
    security(("application" = []), ()),
    params(("Idempotency-Key" = Option<String>, Header, description = IDEMPOTENCY_KEY)),
    request_body = NewEncounterSchema,
    responses(Created, BadRequest, Unauthorized, Forbidden, RequestTimeout, PayloadTooLarge, UnsupportedMediaType,
        UnprocessableEntity, TooManyRequests, ServiceUnavailable))]
pub(super) async fn create_encounter(
    State(shared): State<Shared>, Creator(application): Creator, Parameters(Nothing {}): Parameters<Nothing>,
    post: Post,
) -> Result<Reply, Problem> {
    let creation = Creation::read(post.body).map_err(AppError::from)?;
    let encounter = shared.app.create(creation, post.key.as_ref(), application).await?;
    Ok(created(&encounter)?)
}

/// The answer that a new encounter makes.
pub(super) fn created(created: &CreatedEncounter) -> Result<Reply, AppError> {
    let body = format!("{{\"encounter\":{},\"token\":\"{}\"}}", created.game.view()?.get(), created.token.reveal());
    let location = HeaderValue::try_from(format!("/v1/encounters/{}", created.game.meta().id));
    let location = location.map_err(|error| AppError::Internal(error.to_string()))?;
    let reply = Reply::json(body).status(StatusCode::CREATED).version(created.game.version());
    let reply = reply.header(LOCATION, location).header(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(reply.replayed(created.replayed))
}

/// The state of the encounter to read.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Moment {
    /// The version to read. Without it, the newest one.
    at: Option<u64>,
}

/// Read an encounter
///
/// Answers with the encounter as JSON, or with `Accept: text/plain` as a turn table for people. `at` reads an earlier version.
#[utoipa::path(get, path = "/v1/encounters/{id}", operation_id = "read_encounter", tag = "encounters", security(("token" = [])),
    params(("id" = String, Path, description = ENCOUNTER_ID), Moment,
        ("If-None-Match" = Option<String>, Header, description = IF_NONE_MATCH)),
    responses((status = 200, description = "The encounter", headers(("ETag")),
            content((EncounterSchema = "application/json"), (String = "text/plain"))),
        (status = 304, description = "The encounter has not changed"),
        BadRequest, Unauthorized, NotFound, RequestTimeout, Gone, UnprocessableEntity, TooManyRequests, ServiceUnavailable))]
pub(super) async fn read_encounter(
    State(shared): State<Shared>, Caller(token): Caller, EncounterId(id): EncounterId,
    Parameters(Moment { at }): Parameters<Moment>, conditions: Conditions, PlainText(plain): PlainText,
) -> Result<Reply, Problem> {
    let (game, viewer) = shared.app.read(&id, &token, at).await?;
    let view = game.view().map_err(AppError::from)?;
    let tag = Tag::of(game.version(), view.get(), &viewer, if plain { Form::Text } else { Form::Json });
    let reply = if conditions.none_matching.is_some_and(|known| known.names(&tag)) {
        Reply::empty(StatusCode::NOT_MODIFIED)
    } else if plain {
        Reply::text(game.text())
    } else {
        Reply::json(String::from(Box::<str>::from(view)))
    };
    Ok(reply.tagged(&tag))
}

/// Delete an encounter
///
/// Deletes the encounter with its tokens and its log.
#[utoipa::path(delete, path = "/v1/encounters/{id}", operation_id = "delete_encounter", tag = "encounters", security(("token" = [])),
    params(("id" = String, Path, description = ENCOUNTER_ID), ("If-Match" = Option<String>, Header, description = IF_MATCH)),
    responses((status = 204, description = "The encounter is deleted"),
        BadRequest, Unauthorized, Forbidden, NotFound, RequestTimeout, PreconditionFailed, TooManyRequests, ServiceUnavailable))]
pub(super) async fn delete_encounter(
    State(shared): State<Shared>, Caller(token): Caller, EncounterId(id): EncounterId,
    Parameters(Nothing {}): Parameters<Nothing>, conditions: Conditions,
) -> Result<Reply, Problem> {
    shared.app.delete(&id, &token, conditions.matching.as_ref()).await?;
    Ok(Reply::empty(StatusCode::NO_CONTENT))
}
