//! A decided write of an encounter, and how it ended.

use super::answer::AnswerSize;
use super::{AppError, idempotency::Record};
use crate::engine::{AnyEncounter, Viewer};
use crate::store::Entry;
use bytes::Bytes;
use std::sync::Arc;

/// A decided write.
pub(super) struct Change<A> {
    /// The encounter after it.
    pub encounter: Arc<dyn AnyEncounter>,
    /// The log entry, if it makes a version.
    pub entry: Option<Entry>,
    /// The answer to its request.
    pub answer: A,
    /// The record under the key of its request.
    pub record: Record,
}

impl<A> Change<A> {
    /// A write that makes no version, and of which `recorded` is kept for a repeated request.
    pub fn without_entry(encounter: Arc<dyn AnyEncounter>, answer: A, recorded: Bytes) -> Self {
        let record = Record {
            version: encounter.version(),
            size: AnswerSize::Minimal,
            body: recorded,
        };
        Self {
            encounter,
            entry: None,
            answer,
            record,
        }
    }
}

/// How a write ended.
pub(super) enum Written<A> {
    /// It was applied.
    Applied(A),
    /// The same request was applied before, under its key.
    Repeated(Repeated),
}

/// A request that was applied before.
pub(super) struct Repeated {
    /// The record of its first time.
    pub record: Record,
    /// The encounter now.
    pub encounter: Arc<dyn AnyEncounter>,
    /// The sender, who may still write.
    pub viewer: Viewer,
}

impl<A> Written<A> {
    /// The answer to a request without a key, which is never a repeated one.
    pub fn applied(self) -> Result<A, AppError> {
        match self {
            Self::Applied(answer) => Ok(answer),
            Self::Repeated(_) => Err(AppError::Internal(
                "an answer to a request without a key".to_owned(),
            )),
        }
    }
}
