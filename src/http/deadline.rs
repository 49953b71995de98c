//! When a request must be answered.

use super::AppState;
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
