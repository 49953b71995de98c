//! Errors as problem documents (RFC 9457). Only this file maps errors to statuses.

use super::headers::{RATE_LIMIT, RATE_LIMIT_POLICY, REQUEST_ID};
use crate::app::{AppError, ENCOUNTER_STREAMS, MAX_DOCUMENT, TOKEN_STREAMS};
use crate::engine::Refusal;
use crate::json::{ErrorKind, FieldError};
use crate::openapi::{problem_code, title};
use crate::vocabulary::{Ground, Pending, Violation};
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, ALLOW, CONNECTION, CONTENT_TYPE,
    HeaderName, RETRY_AFTER, VARY, WWW_AUTHENTICATE,
};
use axum::http::{HeaderValue, Response, StatusCode};
use axum::response::IntoResponse;
use serde::Serialize;
use std::borrow::Cow;
use utoipa::ToSchema;

/// Why the server refuses a request.
#[derive(Debug, Clone)]
pub(super) struct Problem(Box<ProblemDocument>);

/// A problem, for programs and for people.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
#[schema(as = Problem)]
pub(super) struct ProblemDocument {
    /// The URI of this kind of problem: `/problems/` and the code. `GET` explains it.
    #[serde(rename = "type")]
    #[schema(format = "uri-reference")]
    kind: String,
    /// The code in words.
    title: String,
    /// The HTTP status.
    status: u16,
    /// The problem and the remedy.
    detail: Cow<'static, str>,
    /// The path of the request.
    instance: String,
    /// The id of the request, as in the header `X-Request-Id`.
    request_id: Option<String>,
    /// A stable name for programs.
    #[schema(schema_with = problem_code)]
    code: &'static str,
    /// The rule that refuses the request.
    rule: Option<&'static str>,
    /// The fields that are wrong: the first one, or for a new encounter the first one of each
    /// combatant, at most 20.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(inline)]
    errors: Vec<FieldError>,
    /// The version of the encounter.
    current_version: Option<u64>,
    /// The pending decision, if the rules refuse a command.
    pending: Option<Box<Pending>>,
    /// The oldest version that the log holds.
    oldest_version: Option<u64>,
    #[serde(skip)]
    header: Option<(HeaderName, HeaderValue)>,
}

impl ProblemDocument {
    /// The problem and the remedy.
    pub fn detail(&self) -> &str {
        &self.detail
    }
}

impl Problem {
    pub fn new(
        status: StatusCode,
        code: &'static str,
        detail: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self(Box::new(ProblemDocument {
            kind: format!("/problems/{code}"),
            title: title(code),
            status: status.as_u16(),
            detail: detail.into(),
            code,
            ..ProblemDocument::default()
        }))
    }

    /// Bytes that are no request: 400.
    pub fn bad(code: &'static str, detail: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, code, detail)
    }

    /// More headers than a request may have.
    pub fn headers_too_large() -> Self {
        let detail = "Too many headers, or too large ones. Send at most 100, of 64 KiB in all.";
        Self::new(
            StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            "headers_too_large",
            detail,
        )
    }

    /// A bad query parameter: 422.
    pub fn parameter(error: FieldError) -> Self {
        Self::fields(vec![error], "invalid_query")
    }

    /// Nothing at the path, or nothing that the token may see: 404.
    pub fn not_found(detail: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", detail)
    }

    /// The right shape with a value that makes no sense: 422.
    fn unprocessable(code: &'static str, detail: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, code, detail)
    }

    /// No token, or one that cannot be one.
    pub fn unauthorized(detail: &'static str) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "unauthorized", detail)
            .with(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))
    }

    /// Too many requests. The client may go on after `seconds`.
    pub fn too_often(detail: String, seconds: u64) -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", detail)
            .with(RETRY_AFTER, HeaderValue::from(seconds))
    }

    /// A request that misses its deadline.
    pub fn too_late() -> Self {
        Self::unavailable(
            "too_late",
            "The server had no time left to answer, so the request may have been applied. Send it \
             again with the same Idempotency-Key.",
        )
    }

    /// The process has too much work to take more.
    pub fn busy() -> Self {
        Self::unavailable(
            "busy",
            "The server has too much to do or is shutting down. This attempt changed nothing. Send \
             the request again, with the same Idempotency-Key if it has one.",
        )
    }

    /// A reason that the request cannot change. The client may try again in a second.
    pub fn unavailable(code: &'static str, detail: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, code, detail)
            .with(RETRY_AFTER, HeaderValue::from_static("1"))
    }

    /// The problem for a status that no handler chose, such as 405.
    pub fn of_status(status: StatusCode) -> Self {
        match status {
            StatusCode::NOT_FOUND => {
                Self::not_found("Unknown path. GET /openapi.json lists the paths.")
            }
            StatusCode::METHOD_NOT_ALLOWED => Self::new(
                status,
                "method_not_allowed",
                "Method not allowed here. The header Allow lists the methods of this path.",
            ),
            StatusCode::REQUEST_TIMEOUT => Self::new(
                status,
                "request_timeout",
                "The request took too long to arrive. Send it again.",
            ),
            StatusCode::INTERNAL_SERVER_ERROR => Self::new(
                status,
                "internal_error",
                "The server failed. Report the request_id to its operator.",
            ),
            _ if status.is_server_error() => Self::new(
                status,
                "internal_error",
                "The server failed. Send the request again later.",
            ),
            _ => Self::new(
                status,
                "bad_request",
                "The server cannot read the request. Check its method, path and headers.",
            ),
        }
    }

    /// Bad fields: 422. What is no JSON, or has a field twice, is 400.
    fn fields(errors: Vec<FieldError>, code: &'static str) -> Self {
        let first = errors
            .first()
            .map(FieldError::to_string)
            .unwrap_or_default();
        let detail = match errors.len() {
            0 | 1 => first,
            n => format!("{first} (`errors` lists {n})"),
        };
        let mut problem = match errors
            .iter()
            .map(|error| error.kind)
            .find(|kind| *kind != ErrorKind::Meaningless)
        {
            None => Self::unprocessable("invalid_value", detail),
            // A part of the body, such as an entry of an imported log, is a field like any other.
            Some(ErrorKind::NotJson) if errors.iter().all(|error| error.path.is_empty()) => {
                return Self::bad("invalid_json", detail);
            }
            Some(ErrorKind::Twice) => Self::bad("duplicate_field", detail),
            Some(_) => Self::unprocessable(code, detail),
        };
        problem.0.errors = errors;
        problem
    }

    fn at(mut self, error: FieldError) -> Self {
        self.0.errors.push(error);
        self
    }

    pub fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.0.header = Some((name, value));
        self
    }

    /// Writes the answer to a request for `path`. Headers of the status and of the middleware stay.
    pub fn render<B: From<Vec<u8>>>(mut self, path: &str, response: &mut Response<B>) {
        const PRESERVED: [HeaderName; 8] = [
            ALLOW,
            CONNECTION,
            RATE_LIMIT,
            RATE_LIMIT_POLICY,
            VARY,
            ACCESS_CONTROL_ALLOW_ORIGIN,
            ACCESS_CONTROL_EXPOSE_HEADERS,
            REQUEST_ID,
        ];
        let header = self.0.header.take();
        let request_id = response.headers().get(REQUEST_ID);
        let request_id = request_id.and_then(|id| id.to_str().ok());
        // Text and numbers always serialise.
        let body = serde_json::to_vec(&self.document(path, request_id)).unwrap_or_default();
        let before = std::mem::take(response.headers_mut());
        let headers = response.headers_mut();
        headers.insert(
            CONTENT_TYPE,
            HeaderValue::from_static("application/problem+json"),
        );
        for name in PRESERVED {
            headers.extend(
                before
                    .get_all(&name)
                    .iter()
                    .map(|value| (name.clone(), value.clone())),
            );
        }
        headers.extend(header);
        *response.body_mut() = body.into();
    }

    /// The problem and the remedy.
    pub fn detail(&self) -> &str {
        &self.0.detail
    }

    /// The code, one of those at `/problems`.
    pub fn code(&self) -> &'static str {
        self.0.code
    }

    /// The problem document of a request for `path`.
    pub fn document(mut self, path: &str, request_id: Option<&str>) -> ProblemDocument {
        self.0.instance = without_tokens(path);
        self.0.request_id = request_id.map(str::to_owned);
        *self.0
    }

    /// The status of the answer.
    pub fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.0.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }
}

/// The path without the steps that may hold a token, percent-encoded or not.
fn without_tokens(path: &str) -> String {
    let mut steps: Vec<&str> = path.split('/').collect();
    for step in &mut steps {
        let mut decoded = form_urlencoded::parse(step.as_bytes());
        if decoded.any(|(name, value)| name.contains("tk_") || value.contains("tk_")) {
            *step = "tk_...";
        }
    }
    steps.join("/")
}

/// The middleware renders the response, because it knows the path.
impl IntoResponse for Problem {
    fn into_response(self) -> axum::response::Response {
        let mut response = self.status().into_response();
        response.extensions_mut().insert(self);
        response
    }
}

impl From<AppError> for Problem {
    fn from(error: AppError) -> Self {
        match error {
            AppError::NotFound => {
                Self::not_found("Unknown encounter, or a token that is not valid for it.")
            }
            AppError::NoToken => {
                Self::not_found("Unknown token. GET the list of tokens for their ids.")
            }
            AppError::Refused(refusal) => refusal.into(),
            AppError::NotNow {
                refusal,
                current,
                pending,
            } => {
                let mut problem = Self::from(refusal);
                problem.0.current_version = Some(current);
                problem.0.pending = pending;
                problem
            }
            AppError::Stale { current } => {
                let detail = format!(
                    "The encounter has changed: it is at version {current}. Read it again and decide again."
                );
                let mut problem =
                    Self::new(StatusCode::PRECONDITION_FAILED, "stale_version", detail);
                problem.0.current_version = Some(current);
                problem
            }
            AppError::FutureVersion { current } => {
                let detail = format!("Unknown version: the encounter is at version {current}.");
                let mut problem = Self::unprocessable("no_such_version", detail);
                problem.0.current_version = Some(current);
                problem
            }
            AppError::Pruned { oldest } => {
                let detail = format!(
                    "The log no longer holds this version. Its oldest version is {oldest}."
                );
                let mut problem = Self::new(StatusCode::GONE, "version_gone", detail);
                problem.0.rule = Some("TK-8");
                problem.0.oldest_version = Some(oldest);
                problem
            }
            AppError::Rewritten { oldest } => {
                let detail = "The log was rewritten since this id. Read the encounter again.";
                let mut problem = Self::new(StatusCode::GONE, "version_gone", detail);
                problem.0.rule = Some("TK-8");
                problem.0.oldest_version = Some(oldest);
                problem
            }
            AppError::AnswerPruned { version } => {
                let detail = format!(
                    "This request was applied before and made version {version}, and the log no \
                     longer holds its answer. Read the encounter."
                );
                Self::new(StatusCode::GONE, "answer_gone", detail)
            }
            AppError::KeyReused => Self::unprocessable(
                "idempotency_key_reused",
                "This Idempotency-Key was used for another request. Send a new key with each \
                 request.",
            ),
            AppError::TooLarge { size } => {
                let detail = format!(
                    "The encounter would take {size} bytes, more than the maximum of \
                     {MAX_DOCUMENT}. Remove something."
                );
                Self::unprocessable("encounter_too_large", detail)
            }
            AppError::Inconsistent(error) => {
                Self::unprocessable("inconsistent_log", error.to_string()).at(error)
            }
            AppError::Contended => {
                let detail = "Other requests changed the encounter first. This attempt changed \
                              nothing. Send the request again, with the same Idempotency-Key if it \
                              has one.";
                Self::unavailable("contended", detail)
            }
            AppError::Busy => Self::busy(),
            AppError::TooManyStreams => {
                let detail = format!(
                    "A token can hold {TOKEN_STREAMS} streams open, an encounter \
                     {ENCOUNTER_STREAMS}, with the pages that wait. Close another one first."
                );
                Self::new(StatusCode::TOO_MANY_REQUESTS, "too_many_streams", detail)
                    .with(RETRY_AFTER, HeaderValue::from_static("5"))
            }
            AppError::Unavailable(reason) => {
                tracing::warn!(%reason, "the store is away");
                let detail = "The store does not answer, so the request may have been applied. Send \
                              it again with the same Idempotency-Key.";
                Self::unavailable("store_away", detail)
            }
            AppError::StoreRefuses(reason) => {
                tracing::warn!(%reason, "the store refuses to write");
                let detail = "The store takes no writes now. This attempt changed nothing. Send \
                              the request again later, with the same Idempotency-Key if it has \
                              one.";
                Self::unavailable("store_away", detail)
            }
            AppError::Foreign(reason) => {
                tracing::error!(%reason, "stored by another program");
                Self::unavailable("foreign_document", reason)
            }
            AppError::Internal(reason) => {
                tracing::error!(%reason, "broken");
                Self::of_status(StatusCode::INTERNAL_SERVER_ERROR)
            }
        }
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Fields(errors) => Self::fields(errors, "invalid_body"),
            Refusal::Stopped => Self::too_late(),
            Refusal::Forbidden { path, detail } => {
                let problem = Self::new(StatusCode::FORBIDDEN, "forbidden", detail.clone());
                if path.is_empty() {
                    problem
                } else {
                    problem.at(FieldError::meaningless(path, detail))
                }
            }
            Refusal::Violation {
                path,
                violation:
                    Violation {
                        code,
                        ground,
                        detail,
                    },
            } => match ground {
                Ground::Rule(rule) => {
                    let mut problem = Self::new(StatusCode::CONFLICT, code, detail.clone());
                    problem.0.rule = Some(rule);
                    if path.is_empty() {
                        problem
                    } else {
                        problem.at(FieldError::meaningless(path, detail))
                    }
                }
                Ground::Field(field) => {
                    let error = FieldError::meaningless(field, detail.clone()).within(&path);
                    Self::unprocessable(code, detail).at(error)
                }
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_body_that_is_no_json_is_named_and_a_body_is_not() {
        for (path, status, code, paths) in [
            ("", StatusCode::BAD_REQUEST, "invalid_json", vec![]),
            (
                "entries.3",
                StatusCode::UNPROCESSABLE_ENTITY,
                "invalid_body",
                vec!["entries.3"],
            ),
        ] {
            let error = FieldError {
                path: path.to_owned(),
                message: "no JSON".to_owned(),
                kind: ErrorKind::NotJson,
            };
            let problem = Problem::fields(vec![error], "invalid_body");
            let named: Vec<_> = problem
                .0
                .errors
                .iter()
                .map(|error| error.path.as_str())
                .collect();
            assert_eq!(
                (problem.status(), problem.0.code, named),
                (status, code, paths)
            );
        }
    }

    #[test]
    fn what_was_not_tried_says_nothing_of_earlier_attempts_under_its_key() {
        let refusals = [
            AppError::Busy,
            AppError::Contended,
            AppError::StoreRefuses("full".to_owned()),
        ];
        for refusal in refusals {
            let problem = Problem::from(refusal);
            let said = "This attempt changed nothing. Send the request again";
            assert!(problem.0.detail.contains(said), "{}", problem.0.detail);
            assert!(problem.0.detail.contains("the same Idempotency-Key"));
        }
    }

    #[test]
    fn what_is_refused_for_too_much_work_can_be_sent_again_in_a_second() {
        let problem = Problem::from(AppError::Busy);
        let document = (problem.status(), problem.0.code, problem.0.header);
        let again = Some((RETRY_AFTER, HeaderValue::from_static("1")));
        assert_eq!(document, (StatusCode::SERVICE_UNAVAILABLE, "busy", again));
    }
}
