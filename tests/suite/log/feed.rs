//! The live feed: cut and resumed after every event, over two processes and Redis, through restarts
//! of either.

use crate::e2e::{Api, Call, Fight, Setup, embedded_store, note};
use crate::support::contract;
use crate::support::redis::{DURABLE, RedisServer};
use crate::support::server::Server;
use crate::support::setting;
use futures::FutureExt;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use turnkeeper::http::Settings;

pub const LINES: &str = "application/x-ndjson";
pub const SSE: &str = "text/event-stream";

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
    /// Opens one that goes on after `after`; an error is the status, or 0 where there was no
    /// answer.
    pub async fn open(fight: &Fight, accept: &str, after: Option<u64>) -> Result<Self, u16> {
        let sse = accept == SSE;
        let call = match after {
            Some(after) if sse => fight
                .get("/events")
                .header("last-event-id", &after.to_string()),
            Some(after) => fight.get(&format!("/events?after={after}")),
            None => fight.get("/events"),
        };
        Self::of(call, accept).await
    }

    /// The stream that this call opens.
    pub async fn of(call: Call, accept: &str) -> Result<Self, u16> {
        let response = call
            .header("accept", accept)
            .request()
            .send()
            .await
            .map_err(|_| 0_u16)?;
        match response.status().as_u16() {
            200 => {
                assert_eq!(response.headers()["content-type"], accept);
                Ok(Self {
                    response,
                    bytes: Vec::new(),
                    sse: accept == SSE,
                })
            }
            status => Err(status),
        }
    }

    /// The next message; None at the stream's end, however it ended.
    pub async fn next(&mut self) -> Option<Message> {
        let end: &[u8] = if self.sse { b"\n\n" } else { b"\n" };
        loop {
            if let Some(at) = self
                .bytes
                .windows(end.len())
                .position(|window| window == end)
            {
                let rest = self.bytes.split_off(at + end.len());
                let text =
                    String::from_utf8(std::mem::replace(&mut self.bytes, rest)).expect("text");
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
            let data: Value =
                serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
            assert_eq!(
                contract::schema_errors("FeedLine", &data),
                Vec::<String>::new()
            );
            let kind = data["type"].as_str().expect("a type").to_owned();
            return Some(Message {
                kind,
                id: data["event_id"].as_str().map(str::to_owned),
                data,
            });
        }
        let fields: BTreeMap<&str, &str> = text
            .lines()
            .filter_map(|line| line.split_once(": "))
            .collect();
        let data = serde_json::from_str(fields.get("data")?).expect("JSON");
        let id = fields.get("id").map(|id| id.to_string());
        Some(Message {
            kind: fields["event"].to_owned(),
            id,
            data,
        })
    }

    /// The version of the next transition; None at the stream's end.
    pub async fn transition(&mut self) -> Option<u64> {
        loop {
            let message = self.next().await?;
            if message.kind == "transition" {
                let version = message.data["version"].as_u64().expect("a version");
                assert!(
                    message
                        .id
                        .is_some_and(|id| id.starts_with(&format!("{version}-"))),
                    "the id has the version"
                );
                return Some(version);
            }
            assert!(
                matches!(message.kind.as_str(), "snapshot" | "keep_alive"),
                "{message:?}"
            );
        }
    }
}

#[tokio::test]
async fn lines_begin_with_a_snapshot_tell_every_transition_and_the_end() {
    let api = Api::start().await;
    let fight = api.fight().await;
    fight.notes(2).await;
    let mut now = Stream::open(&fight, LINES, None).await.expect("a stream");
    let mut then = Stream::open(&fight, LINES, Some(1))
        .await
        .expect("a stream");
    let snapshot = now.next().await.expect("a snapshot");
    assert_eq!(
        (snapshot.kind.as_str(), &snapshot.data["version"]),
        ("snapshot", &json!(2))
    );
    assert_eq!(snapshot.data["encounter"], fight.read("").await);
    let snapshot = then.next().await.expect("a snapshot");
    assert_eq!(
        snapshot.data["encounter"],
        fight.get("?at=1").send().await.json(),
        "the state that the transitions follow"
    );
    assert_eq!(then.transition().await, Some(2));
    fight
        .accepted(json!({"type": "start", "first": "chansi"}))
        .await;
    let log = fight.read("/events?after=2").await;
    for stream in [&mut now, &mut then] {
        let mut entry = stream.next().await.expect("a transition");
        assert_eq!(
            (entry.kind.as_str(), entry.data["type"].take()),
            ("transition", json!("transition"))
        );
        let fields = entry.data.as_object_mut().expect("an entry");
        fields.remove("type");
        fields.remove("event_id").expect("an id");
        assert_eq!(entry.data, log["items"][0]);
    }
    fight.delete().send().await;
    for mut stream in [now, then] {
        assert_eq!(
            stream.next().await.map(|message| message.kind),
            Some("deleted".to_owned())
        );
        assert_eq!(stream.next().await, None);
    }
    assert_eq!(Stream::open(&fight, LINES, None).await.err(), Some(404));
}

#[tokio::test]
async fn a_transition_includes_the_encounter_and_the_options_after_it() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let call = fight.get("/events?include=encounter,options");
    let mut stream = Stream::of(call, LINES).await.expect("a stream");
    let snapshot = stream.next().await.expect("a snapshot");
    assert_eq!(snapshot.data["options"], fight.read("/options").await);
    fight
        .accepted(json!({"type": "start", "first": "chansi"}))
        .await;
    let entry = stream.next().await.expect("a transition");
    assert_eq!(entry.data["encounter"], fight.read("").await);
    assert_eq!(entry.data["options"], fight.read("/options").await);
}

#[tokio::test]
async fn a_transition_that_only_unseen_entries_follow_includes_the_encounter() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let player = fight.player(&["chansi"]).await;
    fight
        .accepted(json!({"type": "start", "first": "chansi"}))
        .await;
    let hidden = json!({"id": "shade", "side": "monsters", "hidden": true});
    fight
        .accepted(json!({"type": "add_combatant", "details": hidden}))
        .await;
    let call = |fight: &Fight| {
        fight
            .get("/events?include=encounter,options")
            .header("last-event-id", "0")
    };
    let mut stream = Stream::of(call(&player), LINES).await.expect("a stream");
    let entry = stream.next().await.expect("a transition");
    assert_eq!(entry.data["version"], json!(1));
    assert_eq!(entry.data["encounter"], player.read("").await);
    assert_eq!(entry.data["options"], player.read("/options").await);
    let mut stream = Stream::of(call(&fight), LINES).await.expect("a stream");
    let entry = stream.next().await.expect("a transition");
    assert_eq!(
        (&entry.data["version"], &entry.data["encounter"]),
        (&json!(1), &Value::Null),
        "version 2 follows at once"
    );
}

#[tokio::test]
async fn both_kinds_of_streams_begin_alike() {
    let api = Api::start().await;
    let fight = api.fight().await;
    fight.notes(3).await;
    for accept in [LINES, SSE] {
        let open = async |rest: &str, last: &str| {
            let call = fight
                .get(&format!("/events{rest}"))
                .header("last-event-id", last);
            let mut stream = Stream::of(call, accept).await.expect("a stream");
            let first = stream.next().await.expect("a message");
            let version = first.data["version"].clone();
            let id = first.id.expect("an id");
            assert_eq!(
                id.split('-').next(),
                Some(&*version.to_string()),
                "{accept}"
            );
            (first.kind, version, stream)
        };
        let first = async |rest: &str, last: &str| {
            let (kind, version, _) = open(rest, last).await;
            (kind, version)
        };
        let snapshot = |version: u64| ("snapshot".to_owned(), json!(version));
        assert_eq!(first("", "").await, snapshot(3), "{accept}");
        assert_eq!(
            first("?after=1", "").await,
            snapshot(1),
            "{accept}: the state that the transitions follow"
        );
        assert_eq!(
            first("", "2").await,
            ("transition".to_owned(), json!(3)),
            "{accept}: the state is known already"
        );
        assert_eq!(
            first("?after=0", "2").await,
            ("transition".to_owned(), json!(3)),
            "{accept}: the header counts"
        );
        assert_eq!(
            first("?after=2", "9").await,
            snapshot(3),
            "{accept}: an error would end an EventSource"
        );
        let (_, _, mut limited) = open("?after=0&limit=2", "").await;
        assert_eq!(
            (limited.transition().await, limited.transition().await),
            (Some(1), Some(2)),
            "{accept}"
        );
        assert_eq!(
            limited.transition().await,
            None,
            "{accept}: it ends after as many as were asked for"
        );
    }
    assert_eq!(
        fight.read("/events?after=3").await["items"],
        json!([]),
        "a page is still a page"
    );
}

#[tokio::test]
async fn a_long_poll_answers_when_something_happens_and_no_later_than_asked() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let poll = |rest: &str| fight.get(&format!("/events{rest}")).send();
    let soon = || tokio::time::sleep(Duration::from_millis(100));
    for (asked, version) in [("?wait=30", 1), ("?after=1&wait=30", 2)] {
        let (answer, ()) = tokio::join!(poll(asked), soon().then(|()| fight.notes(1)));
        assert_eq!(
            (answer.status, &answer.json()["items"][0]["version"]),
            (200, &json!(version)),
            "{asked}"
        );
    }
    let began = Instant::now();
    assert_eq!(poll("?after=2&wait=1").await.json()["items"], json!([]));
    assert!(began.elapsed() >= Duration::from_secs(1));
    let there = poll("?after=0&wait=60").await.json();
    assert_eq!(
        there["items"].as_array().map(Vec::len),
        Some(2),
        "what is there is answered at once"
    );
    let delete = fight.delete();
    let (gone, _) = tokio::join!(poll("?after=2&wait=30"), soon().then(|()| delete.send()));
    assert_eq!(gone.status, 404);
}

#[tokio::test]
async fn streams_keep_alive_end_by_themselves_and_end_with_the_process() {
    let (_data, store) = embedded_store();
    let settings = Settings {
        keep_alive: Duration::from_millis(50),
        stream_time: Duration::from_millis(500),
        ..Settings::default()
    };
    let short = Api::on(
        store.clone(),
        Setup {
            settings,
            ..Setup::default()
        },
    )
    .await;
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
    assert!(
        alive >= 2 && began.elapsed() >= Duration::from_millis(400),
        "{alive} in {:?}",
        began.elapsed()
    );
    let mut stream = Stream::open(&fight.through(&long), SSE, Some(0))
        .await
        .expect("a stream");
    fight.notes(1).await;
    assert_eq!(
        stream.transition().await,
        Some(1),
        "both serve the same encounters"
    );
    long.app().end_feeds();
    assert_eq!(stream.next().await, None);
    assert_eq!(
        Stream::open(&fight.through(&long), SSE, Some(0))
            .await
            .err(),
        Some(503)
    );
}

#[tokio::test]
async fn a_follower_that_does_not_read_is_cut_and_goes_on_where_it_was() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let mut slow = Stream::open(&fight, LINES, Some(0))
        .await
        .expect("a stream");
    // More than the sockets between them hold.
    let text = "x".repeat(2000);
    let list: Vec<Value> = (0..50)
        .map(|_| json!({"type": "note", "text": text}))
        .collect();
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
    let mut again = Stream::open(&fight, LINES, Some(seen))
        .await
        .expect("a stream");
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

/// Sends notes until `count` are accepted.
async fn write(fight: Fight, count: u64) {
    for n in 0..count {
        let call = fight
            .command(&note(&format!("note {n}")))
            .key(&format!("note-{n}"));
        while !call
            .clone()
            .try_send()
            .await
            .is_ok_and(|answer| answer.status == 200)
        {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Follows a fight over a second process, through trouble, in each kind of stream: every version
/// arrives once, in order.
async fn followed(trouble: Trouble) {
    for accept in [LINES, SSE] {
        let mut redis = RedisServer::with(&DURABLE);
        let address = redis.url();
        let settings = [
            ("REDIS_URL", address.as_str()),
            ("TURNKEEPER_KEEP_ALIVE", "1s"),
        ];
        let (writer, reader) = (Server::with(&settings), Server::with(&settings));
        let here = writer.client().fight().await;
        let mut there = here.through(&reader.client());
        let count = setting("TURNKEEPER_FEED_EVENTS").unwrap_or(60);
        let following = async {
            let (mut cursor, mut troubles) = (0, 0);
            let until = Instant::now() + Duration::from_secs(120);
            while cursor < count {
                assert!(
                    Instant::now() < until,
                    "{trouble:?}: only {cursor} of {count} have arrived"
                );
                // Hang-ups go from one process to the other.
                let fight = if trouble == Trouble::Cuts && cursor % 3 == 2 {
                    &here
                } else {
                    &there
                };
                let Ok(mut stream) = Stream::open(fight, accept, Some(cursor)).await else {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                    continue;
                };
                while let Some(version) = stream.transition().await {
                    assert_eq!(
                        version,
                        cursor + 1,
                        "{trouble:?}: no gap, no repetition, in order"
                    );
                    cursor = version;
                    let due = cursor * 3 / count > troubles;
                    match trouble {
                        Trouble::Cuts => break,
                        _ if cursor == count => break,
                        Trouble::RedisRestarts if due => redis.restart(),
                        Trouble::ServerKilled if due => {
                            reader.crash();
                            there = here.through(&reader.client());
                        }
                        _ => {}
                    }
                    troubles += u64::from(due);
                }
            }
        };
        tokio::join!(write(here.clone(), count), following);
    }
}

#[tokio::test]
async fn a_feed_that_is_cut_after_every_event_goes_on_without_gap_or_repetition() {
    followed(Trouble::Cuts).await;
}

#[tokio::test]
async fn a_feed_goes_on_through_restarts_of_redis() {
    followed(Trouble::RedisRestarts).await;
}

#[tokio::test]
async fn a_feed_goes_on_when_the_process_that_served_it_was_killed() {
    followed(Trouble::ServerKilled).await;
}

#[tokio::test]
async fn what_one_process_commits_a_follower_of_another_sees_within_100_ms() {
    let redis = RedisServer::start();
    let (writer, reader) = Api::pair_on(&redis.url()).await;
    let fight = writer.fight().await;
    let mut stream = Stream::open(&fight.through(&reader), LINES, Some(0))
        .await
        .expect("a stream");
    let mut late = Vec::new();
    for version in 1..=50 {
        fight.notes(1).await;
        let committed = Instant::now();
        assert_eq!(stream.transition().await, Some(version));
        late.push(committed.elapsed());
    }
    late.sort();
    assert!(
        late[25] < Duration::from_millis(100),
        "median {:?}",
        late[25]
    );
}
