//! The connection to Redis: one multiplexed connection, dialled when needed, given up when dead, then dialled again.
//!
//! A single server and a cluster differ only in how they are dialled. Every call ends within [`OVERALL`].

use std::future::Future;
use std::sync::RwLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ::redis::aio::{ConnectionLike, MultiplexedConnection};
use ::redis::cluster::ClusterClient;
use ::redis::cluster_async::ClusterConnection;
use ::redis::{
    AsyncConnectionConfig, Client, Cmd, ErrorKind, Pipeline, RedisError, RedisResult, ServerErrorKind, TlsCertificates,
    Value,
};
use tokio::time::error::Elapsed;
use tokio::time::{sleep, timeout};

use super::script::Script;
use crate::store::{OpenError, StoreError, now};

/// Timeout of dialling a server.
pub(super) const CONNECT: Duration = Duration::from_millis(700);
/// Timeout of dialling one node of a cluster.
const NODE: Duration = Duration::from_millis(400);
/// Timeout of an answer.
pub(super) const ANSWER: Duration = Duration::from_millis(1000);
/// Timeout of a call, with all its retries.
const OVERALL: Duration = Duration::from_millis(1800);

/// A connection unused for this long may have died unnoticed: the process was frozen, or a middlebox dropped the connection.
pub(super) const IDLE: Duration = Duration::from_secs(2);
/// Timeout of the first answer on such a connection.
pub(super) const SUSPECT: Duration = Duration::from_millis(250);

/// Pause before a retry while a cluster's connection looks for its nodes.
const RETRY_PAUSE: Duration = Duration::from_millis(30);

/// How one kind of deployment is connected to.
trait Dial: Send + Sync {
    type Connection: ConnectionLike + Clone + Send + Sync;

    /// Failures in a row after which the connection is given up ...
    const FAILURE_THRESHOLD: u32;
    /// ... if they lasted this long. A cluster's connection recovers while only some of its nodes are down, and still reaches the
    /// others; a single server's does not.
    const FAILURE_TIME: Duration;
    /// Timeout of dialling.
    const DIAL_TIMEOUT: Duration;
    /// Whether to dial again when the server has become a replica: its name may lead to another server by now. A cluster's connection
    /// finds the new primary by itself.
    const LEAVES_REPLICAS: bool;

    fn dial(&self) -> impl Future<Output = RedisResult<Self::Connection>> + Send;
}

impl Dial for Client {
    type Connection = MultiplexedConnection;
    const FAILURE_THRESHOLD: u32 = 1;
    const FAILURE_TIME: Duration = Duration::ZERO;
    const DIAL_TIMEOUT: Duration = CONNECT;
    const LEAVES_REPLICAS: bool = true;

    async fn dial(&self) -> RedisResult<MultiplexedConnection> {
        let config =
            AsyncConnectionConfig::new().set_connection_timeout(Some(CONNECT)).set_response_timeout(Some(ANSWER));
        self.get_multiplexed_async_connection_with_config(&config).await
    }
}

impl Dial for ClusterClient {
    type Connection = ClusterConnection;
    const FAILURE_THRESHOLD: u32 = 3;
    const FAILURE_TIME: Duration = Duration::from_secs(2);
    /// Twice [`NODE`] and some room: it waits for the given nodes, then for the nodes that these name.
    const DIAL_TIMEOUT: Duration = Duration::from_millis(1200);
    const LEAVES_REPLICAS: bool = false;

    async fn dial(&self) -> RedisResult<ClusterConnection> {
        self.get_async_connection().await
    }
}

/// One connection that all requests share.
struct Reconnecting<D: Dial> {
    dialler: D,
    current: RwLock<Option<(u64, D::Connection)>>,
    /// Locked while dialling. Holds the newest failure, which all that waited for the lock share.
    dialling: tokio::sync::Mutex<Option<(Instant, RedisError)>>,
    generation: AtomicU64,
    failures: AtomicU32,
    /// When the first of these failures was, in milliseconds since `started`.
    failing_since: AtomicU64,
    started: Instant,
    /// When it was last used, in milliseconds of the wall clock: the monotonic clock may stop while a process is frozen.
    used: AtomicU64,
}

impl<D: Dial> Reconnecting<D> {
    fn new(dialler: D) -> Self {
        Self {
            dialler,
            current: RwLock::default(),
            dialling: tokio::sync::Mutex::default(),
            generation: AtomicU64::default(),
            failures: AtomicU32::default(),
            failing_since: AtomicU64::default(),
            started: Instant::now(),
            used: AtomicU64::default(),
        }
    }

    fn current(&self) -> Option<(u64, D::Connection)> {
        self.current.read().unwrap_or_else(|poisoned| poisoned.into_inner()).clone()
    }

    fn replace(&self, connection: Option<(u64, D::Connection)>) {
        *self.current.write().unwrap_or_else(|poisoned| poisoned.into_inner()) = connection;
    }

    async fn connection(&self) -> RedisResult<(u64, D::Connection)> {
        if let Some(current) = self.current() {
            return Ok(current);
        }
        let asked = Instant::now();
        let mut failure = self.dialling.lock().await;
        if let Some(current) = self.current() {
            return Ok(current);
        }
        if let Some((at, error)) = failure.as_ref()
            && *at >= asked
        {
            return Err(error.clone());
        }
        match timeout(D::DIAL_TIMEOUT, self.dialler.dial()).await.unwrap_or_else(|elapsed| Err(timed_out(elapsed))) {
            Ok(connection) => {
                *failure = None;
                self.failures.store(0, Ordering::Relaxed);
                let fresh = (self.generation.fetch_add(1, Ordering::Relaxed), connection);
                self.replace(Some(fresh.clone()));
                Ok(fresh)
            }
            Err(error) => {
                *failure = Some((Instant::now(), error.clone()));
                Err(error)
            }
        }
    }

    /// Counts a failure of connection `generation`, which may give it up.
    fn count_failure(&self, generation: u64) {
        let now = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let failures = self.failures.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        if failures == 1 {
            self.failing_since.store(now, Ordering::Relaxed);
        }
        let lasted = Duration::from_millis(now.saturating_sub(self.failing_since.load(Ordering::Relaxed)));
        if failures >= D::FAILURE_THRESHOLD && lasted >= D::FAILURE_TIME {
            self.give_up(generation);
        }
    }

    fn count_success(&self) {
        // Mostly there is nothing to reset, and a load is cheaper than a store.
        if self.failures.load(Ordering::Relaxed) != 0 {
            self.failures.store(0, Ordering::Relaxed);
        }
    }

    /// Counts a call that timed out.
    fn count_timeout(&self) {
        if let Some((generation, _)) = self.current() {
            self.count_failure(generation);
        }
    }

    /// Stops using connection `generation`.
    fn give_up(&self, generation: u64) {
        if self.current().is_some_and(|(current, _)| current == generation) {
            self.replace(None);
        }
    }

    /// Time since the last use, which is now from here on.
    fn idle(&self) -> Duration {
        let now = now();
        Duration::from_millis(now.saturating_sub(self.used.swap(now, Ordering::Relaxed)))
    }

    /// Sends a message that may arrive twice. It dials again, once, after a dropped connection and for a server that has become a
    /// replica, and also when an idle connection does not answer. It retries while a cluster's connection looks for its nodes.
    async fn send(&self, message: Message<'_>) -> RedisResult<Value> {
        let mut again = true;
        let mut retries = 0..5;
        let mut suspect = self.idle() > IDLE && self.current().is_some();
        loop {
            let (generation, mut connection) = self.connection().await?;
            let answer = async {
                match message {
                    Message::One(command) => command.query_async(&mut connection).await,
                    Message::Several(commands) => commands.query_async(&mut connection).await,
                }
            };
            let answer = if std::mem::take(&mut suspect) {
                let Ok(answer) = timeout(SUSPECT, answer).await else {
                    self.give_up(generation);
                    continue;
                };
                answer
            } else {
                answer.await
            };
            match &answer {
                Err(error) if error.is_io_error() || error.is_unrecoverable_error() => self.count_failure(generation),
                Err(_) => {}
                Ok(_) => self.count_success(),
            }
            match answer {
                Err(error) if again && error.is_connection_dropped() => again = false,
                Err(error) if D::LEAVES_REPLICAS && is_from_replica(&error) => {
                    self.give_up(generation);
                    if !std::mem::take(&mut again) {
                        return Err(error);
                    }
                }
                Err(error) if error.kind() == ErrorKind::ClusterConnectionNotFound && retries.next().is_some() => {
                    sleep(RETRY_PAUSE).await;
                }
                answer => return answer,
            }
        }
    }
}

/// The error of a call without an answer in time.
pub(super) fn timed_out(_: Elapsed) -> RedisError {
    std::io::Error::from(std::io::ErrorKind::TimedOut).into()
}

/// What is sent at once.
#[derive(Clone, Copy)]
enum Message<'a> {
    One(&'a Cmd),
    Several(&'a Pipeline),
}

enum Link {
    Single(Reconnecting<Client>),
    Cluster(Reconnecting<ClusterClient>),
}

/// The shared connection of this process to its Redis.
pub(super) struct Connection {
    link: Link,
    /// Servers to subscribe to, tried in turn; each node of a cluster gets every message.
    pub(super) servers: Vec<Client>,
}

impl Connection {
    /// Reads comma separated URLs; several, or `cluster=true` in the query of one, mean a cluster. Does not connect yet.
    pub(super) fn new(urls: &str, certificates: Option<TlsCertificates>) -> Result<Self, OpenError> {
        // The TLS of redis panics without a process-wide provider. An error means that one is installed already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let urls: Vec<&str> = urls.split(',').map(str::trim).filter(|url| !url.is_empty()).collect();
        if urls.iter().any(|url| url.contains('#')) {
            return Err(OpenError::Url("it has a part after #, which means nothing here: leave it out".to_owned()));
        }
        let cluster = urls.iter().map(|url| asks_for_cluster(url)).collect::<Result<Vec<_>, _>>()?;
        let unusable = |error: RedisError| OpenError::Url(error.to_string());
        let open = |url: &&str| match &certificates {
            Some(certificates) => Client::build_with_tls(*url, certificates.clone()),
            None => Client::open(*url),
        };
        let servers = urls.iter().map(open).collect::<RedisResult<Vec<_>>>().map_err(unusable)?;
        let link = match servers.as_slice() {
            [] => return Err(OpenError::Url("it is empty".to_owned())),
            [one] if cluster == [false] => Link::Single(Reconnecting::new(one.clone())),
            _ => {
                let mut cluster = ClusterClient::builder(urls.iter().copied())
                    .connection_timeout(NODE)
                    .response_timeout(ANSWER)
                    .retries(3)
                    .min_retry_wait(10)
                    .max_retry_wait(200);
                if let Some(certificates) = certificates {
                    cluster = cluster.certs(certificates);
                }
                Link::Cluster(Reconnecting::new(cluster.build().map_err(unusable)?))
            }
        };
        Ok(Self { link, servers })
    }

    /// Sends a command that may arrive twice.
    pub(super) async fn call(&self, command: &Cmd) -> Result<Value, StoreError> {
        self.in_time(self.send(Message::One(command))).await
    }

    /// Sends commands that may arrive twice at once, though not as one step; the reply is an array.
    pub(super) async fn call_all(&self, commands: &Pipeline) -> Result<Value, StoreError> {
        self.in_time(self.send(Message::Several(commands))).await
    }

    /// Runs a script that may run twice. A server that does not know it gets its text.
    pub(super) async fn run(&self, script: &Script, keys: &[&str], args: &[&[u8]]) -> Result<Value, StoreError> {
        let attempt = async {
            match self.send(Message::One(&script.by_hash(keys, args))).await {
                Err(error) if error.kind() == ErrorKind::Server(ServerErrorKind::NoScript) => {
                    self.send(Message::One(&script.by_text(keys, args))).await
                }
                answer => answer,
            }
        };
        self.in_time(attempt).await
    }

    async fn in_time(&self, call: impl Future<Output = RedisResult<Value>>) -> Result<Value, StoreError> {
        if let Ok(answer) = timeout(OVERALL, call).await {
            return answer.map_err(|error| match &self.link {
                Link::Single(_) if is_from_cluster(&error) => StoreError::Unavailable(NOT_SINGLE.to_owned()),
                _ => store_error(error),
            });
        }
        match &self.link {
            Link::Single(connection) => connection.count_timeout(),
            Link::Cluster(connection) => connection.count_timeout(),
        }
        Err(StoreError::Unavailable(format!("Redis gave no answer within {} ms", OVERALL.as_millis())))
    }

    async fn send(&self, message: Message<'_>) -> RedisResult<Value> {
        match &self.link {
            Link::Single(connection) => connection.send(message).await,
            Link::Cluster(connection) => connection.send(message).await,
        }
    }
}

/// Reads `cluster=true` or `cluster=false` in the query of the URL.
fn asks_for_cluster(url: &str) -> Result<bool, OpenError> {
    let parameters = url.split_once('?').map_or("", |(_, query)| query).split('&');
    match parameters.filter_map(|parameter| parameter.strip_prefix("cluster=")).next_back() {
        None | Some("false") => Ok(false),
        Some("true") => Ok(true),
        Some(other) => Err(OpenError::Url(format!("cluster={other} is neither cluster=true nor cluster=false"))),
    }
}

/// Whether a server refused to write because it is a replica; older ones wrap errors of scripts.
fn is_from_replica(error: &RedisError) -> bool {
    error.kind() == ErrorKind::Server(ServerErrorKind::ReadOnly) || error.to_string().contains("READONLY")
}

/// Whether only a node of a cluster sends this error.
fn is_from_cluster(error: &RedisError) -> bool {
    use ServerErrorKind::{Ask, CrossSlot, Moved};
    matches!(error.kind(), ErrorKind::Server(Moved | Ask | CrossSlot))
}

const NOT_SINGLE: &str = "this Redis is a node of a cluster: add ?cluster=true to REDIS_URL";

/// A key of another type and an unreadable answer mean damaged data. Anything else passes, or an operator fixes it: loading, read-only,
/// cluster down, out of memory, not authorised.
fn store_error(error: RedisError) -> StoreError {
    let text = error.to_string();
    if text.contains("WRONGTYPE") || error.kind() == ErrorKind::Parse || error.kind() == ErrorKind::UnexpectedReturnType
    {
        StoreError::Corrupt(text)
    } else {
        StoreError::Unavailable(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::redis::RedisFuture;

    /// Connections that never answer.
    #[derive(Clone)]
    struct Mute;

    impl Dial for Mute {
        type Connection = Mute;
        const FAILURE_THRESHOLD: u32 = 3;
        const FAILURE_TIME: Duration = Duration::from_millis(50);
        const DIAL_TIMEOUT: Duration = CONNECT;
        const LEAVES_REPLICAS: bool = false;

        async fn dial(&self) -> RedisResult<Mute> {
            Ok(Mute)
        }
    }

    impl ConnectionLike for Mute {
        fn req_packed_command<'a>(&'a mut self, _: &'a Cmd) -> RedisFuture<'a, Value> {
            Box::pin(std::future::pending())
        }

        fn req_packed_commands<'a>(&'a mut self, _: &'a Pipeline, _: usize, _: usize) -> RedisFuture<'a, Vec<Value>> {
            Box::pin(std::future::pending())
        }

        fn get_db(&self) -> i64 {
            0
        }
    }

    #[tokio::test]
    async fn a_connection_is_given_up_after_several_failures_over_some_time() {
        let shared = Reconnecting::new(Mute);
        let (first, _) = shared.connection().await.expect("a connection");
        let current = || shared.current().map(|(generation, _)| generation);
        (0..5).for_each(|_| shared.count_timeout());
        assert_eq!(current(), Some(first), "only for a moment");
        shared.count_success();
        sleep(Duration::from_millis(60)).await;
        (0..2).for_each(|_| shared.count_timeout());
        sleep(Duration::from_millis(60)).await;
        assert_eq!(current(), Some(first), "two are few");
        shared.count_timeout();
        assert!(shared.current().is_none());
        assert_ne!(shared.connection().await.expect("a connection").0, first);
    }

    #[test]
    fn one_url_is_a_server_and_several_or_a_parameter_are_a_cluster() {
        let kind = |urls| Connection::new(urls, None).map(|connection| matches!(connection.link, Link::Cluster(_)));
        assert!(matches!(kind("redis://127.0.0.1:1"), Ok(false)));
        assert!(matches!(kind("rediss://user:word@127.0.0.1:1/0"), Ok(false)));
        assert!(matches!(kind("redis://127.0.0.1:1?cluster=true"), Ok(true)));
        assert!(matches!(kind("redis://127.0.0.1:1, redis://127.0.0.1:2"), Ok(true)));
        assert!(matches!(kind("redis://127.0.0.1:1?cluster=false"), Ok(false)));
        for wrong in
            ["redis://127.0.0.1:1?cluster=1", "redis://127.0.0.1:1?cluster=True", "rediss://127.0.0.1:1/#insecure"]
        {
            assert!(matches!(kind(wrong), Err(OpenError::Url(_))), "{wrong}");
        }
        assert!(matches!(kind("http://127.0.0.1:1"), Err(OpenError::Url(_))));
        assert!(matches!(kind(" "), Err(OpenError::Url(_))));
    }
}
