//! Writes of one encounter while the store does not answer.

use crate::e2e::embedded_store;
use crate::support::store::{Hook, Hooked};
use async_trait::async_trait;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use turnkeeper::app::{App, AppError, BearerToken, Command, Sender, Shape, Token};
use turnkeeper::engine::{NewToken, Request, Role, Rulesets};
use turnkeeper::store::StoreError;

/// Makes a store unavailable, and counts how often it was asked.
#[derive(Default)]
struct Unavailable(AtomicUsize);

#[async_trait]
impl Hook for Unavailable {
    async fn before(&self) -> Result<(), StoreError> {
        self.0.fetch_add(1, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(50)).await;
        Err(StoreError::Unavailable("no answer".to_owned()))
    }
}

#[tokio::test]
async fn whatever_writes_an_encounter_fails_with_the_write_before_it_while_the_store_is_away() {
    let token = BearerToken::read(Token::new(Role::Gm, &[1; 32]).reveal()).expect("a token");
    let wanted = NewToken::read(json!({"role": "spectator"})).expect("a wanted token");
    let request = Request::read(json!({"type": "note", "text": "x"})).expect("a command");
    let (_data, inner) = embedded_store();
    for first in ["command", "hand out", "revoke", "delete"] {
        let store = Arc::new(Hooked { inner: inner.clone(), hook: Unavailable::default() });
        let app = App::new(store.clone(), Rulesets::shipped(), 0);
        let write = async |what: &str| match what {
            "command" => {
                let (expected, key, shape) = (None, None, Shape::Minimal);
                app.command(Command { id: "e", token: &token, request: &request, expected, key, shape }).await.err()
            }
            "hand out" => app.hand_out("e", Sender::Token(&token), &wanted, None).await.err(),
            "revoke" => app.revoke("e", &token, "player-nobody").await.err(),
            _ => app.delete("e", &token, None).await.err(),
        };
        let all = [first, "delete", "revoke", "hand out", "command"].map(write);
        for error in futures::future::join_all(all).await {
            assert!(matches!(error, Some(AppError::Unavailable(_))), "{error:?}");
        }
        assert_eq!(store.hook.0.load(Ordering::SeqCst), 1, "after a {first} the others need not ask");
    }
}
