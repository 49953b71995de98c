//! Limits on everything that a client sends, and malformed HTTP.

use super::{Api, Setup, note};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use turnkeeper::http::Settings;
use turnkeeper::store::StoreConfig;
use turnkeeper::store::embedded::EmbeddedStore;

#[tokio::test]
async fn a_page_of_the_log_ends_after_about_half_a_mebibyte() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let notes: Vec<Value> = (0..50).map(|_| note(&"x".repeat(2000))).collect();
    for _ in 0..15 {
        fight.command(&json!(notes)).minimal().send().await;
    }
    let page = fight.get("/events?limit=1000").send().await;
    let count = page.json()["items"].as_array().unwrap().len();
    assert!((3..9).contains(&count) && page.body.len() < 700_000, "{count} entries, {} bytes", page.body.len());
    assert_eq!(page.json()["next_cursor"], count.to_string());
}

/// Writes bytes to a new connection, and gives back all that comes until it is closed.
pub async fn raw(api: &Api, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(api.address()).await.expect("a connection");
    stream.write_all(bytes).await.expect("sent");
    let mut answer = Vec::new();
    let read = tokio::time::timeout(Duration::from_secs(10), stream.read_to_end(&mut answer)).await;
    // A server that closes with bytes of ours unread resets the connection; what it said before counts.
    drop(read.expect("the server closes the connection"));
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn what_is_no_http_is_answered_by_a_problem_with_the_headers_of_safety() {
    let api = Api::start().await;
    let many: String = (0..200).map(|i| format!("x-{i}: y\r\n")).collect();
    let large = format!("x: {}\r\n", "y".repeat(600_000));
    let long = "a".repeat(70_000);
    for (request, status) in [
        ("GET /livez HTTP/1.1\r\nhost: x\r\nbad header: \x01\r\n\r\n".to_owned(), 400),
        ("GET /li vez HTTP/1.1\r\nhost: x\r\n\r\n".to_owned(), 400),
        ("\u{1}\u{2}\u{3}\r\n\r\n".to_owned(), 400),
        ("POST /v1/encounters HTTP/1.1\r\nhost: x\r\ncontent-length: many\r\n\r\n".to_owned(), 400),
        (format!("GET /livez HTTP/1.1\r\nhost: x\r\n{many}\r\n"), 431),
        (format!("GET /livez HTTP/1.1\r\nhost: x\r\n{large}\r\n"), 431),
        (format!("GET /{long} HTTP/1.1\r\nhost: x\r\n\r\n"), 414),
    ] {
        let answer = raw(&api, request.as_bytes()).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{answer} to {request:.60?}");
    }
}

#[tokio::test]
async fn a_body_that_does_not_arrive_in_time_is_given_up() {
    let api = Api::with(Settings { timeout: Duration::from_millis(300), ..Settings::default() }).await;
    let request =
        "POST /v1/encounters HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n{";
    let answer = raw(&api, request.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    assert!(answer.contains("application/problem+json") && answer.contains("request_timeout"), "{answer}");
}

#[tokio::test]
async fn a_chunked_body_is_measured_too() {
    let api = Api::with(Settings { body_limit: 1024, ..Settings::default() }).await;
    let head = "POST /v1/encounters HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
    let chunks = format!("800\r\n{}\r\n", " ".repeat(0x800)).repeat(2);
    let answer = raw(&api, format!("{head}{chunks}0\r\n\r\n").as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 413 ") && answer.contains("body_too_large"), "{answer}");
}

/// A connection that announced a body of this size and sent only a part of it.
async fn unfinished(api: &Api, path: &str, headers: &str, bytes: usize) -> TcpStream {
    let mut stream = TcpStream::connect(api.address()).await.expect("a connection");
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: x\r\n{headers}content-type: application/json\r\ncontent-length: {}\r\n\r\n",
        bytes + 1
    );
    stream.write_all(head.as_bytes()).await.expect("sent");
    stream.write_all(&vec![b' '; bytes]).await.expect("sent");
    stream
}

/// What comes of a connection within the next seconds.
async fn said(mut stream: TcpStream) -> String {
    let mut answer = vec![0; 4096];
    let read = tokio::time::timeout(Duration::from_secs(10), stream.read(&mut answer)).await;
    let read = read.expect("an answer").unwrap_or_default();
    String::from_utf8_lossy(&answer[..read]).into_owned()
}

#[tokio::test]
async fn a_large_body_is_read_only_with_a_token_that_is_good() {
    let store_directory = tempfile::tempdir().expect("a directory");
    let store = EmbeddedStore::open(store_directory.path(), StoreConfig::default()).expect("an embedded store");
    let api = Api::on(Arc::new(store), Setup::default()).await;
    let (fight, other) = (api.fight().await, api.fight().await);
    let path = fight.path("/commands");
    let stranger = unfinished(&api, &path, &format!("authorization: Bearer {}\r\n", other.token), 20_000).await;
    assert!(said(stranger).await.starts_with("HTTP/1.1 404 "));
    let large = note("x").as_object().cloned().map(|mut note| {
        note.insert("readers".to_owned(), json!("all"));
        format!("{}{}", " ".repeat(20_000), json!(note))
    });
    let answer = api.call("POST", &path).header("content-type", "application/json").token(&fight.token);
    answer.body(large.expect("an object")).send().await.expect(200);
}
