//! `/problems`: what the `type` of a problem document leads to.

use super::extract::{Conditions, NoParameters, preferred};
use super::problem::Problem;
use super::reply::{List, Reply};
use crate::app::{AppError, Tag};
use crate::openapi::*;
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::http::header::{CONTENT_TYPE, VARY};
use axum::http::{HeaderMap, HeaderValue};
use serde::Serialize;
use std::fmt::Write;

const FORMATS: [&str; 3] = ["application/json", "text/html", "text/plain"];

/// List the kinds of problems
///
/// Returns every `code` of problem documents, with its cause and remedy.
#[utoipa::path(get, path = "/problems", tag = "problems",
    params(("If-None-Match" = Option<String>, Header, description = IF_NONE_MATCH)),
    responses((status = 200, description = "The kinds of problems", headers(("ETag")), content(
            (inline(List<ProblemType>) = "application/json"), (String = "text/html"), (String = "text/plain"))),
        (status = 304, description = "The list has not changed"), BadRequest, UnprocessableEntity, RequestTimeout))]
pub(super) async fn list_problems(
    headers: HeaderMap,
    _: NoParameters,
    conditions: Conditions,
) -> Result<Reply, Problem> {
    let list = List {
        items: problem_types().to_vec(),
    };
    answer(&headers, &conditions, problem_types(), &list)
}

/// Read a kind of problem
///
/// Returns the cause and the remedy of the problems with this `code`.
#[utoipa::path(get, path = "/problems/{code}", tag = "problems",
    params(("code" = String, Path, description = "The code of the problem."),
        ("If-None-Match" = Option<String>, Header, description = IF_NONE_MATCH)),
    responses((status = 200, description = "The kind of problem", headers(("ETag")), content(
            (ProblemType = "application/json"), (String = "text/html"), (String = "text/plain"))),
        (status = 304, description = "The answer has not changed"), BadRequest, UnprocessableEntity, NotFound, RequestTimeout))]
pub(super) async fn read_problem(
    code: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
    _: NoParameters,
    conditions: Conditions,
) -> Result<Reply, Problem> {
    let Some(kind) = code.ok().and_then(|Path(code)| find(&code)) else {
        let detail = "No problem has this code. GET /problems lists all codes.";
        return Err(Problem::not_found(detail));
    };
    answer(&headers, &conditions, std::slice::from_ref(kind), kind)
}

fn find(code: &str) -> Option<&'static ProblemType> {
    problem_types().iter().find(|kind| kind.code == code)
}

/// These kinds of problems in the format that the client prefers; `json` is their form in JSON. The
/// answer is the same for every client.
fn answer(
    headers: &HeaderMap,
    conditions: &Conditions,
    types: &[ProblemType],
    json: &impl Serialize,
) -> Result<Reply, Problem> {
    let (media_type, body) = match preferred(headers, FORMATS) {
        "text/html" => ("text/html; charset=utf-8", html(types)),
        "text/plain" => ("text/plain; charset=utf-8", text(types)),
        _ => {
            let body = serde_json::to_string(json).map_err(AppError::from)?;
            ("application/json", body)
        }
    };
    let tag = Tag::of_body(body.as_bytes());
    Ok(Reply::text(body)
        .header(CONTENT_TYPE, HeaderValue::from_static(media_type))
        .public(&tag, conditions)
        .header(VARY, HeaderValue::from_static("accept")))
}

fn text(types: &[ProblemType]) -> String {
    let mut text = String::new();
    for kind in types {
        // Writing to a string never fails.
        let _ = writeln!(text, "{}: {}", kind.code, kind.detail);
    }
    text
}

fn html(types: &[ProblemType]) -> String {
    let title = match types {
        [one] => one.title.as_str(),
        _ => "Problems",
    };
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>{title}</title>\n<dl>\n"
    );
    for kind in types {
        let detail = escaped(kind.detail);
        let code = kind.code;
        let _ = writeln!(
            page,
            "<dt id=\"{code}\"><code>{code}</code></dt>\n<dd>{detail}</dd>"
        );
    }
    page.push_str("</dl>\n</html>\n");
    page
}

/// The text in HTML; what stands between backticks is code.
fn escaped(text: &str) -> String {
    let safe = text
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    let mut html = String::with_capacity(safe.len());
    for (n, part) in safe.split('`').enumerate() {
        if n % 2 == 1 {
            let _ = write!(html, "<code>{part}</code>");
        } else {
            html.push_str(part);
        }
    }
    html
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn markup_is_escaped_and_backticks_are_code() {
        let html = "a &lt; b: send <code>x &amp; y</code>.";
        assert_eq!(escaped("a < b: send `x & y`."), html);
    }
}
