//! Writes of one encounter while the store does not answer.

use async_trait::async_trait;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::broadcast;
use turnkeeper::app::{App, AppError, BearerToken, Command, Shape, Token};
use turnkeeper::engine::{NewToken, Request, Role, Rulesets};
use turnkeeper::store::*;

/// A store that is unavailable, and counts its calls.
#[derive(Default)]
struct Unavailable(AtomicUsize);

impl Unavailable {
    async fn answer<T>(&self) -> Result<T, StoreError> {
        self.0.fetch_add(1, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(50)).await;
        Err(StoreError::Unavailable("it is gone".to_owned()))
    }
}

#[async_trait]
impl Store for Unavailable {
    async fn create(&self, _: &str, _: NewEncounter) -> Result<Option<bytes::Bytes>, StoreError> {
        self.answer().await
    }

    async fn load(&self, _: &str, _: Option<u64>, _: Option<&KeyDigest>) -> Result<Found, StoreError> {
        self.answer().await
    }

    async fn commit(&self, _: &str, _: Commit) -> Result<Committed, StoreError> {
        self.answer().await
    }

    async fn log(&self, _: &str, _: u64, _: usize, _: usize) -> Result<LogPage, StoreError> {
        self.answer().await
    }

    async fn base(&self, _: &str) -> Result<Base, StoreError> {
        self.answer().await
    }

    async fn list(&self, _: &str, _: Option<&str>, _: usize, _: usize) -> Result<Listing, StoreError> {
        self.answer().await
    }

    async fn acquire_quota(&self, _: &str, _: u32, _: u32, _: Duration) -> Result<QuotaGrant, StoreError> {
        self.answer().await
    }

    async fn delete(&self, _: &str) -> Result<(), StoreError> {
        self.answer().await
    }

    async fn salt(&self) -> Result<[u8; 32], StoreError> {
        self.answer().await
    }

    fn commits(&self) -> broadcast::Receiver<Notice> {
        broadcast::channel(1).1
    }

    async fn ready(&self) -> Result<(), StoreError> {
        self.answer().await
    }

    async fn close(&self) {}
}

#[tokio::test]
async fn whatever_writes_an_encounter_fails_with_the_write_before_it_while_the_store_is_away() {
    let token = BearerToken::read(Token::new(Role::Gm, &[1; 32]).reveal()).expect("a token");
    let wanted = NewToken::read(json!({"role": "spectator"})).expect("a token's wish");
    let request = Request::read(json!({"type": "note", "text": "x"})).expect("a command");
    for first in ["command", "hand out", "revoke", "delete"] {
        let store = Arc::new(Unavailable::default());
        let app = App::new(store.clone(), Rulesets::shipped(), 0);
        let write = async |what: &str| match what {
            "command" => {
                let (expected, key, shape) = (None, None, Shape::Minimal);
                app.command(Command { id: "e", token: &token, request: &request, expected, key, shape }).await.err()
            }
            "hand out" => app.hand_out("e", &token, &wanted, None).await.err(),
            "revoke" => app.revoke("e", &token, "player-nobody").await.err(),
            _ => app.delete("e", &token, None).await.err(),
        };
        let all = [first, "delete", "revoke", "hand out", "command"].map(write);
        for error in futures::future::join_all(all).await {
            assert!(matches!(error, Some(AppError::Unavailable(_))), "{error:?}");
        }
        assert_eq!(store.0.load(Ordering::SeqCst), 1, "after a {first} the others need not ask");
    }
}
