//! The published document, and a page to read it and try it out.

use super::Shared;
use super::base::ExternalPrefix;
use super::problem::Problem;
use super::reply::Reply;
use super::root::root;
use crate::app::AppError;
use axum::body::Bytes;
use axum::http::HeaderValue;
use axum::http::header::CONTENT_ENCODING;
use axum::routing::get;
use axum::{Extension, Router};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use std::io::{Read, Write};
use std::sync::{Mutex, PoisonError};
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

/// `/`, `/openapi.json`, and Swagger UI under `/docs`: bundled, so that it works offline. The latter two are compressed in the program, which spares
/// it 4 MB; not everybody reads gzip.
pub(super) fn routes() -> Router<Shared> {
    // No validator: that would be a request to somebody else.
    // The document is beside the page, whatever stands before both.
    let config = Config::new(["../openapi.json"]).validator_url("none");
    let page = SwaggerUi::new("/docs").config(config);
    Router::new()
        .route("/", get(root))
        .route("/openapi.json", get(published))
        .merge(page)
        .layer(DecompressionLayer::new())
}

/// The document; for who sees the service below a path, with that path as the server's.
async fn published(shown: Option<Extension<ExternalPrefix>>) -> Result<Reply, Problem> {
    let packed = match shown {
        None => Bytes::from_static(PACKED),
        Some(Extension(ExternalPrefix(path))) => below(path).map_err(|error| AppError::Internal(error.to_string()))?,
    };
    Ok(Reply::json(packed).header(CONTENT_ENCODING, HeaderValue::from_static("gzip")))
}

/// The compressed document of the service below a path. The newest one is kept: most processes are seen below one path only, and it
/// takes as long as hundreds of other answers.
fn below(path: String) -> std::io::Result<Bytes> {
    static NEWEST: Mutex<Option<(String, Bytes)>> = Mutex::new(None);
    let mut newest = NEWEST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, packed)) = newest.as_ref().filter(|(known, _)| *known == path) {
        return Ok(packed.clone());
    }
    let document = document()?.replacen(r#""url":"/""#, &format!(r#""url":"{path}""#), 1);
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(document.as_bytes())?;
    let packed = Bytes::from(packer.finish()?);
    *newest = Some((path, packed.clone()));
    Ok(packed)
}
