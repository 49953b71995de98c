//! Processes that end and crash: what clients were answered stays true.

mod away;
mod checker;
mod histories;
mod kills;
mod model;
mod player;
mod simulated;
pub mod storm;

use crate::support::client::{Call, ambush, note};
use crate::support::redis::RedisServer;
use crate::support::server::Server;
use std::time::Duration;

const TIMEOUT: Duration = Duration::from_secs(2);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_in_flight_are_finished_before_the_process_ends() {
    let redis = RedisServer::start();
    let (here, there) = (Server::on(&redis), Server::on(&redis));
    let fight = here.client().create(&ambush()).await;
    redis.pause();
    let call = |n: usize| fight.command(&note(&format!("in flight {n}"))).send();
    let requests: Vec<_> = (0..8).map(|n| tokio::spawn(call(n))).collect();
    tokio::time::sleep(Duration::from_millis(200)).await;
    here.terminate();
    // A new client is turned away while the old ones still wait.
    tokio::time::sleep(Duration::from_millis(100)).await;
    let late: Call = here.client().get("/livez");
    assert!(late.try_send().await.is_err_and(|error| error.is_connect()));
    redis.resume();
    let mut versions = Vec::new();
    for request in requests {
        versions.push(request.await.expect("no panic").expect(200).version());
    }
    versions.sort_unstable();
    assert_eq!(versions, [1, 2, 3, 4, 5, 6, 7, 8]);
    assert!(here.ended(TIMEOUT).success(), "{}", here.log());
    assert_eq!(fight.through(&there.client()).log().await.len(), 8);
}
