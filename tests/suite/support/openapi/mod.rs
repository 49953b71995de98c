//! The published document: the schemas of the types, and what the operations declare.
//!
//! The program serves the committed document, so only tests make it: they write it, and compare it with the code.

mod bodies;
mod components;
mod document;
mod naming;
mod responses;
mod shape;

pub use components::AllSchemas;
pub use document::{Examples, document};
