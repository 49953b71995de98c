//! The HTTP floor: reads requests, refuses what is malformed, and says what the application answers.
//!
//! It alone knows statuses. Handlers are short because extractors do the refusing (`extract`), one place turns errors into
//! problem documents (`problem`), and one middleware around every request does the rest (`middleware`).

mod application;
mod base;
mod body;
mod browser;
mod buffer;
mod commands;
mod conditions;
mod docs;
mod encounters;
mod events;
mod extract;
mod feed;
mod health;
mod limit;
mod list;
mod middleware;
mod options;
mod plain;
mod post;
mod problem;
mod reply;
mod root;
mod router;
mod rulesets;
mod serve;
mod tokens;
mod transfer;

pub use base::{BasePath, under};
pub use browser::Origins;
pub use buffer::{shorter, whole};
pub use docs::document;
pub use limit::Peer;
pub use middleware::Deadline;
pub use router::{openapi, router};
pub use serve::serve;

use crate::app::{App, Limits};
use axum::http::HeaderName;
use std::sync::Arc;
use std::time::Duration;

/// What can be set about the HTTP floor.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The pages that browsers may call from.
    pub origins: Origins,
    /// The largest body that is read, in bytes.
    pub body_limit: usize,
    /// How long a request may take, its body included.
    pub timeout: Duration,
    /// How long a stream goes on before its client has to come back.
    pub stream_time: Duration,
    /// How long a stream may be silent before it says that it is still there.
    pub keep_alive: Duration,
    /// The largest body of an import, in bytes.
    pub import_limit: usize,
    /// How many bytes of bodies are held at a time, half of them of imports. A body of the largest size always fits.
    pub bodies: usize,
    /// How often who may ask.
    pub limits: Limits,
    /// The header in which a proxy before this server says whom it speaks for; its last entry counts. Without it what the front door
    /// knows is taken for the client: the connection's other end, or what a Lambda event says.
    pub client_header: Option<HeaderName>,
}

impl Settings {
    /// Whether anybody is held to a rate by address, so that the front door has to tell it.
    pub fn counts_addresses(&self) -> bool {
        self.limits.address.or(self.limits.token).is_some()
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            origins: Origins::Any,
            body_limit: 256 * 1024,
            timeout: Duration::from_secs(30),
            stream_time: Duration::from_secs(5 * 60),
            keep_alive: Duration::from_secs(15),
            import_limit: 16 * 1024 * 1024,
            bodies: 64 * 1024 * 1024,
            limits: Limits::default(),
            client_header: None,
        }
    }
}

/// What handlers and extractors share.
#[derive(Clone)]
struct Shared {
    app: Arc<App>,
    settings: Arc<Settings>,
    manifests: Arc<rulesets::Manifests>,
    budgets: body::Budgets,
}
