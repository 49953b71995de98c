//! Reads bodies: each up to its limit, and all of a process together up to a budget.

use super::Settings;
use super::problem::Problem;
use axum::body::{Body, Bytes};
use axum::http::StatusCode;
use http_body_util::BodyExt;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The bytes that a permit stands for.
const UNIT: usize = 1024;

/// How many bytes of bodies are held at a time. Imports have a half of their own, so that they keep nobody else waiting.
#[derive(Clone)]
pub(super) struct Budgets {
    pub requests: Budget,
    pub imports: Budget,
}

impl Budgets {
    pub fn new(settings: &Settings) -> Self {
        let half = settings.bodies / 2;
        Self { requests: Budget::new(settings.body_limit, half), imports: Budget::new(settings.import_limit, half) }
    }
}

/// The bodies of one kind.
#[derive(Clone)]
pub(super) struct Budget {
    /// The largest body, in bytes.
    limit: usize,
    free: Arc<Semaphore>,
}

/// A body, with its share of the budget until this is dropped.
pub(super) struct BodyPermit {
    pub bytes: Bytes,
    pub share: Share,
}

/// A share of a budget, held until it is dropped.
#[derive(Default)]
pub(super) struct Share(Option<OwnedSemaphorePermit>);

impl Budget {
    /// One of `total` bytes; a single body of the largest size always fits in.
    fn new(limit: usize, total: usize) -> Self {
        let units = total.max(limit).div_ceil(UNIT).min(Semaphore::MAX_PERMITS);
        Self { limit, free: Arc::new(Semaphore::new(units)) }
    }

    /// Reads a body. Its share grows with the bytes that have arrived: what a client only announces takes nothing.
    pub async fn read(&self, mut body: Body) -> Result<BodyPermit, Problem> {
        let (mut bytes, mut share) = (Vec::new(), Share::default());
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|_| Problem::bad("incomplete_body", "the body ended too early"))?;
            let Ok(data) = frame.into_data() else { continue };
            let size = bytes.len().saturating_add(data.len());
            if size > self.limit {
                let detail = format!("the body is larger than {} bytes", self.limit);
                return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "body_too_large", detail));
            }
            self.grow(&mut share, size.div_ceil(UNIT))?;
            bytes.extend_from_slice(&data);
        }
        Ok(BodyPermit { bytes: bytes.into(), share })
    }

    /// Grows the share to this number of units; 503 where they are not free.
    fn grow(&self, share: &mut Share, units: usize) -> Result<(), Problem> {
        let more = units.saturating_sub(share.0.as_ref().map_or(0, OwnedSemaphorePermit::num_permits));
        let more = u32::try_from(more).map_err(|_| Problem::busy())?;
        if more == 0 {
            return Ok(());
        }
        let taken = self.free.clone().try_acquire_many_owned(more).map_err(|_| Problem::busy())?;
        match &mut share.0 {
            Some(permit) => permit.merge(taken),
            None => share.0 = Some(taken),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::{StreamExt, stream};

    fn free(budget: &Budget) -> usize {
        budget.free.available_permits() * UNIT
    }

    /// A body that begins with this number of bytes and never ends.
    fn unfinished(bytes: usize) -> Body {
        let begun = stream::iter([Ok::<_, String>(vec![b' '; bytes])]);
        Body::from_stream(begun.chain(stream::pending()))
    }

    async fn refused(budget: &Budget, body: Body) -> u16 {
        budget.read(body).await.map(drop).expect_err("refused").status().as_u16()
    }

    #[tokio::test]
    async fn bodies_are_counted_as_they_arrive_and_until_they_are_dropped() {
        let budget = Budget::new(4 * UNIT, 16 * UNIT);
        let held = budget.read(Body::from(vec![b' '; 3 * UNIT + 1])).await.expect("room");
        assert_eq!((held.bytes.len(), free(&budget)), (3 * UNIT + 1, 12 * UNIT));
        drop(held);
        assert_eq!(free(&budget), 16 * UNIT);
    }

    #[tokio::test]
    async fn unfinished_bodies_take_no_more_than_the_budget_and_give_it_back() {
        let budget = Budget::new(4 * UNIT, 16 * UNIT);
        let mut readers = Vec::new();
        for _ in 0..40 {
            let budget = budget.clone();
            readers.push(tokio::spawn(async move { budget.read(unfinished(4 * UNIT)).await.map(drop) }));
            tokio::task::yield_now().await;
        }
        tokio::task::yield_now().await;
        let (waiting, turned_away): (Vec<_>, Vec<_>) = readers.into_iter().partition(|reader| !reader.is_finished());
        assert_eq!((waiting.len(), turned_away.len(), free(&budget)), (4, 36, 0));
        for reader in turned_away {
            let problem = reader.await.expect("no panic").expect_err("no room");
            assert_eq!(problem.status(), StatusCode::SERVICE_UNAVAILABLE);
        }
        assert_eq!(refused(&budget, Body::from("x")).await, 503);
        for reader in waiting {
            reader.abort();
            let _ = reader.await;
        }
        assert_eq!(free(&budget), 16 * UNIT);
        assert_eq!(refused(&budget, Body::from(vec![b' '; 4 * UNIT + 1])).await, 413);
    }

    #[test]
    fn a_body_of_the_largest_size_fits_into_the_smallest_budget() {
        assert_eq!(free(&Budget::new(16 * UNIT, 0)), 16 * UNIT);
    }
}
