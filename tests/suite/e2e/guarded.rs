//! The program as a public server is run: its keys, its warnings, its log.

use super::process::{fails, made};
use super::{ambush, note};
use crate::support::client::Fight;
use crate::support::eventually;
use crate::support::redis::RedisServer;
use crate::support::secrets;
use crate::support::server::Server;
use std::fs;
use std::time::Duration;
use tempfile::TempDir;

const TIMEOUT: Duration = Duration::from_secs(20);

/// The status of creating an encounter with this key.
async fn create(server: &Server, key: &str) -> u16 {
    server
        .client()
        .post("/v1/encounters", &ambush())
        .token(key)
        .send()
        .await
        .status
}

#[test]
fn a_key_is_made_by_the_program_and_another_each_time() {
    let ((one, first), (two, second)) = (made("bot"), made("bot"));
    assert!(one != two && first != second);
    assert!(!first.contains(&one[7..]), "the pair does not hold the key");
    assert!(fails(&[], &["app-key", "My Bot"], 2).contains("small letters"));
}

#[tokio::test]
async fn keys_change_with_their_file_and_without_a_restart() {
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("keys");
    let ((old, first), (new, second), (fixed, third)) = (made("bot"), made("bot"), made("table"));
    let put = |text: String| {
        // The server must not read half of it.
        let fresh = directory.path().join("fresh");
        fs::write(&fresh, text).unwrap();
        fs::rename(&fresh, &file).unwrap();
    };
    put(format!("# made in spring\n{first}\n"));
    let path = file.to_str().unwrap();
    let server = Server::with(&[
        ("TURNKEEPER_APP_KEYS_FILE", path),
        ("TURNKEEPER_APP_KEYS", &third),
    ]);
    assert_eq!(
        (create(&server, &old).await, create(&server, &new).await),
        (201, 401)
    );
    put(format!("{first}\n{second}\n"));
    eventually("the new key counts", TIMEOUT, async || {
        create(&server, &new).await == 201
    })
    .await;
    assert_eq!(
        create(&server, &old).await,
        201,
        "both count while the application changes over"
    );
    put(second.clone());
    eventually("the old key no longer counts", TIMEOUT, async || {
        create(&server, &old).await == 401
    })
    .await;
    // A file that cannot be read, or holds no key, takes no key away.
    for wrong in ["bot = nonsense", "# nothing"] {
        let warnings = || server.log().matches("cannot be read").count();
        let before = warnings();
        put(wrong.to_owned());
        eventually("a warning is logged", TIMEOUT, async || warnings() > before).await;
        assert_eq!(create(&server, &new).await, 201);
    }
    fs::remove_file(&file).unwrap();
    tokio::time::sleep(Duration::from_millis(2500)).await;
    assert_eq!(
        (create(&server, &new).await, create(&server, &old).await),
        (201, 401)
    );
    assert_eq!(
        create(&server, &fixed).await,
        201,
        "those of the variable count all the time"
    );
}

/// What the program prints and logs at its start.
fn start(listen: &str, settings: &[(&str, &str)]) -> String {
    let listen = ("TURNKEEPER_LISTEN", listen);
    let server = Server::with(&[settings, &[listen, ("TURNKEEPER_LOG", "warn")]].concat());
    let greeting = server.greeting();
    std::thread::sleep(Duration::from_millis(300));
    greeting + &server.log()
}

#[test]
fn a_server_that_listens_wider_without_keys_says_what_that_means() {
    let (_, pair) = made("bot");
    let warned = start("0.0.0.0:0", &[]);
    assert!(
        warned.contains("WARN") && warned.contains("every client that reaches 0.0.0.0:"),
        "{warned}"
    );
    for part in ["TURNKEEPER_APP_KEYS", "app-key", "127.0.0.1"] {
        assert!(warned.contains(part), "{part}: {warned}");
    }
    let (keyed, limited) = (
        ("TURNKEEPER_APP_KEYS", pair.as_str()),
        ("TURNKEEPER_RATE_ADDRESS", "60/1m"),
    );
    for (listen, settings) in [
        ("127.0.0.1:0", vec![]),
        ("[::1]:0", vec![]),
        ("0.0.0.0:0", vec![keyed]),
        ("0.0.0.0:0", vec![limited]),
    ] {
        let said = start(listen, &settings);
        assert!(!said.contains("WARN"), "{listen}: {said}");
        assert_eq!(
            said.contains("Authorization: Bearer $KEY"),
            settings.contains(&keyed),
            "{said}"
        );
    }
}

#[tokio::test]
async fn nothing_that_is_sent_or_goes_wrong_puts_a_secret_into_the_log() {
    let mut redis = RedisServer::start();
    let url = redis
        .url()
        .replace("redis://", "redis://:redis-secret-word@");
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
        let api = server.client();
        let fight = Fight::of(
            &api,
            &api.post("/v1/encounters", &ambush())
                .token(&key)
                .send()
                .await,
        );
        let (token, digest) = (&fight.token, pair.split_once('=').unwrap().1);
        let idempotency = format!("idempotency-secret-{format}");
        for secret in [
            "redis-secret-word",
            "a secret plan",
            token,
            &key,
            digest,
            &fight.id,
        ] {
            secrets::known(secret);
        }
        let post = |credential: &str, body: String| {
            api.post_text(&fight.path("/commands"), body)
                .token(credential)
                .key(&idempotency)
        };
        // Secrets in every wrong place, and requests that are refused.
        for call in [
            post(token, note("a secret plan").to_string()),
            post(
                token,
                format!("{{\"type\": \"note\", \"{token}\": \"a secret plan\"}}"),
            ),
            post(token, format!("\"{key}\" is no JSON")),
            post(&key, note("a secret plan").to_string()),
            post(&format!("{token}x"), note("a secret plan").to_string()),
            api.get(&format!("/v1/encounters/{token}/{key}?{token}={key}")),
            api.get(&format!("/{token}?token={key}")),
            api.get(&format!("/v1/encounters/{token}")).token(token),
            api.get(&format!("/v1/encounters?cursor={token}"))
                .token(&key),
            api.get("/v1/encounters")
                .header("x-request-id", token)
                .header("x-forwarded-for", &key),
            api.get(&fight.path(""))
                .header("accept", token)
                .header("if-none-match", &key),
        ] {
            let answer = call.send().await;
            assert!(answer.status < 500, "{answer:?}");
        }
        redis.kill();
        post(token, note("a secret plan").to_string())
            .send()
            .await
            .expect(503);
        redis.again();
        server.terminate();
        server.ended(Duration::from_secs(15));
        let log = server.log();
        assert!(
            log.contains("/v1/encounters/{id}/commands") && log.contains("the store is away"),
            "{log}"
        );
        secrets::none_in(&log);
    }
}
