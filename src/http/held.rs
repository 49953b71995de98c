//! Counts the answers to reads in the budget of answers, until the client has read them.

use super::AppState;
use super::extract::EncounterId;
use super::limit::address_bucket;
use super::problem::Problem;
use crate::app::{AppError, BearerToken, Client, SMALL};
use axum::RequestExt;
use axum::body::{Body, HttpBody};
use axum::extract::{Request, State};
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderValue, Method, Response};
use axum::middleware::Next;
use axum::response::IntoResponse;
use http_body_util::BodyExt;

/// Serves a read, or answers 503 if its client has too many unread answers. The answer to HEAD has
/// no body to count.
pub(super) async fn hold(
    State(shared): State<AppState>,
    mut request: Request,
    next: Next,
) -> Response<Body> {
    if request.method() != Method::GET {
        return next.run(request).await;
    }
    let credential = request.headers().get(AUTHORIZATION).cloned();
    let id = request
        .extract_parts_with_state::<EncounterId, _>(&shared)
        .await
        .ok();
    let address = address_bucket(&shared, request.headers(), request.extensions());
    let response = next.run(request).await;
    // Streams, which have no size yet, count each part.
    let size = response.body().size_hint().exact().unwrap_or(0);
    if !response.status().is_success() || size <= SMALL as u64 {
        return response;
    }
    // A path without an encounter checks no token.
    let client = match (credential.as_ref().and_then(token), id) {
        (Some(token), Some(EncounterId(id))) => Client::of(&token, &id),
        _ => Client::named(address),
    };
    match counted(&shared, &client, response).await {
        Ok(response) => response,
        Err(error) => Problem::from(error).into_response(),
    }
}

fn token(credential: &HeaderValue) -> Option<BearerToken> {
    let (_, token) = credential.to_str().ok()?.split_once(' ')?;
    BearerToken::read(token.trim())
}

async fn counted(
    shared: &AppState,
    client: &Client,
    response: Response<Body>,
) -> Result<Response<Body>, AppError> {
    let (parts, body) = response.into_parts();
    let body = body
        .collect()
        .await
        .map_err(|error| AppError::Internal(error.to_string()))?;
    let body = shared.app.answers.hold(client, body.to_bytes())?;
    Ok(Response::from_parts(parts, Body::from(body)))
}
