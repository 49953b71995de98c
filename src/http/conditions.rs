//! Versions in conditional requests: `ETag`, `If-Match`, `If-None-Match`.

use super::Shared;
use super::extract::single;
use super::problem::Problem;
use crate::app::Expected;
use axum::extract::FromRequestParts;
use axum::http::header::{IF_MATCH, IF_NONE_MATCH};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue};

/// What a request says about versions.
pub(super) struct Conditions {
    /// Only at one of these versions.
    pub matching: Option<Expected>,
    /// Only at none of these versions.
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

/// The versions that a list of entity tags names. Weak tags count as strong ones, and a tag that is no version of ours matches
/// none. A bare number is taken for a tag, because shells eat quotes.
fn tags(value: &str) -> Option<Expected> {
    if value.trim() == "*" {
        return Some(Expected::Any);
    }
    let mut versions = Vec::new();
    for tag in value.split(',').map(str::trim).filter(|tag| !tag.is_empty()) {
        let strong = tag.strip_prefix("W/").unwrap_or(tag);
        match strong.strip_prefix('"').and_then(|open| open.strip_suffix('"')) {
            Some(opaque) if opaque.contains('"') => return None,
            Some(opaque) => versions.extend(opaque.parse::<u64>().ok()),
            None => versions.push(strong.parse().ok()?),
        }
    }
    (!value.trim().is_empty()).then_some(Expected::OneOf(versions))
}

/// The entity tag of a version.
pub(super) fn etag(version: u64) -> HeaderValue {
    // Digits in quotes are always a header's value.
    HeaderValue::try_from(format!("\"{version}\"")).unwrap_or(HeaderValue::from_static("\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_version_has_its_tag_and_is_read_back() {
        for version in [0, 9, 10, 13, 999, u64::MAX] {
            let tag = etag(version);
            assert_eq!(tag.to_str().unwrap(), format!("\"{version}\""));
            assert_eq!(tags(tag.to_str().unwrap()), Some(Expected::OneOf(vec![version])));
        }
    }

    #[test]
    fn lists_weak_tags_stars_and_bare_numbers_are_understood_and_rubbish_is_not() {
        assert_eq!(tags("*"), Some(Expected::Any));
        assert_eq!(tags("W/\"3\", \"4\",5"), Some(Expected::OneOf(vec![3, 4, 5])));
        assert_eq!(tags("\"abc\""), Some(Expected::OneOf(vec![])));
        for rubbish in ["", " ", "abc", "\"3", "\"3\"\"", "-1"] {
            assert_eq!(tags(rubbish), None, "{rubbish}");
        }
    }
}
