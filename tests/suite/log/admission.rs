//! A token that ends while its holder begins to follow.

use crate::e2e::{Api, Setup};
use async_trait::async_trait;
use futures::future::BoxFuture;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::sync::{Mutex, broadcast};
use turnkeeper::app::{App, AppError, BearerToken};
use turnkeeper::engine::Rulesets;
use turnkeeper::store::embedded::EmbeddedStore;
use turnkeeper::store::*;

/// A store on which something happens right after the next read of an encounter.
struct Between {
    inner: Arc<dyn Store>,
    happens: Mutex<Option<BoxFuture<'static, ()>>>,
}

#[async_trait]
impl Store for Between {
    async fn create(&self, id: &str, new: NewEncounter) -> Result<Option<bytes::Bytes>, StoreError> {
        self.inner.create(id, new).await
    }

    async fn load(&self, id: &str, known: Option<u64>, key: Option<&KeyDigest>) -> Result<Found, StoreError> {
        let loaded = self.inner.load(id, known, key).await;
        let happens = self.happens.lock().await.take();
        if let Some(happens) = happens {
            happens.await;
        }
        loaded
    }

    async fn commit(&self, id: &str, commit: Commit) -> Result<Committed, StoreError> {
        self.inner.commit(id, commit).await
    }

    async fn log(&self, id: &str, after: u64, limit: usize, max_bytes: usize) -> Result<LogPage, StoreError> {
        self.inner.log(id, after, limit, max_bytes).await
    }

    async fn base(&self, id: &str) -> Result<Base, StoreError> {
        self.inner.base(id).await
    }

    async fn list(&self, of: &str, before: Option<&str>, limit: usize, bytes: usize) -> Result<Listing, StoreError> {
        self.inner.list(of, before, limit, bytes).await
    }

    async fn acquire_quota(
        &self, bucket: &str, want: u32, quota: u32, window: Duration,
    ) -> Result<QuotaGrant, StoreError> {
        self.inner.acquire_quota(bucket, want, quota, window).await
    }

    async fn delete(&self, id: &str) -> Result<(), StoreError> {
        self.inner.delete(id).await
    }

    async fn salt(&self) -> Result<[u8; 32], StoreError> {
        self.inner.salt().await
    }

    fn commits(&self) -> broadcast::Receiver<Notice> {
        self.inner.commits()
    }

    async fn ready(&self) -> Result<(), StoreError> {
        self.inner.ready().await
    }

    async fn close(&self) {
        self.inner.close().await;
    }
}

#[tokio::test]
async fn a_token_that_is_revoked_while_its_holder_begins_to_follow_opens_no_feed() {
    let data = TempDir::new().expect("a temporary directory");
    let inner: Arc<dyn Store> = Arc::new(EmbeddedStore::open(data.path(), StoreConfig::default()).expect("a store"));
    let api = Api::on(inner.clone(), Setup::default()).await;
    let fight = api.fight().await;
    let store = Arc::new(Between { inner: inner.clone(), happens: Mutex::default() });
    let here = Arc::new(App::new(store.clone(), Rulesets::shipped(), 1 << 20));
    let there = Arc::new(App::new(inner, Rulesets::shipped(), 1 << 20));
    for asked in [json!({"role": "player", "combatants": ["valiant"]}), json!({"role": "gm"})] {
        let (holder, token_id) = fight.hand_out(asked).await;
        let token = BearerToken::read(&holder.token).expect("a token");
        drop(here.follow(&fight.id, &token, None).await.expect("it is good"));
        let (there, id, gm) = (there.clone(), fight.id.clone(), BearerToken::read(&fight.token).expect("a token"));
        let revoked = async move { there.revoke(&id, &gm, &token_id).await.expect("it is revoked") };
        *store.happens.lock().await = Some(Box::pin(revoked));
        let refused = here.follow(&fight.id, &token, None).await.err();
        assert!(matches!(refused, Some(AppError::NotFound)), "{refused:?}");
    }
}
