//! The list of an application's encounters: one key, apart from the encounters that it names.

use ::redis::{Cmd, cmd};
use bytes::Bytes;
use futures::future::try_join_all;

use super::script::read;
use super::{Keys, RedisStore};
use crate::store::{ListedEncounter, Listing, StoreError, listed_id};

/// One creation in this many samples the list for missing encounters. Otherwise expired ones stay listed if their application
/// never reads the list.
const SWEEP: u32 = 8;
const SAMPLE: usize = 16;

/// A command on the list of an application.
fn command(name: &str, application: &[u8]) -> Cmd {
    let mut command = cmd(name);
    command.arg([b"turnkeeper:application:", application].concat());
    command
}

fn doc_key(position: &[u8]) -> String {
    Keys::new(listed_id(&String::from_utf8_lossy(position)).unwrap_or_default()).doc
}

impl RedisStore {
    /// Adds a position, and now and then removes some of missing encounters.
    pub(super) async fn add_to_list(&self, application: &[u8], position: &[u8]) -> Result<(), StoreError> {
        self.connection.call(command("ZADD", application).arg(0).arg(position)).await?;
        if rand::random::<u32>().is_multiple_of(SWEEP) {
            // The encounter is listed: an unavailable node of other encounters must not fail its creation.
            let _ = self.sweep(application).await;
        }
        Ok(())
    }

    /// Removes sampled positions of missing encounters.
    async fn sweep(&self, application: &[u8]) -> Result<(), StoreError> {
        let sample = self.connection.call(command("ZRANDMEMBER", application).arg(SAMPLE)).await?;
        let positions: Vec<Bytes> = read(sample, "a part of a list")?;
        let found = self.read_field(&positions, "revision").await?;
        self.remove_from_list(application, &missing(&positions, &found)).await
    }

    pub(super) async fn remove_from_list(&self, application: &[u8], positions: &[Bytes]) -> Result<(), StoreError> {
        if positions.is_empty() {
            return Ok(());
        }
        let mut remove = command("ZREM", application);
        for position in positions {
            remove.arg(&position[..]);
        }
        self.connection.call(&remove).await.map(drop)
    }

    /// A page of a list: at most `limit` encounters, and at most `max_bytes` unless the first one is larger.
    pub(super) async fn list_page(
        &self, application: &str, before: Option<&str>, limit: usize, max_bytes: usize,
    ) -> Result<Listing, StoreError> {
        let end = before.map_or("+".to_owned(), |before| format!("({before}"));
        let mut range = command("ZRANGE", application.as_bytes());
        // One more shows whether anything follows.
        range.arg(end).arg("-").arg(&["BYLEX", "REV", "LIMIT", "0"]).arg(limit.saturating_add(1));
        let mut positions: Vec<Bytes> = read(self.connection.call(&range).await?, "a part of a list")?;
        let listed = positions.len();
        positions.truncate(limit);
        self.truncate_to_fit(&mut positions, max_bytes).await?;
        let documents = self.read_field(&positions, "document").await?;
        self.remove_from_list(application.as_bytes(), &missing(&positions, &documents)).await?;
        let positions: Vec<_> = positions.iter().map(|position| String::from_utf8_lossy(position)).collect();
        let next = positions.last().filter(|_| positions.len() < listed).map(|last| last.clone().into_owned());
        let items = positions.iter().zip(documents).filter_map(|(position, document)| {
            Some(ListedEncounter { id: listed_id(position)?.to_owned(), document: document? })
        });
        Ok(Listing { items: items.collect(), next })
    }

    /// Keeps the first positions whose documents have at most `max_bytes` together, and at least one.
    async fn truncate_to_fit(&self, positions: &mut Vec<Bytes>, max_bytes: usize) -> Result<(), StoreError> {
        let sizes: Vec<usize> = try_join_all(positions.iter().map(async |position| {
            let size = self.connection.call(cmd("HSTRLEN").arg(doc_key(position)).arg("document")).await?;
            read(size, "a size")
        }))
        .await?;
        let mut total = 0;
        let fits = |size: &&usize| {
            total += **size;
            total <= max_bytes
        };
        positions.truncate(sizes.iter().take_while(fits).count().max(1));
        Ok(())
    }

    /// A field of the encounters at these positions; None if the encounter is missing, or is a later one with the same id.
    async fn read_field(&self, positions: &[Bytes], field: &str) -> Result<Vec<Option<Bytes>>, StoreError> {
        try_join_all(positions.iter().map(async |position| {
            let row = self.connection.call(cmd("HMGET").arg(doc_key(position)).arg(&["place", field])).await?;
            let (listed, value): (Option<Bytes>, Option<Bytes>) = read(row, "a listed encounter")?;
            Ok(value.filter(|_| listed.as_ref() == Some(position)))
        }))
        .await
    }
}

/// The positions at which nothing was found.
fn missing(positions: &[Bytes], found: &[Option<Bytes>]) -> Vec<Bytes> {
    positions.iter().zip(found).filter(|(_, found)| found.is_none()).map(|(position, _)| position.clone()).collect()
}
