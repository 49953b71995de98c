//! What several tests need.

pub mod choices;
pub mod client;
pub mod cluster;
pub mod contract;
pub mod dice;
pub mod json;
pub mod lambda;
pub mod legal_commands;
pub mod openapi;
pub mod process;
pub mod proxy;
pub mod raw;
pub mod redis;
pub mod rustc;
pub mod schema;
pub mod secrets;
pub mod server;
pub mod sources;
pub mod store;
pub mod table;

use std::time::{Duration, Instant};

/// Waits until `check` is true, at most `timeout`.
pub async fn eventually<F: Future<Output = bool>>(
    what: &str,
    timeout: Duration,
    mut check: impl FnMut() -> F,
) {
    let until = Instant::now() + timeout;
    while !check().await {
        assert!(Instant::now() < until, "{what}: not within {timeout:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Says which rules of the catalogues the calling test shows; the coverage test reads these calls.
pub fn shows(rules: &[&str]) {
    assert!(
        !rules.is_empty(),
        "a test that shows no rule does not say so"
    );
}

/// `small`, or `full` where `TURNKEEPER_STRESS=full` asks for the large sizes.
pub fn sized(small: usize, full: usize) -> usize {
    if std::env::var("TURNKEEPER_STRESS").is_ok_and(|size| size == "full") {
        full
    } else {
        small
    }
}

/// A number from the environment, such as how large a test is.
pub fn setting(name: &str) -> Option<u64> {
    let value = std::env::var(name).ok()?;
    Some(
        value
            .parse()
            .unwrap_or_else(|_| panic!("{name} is a number, not {value:?}")),
    )
}
