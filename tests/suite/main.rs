//! The tests below HTTP and above it, in one binary: linking is what costs.

mod bounds;
mod compatibility;
mod coverage;
mod e2e;
mod errors;
mod faults;
mod fuzz;
mod growth;
mod infra;
mod lambda;
mod layering;
mod listed;
mod log;
mod names;
mod openapi;
mod options;
mod over_http;
mod pitfalls;
mod properties;
mod readme;
mod rights;
mod round_robin;
mod rulesets;
mod store;
mod support;
mod transcripts;
