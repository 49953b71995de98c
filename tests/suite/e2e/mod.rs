//! The service over a real socket, or through the Lambda adapter: see [`cell`].
//!
//! [`Api`] is a server on a free port with its [`Client`]; `fight()` creates an encounter.

pub mod applications;
mod browser;
mod busy;
pub mod cell;
mod chromium;
mod commands;
mod conditional;
mod connections;
pub mod convert;
mod disk;
mod failover;
mod faults;
mod follow;
mod guarded;
mod headers;
mod idempotency;
mod limits;
mod mcp;
mod metrics;
mod paths;
mod process;
mod rates;
mod reading;
pub mod scripts;
mod secrecy;
mod table;
mod tokens;

pub use crate::support::client::{Answer, Call, Client, Fight, ambush, note, text};
use crate::support::lambda::Function;
use crate::support::secrets::{self, NoSecretsLogged};
use std::ops::Deref;
use std::sync::Arc;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use turnkeeper::app::{App, AppKeys, Applications, DEFAULT_LOG_KEEP, DEFAULT_LOG_MIB};
use turnkeeper::engine::Rulesets;
use turnkeeper::http::{Settings, router, serve};
use turnkeeper::store::embedded::EmbeddedStore;
use turnkeeper::store::redis::RedisStore;
use turnkeeper::store::{Store, StoreConfig};

/// What a server is configured with beside its store.
#[derive(Default)]
pub struct Setup<'k> {
    pub settings: Settings,
    /// The applications that it knows, `NAME=DIGEST` pairs.
    pub keys: &'k str,
    /// The minimum of log entries that it keeps; None is the default.
    pub keep: Option<u64>,
    /// The MiB that a log may have; None is the default.
    pub log_mib: Option<u64>,
}

/// An embedded store in a directory of its own.
pub fn embedded_store() -> (TempDir, Arc<dyn Store>) {
    let directory = TempDir::new().expect("a temporary directory");
    let store =
        EmbeddedStore::open(directory.path(), StoreConfig::default()).expect("an embedded store");
    (directory, Arc::new(store))
}

/// A store on this Redis.
pub fn redis_store(url: &str) -> Arc<dyn Store> {
    Arc::new(RedisStore::open(url, None, StoreConfig::default()).expect("a Redis store"))
}

/// A server and a client for it.
#[must_use = "the server ends when this is dropped"]
pub struct Api {
    client: Client,
    /// The service, where it runs in this process.
    app: Option<Arc<App>>,
    /// Ends the server when it is dropped.
    _stop: Option<oneshot::Sender<()>>,
    _logs: NoSecretsLogged,
    _directory: Option<TempDir>,
    _redis: Option<Arc<cell::Servers>>,
    _function: Option<Function>,
}

impl Api {
    /// One on the store of this cell; by default an embedded store of its own.
    pub async fn start() -> Self {
        Self::set_up(Setup::default()).await
    }

    /// One with these settings, on the store of this cell.
    pub async fn with(settings: Settings) -> Self {
        Self::set_up(Setup {
            settings,
            ..Setup::default()
        })
        .await
    }

    /// One that knows these applications, on the store of this cell.
    pub async fn with_keys(keys: &str) -> Self {
        Self::set_up(Setup {
            keys,
            ..Setup::default()
        })
        .await
    }

    /// One on the store of this cell.
    pub async fn set_up(setup: Setup<'_>) -> Self {
        if let Some(redis) = cell::redis() {
            return Self {
                _redis: Some(redis.clone()),
                ..Self::on_url(&redis.url, setup).await
            };
        }
        if cell::event_source().is_some() {
            let directory = TempDir::new().expect("a temporary directory");
            let data = directory.path().to_str().expect("a path").to_owned();
            return Self {
                _directory: Some(directory),
                ..Self::function(("TURNKEEPER_DATA", data), 1, setup).await
            };
        }
        let (directory, store) = embedded_store();
        Self {
            _directory: Some(directory),
            ..Self::on(store, setup).await
        }
    }

    /// Two on one Redis, that of this cell where its store is one.
    pub async fn pair() -> (Self, Self) {
        let redis = cell::some_redis();
        let (one, other) = Self::pair_on(&redis.url).await;
        (
            Self {
                _redis: Some(redis.clone()),
                ..one
            },
            Self {
                _redis: Some(redis),
                ..other
            },
        )
    }

    /// Two on this Redis.
    pub async fn pair_on(url: &str) -> (Self, Self) {
        (Self::on_redis(url).await, Self::on_redis(url).await)
    }

    /// One on this Redis.
    pub async fn on_redis(url: &str) -> Self {
        Self::on_url(url, Setup::default()).await
    }

    /// One on this Redis, configured so.
    pub async fn on_url(url: &str, setup: Setup<'_>) -> Self {
        if cell::event_source().is_some() {
            return Self::function(("REDIS_URL", url.to_owned()), 2, setup).await;
        }
        Self::on(redis_store(url), setup).await
    }

    async fn function(store: (&str, String), instances: usize, setup: Setup<'_>) -> Self {
        let mut settings = cell::variables(&setup.settings);
        settings.push(("TURNKEEPER_APP_KEYS", setup.keys.to_owned()));
        settings.extend(
            setup
                .keep
                .map(|keep| ("TURNKEEPER_LOG_KEEP", keep.to_string())),
        );
        settings.extend(
            setup
                .log_mib
                .map(|mib| ("TURNKEEPER_LOG_MIB", mib.to_string())),
        );
        let settings = settings
            .iter()
            .chain([&store])
            .map(|(name, value)| (*name, value.as_str()));
        let source = cell::event_source().expect("a Lambda cell");
        let function = Function::start(source, &settings.collect::<Vec<_>>(), instances).await;
        let base = function.base.clone();
        Self {
            _function: Some(function),
            ..Self::at(&base)
        }
    }

    /// One in this process on this store, whatever the cell.
    pub async fn on(
        store: Arc<dyn Store>,
        Setup {
            settings,
            keys,
            keep,
            log_mib,
        }: Setup<'_>,
    ) -> Self {
        secrets::listen();
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let (stop, stopped) = oneshot::channel();
        let applications = Arc::new(Applications::new(AppKeys::read(keys).expect("keys")));
        let app = App::new(store, Rulesets::shipped(), 16 << 20)
            .with_applications(applications)
            .with_log_keep(keep.unwrap_or(DEFAULT_LOG_KEEP))
            .with_log_mib(log_mib.unwrap_or(DEFAULT_LOG_MIB));
        let app = Arc::new(app);
        let service = router(app.clone(), settings);
        tokio::spawn(async move {
            let stopped = async move { drop(stopped.await) };
            serve(listener, service, stopped).await;
        });
        Self {
            app: Some(app),
            _stop: Some(stop),
            ..Self::at(&format!("http://{address}"))
        }
    }

    fn at(base: &str) -> Self {
        Self {
            client: Client::at(base),
            app: None,
            _stop: None,
            _logs: NoSecretsLogged,
            _directory: None,
            _redis: None,
            _function: None,
        }
    }

    /// The service itself, in this process.
    pub fn app(&self) -> &App {
        self.app.as_ref().expect("it is in this process")
    }
}

impl Deref for Api {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}
