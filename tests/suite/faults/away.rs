//! Writes and followers of one encounter while the store does not answer.

use crate::e2e::{Api, Setup, embedded_store};
use crate::log::feed::{LINES, Stream};
use crate::support::store::{Hook, Hooked};
use async_trait::async_trait;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use turnkeeper::app::{AnswerSize, App, AppError, BearerToken, CommandCall, Sender, Token};
use turnkeeper::engine::{Request, Role, Rulesets};
use turnkeeper::http::Settings;
use turnkeeper::json::read;
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
    let wanted = read(&json!({"role": "spectator"})).expect("a wanted token");
    let request = Request::read(json!({"type": "note", "text": "x"})).expect("a command");
    let (_data, inner) = embedded_store();
    for first in ["command", "hand out", "revoke", "delete"] {
        let store = Arc::new(Hooked {
            inner: inner.clone(),
            hook: Unavailable::default(),
        });
        let app = App::new(store.clone(), Rulesets::shipped(), 0);
        let write = async |what: &str| match what {
            "command" => {
                let (expected, key, size) = (None, None, AnswerSize::Minimal);
                app.command(CommandCall {
                    id: "e",
                    token: &token,
                    request: &request,
                    expected,
                    key,
                    size,
                    table: None,
                    options_for: None,
                })
                .await
                .err()
            }
            "hand out" => app
                .hand_out("e", &Sender::Token(token.clone()), &wanted, None)
                .await
                .err(),
            "revoke" => app.revoke("e", &token, "player-nobody").await.err(),
            _ => app.delete("e", &token, None).await.err(),
        };
        let all = [first, "delete", "revoke", "hand out", "command"].map(write);
        for error in futures::future::join_all(all).await {
            assert!(
                matches!(
                    error,
                    Some(AppError::Unavailable(_) | AppError::StoreRefuses(_))
                ),
                "{error:?}"
            );
        }
        assert_eq!(
            store.hook.0.load(Ordering::SeqCst),
            1,
            "after a {first} the others need not ask"
        );
    }
}

/// A store that is away as long as it is told, and counts how often it was asked meanwhile.
#[derive(Default)]
struct AwayForATime {
    away: AtomicBool,
    asked: AtomicUsize,
}

#[async_trait]
impl Hook for AwayForATime {
    async fn before(&self) -> Result<(), StoreError> {
        if !self.away.load(Ordering::SeqCst) {
            return Ok(());
        }
        self.asked.fetch_add(1, Ordering::SeqCst);
        Err(StoreError::Unavailable("no answer".to_owned()))
    }
}

#[tokio::test]
async fn a_feed_asks_a_store_that_is_away_until_it_answers_or_the_last_follower_leaves() {
    let (_data, inner) = embedded_store();
    let store = Arc::new(Hooked {
        inner: inner.clone(),
        hook: AwayForATime::default(),
    });
    // A client that has left is noticed when something is written.
    let settings = Settings {
        keep_alive: Duration::from_millis(100),
        ..Settings::default()
    };
    let here = Api::on(
        store.clone(),
        Setup {
            settings,
            ..Setup::default()
        },
    )
    .await;
    let there = Api::on(inner, Setup::default()).await;
    let fight = there.fight().await;
    let mut stream = Stream::open(&fight.through(&here), LINES, Some(0))
        .await
        .expect("a stream");
    let asked = || store.hook.asked.load(Ordering::SeqCst);
    let asked_more_than = async |before: usize| {
        for _ in 0..500 {
            if asked() > before {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("it is asked no more");
    };
    store.hook.away.store(true, Ordering::SeqCst);
    fight.notes(1).await;
    asked_more_than(3).await;
    store.hook.away.store(false, Ordering::SeqCst);
    assert_eq!(stream.transition().await, Some(1));
    store.hook.away.store(true, Ordering::SeqCst);
    fight.notes(1).await;
    asked_more_than(asked()).await;
    drop(stream);
    for _ in 0..50 {
        let before = asked();
        tokio::time::sleep(Duration::from_millis(400)).await;
        if asked() == before {
            return;
        }
    }
    panic!("it is asked for nobody");
}

/// Counts how often a store is asked, and answers late.
#[derive(Default)]
struct Slow(AtomicUsize);

#[async_trait]
impl Hook for Slow {
    async fn before(&self) -> Result<(), StoreError> {
        self.0.fetch_add(1, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(100)).await;
        Ok(())
    }
}

#[tokio::test]
async fn checks_that_wait_at_the_same_time_are_one() {
    let (_data, inner) = embedded_store();
    let store = Arc::new(Hooked {
        inner,
        hook: Slow::default(),
    });
    let app = App::new(store.clone(), Rulesets::shipped(), 0);
    let checks = futures::future::join_all((0..100).map(|_| app.ready())).await;
    assert!(checks.iter().all(Result::is_ok));
    assert_eq!(store.hook.0.load(Ordering::SeqCst), 1);
    app.ready().await.expect("a store that answers");
    assert_eq!(
        store.hook.0.load(Ordering::SeqCst),
        2,
        "a later request checks again"
    );
}
