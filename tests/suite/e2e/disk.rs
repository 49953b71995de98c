//! The program and the file of its embedded store: checks.

use super::process::fails;
use crate::support::client::{ambush, note};
use crate::support::server::Server;
use std::time::Duration;

const TIMEOUT: Duration = Duration::from_secs(15);

#[tokio::test]
async fn damage_is_said_by_readyz_the_log_and_the_check() {
    let server = Server::embedded();
    let fight = server.client().create(&ambush()).await;
    fight.accepted(note("once upon a time")).await;
    server.terminate();
    assert!(server.ended(TIMEOUT).success(), "{}", server.log());
    let file = server.directory.path().join("data/turnkeeper.redb");
    let mut bytes = std::fs::read(&file).unwrap();
    let text = b"once upon a time";
    let places: Vec<usize> = (0..bytes.len() - text.len()).filter(|at| bytes[*at..].starts_with(text)).collect();
    for at in places {
        bytes[at] ^= 1;
    }
    std::fs::write(&file, bytes).unwrap();
    let data = server.directory.path().join("data");
    let said = fails(&[("TURNKEEPER_DATA", data.to_str().unwrap())], &["check"], 1);
    assert!(said.contains(&format!("damaged: encounter {}: ", &fight.id[..8])), "{said}");
    server.again();
    let api = server.client();
    crate::support::eventually("/readyz says so", TIMEOUT, async || {
        let ready = api.get("/readyz").send().await.expect(200).json();
        ready["damage"].as_str().is_some_and(|damage| damage.contains("The store's file is damaged"))
    })
    .await;
    assert!(server.log().contains("the store's file is damaged"), "{}", server.log());
    // Not through the client, which holds answers against the document: that lists no answer to damage.
    let damaged = fight.through(&api).get("/events").request().send().await.expect("an answer");
    assert_eq!(damaged.status(), 500);
}
