//! The connection to Redis: one multiplexed connection, dialled when needed, given up when dead,
//! then dialled again.
//!
//! A single server and a cluster differ only in how they are dialled. Every call ends within
//! [`OVERALL`].

use std::time::{Duration, Instant};

use ::redis::aio::MultiplexedConnection;
use ::redis::cluster::ClusterClient;
use ::redis::cluster_async::ClusterConnection;
use ::redis::{
    AsyncConnectionConfig, Client, Cmd, ErrorKind, RedisError, RedisResult, ServerErrorKind,
    TlsCertificates, Value, cmd,
};
use crc16::{State, XMODEM};
use parking_lot::Mutex;
use tokio::time::error::Elapsed;
use tokio::time::{sleep, timeout};

use super::script::{Script, read};
use crate::measure;
use crate::store::{StoreError, now};

/// Timeout of dialling a server.
pub(super) const CONNECT: Duration = Duration::from_millis(700);
/// Timeout of dialling one node of a cluster.
const NODE: Duration = Duration::from_millis(400);
/// Timeout of dialling a cluster: twice [`NODE`] and some room, for the given nodes and then for
/// the nodes that these name.
const CLUSTER: Duration = Duration::from_millis(1200);
/// Timeout of an answer.
pub(super) const ANSWER: Duration = Duration::from_millis(1000);
/// Timeout of a call, with all its retries.
const OVERALL: Duration = Duration::from_millis(1800);

/// A connection unused for this long may have died unnoticed: the process was frozen, or a
/// middlebox dropped the connection.
pub(super) const IDLE: Duration = Duration::from_secs(2);
/// Timeout of the first answer on such a connection.
pub(super) const SUSPECT: Duration = Duration::from_millis(250);

/// How long the connection to a cluster may fail: it recovers by itself while some nodes are down,
/// and still reaches the others.
const CLUSTER_RECOVERY: Duration = Duration::from_secs(2);
/// Pause before a retry while a cluster's connection looks for its nodes.
const RETRY_PAUSE: Duration = Duration::from_millis(30);

/// What is connected to.
#[expect(clippy::large_enum_variant, reason = "a process has one")]
enum Target {
    Server(Client),
    Cluster(ClusterClient),
}

#[derive(Clone)]
enum Link {
    Server(MultiplexedConnection),
    Cluster(ClusterConnection),
}

impl Target {
    async fn dial(&self) -> RedisResult<Link> {
        match self {
            Self::Server(client) => {
                let config = AsyncConnectionConfig::new();
                let config = config
                    .set_connection_timeout(Some(CONNECT))
                    .set_response_timeout(Some(ANSWER));
                let dialled = timeout(
                    CONNECT,
                    client.get_multiplexed_async_connection_with_config(&config),
                );
                dialled.await.map_err(timed_out)?.map(Link::Server)
            }
            Self::Cluster(client) => timeout(CLUSTER, client.get_async_connection())
                .await
                .map_err(timed_out)?
                .map(Link::Cluster),
        }
    }
}

/// The link that all requests share.
#[derive(Default)]
struct Shared {
    link: Option<Link>,
    /// The number of this link: a failure of an earlier one does not give it up.
    generation: u64,
    /// The first failure after the last success.
    failing_since: Option<Instant>,
    /// When it was last used, in milliseconds of the wall clock: the monotonic clock may stop while
    /// a process is frozen.
    used: u64,
}

impl Shared {
    fn current(&self) -> Option<(u64, Link)> {
        self.link.clone().map(|link| (self.generation, link))
    }

    /// Stops using link `generation`.
    fn give_up(&mut self, generation: u64) {
        if self.generation == generation {
            self.link = None;
        }
    }

    /// Whether the link was idle for long. It is used from here on.
    fn was_idle(&mut self) -> bool {
        let now = now();
        let idle =
            Duration::from_millis(now.saturating_sub(std::mem::replace(&mut self.used, now)));
        idle > IDLE && self.link.is_some()
    }
}

/// The connection of this process to its Redis.
pub(super) struct Connection {
    target: Target,
    /// Servers to subscribe to, tried in turn; each node of a cluster gets every message.
    pub(super) servers: Vec<Client>,
    shared: Mutex<Shared>,
    /// Locked while dialling. Holds the newest failure, which all that waited for the lock share.
    dialling: tokio::sync::Mutex<Option<(Instant, RedisError)>>,
}

impl Connection {
    /// Reads comma separated URLs; several, or `cluster=true` in the query of one, mean a cluster.
    /// Does not connect yet.
    pub(super) fn new(urls: &str, certificates: Option<TlsCertificates>) -> Result<Self, String> {
        // The TLS of redis panics without a process-wide provider. An error means that one is
        // installed already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut addresses = Vec::new();
        let mut servers = Vec::new();
        let mut cluster = false;
        for url in urls.split(',').map(str::trim) {
            if url.is_empty() {
                continue;
            }
            if url.contains('#') {
                let wrong = "it has a part after #, which means nothing here: leave it out";
                return Err(wrong.to_owned());
            }
            cluster |= asks_for_cluster(url)?;
            let server = match &certificates {
                Some(certificates) => Client::build_with_tls(url, certificates.clone()),
                None => Client::open(url),
            };
            servers.push(server.map_err(|error| error.to_string())?);
            addresses.push(url);
        }
        let target = match servers.as_slice() {
            [] => return Err("it is empty: leave it unset for the embedded store".to_owned()),
            [one] if !cluster => Target::Server(one.clone()),
            _ => Target::Cluster(cluster_client(addresses, certificates)?),
        };
        Ok(Self {
            target,
            servers,
            shared: Mutex::default(),
            dialling: tokio::sync::Mutex::default(),
        })
    }

    /// Sends a command that may arrive twice.
    pub(super) async fn call(&self, command: &Cmd) -> Result<Value, StoreError> {
        Ok(self.in_time(self.send(command)).await?.value)
    }

    /// Sends the call of a script that may run twice. A server that does not know the script gets
    /// its text.
    pub(super) async fn run(&self, script: &Script, call: &Cmd) -> Result<Value, StoreError> {
        Ok(self.reply(script, call).await?.value)
    }

    /// Does the same as [`run`](Self::run), and says whether the call may run once more.
    pub(super) async fn reply(
        &self,
        script: &Script,
        call: &Cmd,
    ) -> Result<RedisReply, StoreError> {
        let attempt = async {
            match self.send(call).await {
                Err(failure)
                    if failure.error.kind() == ErrorKind::Server(ServerErrorKind::NoScript) =>
                {
                    let mut reply = self.send(&script.with_text(call)).await?;
                    reply.was_sent_before |= failure.lost;
                    Ok(reply)
                }
                reply => reply,
            }
        };
        self.in_time(attempt).await
    }

    async fn in_time(
        &self,
        call: impl Future<Output = Result<RedisReply, Failure>>,
    ) -> Result<RedisReply, StoreError> {
        if let Ok(reply) = timeout(OVERALL, call).await {
            return reply.map_err(|failure| match &self.target {
                Target::Server(_) if is_from_cluster(&failure.error) => {
                    StoreError::Unavailable(NOT_SINGLE.to_owned())
                }
                _ => failure.into(),
            });
        }
        let generation = self.shared.lock().generation;
        self.count_failure(generation);
        Err(StoreError::Unavailable(format!(
            "Redis gave no answer within {} ms",
            OVERALL.as_millis()
        )))
    }

    /// Sends a command. It dials again, once, after a dropped connection and for a server that has
    /// become a replica, and also when an idle connection does not answer. It retries while a
    /// cluster's connection looks for its nodes.
    async fn send(&self, command: &Cmd) -> Result<RedisReply, Failure> {
        let mut again = true;
        // Whether Redis may have carried out an attempt whose answer was lost.
        let mut lost = false;
        let mut retries = 0..5;
        let mut suspect = self.shared.lock().was_idle();
        loop {
            let (generation, mut link) =
                self.link().await.map_err(|error| Failure { error, lost })?;
            let answer = async {
                match &mut link {
                    Link::Server(connection) => command.query_async(connection).await,
                    Link::Cluster(connection) => command.query_async(connection).await,
                }
            };
            let answer = if std::mem::take(&mut suspect) {
                let Ok(answer) = timeout(SUSPECT, answer).await else {
                    self.shared.lock().give_up(generation);
                    lost = true;
                    measure::store_retry();
                    continue;
                };
                answer
            } else {
                answer.await
            };
            match &answer {
                Err(error) if error.is_io_error() || error.is_unrecoverable_error() => {
                    self.count_failure(generation);
                }
                Err(_) => {}
                Ok(_) => self.shared.lock().failing_since = None,
            }
            match answer {
                Err(error) if again && is_dropped(&error) => {
                    again = false;
                    lost = true;
                }
                // Its name may lead to another server by now. A cluster's connection finds the new
                // primary by itself.
                Err(error) if matches!(link, Link::Server(_)) && is_from_replica(&error) => {
                    self.shared.lock().give_up(generation);
                    if !std::mem::take(&mut again) {
                        return Err(Failure { error, lost });
                    }
                }
                Err(error)
                    if error.kind() == ErrorKind::ClusterConnectionNotFound
                        && retries.next().is_some() =>
                {
                    sleep(RETRY_PAUSE).await;
                }
                Ok(value) => {
                    return Ok(RedisReply {
                        value,
                        was_sent_before: lost,
                    });
                }
                Err(error) => return Err(Failure { error, lost }),
            }
            measure::store_retry();
        }
    }

    /// The primaries, each with its address and a key of its own that begins with `prefix`. For a
    /// cluster, those that have slots.
    pub(super) async fn primaries(
        &self,
        prefix: &str,
    ) -> Result<Vec<(String, String)>, StoreError> {
        let Target::Cluster(_) = &self.target else {
            let mut primaries = Vec::new();
            for server in &self.servers {
                let address = server.get_connection_info().addr().to_string();
                primaries.push((address, prefix.to_owned()));
            }
            return Ok(primaries);
        };
        let slots = self.call(cmd("CLUSTER").arg("SLOTS")).await?;
        let ranges: Vec<Vec<Value>> = read(slots, "the slots of a cluster")?;
        let mut primaries: Vec<(String, String)> = Vec::new();
        let mut seen: Vec<&Value> = Vec::new();
        for range in &ranges {
            let [first, last, primary, ..] = &range[..] else {
                continue;
            };
            let (first, last): (u16, u16) = (
                read(first.clone(), "a slot")?,
                read(last.clone(), "a slot")?,
            );
            if seen.contains(&primary) {
                continue;
            }
            seen.push(primary);
            let address = address(primary)?;
            primaries.extend(key_within(prefix, first, last).map(|key| (address, key)));
        }
        Ok(primaries)
    }

    /// The current link and its number; dials if there is none.
    async fn link(&self) -> RedisResult<(u64, Link)> {
        if let Some(current) = self.shared.lock().current() {
            return Ok(current);
        }
        let asked = Instant::now();
        let mut failure = self.dialling.lock().await;
        if let Some(current) = self.shared.lock().current() {
            return Ok(current);
        }
        if let Some((at, error)) = failure.as_ref()
            && *at >= asked
        {
            return Err(error.clone());
        }
        let dialled = self.target.dial().await;
        *failure = dialled
            .as_ref()
            .err()
            .map(|error| (Instant::now(), error.clone()));
        let link = dialled?;
        let mut shared = self.shared.lock();
        shared.generation += 1;
        shared.link = Some(link.clone());
        shared.failing_since = None;
        Ok((shared.generation, link))
    }

    /// Counts a failure of link `generation`. Gives the link up once failures have lasted too long.
    fn count_failure(&self, generation: u64) {
        let recovery = match self.target {
            Target::Server(_) => Duration::ZERO,
            Target::Cluster(_) => CLUSTER_RECOVERY,
        };
        let mut shared = self.shared.lock();
        if shared
            .failing_since
            .get_or_insert_with(Instant::now)
            .elapsed()
            >= recovery
        {
            shared.give_up(generation);
        }
    }
}

/// A client of a cluster with these nodes.
fn cluster_client(
    addresses: Vec<&str>,
    certificates: Option<TlsCertificates>,
) -> Result<ClusterClient, String> {
    let mut cluster = ClusterClient::builder(addresses)
        .connection_timeout(NODE)
        .response_timeout(ANSWER)
        .retries(3)
        .min_retry_wait(10)
        .max_retry_wait(200);
    if let Some(certificates) = certificates {
        cluster = cluster.certs(certificates);
    }
    cluster.build().map_err(|error| error.to_string())
}

/// The address of a node in the answer of CLUSTER SLOTS. A cluster behind a proxy may leave its
/// host out.
fn address(node: &Value) -> Result<String, StoreError> {
    let fields: Vec<Value> = read(node.clone(), "a node")?;
    let [host, port, ..] = &fields[..] else {
        return Err(StoreError::Corrupt(
            "a node of a cluster without a port".to_owned(),
        ));
    };
    let (host, port): (Option<String>, u16) =
        (read(host.clone(), "a host")?, read(port.clone(), "a port")?);
    Ok(format!("{}:{port}", host.unwrap_or_default()))
}

/// The most keys that are tried to find one in a range of slots.
const KEYS_TRIED: u32 = 200_000;

/// A key that begins with `prefix` and whose slot is in this range.
fn key_within(prefix: &str, first: u16, last: u16) -> Option<String> {
    let mut keys = (0..KEYS_TRIED).map(|number| format!("{prefix}:{number}"));
    keys.find(|key| (first..=last).contains(&(State::<XMODEM>::calculate(key.as_bytes()) % SLOTS)))
}

/// The error of a call without an answer in time.
pub(super) fn timed_out(_: Elapsed) -> RedisError {
    std::io::Error::from(std::io::ErrorKind::TimedOut).into()
}

/// Reads `cluster=true` or `cluster=false` in the query of the URL.
fn asks_for_cluster(url: &str) -> Result<bool, String> {
    let parameters = url
        .split_once('?')
        .map_or("", |(_, query)| query)
        .split('&');
    match parameters
        .filter_map(|parameter| parameter.strip_prefix("cluster="))
        .next_back()
    {
        None | Some("false") => Ok(false),
        Some("true") => Ok(true),
        Some(other) => Err(format!(
            "cluster={other} is neither cluster=true nor cluster=false"
        )),
    }
}

/// Whether the connection ended. In the middle of an answer the client reports that it cannot parse
/// it.
fn is_dropped(error: &RedisError) -> bool {
    error.is_connection_dropped() || error.kind() == ErrorKind::Parse
}

/// Whether a server refused to write because it is a replica; older ones wrap errors of scripts.
fn is_from_replica(error: &RedisError) -> bool {
    error.kind() == ErrorKind::Server(ServerErrorKind::ReadOnly)
        || error.to_string().contains("READONLY")
}

/// Whether only a node of a cluster sends this error.
fn is_from_cluster(error: &RedisError) -> bool {
    use ServerErrorKind::{Ask, CrossSlot, Moved};
    matches!(error.kind(), ErrorKind::Server(Moved | Ask | CrossSlot))
}

/// The slots of a cluster.
const SLOTS: u16 = 16384;

const NOT_SINGLE: &str = "this Redis is a node of a cluster: add ?cluster=true to REDIS_URL";

/// The reply to a call.
pub(super) struct RedisReply {
    pub(super) value: Value,
    /// Whether an attempt before it got no answer. That one may still arrive.
    pub(super) was_sent_before: bool,
}

/// A call that failed.
struct Failure {
    error: RedisError,
    /// Whether an attempt before it may have been carried out: its answer was lost.
    lost: bool,
}

/// What Redis answers before it writes anything: it is out of memory, cannot write to its disk, or
/// has too few replicas. A login that lacks a right is not among them: Redis refuses a script in
/// the middle then.
const REFUSALS: [&str; 3] = ["OOM", "MISCONF", "NOREPLICAS"];

/// A key of another type and an unreadable answer mean damaged data. Anything else passes, or an
/// operator fixes it: loading, read-only, cluster down, out of memory, not authorised.
impl From<Failure> for StoreError {
    fn from(Failure { error, lost }: Failure) -> Self {
        let mut text = error.to_string();
        // Older servers give the errors of scripts no code of their own, or wrap them: a code may
        // stand anywhere.
        if text.contains("The user executing the script can't") {
            text.insert_str(0, "NOPERM: ");
        }
        if let Some((_, found)) = text.split_once("LAYOUT") {
            let mut numbers = found.split(|c: char| !c.is_ascii_digit());
            let number = numbers.find_map(|digits| digits.parse().ok());
            return Self::Foreign(number.unwrap_or(0));
        }
        if text.contains("WRONGTYPE") || error.kind() == ErrorKind::UnexpectedReturnType {
            return Self::Corrupt(text);
        }
        let refused = !lost && REFUSALS.iter().any(|code| text.contains(code));
        if refused {
            Self::Refused(text)
        } else {
            Self::Unavailable(text)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_named_by_what_the_cluster_says_of_it() {
        let node =
            |host: Value| address(&Value::Array(vec![host, Value::Int(6379), Value::Nil])).ok();
        assert_eq!(
            node(Value::BulkString(b"cache".to_vec())).as_deref(),
            Some("cache:6379")
        );
        assert_eq!(node(Value::Nil).as_deref(), Some(":6379"));
        assert_eq!(address(&Value::Array(Vec::new())).ok(), None);
    }

    #[test]
    fn a_key_is_found_in_every_range_of_slots() {
        assert_eq!(
            key_within("turnkeeper:ready", 0, SLOTS - 1).as_deref(),
            Some("turnkeeper:ready:0")
        );
        assert!(
            key_within("foo", 0, 0).is_some() && key_within("foo", SLOTS - 1, SLOTS - 1).is_some()
        );
    }

    #[test]
    fn one_url_is_a_server_and_several_or_a_parameter_are_a_cluster() {
        let kind = |urls| {
            Connection::new(urls, None)
                .map(|connection| matches!(connection.target, Target::Cluster(_)))
        };
        assert!(matches!(kind("redis://127.0.0.1:1"), Ok(false)));
        assert!(matches!(
            kind("rediss://user:word@127.0.0.1:1/0"),
            Ok(false)
        ));
        assert!(matches!(kind("redis://127.0.0.1:1?cluster=true"), Ok(true)));
        assert!(matches!(
            kind("redis://127.0.0.1:1, redis://127.0.0.1:2"),
            Ok(true)
        ));
        assert!(matches!(
            kind("redis://127.0.0.1:1?cluster=false"),
            Ok(false)
        ));
        for wrong in [
            "redis://127.0.0.1:1?cluster=1",
            "redis://127.0.0.1:1?cluster=True",
            "rediss://127.0.0.1:1/#insecure",
        ] {
            assert!(kind(wrong).is_err(), "{wrong}");
        }
        assert!(kind("http://127.0.0.1:1").is_err());
        assert!(kind(" ").is_err());
    }
}
