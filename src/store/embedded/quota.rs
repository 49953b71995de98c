//! The buckets of rate limits: in memory, because one process serves the file and windows are
//! short.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::store::{QuotaGrant, granted_quota};

/// The windows by bucket.
#[derive(Default)]
pub(super) struct Windows(Mutex<HashMap<String, QuotaWindow>>);

#[derive(Clone, Copy)]
struct QuotaWindow {
    used: u64,
    ends: Instant,
}

impl Windows {
    pub(super) fn acquire_quota(
        &self,
        bucket: &str,
        want: u32,
        quota: u32,
        length: Duration,
    ) -> QuotaGrant {
        let now = Instant::now();
        let mut windows = self.0.lock();
        // Ended windows make room before the map grows.
        if windows.len() == windows.capacity() && !windows.contains_key(bucket) {
            windows.retain(|_, window| window.ends > now);
        }
        let fresh = QuotaWindow {
            used: 0,
            ends: now + length,
        };
        let window = windows.entry(bucket.to_owned()).or_insert(fresh);
        if window.ends <= now {
            *window = fresh;
        }
        window.used = window.used.saturating_add(want.into());
        granted_quota(window.used, want, quota, window.ends - now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ended_windows_make_room_and_others_go_on_counting() {
        let (windows, long) = (Windows::default(), Duration::from_secs(3600));
        let left = |bucket: &str, length| windows.acquire_quota(bucket, 1, 1000, length).left;
        assert_eq!(left("long", long), 999);
        for n in 0..1000 {
            left(&n.to_string(), Duration::ZERO);
        }
        let kept = windows.0.lock().len();
        assert!(kept < 100, "{kept} windows are kept");
        assert_eq!(left("long", long), 998);
    }
}
