//! The published document: the schemas of the types, and what the operations declare.

mod bodies;
mod components;
mod document;
mod naming;
mod responses;
mod shape;
mod walk;

pub use bodies::*;
pub use components::Schemas;
pub use document::{Examples, document};
pub use naming::standalone;
pub use responses::*;
