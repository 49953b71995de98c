//! Lambda, emulated: the real program as a function, its Runtime API, and an event source that
//! turns requests into events and back.
//!
//! The events begin as those under `tests/fixtures/lambda`; what a request says goes into their
//! places, as each event source does it.

use super::client::Client;
use super::process::{Process, turnkeeper};
use super::secrets;
use super::sources::text;
use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, Response, StatusCode};
use axum::routing::{get, post};
use data_encoding::BASE64;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::fs::OpenOptions;
use std::ops::Deref;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};
use tempfile::TempDir;
use tokio::sync::{mpsc, oneshot};

/// What sends events to the function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventSource {
    HttpApi,
    FunctionUrl,
    Alb,
    /// A load balancer whose target group passes on several values of a header or parameter.
    AlbMulti,
}

impl EventSource {
    pub const ALL: [Self; 4] = [Self::HttpApi, Self::FunctionUrl, Self::Alb, Self::AlbMulti];

    /// The name of its fixture, and its name for `TURNKEEPER_E2E_ADAPTER`.
    pub fn name(self) -> &'static str {
        match self {
            Self::HttpApi => "http-api",
            Self::FunctionUrl => "function-url",
            Self::Alb => "alb",
            Self::AlbMulti => "alb-multi",
        }
    }

    /// An event as it was recorded.
    pub fn recorded(self) -> Value {
        serde_json::from_str(&text(&format!(
            "tests/fixtures/lambda/{}.json",
            self.name()
        )))
        .expect("JSON")
    }

    /// The event of a request. `stage` is the gateway's, shown in its paths unless it is
    /// `$default`.
    fn event(self, request: &Request<()>, body: &[u8], stage: &str) -> Value {
        let mut event = self.recorded();
        let (method, path) = (request.method().as_str(), request.uri().path());
        let query = request.uri().query().unwrap_or_default();
        for name in request.headers().keys().filter(|name| *name != "host") {
            let member = if self == Self::AlbMulti {
                "multiValueHeaders"
            } else {
                "headers"
            };
            event[member][name.as_str()] = self.values(request.headers(), name.as_str());
        }
        if matches!(self, Self::Alb | Self::AlbMulti) {
            // A load balancer adds the address that it sees to the header that it got.
            let sent = request
                .headers()
                .get_all("x-forwarded-for")
                .iter()
                .filter_map(|value| value.to_str().ok());
            let addresses: Vec<&str> = sent.chain(["203.0.113.7"]).collect();
            let addresses = addresses.join(", ");
            match self {
                Self::AlbMulti => {
                    event["multiValueHeaders"]["x-forwarded-for"] = json!([addresses]);
                }
                _ => event["headers"]["x-forwarded-for"] = json!(addresses),
            }
        }
        let text = std::str::from_utf8(body)
            .ok()
            .filter(|_| is_text(request.headers()));
        event["isBase64Encoded"] = json!(text.is_none() && !body.is_empty());
        let body = text.map_or_else(|| BASE64.encode(body), str::to_owned);
        if matches!(self, Self::Alb | Self::AlbMulti) {
            for part in query.split('&').filter(|part| !part.is_empty()) {
                let (name, value) = part.split_once('=').unwrap_or((part, ""));
                if self == Self::Alb {
                    event["queryStringParameters"][name] = json!(value);
                } else {
                    let values = &mut event["multiValueQueryStringParameters"][name];
                    let others = values.as_array().cloned().unwrap_or_default();
                    *values = others.into_iter().chain([json!(value)]).collect();
                }
            }
            (event["httpMethod"], event["path"], event["body"]) =
                (json!(method), json!(path), json!(body));
        } else {
            let shown = if stage == "$default" {
                path.to_owned()
            } else {
                format!("/{stage}{path}")
            };
            (event["rawPath"], event["rawQueryString"]) = (json!(shown), json!(query));
            event["requestContext"]["http"]["method"] = json!(method);
            event["requestContext"]["http"]["path"] = json!(shown);
            event["requestContext"]["stage"] = json!(stage);
            if !body.is_empty() {
                event["body"] = json!(body);
            }
        }
        event
    }

    /// The maximum size of an answer that it passes on.
    fn most(self) -> usize {
        match self {
            Self::HttpApi | Self::FunctionUrl => MOST,
            Self::Alb | Self::AlbMulti => 1 << 20,
        }
    }

    /// A repeated header: a load balancer passes the last one on, or all if it is set to it; the
    /// others join them.
    fn values(self, headers: &HeaderMap, name: &str) -> Value {
        let values = headers
            .get_all(name)
            .iter()
            .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
        let values: Vec<String> = values.collect();
        match self {
            Self::Alb => json!(values.last()),
            Self::AlbMulti => json!(values),
            Self::HttpApi | Self::FunctionUrl => json!(values.join(",")),
        }
    }

    /// The response that an answer stands for.
    fn back(self, answer: &Value) -> Response<Body> {
        let mut response =
            Response::builder().status(answer["statusCode"].as_u64().expect("a status") as u16);
        let none = Map::new();
        let member = if self == Self::AlbMulti {
            "multiValueHeaders"
        } else {
            "headers"
        };
        for (name, values) in answer[member].as_object().unwrap_or(&none) {
            for value in values
                .as_array()
                .map_or(std::slice::from_ref(values), Vec::as_slice)
            {
                response = response.header(name, value.as_str().expect("a header is text"));
            }
        }
        let text = answer["body"].as_str().unwrap_or_default();
        let encoded = answer["isBase64Encoded"].as_bool().unwrap_or_default();
        let body = if encoded {
            BASE64.decode(text.as_bytes()).expect("base64")
        } else {
            text.as_bytes().to_vec()
        };
        response
            .body(Body::from(Bytes::from(body)))
            .expect("a response")
    }
}

fn is_text(headers: &HeaderMap) -> bool {
    let kind = headers
        .get("content-type")
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    ["text/", "application/json"]
        .iter()
        .any(|text| kind.to_ascii_lowercase().starts_with(text))
}

type Outcome = Result<Value, Value>;

/// The maximum size of an answer that Lambda takes.
const MOST: usize = (6 << 20) + 100;

struct Runtime {
    source: EventSource,
    stage: String,
    timeout: Duration,
    queue: mpsc::UnboundedSender<(String, Value)>,
    queued: tokio::sync::Mutex<mpsc::UnboundedReceiver<(String, Value)>>,
    waiting: Mutex<HashMap<String, oneshot::Sender<Outcome>>>,
    count: AtomicU64,
}

impl Runtime {
    /// Has an event handled: the function's answer or its reported error; None after its time
    /// limit.
    async fn invoke(&self, event: Value) -> Option<Outcome> {
        let id = format!(
            "8476a536-e9f4-11e8-9739-{:012x}",
            self.count.fetch_add(1, Ordering::SeqCst)
        );
        let (answer, answered) = oneshot::channel();
        self.waiting
            .lock()
            .expect("no panic before")
            .insert(id.clone(), answer);
        self.queue
            .send((id, event))
            .expect("the queue lives as long");
        tokio::time::timeout(self.timeout + Duration::from_secs(5), answered)
            .await
            .ok()?
            .ok()
    }

    fn finish(&self, id: &str, outcome: Outcome) -> StatusCode {
        let answer = self.waiting.lock().expect("no panic before").remove(id);
        let received = answer.is_some_and(|answer| answer.send(outcome).is_ok());
        if received {
            StatusCode::ACCEPTED
        } else {
            StatusCode::BAD_REQUEST
        }
    }
}

async fn next(State(runtime): State<Arc<Runtime>>) -> Response<Body> {
    let queued = runtime.queued.lock().await.recv().await;
    let (id, event) = queued.expect("the queue lives as long");
    let deadline = SystemTime::now() + runtime.timeout;
    let deadline = deadline
        .duration_since(SystemTime::UNIX_EPOCH)
        .expect("after 1970")
        .as_millis();
    Response::builder()
        .header("Lambda-Runtime-Aws-Request-Id", id)
        .header("Lambda-Runtime-Deadline-Ms", deadline.to_string())
        .header(
            "Lambda-Runtime-Invoked-Function-Arn",
            "arn:aws:lambda:eu-central-1:123456789012:function:turnkeeper",
        )
        .header(
            "Lambda-Runtime-Trace-Id",
            "Root=1-66a0c7b1-3f2504e04f8911d39a0c0305;Sampled=0",
        )
        .header("Content-Type", "application/json")
        .body(Body::from(event.to_string()))
        .expect("an event")
}

async fn response(
    State(runtime): State<Arc<Runtime>>,
    Path(id): Path<String>,
    answer: Bytes,
) -> StatusCode {
    if answer.len() > MOST {
        let error = json!({"errorType": "Function.ResponseSizeTooLarge", "errorMessage": "Response payload size exceeded"});
        runtime.finish(&id, Err(error));
        return StatusCode::PAYLOAD_TOO_LARGE;
    }
    runtime.finish(&id, Ok(serde_json::from_slice(&answer).expect("JSON")))
}

async fn error(
    State(runtime): State<Arc<Runtime>>,
    Path(id): Path<String>,
    error: Bytes,
) -> StatusCode {
    runtime.finish(&id, Err(serde_json::from_slice(&error).expect("JSON")))
}

async fn request(State(runtime): State<Arc<Runtime>>, request: Request) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, 6 << 20).await.expect("a body");
    let event = runtime
        .source
        .event(&Request::from_parts(parts, ()), &body, &runtime.stage);
    match runtime.invoke(event).await {
        Some(Ok(answer)) if answer.to_string().len() <= runtime.source.most() => {
            runtime.source.back(&answer)
        }
        // The function failed, answered too much, or did not answer.
        Some(_) => status(502),
        None => status(504),
    }
}

fn status(status: u16) -> Response<Body> {
    Response::builder()
        .status(status)
        .body(Body::empty())
        .expect("a response")
}

/// A function with its event source.
#[must_use = "the function ends when this is dropped"]
pub struct Function {
    /// A client of the event source.
    client: Client,
    runtime: Arc<Runtime>,
    settings: Vec<(String, String)>,
    instances: Mutex<Vec<Process>>,
    directory: TempDir,
}

impl Function {
    /// One with these settings and this number of instances, each of which handles one event at a
    /// time.
    pub async fn start(source: EventSource, settings: &[(&str, &str)], instances: usize) -> Self {
        let function = Self::at(source, "$default", Duration::from_secs(29), settings).await;
        (0..instances).for_each(|_| function.another());
        function
    }

    /// One of a single instance with an embedded store, and these settings.
    pub async fn embedded(source: EventSource, settings: &[(&str, &str)]) -> Self {
        let mut function = Self::at(source, "$default", Duration::from_secs(29), settings).await;
        let data = function.directory.path().join("data").display().to_string();
        function.settings.push(("TURNKEEPER_DATA".to_owned(), data));
        function.another();
        function
    }

    /// One at a stage, with its time limit, without an instance yet.
    pub async fn at(
        source: EventSource,
        stage: &str,
        timeout: Duration,
        settings: &[(&str, &str)],
    ) -> Self {
        let (queue, queued) = mpsc::unbounded_channel();
        let runtime = Arc::new(Runtime {
            source,
            stage: stage.to_owned(),
            timeout,
            queue,
            queued: tokio::sync::Mutex::new(queued),
            waiting: Mutex::default(),
            count: AtomicU64::new(1),
        });
        let routes = Router::new()
            .route("/2018-06-01/runtime/invocation/next", get(next))
            .route(
                "/2018-06-01/runtime/invocation/{id}/response",
                post(response),
            )
            .route("/2018-06-01/runtime/invocation/{id}/error", post(error))
            .fallback(request)
            .layer(axum::extract::DefaultBodyLimit::disable())
            .with_state(runtime.clone());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
            .await
            .expect("a free port");
        let client = Client::at(&format!(
            "http://{}",
            listener.local_addr().expect("an address")
        ));
        tokio::spawn(async move { axum::serve(listener, routes).await });
        let settings = settings
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_string()))
            .collect();
        let directory = TempDir::new().expect("a temporary directory");
        Self {
            client,
            runtime,
            settings,
            instances: Mutex::default(),
            directory,
        }
    }

    /// Starts an instance.
    pub fn another(&self) {
        let mut command = turnkeeper(self.directory.path());
        // Its settings name the store, which instances share.
        command
            .env_remove("TURNKEEPER_DATA")
            .env("AWS_LAMBDA_RUNTIME_API", self.address());
        command
            .env("AWS_LAMBDA_FUNCTION_NAME", "turnkeeper")
            .env("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST");
        command.env("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "256");
        command.envs(self.settings.iter().map(|(name, value)| (name, value)));
        let log = OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.log_path())
            .expect("a log file");
        let output = OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.output_path())
            .expect("an output file");
        let process = Process::start(command.stdout(output).stderr(log));
        self.instances
            .lock()
            .expect("no panic before")
            .push(process);
    }

    /// Has an event handled: the answer or the reported error.
    pub async fn invoke(&self, event: Value) -> Outcome {
        let outcome = self.runtime.invoke(event).await;
        outcome.unwrap_or_else(|| panic!("no answer to an event: {}", self.log()))
    }

    fn log_path(&self) -> PathBuf {
        self.directory.path().join("log")
    }

    fn output_path(&self) -> PathBuf {
        self.directory.path().join("output")
    }

    /// The lines that the instances have printed.
    pub fn printed(&self) -> Vec<Value> {
        let printed = std::fs::read_to_string(self.output_path()).unwrap_or_default();
        let lines = printed
            .lines()
            .map(|line| serde_json::from_str(line).expect("a line of JSON"));
        lines.collect()
    }

    /// What the instances have logged.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.log_path()).unwrap_or_default()
    }

    /// The log lines about requests.
    pub fn requests(&self) -> Vec<Value> {
        let log = self.log();
        let lines = log
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).expect("a line of JSON"));
        lines
            .filter(|line| line["target"] == "turnkeeper::request")
            .collect()
    }

    /// Sends its only instance a signal such as `TERM`, `STOP` or `CONT`.
    pub fn signal(&self, signal: &str) {
        self.instances.lock().expect("no panic before")[0].signal(signal);
    }

    /// Waits for the end of its only instance.
    #[track_caller]
    pub fn ended(&self, timeout: Duration) -> ExitStatus {
        let ended = self.instances.lock().expect("no panic before")[0].ended(timeout);
        ended.unwrap_or_else(|| panic!("it does not end: {}", self.log()))
    }
}

impl Deref for Function {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

impl Drop for Function {
    fn drop(&mut self) {
        self.instances.get_mut().expect("no panic before").clear();
        secrets::none_in(&self.log());
    }
}
