//! Conditional requests: `ETag`, `If-Match`, `If-None-Match`.

use super::Shared;
use super::extract::single;
use super::problem::Problem;
use crate::app::{Expected, Tag};
use axum::extract::FromRequestParts;
use axum::http::header::{IF_MATCH, IF_NONE_MATCH};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use std::fmt::Display;

/// The conditions of a request.
pub(super) struct Conditions {
    /// Only in one of these states.
    pub matching: Option<Expected>,
    /// Only in none of these states.
    pub none_matching: Option<Expected>,
}

impl FromRequestParts<Shared> for Conditions {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Shared) -> Result<Self, Problem> {
        Ok(Self { matching: read(&parts.headers, IF_MATCH)?, none_matching: read(&parts.headers, IF_NONE_MATCH)? })
    }
}

fn read(headers: &HeaderMap, name: HeaderName) -> Result<Option<Expected>, Problem> {
    let Some(value) = single(headers, &name)? else { return Ok(None) };
    tags(value).map(Some).ok_or_else(|| {
        let detail =
            format!("the header {name} holds an entity tag such as \"13\" in double quotes, several with commas, or *");
        Problem::bad("invalid_header", detail)
    })
}

/// A list of entity tags. Weak tags count as strong ones, and unknown tags match nothing. Quotes may be missing, because shells remove
/// them.
fn tags(value: &str) -> Option<Expected> {
    if value.trim() == "*" {
        return Some(Expected::Any);
    }
    let mut tags = Vec::new();
    for tag in value.split(',').map(str::trim).filter(|tag| !tag.is_empty()) {
        let strong = tag.strip_prefix("W/").unwrap_or(tag);
        match strong.strip_prefix('"').and_then(|open| open.strip_suffix('"')) {
            Some(opaque) if opaque.contains('"') => return None,
            Some(opaque) => tags.extend(opaque.parse::<Tag>().ok()),
            None => tags.push(strong.parse().ok()?),
        }
    }
    (!value.trim().is_empty()).then_some(Expected::OneOf(tags))
}

/// An entity tag, or a plain version, as a header's value.
pub(super) fn etag(tag: impl Display) -> HeaderValue {
    // Digits and letters in quotes are always a header's value.
    HeaderValue::try_from(format!("\"{tag}\"")).unwrap_or(HeaderValue::from_static("\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(tags: &[&str]) -> Option<Expected> {
        Some(Expected::OneOf(tags.iter().map(|tag| tag.parse().expect("a tag")).collect()))
    }

    #[test]
    fn every_tag_is_read_back() {
        for text in ["0", "9", "13", "18446744073709551615", "13-AAAAAAAAAAAAAAAA", "13--_-_-_-_-_-_-_-_"] {
            let tag = etag(text);
            assert_eq!(tag.to_str().unwrap(), format!("\"{text}\""));
            assert_eq!(tags(tag.to_str().unwrap()), listed(&[text]));
            assert_eq!(text.parse::<Tag>().map(|tag| tag.to_string()).as_deref(), Ok(text));
        }
    }

    #[test]
    fn lists_weak_tags_stars_and_bare_numbers_are_understood_and_rubbish_is_not() {
        assert_eq!(tags("*"), Some(Expected::Any));
        assert_eq!(tags("W/\"3\", \"4\",5"), listed(&["3", "4", "5"]));
        for unknown in ["\"abc\"", "\"3-abc\"", "\"3-\"", "\"-AAAAAAAAAAAAAAAA\"", "\"3-AAAAAAAAAAAAAAAAA\""] {
            assert_eq!(tags(unknown), listed(&[]), "{unknown}");
        }
        for rubbish in ["", " ", "abc", "\"3", "\"3\"\"", "-1"] {
            assert_eq!(tags(rubbish), None, "{rubbish}");
        }
    }
}
