//! When a request must be answered.

use super::AppState;
use axum::extract::{FromRequestParts, Request};
use axum::http::request::Parts;
use hyper::body::Body as _;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
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

/// Whether all of a request is here, as an extension of it.
#[derive(Debug, Clone)]
pub(super) struct Arrival(Arc<AtomicBool>);

impl Arrival {
    /// That of a request, whose body may have no bytes.
    pub fn of(request: &Request) -> Self {
        Self(Arc::new(request.body().is_end_stream().into()))
    }

    /// The last byte is here.
    pub fn complete(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the last byte is here.
    pub fn is_complete(&self) -> bool {
        self.0.load(Ordering::Relaxed)
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
