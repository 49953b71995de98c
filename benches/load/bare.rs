//! The bare handler: it parses, decides and serialises nothing.

use super::support::client::Fight;
use axum::Router;
use axum::extract::{Path, State};
use axum::http::header::{CONTENT_TYPE, ETAG};
use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse;
use axum::routing::post;
use axum::serve::ListenerExt;
use bytes::Bytes;
use redis::aio::MultiplexedConnection;
use redis::{Pipeline, Script, ToRedisArgs, Value};
use serde_json::json;
use std::sync::Arc;
use turnkeeper::store::LAYOUT;

/// The script of the program: the same commands in Redis, the same bytes.
pub const COMMIT: &str = include_str!("../../src/store/redis/commit.lua");
pub const NONCE: &str = "0123456789abcdef";
/// The program's defaults, in milliseconds.
pub const TTL: u64 = 30 * 24 * 60 * 60 * 1000;
pub const ANSWERS: u64 = 24 * 60 * 60 * 1000;

/// The bytes of one command, as they are stored and answered.
pub struct Example {
    pub document: Vec<u8>,
    pub entry: Vec<u8>,
    pub record: Vec<u8>,
    pub answer: String,
}

impl Example {
    /// Sends a command to a fight on this Redis, and reads what it is answered and what is stored.
    pub async fn of(fight: &Fight, minimal: bool, url: &str) -> Self {
        let damage = fight
            .command(&json!({"type": "damage", "target": "c00", "amount": 3}))
            .key("example");
        let damage = if minimal { damage.minimal() } else { damage };
        Self::read(url, &fight.id, damage.send().await.expect(200).text())
    }

    /// Reads what the program has stored for the newest command of an encounter.
    fn read(url: &str, id: &str, answer: String) -> Self {
        let mut connection = connect(url);
        let mut ask = |command: &str, key: &str, rest: &[&str]| -> redis::Value {
            redis::cmd(command)
                .arg(self::key(id, key))
                .arg(rest)
                .query(&mut connection)
                .expect("an answer of Redis")
        };
        let document = ask("HGET", "doc", &["document"]);
        let mut records = ["answers0", "answers1"]
            .into_iter()
            .flat_map(|key| -> Vec<Vec<u8>> {
                redis::from_redis_value(ask("HVALS", key, &[])).expect("recorded answers")
            });
        let record = records.next().expect("a recorded answer");
        drop(records);
        type Entries = Vec<(String, Vec<(String, Vec<u8>)>)>;
        let entries: Entries =
            redis::from_redis_value(ask("XREVRANGE", "log", &["+", "-", "COUNT", "1"]))
                .expect("an entry");
        let entry = entries[0].1[0].1.clone();
        Self {
            document: redis::from_redis_value(document).expect("a document"),
            entry,
            record,
            answer,
        }
    }

    /// Writes the document for every encounter, and the rest for the handler.
    pub fn write<'i>(&self, url: &str, ids: impl Iterator<Item = &'i str>) {
        let mut pipe = redis::pipe();
        for id in ids {
            let fields = ["revision", "version", "base_version", "log_bytes"];
            let fields = fields.map(|field| (field, "0"));
            pipe.hset_multiple(key(id, "doc"), &fields)
                .hset(key(id, "doc"), "layout", LAYOUT)
                .hset(key(id, "doc"), "document", &self.document);
        }
        pipe.mset(&[
            ("entry", self.entry.as_slice()),
            ("record", &self.record),
            ("answer", self.answer.as_bytes()),
        ]);
        pipe.exec(&mut connect(url)).expect("an answer of Redis");
    }
}

/// The read of an encounter and of the answer under a key.
pub fn read(doc: &str, even: &str, odd: &str, digest: impl ToRedisArgs + Copy) -> Pipeline {
    let mut read = redis::pipe();
    read.cmd("HMGET")
        .arg(doc)
        .arg(&["revision", "version", "log_bytes", "layout", "document"]);
    read.cmd("HGET").arg(even).arg(digest);
    read.cmd("HGET").arg(odd).arg(digest);
    read
}

pub fn key(id: &str, part: &str) -> String {
    format!("{{turnkeeper:{id}}}:{part}")
}

fn connect(url: &str) -> redis::Connection {
    redis::Client::open(url)
        .and_then(|client| client.get_connection())
        .expect("a connection to Redis")
}

struct Shared {
    connection: MultiplexedConnection,
    commit: Script,
    entry: Vec<u8>,
    record: Vec<u8>,
    answer: Bytes,
}

/// Serves until it is killed.
#[tokio::main]
pub async fn serve(url: &str) {
    let client = redis::Client::open(url).expect("a URL");
    let mut connection = client
        .get_multiplexed_async_connection()
        .await
        .expect("a connection to Redis");
    let mut part = async |key: &str| -> Vec<u8> {
        redis::cmd("GET")
            .arg(key)
            .query_async::<Option<Vec<u8>>>(&mut connection)
            .await
            .expect("a part")
            .unwrap_or_default()
    };
    let (entry, record, answer) = (
        part("entry").await,
        part("record").await,
        part("answer").await.into(),
    );
    let shared = Arc::new(Shared {
        connection,
        commit: Script::new(COMMIT),
        entry,
        record,
        answer,
    });
    let router = Router::new()
        .route("/v1/encounters/{id}/commands", post(command))
        .with_state(shared);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a free port");
    println!(
        "the bare handler serves on http://{}",
        listener.local_addr().expect("its address")
    );
    let listener = listener.tap_io(|stream| stream.set_nodelay(true).expect("a socket"));
    axum::serve(listener, router).await.expect("a server");
}

async fn command(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    headers: HeaderMap,
    _body: Bytes,
) -> impl IntoResponse {
    let mut connection = shared.connection.clone();
    let digest = headers
        .get("idempotency-key")
        .map_or(b"".as_slice(), |key| key.as_bytes());
    let [doc, log, even, odd] = ["doc", "log", "answers0", "answers1"].map(|part| key(&id, part));
    let read = self::read(&doc, &even, &odd, digest);
    type Row = (u64, u64, u64, u32, Vec<u8>);
    let ((revision, version, log_bytes, _, document), ..): (Row, Value, Value) = read
        .query_async(&mut connection)
        .await
        .expect("an encounter");
    let mut commit = shared.commit.key(doc);
    commit
        .key(log)
        .key(even)
        .key(odd)
        .arg(revision)
        .arg(revision + 1)
        .arg(document)
        .arg(NONCE)
        .arg(TTL)
        .arg(ANSWERS);
    commit
        .arg("turnkeeper:commits")
        .arg(&id)
        .arg(version + 1)
        .arg(version)
        .arg(&shared.entry);
    commit
        .arg(digest)
        .arg(&shared.record)
        .arg(&["", ""])
        .arg(log_bytes);
    let (outcome, ..): (String, Value, Value, Value, Value) = commit
        .invoke_async(&mut connection)
        .await
        .expect("a commit");
    let status = if outcome == "done" {
        StatusCode::OK
    } else {
        StatusCode::CONFLICT
    };
    (
        status,
        [
            (CONTENT_TYPE, "application/json".to_owned()),
            (ETAG, format!("\"{version}\"")),
        ],
        shared.answer.clone(),
    )
}
