//! Random requests: no 5xx, no panic, and every error is a problem document.
//!
//! `TURNKEEPER_FUZZ` says how many requests (2000 where it is not set), `TURNKEEPER_FUZZ_SEED`
//! which ones; a failure names its seed.

use crate::e2e::convert::trackers;
use crate::e2e::{Api, text};
use crate::support::choices::{completed, resolved_items};
use crate::support::setting;
use rand::rngs::StdRng;
use rand::seq::{IndexedMutRandom, IndexedRandom};
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use turnkeeper::vocabulary::{Commands, SharedCommand};

/// A request in parts, so that each part can be spoilt.
#[derive(Debug, Clone)]
struct Request {
    method: String,
    path: String,
    headers: Vec<(String, Vec<u8>)>,
    body: Vec<u8>,
}

/// The maximum time to wait for an answer.
const ANSWER_TIME: Duration = Duration::from_millis(200);

static PANICS: AtomicU64 = AtomicU64::new(0);

const METHODS: [&str; 8] = [
    "GET", "POST", "DELETE", "HEAD", "OPTIONS", "PUT", "PATCH", "BREW",
];
const NAMES: &str = "authorization content-type if-match if-none-match idempotency-key prefer accept accept-encoding origin \
    access-control-request-method x-request-id expect last-event-id x-forwarded-for";
/// Values of headers, each on a line of its own.
const VALUES: &str = include_str!("../fixtures/header-values.txt");

/// What requests are made of: encounters with their tokens, and words that the rulesets know.
#[derive(Default)]
struct World {
    rulesets: Vec<String>,
    places: Vec<(String, String)>,
    verbs: Vec<String>,
    fields: Vec<String>,
    listed: Vec<Value>,
    exported: Vec<Value>,
    /// Files of other trackers.
    files: Vec<Value>,
}

impl World {
    /// Learns the words of every ruleset.
    async fn learn(&mut self, api: &Api) {
        for (_, file) in trackers() {
            self.files
                .push(serde_json::from_slice(&file).expect("JSON"));
        }
        let list = api.read("/v1/rulesets").await;
        for ruleset in list["items"].as_array().expect("rulesets") {
            let id = text(&ruleset["id"]);
            let manifest = api.read(&format!("/v1/rulesets/{id}")).await;
            self.rulesets.push(id);
            self.verbs.extend(
                manifest["commands"]
                    .as_array()
                    .expect("commands")
                    .iter()
                    .map(|c| text(&c["type"])),
            );
        }
        let shared = SharedCommand::SPECS
            .iter()
            .map(|spec| &spec.verb)
            .chain(&["undo", "redo", "nonsense", ""]);
        self.verbs.extend(shared.map(|verb| (*verb).to_owned()));
        // The fields of all schemas, those of commands among them.
        let document = api.read("/openapi.json").await;
        for schema in document["components"]["schemas"]
            .as_object()
            .expect("schemas")
            .values()
        {
            self.fields.extend(
                schema["properties"]
                    .as_object()
                    .into_iter()
                    .flatten()
                    .map(|(field, _)| field.clone()),
            );
        }
    }

    /// Replaces an encounter by a new one: fights that are over show little.
    async fn open(&mut self, api: &Api, rng: &mut StdRng) {
        let creation = json!({"ruleset": self.rulesets.choose(rng), "combatants": [
            {"id": "chansi", "hp": {"current": 24}}, {"id": "valiant"}, {"id": "brakkus", "side": "monsters"},
            {"id": "goblins", "side": "monsters", "members": ["goblin-1", "goblin-2"]}]});
        let fight = api.create(&creation).await;
        self.places.push((fight.id, fight.token));
        self.places.drain(..self.places.len().saturating_sub(8));
    }

    /// Takes what an answer gives for later requests.
    fn remember(&mut self, path: &str, body: &Value) {
        if path.ends_with("/export") && body["entries"].is_array() {
            self.exported.push(body.clone());
            self.exported.drain(..self.exported.len().saturating_sub(4));
        }
        if path.ends_with("/options") && body["items"].is_array() {
            for option in resolved_items(body) {
                self.listed.push(completed(&option));
            }
        }
        self.listed.drain(..self.listed.len().saturating_sub(200));
    }
}

/// A JSON value that some field might or might not like.
fn value(rng: &mut StdRng, depth: u8) -> Value {
    let ids = [
        "chansi",
        "valiant",
        "brakkus",
        "goblins",
        "goblin-1",
        "nobody",
        "prone",
        "dead",
        "interrupt_point",
        "damage",
    ];
    match rng.random_range(0..if depth == 0 { 9 } else { 12 }) {
        0..=3 => json!(ids.choose(rng).copied()),
        4 => json!(rng.random_range(-3_i64..25)),
        5 => [
            json!(i64::MIN),
            json!(u64::MAX),
            json!(1e300),
            json!(-0.0),
            json!(0.5),
            json!(1_000_001),
        ]
        .choose(rng)
        .cloned()
        .unwrap(),
        6 => json!(rng.random::<bool>()),
        7 => json!(null),
        8 => json!(
            [
                "\u{0}",
                "é",
                "\u{202e}x",
                "a\nb",
                &"x".repeat(3000),
                "",
                " ",
                "../..",
                "{{7*7}}"
            ]
            .choose(rng)
            .copied()
        ),
        9 => Value::Array(
            (0..rng.random_range(0..4))
                .map(|_| value(rng, depth - 1))
                .collect(),
        ),
        10 => {
            json!({"name": value(rng, 0), "expires": {"at": "round_end", "rounds": value(rng, 0)}, "target": value(rng, 0)})
        }
        _ => {
            let names = [
                "id", "name", "side", "hp", "current", "max", "members", "of", "at", "turns",
                "type", "kind",
            ];
            let fields = 0..rng.random_range(0..4);
            Value::Object(
                fields
                    .map(|_| {
                        (
                            names.choose(rng).unwrap().to_string(),
                            value(rng, depth - 1),
                        )
                    })
                    .collect(),
            )
        }
    }
}

/// A command: one that was listed, as it is or changed, or one made of words.
fn command(rng: &mut StdRng, world: &World) -> Value {
    let made = json!({"type": world.verbs.choose(rng)});
    let mut command = world
        .listed
        .choose(rng)
        .filter(|_| rng.random_range(0..3) > 0)
        .cloned()
        .unwrap_or(made);
    for _ in 0..rng.random_range(0..3) {
        command[world.fields.choose(rng).unwrap()] = value(rng, 2);
    }
    command
}

/// Puts something else at a random place of a JSON value.
pub fn distort(rng: &mut StdRng, target: &mut Value) {
    let inner = match target {
        Value::Array(items) if !items.is_empty() => items.choose_mut(rng),
        Value::Object(fields) if !fields.is_empty() => {
            let at = rng.random_range(0..fields.len());
            fields.values_mut().nth(at)
        }
        _ => None,
    };
    match inner {
        Some(inner) if rng.random_range(0..8) > 0 => distort(rng, inner),
        _ => *target = value(rng, 1),
    }
}

fn creation(rng: &mut StdRng, world: &World) -> Value {
    let mut creation = json!({"ruleset": world.rulesets.choose(rng), "combatants": []});
    for _ in 0..rng.random_range(0..4) {
        let name = ["ruleset", "options", "name", "combatants", "seed", "sead"]
            .choose(rng)
            .unwrap();
        creation[*name] = match (*name, rng.random_range(0..3)) {
            ("combatants", 0 | 1) => (0..rng.random_range(0..5)).map(|_| value(rng, 2)).collect(),
            _ => value(rng, 2),
        };
    }
    creation
}

fn request(rng: &mut StdRng, world: &World) -> Request {
    let (id, token) = world.places.choose(rng).expect("a fight");
    let (after, limit) = (rng.random_range(0..40), rng.random::<u8>());
    let (method, path, body) = match rng.random_range(0..17) {
        0..=5 => {
            let commands = match rng.random_range(0..6) {
                0 => (0..rng.random_range(0..5))
                    .map(|_| command(rng, world))
                    .collect(),
                _ => command(rng, world),
            };
            (
                "POST",
                format!("/v1/encounters/{id}/commands"),
                Some(commands),
            )
        }
        6 => (
            "POST",
            "/v1/encounters".to_owned(),
            Some(creation(rng, world)),
        ),
        7 => ("GET", format!("/v1/encounters/{id}"), None),
        8 => ("GET", format!("/v1/encounters/{id}?at={after}"), None),
        9 => (
            "GET",
            format!("/v1/encounters/{id}/events?after={after}&limit={limit}"),
            None,
        ),
        10 | 11 => ("GET", format!("/v1/encounters/{id}/options"), None),
        12 => ("GET", format!("/v1/encounters/{id}/export"), None),
        13 => {
            let mut log = world.exported.choose(rng).cloned().unwrap_or_default();
            distort(rng, &mut log);
            ("POST", "/v1/encounters/import".to_owned(), Some(log))
        }
        14 => {
            let mut file = world.files.choose(rng).cloned().unwrap_or_default();
            distort(rng, &mut file);
            let create = rng.random_range(0..2) == 0;
            let path = format!("/v1/encounters/convert?create={create}");
            ("POST", path, Some(file))
        }
        15 => (
            "GET",
            ["/v1/rulesets", "/livez", "/docs/"]
                .choose(rng)
                .unwrap()
                .to_string(),
            None,
        ),
        _ => (
            "POST",
            format!("/v1/encounters/{id}/commands?dry_run=true"),
            Some(command(rng, world)),
        ),
    };
    let body = body.map(|body| body.to_string()).unwrap_or_default();
    let mut headers = vec![("host".to_owned(), b"x".to_vec())];
    if rng.random_range(0..10) > 0 {
        headers.push((
            "authorization".to_owned(),
            format!("Bearer {token}").into_bytes(),
        ));
    }
    if rng.random_range(0..10) > 0 {
        headers.push(("content-type".to_owned(), b"application/json".to_vec()));
    }
    for _ in 0..rng.random_range(0..3) {
        let (names, values): (Vec<&str>, Vec<&str>) =
            (NAMES.split(' ').collect(), VALUES.lines().collect());
        headers.push((
            names.choose(rng).unwrap().to_string(),
            values.choose(rng).unwrap().as_bytes().to_vec(),
        ));
    }
    Request {
        method: method.to_owned(),
        path,
        headers,
        body: body.into_bytes(),
    }
}

/// Spoils some bytes: changed, removed, inserted, doubled.
fn mutate(rng: &mut StdRng, bytes: &mut Vec<u8>) {
    for _ in 0..rng.random_range(1..4) {
        let at = rng.random_range(0..=bytes.len());
        let odd = *b"\"\\{}[],:0-e.%/?#&=\x00\x01\x7f\x80\xc3\xff \t\r\n"
            .choose(rng)
            .unwrap();
        match rng.random_range(0..4) {
            0 if at < bytes.len() => bytes[at] = odd,
            1 if at < bytes.len() => {
                drop(bytes.drain(at..(at + rng.random_range(1..9)).min(bytes.len())));
            }
            2 => {
                let part = bytes[at / 2..at].to_vec();
                drop(bytes.splice(at..at, part));
            }
            _ => bytes.insert(at, odd),
        }
    }
}

/// The request as bytes, spoilt here or there, and whether it is still what HTTP calls a request
/// with one body.
fn spoilt(rng: &mut StdRng, mut request: Request) -> Vec<u8> {
    let mut path = request.path.into_bytes();
    match rng.random_range(0..10) {
        0 => mutate(rng, &mut path),
        1 | 2 => mutate(rng, &mut request.body),
        3 => request.method = METHODS.choose(rng).unwrap().to_string(),
        4 => {
            let at = rng.random_range(0..request.headers.len());
            mutate(rng, &mut request.headers[at].1);
        }
        5 => {
            let wrap = rng.random_range(1..3000);
            request.body = [b"[".repeat(wrap), request.body, b"]".repeat(wrap)].concat();
        }
        _ => {}
    }
    let mut bytes = [request.method.as_bytes(), b" ", &path, b" HTTP/1.1\r\n"].concat();
    for (name, value) in &request.headers {
        bytes.extend([name.as_bytes(), b": ", value, b"\r\n"].concat());
    }
    bytes.extend(
        format!(
            "content-length: {}\r\nconnection: close\r\n\r\n",
            request.body.len()
        )
        .bytes(),
    );
    bytes.extend(&request.body);
    if rng.random_range(0..20) == 0 {
        let head = bytes.len() - request.body.len();
        let mut start = bytes[..head].to_vec();
        mutate(rng, &mut start);
        bytes = [start, request.body].concat();
    }
    bytes
}

/// Sends the bytes on a connection of their own, and gives back what came until it was closed.
async fn exchange(address: &str, bytes: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    // The server may answer and close before it has read all: what it said counts.
    let _ = stream.write_all(bytes).await;
    let mut answer = Vec::new();
    if timeout(ANSWER_TIME, stream.read_to_end(&mut answer))
        .await
        .is_err()
    {
        // A head or body that promises more than there is ends here.
        let _ = stream.shutdown().await;
        let _ = stream.read_to_end(&mut answer).await;
    }
    answer
}

/// The JSON of an answer, which may have come in chunks; null where it is none.
fn body_of(answer: &[u8]) -> Value {
    let text = String::from_utf8_lossy(answer);
    let body = text.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    let chunked: String = body.split("\r\n").skip(1).step_by(2).collect();
    serde_json::from_str(body)
        .or_else(|_| serde_json::from_str(&chunked))
        .unwrap_or_default()
}

/// What is wrong with the answers on a connection, if anything is. There are several where a line
/// break got into a head.
fn complaint(mut answers: &[u8], head_only: bool) -> Option<String> {
    while !answers.is_empty() {
        let Some(end) = answers.windows(4).position(|part| part == b"\r\n\r\n") else {
            return Some("half an answer".to_owned());
        };
        let head = String::from_utf8_lossy(&answers[..end]).to_lowercase();
        let Some(status) = head.get(9..12).and_then(|code| code.parse::<u16>().ok()) else {
            return Some("an answer without a status".to_owned());
        };
        if status >= 500 {
            return Some(format!("a {status}"));
        }
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
        let rest = &answers[end + 4..];
        // A HEAD has no body in its answer: what follows may answer what was taken for another
        // request.
        let length = if head_only && rest.starts_with(b"HTTP/1.") {
            Some(0)
        } else {
            length
        };
        let body = &rest[..length.unwrap_or(rest.len()).min(rest.len())];
        let problem: Value = serde_json::from_slice(body).unwrap_or_default();
        let sound = head.contains("content-type: application/problem+json")
            && problem["status"] == status
            && problem["code"]
                .as_str()
                .is_some_and(|code| !code.is_empty());
        // The HTTP library answers malformed HTTP with a bare status. Answers of the service have a
        // request id.
        let bare = matches!(status, 400 | 414 | 431) && !head.contains("\r\nx-request-id: ");
        let compressed = head.contains("\r\ncontent-encoding: gzip");
        let excused = bare || compressed || head_only && body.is_empty();
        if status >= 400 && !sound && !excused {
            return Some(format!("a {status} that is no problem document"));
        }
        answers = &rest[body.len()..];
    }
    None
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_is_sent_there_is_no_5xx_and_every_error_is_a_problem() {
    let (count, seed) = (
        setting("TURNKEEPER_FUZZ").unwrap_or(2000),
        setting("TURNKEEPER_FUZZ_SEED").unwrap_or_else(rand::random),
    );
    println!("TURNKEEPER_FUZZ_SEED={seed}");
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        // The server's threads; one that panics while a body is on its way shows in no status.
        let servers = std::thread::current()
            .name()
            .is_some_and(|name| name.starts_with("tokio"));
        PANICS.fetch_add(u64::from(servers), Ordering::Relaxed);
        before(panic);
    }));
    let mut rng = StdRng::seed_from_u64(seed);
    let api = Api::start().await;
    let mut world = World::default();
    world.learn(&api).await;
    let address = api.address();
    let mut seen = [0_u64; 5];
    for n in 0..count {
        if n < 8 || n % 100 == 0 {
            world.open(&api, &mut rng).await;
        }
        let request = request(&mut rng, &world);
        let path = request.path.clone();
        let bytes = spoilt(&mut rng, request);
        let head_only = bytes.starts_with(b"HEAD ");
        let answer = exchange(address, &bytes).await;
        let panicked = (PANICS.load(Ordering::Relaxed) > 0).then(|| "a panic".to_owned());
        if let Some(complaint) = panicked.or_else(|| complaint(&answer, head_only)) {
            let (sent, got) = (
                String::from_utf8_lossy(&bytes),
                String::from_utf8_lossy(&answer),
            );
            panic!(
                "request {n} of seed {seed} got {complaint}\n--- sent\n{sent:.3000}\n--- got\n{got:.3000}"
            );
        }
        let class = answer
            .get(9)
            .map_or(0, |digit| usize::from(digit.saturating_sub(b'0')));
        seen[class.min(4)] += 1;
        if class == 2 && (path.ends_with("/options") || path.ends_with("/export")) {
            world.remember(&path, &body_of(&answer));
        }
    }
    assert!(
        seen[2] > count / 20 && seen[4] > count / 20,
        "both kinds of answers were seen: {seen:?}"
    );
    assert!(
        seen[0] < count / 20,
        "few connections were closed without an answer: {seen:?}"
    );
}
