//! Export and import.

use super::Shared;
use super::encounters::created;
use super::extract::{Caller, Creator, EncounterId, Nothing, Parameters};
use super::post::PostedLog;
use super::problem::Problem;
use super::reply::Reply;
use crate::app::Export;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use futures::{StreamExt, stream};

/// Export an encounter
///
/// The whole log in a form that `POST /v1/encounters/import` takes, here or on another server: what it is folded from (`base`, without
/// tokens and seed) and every entry since.
#[utoipa::path(get, path = "/v1/encounters/{id}/export", operation_id = "export_encounter", tag = "encounters",
    params(("id" = String, Path, description = "The encounter")),
    responses((status = 200, description = "The log", body = Object)))]
pub(super) async fn export_encounter(
    State(shared): State<Shared>, Caller(token): Caller, EncounterId(id): EncounterId,
    Parameters(Nothing {}): Parameters<Nothing>,
) -> Result<Response, Problem> {
    let export = shared.app.export(&id, &token).await?;
    // Fused, because compression asks once more after the end.
    let body = Body::from_stream(stream::unfold(Stage::Opening(export), Stage::next).fuse());
    let media = HeaderValue::from_static("application/json");
    Ok(([(CONTENT_TYPE, media), (CACHE_CONTROL, HeaderValue::from_static("no-store"))], body).into_response())
}

/// How far an export is.
enum Stage {
    Opening(Export),
    First(Export),
    More(Export),
    Over,
}

impl Stage {
    async fn next(self) -> Option<(Result<Bytes, String>, Self)> {
        let (mut export, first) = match self {
            Self::Opening(export) => return Some((Ok(export.opening.clone()), Self::First(export))),
            Self::First(export) => (export, true),
            Self::More(export) => (export, false),
            Self::Over => return None,
        };
        match export.next().await {
            Ok(entries) if entries.is_empty() => Some((Ok(Bytes::from_static(b"]}")), Self::Over)),
            Ok(entries) => {
                let separator: &[u8] = if first { b"" } else { b"," };
                Some((Ok([separator, &entries.join(&b","[..])].concat().into()), Self::More(export)))
            }
            // Whoever reads it must notice: the body breaks off.
            Err(error) => Some((Err(format!("the export breaks off: {error:?}")), Self::Over)),
        }
    }
}

/// Import an encounter
///
/// Makes a new encounter, with an id and a token of its own, of a log that was exported. Where the server knows applications it needs an
/// application's key.
///
/// Checked is that it is a log, and refused with the path of the first bad place what is not: every field has its shape and there is no
/// other one; versions follow each other up to `version`; the bounds of encounters hold; an undo or redo goes back to a version that can be
/// undone or redone; and every state that an entry carries (one in 256 does, and every undo and redo) is the one that the events before it
/// lead to, but for one from before `base`. Taken on trust is the rest: `base`, `at`, `by`, `commands`, what players were told, and that the
/// rules allowed each event, which is folded and not decided again.
#[utoipa::path(post, path = "/v1/encounters/import", operation_id = "import_encounter", tag = "encounters",
    request_body = Object,
    responses((status = 201, description = "The encounter and its game master's token", body = Object)))]
pub(super) async fn import_encounter(
    State(shared): State<Shared>, Creator(application): Creator, Parameters(Nothing {}): Parameters<Nothing>,
    log: PostedLog,
) -> Result<Reply, Problem> {
    let birth = shared.app.import(log.body, log.key.as_ref(), application).await?;
    Ok(created(&birth)?)
}
