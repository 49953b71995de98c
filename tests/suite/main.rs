//! The tests below HTTP and above it, in one binary: linking is what costs.

mod openapi;
mod store;
mod support;
mod tiny;
mod transcripts;
