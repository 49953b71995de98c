//! The program as people start it.

use crate::support::client::Fight;
use crate::support::secrets;
use crate::support::server::Server;
use serde_json::{Value, json};
use std::process::{Command, Output};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(15);

/// Runs the program to its end.
pub fn output(settings: &[(&str, &str)], arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_turnkeeper"));
    command.env_clear().envs(settings.iter().copied()).args(arguments).output().expect("it runs")
}

/// Runs the program, which must end with this code; what it says of the reason.
#[track_caller]
pub fn fails(settings: &[(&str, &str)], arguments: &[&str], code: i32) -> String {
    let output = output(settings, arguments);
    let said = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(code), "{settings:?} {arguments:?}: {said}");
    said
}

#[tokio::test]
async fn it_greets_serves_logs_no_secret_and_ends_gracefully() {
    let mut server = Server::embedded();
    let (greeting, api) = (server.greeting(), server.client());
    assert!(greeting.contains("/docs") && greeting.contains("embedded"), "{greeting}");
    let (_, body) = greeting.rsplit_once("-d '").expect("a curl line with a body");
    let body = body.trim_end().trim_end_matches('\'').to_owned();
    let made = api.post_text("/v1/encounters", body).key("secretkey1").send().await;
    let fight = Fight::of(&api, &made);
    let (id, token) = (&fight.id, &fight.token);
    fight.get(&format!("?token={token}")).send().await.expect(400);
    api.get(&format!("/{token}?token={token}")).header("x-request-id", token).send().await.expect(404);
    let own = api.get("/livez").header("x-request-id", "my-id.1").send().await;
    assert_eq!(own.header("x-request-id"), "my-id.1");
    server.terminate();
    assert!(server.ended(PATIENCE).success(), "{}", server.log());
    let log = server.log();
    assert_eq!(log.lines().filter(|line| line.contains("turnkeeper::request")).count(), 4, "one line a request: {log}");
    for part in ["POST", "/v1/encounters/{id}", "status=201", "status=404", "ms=", "request_id=\"my-id.1\"", &id[..8]] {
        assert!(log.contains(part), "{part} in {log}");
    }
    secrets::none_in(&log);
    for secret in [token.trim_start_matches("tk_gm_"), id] {
        assert!(!log.contains(secret), "{secret} in {log}");
    }
    server.settings.push(("TURNKEEPER_LOG_FORMAT".to_owned(), "json".to_owned()));
    server.again();
    // Nothing is lost at a restart.
    fight.through(&server.client()).read("").await;
    server.terminate();
    assert!(server.ended(PATIENCE).success(), "{}", server.log());
    let log = server.log();
    let mut lines = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let line = lines.rfind(|line| line["target"] == "turnkeeper::request").expect("a line of JSON");
    assert_eq!((&line["status"], &line["method"]), (&json!(200), &json!("GET")), "{line}");
}

#[tokio::test]
async fn a_request_that_is_under_way_is_finished_before_it_ends() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let server = Server::embedded();
    let address = server.client().address().to_owned();
    let mut stream = tokio::net::TcpStream::connect(&address).await.unwrap();
    let body = json!({"ruleset": "active-initiative"}).to_string();
    let head = format!(
        "POST /v1/encounters HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    tokio::time::sleep(Duration::from_millis(200)).await;
    server.terminate();
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(tokio::net::TcpStream::connect(&address).await.is_err(), "nothing new is accepted");
    stream.write_all(body.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 201 "), "{answer}");
    assert!(server.ended(PATIENCE).success(), "{}", server.log());
}

#[test]
fn bad_settings_are_named_as_they_were_set_with_what_would_be_right() {
    for (name, value, right) in [
        ("TURNKEEPER_LISTEN", "here", "127.0.0.1:8080"),
        ("TURNKEEPER_LISTEN", "localhost:18099", "names are not looked up"),
        ("TURNKEEPER_LISTEN", "127.0.0.1", "[::1]:8080"),
        ("TURNKEEPER_TTL", "a while", "30d"),
        ("TURNKEEPER_BASE_PATH", "turns", "/turns"),
        ("TURNKEEPER_RATE_APPLICATION", "often", "600/1m"),
        ("TURNKEEPER_RATE_TOKEN", "0/1m", "1 request at least"),
        ("TURNKEEPER_RATE_ADDRESS", "60", "600/1m"),
        ("TURNKEEPER_CLIENT_HEADER", "who is it", "x-forwarded-for"),
        ("TURNKEEPER_CORS_ORIGINS", "table.example", "https://"),
        ("TURNKEEPER_BODY_LIMIT", "12", "from 1024 to 16777216"),
        ("TURNKEEPER_REQUEST_TIMEOUT", "0", "more than 0"),
        ("TURNKEEPER_STREAM_TIME", "5", "15m"),
        ("TURNKEEPER_KEEP_ALIVE", "-1s", "90s"),
        ("TURNKEEPER_LOG_KEEP", "all", "an integer from 0"),
        ("TURNKEEPER_IMPORT_LIMIT", "16M", "from 1024 to 268435456"),
        ("TURNKEEPER_BODIES_MIB", "0", "from 1 to 65536"),
        ("TURNKEEPER_CACHE_MIB", "-1", "from 0 to 65536"),
        ("TURNKEEPER_LOG", "foo", "off, error, warn, info, debug, trace"),
        ("TURNKEEPER_LOG", "hyper=debug", "turnkeeper=debug,warn"),
        ("TURNKEEPER_LOG_FORMAT", "xml", "text, json"),
    ] {
        let said = fails(&[(name, value)], &[], 2);
        assert!(said.contains(name) && said.contains(value) && said.contains(right), "{name}: {said}");
    }
    for (alone, value, missing) in [
        ("TURNKEEPER_REDIS_CERT", "own.pem", "TURNKEEPER_REDIS_KEY"),
        ("TURNKEEPER_REDIS_CA", "authorities.pem", "REDIS_URL"),
    ] {
        assert!(fails(&[(alone, value)], &[], 2).contains(missing), "{alone} alone");
    }
    assert_eq!(output(&[("TURNKEEPER_LOG", "turnkeeper=debug,warn")], &["openapi"]).status.code(), Some(0));
}

#[test]
fn files_and_places_that_are_not_there_are_named_by_their_settings() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let here = file.path().to_str().unwrap();
    let (redis, nowhere) = (("REDIS_URL", "rediss://127.0.0.1:1"), "/nowhere/at/all");
    let listen = ("TURNKEEPER_LISTEN", "192.0.2.1:80");
    for (name, settings) in [
        ("TURNKEEPER_APP_KEYS", [redis, ("TURNKEEPER_APP_KEYS", "table")]),
        ("TURNKEEPER_APP_KEYS_FILE", [redis, ("TURNKEEPER_APP_KEYS_FILE", nowhere)]),
        ("TURNKEEPER_APP_KEYS_FILE", [redis, ("TURNKEEPER_APP_KEYS_FILE", here)]),
        ("TURNKEEPER_REDIS_CA", [redis, ("TURNKEEPER_REDIS_CA", nowhere)]),
        ("TURNKEEPER_REDIS_CA", [redis, ("TURNKEEPER_REDIS_CA", here)]),
        ("TURNKEEPER_REDIS_CA", [("REDIS_URL", "redis://127.0.0.1:1"), ("TURNKEEPER_REDIS_CA", here)]),
        ("TURNKEEPER_DATA", [listen, ("TURNKEEPER_DATA", here)]),
        ("TURNKEEPER_LISTEN", [redis, listen]),
        ("REDIS_URL", [listen, ("REDIS_URL", "localhost")]),
        ("REDIS_URL", [listen, ("REDIS_URL", "")]),
        ("REDIS_URL", [listen, ("REDIS_URL", "redis://127.0.0.1:1?cluster=yes")]),
        ("REDIS_URL", [listen, ("REDIS_URL", "rediss://127.0.0.1:1/#insecure")]),
    ] {
        let said = fails(&settings, &["--listen", listen.1], 1);
        assert!(said.contains(name), "{name}: {said}");
    }
    assert!(!fails(&[("REDIS_URL", "http://user:hunter2@x")], &[], 1).contains("hunter2"));
}

#[test]
fn help_names_every_setting() {
    let help = String::from_utf8(output(&[], &["--help"]).stdout).unwrap();
    let variables = ["LISTEN", "DATA", "TTL", "CORS_ORIGINS", "LOG"].map(|name| format!("TURNKEEPER_{name}"));
    for name in variables.iter().map(String::as_str).chain(["REDIS_URL", "openapi"]) {
        assert!(help.contains(name), "{name}");
    }
}

#[test]
fn it_prints_its_document() {
    let document: Value = serde_json::from_slice(&output(&[], &["openapi"]).stdout).expect("JSON");
    assert!(document["paths"]["/v1/encounters/{id}/commands"]["post"].is_object());
}

#[test]
fn a_second_process_on_the_same_files_is_told_so() {
    let server = Server::embedded();
    let data = server.directory.path().join("data");
    let settings = [("TURNKEEPER_DATA", data.to_str().unwrap()), ("TURNKEEPER_LISTEN", "127.0.0.1:0")];
    assert!(fails(&settings, &[], 1).contains("in use by another process"));
    server.terminate();
    assert!(server.ended(PATIENCE).success(), "{}", server.log());
}
