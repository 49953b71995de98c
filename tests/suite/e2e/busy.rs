//! A server with more to do than it has time for.

use super::{Api, Fight, Setup, embedded_store, note, text};
use crate::log::feed::{LINES, Stream};
use crate::support::raw::{Raw, post};
use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response, request};
use futures::future::join_all;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tower::ServiceExt;
use turnkeeper::app::App;
use turnkeeper::engine::Rulesets;
use turnkeeper::http::{Settings, router};

/// A started fight that is too large for its options to be listed at once.
async fn crowd(api: &Api) -> Fight {
    let combatant = |n: usize| {
        let side = if n.is_multiple_of(2) {
            "players"
        } else {
            "monsters"
        };
        json!({"id": format!("c{n}"), "side": side, "hp": {"current": 9, "max": 9}})
    };
    let combatants: Vec<Value> = (0..60).map(combatant).collect();
    let fight = api
        .create(&json!({"ruleset": "active-initiative", "combatants": combatants}))
        .await;
    fight
        .accepted(json!({"type": "start", "first": "c0"}))
        .await;
    fight
}

#[tokio::test]
async fn a_command_that_is_applied_is_answered_with_success_however_many_options_wait() {
    let api = Api::start().await;
    let fight = crowd(&api).await;
    let path = fight.path("/commands?include=options");
    let commands = (0..100).map(|n| {
        api.post(&path, &note(&format!("note {n}")))
            .token(&fight.token)
            .minimal()
            .send()
    });
    let answers = join_all(commands).await;
    // Where the disk is slow, some wait too long for the commands before them, and are not applied.
    let (applied, refused): (Vec<_>, Vec<_>) =
        answers.into_iter().partition(|answer| answer.status == 200);
    for answer in refused {
        answer.problem(503, "contended");
    }
    assert!(
        applied
            .iter()
            .any(|answer| answer.json()["options"]["items"].is_array()),
        "some have their options"
    );
    assert_eq!(fight.log().await.len(), applied.len() + 1);
}

#[tokio::test]
async fn readers_with_one_audience_share_the_work_of_their_options() {
    let api = Api::start().await;
    let fight = crowd(&api).await;
    let mut spectators = Vec::new();
    for _ in 0..10 {
        spectators.push(fight.player(&["c0"]).await);
    }
    let reading = (0..100).map(|n| spectators[n % 10].get("/options").send());
    let answers = join_all(reading).await;
    let first = answers[0].clone().expect(200).json();
    for answer in answers {
        assert_eq!(answer.expect(200).json(), first);
    }
}

#[tokio::test]
async fn each_of_many_streams_includes_all_that_it_asked_for() {
    let api = Api::start().await;
    let fight = crowd(&api).await;
    let mut viewers = vec![fight.clone()];
    for n in 0..40 {
        viewers.push(fight.player(&[&format!("c{n}")]).await);
    }
    let open = viewers.iter().chain(&viewers).map(|viewer| {
        let call = viewer
            .get("/events?include=encounter,options")
            .header("last-event-id", "1");
        async { Stream::of(call, LINES).await.expect("a stream") }
    });
    let streams = join_all(open).await;
    for _ in 0..3 {
        fight
            .accepted(json!({"type": "damage", "target": "c0", "amount": 1}))
            .await;
    }
    let heard = streams.into_iter().map(|mut stream| async move {
        loop {
            let entry = stream.next().await.expect("a transition").data;
            if entry["version"] == 4 {
                return entry;
            }
        }
    });
    let heard = join_all(heard).await;
    for (entry, viewer) in heard.into_iter().zip(viewers.iter().chain(&viewers)) {
        assert_eq!(entry["encounter"]["version"], 4, "{entry}");
        assert_eq!(entry["options"]["version"], 4, "{entry}");
        assert_eq!(entry["encounter"], viewer.read("").await);
    }
}

/// A fight whose view is large, served without a socket.
struct Unread {
    service: Router,
    path: String,
    token: String,
}

impl Unread {
    async fn new(app: App, settings: Settings) -> Self {
        Self::on(router(Arc::new(app), settings)).await
    }

    async fn on(service: Router) -> Self {
        let new = Self {
            service,
            path: "/v1/encounters".into(),
            token: String::new(),
        };
        new.another().await
    }

    /// Another fight of the same server.
    async fn another(&self) -> Self {
        let new = Self {
            service: self.service.clone(),
            path: "/v1/encounters".into(),
            token: String::new(),
        };
        let combatants: Vec<Value> = (0..500)
            .map(|n| json!({"id": format!("c{n}"), "name": "n".repeat(80)}))
            .collect();
        let fight = json!({"ruleset": "active-initiative", "combatants": combatants});
        let created = body(new.send("POST", "", &fight).await).await;
        Self {
            path: format!("/v1/encounters/{}", text(&created["encounter"]["id"])),
            token: text(&created["token"]),
            ..new
        }
    }

    /// The same fight for a new player.
    async fn player(&self, combatant: &str) -> Self {
        let player = json!({"role": "player", "combatants": [combatant]});
        let created = body(self.send("POST", "/tokens", &player).await).await;
        Self {
            service: self.service.clone(),
            path: self.path.clone(),
            token: text(&created["token"]),
        }
    }

    /// Reads the fight, and leaves the answers unread, until one is refused; at most `most`.
    async fn fill(&self, most: usize) -> Vec<Response<Body>> {
        let mut unread = Vec::new();
        while unread.len() < most {
            let answer = self.send("GET", "", &json!(null)).await;
            if answer.status() != 200 {
                assert_eq!(answer.status(), 503);
                break;
            }
            unread.push(answer);
        }
        unread
    }

    async fn send(&self, method: &str, rest: &str, body: &Value) -> Response<Body> {
        let request = self.request(method, rest);
        let request = request
            .header("content-type", "application/json")
            .body(Body::from(body.to_string()));
        self.answer(request.expect("a request")).await
    }

    /// Opens a stream, from the beginning or after an event.
    async fn stream(&self, rest: &str, last_event: &str) -> Response<Body> {
        let request = self.request("GET", &format!("/events{rest}"));
        let request = request
            .header("accept", LINES)
            .header("last-event-id", last_event)
            .body(Body::empty());
        self.answer(request.expect("a request")).await
    }

    fn request(&self, method: &str, rest: &str) -> request::Builder {
        Request::builder()
            .method(method)
            .uri(format!("{}{rest}", self.path))
            .header("authorization", format!("Bearer {}", self.token))
    }

    async fn answer(&self, request: Request<Body>) -> Response<Body> {
        let answer = self.service.clone().oneshot(request).await;
        answer.expect("an answer")
    }
}

async fn body(answer: Response<Body>) -> Value {
    let bytes = answer.into_body().collect().await.expect("a body");
    serde_json::from_slice(&bytes.to_bytes()).expect("JSON")
}

#[tokio::test]
async fn answers_that_nobody_reads_have_a_budget_and_a_command_without_room_changes_nothing() {
    let (_directory, store) = embedded_store();
    let app = App::new(store, Rulesets::shipped(), 1 << 20).with_answer_budget(0);
    let fight = Unread::new(app, Settings::default()).await;
    let mut unread = fight.fill(50).await;
    assert!(
        (4..50).contains(&unread.len()),
        "answers that nobody reads add up: {}",
        unread.len()
    );
    let command = note("nobody reads the answer");
    for path in ["/commands?dry_run=true", "/commands"] {
        assert_eq!(
            fight.send("POST", path, &command).await.status(),
            503,
            "{path}"
        );
    }
    unread.clear();
    let answer = fight.send("POST", "/commands", &command).await;
    assert_eq!(
        (
            answer.status().as_u16(),
            &answer.headers()["encounter-version"]
        ),
        (200, &"1".parse().expect("a value"))
    );
    assert_eq!(fight.send("GET", "", &json!(null)).await.status(), 200);
}

/// The messages of a stream, which ends soon.
async fn messages(stream: Response<Body>) -> Vec<Value> {
    assert_eq!(stream.status(), 200);
    let read = stream.into_body().collect();
    let read = timeout(Duration::from_secs(10), read)
        .await
        .expect("it ends at its time");
    let text = read.expect("a body").to_bytes();
    text.split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).expect("JSON"))
        .collect()
}

#[tokio::test]
async fn a_stream_waits_for_room_until_its_own_end() {
    let (_directory, store) = embedded_store();
    let app = App::new(store, Rulesets::shipped(), 1 << 20).with_answer_budget(0);
    let settings = Settings {
        stream_time: Duration::from_secs(2),
        ..Settings::default()
    };
    let fight = Unread::new(app, settings).await;
    let command = note("something happens");
    let sent = fight.send("POST", "/commands", &command).await;
    assert_eq!(body(sent).await["version"], 1);
    let unread = fight.fill(50).await;
    for (rest, last_event) in [("", ""), ("?after=0", ""), ("?include=encounter", "0")] {
        let stream = fight.stream(rest, last_event).await;
        assert_eq!(messages(stream).await, [] as [Value; 0], "{rest}");
    }
    let stream = fight.stream("?limit=1&include=encounter", "0").await;
    drop(unread);
    let told = messages(stream).await;
    assert_eq!(told[0]["encounter"]["version"], 1);
}

#[tokio::test]
async fn a_stream_begins_before_its_first_options_are_listed() {
    let (_directory, store) = embedded_store();
    let app = Arc::new(App::new(store, Rulesets::shipped(), 64 << 20));
    let patient = Unread::on(router(app.clone(), Settings::default())).await;
    let start = json!({"type": "start", "first": "c0"});
    let started = patient.send("POST", "/commands", &start).await;
    assert_eq!(body(started).await["version"], 1);
    // Players whose options come first, and take longer than the stream has.
    let mut listing = JoinSet::new();
    for n in 0..30 {
        let player = patient.player(&format!("c{n}")).await;
        listing.spawn(async move { player.send("GET", "/options", &json!(null)).await });
    }
    tokio::time::sleep(Duration::from_millis(50)).await;
    let settings = Settings {
        timeout: Duration::from_secs(1),
        stream_time: Duration::from_millis(500),
        ..Settings::default()
    };
    let hurried = Unread {
        service: router(app, settings),
        ..patient
    };
    let stream = hurried.stream("?include=options", "").await;
    messages(stream).await;
}

#[tokio::test]
async fn a_token_and_an_encounter_hold_a_limited_number_of_streams_open() {
    let (_directory, store) = embedded_store();
    let app = App::new(store, Rulesets::shipped(), 64 << 20);
    let fight = Unread::new(app, Settings::default()).await;
    let mut open = Vec::new();
    for _ in 0..4 {
        let player = fight.player("c0").await;
        for _ in 0..64 {
            open.push(player.stream("", "0").await);
        }
        for refused in [
            player.stream("", "0").await,
            player.send("GET", "/events?wait=1", &json!(null)).await,
        ] {
            assert_eq!(refused.headers()["retry-after"], "5");
            assert_eq!(refused.status(), 429);
            assert_eq!(body(refused).await["code"], "too_many_streams");
        }
    }
    assert!(open.iter().all(|stream| stream.status() == 200));
    assert_eq!(fight.stream("", "0").await.status(), 429);
    assert_eq!(fight.another().await.stream("", "0").await.status(), 200);
    open.pop();
    assert_eq!(fight.stream("", "0").await.status(), 200);
}

#[tokio::test]
async fn the_unread_answers_of_one_encounter_leave_room_for_others() {
    let (_directory, store) = embedded_store();
    let app = App::new(store, Rulesets::shipped(), 1 << 20).with_answer_budget(16 << 20);
    let crowded = Unread::new(app, Settings::default()).await;
    let quiet = crowded.another().await;
    let mut unread = Vec::new();
    for _ in 0..12 {
        unread.push(crowded.player("c0").await.fill(50).await);
    }
    let answer = quiet.send("GET", "", &json!(null)).await;
    assert_eq!(answer.status(), 200, "another encounter has its own share");
    assert!(unread.iter().any(Vec::is_empty), "they share a quarter");
}

/// A body of the largest size but one byte, of which the end never comes.
async fn unfinished(api: &Api, fight: &Fight) -> Raw {
    let begun =
        post(&fight.path("/commands"), &fight.token, 256 * 1024) + &" ".repeat(256 * 1024 - 1);
    Raw::open(api.address(), begun.as_bytes()).await
}

/// A server with room for eight of the largest bodies, and for imports as much.
async fn with_room_for_eight_bodies() -> (TempDir, Api) {
    let (directory, store) = embedded_store();
    let settings = Settings {
        body_budget: 4 << 20,
        ..Settings::default()
    };
    let setup = Setup {
        settings,
        ..Setup::default()
    };
    (directory, Api::on(store, setup).await)
}

/// Sends a command in a large body, which is applied.
async fn sends_a_large_body(api: &Api, fight: &Fight) {
    let large = " ".repeat(200_000) + &note("x").to_string();
    let sent = api.post_text(&fight.path("/commands"), large);
    sent.token(&fight.token).send().await.expect(200);
}

#[tokio::test]
async fn unfinished_bodies_of_one_client_keep_nobody_else_from_sending() {
    let (_directory, api) = with_room_for_eight_bodies().await;
    let (crowded, quiet) = (api.fight().await, api.fight().await);
    let player = crowded.player(&["chansi"]).await;
    let mut open = Vec::new();
    for _ in 0..12 {
        open.push(unfinished(&api, &player).await);
    }
    sends_a_large_body(&api, &quiet).await;
    // Clients of five encounters use half of the room: from then on no body is read before its
    // token is checked.
    for _ in 0..4 {
        open.push(unfinished(&api, &api.fight().await).await);
    }
    let wrong = post(&quiet.path("/commands"), &crowded.token, 50);
    let answer = Raw::open(api.address(), wrong.as_bytes())
        .await
        .until("\r\n")
        .await;
    assert!(answer.starts_with("HTTP/1.1 404 "), "{answer}");
    quiet.accepted(note("there is room for others")).await;
}

#[tokio::test]
async fn unfinished_bodies_of_one_encounter_keep_no_other_from_sending() {
    let (_directory, api) = with_room_for_eight_bodies().await;
    let (crowded, quiet) = (api.fight().await, api.fight().await);
    let mut players = Vec::new();
    for _ in 0..10 {
        players.push(crowded.player(&["chansi"]).await);
    }
    let mut open = Vec::new();
    for player in players {
        open.push(unfinished(&api, &player).await);
    }
    sends_a_large_body(&api, &quiet).await;
}

#[tokio::test]
async fn a_spectators_body_is_refused_before_it_is_read() {
    let (_directory, store) = embedded_store();
    let api = Api::on(store.clone(), Setup::default()).await;
    let spectator = api.fight().await.spectator().await;
    // This one has not used the encounter before the first body.
    let other = Api::on(store, Setup::default()).await;
    for (api, length) in [(&other, 50), (&api, 50), (&api, 200_000)] {
        let begun = post(&spectator.path("/commands"), &spectator.token, length);
        let answer = Raw::open(api.address(), begun.as_bytes())
            .await
            .until("}")
            .await;
        assert!(
            answer.starts_with("HTTP/1.1 403 ") && answer.contains("\"forbidden\""),
            "{answer}"
        );
    }
}
