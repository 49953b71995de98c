//! The application: every change of an encounter is loaded, decided and committed here.
//!
//! Nothing here knows HTTP.

mod answer;
mod application;
mod budget;
mod change;
mod command;
mod convert;
mod encounters;
mod error;
mod feed;
mod history;
mod idempotency;
mod import;
mod limit;
mod log;
mod options;
mod registry;
mod rendering;
mod statistics;
mod storage;
mod tag;
mod token;
mod tokens;
mod transfer;
mod work;

pub use answer::{Answer, AnswerCall, AnswerSize, Table};
pub use application::{AppKeys, Application, Applications, app_name};
pub use budget::{Budget, Client, Room, SMALL};
pub use command::CommandCall;
pub use encounters::{CreatedEncounter, is_cursor};
pub use error::AppError;
pub use feed::{ENCOUNTER_STREAMS, Followed, Follower, Included, Next, TOKEN_STREAMS};
pub use idempotency::IdempotencyKey;
pub use limit::{Limits, Rate};
pub use log::{EntryView, Page, SeenEntry};
pub use options::{Include, OptionsCall};
pub use statistics::Statistics;
pub use tag::{Expected, Representation, Tag};
pub use token::{BearerToken, Sender, Token};
pub use tokens::{HandedOut, MAX_TOKENS};
pub use transfer::{Export, ExportedLog};

use crate::engine::Rulesets;
pub use crate::engine::{Role, Viewer};
use crate::measure;
pub use crate::store::QuotaGrant;
use crate::store::{Store, StoreError};
use crate::vocabulary::Time;
use feed::Hub;
use limit::Limiter;
use rendering::{Renderings, renderings};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::thread::available_parallelism;
use std::time::Instant;
use storage::{EncounterCache, WriteLocks, encounter_cache};
use tokio::sync::{Mutex, OnceCell};
use work::Workers;

/// Maximum size of a document in bytes.
pub const MAX_DOCUMENT: usize = 2 * 1024 * 1024;

/// The default of [`App::with_answer_budget`].
const DEFAULT_ANSWERS: usize = 64 * 1024 * 1024;
/// The bytes of logs that are counted at the same time.
const COUNTS: usize = 64 * 1024 * 1024;
/// The default of [`App::with_log_keep`].
pub const DEFAULT_LOG_KEEP: u64 = 10_000;
/// The default of [`App::with_log_mib`].
pub const DEFAULT_LOG_MIB: u64 = 64;

/// The application: rulesets, a store, and the state of this process.
pub struct App {
    store: Arc<dyn Store>,
    /// The store's salt, once it was needed.
    salt: OnceCell<[u8; 32]>,
    rulesets: Rulesets,
    cache: EncounterCache,
    locks: WriteLocks,
    /// The newest entries that each log keeps at least; 0 keeps all.
    log_entries: u64,
    /// The bytes that a log may have; 0 is any number.
    log_bytes: u64,
    hub: Arc<Hub>,
    applications: Arc<Applications>,
    workers: Workers,
    renderings: Renderings,
    /// The answers that clients have not read yet.
    pub answers: Budget,
    /// The logs that are counted.
    counts: Budget,
    /// The open feeds.
    streams: Budget,
    /// Imports take long, so they have a thread of their own.
    imports: Workers,
    /// Created at the first limited request.
    limiter: LazyLock<Limiter>,
    /// True from the signal to stop on.
    stopping: AtomicBool,
    /// When the newest check of the store ended, and how.
    checked: Mutex<Option<(Instant, Result<(), StoreError>)>>,
}

impl App {
    /// An application over `store` that caches about `cache_bytes` of encounters; with 0 it caches
    /// none.
    pub fn new(store: Arc<dyn Store>, rulesets: Rulesets, cache_bytes: u64) -> Self {
        Self {
            store,
            salt: OnceCell::new(),
            rulesets,
            cache: encounter_cache(cache_bytes),
            locks: WriteLocks::new(),
            log_entries: DEFAULT_LOG_KEEP,
            log_bytes: DEFAULT_LOG_MIB * 1024 * 1024,
            hub: Arc::default(),
            applications: Arc::default(),
            workers: Workers::new(available_parallelism().map_or(1, Into::into)),
            renderings: renderings(),
            answers: Budget::of_answers(DEFAULT_ANSWERS),
            counts: Budget::of_answers(COUNTS),
            streams: Budget::of_things(TOKEN_STREAMS, ENCOUNTER_STREAMS),
            imports: Workers::new(1),
            limiter: LazyLock::new(Limiter::new),
            stopping: AtomicBool::new(false),
            checked: Mutex::default(),
        }
    }

    /// Keeps at least the newest `keep` entries of each log, and up to 511 more; 0 keeps all.
    pub fn with_log_keep(self, keep: u64) -> Self {
        Self {
            log_entries: keep,
            ..self
        }
    }

    /// Drops the oldest entries of a log with more than so many MiB; 0 drops none for that.
    pub fn with_log_mib(self, mib: u64) -> Self {
        Self {
            log_bytes: mib.saturating_mul(1024 * 1024),
            ..self
        }
    }

    /// Holds at most so many bytes of answers that clients have not read yet.
    pub fn with_answer_budget(self, bytes: usize) -> Self {
        Self {
            answers: Budget::of_answers(bytes),
            ..self
        }
    }

    /// Lets only these applications create and import encounters, and list their own.
    pub fn with_applications(self, applications: Arc<Applications>) -> Self {
        Self {
            applications,
            ..self
        }
    }

    /// The applications that it serves.
    pub fn applications(&self) -> &Applications {
        &self.applications
    }

    /// Says that the process stops soon: it is not ready any more, and serves on until it stops.
    pub fn stop_soon(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    /// True from [`stop_soon`](Self::stop_soon) on.
    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    /// Checks that the store takes writes. Requests that wait at the same time share one check:
    /// anybody may ask, and a check writes.
    pub async fn ready(&self) -> Result<(), AppError> {
        let asked = Instant::now();
        let mut checked = self.checked.lock().await;
        if let Some((ended, result)) = &*checked
            && *ended > asked
        {
            return Ok(result.clone()?);
        }
        let result = self.store.ready().await;
        *checked = Some((Instant::now(), result.clone()));
        Ok(result?)
    }

    /// Tells what the process holds and what waits in it, for its metrics.
    pub fn measure(&self) {
        measure::cache(self.cache.weight(), self.cache.len());
        let [streams, encounters] = self.hub.followers();
        measure::feeds(streams, encounters);
        measure::waiting_tasks("work", self.workers.waiting());
        measure::waiting_tasks("import", self.imports.waiting());
        let [used, total] = self.answers.used_and_total();
        measure::budget("answers", used, total);
        if let Some(bytes) = self.store.file_bytes() {
            measure::store_file(bytes);
        }
    }

    /// The ruleset of an encounter that this process has used; None if it has not. Asks no store.
    pub fn cached_ruleset(&self, id: &str) -> Option<&'static str> {
        Some(self.cache.get(id)?.encounter.ruleset())
    }

    /// A sentence for operators about damaged data in the store, if any was found.
    pub fn damage(&self) -> Option<String> {
        self.store.damage()
    }
}

/// The time for answers and the log.
fn now() -> Time {
    jiff::Timestamp::now().into()
}
