//! Posted bodies: each up to its limit, all of a process together up to a budget, and the idempotency keys sent with them.

use super::AppState;
use super::extract::{EncounterId, single};
use super::middleware::TimeLimit;
use super::problem::Problem;
use crate::app::{AnswerSize, AppError, Application, IdempotencyKey, Sender};
use crate::vocabulary::parse;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{FromRequest, FromRequestParts, OptionalFromRequestParts, Request};
use axum::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use http_body_util::BodyExt;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

pub(super) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
pub(super) const PREFER: HeaderName = HeaderName::from_static("prefer");

/// The largest body that is read before its token is checked, in bytes.
const UNCHECKED: u64 = 16 * 1024;

/// The bytes of one permit.
const UNIT: usize = 1024;

/// Minimum characters of the key of a creation without an application. A UUID has more.
const MIN_CREATION_KEY: usize = 22;

/// Maximum bytes of a body that are read after it has become too large, and the time for that. A client that still sends would not read
/// the answer.
const DRAINED: usize = 8 * 1024 * 1024;
const DRAIN_TIME: Duration = Duration::from_secs(2);

/// A posted body, JSON unless another type is named, and the key under which it is applied at most once.
pub(super) struct Post<B = Value> {
    pub body: B,
    pub key: Option<IdempotencyKey>,
    /// When the answer must be on its way.
    pub time: TimeLimit,
    /// The body's share of the budget.
    permit: OwnedSemaphorePermit,
}

/// A posted log.
pub(super) type PostedLog = Post<Bytes>;

impl<B> Post<B> {
    /// The key of a creation by this application. A key yields the tokens of what it creates, and all clients without an application
    /// share their keys: one that two of them may choose is refused.
    pub fn creation_key(&self, application: Option<&Application>) -> Result<Option<&IdempotencyKey>, Problem> {
        let Some(key) = &self.key else { return Ok(None) };
        if application.is_none() && key.key.len() < MIN_CREATION_KEY {
            let detail = format!(
                "The Idempotency-Key of a creation needs {MIN_CREATION_KEY} characters or more: another client with the same key \
                 would get the same token. Send a UUID."
            );
            return Err(Problem::bad("short_idempotency_key", detail));
        }
        Ok(Some(key))
    }
}

impl FromRequest<AppState> for Post {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, Problem> {
        let Post { body, key, time, permit } = receive(request, state, &state.requests).await?;
        Ok(Self { body: parse(&body).map_err(AppError::from)?, key, time, permit })
    }
}

impl FromRequest<AppState> for PostedLog {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, Problem> {
        receive(request, state, &state.imports).await
    }
}

/// The idempotency key of a request without a body.
impl OptionalFromRequestParts<AppState> for IdempotencyKey {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &AppState) -> Result<Option<Self>, Problem> {
        let key = idempotency_key(&parts.headers)?.map(str::to_owned);
        Ok(key.map(|key| Self { key, fingerprint: fingerprint(parts, &[]) }))
    }
}

async fn receive(request: Request, state: &AppState, budget: &Budget) -> Result<Post<Bytes>, Problem> {
    let (mut parts, body) = request.into_parts();
    let Ok(time) = TimeLimit::from_request_parts(&mut parts, state).await;
    let key = idempotency_key(&parts.headers)?.map(str::to_owned);
    check_type(&parts.headers)?;
    if body.size_hint().upper().is_none_or(|size| size > UNCHECKED) {
        check_token(&mut parts, state).await?;
    }
    let (body, permit) = budget.read(body).await?;
    let key = key.map(|key| IdempotencyKey { key, fingerprint: fingerprint(&parts, &body) });
    Ok(Post { body, key, time, permit })
}

/// Refuses an invalid token of an encounter. A path without an encounter needs no token.
async fn check_token(parts: &mut Parts, state: &AppState) -> Result<(), Problem> {
    let Ok(EncounterId(id)) = EncounterId::from_request_parts(parts, state).await else { return Ok(()) };
    // An application's key needs no check here: routes that do not take one have refused it in an earlier extractor.
    let Sender::Token(token) = Sender::from_request_parts(parts, state).await? else { return Ok(()) };
    if state.app.is_valid(&id, &token) || state.app.mark_valid(&id, &token).await? {
        return Ok(());
    }
    Err(AppError::NotFound.into())
}

fn idempotency_key(headers: &HeaderMap) -> Result<Option<&str>, Problem> {
    match single(headers, &IDEMPOTENCY_KEY)? {
        Some(key) if !(1..=255).contains(&key.len()) || !key.bytes().all(|b| b.is_ascii_graphic()) => {
            let detail = "an Idempotency-Key has 1 to 255 visible ASCII characters, such as a UUID, and no spaces";
            Err(Problem::bad("invalid_header", detail))
        }
        key => Ok(key),
    }
}

/// A digest of the request. Requests with equal digests are repetitions. Headers are left out, so that a repetition may send another
/// `Prefer`.
fn fingerprint(parts: &Parts, body: &[u8]) -> [u8; 32] {
    let mut digest = Sha256::new();
    let query = parts.uri.query().unwrap_or_default();
    for field in [parts.method.as_str(), parts.uri.path(), query] {
        digest.update((field.len() as u64).to_be_bytes());
        digest.update(field);
    }
    digest.chain_update(body).finalize().into()
}

/// Refuses a body that is not declared as uncompressed JSON in UTF-8.
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

/// The size of the answer that the client prefers: `Prefer: return=minimal`.
impl FromRequestParts<AppState> for AnswerSize {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &AppState) -> Result<Self, Infallible> {
        let values = parts.headers.get_all(PREFER).iter().filter_map(|value| value.to_str().ok());
        let minimal = values.flat_map(|value| value.split(',')).any(|preference| {
            let preference: String = preference.chars().filter(|c| !c.is_whitespace() && *c != '"').collect();
            preference.eq_ignore_ascii_case("return=minimal")
        });
        Ok(if minimal { Self::Minimal } else { Self::Full })
    }
}

/// The bytes of bodies that the process holds at a time.
#[derive(Clone)]
pub(super) struct Budget {
    /// The largest body, in bytes.
    limit: usize,
    free: Arc<Semaphore>,
}

impl Budget {
    /// A budget of `total` bytes, or of `limit` if that is more: one body of the largest size always fits.
    pub fn new(limit: usize, total: usize) -> Self {
        let units = total.max(limit).div_ceil(UNIT).min(Semaphore::MAX_PERMITS);
        Self { limit, free: Arc::new(Semaphore::new(units)) }
    }

    /// Reads a body. Its permit grows with the bytes that have arrived, so that an announced size takes nothing.
    async fn read(&self, mut body: Body) -> Result<(Bytes, OwnedSemaphorePermit), Problem> {
        let acquire = |units| self.free.clone().try_acquire_many_owned(units).map_err(|_| Problem::busy());
        let (mut bytes, mut permit) = (Vec::new(), acquire(0)?);
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|_| Problem::bad("incomplete_body", "the body ended too early"))?;
            let Ok(data) = frame.into_data() else { continue };
            let size = bytes.len().saturating_add(data.len());
            if size > self.limit {
                drop((bytes, permit));
                let _ = timeout(DRAIN_TIME, drain(body)).await;
                let detail = format!("the body is larger than {} bytes", self.limit);
                return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "body_too_large", detail));
            }
            let more = size.div_ceil(UNIT).saturating_sub(permit.num_permits());
            permit.merge(acquire(u32::try_from(more).map_err(|_| Problem::busy())?)?);
            bytes.extend_from_slice(&data);
        }
        Ok((bytes.into(), permit))
    }
}

/// Reads on and forgets what comes.
async fn drain(mut body: Body) {
    let mut drained = 0_usize;
    while drained < DRAINED
        && let Some(Ok(frame)) = body.frame().await
    {
        drained = drained.saturating_add(frame.data_ref().map_or(0, Bytes::len));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::{StreamExt, stream};

    fn free(budget: &Budget) -> usize {
        budget.free.available_permits() * UNIT
    }

    /// A body that begins with this number of bytes and never ends.
    fn unfinished(bytes: usize) -> Body {
        let begun = stream::iter([Ok::<_, String>(vec![b' '; bytes])]);
        Body::from_stream(begun.chain(stream::pending()))
    }

    async fn refused(budget: &Budget, body: Body) -> u16 {
        budget.read(body).await.map(drop).expect_err("refused").status().as_u16()
    }

    #[tokio::test]
    async fn bodies_are_counted_as_they_arrive_and_until_they_are_dropped() {
        let budget = Budget::new(4 * UNIT, 16 * UNIT);
        let posted = budget.read(Body::from(vec![b' '; 3 * UNIT + 1])).await.expect("room");
        assert_eq!((posted.0.len(), free(&budget)), (3 * UNIT + 1, 12 * UNIT));
        drop(posted);
        assert_eq!(free(&budget), 16 * UNIT);
    }

    #[tokio::test]
    async fn unfinished_bodies_take_no_more_than_the_budget_and_give_it_back() {
        let budget = Budget::new(4 * UNIT, 16 * UNIT);
        let mut readers = Vec::new();
        for _ in 0..40 {
            let budget = budget.clone();
            readers.push(tokio::spawn(async move { budget.read(unfinished(4 * UNIT)).await.map(drop) }));
            tokio::task::yield_now().await;
        }
        tokio::task::yield_now().await;
        let (waiting, turned_away): (Vec<_>, Vec<_>) = readers.into_iter().partition(|reader| !reader.is_finished());
        assert_eq!((waiting.len(), turned_away.len(), free(&budget)), (4, 36, 0));
        for reader in turned_away {
            let problem = reader.await.expect("no panic").expect_err("no room");
            assert_eq!(problem.status(), StatusCode::SERVICE_UNAVAILABLE);
        }
        assert_eq!(refused(&budget, Body::from("x")).await, 503);
        for reader in waiting {
            reader.abort();
            let _ = reader.await;
        }
        assert_eq!(free(&budget), 16 * UNIT);
        assert_eq!(refused(&budget, Body::from(vec![b' '; 4 * UNIT + 1])).await, 413);
    }

    #[test]
    fn a_body_of_the_largest_size_fits_into_the_smallest_budget() {
        assert_eq!(free(&Budget::new(16 * UNIT, 0)), 16 * UNIT);
    }
}
