//! Paths: the path below which a proxy, a stage or a mapped domain shows the service, and slashes at the end.

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{LINK, LOCATION};
use axum::http::uri::PathAndQuery;
use axum::http::{HeaderMap, HeaderValue, Response, Uri};
use std::str::FromStr;
use tower::{ServiceExt, service_fn};

/// A path before all paths of the service, such as `/turns`: removed from requests, added to the paths in answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BasePath(String);

impl FromStr for BasePath {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let path = text.trim_end_matches('/');
        let plain = |segment: &str| {
            let allowed = |b: u8| b.is_ascii_alphanumeric() || b"-._~$".contains(&b);
            !segment.is_empty() && segment != "." && segment != ".." && segment.bytes().all(allowed)
        };
        if !path.strip_prefix('/').is_some_and(|rest| rest.split('/').all(plain)) {
            return Err(format!("{text:?} is no base path: write / and plain words, such as /turns or /api/turns"));
        }
        if path == "/v1" || path.starts_with("/v1/") {
            return Err(format!("{text:?} begins as the service's own paths do"));
        }
        Ok(Self(path.to_owned()))
    }
}

/// The path that clients see before the service's own paths, as an extension of a request.
#[derive(Debug, Clone)]
pub(super) struct ExternalPrefix(pub String);

impl BasePath {
    /// The path of a gateway's stage. Unlike a configured path it may be `/v1`, because every request has it.
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

    /// Adds this path to the service's own paths in the headers of an answer.
    fn restore(&self, headers: &mut HeaderMap) {
        for (name, before) in [(LOCATION, "/"), (LINK, "</")] {
            let Some(own) = headers.get(&name).and_then(|value| value.to_str().ok()) else { continue };
            let Some(rest) = own.strip_prefix(before) else { continue };
            let open = before.trim_end_matches('/');
            if let Ok(value) = HeaderValue::try_from(format!("{open}{}/{rest}", self.0)) {
                headers.insert(name, value);
            }
        }
    }

    async fn serve(&self, router: Router, mut request: Request) -> Response<Body> {
        let outer = request.extensions_mut().remove().map_or(String::new(), |ExternalPrefix(outer)| outer);
        request.extensions_mut().insert(ExternalPrefix(outer + &self.0));
        if let Some(uri) = self.strip(request.uri().path()).and_then(|path| with_path(request.uri(), path)) {
            *request.uri_mut() = uri;
        }
        let Ok(mut response) = router.oneshot(request).await;
        self.restore(response.headers_mut());
        response
    }
}

/// Serves `router` below a path. Requests from which a proxy has removed the path are served too.
pub fn under(base: Option<BasePath>, router: Router) -> Router {
    let Some(base) = base else { return router };
    Router::new().fallback_service(service_fn(move |request| {
        let (base, router) = (base.clone(), router.clone());
        async move { Ok(base.serve(router, request).await) }
    }))
}

/// Removes slashes from the end of a request's path. Swagger UI keeps its own: the page names its files relative to it.
pub(super) fn trim(mut request: Request) -> Request {
    let path = request.uri().path();
    if path.ends_with('/') && path != "/" && !path.starts_with("/docs") {
        let trimmed = path.trim_end_matches('/');
        if let Some(uri) = with_path(request.uri(), if trimmed.is_empty() { "/" } else { trimmed }) {
            *request.uri_mut() = uri;
        }
    }
    request
}

/// A URI of this path and the query of another.
fn with_path(uri: &Uri, path: &str) -> Option<Uri> {
    let path = uri.query().map_or_else(|| path.to_owned(), |query| format!("{path}?{query}"));
    Some(PathAndQuery::try_from(path).ok()?.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_path_is_plain() {
        assert_eq!("/turns/".parse(), Ok(BasePath("/turns".into())));
        assert_eq!("/api/turns".parse(), Ok(BasePath("/api/turns".into())));
        for wrong in ["", "/", "turns", "//x", "/a b", "/a?b", "/a/../b", "/v1", "/v1/x", "/a%20b"] {
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

    #[test]
    fn only_the_services_own_paths_get_the_base_path() {
        let base = BasePath("/turns".into());
        let mut headers = HeaderMap::new();
        headers.insert(LOCATION, HeaderValue::from_static("/v1/encounters/x"));
        headers.insert(LINK, HeaderValue::from_static("</v1/x?after=1>; rel=\"next\""));
        base.restore(&mut headers);
        assert_eq!(headers[LOCATION], "/turns/v1/encounters/x");
        assert_eq!(headers[LINK], "</turns/v1/x?after=1>; rel=\"next\"");
        headers.insert(LOCATION, HeaderValue::from_static("https://elsewhere.example/"));
        base.restore(&mut headers);
        assert_eq!(headers[LOCATION], "https://elsewhere.example/");
    }
}
