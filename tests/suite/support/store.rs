//! A store with a hook: what happens before and after it is asked.

use async_trait::async_trait;
use bytes::Bytes;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast;
use turnkeeper::store::*;

/// What a [`Hooked`] store does beside what its inner store does.
#[async_trait]
pub trait Hook: Send + Sync + 'static {
    /// Before every call; an error is the answer.
    async fn before(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// After an encounter was loaded, before the answer is given.
    async fn loaded(&self) {}
}

/// A store that asks its hook first.
pub struct Hooked<H> {
    pub inner: Arc<dyn Store>,
    pub hook: H,
}

#[async_trait]
impl<H: Hook> Store for Hooked<H> {
    async fn create(&self, id: &str, new: NewEncounter) -> Result<Option<Bytes>, StoreError> {
        self.hook.before().await?;
        self.inner.create(id, new).await
    }

    async fn load(
        &self,
        id: &str,
        known: Option<u64>,
        key: Option<&KeyDigest>,
    ) -> Result<Found, StoreError> {
        self.hook.before().await?;
        let loaded = self.inner.load(id, known, key).await;
        self.hook.loaded().await;
        loaded
    }

    async fn commit(&self, id: &str, commit: Commit) -> Result<Committed, StoreError> {
        self.hook.before().await?;
        self.inner.commit(id, commit).await
    }

    async fn log(
        &self,
        id: &str,
        after: u64,
        limit: usize,
        max_bytes: usize,
    ) -> Result<StoredPage, StoreError> {
        self.hook.before().await?;
        self.inner.log(id, after, limit, max_bytes).await
    }

    async fn base(&self, id: &str) -> Result<Base, StoreError> {
        self.hook.before().await?;
        self.inner.base(id).await
    }

    async fn list(
        &self,
        of: &str,
        before: Option<&str>,
        limit: usize,
        bytes: usize,
    ) -> Result<Listing, StoreError> {
        self.hook.before().await?;
        self.inner.list(of, before, limit, bytes).await
    }

    async fn application(&self, id: &str) -> Result<Option<String>, StoreError> {
        self.hook.before().await?;
        self.inner.application(id).await
    }

    async fn acquire_quota(
        &self,
        bucket: &str,
        want: u32,
        quota: u32,
        window: Duration,
    ) -> Result<QuotaGrant, StoreError> {
        self.hook.before().await?;
        self.inner.acquire_quota(bucket, want, quota, window).await
    }

    async fn delete(&self, id: &str) -> Result<(), StoreError> {
        self.hook.before().await?;
        self.inner.delete(id).await
    }

    async fn salt(&self) -> Result<[u8; 32], StoreError> {
        self.hook.before().await?;
        self.inner.salt().await
    }

    fn notices(&self) -> broadcast::Receiver<Notice> {
        self.inner.notices()
    }

    async fn ready(&self) -> Result<(), StoreError> {
        self.hook.before().await?;
        self.inner.ready().await
    }
}
