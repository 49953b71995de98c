//! Support modules of the tests.
#![allow(dead_code, reason = "the tests use the rest")]

#[path = "../../tests/suite/support/client.rs"]
pub mod client;
#[path = "../../tests/suite/support/redis.rs"]
pub mod redis;
#[path = "../../tests/suite/support/secrets.rs"]
mod secrets;
#[path = "../../tests/suite/support/server.rs"]
pub mod server;
