//! What the published document says of types besides their own schemas. Tests make the document
//! (`tests/suite/support/openapi`); the program serves the committed one.

mod bodies;
mod responses;
mod schema;

pub use bodies::*;
pub use responses::*;
pub use schema::{Components, REF, correct, json, standalone};
