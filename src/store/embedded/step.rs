//! A step of a transaction, and why one does nothing.

use crate::store::StoreError;
use rusqlite::ErrorCode;

pub(super) type Step<T> = Result<T, StepError>;

/// Why a step of a transaction did nothing.
#[derive(Debug, thiserror::Error)]
pub(super) enum StepError {
    /// It was refused before it changed anything; the transaction goes on.
    #[error("{0}")]
    Refused(StoreError),
    /// The database failed, and with it the whole transaction.
    #[error("{0}")]
    Failed(rusqlite::Error),
}

impl From<StoreError> for StepError {
    fn from(refusal: StoreError) -> Self {
        Self::Refused(refusal)
    }
}

impl From<rusqlite::Error> for StepError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Failed(error)
    }
}

/// The error of a read or write that the database failed.
pub(super) fn store_error(error: &rusqlite::Error) -> StoreError {
    if is_damage(error) {
        StoreError::Corrupt(error.to_string())
    } else if is_full(error) || is_busy(error) {
        StoreError::Refused(error.to_string())
    } else {
        StoreError::Unavailable(error.to_string())
    }
}

/// Whether the file holds something that nobody wrote. It stays damaged; any other error may pass.
pub(super) fn is_damage(error: &rusqlite::Error) -> bool {
    let of_a_value = matches!(
        error,
        rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::Utf8Error(..)
    );
    let code = error.sqlite_error_code();
    of_a_value
        || matches!(
            code,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
        )
}

/// Whether another process writes. It is found out before anything is changed.
fn is_busy(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
}

/// Whether a write failed for want of room: on the disk, of a quota, or under a limit of file sizes.
pub(super) fn is_full(error: &rusqlite::Error) -> bool {
    use rusqlite::ffi::{SQLITE_IOERR_SHMSIZE, SQLITE_IOERR_WRITE};
    let has_no_room = |error: &rusqlite::ffi::Error| {
        matches!(
            error.extended_code,
            SQLITE_IOERR_WRITE | SQLITE_IOERR_SHMSIZE
        )
    };
    error.sqlite_error_code() == Some(ErrorCode::DiskFull)
        || error.sqlite_error().is_some_and(has_no_room)
}
