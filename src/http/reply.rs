//! Answers: serialised bodies with their headers.

use super::extract::Conditions;
use super::headers::{ENCOUNTER_VERSION, REPLAYED};
use crate::app::{AppError, Tag};
use axum::body::{Body, Bytes};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, LINK, VARY};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

/// A list.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct List<T> {
    /// The items.
    pub items: Vec<T>,
}

/// A page of a list.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ListPage<T> {
    /// The items.
    pub items: Vec<T>,
    /// The `cursor` of the next page; null on the last page.
    #[schema(required = true)]
    pub next_cursor: Option<String>,
}

/// A builder of answers.
pub(super) struct Reply(Response);

impl Reply {
    /// Serialised JSON.
    pub fn json(body: impl Into<Bytes>) -> Self {
        let mut response = Response::new(Body::from(body.into()));
        // Most answers have fewer headers, so that the map grows once.
        response.headers_mut().reserve(12);
        response
            .headers_mut()
            .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        Self(response)
    }

    /// A value as JSON.
    pub fn of(body: &impl Serialize) -> Result<Self, AppError> {
        Ok(Self::json(serde_json::to_vec(body)?))
    }

    /// Plain text.
    pub fn text(body: String) -> Self {
        Self(body.into_response())
    }

    /// No body.
    pub fn empty(status: StatusCode) -> Self {
        Self(status.into_response())
    }

    pub fn status(mut self, status: StatusCode) -> Self {
        *self.0.status_mut() = status;
        self
    }

    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.0.headers_mut().insert(name, value);
        self
    }

    /// Adds the version of the encounter that it shows, for the next `If-Match`.
    pub fn version(self, version: u64) -> Self {
        self.header(ENCOUNTER_VERSION, HeaderValue::from(version))
    }

    /// Adds the tag of the encounter that it holds.
    pub fn encounter_tag(self, tag: Option<&Tag>) -> Self {
        match tag {
            Some(tag) => self.header(ETAG, etag(tag)),
            None => self,
        }
    }

    /// Adds the tag of what one viewer sees in one format, and the version of the encounter. Caches
    /// must revalidate it.
    pub fn tagged(self, tag: &Tag) -> Self {
        let reply = self.version(tag.version()).encounter_tag(Some(tag));
        let reply = reply.header(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
        reply.header(VARY, HeaderValue::from_static("accept, authorization"))
    }

    /// Adds the tag of an answer that is the same for all clients, and answers 304 if the client
    /// has it. Caches must revalidate it.
    pub fn public(self, tag: &Tag, conditions: &Conditions) -> Self {
        let reply = if conditions.is_known(tag) {
            Self::empty(StatusCode::NOT_MODIFIED)
        } else {
            self
        };
        reply
            .header(ETAG, etag(tag))
            .header(CACHE_CONTROL, HeaderValue::from_static("no-cache"))
    }

    /// Adds the address of the next page relative to this one, if there is one.
    pub fn next_page(self, address: Option<String>) -> Self {
        let Some(address) = address else { return self };
        match HeaderValue::try_from(format!("<{address}>; rel=\"next\"")) {
            Ok(link) => self.header(LINK, link),
            Err(_) => self,
        }
    }

    /// Marks a repeated answer.
    pub fn replayed(self, replayed: bool) -> Self {
        if replayed {
            self.header(REPLAYED, HeaderValue::from_static("true"))
        } else {
            self
        }
    }
}

impl IntoResponse for Reply {
    fn into_response(self) -> Response {
        self.0
    }
}

/// An entity tag as a header's value.
fn etag(tag: &Tag) -> HeaderValue {
    // Digits and letters in quotes are always a header's value.
    HeaderValue::try_from(format!("\"{tag}\"")).unwrap_or(HeaderValue::from_static("\"\""))
}
