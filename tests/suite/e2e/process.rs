//! The program as it is started by people.

use crate::support::secrets;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;
use tempfile::TempDir;

pub fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_turnkeeper"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("TURNKEEPER_") || name == "REDIS_URL") {
        command.env_remove(name);
    }
    command
}

pub fn output(settings: &[(&str, &str)], arguments: &[&str]) -> Output {
    program().envs(settings.iter().copied()).args(arguments).output().expect("it runs")
}

/// The program, serving from a directory of its own.
struct Server {
    process: Child,
    greeting: String,
    base: String,
}

impl Server {
    fn start(directory: &TempDir, settings: &[(&str, &str)]) -> Self {
        let mut command = program();
        command.env("TURNKEEPER_LISTEN", "127.0.0.1:0").env("TURNKEEPER_DATA", directory.path());
        let piped = command.envs(settings.iter().copied()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = piped.spawn().expect("it starts");
        let mut lines = BufReader::new(process.stdout.take().expect("its output")).lines();
        let mut greeting = String::new();
        while !greeting.contains("curl") {
            greeting += &lines.next().expect("a greeting").expect("text");
            greeting.push('\n');
        }
        let base = greeting.split_whitespace().find(|word| word.starts_with("http://")).expect("an address").to_owned();
        Self { process, greeting, base }
    }

    /// Asks it to end, and gives back whether it did well and what it logged.
    fn stop(mut self) -> (bool, String) {
        // The shell's own: a small system has no other.
        let kill = Command::new("sh").args(["-c", &format!("kill -TERM {}", self.process.id())]).status();
        assert!(kill.expect("kill runs").success());
        let mut log = String::new();
        self.process.stderr.take().expect("its log").read_to_string(&mut log).expect("text");
        secrets::none_in(&log);
        (self.process.wait().expect("it ends").success(), log)
    }
}

#[tokio::test]
async fn it_greets_serves_logs_no_secret_and_ends_gracefully() {
    let directory = TempDir::new().unwrap();
    let server = Server::start(&directory, &[("TURNKEEPER_LOG", "debug")]);
    assert!(server.greeting.contains("/docs") && server.greeting.contains("embedded"), "{}", server.greeting);
    secrets::known("secretkey1");
    let client = reqwest::Client::new();
    let (_, body) = server.greeting.rsplit_once("-d '").expect("a curl line with a body");
    let body = body.trim_end().trim_end_matches('\'').to_owned();
    let url = format!("{}/v1/encounters", server.base);
    let creation = client.post(&url).header("content-type", "application/json").header("idempotency-key", "secretkey1");
    let made = creation.body(body).send().await.expect("an answer");
    assert_eq!(made.status(), 201, "the first call of the greeting works");
    let made: Value = serde_json::from_slice(&made.bytes().await.unwrap()).unwrap();
    let (id, token) = (made["encounter"]["id"].as_str().unwrap(), made["token"].as_str().unwrap());
    for (path, header) in [(format!("/v1/encounters/{id}"), "authorization"), (format!("/{token}"), "x-request-id")] {
        let value = if header == "authorization" { format!("Bearer {token}") } else { token.to_owned() };
        client.get(format!("{}{path}?token={token}", server.base)).header(header, value).send().await.unwrap();
    }
    let own = client.get(format!("{}/livez", server.base)).header("x-request-id", "my-id.1").send().await.unwrap();
    assert_eq!(own.headers()["x-request-id"], "my-id.1");
    let (well, log) = server.stop();
    assert!(well, "{log}");
    assert_eq!(log.lines().filter(|line| line.contains("turnkeeper::request")).count(), 4, "one line a request: {log}");
    for told in ["POST", "/v1/encounters/{id}", "status=201", "status=404", "ms=", "request_id=\"my-id.1\"", &id[..8]] {
        assert!(log.contains(told), "{told} in {log}");
    }
    for secret in [token, token.trim_start_matches("tk_gm_"), "secretkey1", id] {
        assert!(!log.contains(secret), "{secret} in {log}");
    }
    let again = Server::start(&directory, &[("TURNKEEPER_LOG_FORMAT", "json")]);
    let url = format!("{}/v1/encounters/{id}", again.base);
    let kept = client.get(url).header("authorization", format!("Bearer {token}")).send().await.unwrap();
    assert_eq!(kept.status(), 200, "nothing is lost at a restart");
    let (_, log) = again.stop();
    let line: Value = serde_json::from_str(log.lines().next().expect("a line")).expect("JSON");
    assert_eq!((&line["status"], &line["method"]), (&json!(200), &json!("GET")), "{line}");
}

#[tokio::test]
async fn a_request_that_is_under_way_is_finished_before_it_ends() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let directory = TempDir::new().unwrap();
    let server = Server::start(&directory, &[]);
    let address = server.base.trim_start_matches("http://").to_owned();
    let mut stream = tokio::net::TcpStream::connect(&address).await.unwrap();
    let body = json!({"ruleset": "active-initiative"}).to_string();
    let head = format!(
        "POST /v1/encounters HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    tokio::time::sleep(Duration::from_millis(200)).await;
    let stopping = tokio::task::spawn_blocking(move || server.stop());
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(tokio::net::TcpStream::connect(&address).await.is_err(), "nothing new is accepted");
    stream.write_all(body.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 201 "), "{answer}");
    assert!(stopping.await.unwrap().0);
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
        let output = output(&[(name, value)], &[]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{name}: {said}");
        assert!(said.contains(name) && said.contains(value) && said.contains(right), "{name}: {said}");
    }
    let half = output(&[("TURNKEEPER_REDIS_CERT", "own.pem")], &[]);
    let said = String::from_utf8_lossy(&half.stderr).into_owned();
    assert!(half.status.code() == Some(2) && said.contains("TURNKEEPER_REDIS_KEY"), "{said}");
    let alone = output(&[("TURNKEEPER_REDIS_CA", "authorities.pem")], &[]);
    let said = String::from_utf8_lossy(&alone.stderr).into_owned();
    assert!(alone.status.code() == Some(2) && said.contains("REDIS_URL"), "{said}");
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
        let output = output(&settings, &["--listen", listen.1]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{name}: {said}");
        assert!(said.contains(name), "{name}: {said}");
    }
    let output = output(&[("REDIS_URL", "http://user:hunter2@x")], &[]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && !said.contains("hunter2"), "{said}");
}

#[test]
fn help_names_every_setting() {
    let help = String::from_utf8(output(&[], &["--help"]).stdout).unwrap();
    for name in [
        "TURNKEEPER_LISTEN",
        "REDIS_URL",
        "TURNKEEPER_DATA",
        "TURNKEEPER_TTL",
        "TURNKEEPER_CORS_ORIGINS",
        "TURNKEEPER_LOG",
    ] {
        assert!(help.contains(name), "{name}");
    }
    assert!(help.contains("openapi"));
}

#[test]
fn it_prints_its_document() {
    let document: Value = serde_json::from_slice(&output(&[], &["openapi"]).stdout).expect("JSON");
    assert!(document["paths"]["/v1/encounters/{id}/commands"]["post"].is_object());
}

#[tokio::test]
async fn a_second_process_on_the_same_files_is_told_so() {
    let directory = TempDir::new().unwrap();
    let server = Server::start(&directory, &[]);
    let data = directory.path().to_str().unwrap();
    let second = output(&[("TURNKEEPER_DATA", data), ("TURNKEEPER_LISTEN", "127.0.0.1:0")], &[]);
    assert_eq!(second.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&second.stderr).contains("in use by another process"));
    assert!(server.stop().0);
}
