//! Followers of an encounter whose Redis has lost entries.

use crate::e2e::{Api, Fight, Setup};
use crate::support::redis::RedisServer;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;
use turnkeeper::app::{App, AppError, BearerToken, Follower, Next};
use turnkeeper::engine::Rulesets;
use turnkeeper::store::StoreConfig;
use turnkeeper::store::redis::RedisStore;

fn store(redis: &RedisServer) -> Arc<RedisStore> {
    Arc::new(RedisStore::open(&redis.url(), None, StoreConfig::default()).expect("a store"))
}

/// Copies each key, for [`lose`].
fn keep(redis: &RedisServer) {
    for key in redis.keys() {
        redis.command(&["COPY", &key, &format!("kept:{key}")]);
    }
}

/// Restores the copied keys: later writes are lost.
fn lose(redis: &RedisServer) {
    for kept in redis.keys() {
        if let Some(key) = kept.strip_prefix("kept:") {
            redis.command(&["COPY", &kept, key, "REPLACE"]);
        }
    }
}

/// The follower's next event, within 10 seconds.
async fn next(follower: &mut Follower) -> Next {
    timeout(Duration::from_secs(10), follower.next()).await.expect("something is told in time")
}

async fn entry(follower: &mut Follower) -> u64 {
    match next(follower).await {
        Next::Entry(version, _) => version,
        other => panic!("{other:?} instead of an entry"),
    }
}

/// A fight whose Redis has a copy of version 3, an app that reads it, and a follower there that has seen version 7.
async fn ahead<'a>(redis: &RedisServer, writer: &'a Api) -> (Fight<'a>, Arc<App>, BearerToken, Follower) {
    let fight = writer.fight().await;
    fight.notes(3).await;
    keep(redis);
    let reader = Arc::new(App::new(store(redis), Rulesets::shipped(), 1 << 20));
    let token = BearerToken::read(&fight.token).expect("a token");
    let (_, mut ahead) = reader.follow(&fight.id, &token, None).await.expect("a feed");
    fight.notes(4).await;
    for version in 4..=7 {
        assert_eq!(entry(&mut ahead).await, version);
    }
    (fight, reader, token, ahead)
}

#[tokio::test]
async fn a_follower_is_shown_the_present_where_the_store_has_lost_entries_and_the_next_one_goes_on() {
    let redis = RedisServer::start();
    let writer = Api::on(store(&redis), Setup::default()).await;
    let (fight, reader, token, mut ahead) = ahead(&redis, &writer).await;
    // An idle follower keeps the topic of this process alive.
    let (_, idle) = reader.follow(&fight.id, &token, None).await.expect("a feed");
    lose(&redis);
    redis.command(&["CLIENT", "KILL", "TYPE", "pubsub"]);
    assert!(matches!(next(&mut ahead).await, Next::Snapshot(3, _)), "it has seen what is no more");
    let refused = reader.follow(&fight.id, &token, Some(7)).await.err();
    assert!(matches!(refused, Some(AppError::FutureVersion { current: 3 })), "{refused:?}");
    let (game, mut again) = reader.follow(&fight.id, &token, Some(3)).await.expect("a feed");
    assert_eq!(game.version(), 3);
    fight.notes(2).await;
    assert_eq!((entry(&mut again).await, entry(&mut again).await), (4, 5));
    assert_eq!((entry(&mut ahead).await, entry(&mut ahead).await), (4, 5));
    drop(idle);
}

#[tokio::test]
async fn a_follower_is_told_every_entry_where_its_feed_left_some_out() {
    let redis = RedisServer::start();
    let writer = Api::on(store(&redis), Setup::default()).await;
    // The follower stays, so this process has published version 7 and publishes only later ones.
    let (fight, reader, token, _ahead) = ahead(&redis, &writer).await;
    lose(&redis);
    let (_, mut late) = reader.follow(&fight.id, &token, None).await.expect("a feed");
    fight.notes(6).await;
    for version in 4..=9 {
        assert_eq!(entry(&mut late).await, version, "no gap, no repetition, in order");
    }
}
