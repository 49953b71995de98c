//! The HTTP floor: reads requests, refuses what is malformed, and says what the application answers.
//!
//! It alone knows statuses. Handlers are short because extractors do the refusing ([`extract`]), one place turns errors into
//! problem documents ([`problem`]), and one frame around every request does the rest ([`frame`]).

mod apology;
mod commands;
mod conditions;
mod cors;
mod docs;
mod encounters;
mod events;
mod extract;
mod frame;
mod gzip;
mod health;
mod options;
mod plain;
mod post;
mod problem;
mod reply;
mod router;
mod rulesets;
mod serve;

pub use cors::Origins;
pub use docs::DOCUMENT;
pub use router::{openapi, router};
pub use serve::serve;

use crate::app::App;
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
}

impl Default for Settings {
    fn default() -> Self {
        Self { origins: Origins::Any, body_limit: 256 * 1024, timeout: Duration::from_secs(30) }
    }
}

/// What handlers and extractors share.
#[derive(Clone)]
struct Shared {
    app: Arc<App>,
    settings: Arc<Settings>,
    manifests: Arc<rulesets::Manifests>,
}
