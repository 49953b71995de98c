//! What several tests need.

pub mod client;
pub mod cluster;
pub mod contract;
pub mod dice;
pub mod json;
pub mod lambda;
pub mod legal_commands;
pub mod redis;
pub mod schema;
pub mod secrets;
pub mod server;
pub mod sources;
pub mod table;

/// Says which rules of the catalogues the calling test shows; the coverage test reads these calls.
pub fn shows(rules: &[&str]) {
    assert!(!rules.is_empty(), "a test that shows no rule does not say so");
}

/// `small`, or `full` where `TURNKEEPER_STRESS=full` asks for the large sizes.
pub fn sized(small: usize, full: usize) -> usize {
    if std::env::var("TURNKEEPER_STRESS").is_ok_and(|size| size == "full") { full } else { small }
}

/// A number from the environment, such as how large a test is.
pub fn setting(name: &str) -> Option<u64> {
    let value = std::env::var(name).ok()?;
    Some(value.parse().unwrap_or_else(|_| panic!("{name} is a number, not {value:?}")))
}
