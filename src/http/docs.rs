//! The published document, and a page to read it and try it out.

use super::Shared;
use super::reply::Reply;
use axum::Router;
use axum::routing::get;
use utoipa_swagger_ui::{Config, SwaggerUi};

/// The published document, as it is committed: what is served is what was reviewed.
pub const DOCUMENT: &str = include_str!("../../openapi/openapi.json");

/// `/openapi.json`, and Swagger UI under `/docs`: bundled, so that it works offline.
pub(super) fn routes() -> Router<Shared> {
    // No validator: that would be a request to somebody else.
    let config = Config::new(["/openapi.json"]).validator_url("none");
    let page = SwaggerUi::new("/docs").config(config);
    Router::new().route("/openapi.json", get(async || Reply::json(DOCUMENT))).merge(page)
}
