//! Many followers of one process.

use crate::support::raw::Raw;
use crate::support::redis::RedisServer;
use crate::support::server::Server;
use crate::support::setting;
use turnkeeper::app::TOKEN_STREAMS;

/// `TURNKEEPER_FOLLOWERS` sets how many; the bound holds from 1000 on, where what the process needs
/// anyway no longer counts.
#[tokio::test]
async fn idle_followers_cost_little_share_one_subscription_and_hear_of_every_commit() {
    let count = setting("TURNKEEPER_FOLLOWERS").unwrap_or(300) as usize;
    let redis = RedisServer::start();
    let server = Server::with(&[
        ("REDIS_URL", &redis.url()),
        ("TURNKEEPER_STREAM_TIME", "1h"),
    ]);
    let api = server.client();
    // As many as one token may open follow each fight.
    let mut fights = Vec::new();
    for _ in 0..count.div_ceil(TOKEN_STREAMS) {
        let fight = api.fight().await;
        fight.notes(1).await;
        fights.push(fight);
    }
    let address = api.address();
    let before = server.resident();
    let mut followers = Vec::with_capacity(count);
    for n in 0..count {
        let fight = &fights[n / TOKEN_STREAMS];
        let request = format!(
            "GET /v1/encounters/{}/events HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {}\r\naccept: text/event-stream\r\n\r\n",
            fight.id, fight.token
        );
        let mut stream = Raw::open(address, request.as_bytes()).await;
        // An event's end and its chunk's.
        stream.until("\n\n\r\n").await;
        followers.push(stream);
    }
    let each = (server.resident().saturating_sub(before)) as f64 / count as f64;
    let clients: String = redis.ask(&["CLIENT", "LIST"]);
    let following = clients
        .lines()
        .filter(|line| !line.contains(" sub=0 "))
        .count();
    assert_eq!(following, 1, "one subscription for all:\n{clients}");
    for fight in &fights {
        fight.notes(1).await;
    }
    for stream in &mut followers {
        stream.until("event: transition\n").await;
    }
    assert!(
        count < 1000 || each < 16.0,
        "{each:.1} KiB for each follower"
    );
}
