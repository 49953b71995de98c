//! Rate limits: so many requests in so much time, for all processes on a store together.
//!
//! The store counts each bucket. A process that is asked much does not ask it for every request: it takes some at a time and serves
//! from those. What it has taken and not used when the window is over is lost, so a limit may be reached a little early and is never
//! exceeded.

use super::{App, AppError, BearerToken};
use crate::store::Store;
use quick_cache::sync::Cache;
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// So many requests in so much time, written `600/1m`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// How many, from 1.
    pub quota: u32,
    /// In which time: whole seconds, a day at most.
    pub window: Duration,
}

impl FromStr for Rate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is no rate: write requests and time, such as 600/1m, 20/10s or 5000/1h");
        let (quota, window) = text.trim().split_once('/').ok_or_else(wrong)?;
        let (number, seconds) = match window.char_indices().next_back().ok_or_else(wrong)? {
            (end, 's') => (&window[..end], 1),
            (end, 'm') => (&window[..end], 60),
            (end, 'h') => (&window[..end], 60 * 60),
            _ => return Err(wrong()),
        };
        // `600/m` is 600 a minute.
        let number: u64 = if number.is_empty() { 1 } else { number.parse().map_err(|_| wrong())? };
        let quota: u32 = quota.parse().map_err(|_| wrong())?;
        let seconds = number.checked_mul(seconds).filter(|seconds| (1..=24 * 60 * 60).contains(seconds));
        match seconds {
            Some(seconds) if quota > 0 => Ok(Self { quota, window: Duration::from_secs(seconds) }),
            _ => Err(format!("{text:?} is out of range: 1 request at least, in 1 second to a day")),
        }
    }
}

/// Who is held to which rate; what is none is not counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// Each application, over all of its keys.
    pub application: Option<Rate>,
    /// Each token of an encounter.
    pub token: Option<Rate>,
    /// Each address, for requests that nobody known has sent.
    pub address: Option<Rate>,
}

/// Where a bucket stands after a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// Whether the request may be served.
    pub granted: bool,
    /// How many more may follow in this window, at least by what this process knows.
    pub left: u32,
    /// Until the window is over.
    pub ends_in: Duration,
}

/// What this process has taken from a bucket.
struct Taken {
    /// Not used yet.
    unused: u32,
    /// What was left to others when it was taken.
    others: u32,
    /// How many were served here in this window, and half as many as in the one before.
    served: u32,
    /// When it was taken, by two clocks: one may stand still while a process is frozen, the one on the wall may be set back.
    at: Moment,
    /// How long the window went on from then.
    lasts: Duration,
}

/// A moment by two clocks.
#[derive(Clone, Copy)]
struct Moment(Instant, SystemTime);

impl Moment {
    fn now() -> Self {
        Self(Instant::now(), SystemTime::now())
    }

    /// How much later it is than `earlier`, by the clock that went on for longer.
    fn since(self, earlier: Self) -> Duration {
        self.0.saturating_duration_since(earlier.0).max(self.1.duration_since(earlier.1).unwrap_or_default())
    }
}

impl Taken {
    /// Until the window is over; None where it is.
    fn ends_in(&self, now: Moment) -> Option<Duration> {
        self.lasts.checked_sub(now.since(self.at)).filter(|left| !left.is_zero())
    }

    fn allowance(&self, granted: bool, now: Moment) -> Allowance {
        let left = self.unused.saturating_add(self.others);
        Allowance { granted, left, ends_in: self.ends_in(now).unwrap_or_default() }
    }

    /// Serves one more request, or refuses it for good, if the store need not be asked for that.
    fn next(&mut self, now: Moment) -> Option<Allowance> {
        if self.ends_in(now).is_none() || self.unused == 0 && self.others > 0 {
            return None;
        }
        let granted = self.unused > 0;
        self.unused = self.unused.saturating_sub(1);
        self.served = self.served.saturating_add(granted.into());
        Some(self.allowance(granted, now))
    }
}

/// A window that is over the moment that its store tells of it still has to serve what it granted.
const SHORTEST: Duration = Duration::from_millis(10);

/// What this process has taken from all buckets.
pub(super) struct Limiter {
    taken: Cache<String, Arc<tokio::sync::Mutex<Taken>>>,
    /// The tokens that were good here, each with its encounter.
    good: Cache<String, ()>,
}

impl Limiter {
    /// So many buckets are remembered; one that is forgotten costs its bucket what was not used.
    const BUCKETS: usize = 16 * 1024;

    pub fn new() -> Self {
        Self { taken: Cache::new(Self::BUCKETS), good: Cache::new(Self::BUCKETS) }
    }

    async fn take(&self, store: &dyn Store, bucket: &str, rate: Rate) -> Result<Allowance, AppError> {
        let fresh = || {
            let none = Taken { unused: 0, others: 1, served: 0, at: Moment::now(), lasts: Duration::ZERO };
            Ok::<_, std::convert::Infallible>(Arc::new(tokio::sync::Mutex::new(none)))
        };
        let Ok(taken) = self.taken.get_or_insert_with(bucket, fresh);
        // Whoever waits here for the store shares what it grants.
        let mut taken = taken.lock().await;
        let now = Moment::now();
        if let Some(allowance) = taken.next(now) {
            return Ok(allowance);
        }
        let served = if taken.ends_in(now).is_none() { taken.served / 2 } else { taken.served };
        // A quarter of what was served here: a process that is asked little holds little that others could use. And a twentieth of all.
        let want = (served / 4).clamp(1, (rate.quota / 20).max(1));
        let acquire_quota = store.acquire_quota(bucket, want, rate.quota, rate.window).await?;
        let (at, lasts) = (Moment::now(), acquire_quota.ends_in.max(SHORTEST));
        *taken = Taken { unused: acquire_quota.granted, others: acquire_quota.left, served, at, lasts };
        Ok(taken.next(at).unwrap_or_else(|| taken.allowance(false, at)))
    }

    /// Where a bucket is exhausted as far as this process knows; the store is not asked.
    fn exhausted(&self, bucket: &str) -> Option<Allowance> {
        let taken = self.taken.get(bucket)?;
        let taken = taken.try_lock().ok()?;
        let now = Moment::now();
        (taken.ends_in(now).is_some() && taken.unused == 0 && taken.others == 0).then(|| taken.allowance(false, now))
    }
}

/// A token in its encounter.
fn good(id: &str, token: &BearerToken) -> String {
    format!("{id} {}", token.short())
}

impl App {
    /// Counts a request against a bucket.
    pub async fn count(&self, bucket: &str, rate: Rate) -> Result<Allowance, AppError> {
        self.limiter.take(&*self.store, bucket, rate).await
    }

    /// Whether a token was good in this encounter when this process saw it last.
    pub fn is_valid(&self, id: &str, token: &BearerToken) -> bool {
        self.limiter.good.get(&good(id, token)).is_some()
    }

    /// Asks the store whether a token is good in this encounter, and remembers it.
    pub async fn mark_valid(&self, id: &str, token: &BearerToken) -> Result<bool, AppError> {
        match self.admit(id, token).await {
            Ok(_) => self.limiter.good.insert(good(id, token), ()),
            Err(AppError::NotFound) => return Ok(false),
            Err(error) => return Err(error),
        }
        Ok(true)
    }

    /// Forgets that a token was good.
    pub fn invalidate(&self, id: &str, token: &BearerToken) {
        self.limiter.good.remove(&good(id, token));
    }

    /// Tells whether a bucket is known to be exhausted, counting nothing.
    pub fn exhausted(&self, bucket: &str) -> Option<Allowance> {
        self.limiter.exhausted(bucket)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_over_by_the_clock_that_went_on_for_longer() {
        let (at, seconds) = (Moment::now(), Duration::from_secs);
        let taken = Taken { unused: 0, others: 0, served: 0, at, lasts: seconds(60) };
        let left = |after, by_the_wall| taken.ends_in(Moment(at.0 + seconds(after), by_the_wall));
        assert_eq!(left(20, at.1 + seconds(20)), Some(seconds(40)));
        assert_eq!(left(60, at.1 + seconds(60)), None);
        assert_eq!(left(0, at.1 + seconds(60)), None, "it was frozen");
        assert_eq!(left(20, at.1 - seconds(3600)), Some(seconds(40)), "the clock was set back");
    }

    #[test]
    fn rates_are_requests_in_a_time() {
        let rate = |quota, seconds| Ok(Rate { quota, window: Duration::from_secs(seconds) });
        assert_eq!("600/1m".parse(), rate(600, 60));
        assert_eq!("600/m".parse(), rate(600, 60));
        assert_eq!(" 20/10s ".parse(), rate(20, 10));
        assert_eq!("5000/24h".parse(), rate(5000, 86_400));
        for wrong in [
            "",
            "600",
            "/m",
            "0/m",
            "600/",
            "600/0s",
            "600/25h",
            "-1/m",
            "600/1d",
            "600/1é",
            "6e2/m",
            "9/99999999999999999999s",
        ] {
            assert!(wrong.parse::<Rate>().is_err(), "{wrong}");
        }
    }
}
