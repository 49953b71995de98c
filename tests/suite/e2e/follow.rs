//! `turnkeeper follow`: what it posts, and to whom.

use super::process::fails;
use crate::support::client::{Fight, note};
use crate::support::eventually;
use crate::support::process::{self, Process};
use crate::support::secrets;
use crate::support::server::Server;
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse;
use axum::routing::post;
use data_encoding::BASE64;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use std::fs::{File, read_to_string};
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;
use tokio::net::TcpListener;

const SOON: Duration = Duration::from_secs(20);
/// A secret of Standard Webhooks: 24 bytes.
const KEY: [u8; 24] = *b"four and twenty bytes ok";

fn secret() -> String {
    format!("whsec_{}", BASE64.encode(&KEY))
}

/// A request that the receiver got, and how it answered.
#[derive(Clone)]
struct Got {
    headers: HeaderMap,
    body: String,
    status: StatusCode,
}

impl Got {
    fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value.map_or("", |value| value.to_str().expect("text"))
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("JSON")
    }

    /// Whether the signature is that of Standard Webhooks.
    fn is_signed(&self) -> bool {
        let signed = format!(
            "{}.{}.{}",
            self.header("webhook-id"),
            self.header("webhook-timestamp"),
            self.body
        );
        let mut mac = Hmac::<Sha256>::new_from_slice(&KEY).expect("a key");
        mac.update(signed.as_bytes());
        let signature = BASE64.encode(&mac.finalize().into_bytes());
        self.header("webhook-signature") == format!("v1,{signature}")
    }
}

/// An address that gets posts. It answers with the given statuses first, then with 204.
#[derive(Clone, Default)]
struct Receiver {
    answers: Arc<Mutex<Vec<StatusCode>>>,
    got: Arc<Mutex<Vec<Got>>>,
}

impl Receiver {
    async fn listen(&self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let router = Router::new()
            .route("/hook", post(receive))
            .with_state(self.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        format!("http://{address}/hook")
    }

    fn answer(&self, statuses: &[u16]) {
        let statuses = statuses.iter().rev();
        let statuses = statuses.map(|status| StatusCode::from_u16(*status).expect("a status"));
        *self.answers.lock().expect("no panic") = statuses.collect();
    }

    fn got(&self) -> Vec<Got> {
        self.got.lock().expect("no panic").clone()
    }

    /// The posts that were accepted.
    fn accepted(&self) -> Vec<Got> {
        let mut got = self.got();
        got.retain(|got| got.status.is_success());
        got
    }

    async fn accepts(&self, count: usize) {
        eventually("posts", SOON, async || self.accepted().len() >= count).await;
    }
}

async fn receive(
    State(receiver): State<Receiver>,
    headers: HeaderMap,
    body: Bytes,
) -> impl IntoResponse {
    let next = receiver.answers.lock().expect("no panic").pop();
    let status = next.unwrap_or(StatusCode::NO_CONTENT);
    receiver.got.lock().expect("no panic").push(Got {
        headers,
        body: String::from_utf8(body.to_vec()).expect("text"),
        status,
    });
    status
}

/// A running `turnkeeper follow`.
fn follow(fight: &Fight, to: &str, directory: &Path, more: &[(&str, &str)]) -> Process {
    let mut command = process::turnkeeper(directory);
    let log = File::options()
        .create(true)
        .append(true)
        .open(directory.join("log"));
    command
        .args(["follow", &fight.id, "--post", to])
        .args(["--server", &fight.api.base])
        .env("TURNKEEPER_TOKEN", &fight.token)
        .env("TURNKEEPER_POST_SECRET", secret())
        .env("TURNKEEPER_POST_PRIVATE", "true")
        .envs(more.iter().copied())
        .stderr(log.expect("a log"))
        .stdout(Stdio::null());
    Process::start(&mut command)
}

fn log(directory: &Path) -> String {
    read_to_string(directory.join("log")).expect("a log")
}

async fn logged(directory: &Path, what: &str) {
    eventually(what, SOON, async || {
        let log = log(directory);
        assert!(log.contains(what) || !log.contains("error: "), "{log}");
        log.contains(what)
    })
    .await;
}

fn versions(posts: &[Got]) -> Vec<u64> {
    let version = |got: &Got| got.json()["data"]["version"].as_u64().expect("a version");
    posts.iter().map(version).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_change_is_posted_once_and_in_order_over_restarts_and_failures() {
    let server = Server::embedded();
    let fight = server.client().fight().await;
    let receiver = Receiver::default();
    let to = receiver.listen().await;
    let directory = TempDir::new().expect("a directory");
    let position = directory.path().join("position.json");
    let all = [
        ("TURNKEEPER_POST_ALL", "true"),
        ("TURNKEEPER_POSITION", position.to_str().expect("a path")),
    ];
    let follower = follow(&fight, &to, directory.path(), &all);
    logged(directory.path(), "follows the encounter").await;
    fight.notes(2).await;
    receiver.accepts(2).await;
    // A process that is killed before it has written this down posts again, under the same id.
    eventually("the position", SOON, async || {
        read_to_string(&position).is_ok_and(|kept| kept.contains("\"2-"))
    })
    .await;
    drop(follower);
    // These wait in the log until the next start, and the receiver fails at first.
    fight.notes(2).await;
    receiver.answer(&[503, 500]);
    let follower = follow(&fight, &to, directory.path(), &all);
    receiver.accepts(4).await;
    follower.signal("TERM");
    let mut follower = follower;
    assert!(follower.ended(SOON).expect("an end").success());
    let mut follower = follow(&fight, &to, directory.path(), &all);
    fight.notes(1).await;
    receiver.accepts(5).await;
    fight.delete().send().await.expect(204);
    assert!(follower.ended(SOON).expect("an end").success());
    let posts = receiver.accepted();
    assert_eq!(versions(&posts[..5]), [1, 2, 3, 4, 5]);
    assert_eq!(posts.len(), 6);
    assert_eq!(posts[5].json()["type"], "encounter.deleted");
    let all = receiver.got();
    assert_eq!(all.len(), 8, "two posts failed");
    assert!(all.iter().all(Got::is_signed));
    // A repetition has the id of the post that failed.
    let ids: Vec<&str> = all.iter().map(|got| got.header("webhook-id")).collect();
    assert_eq!((ids[2], ids[3]), (ids[4], ids[4]));
    let log = log(directory.path());
    assert_eq!(secrets::within(&log), [""; 0], "{log}");
    assert!(!log.contains(&secret()) && !log.contains("/hook"), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_all_it_posts_turns_and_sees_no_more_than_its_token() {
    let server = Server::embedded();
    let fight = server.client();
    let fight = fight
        .create(&json!({"ruleset": "custom", "combatants": [
            {"id": "ann"}, {"id": "orc", "name": "Secret orc", "side": "monsters", "hidden": true}
        ]}))
        .await;
    let player = fight.player(&["ann"]).await;
    let receiver = Receiver::default();
    let to = receiver.listen().await;
    let directory = TempDir::new().expect("a directory");
    let _follower = follow(
        &player,
        &to,
        directory.path(),
        &[("TURNKEEPER_POST_FORMAT", "discord")],
    );
    logged(directory.path(), "follows the encounter").await;
    fight.accepted(note("The door creaks.")).await;
    fight.accepted(json!({"type": "start"})).await;
    receiver.accepts(1).await;
    let posts = receiver.accepted();
    assert_eq!(posts.len(), 1);
    let content = posts[0].json()["content"]
        .as_str()
        .expect("text")
        .to_owned();
    assert!(content.contains("Round 1 starts"), "{content}");
    assert!(!content.contains("orc"), "{content}");
    assert_eq!(posts[0].header("webhook-signature"), "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_process_and_a_receiver_that_is_gone_end_it() {
    let server = Server::embedded();
    let fight = server.client().fight().await;
    let receiver = Receiver::default();
    let to = receiver.listen().await;
    let directory = TempDir::new().expect("a directory");
    let all = [("TURNKEEPER_POST_ALL", "true")];
    let mut first = follow(&fight, &to, directory.path(), &all);
    logged(directory.path(), "follows the encounter").await;
    let mut second = follow(&fight, &to, directory.path(), &all);
    assert_eq!(second.ended(SOON).expect("an end").code(), Some(1));
    logged(directory.path(), "Another process posts this already").await;
    receiver.answer(&[410]);
    fight.notes(1).await;
    assert_eq!(first.ended(SOON).expect("an end").code(), Some(1));
    logged(directory.path(), "it takes no more posts").await;
    // What the receiver did not take comes first at the next start.
    let _again = follow(&fight, &to, directory.path(), &all);
    receiver.accepts(1).await;
    assert_eq!(versions(&receiver.accepted()), [1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn it_survives_its_server() {
    let server = Server::embedded();
    let fight = server.client().fight().await;
    let receiver = Receiver::default();
    let to = receiver.listen().await;
    let directory = TempDir::new().expect("a directory");
    let all = [("TURNKEEPER_POST_ALL", "true")];
    let follower = follow(&fight, &to, directory.path(), &all);
    logged(directory.path(), "follows the encounter").await;
    fight.notes(1).await;
    receiver.accepts(1).await;
    server.kill();
    logged(directory.path(), "the server is away").await;
    drop(follower);
    server.again();
    let fight = fight.through(&server.client());
    fight.notes(1).await;
    let _follower = follow(&fight, &to, directory.path(), &all);
    receiver.accepts(2).await;
    assert_eq!(versions(&receiver.accepted()), [1, 2]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_place_that_the_log_does_not_hold_is_given_up_and_a_deletion_is_told_later() {
    let server = Server::embedded();
    let fight = server.client().fight().await;
    let receiver = Receiver::default();
    let to = receiver.listen().await;
    let directory = TempDir::new().expect("a directory");
    let position = directory.path().join("position.json");
    let all = [
        ("TURNKEEPER_POST_ALL", "true"),
        ("TURNKEEPER_POSITION", position.to_str().expect("a path")),
    ];
    let kept = |after: Value, deleted: bool| {
        let kept = json!({"encounter": fight.id, "after": after, "deleted": deleted});
        std::fs::write(&position, kept.to_string()).expect("a file");
    };
    kept(json!("40"), false);
    let follower = follow(&fight, &to, directory.path(), &all);
    logged(directory.path(), "the log does not hold").await;
    logged(directory.path(), "follows the encounter").await;
    fight.notes(1).await;
    receiver.accepts(1).await;
    assert_eq!(versions(&receiver.accepted()), [1]);
    drop(follower);
    kept(json!("1"), true);
    let mut follower = follow(&fight, &to, directory.path(), &all);
    assert!(follower.ended(SOON).expect("an end").success());
    assert_eq!(receiver.accepted()[1].json()["type"], "encounter.deleted");
    assert!(!position.exists());
}

#[test]
fn private_addresses_missing_secrets_and_wrong_tokens_are_refused() {
    let run = |to: &str, settings: &[(&str, &str)]| {
        let mut all = vec![("TURNKEEPER_TOKEN", "tk_gm_x"), ("TURNKEEPER_POST", to)];
        all.extend(settings);
        fails(&all, &["follow", "abc"], 1)
    };
    let key = secret();
    let signed = ("TURNKEEPER_POST_SECRET", key.as_str());
    for private in [
        "https://127.0.0.1/hook",
        "https://[::1]/hook",
        "https://10.0.0.1/hook",
    ] {
        assert!(run(private, &[signed]).contains("the address is private"));
    }
    assert!(run("http://192.0.43.7/hook", &[signed]).contains("https://"));
    assert!(run("https://192.0.43.7/hook", &[]).contains("such as this random one: whsec_"));
    let server = Server::embedded();
    let url = server.url();
    let wrong = run(
        "https://192.0.43.7/hook",
        &[signed, ("TURNKEEPER_SERVER", url.as_str())],
    );
    assert!(wrong.contains("The server answers 4"), "{wrong}");
    let mistyped = run("discord.com/api/webhooks/1/s3cr3t", &[signed]);
    assert!(mistyped.contains("send an address such as"), "{mistyped}");
    assert!(!mistyped.contains("s3cr3t"), "{mistyped}");
}
