//! The file of the store: made as a whole or not at all, opened, and closed.

use std::any::Any;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use parking_lot::{MappedRwLockReadGuard, RwLock, RwLockReadGuard};
use redb::{Builder, Database, ReadableDatabase};

use super::clock::Millis;
use super::overlay::Overlay;
use super::schema::{check_tables, foreign_layout, kept_time};
use super::tables::make_tables;
use crate::store::StoreError;

/// The name of the file in its directory.
const NAME: &str = "turnkeeper.redb";
/// Its name until it is whole.
const UNFINISHED: &str = "turnkeeper.redb.new";
/// Bytes of the file that redb caches; the system caches the rest.
pub(super) const CACHE: usize = 8 * 1024 * 1024;

/// The path of the file in a directory.
pub fn file_in(directory: &Path) -> PathBuf {
    directory.join(NAME)
}

/// The file of a store, and the database in it while that is open.
pub(super) struct DatabaseFile {
    path: PathBuf,
    database: RwLock<Option<Database>>,
}

impl DatabaseFile {
    /// Opens the file in `directory`, and makes both if they are missing.
    pub(super) fn open(directory: &Path) -> Result<Self, String> {
        let path = file_in(directory);
        let made = make(directory, &path)?;
        let database = match made {
            Some(database) => database,
            None => open(&path)?,
        };
        Ok(Self {
            path,
            database: RwLock::new(Some(database)),
        })
    }

    /// Its size in bytes; None if it can't be read.
    pub(super) fn bytes(&self) -> Option<u64> {
        let about = std::fs::metadata(&self.path).ok()?;
        Some(about.len())
    }

    /// The database, for the length of one transaction.
    pub(super) fn database(&self) -> Result<MappedRwLockReadGuard<'_, Database>, StoreError> {
        let open = RwLockReadGuard::try_map(self.database.read(), Option::as_ref);
        open.map_err(|_| StoreError::Unavailable(format!("{} is not open", self.path.display())))
    }

    /// The time that the store has kept.
    pub(super) fn kept_time(&self) -> Result<Millis, String> {
        self.read_kept_time()
            .map_err(|reason| damaged(&self.path, &reason))
    }

    fn read_kept_time(&self) -> Result<Millis, String> {
        let database = self.database().map_err(|error| error.to_string())?;
        kept_time(&database.begin_read().map_err(|error| error.to_string())?)
    }

    /// Closes the database once its readers have finished.
    pub(super) fn close(&self) {
        let database = self.database.write().take();
        drop(database);
    }

    /// Opens the database after [`DatabaseFile::close`].
    pub(super) fn reopen(&self) -> Result<(), String> {
        *self.database.write() = Some(open(&self.path)?);
        Ok(())
    }
}

pub(super) fn cannot_open(path: &Path, reason: impl std::fmt::Display) -> String {
    format!(
        "cannot open the embedded store {}: {reason}",
        path.display()
    )
}

/// Makes the file under another name, and renames it once it is whole: a crash or a full disk
/// leaves no half of a file under its own name. Returns None if there is a file already.
fn make(directory: &Path, path: &Path) -> Result<Option<Database>, String> {
    make_directory(directory).map_err(|error| cannot_open(directory, error))?;
    let unfinished = directory.join(UNFINISHED);
    if path
        .try_exists()
        .map_err(|error| cannot_open(path, error))?
    {
        // A start that was killed may have left one.
        let _ = std::fs::remove_file(&unfinished);
        return Ok(None);
    }
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(&unfinished)
        .map_err(|error| cannot_make(path, &error))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(in_use(path)),
        Err(TryLockError::Error(error)) => return Err(cannot_make(path, &error)),
    }
    // Another process may have finished it before this one had the lock.
    if path
        .try_exists()
        .map_err(|error| cannot_open(path, error))?
    {
        return Ok(None);
    }
    match make_database(directory, path, &unfinished, file) {
        Ok(database) => Ok(Some(database)),
        Err(error) => Err(cannot_make(path, &error)),
    }
}

fn cannot_make(path: &Path, reason: &dyn std::fmt::Display) -> String {
    format!(
        "cannot make the embedded store {}: {reason}",
        path.display()
    )
}

/// Makes the database in the unfinished file, and gives the file its own name.
fn make_database(
    directory: &Path,
    path: &Path,
    unfinished: &Path,
    file: File,
) -> Result<Database, redb::Error> {
    // The rest of a start that was killed goes. One that fails is left to the next start: removing
    // it could hit another process's.
    file.set_len(0)?;
    let database = Builder::new().set_cache_size(CACHE).create_file(file)?;
    make_tables(&database)?;
    std::fs::rename(unfinished, path)?;
    sync_directory(directory)?;
    Ok(database)
}

/// Creates a directory, with those above it, durably.
fn make_directory(directory: &Path) -> std::io::Result<()> {
    let missing: Vec<&Path> = directory
        .ancestors()
        .take_while(|directory| !directory.exists())
        .collect();
    std::fs::create_dir_all(directory)?;
    for made in missing {
        if let Some(parent) = made.parent() {
            sync_directory(parent)?;
        }
    }
    Ok(())
}

/// Makes the names in a directory durable.
pub(super) fn sync_directory(directory: &Path) -> std::io::Result<()> {
    let directory = if directory.as_os_str().is_empty() {
        Path::new(".")
    } else {
        directory
    };
    File::open(directory)?.sync_all()
}

/// Opens a file that exists.
fn open(path: &Path) -> Result<Database, String> {
    opened(path, || {
        Ok(Builder::new().set_cache_size(CACHE).open(path)?)
    })
}

/// Opens a file that no other process has open, and leaves it as it is: changes stay in memory.
pub(super) fn open_unchanged(path: &Path) -> Result<Database, String> {
    let file = File::open(path).map_err(|error| {
        if error.kind() == ErrorKind::NotFound {
            return missing(path);
        }
        cannot_open(path, error)
    })?;
    match file.try_lock_shared() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(in_use(path)),
        Err(TryLockError::Error(error)) => return Err(cannot_open(path, error)),
    }
    opened(path, || {
        Ok(Builder::new()
            .set_cache_size(CACHE)
            .create_with_backend(Overlay::over(file)?)?)
    })
}

/// Opens a file with `open`, and says in words why that is not possible.
fn opened(
    path: &Path,
    open: impl FnOnce() -> Result<Database, redb::Error>,
) -> Result<Database, String> {
    let about = std::fs::metadata(path).map_err(|error| cannot_open(path, error))?;
    if about.len() == 0 {
        return Err(damaged(path, "it is empty (0 bytes)"));
    }
    // The database panics on some damaged files.
    let opened = catch_unwind(AssertUnwindSafe(|| {
        let database = open()?;
        let reading = database.begin_read()?;
        let foreign = foreign_layout(&reading);
        if foreign.is_none() {
            check_tables(&reading)?;
        }
        drop(reading);
        Ok((database, foreign))
    }));
    match opened {
        Ok(Ok((database, None))) => Ok(database),
        Ok(Ok((_, Some(layout)))) => Err(cannot_open(path, StoreError::Foreign(layout))),
        Ok(Err(redb::Error::DatabaseAlreadyOpen)) => Err(in_use(path)),
        Ok(Err(redb::Error::Io(error))) if error.kind() != ErrorKind::InvalidData => {
            Err(cannot_open(path, error))
        }
        Ok(Err(error)) => Err(damaged(path, &error.to_string())),
        Err(panic) => Err(damaged(path, &panic_text(&*panic))),
    }
}

fn in_use(path: &Path) -> String {
    format!(
        "{} is in use by another process: the embedded store serves one process only. Stop the \
         other one, choose another directory, or set REDIS_URL to share a Redis between processes. \
         `turnkeeper backup` copies and checks the store of a running server",
        path.display()
    )
}

fn missing(path: &Path) -> String {
    format!(
        "{} does not exist. Set TURNKEEPER_DATA to the server's directory, or name another file",
        path.display()
    )
}

fn damaged(path: &Path, reason: &str) -> String {
    let remedy = "Put a backup in its place, or move it away to begin with an empty store";
    cannot_open(
        path,
        format!("the file is damaged, or is no store: {reason}. {remedy}"),
    )
}

/// The message of a panic.
pub(super) fn panic_text(panic: &(dyn Any + Send)) -> String {
    let literal = panic.downcast_ref::<&str>().copied();
    let text = literal.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("the database panicked").to_owned()
}
