//! Rate limits: requests per time, for all processes on a store together.
//!
//! A bucket holds the requests that one application, token or address may still send in a window of
//! time; the store counts it. A busy process does not ask the store for every request, but takes
//! several from the bucket at a time. Those that it has not used when the window ends are lost, so
//! a limit may apply a little early and is never exceeded.

use super::{App, AppError, BearerToken};
use crate::store::QuotaGrant;
use quick_cache::sync::Cache;
use std::convert::Infallible;
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::sync::Mutex;

/// The minimum time for which a grant counts, in case its window ends at once.
const MIN_WINDOW_LEFT: Duration = Duration::from_millis(10);
/// The maximum number of buckets, and of valid tokens, that a process remembers. A forgotten bucket
/// loses its unused requests.
const MAX_REMEMBERED: usize = 16 * 1024;

/// Maximum requests in a time, written `600/1m`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// Maximum requests, at least 1.
    pub quota: u32,
    /// The time: at most a day, in seconds.
    pub window: Duration,
}

impl FromStr for Rate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some((quota, window)) = quota_and_window(text.trim()) else {
            return Err(format!(
                "{text:?} is not a rate: write requests and time, such as 600/1m, 20/10s or 5000/1h"
            ));
        };
        if quota == 0
            || window.subsec_nanos() > 0
            || !(1..=24 * 60 * 60).contains(&window.as_secs())
        {
            return Err(format!(
                "{text:?} is out of range: 1 request at least, in whole seconds, at most a day"
            ));
        }
        Ok(Self { quota, window })
    }
}

fn quota_and_window(text: &str) -> Option<(u32, Duration)> {
    let (quota, window) = text.split_once('/')?;
    // `600/m` is 600 a minute.
    let window = if window.starts_with(|c: char| c.is_ascii_alphabetic()) {
        humantime::parse_duration(&format!("1{window}"))
    } else {
        humantime::parse_duration(window)
    };
    Some((quota.parse().ok()?, window.ok()?))
}

/// The configured rates. Requests without one are not counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// For each application, over all its keys.
    pub application: Option<Rate>,
    /// For each token of an encounter.
    pub token: Option<Rate>,
    /// For each address, for requests without a valid key or token.
    pub address: Option<Rate>,
}

/// The requests that this process has taken from a bucket.
struct Taken {
    /// The store's last grant, less the requests that it was used for.
    grant: QuotaGrant,
    /// Requests served here in this window, and half of those served in the window before.
    served: u32,
    /// The time of the grant. The monotonic clock may stop while a process is frozen.
    at: SystemTime,
}

impl Taken {
    /// Nothing, for a bucket of which the store has not been asked.
    fn nothing() -> Self {
        Self {
            grant: QuotaGrant {
                granted: 0,
                left: 0,
                ends_in: Duration::ZERO,
            },
            served: 0,
            at: SystemTime::now(),
        }
    }

    /// Time until the window ends. None after its end, and if the clock was set back: then only the
    /// store knows.
    fn ends_in(&self, now: SystemTime) -> Option<Duration> {
        let passed = now.duration_since(self.at).ok()?;
        let left = self.grant.ends_in.checked_sub(passed)?;
        (!left.is_zero()).then_some(left)
    }

    /// Serves a request from what was taken, or refuses it if the bucket is empty. None if only the
    /// store can say.
    fn serve(&mut self, now: SystemTime) -> Option<QuotaGrant> {
        self.ends_in(now)?;
        if self.grant.granted > 0 {
            self.grant.granted -= 1;
            self.served = self.served.saturating_add(1);
            return Some(self.answer(1, now));
        }
        if self.grant.left > 0 {
            return None;
        }
        Some(self.answer(0, now))
    }

    /// The answer to one request, with what the bucket holds after it.
    fn answer(&self, granted: u32, now: SystemTime) -> QuotaGrant {
        QuotaGrant {
            granted,
            left: self.grant.granted.saturating_add(self.grant.left),
            ends_in: self.ends_in(now).unwrap_or_default(),
        }
    }
}

/// How many requests to take next: a quarter of those served here, so that an idle process keeps
/// little from others, and at most a twentieth of the quota.
fn wanted(served: u32, quota: u32) -> u32 {
    (served / 4).clamp(1, (quota / 20).max(1))
}

/// The buckets and the valid tokens that this process remembers.
pub(super) struct Limiter {
    /// The requests taken from each bucket.
    taken: Cache<String, Arc<Mutex<Taken>>>,
    /// Tokens that were valid, each with its encounter.
    valid_tokens: Cache<String, ()>,
}

impl Limiter {
    pub fn new() -> Self {
        Self {
            taken: Cache::new(MAX_REMEMBERED),
            valid_tokens: Cache::new(MAX_REMEMBERED),
        }
    }
}

/// The key of a token in its encounter.
fn token_key(id: &str, token: &BearerToken) -> String {
    format!("{id} {}", token.short())
}

impl App {
    /// Counts a request against a bucket. It may be served if 1 is granted.
    pub async fn count(&self, bucket: &str, rate: Rate) -> Result<QuotaGrant, AppError> {
        let Ok(taken) = self.limiter.taken.get_or_insert_with(bucket, || {
            Ok::<_, Infallible>(Arc::new(Mutex::new(Taken::nothing())))
        });
        // Requests that wait here for the store share its grant.
        let mut taken = taken.lock().await;
        let now = SystemTime::now();
        if let Some(answer) = taken.serve(now) {
            return Ok(answer);
        }
        let served = if taken.ends_in(now).is_some() {
            taken.served
        } else {
            taken.served / 2
        };
        let mut grant = self
            .store
            .acquire_quota(bucket, wanted(served, rate.quota), rate.quota, rate.window)
            .await?;
        grant.ends_in = grant.ends_in.max(MIN_WINDOW_LEFT);
        let at = SystemTime::now();
        *taken = Taken { grant, served, at };
        Ok(taken.serve(at).unwrap_or_else(|| taken.answer(0, at)))
    }

    /// The refusal of a bucket that this process knows to be exhausted. Counts nothing.
    pub fn exhausted(&self, bucket: &str) -> Option<QuotaGrant> {
        let taken = self.limiter.taken.get(bucket)?;
        // While another request asks the store, nothing is known.
        let mut taken = taken.try_lock().ok()?;
        if taken.grant.granted > 0 {
            return None;
        }
        taken.serve(SystemTime::now())
    }

    /// Whether a token was valid in this encounter when this process saw it last.
    pub fn is_known_valid(&self, id: &str, token: &BearerToken) -> bool {
        self.limiter
            .valid_tokens
            .get(&token_key(id, token))
            .is_some()
    }

    /// Asks the store whether a token is valid in this encounter, and remembers a valid one.
    pub async fn check_token(&self, id: &str, token: &BearerToken) -> Result<bool, AppError> {
        match self.authenticate(id, token).await {
            Ok(_) => self.limiter.valid_tokens.insert(token_key(id, token), ()),
            Err(AppError::NotFound) => return Ok(false),
            Err(error) => return Err(error),
        }
        Ok(true)
    }

    /// Forgets that a token was valid.
    pub fn forget_token(&self, id: &str, token: &BearerToken) {
        self.limiter.valid_tokens.remove(&token_key(id, token));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_ends_by_the_clock_on_the_wall() {
        let at = SystemTime::now();
        let seconds = Duration::from_secs;
        let taken = Taken {
            grant: QuotaGrant {
                granted: 0,
                left: 0,
                ends_in: seconds(60),
            },
            served: 0,
            at,
        };
        assert_eq!(taken.ends_in(at + seconds(20)), Some(seconds(40)));
        assert_eq!(taken.ends_in(at + seconds(60)), None);
        assert_eq!(
            taken.ends_in(at - seconds(3600)),
            None,
            "the clock was set back: the store is asked"
        );
    }

    #[test]
    fn rates_are_requests_in_a_time() {
        let rate = |quota, seconds| {
            Ok(Rate {
                quota,
                window: Duration::from_secs(seconds),
            })
        };
        assert_eq!("600/1m".parse(), rate(600, 60));
        assert_eq!("600/m".parse(), rate(600, 60));
        assert_eq!(" 20/10s ".parse(), rate(20, 10));
        assert_eq!("5000/24h".parse(), rate(5000, 86_400));
        assert_eq!("5000/1d".parse(), rate(5000, 86_400));
        for wrong in [
            "",
            "600",
            "/m",
            "0/m",
            "600/",
            "600/0s",
            "600/25h",
            "600/1500ms",
            "600/60",
            "-1/m",
            "600/1x",
            "600/1é",
            "6e2/m",
            "9/99999999999999999999s",
        ] {
            assert!(wrong.parse::<Rate>().is_err(), "{wrong}");
        }
    }
}
