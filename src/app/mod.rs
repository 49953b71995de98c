//! The only way that an encounter ever changes: load, decide, commit.
//!
//! Nothing here knows of HTTP. What is kept in the process between two requests saves work and never decides truth: see
//! [`App::command`].

mod answer;
mod application;
mod cache;
mod command;
mod create;
mod error;
mod feed;
mod history;
mod idempotency;
mod limit;
mod list;
mod queue;
mod read;
mod tag;
mod token;
mod tokens;
mod transfer;
mod views;
mod work;

pub use answer::{Answer, Shape};
pub use application::{AppKey, AppKeys, Application, Applications, NoApplication, app_name};
pub use cache::CacheEntry;
pub use command::Command;
pub use create::CreatedEncounter;
pub use error::AppError;
pub use feed::{Follower, Next};
pub use idempotency::IdempotencyKey;
pub use limit::{Allowance, Limits, Rate};
pub use list::{Summaries, is_cursor};
pub use read::Page;
pub use tag::{Expected, Form, Tag};
pub use token::{BearerToken, Token};
pub use tokens::{HandedOut, MAX_TOKENS};
pub use transfer::Export;

use crate::engine::Rulesets;
pub use crate::engine::{Role, Viewer};
use crate::store::Store;
use cache::EncounterCache;
use feed::Hub;
use limit::Limiter;
use queue::Queues;
use read::Fetched;
use std::sync::{Arc, LazyLock};
use work::Workers;

/// The largest document that is stored, in bytes.
pub const MAX_DOCUMENT: usize = 2 * 1024 * 1024;

/// So many entries of a log are kept where nothing else is said.
pub const KEEP: u64 = 10_000;

/// The application: rulesets, a store, and what one process may remember between two requests.
pub struct App {
    store: Arc<dyn Store>,
    rulesets: Rulesets,
    copies: EncounterCache,
    queues: Queues,
    keep: u64,
    hub: Hub,
    applications: Arc<Applications>,
    workers: Workers,
    /// Imports take long, so they have a thread of their own and leave the others to the rest.
    imports: Workers,
    /// Nothing where nothing is limited.
    limiter: LazyLock<Limiter>,
}

impl App {
    /// An application over `store` that remembers about `memory` bytes of encounters; with 0 it remembers none.
    pub fn new(store: Arc<dyn Store>, rulesets: Rulesets, memory: u64) -> Self {
        Self {
            store,
            rulesets,
            copies: EncounterCache::new(memory),
            queues: Queues::new(),
            keep: KEEP,
            hub: Hub::new(),
            applications: Arc::default(),
            workers: Workers::per_processor(),
            imports: Workers::new(1),
            limiter: LazyLock::new(Limiter::new),
        }
    }

    /// The same, but of each encounter's log at least the newest `keep` entries are kept, and up to 511 more; 0 keeps all.
    pub fn keeping(self, keep: u64) -> Self {
        Self { keep, ..self }
    }

    /// The same, but only these applications create and import encounters, and list their own.
    pub fn serving(self, applications: Arc<Applications>) -> Self {
        Self { applications, ..self }
    }

    /// The applications that it serves.
    pub fn applications(&self) -> &Applications {
        &self.applications
    }

    /// The rulesets that it serves.
    pub fn rulesets(&self) -> &Rulesets {
        &self.rulesets
    }

    /// Whether the store answers now.
    pub async fn ready(&self) -> Result<(), AppError> {
        Ok(self.store.ready().await?)
    }

    /// Finishes what was acknowledged, before the process ends.
    pub async fn close(&self) {
        self.store.close().await;
    }
}

impl App {
    /// Makes a write of an encounter the only one in this process. Where the store is away those who wait for it fail with it, instead
    /// of each waiting for the store as long once more.
    async fn with_lock<T>(&self, id: &str, write: impl Future<Output = Result<T, AppError>>) -> Result<T, AppError> {
        let turn = self.queues.enter(id).await?;
        let outcome = write.await;
        if let Err(AppError::Unavailable(_)) = outcome {
            self.copies.forget(id);
            turn.failed();
        }
        outcome
    }
}

/// The time, as answers and the log tell it: RFC 3339 in UTC, to the millisecond.
fn now() -> String {
    format!("{:.3}", jiff::Timestamp::now())
}
