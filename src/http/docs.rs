//! The root page, the OpenAPI document and Swagger UI.

use super::AppState;
use super::extract::{Conditions, preferred, weight};
use super::middleware::ExternalPrefix;
use super::problem::Problem;
use super::reply::Reply;
use crate::app::{AppError, Tag};
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, VARY,
};
use axum::http::{HeaderMap, HeaderValue};
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use axum::routing::get;
use axum::{Extension, Router};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use quick_cache::sync::Cache;
use serde_json::json;
use std::io::{Read, Write};
use std::sync::LazyLock;
use tower::ServiceExt;
use tower_http::decompression::Decompression;
use tower_http::set_header::SetResponseHeaderLayer;
use utoipa_swagger_ui::{Config, SwaggerUi};

/// The OpenAPI document of the repository, compressed by `build.rs`.
const PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/openapi.json.gz"));

/// The OpenAPI document.
///
/// # Errors
/// When the program's copy of the document is damaged.
pub fn document() -> std::io::Result<String> {
    unpacked(PACKED)
}

/// A text that `build.rs` has compressed.
pub(super) fn unpacked(packed: &[u8]) -> std::io::Result<String> {
    let mut text = String::new();
    GzDecoder::new(packed).read_to_string(&mut text)?;
    Ok(text)
}

/// Swagger UI has scripts and inline styles, images in its styles, and calls the API.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

/// `/`, `/openapi.json`, and Swagger UI under `/docs`, bundled so that it works offline. The latter two are compressed in the program,
/// which saves 4 MB.
pub(super) fn routes() -> Router<AppState> {
    // The validator would send requests to another site. The document's address is relative, so that any base path works.
    let config = Config::new(["../openapi.json"]).validator_url("none");
    // The list of schemas is long: it stays folded until a reader opens it.
    let config = config
        .default_models_expand_depth(0)
        .try_it_out_enabled(true);
    let page = Router::new()
        .merge(SwaggerUi::new("/docs").config(config))
        .layer((
            SetResponseHeaderLayer::overriding(CONTENT_SECURITY_POLICY, POLICY),
            SetResponseHeaderLayer::overriding(CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        ));
    Router::new()
        .route("/", get(root))
        .route("/openapi.json", get(published))
        .merge(page)
        .layer(from_fn(unpack))
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

/// The document. Below a base path it names that path as the server's.
async fn published(
    prefix: Option<Extension<ExternalPrefix>>,
    conditions: Conditions,
) -> Result<Reply, Problem> {
    let packed = match prefix {
        None => Bytes::from_static(PACKED),
        Some(Extension(ExternalPrefix(path))) => {
            openapi_below(&path).map_err(|error| AppError::Internal(error.to_string()))?
        }
    };
    let tag = Tag::of_body(&packed);
    Ok(Reply::json(packed)
        .header(CONTENT_ENCODING, HeaderValue::from_static("gzip"))
        .public(&tag, &conditions))
}

/// The compressed document of the service below a path. It is cached: most processes serve one path, and compressing takes as long as
/// hundreds of other answers.
fn openapi_below(path: &str) -> std::io::Result<Bytes> {
    static BELOW: LazyLock<Cache<String, Bytes>> = LazyLock::new(|| Cache::new(4));
    BELOW.get_or_insert_with(path, || {
        let document = document()?.replacen(r#""url":"/""#, &format!(r#""url":"{path}""#), 1);
        let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
        packer.write_all(document.as_bytes())?;
        Ok(packer.finish()?.into())
    })
}

const ABOUT: &str =
    "Runs the turn order of tabletop combat by the rules of published initiative systems.";

/// Says what this service is: HTML for browsers, JSON for other clients.
async fn root(prefix: Option<Extension<ExternalPrefix>>, headers: HeaderMap) -> Reply {
    let prefix = prefix.map_or(String::new(), |Extension(ExternalPrefix(path))| path);
    let [docs, openapi, rulesets] =
        ["docs", "openapi.json", "v1/rulesets"].map(|path| format!("{prefix}/{path}"));
    let reply = if preferred(&headers, ["application/json", "text/html"]) == "text/html" {
        let page = format!(
            "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Turnkeeper</title>\n<h1>Turnkeeper</h1>\n\
            <p>{ABOUT}</p>\n<ul>\n<li><a href=\"{docs}\">Documentation</a></li>\n\
            <li><a href=\"{openapi}\">OpenAPI document</a></li>\n\
            <li><a href=\"{rulesets}\">Rulesets</a></li>\n</ul>\n</html>\n"
        );
        Reply::text(page).header(
            CONTENT_TYPE,
            HeaderValue::from_static("text/html; charset=utf-8"),
        )
    } else {
        let body = json!({"name": "Turnkeeper", "about": ABOUT, "docs": docs, "openapi": openapi, "rulesets": rulesets});
        Reply::json(body.to_string())
    };
    reply.header(VARY, HeaderValue::from_static("accept"))
}
