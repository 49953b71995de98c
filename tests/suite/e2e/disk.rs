//! The program and the file of its embedded store: backups, checks, a full disk.

use super::process::{fails, output};
use crate::support::client::{Fight, ambush, note};
use crate::support::process::search_path;
use crate::support::server::Server;
use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;

const TIMEOUT: Duration = Duration::from_secs(15);

/// Runs a subcommand on the store of a server, which must end well; what it prints.
#[track_caller]
fn run(server: &Server, arguments: &[&str]) -> String {
    let data = server.directory.path().join("data");
    let output = output(&[("TURNKEEPER_DATA", data.to_str().unwrap())], arguments);
    let said = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {said}");
    said
}

#[tokio::test]
async fn a_backup_of_a_running_server_is_restored_by_putting_it_in_the_files_place() {
    let server = Server::embedded();
    let fight = server.client().create(&ambush()).await;
    fight.notes(3).await;
    let copies = TempDir::new().unwrap();
    let copy = copies.path().join("copy.db");
    let said = run(&server, &["backup", copy.to_str().unwrap()]);
    assert!(said.contains("1 encounter, no damage"), "{said}");
    assert!(run(&server, &["check", copy.to_str().unwrap()]).contains("1 encounter, no damage"));
    fight.notes(1).await;
    let data = server.directory.path().join("data");
    let settings = [("TURNKEEPER_DATA", data.to_str().unwrap())];
    assert!(run(&server, &["check"]).contains("1 encounter, no damage"));
    // Without the server's settings they look for its store elsewhere.
    for arguments in [&["check"][..], &["backup", "x"]] {
        let refused = fails(&[], arguments, 1);
        assert!(
            refused.contains("turnkeeper.db does not exist. Set TURNKEEPER_DATA"),
            "{refused}"
        );
    }
    assert!(fails(&settings, &["backup", copy.to_str().unwrap()], 1).contains("the file exists"));
    assert!(
        fails(&[("REDIS_URL", "redis://127.0.0.1:1")], &["backup", "x"], 1).contains("REDIS_URL")
    );
    server.kill();
    assert!(run(&server, &["check"]).contains("1 encounter, no damage"));
    std::fs::rename(&copy, data.join("turnkeeper.db")).unwrap();
    server.again();
    assert_eq!(fight.through(&server.client()).log().await, [1, 2, 3]);
}

#[tokio::test]
async fn damage_is_said_by_readyz_the_log_and_the_check() {
    let server = Server::embedded();
    let fight = server.client().create(&ambush()).await;
    fight.accepted(note("once upon a time")).await;
    server.terminate();
    assert!(server.ended(TIMEOUT).success(), "{}", server.log());
    let file = server.directory.path().join("data/turnkeeper.db");
    let mut bytes = std::fs::read(&file).unwrap();
    let text = b"once upon a time";
    let places: Vec<usize> = (0..bytes.len() - text.len())
        .filter(|at| bytes[*at..].starts_with(text))
        .collect();
    for at in places {
        bytes[at] ^= 1;
    }
    std::fs::write(&file, bytes).unwrap();
    let data = server.directory.path().join("data");
    let said = fails(
        &[("TURNKEEPER_DATA", data.to_str().unwrap())],
        &["check"],
        1,
    );
    assert!(
        said.contains(&format!("damaged: encounter {}: ", &fight.id[..8])),
        "{said}"
    );
    server.again();
    let api = server.client();
    crate::support::eventually("/readyz says so", TIMEOUT, async || {
        let ready = api.get("/readyz").send().await.expect(200).json();
        ready["damage"]
            .as_str()
            .is_some_and(|damage| damage.contains("The store's file is damaged"))
    })
    .await;
    assert!(
        server.log().contains("the store's file is damaged"),
        "{}",
        server.log()
    );
    // Not through the client, which holds answers against the document: that lists no answer to
    // damage.
    let damaged = fight
        .through(&api)
        .get("/events")
        .request()
        .send()
        .await
        .expect("an answer");
    assert_eq!(damaged.status(), 500);
}

/// A server whose store is on a small disk; None where users may make none.
fn on_a_small_disk(kib: u32) -> Option<Server> {
    let disk = format!("mount -t tmpfs -o size={kib}k tmpfs \"$TURNKEEPER_DATA\"");
    let allowed = "unshare -rm mount -t tmpfs -o size=64k tmpfs /mnt";
    if !Command::new("sh")
        .args(["-c", allowed])
        .output()
        .is_ok_and(|output| output.status.success())
    {
        println!("left out: this user may not mount a small disk");
        return None;
    }
    let directory = TempDir::new().unwrap();
    let program = directory.path().join("program");
    let script = format!(
        "#!/bin/sh\nexport PATH='{}'\nmkdir -p \"$TURNKEEPER_DATA\"\nexec unshare -rm sh -c '{disk} && exec turnkeeper'\n",
        search_path()
    );
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    Some(Server::run(Some(program), &[]))
}

#[tokio::test]
async fn on_a_full_disk_deletions_work_and_make_room() {
    let Some(server) = on_a_small_disk(12 * 1024) else {
        return;
    };
    let api = server.client();
    let long = "x".repeat(400);
    let create = || {
        let notes: Vec<_> = (0..50).map(|n| note(&format!("{n} {long}"))).collect();
        (api.post("/v1/encounters", &ambush()), json!(notes))
    };
    let mut fights: Vec<Fight> = Vec::new();
    let mut refused = 0;
    while refused < 5 {
        assert!(fights.len() < 500, "the disk is never full");
        let (creation, notes) = create();
        let made = creation.send().await;
        if made.status != 201 {
            made.problem(503, "store_away");
            refused += 1;
            continue;
        }
        let fight = Fight::of(&api, &made);
        let written = fight.command(&notes).send().await;
        refused += usize::from(written.status == 503);
        fights.push(fight);
    }
    println!("{} encounters fill the disk", fights.len());
    // What is left takes small writes.
    let last = fights.last().expect("a fight");
    let mut refused = 0;
    while refused < 20 {
        refused += usize::from(last.command(&note("small")).send().await.status == 503);
    }
    for fight in &fights {
        fight.read("").await;
        fight.delete().send().await.expect(204);
    }
    for _ in 0..fights.len() / 2 {
        let (creation, notes) = create();
        let fight = Fight::of(&api, &creation.send().await);
        fight.accepted(notes).await;
    }
}
