//! A file that is opened as a database without being changed: what the database writes stays in
//! memory.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Error, ErrorKind};
use std::os::unix::fs::FileExt;

use parking_lot::Mutex;
use redb::StorageBackend;

const PAGE: u64 = 4096;

/// A file, and changes of it in memory.
#[derive(Debug)]
pub(super) struct Overlay {
    file: File,
    changes: Mutex<Changes>,
}

#[derive(Debug)]
struct Changes {
    len: u64,
    /// The bytes of the file that count.
    of_file: u64,
    /// Pages by their numbers.
    pages: BTreeMap<u64, Vec<u8>>,
}

impl Overlay {
    pub(super) fn over(file: File) -> std::io::Result<Self> {
        let len = file.metadata()?.len();
        let changes = Mutex::new(Changes {
            len,
            of_file: len,
            pages: BTreeMap::new(),
        });
        Ok(Self { file, changes })
    }

    /// A page as it is in the file, with zeros behind the bytes that count.
    fn page_of_file(&self, number: u64, of_file: u64) -> std::io::Result<Vec<u8>> {
        let mut page = vec![0; PAGE as usize];
        let start = number.saturating_mul(PAGE);
        let length = of_file.saturating_sub(start).min(PAGE) as usize;
        if let Some(part) = page.get_mut(..length) {
            self.file.read_exact_at(part, start)?;
        }
        Ok(page)
    }
}

/// The parts of `length` bytes from `offset`: the number of a page, the place in it, and how many
/// bytes of it.
fn parts(offset: u64, length: usize) -> Vec<(u64, usize, usize)> {
    let mut parts = Vec::new();
    let (mut at, mut left) = (offset, length);
    while left > 0 {
        let within = (at % PAGE) as usize;
        let size = left.min(PAGE as usize - within);
        parts.push((at / PAGE, within, size));
        at += size as u64;
        left -= size;
    }
    parts
}

impl StorageBackend for Overlay {
    fn len(&self) -> Result<u64, Error> {
        Ok(self.changes.lock().len)
    }

    fn read(&self, offset: u64, mut out: &mut [u8]) -> Result<(), Error> {
        let changes = self.changes.lock();
        if offset.saturating_add(out.len() as u64) > changes.len {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        for (number, within, size) in parts(offset, out.len()) {
            let (part, rest) = out.split_at_mut(size);
            match changes.pages.get(&number) {
                Some(page) => part.copy_from_slice(&page[within..within + size]),
                None => part.copy_from_slice(
                    &self.page_of_file(number, changes.of_file)?[within..within + size],
                ),
            }
            out = rest;
        }
        Ok(())
    }

    fn set_len(&self, len: u64) -> Result<(), Error> {
        let mut changes = self.changes.lock();
        changes.len = len;
        changes.of_file = changes.of_file.min(len);
        changes
            .pages
            .retain(|number, _| number.saturating_mul(PAGE) < len);
        Ok(())
    }

    fn sync_data(&self) -> Result<(), Error> {
        Ok(())
    }

    fn write(&self, offset: u64, mut data: &[u8]) -> Result<(), Error> {
        let mut changes = self.changes.lock();
        for (number, within, size) in parts(offset, data.len()) {
            let (part, rest) = data.split_at(size);
            let mut page = match changes.pages.remove(&number) {
                Some(page) => page,
                None => self.page_of_file(number, changes.of_file)?,
            };
            page[within..within + size].copy_from_slice(part);
            changes.pages.insert(number, page);
            data = rest;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_the_file_stays() {
        let path = tempfile::NamedTempFile::new()
            .expect("a file")
            .into_temp_path();
        let original: Vec<u8> = (0..10_000).map(|n| n as u8).collect();
        std::fs::write(&path, &original).unwrap();
        let overlay = Overlay::over(File::open(&path).unwrap()).unwrap();
        let read = |offset, length| {
            let mut bytes = vec![1; length];
            overlay.read(offset, &mut bytes).map(|()| bytes)
        };
        assert_eq!(read(0, 10_000).unwrap(), original);
        assert!(read(9_999, 2).is_err());
        overlay.write(4_000, &[7; 5_000]).unwrap();
        let mut expected = original.clone();
        expected[4_000..9_000].fill(7);
        assert_eq!(read(0, 10_000).unwrap(), expected);
        overlay.set_len(20_000).unwrap();
        expected.resize(20_000, 0);
        assert_eq!(read(0, 20_000).unwrap(), expected);
        assert_eq!(
            (overlay.len().unwrap(), read(19_990, 10).unwrap()),
            (20_000, vec![0; 10])
        );
        assert_eq!(std::fs::read(&path).unwrap(), original);
    }
}
