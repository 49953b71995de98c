//! The path below which a proxy, a stage or a mapped domain shows the service.

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{LINK, LOCATION};
use axum::http::uri::PathAndQuery;
use axum::http::{Extensions, HeaderMap, HeaderValue, Response, Uri};
use std::str::FromStr;
use tower::{ServiceExt, service_fn};

/// A path before all of ours, such as `/turns`: taken off what comes in, put before the paths that go out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BasePath(String);

impl FromStr for BasePath {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let path = text.trim_end_matches('/');
        let sound = |step: &str| {
            let known = |b: u8| b.is_ascii_alphanumeric() || b"-._~$".contains(&b);
            !step.is_empty() && step != "." && step != ".." && step.bytes().all(known)
        };
        if !path.strip_prefix('/').is_some_and(|rest| rest.split('/').all(sound)) {
            return Err(format!("{text:?} is no base path: write / and plain words, such as /turns or /api/turns"));
        }
        if path == "/v1" || path.starts_with("/v1/") {
            return Err(format!("{text:?} begins as the service's own paths do"));
        }
        Ok(Self(path.to_owned()))
    }
}

/// What clients see before all of our own paths: an extension of a request.
#[derive(Debug, Clone)]
pub(super) struct ExternalPrefix(pub String);

impl BasePath {
    /// The path of a stage of a gateway. Unlike a configured one it may be `/v1`: it is always there to be taken off.
    pub fn stage(name: &str) -> Self {
        Self(format!("/{name}"))
    }

    /// What is left of a path below this one; None where it is not below it.
    pub fn strip<'p>(&self, path: &'p str) -> Option<&'p str> {
        match path.strip_prefix(&self.0)? {
            "" => Some("/"),
            rest => rest.starts_with('/').then_some(rest),
        }
    }

    /// Puts this one before our own paths in the headers of an answer.
    pub fn restore(&self, headers: &mut HeaderMap) {
        for (name, before) in [(LOCATION, "/"), (LINK, "</")] {
            let Some(ours) = headers.get(&name).and_then(|value| value.to_str().ok()) else { continue };
            let Some(rest) = ours.strip_prefix(before) else { continue };
            let open = before.trim_end_matches('/');
            if let Ok(value) = HeaderValue::try_from(format!("{open}{}/{rest}", self.0)) {
                headers.insert(name, value);
            }
        }
    }

    /// Tells whoever writes paths into an answer's body of this one.
    pub fn show(&self, extensions: &mut Extensions) {
        let outer = extensions.remove().map_or(String::new(), |ExternalPrefix(outer)| outer);
        extensions.insert(ExternalPrefix(outer + &self.0));
    }

    async fn serve(&self, router: Router, mut request: Request) -> Response<Body> {
        self.show(request.extensions_mut());
        if let Some(uri) = self.below(request.uri()) {
            *request.uri_mut() = uri;
        }
        let Ok(mut response) = router.oneshot(request).await;
        self.restore(response.headers_mut());
        response
    }

    fn below(&self, uri: &Uri) -> Option<Uri> {
        let path = self.strip(uri.path())?;
        let path = uri.query().map_or_else(|| path.to_owned(), |query| format!("{path}?{query}"));
        Some(PathAndQuery::try_from(path).ok()?.into())
    }
}

/// The service as it is seen below a path. Requests whose path was taken off already are served alike.
pub fn under(base: Option<BasePath>, router: Router) -> Router {
    let Some(base) = base else { return router };
    Router::new().fallback_service(service_fn(move |request| {
        let (base, router) = (base.clone(), router.clone());
        async move { Ok(base.serve(router, request).await) }
    }))
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
    fn only_whole_steps_are_taken_off() {
        let base = BasePath("/turns".into());
        assert_eq!(base.strip("/turns/v1/rulesets"), Some("/v1/rulesets"));
        assert_eq!(base.strip("/turns"), Some("/"));
        assert_eq!(base.strip("/turnstile"), None);
        assert_eq!(base.strip("/v1/rulesets"), None);
    }

    #[test]
    fn only_our_own_paths_go_out_with_it() {
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
