//! What stands at `/`: what this is, and where to read on.

use super::base::ExternalPrefix;
use super::plain::weight;
use super::reply::Reply;
use axum::Extension;
use axum::http::header::{ACCEPT, CONTENT_TYPE, VARY};
use axum::http::{HeaderMap, HeaderValue};
use serde_json::json;

const ABOUT: &str = "Runs the turn order of tabletop combat by the rules of published initiative systems.";

/// What this is: HTML for browsers, JSON for everybody else.
pub(super) async fn root(shown: Option<Extension<ExternalPrefix>>, headers: HeaderMap) -> Reply {
    let before = shown.map_or(String::new(), |Extension(ExternalPrefix(path))| path);
    let accept = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let html = weight(accept, "text", "html") > weight(accept, "application", "json");
    let reply = if html {
        let page = format!(
            "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Turnkeeper</title>\n<h1>Turnkeeper</h1>\n\
            <p>{ABOUT}</p>\n<ul>\n<li><a href=\"{before}/docs\">Documentation</a></li>\n\
            <li><a href=\"{before}/openapi.json\">OpenAPI document</a></li>\n\
            <li><a href=\"{before}/v1/rulesets\">Rulesets</a></li>\n</ul>\n</html>\n"
        );
        Reply::text(page).header(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"))
    } else {
        let links = ["docs", "openapi.json", "v1/rulesets"].map(|path| format!("{before}/{path}"));
        let [docs, openapi, rulesets] = links;
        let body =
            json!({"name": "Turnkeeper", "about": ABOUT, "docs": docs, "openapi": openapi, "rulesets": rulesets});
        Reply::json(body.to_string())
    };
    reply.header(VARY, HeaderValue::from_static("accept"))
}
