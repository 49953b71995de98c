//! Extractors: what a handler gets is well-formed, or the handler is never called.

use super::Shared;
use super::problem::Problem;
use crate::app::{AppError, BearerToken};
use crate::vocabulary::read_query;
use axum::extract::{FromRequestParts, Path};
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// The encounter that the path names; whatever cannot be an id is no encounter.
pub(super) struct EncounterId(pub String);

impl FromRequestParts<Shared> for EncounterId {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &Shared) -> Result<Self, Problem> {
        let id = Path::<String>::from_request_parts(parts, state).await.map(|Path(id)| id).unwrap_or_default();
        if sound(&id) { Ok(Self(id)) } else { Err(AppError::NotFound.into()) }
    }
}

/// The encounter and the token that the path names; whatever cannot be an id is none.
pub(super) struct TokenId {
    pub encounter: String,
    pub token: String,
}

impl FromRequestParts<Shared> for TokenId {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &Shared) -> Result<Self, Problem> {
        let ids = Path::<(String, String)>::from_request_parts(parts, state).await;
        let (encounter, token) = ids.map(|Path(ids)| ids).unwrap_or_default();
        if sound(&encounter) { Ok(Self { encounter, token }) } else { Err(AppError::NotFound.into()) }
    }
}

/// Whether it can be an encounter's id.
pub(super) fn sound(id: &str) -> bool {
    let sound = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
    !id.is_empty() && id.len() <= 64 && id.bytes().all(sound)
}

/// Whoever sends the request, by a bearer token.
pub(super) struct Caller(pub BearerToken);

impl FromRequestParts<Shared> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Shared) -> Result<Self, Problem> {
        const MISSING: &str = "send the encounter's token in the header: Authorization: Bearer tk_...";
        const MALFORMED: &str = "this is no token of ours: the header is Authorization: Bearer tk_...";
        const KEY: &str =
            "this is an application's key, which opens no encounter: send the token that the creation answered with";
        let credential = bearer(&parts.headers).map_err(|malformed| malformed.told(MALFORMED))?;
        let credential = credential.ok_or(Problem::unauthorized(MISSING))?;
        let wrong = if credential.starts_with("tk_app_") { KEY } else { MALFORMED };
        BearerToken::read(credential).map(Self).ok_or_else(|| Problem::unauthorized(wrong))
    }
}

/// What is wrong with an `Authorization` header.
pub(super) enum Malformed {
    /// It stands there twice, or holds what no header should.
    Unreadable,
    /// It is not `Bearer` and something.
    NoBearer,
}

impl Malformed {
    /// The problem, where `other` says what the header should hold.
    pub fn told(self, other: &'static str) -> Problem {
        Problem::unauthorized(match self {
            Self::Unreadable => "the header authorization must stand there once, in visible ASCII characters",
            Self::NoBearer => other,
        })
    }
}

/// What the header `Authorization: Bearer ...` holds; None where there is no such header.
pub(super) fn bearer(headers: &HeaderMap) -> Result<Option<&str>, Malformed> {
    let Some(value) = single(headers, &AUTHORIZATION).map_err(|_| Malformed::Unreadable)? else { return Ok(None) };
    let (scheme, credential) = value.split_once(' ').ok_or(Malformed::NoBearer)?;
    if scheme.eq_ignore_ascii_case("bearer") { Ok(Some(credential.trim())) } else { Err(Malformed::NoBearer) }
}

/// The query's parameters; one that is not among the fields of `T` is refused.
pub(super) struct Parameters<T>(pub T);

impl<T: DeserializeOwned> FromRequestParts<Shared> for Parameters<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Shared) -> Result<Self, Problem> {
        let query = parts.uri.query().unwrap_or_default();
        read_query(query).map(Self).map_err(Problem::parameter)
    }
}

/// No query parameter at all.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Nothing {}

/// The value of a header that may stand there once; None when it does not.
pub(super) fn single<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Result<Option<&'h str>, Problem> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    let text = value.to_str().ok().filter(|_| values.next().is_none());
    text.map(Some).ok_or_else(|| {
        Problem::bad("invalid_header", format!("the header {name} must stand there once, in visible ASCII characters"))
    })
}
