//! The published document's schemas, made from the types of the registered rulesets.

mod components;
mod document;
mod history;
mod naming;
mod schemas;
mod walk;

pub use components::components;
pub use document::{Examples, document};
pub use naming::standalone;
pub use schemas::Schemas;
