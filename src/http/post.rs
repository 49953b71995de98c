//! Bodies and idempotency keys of what is posted.

use super::Shared;
use super::body::{BodyPermit, Budget, Share};
use super::extract::{Caller, EncounterId, single};
use super::problem::Problem;
use crate::app::{AppError, IdempotencyKey, Shape};
use crate::vocabulary::parse;
use axum::body::{Bytes, HttpBody};
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use serde_json::Value;
use sha2::{Digest, Sha256};

pub(super) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
pub(super) const PREFER: HeaderName = HeaderName::from_static("prefer");

/// A body of more bytes is read only for a token that is good.
const UNCHECKED: u64 = 16 * 1024;

/// What was posted: JSON, and the key under which it happens at most once.
pub(super) struct Post {
    pub body: Value,
    pub key: Option<IdempotencyKey>,
    _share: Share,
}

impl FromRequest<Shared> for Post {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &Shared) -> Result<Self, Problem> {
        let (BodyPermit { bytes, share }, key) = receive(request, state, &state.budgets.requests).await?;
        Ok(Self { body: parse(&bytes)?, key, _share: share })
    }
}

/// A log that was posted, and the key under which it is imported at most once.
pub(super) struct PostedLog {
    pub body: Bytes,
    pub key: Option<IdempotencyKey>,
    _share: Share,
}

impl FromRequest<Shared> for PostedLog {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &Shared) -> Result<Self, Problem> {
        let (BodyPermit { bytes, share }, key) = receive(request, state, &state.budgets.imports).await?;
        Ok(Self { body: bytes, key, _share: share })
    }
}

/// The body, and the key that was sent with it.
async fn receive(
    request: Request, state: &Shared, budget: &Budget,
) -> Result<(BodyPermit, Option<IdempotencyKey>), Problem> {
    let (mut parts, body) = request.into_parts();
    let key = key(&parts.headers)?.map(str::to_owned);
    check_type(&parts.headers)?;
    if body.size_hint().upper().is_none_or(|size| size > UNCHECKED) {
        check_token(&mut parts, state).await?;
    }
    let held = budget.read(body).await?;
    let key = key.map(|key| IdempotencyKey { key, fingerprint: fingerprint(&parts, &held.bytes) });
    Ok((held, key))
}

/// Refuses what is sent to an encounter with a token that is not good there. What is sent to none has no token.
async fn check_token(parts: &mut Parts, state: &Shared) -> Result<(), Problem> {
    let Ok(EncounterId(id)) = EncounterId::from_request_parts(parts, state).await else { return Ok(()) };
    let Caller(token) = Caller::from_request_parts(parts, state).await?;
    if state.app.is_valid(&id, &token) || state.app.mark_valid(&id, &token).await? {
        return Ok(());
    }
    Err(AppError::NotFound.into())
}

fn key(headers: &HeaderMap) -> Result<Option<&str>, Problem> {
    let key = single(headers, &IDEMPOTENCY_KEY)?;
    match key {
        Some(key) if !(1..=255).contains(&key.len()) || !key.bytes().all(|b| b.is_ascii_graphic()) => {
            let detail = "an Idempotency-Key has 1 to 255 visible ASCII characters, such as a UUID, and no spaces";
            Err(Problem::bad("invalid_header", detail))
        }
        key => Ok(key),
    }
}

/// What makes a request this one and no other; two that differ in nothing of it are repetitions. How much a client wants to be
/// answered is no part of it.
fn fingerprint(parts: &Parts, body: &[u8]) -> [u8; 32] {
    let mut digest = Sha256::new();
    let query = parts.uri.query().unwrap_or_default();
    for part in [parts.method.as_str(), parts.uri.path(), query] {
        digest.update((part.len() as u64).to_be_bytes());
        digest.update(part);
    }
    digest.chain_update(body).finalize().into()
}

/// Refuses a body that is something else than JSON, in UTF-8 and as it is.
fn check_type(headers: &HeaderMap) -> Result<(), Problem> {
    let refused = |code, detail| Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, code, detail);
    let mut parts =
        single(headers, &CONTENT_TYPE)?.unwrap_or_default().split(';').map(|p| p.trim().to_ascii_lowercase());
    let essence = parts.next().unwrap_or_default();
    if essence != "application/json" && !essence.ends_with("+json") {
        return Err(refused("not_json", "the body must be JSON and say so: Content-Type: application/json"));
    }
    let utf8 = |charset: &str| matches!(charset.trim_matches('"'), "utf-8" | "utf8" | "us-ascii");
    if !parts.all(|parameter| parameter.strip_prefix("charset=").is_none_or(utf8)) {
        return Err(refused("not_utf8", "the body must be in UTF-8, as JSON is: Content-Type: application/json"));
    }
    let codings = headers.get_all(CONTENT_ENCODING).iter().flat_map(|value| value.as_bytes().split(|b| *b == b','));
    if codings.map(<[u8]>::trim_ascii).any(|coding| !coding.is_empty() && !coding.eq_ignore_ascii_case(b"identity")) {
        let detail = "the body must be sent as it is, not compressed: without the header Content-Encoding";
        return Err(refused("encoded_body", detail).with(ACCEPT_ENCODING, HeaderValue::from_static("identity")));
    }
    Ok(())
}

/// How much the client wants to be answered: `Prefer: return=minimal`.
pub(super) struct Preferred(pub Shape);

impl FromRequestParts<Shared> for Preferred {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &Shared) -> Result<Self, Self::Rejection> {
        let values = parts.headers.get_all(PREFER).iter().filter_map(|value| value.to_str().ok());
        let minimal = values.flat_map(|value| value.split(',')).any(|preference| {
            let preference: String = preference.chars().filter(|c| !c.is_whitespace() && *c != '"').collect();
            preference.eq_ignore_ascii_case("return=minimal")
        });
        Ok(Self(if minimal { Shape::Minimal } else { Shape::Full }))
    }
}
