//! The program as a public server is run: its keys, its warnings, its log.

use super::process::{output, program};
use super::{ambush, note};
use crate::support::client::Encounter;
use crate::support::redis::RedisServer;
use crate::support::secrets;
use crate::support::server::Server;
use reqwest::{Client, Response};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A key and its pair, made as an operator makes them.
fn made(name: &str) -> (String, String) {
    let said = String::from_utf8(output(&[], &["app-key", name]).stdout).expect("text");
    let last = |line: Option<&str>| line.and_then(|line| line.split_whitespace().last()).expect("a word").to_owned();
    let mut lines = said.lines();
    let (key, pair) = (last(lines.next()), last(lines.next()));
    assert!(key.starts_with("tk_app_") && pair.starts_with(&format!("{name}=")), "{said}");
    (key, pair)
}

async fn create(server: &Server, key: &str) -> Response {
    let request =
        Client::new().post(format!("{}/v1/encounters", server.url())).header("content-type", "application/json");
    request.bearer_auth(key).body(ambush().to_string()).send().await.expect("an answer")
}

async fn eventually(server: &Server, key: &str, status: u16) {
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        let answered = create(server, key).await.status();
        if answered == status {
            return;
        }
        assert!(Instant::now() < until, "still {answered}:\n{}", server.log());
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[test]
fn a_key_is_made_by_the_program_and_another_each_time() {
    let ((one, first), (two, second)) = (made("bot"), made("bot"));
    assert!(one != two && first != second);
    assert!(!first.contains(&one[7..]), "the pair does not hold the key");
    let refused = output(&[], &["app-key", "My Bot"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("small letters"), "{refused:?}");
}

#[test]
fn a_key_file_that_is_wrong_is_told_its_line_and_what_is_right_and_no_secret() {
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("keys");
    let (key, pair) = made("bot");
    let digest = &pair["bot=".len()..];
    for (wrong, told) in [
        (format!("for the server:      {pair}"), "\"for the server:      bot\" was read as the name"),
        (format!("for the application: {key}"), "there is no = in it"),
        (format!("My Bot={digest}"), "\"My Bot\" was read as the name"),
        (format!("={digest}"), "\"\" was read as the name"),
        (format!("bot={key}"), "the key itself"),
        (format!("bot={}", &digest[1..]), "\"bot\" was read as the name"),
        (format!("{digest}=bot"), "as long as a key or a digest"),
        (format!("{key}=bot"), "as long as a key or a digest"),
        (format!("the key {}=bot", &key[7..]), "as long as a key or a digest"),
    ] {
        fs::write(&file, format!("# ours\n{pair} # of spring\n\n{wrong}\n")).unwrap();
        let refused = output(&[("TURNKEEPER_APP_KEYS_FILE", file.to_str().unwrap())], &[]);
        let said = String::from_utf8_lossy(&refused.stderr);
        assert_eq!(refused.status.code(), Some(1), "{said}");
        for part in ["line 4", told, "NAME=DIGEST", "turnkeeper app-key NAME"] {
            assert!(said.contains(part), "{wrong}: {part} is not in {said}");
        }
        assert!(!said.contains(&key[10..30]) && !said.contains(&digest[10..30]), "{said}");
    }
}

#[tokio::test]
async fn keys_change_with_their_file_and_without_a_restart() {
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("keys");
    let ((old, first), (new, second), (fixed, third)) = (made("bot"), made("bot"), made("table"));
    let put = |text: String| {
        // Whoever reads it meanwhile must not see half of it.
        let fresh: PathBuf = directory.path().join("fresh");
        fs::write(&fresh, text).unwrap();
        fs::rename(&fresh, &file).unwrap();
    };
    put(format!("# made in spring\n{first}\n"));
    let path = file.to_str().unwrap();
    let server = Server::with(&[("TURNKEEPER_APP_KEYS_FILE", path), ("TURNKEEPER_APP_KEYS", &third)]);
    assert_eq!(create(&server, &old).await.status(), 201);
    assert_eq!(create(&server, &new).await.status(), 401);
    put(format!("{first}\n{second}\n"));
    eventually(&server, &new, 201).await;
    assert_eq!(create(&server, &old).await.status(), 201, "both count while the application changes over");
    put(second.clone());
    eventually(&server, &old, 401).await;
    // What cannot be read, or holds no key, takes nobody's key away.
    for wrong in ["bot = nonsense", "# nothing"] {
        let before = server.log().matches("cannot be read").count();
        put(wrong.to_owned());
        let until = Instant::now() + Duration::from_secs(20);
        while server.log().matches("cannot be read").count() == before {
            assert!(Instant::now() < until, "it is not told:\n{}", server.log());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        assert_eq!(create(&server, &new).await.status(), 201);
    }
    fs::remove_file(&file).unwrap();
    tokio::time::sleep(Duration::from_millis(2500)).await;
    assert_eq!(create(&server, &new).await.status(), 201);
    assert_eq!(create(&server, &fixed).await.status(), 201, "those of the variable count all the time");
    assert_eq!(create(&server, &old).await.status(), 401);
}

#[test]
fn keys_that_are_none_end_it_and_are_not_repeated() {
    let (key, _) = made("bot");
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("keys");
    fs::write(&file, &key).unwrap();
    let file = file.to_str().unwrap();
    let listen = ("TURNKEEPER_LISTEN", "127.0.0.1:0");
    let pair = format!("bot={key}");
    for (name, value, said) in [
        ("TURNKEEPER_APP_KEYS", key.as_str(), "TURNKEEPER_APP_KEYS"),
        ("TURNKEEPER_APP_KEYS", &pair, "this is the key itself"),
        ("TURNKEEPER_APP_KEYS_FILE", file, file),
        ("TURNKEEPER_APP_KEYS_FILE", "/nowhere/keys", "/nowhere/keys"),
    ] {
        let ended = output(&[(name, value), listen, ("TURNKEEPER_DATA", directory.path().to_str().unwrap())], &[]);
        let log = String::from_utf8_lossy(&ended.stderr).into_owned() + &String::from_utf8_lossy(&ended.stdout);
        assert_eq!(ended.status.code(), Some(1), "{name}: {log}");
        assert!(log.contains(said), "{said}: {log}");
        secrets::none_in(&log);
    }
}

/// What the program prints and logs until it says what it warns of, or serves.
fn start(listen: &str, settings: &[(&str, &str)]) -> String {
    let directory = TempDir::new().unwrap();
    let mut command = program();
    command.env("TURNKEEPER_LISTEN", listen).env("TURNKEEPER_DATA", directory.path()).envs(settings.iter().copied());
    let mut process = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut lines = BufReader::new(process.stdout.take().expect("its output")).lines();
    let mut greeting = String::new();
    while !greeting.contains("curl") {
        greeting += &lines.next().expect("a greeting").expect("text");
    }
    std::thread::sleep(Duration::from_millis(300));
    process.kill().expect("a running process");
    let ended = process.wait_with_output().expect("its log");
    greeting + &String::from_utf8_lossy(&ended.stderr)
}

#[test]
fn a_server_that_listens_wider_without_keys_says_what_that_means() {
    let (_, pair) = made("bot");
    let warned = start("0.0.0.0:0", &[]);
    assert!(warned.contains("WARN") && warned.contains("every client that reaches 0.0.0.0:"), "{warned}");
    for told in ["TURNKEEPER_APP_KEYS", "app-key", "127.0.0.1"] {
        assert!(warned.contains(told), "{told}: {warned}");
    }
    for (listen, settings) in
        [("127.0.0.1:0", vec![]), ("[::1]:0", vec![]), ("0.0.0.0:0", vec![("TURNKEEPER_APP_KEYS", pair.as_str())])]
    {
        let said = start(listen, &settings);
        assert!(!said.contains("WARN"), "{listen}: {said}");
        assert_eq!(said.contains("Authorization: Bearer $KEY"), !settings.is_empty(), "{said}");
    }
}

#[tokio::test]
async fn nothing_that_is_sent_or_goes_wrong_puts_a_secret_into_the_log() {
    let mut redis = RedisServer::start();
    let url = redis.url().replace("redis://", "redis://:redis-secret-word@");
    let (key, pair) = made("bot");
    for format in ["text", "json"] {
        redis.command(&["CONFIG", "SET", "requirepass", "redis-secret-word"]);
        let server = Server::with(&[
            ("REDIS_URL", &url),
            ("TURNKEEPER_APP_KEYS", &pair),
            ("TURNKEEPER_LOG", "trace"),
            ("TURNKEEPER_LOG_FORMAT", format),
            ("TURNKEEPER_RATE_TOKEN", "100/1h"),
            ("TURNKEEPER_RATE_ADDRESS", "500/1h"),
        ]);
        let made: Value = serde_json::from_slice(&create(&server, &key).await.bytes().await.unwrap()).unwrap();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let (id, token) = (text(&made["encounter"]["id"]), text(&made["token"]));
        let fight = Encounter { id, token: token.clone(), http: Client::new() };
        let digest = pair.split_once('=').unwrap().1.to_owned();
        let idempotency = format!("idempotency-secret-{format}");
        for secret in ["redis-secret-word", &idempotency, "a secret plan", &token, &key, &digest, &fight.id] {
            secrets::known(secret);
        }
        let (api, http) = (server.url(), Client::new());
        let post = |credential: &str, body: String| {
            let call = http.post(format!("{api}/v1/encounters/{}/commands", fight.id)).bearer_auth(credential);
            call.header("content-type", "application/json").header("idempotency-key", &idempotency).body(body)
        };
        // Whatever is in the wrong place, and whatever is refused.
        for call in [
            post(&token, note("a secret plan").to_string()),
            post(&token, format!("{{\"type\": \"note\", \"{token}\": \"a secret plan\"}}")),
            post(&token, format!("\"{key}\" is no JSON")),
            post(&key, note("a secret plan").to_string()),
            post(&format!("{token}x"), note("a secret plan").to_string()),
            http.get(format!("{api}/v1/encounters/{token}/{key}?{token}={key}")),
            http.get(format!("{api}/{token}?token={key}")),
            http.get(format!("{api}/v1/encounters/{token}")).bearer_auth(&token),
            http.get(format!("{api}/v1/encounters?cursor={token}")).bearer_auth(&key),
            http.get(format!("{api}/v1/encounters")).header("x-request-id", &token).header("x-forwarded-for", &key),
            http.get(format!("{api}/v1/encounters/{}", fight.id))
                .header("accept", &token)
                .header("if-none-match", &key),
        ] {
            let answer = call.send().await.expect("an answer");
            assert!(answer.status().as_u16() < 500, "{answer:?}");
        }
        redis.kill();
        let away = post(&token, note("a secret plan").to_string()).send().await.expect("an answer");
        assert_eq!(away.status(), 503);
        redis.again();
        server.terminate();
        server.ended(Duration::from_secs(15));
        let log = server.log();
        assert!(log.contains("/v1/encounters/{id}/commands") && log.contains("the store is away"), "{log}");
        secrets::none_in(&log);
    }
}
