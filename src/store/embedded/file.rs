//! The database file: opened, given up after an error, opened again.

use std::path::{Path, PathBuf};
use std::sync::{Arc, RwLock};
use std::thread::sleep;
use std::time::Duration;

use redb::{Builder, Database, DatabaseError};

use crate::store::{OpenError, StoreError};

/// What redb may keep of the file in memory; the system's own cache holds the rest.
const CACHE: usize = 8 * 1024 * 1024;

/// The one file of a store, and the database in it unless it is being opened.
pub(super) struct File {
    path: PathBuf,
    database: RwLock<Option<Arc<Database>>>,
}

impl File {
    /// Opens the file in `directory`, making both where they are missing.
    pub(super) fn open(directory: &Path) -> Result<Self, OpenError> {
        std::fs::create_dir_all(directory).map_err(|error| cannot(directory, &error))?;
        let path = directory.join("turnkeeper.redb");
        let database = open(&path)?;
        Ok(Self { path, database: RwLock::new(Some(Arc::new(database))) })
    }

    /// The database, for as long as one transaction.
    pub(super) fn database(&self) -> Result<Arc<Database>, StoreError> {
        let current = self.database.read().unwrap_or_else(|poisoned| poisoned.into_inner()).clone();
        current.ok_or_else(|| StoreError::Unavailable(format!("{} is not open", self.path.display())))
    }

    /// Closes the database once the readers have finished.
    pub(super) fn close(&self) {
        let taken = self.database.write().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
        let Some(mut database) = taken else { return };
        loop {
            match Arc::try_unwrap(database) {
                Ok(closed) => return drop(closed),
                Err(shared) => database = shared,
            }
            sleep(Duration::from_millis(1));
        }
    }

    /// Opens it again; only the writer does that.
    pub(super) fn reopen(&self) -> Result<(), OpenError> {
        let database = open(&self.path)?;
        *self.database.write().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(Arc::new(database));
        Ok(())
    }
}

fn open(path: &Path) -> Result<Database, OpenError> {
    Builder::new().set_cache_size(CACHE).create(path).map_err(|error| match error {
        DatabaseError::DatabaseAlreadyOpen => OpenError::InUse(path.display().to_string()),
        other => cannot(path, &other),
    })
}

fn cannot(path: &Path, reason: &dyn std::fmt::Display) -> OpenError {
    OpenError::File { path: path.display().to_string(), reason: reason.to_string() }
}
