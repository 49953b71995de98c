//! Copies of a store, also while its server runs.
//!
//! Only one process can have the file open. So the server sends all rows of one snapshot through a
//! socket in its directory, and `turnkeeper backup` makes a file of them. Nothing waits for that.

use std::ffi::OsString;
use std::fmt::Display;
use std::fs::{File, OpenOptions, Permissions};
use std::io::{BufReader, BufWriter, ErrorKind, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use redb::{
    Builder, Key, ReadTransaction, ReadableDatabase, ReadableTable, ReadableTableMetadata,
    TableDefinition, Value, WriteTransaction,
};

use super::check::{Report, report};
use super::file::{CACHE, DatabaseFile, file_in, open_unchanged, panic_text, sync_directory};
use super::schema::{TableVisitor, each_table};

/// The name of the socket in the store's directory.
const SOCKET: &str = "turnkeeper.sock";
/// The time that either side waits for the other.
const TIMEOUT: Duration = Duration::from_secs(60);
/// The kind of the frame behind the last row.
const END: u8 = 255;
/// The kind of a frame that says why the rows break off.
const FAILED: u8 = 254;
/// The largest value that is read: larger than any that is stored.
const MAX: u32 = 64 * 1024 * 1024;

/// Serves copies of an open store for as long as the process runs, to users who may write in its
/// directory.
pub(super) fn serve(directory: &Path, file: Arc<DatabaseFile>) -> std::io::Result<()> {
    let path = directory.join(SOCKET);
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        // One of a process that was killed: this process has the file, so nobody listens there.
        _ => {}
    }
    let listener = UnixListener::bind(&path)?;
    std::fs::set_permissions(&path, Permissions::from_mode(0o600))?;
    std::thread::Builder::new()
        .name("backup".to_owned())
        .spawn(move || send_snapshots(&file, &listener))
        .map(drop)
}

fn send_snapshots(file: &DatabaseFile, listener: &UnixListener) {
    for stream in listener.incoming().flatten() {
        if let Err(error) = send_snapshot(file, stream) {
            tracing::warn!(%error, "a backup broke off");
        }
    }
}

fn send_snapshot(file: &DatabaseFile, stream: UnixStream) -> Result<(), String> {
    stream
        .set_write_timeout(Some(TIMEOUT))
        .map_err(|error| error.to_string())?;
    let reading = {
        let database = file.database().map_err(|error| error.to_string())?;
        database.begin_read().map_err(|error| error.to_string())?
    };
    send_rows(&reading, stream)
}

/// Sends all rows, and why they break off if they do.
fn send_rows(reading: &ReadTransaction, stream: UnixStream) -> Result<(), String> {
    let mut sender = RowSender {
        reading,
        to: BufWriter::new(stream),
        number: 0,
    };
    let sent = catch_unwind(AssertUnwindSafe(|| each_table(&mut sender)));
    let sent = sent.unwrap_or_else(|panic| Err(panic_text(&*panic)));
    let last = match &sent {
        Ok(()) => sender.frame(END, b"", b""),
        Err(error) => sender.frame(FAILED, b"", error.as_bytes()),
    };
    sent.and(last)
        .and(sender.to.flush().map_err(|error| error.to_string()))
}

/// Sends the rows of each table.
struct RowSender<'r> {
    reading: &'r ReadTransaction,
    to: BufWriter<UnixStream>,
    /// The number of the table.
    number: u8,
}

impl RowSender<'_> {
    fn frame(&mut self, kind: u8, key: &[u8], value: &[u8]) -> Result<(), String> {
        let mut head = vec![kind];
        for part in [key, value] {
            let length = u32::try_from(part.len()).unwrap_or(u32::MAX);
            head.extend(length.to_le_bytes());
        }
        for part in [&head[..], key, value] {
            self.to.write_all(part).map_err(|error| error.to_string())?;
        }
        Ok(())
    }
}

impl TableVisitor for RowSender<'_> {
    type Error = String;

    fn visit<K: Key + 'static, V: Value + 'static>(
        &mut self,
        definition: TableDefinition<'static, K, V>,
    ) -> Result<(), String> {
        let table = self
            .reading
            .open_table(definition)
            .map_err(|error| error.to_string())?;
        let mut rows = 0;
        for row in table.iter().map_err(|error| error.to_string())? {
            let (key, value) = row.map_err(|error| error.to_string())?;
            self.frame(
                self.number,
                K::as_bytes(&key.value()).as_ref(),
                V::as_bytes(&value.value()).as_ref(),
            )?;
            rows += 1;
        }
        if table.len().map_err(|error| error.to_string())? != rows {
            return Err(format!("rows of the table {definition} are missing"));
        }
        self.number += 1;
        Ok(())
    }
}

/// A row, or how the rows end.
struct Frame {
    kind: u8,
    key: Vec<u8>,
    value: Vec<u8>,
}

impl Frame {
    fn read(from: &mut impl Read) -> Result<Self, String> {
        let mut head = [0; 9];
        read_all(from, &mut head)?;
        let [kind, k0, k1, k2, k3, v0, v1, v2, v3] = head;
        let [key, value] = [[k0, k1, k2, k3], [v0, v1, v2, v3]].map(u32::from_le_bytes);
        if key > MAX || value > MAX {
            return Err("the server sends something else than rows".to_owned());
        }
        let mut frame = Self {
            kind,
            key: vec![0; key as usize],
            value: vec![0; value as usize],
        };
        read_all(from, &mut frame.key)?;
        read_all(from, &mut frame.value)?;
        Ok(frame)
    }
}

fn read_all(from: &mut impl Read, bytes: &mut [u8]) -> Result<(), String> {
    from.read_exact(bytes)
        .map_err(|error| format!("the server sends no more: {error}"))
}

/// Writes the rows that a [`RowSender`] sends.
struct RowReceiver<'t> {
    from: BufReader<UnixStream>,
    writing: &'t WriteTransaction,
    number: u8,
    next: Frame,
}

impl TableVisitor for RowReceiver<'_> {
    type Error = String;

    fn visit<K: Key + 'static, V: Value + 'static>(
        &mut self,
        definition: TableDefinition<'static, K, V>,
    ) -> Result<(), String> {
        let writing = self.writing;
        let mut table = writing
            .open_table(definition)
            .map_err(|error| error.to_string())?;
        while self.next.kind == self.number {
            let row = std::mem::replace(&mut self.next, Frame::read(&mut self.from)?);
            let (key, value) = (K::from_bytes(&row.key), V::from_bytes(&row.value));
            table
                .insert(&key, &value)
                .map_err(|error| error.to_string())?;
        }
        self.number += 1;
        Ok(())
    }
}

/// Copies the store in `directory` to the new file `target`, whether a server has it open or not.
///
/// # Errors
/// When the target exists or cannot be written, or the store cannot be read to its end.
pub fn back_up(directory: &Path, target: &Path) -> Result<Report, String> {
    match target.try_exists() {
        Ok(false) => {}
        Ok(true) => return Err(cannot_write(target, "the file exists; name another one")),
        Err(error) => return Err(cannot_write(target, error)),
    }
    let rows = rows_of(directory)?;
    let mut unfinished = OsString::from(target);
    unfinished.push(".new");
    let unfinished = PathBuf::from(unfinished);
    write_file(&unfinished, target, rows).map_err(|error| {
        let _ = std::fs::remove_file(&unfinished);
        cannot_write(target, error)
    })
}

fn cannot_write(target: &Path, reason: impl Display) -> String {
    format!("cannot write the backup {}: {reason}", target.display())
}

/// Makes a file of the rows under the name `unfinished`, and renames it once it is whole.
fn write_file(unfinished: &Path, target: &Path, rows: UnixStream) -> Result<Report, String> {
    let report = write_rows(unfinished, rows)?;
    std::fs::rename(unfinished, target).map_err(|error| error.to_string())?;
    let folder = target.parent().unwrap_or(Path::new("."));
    sync_directory(folder).map_err(|error| error.to_string())?;
    Ok(report)
}

/// Asks the running server for the rows of the store, or reads them from the file if none runs.
fn rows_of(directory: &Path) -> Result<UnixStream, String> {
    let socket = directory.join(SOCKET);
    match UnixStream::connect(&socket) {
        Ok(stream) => {
            stream
                .set_read_timeout(Some(TIMEOUT))
                .map_err(|error| error.to_string())?;
            return Ok(stream);
        }
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::NotFound | ErrorKind::ConnectionRefused
            ) => {}
        Err(error) => {
            return Err(format!(
                "cannot ask the server at {}: {error}",
                socket.display()
            ));
        }
    }
    let database = open_unchanged(&file_in(directory))?;
    let (ours, theirs) = UnixStream::pair().map_err(|error| error.to_string())?;
    let spawned = std::thread::Builder::new().spawn(move || {
        if let Ok(reading) = database.begin_read() {
            // The other side learns of a failure.
            let _ = send_rows(&reading, theirs);
        }
    });
    spawned.map_err(|error| error.to_string())?;
    Ok(ours)
}

/// Makes a file of the rows, and reads it through.
fn write_rows(path: &Path, rows: UnixStream) -> Result<Report, String> {
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(true)
        .open(path);
    let file = file.map_err(|error| error.to_string())?;
    file.set_permissions(Permissions::from_mode(0o600))
        .map_err(|error| error.to_string())?;
    let database = Builder::new()
        .set_cache_size(CACHE)
        .create_file(file)
        .map_err(|error| error.to_string())?;
    let writing = database.begin_write().map_err(|error| error.to_string())?;
    let mut from = BufReader::new(rows);
    let next = Frame::read(&mut from)?;
    let mut receiver = RowReceiver {
        from,
        writing: &writing,
        number: 0,
        next,
    };
    each_table(&mut receiver)?;
    match receiver.next.kind {
        END => {}
        FAILED => return Err(String::from_utf8_lossy(&receiver.next.value).into_owned()),
        kind => {
            return Err(format!(
                "the server sends rows of an unknown table {kind}: it is of another version"
            ));
        }
    }
    writing.commit().map_err(|error| error.to_string())?;
    let report = report(&database);
    drop(database);
    File::open(path)
        .and_then(|file| file.sync_all())
        .map_err(|error| error.to_string())?;
    Ok(report)
}
