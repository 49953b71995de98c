//! What was taken from the buckets of rate limits: in memory, because one process serves the file and a window is short.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::store::{QuotaGrant, granted_quota};

/// So many windows are looked through for those that are over, at first.
const PURGE: usize = 1024;

/// The windows that are open.
#[derive(Default)]
pub(super) struct Windows(Mutex<Open>);

#[derive(Default)]
struct Open {
    windows: HashMap<String, Window>,
    /// With so many of them it is time to look again.
    purge_at: usize,
}

struct Window {
    used: u64,
    ends: Instant,
}

impl Windows {
    pub(super) fn acquire_quota(&self, bucket: &str, want: u32, quota: u32, length: Duration) -> QuotaGrant {
        let now = Instant::now();
        let mut open = self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if open.windows.len() > open.purge_at.max(PURGE) {
            open.windows.retain(|_, window| window.ends > now);
            open.purge_at = open.windows.len().saturating_mul(2);
        }
        let fresh = || Window { used: 0, ends: now + length };
        let window = open.windows.entry(bucket.to_owned()).or_insert_with(fresh);
        if window.ends <= now {
            *window = fresh();
        }
        window.used = window.used.saturating_add(want.into());
        granted_quota(window.used, want, quota, window.ends - now)
    }
}
