//! Extractors: a handler runs only if what it extracts is well-formed.

use super::AppState;
use super::problem::Problem;
use crate::app::{
    AppError, Application, BearerToken, Expected, Include, Representation, Sender, Tag,
};
use crate::json::read_query;
use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::header::{ACCEPT, AUTHORIZATION, IF_MATCH, IF_NONE_MATCH};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, StatusCode};
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error};
use std::borrow::Cow;
use std::convert::Infallible;
use utoipa::IntoParams;

/// The encounter in the path. Text that cannot be an id is answered as an unknown encounter.
#[derive(IntoParams)]
#[into_params(names("id"), parameter_in = Path)]
pub(super) struct EncounterId(
    /// The id of the encounter.
    pub String,
);

impl EncounterId {
    /// Reads an id; None if no encounter has such an id.
    pub fn read(id: &str) -> Option<Self> {
        is_encounter_id(id).then(|| Self(id.to_owned()))
    }
}

impl FromRequestParts<AppState> for EncounterId {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Problem> {
        let Ok(parameters) = RawPathParams::from_request_parts(parts, state).await else {
            return Err(AppError::NotFound.into());
        };
        let id = parameters.iter().find(|(name, _)| *name == "id");
        id.and_then(|(_, id)| Self::read(id))
            .ok_or_else(|| AppError::NotFound.into())
    }
}

/// Whether the text can be an encounter's id.
fn is_encounter_id(id: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
    !id.is_empty() && id.len() <= 64 && id.bytes().all(allowed)
}

/// The token of the request.
impl FromRequestParts<AppState> for BearerToken {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &AppState) -> Result<Self, Problem> {
        const MISSING: &str =
            "Missing token. Send the encounter's token in the header Authorization: Bearer tk_...";
        const MALFORMED: &str =
            "Not a token of this service. Send the header Authorization: Bearer tk_...";
        const KEY: &str = "An application's key opens no encounter. Send the token that the creation \
                           returned.";
        if let Some(token) = parts.extensions.get::<Self>() {
            return Ok(token.clone());
        }
        let credential =
            bearer(&parts.headers, MALFORMED)?.ok_or_else(|| Problem::unauthorized(MISSING))?;
        let wrong = if credential.starts_with("tk_app_") {
            KEY
        } else {
            MALFORMED
        };
        let token = Self::read(credential).ok_or_else(|| Problem::unauthorized(wrong))?;
        // Several extractors of a request ask for it, and each would digest it anew.
        parts.extensions.insert(token.clone());
        Ok(token)
    }
}

/// The application that sends the request; None if the server has no application keys, so that
/// every client may create.
pub(super) struct Creator(pub Option<Application>);

impl FromRequestParts<AppState> for Creator {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Problem> {
        const MISSING: &str =
            "Missing application key. Send the header Authorization: Bearer tk_app_...";
        const UNKNOWN: &str =
            "Unknown application key. Send the header Authorization: Bearer tk_app_...";
        const TOKEN: &str = "An encounter's token may not create, import or list. Send an \
                             application's key, tk_app_...";
        let applications = state.app.applications();
        if !applications.configured() {
            return Ok(Self(None));
        }
        let key = bearer(&parts.headers, UNKNOWN)?.ok_or_else(|| Problem::unauthorized(MISSING))?;
        match applications.find(key) {
            Some(application) => Ok(Self(Some(application))),
            None if BearerToken::read(key).is_none() => Err(Problem::unauthorized(UNKNOWN)),
            None => Err(Problem::new(
                StatusCode::FORBIDDEN,
                "application_key_needed",
                TOKEN,
            )),
        }
    }
}

impl FromRequestParts<AppState> for Sender {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Problem> {
        let credential = bearer(&parts.headers, "").ok().flatten();
        if let Some(application) = credential.and_then(|key| state.app.applications().find(key)) {
            return Ok(Self::Creator(application));
        }
        BearerToken::from_request_parts(parts, state)
            .await
            .map(Self::Token)
    }
}

/// The credential of the header `Authorization: Bearer ...`; None without that header. `malformed`
/// answers any other scheme.
fn bearer<'h>(headers: &'h HeaderMap, malformed: &'static str) -> Result<Option<&'h str>, Problem> {
    const UNREADABLE: &str =
        "Invalid header Authorization. Send it once, in visible ASCII characters.";
    let value = single(headers, &AUTHORIZATION).map_err(|_| Problem::unauthorized(UNREADABLE))?;
    let Some(value) = value else { return Ok(None) };
    match value.split_once(' ') {
        Some((scheme, credential)) if scheme.eq_ignore_ascii_case("bearer") => {
            Ok(Some(credential.trim()))
        }
        _ => Err(Problem::unauthorized(malformed)),
    }
}

/// The parameters of the query. A parameter that is no field of `T` is refused.
pub(super) struct Parameters<T>(pub T);

impl<T: DeserializeOwned> FromRequestParts<AppState> for Parameters<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &AppState) -> Result<Self, Problem> {
        let query = parts.uri.query().unwrap_or_default();
        read_query(query).map(Self).map_err(Problem::parameter)
    }
}

/// A query without parameters.
pub(super) type NoParameters = Parameters<Nothing>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Nothing {}

/// The value of a header that may be sent once; None without that header.
pub(super) fn single<'h>(
    headers: &'h HeaderMap,
    name: &HeaderName,
) -> Result<Option<&'h str>, Problem> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    match value.to_str() {
        Ok(text) if values.next().is_none() => Ok(Some(text)),
        _ => Err(Problem::bad(
            "invalid_header",
            format!("Invalid header {name}. Send it once, in visible ASCII characters."),
        )),
    }
}

/// The parts of answers that a parameter names, separated by commas.
impl<'de> Deserialize<'de> for Include {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        const PARTS: &[&str] = &["encounter", "options", "tools", "table"];
        let text = Cow::<str>::deserialize(deserializer)?;
        let mut include = Self::default();
        for part in text.split(',') {
            match part {
                "encounter" => include.encounter = true,
                "options" => include.options = true,
                "tools" => include.tools = true,
                "table" => include.table = true,
                _ => return Err(D::Error::unknown_variant(part, PARTS)),
            }
        }
        Ok(include)
    }
}

/// A place in the log.
impl<'de> Deserialize<'de> for Tag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(|()| {
            D::Error::custom(
                "Invalid version. Send a whole number, such as 13, or the id of an event.",
            )
        })
    }
}

/// Text if the client prefers it to JSON.
impl FromRequestParts<AppState> for Representation {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &AppState) -> Result<Self, Infallible> {
        let media = preferred(&parts.headers, ["application/json", "text/plain"]);
        Ok(if media == "text/plain" {
            Self::Text
        } else {
            Self::Json
        })
    }
}

/// The media type that the client prefers: the first of those to which its `Accept` header gives
/// the highest weight.
pub(super) fn preferred<const N: usize>(
    headers: &HeaderMap,
    offered: [&'static str; N],
) -> &'static str {
    let accept = headers
        .get(ACCEPT)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    // Reversed, because the last of equal weights would win.
    offered
        .into_iter()
        .rev()
        .max_by_key(|media| weight(accept, media))
        .unwrap_or_default()
}

/// The weight that an `Accept` or `Accept-Encoding` header gives to a media type or coding, in
/// thousandths: that of its most specific range.
pub(super) fn weight(accept: &str, media: &str) -> u16 {
    let mut best = (0, 0);
    for entry in accept.split(',') {
        let mut parts = entry.split(';').map(str::trim);
        let specific = precision(parts.next().unwrap_or_default(), media);
        if specific == 0 {
            continue;
        }
        let mut q = Some(1.0);
        for parameter in parts {
            if let Some(number) = parameter
                .strip_prefix("q=")
                .or(parameter.strip_prefix("Q="))
            {
                q = number.parse::<f32>().ok();
                break;
            }
        }
        if let Some(q) = q {
            best = best.max((specific, (q.clamp(0.0, 1.0) * 1000.0) as u16));
        }
    }
    best.1
}

/// How precisely a range names a media type or coding: 0 if it names others.
fn precision(range: &str, media: &str) -> u8 {
    if range.eq_ignore_ascii_case(media) {
        return 3;
    }
    if range == "*/*" {
        return 1;
    }
    let kind = media.split('/').next().unwrap_or_default();
    match range.strip_suffix("/*") {
        Some(range) if range.eq_ignore_ascii_case(kind) => 2,
        _ => 0,
    }
}

/// The conditions of a request.
pub(super) struct Conditions {
    /// Only in one of these states.
    pub matching: Option<Expected>,
    /// Only in none of these states.
    pub none_matching: Option<Expected>,
}

impl Conditions {
    /// Whether the client has the answer with this tag already.
    pub fn is_known(&self, tag: &Tag) -> bool {
        self.none_matching
            .as_ref()
            .is_some_and(|known| known.includes(tag))
    }
}

impl FromRequestParts<AppState> for Conditions {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &AppState) -> Result<Self, Problem> {
        Ok(Self {
            matching: condition(&parts.headers, IF_MATCH)?,
            none_matching: condition(&parts.headers, IF_NONE_MATCH)?,
        })
    }
}

fn condition(headers: &HeaderMap, name: HeaderName) -> Result<Option<Expected>, Problem> {
    let Some(value) = single(headers, &name)? else {
        return Ok(None);
    };
    if let Some(tags) = tags(value) {
        return Ok(Some(tags));
    }
    let detail = format!(
        "Invalid header {name}. Send an entity tag or a version such as \"13\" in double quotes, \
         several with commas, or *."
    );
    Err(Problem::bad("invalid_header", detail))
}

/// A list of entity tags. Weak tags count as strong ones, and unknown tags match nothing. Quotes
/// may be missing, because shells remove them.
fn tags(value: &str) -> Option<Expected> {
    if value.trim() == "*" {
        return Some(Expected::Any);
    }
    if value.trim().is_empty() {
        return None;
    }
    let mut tags: Vec<Tag> = Vec::new();
    for tag in value.split(',').map(str::trim) {
        if tag.is_empty() {
            continue;
        }
        let strong = tag.strip_prefix("W/").unwrap_or(tag);
        match unquoted(strong) {
            Some(opaque) if opaque.contains('"') => return None,
            Some(opaque) => tags.extend(opaque.parse().ok()),
            None => tags.push(strong.parse().ok()?),
        }
    }
    Some(Expected::OneOf(tags))
}

/// The text between double quotes.
fn unquoted(text: &str) -> Option<&str> {
    text.strip_prefix('"')?.strip_suffix('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_client_prefers_is_served_and_json_if_it_prefers_nothing() {
        let offered = [
            "application/json",
            "text/plain",
            "application/x-ndjson",
            "text/event-stream",
        ];
        for (accept, media) in [
            ("text/plain", "text/plain"),
            ("text/*", "text/plain"),
            ("text/plain;q=0.9, application/json;q=0.1", "text/plain"),
            ("TEXT/plain, */*;q=0.1", "text/plain"),
            ("text/plain, application/x-ndjson;q=0.1", "text/plain"),
            (
                "text/plain;q=0.1, application/x-ndjson",
                "application/x-ndjson",
            ),
            ("text/event-stream, */*;q=0.9", "text/event-stream"),
            (
                "text/plain;Q=0.1, application/json;q=0.5",
                "application/json",
            ),
            ("*/*", "application/json"),
            ("application/json, text/plain, */*", "application/json"),
            ("text/html", "application/json"),
            ("", "application/json"),
            ("text/plain;q=x", "application/json"),
            ("text/plain;q=0", "application/json"),
        ] {
            let headers = HeaderMap::from_iter([(ACCEPT, accept.parse().expect("a value"))]);
            assert_eq!(preferred(&headers, offered), media, "{accept}");
        }
    }

    fn listed(tags: &[&str]) -> Option<Expected> {
        Some(Expected::OneOf(
            tags.iter().map(|tag| tag.parse().expect("a tag")).collect(),
        ))
    }

    #[test]
    fn every_tag_is_read_back() {
        for text in [
            "0",
            "9",
            "13",
            "18446744073709551615",
            "13-AAAAAAAAAAAAAAAA",
            "13--_-_-_-_-_-_-_-_",
        ] {
            assert_eq!(tags(&format!("\"{text}\"")), listed(&[text]));
            assert_eq!(
                text.parse::<Tag>().map(|tag| tag.to_string()).as_deref(),
                Ok(text)
            );
        }
    }

    #[test]
    fn lists_weak_tags_stars_and_bare_numbers_are_understood_and_rubbish_is_not() {
        assert_eq!(tags("*"), Some(Expected::Any));
        assert_eq!(tags("W/\"3\", \"4\",5"), listed(&["3", "4", "5"]));
        for unknown in [
            "\"abc\"",
            "\"3-abc\"",
            "\"3-\"",
            "\"-AAAAAAAAAAAAAAAA\"",
            "\"3-AAAAAAAAAAAAAAAAA\"",
        ] {
            assert_eq!(tags(unknown), listed(&[]), "{unknown}");
        }
        for rubbish in ["", " ", "abc", "\"3", "\"3\"\"", "-1"] {
            assert_eq!(tags(rubbish), None, "{rubbish}");
        }
    }
}
