//! The whole service over a real socket, or through the Lambda door: see [`cell`].
//!
//! [`Api`] is a server on a free port with a client; [`Api::fight`] creates an encounter. A [`Call`] is built like a curl line
//! and sent; [`Answer`] has what the assertions need.

pub mod applications;
mod bodies;
mod browser;
pub mod cell;
mod chromium;
mod commands;
mod conditional;
mod connections;
mod failover;
mod faults;
mod guarded;
mod headers;
mod idempotency;
mod limits;
mod numbers;
mod paging;
mod paths;
mod process;
mod rates;
mod reading;
mod secrecy;
mod status;
mod tokens;

use crate::support::client::{Answer, send};
use crate::support::contract::{self, Exchange};
use crate::support::lambda::Function;
use crate::support::secrets;
use bytes::Bytes;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method, RequestBuilder};
use serde_json::{Value, json};
use std::sync::Arc;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use turnkeeper::app::{App, AppKeys, Applications, KEEP};
use turnkeeper::engine::Rulesets;
use turnkeeper::http::{Settings, router, serve};
use turnkeeper::store::embedded::EmbeddedStore;
use turnkeeper::store::redis::RedisStore;
use turnkeeper::store::{Store, StoreConfig};

/// What a server is told beside its store.
#[derive(Default)]
pub struct Setup<'k> {
    pub settings: Settings,
    /// The applications that it knows, `NAME=DIGEST` pairs.
    pub keys: &'k str,
    /// How many entries of a log it keeps at least, where that is not as usual.
    pub keep: Option<u64>,
}

/// A server in this process, and a client for it.
#[must_use = "the server ends when this is dropped"]
pub struct Api {
    pub base: String,
    client: Client,
    /// Where it is in this process.
    app: Option<Arc<App>>,
    stop: Option<oneshot::Sender<()>>,
    _directory: Option<TempDir>,
    _redis: Option<Arc<cell::Servers>>,
    function: Option<Function>,
}

impl Api {
    /// One on the store of this cell: where nothing else is said, an embedded one of its own.
    pub async fn start() -> Self {
        Self::set_up(Setup::default()).await
    }

    /// One with these settings, on the store of this cell.
    pub async fn with(settings: Settings) -> Self {
        Self::set_up(Setup { settings, ..Setup::default() }).await
    }

    /// One that is set up so, on the store of this cell.
    pub async fn set_up(setup: Setup<'_>) -> Self {
        if let Some(redis) = cell::redis() {
            let mut api = Self::on_url(&redis.url, setup).await;
            api._redis = Some(redis);
            return api;
        }
        let directory = TempDir::new().expect("a temporary directory");
        let mut api = if cell::front().is_some() {
            let data = directory.path().to_str().expect("a path").to_owned();
            Self::function(("TURNKEEPER_DATA", data), 1, setup).await
        } else {
            let store = EmbeddedStore::open(directory.path(), StoreConfig::default()).expect("an embedded store");
            Self::on(Arc::new(store), setup).await
        };
        api._directory = Some(directory);
        api
    }

    /// One on a Redis.
    pub async fn on_redis(url: &str) -> Self {
        Self::on_url(url, Setup::default()).await
    }

    /// One on a Redis that is set up so.
    pub async fn on_url(url: &str, setup: Setup<'_>) -> Self {
        if cell::front().is_some() {
            return Self::function(("REDIS_URL", url.to_owned()), 2, setup).await;
        }
        let store = RedisStore::open(url, None, StoreConfig::default()).expect("a Redis store");
        Self::on(Arc::new(store), setup).await
    }

    async fn function(store: (&str, String), instances: usize, setup: Setup<'_>) -> Self {
        let mut settings = cell::variables(&setup.settings);
        settings.push(("TURNKEEPER_APP_KEYS", setup.keys.to_owned()));
        settings.extend(setup.keep.map(|keep| ("TURNKEEPER_LOG_KEEP", keep.to_string())));
        let settings = settings.iter().chain([&store]).map(|(name, value)| (*name, value.as_str()));
        let front = cell::front().expect("a Lambda cell");
        let function = Function::start(front, &settings.collect::<Vec<_>>(), instances).await;
        let mut api = Self::at(function.url.clone());
        api.function = Some(function);
        api
    }

    /// One in this process on this store, whatever the cell.
    pub async fn on(store: Arc<dyn Store>, Setup { settings, keys, keep }: Setup<'_>) -> Self {
        secrets::listen();
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let mut api = Self::at(format!("http://{}", listener.local_addr().expect("an address")));
        let (stop, stopped) = oneshot::channel();
        let applications = Arc::new(Applications::new(AppKeys::read(keys).expect("keys")));
        let app = App::new(store, Rulesets::shipped(), 16 << 20).serving(applications).keeping(keep.unwrap_or(KEEP));
        let app = Arc::new(app);
        let service = router(app.clone(), settings);
        (api.app, api.stop) = (Some(app.clone()), Some(stop));
        tokio::spawn(async move {
            let stopped = async move { drop(stopped.await) };
            serve(listener, service, stopped).await;
            app.close().await;
        });
        api
    }

    /// The client of a server that is there already.
    pub fn at(base: String) -> Self {
        Self { base, client: Client::new(), app: None, stop: None, _directory: None, _redis: None, function: None }
    }

    /// The service itself, in this process.
    pub fn app(&self) -> &App {
        self.app.as_ref().expect("it is in this process")
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
        Fight::of(self, &self.post("/v1/encounters", creation).send().await)
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
    /// The one that this answer says has been created.
    #[track_caller]
    pub fn of(api: &'a Api, created: &Answer) -> Self {
        assert_eq!(created.status, 201, "{created:?}");
        let created = created.json();
        let text = |value: &Value| value.as_str().expect("text").to_owned();
        Self { api, id: text(&created["encounter"]["id"]), token: text(&created["token"]) }
    }

    /// Asks for a token.
    pub fn ask(&self, body: &Value) -> Call<'a> {
        self.api.post(&self.path("/tokens"), body).token(&self.token)
    }

    /// The same encounter in the hands of a new token, and that token's id.
    pub async fn hand_out(&self, body: Value) -> (Fight<'a>, String) {
        let answer = self.ask(&body).send().await;
        assert_eq!(answer.status, 201, "{answer:?}");
        let text = |field: &str| answer.json()[field].as_str().expect("text").to_owned();
        (Fight { token: text("token"), ..self.clone() }, text("id"))
    }

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

    /// Adds so many notes.
    pub async fn notes(&self, count: u64) {
        for n in 0..count {
            self.accepted(note(&format!("note {n}"))).await;
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

    /// The request itself, for who reads the answer bit by bit, or gets none.
    pub fn request(self) -> RequestBuilder {
        let request = self.api.client.request(self.method, format!("{}{}", self.api.base, self.path));
        let request = request.headers(self.headers);
        match self.body {
            Some(body) => request.body(body),
            None => request,
        }
    }

    /// Sends it, and holds it and its answer against the published document.
    pub async fn send(self) -> Answer {
        let (method, path, sent) = (self.method.clone(), self.path.clone(), self.body.clone().unwrap_or_default());
        let answer = send(self.request()).await.expect("an answer");
        if answer.header("content-encoding").is_empty() {
            let (method, media) = (method.as_str(), answer.header("content-type"));
            let (status, body) = (answer.status, &answer.body);
            contract::kept(&Exchange { method, path: &path, sent: &sent, status, media, body });
        }
        answer
    }
}
