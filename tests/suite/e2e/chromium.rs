//! A game master's page and a spectator's page in one browser profile: each is shown its own
//! answers, whatever the browser has stored.

use super::{Api, Fight};
use crate::support::client::Answer;
use crate::support::process::Process;
use axum::Router;
use axum::extract::{DefaultBodyLimit, Path};
use axum::response::Html;
use axum::routing::{get, post};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::{Mutex, mpsc};
use tokio::time::timeout;

/// A browser with a new profile, gone with the values.
fn browse(url: &str) -> (Process, TempDir) {
    let profile = TempDir::new().expect("a temporary directory");
    let mut command =
        Command::new(std::env::var("CHROMIUM").unwrap_or_else(|_| "chromium".to_owned()));
    command.args([
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--no-first-run",
    ]);
    command
        .arg("--disable-background-networking")
        .arg(format!("--user-data-dir={}", profile.path().display()));
    command
        .env("HOME", profile.path())
        .arg(url)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    (Process::start(&mut command), profile)
}

/// What a page asks for.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq)]
struct Wanted {
    path: String,
    accept: String,
}

/// What a page was shown.
#[derive(Debug, Deserialize)]
struct Shown {
    #[serde(flatten)]
    wanted: Wanted,
    status: u16,
    media: String,
    body: String,
}

/// A page that asks for everything with a token, reports what it was shown, and goes where it is
/// sent then.
fn page(api: &str, token: &str, wanted: &[Wanted]) -> String {
    let (api, token, wanted) = (json!(api), json!(token), json!(wanted));
    format!(
        "<!doctype html><title>A table</title><script>
        async function run() {{
            const shown = [];
            for (const {{path, accept}} of {wanted}) {{
                const answer = await fetch({api} + path, {{headers: {{accept, authorization: 'Bearer ' + {token}}}}});
                const media = answer.headers.get('content-type');
                shown.push({{path, accept, status: answer.status, media, body: await answer.text()}});
            }}
            const next = await fetch('/shown', {{method: 'POST', body: JSON.stringify(shown)}});
            location = await next.text();
        }}
        run();
        </script>"
    )
}

/// Serves a page for each token under its place in the list, and passes on what the pages were
/// shown; each is sent to the page that is asked for then.
async fn pages(pages: Vec<String>) -> (String, mpsc::Receiver<Vec<Shown>>, mpsc::Sender<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let (report, reports) = mpsc::channel(1);
    let (send, next) = mpsc::channel(1);
    let next = Arc::new(Mutex::new(next));
    let shown = move |body: String| async move {
        report
            .send(serde_json::from_str(&body).expect("what was shown"))
            .await
            .expect("somebody waits");
        next.lock()
            .await
            .recv()
            .await
            .unwrap_or_else(|| "about:blank".to_owned())
    };
    let page =
        move |Path((page, _)): Path<(usize, usize)>| async move { Html(pages[page].clone()) };
    let router = Router::new()
        .route("/{page}/{round}", get(page))
        .route("/shown", post(shown));
    tokio::spawn(
        async move { axum::serve(listener, router.layer(DefaultBodyLimit::disable())).await },
    );
    (url, reports, send)
}

/// Every route that can be read, as the published document lists them.
async fn routes(api: &Api, fight: &Fight) -> Vec<String> {
    let document = api.read("/openapi.json").await;
    let paths = document["paths"].as_object().expect("paths").iter();
    let paths = paths.filter(|(_, operations)| operations.get("get").is_some());
    let paths = paths.map(|(path, _)| {
        path.replace("{id}", &fight.id)
            .replace("{ruleset}", "active-initiative")
    });
    let also = [
        fight.path("?at=0"),
        fight.path("?at=1"),
        "/openapi.json".to_owned(),
    ];
    paths.chain(also).collect()
}

/// Whether a page was shown what the server answers to its own token.
#[track_caller]
fn compare(who: &str, shown: &Shown, own: &Answer) {
    let Shown {
        wanted,
        status,
        media,
        body,
    } = shown;
    assert_eq!(
        (*status, media.as_str()),
        (own.status, own.header("content-type")),
        "{who}: {wanted:?}"
    );
    // Each export tells its own time, each problem its own request.
    if own.status >= 400 {
        let code = |body: &str| serde_json::from_str::<Value>(body).expect("JSON")["code"].clone();
        assert_eq!(code(body), code(&own.text()), "{who}: {wanted:?}");
    } else if !wanted.path.ends_with("/export") {
        assert_eq!(*body, own.text(), "{who}: {wanted:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_pages_in_one_profile_are_each_shown_their_own_answers() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let hidden = json!({"id": "shade", "side": "monsters", "hidden": true, "hp": {"current": 77}});
    fight
        .accepted(json!({"type": "add_combatant", "details": hidden}))
        .await;
    fight
        .accepted(json!({"type": "start", "first": "chansi"}))
        .await;
    let spectator = fight.spectator().await;
    let player = fight.player(&["chansi"]).await;
    let viewers = [
        ("game master", &fight),
        ("spectator", &spectator),
        ("player", &player),
    ];

    let media = ["application/json", "text/plain"];
    let paths = routes(&api, &fight).await;
    assert!(paths.len() >= 12, "{paths:?}");
    let wanted: Vec<Wanted> = (paths.iter())
        .flat_map(|path| {
            media.map(|accept| Wanted {
                path: path.clone(),
                accept: accept.to_owned(),
            })
        })
        .collect();
    let served = viewers
        .iter()
        .map(|(_, viewer)| page(&api.base, &viewer.token, &wanted))
        .collect();
    let (url, mut reports, next) = pages(served).await;
    let _browser = browse(&format!("{url}/0/0"));
    // Twice the game master first, and then the other way round, so that everybody finds what
    // everybody else has left.
    let turns = [0, 1, 2, 0, 1, 0, 2, 1, 0];
    for (round, turn) in turns.into_iter().enumerate() {
        let shown = timeout(Duration::from_secs(60), reports.recv())
            .await
            .expect("the page is done")
            .expect("a page");
        let (who, viewer) = viewers[turn];
        assert_eq!(
            shown.iter().map(|shown| &shown.wanted).collect::<Vec<_>>(),
            wanted.iter().collect::<Vec<_>>()
        );
        for shown in &shown {
            let Wanted { path, accept } = &shown.wanted;
            let own = api
                .get(path)
                .token(&viewer.token)
                .header("accept", accept)
                .send()
                .await;
            compare(who, shown, &own);
            assert!(
                who == "game master" || path.ends_with("/export") || !shown.body.contains("shade"),
                "{who}: {path}"
            );
        }
        let encounter = Wanted {
            path: fight.path(""),
            accept: "application/json".to_owned(),
        };
        let encounter = shown
            .iter()
            .find(|shown| shown.wanted == encounter)
            .expect("it is asked for");
        let encounter: Value = serde_json::from_str(&encounter.body).expect("JSON");
        let combatants = encounter["combatants"].as_array().map(Vec::len);
        assert_eq!(
            combatants,
            Some(if who == "game master" { 4 } else { 3 }),
            "{who}"
        );
        if round == 3 {
            // All viewers read one of two changes.
            fight
                .accepted(json!({"type": "damage", "target": "shade", "amount": 1}))
                .await;
            fight
                .accepted(json!({"type": "damage", "target": "chansi", "amount": 1}))
                .await;
        }
        let page = turns
            .get(round + 1)
            .map(|turn| format!("{url}/{turn}/{}", round + 1));
        next.send(page.unwrap_or_else(|| "about:blank".to_owned()))
            .await
            .expect("a page waits");
    }
}
