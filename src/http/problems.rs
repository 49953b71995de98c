//! `/problems`: what the `type` of a problem document leads to.

use super::extract::{Conditions, NoParameters, preferred};
use super::problem::Problem;
use super::reply::{List, Reply};
use crate::app::Tag;
use crate::openapi::*;
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::http::header::{CONTENT_TYPE, VARY};
use axum::http::{HeaderMap, HeaderValue};
use std::fmt::Write;

const FORMATS: [&str; 3] = ["application/json", "text/html", "text/plain"];

/// List the kinds of problems
///
/// Answers with each `code` that a problem document may have, its cause and its remedy.
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
    let types = problem_types();
    match preferred(&headers, FORMATS) {
        "text/html" => Ok(written(
            html(types),
            "text/html; charset=utf-8",
            &conditions,
        )),
        "text/plain" => Ok(written(
            text(types),
            "text/plain; charset=utf-8",
            &conditions,
        )),
        _ => {
            let list = List {
                items: types.to_vec(),
                next_cursor: None,
            };
            let json = serde_json::to_string(&list).unwrap_or_default();
            Ok(written(json, "application/json", &conditions))
        }
    }
}

/// Read a kind of problem
///
/// Answers with the cause and the remedy of the problems with this `code`.
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
    let one = std::slice::from_ref(kind);
    match preferred(&headers, FORMATS) {
        "text/html" => Ok(written(html(one), "text/html; charset=utf-8", &conditions)),
        "text/plain" => Ok(written(text(one), "text/plain; charset=utf-8", &conditions)),
        _ => {
            let json = serde_json::to_string(kind).unwrap_or_default();
            Ok(written(json, "application/json", &conditions))
        }
    }
}

fn find(code: &str) -> Option<&'static ProblemType> {
    problem_types().iter().find(|kind| kind.code == code)
}

/// An answer that is the same for every client.
fn written(body: String, media_type: &'static str, conditions: &Conditions) -> Reply {
    let tag = Tag::of_body(body.as_bytes());
    Reply::text(body)
        .header(CONTENT_TYPE, HeaderValue::from_static(media_type))
        .header(VARY, HeaderValue::from_static("accept"))
        .public(&tag, conditions)
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
