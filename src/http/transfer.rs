//! Export and import.

use super::AppState;
use super::encounters::created;
use super::extract::{Creator, EncounterId, NoParameters};
use super::post::PostedFile;
use super::problem::Problem;
use super::reply::Reply;
use crate::app::{AppError, BearerToken, Budget, Client, Export, ExportedLog};
use crate::openapi::*;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use futures::{StreamExt, stream};
use std::future::ready;

/// Export an encounter
///
/// Returns the whole log: its first state (`base`, without tokens and seed) and every entry
/// since. `POST /v1/encounters/import` takes it, here or on another server.
#[utoipa::path(get, path = "/v1/encounters/{id}/export", tag = "encounters",
    security(("token" = [])), params(EncounterId),
    responses((status = 200, description = "The log", body = ExportedLog),
        BadRequest, UnprocessableEntity, Unauthorized, Forbidden, NotFound, RequestTimeout, TooManyRequests,
        ServiceUnavailable))]
pub(super) async fn export_encounter(
    State(shared): State<AppState>,
    token: BearerToken,
    EncounterId(id): EncounterId,
    _: NoParameters,
) -> Result<Response, Problem> {
    let export = shared.app.export(&id, &token).await?;
    let (client, answers) = (Client::of(&token, &id), shared.app.answers.clone());
    let opening = stream::once(ready(Ok(answers.hold(&client, export.opening.clone())?)));
    let entries = stream::try_unfold(Some((export, "")), move |left| {
        let (client, answers) = (client.clone(), answers.clone());
        async move {
            let Some((export, separator)) = left else {
                return Ok(None);
            };
            // An error breaks the body off, which the client notices.
            let part = part(export, separator, &client, &answers).await;
            part.map(Some)
                .map_err(|error| format!("the export breaks off: {error:?}"))
        }
    });
    Ok((
        [(CONTENT_TYPE, "application/json")],
        Body::from_stream(opening.chain(entries)),
    )
        .into_response())
}

/// The next entries of an export behind a separator, or its end, and what follows. It counts until
/// the client has read it.
async fn part(
    mut export: Export,
    separator: &str,
    client: &Client,
    answers: &Budget,
) -> Result<(Bytes, Option<(Export, &'static str)>), AppError> {
    let entries = export.next().await?;
    if entries.is_empty() {
        return Ok((Bytes::from_static(b"]}"), None));
    }
    // With the commas.
    let size = entries.iter().map(|entry| entry.len() + 1).sum();
    let room = answers.reserve_in_turn(client, size).await?;
    let part = [separator.as_bytes(), &entries.join(&b","[..])].concat();
    Ok((room.keep(part.into()), Some((export, ","))))
}

/// Import an encounter
///
/// Creates an encounter from an exported log, with an id and a token of its own. If the server is
/// configured with applications, the request needs an application's key.
///
/// The server checks the log and names the first bad place:
/// - Every field has its type, and no field is unknown.
/// - Versions follow each other up to `version`.
/// - The limits of encounters hold.
/// - An undo or redo names a version that can be undone or redone.
/// - Every state in an entry is the result of the events before it, unless it is older than
///   `base`.
///
/// The server trusts the rest: `base`, `at`, `token`, `commands`, `redactions`, and that the rules
/// allowed each event.
#[utoipa::path(post, path = "/v1/encounters/import", tag = "encounters",
    security(("application" = []), ()),
    params(("Idempotency-Key" = Option<String>, Header, description = IDEMPOTENCY_KEY)),
    request_body = ExportedLog,
    responses(Created, BadRequest, Unauthorized, Forbidden, RequestTimeout, PayloadTooLarge,
        UnsupportedMediaType,
        UnprocessableEntity, TooManyRequests, ServiceUnavailable))]
pub(super) async fn import_encounter(
    State(shared): State<AppState>,
    Creator(application): Creator,
    _: NoParameters,
    log: PostedFile,
) -> Result<Reply, Problem> {
    let key = log.creation_key(application.as_ref())?;
    let encounter = shared
        .app
        .import(log.body.clone(), key, application, &log.client)
        .await?;
    Ok(created(encounter, &[], "")?)
}
