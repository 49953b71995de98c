//! The embedded store of a process that is killed at any time opens again, with all that was
//! acknowledged.

use crate::support::client::{crowd, note};
use crate::support::process::{Process, turnkeeper};
use crate::support::server::Server;
use crate::support::sized;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use turnkeeper::store::embedded::EmbeddedStore;
use turnkeeper::store::{Store, StoreConfig};

/// The program on an embedded store in `directory`.
fn program(directory: &TempDir) -> Command {
    let mut command = turnkeeper(directory.path());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

#[tokio::test]
async fn a_store_that_was_killed_during_its_first_start_opens() {
    let kills = sized(12, 200) as u32;
    // The time of a start: until there is a file of the store.
    let directory = TempDir::new().unwrap();
    let began = Instant::now();
    let process = Process::start(&mut program(&directory));
    while !directory.path().join("data/turnkeeper.db").exists() {
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "it makes no file"
        );
        std::thread::sleep(Duration::from_micros(200));
    }
    let start = began.elapsed();
    drop(process);
    let mut made = 0;
    for kill in 1..=kills {
        let directory = TempDir::new().unwrap();
        let process = Process::start(&mut program(&directory));
        // Spread over the start and a little more.
        std::thread::sleep(start * 3 / 2 * kill / kills);
        drop(process);
        made += u32::from(directory.path().join("data/turnkeeper.db").exists());
        let store = EmbeddedStore::open(directory.path().join("data"), StoreConfig::default());
        store
            .unwrap_or_else(|refused| panic!("kill {kill} of {kills}: {refused}"))
            .ready()
            .await
            .unwrap();
    }
    println!(
        "{kills} kills during {:?}: {made} had made the file",
        start * 3 / 2
    );
}

#[tokio::test]
async fn a_store_that_was_killed_under_load_opens_with_all_that_was_acknowledged() {
    let kills = sized(6, 200);
    let server = Server::embedded();
    let fights = [
        server.client().create(&crowd(1)).await,
        server.client().create(&crowd(1)).await,
    ];
    let mut acknowledged = [0; 2];
    for kill in 0..kills {
        let writers = [0, 1].map(|i| {
            let (fight, from) = (fights[i].through(&server.client()), acknowledged[i]);
            tokio::spawn(async move {
                let mut version = from;
                while let Ok(answer) = fight.command(&note("x")).try_send().await {
                    if answer.status == 200 {
                        version = answer.version();
                    }
                }
                version
            })
        });
        tokio::time::sleep(Duration::from_millis((20 + kill * 7 % 90) as u64)).await;
        server.kill();
        for (writer, acknowledged) in writers.into_iter().zip(&mut acknowledged) {
            *acknowledged = writer.await.expect("no panic");
        }
        server.again();
        for (fight, acknowledged) in fights.iter().zip(&mut acknowledged) {
            let log = fight.through(&server.client()).read("").await;
            let version = log["version"].as_u64().expect("a version");
            assert!(
                version >= *acknowledged,
                "kill {kill}: {version} after {acknowledged} was acknowledged"
            );
            *acknowledged = version;
        }
    }
    println!("{kills} kills under load: versions {acknowledged:?}");
}
