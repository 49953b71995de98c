//! The codes of problems: a closed list, which the page on errors holds with an explanation of each.

use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// Every code.
pub fn codes() -> impl Iterator<Item = &'static str> {
    const PAGE: &str = include_str!("../../docs/guide/errors.md");
    PAGE.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next())
}

/// The code of a problem.
pub struct ProblemCode;

impl PartialSchema for ProblemCode {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new().schema_type(Type::String).enum_values(Some(codes())).into()
    }
}

impl ToSchema for ProblemCode {}
