//! Copies of a store, also while its server runs.

use super::check::{Report, check_file};
use super::file::{Access, connect, file_in, remove, sync_directory};
use std::error::Error;
use std::ffi::OsString;
use std::fmt::Display;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Copies the store in `directory` to the new file `target`, whether a server has it open or not: one
/// moment of it, for which nothing waits.
///
/// # Errors
/// When the target exists or cannot be written, or the store cannot be read to its end.
pub fn back_up(directory: &Path, target: &Path) -> Result<Report, String> {
    match target.try_exists() {
        Ok(false) => {}
        Ok(true) => return Err(cannot_write(target, "the file exists; name another one")),
        Err(error) => return Err(cannot_write(target, error)),
    }
    let store = file_in(directory);
    let source = connect(&store, Access::Read)?;
    let mut unfinished = OsString::from(target);
    unfinished.push(".new");
    let unfinished = PathBuf::from(unfinished);
    write_copy(&source, &unfinished, target).map_err(|error| {
        let _ = remove(&unfinished);
        cannot_write(target, error)
    })
}

fn cannot_write(target: &Path, reason: impl Display) -> String {
    format!("cannot write the backup {}: {reason}", target.display())
}

/// Makes the copy under the name `unfinished`, and renames it once it is whole and read through.
fn write_copy(
    source: &rusqlite::Connection,
    unfinished: &Path,
    target: &Path,
) -> Result<Report, Box<dyn Error>> {
    remove(unfinished)?;
    // SQLite fills an empty file, which others may not read.
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(unfinished)?;
    let whole = unfinished.canonicalize()?;
    let name = whole.to_str().ok_or("its path is no text")?;
    source.execute("VACUUM INTO ?", [name])?;
    let report = check_file(unfinished)?;
    File::open(unfinished)?.sync_all()?;
    std::fs::rename(unfinished, target)?;
    sync_directory(target.parent().unwrap_or(Path::new(".")))?;
    Ok(report)
}
