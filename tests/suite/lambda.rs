//! What the Lambda door has beside what every door has; the end-to-end tests run through it by `tests/matrix`.

use crate::support::cluster::RedisCluster;
use crate::support::lambda::{EventSource, Function};
use crate::support::redis::RedisServer;
use crate::support::server::Server;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const PATIENCE: Duration = Duration::from_secs(29);

fn creation() -> Value {
    json!({"ruleset": "active-initiative", "combatants": [{"name": "Valiant"}, {"name": "Brakkus", "side": "monsters"}]})
}

async fn create(function: &Function) -> reqwest::Response {
    let request = reqwest::Client::new().post(format!("{}/v1/encounters", function.url));
    let answer = request.header("content-type", "application/json").body(creation().to_string()).send().await;
    answer.expect("an answer")
}

async fn get(function: &Function, path: &str) -> reqwest::Response {
    reqwest::get(format!("{}{path}", function.url)).await.expect("an answer")
}

fn header<'r>(response: &'r reqwest::Response, name: &str) -> &'r str {
    response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

async fn json(response: reqwest::Response) -> Value {
    let text = response.text().await.expect("a body");
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[tokio::test]
async fn a_fight_goes_through_every_front() {
    for front in EventSource::ALL {
        let data = TempDir::new().unwrap();
        let function = Function::start(front, &[("TURNKEEPER_DATA", data.path().to_str().unwrap())], 1).await;
        let made = create(&function).await;
        assert_eq!((made.status().as_u16(), header(&made, "etag")), (201, "\"0\""), "{front:?}");
        let location = header(&made, "location").to_owned();
        let made = json(made).await;
        let token = made["token"].as_str().unwrap();
        let client = reqwest::Client::new();
        let get = |path: &str| client.get(format!("{}{location}{path}", function.url)).bearer_auth(token);
        let command = client.post(format!("{}{location}/commands", function.url)).bearer_auth(token);
        let command = command.header("content-type", "application/vnd.x+json");
        let started = command.body(json!({"type": "start", "first": "valiant"}).to_string()).send().await.unwrap();
        assert_eq!(json(started).await["encounter"]["current"], json!(["valiant"]), "{front:?}: a body as base64");
        let page = json(get("/events?after=0&limit=1").send().await.unwrap()).await;
        assert_eq!(page["items"].as_array().unwrap().len(), 1, "{front:?}");
        let gzip = get("/options").header("accept-encoding", "gzip").send().await.unwrap();
        assert_eq!(header(&gzip, "content-encoding"), "gzip", "{front:?}");
        assert!(gzip.bytes().await.unwrap().starts_with(&[0x1f, 0x8b]), "{front:?}");
    }
}

#[tokio::test]
async fn the_stage_comes_off_the_paths_and_goes_back_on() {
    let data = TempDir::new().unwrap();
    let settings = [("TURNKEEPER_DATA", data.path().to_str().unwrap())];
    let function = Function::at(EventSource::HttpApi, "live", PATIENCE, &settings).await;
    function.another();
    let made = create(&function).await;
    assert_eq!(made.status(), 201);
    assert!(header(&made, "location").starts_with("/live/v1/encounters/"), "{made:?}");
    assert_eq!(get(&function, "/v1/rulesets").await.status(), 200);
    assert_eq!(json(get(&function, "/openapi.json").await).await["servers"][0]["url"], "/live");
}

#[tokio::test]
async fn the_base_path_comes_off_the_paths_and_goes_back_on() {
    let data = TempDir::new().unwrap();
    let settings = [("TURNKEEPER_DATA", data.path().to_str().unwrap()), ("TURNKEEPER_BASE_PATH", "/turns")];
    let function = Function::start(EventSource::FunctionUrl, &settings, 1).await;
    assert!(header(&create(&function).await, "location").starts_with("/turns/v1/encounters/"));
    assert_eq!(get(&function, "/turns/v1/rulesets?").await.status(), 200);
    assert_eq!(json(get(&function, "/turns/openapi.json").await).await["servers"][0]["url"], "/turns");
    let page = get(&function, "/turns/docs/swagger-initializer.js").await.text().await.unwrap();
    assert!(page.contains(r#""url": "../openapi.json""#), "beside the page, wherever that is: {page}");
    assert_eq!(get(&function, "/turnstile/v1/rulesets").await.status(), 404);
}

#[tokio::test]
async fn the_platforms_request_id_is_in_the_log_and_in_the_answer() {
    let data = TempDir::new().unwrap();
    let function =
        Function::start(EventSource::FunctionUrl, &[("TURNKEEPER_DATA", data.path().to_str().unwrap())], 1).await;
    let answer = get(&function, "/v1/rulesets").await;
    let id = header(&answer, "x-request-id").to_owned();
    assert!(id.starts_with("8476a536-e9f4-11e8-9739-"), "{id}");
    let log = function.log();
    assert!(!log.contains('\u{1b}'), "{log}");
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
    let line = lines.iter().find(|line| line["target"] == "turnkeeper::request").expect("a line about the request");
    assert_eq!((&line["request_id"], &line["span"]["aws_request_id"]), (&json!(id), &json!(id)), "{line}");
    assert_eq!((&line["status"], &line["path"]), (&json!(200), &json!("/v1/rulesets")), "{line}");
}

#[tokio::test]
async fn an_event_of_another_kind_is_refused_and_the_next_one_served() {
    let data = TempDir::new().unwrap();
    let function = Function::start(EventSource::Alb, &[("TURNKEEPER_DATA", data.path().to_str().unwrap())], 1).await;
    for event in [json!({"Records": [{"eventSource": "aws:s3"}]}), json!("hello"), json!({})] {
        let error = function.invoke(event).await.expect_err("no answer");
        assert!(error["errorMessage"].as_str().unwrap().contains("Function URLs"), "{error}");
    }
    assert_eq!(get(&function, "/livez").await.status(), 200);
}

#[tokio::test]
async fn an_answer_that_is_too_large_for_the_front_says_so() {
    let path = "/export?";
    for (front, lists) in [(EventSource::Alb, 3), (EventSource::FunctionUrl, 17)] {
        let data = TempDir::new().unwrap();
        let function = Function::start(front, &[("TURNKEEPER_DATA", data.path().to_str().unwrap())], 1).await;
        let made = json(create(&function).await).await;
        let encounter = format!("{}/v1/encounters/{}", function.url, made["encounter"]["id"].as_str().unwrap());
        let (client, token) = (reqwest::Client::new(), made["token"].as_str().unwrap());
        // What has to be escaped takes twice its room within an event.
        let notes = json!(vec![json!({"type": "note", "text": "\"".repeat(2000)}); 50]).to_string();
        for _ in 0..lists {
            let list = client.post(format!("{encounter}/commands")).bearer_auth(token).body(notes.clone());
            let list = list.header("content-type", "application/json").header("prefer", "return=minimal");
            assert_eq!(list.send().await.unwrap().status(), 200, "{front:?}");
        }
        let get = |path: &str| client.get(format!("{encounter}{path}")).bearer_auth(token);
        let refused = get(path).header("origin", "https://table.example").send().await.unwrap();
        assert_eq!(refused.status(), 413, "{front:?}");
        assert_eq!(header(&refused, "content-type"), "application/problem+json");
        assert_eq!(header(&refused, "cache-control"), "no-store");
        assert_eq!(header(&refused, "access-control-allow-origin"), "*", "{refused:?}");
        assert!(!header(&refused, "x-request-id").is_empty(), "{refused:?}");
        let problem = json(refused).await;
        assert_eq!(problem["code"], "answer_too_large", "{problem}");
        assert!(problem["instance"].as_str().unwrap().starts_with("/v1/encounters/"), "{problem}");
        let page = get("/events?after=0&limit=1000").send().await.unwrap();
        assert_eq!(page.status(), 200, "{front:?}: a page fits");
        let packed = get(path).header("accept-encoding", "gzip").send().await.unwrap();
        assert_eq!((packed.status().as_u16(), header(&packed, "content-encoding")), (200, "gzip"), "{front:?}");
    }
}

#[tokio::test]
async fn without_a_redis_it_says_so_and_does_not_start() {
    let function = Function::start(EventSource::HttpApi, &[], 1).await;
    assert_eq!(function.ended(Duration::from_secs(5)).code(), Some(1));
    assert!(function.log().contains("REDIS_URL is not set"), "{}", function.log());
    for settings in [("REDIS_URL", "http://nowhere"), ("TURNKEEPER_TTL", "a while")] {
        let function = Function::start(EventSource::HttpApi, &[settings], 1).await;
        assert!(!function.ended(Duration::from_secs(5)).success());
        let log = function.log();
        let lines = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let told =
            lines.filter(|line| line["level"] == "ERROR").filter_map(|line| line["reason"].as_str().map(str::to_owned));
        assert!(told.into_iter().any(|reason| reason.contains(settings.0)), "{log}");
    }
}

#[tokio::test]
async fn connections_that_were_cut_between_two_events_are_replaced_within_the_second() {
    let (redis, cluster) = (RedisServer::start(), RedisCluster::start());
    let nodes: [(String, Vec<&RedisServer>); 2] =
        [(redis.url(), vec![&redis]), (cluster.url(), cluster.servers.iter().collect())];
    for (url, servers) in nodes {
        let function = Function::start(EventSource::HttpApi, &[("REDIS_URL", &url)], 1).await;
        assert_eq!(create(&function).await.status(), 201);
        for _ in 0..5 {
            for server in &servers {
                server.command(&["CLIENT", "KILL", "TYPE", "normal"]);
            }
            assert_eq!(create(&function).await.status(), 201, "{url}: {}", function.log());
        }
    }
}

/// A way to a server that can forget its connections without a word, as networks do with those of a frozen process.
struct Forgetful {
    port: u16,
    /// So many connections were made.
    made: Arc<AtomicU64>,
    /// So many of them, the oldest, are forgotten.
    forgotten: Arc<AtomicU64>,
}

impl Forgetful {
    async fn before(server: &RedisServer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (port, to) = (listener.local_addr().unwrap().port(), server.port());
        let (made, forgotten) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let (count, lost) = (made.clone(), forgotten.clone());
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let number = count.fetch_add(1, Ordering::SeqCst) + 1;
                let server = TcpStream::connect(("127.0.0.1", to)).await.unwrap();
                let (from_client, to_client) = client.into_split();
                let (from_server, to_server) = server.into_split();
                tokio::spawn(Self::pass(from_client, to_server, number, lost.clone()));
                tokio::spawn(Self::pass(from_server, to_client, number, lost.clone()));
            }
        });
        Self { port, made, forgotten }
    }

    async fn pass(
        mut from: impl AsyncReadExt + Unpin, mut to: impl AsyncWriteExt + Unpin, number: u64, lost: Arc<AtomicU64>,
    ) {
        let mut buffer = vec![0; 1 << 16];
        while let Ok(read @ 1..) = from.read(&mut buffer).await {
            if lost.load(Ordering::SeqCst) < number && to.write_all(&buffer[..read]).await.is_err() {
                break;
            }
        }
    }

    fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Freezes the function for so long that whoever is between it and its server forgets all of its connections.
    async fn freeze(&self, function: &Function) {
        function.signal("STOP");
        self.forgotten.store(self.made.load(Ordering::SeqCst), Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(2200)).await;
        function.signal("CONT");
    }
}

#[tokio::test]
async fn a_connection_that_died_without_a_word_while_it_was_frozen_is_replaced_within_the_request() {
    let redis = RedisServer::start();
    let way = Forgetful::before(&redis).await;
    let function = Function::start(EventSource::HttpApi, &[("REDIS_URL", &way.url())], 1).await;
    assert_eq!(create(&function).await.status(), 201);
    way.freeze(&function).await;
    let started = Instant::now();
    assert_eq!(create(&function).await.status(), 201, "{}", function.log());
    assert!(started.elapsed() < Duration::from_secs(1), "{:?}", started.elapsed());
    assert!(way.made.load(Ordering::SeqCst) > way.forgotten.load(Ordering::SeqCst), "it was connected anew");
}

/// Sends a command to the encounter at `url` after half a second.
async fn later(client: &reqwest::Client, url: &str, token: &str) {
    tokio::time::sleep(Duration::from_millis(500)).await;
    let command = client.post(format!("{url}/commands")).bearer_auth(token);
    let command = command.header("content-type", "application/json").body(r#"{"type": "note", "text": "later"}"#);
    assert_eq!(command.send().await.unwrap().status(), 200);
}

#[tokio::test]
async fn a_long_poll_hears_of_what_is_committed_soon_after_a_freeze() {
    let redis = RedisServer::start();
    let way = Forgetful::before(&redis).await;
    let function = Function::start(EventSource::HttpApi, &[("REDIS_URL", &way.url())], 1).await;
    let server = Server::on(&redis);
    let made = json(create(&function).await).await;
    let path = format!("/v1/encounters/{}", made["encounter"]["id"].as_str().unwrap());
    let (client, token) = (reqwest::Client::new(), made["token"].as_str().unwrap());
    let poll = |after: u64| {
        let url = format!("{}{path}/events?after={after}&wait=15", function.url);
        async { json(client.get(url).bearer_auth(token).send().await.unwrap()).await["items"].clone() }
    };
    let commit = async || {
        later(&client, &format!("{}{path}", server.url()), token).await;
        Instant::now()
    };
    for after in 0..2 {
        let (items, committed) = tokio::join!(poll(after), commit());
        assert_eq!(items[0]["version"], after + 1, "{items}");
        assert!(committed.elapsed() < Duration::from_secs(3), "{:?} after the commit", committed.elapsed());
        way.freeze(&function).await;
    }
}

/// Servers of a cluster that say of themselves that they are primaries, without the first.
fn primaries_beside_the_first(cluster: &RedisCluster) -> usize {
    let role = |server: &RedisServer| redis::from_redis_value::<String>(server.command(&["INFO", "replication"]));
    let primary = |server: &&RedisServer| role(server).is_ok_and(|role| role.contains("role:master"));
    cluster.servers.iter().skip(1).filter(primary).count()
}

#[tokio::test]
async fn an_instance_that_starts_while_a_host_of_the_cluster_is_silent_serves() {
    let cluster = RedisCluster::with_replicas();
    // As a machine without power: no connection is refused, and nothing is answered.
    cluster.servers[0].pause();
    let until = Instant::now() + Duration::from_secs(20);
    while primaries_beside_the_first(&cluster) < 3 {
        assert!(Instant::now() < until, "no replica takes over");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let function = Function::start(EventSource::HttpApi, &[("REDIS_URL", &cluster.url())], 1).await;
    let until = Instant::now() + Duration::from_secs(10);
    while create(&function).await.status() != 201 {
        assert!(Instant::now() < until, "it never connects: {}", function.log());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn an_answer_comes_before_the_functions_time_is_over() {
    let redis = RedisServer::start();
    let limit = Duration::from_millis(950);
    let function = Function::at(EventSource::HttpApi, "$default", limit, &[("REDIS_URL", &redis.url())]).await;
    function.another();
    assert_eq!(create(&function).await.status(), 201);
    redis.pause();
    let mut took = Vec::new();
    for _ in 0..5 {
        let started = Instant::now();
        let late = create(&function).await;
        took.push(started.elapsed());
        assert_eq!((late.status().as_u16(), header(&late, "retry-after")), (503, "1"));
        assert_eq!(json(late).await["code"], "too_late");
    }
    // Without a deadline it takes twice as long; a busy machine takes its time for the way there and back.
    assert!(took.iter().any(|took| *took < limit + Duration::from_millis(300)), "{took:?}");
    redis.resume();
}

#[tokio::test]
async fn an_event_that_is_under_way_is_answered_before_the_instance_ends() {
    let redis = RedisServer::start();
    let function = Function::start(EventSource::HttpApi, &[("REDIS_URL", &redis.url())], 1).await;
    assert_eq!(create(&function).await.status(), 201);
    redis.pause();
    let ending = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        function.signal("TERM");
        tokio::time::sleep(Duration::from_millis(200)).await;
        redis.resume();
    };
    let (made, ()) = tokio::join!(create(&function), ending);
    assert_eq!(made.status(), 201);
    assert!(function.ended(Duration::from_secs(5)).success(), "{}", function.log());
}

#[tokio::test]
async fn a_stream_and_a_long_poll_end_within_the_functions_time() {
    let redis = RedisServer::start();
    let limit = Duration::from_secs(3);
    let function = Function::at(EventSource::FunctionUrl, "$default", limit, &[("REDIS_URL", &redis.url())]).await;
    (0..2).for_each(|_| function.another());
    let made = json(create(&function).await).await;
    let path = format!("{}/v1/encounters/{}", function.url, made["encounter"]["id"].as_str().unwrap());
    let (client, token) = (reqwest::Client::new(), made["token"].as_str().unwrap());
    let get = |path: String, accept: &'static str| client.get(path).bearer_auth(token).header("accept", accept);
    let started = Instant::now();
    let page = get(format!("{path}/events?wait=60"), "application/json").send().await.unwrap();
    assert_eq!((page.status().as_u16(), json(page).await["items"].clone()), (200, json!([])));
    assert!((1..3).contains(&started.elapsed().as_secs()), "{:?}", started.elapsed());
    for (accept, ends_with) in [("text/event-stream", "\n\n"), ("application/x-ndjson", "}\n")] {
        let started = Instant::now();
        let stream = get(format!("{path}/events"), accept).send().await.unwrap().text().await.unwrap();
        assert!(stream.contains("snapshot") && stream.ends_with(ends_with), "{stream}");
        assert!(started.elapsed() < Duration::from_secs(1), "what is there is told at once: {:?}", started.elapsed());
    }
    let resumed = get(format!("{path}/events"), "text/event-stream").header("last-event-id", "0").send();
    let started = Instant::now();
    let (resumed, ()) = tokio::join!(resumed, later(&client, &path, token));
    let resumed = resumed.unwrap().text().await.unwrap();
    assert!(resumed.contains("event: transition") && resumed.contains("later"), "{resumed}");
    assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
}
