//! Whether a client would rather read plain text.

use super::Shared;
use axum::extract::FromRequestParts;
use axum::http::header::ACCEPT;
use axum::http::request::Parts;
use std::convert::Infallible;

/// True when the client asks for `text/plain` more than for JSON.
pub(super) struct PlainText(pub bool);

impl FromRequestParts<Shared> for PlainText {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &Shared) -> Result<Self, Infallible> {
        let accept = parts.headers.get(ACCEPT).and_then(|value| value.to_str().ok());
        Ok(Self(accept.is_some_and(|accept| weight(accept, "text", "plain") > weight(accept, "application", "json"))))
    }
}

/// The weight that an `Accept` header gives to a media type, in thousandths: that of its most specific range.
pub(super) fn weight(accept: &str, kind: &str, subtype: &str) -> u16 {
    let ranges = accept.split(',').filter_map(|range| {
        let mut parts = range.split(';').map(str::trim);
        let (k, s) = parts.next()?.split_once('/')?;
        let specific = match (k, s) {
            ("*", "*") => 1,
            (k, "*") if k.eq_ignore_ascii_case(kind) => 2,
            (k, s) if k.eq_ignore_ascii_case(kind) && s.eq_ignore_ascii_case(subtype) => 3,
            _ => return None,
        };
        let q = parts.find_map(|parameter| parameter.strip_prefix("q=")).map_or(Some(1.0), |q| q.parse::<f32>().ok());
        Some((specific, (q?.clamp(0.0, 1.0) * 1000.0) as u16))
    });
    ranges.max().map_or(0, |(_, q)| q)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_served_only_where_it_is_wanted_more_than_json() {
        let text = |accept| weight(accept, "text", "plain") > weight(accept, "application", "json");
        for yes in ["text/plain", "text/*", "text/plain;q=0.9, application/json;q=0.1", "TEXT/plain, */*;q=0.1"] {
            assert!(text(yes), "{yes}");
        }
        for no in ["*/*", "application/json, text/plain, */*", "text/html", "", "text/plain;q=x", "text/plain;q=0"] {
            assert!(!text(no), "{no}");
        }
    }
}
