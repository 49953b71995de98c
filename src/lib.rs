//! Turnkeeper runs the turn order of tabletop combat by the rules of published initiative systems, behind a REST API.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod app;
pub mod config;
pub mod engine;
pub mod http;
pub mod lambda;
pub mod log;
pub mod openapi;
pub mod rulesets;
pub mod store;
pub mod vocabulary;
