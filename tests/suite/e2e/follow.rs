//! `turnkeeper follow`: what it posts, and to whom.

use super::process::fails;
use crate::support::client::{Fight, http, note};
use crate::support::eventually;
use crate::support::process::{self, Process};
use crate::support::proxy::Proxy;
use crate::support::secrets;
use crate::support::server::Server;
use crate::support::sources::{blocks, text};
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse;
use axum::routing::post;
use data_encoding::BASE64;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use std::fs::{File, read_to_string};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tempfile::TempDir;
use tokio::net::{TcpListener, TcpStream};

const SOON: Duration = Duration::from_secs(20);
/// A secret of Standard Webhooks: 24 bytes.
const KEY: [u8; 24] = *b"four and twenty bytes ok";

fn secret() -> String {
    format!("whsec_{}", BASE64.encode(&KEY))
}

/// The signature of Standard Webhooks.
fn signature(id: &str, seconds: &str, body: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(&KEY).expect("a key");
    mac.update(format!("{id}.{seconds}.{body}").as_bytes());
    format!("v1,{}", BASE64.encode(&mac.finalize().into_bytes()))
}

/// A request that the receiver got, and how it answered.
#[derive(Clone)]
struct Got {
    headers: HeaderMap,
    body: String,
    status: StatusCode,
}

impl Got {
    fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value.map_or("", |value| value.to_str().expect("text"))
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("JSON")
    }

    fn is_signed(&self) -> bool {
        let (id, seconds) = (self.header("webhook-id"), self.header("webhook-timestamp"));
        self.header("webhook-signature") == signature(id, seconds, &self.body)
    }
}

/// An address that gets posts. It answers with the given statuses first, then with 204.
#[derive(Clone, Default)]
struct Receiver {
    answers: Arc<Mutex<Vec<StatusCode>>>,
    got: Arc<Mutex<Vec<Got>>>,
}

impl Receiver {
    async fn listen(&self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let router = Router::new()
            .route("/hook", post(receive))
            .with_state(self.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        format!("http://{address}/hook")
    }

    fn answer(&self, statuses: &[u16]) {
        let statuses = statuses.iter().rev();
        let statuses = statuses.map(|status| StatusCode::from_u16(*status).expect("a status"));
        *self.answers.lock().expect("no panic") = statuses.collect();
    }

    fn got(&self) -> Vec<Got> {
        self.got.lock().expect("no panic").clone()
    }

    /// The posts that were accepted.
    fn accepted(&self) -> Vec<Got> {
        let mut got = self.got();
        got.retain(|got| got.status.is_success());
        got
    }

    async fn accepts(&self, count: usize) {
        eventually("posts", SOON, async || self.accepted().len() >= count).await;
    }
}

async fn receive(
    State(receiver): State<Receiver>,
    headers: HeaderMap,
    body: Bytes,
) -> impl IntoResponse {
    let next = receiver.answers.lock().expect("no panic").pop();
    let status = next.unwrap_or(StatusCode::NO_CONTENT);
    receiver.got.lock().expect("no panic").push(Got {
        headers,
        body: String::from_utf8(body.to_vec()).expect("text"),
        status,
    });
    status
}

/// A fight on a server of its own, a receiver of posts, and a folder for the followers.
struct Scene {
    server: Server,
    fight: Fight,
    receiver: Receiver,
    /// The address that followers post to.
    to: String,
    /// The address that followers read from.
    from: String,
    directory: TempDir,
}

impl Scene {
    async fn start() -> Self {
        Self::with(&[]).await
    }

    /// One whose server has these settings.
    async fn with(settings: &[(&str, &str)]) -> Self {
        let server = Server::with(settings);
        let fight = server.client().fight().await;
        let receiver = Receiver::default();
        Self {
            to: receiver.listen().await,
            from: server.url(),
            directory: TempDir::new().expect("a directory"),
            receiver,
            fight,
            server,
        }
    }

    fn position(&self) -> PathBuf {
        self.directory.path().join("position.json")
    }

    /// A `turnkeeper follow` with the token of this viewer, whose log is that of the scene.
    fn command(&self, viewer: &Fight) -> Command {
        let mut command = process::turnkeeper(self.directory.path());
        let log = File::options()
            .create(true)
            .append(true)
            .open(self.directory.path().join("log"));
        command
            .args(["follow", &viewer.id])
            .env("TURNKEEPER_POST", &self.to)
            .env("TURNKEEPER_SERVER", &self.from)
            .env("TURNKEEPER_TOKEN", &viewer.token)
            .env("TURNKEEPER_POST_SECRET", secret())
            .env("TURNKEEPER_POST_PRIVATE", "true")
            .stderr(log.expect("a log"))
            .stdout(Stdio::null());
        command
    }

    /// Starts to post all changes of the fight.
    fn follow(&self) -> Process {
        let mut command = self.command(&self.fight);
        command
            .env("TURNKEEPER_POSITION", self.position())
            .arg("--post-all");
        Process::start(&mut command)
    }

    fn log(&self) -> String {
        read_to_string(self.directory.path().join("log")).expect("a log")
    }

    async fn logged(&self, what: &str) {
        eventually(what, SOON, async || {
            let log = self.log();
            assert!(log.contains(what) || !log.contains("error: "), "{log}");
            log.contains(what)
        })
        .await;
    }

    /// The versions of the accepted posts.
    fn versions(&self) -> Vec<u64> {
        let posts = self.receiver.accepted();
        let version = |got: &Got| got.json()["data"]["version"].as_u64();
        posts.iter().filter_map(version).collect()
    }
}

/// The numbers of `seconds=` in a log.
fn seconds(log: &str) -> Vec<f64> {
    let numbers = log.split("seconds=").skip(1).map(|rest| {
        let number = rest.split_whitespace().next().expect("a number");
        assert!(number.contains('.'), "{number} has no tenths");
        number.parse().expect("a number")
    });
    numbers.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn whose_turn_starts_is_mentioned_unless_it_is_hidden() {
    let scene = Scene::start().await;
    let Scene {
        server, receiver, ..
    } = &scene;
    let api = server.client();
    let combatants = json!([
        {"id": "ann", "mention": "123"},
        {"id": "bo"},
        {"id": "orc", "side": "monsters", "hidden": true, "mention": "456"},
    ]);
    let gm = api
        .create(&json!({"ruleset": "active-initiative", "combatants": combatants}))
        .await;
    let spectator = gm.spectator().await;
    assert!(!spectator.read("").await.to_string().contains("123"));
    let mut command = scene.command(&spectator);
    command.env("TURNKEEPER_MENTION_TOKEN", &gm.token);
    let _follower = Process::start(&mut command);
    scene.logged("follows the encounter").await;
    gm.accepted(json!({"type": "start", "first": "ann"})).await;
    receiver.accepts(1).await;
    gm.accepted(json!({"type": "override", "combatant": "orc"}))
        .await;
    receiver.accepts(2).await;
    gm.accepted(json!({"type": "override", "combatant": "bo"}))
        .await;
    receiver.accepts(3).await;
    let posts = receiver.accepted();
    let mentions: Vec<Value> = posts
        .iter()
        .map(|got| got.json()["mentions"].clone())
        .collect();
    assert_eq!(mentions, [json!(["123"]), Value::Null, Value::Null]);
    // A token that reads no mention brings none, and the posts come all the same.
    let log = scene.log();
    assert!(!log.contains("without mentions"), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_a_turns_time_is_told_once_and_not_of_a_turn_that_has_ended() {
    let scene = Scene::start().await;
    let Scene {
        server, receiver, ..
    } = &scene;
    let combatants = json!([
        {"id": "ann", "name": "Ann", "side": "players", "initiative": 9, "mention": "123"},
        {"id": "bo", "name": "Bo", "side": "players", "initiative": 5},
    ]);
    let creation = json!({
        "ruleset": "custom", "options": {"preset": "d20"}, "combatants": combatants, "turn_seconds": 3,
    });
    let gm = server.client().create(&creation).await;
    let spectator = gm.spectator().await;
    let mut command = scene.command(&spectator);
    command.env("TURNKEEPER_MENTION_TOKEN", &gm.token);
    let _follower = Process::start(&mut command);
    scene.logged("follows the encounter").await;
    gm.accepted(json!({"type": "start"})).await;
    gm.accepted(json!({"type": "end_turn", "combatant": "ann"}))
        .await;
    gm.accepted(json!({"type": "override", "combatant": "ann"}))
        .await;
    receiver.accepts(4).await;
    // The turns that ended sooner are not told of, nor is this one twice.
    gm.accepted(note("rain")).await;
    gm.accepted(json!({"type": "update_encounter", "turn_seconds": 0}))
        .await;
    gm.accepted(json!({"type": "end_encounter"})).await;
    receiver.accepts(5).await;
    let posts: Vec<Value> = receiver.accepted().iter().map(Got::json).collect();
    let kinds: Vec<&Value> = posts.iter().map(|post| &post["type"]).collect();
    let changed = "encounter.changed";
    assert_eq!(
        kinds,
        [changed, changed, changed, "turn.time_over", changed]
    );
    let over = &posts[3];
    assert_eq!(over["mentions"], json!(["123"]));
    assert_eq!(over["data"]["current"], json!(["ann"]));
    assert_eq!(over["data"]["since"], posts[2]["timestamp"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn each_change_is_posted_once_and_in_order_over_restarts_and_failures() {
    let scene = Scene::start().await;
    let Scene {
        fight, receiver, ..
    } = &scene;
    let follower = scene.follow();
    scene.logged("follows the encounter").await;
    fight.notes(2).await;
    receiver.accepts(2).await;
    // A process that is killed before it has written this down posts again, under the same id.
    eventually("the position", SOON, async || {
        read_to_string(scene.position()).is_ok_and(|kept| kept.contains("\"2-"))
    })
    .await;
    drop(follower);
    // These wait in the log until the next start, and the receiver fails at first.
    fight.notes(2).await;
    receiver.answer(&[503, 500]);
    let mut follower = scene.follow();
    receiver.accepts(4).await;
    assert!(scene.log().contains("continues after the last change"));
    follower.signal("TERM");
    assert!(follower.ended(SOON).expect("an end").success());
    let mut follower = scene.follow();
    fight.notes(1).await;
    receiver.accepts(5).await;
    fight.delete().send().await.expect(204);
    assert!(follower.ended(SOON).expect("an end").success());
    assert_eq!(scene.versions(), [1, 2, 3, 4, 5]);
    let posts = receiver.accepted();
    assert_eq!(posts.len(), 6);
    assert_eq!(posts[5].json()["type"], "encounter.deleted");
    let all = receiver.got();
    assert_eq!(all.len(), 8, "two posts failed");
    assert!(all.iter().all(Got::is_signed));
    // A repetition has the id of the post that failed.
    let ids: Vec<&str> = all.iter().map(|got| got.header("webhook-id")).collect();
    assert_eq!((ids[2], ids[3]), (ids[4], ids[4]));
    let log = scene.log();
    let pauses = seconds(&log);
    assert!((0.9..=1.1).contains(&pauses[0]), "{log}");
    assert!((1.8..=2.2).contains(&pauses[1]), "{log}");
    // The lines of a process that is killed may be lost.
    for posted in ["\"encounter.changed\" version=5", "\"encounter.deleted\""] {
        assert!(log.contains(&format!("posted kind={posted}")), "{log}");
    }
    assert_eq!(secrets::within(&log), [""; 0], "{log}");
    assert!(!log.contains(&secret()) && !log.contains("/hook"), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_post_all_it_posts_turns_and_sees_no_more_than_its_token() {
    let mut scene = Scene::start().await;
    let fight = scene.server.client();
    scene.fight = fight
        .create(&json!({"ruleset": "custom", "combatants": [
            {"id": "ann"}, {"id": "orc", "name": "Secret orc", "side": "monsters", "hidden": true}
        ]}))
        .await;
    let player = scene.fight.player(&["ann"]).await;
    let mut command = scene.command(&player);
    let _follower = Process::start(command.args(["--post-format", "discord"]));
    scene.logged("follows the encounter").await;
    scene.fight.accepted(note("The door creaks.")).await;
    // Discord refuses a message once: it is left out.
    scene.receiver.answer(&[400]);
    scene.fight.accepted(json!({"type": "start"})).await;
    scene.logged("Discord refuses a message").await;
    scene.fight.accepted(json!({"type": "undo"})).await;
    scene.fight.accepted(json!({"type": "start"})).await;
    scene.receiver.accepts(2).await;
    let posts = scene.receiver.accepted();
    let contents: Vec<String> = posts
        .iter()
        .map(|post| post.json()["content"].as_str().expect("text").to_owned())
        .collect();
    assert!(contents[1].contains("Round 1 starts"), "{contents:?}");
    for (post, content) in posts.iter().zip(&contents) {
        assert!(!content.contains("orc"), "{content}");
        assert_eq!(post.header("webhook-signature"), "");
    }
    scene.logged("version=4").await;
    let log = scene.log();
    assert_eq!(log.matches("posted").count(), 2, "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_process_and_a_receiver_that_is_gone_end_it() {
    let scene = Scene::start().await;
    // Their file is the one that belongs to the encounter and the address.
    let follow = || Process::start(scene.command(&scene.fight).arg("--post-all"));
    let mut first = follow();
    scene.logged("follows the encounter").await;
    let mut second = follow();
    assert_eq!(second.ended(SOON).expect("an end").code(), Some(1));
    scene.logged("Another process posts this already").await;
    scene.receiver.answer(&[410]);
    scene.fight.notes(1).await;
    assert_eq!(first.ended(SOON).expect("an end").code(), Some(1));
    scene.logged("it takes no more posts").await;
    // What the receiver did not take comes first at the next start.
    let _again = follow();
    scene.receiver.accepts(1).await;
    assert_eq!(scene.versions(), [1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_process_loses_and_repeats_nothing_over_ends_of_its_stream() {
    let mut scene = Scene::with(&[("TURNKEEPER_STREAM_TIME", "1s")]).await;
    let port = |server: &Server| server.url().rsplit(':').next().expect("a port").parse();
    let proxy = Proxy::to(port(&scene.server).expect("a port")).await;
    scene.from = format!("http://127.0.0.1:{}", proxy.port());
    let mut follower = scene.follow();
    scene.logged("follows the encounter").await;
    // The server ends a stream every second. What happens between two of them is in the next one.
    let streams = || scene.server.log().matches("/events").count();
    for asked in 2..=3 {
        eventually("the next stream", SOON, async || streams() >= asked).await;
        scene.fight.notes(2).await;
    }
    scene.receiver.accepts(4).await;
    // The connection breaks with a change on its way.
    proxy.swallow_the_next_answer();
    scene.fight.notes(2).await;
    scene.receiver.accepts(6).await;
    assert!(proxy.swallowed());
    scene.server.kill();
    let away = scene.log().matches("the server is away").count();
    eventually("it notices", SOON, async || {
        scene.log().matches("the server is away").count() > away
    })
    .await;
    scene.server.again();
    let fight = scene.fight.through(&scene.server.client());
    fight.notes(2).await;
    proxy.lead_to(port(&scene.server).expect("a port"));
    scene.receiver.accepts(8).await;
    fight.notes(1).await;
    scene.receiver.accepts(9).await;
    assert_eq!(scene.versions(), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert_eq!(follower.status(), None);
    let log = scene.log();
    assert_eq!(log.matches("follows the encounter").count(), 1, "{log}");
    assert!(log.contains("continues after the last change"), "{log}");
    assert!(seconds(&log)[0] >= 0.9, "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_place_that_the_log_does_not_hold_is_given_up_and_a_deletion_is_told_later() {
    let scene = Scene::start().await;
    let kept = |after: Value, deleted: bool| {
        let kept = json!({"encounter": scene.fight.id, "after": after, "deleted": deleted});
        std::fs::write(scene.position(), kept.to_string()).expect("a file");
    };
    kept(json!("40"), false);
    let follower = scene.follow();
    scene.logged("changes are missing").await;
    scene.fight.notes(1).await;
    scene.receiver.accepts(1).await;
    assert_eq!(scene.versions(), [1]);
    drop(follower);
    kept(json!("1"), true);
    let mut follower = scene.follow();
    assert!(follower.ended(SOON).expect("an end").success());
    let told = scene.receiver.accepted()[1].json();
    assert_eq!(told["type"], "encounter.deleted");
    assert!(!scene.position().exists());
}

/// The names of the fields of a JSON text, in order.
fn fields(json: &str) -> Vec<&str> {
    let parts: Vec<&str> = json.split('"').collect();
    let named = parts.windows(2).filter(|pair| pair[1].starts_with(':'));
    named.map(|pair| pair[0]).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_sample_of_the_page_is_a_post() {
    let scene = Scene::start().await;
    let _follower = scene.follow();
    scene.logged("follows the encounter").await;
    let start = json!({"type": "start", "first": "chansi"});
    scene.fight.accepted(start).await;
    let end = json!({"type": "end_turn", "combatant": "chansi", "next": "valiant", "begin": true});
    scene.fight.accepted(end).await;
    scene.receiver.accepts(2).await;
    let post = scene.receiver.accepted().remove(1);
    let page = text("docs/how-to/webhooks.md");
    let [sample] = blocks(&page, "json")[..] else {
        panic!("one sample");
    };
    assert_eq!(fields(sample), fields(&post.body), "{}", post.body);
    let sample: Value = serde_json::from_str(sample).expect("JSON");
    let post = post.json();
    for same in ["commands", "events"] {
        assert_eq!(sample["data"][same], post["data"][same]);
    }
    let length = |value: &Value| value.as_str().map(str::len);
    for alike in ["/timestamp", "/data/encounter", "/data/event_id"] {
        let (sample, post) = (sample.pointer(alike), post.pointer(alike));
        assert_eq!(sample.and_then(length), post.and_then(length), "{post:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_receiver_of_the_page_takes_posts_and_refuses_others() {
    let mut scene = Scene::start().await;
    let page = text("docs/how-to/webhooks.md");
    let [code] = blocks(&page, "python")[..] else {
        panic!("one receiver");
    };
    let free = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = free.local_addr().expect("an address").port();
    drop(free);
    let printed = scene.directory.path().join("printed");
    let mut python = Command::new("python3");
    python
        .args(["-c", &code.replace("8000", &port.to_string())])
        .env("TURNKEEPER_POST_SECRET", secret())
        .stdout(File::create(&printed).expect("a file"))
        .stderr(Stdio::null());
    let _python = Process::start(&mut python);
    let listens = async || TcpStream::connect(("127.0.0.1", port)).await.is_ok();
    eventually("the receiver listens", SOON, listens).await;
    scene.to = format!("http://127.0.0.1:{port}");
    let _follower = scene.follow();
    scene.logged("follows the encounter").await;
    scene.fight.accepted(json!({"type": "start"})).await;
    eventually("sentences", SOON, async || {
        read_to_string(&printed).is_ok_and(|printed| printed.contains("The fight starts."))
    })
    .await;
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.expect("a time").as_secs();
    let status = async |seconds: u64, signed: &str| {
        let seconds = seconds.to_string();
        let post = http()
            .post(&scene.to)
            .header("webhook-id", "a-1")
            .header("webhook-timestamp", &seconds)
            .header("webhook-signature", signature("a-1", &seconds, signed))
            .body(r#"{"data": {}}"#);
        post.send().await.expect("an answer").status().as_u16()
    };
    assert_eq!(status(now, r#"{"data": {}}"#).await, 204);
    assert_eq!(status(now, r#"{"data": []}"#).await, 401);
    assert_eq!(status(now - 3600, r#"{"data": {}}"#).await, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_token_or_encounter_is_told_by_its_setting() {
    let scene = Scene::start().await;
    let said = |token: &str| {
        let settings = [
            ("TURNKEEPER_POST", "https://192.0.43.7/hook"),
            ("TURNKEEPER_POST_SECRET", &secret()),
            ("TURNKEEPER_SERVER", &scene.from),
            ("TURNKEEPER_TOKEN", token),
        ];
        fails(&settings, &["follow", "abc"], 1)
    };
    let wrong = said("tk_gm_x");
    assert!(wrong.contains("TURNKEEPER_TOKEN: "), "{wrong}");
    let unknown = said(&scene.fight.token);
    let remedy = "Check ENCOUNTER, TURNKEEPER_TOKEN and TURNKEEPER_SERVER.";
    assert!(unknown.contains(remedy), "{unknown}");
}

#[test]
fn private_addresses_and_missing_secrets_are_refused() {
    let run = |to: &str, settings: &[(&str, &str)]| {
        let mut all = vec![("TURNKEEPER_TOKEN", "tk_gm_x"), ("TURNKEEPER_POST", to)];
        all.extend(settings);
        fails(&all, &["follow", "abc"], 1)
    };
    let key = secret();
    let signed = ("TURNKEEPER_POST_SECRET", key.as_str());
    for private in [
        "https://127.0.0.1/hook",
        "https://[::1]/hook",
        "https://10.0.0.1/hook",
        "https://localhost/hook",
    ] {
        assert!(run(private, &[signed]).contains("the address is private"));
    }
    assert!(run("http://192.0.43.7/hook", &[signed]).contains("https://"));
    assert!(run("https://192.0.43.7/hook", &[]).contains("such as this random one: whsec_"));
    let mistyped = run("discord.com/api/webhooks/1/s3cr3t", &[signed]);
    assert!(mistyped.contains("send an address such as"), "{mistyped}");
    assert!(!mistyped.contains("s3cr3t"), "{mistyped}");
}
