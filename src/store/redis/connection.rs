//! The way to Redis: one multiplexed connection, dialled when it is needed, given up when it is dead, dialled again.
//!
//! A single server and a cluster differ only in how they are dialled. Every call is over within [`OVERALL`], whatever happens.

use std::future::Future;
use std::sync::RwLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use ::redis::aio::{ConnectionLike, MultiplexedConnection};
use ::redis::cluster::ClusterClient;
use ::redis::cluster_async::ClusterConnection;
use ::redis::{
    AsyncConnectionConfig, Client, Cmd, ErrorKind, Pipeline, RedisError, RedisResult, ServerErrorKind, TlsCertificates,
    Value,
};
use tokio::time::{sleep, timeout};

use super::script::Script;
use crate::store::{OpenError, StoreError};

/// Until a connection stands.
pub(super) const CONNECT: Duration = Duration::from_millis(700);
/// Until a connection to one node of a cluster stands.
const NODE: Duration = Duration::from_millis(400);
/// Until an answer is there.
pub(super) const ANSWER: Duration = Duration::from_millis(1000);
/// Until a call has given up, with all that it tried.
const OVERALL: Duration = Duration::from_millis(1800);

/// A connection that nobody used for so long may have died without a word: the process was frozen, or somebody between forgot it.
pub(super) const IDLE: Duration = Duration::from_secs(2);
/// Until such a connection counts as dead.
pub(super) const SUSPECT: Duration = Duration::from_millis(250);

/// Between two attempts at a cluster that looks for its nodes.
const MOMENT: Duration = Duration::from_millis(30);

/// How one kind of deployment is connected to.
trait Dial: Send + Sync {
    type Connection: ConnectionLike + Clone + Send + Sync;

    /// So many failures in a row, and the connection is given up.
    const FAILURE_THRESHOLD: u32;
    /// ... if they went on for so long. A cluster's connection mends itself while only some of its nodes are away, and the others
    /// are asked through it meanwhile; a single server's does not.
    const PATIENCE: Duration;
    /// Until it has failed.
    const DIALLING: Duration;
    /// Whether a server that has become a replica is to be left: behind the name that was dialled there may be another one by now. A
    /// cluster's connection looks for the new primary by itself.
    const LEAVES_REPLICAS: bool;

    fn dial(&self) -> impl Future<Output = RedisResult<Self::Connection>> + Send;
}

impl Dial for Client {
    type Connection = MultiplexedConnection;
    const FAILURE_THRESHOLD: u32 = 1;
    const PATIENCE: Duration = Duration::ZERO;
    const DIALLING: Duration = CONNECT;
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
    const PATIENCE: Duration = Duration::from_secs(2);
    /// Two of its nodes' times, with room: the first ones are all waited for, then those that they name, and any may be silent.
    const DIALLING: Duration = Duration::from_millis(1200);
    const LEAVES_REPLICAS: bool = false;

    async fn dial(&self) -> RedisResult<ClusterConnection> {
        self.get_async_connection().await
    }
}

/// A place for one connection that all requests share.
struct Reconnecting<D: Dial> {
    dialler: D,
    current: RwLock<Option<(u64, D::Connection)>>,
    /// Held while dialling, with the newest failure, so that those who waited for it share it instead of queueing for their own.
    dialling: tokio::sync::Mutex<Option<(Instant, RedisError)>>,
    generation: AtomicU64,
    failures: AtomicU32,
    /// When the first of these failures was, in milliseconds since `born`.
    failing: AtomicU64,
    born: Instant,
    /// When it was last used, in milliseconds by the clock on the wall: others may stand still while a process is frozen.
    used: AtomicU64,
}

impl<D: Dial> Reconnecting<D> {
    fn new(dialler: D) -> Self {
        Self {
            dialler,
            current: RwLock::new(None),
            dialling: tokio::sync::Mutex::new(None),
            generation: AtomicU64::new(0),
            failures: AtomicU32::new(0),
            failing: AtomicU64::new(0),
            born: Instant::now(),
            used: AtomicU64::new(0),
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
        let dialled = match timeout(D::DIALLING, self.dialler.dial()).await {
            Ok(dialled) => dialled,
            Err(_) => Err(std::io::Error::from(std::io::ErrorKind::TimedOut).into()),
        };
        match dialled {
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

    /// Notes how a call over connection `generation` ended.
    fn judge(&self, generation: u64, error: Option<&RedisError>) {
        let Some(error) = error else {
            if self.failures.load(Ordering::Relaxed) != 0 {
                self.failures.store(0, Ordering::Relaxed);
            }
            return;
        };
        if !(error.is_io_error() || error.is_unrecoverable_error()) {
            return;
        }
        self.strike(generation);
    }

    fn strike(&self, generation: u64) {
        let now = u64::try_from(self.born.elapsed().as_millis()).unwrap_or(u64::MAX);
        let failures = self.failures.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        if failures == 1 {
            self.failing.store(now, Ordering::Relaxed);
        }
        let lasted = Duration::from_millis(now.saturating_sub(self.failing.load(Ordering::Relaxed)));
        if failures >= D::FAILURE_THRESHOLD && lasted >= D::PATIENCE {
            self.give_up(generation);
        }
    }

    /// Notes that a call had to be given up without an answer.
    fn silent(&self) {
        if let Some((generation, _)) = self.current() {
            self.strike(generation);
        }
    }

    /// Connection `generation` is not used again.
    fn give_up(&self, generation: u64) {
        if self.current().is_some_and(|(now, _)| now == generation) {
            self.replace(None);
        }
    }

    /// How long nobody used it until now.
    fn idle(&self) -> Duration {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let now = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
        Duration::from_millis(now.saturating_sub(self.used.swap(now, Ordering::Relaxed)))
    }

    /// Sends what may be sent twice; a dropped connection is dialled again once, and so is one to a server that has become a replica,
    /// and one that is silent after it was idle. A cluster's connection that has lost its nodes looks for them by itself: it is given
    /// a few moments.
    async fn send(&self, message: Message<'_>) -> RedisResult<Value> {
        let mut again = true;
        let mut moments = 0..5;
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
                match timeout(SUSPECT, answer).await {
                    Ok(answer) => answer,
                    Err(_) => {
                        self.give_up(generation);
                        continue;
                    }
                }
            } else {
                answer.await
            };
            self.judge(generation, answer.as_ref().err());
            match answer {
                Err(error) if again && error.is_connection_dropped() => again = false,
                Err(error) if D::LEAVES_REPLICAS && is_replicas(&error) => {
                    self.give_up(generation);
                    if !std::mem::take(&mut again) {
                        return Err(error);
                    }
                }
                Err(error) if error.kind() == ErrorKind::ClusterConnectionNotFound && moments.next().is_some() => {
                    sleep(MOMENT).await;
                }
                answer => return answer,
            }
        }
    }
}

/// What is sent in one go.
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
    /// Servers that can be subscribed to, tried in turn; a cluster passes every message on to all of its nodes.
    pub(super) servers: Vec<Client>,
}

impl Connection {
    /// Reads one or more comma separated URLs; several, or `cluster=true` in the query of one, mean a cluster. Connects to nothing yet.
    pub(super) fn new(urls: &str, certificates: Option<TlsCertificates>) -> Result<Self, OpenError> {
        // redis' TLS takes the process-wide provider and would panic without one; another one installed earlier is as good.
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

    /// Sends a command that does no harm when it arrives twice.
    pub(super) async fn call(&self, command: &Cmd) -> Result<Value, StoreError> {
        self.in_time(self.send(Message::One(command))).await
    }

    /// Sends commands in one go, one after the other but not in one step, that do no harm when they arrive twice; the answers are
    /// an array.
    pub(super) async fn call_all(&self, commands: &Pipeline) -> Result<Value, StoreError> {
        self.in_time(self.send(Message::Several(commands))).await
    }

    /// Runs a script that does no harm when it runs twice; a server that does not know it is given its text.
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
                Link::Single(_) if is_clusters(&error) => StoreError::Unavailable(NOT_SINGLE.to_owned()),
                _ => refused(error),
            });
        }
        match &self.link {
            Link::Single(slot) => slot.silent(),
            Link::Cluster(slot) => slot.silent(),
        }
        Err(StoreError::Unavailable(format!("Redis gave no answer within {} ms", OVERALL.as_millis())))
    }

    async fn send(&self, message: Message<'_>) -> RedisResult<Value> {
        match &self.link {
            Link::Single(slot) => slot.send(message).await,
            Link::Cluster(slot) => slot.send(message).await,
        }
    }
}

/// Whether the URL says that it is a cluster's: `cluster=true` or `cluster=false` in its query.
fn asks_for_cluster(url: &str) -> Result<bool, OpenError> {
    let parameters = url.split_once('?').map_or("", |(_, query)| query).split('&');
    match parameters.filter_map(|parameter| parameter.strip_prefix("cluster=")).next_back() {
        None | Some("false") => Ok(false),
        Some("true") => Ok(true),
        Some(other) => Err(OpenError::Url(format!("cluster={other} is neither cluster=true nor cluster=false"))),
    }
}

/// Whether a server refused to write because it is a replica; older ones wrap what happens in a script.
fn is_replicas(error: &RedisError) -> bool {
    error.kind() == ErrorKind::Server(ServerErrorKind::ReadOnly) || error.to_string().contains("READONLY")
}

/// Whether only a node of a cluster says so.
fn is_clusters(error: &RedisError) -> bool {
    use ServerErrorKind::{Ask, CrossSlot, Moved};
    matches!(error.kind(), ErrorKind::Server(Moved | Ask | CrossSlot))
}

const NOT_SINGLE: &str = "this Redis is a node of a cluster: add ?cluster=true to REDIS_URL";

/// Only a key of another type and an answer that cannot be read are the data's fault; everything else passes or is mended
/// by an operator: loading, read-only, cluster down, out of memory, not authorised.
fn refused(error: RedisError) -> StoreError {
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
        const PATIENCE: Duration = Duration::from_millis(50);
        const DIALLING: Duration = CONNECT;
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
    async fn a_connection_is_given_up_after_some_silence_that_lasted() {
        let slot = Reconnecting::new(Mute);
        let (first, _) = slot.connection().await.expect("a connection");
        (0..5).for_each(|_| slot.silent());
        assert_eq!(slot.current().map(|(generation, _)| generation), Some(first), "only for a moment");
        slot.judge(first, None);
        sleep(Duration::from_millis(60)).await;
        (0..2).for_each(|_| slot.silent());
        sleep(Duration::from_millis(60)).await;
        assert_eq!(slot.current().map(|(generation, _)| generation), Some(first), "two are few");
        slot.silent();
        assert!(slot.current().is_none());
        assert_ne!(slot.connection().await.expect("a connection").0, first);
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
