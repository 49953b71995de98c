//! Which cell of the matrix the end-to-end tests run in: a front door and a store, chosen by the environment.
//!
//! `TURNKEEPER_E2E_DOOR` is `socket` (where nothing is said), `http-api`, `function-url` or `alb`; `TURNKEEPER_E2E_STORE` is
//! `embedded`, `redis` or `cluster`. `tests/matrix` runs them all.

use crate::support::cluster::RedisCluster;
use crate::support::lambda::Front;
use crate::support::redis::RedisServer;
use std::sync::{Arc, Mutex, Weak};
use turnkeeper::app::{Limits, Rate};
use turnkeeper::http::{Origins, Settings};

/// The front of the Lambda door; None is a socket in this process.
pub fn front() -> Option<Front> {
    match std::env::var("TURNKEEPER_E2E_DOOR").as_deref() {
        Ok("http-api") => Some(Front::HttpApi),
        Ok("function-url") => Some(Front::FunctionUrl),
        Ok("alb") => Some(Front::Alb),
        Ok("socket") | Err(_) => None,
        Ok(other) => panic!("TURNKEEPER_E2E_DOOR is {other:?}: there are socket, http-api, function-url, alb"),
    }
}

/// A Redis or a cluster that all tests under way share.
pub struct Shared {
    pub url: String,
    _servers: Vec<RedisServer>,
}

/// The Redis of this cell; None is an embedded store.
pub fn redis() -> Option<Arc<Shared>> {
    static SHARED: Mutex<Weak<Shared>> = Mutex::new(Weak::new());
    let start: fn() -> Shared = match std::env::var("TURNKEEPER_E2E_STORE").as_deref() {
        Ok("redis") => || {
            let server = RedisServer::start();
            Shared { url: server.url(), _servers: vec![server] }
        },
        Ok("cluster") => || {
            let cluster = RedisCluster::start();
            Shared { url: cluster.url(), _servers: cluster.servers }
        },
        Ok("embedded") | Err(_) => return None,
        Ok(other) => panic!("TURNKEEPER_E2E_STORE is {other:?}: there are embedded, redis, cluster"),
    };
    let mut shared = SHARED.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let found = shared.upgrade().unwrap_or_else(|| Arc::new(start()));
    *shared = Arc::downgrade(&found);
    Some(found)
}

/// A Redis of one's own, where the cell has none.
pub fn single() -> Arc<Shared> {
    let server = RedisServer::start();
    Arc::new(Shared { url: server.url(), _servers: vec![server] })
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
    let rate = |rate: Option<Rate>| rate.map_or(String::new(), |r| format!("{}/{}s", r.quota, r.window.as_secs()));
    let Limits { application, token, address } = settings.limits;
    let rates = [
        ("TURNKEEPER_RATE_APPLICATION", rate(application)),
        ("TURNKEEPER_RATE_TOKEN", rate(token)),
        ("TURNKEEPER_RATE_ADDRESS", rate(address)),
        ("TURNKEEPER_CLIENT_HEADER", settings.client_header.as_ref().map_or(String::new(), ToString::to_string)),
    ];
    let mut variables = vec![
        ("TURNKEEPER_CORS_ORIGINS", origins),
        ("TURNKEEPER_BODY_LIMIT", settings.body_limit.to_string()),
        ("TURNKEEPER_REQUEST_TIMEOUT", format!("{}s", settings.timeout.as_secs().max(1))),
        ("TURNKEEPER_STREAM_TIME", format!("{}s", settings.stream_time.as_secs().max(1))),
        ("TURNKEEPER_KEEP_ALIVE", format!("{}s", settings.keep_alive.as_secs().max(1))),
        ("TURNKEEPER_IMPORT_LIMIT", settings.import_limit.to_string()),
    ];
    variables.extend(rates.into_iter().filter(|(_, value)| !value.is_empty()));
    variables
}
