//! Why the application did not do what was asked.

use crate::engine::{LoadError, Refusal};
use crate::store::StoreError;
use crate::vocabulary::{BadJson, FieldError};

/// Why a request was not carried out.
#[derive(Debug)]
pub enum AppError {
    /// No such encounter, or none that this token may know of: the two are told apart nowhere.
    NotFound,
    /// The encounter has no such token.
    NoToken,
    /// No such ruleset; these are the ones there are.
    NoRuleset(Vec<&'static str>),
    /// The engine refuses it; nothing changed.
    Refused(Refusal),
    /// What should be an exported log is not even JSON.
    NotJson(BadJson),
    /// The encounter is at another version than was asked for.
    Stale {
        /// The version that it is at.
        current: u64,
    },
    /// The version asked for is later than the present one.
    FutureVersion {
        /// The version that it is at.
        current: u64,
    },
    /// The version asked for is folded away.
    Pruned {
        /// The oldest version that there is still.
        oldest: u64,
    },
    /// The idempotency key was used before, for another request.
    KeyReused,
    /// The encounter would become larger than [`MAX_DOCUMENT`](super::MAX_DOCUMENT).
    TooLarge {
        /// The bytes that it would have.
        size: usize,
    },
    /// A log that was to be imported is not one; the first place where that shows.
    Inconsistent(FieldError),
    /// Others kept changing the encounter first; nothing was applied.
    Contended,
    /// Too much work waits already; nothing was applied.
    Busy,
    /// The store is out of reach. Whether a write happened only its idempotency key can tell.
    Unavailable(String),
    /// What is stored was written by a newer program.
    Newer(String),
    /// Something that should be impossible: a bug, or a damaged store.
    Internal(String),
}

impl From<StoreError> for AppError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unavailable(reason) => Self::Unavailable(reason),
            StoreError::Corrupt(reason) => Self::Internal(reason),
            StoreError::Missing => Self::NotFound,
        }
    }
}

impl From<LoadError> for AppError {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::Newer { .. } | LoadError::UnknownRuleset(_) => Self::Newer(error.to_string()),
            LoadError::Unreadable(_) => Self::Internal(error.to_string()),
        }
    }
}

impl From<Refusal> for AppError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<serde_json::Error> for AppError {
    fn from(error: serde_json::Error) -> Self {
        Self::Internal(format!("cannot be written as JSON: {error}"))
    }
}
