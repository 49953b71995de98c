//! A client of the API, for tests and benchmarks. A [`Call`] is built like a line of curl;
//! [`Fight`] is an encounter with a token.

use super::choices::resolved_items;
use super::secrets;
use bytes::Bytes;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use std::time::Duration;

/// An answer, read to its end.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Answer {
    /// The body as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The value of a header; empty where it is missing.
    pub fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }

    /// The version of the encounter that it shows.
    #[track_caller]
    pub fn version(&self) -> u64 {
        let version = self.header("encounter-version");
        version
            .parse()
            .unwrap_or_else(|_| panic!("no version in {self:?}"))
    }

    /// The answer itself, which must have this status.
    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{self:?}");
        self
    }

    /// The problem document, with this status and code and the members of every problem.
    #[track_caller]
    pub fn problem(&self, status: u16, code: &str) -> Value {
        assert_eq!(self.status, status, "{self:?}");
        assert_eq!(
            self.header("content-type"),
            "application/problem+json",
            "{self:?}"
        );
        let problem = self.json();
        assert_eq!(problem["status"], status, "{problem}");
        assert_eq!(problem["code"], code, "{problem}");
        assert_eq!(problem["type"], format!("/problems/{code}"), "{problem}");
        for member in ["title", "detail"] {
            assert!(
                problem[member]
                    .as_str()
                    .is_some_and(|text| !text.is_empty()),
                "{member} of {problem}"
            );
        }
        problem
    }
}

/// A JSON string.
#[track_caller]
pub fn text(value: &Value) -> String {
    value
        .as_str()
        .unwrap_or_else(|| panic!("{value} is not a string"))
        .to_owned()
}

/// The version of a log entry or an encounter.
#[track_caller]
pub fn version(entry: &Value) -> u64 {
    entry["version"].as_u64().expect("a version")
}

/// Creates an encounter of three, under Active Initiative.
pub fn ambush() -> Value {
    json!({"ruleset": "active-initiative", "name": "Ambush", "combatants": [
        {"id": "chansi", "name": "Chansi", "side": "players", "hp": {"current": 24, "max": 24}},
        {"id": "valiant", "name": "Valiant", "side": "players"},
        {"id": "brakkus", "name": "Brakkus", "side": "monsters", "hp": {"current": 9}}]})
}

/// A fight of Ann with these hit points and of sixteen others.
pub fn crowd(hp: u64) -> Value {
    let mut combatants = vec![json!({"id": "ann", "hp": {"current": hp, "max": hp}})];
    combatants.extend((0..16).map(|n| json!({"id": format!("c{n}"), "side": "monsters"})));
    json!({"ruleset": "active-initiative", "combatants": combatants})
}

/// A note, which is legal at any time.
pub fn note(text: &str) -> Value {
    json!({"type": "note", "text": text})
}

/// A client of reqwest, which does not choose its cryptography as the program does.
pub fn http() -> reqwest::Client {
    // An error means that a provider is installed already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::new()
}

/// A client of the server at `base`, such as `http://127.0.0.1:40123`.
#[derive(Debug, Clone)]
pub struct Client {
    pub base: String,
    http: reqwest::Client,
}

impl Client {
    pub fn at(base: &str) -> Self {
        Self {
            base: base.to_owned(),
            http: http(),
        }
    }

    /// The server's address without the scheme.
    pub fn address(&self) -> &str {
        self.base.trim_start_matches("http://")
    }

    pub fn call(&self, method: &str, path: &str) -> Call {
        let method = Method::from_bytes(method.as_bytes()).expect("a method");
        Call {
            client: self.clone(),
            method,
            path: path.to_owned(),
            headers: HeaderMap::new(),
            body: None,
        }
    }

    pub fn get(&self, path: &str) -> Call {
        self.call("GET", path)
    }

    /// Reads JSON, which must succeed.
    pub async fn read(&self, path: &str) -> Value {
        self.get(path).send().await.expect(200).json()
    }

    /// Posts JSON.
    pub fn post(&self, path: &str, body: &Value) -> Call {
        self.post_text(path, body.to_string())
    }

    /// Posts a body that may be malformed, as JSON.
    pub fn post_text(&self, path: &str, body: impl Into<Bytes>) -> Call {
        self.call("POST", path)
            .header("content-type", "application/json")
            .body(body)
    }

    /// Creates an encounter, which must be accepted.
    pub async fn create(&self, creation: &Value) -> Fight {
        Fight::of(self, &self.post("/v1/encounters", creation).send().await)
    }

    /// Creates the encounter of [`ambush`].
    pub async fn fight(&self) -> Fight {
        self.create(&ambush()).await
    }
}

/// An encounter with a token: its game master's, unless it was [handed out](Fight::hand_out).
#[derive(Debug, Clone)]
pub struct Fight {
    pub api: Client,
    pub id: String,
    pub token: String,
}

impl Fight {
    /// The one that this answer says has been created.
    #[track_caller]
    pub fn of(api: &Client, created: &Answer) -> Self {
        assert_eq!(created.status, 201, "{created:?}");
        let created = created.json();
        Self {
            api: api.clone(),
            id: text(&created["encounter"]["id"]),
            token: text(&created["token"]),
        }
    }

    /// The same encounter through another server.
    pub fn through(&self, api: &Client) -> Self {
        Self {
            api: api.clone(),
            ..self.clone()
        }
    }

    /// The same encounter with another token.
    pub fn with_token(&self, token: &str) -> Self {
        Self {
            token: token.to_owned(),
            ..self.clone()
        }
    }

    /// The path of the encounter, or of what is below it.
    pub fn path(&self, rest: &str) -> String {
        format!("/v1/encounters/{}{rest}", self.id)
    }

    pub fn get(&self, rest: &str) -> Call {
        self.api.get(&self.path(rest)).token(&self.token)
    }

    /// Reads JSON, which must succeed.
    pub async fn read(&self, rest: &str) -> Value {
        self.get(rest).send().await.expect(200).json()
    }

    /// A command, or a list of them.
    pub fn command(&self, command: &Value) -> Call {
        self.api
            .post(&self.path("/commands"), command)
            .token(&self.token)
    }

    /// A command that is only tried.
    pub fn dry_run(&self, command: &Value) -> Call {
        self.api
            .post(&self.path("/commands?dry_run=true"), command)
            .token(&self.token)
    }

    /// Sends a command, which must be accepted.
    pub async fn accepted(&self, command: Value) -> Answer {
        let answer = self.command(&command).send().await;
        assert_eq!(answer.status, 200, "{command}: {answer:?}");
        answer
    }

    /// Sends a command, which must be refused with this status and code; the problem.
    pub async fn refused(&self, command: Value, status: u16, code: &str) -> Value {
        self.command(&command).send().await.problem(status, code)
    }

    /// Adds this number of notes.
    pub async fn notes(&self, count: u64) {
        for n in 0..count {
            self.accepted(note(&format!("note {n}"))).await;
        }
    }

    pub fn delete(&self) -> Call {
        self.api.call("DELETE", &self.path("")).token(&self.token)
    }

    /// The entries of the log, page after page.
    pub async fn entries(&self) -> Vec<Value> {
        let (mut entries, mut cursor) = (Vec::new(), "0".to_owned());
        loop {
            let page = self
                .read(&format!("/events?limit=1000&cursor={cursor}"))
                .await;
            entries.extend(page["items"].as_array().expect("items").iter().cloned());
            let Some(next) = page["next_cursor"].as_str() else {
                return entries;
            };
            cursor = next.to_owned();
        }
    }

    /// The versions in the log.
    pub async fn log(&self) -> Vec<u64> {
        self.entries().await.iter().map(version).collect()
    }

    /// The commands that are listed as legal.
    pub async fn options(&self) -> Vec<Value> {
        resolved_items(&self.read("/options?include=tools").await)
    }

    /// Asks for a token.
    pub fn ask(&self, body: &Value) -> Call {
        self.api
            .post(&self.path("/tokens"), body)
            .token(&self.token)
    }

    /// The same encounter with a new token, and that token's id.
    pub async fn hand_out(&self, body: Value) -> (Self, String) {
        let token = self.ask(&body).send().await.expect(201).json();
        (self.with_token(&text(&token["token"])), text(&token["id"]))
    }

    /// The same encounter with a player's token.
    pub async fn player(&self, combatants: &[&str]) -> Self {
        self.hand_out(json!({"role": "player", "combatants": combatants}))
            .await
            .0
    }

    /// The same encounter with a spectator's token.
    pub async fn spectator(&self) -> Self {
        self.hand_out(json!({"role": "spectator"})).await.0
    }

    /// Replaces the token.
    pub async fn replace(&self) -> Self {
        let new = self
            .api
            .call("POST", &self.path("/tokens/replace"))
            .token(&self.token)
            .send()
            .await
            .expect(200);
        self.with_token(&text(&new.json()["token"]))
    }

    /// Revokes a token.
    pub async fn revoke(&self, id: &str) -> Answer {
        self.api
            .call("DELETE", &self.path(&format!("/tokens/{id}")))
            .token(&self.token)
            .send()
            .await
    }
}

/// A request that is not sent yet.
#[derive(Debug, Clone)]
#[must_use = "nothing is sent without send()"]
pub struct Call {
    client: Client,
    method: Method,
    path: String,
    headers: HeaderMap,
    body: Option<Bytes>,
}

impl Call {
    /// Adds a header, also where one of the same name is there already.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        let name = HeaderName::from_bytes(name.as_bytes()).expect("a header's name");
        self.headers.append(
            name,
            HeaderValue::from_bytes(value.as_bytes()).expect("a header's value"),
        );
        self
    }

    pub fn token(self, token: &str) -> Self {
        self.header("authorization", &format!("Bearer {token}"))
    }

    /// Adds an idempotency key, which must not be logged.
    pub fn key(self, key: &str) -> Self {
        secrets::known(key);
        self.header("idempotency-key", key)
    }

    pub fn if_match(self, tag: &str) -> Self {
        self.header("if-match", tag)
    }

    pub fn minimal(self) -> Self {
        self.header("prefer", "return=minimal")
    }

    pub fn body(mut self, body: impl Into<Bytes>) -> Self {
        self.body = Some(body.into());
        self
    }

    /// The request itself, for tests that read the answer bit by bit.
    pub fn request(self) -> RequestBuilder {
        let request = self
            .client
            .http
            .request(self.method, format!("{}{}", self.client.base, self.path));
        let request = request.headers(self.headers);
        match self.body {
            Some(body) => request.body(body),
            None => request,
        }
    }

    /// Sends it; an error is one of the connection. A debug build takes its time for large bodies,
    /// beside other tests more than that.
    pub async fn try_send(self) -> reqwest::Result<Answer> {
        let response = self
            .request()
            .timeout(Duration::from_secs(120))
            .send()
            .await?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Ok(Answer {
            status,
            headers,
            body: response.bytes().await?,
        })
    }

    /// Sends it; in tests it is held with its answer against the published document.
    pub async fn send(self) -> Answer {
        let sent = self.clone();
        let answer = self
            .try_send()
            .await
            .unwrap_or_else(|error| panic!("{} {}: {error:?}", sent.method, sent.path));
        super::contract::check(
            sent.method.as_str(),
            &sent.path,
            &sent.body.unwrap_or_default(),
            &answer,
        );
        answer
    }
}
