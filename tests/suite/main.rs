//! The tests below HTTP and above it, in one binary: linking is what costs.

mod bounds;
mod coverage;
mod e2e;
mod faults;
mod floors;
mod fuzz;
mod groups;
mod growth;
mod infra;
mod lambda;
mod laws;
mod memory;
mod openapi;
mod options;
mod over_http;
mod pitfalls;
mod readme;
mod rights;
mod rulesets;
mod shared;
mod store;
mod support;
mod tiny;
mod transcripts;
