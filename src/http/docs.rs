//! The published document, and a page to read it and try it out.

use super::Shared;
use super::base::Shown;
use super::problem::Problem;
use super::reply::Reply;
use crate::app::AppError;
use axum::http::HeaderValue;
use axum::http::header::CONTENT_ENCODING;
use axum::routing::get;
use axum::{Extension, Router};
use flate2::read::GzDecoder;
use std::io::Read;
use tower_http::decompression::DecompressionLayer;
use utoipa_swagger_ui::{Config, SwaggerUi};

/// The published document, as it is committed: what is served is what was reviewed. `build.rs` compresses it.
const PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/openapi.json.gz"));

/// The published document, as it is committed.
///
/// # Errors
/// When the program's own copy of it is broken.
pub fn document() -> std::io::Result<String> {
    let mut text = String::new();
    GzDecoder::new(PACKED).read_to_string(&mut text)?;
    Ok(text)
}

/// `/openapi.json`, and Swagger UI under `/docs`: bundled, so that it works offline. Both are compressed in the program, which spares
/// it 4 MB; not everybody reads gzip.
pub(super) fn routes() -> Router<Shared> {
    // No validator: that would be a request to somebody else.
    // The document is beside the page, whatever stands before both.
    let config = Config::new(["../openapi.json"]).validator_url("none");
    let page = SwaggerUi::new("/docs").config(config);
    Router::new().route("/openapi.json", get(published)).merge(page).layer(DecompressionLayer::new())
}

/// The document; for who sees the service below a path, with that path as the server's.
async fn published(shown: Option<Extension<Shown>>) -> Result<Reply, Problem> {
    let Some(Extension(Shown(path))) = shown else {
        return Ok(Reply::json(PACKED).header(CONTENT_ENCODING, HeaderValue::from_static("gzip")));
    };
    let document = document().map_err(|error| AppError::Broken(error.to_string()))?;
    Ok(Reply::json(document.replacen(r#""url": "/""#, &format!(r#""url": "{path}""#), 1)))
}
