//! Which cell of the matrix the end-to-end tests run in: an adapter and a store, chosen by the
//! environment.
//!
//! `TURNKEEPER_E2E_ADAPTER` is `socket` (the default), `http-api`, `function-url`, `alb`, or
//! `alb-multi` for a balancer that passes several values on; `TURNKEEPER_E2E_STORE` is `embedded`,
//! `redis` or `cluster`. `tests/matrix` runs them all.

use crate::support::cluster::RedisCluster;
use crate::support::lambda::EventSource;
use crate::support::redis::RedisServer;
use std::sync::{Arc, Mutex, Weak};
use turnkeeper::app::{Limits, Rate};
use turnkeeper::http::{Origins, Settings};

/// The event source before a function; None is a socket in this process.
pub fn event_source() -> Option<EventSource> {
    let name = std::env::var("TURNKEEPER_E2E_ADAPTER")
        .ok()
        .filter(|name| name != "socket")?;
    let source = EventSource::ALL
        .into_iter()
        .find(|source| source.name() == name);
    Some(source.unwrap_or_else(|| {
        panic!(
            "TURNKEEPER_E2E_ADAPTER is {name:?}: there are socket and {:?}",
            EventSource::ALL
        )
    }))
}

/// A Redis, or a cluster.
pub struct Servers {
    pub url: String,
    servers: Vec<RedisServer>,
}

impl Servers {
    fn single() -> Self {
        let server = RedisServer::start();
        Self {
            url: server.url(),
            servers: vec![server],
        }
    }

    /// Those of this cell, for one test; a single Redis where the cell's store is the embedded one.
    pub fn own() -> Self {
        match kind() {
            Some(start) => start(),
            None => Self::single(),
        }
    }

    /// The keys of all, sorted by server.
    pub fn keys(&self) -> Vec<String> {
        self.servers.iter().flat_map(RedisServer::keys).collect()
    }

    /// Freezes them all.
    pub fn pause(&self) {
        self.servers.iter().for_each(RedisServer::pause);
    }

    /// Lets them go on.
    pub fn resume(&self) {
        self.servers.iter().for_each(RedisServer::resume);
    }

    /// Kills them all.
    pub fn kill(&mut self) {
        self.servers.iter_mut().for_each(RedisServer::kill);
    }

    /// Starts them again.
    pub fn again(&mut self) {
        self.servers.iter_mut().for_each(RedisServer::again);
    }
}

/// How the Redis of this cell is started; None is an embedded store.
fn kind() -> Option<fn() -> Servers> {
    match std::env::var("TURNKEEPER_E2E_STORE").as_deref() {
        Ok("redis") => Some(Servers::single),
        Ok("cluster") => Some(|| {
            let cluster = RedisCluster::start();
            Servers {
                url: cluster.url(),
                servers: cluster.servers,
            }
        }),
        Ok("embedded") | Err(_) => None,
        Ok(other) => {
            panic!("TURNKEEPER_E2E_STORE is {other:?}: there are embedded, redis, cluster")
        }
    }
}

/// The Redis of this cell, which all running tests share; None is an embedded store.
pub fn redis() -> Option<Arc<Servers>> {
    static SHARED: Mutex<Weak<Servers>> = Mutex::new(Weak::new());
    let start = kind()?;
    let mut shared = SHARED
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    let found = shared.upgrade().unwrap_or_else(|| Arc::new(start()));
    *shared = Arc::downgrade(&found);
    Some(found)
}

/// The Redis of this cell, or one for this test where the cell's store is the embedded one.
pub fn some_redis() -> Arc<Servers> {
    redis().unwrap_or_else(|| Arc::new(Servers::own()))
}

/// Settings as the program is given them.
pub fn variables(settings: &Settings) -> Vec<(&'static str, String)> {
    let origins = match &settings.origins {
        Origins::Any => "*".to_owned(),
        Origins::Only(origins) => {
            let origins = origins.iter().map(|origin| origin.to_str().expect("text"));
            origins.chain(["none"]).collect::<Vec<_>>().join(",")
        }
    };
    let rate = |rate: Option<Rate>| {
        rate.map_or(String::new(), |r| {
            format!("{}/{}s", r.quota, r.window.as_secs())
        })
    };
    let Limits {
        application,
        token,
        address,
    } = settings.limits;
    let rates = [
        ("TURNKEEPER_RATE_APPLICATION", rate(application)),
        ("TURNKEEPER_RATE_TOKEN", rate(token)),
        ("TURNKEEPER_RATE_ADDRESS", rate(address)),
        (
            "TURNKEEPER_CLIENT_HEADER",
            settings
                .client_header
                .as_ref()
                .map_or(String::new(), ToString::to_string),
        ),
    ];
    let mut variables = vec![
        ("TURNKEEPER_CORS_ORIGINS", origins),
        ("TURNKEEPER_BODY_LIMIT", settings.body_limit.to_string()),
        (
            "TURNKEEPER_REQUEST_TIMEOUT",
            format!("{}s", settings.timeout.as_secs().max(1)),
        ),
        (
            "TURNKEEPER_STREAM_TIME",
            format!("{}s", settings.stream_time.as_secs().max(1)),
        ),
        (
            "TURNKEEPER_KEEP_ALIVE",
            format!("{}s", settings.keep_alive.as_secs().max(1)),
        ),
        ("TURNKEEPER_IMPORT_LIMIT", settings.import_limit.to_string()),
        ("TURNKEEPER_TABLE", settings.table.to_string()),
        ("TURNKEEPER_MCP", settings.mcp.to_string()),
    ];
    variables.extend(rates.into_iter().filter(|(_, value)| !value.is_empty()));
    variables
}
