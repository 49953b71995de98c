//! The HTTP layer: reads requests, refuses malformed ones, and answers with what the application
//! returns.
//!
//! Only this layer knows statuses. Handlers are short: extractors refuse malformed requests
//! (`extract`), `problem` turns errors into problem documents, and the middleware does what every
//! request needs (`middleware`).

mod base_path;
mod buffer;
mod commands;
mod convert;
mod cors;
mod deadline;
mod docs;
mod encounters;
mod events;
mod extract;
mod feed;
mod headers;
mod health;
mod held;
mod limit;
mod mcp;
mod metrics;
mod middleware;
mod post;
mod problem;
mod problems;
mod published;
mod reply;
mod router;
mod rulesets;
mod serve;
mod statistics;
mod table;
mod tokens;
mod transfer;

pub use base_path::{BasePath, mount_below};
pub use buffer::{buffer, malformed_header, too_large};
pub use cors::Origins;
pub use deadline::Deadline;
pub use headers::REQUEST_ID;
pub use limit::Peer;
pub use metrics::metrics_router;
pub use published::{document, ruleset_ids};
pub use router::{openapi, router};
pub use serve::serve;

use crate::app::{App, Limits};
use axum::http::HeaderName;
use std::sync::Arc;
use std::time::Duration;

/// The settings of the HTTP layer.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The pages that browsers may call from.
    pub origins: Origins,
    /// The largest body that is read, in bytes.
    pub body_limit: usize,
    /// The time limit of a request, its body included.
    pub timeout: Duration,
    /// The time after which a stream closes.
    pub stream_time: Duration,
    /// The time after which a quiet stream sends a keep-alive.
    pub keep_alive: Duration,
    /// The largest body of an import, in bytes.
    pub import_limit: usize,
    /// The bytes of bodies that the process holds at a time, half of them for imports. A body of
    /// the largest size always fits.
    pub body_budget: usize,
    /// The rate limits.
    pub limits: Limits,
    /// The header in which a proxy names the client; its last entry counts. Without it the client
    /// is the connection's other end, or the address in the Lambda invocation.
    pub client_header: Option<HeaderName>,
    /// Whether the page at `/table` is served.
    pub table: bool,
    /// Whether language models play at `/mcp`.
    pub mcp: bool,
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
            body_budget: 64 * 1024 * 1024,
            limits: Limits::default(),
            client_header: None,
            table: true,
            mcp: true,
        }
    }
}

/// The state of handlers and extractors.
type AppState = Arc<Service>;

struct Service {
    app: Arc<App>,
    settings: Settings,
    requests: post::Bodies,
    /// Imports have half of the bytes, so that they keep no other request waiting.
    imports: post::Bodies,
}
