//! What the published document says of types besides their own schemas. Tests make the document
//! (`tests/suite/support/openapi`); the program serves the committed one.

mod bodies;
mod problems;
mod responses;
mod tools;

pub use bodies::*;
pub use problems::*;
pub use responses::*;
pub use tools::*;
