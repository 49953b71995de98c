//! Limits on everything that a client sends, and malformed HTTP.

use super::{Api, Setup, embedded_store, note, redis_store};
use crate::support::client::crowd;
use crate::support::raw::{Raw, exchange, post};
use crate::support::redis::RedisServer;
use serde_json::{Value, json};
use std::time::Duration;
use turnkeeper::http::Settings;

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
    assert!(
        (3..9).contains(&count) && page.body.len() < 700_000,
        "{count} entries, {} bytes",
        page.body.len()
    );
    assert_eq!(page.json()["next_cursor"], count.to_string());
}

#[tokio::test]
async fn what_is_no_http_is_answered_by_a_problem_with_the_headers_of_safety() {
    let api = Api::start().await;
    let many: String = (0..200).map(|i| format!("x-{i}: y\r\n")).collect();
    let large = format!("x: {}\r\n", "y".repeat(600_000));
    let long = "a".repeat(70_000);
    for (request, status) in [
        (
            "GET /livez HTTP/1.1\r\nhost: x\r\nbad header: \x01\r\n\r\n".to_owned(),
            400,
        ),
        ("GET /li vez HTTP/1.1\r\nhost: x\r\n\r\n".to_owned(), 400),
        ("\u{1}\u{2}\u{3}\r\n\r\n".to_owned(), 400),
        (
            "POST /v1/encounters HTTP/1.1\r\nhost: x\r\ncontent-length: many\r\n\r\n".to_owned(),
            400,
        ),
        (format!("GET /livez HTTP/1.1\r\nhost: x\r\n{many}\r\n"), 431),
        (
            format!("GET /livez HTTP/1.1\r\nhost: x\r\n{large}\r\n"),
            431,
        ),
        (format!("GET /{long} HTTP/1.1\r\nhost: x\r\n\r\n"), 414),
    ] {
        let answer = exchange(api.address(), request.as_bytes()).await;
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status} ")),
            "{answer} to {request:.60?}"
        );
    }
}

#[tokio::test]
async fn a_body_that_does_not_arrive_in_time_is_given_up() {
    let api = Api::with(Settings {
        timeout: Duration::from_millis(300),
        ..Settings::default()
    })
    .await;
    let request = "POST /v1/encounters HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n{";
    let answer = exchange(api.address(), request.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    assert!(
        answer.contains("application/problem+json") && answer.contains("request_timeout"),
        "{answer}"
    );
}

#[tokio::test]
async fn work_that_takes_too_long_is_no_fault_of_the_clients() {
    let redis = RedisServer::start();
    let settings = Settings {
        timeout: Duration::from_millis(500),
        ..Settings::default()
    };
    let setup = Setup {
        settings,
        ..Setup::default()
    };
    let api = Api::on(redis_store(&redis.url()), setup).await;
    redis.pause();
    let late = api.post("/v1/encounters", &crowd(1)).send().await;
    redis.resume();
    late.problem(503, "too_late");
}

#[tokio::test]
async fn a_chunked_body_is_measured_too() {
    let api = Api::with(Settings {
        body_limit: 1024,
        ..Settings::default()
    })
    .await;
    let head = "POST /v1/encounters HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
    let chunks = format!("800\r\n{}\r\n", " ".repeat(0x800)).repeat(2);
    let request = format!("{head}{chunks}0\r\n\r\n");
    let answer = Raw::open(api.address(), request.as_bytes())
        .await
        .until("body_too_large")
        .await;
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
}

#[tokio::test]
async fn a_client_that_still_sends_reads_that_its_body_is_too_large() {
    let api = Api::with(Settings {
        body_limit: 1024,
        ..Settings::default()
    })
    .await;
    let head = |length: usize| post("/v1/encounters", "none", length);
    let whole = head(4 << 20) + &" ".repeat(4 << 20);
    let mut connection = Raw::open(api.address(), whole.as_bytes()).await;
    assert!(
        connection
            .until("body_too_large")
            .await
            .starts_with("HTTP/1.1 413 ")
    );
    // Nobody waits long for the rest of a body.
    let begun = head(4 << 20) + &" ".repeat(4096);
    let answer = Raw::open(api.address(), begun.as_bytes())
        .await
        .until("\r\n")
        .await;
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    let endless = exchange(
        api.address(),
        (head(64 << 20) + &" ".repeat(64 << 20)).as_bytes(),
    )
    .await;
    assert!(
        endless.is_empty() || endless.starts_with("HTTP/1.1 413 "),
        "{endless}"
    );
}

#[tokio::test]
async fn a_large_body_is_read_only_with_a_token_that_is_good() {
    let (_directory, store) = embedded_store();
    let api = Api::on(store, Setup::default()).await;
    let (fight, other) = (api.fight().await, api.fight().await);
    let path = fight.path("/commands");
    // The body never ends, and the answer does not wait for it.
    let begun = post(&path, &other.token, 20_001) + &" ".repeat(20_000);
    let answer = Raw::open(api.address(), begun.as_bytes())
        .await
        .until("\r\n")
        .await;
    assert!(answer.starts_with("HTTP/1.1 404 "), "{answer}");
    let large =
        " ".repeat(20_000) + &json!({"type": "note", "text": "x", "readers": "all"}).to_string();
    api.post_text(&path, large)
        .token(&fight.token)
        .send()
        .await
        .expect(200);
}

#[tokio::test]
async fn an_encounter_that_would_be_too_large_to_store_is_refused_and_goes_on() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let name = |n: usize| format!("{n:02}{}", "x".repeat(38));
    let hp = json!({"current": 1_000_000, "max": 1_000_000});
    let members: Vec<Value> = (0..50).map(|n| json!({"id": name(n), "hp": hp})).collect();
    let group = |n: usize| {
        let conditions: Vec<String> = (0..32).map(name).collect();
        let combatant =
            json!({"id": format!("rats{n}"), "members": members, "conditions": conditions});
        json!({"type": "add_combatant", "details": combatant})
    };
    let mut lists = 0;
    let refused = loop {
        let list: Vec<Value> = (0..25).map(|n| group(25 * lists + n)).collect();
        let answer = fight.command(&json!(list)).minimal().send().await;
        if answer.status != 200 {
            break answer.problem(422, "encounter_too_large");
        }
        lists += 1;
    };
    assert!(
        (6..16).contains(&lists),
        "{lists} lists of about 170 KB each fit into 2 MiB"
    );
    assert!(
        refused["detail"]
            .as_str()
            .is_some_and(|detail| detail.contains("more than the maximum of 2097152")),
        "{refused}"
    );
    let removed = fight
        .command(&json!({"type": "remove_combatant", "combatant": "rats0"}))
        .minimal();
    assert_eq!(
        removed.send().await.expect(200).json()["version"],
        lists + 1
    );
}
