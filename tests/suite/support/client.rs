//! What a client does over HTTP.

use super::server::Server;
use bytes::Bytes;
use reqwest::header::HeaderMap;
use reqwest::{Client, Method, RequestBuilder};
use serde_json::Value;
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

    /// The value of a header; empty where it is not there.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// The version that it shows by its entity tag.
    #[track_caller]
    pub fn version(&self) -> u64 {
        let tag = self.header("etag").trim_matches('"');
        tag.parse().unwrap_or_else(|_| panic!("no version in {self:?}"))
    }

    /// The answer itself, if it has this status.
    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{self:?}");
        self
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

/// The version of a log entry.
#[track_caller]
pub fn version(entry: &Value) -> u64 {
    entry["version"].as_u64().expect("a version")
}

/// Sends a request; an error is one of the connection.
pub async fn send(request: RequestBuilder) -> reqwest::Result<Answer> {
    let response = request.timeout(Duration::from_secs(30)).send().await?;
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    Ok(Answer { status, headers, body: response.bytes().await? })
}

/// An encounter in the hands of its game master.
#[derive(Debug, Clone)]
pub struct Encounter {
    pub id: String,
    pub token: String,
    pub http: Client,
}

impl Encounter {
    /// Creates one.
    pub async fn create(server: &Server, body: Value) -> Self {
        let http = Client::new();
        let request = http.post(format!("{}/v1/encounters", server.url())).header("content-type", "application/json");
        let answer = send(request.body(body.to_string())).await.expect("an answer").expect(201);
        let text = |value: &Value| value.as_str().expect("text").to_owned();
        let answer = answer.json();
        Self { id: text(&answer["encounter"]["id"]), token: text(&answer["token"]), http }
    }

    /// A request for `path` below it, such as `/options`, or for itself.
    pub fn request(&self, server: &Server, method: Method, path: &str) -> RequestBuilder {
        let url = format!("{}/v1/encounters/{}{path}", server.url(), self.id);
        self.http.request(method, url).bearer_auth(&self.token)
    }

    /// A request with a command, or a list of them.
    pub fn command(&self, server: &Server, command: &Value) -> RequestBuilder {
        let request = self.request(server, Method::POST, "/commands");
        request.header("content-type", "application/json").body(command.to_string())
    }

    /// Sends a command and gets an answer.
    pub async fn tell(&self, server: &Server, command: Value) -> Answer {
        send(self.command(server, &command)).await.expect("an answer")
    }

    /// Reads `path` below it and gets an answer.
    pub async fn get(&self, server: &Server, path: &str) -> Answer {
        send(self.request(server, Method::GET, path)).await.expect("an answer")
    }

    /// Its state.
    pub async fn state(&self, server: &Server) -> Value {
        self.get(server, "").await.expect(200).json()
    }

    /// Its whole log, page after page.
    pub async fn log(&self, server: &Server) -> Vec<Value> {
        let mut entries: Vec<Value> = Vec::new();
        loop {
            let after = entries.last().map_or(0, version);
            let page = self.get(server, &format!("/events?limit=1000&after={after}")).await.expect(200).json();
            let items = page["items"].as_array().expect("a list");
            entries.extend(items.iter().cloned());
            if page["next_cursor"].is_null() {
                return entries;
            }
        }
    }
}
