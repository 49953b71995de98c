//! When a request has to be answered, where its front door sets an end that is not ours to move.

use super::problem::Problem;
use std::time::{Duration, Instant};

/// The last moment for an answer: an extension of a request. Whoever waits for something, or streams, ends before it.
#[derive(Debug, Clone, Copy)]
pub struct Deadline(pub Instant);

impl Deadline {
    /// How long there is still.
    pub fn remaining(&self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }

    /// What is said to a request that was not answered by then.
    pub(super) fn missed() -> Problem {
        let detail = "there was no time left to answer; an Idempotency-Key tells whether it was applied";
        Problem::unavailable("too_late", detail)
    }
}
