//! The file that keeps the last change that was posted, so that the next start continues after it.

use crate::config::Follow;
use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The place in the log of an encounter up to which everything was posted.
pub struct Position {
    file: PathBuf,
    kept: Kept,
    /// Locked, so that no second process posts the same. The file itself is replaced at each write.
    lock: File,
}

#[derive(Serialize, Deserialize)]
struct Kept {
    encounter: String,
    after: Option<String>,
    /// True if the encounter was deleted, which is still to be posted.
    #[serde(default)]
    deleted: bool,
}

impl Position {
    /// Reads the file of the settings, or else one in `directory` for this encounter and address.
    ///
    /// # Errors
    /// If the file cannot be read or written, is about another encounter, or if another process has
    /// it open.
    pub fn open(settings: &Follow, directory: &Path) -> Result<Self, String> {
        let encounter = settings.encounter.clone();
        let file = settings.position.clone().unwrap_or_else(|| {
            let digest = HEXLOWER.encode(&Sha256::digest(&settings.post));
            let short: String = digest.chars().take(8).collect();
            directory.join(format!("follow-{encounter}-{short}.json"))
        });
        let wrong = |error| wrong(&file, &error);
        if let Some(parent) = file.parent() {
            fs::create_dir_all(parent).map_err(wrong)?;
        }
        let lock = File::create(beside(&file, ".lock")).map_err(wrong)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(format!(
                    "Another process posts this already: it has {} open. Stop it first.",
                    file.display()
                ));
            }
            Err(TryLockError::Error(error)) => return Err(wrong(error)),
        }
        let mut kept = Kept {
            encounter: encounter.clone(),
            after: None,
            deleted: false,
        };
        if file.exists() {
            let bytes = fs::read(&file).map_err(wrong)?;
            kept = serde_json::from_slice(&bytes).map_err(|error| {
                format!(
                    "{} holds no position: {error}. Remove it to begin with what comes now.",
                    file.display()
                )
            })?;
        }
        if kept.encounter != encounter {
            return Err(format!(
                "{} is about another encounter, {}. Choose another file.",
                file.display(),
                kept.encounter
            ));
        }
        let position = Self { file, kept, lock };
        // A full disk must be seen before anything is posted.
        position.write()?;
        Ok(position)
    }

    /// The last change that was posted, as the server names it.
    pub fn after(&self) -> Option<&str> {
        self.kept.after.as_deref()
    }

    /// True if the encounter was deleted and no post has told it.
    pub fn is_deleted(&self) -> bool {
        self.kept.deleted
    }

    /// Keeps another place, on disk when it returns.
    pub fn set(&mut self, after: &str) -> Result<(), String> {
        self.kept.after = Some(after.to_owned());
        self.write()
    }

    /// Keeps that the encounter was deleted.
    pub fn set_deleted(&mut self) -> Result<(), String> {
        self.kept.deleted = true;
        self.write()
    }

    /// Forgets the place: the next stream begins with what comes then. The file has it until then.
    pub fn forget(&mut self) {
        self.kept.after = None;
    }

    /// Removes the file: there is nothing to continue.
    pub fn remove(&mut self) -> Result<(), String> {
        fs::remove_file(&self.file).map_err(|error| wrong(&self.file, &error))?;
        // A lock file that stays behind does no harm.
        let _ = fs::remove_file(beside(&self.file, ".lock"));
        let _ = self.lock.unlock();
        Ok(())
    }

    fn write(&self) -> Result<(), String> {
        self.replace().map_err(|error| wrong(&self.file, &error))
    }

    fn replace(&self) -> io::Result<()> {
        let next = beside(&self.file, ".next");
        let mut file = File::create(&next)?;
        file.write_all(&serde_json::to_vec(&self.kept)?)?;
        file.sync_all()?;
        fs::rename(&next, &self.file)?;
        let directory = self.file.parent().filter(|path| *path != Path::new(""));
        File::open(directory.unwrap_or(Path::new(".")))?.sync_all()
    }
}

fn wrong(file: &Path, error: &io::Error) -> String {
    format!("TURNKEEPER_POSITION: {}: {error}", file.display())
}

/// The file's name with an ending.
fn beside(file: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(file);
    name.push(ending);
    name.into()
}
