//! The documents and manifests of the repository, compressed by `build.rs`. They never change while
//! a program runs.

use super::extract::{Conditions, weight};
use super::reply::Reply;
use crate::app::{AppError, Tag};
use axum::body::Bytes;
use axum::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, VARY};
use axum::http::{HeaderMap, HeaderValue};
use flate2::read::GzDecoder;
use std::io::{self, Read};

/// The document that fits all rulesets.
const ENVELOPE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/openapi.json.gz"));

/// The list of the rulesets.
pub(super) const LIST: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/rulesets.json.gz"));

/// The list of the tools of `/mcp`.
pub(super) const TOOLS_LIST: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/mcp.json.gz"));

/// What is published about one ruleset.
pub(super) struct Published {
    /// The id of the ruleset.
    pub id: &'static str,
    /// Its document, compressed.
    pub document: &'static [u8],
    /// The address of its document, relative to the page at `/docs`.
    pub document_from_docs: &'static str,
    /// Its manifest, compressed.
    pub manifest: &'static [u8],
}

/// What is published about each ruleset.
pub(super) const RULESETS: &[Published] = &include!(concat!(env!("OUT_DIR"), "/published.rs"));

/// The OpenAPI document of a ruleset, or the one that fits all rulesets. None if there is no such
/// ruleset.
///
/// # Errors
/// When the program's copy of the document is damaged.
pub fn document(ruleset: Option<&str>) -> io::Result<Option<String>> {
    let packed = match ruleset {
        None => Some(ENVELOPE),
        Some(id) => RULESETS
            .iter()
            .find(|known| known.id == id)
            .map(|known| known.document),
    };
    packed.map(unpacked).transpose()
}

/// The ids of the rulesets, for people.
pub fn ruleset_ids() -> String {
    let ids: Vec<&str> = RULESETS.iter().map(|known| known.id).collect();
    ids.join(", ")
}

/// The answer of `/openapi.json`.
pub(super) fn envelope(headers: &HeaderMap, conditions: &Conditions) -> Result<Reply, AppError> {
    reply(ENVELOPE, headers, conditions)
}

/// A packed text as an answer, unpacked for a client that does not read gzip.
pub(super) fn reply(
    packed: &'static [u8],
    headers: &HeaderMap,
    conditions: &Conditions,
) -> Result<Reply, AppError> {
    let codings = headers
        .get(ACCEPT_ENCODING)
        .and_then(|value| value.to_str().ok());
    let reply = if weight(codings.unwrap_or_default(), "gzip") > 0 {
        Reply::json(Bytes::from_static(packed))
            .header(CONTENT_ENCODING, HeaderValue::from_static("gzip"))
    } else {
        let text = unpacked(packed).map_err(|error| AppError::Internal(error.to_string()))?;
        Reply::json(text)
    };
    let reply = reply.public(&Tag::of_body(packed), conditions);
    Ok(reply.header(VARY, HeaderValue::from_static("accept-encoding")))
}

/// The text that was packed.
pub(super) fn unpacked(packed: &[u8]) -> io::Result<String> {
    let mut text = String::new();
    GzDecoder::new(packed).read_to_string(&mut text)?;
    Ok(text)
}
