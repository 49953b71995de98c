//! The root page, the OpenAPI document and Swagger UI.

use super::AppState;
use super::extract::{Conditions, preferred, weight};
use super::problem::Problem;
use super::published::{RULESETS, envelope};
use super::reply::Reply;
use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, VARY,
};
use axum::http::{HeaderMap, HeaderValue};
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use axum::routing::get;
use serde_json::json;
use tower::ServiceExt;
use tower_http::decompression::Decompression;
use tower_http::set_header::SetResponseHeaderLayer;
use utoipa_swagger_ui::{Config, SwaggerUi, Url};

/// Swagger UI has scripts and inline styles, images in its styles, and calls the API.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
     img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; \
     frame-ancestors 'none'",
);

/// `/`, `/openapi.json`, and Swagger UI under `/docs`, bundled so that it works offline. Its files
/// are compressed in the program, which saves 4 MB.
pub(super) fn routes() -> Router<AppState> {
    // The validator would send requests to another site. Each tag lists its operations; they and
    // the schemas stay folded until a reader opens them.
    let config = Config::new(documents())
        .validator_url("none")
        .doc_expansion("list")
        .default_models_expand_depth(0)
        .try_it_out_enabled(true);
    let page = Router::new()
        .merge(SwaggerUi::new("/docs").config(config))
        .layer((
            from_fn(unpack),
            SetResponseHeaderLayer::overriding(CONTENT_SECURITY_POLICY, POLICY),
            SetResponseHeaderLayer::overriding(CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        ));
    Router::new()
        .route("/", get(root))
        .route("/openapi.json", get(published))
        .merge(page)
}

/// The documents that a reader chooses between: the one of all rulesets first. Their addresses are
/// relative, so that any base path works.
fn documents() -> Vec<Url<'static>> {
    let mut documents = vec![Url::with_primary("all rulesets", "../openapi.json", true)];
    for ruleset in RULESETS {
        documents.push(Url::new(ruleset.id, ruleset.document_from_docs));
    }
    documents
}

/// Unpacks an answer for a client that does not read gzip.
async fn unpack(request: Request, next: Next) -> Response {
    let codings = request
        .headers()
        .get(ACCEPT_ENCODING)
        .and_then(|value| value.to_str().ok());
    if weight(codings.unwrap_or_default(), "gzip") == 0 {
        let Ok(response) = Decompression::new(next).oneshot(request).await;
        return response.map(Body::new);
    }
    let mut response = next.run(request).await;
    if response.headers().contains_key(CONTENT_ENCODING) {
        response
            .headers_mut()
            .append(VARY, HeaderValue::from_static("accept-encoding"));
    }
    response
}

/// The document that fits all rulesets. Its server is relative to its own address, so that it is
/// right below any base path.
async fn published(headers: HeaderMap, conditions: Conditions) -> Result<Reply, Problem> {
    Ok(envelope(&headers, &conditions)?)
}

const ABOUT: &str =
    "Runs the turn order of tabletop combat by the rules of published initiative systems.";

/// Says what this service is: HTML for browsers, JSON for other clients. Its paths are relative.
async fn root(headers: HeaderMap) -> Reply {
    let reply = if preferred(&headers, ["application/json", "text/html"]) == "text/html" {
        let page = format!(
            "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\">\
            <title>Turnkeeper</title>\n<h1>Turnkeeper</h1>\n\
            <p>{ABOUT}</p>\n<ul>\n<li><a href=\"docs\">Documentation</a></li>\n\
            <li><a href=\"openapi.json\">OpenAPI document</a></li>\n\
            <li><a href=\"v1/rulesets\">Rulesets</a></li>\n</ul>\n</html>\n"
        );
        Reply::text(page).header(
            CONTENT_TYPE,
            HeaderValue::from_static("text/html; charset=utf-8"),
        )
    } else {
        let body = json!({
            "name": "Turnkeeper",
            "about": ABOUT,
            "docs": "docs",
            "openapi": "openapi.json",
            "rulesets": "v1/rulesets",
        });
        Reply::json(body.to_string())
    };
    reply.header(VARY, HeaderValue::from_static("accept"))
}
