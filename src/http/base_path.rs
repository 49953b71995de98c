//! A path before all paths of the service.

use super::middleware::protect;
use axum::Router;
use axum::extract::Request;
use axum::http::header::LOCATION;
use axum::http::uri::PathAndQuery;
use axum::http::{StatusCode, Uri};
use axum::response::IntoResponse;
use axum::routing::get;
use std::str::FromStr;
use tower::ServiceExt;

/// A path before all paths of the service, such as `/turns`. It is removed from requests; the paths
/// in answers are relative.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BasePath(String);

impl FromStr for BasePath {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let path = text.trim_end_matches('/');
        let steps = path.strip_prefix('/').unwrap_or_default();
        if !steps.split('/').all(is_plain_step) {
            return Err(format!(
                "{text:?} is not a base path: write / and plain words, such as /turns or /api/turns"
            ));
        }
        if path == "/v1" || path.starts_with("/v1/") {
            return Err(format!("{text:?} begins as the service's own paths do"));
        }
        Ok(Self(path.to_owned()))
    }
}

fn is_plain_step(step: &str) -> bool {
    let plain = step
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b"-._~$".contains(&b));
    plain && !step.is_empty() && step != "." && step != ".."
}

impl BasePath {
    /// The path of a gateway's stage. Unlike a configured path it may be `/v1`, because every
    /// request has it.
    pub fn stage(name: &str) -> Self {
        Self(format!("/{name}"))
    }

    /// The rest of a path below this one; None for other paths.
    pub fn strip<'p>(&self, path: &'p str) -> Option<&'p str> {
        match path.strip_prefix(&self.0)? {
            "" => Some("/"),
            rest => rest.starts_with('/').then_some(rest),
        }
    }

    /// Removes this path from a request.
    fn remove(&self, mut request: Request) -> Request {
        let uri = request.uri();
        if let Some(path) = self.strip(uri.path())
            && let Some(uri) = with_path(uri, path)
        {
            *request.uri_mut() = uri;
        }
        request
    }
}

/// Serves `router` below a path. Requests from which a proxy has removed the path are served too.
pub fn mount_below(base: Option<BasePath>, router: Router) -> Router {
    let Some(base) = base else { return router };
    // The root page names others relative to its path, which ends with a slash.
    let last = base.0.rsplit('/').next().unwrap_or_default();
    let root = format!("{last}/");
    let to_root = async move || {
        let redirection = (StatusCode::PERMANENT_REDIRECT, [(LOCATION, root)]);
        let mut response = redirection.into_response();
        protect(response.headers_mut());
        response
    };
    Router::new()
        .route(&base.0, get(to_root))
        .fallback_service(router.map_request(move |request| base.remove(request)))
}

/// A URI of this path and the query of another.
fn with_path(uri: &Uri, path: &str) -> Option<Uri> {
    let path = match uri.query() {
        Some(query) => format!("{path}?{query}"),
        None => path.to_owned(),
    };
    Some(PathAndQuery::try_from(path).ok()?.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_path_is_plain() {
        assert_eq!("/turns/".parse(), Ok(BasePath("/turns".into())));
        assert_eq!("/api/turns".parse(), Ok(BasePath("/api/turns".into())));
        for wrong in [
            "", "/", "turns", "//x", "/a b", "/a?b", "/a/../b", "/v1", "/v1/x", "/a%20b",
        ] {
            assert!(wrong.parse::<BasePath>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn only_complete_segments_are_removed() {
        let base = BasePath("/turns".into());
        assert_eq!(base.strip("/turns/v1/rulesets"), Some("/v1/rulesets"));
        assert_eq!(base.strip("/turns"), Some("/"));
        assert_eq!(base.strip("/turnstile"), None);
        assert_eq!(base.strip("/v1/rulesets"), None);
    }
}
