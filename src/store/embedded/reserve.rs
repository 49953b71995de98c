//! Room on the disk that is kept for deletions, which write before they free anything.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The name of the file that takes the room.
const NAME: &str = "turnkeeper.reserve";
/// Its bytes: several times what deleting the largest encounter writes.
const SIZE: u64 = 1024 * 1024;

/// A file that makes room by its removal.
pub(super) struct Reserve(PathBuf);

impl Reserve {
    pub(super) fn in_directory(directory: &Path) -> Self {
        Self(directory.join(NAME))
    }

    /// Takes the room, or as much of it as there is.
    pub(super) fn fill(&self) {
        let taken = std::fs::metadata(&self.0).map_or(0, |about| about.len());
        let mut missing = SIZE.saturating_sub(taken);
        if missing == 0 {
            return;
        }
        let Ok(mut file) = OpenOptions::new().create(true).append(true).open(&self.0) else {
            return;
        };
        while missing > 0 {
            // Zeros would take no room on a disk that compresses.
            let part: [u8; 4096] = rand::random();
            if file.write_all(&part).is_err() {
                break;
            }
            missing = missing.saturating_sub(part.len() as u64);
        }
        // The rest is tried again later.
        let _ = file.sync_all();
    }

    /// Gives the room back to the disk.
    pub(super) fn release(&self) {
        // Nothing is lost if there is none.
        let _ = std::fs::remove_file(&self.0);
    }
}
