//! When a request must be answered.

use super::AppState;
use super::problem::Problem;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use std::convert::Infallible;
use std::time::{Duration, Instant};

/// The last moment for an answer, as an extension of a request. Waits and streams end before it.
#[derive(Debug, Clone, Copy)]
pub struct Deadline(pub Instant);

impl Deadline {
    /// The time that is left.
    pub fn remaining(&self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }

    /// The answer to a request that misses its deadline.
    pub(super) fn missed() -> Problem {
        let detail = "there was no time left to answer, so the request may have been applied: send it again with the same Idempotency-Key";
        Problem::unavailable("too_late", detail)
    }
}

/// When the time limit of a request ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct TimeLimit(Instant);

impl TimeLimit {
    /// A time limit that ends after this time.
    pub fn within(time: Duration) -> Self {
        Self(Instant::now() + time)
    }

    /// The time that is left for more work, before the answer must be on its way.
    pub fn left(&self) -> Duration {
        self.0
            .saturating_duration_since(Instant::now())
            .saturating_sub(Duration::from_secs(1))
    }
}

impl FromRequestParts<AppState> for TimeLimit {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Infallible> {
        let set = parts.extensions.get().copied();
        Ok(set.unwrap_or_else(|| Self::within(state.settings.timeout)))
    }
}
