//! The live feed: cut and resumed after every event, over two processes and Redis, through restarts of either.

use crate::e2e::{Api, Fight, Setup, note};
use crate::support::contract;
use crate::support::redis::RedisServer;
use crate::support::server::Server;
use crate::support::setting;
use futures::FutureExt;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use turnkeeper::http::Settings;
use turnkeeper::store::StoreConfig;
use turnkeeper::store::embedded::EmbeddedStore;
use turnkeeper::store::redis::RedisStore;

const LINES: &str = "application/x-ndjson";
const SSE: &str = "text/event-stream";

/// An open stream.
pub struct Stream {
    response: reqwest::Response,
    bytes: Vec<u8>,
    sse: bool,
}

/// A message of a stream: its kind, its id where it has one, its data.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    pub kind: String,
    pub id: Option<String>,
    pub data: Value,
}

impl Stream {
    /// Opens one that goes on after `after`; an error is the status, or 0 where there was no answer.
    pub async fn open(fight: &Fight<'_>, accept: &str, after: Option<u64>) -> Result<Self, u16> {
        let sse = accept == SSE;
        let call = match after {
            Some(after) if sse => fight.get("/events").header("last-event-id", &after.to_string()),
            Some(after) => fight.get(&format!("/events?after={after}")),
            None => fight.get("/events"),
        };
        let response = call.header("accept", accept).request().send().await.map_err(|_| 0_u16)?;
        match response.status().as_u16() {
            200 => {
                assert_eq!(response.headers()["content-type"], accept);
                Ok(Self { response, bytes: Vec::new(), sse })
            }
            status => Err(status),
        }
    }

    /// The next message; None at the stream's end, however it ended.
    pub async fn next(&mut self) -> Option<Message> {
        let end: &[u8] = if self.sse { b"\n\n" } else { b"\n" };
        loop {
            if let Some(at) = self.bytes.windows(end.len()).position(|window| window == end) {
                let rest = self.bytes.split_off(at + end.len());
                let text = String::from_utf8(std::mem::replace(&mut self.bytes, rest)).expect("text");
                match self.read(text.trim_end()) {
                    Some(message) => return Some(message),
                    None => continue,
                }
            }
            self.bytes.extend(self.response.chunk().await.ok()??);
        }
    }

    fn read(&self, text: &str) -> Option<Message> {
        if !self.sse {
            let data: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
            assert_eq!(contract::faults("FeedLine", &data), Vec::<String>::new());
            let kind = data["type"].as_str().expect("a type").to_owned();
            return Some(Message { kind, id: None, data });
        }
        let fields: BTreeMap<&str, &str> = text.lines().filter_map(|line| line.split_once(": ")).collect();
        let data = serde_json::from_str(fields.get("data")?).expect("JSON");
        let id = fields.get("id").map(|id| id.to_string());
        Some(Message { kind: fields["event"].to_owned(), id, data })
    }

    /// The version of the next transition; None at the stream's end.
    pub async fn transition(&mut self) -> Option<u64> {
        loop {
            let message = self.next().await?;
            if message.kind == "transition" {
                let version = message.data["version"].as_u64().expect("a version");
                assert!(message.id.is_none_or(|id| id == version.to_string()), "the id is the version");
                return Some(version);
            }
            assert!(matches!(message.kind.as_str(), "snapshot" | "keep_alive"), "{message:?}");
        }
    }
}

#[tokio::test]
async fn lines_begin_with_a_snapshot_tell_every_transition_and_the_end() {
    let api = Api::start().await;
    let fight = api.fight().await;
    fight.notes(2).await;
    let mut now = Stream::open(&fight, LINES, None).await.expect("a stream");
    let mut then = Stream::open(&fight, LINES, Some(1)).await.expect("a stream");
    let snapshot = now.next().await.expect("a snapshot");
    assert_eq!((snapshot.kind.as_str(), &snapshot.data["version"]), ("snapshot", &json!(2)));
    assert_eq!(snapshot.data["encounter"], fight.get("").send().await.json());
    let snapshot = then.next().await.expect("a snapshot");
    assert_eq!(
        snapshot.data["encounter"],
        fight.get("?at=1").send().await.json(),
        "the state that the transitions follow"
    );
    assert_eq!(then.transition().await, Some(2));
    fight.accepted(json!({"type": "start", "first": "chansi"})).await;
    let log = fight.get("/events?after=2").send().await.json();
    for stream in [&mut now, &mut then] {
        let mut told = stream.next().await.expect("a transition");
        assert_eq!((told.kind.as_str(), told.data["type"].take()), ("transition", json!("transition")));
        told.data.as_object_mut().expect("an entry").remove("type");
        assert_eq!(told.data, log["items"][0]);
    }
    api.call("DELETE", &fight.path("")).token(&fight.token).send().await;
    for mut stream in [now, then] {
        assert_eq!(stream.next().await.map(|message| message.kind), Some("deleted".to_owned()));
        assert_eq!(stream.next().await, None);
    }
    assert_eq!(Stream::open(&fight, LINES, None).await.err(), Some(404));
}

#[tokio::test]
async fn both_kinds_of_streams_begin_alike() {
    let api = Api::start().await;
    let fight = api.fight().await;
    fight.notes(3).await;
    for accept in [LINES, SSE] {
        let open = async |rest: &str, last: &str| {
            let call = fight.get(&format!("/events{rest}")).header("accept", accept).header("last-event-id", last);
            let response = call.request().send().await.expect("an answer");
            assert_eq!(response.status(), 200, "{accept} {rest}");
            let mut stream = Stream { response, bytes: Vec::new(), sse: accept == SSE };
            let first = stream.next().await.expect("a message");
            (first.kind, first.data["version"].clone(), stream)
        };
        let told = async |rest: &str, last: &str| {
            let (kind, version, _) = open(rest, last).await;
            (kind, version)
        };
        let snapshot = |version: u64| ("snapshot".to_owned(), json!(version));
        assert_eq!(told("", "").await, snapshot(3), "{accept}");
        assert_eq!(told("?after=1", "").await, snapshot(1), "{accept}: the state that the transitions follow");
        assert_eq!(told("", "2").await, ("transition".to_owned(), json!(3)), "{accept}: the state is known already");
        assert_eq!(told("?after=0", "2").await, ("transition".to_owned(), json!(3)), "{accept}: the header counts");
        let (_, _, mut limited) = open("?after=0&limit=2", "").await;
        assert_eq!((limited.transition().await, limited.transition().await), (Some(1), Some(2)), "{accept}");
        assert_eq!(limited.transition().await, None, "{accept}: it ends after as many as were asked for");
        let refused = fight.get("/events?limit=1001").header("accept", accept).send().await;
        assert_eq!(refused.problem(422, "invalid_value")["errors"][0]["path"], "limit", "{accept}");
    }
}

#[tokio::test]
async fn server_sent_events_have_ids_and_last_event_id_beats_the_query() {
    let api = Api::start().await;
    let fight = api.fight().await;
    fight.notes(3).await;
    let mut fresh = Stream::open(&fight, SSE, None).await.expect("a stream");
    let snapshot = fresh.next().await.expect("a snapshot");
    assert_eq!((snapshot.kind.as_str(), snapshot.id.as_deref()), ("snapshot", Some("3")));
    let call = fight.get("/events?after=0").header("last-event-id", "2").header("accept", SSE);
    let response = call.request().send().await.expect("an answer");
    let mut resumed = Stream { response, bytes: Vec::new(), sse: true };
    let first = resumed.next().await.expect("an event");
    assert_eq!((first.kind.as_str(), first.id.as_deref()), ("transition", Some("3")), "the state is known already");
    for (last, status) in [("x", 400), ("9", 422)] {
        let call = fight.get("/events").header("last-event-id", last).header("accept", SSE);
        assert_eq!(call.send().await.status, status, "{last}");
    }
    assert_eq!(fight.get("/events?after=3").send().await.json()["items"], json!([]), "a page is still a page");
}

#[tokio::test]
async fn a_long_poll_answers_when_something_happens_and_no_later_than_asked() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let poll = |rest: &str| fight.get(&format!("/events{rest}")).send();
    let soon = || tokio::time::sleep(Duration::from_millis(100));
    for (asked, version) in [("?wait=30", 1), ("?after=1&wait=30", 2)] {
        let (answer, ()) = tokio::join!(poll(asked), soon().then(|()| fight.notes(1)));
        assert_eq!((answer.status, &answer.json()["items"][0]["version"]), (200, &json!(version)), "{asked}");
    }
    let began = Instant::now();
    assert_eq!(poll("?after=2&wait=1").await.json()["items"], json!([]));
    assert!(began.elapsed() >= Duration::from_secs(1));
    let there = poll("?after=0&wait=60").await.json();
    assert_eq!(there["items"].as_array().map(Vec::len), Some(2), "what is there is answered at once");
    assert_eq!(poll("?wait=61").await.status, 422);
    let delete = api.call("DELETE", &fight.path("")).token(&fight.token);
    let (gone, _) = tokio::join!(poll("?after=2&wait=30"), soon().then(|()| delete.send()));
    assert_eq!(gone.status, 404);
}

#[tokio::test]
async fn streams_keep_alive_end_by_themselves_and_end_with_the_process() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let store = Arc::new(EmbeddedStore::open(data.path(), StoreConfig::default()).expect("a store"));
    let settings = Settings {
        keep_alive: Duration::from_millis(50),
        stream_time: Duration::from_millis(500),
        ..Settings::default()
    };
    let short = Api::on(store.clone(), Setup { settings, ..Setup::default() }).await;
    let long = Api::on(store, Setup::default()).await;
    let fight = short.fight().await;
    let began = Instant::now();
    let mut stream = Stream::open(&fight, LINES, None).await.expect("a stream");
    assert_eq!(stream.next().await.expect("a snapshot").kind, "snapshot");
    let mut alive = 0;
    while let Some(message) = stream.next().await {
        assert_eq!(message.kind, "keep_alive");
        alive += 1;
    }
    assert!(alive >= 2 && began.elapsed() >= Duration::from_millis(400), "{alive} in {:?}", began.elapsed());
    let mut stream = Stream::open(&fight.through(&long), SSE, Some(0)).await.expect("a stream");
    fight.notes(1).await;
    assert_eq!(stream.transition().await, Some(1), "both serve the same encounters");
    long.app().end_feeds();
    assert_eq!(stream.next().await, None);
    assert_eq!(Stream::open(&fight.through(&long), SSE, Some(0)).await.err(), Some(503));
}

#[tokio::test]
async fn a_follower_that_does_not_read_is_cut_and_goes_on_where_it_was() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let mut slow = Stream::open(&fight, LINES, Some(0)).await.expect("a stream");
    // More than the sockets between them hold.
    let text = "x".repeat(2000);
    let list: Vec<Value> = (0..50).map(|_| json!({"type": "note", "text": text})).collect();
    let count = 300;
    for _ in 0..count {
        fight.accepted(json!(list)).await;
    }
    let mut seen = 0;
    while let Some(version) = slow.transition().await {
        assert_eq!(version, seen + 1, "what comes, comes in order");
        seen = version;
    }
    assert!(seen < count, "it was cut after {seen}");
    let mut again = Stream::open(&fight, LINES, Some(seen)).await.expect("a stream");
    while seen < count {
        seen += 1;
        assert_eq!(again.transition().await, Some(seen));
    }
}

/// What happens while a feed is followed.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Trouble {
    /// The reader hangs up after every event.
    Cuts,
    /// Redis is killed and started again, twice.
    RedisRestarts,
    /// The process that serves the feed is killed, twice.
    ServerKilled,
}

/// Sends notes until `count` are accepted, whatever happens.
async fn write(fight: Fight<'_>, count: u64, committed: &Mutex<BTreeMap<u64, Instant>>) {
    for n in 0..count {
        let version = loop {
            let call = fight.command(&note(&format!("note {n}"))).key(&format!("note-{n}")).request();
            if let Ok(answer) = call.send().await
                && answer.status() == 200
            {
                let body: Value = serde_json::from_str(&answer.text().await.expect("a body")).expect("JSON");
                break body["version"].as_u64().expect("a version");
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        };
        committed.lock().expect("no panic").insert(version, Instant::now());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Follows a fight over a second process, through trouble: every version arrives once, in order.
async fn followed(accept: &str, trouble: Trouble, count: u64) -> Vec<Duration> {
    let mut redis = RedisServer::with(&["--appendonly", "yes", "--appendfsync", "always"]);
    let address = redis.url();
    let settings = [("REDIS_URL", address.as_str()), ("TURNKEEPER_KEEP_ALIVE", "1s")];
    let (writer, reader) = (Server::with(&settings), Server::with(&settings));
    let (api, mut other) = (Api::at(writer.url()), Api::at(reader.url()));
    let fight = api.fight().await;
    let committed = Mutex::default();
    let writing = write(fight.clone(), count, &committed);
    let following = async {
        let (mut cursor, mut late, mut troubles) = (0, Vec::new(), 0);
        let until = Instant::now() + Duration::from_secs(120);
        while cursor < count {
            assert!(Instant::now() < until, "{trouble:?}: only {cursor} of {count} have arrived");
            // Hang-ups go from one process to the other.
            let here = if trouble == Trouble::Cuts && cursor % 3 == 2 { &api } else { &other };
            let Ok(mut stream) = Stream::open(&fight.through(here), accept, Some(cursor)).await else {
                tokio::time::sleep(Duration::from_millis(20)).await;
                continue;
            };
            while let Some(version) = stream.transition().await {
                assert_eq!(version, cursor + 1, "{trouble:?}: no gap, no repetition, in order");
                cursor = version;
                if let Some(at) = committed.lock().expect("no panic").get(&version) {
                    late.push(at.elapsed());
                }
                let due = cursor * 3 / count > troubles;
                match trouble {
                    Trouble::Cuts => break,
                    _ if cursor == count => break,
                    Trouble::RedisRestarts if due => {
                        redis.kill();
                        redis.again();
                    }
                    Trouble::ServerKilled if due => {
                        reader.crash();
                        other = Api::at(reader.url());
                    }
                    _ => {}
                }
                troubles += u64::from(due);
            }
        }
        late.sort();
        late
    };
    tokio::join!(writing, following).1
}

fn events() -> u64 {
    setting("TURNKEEPER_FEED_EVENTS").unwrap_or(60)
}

#[tokio::test]
async fn a_feed_that_is_cut_after_every_event_goes_on_without_gap_or_repetition() {
    for accept in [LINES, SSE] {
        followed(accept, Trouble::Cuts, events()).await;
    }
}

#[tokio::test]
async fn a_feed_goes_on_through_restarts_of_redis() {
    for accept in [LINES, SSE] {
        followed(accept, Trouble::RedisRestarts, events()).await;
    }
}

#[tokio::test]
async fn a_feed_goes_on_when_the_process_that_served_it_was_killed() {
    for accept in [LINES, SSE] {
        followed(accept, Trouble::ServerKilled, events()).await;
    }
}

#[tokio::test]
async fn what_one_process_commits_a_follower_of_another_sees_within_100_ms() {
    let redis = RedisServer::start();
    let store = || Arc::new(RedisStore::open(&redis.url(), None, StoreConfig::default()).expect("a store"));
    let writer = Api::on(store(), Setup::default()).await;
    let reader = Api::on(store(), Setup::default()).await;
    let fight = writer.fight().await;
    let mut stream = Stream::open(&fight.through(&reader), LINES, Some(0)).await.expect("a stream");
    let mut late = Vec::new();
    for version in 1..=50 {
        fight.notes(1).await;
        let committed = Instant::now();
        assert_eq!(stream.transition().await, Some(version));
        late.push(committed.elapsed());
    }
    late.sort();
    println!("seen after the commit's answer: median {:?}, most {:?}", late[25], late[49]);
    assert!(late[25] < Duration::from_millis(100), "median {:?}", late[25]);
}
