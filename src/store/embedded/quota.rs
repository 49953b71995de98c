//! The buckets of rate limits: in memory, because one process serves the file and windows are short.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::store::{QuotaGrant, granted_quota};

/// Minimum number of windows before the first purge.
const PURGE: usize = 1024;

/// The open windows by bucket.
#[derive(Default)]
pub(super) struct Windows(Mutex<OpenWindows>);

#[derive(Default)]
struct OpenWindows {
    windows: HashMap<String, QuotaWindow>,
    /// The number of windows at which ended ones are purged.
    purge_at: usize,
}

struct QuotaWindow {
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
        let fresh = || QuotaWindow { used: 0, ends: now + length };
        let window = open.windows.entry(bucket.to_owned()).or_insert_with(fresh);
        if window.ends <= now {
            *window = fresh();
        }
        window.used = window.used.saturating_add(want.into());
        granted_quota(window.used, want, quota, window.ends - now)
    }
}
