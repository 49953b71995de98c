//! Creates, lists and revokes tokens.

use super::AppState;
use super::extract::{EncounterId, NoParameters, Parameters};
use super::post::Post;
use super::problem::Problem;
use super::reply::{ListPage, Reply};
use crate::app::{AppError, BearerToken, HandedOut, IdempotencyKey, MAX_TOKENS, Sender};
use crate::engine::{NewToken, Viewer};
use crate::json::read;
use crate::openapi::*;
use crate::vocabulary::Int;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// A new token.
#[derive(Serialize, ToSchema)]
#[schema(as = CreatedToken)]
pub(super) struct TokenAnswer<'a> {
    /// The token. No other answer shows it.
    token: &'a str,
    /// Its entry in the list of tokens.
    #[serde(flatten)]
    info: &'a Viewer,
}

impl<'a> TokenAnswer<'a> {
    /// Shows a new token.
    pub fn of(new: &'a HandedOut) -> Self {
        Self {
            token: new.token.reveal(),
            info: &new.info,
        }
    }
}

/// Create a token
///
/// Needs a game master's token, or for a game master's token the key of the application that
/// created the encounter. The server keeps only a digest of the new token. A player's token acts
/// for the combatants that it names. For a combatant that joins later, create a new token.
#[utoipa::path(post, path = "/v1/encounters/{id}/tokens", tag = "tokens",
    security(("token" = []), ("application" = [])),
    params(EncounterId, ("Idempotency-Key" = Option<String>, Header,
        description = IDEMPOTENCY_KEY)),
    request_body = NewToken,
    responses((status = 201, description = "The token", body = TokenAnswer<'_>,
        headers(("Idempotency-Replayed")),
            links(("revoke" = (operation_id = "revoke_token", description = "Revokes this token.",
                parameters(("id" = "$request.path.id"), ("token" = "$response.body#/id")))))),
        BadRequest, Unauthorized, Forbidden, NotFound, RequestTimeout, Conflict, PayloadTooLarge,
        UnsupportedMediaType,
        UnprocessableEntity, TooManyRequests, ServiceUnavailable))]
pub(super) async fn create_token(
    State(shared): State<AppState>,
    sender: Sender,
    EncounterId(id): EncounterId,
    _: NoParameters,
    post: Post,
) -> Result<Reply, Problem> {
    let wanted = read(&post.body).map_err(AppError::from)?;
    let new = shared
        .app
        .hand_out(&id, &sender, &wanted, post.key.as_ref())
        .await?;
    Ok(Reply::of(&TokenAnswer::of(&new))?
        .status(StatusCode::CREATED)
        .replayed(new.replayed))
}

/// The page of the list to read.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct TokensQuery {
    /// The `next_cursor` of the page before. Without it, the list begins with the oldest token.
    cursor: Option<String>,
    /// The maximum number of tokens on the page.
    #[param(value_type = Option<usize>, default = 100, minimum = 1, maximum = 100)]
    limit: Option<Int<1, 100>>,
}

/// List the tokens
///
/// Needs a game master's token. Returns the valid tokens, oldest first, without their secrets.
#[utoipa::path(get, path = "/v1/encounters/{id}/tokens", tag = "tokens", security(("token" = [])),
    params(EncounterId, TokensQuery),
    responses((status = 200, description = "A page of the tokens", body = inline(ListPage<Viewer>),
        headers(("Link"))),
        BadRequest, UnprocessableEntity, Unauthorized, Forbidden, NotFound, RequestTimeout, TooManyRequests,
        ServiceUnavailable))]
pub(super) async fn list_tokens(
    State(shared): State<AppState>,
    token: BearerToken,
    EncounterId(id): EncounterId,
    Parameters(TokensQuery { cursor, limit }): Parameters<TokensQuery>,
) -> Result<Reply, Problem> {
    let limit = limit.map_or(MAX_TOKENS, |limit| limit.count() as usize);
    let (items, next_cursor) = shared
        .app
        .tokens(&id, &token, cursor.as_deref(), limit)
        .await?;
    let next = next_cursor
        .as_ref()
        .map(|next| format!("?cursor={next}&limit={limit}"));
    Ok(Reply::of(&ListPage { items, next_cursor })?.next_page(next))
}

/// Replace your token
///
/// Any token may replace itself. The new token has the same id, role, name, combatants and expiry.
/// The old one is invalid at once, and its streams end. Send an `Idempotency-Key`: for ten minutes
/// the same request with the old token returns the new token again. After that, or if the new token
/// is not valid any more, the old token is unknown.
#[utoipa::path(post, path = "/v1/encounters/{id}/tokens/replace", tag = "tokens",
    security(("token" = [])),
    params(EncounterId, ("Idempotency-Key" = Option<String>, Header,
        description = IDEMPOTENCY_KEY)),
    responses((status = 200, description = "The new token", body = TokenAnswer<'_>,
        headers(("Idempotency-Replayed"))),
        BadRequest, Unauthorized, NotFound, RequestTimeout, UnprocessableEntity, TooManyRequests,
        ServiceUnavailable))]
pub(super) async fn replace_token(
    State(shared): State<AppState>,
    token: BearerToken,
    EncounterId(id): EncounterId,
    _: NoParameters,
    key: Option<IdempotencyKey>,
) -> Result<Reply, Problem> {
    let new = shared.app.replace(&id, &token, key.as_ref()).await?;
    Ok(Reply::of(&TokenAnswer::of(&new))?.replayed(new.replayed))
}

/// Revoke a token
///
/// Needs a game master's token. The revoked token is invalid at once, and its streams end. The last
/// game master's token that never expires cannot be revoked.
#[utoipa::path(delete, path = "/v1/encounters/{id}/tokens/{token}", tag = "tokens",
    security(("token" = [])),
    params(EncounterId, ("token" = String, Path,
        description = "The id of the token from the list, not the token itself.")),
    responses((status = 204, description = "The token is revoked"),
        BadRequest, UnprocessableEntity, Unauthorized, Forbidden, NotFound, RequestTimeout, Conflict, TooManyRequests,
        ServiceUnavailable))]
pub(super) async fn revoke_token(
    State(shared): State<AppState>,
    token: BearerToken,
    EncounterId(id): EncounterId,
    Path((_, revoked)): Path<(String, String)>,
    _: NoParameters,
) -> Result<Reply, Problem> {
    shared.app.revoke(&id, &token, &revoked).await?;
    Ok(Reply::empty(StatusCode::NO_CONTENT))
}
