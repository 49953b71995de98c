//! Points in time.

use jiff::Timestamp;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// A point in time, in JSON a text as in RFC 3339: in UTC, to the millisecond.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time(Timestamp);

impl From<Timestamp> for Time {
    fn from(at: Timestamp) -> Self {
        // Every time lies in the range of milliseconds.
        Self(Timestamp::from_millisecond(at.as_millisecond()).unwrap_or(at))
    }
}

impl FromStr for Time {
    type Err = jiff::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(<Self as From<Timestamp>>::from)
    }
}

impl Time {
    /// The whole seconds from an earlier time to this one; 0 if that is later.
    pub fn seconds_since(self, earlier: Self) -> u64 {
        let seconds = self.0.duration_since(earlier.0).as_secs();
        seconds.try_into().unwrap_or(0)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}", self.0)
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'_, str>::deserialize(deserializer)?;
        text.parse()
            .map_err(|_| D::Error::custom("Expected a time such as 2026-01-31T19:30:00Z."))
    }
}
