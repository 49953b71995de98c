//! What holds whatever a client sends: no answer of 500 or above, each error is a problem document,
//! what is listed is accepted, and a log that was exported is imported with the same result.

use super::choices::{completed, resolved_items};
use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use http_body_util::BodyExt;
use json_patch::Patch;
use serde_json::{Value, json};
use std::sync::Arc;
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use tower::ServiceExt;
use turnkeeper::app::App;
use turnkeeper::engine::Rulesets;
use turnkeeper::http::{Settings, router};
use turnkeeper::store::StoreConfig;
use turnkeeper::store::embedded::EmbeddedStore;

/// Steps of a fight that is played by its options.
const STEPS: usize = 6;
/// Commands of one input, at most.
const COMMANDS: usize = 12;
/// Options that are tried beside the one that is played.
const TRIED: usize = 3;

/// Operations of a patch, at most.
const PATCHES: usize = 4;

/// The service in this process, with a store of its own.
pub struct Service {
    runtime: Runtime,
    router: Router,
    _directory: TempDir,
}

/// An encounter and the token of its game master.
struct Fight {
    path: String,
    token: String,
}

struct Answer {
    status: StatusCode,
    json: Value,
}

impl Service {
    /// Opens a store in memory, where the system has a folder for that.
    pub fn start() -> Self {
        let directory = TempDir::new_in("/dev/shm").or_else(|_| TempDir::new());
        let directory = directory.expect("a temporary directory");
        let store = EmbeddedStore::open(directory.path(), StoreConfig::default());
        let store = Arc::new(store.expect("a store"));
        let app = Arc::new(App::new(store, Rulesets::shipped(), 1024 * 1024));
        Self {
            runtime: Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime"),
            router: router(app, Settings::default()),
            _directory: directory,
        }
    }

    /// The input is the definition of an order under `custom`. If it is accepted, a fight is played
    /// by its options.
    pub fn definitions(&self, input: &[u8]) {
        let before = br#"{"ruleset": "custom", "combatants": [
            {"id": "ann", "side": "players", "hp": {"current": 9, "max": 9}},
            {"id": "bob", "side": "players", "controller": "Bob"},
            {"id": "orc", "side": "monsters", "hidden": true},
            {"id": "rats", "side": "monsters", "members": ["rat-1", "rat-2"]}],
            "options": {"definition": "#;
        let creation = [before, input, b"}}"].concat();
        let Some(fight) = self.create("/v1/encounters", creation) else {
            return;
        };
        for step in 0..STEPS {
            let choice = usize::from(*input.get(step * 7).unwrap_or(&0));
            if !self.play_option(&fight, step + choice) {
                break;
            }
        }
        self.export_again(&fight);
        self.delete(&fight);
    }

    /// The first line of the input is a creation, the last a JSON Patch of the exported log, each
    /// other line the body of a command.
    pub fn imports(&self, input: &[u8]) {
        let mut lines: Vec<&[u8]> = input.split(|byte| *byte == b'\n').collect();
        let Ok(patch) = serde_json::from_slice::<Patch>(lines.pop().unwrap_or_default()) else {
            return;
        };
        // Copies of copies would fill the memory before they are sent.
        if patch.len() > PATCHES {
            return;
        }
        let Some(fight) = self.play_lines(&lines) else {
            return;
        };
        let mut log = self.read(&fight, "/export");
        self.delete(&fight);
        if json_patch::patch(&mut log, &patch).is_err() {
            return;
        }
        let Some(copy) = self.create("/v1/encounters/import", log.to_string().into()) else {
            return;
        };
        self.play_option(&copy, input.len());
        self.export_again(&copy);
        self.delete(&copy);
    }

    /// The first line of the input is a creation, each other line the body of a command.
    pub fn requests(&self, input: &[u8]) {
        let lines: Vec<&[u8]> = input.split(|byte| *byte == b'\n').collect();
        let Some(fight) = self.play_lines(&lines) else {
            return;
        };
        self.play_option(&fight, input.len());
        self.export_again(&fight);
        self.command(&fight, br#"{"type": "undo", "to_version": 0}"#.to_vec());
        self.read(&fight, "");
        self.delete(&fight);
    }

    /// Creates an encounter from the first line and sends it the others.
    fn play_lines(&self, lines: &[&[u8]]) -> Option<Fight> {
        let (creation, commands) = lines.split_first()?;
        let fight = self.create("/v1/encounters", creation.to_vec())?;
        for command in commands.iter().take(COMMANDS) {
            self.command(&fight, command.to_vec());
        }
        Some(fight)
    }

    fn create(&self, path: &str, body: Vec<u8>) -> Option<Fight> {
        let made = self.send("POST", path, "", body);
        if made.status != StatusCode::CREATED {
            return None;
        }
        let text = |value: &Value| value.as_str().expect("text").to_owned();
        Some(Fight {
            path: format!("/v1/encounters/{}", text(&made.json["encounter"]["id"])),
            token: text(&made.json["token"]),
        })
    }

    fn command(&self, fight: &Fight, body: Vec<u8>) -> Answer {
        let path = format!("{}/commands", fight.path);
        self.send("POST", &path, &fight.token, body)
    }

    fn read(&self, fight: &Fight, below: &str) -> Value {
        let path = format!("{}{below}", fight.path);
        let answer = self.send("GET", &path, &fight.token, Vec::new());
        assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.json);
        answer.json
    }

    fn delete(&self, fight: &Fight) {
        let answer = self.send("DELETE", &fight.path, &fight.token, Vec::new());
        assert_eq!(answer.status, StatusCode::NO_CONTENT);
    }

    /// Plays one of the options, and tries some that follow it. False if nothing is listed.
    fn play_option(&self, fight: &Fight, choice: usize) -> bool {
        let listed = resolved_items(&self.read(fight, "/options?include=tools"));
        if listed.is_empty() {
            return false;
        }
        for tried in 1..=TRIED {
            let option = completed(&listed[(choice + tried) % listed.len()]);
            self.accepted(fight, "/commands?dry_run=true", &option);
        }
        let option = completed(&listed[choice % listed.len()]);
        self.accepted(fight, "/commands", &option);
        true
    }

    /// What is listed is accepted.
    fn accepted(&self, fight: &Fight, below: &str, option: &Value) {
        let path = format!("{}{below}", fight.path);
        let answer = self.send("POST", &path, &fight.token, option.to_string().into());
        assert_eq!(answer.status, StatusCode::OK, "{option}: {}", answer.json);
    }

    /// The log of an encounter makes the same encounter somewhere else.
    fn export_again(&self, fight: &Fight) {
        let log = self.read(fight, "/export");
        let copy = self.create("/v1/encounters/import", log.to_string().into());
        let copy = copy.expect("an exported log is imported");
        let parts = [
            "version",
            "order",
            "current",
            "pending",
            "combatants",
            "state",
        ];
        let [original, copied] = [fight, &copy].map(|fight| self.read(fight, ""));
        for part in parts {
            assert_eq!(original[part], copied[part], "{part} of a copy");
        }
        self.delete(&copy);
    }

    fn send(&self, method: &str, path: &str, token: &str, body: Vec<u8>) -> Answer {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::CONTENT_LENGTH, body.len());
        let request = if token.is_empty() {
            request
        } else {
            request.header(header::AUTHORIZATION, format!("Bearer {token}"))
        };
        let request = request.body(Body::from(body)).expect("a request");
        self.runtime.block_on(async {
            let answer = self.router.clone().oneshot(request).await;
            let answer = answer.expect("an answer");
            let status = answer.status();
            let media_type = answer.headers().get(header::CONTENT_TYPE).cloned();
            let body = answer
                .into_body()
                .collect()
                .await
                .expect("a body")
                .to_bytes();
            let json: Value = serde_json::from_slice(&body).unwrap_or_default();
            assert!(status.as_u16() < 500, "{method} {path}: {status} {json}");
            if status.is_client_error() {
                let is_problem = media_type.is_some_and(|kind| kind == "application/problem+json");
                assert!(
                    is_problem,
                    "{method} {path}: {status} is no problem document"
                );
                assert_eq!(json["status"], json!(status.as_u16()));
                assert!(json["code"].is_string(), "{json}");
            }
            Answer { status, json }
        })
    }
}
