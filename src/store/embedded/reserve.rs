//! Room on the disk that is kept for deletions, which write before they free anything.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The name of the file that takes the room.
const NAME: &str = "turnkeeper.reserve";
/// Its bytes: what the file may have to grow by when its log is written back, and several times what
/// deleting the largest encounter writes.
pub(super) const SIZE: u64 = 4 * 1024 * 1024;

/// The bytes that are written to it at a time.
const PART: usize = 128 * 1024;

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
        // Zeros would take no room on a disk that compresses, nor would a shorter part.
        let mut part = vec![0; PART];
        rand::fill(&mut part[..]);
        while missing > 0 && file.write_all(&part).is_ok() {
            missing = missing.saturating_sub(PART as u64);
        }
        // The rest is tried again later. Without a sync: the room is taken, and writes don't wait for it.
    }

    /// Whether it has any room.
    pub(super) fn is_taken(&self) -> bool {
        std::fs::metadata(&self.0).is_ok_and(|about| about.len() > 0)
    }

    /// Gives the room back to the disk.
    pub(super) fn release(&self) {
        // Nothing is lost if there is none.
        let _ = std::fs::remove_file(&self.0);
    }
}
