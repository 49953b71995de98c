//! Encounters: created, read, removed.

use super::Shared;
use super::conditions::Conditions;
use super::extract::{Caller, Creator, EncounterId, Nothing, Parameters, PlainText};
use super::post::Post;
use super::problem::Problem;
use super::reply::Reply;
use crate::app::{AppError, CreatedEncounter, Form, Tag};
use crate::engine::Creation;
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, LOCATION};
use axum::http::{HeaderValue, StatusCode};
use serde::Deserialize;
use utoipa::IntoParams;

/// Create an encounter
///
/// Answers with the encounter and its game master's token, which is shown only here. With an `Idempotency-Key` the same request
/// creates one encounter, however often it is sent. Where the server knows applications it needs an application's key.
#[utoipa::path(post, path = "/v1/encounters", operation_id = "create_encounter", tag = "encounters",
    request_body = Creation,
    responses((status = 201, description = "The encounter and its game master's token", body = Object)))]
pub(super) async fn create_encounter(
    State(shared): State<Shared>, Creator(application): Creator, Parameters(Nothing {}): Parameters<Nothing>,
    post: Post,
) -> Result<Reply, Problem> {
    let creation = Creation::read(post.body).map_err(AppError::from)?;
    let birth = shared.app.create(creation, post.key.as_ref(), application).await?;
    Ok(created(&birth)?)
}

/// The answer that a new encounter makes.
pub(super) fn created(birth: &CreatedEncounter) -> Result<Reply, AppError> {
    let body = format!("{{\"encounter\":{},\"token\":\"{}\"}}", birth.game.view()?.get(), birth.token.reveal());
    let location = HeaderValue::try_from(format!("/v1/encounters/{}", birth.game.meta().id));
    let location = location.map_err(|error| AppError::Internal(error.to_string()))?;
    let reply = Reply::json(body).status(StatusCode::CREATED).version(birth.game.version());
    let reply = reply.header(LOCATION, location).header(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(reply.replayed(birth.replayed))
}

/// Which state of the encounter.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Moment {
    /// As it was at this version; without it, as it is.
    at: Option<u64>,
}

/// Read an encounter
///
/// As it is, or with `?at=VERSION` as it was, as long as that version is kept (410 when it is gone). As JSON, or with `Accept: text/plain` as a turn table for people. With `If-None-Match` an unchanged encounter costs no body.
#[utoipa::path(get, path = "/v1/encounters/{id}", operation_id = "read_encounter", tag = "encounters",
    params(("id" = String, Path, description = "The encounter"), Moment),
    responses((status = 200, description = "The encounter", body = Object), (status = 304, description = "Unchanged")))]
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
/// It is gone with all that belongs to it, its tokens and its log.
#[utoipa::path(delete, path = "/v1/encounters/{id}", operation_id = "delete_encounter", tag = "encounters",
    params(("id" = String, Path, description = "The encounter")),
    responses((status = 204, description = "Pruned")))]
pub(super) async fn delete_encounter(
    State(shared): State<Shared>, Caller(token): Caller, EncounterId(id): EncounterId,
    Parameters(Nothing {}): Parameters<Nothing>, conditions: Conditions,
) -> Result<Reply, Problem> {
    shared.app.delete(&id, &token, conditions.matching.as_ref()).await?;
    Ok(Reply::empty(StatusCode::NO_CONTENT))
}
