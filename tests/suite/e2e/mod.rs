//! The whole service over a real socket, or through the Lambda door: see [`cell`].
//!
//! [`Api`] is a server on a free port with a client; [`Api::fight`] creates an encounter. A [`Call`] is built like a curl line
//! and sent; [`Answer`] has what the assertions need.

pub mod applications;
mod browser;
pub mod cell;
mod commands;
mod conditional;
mod failover;
mod faults;
mod guarded;
mod headers;
mod idempotency;
mod limits;
mod process;
mod rates;
mod reading;
mod secrecy;
mod status;
mod tokens;

use crate::support::contract::{self, Exchange};
use crate::support::lambda::Function;
use crate::support::secrets;
use bytes::Bytes;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method};
use serde_json::{Value, json};
use std::sync::Arc;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use turnkeeper::app::{App, AppKeys, Applications};
use turnkeeper::engine::Rulesets;
use turnkeeper::http::{Settings, router, serve};
use turnkeeper::store::embedded::EmbeddedStore;
use turnkeeper::store::redis::RedisStore;
use turnkeeper::store::{Store, StoreConfig};

/// A server in this process, and a client for it.
#[must_use = "the server ends when this is dropped"]
pub struct Api {
    pub base: String,
    client: Client,
    stop: Option<oneshot::Sender<()>>,
    _directory: Option<TempDir>,
    _redis: Option<Arc<cell::Servers>>,
    function: Option<Function>,
}

impl Api {
    /// One on the store of this cell: where nothing else is said, an embedded one of its own.
    pub async fn start() -> Self {
        Self::with(Settings::default()).await
    }

    /// One with these settings, on the store of this cell.
    pub async fn with(settings: Settings) -> Self {
        Self::guarded(settings, "").await
    }

    /// One with these settings that knows the applications of `keys`, `NAME=DIGEST` pairs, on the store of this cell.
    pub async fn guarded(settings: Settings, keys: &str) -> Self {
        if let Some(redis) = cell::redis() {
            let mut api = Self::on_url(&redis.url, settings, keys).await;
            api._redis = Some(redis);
            return api;
        }
        let directory = TempDir::new().expect("a temporary directory");
        let mut api = if cell::front().is_some() {
            let data = directory.path().to_str().expect("a path").to_owned();
            Self::function(("TURNKEEPER_DATA", data), 1, settings, keys).await
        } else {
            let store = EmbeddedStore::open(directory.path(), StoreConfig::default()).expect("an embedded store");
            Self::on(Arc::new(store), settings, keys).await
        };
        api._directory = Some(directory);
        api
    }

    /// One on a Redis.
    pub async fn on_redis(url: &str) -> Self {
        Self::on_url(url, Settings::default(), "").await
    }

    /// One on a Redis, with these settings, that knows these applications.
    pub async fn on_url(url: &str, settings: Settings, keys: &str) -> Self {
        if cell::front().is_some() {
            return Self::function(("REDIS_URL", url.to_owned()), 2, settings, keys).await;
        }
        let store = RedisStore::open(url, None, StoreConfig::default()).expect("a Redis store");
        Self::on(Arc::new(store), settings, keys).await
    }

    async fn function(store: (&str, String), instances: usize, settings: Settings, keys: &str) -> Self {
        let mut settings = cell::variables(&settings);
        settings.push(("TURNKEEPER_APP_KEYS", keys.to_owned()));
        let settings = settings.iter().chain([&store]).map(|(name, value)| (*name, value.as_str()));
        let front = cell::front().expect("a Lambda cell");
        let function = Function::start(front, &settings.collect::<Vec<_>>(), instances).await;
        let base = function.url.clone();
        Self { base, client: Client::new(), stop: None, _directory: None, _redis: None, function: Some(function) }
    }

    async fn on(store: Arc<dyn Store>, settings: Settings, keys: &str) -> Self {
        secrets::listen();
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let (stop, stopped) = oneshot::channel();
        let applications = Arc::new(Applications::new(AppKeys::read(keys).expect("keys")));
        let app = Arc::new(App::new(store, Rulesets::shipped(), 16 << 20).serving(applications));
        let addresses = settings.counts_addresses();
        let service = router(app.clone(), settings);
        tokio::spawn(async move {
            let stopped = async move { drop(stopped.await) };
            serve(listener, service, addresses, stopped).await;
            app.close().await;
        });
        Self { base, client: Client::new(), stop: Some(stop), _directory: None, _redis: None, function: None }
    }

    /// What a function has logged; of a server in this process nothing is kept.
    pub fn log(&self) -> String {
        self.function.as_ref().map(Function::log).unwrap_or_default()
    }

    pub fn call(&self, method: &str, path: &str) -> Call<'_> {
        let method = Method::from_bytes(method.as_bytes()).expect("a method");
        Call { api: self, method, path: path.to_owned(), headers: HeaderMap::new(), body: None }
    }

    pub fn get(&self, path: &str) -> Call<'_> {
        self.call("GET", path)
    }

    /// A JSON body to be posted.
    pub fn post(&self, path: &str, body: &Value) -> Call<'_> {
        self.call("POST", path).header("content-type", "application/json").body(body.to_string())
    }

    /// An encounter of three, under Active Initiative.
    pub async fn fight(&self) -> Fight<'_> {
        self.create(&ambush()).await
    }

    /// An encounter that has to be created.
    pub async fn create(&self, creation: &Value) -> Fight<'_> {
        let answer = self.post("/v1/encounters", creation).send().await;
        assert_eq!(answer.status, 201, "{answer:?}");
        let id = answer.json()["encounter"]["id"].as_str().expect("an id").to_owned();
        let token = answer.json()["token"].as_str().expect("a token").to_owned();
        Fight { api: self, id, token }
    }
}

impl Drop for Api {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        secrets::none_were_logged();
    }
}

/// What creates an encounter of three.
pub fn ambush() -> Value {
    json!({"ruleset": "active-initiative", "name": "Ambush", "combatants": [
        {"id": "chansi", "name": "Chansi", "side": "players", "hp": {"current": 24, "max": 24}},
        {"id": "valiant", "name": "Valiant", "side": "players"},
        {"id": "brakkus", "name": "Brakkus", "side": "monsters", "hp": {"current": 9}}]})
}

/// A note, which is legal at any time.
pub fn note(text: &str) -> Value {
    json!({"type": "note", "text": text})
}

/// An encounter with its game master's token.
#[derive(Clone)]
pub struct Fight<'a> {
    pub api: &'a Api,
    pub id: String,
    pub token: String,
}

impl<'a> Fight<'a> {
    pub fn path(&self, rest: &str) -> String {
        format!("/v1/encounters/{}{rest}", self.id)
    }

    pub fn get(&self, rest: &str) -> Call<'a> {
        self.api.get(&self.path(rest)).token(&self.token)
    }

    /// A command, or a list of them.
    pub fn command(&self, command: &Value) -> Call<'a> {
        self.api.post(&self.path("/commands"), command).token(&self.token)
    }

    /// Sends a command that has to be accepted.
    #[track_caller]
    pub fn accepted(&self, command: Value) -> impl Future<Output = Answer> + use<'a> {
        let call = self.command(&command);
        async move {
            let answer = call.send().await;
            assert_eq!(answer.status, 200, "{command}: {answer:?}");
            answer
        }
    }

    /// The same encounter through another server.
    pub fn through<'b>(&self, api: &'b Api) -> Fight<'b> {
        Fight { api, id: self.id.clone(), token: self.token.clone() }
    }

    /// The versions in the log.
    pub async fn log(&self) -> Vec<u64> {
        let log = self.get("/events?limit=1000").send().await;
        let items = log.json()["items"].as_array().cloned().expect("items");
        items.iter().map(|item| item["version"].as_u64().expect("a version")).collect()
    }
}

/// A request in the making.
#[must_use = "nothing is sent without send()"]
pub struct Call<'a> {
    api: &'a Api,
    method: Method,
    path: String,
    headers: HeaderMap,
    body: Option<Bytes>,
}

impl Call<'_> {
    /// Adds a header, beside one of the same name that is there already.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        let name = HeaderName::from_bytes(name.as_bytes()).expect("a header's name");
        self.headers.append(name, HeaderValue::from_bytes(value.as_bytes()).expect("a header's value"));
        self
    }

    pub fn token(self, token: &str) -> Self {
        self.header("authorization", &format!("Bearer {token}"))
    }

    pub fn key(self, key: &str) -> Self {
        secrets::known(key);
        self.header("idempotency-key", key)
    }

    pub fn body(mut self, body: impl Into<Bytes>) -> Self {
        self.body = Some(body.into());
        self
    }

    /// Sends it, and holds it and its answer against the published document.
    pub async fn send(self) -> Answer {
        let request = self.api.client.request(self.method.clone(), format!("{}{}", self.api.base, self.path));
        let sent = self.body.unwrap_or_default();
        let mut request = request.headers(self.headers);
        if !sent.is_empty() {
            request = request.body(sent.clone());
        }
        let response = request.send().await.expect("an answer");
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let answer = Answer { status, headers, body: response.bytes().await.expect("a body") };
        if answer.header("content-encoding").is_empty() {
            let (method, media) = (self.method.as_str(), answer.header("content-type"));
            contract::kept(&Exchange { method, path: &self.path, sent: &sent, status, media, body: &answer.body });
        }
        answer
    }
}

/// What came back.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Answer {
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// A header's value; empty where there is none.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// The problem document, which has this status and code and all that every problem has.
    #[track_caller]
    pub fn problem(&self, status: u16, code: &str) -> Value {
        assert_eq!(self.status, status, "{self:?}");
        assert_eq!(self.header("content-type"), "application/problem+json", "{self:?}");
        let problem = self.json();
        assert_eq!(problem["status"], status, "{problem}");
        assert_eq!(problem["code"], code, "{problem}");
        assert_eq!(problem["type"], format!("urn:problem-type:turnkeeper:{code}"), "{problem}");
        for member in ["title", "detail"] {
            assert!(problem[member].as_str().is_some_and(|text| !text.is_empty()), "{member} of {problem}");
        }
        problem
    }
}
