//! The file of the store: made as a whole or not at all, and opened.

use super::schema::{Owner, owner};
use super::step::is_damage;
use super::tables::make_tables;
use crate::store::StoreError;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::fmt::Display;
use std::fs::{File, TryLockError};
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The name of the file in its directory.
const NAME: &str = "turnkeeper.db";
/// Its name until it is whole.
const UNFINISHED: &str = "turnkeeper.db.new";
/// The name of the file that the process that serves the store has locked.
const LOCK: &str = "turnkeeper.lock";
/// The time that a read or write waits for another process, such as `sqlite3`, which has the file.
const PATIENCE: Duration = Duration::from_secs(5);
/// Bytes of the log of writes that stay on the disk after a time with many.
const LOG_BYTES: u32 = 16 * 1024 * 1024;

/// The path of the file in a directory.
pub fn file_in(directory: &Path) -> PathBuf {
    directory.join(NAME)
}

/// Opens the file in `directory` for the one process that writes it, and makes both if they are
/// missing. The process serves the store as long as it has the lock.
pub(super) fn open(directory: &Path) -> Result<(Connection, File), String> {
    let path = file_in(directory);
    make_directory(directory).map_err(|error| cannot_open(directory, error))?;
    let lock = lock(directory, &path)?;
    let exists = path
        .try_exists()
        .map_err(|error| cannot_open(&path, error))?;
    let unfinished = directory.join(UNFINISHED);
    // That of a start that was killed.
    remove(&unfinished).map_err(|error| cannot_open(&unfinished, error))?;
    if !exists {
        make(directory, &unfinished, &path).map_err(|error| {
            format!("cannot make the embedded store {}: {error}", path.display())
        })?;
    }
    drop_strange_log(&path).map_err(|error| cannot_open(&path, error))?;
    let connection = connect(&path, Access::Write)?;
    let keep = format!(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = {LOG_BYTES};"
    );
    let kept = connection.execute_batch(&keep);
    kept.map_err(|error| unreadable(&path, &error))?;
    Ok((connection, lock))
}

/// Takes the lock of the one process that serves the store.
fn lock(directory: &Path, path: &Path) -> Result<File, String> {
    let lock = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(directory.join(LOCK))
        .map_err(|error| cannot_open(path, error))?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(format!(
            "{} is in use by another process: the embedded store serves one process only. Stop the \
             other one, choose another directory, or set REDIS_URL to share a Redis between \
             processes. `turnkeeper backup` copies the store of a running server, and `turnkeeper \
             check` checks it",
            path.display()
        )),
        Err(TryLockError::Error(error)) => Err(cannot_open(path, error)),
    }
}

/// Makes the file under another name, and renames it once it is whole: a crash or a full disk
/// leaves no half of a file under its own name, also no empty one.
fn make(
    directory: &Path,
    unfinished: &Path,
    path: &Path,
) -> Result<(), Box<dyn std::error::Error>> {
    let mut connection = Connection::open(unfinished)?;
    connection.pragma_update(None, "journal_mode", "OFF")?;
    make_tables(&mut connection)?;
    connection.close().map_err(|(_, error)| error)?;
    File::open(unfinished)?.sync_all()?;
    std::fs::rename(unfinished, path)?;
    Ok(sync_directory(directory)?)
}

/// Removes a log of writes that is not of this file: that of a killed server, where a backup has taken
/// the place of its file. SQLite would write it over the backup. A file that has had a log says so in
/// its header, and a backup does not.
fn drop_strange_log(path: &Path) -> std::io::Result<()> {
    /// Where the header says how the file is written, and the value for a file without a log.
    const WRITTEN: (usize, u8) = (18, 1);
    let mut header = [0; 100];
    let is_backup = match File::open(path)?.read_exact(&mut header) {
        Ok(()) => header.get(WRITTEN.0) == Some(&WRITTEN.1),
        // Too short for a database.
        Err(_) => false,
    };
    if !is_backup {
        return Ok(());
    }
    for ending in ["-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        remove(Path::new(&name))?;
    }
    Ok(())
}

/// Removes a file, if it is there.
pub(super) fn remove(path: &Path) -> std::io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
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

/// What a connection is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
}

/// Connects to a file that exists, and says in words why that is not possible.
pub(super) fn connect(path: &Path, access: Access) -> Result<Connection, String> {
    let about = std::fs::metadata(path).map_err(|error| {
        if error.kind() == ErrorKind::NotFound {
            missing(path)
        } else {
            cannot_open(path, error)
        }
    })?;
    if about.len() == 0 {
        return Err(damaged(path, "it is empty (0 bytes)"));
    }
    let connection = connection(path, access);
    let found = connection.and_then(|connection| Ok((owner(&connection)?, connection)));
    match found {
        Ok((Owner::Ours, connection)) => {
            let is_read_only = connection.is_readonly("main").unwrap_or(true);
            if access == Access::Write && is_read_only {
                return Err(match File::options().append(true).open(path) {
                    Ok(_) => damaged(path, "it says that it may not be written"),
                    Err(error) => cannot_open(path, error),
                });
            }
            Ok(connection)
        }
        Ok((Owner::Foreign(layout), _)) => Err(cannot_open(path, StoreError::Foreign(layout))),
        Ok((Owner::Unknown, _)) => Err(damaged(path, "another program has made it")),
        Err(error) => Err(unreadable(path, &error)),
    }
}

fn connection(path: &Path, access: Access) -> rusqlite::Result<Connection> {
    let access = match access {
        Access::Read => OpenFlags::SQLITE_OPEN_READ_ONLY,
        Access::Write => OpenFlags::SQLITE_OPEN_READ_WRITE,
    };
    let connection = Connection::open_with_flags(path, access | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(PATIENCE)?;
    // What a damaged or forged file may not do.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    Ok(connection)
}

/// Says why the database cannot read a file. SQLite has no code of its own for a table that is not there.
fn unreadable(path: &Path, error: &rusqlite::Error) -> String {
    let is_table_missing = error.sqlite_error_code() == Some(ErrorCode::Unknown);
    if is_damage(error) || is_table_missing {
        damaged(path, &error.to_string())
    } else {
        cannot_open(path, error)
    }
}

pub(super) fn cannot_open(path: &Path, reason: impl Display) -> String {
    format!(
        "cannot open the embedded store {}: {reason}",
        path.display()
    )
}

fn missing(path: &Path) -> String {
    format!(
        "{} does not exist. Set TURNKEEPER_DATA to the server's directory, or name another file",
        path.display()
    )
}

pub(super) fn damaged(path: &Path, reason: &str) -> String {
    let remedy = "Put a backup in its place, or move it away to begin with an empty store";
    cannot_open(
        path,
        format!("the file is damaged, or is no store: {reason}. {remedy}"),
    )
}
