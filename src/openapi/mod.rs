//! The published document's schemas, made from the types of the registered rulesets.

mod bodies;
mod codes;
mod components;
mod document;
mod naming;
mod responses;
mod schemas;
mod walk;

pub use bodies::*;
pub use codes::{ProblemCode, codes};
pub use document::{Examples, document};
pub use naming::standalone;
pub use responses::*;
pub use schemas::Schemas;
