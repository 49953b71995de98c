//! What the program measures, and how it stops.

use super::process::fails;
use crate::support::client::{Client, note};
use crate::support::eventually;
use crate::support::redis::RedisServer;
use crate::support::secrets;
use crate::support::server::Server;
use serde_json::json;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

const SOON: Duration = Duration::from_secs(10);
/// The setting that lets Prometheus ask at a free port.
const METRICS: (&str, &str) = ("TURNKEEPER_METRICS", "127.0.0.1:0");

/// Where a server is asked for its metrics.
fn prometheus(server: &Server) -> Client {
    let greeting = server.greeting();
    let line = greeting
        .lines()
        .find_map(|line| line.strip_prefix("metrics: "));
    let url = line.unwrap_or_else(|| panic!("no metrics in {greeting}"));
    Client::at(url.strip_suffix("/metrics").expect("the path"))
}

/// The value of each series, by its name and labels as they are written.
async fn scrape(prometheus: &Client) -> BTreeMap<String, f64> {
    let answer = prometheus
        .get("/metrics")
        .try_send()
        .await
        .expect("an answer");
    assert_eq!(answer.status, 200);
    assert_eq!(
        answer.header("content-type"),
        "text/plain; version=0.0.4; charset=utf-8"
    );
    let text = String::from_utf8(answer.body.to_vec()).expect("text");
    assert_eq!(secrets::within(&text), [""; 0], "{text}");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let series = lines.filter_map(|line| line.rsplit_once(' '));
    series
        .map(|(name, value)| (name.to_owned(), value.parse().expect("a number")))
        .collect()
}

#[tokio::test]
async fn every_kind_of_work_is_counted_without_ids_and_names() {
    let server = Server::with(&[METRICS]);
    let (prometheus, api) = (prometheus(&server), server.client());
    let creation = json!({"ruleset": "seize", "name": "The mill", "combatants": [{"id": "zara"}]});
    let fight = api.create(&creation).await;
    fight.notes(3).await;
    let refused = fight.command(&json!({"type": "end_turn", "combatant": "zara"}));
    assert_eq!(refused.send().await.status, 409);
    let again = || fight.command(&note("x")).key("a-key-of-a-repeated-note");
    assert_eq!(again().send().await.status, 200);
    assert_eq!(again().send().await.status, 200);
    let measured = scrape(&prometheus).await;
    let value = |name: &str| {
        *measured
            .get(name)
            .unwrap_or_else(|| panic!("no {name} in {measured:#?}"))
    };
    let commands = |outcome: &str| {
        value(&format!(
            "turnkeeper_commands_total{{ruleset=\"seize\",outcome=\"{outcome}\"}}"
        ))
    };
    assert_eq!((commands("accepted"), commands("repeated")), (4.0, 1.0));
    let refusals: Vec<&String> = measured
        .keys()
        .filter(|name| name.starts_with("turnkeeper_commands_total"))
        .collect();
    assert_eq!(refusals.len(), 3, "{refusals:?}");
    let route = "/v1/encounters/{id}/commands";
    let requests = |status: u16| {
        value(&format!(
            "turnkeeper_requests_total{{method=\"POST\",route=\"{route}\",status=\"{status}\"}}"
        ))
    };
    assert_eq!((requests(200), requests(409)), (5.0, 1.0));
    let times = format!("turnkeeper_request_seconds_count{{route=\"{route}\"}}");
    assert_eq!(value(&times), 6.0);
    assert_eq!(
        value("turnkeeper_store_calls_total{call=\"create\",outcome=\"done\"}"),
        1.0
    );
    assert_eq!(
        value("turnkeeper_store_calls_total{call=\"commit\",outcome=\"done\"}"),
        4.0
    );
    assert_eq!(value("turnkeeper_cache_encounters"), 1.0);
    assert!(value("turnkeeper_cache_bytes") > 0.0);
    assert!(value("turnkeeper_store_file_bytes") > 0.0);
    assert_eq!(value("turnkeeper_streams"), 0.0);
    for budget in ["requests", "imports", "answers"] {
        let name = |metric: &str| format!("turnkeeper_budget_{metric}{{budget=\"{budget}\"}}");
        assert_eq!(value(&name("used_bytes")), 0.0, "{budget}");
        assert!(value(&name("bytes")) > 0.0, "{budget}");
    }
    for name in measured.keys() {
        for secret in [fight.id.as_str(), "zara", "mill"] {
            assert!(!name.contains(secret), "{name}");
        }
    }
}

#[tokio::test]
async fn invented_paths_and_methods_make_no_series_of_their_own() {
    let server = Server::with(&[METRICS]);
    let (prometheus, api) = (prometheus(&server), server.client());
    for n in 0..20 {
        api.get(&format!("/invented/{n}"))
            .try_send()
            .await
            .expect("an answer");
        let method = format!("INVENT{n}");
        api.call(&method, "/v1/encounters")
            .try_send()
            .await
            .expect("an answer");
    }
    let measured = scrape(&prometheus).await;
    let requests = measured
        .keys()
        .filter(|name| name.starts_with("turnkeeper_requests_total"));
    assert_eq!(requests.count(), 2, "{measured:#?}");
}

#[tokio::test]
async fn a_store_that_is_away_is_counted() {
    let mut redis = RedisServer::start();
    let server = Server::with(&[METRICS, ("REDIS_URL", &redis.url())]);
    let (prometheus, api) = (prometheus(&server), server.client());
    let fight = api
        .create(&json!({"ruleset": "seize", "combatants": [{"id": "a"}]}))
        .await;
    redis.kill();
    assert_eq!(fight.command(&note("x")).send().await.status, 503);
    let measured = scrape(&prometheus).await;
    let away = measured
        .keys()
        .filter(|name| name.starts_with("turnkeeper_store_calls_total"))
        .filter(|name| name.contains("outcome=\"unavailable\""));
    assert!(away.count() > 0, "{measured:#?}");
    let name = "turnkeeper_commands_total{ruleset=\"-\",outcome=\"store_away\"}";
    assert_eq!(measured.get(name), Some(&1.0), "{measured:#?}");
}

#[tokio::test]
async fn nothing_but_metrics_is_at_their_address_and_they_are_at_no_other() {
    let server = Server::with(&[METRICS]);
    let (prometheus, api) = (prometheus(&server), server.client());
    let elsewhere = prometheus
        .get("/v1/rulesets")
        .try_send()
        .await
        .expect("an answer");
    assert_eq!(elsewhere.status, 404);
    let answer = api.get("/metrics").try_send().await.expect("an answer");
    assert_eq!(answer.status, 404);
}

#[test]
fn metrics_for_nobody_are_refused() {
    let said = fails(&[("TURNKEEPER_METRICS", "emf")], &[], 1);
    assert!(said.contains("emf is for Lambda"), "{said}");
    let said = fails(&[("TURNKEEPER_METRICS", "9090")], &[], 2);
    assert!(said.contains("TURNKEEPER_METRICS"), "{said}");
}

#[tokio::test]
async fn a_request_of_a_trace_has_its_id_in_the_log() {
    let server = Server::embedded();
    let api = server.client();
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    for (header, valid) in [
        (format!("00-{trace}-00f067aa0ba902b7-01"), true),
        (
            format!("cc-{trace}-00f067aa0ba902b7-01-what-the-future-has"),
            true,
        ),
        (format!("00-{trace}-00f067aa0ba902b7-01-more"), false),
        (format!("ff-{trace}-00f067aa0ba902b7-01"), false),
        (format!("00-{trace}-0000000000000000-01"), false),
        (format!("00-{}-00f067aa0ba902b7-01", "0".repeat(32)), false),
        (
            format!("00-{}-00f067aa0ba902b7-01", trace.to_uppercase()),
            false,
        ),
        ("00-tk_secret".to_owned(), false),
    ] {
        let before = server.log().matches(trace).count();
        let answer = api
            .get("/livez")
            .header("traceparent", &header)
            .send()
            .await;
        assert_eq!(answer.status, 200);
        let id = answer.header("x-request-id");
        eventually("the line", SOON, async || server.log().contains(id)).await;
        let found = server.log().matches(trace).count() - before;
        assert_eq!(found, usize::from(valid), "{header}");
    }
    assert!(!server.log().contains("tk_secret"));
}

#[tokio::test]
async fn after_sigterm_it_is_not_ready_and_serves_until_its_time_is_over() {
    let server = Server::with(&[("TURNKEEPER_DRAIN_TIME", "2s")]);
    let api = server.client();
    let fight = api
        .create(&json!({"ruleset": "seize", "combatants": [{"id": "a"}]}))
        .await;
    assert_eq!(api.get("/readyz").send().await.status, 200);
    let started = Instant::now();
    server.terminate();
    let is_stopping = async || api.get("/readyz").send().await.status == 503;
    eventually("not ready", SOON, is_stopping).await;
    api.get("/readyz").send().await.problem(503, "stopping");
    assert_eq!(fight.command(&note("x")).send().await.status, 200);
    assert_eq!(api.get("/livez").send().await.status, 200);
    assert!(server.ended(Duration::from_secs(15)).success());
    assert!(started.elapsed() >= Duration::from_secs(2));
}
