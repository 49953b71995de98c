//! Files of other trackers.

use super::AppState;
use super::encounters::created;
use super::extract::{Creator, Parameters};
use super::post::PostedFile;
use super::problem::Problem;
use super::reply::Reply;
use crate::app::AppError;
use crate::convert::Conversion;
use crate::json::read;
use crate::openapi::*;
use axum::extract::State;
use serde::Deserialize;
use utoipa::IntoParams;

/// What to make of a file.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct ConversionQuery {
    /// The id of the ruleset. Without it, `custom`, which takes initiatives as they are.
    ruleset: Option<String>,
    /// The name of the fight, if the file has several. Without it, the one that is played now, or the
    /// first; with `create` a file must say which one is played now.
    encounter: Option<String>,
    /// True to create the encounter at once.
    #[param(value_type = Option<bool>, default = false)]
    create: Option<bool>,
}

/// Convert another tracker's file
///
/// Reads a fight of Obsidian's Initiative Tracker, Improved Initiative, Roll20, 5etools, Foundry,
/// D&D Beyond or Avrae, or a list of creatures with counts. Returns the body of a creation, or with
/// `create` creates the encounter. `left_out` lists what has no place in it.
#[utoipa::path(post, path = "/v1/encounters/convert", tag = "encounters",
    security(("application" = []), ()),
    params(ConversionQuery, ("Idempotency-Key" = Option<String>, Header, description = IDEMPOTENCY_KEY)),
    request_body = serde_json::Value,
    responses((status = 200, description = "The creation", body = Conversion), Created, BadRequest,
        Unauthorized, Forbidden, RequestTimeout, PayloadTooLarge, UnsupportedMediaType,
        UnprocessableEntity, TooManyRequests, ServiceUnavailable))]
pub(super) async fn convert_file(
    State(shared): State<AppState>,
    Creator(application): Creator,
    Parameters(query): Parameters<ConversionQuery>,
    file: PostedFile,
) -> Result<Reply, Problem> {
    let app = &shared.app;
    let key = file.creation_key(application.as_ref())?;
    let body = file.body.clone();
    let creates = query.create.unwrap_or_default();
    let conversion = app
        .convert(body, query.ruleset, query.encounter, creates)
        .await?;
    if !creates {
        let answer = serde_json::to_vec(&conversion).map_err(AppError::from)?;
        return Ok(Reply::json(app.answers.hold(&file.client, answer.into())?));
    }
    let creation = read(&conversion.creation).map_err(AppError::from)?;
    let encounter = app.create(creation, key, application, &file.client).await?;
    Ok(created(encounter, &conversion.left_out, "")?)
}
