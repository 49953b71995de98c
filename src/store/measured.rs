//! A store whose calls are counted and timed.

use super::{
    Base, Commit, Committed, Found, KeyDigest, Listing, NewEncounter, Notice, QuotaGrant, Store,
    StoreError, StoredPage,
};
use crate::measure;
use async_trait::async_trait;
use bytes::Bytes;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::broadcast;

/// Another store, measured.
pub struct Measured(pub Arc<dyn Store>);

/// The outcome of a call, as its metric names it.
fn outcome<T>(result: &Result<T, StoreError>) -> &'static str {
    match result {
        Ok(_) => "done",
        Err(StoreError::Unavailable(_)) => "unavailable",
        Err(StoreError::Refused(_)) => "refused",
        Err(StoreError::Corrupt(_)) => "corrupt",
        Err(StoreError::Foreign(_)) => "foreign",
        Err(StoreError::Missing) => "missing",
    }
}

async fn measured<T>(
    call: &'static str,
    result: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, StoreError> {
    let started = Instant::now();
    let result = result.await;
    measure::store_call(call, outcome(&result), started.elapsed());
    result
}

#[async_trait]
impl Store for Measured {
    async fn create(&self, id: &str, new: NewEncounter) -> Result<Option<Bytes>, StoreError> {
        measured("create", self.0.create(id, new)).await
    }

    async fn load(
        &self,
        id: &str,
        known: Option<u64>,
        key: Option<&KeyDigest>,
    ) -> Result<Found, StoreError> {
        measured("load", self.0.load(id, known, key)).await
    }

    async fn commit(&self, id: &str, commit: Commit) -> Result<Committed, StoreError> {
        let started = Instant::now();
        let committed = self.0.commit(id, commit).await;
        let outcome = match &committed {
            Ok(Committed::Done | Committed::Anew) => "done",
            Ok(Committed::Conflict(_)) => "conflict",
            Ok(Committed::Replayed(_)) => "repeated",
            failed => outcome(failed),
        };
        measure::store_call("commit", outcome, started.elapsed());
        committed
    }

    async fn log(
        &self,
        id: &str,
        after: u64,
        limit: usize,
        max_bytes: usize,
    ) -> Result<StoredPage, StoreError> {
        measured("log", self.0.log(id, after, limit, max_bytes)).await
    }

    async fn base(&self, id: &str) -> Result<Base, StoreError> {
        measured("base", self.0.base(id)).await
    }

    async fn list(
        &self,
        application: &str,
        before: Option<&str>,
        limit: usize,
        max_bytes: usize,
    ) -> Result<Listing, StoreError> {
        measured("list", self.0.list(application, before, limit, max_bytes)).await
    }

    async fn application(&self, id: &str) -> Result<Option<String>, StoreError> {
        measured("application", self.0.application(id)).await
    }

    async fn acquire_quota(
        &self,
        bucket: &str,
        want: u32,
        quota: u32,
        window: Duration,
    ) -> Result<QuotaGrant, StoreError> {
        let grant = self.0.acquire_quota(bucket, want, quota, window);
        measured("acquire_quota", grant).await
    }

    async fn delete(&self, id: &str) -> Result<(), StoreError> {
        measured("delete", self.0.delete(id)).await
    }

    async fn salt(&self) -> Result<[u8; 32], StoreError> {
        measured("salt", self.0.salt()).await
    }

    fn notices(&self) -> broadcast::Receiver<Notice> {
        self.0.notices()
    }

    async fn ready(&self) -> Result<(), StoreError> {
        measured("ready", self.0.ready()).await
    }

    fn damage(&self) -> Option<String> {
        self.0.damage()
    }

    fn file_bytes(&self) -> Option<u64> {
        self.0.file_bytes()
    }
}
