//! Follows an encounter of a server, and posts what happens to an address: to a webhook, or to a
//! channel of Discord.
//!
//! It is a client of the API like any other: it reads the stream of events with a token, and sees
//! what that token's viewer sees.

mod address;
mod encounter;
mod lines;
mod mentions;
mod notification;
mod position;
mod receiver;
mod turn_time;

use crate::config::Follow;
use encounter::{EncounterReader, EncounterState};
use jiff::Timestamp;
use lines::LineReader;
use mentions::Mentions;
use notification::Notification;
use position::Position;
use rand::RngExt;
use receiver::Receiver;
use reqwest::header::{ACCEPT, CONTENT_TYPE, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, StatusCode, Url};
use rustls::{ClientConfig, RootCertStore};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::BTreeSet;
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::timeout;
use turn_time::TurnTime;

/// The time without any line after which the connection counts as lost. By default servers send
/// something every 15 seconds.
const SILENCE: Duration = Duration::from_secs(120);
/// The reason that the log gives for such a connection.
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
        encounter: EncounterState,
    },
    /// Read again as an [`EntryLine`].
    Transition,
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
    events: Vec<EventLine>,
    /// The encounter after it, unless another entry follows at once.
    encounter: Option<EncounterState>,
}

impl EntryLine {
    /// Whether it holds an event of one of these types.
    fn has(&self, types: &[&str]) -> bool {
        let mut events = self.events.iter();
        events.any(|event| types.contains(&event.kind.as_str()))
    }
}

/// An event of an entry.
#[derive(Deserialize)]
#[serde(try_from = "Box<RawValue>")]
struct EventLine {
    kind: String,
    /// The sentence that tells it.
    text: Option<String>,
    /// All of it, as the server wrote it.
    whole: Box<RawValue>,
}

impl TryFrom<Box<RawValue>> for EventLine {
    type Error = serde_json::Error;

    fn try_from(whole: Box<RawValue>) -> Result<Self, Self::Error> {
        #[derive(Deserialize)]
        struct Parts {
            #[serde(rename = "type")]
            kind: String,
            text: Option<String>,
        }
        let Parts { kind, text } = serde_json::from_str(whole.get())?;
        Ok(Self { kind, text, whole })
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

/// Why a stream ended, unless the server closed it, as it does every few minutes.
enum End {
    /// No server, no answer or no end of one: try again, at the soonest after this time.
    Away(String, Duration),
    /// The log does not hold the place after which it should continue.
    Lost,
    /// The encounter was deleted.
    Deleted,
    /// The process must stop.
    Stopped,
    /// Another try would fail too, for this reason.
    Failed(String),
}

impl From<String> for End {
    fn from(reason: String) -> Self {
        Self::Failed(reason)
    }
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
        mentions: Mentions::of(settings, &client, &events),
        reader: EncounterReader::new(&client, &events, &settings.token),
        client,
        events,
        position: Position::open(settings, directory)?,
        turn: None,
        told_of: BTreeSet::new(),
        is_connected: false,
    };
    let mut pause = Pause::default();
    loop {
        let time = match courier.follow(&mut pause, &mut stop).await {
            Ok(()) => pause.next(Duration::ZERO),
            Err(End::Away(reason, least)) => {
                let time = pause.next(least);
                tracing::warn!(%reason, seconds = tenths(time), "the server is away: tries again");
                courier.is_connected = false;
                time
            }
            Err(End::Lost) => {
                tracing::warn!(
                    "the log does not hold the last change that was posted: continues with what \
                     comes now"
                );
                courier.position.forget();
                pause.next(Duration::ZERO)
            }
            Err(End::Deleted | End::Stopped) => return Ok(()),
            Err(End::Failed(reason)) => return Err(reason),
        };
        if sleep(time, &mut stop).await {
            return Ok(());
        }
    }
}

struct Courier<'s> {
    settings: &'s Follow,
    receiver: Receiver,
    mentions: Option<Mentions>,
    reader: EncounterReader,
    client: Client,
    events: Url,
    position: Position,
    /// The turn whose time goes on.
    turn: Option<TurnTime>,
    /// The moments of late that were told as the end of a turn's time.
    told_of: BTreeSet<Timestamp>,
    /// False until the first stream, and while the server is away.
    is_connected: bool,
}

impl Courier<'_> {
    /// Reads a stream until the server closes it, and posts what it brings. Before that, what an
    /// earlier process left to post.
    async fn follow(&mut self, pause: &mut Pause, stop: &mut Stop) -> Result<(), End> {
        if self.position.is_deleted() {
            return self.tell_of_deletion(stop).await;
        }
        let mut answer = self.open(stop).await?;
        if let Some(after) = self.position.after()
            && !self.is_connected
        {
            tracing::info!(after, "continues after the last change");
        }
        self.is_connected = true;
        if self.turn.is_none() && self.position.after().is_some() {
            self.read_turn().await;
        }
        let mut lines = LineReader::new();
        loop {
            let chunk = tokio::select! {
                chunk = within_silence(answer.chunk(), stop) => chunk?,
                () = turn_time::is_over(self.turn.as_ref()) => {
                    self.tell_of_time(stop).await?;
                    continue;
                }
            };
            let Some(chunk) = chunk else {
                return Ok(());
            };
            lines.add(&chunk);
            while let Some(line) = lines.take()? {
                *pause = Pause::default();
                self.line(&line, stop).await?;
            }
        }
    }

    /// Asks for the stream.
    async fn open(&self, stop: &mut Stop) -> Result<Response, End> {
        let mut request = self.client.get(self.events.clone());
        request = request.header(ACCEPT, LINES);
        request = request.bearer_auth(&self.settings.token);
        if let Some(after) = self.position.after() {
            request = request.header("last-event-id", after);
        }
        let answer = within_silence(request.send(), stop).await?;
        let status = answer.status();
        if may_pass(status) {
            return Err(End::Away(status.to_string(), retry_after(&answer)));
        }
        if status != StatusCode::OK {
            return Err(self.refusal(answer).await);
        }
        let kind = answer.headers().get(CONTENT_TYPE);
        if kind.is_none_or(|kind| kind != LINES) {
            let reason = "the answer is no stream of the server".to_owned();
            return Err(End::Away(reason, Duration::ZERO));
        }
        Ok(answer)
    }

    /// The end of the stream that a refusal brings.
    async fn refusal(&self, mut answer: Response) -> End {
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Detail {
            code: String,
            detail: String,
        }
        let status = answer.status();
        if status.is_redirection() {
            return End::Failed(
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
        if self.position.after().is_some() && said.code == "invalid_header" {
            return End::Lost;
        }
        End::Failed(match status {
            StatusCode::UNAUTHORIZED => {
                "TURNKEEPER_TOKEN: not an encounter's token. Set the whole token of the encounter, \
                 such as tk_spectator_..."
                    .to_owned()
            }
            StatusCode::NOT_FOUND => {
                "The server has no encounter with this id and token. Check ENCOUNTER, \
                 TURNKEEPER_TOKEN and TURNKEEPER_SERVER."
                    .to_owned()
            }
            _ if said.detail.is_empty() => format!("The server answers {status}."),
            _ => format!("The server answers {status}: {}", said.detail),
        })
    }

    /// Posts what a line tells.
    async fn line(&mut self, line: &str, stop: &mut Stop) -> Result<(), End> {
        match read(line)? {
            StreamLine::Other => {}
            StreamLine::Snapshot {
                version,
                event_id,
                encounter,
            } => {
                self.go_on(TurnTime::of(encounter, Timestamp::now()));
                if self.position.after().is_some() {
                    tracing::warn!(version, "changes are missing: follows what comes now");
                } else {
                    tracing::info!(version, "follows the encounter");
                }
                self.position.set(&event_id)?;
            }
            StreamLine::Transition => {
                let mut entry: EntryLine = read(line)?;
                let state = entry.encounter.take();
                let is_told =
                    !entry.events.is_empty() && (self.settings.post_all || entry.has(&TURNS));
                if is_told {
                    let mentions = match &self.mentions {
                        Some(mentions) => mentions.of_entry(&entry).await,
                        None => Vec::new(),
                    };
                    let encounter = &self.settings.encounter;
                    let message = Notification::changed(encounter, &entry, mentions);
                    self.post(&message, stop).await?;
                }
                if let Some(state) = state {
                    self.go_on(TurnTime::of(state, Timestamp::now()));
                }
                self.position.set(&entry.event_id)?;
            }
            StreamLine::Deleted => {
                self.position.set_deleted()?;
                self.tell_of_deletion(stop).await?;
            }
        }
        Ok(())
    }

    /// Reads which turn it is: a stream that continues brings no state before the next change.
    async fn read_turn(&mut self) {
        match self.reader.read("TURNKEEPER_TOKEN").await {
            Ok(state) => self.go_on(TurnTime::of(state, Timestamp::now())),
            Err(reason) => tracing::warn!(%reason, "does not know the time of this turn"),
        }
    }

    /// Counts the time of this turn from now on. That of one which was told of is not told again.
    fn go_on(&mut self, turn: Option<TurnTime>) {
        self.turn = turn.filter(|turn| !self.told_of.contains(&turn.over));
        self.told_of = self
            .told_of
            .split_off(&turn_time::earliest(Timestamp::now()));
    }

    /// Posts that the time of the turn is over, if it still goes on: the stream may have been away.
    async fn tell_of_time(&mut self, stop: &mut Stop) -> Result<(), End> {
        let Some(counted) = self.turn.take() else {
            return Ok(());
        };
        let state = match self.reader.read("TURNKEEPER_TOKEN").await {
            Ok(state) => state,
            Err(reason) => {
                tracing::warn!(%reason, "asks again whether the time of a turn is over");
                self.turn = counted.later(Timestamp::now());
                return Ok(());
            }
        };
        let now = TurnTime::of(state, Timestamp::now());
        let Some(turn) = now.filter(|now| now.over == counted.over) else {
            return Ok(());
        };
        let mentions = match &self.mentions {
            Some(mentions) => mentions.of_combatants(&turn.current).await,
            None => Vec::new(),
        };
        let sentence = turn.sentence();
        let message = Notification::time_over(&self.settings.encounter, &turn, &sentence, mentions);
        self.told_of.insert(turn.over);
        // It is of no use later, and changes wait behind it.
        let posted = timeout(turn_time::LATE, self.post(&message, stop)).await;
        posted.unwrap_or(Ok(()))
    }

    /// Posts that the encounter was deleted. There is nothing to continue then.
    async fn tell_of_deletion(&mut self, stop: &mut Stop) -> Result<(), End> {
        let message = Notification::deleted(&self.settings.encounter);
        self.post(&message, stop).await?;
        self.position.remove()?;
        Err(End::Deleted)
    }

    async fn post(&self, message: &Notification<'_>, stop: &mut Stop) -> Result<(), End> {
        if self.receiver.send(message, stop).await? {
            Ok(())
        } else {
            Err(End::Stopped)
        }
    }
}

/// Waits for an answer of the server or a part of one. The time that posts take is no silence.
async fn within_silence<T>(
    answer: impl Future<Output = reqwest::Result<T>>,
    stop: &mut Stop,
) -> Result<T, End> {
    let answer = tokio::select! {
        biased;
        _ = stop.wait_for(|stop| *stop) => return Err(End::Stopped),
        answer = timeout(SILENCE, answer) => answer,
    };
    match answer {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(error)) if error.is_builder() => Err(End::Failed(format!(
            "TURNKEEPER_SERVER or TURNKEEPER_TOKEN: no request can be made of it: {}.",
            without_address(error)
        ))),
        Ok(Err(error)) => Err(End::Away(without_address(error), Duration::ZERO)),
        Err(_) => Err(End::Away(SILENT.to_owned(), Duration::ZERO)),
    }
}

/// Reads a line, or a part of it.
fn read<'l, T: Deserialize<'l>>(line: &'l str) -> Result<T, String> {
    serde_json::from_str(line)
        .map_err(|error| format!("The server sent a line that is no event: {error}."))
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

/// A time in seconds, in tenths, for the log.
fn tenths(time: Duration) -> f64 {
    (time.as_secs_f64() * 10.0).round() / 10.0
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
    url.set_query(Some("include=encounter"));
    Ok(url)
}

/// True if the server is on this machine: no proxy leads there.
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
