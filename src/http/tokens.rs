//! Tokens: handed out, listed, revoked.

use super::Shared;
use super::extract::{Caller, EncounterId, Nothing, Parameters, TokenId};
use super::post::Post;
use super::problem::Problem;
use super::reply::{List, Reply};
use crate::app::{AppError, HandedOut};
use crate::engine::{NewToken, TokenInfo};
use axum::extract::State;
use axum::http::header::CACHE_CONTROL;
use axum::http::{HeaderValue, StatusCode};
use serde::Serialize;

/// A token that was handed out.
#[derive(Serialize)]
struct TokenAnswer<'a> {
    token: &'a str,
    #[serde(flatten)]
    info: &'a TokenInfo,
}

/// Hand out a token
///
/// The game master's right. The token is shown only here; what is kept is a digest. A player's token acts for the combatants that it
/// names, and for no others: a combatant that joins later is given by a new token. With an `Idempotency-Key` the same request hands out
/// one token, however often it is sent.
#[utoipa::path(post, path = "/v1/encounters/{id}/tokens", operation_id = "create_token", tag = "tokens",
    params(("id" = String, Path, description = "The encounter")),
    request_body = Object,
    responses((status = 201, description = "The token, shown once", body = Object)))]
pub(super) async fn create_token(
    State(shared): State<Shared>, Caller(token): Caller, EncounterId(id): EncounterId,
    Parameters(Nothing {}): Parameters<Nothing>, post: Post,
) -> Result<Reply, Problem> {
    let wanted = NewToken::read(post.body).map_err(AppError::from)?;
    let HandedOut { info, token, replayed } = shared.app.hand_out(&id, &token, &wanted, post.key.as_ref()).await?;
    let body = serde_json::to_vec(&TokenAnswer { token: token.reveal(), info: &info }).map_err(AppError::from)?;
    let reply = Reply::json(body).status(StatusCode::CREATED).replayed(replayed);
    Ok(reply.header(CACHE_CONTROL, HeaderValue::from_static("no-store")))
}

/// List the tokens
///
/// The game master's right. Those that last, oldest first, without the tokens themselves.
#[utoipa::path(get, path = "/v1/encounters/{id}/tokens", operation_id = "list_tokens", tag = "tokens",
    params(("id" = String, Path, description = "The encounter")),
    responses((status = 200, description = "The tokens", body = Object)))]
pub(super) async fn list_tokens(
    State(shared): State<Shared>, Caller(token): Caller, EncounterId(id): EncounterId,
    Parameters(Nothing {}): Parameters<Nothing>,
) -> Result<Reply, Problem> {
    let items = shared.app.tokens(&id, &token).await?;
    let body = serde_json::to_vec(&List { items, next_cursor: None }).map_err(AppError::from)?;
    Ok(Reply::json(body).header(CACHE_CONTROL, HeaderValue::from_static("no-store")))
}

/// Revoke a token
///
/// The game master's right. It is at once as if it had never been, and streams that it opened end. The last game master's token that does
/// not end stays.
#[utoipa::path(delete, path = "/v1/encounters/{id}/tokens/{token}", operation_id = "revoke_token", tag = "tokens",
    params(("id" = String, Path, description = "The encounter"),
        ("token" = String, Path, description = "The id of the token, as the list has it: not the token itself")),
    responses((status = 204, description = "Revoked")))]
pub(super) async fn revoke_token(
    State(shared): State<Shared>, Caller(token): Caller, TokenId { encounter, token: revoked }: TokenId,
    Parameters(Nothing {}): Parameters<Nothing>,
) -> Result<Reply, Problem> {
    shared.app.revoke(&encounter, &token, &revoked).await?;
    Ok(Reply::empty(StatusCode::NO_CONTENT))
}
