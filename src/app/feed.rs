//! Live feeds: followers of an encounter get every commit, whichever process on the store made it.
//!
//! A process subscribes to the store's notices once, reads new entries once, and passes them to all
//! its followers. A notice only says that reading is worthwhile: entries come from the log, and a
//! follower that finds a gap reads the log itself.

use super::answer::Table;
use super::budget::{Client, Room};
use super::log::{Page, ReadEntry, SeenEntry, parse_for_viewers};
use super::options::Include;
use super::options::OptionsCall;
use super::registry::{Registered, Registry};
use super::rendering::Part;
use super::storage::CacheEntry;
use super::tag::{EntryDigest, Tag};
use super::token::{BearerToken, time_left};
use super::work::WhenFull;
use super::{App, AppError};
use crate::engine::{AnyEncounter, Viewer};
use crate::store::{Entry, Notice, StoreError, StoredPage};
use parking_lot::Mutex;
use serde_json::value::RawValue;
use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{Semaphore, broadcast};
use tokio::time::timeout;

/// Maximum feeds of one token, and of all tokens of one encounter, that a process holds open at a
/// time.
pub const TOKEN_STREAMS: usize = 64;
/// See [`TOKEN_STREAMS`].
pub const ENCOUNTER_STREAMS: usize = 256;
/// Maximum updates that wait for a slow follower before its feed ends.
const BACKLOG: usize = 64;
/// Maximum bytes of entries that wait for slow followers. Of later entries followers hear only that
/// they are there.
const BACKLOG_BYTES: usize = 4 * 1024 * 1024;
/// Maximum encounters that are read at a time when all may have changed.
const READERS: usize = 64;
/// Maximum entries of one read of the log.
const READ_ENTRIES: usize = 100;
/// Approximate maximum bytes of one read of the log.
const READ_BYTES: usize = 1024 * 1024;
/// Pause before an unavailable store is read again.
const RETRY_PAUSE: Duration = Duration::from_millis(100);

/// A change that all followers of an encounter get.
#[derive(Clone)]
enum Update {
    /// The tokens may have changed: the encounter now.
    Tokens(Arc<dyn AnyEncounter>),
    /// A new entry.
    Entry(Arc<ReadEntry>),
    /// There is a new entry of this version. Followers read it themselves.
    Unread(u64),
    /// The store has lost entries that followers have seen.
    Lost,
    /// The encounter was deleted.
    Deleted,
    /// The feed cannot go on.
    Over,
}

/// What a follower gets next.
pub enum Next {
    /// A log entry.
    Entry(SeenEntry),
    /// The encounter now, as the viewer sees it. The store has lost entries that the follower has
    /// seen; later entries follow this state.
    Snapshot(Arc<dyn AnyEncounter>),
    /// The encounter was deleted, which ends the feed.
    Deleted,
    /// The feed ends here; a new one goes on from the last version.
    Over,
}

/// The optional parts of a message, as JSON.
#[derive(Default)]
pub struct Included {
    /// The encounter.
    pub encounter: Option<Arc<RawValue>>,
    /// The legal commands.
    pub options: Option<Arc<RawValue>>,
    /// The turn table.
    pub table: Option<Arc<RawValue>>,
}

/// All topics of a process.
#[derive(Default)]
pub(super) struct Hub {
    /// The encounters that have followers.
    topics: Arc<Registry<Topic>>,
    listening: OnceLock<()>,
    closed: AtomicBool,
}

impl Hub {
    /// How many follow, and how many encounters they follow.
    pub fn followers(&self) -> [usize; 2] {
        let topics = self.topics.all();
        let streams = topics.iter().map(|topic| topic.updates.receiver_count());
        [streams.sum(), topics.len()]
    }
}

/// The updates of an encounter that has followers, which share it and keep it alive.
struct Topic {
    id: Arc<str>,
    updates: broadcast::Sender<Update>,
    /// The bytes of the newest updates, at least of those that wait for a follower.
    sizes: Mutex<VecDeque<usize>>,
    /// The newest published entry. Locked by the task that reads.
    newest: tokio::sync::Mutex<EntryMark>,
    /// The newest version in a notice.
    newest_notice: AtomicU64,
}

/// Identifies an entry, to notice when the store holds another one under its version.
#[derive(Clone, Copy, PartialEq)]
struct EntryMark {
    version: u64,
    /// A digest of the entry; None if the entry is unknown.
    digest: Option<u64>,
}

impl EntryMark {
    fn of(entry: &Entry) -> Self {
        let mut hasher = DefaultHasher::new();
        entry.bytes.hash(&mut hasher);
        Self {
            version: entry.version,
            digest: Some(hasher.finish()),
        }
    }

    fn unknown(version: u64) -> Self {
        Self {
            version,
            digest: None,
        }
    }

    /// True if the store has lost this entry. `page` is the log after the version before the entry.
    fn is_lost(self, page: &StoredPage) -> bool {
        let stored = page
            .entries
            .first()
            .map(Self::of)
            .filter(|stored| stored.version == self.version);
        page.version < self.version
            || self.digest.is_some() && stored.is_some_and(|stored| stored != self)
    }
}

impl Hub {
    /// The topic of `id`, a new one if the encounter has no followers. `version` is known to be
    /// published.
    fn topic(self: &Arc<Self>, app: &Arc<App>, id: &str, version: u64) -> Arc<Registered<Topic>> {
        self.listening.get_or_init(|| {
            tokio::spawn(listen(
                app.store.notices(),
                Arc::downgrade(app),
                self.clone(),
            ));
        });
        self.topics.get_or_insert(id, || Topic::new(id, version))
    }
}

/// Reads what the store's notices are about, until the store or the app ends.
async fn listen(mut notices: broadcast::Receiver<Notice>, app: Weak<App>, hub: Arc<Hub>) {
    let readers = Arc::new(Semaphore::new(READERS));
    loop {
        let (topics, version) = match notices.recv().await {
            Ok(Notice::Committed { id, version }) => {
                (hub.topics.get(&id).into_iter().collect(), Some(version))
            }
            Ok(Notice::Deleted { id }) => {
                if let Some(topic) = hub.topics.get(&id) {
                    topic.publish(Update::Deleted);
                }
                continue;
            }
            // Anything may have changed.
            Ok(Notice::Resync) | Err(RecvError::Lagged(_)) => (hub.topics.all(), None),
            Err(RecvError::Closed) => return,
        };
        let Some(app) = app.upgrade() else { return };
        for topic in topics {
            let app = app.clone();
            let readers = readers.clone();
            let mut new_version = None;
            if let Some(version) = version
                && topic.record_notice(version)
            {
                new_version = Some(version);
            }
            tokio::spawn(async move {
                let _permit = readers.acquire().await;
                if new_version.is_none() {
                    topic.read_tokens(&app).await;
                }
                topic.read(&app, new_version).await;
            });
        }
    }
}

impl Topic {
    fn new(id: &str, version: u64) -> Self {
        Self {
            id: id.into(),
            updates: broadcast::Sender::new(BACKLOG),
            sizes: Mutex::default(),
            newest: tokio::sync::Mutex::new(EntryMark::unknown(version)),
            newest_notice: AtomicU64::new(version),
        }
    }

    /// Records a notice, and returns whether its version is new. Notices come in the order of
    /// commits. So a version that is not new means a commit of tokens, or that the store has lost
    /// entries.
    fn record_notice(&self, version: u64) -> bool {
        self.newest_notice.fetch_max(version, Ordering::Relaxed) < version
    }

    fn publish(&self, update: Update) {
        self.publish_sized(update, 0);
    }

    fn publish_sized(&self, update: Update, size: usize) {
        self.forget_read();
        self.sizes.lock().push_back(size);
        // Fails only without receivers.
        let _ = self.updates.send(update);
    }

    /// Publishes an entry, or only its version if too many bytes wait already.
    fn publish_entry(&self, entry: &Entry) {
        let size = entry.bytes.len();
        self.forget_read();
        if self.waiting_bytes().saturating_add(size) > BACKLOG_BYTES {
            return self.publish(Update::Unread(entry.version));
        }
        match parse_for_viewers(entry) {
            Ok(entry) => self.publish_sized(Update::Entry(entry), size),
            Err(_) => self.publish(Update::Over),
        }
    }

    /// Forgets the sizes of the updates that all followers have read.
    fn forget_read(&self) {
        let mut sizes = self.sizes.lock();
        let read = sizes.len().saturating_sub(self.updates.len());
        sizes.drain(..read);
    }

    /// The bytes of the updates that are not forgotten yet.
    fn waiting_bytes(&self) -> usize {
        self.sizes.lock().iter().sum()
    }

    /// Reads and publishes the tokens.
    async fn read_tokens(&self, app: &App) {
        while self.updates.receiver_count() > 0 {
            match app.current(&self.id).await {
                Ok(encounter) => return self.publish(Update::Tokens(encounter)),
                Err(AppError::NotFound) => return self.publish(Update::Deleted),
                Err(AppError::Unavailable(_) | AppError::StoreRefuses(_)) => {
                    tokio::time::sleep(RETRY_PAUSE).await;
                }
                Err(_) => return self.publish(Update::Over),
            }
        }
    }

    /// Reads and publishes new entries, unless `version` was published already. It reads the newest
    /// published entry again, to notice when the store has lost it.
    async fn read(&self, app: &App, version: Option<u64>) {
        let mut newest = self.newest.lock().await;
        while version.is_none_or(|version| version > newest.version) {
            match app
                .store
                .log(
                    &self.id,
                    newest.version.saturating_sub(1),
                    READ_ENTRIES,
                    READ_BYTES,
                )
                .await
            {
                Ok(page) if newest.is_lost(&page) => {
                    *newest = EntryMark::unknown(page.version);
                    self.publish(Update::Lost);
                }
                Ok(page) => {
                    for entry in &page.entries {
                        if entry.version > newest.version {
                            self.publish_entry(entry);
                        }
                        *newest = EntryMark::of(entry);
                    }
                    if page.entries.is_empty() || newest.version >= page.version {
                        return;
                    }
                }
                Err(StoreError::Missing) => return self.publish(Update::Deleted),
                Err(error @ (StoreError::Corrupt(_) | StoreError::Foreign(_))) => {
                    tracing::error!(%error, "a feed ends: its log is unreadable");
                    return self.publish(Update::Over);
                }
                Err(_) if self.updates.receiver_count() == 0 => return,
                Err(StoreError::Unavailable(_) | StoreError::Refused(_)) => {
                    tokio::time::sleep(RETRY_PAUSE).await;
                }
            }
        }
    }
}

/// A feed of one viewer.
pub struct Follower {
    app: Arc<App>,
    /// The viewer.
    pub viewer: Viewer,
    token: BearerToken,
    updates: broadcast::Receiver<Update>,
    topic: Arc<Registered<Topic>>,
    /// The newest version that the follower has seen.
    cursor: u64,
    /// The digest of its entry, if the log holds it.
    digest: Option<EntryDigest>,
    /// The salt of the store, for places.
    salt: [u8; 32],
    /// Entries to deliver before further updates.
    backlog: VecDeque<Arc<ReadEntry>>,
    /// False when the log may have more entries than the backlog.
    caught_up: bool,
    /// True when the store has lost entries, until the follower gets a snapshot.
    lost: bool,
    /// It counts among the open feeds.
    _place: Room,
}

/// A feed that begins.
pub struct Followed {
    /// The encounter now, as the viewer sees it.
    pub now: Arc<dyn AnyEncounter>,
    /// The feed.
    pub follower: Follower,
    /// False if the log does not hold the place that the client named: the feed begins now.
    pub goes_on: bool,
}

impl App {
    /// Follows an encounter from the place `after`, or from now on, for the holder of `token`. If
    /// the log holds another entry there, or none, the feed begins now; a version alone that the
    /// log does not hold is refused.
    pub async fn follow(
        self: &Arc<Self>,
        id: &str,
        token: &BearerToken,
        after: Option<&Tag>,
    ) -> Result<Followed, AppError> {
        let (encounter, viewer) = self.authenticate(id, token).await?;
        let version = encounter.version();
        let bare = after.filter(|place| !place.has_digest());
        if bare.is_some_and(|place| place.version() > version) {
            return Err(AppError::FutureVersion { current: version });
        }
        let mut place = self.streams.room(&Client::of(token, id));
        place.grow(1).map_err(|_| AppError::TooManyStreams)?;
        let topic = self.hub.topic(self, id, version);
        // Other followers learn of a loss before this one joins, which has seen nothing that was
        // lost.
        topic.read(self, None).await;
        let updates = topic.updates.subscribe();
        if self.hub.closed.load(Ordering::SeqCst) {
            return Err(AppError::Busy);
        }
        // The token may have ended before the subscription.
        self.authenticate(id, token).await?;
        let mut follower = Follower {
            app: self.clone(),
            updates,
            topic,
            viewer,
            token: token.clone(),
            cursor: version,
            digest: None,
            salt: self.salt().await?,
            backlog: VecDeque::new(),
            caught_up: false,
            lost: false,
            _place: place,
        };
        let mut goes_on = true;
        if let Some(place) = after {
            goes_on = follower.continue_at(place).await?;
        }
        if after.is_none() || !goes_on {
            follower.begin(version).await?;
        }
        Ok(Followed {
            now: follower.viewer.redact(&encounter),
            follower,
            goes_on,
        })
    }

    /// As [`log`](Self::log), but waits up to `wait` for an entry if there is none yet.
    pub async fn await_log(
        self: &Arc<Self>,
        id: &str,
        token: &BearerToken,
        after: Option<&Tag>,
        limit: usize,
        wait: Duration,
    ) -> Result<Page, AppError> {
        let page = self.log(id, token, after, limit).await?;
        if wait.is_zero() || !page.entries.is_empty() || page.next.is_some() {
            return Ok(page);
        }
        let mut followed = self.follow(id, token, after).await?;
        // The outcome does not matter: the log is read again.
        let _ = timeout(wait, followed.follower.next()).await;
        self.log(id, token, after, limit).await
    }

    /// Ends all feeds and refuses new ones. Called at shutdown.
    pub fn end_feeds(&self) {
        self.hub.closed.store(true, Ordering::SeqCst);
        for topic in self.hub.topics.all() {
            topic.publish(Update::Over);
        }
    }
}

impl Follower {
    /// Waits for what comes next. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Next {
        loop {
            let Some(left) = time_left(&self.viewer) else {
                return Next::Over;
            };
            if self.lost {
                return self.snapshot().await.unwrap_or(Next::Over);
            }
            if let Some(entry) = self.backlog.pop_front() {
                self.cursor = entry.version;
                self.digest = Some(entry.digest);
                if let Some(seen) = SeenEntry::new(entry, &self.viewer) {
                    return Next::Entry(seen);
                }
                continue;
            }
            if !self.caught_up {
                if self.read().await.is_err() {
                    return Next::Over;
                }
                continue;
            }
            let Ok(update) = timeout(left, self.updates.recv()).await else {
                continue;
            };
            match update {
                Ok(Update::Unread(version)) if version <= self.cursor => {}
                Ok(Update::Entry(entry)) if entry.version <= self.cursor => {}
                Ok(Update::Entry(entry)) if entry.version == self.cursor + 1 => {
                    self.backlog.push_back(entry);
                }
                Ok(Update::Entry(_) | Update::Unread(_)) => self.caught_up = false,
                Ok(Update::Lost) => self.lost = true,
                Ok(Update::Tokens(encounter)) if self.may_follow(&*encounter) => {}
                Ok(Update::Deleted) => return Next::Deleted,
                Ok(Update::Tokens(_) | Update::Over)
                | Err(RecvError::Lagged(_) | RecvError::Closed) => {
                    return Next::Over;
                }
            }
        }
    }

    /// The included parts of the encounter after `version`. None of them if the viewer sees a later
    /// log entry, which includes them itself. Large fights wait for their turn.
    pub async fn included(&self, version: u64, include: Include) -> Result<Included, AppError> {
        let mut included = Included::default();
        if include == Include::default() {
            return Ok(included);
        }
        let id = &self.topic.id;
        let current = self.app.current_entry(id).await?;
        let is_newest = current.encounter.version() == version;
        if !is_newest && self.app.sees_more(id, &self.viewer, version).await? {
            return Ok(included);
        }
        if include.encounter {
            included.encounter = Some(self.newest_view(&current).await?);
        }
        if include.table {
            let part = Part::Table(Table { max_length: None });
            let table = self
                .app
                .rendered(&current, &self.viewer, part, WhenFull::Wait);
            included.table = Some(table.await?);
        }
        if include.lists_options() {
            let call = OptionsCall {
                tools: include.tools,
                ..OptionsCall::default()
            };
            let viewer = &self.viewer;
            let options = self
                .app
                .legal_commands(&current, viewer, call, WhenFull::Wait);
            included.options = Some(options.await?);
        }
        Ok(included)
    }

    /// The JSON of an encounter that the viewer sees.
    pub async fn view(&self, seen: &dyn AnyEncounter) -> Result<Arc<RawValue>, AppError> {
        // Without the newest state, its own will do.
        if let Ok(current) = self.app.current_entry(&self.topic.id).await
            && current.encounter.version() == seen.version()
        {
            return self.newest_view(&current).await;
        }
        Ok(seen.view(&self.viewer)?.into())
    }

    /// The JSON of the newest state, which the streams of a token share.
    async fn newest_view(&self, current: &CacheEntry) -> Result<Arc<RawValue>, AppError> {
        let part = Part::Encounter {
            token_id: self.viewer.token_id.clone(),
        };
        self.app
            .rendered(current, &self.viewer, part, WhenFull::Wait)
            .await
    }

    fn may_follow(&self, encounter: &dyn AnyEncounter) -> bool {
        self.token.viewer(encounter.meta()).is_ok()
    }

    /// Goes on from the encounter as it is now; None if that is not possible.
    async fn snapshot(&mut self) -> Option<Next> {
        let encounter = self.app.current(&self.topic.id).await.ok()?;
        if !self.may_follow(&*encounter) {
            return None;
        }
        self.begin(encounter.version()).await.ok()?;
        self.lost = false;
        Some(Next::Snapshot(self.viewer.redact(&encounter)))
    }

    /// The place in the log after which the feed goes on.
    pub fn place(&self) -> Tag {
        Tag::of_entry(self.cursor, self.digest.as_ref(), &self.salt)
    }

    /// Goes on at a place. False if the log holds another entry there, or none; an error if the
    /// place is a version alone.
    async fn continue_at(&mut self, place: &Tag) -> Result<bool, AppError> {
        match self.begin(place.version()).await {
            Err(AppError::Pruned { .. }) if place.has_digest() => Ok(false),
            Err(error) => Err(error),
            Ok(newest) if place.version() > newest => Ok(false),
            Ok(_) => Ok(self.digest.is_none() || !place.has_digest() || self.place() == *place),
        }
    }

    /// Goes on after a version: reads its entry, if the log holds it, and those after it. Returns
    /// the newest version of the log.
    async fn begin(&mut self, version: u64) -> Result<u64, AppError> {
        let before = version.saturating_sub(1);
        let id = &self.topic.id;
        let log = self.app.log_part(id, before, READ_ENTRIES).await?;
        if version < log.base_version {
            return Err(AppError::Pruned {
                oldest: log.base_version,
            });
        }
        self.cursor = version;
        self.digest = None;
        self.backlog = log.entries.into();
        self.caught_up = !log.more;
        let first = self.backlog.front();
        if let Some(digest) = first
            .filter(|entry| entry.version == version)
            .map(|entry| entry.digest)
        {
            self.digest = Some(digest);
            self.backlog.pop_front();
        }
        Ok(log.version)
    }

    /// Reads the entries after the cursor.
    async fn read(&mut self) -> Result<(), AppError> {
        let log = self
            .app
            .log_part(&self.topic.id, self.cursor, READ_ENTRIES)
            .await?;
        if self.cursor < log.base_version {
            return Err(AppError::Pruned {
                oldest: log.base_version,
            });
        }
        self.backlog = log.entries.into();
        self.caught_up = !log.more;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_entries_wait_for_a_slow_follower_up_to_a_size() {
        let topic = Topic::new("e", 0);
        let mut follower = topic.updates.subscribe();
        let entry = |version| {
            let token = "x".repeat(BACKLOG_BYTES / 4);
            let json = serde_json::json!({"version": version, "at": "", "token": token, "commands": [], "events": []});
            Entry {
                version,
                bytes: json.to_string().into(),
            }
        };
        let mut heard = |versions: std::ops::Range<u64>| -> Vec<bool> {
            versions
                .clone()
                .for_each(|version| topic.publish_entry(&entry(version)));
            versions
                .map(|_| matches!(follower.try_recv(), Ok(Update::Entry(_))))
                .collect()
        };
        assert_eq!(heard(1..6), [true, true, true, false, false]);
        assert_eq!(heard(6..8), [true, true], "what was read has made room");
        let Ok(Update::Over) = ({
            topic.publish_entry(&Entry {
                version: 8,
                bytes: "no entry".into(),
            });
            follower.try_recv()
        }) else {
            panic!("an unreadable entry ends the feed")
        };
    }

    #[test]
    fn a_notice_is_new_if_its_version_is_above_all_before_it() {
        let topic = Topic::new("e", 3);
        assert_eq!(
            [4, 4, 3, 6, 5, 7].map(|version| topic.record_notice(version)),
            [true, false, false, true, false, true]
        );
    }
}
