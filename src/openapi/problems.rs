//! The kinds of problems: read from the page on errors, so that program and page say the same.

use serde::Serialize;
use std::sync::LazyLock;
use utoipa::ToSchema;
use utoipa::openapi::schema::{Object, ObjectBuilder, Type};

const PAGE: &str = include_str!("../../docs/reference/errors.md");

/// A kind of problem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = ProblemType)]
pub struct ProblemType {
    /// The URI of this kind of problem: the `type` of its problem documents.
    #[serde(rename = "type")]
    #[schema(format = "uri-reference", example = "/problems/stale_version")]
    pub kind: String,
    /// A stable name for programs: the `code` of its problem documents.
    #[schema(example = "stale_version")]
    pub code: &'static str,
    /// The code in words: the `title` of its problem documents.
    #[schema(example = "Stale version")]
    pub title: String,
    /// The cause, and what to do.
    pub detail: &'static str,
    /// Its heading on the page of errors, such as a ruleset's name.
    #[schema(example = "The request")]
    pub section: &'static str,
}

impl ProblemType {
    fn new(code: &'static str, detail: &'static str, section: &'static str) -> Self {
        Self {
            kind: format!("/problems/{code}"),
            code,
            title: title(code),
            detail,
            section,
        }
    }
}

/// Every kind of problem, in the order of the page on errors.
pub fn problem_types() -> &'static [ProblemType] {
    static TYPES: LazyLock<Vec<ProblemType>> = LazyLock::new(|| read(PAGE));
    &TYPES
}

/// The code in words: `stale_version` is `Stale version`.
pub fn title(code: &str) -> String {
    let words = code.replace('_', " ");
    let mut letters = words.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => words,
    }
}

/// Every code, in the order of the page on errors.
pub fn codes() -> impl Iterator<Item = &'static str> {
    problem_types().iter().map(|kind| kind.code)
}

/// The schema of a problem's code.
pub fn problem_code() -> Object {
    let about = "A stable name for programs. `GET /problems/{code}` explains it.";
    ObjectBuilder::new()
        .schema_type(Type::String)
        .enum_values(Some(codes()))
        .description(Some(about))
        .build()
}

/// Reads the rows "| `code` | text |" below each heading.
fn read(page: &'static str) -> Vec<ProblemType> {
    let mut types = Vec::new();
    let mut section = "";
    for line in page.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            section = heading;
        }
        let Some(row) = line.strip_prefix("| `") else {
            continue;
        };
        if let Some((code, text)) = row.split_once("` | ") {
            let detail = text.trim_end().trim_end_matches('|').trim_end();
            types.push(ProblemType::new(code, detail, section));
        }
    }
    types
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_below_a_heading_are_read() {
        let page = "# Errors\n\n## Dice\n\n| code | what happened |\n| --- | --- |\n\
            | `no_die` | There is `no` die. Roll one. |\n";
        let detail = "There is `no` die. Roll one.";
        assert_eq!(read(page), [ProblemType::new("no_die", detail, "Dice")]);
    }

    #[test]
    fn a_title_is_the_code_in_words() {
        assert_eq!(title("stale_version"), "Stale version");
        assert_eq!(title(""), "");
    }
}
