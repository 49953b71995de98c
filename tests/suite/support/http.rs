//! The whole service within the test's process: requests go into the router without a socket.

use super::contract::{self, Exchange};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request};
use serde_json::Value;
use std::sync::Arc;
use tempfile::TempDir;
use tower::ServiceExt;
use turnkeeper::app::{App, AppKey, AppKeys, Applications};
use turnkeeper::engine::Rulesets;
use turnkeeper::http::{Settings, router};
use turnkeeper::store::StoreConfig;
use turnkeeper::store::embedded::EmbeddedStore;

/// Sends requests, with a token once it has one.
#[derive(Clone)]
pub struct Client {
    router: Router,
    token: Option<String>,
    _data: Arc<TempDir>,
}

/// What came back.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub text: String,
}

impl Client {
    /// A service of its own on an embedded store of its own.
    pub async fn embedded() -> Self {
        Self::serving(AppKeys::default())
    }

    /// A service that knows one application, and that one's key.
    pub async fn of_an_application() -> (Self, String) {
        let key = AppKey::new(&rand::random());
        let keys = AppKeys::read(&format!("table={}", key.digest())).expect("a key");
        (Self::serving(keys), key.reveal().to_owned())
    }

    fn serving(keys: AppKeys) -> Self {
        let data = tempfile::tempdir().expect("a temporary directory");
        let store = EmbeddedStore::open(data.path(), StoreConfig::default()).expect("a store");
        let app = App::new(Arc::new(store), Rulesets::shipped(), 1 << 20).serving(Arc::new(Applications::new(keys)));
        Self { router: router(Arc::new(app), Settings::default()), token: None, _data: Arc::new(data) }
    }

    /// The same service with the token that a creation answered.
    pub fn with_token(&self, created: &Answer) -> Self {
        Self { token: created.json()["token"].as_str().map(str::to_owned), ..self.clone() }
    }

    /// The same service with this credential.
    pub fn with_bearer(&self, credential: &str) -> Self {
        Self { token: Some(credential.to_owned()), ..self.clone() }
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.get_as(path, "*/*").await
    }

    pub async fn get_as(&self, path: &str, accept: &str) -> Answer {
        self.send(Request::get(path).header("accept", accept), Body::empty()).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        let request = Request::post(path).header("content-type", "application/json");
        self.send(request, body.to_string().into()).await
    }

    async fn send(&self, request: axum::http::request::Builder, body: Body) -> Answer {
        let request = match &self.token {
            Some(token) => request.header("authorization", format!("Bearer {token}")),
            None => request,
        };
        let sent = to_bytes(body, usize::MAX).await.expect("a body");
        let request = request.body(Body::from(sent.clone())).expect("a request");
        let (method, path) = (request.method().to_string(), request.uri().path().to_owned());
        let response = self.router.clone().oneshot(request).await.expect("an answer");
        let (parts, body) = response.into_parts();
        let body = to_bytes(body, usize::MAX).await.expect("a body");
        let text = String::from_utf8(body.to_vec()).expect("text");
        let answer = Answer { status: parts.status.as_u16(), headers: parts.headers, text };
        let (status, media) = (answer.status, &answer.media());
        contract::kept(&Exchange { method: &method, path: &path, sent: &sent, status, media, body: &body });
        answer
    }
}

impl Answer {
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    /// The media type, without its parameters.
    pub fn media(&self) -> String {
        let media = self.headers.get("content-type").and_then(|m| m.to_str().ok()).unwrap_or_default();
        media.split(';').next().unwrap_or_default().to_owned()
    }
}
