//! Follows an encounter of a server, and posts what happens to an address: to a webhook, or to a
//! channel of Discord.
//!
//! It is a client of the API like any other: it reads the stream of events with a token, and sees
//! what that token's viewer sees.

mod address;
mod notification;
mod position;
mod receiver;

use crate::config::Follow;
use notification::Notification;
use position::Position;
use rand::RngExt;
use receiver::Receiver;
use reqwest::header::{ACCEPT, RETRY_AFTER};
use reqwest::{Client, Response, StatusCode, Url};
use rustls::{ClientConfig, RootCertStore};
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// The maximum length of a line of the stream: a large encounter takes a tenth.
const MAX_LINE: usize = 16 * 1024 * 1024;
/// The time without any line after which the connection counts as lost. Servers send something
/// every 15 seconds.
const SILENCE: Duration = Duration::from_secs(120);
/// The time to connect.
const CONNECT: Duration = Duration::from_secs(10);

/// Whether to stop: becomes true once.
pub type Stop = watch::Receiver<bool>;

/// A line of the stream.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum StreamLine {
    Snapshot {
        version: u64,
        event_id: String,
    },
    Transition(EntryLine),
    Deleted,
    /// Nothing happened, or something that this version does not know.
    #[serde(other)]
    Other,
}

/// An entry of the log: the change by one accepted request.
#[derive(Deserialize)]
struct EntryLine {
    version: u64,
    event_id: String,
    at: String,
    commands: Vec<String>,
    events: Vec<Value>,
}

impl EntryLine {
    /// Whether it holds an event of one of these types.
    fn has(&self, types: &[&str]) -> bool {
        let mut events = self.events.iter();
        events.any(|event| {
            event["type"]
                .as_str()
                .is_some_and(|one| types.contains(&one))
        })
    }
}

/// The events that begin or end something for everybody: those that are posted without `--all`.
const TURNS: [&str; 4] = [
    "round_started",
    "turn_started",
    "encounter_started",
    "encounter_ended",
];

/// Why a stream ended.
enum End {
    /// The server ended it, as it does every few minutes.
    Closed,
    /// No server, no answer or no end of one: try again, at the soonest after this time.
    Away(String, Duration),
    /// The log no longer holds the place after which it should continue.
    Pruned,
    /// The encounter was deleted.
    Deleted,
    /// The process is to stop.
    Stopped,
}

/// Follows an encounter until it is deleted or `stop` says so. The place in the log is kept in
/// `settings.position`, or else in a file in `directory`.
///
/// # Errors
/// If settings are wrong, the token is not valid, the file cannot be written, or the receiver is
/// gone.
pub async fn follow(settings: &Follow, directory: &Path, mut stop: Stop) -> Result<(), String> {
    let tls = tls();
    let receiver = Receiver::new(settings, tls.clone()).await?;
    let events = events_url(settings)?;
    // A proxy of the environment is used here; `Receiver` has none.
    let client = Client::builder()
        .tls_backend_preconfigured(tls)
        .connect_timeout(CONNECT)
        .read_timeout(SILENCE);
    let client = client.build().map_err(|error| error.to_string())?;
    let mut courier = Courier {
        settings,
        receiver,
        client,
        events,
        position: Position::open(settings, directory)?,
    };
    let mut pause = Pause::default();
    loop {
        match courier.stream(&mut pause, &mut stop).await? {
            End::Closed => {
                if sleep(pause.next(Duration::ZERO), &mut stop).await {
                    return Ok(());
                }
            }
            End::Away(reason, least) => {
                let time = pause.next(least);
                tracing::warn!(%reason, seconds = time.as_secs(), "the server is away: tries again");
                if sleep(time, &mut stop).await {
                    return Ok(());
                }
            }
            End::Pruned => {
                tracing::warn!("the log no longer holds the last change that was posted");
                courier.position.forget()?;
            }
            End::Deleted => return courier.position.remove(),
            End::Stopped => return Ok(()),
        }
    }
}

struct Courier<'s> {
    settings: &'s Follow,
    receiver: Receiver,
    client: Client,
    events: Url,
    position: Position,
}

impl Courier<'_> {
    /// Reads a stream to its end, and posts what it brings.
    async fn stream(&mut self, pause: &mut Pause, stop: &mut Stop) -> Result<End, String> {
        let mut request = self.client.get(self.events.clone());
        request = request.header(ACCEPT, "application/x-ndjson");
        request = request.bearer_auth(&self.settings.token);
        if let Some(after) = self.position.after() {
            request = request.header("last-event-id", after);
        }
        let answer = tokio::select! {
            answer = request.send() => answer,
            _ = stop.wait_for(|stop| *stop) => return Ok(End::Stopped),
        };
        let mut answer = match answer {
            Ok(answer) => answer,
            Err(error) => return Ok(End::Away(said(error), Duration::ZERO)),
        };
        match answer.status() {
            StatusCode::OK => {}
            StatusCode::GONE => return Ok(End::Pruned),
            status if may_pass(status) => {
                return Ok(End::Away(status.to_string(), retry_after(&answer)));
            }
            status => return Err(refused(status, answer).await),
        }
        let mut read = Vec::new();
        loop {
            let chunk = tokio::select! {
                chunk = answer.chunk() => chunk,
                _ = stop.wait_for(|stop| *stop) => return Ok(End::Stopped),
            };
            let chunk = match chunk {
                Ok(Some(chunk)) => chunk,
                Ok(None) => return Ok(End::Closed),
                Err(error) => return Ok(End::Away(said(error), Duration::ZERO)),
            };
            read.extend_from_slice(&chunk);
            while let Some(end) = read.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = read.drain(..=end).collect();
                *pause = Pause::default();
                if let Some(end) = self.line(&line, stop).await? {
                    return Ok(end);
                }
            }
            if read.len() > MAX_LINE {
                return Err(format!(
                    "The server sent a line of more than {MAX_LINE} bytes."
                ));
            }
        }
    }

    /// Posts what a line tells. Returns the end of the stream if it is one.
    async fn line(&mut self, line: &[u8], stop: &mut Stop) -> Result<Option<End>, String> {
        let line = serde_json::from_slice(line)
            .map_err(|error| format!("The server sent a line that is no event: {error}."))?;
        match line {
            StreamLine::Other => {}
            StreamLine::Snapshot { version, event_id } => {
                if self.position.after().is_some() {
                    tracing::warn!(
                        version,
                        "the server has lost changes: follows what comes now"
                    );
                } else {
                    tracing::info!(version, "follows the encounter");
                }
                self.position.set(&event_id)?;
            }
            StreamLine::Transition(entry) => {
                let is_told = !entry.events.is_empty() && (self.settings.all || entry.has(&TURNS));
                if is_told {
                    let message = Notification::changed(&self.settings.encounter, &entry);
                    if !self.receiver.send(&message, stop).await? {
                        return Ok(Some(End::Stopped));
                    }
                    tracing::info!(version = entry.version, "posted");
                }
                self.position.set(&entry.event_id)?;
            }
            StreamLine::Deleted => {
                let message = Notification::deleted(&self.settings.encounter);
                let sent = self.receiver.send(&message, stop).await?;
                return Ok(Some(if sent { End::Deleted } else { End::Stopped }));
            }
        }
        Ok(None)
    }
}

/// The time to wait before the next try: from one second, doubled each time, to five minutes.
struct Pause(Duration);

impl Default for Pause {
    fn default() -> Self {
        Self(Self::FIRST)
    }
}

impl Pause {
    const FIRST: Duration = Duration::from_secs(1);
    const LONGEST: Duration = Duration::from_secs(300);

    /// The next time, at least `least`. A tenth more or less, so that many do not come at once.
    fn next(&mut self, least: Duration) -> Duration {
        let time = self.0.mul_f64(rand::rng().random_range(0.9..1.1));
        self.0 = self.0.saturating_mul(2).min(Self::LONGEST);
        time.max(least)
    }
}

/// Waits, and returns whether to stop.
async fn sleep(time: Duration, stop: &mut Stop) -> bool {
    tokio::select! {
        () = tokio::time::sleep(time) => false,
        _ = stop.wait_for(|stop| *stop) => true,
    }
}

/// The address of the stream.
fn events_url(settings: &Follow) -> Result<Url, String> {
    let mut url = settings.server.clone();
    let id = &settings.encounter;
    if id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Err("ENCOUNTER: send the id of an encounter, which has letters and digits.".into());
    }
    let mut path = url
        .path_segments_mut()
        .map_err(|()| "TURNKEEPER_SERVER: send an address such as https://example.org.")?;
    path.pop_if_empty()
        .extend(["v1", "encounters", id, "events"]);
    drop(path);
    Ok(url)
}

/// Whether the same request may succeed later.
fn may_pass(status: StatusCode) -> bool {
    let later = [
        StatusCode::REQUEST_TIMEOUT,
        StatusCode::TOO_MANY_REQUESTS,
        StatusCode::TOO_EARLY,
    ];
    status.is_server_error() || later.contains(&status)
}

/// The time that an answer asks to wait, an hour at most.
fn retry_after(answer: &Response) -> Duration {
    const LONGEST: f64 = 3600.0;
    let seconds = answer.headers().get(RETRY_AFTER);
    let seconds = seconds.and_then(|value| value.to_str().ok()?.trim().parse::<f64>().ok());
    let seconds = seconds.filter(|seconds| seconds.is_finite()).unwrap_or(0.0);
    Duration::from_secs_f64(seconds.clamp(0.0, LONGEST))
}

/// What the server says of a request that it refuses.
async fn refused(status: StatusCode, answer: Response) -> String {
    #[derive(Deserialize)]
    struct Detail {
        detail: String,
    }
    let body = answer.bytes().await.unwrap_or_default();
    match serde_json::from_slice::<Detail>(&body) {
        Ok(refused) => format!("The server answers {status}: {}", refused.detail),
        Err(_) => format!("The server answers {status}."),
    }
}

/// An error without the address, which may hold a secret.
fn said(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut said = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(error) = cause {
        said = format!("{said}: {error}");
        cause = error.source();
    }
    said
}

/// TLS that trusts the public certificate authorities.
fn tls() -> ClientConfig {
    // An error means that a provider is installed already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut roots = RootCertStore::empty();
    roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    ClientConfig::builder()
        .with_root_certificates(Arc::new(roots))
        .with_no_client_auth()
}
