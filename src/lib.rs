//! Turnkeeper runs the turn order of tabletop combat by the rules of published initiative systems,
//! behind a REST API.
#![cfg_attr(not(test), warn(clippy::unwrap_used))]

// The macros write paths that begin with this name.
extern crate self as turnkeeper;

pub mod app;
pub mod config;
pub mod convert;
pub mod engine;
pub mod follow;
pub mod http;
pub mod json;
pub mod lambda;
pub mod log;
pub mod measure;
pub mod openapi;
pub mod rulesets;
pub mod store;
pub mod vocabulary;
