//! The live feed: whoever follows an encounter is told of every commit, whichever process on the store made it.
//!
//! A process follows the store's notices once, reads what was committed once, and hands it to all its followers. A notice only
//! says that reading is worthwhile: what is told comes from the log, and a follower that finds a gap reads the log itself.

use super::views::LogEntryViews;
use super::{App, AppError, BearerToken, CacheEntry, Page, token::left};
use crate::engine::{Game, Viewer};
use crate::store::{Entry, LogPage, Notice, StoreError};
use bytes::Bytes;
use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, Weak};
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{Semaphore, broadcast};
use tokio::time::timeout;

/// So many transitions may wait for a slow follower before it is cut.
const PATIENCE: usize = 64;
/// So many encounters are read at a time when all may have changed.
const READERS: usize = 64;
/// So many entries are read at a time.
const PAGE: usize = 100;
/// So many bytes are read at a time, about.
const READ: usize = 1024 * 1024;
/// Between two attempts to read from a store that is away.
const PAUSE: Duration = Duration::from_millis(100);

/// What followers of an encounter are told.
#[derive(Clone)]
enum News {
    /// Who may follow has changed: the encounter as it is now.
    Tokens(Arc<dyn Game>),
    /// A new entry.
    Entry(Arc<LogEntryViews>),
    /// The store has lost entries that were told: what is there now does not follow them.
    Lost,
    /// The encounter is gone.
    Deleted,
    /// Whoever wants to know more has to ask anew.
    Over,
}

/// What a follower is told next.
#[derive(Debug)]
pub enum Next {
    /// The log entry of this version, a JSON object.
    Entry(u64, Bytes),
    /// The encounter as it is now, its version and JSON: the store has lost entries that the follower was told of. What comes next
    /// follows this state.
    Snapshot(u64, Bytes),
    /// The encounter is gone, and with it the feed.
    Deleted,
    /// The feed ends here; another one goes on from the last version.
    Over,
}

/// All feeds of a process.
pub(super) struct Hub {
    topics: Arc<Topics>,
    begun: OnceLock<()>,
    closed: AtomicBool,
}

/// The encounters that are followed.
#[derive(Default)]
struct Topics(Mutex<HashMap<Arc<str>, Weak<Topic>>>);

/// One encounter that is followed. It lives as long as a follower does.
struct Topic {
    id: Arc<str>,
    news: broadcast::Sender<News>,
    /// The newest entry that was told. The task that holds the lock is reading.
    newest: tokio::sync::Mutex<Mark>,
    /// The newest version that a notice told of.
    heard: AtomicU64,
    topics: Arc<Topics>,
}

/// An entry of the log, remembered to notice when the store holds another one under its version.
#[derive(Clone, Copy, PartialEq)]
struct Mark {
    version: u64,
    /// A digest of the entry; None where the entry is not known.
    digest: Option<u64>,
}

impl Mark {
    fn of(entry: &Entry) -> Self {
        let mut hasher = DefaultHasher::new();
        entry.bytes.hash(&mut hasher);
        Self { version: entry.version, digest: Some(hasher.finish()) }
    }

    fn unknown(version: u64) -> Self {
        Self { version, digest: None }
    }

    /// The version before it: a page of the log after that one begins with the entry itself.
    fn before(self) -> u64 {
        self.version.saturating_sub(1)
    }

    /// Whether the store has lost this entry, as such a page shows.
    fn is_lost(self, page: &LogPage) -> bool {
        let there = page.entries.first().map(Self::of).filter(|there| there.version == self.version);
        page.version < self.version || self.digest.is_some() && there.is_some_and(|there| there != self)
    }
}

impl Topics {
    fn lock(&self) -> MutexGuard<'_, HashMap<Arc<str>, Weak<Topic>>> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn get(&self, id: &str) -> Option<Arc<Topic>> {
        self.lock().get(id)?.upgrade()
    }

    fn all(&self) -> Vec<Arc<Topic>> {
        self.lock().values().filter_map(Weak::upgrade).collect()
    }
}

impl Drop for Topic {
    fn drop(&mut self) {
        let mut topics = self.topics.lock();
        // Another one of the same name may have taken its place.
        if topics.get(&self.id).is_some_and(|topic| topic.strong_count() == 0) {
            topics.remove(&self.id);
        }
    }
}

impl Hub {
    pub fn new() -> Self {
        Self { topics: Arc::default(), begun: OnceLock::new(), closed: AtomicBool::new(false) }
    }

    /// Follows `id` from now on; `newest` is its newest entry.
    fn follow(&self, app: &Arc<App>, id: &str, newest: Mark) -> (Arc<Topic>, broadcast::Receiver<News>) {
        self.begun.get_or_init(|| {
            tokio::spawn(listen(app.store.commits(), Arc::downgrade(app), self.topics.clone()));
        });
        let mut topics = self.topics.lock();
        let topic = topics.get(id).and_then(Weak::upgrade).unwrap_or_else(|| {
            let id: Arc<str> = id.into();
            let heard = AtomicU64::new(newest.version);
            let news = broadcast::Sender::new(PATIENCE);
            let topic = Arc::new(Topic {
                id: id.clone(),
                news,
                newest: tokio::sync::Mutex::new(newest),
                heard,
                topics: self.topics.clone(),
            });
            topics.insert(id, Arc::downgrade(&topic));
            topic
        });
        drop(topics);
        let news = topic.news.subscribe();
        (topic, news)
    }

    /// Ends every feed, and lets none begin.
    pub fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        for topic in self.topics.all() {
            topic.tell(News::Over);
        }
    }
}

/// Passes the store's notices on to the topics that they are about, as long as there is a store.
async fn listen(mut notices: broadcast::Receiver<Notice>, app: Weak<App>, topics: Arc<Topics>) {
    let readers = Arc::new(Semaphore::new(READERS));
    loop {
        let stale = match notices.recv().await {
            Ok(Notice::Committed { id, version }) => {
                let topic = topics.get(&id).map(|topic| (topic.heard(version), topic));
                topic.map(|(again, topic)| (topic, version, again)).into_iter().collect()
            }
            Ok(Notice::Deleted { id }) => {
                if let Some(topic) = topics.get(&id) {
                    topic.tell(News::Deleted);
                }
                continue;
            }
            Ok(Notice::Resync) | Err(RecvError::Lagged(_)) => {
                topics.all().into_iter().map(|topic| (topic, 0, true)).collect::<Vec<_>>()
            }
            Err(RecvError::Closed) => return,
        };
        let Some(app) = app.upgrade() else { return };
        for (topic, version, again) in stale {
            let (app, readers) = (app.clone(), readers.clone());
            tokio::spawn(async move {
                let _permit = readers.acquire().await;
                if again {
                    topic.read_tokens(&app).await;
                }
                topic.read(&app, (!again).then_some(version)).await;
            });
        }
    }
}

impl Topic {
    /// Takes note of a notice. True where it tells of no new version: notices come in the order of the commits, so that it is one of a
    /// commit that made no version, which is one of tokens, or the store has lost what was told before.
    fn heard(&self, version: u64) -> bool {
        self.heard.fetch_max(version, Ordering::Relaxed) >= version
    }

    fn tell(&self, news: News) {
        // A send without receivers fails and loses nothing.
        let _ = self.news.send(news);
    }

    /// Reads and tells who may follow.
    async fn read_tokens(&self, app: &App) {
        while self.news.receiver_count() > 0 {
            let known = app.copies.get(&self.id);
            match app.fetch(&self.id, known.as_ref(), None).await {
                Ok(fetched) => return self.tell(News::Tokens(fetched.held.game)),
                Err(AppError::Unavailable(_)) => tokio::time::sleep(PAUSE).await,
                Err(_) => return self.tell(News::Over),
            }
        }
    }

    /// Reads and tells what is new, unless `version` was told already. The newest entry that was told is read again: where the store
    /// holds another one in its place, or none, followers are told that.
    async fn read(&self, app: &App, version: Option<u64>) {
        let mut newest = self.newest.lock().await;
        while version.is_none_or(|version| version > newest.version) && self.news.receiver_count() > 0 {
            match app.store.log(&self.id, newest.before(), PAGE, READ).await {
                Ok(page) if newest.is_lost(&page) => {
                    *newest = Mark::unknown(page.version);
                    self.tell(News::Lost);
                }
                Ok(page) => {
                    for entry in &page.entries {
                        if entry.version > newest.version {
                            self.tell(LogEntryViews::of(entry).map_or(News::Over, |line| News::Entry(Arc::new(line))));
                        }
                        *newest = Mark::of(entry);
                    }
                    if page.entries.is_empty() || newest.version >= page.version {
                        return;
                    }
                }
                Err(StoreError::Missing) => return self.tell(News::Deleted),
                Err(StoreError::Corrupt(reason)) => {
                    tracing::error!(%reason, "broken");
                    return self.tell(News::Over);
                }
                Err(StoreError::Unavailable(_)) => tokio::time::sleep(PAUSE).await,
            }
        }
    }
}

/// Somebody who follows an encounter.
pub struct Follower {
    app: Arc<App>,
    /// Who it is.
    pub viewer: Viewer,
    news: broadcast::Receiver<News>,
    topic: Arc<Topic>,
    /// The newest version that was told, or that was known before.
    cursor: u64,
    /// What is told next, before the news.
    backlog: VecDeque<LogEntryViews>,
    /// False when there may be more in the log than in the backlog.
    caught_up: bool,
    /// True when the store has lost entries, until the follower is shown the encounter as it is now.
    lost: bool,
}

impl App {
    /// Follows an encounter, for the holder of `token`: what comes after version `after`, or from now on. Answers also the
    /// encounter as it is now.
    pub async fn follow(
        self: &Arc<Self>, id: &str, token: &BearerToken, after: Option<u64>,
    ) -> Result<(Arc<dyn Game>, Follower), AppError> {
        let (held, viewer) = self.admit(id, token).await?;
        let version = held.game.version();
        let cursor = after.unwrap_or(version);
        if cursor > version {
            return Err(AppError::FutureVersion { current: version });
        }
        let newest = match self.hub.topics.get(id) {
            None => self.mark(id, version).await?,
            Some(topic) => {
                // The others are told of a loss before this one follows: it knows of nothing that was lost.
                topic.read(self, None).await;
                Mark::unknown(version)
            }
        };
        let (topic, news) = self.hub.follow(self, id, newest);
        if self.hub.closed.load(Ordering::SeqCst) {
            return Err(AppError::Unavailable("this process is ending".to_owned()));
        }
        // Once more, now that no notice is missed: a token that ended in between opens no stream.
        self.admit(id, token).await?;
        let (app, backlog) = (self.clone(), VecDeque::new());
        let mut follower = Follower { app, news, topic, viewer, cursor, backlog, caught_up: false, lost: false };
        follower.read().await?;
        Ok((follower.viewer.sight_of(&held.game), follower))
    }

    /// The entry of a version, to be remembered.
    async fn mark(&self, id: &str, version: u64) -> Result<Mark, AppError> {
        let unknown = Mark::unknown(version);
        let page = self.store.log(id, unknown.before(), 1, 0).await?;
        Ok(page.entries.first().map(Mark::of).filter(|mark| mark.version == version).unwrap_or(unknown))
    }

    /// As [`log`](Self::log), but where there is nothing yet, waits up to `wait` for something.
    pub async fn await_log(
        self: &Arc<Self>, id: &str, token: &BearerToken, after: Option<u64>, limit: usize, wait: Duration,
    ) -> Result<Page, AppError> {
        let page = self.log(id, token, after, limit).await?;
        if wait.is_zero() || !page.entries.is_empty() || page.next.is_some() {
            return Ok(page);
        }
        let (_, mut follower) = self.follow(id, token, after).await?;
        // Whatever it brings, and if it brings nothing, the log says what is true.
        let _ = timeout(wait, follower.next()).await;
        self.log(id, token, after, limit).await
    }

    /// Ends all feeds, because the process is to end.
    pub fn end_feeds(&self) {
        self.hub.close();
    }
}

impl Follower {
    /// What comes next, once there is something. Nothing is lost when it is dropped before.
    pub async fn next(&mut self) -> Next {
        loop {
            let Some(left) = left(&self.viewer) else { return Next::Over };
            if self.lost {
                return self.begin_again().await.unwrap_or(Next::Over);
            }
            if let Some(line) = self.backlog.pop_front() {
                self.cursor = line.version;
                match line.to(self.viewer.eyes().as_ref()) {
                    Some(entry) => return Next::Entry(line.version, entry),
                    None => continue,
                }
            }
            if !self.caught_up {
                if self.read().await.is_err() {
                    return Next::Over;
                }
                continue;
            }
            let Ok(news) = timeout(left, self.news.recv()).await else { continue };
            match news {
                Ok(News::Entry(line)) if line.version <= self.cursor => {}
                Ok(News::Entry(line)) if line.version == self.cursor + 1 => {
                    self.cursor = line.version;
                    if let Some(entry) = line.to(self.viewer.eyes().as_ref()) {
                        return Next::Entry(line.version, entry);
                    }
                }
                Ok(News::Entry(..)) => self.caught_up = false,
                Ok(News::Lost) => self.lost = true,
                Ok(News::Tokens(game)) if self.may_follow(&*game) => {}
                Ok(News::Tokens(_)) => return Next::Over,
                Ok(News::Deleted) => return Next::Deleted,
                Ok(News::Over) | Err(RecvError::Lagged(_) | RecvError::Closed) => return Next::Over,
            }
        }
    }

    fn may_follow(&self, game: &dyn Game) -> bool {
        game.meta().tokens.iter().any(|record| record.id == self.viewer.token)
    }

    /// Goes on from the encounter as it is now; None where that is not possible.
    async fn begin_again(&mut self) -> Option<Next> {
        let id = &self.topic.id;
        let CacheEntry { game, .. } = self.app.fetch(id, self.app.copies.get(id).as_ref(), None).await.ok()?.held;
        if !self.may_follow(&*game) {
            return None;
        }
        self.backlog.clear();
        (self.cursor, self.caught_up, self.lost) = (game.version(), false, false);
        let seen = self.viewer.sight_of(&game);
        let view = String::from(Box::<str>::from(seen.view().ok()?));
        Some(Next::Snapshot(seen.version(), view.into()))
    }

    /// Reads from the log what comes after the cursor.
    async fn read(&mut self) -> Result<(), AppError> {
        let (lines, more, base) = self.app.lines(&self.topic.id, self.cursor, PAGE).await?;
        if self.cursor < base {
            return Err(AppError::Pruned { oldest: base });
        }
        (self.backlog, self.caught_up) = (lines.into(), !more);
        Ok(())
    }
}
