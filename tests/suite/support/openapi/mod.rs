//! The published documents: the schemas of the types, what the operations declare, and the
//! manifests of the rulesets.
//!
//! The program serves the committed documents, so only tests make them: they write them, and
//! compare them with the code.

mod bodies;
mod breaking;
mod components;
mod document;
mod naming;
mod responses;
mod rulesets;
mod schema;
mod shape;
mod tools;

pub use breaking::breaking_changes;
pub use components::{AllSchemas, Schemas};
pub use document::{Examples, document};
pub use rulesets::{ruleset_list, ruleset_manifest};
pub use schema::{TypeSchema, type_schema};
pub use tools::tools_list;
