//! Follows an encounter of a server, and posts what happens to an address: to a webhook, or to a
//! channel of Discord.
//!
//! It is a client of the API like any other: it reads the stream of events with a token, and sees
//! what that token's viewer sees.

mod address;
mod lines;
mod notification;
mod position;
mod receiver;

use crate::config::Follow;
use lines::LineReader;
use notification::Notification;
use position::Position;
use rand::RngExt;
use receiver::Receiver;
use reqwest::header::{ACCEPT, CONTENT_TYPE, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, StatusCode, Url};
use rustls::{ClientConfig, RootCertStore};
use serde::Deserialize;
use serde_json::Value;
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::timeout;

/// The time without any line after which the connection counts as lost. By default servers send
/// something every 15 seconds.
const SILENCE: Duration = Duration::from_secs(120);
/// What is said of such a connection.
const SILENT: &str = "the server is silent";
/// The type of a stream of lines.
const LINES: &str = "application/x-ndjson";
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

/// The events that change whose turn it is: without `--post-all`, changes with one of them are posted.
const TURNS: [&str; 7] = [
    "round_started",
    "turn_started",
    "someone_acts",
    "encounter_started",
    "encounter_ended",
    "undone",
    "redone",
];
/// The most that is read of an answer that refuses a request.
const MAX_REFUSAL: usize = 64 * 1024;

/// Why a stream ended.
enum End {
    /// The server ended it, as it does every few minutes.
    Closed,
    /// No server, no answer or no end of one: try again, at the soonest after this time.
    Away(String, Duration),
    /// The log does not hold the place after which it should continue.
    Lost,
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
    let receiver = tokio::select! {
        receiver = Receiver::new(settings, tls.clone()) => receiver?,
        _ = stop.wait_for(|stop| *stop) => return Ok(()),
    };
    let events = events_url(settings)?;
    let mut client = Client::builder()
        .tls_backend_preconfigured(tls)
        .redirect(Policy::none())
        .connect_timeout(CONNECT);
    if is_loopback(&events) {
        client = client.no_proxy();
    }
    let client = client.build().map_err(|error| error.to_string())?;
    let mut courier = Courier {
        settings,
        receiver,
        client,
        events,
        position: Position::open(settings, directory)?,
    };
    if courier.position.is_deleted() {
        courier.tell_of_deletion(&mut stop).await?;
        return Ok(());
    }
    let mut pause = Pause::default();
    loop {
        let mut least = Duration::ZERO;
        match courier.stream(&mut pause, &mut stop).await? {
            End::Closed => {}
            End::Away(reason, time) => {
                tracing::warn!(%reason, "the server is away: tries again");
                least = time;
            }
            End::Lost => {
                tracing::warn!(
                    "the log does not hold the last change that was posted: continues with what \
                     comes now"
                );
                courier.position.forget();
            }
            End::Deleted | End::Stopped => return Ok(()),
        }
        if sleep(pause.next(least), &mut stop).await {
            return Ok(());
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
        request = request.header(ACCEPT, LINES);
        request = request.bearer_auth(&self.settings.token);
        if let Some(after) = self.position.after() {
            request = request.header("last-event-id", after);
        }
        let answer = tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => return Ok(End::Stopped),
            answer = timeout(SILENCE, request.send()) => answer,
        };
        let mut answer = match answer {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) if error.is_builder() => {
                return Err(format!(
                    "TURNKEEPER_SERVER or TURNKEEPER_TOKEN: no request can be made of it: {}.",
                    without_address(error)
                ));
            }
            Ok(Err(error)) => return Ok(End::Away(without_address(error), Duration::ZERO)),
            Err(_) => return Ok(End::Away(SILENT.to_owned(), Duration::ZERO)),
        };
        let status = answer.status();
        if may_pass(status) {
            return Ok(End::Away(status.to_string(), retry_after(&answer)));
        }
        if status != StatusCode::OK {
            return self.refused(answer).await;
        }
        if answer
            .headers()
            .get(CONTENT_TYPE)
            .is_none_or(|kind| kind != LINES)
        {
            let reason = "the answer is no stream of the server".to_owned();
            return Ok(End::Away(reason, Duration::ZERO));
        }
        let mut lines = LineReader::new();
        loop {
            // Only waiting counts, not the time that posts take.
            let chunk = tokio::select! {
                biased;
                _ = stop.wait_for(|stop| *stop) => return Ok(End::Stopped),
                chunk = timeout(SILENCE, answer.chunk()) => chunk,
            };
            let chunk = match chunk {
                Ok(Ok(Some(chunk))) => chunk,
                Ok(Ok(None)) => return Ok(End::Closed),
                Ok(Err(error)) => return Ok(End::Away(without_address(error), Duration::ZERO)),
                Err(_) => return Ok(End::Away(SILENT.to_owned(), Duration::ZERO)),
            };
            lines.add(&chunk);
            while let Some(line) = lines.take()? {
                *pause = Pause::default();
                if let Some(end) = self.line(&line, stop).await? {
                    return Ok(end);
                }
            }
        }
    }

    /// What to do about an answer that refuses the stream.
    async fn refused(&self, mut answer: Response) -> Result<End, String> {
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Detail {
            code: String,
            detail: String,
        }
        let status = answer.status();
        if status.is_redirection() {
            return Err(
                "The server redirects. Set TURNKEEPER_SERVER to its new address.".to_owned(),
            );
        }
        let mut body = Vec::new();
        while let Ok(Ok(Some(chunk))) = timeout(CONNECT, answer.chunk()).await {
            body.extend_from_slice(&chunk);
            if body.len() > MAX_REFUSAL {
                break;
            }
        }
        let said: Detail = serde_json::from_slice(&body).unwrap_or_default();
        let is_about_place = ["version_gone", "no_such_version", "invalid_header"];
        if self.position.after().is_some() && is_about_place.contains(&said.code.as_str()) {
            return Ok(End::Lost);
        }
        if said.detail.is_empty() {
            return Err(format!("The server answers {status}."));
        }
        Err(format!("The server answers {status}: {}", said.detail))
    }

    /// Posts what a line tells. Returns the end of the stream if it is one.
    async fn line(&mut self, line: &str, stop: &mut Stop) -> Result<Option<End>, String> {
        let event = serde_json::from_str(line)
            .map_err(|error| format!("The server sent a line that is no event: {error}."))?;
        match event {
            StreamLine::Other => {}
            StreamLine::Snapshot { version, event_id } => {
                if self.position.after().is_some() {
                    tracing::warn!(version, "changes are missing: follows what comes now");
                } else {
                    tracing::info!(version, "follows the encounter");
                }
                self.position.set(&event_id)?;
            }
            StreamLine::Transition(entry) => {
                let is_told = !entry.events.is_empty() && (self.settings.post_all || entry.has(&TURNS));
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
                self.position.set_deleted()?;
                return self.tell_of_deletion(stop).await.map(Some);
            }
        }
        Ok(None)
    }

    /// Posts that the encounter was deleted. There is nothing to continue then.
    async fn tell_of_deletion(&mut self, stop: &mut Stop) -> Result<End, String> {
        let message = Notification::deleted(&self.settings.encounter);
        if !self.receiver.send(&message, stop).await? {
            return Ok(End::Stopped);
        }
        self.position.remove()?;
        Ok(End::Deleted)
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
    const SHAPE: &str =
        "TURNKEEPER_SERVER: send the server's address, such as https://turns.example.org.";
    let mut url = Url::parse(&settings.server).map_err(|_| SHAPE)?;
    let id = &settings.encounter;
    if id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Err("ENCOUNTER: send the id of an encounter, which has letters and digits.".into());
    }
    let mut path = url.path_segments_mut().map_err(|()| SHAPE)?;
    path.pop_if_empty()
        .extend(["v1", "encounters", id, "events"]);
    drop(path);
    Ok(url)
}

/// Whether the server is on this machine, where no proxy leads.
fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address: Option<IpAddr> = host.trim_matches(['[', ']']).parse().ok();
    host == "localhost" || address.is_some_and(|address| address.is_loopback())
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

/// The time that an answer asks to wait in seconds, an hour at most.
fn retry_after(answer: &Response) -> Duration {
    const LONGEST: f64 = 3600.0;
    let header = answer.headers().get(RETRY_AFTER);
    let asked = header.and_then(|value| value.to_str().ok()?.trim().parse::<f64>().ok());
    let seconds = asked.filter(|asked| asked.is_finite()).unwrap_or(0.0);
    Duration::from_secs_f64(seconds.clamp(0.0, LONGEST))
}

/// An error and its causes without the address, which may hold a secret.
fn without_address(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut words = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(inner) = cause {
        words = format!("{words}: {inner}");
        cause = inner.source();
    }
    words
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
