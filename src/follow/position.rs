//! The file that keeps the last change that was posted, so that the next start continues after it.

use crate::config::Follow;
use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::{self, File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The place in the log of an encounter up to which everything was posted.
pub struct Position {
    file: PathBuf,
    after: Option<String>,
    encounter: String,
    /// Locked, so that no second process posts the same. The file itself is replaced at each write.
    lock: File,
}

#[derive(Serialize, Deserialize)]
struct Kept {
    encounter: String,
    after: String,
}

impl Position {
    /// Reads the file of the settings, or else one in `directory` for this encounter and address.
    pub fn open(settings: &Follow, directory: &Path) -> Result<Self, String> {
        let encounter = settings.encounter.clone();
        let file = settings.position.clone().unwrap_or_else(|| {
            let digest = Sha256::digest(settings.post.as_str());
            let short: String = HEXLOWER.encode(&digest).chars().take(8).collect();
            directory.join(format!("follow-{encounter}-{short}.json"))
        });
        let wrong = |error| format!("TURNKEEPER_POSITION: {}: {error}", file.display());
        if let Some(parent) = file.parent() {
            fs::create_dir_all(parent).map_err(wrong)?;
        }
        let lock = File::create(file.with_extension("lock")).map_err(wrong)?;
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
        let mut after = None;
        if file.exists() {
            let kept = fs::read(&file).map_err(wrong)?;
            let kept: Kept = serde_json::from_slice(&kept).map_err(|error| {
                format!(
                    "{} holds no position: {error}. Remove it to begin with what comes now.",
                    file.display()
                )
            })?;
            if kept.encounter != encounter {
                return Err(format!(
                    "{} is about another encounter, {}. Choose another file.",
                    file.display(),
                    kept.encounter
                ));
            }
            after = Some(kept.after);
        }
        Ok(Self {
            file,
            after,
            encounter,
            lock,
        })
    }

    /// The last change that was posted, as the server names it.
    pub fn after(&self) -> Option<&str> {
        self.after.as_deref()
    }

    /// Keeps another one, on disk when it returns.
    pub fn set(&mut self, after: &str) -> Result<(), String> {
        self.after = Some(after.to_owned());
        self.write(after)
            .map_err(|error| format!("TURNKEEPER_POSITION: {}: {error}", self.file.display()))
    }

    fn write(&self, after: &str) -> std::io::Result<()> {
        let kept = Kept {
            encounter: self.encounter.clone(),
            after: after.to_owned(),
        };
        let next = self.file.with_extension("next");
        let mut file = File::create(&next)?;
        file.write_all(&serde_json::to_vec(&kept)?)?;
        file.sync_all()?;
        fs::rename(&next, &self.file)
    }

    /// Forgets it: the next stream begins with what comes then.
    pub fn forget(&mut self) -> Result<(), String> {
        self.after = None;
        match fs::remove_file(&self.file) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(format!(
                "TURNKEEPER_POSITION: {}: {error}",
                self.file.display()
            )),
            _ => Ok(()),
        }
    }

    /// Removes the file: there is nothing to continue.
    pub fn remove(mut self) -> Result<(), String> {
        self.forget()?;
        // A lock file that stays behind harms nobody.
        let _ = fs::remove_file(self.file.with_extension("lock"));
        let _ = self.lock.unlock();
        Ok(())
    }
}
