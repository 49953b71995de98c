//! The errors of the application.

use crate::engine::{LoadError, Refusal};
use crate::json::FieldError;
use crate::store::StoreError;
use crate::vocabulary::Pending;

/// Why a request failed.
#[derive(Debug)]
pub enum AppError {
    /// The encounter does not exist, or the token is not good in it. Clients cannot distinguish the
    /// two.
    NotFound,
    /// The encounter has no such token.
    NoToken,
    /// The engine refused; nothing changed.
    Refused(Refusal),
    /// The rules refused a command now; nothing changed.
    NotNow {
        /// Why.
        refusal: Refusal,
        /// The encounter's version.
        current: u64,
        /// The decision that is awaited, as the sender may know it.
        pending: Option<Box<Pending>>,
    },
    /// The encounter is at another version than the request expected.
    Stale {
        /// Its version.
        current: u64,
    },
    /// The version does not exist yet.
    FutureVersion {
        /// The newest version.
        current: u64,
    },
    /// The version was compacted.
    Pruned {
        /// The oldest version that is left.
        oldest: u64,
    },
    /// The log holds another entry at the place that the request names.
    Rewritten {
        /// The oldest version that is left.
        oldest: u64,
    },
    /// The request was applied before, and the log no longer holds what it answered.
    AnswerPruned {
        /// The version that it made.
        version: u64,
    },
    /// The idempotency key was used for another request.
    KeyReused,
    /// The encounter would exceed [`MAX_DOCUMENT`](super::MAX_DOCUMENT).
    TooLarge {
        /// The size that it would have, in bytes.
        size: usize,
    },
    /// An imported log contradicts itself; this is the first place.
    Inconsistent(FieldError),
    /// Other writers were first on every retry, or for too long. This attempt changed nothing; an
    /// earlier one under its key may have.
    Contended,
    /// Too much work waits already. This attempt changed nothing; an earlier one under its key may
    /// have.
    Busy,
    /// The token, or its encounter, holds too many streams open.
    TooManyStreams,
    /// The store is out of reach. Only the idempotency key shows whether a write happened.
    Unavailable(String),
    /// The store does not write now: it said so, or just failed another request. This attempt
    /// changed nothing; an earlier one under its key may have.
    StoreRefuses(String),
    /// Another program wrote what is stored.
    Foreign(String),
    /// A bug, or a damaged store.
    Internal(String),
}

impl From<StoreError> for AppError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unavailable(reason) => Self::Unavailable(reason),
            StoreError::Refused(reason) => Self::StoreRefuses(reason),
            StoreError::Corrupt(reason) => Self::Internal(reason),
            StoreError::Foreign(_) => Self::Foreign(error.to_string()),
            StoreError::Missing => Self::NotFound,
        }
    }
}

impl From<LoadError> for AppError {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::OtherSchema { .. } | LoadError::UnknownRuleset(_) => {
                Self::Foreign(error.to_string())
            }
            LoadError::Unreadable(_) => Self::Internal(error.to_string()),
        }
    }
}

impl<R: Into<Refusal>> From<R> for AppError {
    fn from(refusal: R) -> Self {
        Self::Refused(refusal.into())
    }
}

impl From<serde_json::Error> for AppError {
    fn from(error: serde_json::Error) -> Self {
        Self::Internal(format!("cannot be written as JSON: {error}"))
    }
}
