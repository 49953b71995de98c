//! A step of a transaction, and why one does nothing.

use crate::store::StoreError;

pub(super) type Step<T> = Result<T, StepError>;

/// Why a step of a transaction did nothing.
#[derive(Debug, thiserror::Error)]
pub(super) enum StepError {
    /// It was refused before it changed anything; the transaction goes on.
    #[error("{0}")]
    Refused(StoreError),
    /// The database failed, and with it the whole transaction.
    #[error("{0}")]
    Failed(redb::Error),
}

impl From<StoreError> for StepError {
    fn from(refusal: StoreError) -> Self {
        Self::Refused(refusal)
    }
}

impl<E: Into<redb::Error>> From<E> for StepError {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

/// A row, or None if it is damaged.
pub(super) fn if_sound<T>(read: Step<Option<T>>) -> Result<Option<T>, redb::Error> {
    match read {
        Ok(row) => Ok(row),
        Err(StepError::Refused(_)) => Ok(None),
        Err(StepError::Failed(error)) => Err(error),
    }
}
