//! Conditions that a command must meet.

use crate::vocabulary::Violation;
use std::borrow::Cow;

/// Refuses a command under `rule` unless `holds`.
pub fn require<D: Into<Cow<'static, str>>>(
    holds: bool, code: &'static str, rule: &'static str, detail: impl FnOnce() -> D,
) -> Result<(), Violation> {
    if holds { Ok(()) } else { Err(Violation::new(code, rule, detail())) }
}
