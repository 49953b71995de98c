//! The log put to use: undo, time travel, the live feed, export and import, retention, and documents of older schemas.

mod feed;
mod followers;
mod schema;
mod transfer;
mod travel;

use crate::e2e::cell;
use crate::support::lambda::Function;
use serde_json::{Value, json};
use std::sync::Arc;
use tempfile::TempDir;
use turnkeeper::app::App;
use turnkeeper::engine::Rulesets;
use turnkeeper::http::{Settings, router, serve};
use turnkeeper::store::embedded::EmbeddedStore;
use turnkeeper::store::redis::RedisStore;
use turnkeeper::store::{Store, StoreConfig};

/// A service within the test's process, on a socket.
pub struct Service {
    pub url: String,
    /// Where it is in this process.
    pub app: Option<Arc<App>>,
    _data: Option<TempDir>,
    _function: Option<Function>,
    _redis: Option<Arc<cell::Servers>>,
}

impl Service {
    /// One in the cell of the matrix that is asked for, else on an embedded store of its own; it keeps at least so many log entries.
    pub async fn keeping(keep: u64) -> Self {
        let (data, redis) = (tempfile::tempdir().expect("a temporary directory"), cell::redis());
        let mut service = if let Some(front) = cell::front() {
            let keep = keep.to_string();
            let store = match &redis {
                Some(redis) => ("REDIS_URL", redis.url.as_str()),
                None => ("TURNKEEPER_DATA", data.path().to_str().expect("a path")),
            };
            // Long polls each keep an instance busy; an embedded store is one process's.
            let instances = if redis.is_some() { 3 } else { 1 };
            let function = Function::start(front, &[store, ("TURNKEEPER_LOG_KEEP", &keep)], instances).await;
            Self { url: function.url.clone(), app: None, _data: None, _function: Some(function), _redis: None }
        } else if let Some(redis) = &redis {
            let store = RedisStore::open(&redis.url, None, StoreConfig::default()).expect("a store");
            Self::on(Arc::new(store), keep, Settings::default()).await
        } else {
            let store = EmbeddedStore::open(data.path(), StoreConfig::default()).expect("a store");
            Self::on(Arc::new(store), keep, Settings::default()).await
        };
        (service._data, service._redis) = (Some(data), redis);
        service
    }

    /// One on this store.
    pub async fn on(store: Arc<dyn Store>, keep: u64, settings: Settings) -> Self {
        let app = Arc::new(App::new(store, Rulesets::shipped(), 16 << 20).keeping(keep));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        tokio::spawn(serve(listener, router(app.clone(), settings), false, std::future::pending()));
        Self { url, app: Some(app), _data: None, _function: None, _redis: None }
    }
}

/// An answer: its status and its JSON (null where it is none).
pub type Answer = (u16, Value);

/// An encounter with its token, on any server.
#[derive(Clone)]
pub struct Fight {
    pub client: reqwest::Client,
    pub id: String,
    pub token: String,
}

impl Fight {
    pub async fn create(url: &str, creation: &Value) -> Self {
        Self::post_new(&format!("{url}/v1/encounters"), creation.to_string()).await
    }

    /// Posts what makes an encounter.
    pub async fn post_new(url: &str, body: String) -> Self {
        let client = reqwest::Client::new();
        let answer = client.post(url).header("content-type", "application/json").body(body).send().await;
        let answer = answer.expect("an answer");
        let (status, text) = (answer.status().as_u16(), answer.text().await.expect("a body"));
        assert_eq!(status, 201, "{text}");
        let body: Value = serde_json::from_str(&text).expect("JSON");
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        Self { client, id: text(&body["encounter"]["id"]), token: text(&body["token"]) }
    }

    /// An encounter of three.
    pub async fn ambush(url: &str) -> Self {
        Self::create(url, &crate::e2e::ambush()).await
    }

    pub fn call(&self, method: &str, url: &str, rest: &str) -> reqwest::RequestBuilder {
        let method = method.parse().expect("a method");
        let call = self.client.request(method, format!("{url}/v1/encounters/{}{rest}", self.id));
        call.bearer_auth(&self.token)
    }

    pub async fn get(&self, url: &str, rest: &str) -> Answer {
        read(self.call("GET", url, rest).send().await.expect("an answer")).await
    }

    pub async fn send(&self, url: &str, command: Value) -> Answer {
        let call = self.call("POST", url, "/commands").header("content-type", "application/json");
        read(call.body(command.to_string()).send().await.expect("an answer")).await
    }

    /// Sends what has to be accepted.
    #[track_caller]
    pub fn accepted(&self, url: &str, command: Value) -> impl Future<Output = Value> {
        let (fight, url) = (self.clone(), url.to_owned());
        async move {
            let (status, body) = fight.send(&url, command.clone()).await;
            assert_eq!(status, 200, "{command}: {body}");
            body
        }
    }

    /// Adds so many notes.
    pub async fn notes(&self, url: &str, count: u64) {
        for n in 0..count {
            self.accepted(url, json!({"type": "note", "text": format!("note {n}")})).await;
        }
    }
}

async fn read(answer: reqwest::Response) -> Answer {
    let status = answer.status().as_u16();
    let text = answer.text().await.expect("a body");
    (status, serde_json::from_str(&text).unwrap_or_default())
}

/// A number from the environment: how large a test is.
pub fn size(name: &str, usual: usize) -> usize {
    std::env::var(name).map_or(usual, |value| value.parse().unwrap_or_else(|_| panic!("{name} is a number")))
}

/// Says which house rules a test shows.
pub fn shows(_: &[&str]) {}
