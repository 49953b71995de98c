//! The file of the store: made as a whole or not at all, and opened.

use super::clock::Millis;
use super::reserve::Reserve;
use super::rows::value;
use super::schema::{APPLICATION, Owner, owner};
use super::step::is_damage;
use super::tables::{SALT, TIME, make_tables};
use crate::store::StoreError;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::ffi::OsString;
use std::fmt::{Display, Write as _};
use std::fs::{File, TryLockError};
use std::io::{ErrorKind, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The name of the file in its directory.
const NAME: &str = "turnkeeper.db";
/// Its name until it is whole.
const UNFINISHED: &str = "turnkeeper.db.new";
/// The name of the file that the process that serves the store has locked.
const LOCK: &str = "turnkeeper.lock";
/// The ends of the names of SQLite's files beside a file.
pub(super) const LOG: &str = "-wal";
const INDEX_OF_LOG: &str = "-shm";
/// The time that a read or write waits for another process, such as `sqlite3`, which has the file.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);
/// Statements that a connection keeps, more than there are.
const STATEMENTS: usize = 32;
/// How the one process that writes the file does so: a write is on the disk when it is answered. The
/// log is written back once it has 1 MB, and no more than 16 MiB of it stay on the disk.
const WRITING: &str = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    PRAGMA wal_autocheckpoint = 256; PRAGMA journal_size_limit = 16777216;
    PRAGMA temp_store = MEMORY;";

/// The path of the file in a directory.
pub fn file_in(directory: &Path) -> PathBuf {
    directory.join(NAME)
}

/// The file, open for the one process that writes it.
pub(super) struct OpenFile {
    pub connection: Connection,
    /// Its path, without links.
    pub path: PathBuf,
    /// The time that the store has kept.
    pub kept: Millis,
    pub same: SameFiles,
    /// The process serves the store as long as it has the lock.
    pub lock: File,
}

/// Opens the file in `directory`, and makes both if they are missing. On a full disk that needs room.
pub(super) fn open(directory: &Path, reserve: &Reserve) -> Result<OpenFile, String> {
    make_directory(directory).map_err(|error| cannot_open(directory, error))?;
    let lock = lock(directory, &file_in(directory))?;
    let opened = open_locked(directory).or_else(|refused| {
        if !reserve.is_taken() {
            return Err(refused);
        }
        reserve.release();
        open_locked(directory)
    });
    let (connection, path, kept) = opened?;
    let same = SameFiles::of(&path, directory).map_err(|error| cannot_open(&path, error))?;
    Ok(OpenFile {
        connection,
        path,
        kept,
        same,
        lock,
    })
}

/// Opens the file of a store that this process has locked: how to write it, its path without links, and
/// the time that the store has kept.
fn open_locked(directory: &Path) -> Result<(Connection, PathBuf, Millis), String> {
    let path = file_in(directory);
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
    // SQLite's files lie beside the file, not beside a link to it.
    let path = path
        .canonicalize()
        .map_err(|error| cannot_open(&path, error))?;
    if has_strange_log(&path) {
        for ending in [LOG, INDEX_OF_LOG] {
            remove(&beside(&path, ending)).map_err(|error| cannot_open(&path, error))?;
        }
    }
    let connection = connect(&path, Access::Write)?;
    let values = value(&connection, TIME).and_then(|time| {
        value::<32>(&connection, SALT)?;
        Ok(Millis::from_le_bytes(time))
    });
    let kept = values.map_err(|error| damaged(&path, &error.to_string()))?;
    let writing = connection
        .set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)
        .and_then(|_| connection.execute_batch(WRITING))
        // The first read makes the log.
        .and_then(|()| owner(&connection));
    writing.map_err(|error| unreadable(&path, &error))?;
    Ok((connection, path, kept))
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
    let mut connection = Connection::open(std::path::absolute(unfinished)?)?;
    connection.pragma_update(None, "journal_mode", "OFF")?;
    // So that a full disk gets back what is free in the file.
    connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    make_tables(&mut connection)?;
    connection.close().map_err(|(_, error)| error)?;
    File::open(unfinished)?.sync_all()?;
    std::fs::rename(unfinished, path)?;
    Ok(sync_directory(directory)?)
}

/// Whether the log of writes beside a file is not of this file: it is that of a killed server, where a
/// backup has taken the place of its file. SQLite would write it over the backup. A file that has had a
/// log says so in its header, and a backup does not.
fn has_strange_log(path: &Path) -> bool {
    /// Where the header says how the file is written, and the value for a file without a log.
    const WITHOUT_LOG: (usize, u8) = (18, 1);
    /// Where the header says whose the file is.
    const OWNER: std::ops::Range<usize> = 68..72;
    let mut header = [0; 100];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut header));
    let (at, without_log) = WITHOUT_LOG;
    read.is_ok()
        && header.get(OWNER) == Some(&APPLICATION.to_be_bytes())
        && header.get(at) == Some(&without_log)
        && beside(path, LOG).exists()
}

/// The name of one of SQLite's files beside a file.
pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    PathBuf::from(name)
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

/// The files that a process has opened. SQLite goes on with files that were removed or replaced, and
/// what it writes to them is lost.
pub(super) struct SameFiles([(PathBuf, Identity); 3]);

/// The device and the number of a file.
type Identity = (u64, u64);

impl SameFiles {
    fn of(path: &Path, directory: &Path) -> std::io::Result<Self> {
        let known = |path: PathBuf| identity(&path).map(|identity| (path, identity));
        Ok(Self([
            known(path.to_owned())?,
            known(beside(path, LOG))?,
            known(directory.join(LOCK))?,
        ]))
    }

    /// Says which file is another one now.
    pub(super) fn check(&self) -> Result<(), String> {
        for (path, known) in &self.0 {
            if identity(path).ok().as_ref() != Some(known) {
                return Err(format!(
                    "{} was removed or replaced while the server runs. Stop the server, put a \
                     backup in its place, and start it again",
                    path.display()
                ));
            }
        }
        Ok(())
    }
}

fn identity(path: &Path) -> std::io::Result<Identity> {
    let about = std::fs::metadata(path)?;
    Ok((about.dev(), about.ino()))
}

/// What a connection is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
}

/// Connects to a file that exists, and says in words why that is not possible. A file that is refused
/// stays as it is.
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
    let whole = path
        .canonicalize()
        .map_err(|error| cannot_open(path, error))?;
    let connection = connection(&whole, access);
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
    let flags = match access {
        Access::Read => OpenFlags::SQLITE_OPEN_READ_ONLY,
        Access::Write => OpenFlags::SQLITE_OPEN_READ_WRITE,
    };
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    // Without a log nobody writes the file: then a read leaves nothing beside it.
    let is_at_rest = !beside(path, LOG).exists() || has_strange_log(path);
    let is_unchanging = access == Access::Read && is_at_rest;
    let connection = Connection::open_with_flags(uri(path, is_unchanging), flags)?;
    connection.busy_timeout(PATIENCE)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    // What a damaged or forged file may not do.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    Ok(connection)
}

/// The address of a file by its whole path.
fn uri(path: &Path, is_unchanging: bool) -> String {
    let mut uri = "file://".to_owned();
    for byte in path.as_os_str().as_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~".contains(byte) {
            uri.push(char::from(*byte));
        } else {
            _ = write!(uri, "%{byte:02X}");
        }
    }
    if is_unchanging {
        uri += "?immutable=1";
    }
    uri
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

fn damaged(path: &Path, reason: &str) -> String {
    let remedy = "Put a backup in its place, or move it away to begin with an empty store";
    cannot_open(
        path,
        format!("the file is damaged, or is no store: {reason}. {remedy}"),
    )
}
