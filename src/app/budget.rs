//! Budgets of bytes that the process holds for its clients: bodies that arrive, and answers that are not read yet.

use super::token::Sender;
use super::{AppError, BearerToken};
use bytes::Bytes;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::{Arc, Weak};
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};

/// The bytes of one permit.
const UNIT: usize = 1024;
/// One client gets at most one part in so many of a budget.
const PARTS: usize = 8;
/// Answers up to this size are not counted: a connection costs more.
pub const SMALL_ANSWER: usize = 16 * 1024;

/// The name of a client with a token.
pub fn client_of(token: &BearerToken) -> String {
    format!("token:{}", token.short())
}

/// The name of the client that sends a write.
pub(super) fn sending_client(sender: &Sender) -> String {
    match sender {
        Sender::Token(token) => client_of(token),
        Sender::Creator(name) => format!("application:{name}"),
    }
}

/// The bytes that may be held at a time, for all clients together and for each.
#[derive(Clone)]
pub struct Budget(Arc<Shares>);

struct Shares {
    units: usize,
    free: Arc<Semaphore>,
    /// The units that one client may have.
    share: usize,
    /// The clients that have some.
    clients: Mutex<HashMap<String, Weak<Client>>>,
}

/// A client that has a part of the budget.
struct Client {
    name: String,
    free: Arc<Semaphore>,
    shares: Arc<Shares>,
}

impl Drop for Client {
    fn drop(&mut self) {
        let mut clients = self.shares.clients.lock();
        // It may have come back meanwhile.
        if clients
            .get(&self.name)
            .is_some_and(|client| client.strong_count() == 0)
        {
            clients.remove(&self.name);
        }
    }
}

impl Shares {
    fn client(self: &Arc<Self>, name: &str) -> Arc<Client> {
        let mut clients = self.clients.lock();
        if let Some(client) = clients.get(name).and_then(Weak::upgrade) {
            return client;
        }
        let free = Arc::new(Semaphore::new(self.share));
        let client = Arc::new(Client {
            name: name.to_owned(),
            free,
            shares: self.clone(),
        });
        clients.insert(name.to_owned(), Arc::downgrade(&client));
        client
    }

    /// The permits for so many bytes, at most a client's share: one answer may be larger, and is held all the same.
    fn permits(&self, bytes: usize) -> usize {
        bytes.div_ceil(UNIT).min(self.share)
    }
}

impl Budget {
    /// A budget of `total` bytes, or of `largest` if that is more. A client's share is an eighth, and at least `largest`.
    pub fn new(largest: usize, total: usize) -> Self {
        let units = |bytes: usize| bytes.div_ceil(UNIT).min(Semaphore::MAX_PERMITS);
        let all = units(total.max(largest));
        let share = (all / PARTS).max(units(largest)).max(1);
        let free = Arc::new(Semaphore::new(all));
        Self(Arc::new(Shares {
            units: all,
            free,
            share,
            clients: Mutex::default(),
        }))
    }

    /// The budget of answers: `total` bytes, and at least those of a large encounter.
    pub fn of_answers(total: usize) -> Self {
        Self::new(super::MAX_DOCUMENT, total)
    }

    /// Whether half of it is used.
    pub fn is_half_used(&self) -> bool {
        self.0.free.available_permits() <= self.0.units / 2
    }

    /// Room for a client, of no bytes yet.
    pub fn room(&self, client: &str) -> Result<Room, AppError> {
        let client = self.0.client(client);
        let (own, all) = (take(&client.free, 0)?, take(&self.0.free, 0)?);
        Ok(Room { own, all, client })
    }

    /// The bytes of an answer, which count until they are dropped. Refused without room for them.
    pub fn hold(&self, client: &str, answer: Bytes) -> Result<Bytes, AppError> {
        if answer.len() <= SMALL_ANSWER {
            return Ok(answer);
        }
        Ok(self.reserve(client, answer.len())?.keep(answer))
    }

    /// Room for an answer of so many bytes. Refused without it.
    pub fn reserve(&self, client: &str, bytes: usize) -> Result<Room, AppError> {
        let mut room = self.room(client)?;
        if bytes > SMALL_ANSWER {
            room.grow(bytes)?;
        }
        Ok(room)
    }

    /// As [`hold`](Self::hold), but waits for room.
    pub async fn hold_in_turn(&self, client: &str, answer: Bytes) -> Result<Bytes, AppError> {
        if answer.len() <= SMALL_ANSWER {
            return Ok(answer);
        }
        let closed = |error: AcquireError| AppError::Internal(error.to_string());
        let client = self.0.client(client);
        let permits = narrow(self.0.permits(answer.len()))?;
        let own = client
            .free
            .clone()
            .acquire_many_owned(permits)
            .await
            .map_err(closed)?;
        let all = self
            .0
            .free
            .clone()
            .acquire_many_owned(permits)
            .await
            .map_err(closed)?;
        Ok(Room { own, all, client }.keep(answer))
    }
}

/// A part of a budget, given back when it is dropped.
pub struct Room {
    own: OwnedSemaphorePermit,
    all: OwnedSemaphorePermit,
    client: Arc<Client>,
}

impl Room {
    /// Makes it room for so many bytes in all, if it is smaller. Refused if the client or all clients together have too much.
    pub fn grow(&mut self, bytes: usize) -> Result<(), AppError> {
        let shares = &self.client.shares;
        let more = shares.permits(bytes).saturating_sub(self.own.num_permits());
        let (own, all) = (take(&self.client.free, more)?, take(&shares.free, more)?);
        self.own.merge(own);
        self.all.merge(all);
        Ok(())
    }

    /// Bytes that keep the room until the last copy of them is dropped.
    pub fn keep(self, bytes: Bytes) -> Bytes {
        Bytes::from_owner(Held { bytes, _room: self })
    }
}

struct Held {
    bytes: Bytes,
    _room: Room,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

fn take(free: &Arc<Semaphore>, permits: usize) -> Result<OwnedSemaphorePermit, AppError> {
    free.clone()
        .try_acquire_many_owned(narrow(permits)?)
        .map_err(|_| AppError::Busy)
}

fn narrow(permits: usize) -> Result<u32, AppError> {
    u32::try_from(permits).map_err(|_| AppError::Busy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use tokio::time::timeout;

    fn free(budget: &Budget) -> usize {
        budget.0.free.available_permits()
    }

    fn bytes(units: usize) -> Bytes {
        vec![0; units * UNIT].into()
    }

    #[test]
    fn a_client_gets_its_share_and_others_get_theirs() {
        let budget = Budget::new(UNIT, 160 * UNIT);
        let mut room = budget.room("a").expect("room");
        assert!(room.grow(20 * UNIT).is_ok() && !budget.is_half_used());
        assert!(matches!(
            budget.room("a").and_then(|mut more| more.grow(1)),
            Err(AppError::Busy)
        ));
        let others: Vec<Room> = ["b", "c", "d", "e"]
            .into_iter()
            .map(|name| {
                let mut room = budget.room(name).expect("room");
                room.grow(15 * UNIT).expect("its share");
                room
            })
            .collect();
        assert!(budget.is_half_used());
        drop((room, others));
        assert_eq!((free(&budget), budget.0.clients.lock().len()), (160, 0));
    }

    #[test]
    fn room_grows_with_its_bytes_and_the_largest_body_fits_into_the_smallest_budget() {
        let budget = Budget::new(16 * UNIT, 0);
        let mut room = budget.room("a").expect("room");
        for (size, left) in [(1, 15), (UNIT, 15), (UNIT + 1, 14), (3, 14), (16 * UNIT, 0)] {
            room.grow(size).expect("room");
            assert_eq!(free(&budget), left, "{size} bytes");
        }
    }

    #[tokio::test]
    async fn an_answer_counts_until_its_last_copy_is_dropped_and_small_ones_never() {
        let budget = Budget::new(UNIT, 320 * UNIT);
        let held = budget.hold("a", bytes(30)).expect("room");
        let copy = held.slice(..10);
        drop(held);
        assert_eq!(free(&budget), 290);
        assert!(matches!(budget.hold("a", bytes(30)), Err(AppError::Busy)));
        assert!(
            timeout(
                Duration::from_millis(20),
                budget.hold_in_turn("a", bytes(30))
            )
            .await
            .is_err()
        );
        let _small: Vec<Bytes> = (0..100)
            .map(|_| budget.hold("a", bytes(16)).expect("it is small"))
            .collect();
        let waiting = budget.clone();
        let waiting = tokio::spawn(async move { waiting.hold_in_turn("a", bytes(30)).await });
        drop(copy);
        drop(waiting.await.expect("no panic").expect("room"));
        // One that is larger than the share is held alone.
        let large = budget.hold("a", bytes(1000)).expect("room");
        assert_eq!((free(&budget), large.len()), (280, 1000 * UNIT));
        assert!(budget.hold("b", bytes(40)).is_ok());
    }
}
