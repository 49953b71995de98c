//! Export and import.

use super::AppState;
use super::encounters::created;
use super::extract::{Creator, EncounterId, NoParameters};
use super::post::PostedLog;
use super::problem::Problem;
use super::reply::Reply;
use crate::app::{BearerToken, Export, ExportedLog, client_of};
use crate::openapi::*;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use futures::{StreamExt, TryStreamExt, stream};
use std::future::ready;

/// Export an encounter
///
/// Answers with the whole log: the state that it begins with (`base`, without tokens and seed) and every entry since.
/// `POST /v1/encounters/import` takes it, here or on another server.
#[utoipa::path(get, path = "/v1/encounters/{id}/export", tag = "encounters",
    security(("token" = [])), params(EncounterId),
    responses((status = 200, description = "The log", body = ExportedLog),
        BadRequest, Unauthorized, Forbidden, NotFound, RequestTimeout, TooManyRequests, ServiceUnavailable))]
pub(super) async fn export_encounter(
    State(shared): State<AppState>,
    token: BearerToken,
    EncounterId(id): EncounterId,
    _: NoParameters,
) -> Result<Response, Problem> {
    let export = shared.app.export(&id, &token).await?;
    let (client, answers) = (client_of(&token), shared.app.answers.clone());
    let opening = stream::once(ready(Ok(answers.hold(&client, export.opening.clone())?)));
    let parts = stream::try_unfold(Some((export, "")), async |left| match left {
        Some((export, separator)) => part(export, separator).await.map(Some),
        None => Ok(None),
    });
    // Each part counts until the client has read it.
    let entries = parts.and_then(move |part| {
        let (client, answers) = (client.clone(), answers.clone());
        async move {
            answers
                .hold_in_turn(&client, part)
                .await
                .map_err(|error| format!("{error:?}"))
        }
    });
    Ok((
        [(CONTENT_TYPE, "application/json")],
        Body::from_stream(opening.chain(entries)),
    )
        .into_response())
}

/// The next entries of an export behind a separator, or its end, and what follows. An error breaks the body off, which the client notices.
async fn part(
    mut export: Export,
    separator: &str,
) -> Result<(Bytes, Option<(Export, &'static str)>), String> {
    let entries = export
        .next()
        .await
        .map_err(|error| format!("the export breaks off: {error:?}"))?;
    Ok(match entries.as_slice() {
        [] => (Bytes::from_static(b"]}"), None),
        _ => (
            [separator.as_bytes(), &entries.join(&b","[..])]
                .concat()
                .into(),
            Some((export, ",")),
        ),
    })
}

/// Import an encounter
///
/// Makes a new encounter of an exported log, with an id and a token of its own. Where the server is configured with applications, the
/// request needs an application's key.
///
/// The server checks the log and names the first bad place:
/// - Every field has its shape, and there are no other fields.
/// - Versions follow each other up to `version`.
/// - The limits of encounters hold.
/// - An undo or redo goes back to a version that can be undone or redone.
/// - Every state that an entry carries is the one that the events before it lead to, unless it is older than `base`.
///
/// The server trusts the rest: `base`, `at`, `by`, `commands`, `redactions`, and that the rules allowed each event.
#[utoipa::path(post, path = "/v1/encounters/import", tag = "encounters", security(("application" = []), ()),
    params(("Idempotency-Key" = Option<String>, Header, description = IDEMPOTENCY_KEY)),
    request_body = ExportedLog,
    responses(Created, BadRequest, Unauthorized, Forbidden, RequestTimeout, PayloadTooLarge, UnsupportedMediaType,
        UnprocessableEntity, TooManyRequests, ServiceUnavailable))]
pub(super) async fn import_encounter(
    State(shared): State<AppState>,
    Creator(application): Creator,
    _: NoParameters,
    log: PostedLog,
) -> Result<Reply, Problem> {
    let key = log.creation_key(application.as_ref())?;
    let encounter = shared
        .app
        .import(log.body.clone(), key, application, &log.client)
        .await?;
    Ok(created(encounter)?)
}
