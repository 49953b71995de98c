//! What only the Lambda adapter does; `tests/matrix` runs the end-to-end tests through it.

use crate::log::feed::{LINES, SSE};
use crate::support::client::{Answer, Fight, ambush, note};
use crate::support::cluster::RedisCluster;
use crate::support::eventually;
use crate::support::lambda::{EventSource, Function};
use crate::support::proxy::Proxy;
use crate::support::redis::RedisServer;
use crate::support::server::Server;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const TIME_LIMIT: Duration = Duration::from_secs(29);

/// The answer to the creation of an encounter.
async fn create(function: &Function) -> Answer {
    function.post("/v1/encounters", &ambush()).send().await
}

#[tokio::test]
async fn a_fight_goes_through_every_event_source() {
    for source in EventSource::ALL {
        let function = Function::embedded(source, &[]).await;
        let made = create(&function).await;
        assert_eq!(
            (made.status, made.header("encounter-version")),
            (201, "0"),
            "{source:?}"
        );
        let fight = Fight::of(&function, &made);
        assert_eq!(made.header("location"), format!("encounters/{}", fight.id));
        let start = json!({"type": "start", "first": "valiant"}).to_string();
        let command = function
            .call("POST", &fight.path("/commands"))
            .token(&fight.token)
            .body(start);
        let started = command
            .header("content-type", "application/vnd.x+json")
            .send()
            .await
            .json();
        assert_eq!(
            started["encounter"]["current"],
            json!(["valiant"]),
            "{source:?}: a body as base64"
        );
        let page = fight.read("/events?after=0&limit=1").await;
        assert_eq!(page["items"].as_array().unwrap().len(), 1, "{source:?}");
        let gzip = fight
            .get("/options")
            .header("accept-encoding", "gzip")
            .send()
            .await;
        assert_eq!(gzip.header("content-encoding"), "gzip", "{source:?}");
        assert!(gzip.body.starts_with(&[0x1f, 0x8b]), "{source:?}");
    }
}

#[tokio::test]
async fn each_event_leaves_lines_of_metrics_for_cloudwatch() {
    let settings = [("TURNKEEPER_METRICS", "emf")];
    let function = Function::embedded(EventSource::ALL[0], &settings).await;
    let fight = Fight::of(&function, &create(&function).await);
    fight.notes(2).await;
    let commands =
        |line: &&Value| line["outcome"] == "accepted" && line["ruleset"] == "active-initiative";
    eventually("two commands", TIME_LIMIT, async || {
        function.printed().iter().filter(commands).count() == 2
    })
    .await;
    for line in function.printed() {
        let about = &line["_aws"]["CloudWatchMetrics"][0];
        assert_eq!(about["Namespace"], "Turnkeeper", "{line}");
        for metric in about["Metrics"].as_array().expect("metrics") {
            let name = metric["Name"].as_str().expect("a name");
            assert!(!line[name].is_null(), "{line}");
        }
        let text = line.to_string();
        assert!(!text.contains(&fight.id) && !text.contains("tk_"), "{text}");
    }
}

#[tokio::test]
async fn the_stage_comes_off_the_paths() {
    let redis = RedisServer::start();
    let function = Function::at(
        EventSource::HttpApi,
        "live",
        TIME_LIMIT,
        &[("REDIS_URL", &redis.url())],
    )
    .await;
    function.another();
    create(&function).await.expect(201);
    function.get("/v1/rulesets").send().await.expect(200);
}

#[tokio::test]
async fn the_base_path_comes_off_the_paths() {
    let function = Function::embedded(
        EventSource::FunctionUrl,
        &[("TURNKEEPER_BASE_PATH", "/turns")],
    )
    .await;
    create(&function).await.expect(201);
    function.get("/turns/v1/rulesets?").send().await.expect(200);
    // The client follows the redirection to the path with a slash.
    let root = function.read("/turns").await;
    assert_eq!(root["openapi"], "openapi.json", "relative to the root");
    let document = function.read("/turns/openapi.json").await;
    assert_eq!(
        document["servers"][0]["url"], ".",
        "relative to the document"
    );
    let page = function
        .get("/turns/docs/swagger-initializer.js")
        .send()
        .await
        .text();
    assert!(
        page.contains(r#""url": "../openapi.json""#),
        "beside the page, wherever that is: {page}"
    );
    let page = function.get("/turns/table").send().await.text();
    assert!(
        page.contains("src=\"table/main.js\""),
        "beside the page: {page}"
    );
    function
        .get("/turns/table/main.js")
        .send()
        .await
        .expect(200);
    function
        .get("/turnstile/v1/rulesets")
        .send()
        .await
        .expect(404);
}

#[tokio::test]
async fn the_platforms_request_id_is_in_the_log_and_in_the_answer() {
    let function = Function::embedded(EventSource::FunctionUrl, &[]).await;
    let answer = function.get("/v1/rulesets").send().await;
    let id = answer.header("x-request-id");
    assert!(id.starts_with("8476a536-e9f4-11e8-9739-"), "{id}");
    assert!(!function.log().contains('\u{1b}'), "{}", function.log());
    let line = function.requests().pop().expect("a line about the request");
    assert_eq!(
        (&line["request_id"], &line["span"]["aws_request_id"]),
        (&json!(id), &json!(id)),
        "{line}"
    );
    assert_eq!(
        (&line["status"], &line["path"]),
        (&json!(200), &json!("/v1/rulesets")),
        "{line}"
    );
}

#[tokio::test]
async fn an_event_of_another_kind_is_refused_and_the_next_one_served() {
    let function = Function::embedded(EventSource::Alb, &[]).await;
    for event in [
        json!({"Records": [{"eventSource": "aws:s3"}]}),
        json!("hello"),
        json!({}),
    ] {
        let error = function.invoke(event).await.expect_err("no answer");
        assert!(
            error["errorMessage"]
                .as_str()
                .unwrap()
                .contains("Function URLs"),
            "{error}"
        );
    }
    function.get("/livez").send().await.expect(200);
}

#[tokio::test]
async fn a_header_that_http_does_not_allow_is_answered() {
    for source in EventSource::ALL {
        let function = Function::embedded(source, &[]).await;
        for bad in ["a\u{1}b", "two\r\nlines"] {
            let mut event = source.recorded();
            match source {
                EventSource::AlbMulti => event["multiValueHeaders"]["x-own"] = json!(["fine", bad]),
                _ => event["headers"]["x-own"] = json!(bad),
            }
            let answer = function.invoke(event).await.expect("an answer");
            let body = answer["body"].as_str().expect("a body");
            assert!(
                answer["statusCode"] == 400 && body.contains("invalid_header"),
                "{source:?}: {answer}"
            );
        }
        function.get("/livez").send().await.expect(200);
    }
}

#[tokio::test]
async fn an_answer_that_is_too_large_for_the_event_source_says_so() {
    for (source, lists) in [(EventSource::Alb, 3), (EventSource::FunctionUrl, 17)] {
        let function = Function::embedded(source, &[]).await;
        let fight = function.fight().await;
        // What has to be escaped takes twice its room within an event.
        let notes = json!(vec![note(&"\"".repeat(2000)); 50]);
        for _ in 0..lists {
            fight.command(&notes).minimal().send().await.expect(200);
        }
        // The document describes the program, not the limit of the event source.
        let call = fight
            .get("/export?")
            .header("origin", "https://table.example");
        let refused = call.try_send().await.expect("an answer");
        let problem = refused.problem(413, "answer_too_large");
        assert_eq!(problem["instance"], fight.path("/export"), "{problem}");
        assert_eq!(refused.header("cache-control"), "no-store");
        assert_eq!(
            refused.header("access-control-allow-origin"),
            "*",
            "{refused:?}"
        );
        assert!(!refused.header("x-request-id").is_empty(), "{refused:?}");
        // A page fits, and so does a packed answer.
        fight.read("/events?after=0&limit=1000").await;
        let packed = fight
            .get("/export?")
            .header("accept-encoding", "gzip")
            .send()
            .await;
        assert_eq!(
            (packed.status, packed.header("content-encoding")),
            (200, "gzip"),
            "{source:?}"
        );
    }
}

#[tokio::test]
async fn without_a_redis_it_says_so_and_does_not_start() {
    for (setting, value) in [
        ("REDIS_URL", ""),
        ("REDIS_URL", "http://nowhere"),
        ("TURNKEEPER_TTL", "a while"),
    ] {
        let settings = [(setting, value)];
        let settings = if value.is_empty() { &[][..] } else { &settings };
        let function = Function::start(EventSource::HttpApi, settings, 1).await;
        let status = function.ended(Duration::from_secs(5));
        let log = function.log();
        if value.is_empty() {
            assert!(
                status.code() == Some(1) && log.contains("REDIS_URL is not set"),
                "{log}"
            );
        }
        let lines = log
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let mut reasons = lines
            .filter(|line| line["level"] == "ERROR")
            .map(|line| line["reason"].to_string());
        assert!(
            !status.success() && reasons.any(|reason| reason.contains(setting)),
            "{log}"
        );
    }
}

#[tokio::test]
async fn connections_that_were_cut_between_two_events_are_replaced_within_the_second() {
    let (redis, cluster) = (RedisServer::start(), RedisCluster::start());
    let nodes: [(String, Vec<&RedisServer>); 2] = [
        (redis.url(), vec![&redis]),
        (cluster.url(), cluster.servers.iter().collect()),
    ];
    for (url, servers) in nodes {
        let function = Function::start(EventSource::HttpApi, &[("REDIS_URL", &url)], 1).await;
        function.fight().await;
        for _ in 0..5 {
            for server in &servers {
                server.command(&["CLIENT", "KILL", "TYPE", "normal"]);
            }
            assert_eq!(
                create(&function).await.status,
                201,
                "{url}: {}",
                function.log()
            );
        }
    }
}

/// Freezes the function until the proxy has forgotten all of its connections, as networks do.
async fn freeze(function: &Function, proxy: &Proxy) {
    function.signal("STOP");
    proxy.forget();
    tokio::time::sleep(Duration::from_millis(2200)).await;
    function.signal("CONT");
}

#[tokio::test]
async fn a_connection_that_died_without_a_word_while_it_was_frozen_is_replaced_within_the_request()
{
    let redis = RedisServer::start();
    let proxy = Proxy::before(&redis).await;
    let function = Function::start(EventSource::HttpApi, &[("REDIS_URL", &proxy.url())], 1).await;
    create(&function).await.expect(201);
    freeze(&function, &proxy).await;
    let started = Instant::now();
    assert_eq!(create(&function).await.status, 201, "{}", function.log());
    assert!(
        started.elapsed() < Duration::from_secs(1),
        "{:?}",
        started.elapsed()
    );
    assert!(proxy.connected_anew());
}

/// Sends a note after half a second.
async fn later(fight: &Fight) {
    tokio::time::sleep(Duration::from_millis(500)).await;
    fight.accepted(note("later")).await;
}

#[tokio::test]
async fn a_long_poll_hears_of_what_is_committed_soon_after_a_freeze() {
    let redis = RedisServer::start();
    let proxy = Proxy::before(&redis).await;
    let function = Function::start(EventSource::HttpApi, &[("REDIS_URL", &proxy.url())], 1).await;
    let server = Server::on(&redis);
    let fight = function.fight().await;
    let there = fight.through(&server.client());
    for after in 0..2 {
        let poll = format!("/events?after={after}&wait=15");
        let commit = async {
            later(&there).await;
            Instant::now()
        };
        let (page, committed) = tokio::join!(fight.read(&poll), commit);
        assert_eq!(page["items"][0]["version"], after + 1, "{page}");
        assert!(
            committed.elapsed() < Duration::from_secs(3),
            "{:?} after the commit",
            committed.elapsed()
        );
        freeze(&function, &proxy).await;
    }
}

#[tokio::test]
async fn an_instance_that_starts_while_a_host_of_the_cluster_is_silent_serves() {
    let cluster = RedisCluster::with_replicas();
    // As a machine without power: no connection is refused, and nothing is answered.
    cluster.servers[0].pause();
    cluster.replace(0);
    let function = Function::start(EventSource::HttpApi, &[("REDIS_URL", &cluster.url())], 1).await;
    let creates = async || create(&function).await.status == 201;
    eventually("it connects", Duration::from_secs(10), creates).await;
}

#[tokio::test]
async fn an_answer_comes_before_the_functions_time_is_over() {
    let redis = RedisServer::start();
    let limit = Duration::from_millis(950);
    let function = Function::at(
        EventSource::HttpApi,
        "$default",
        limit,
        &[("REDIS_URL", &redis.url())],
    )
    .await;
    function.another();
    create(&function).await.expect(201);
    redis.pause();
    let mut took = Vec::new();
    for _ in 0..5 {
        let started = Instant::now();
        let late = create(&function).await;
        took.push(started.elapsed());
        late.problem(503, "too_late");
        assert_eq!(late.header("retry-after"), "1");
    }
    // Without a deadline it takes twice as long; a busy machine takes its time for the way there
    // and back.
    assert!(
        took.iter()
            .any(|took| *took < limit + Duration::from_millis(300)),
        "{took:?}"
    );
    redis.resume();
}

#[tokio::test]
async fn an_event_that_is_under_way_is_answered_before_the_instance_ends() {
    let redis = RedisServer::start();
    let function = Function::start(EventSource::HttpApi, &[("REDIS_URL", &redis.url())], 1).await;
    create(&function).await.expect(201);
    redis.pause();
    let ending = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        function.signal("TERM");
        tokio::time::sleep(Duration::from_millis(200)).await;
        redis.resume();
    };
    let (made, ()) = tokio::join!(create(&function), ending);
    made.expect(201);
    assert!(
        function.ended(Duration::from_secs(5)).success(),
        "{}",
        function.log()
    );
}

#[tokio::test]
async fn a_stream_and_a_long_poll_end_within_the_functions_time() {
    let redis = RedisServer::start();
    let limit = Duration::from_secs(3);
    let function = Function::at(
        EventSource::FunctionUrl,
        "$default",
        limit,
        &[("REDIS_URL", &redis.url())],
    )
    .await;
    (0..2).for_each(|_| function.another());
    let fight = function.fight().await;
    let started = Instant::now();
    assert_eq!(fight.read("/events?wait=60").await["items"], json!([]));
    assert!(
        (1..3).contains(&started.elapsed().as_secs()),
        "{:?}",
        started.elapsed()
    );
    for (accept, ends_with) in [(SSE, "\n\n"), (LINES, "}\n")] {
        let started = Instant::now();
        let stream = fight
            .get("/events")
            .header("accept", accept)
            .send()
            .await
            .text();
        assert!(
            stream.contains("snapshot") && stream.ends_with(ends_with),
            "{stream}"
        );
        assert!(
            started.elapsed() < Duration::from_secs(1),
            "the snapshot comes at once: {:?}",
            started.elapsed()
        );
    }
    let resumed = fight
        .get("/events")
        .header("accept", SSE)
        .header("last-event-id", "0")
        .send();
    let started = Instant::now();
    let (resumed, ()) = tokio::join!(resumed, later(&fight));
    let resumed = resumed.text();
    assert!(
        resumed.contains("event: transition") && resumed.contains("later"),
        "{resumed}"
    );
    assert!(
        started.elapsed() < Duration::from_secs(2),
        "{:?}",
        started.elapsed()
    );
}
