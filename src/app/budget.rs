//! Budgets of bytes that the process holds for its clients: bodies that arrive, and answers that
//! are not read yet.

use super::AppError;
use super::registry::{Registered, Registry};
use super::token::BearerToken;
use bytes::Bytes;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The bytes of one permit.
const UNIT: usize = 1024;
/// One client gets at most one part in so many of a budget.
const CLIENT_PARTS: usize = 8;
/// All clients of one encounter together get at most one part in so many.
const ENCOUNTER_PARTS: usize = 4;
/// Bodies and answers up to this size are not counted: a connection costs more.
pub const SMALL: usize = 16 * 1024;

/// A client that takes room of a budget.
#[derive(Debug, Clone)]
pub struct Client {
    name: String,
    /// The encounter that its token is for.
    encounter: Option<String>,
}

impl Client {
    /// The holder of a token of an encounter.
    pub fn of(token: &BearerToken, encounter: &str) -> Self {
        Self {
            name: format!("token:{}", token.short()),
            encounter: Some(format!("encounter:{encounter}")),
        }
    }

    /// A client without an encounter, such as an address.
    pub fn named(name: String) -> Self {
        Self {
            name,
            encounter: None,
        }
    }
}

/// The bytes that may be held at a time: by each client, by all clients of each encounter, and by
/// all together.
#[derive(Clone)]
pub struct Budget(Arc<Shares>);

/// The room that a client, or the clients of an encounter, may hold at a time.
type Share = Arc<Registered<Arc<Semaphore>>>;

struct Shares {
    units: usize,
    free: Arc<Semaphore>,
    /// The units that one client may have.
    client: usize,
    /// The units that the clients of one encounter may have.
    encounter: usize,
    /// The shares of the clients and encounters that have some.
    used: Arc<Registry<Arc<Semaphore>>>,
}

impl Shares {
    fn share(&self, name: &str, units: usize) -> Share {
        self.used
            .get_or_insert(name, || Arc::new(Semaphore::new(units)))
    }

    /// The shares that a client takes from, besides the whole.
    fn of(&self, client: &Client) -> Vec<Share> {
        let mut shares = vec![self.share(&client.name, self.client)];
        if let Some(encounter) = &client.encounter {
            shares.push(self.share(encounter, self.encounter));
        }
        shares
    }

    /// The permits for so many bytes, at most a client's share: one answer may be larger, and is
    /// held all the same.
    fn permits(&self, bytes: usize) -> usize {
        bytes.div_ceil(UNIT).min(self.client)
    }
}

impl Budget {
    /// A budget of `total` bytes, or of `largest` if that is more. A client's share is an eighth,
    /// an encounter's a quarter, and each at least `largest`.
    pub fn new(largest: usize, total: usize) -> Self {
        let all = units(total.max(largest));
        let least = units(largest).max(1);
        Self(Arc::new(Shares {
            units: all,
            free: Arc::new(Semaphore::new(all)),
            client: (all / CLIENT_PARTS).max(least),
            encounter: (all / ENCOUNTER_PARTS).max(least),
            used: Arc::default(),
        }))
    }

    /// The budget of answers: `total` bytes, and at least those of a large encounter.
    pub fn of_answers(total: usize) -> Self {
        Self::new(super::MAX_DOCUMENT, total)
    }

    /// A budget of things of which one client may have so many, and the clients of one encounter so
    /// many. Each counts as a byte.
    pub(super) fn of_things(client: usize, encounter: usize) -> Self {
        Self(Arc::new(Shares {
            units: Semaphore::MAX_PERMITS,
            free: Arc::new(Semaphore::new(Semaphore::MAX_PERMITS)),
            client,
            encounter,
            used: Arc::default(),
        }))
    }

    /// The bytes of it that are held now, and all of it.
    pub fn used_and_total(&self) -> [usize; 2] {
        let free = self.0.free.available_permits();
        [
            self.0.units.saturating_sub(free).saturating_mul(UNIT),
            self.0.units.saturating_mul(UNIT),
        ]
    }

    /// Whether half of it is used.
    pub fn is_half_used(&self) -> bool {
        self.0.free.available_permits() <= self.0.units / 2
    }

    /// Room for a client, of no bytes yet.
    pub fn room(&self, client: &Client) -> Room {
        Room {
            permits: Vec::new(),
            units: 0,
            shares: Vec::new(),
            client: client.clone(),
            budget: self.0.clone(),
        }
    }

    /// The bytes of an answer, which count until they are dropped. Refused without room for them.
    pub fn hold(&self, client: &Client, answer: Bytes) -> Result<Bytes, AppError> {
        if answer.len() <= SMALL {
            return Ok(answer);
        }
        Ok(self.reserve(client, answer.len())?.keep(answer))
    }

    /// Room for an answer of so many bytes. Refused without it.
    pub fn reserve(&self, client: &Client, bytes: usize) -> Result<Room, AppError> {
        let mut room = self.room(client);
        room.grow_if_large(bytes)?;
        Ok(room)
    }

    /// As [`reserve`](Self::reserve), but waits for room.
    pub async fn reserve_in_turn(&self, client: &Client, bytes: usize) -> Result<Room, AppError> {
        let mut room = self.room(client);
        if bytes <= SMALL {
            return Ok(room);
        }
        let units = self.0.permits(bytes);
        // Only who has room in its own share waits for what others have.
        for free in room.taken_from() {
            match free.acquire_many_owned(narrow(units)?).await {
                Ok(permits) => room.permits.push(permits),
                Err(closed) => return Err(AppError::Internal(closed.to_string())),
            }
        }
        room.units = units;
        Ok(room)
    }
}

/// A part of a budget, given back when it is dropped.
pub struct Room {
    permits: Vec<OwnedSemaphorePermit>,
    /// The units that it has of each share.
    units: usize,
    /// None until it has permits: a small body or answer takes none.
    shares: Vec<Share>,
    client: Client,
    budget: Arc<Shares>,
}

impl Room {
    /// The semaphores that each unit is taken from: those of the shares, then that of the budget.
    fn taken_from(&mut self) -> Vec<Arc<Semaphore>> {
        if self.shares.is_empty() {
            self.shares = self.budget.of(&self.client);
        }
        let mut all = Vec::new();
        for share in &self.shares {
            let free: &Arc<Semaphore> = share;
            all.push(free.clone());
        }
        all.push(self.budget.free.clone());
        all
    }

    /// Makes it room for so many bytes in all, if it is smaller. Refused if the client, its
    /// encounter or all clients together have too much.
    pub fn grow(&mut self, bytes: usize) -> Result<(), AppError> {
        let units = self.budget.permits(bytes);
        let more = units.saturating_sub(self.units);
        if more == 0 {
            return Ok(());
        }
        let mut taken = Vec::new();
        for free in self.taken_from() {
            taken.push(take(free, more)?);
        }
        if self.permits.is_empty() {
            self.permits = taken;
        } else {
            for (permit, more) in self.permits.iter_mut().zip(taken) {
                permit.merge(more);
            }
        }
        self.units = units;
        Ok(())
    }

    /// Makes it room for so many bytes in all. A small body or answer takes none.
    pub fn grow_if_large(&mut self, bytes: usize) -> Result<(), AppError> {
        if bytes > SMALL {
            self.grow(bytes)?;
        }
        Ok(())
    }

    /// Bytes that keep the room until the last copy of them is dropped.
    pub fn keep(self, bytes: Bytes) -> Bytes {
        if self.units == 0 {
            return bytes;
        }
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

fn units(bytes: usize) -> usize {
    bytes.div_ceil(UNIT).min(Semaphore::MAX_PERMITS)
}

fn take(free: Arc<Semaphore>, permits: usize) -> Result<OwnedSemaphorePermit, AppError> {
    free.try_acquire_many_owned(narrow(permits)?)
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

    /// A client of an encounter.
    fn client(name: &str, encounter: &str) -> Client {
        Client {
            encounter: Some(encounter.to_owned()),
            ..named(name)
        }
    }

    fn named(name: &str) -> Client {
        Client::named(name.to_owned())
    }

    fn room_of(budget: &Budget, client: &Client, units: usize) -> Result<Room, AppError> {
        let mut room = budget.room(client);
        room.grow(units * UNIT).map(|()| room)
    }

    #[test]
    fn a_client_gets_its_share_and_others_get_theirs() {
        let budget = Budget::new(UNIT, 160 * UNIT);
        let room = room_of(&budget, &named("a"), 20).expect("room");
        assert!(!budget.is_half_used());
        assert!(matches!(
            room_of(&budget, &named("a"), 1),
            Err(AppError::Busy)
        ));
        let others: Vec<Room> = ["b", "c", "d", "e"]
            .into_iter()
            .map(|name| room_of(&budget, &named(name), 15).expect("its share"))
            .collect();
        assert!(budget.is_half_used());
        drop((room, others));
        assert_eq!((free(&budget), budget.0.used.all().len()), (160, 0));
    }

    #[tokio::test]
    async fn the_clients_of_one_encounter_share_a_quarter() {
        let budget = Budget::new(UNIT, 160 * UNIT);
        let full = [("a", 20), ("b", 15), ("c", 5)]
            .map(|(name, units)| room_of(&budget, &client(name, "e"), units).expect("room"));
        let late = client("d", "e");
        assert!(matches!(room_of(&budget, &late, 1), Err(AppError::Busy)));
        assert!(room_of(&budget, &client("d", "other"), 20).is_ok());
        let pause = Duration::from_millis(20);
        let waiting = budget.reserve_in_turn(&late, 17 * UNIT);
        assert!(timeout(pause, waiting).await.is_err());
        assert!(room_of(&budget, &named("d"), 20).is_ok(), "it took nothing");
        assert_eq!(free(&budget), 120);
        drop(full);
        assert!(budget.reserve_in_turn(&late, 17 * UNIT).await.is_ok());
        assert_eq!((free(&budget), budget.0.used.all().len()), (160, 0));
    }

    #[test]
    fn room_grows_with_its_bytes_and_the_largest_body_fits_into_the_smallest_budget() {
        let budget = Budget::new(16 * UNIT, 0);
        let mut room = budget.room(&named("a"));
        for (size, left) in [(1, 15), (UNIT, 15), (UNIT + 1, 14), (3, 14), (16 * UNIT, 0)] {
            room.grow(size).expect("room");
            assert_eq!(free(&budget), left, "{size} bytes");
        }
    }

    #[tokio::test]
    async fn an_answer_counts_until_its_last_copy_is_dropped_and_small_ones_never() {
        let budget = Budget::new(UNIT, 320 * UNIT);
        let (a, b) = (named("a"), named("b"));
        let held = budget.hold(&a, bytes(30)).expect("room");
        let copy = held.slice(..10);
        drop(held);
        assert_eq!(free(&budget), 290);
        assert!(matches!(budget.hold(&a, bytes(30)), Err(AppError::Busy)));
        assert!(
            timeout(
                Duration::from_millis(20),
                budget.reserve_in_turn(&a, 30 * UNIT)
            )
            .await
            .is_err()
        );
        let _small: Vec<Bytes> = (0..100)
            .map(|_| budget.hold(&a, bytes(16)).expect("it is small"))
            .collect();
        let (waiting, waiter) = (budget.clone(), a.clone());
        let waiting =
            tokio::spawn(async move { waiting.reserve_in_turn(&waiter, 30 * UNIT).await });
        drop(copy);
        drop(waiting.await.expect("no panic").expect("room"));
        // One that is larger than the share is held alone.
        let large = budget.hold(&a, bytes(1000)).expect("room");
        assert_eq!((free(&budget), large.len()), (280, 1000 * UNIT));
        assert!(budget.hold(&b, bytes(40)).is_ok());
    }
}
