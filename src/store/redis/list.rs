//! The lists of applications' encounters: each in one key, apart from the encounters that it names.

use ::redis::{Cmd, cmd};
use bytes::Bytes;
use futures::future::try_join_all;

use super::reply::{self, Reply};
use super::{Keys, RedisStore};
use crate::store::{ListReference, Listing, StoreError, listed_id};

/// So many encounters are read at once.
const CHUNK: usize = 50;
/// So often an empty chunk is followed by another one for the same page.
const ROUNDS: usize = 8;
/// One creation in so many also looks through the list for what is gone, and then at [`SAMPLE`] places in it: what has expired is
/// found out by nobody else, if its application never lists.
const SWEEP: u32 = 8;
const SAMPLE: usize = 16;

/// The key of an application's list.
fn key(application: &[u8]) -> Vec<u8> {
    [b"turnkeeper:application:", application].concat()
}

/// A command on it.
fn on(name: &str, application: &[u8]) -> Cmd {
    let mut command = cmd(name);
    command.arg(key(application));
    command
}

impl RedisStore {
    /// Adds a place, and now and then removes some of what is gone.
    pub(super) async fn enlist(&self, application: &[u8], place: &[u8]) -> Result<(), StoreError> {
        self.connection.call(on("ZADD", application).arg(0).arg(place)).await?;
        if rand::random::<u32>().is_multiple_of(SWEEP) {
            // It is listed: that a node with others of the list is away must not fail its creation.
            let _ = self.sweep(application).await;
        }
        Ok(())
    }

    /// Looks at some places of a list, and removes those that are gone.
    async fn sweep(&self, application: &[u8]) -> Result<(), StoreError> {
        let sample = self.connection.call(on("ZRANDMEMBER", application).arg(SAMPLE)).await?;
        let places = Reply::array(sample)?.map_or(Ok(Vec::new()), Reply::rest)?;
        let read = self.read(&places, "revision").await?;
        self.strike(application, &gone(&places, &read)).await
    }

    /// Removes places.
    pub(super) async fn strike(&self, application: &[u8], places: &[Bytes]) -> Result<(), StoreError> {
        if places.is_empty() {
            return Ok(());
        }
        let mut command = on("ZREM", application);
        for place in places {
            command.arg(&place[..]);
        }
        self.connection.call(&command).await.map(drop)
    }

    /// A page of a list: at most so many encounters, and no more bytes than asked for after the first.
    pub(super) async fn page(
        &self, application: &str, before: Option<&str>, limit: usize, max_bytes: usize,
    ) -> Result<Listing, StoreError> {
        let (mut listing, mut room) = (Listing::default(), max_bytes);
        let mut last = before.map(str::to_owned);
        for _ in 0..ROUNDS {
            let want = limit.saturating_sub(listing.items.len()).min(CHUNK);
            if want == 0 {
                break;
            }
            let end = last.as_ref().map_or("+".to_owned(), |last| format!("({last}"));
            let mut range = on("ZRANGE", application.as_bytes());
            // One more tells whether anything follows.
            range.arg(end).arg("-").arg(&["BYLEX", "REV", "LIMIT", "0"]).arg(want.saturating_add(1));
            let mut places = Reply::array(self.connection.call(&range).await?)?.map_or(Ok(Vec::new()), Reply::rest)?;
            let more = places.len() > want;
            places.truncate(want);
            let fitting = self.fitting(&places, &mut room, listing.items.is_empty()).await?;
            let full = fitting < places.len();
            places.truncate(fitting);
            let read = self.read(&places, "document").await?;
            self.strike(application.as_bytes(), &gone(&places, &read)).await?;
            for (place, document) in places.iter().zip(read) {
                let place = String::from_utf8_lossy(place).into_owned();
                let id = listed_id(&place).unwrap_or_default().to_owned();
                listing.items.extend(document.map(|document| ListReference { id, document }));
                last = Some(place);
            }
            if full {
                break;
            }
            if !more {
                return Ok(listing);
            }
        }
        Ok(Listing { next: last, ..listing })
    }

    /// How many of these places come before their documents take more than `room`, at least one where it is the `first`.
    async fn fitting(&self, places: &[Bytes], room: &mut usize, first: bool) -> Result<usize, StoreError> {
        let sizes = try_join_all(places.iter().map(async |place| {
            let place = String::from_utf8_lossy(place);
            let mut size = cmd("HSTRLEN");
            size.arg(Keys::new(listed_id(&place).unwrap_or_default()).doc).arg("document");
            reply::count(&self.connection.call(&size).await?)
        }))
        .await?;
        let fits = |(index, size): &(usize, usize)| {
            let fits = *size <= *room || first && *index == 0;
            *room = room.saturating_sub(*size);
            fits
        };
        Ok(sizes.into_iter().enumerate().take_while(fits).count())
    }

    /// A field of the encounters at these places, all at once; none where one is gone, or is another one of the same id.
    async fn read(&self, places: &[Bytes], field: &str) -> Result<Vec<Option<Bytes>>, StoreError> {
        try_join_all(places.iter().map(async |place| {
            let id = String::from_utf8_lossy(place);
            let mut read = cmd("HMGET");
            read.arg(Keys::new(listed_id(&id).unwrap_or_default()).doc).arg(&["place", field]);
            let mut row = Reply::array(self.connection.call(&read).await?)?.ok_or(StoreError::Missing)?;
            let same = row.optional()?.as_ref() == Some(place);
            Ok(row.optional()?.filter(|_| same))
        }))
        .await
    }
}

/// The places that nothing was read at.
fn gone(places: &[Bytes], read: &[Option<Bytes>]) -> Vec<Bytes> {
    places.iter().zip(read).filter(|(_, document)| document.is_none()).map(|(place, _)| place.clone()).collect()
}
