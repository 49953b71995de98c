//! The listener that Prometheus reads. It has nothing else, so that a proxy in front of the service
//! never shows it.

use crate::measure;
use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;

/// The type of Prometheus' text.
const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The router with `/metrics`.
pub fn metrics_router() -> Router {
    Router::new().route(
        "/metrics",
        get(async || ([(CONTENT_TYPE, TEXT)], measure::text())),
    )
}
