//! Support modules of the tests.
#![allow(dead_code, reason = "the tests use the rest")]

#[path = "../../tests/suite/support/choices.rs"]
pub mod choices;

#[path = "../../tests/suite/support/client.rs"]
pub mod client;
#[path = "../../tests/suite/support/process.rs"]
pub mod process;
#[path = "../../tests/suite/support/redis.rs"]
pub mod redis;
#[path = "../../tests/suite/support/secrets.rs"]
mod secrets;
#[path = "../../tests/suite/support/server.rs"]
pub mod server;

/// Benchmarks hold nothing against the document.
mod contract {
    pub fn check(_method: &str, _path: &str, _sent: &[u8], _answer: &super::client::Answer) {}
}
