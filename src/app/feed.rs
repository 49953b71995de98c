//! The live feed: whoever follows an encounter is told of every commit, whichever process on the store made it.
//!
//! A process follows the store's notices once, reads what was committed once, and hands it to all its followers. A notice only
//! says that reading is worthwhile: what is told comes from the log, and a follower that finds a gap reads the log itself.

use super::line::Line;
use super::{App, AppError, Page, Presented, token::left};
use crate::engine::{Game, Viewer};
use crate::store::{Notice, StoreError};
use bytes::Bytes;
use std::collections::{HashMap, VecDeque};
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
    Entry(Arc<Line>),
    /// The encounter is gone.
    Deleted,
    /// Whoever wants to know more has to ask anew.
    Over,
}

/// What a follower is told next.
#[derive(Debug)]
pub enum Next {
    /// The log entry of this version (in the numbers of the follower), a JSON object.
    Entry(u64, Bytes),
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
    /// The newest version that was told; whoever holds it is reading.
    newest: tokio::sync::Mutex<u64>,
    /// The newest version that a notice told of.
    heard: AtomicU64,
    topics: Arc<Topics>,
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

    /// Follows `id` from now on; `version` is one that it has had.
    fn follow(&self, app: &Arc<App>, id: &str, version: u64) -> (Arc<Topic>, broadcast::Receiver<News>) {
        self.begun.get_or_init(|| {
            tokio::spawn(listen(app.store.commits(), Arc::downgrade(app), self.topics.clone()));
        });
        let mut topics = self.topics.lock();
        let topic = topics.get(id).and_then(Weak::upgrade).unwrap_or_else(|| {
            let id: Arc<str> = id.into();
            let newest = tokio::sync::Mutex::new(version);
            let news = broadcast::Sender::new(PATIENCE);
            let topic = Arc::new(Topic {
                id: id.clone(),
                news,
                newest,
                heard: AtomicU64::new(version),
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
                topics.all().into_iter().map(|topic| (topic, u64::MAX, true)).collect::<Vec<_>>()
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
                topic.read(&app, version).await;
            });
        }
    }
}

impl Topic {
    /// Takes note of a notice. True where it tells of no new version: notices come in the order of the commits, so that one of a
    /// commit that made no version, which is one of tokens, tells the version before it again.
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
                Err(AppError::Away(_)) => tokio::time::sleep(PAUSE).await,
                Err(_) => return self.tell(News::Over),
            }
        }
    }

    /// Reads and tells what is new, unless `version` was told already.
    async fn read(&self, app: &App, version: u64) {
        let mut newest = self.newest.lock().await;
        while version > *newest && self.news.receiver_count() > 0 {
            match app.store.log(&self.id, *newest, PAGE, READ).await {
                Ok(page) if page.version < *newest => {
                    // The store has lost something: followers must learn that from an answer of their own.
                    *newest = page.version;
                    return self.tell(News::Over);
                }
                Ok(page) => {
                    for entry in page.entries {
                        *newest = entry.version;
                        self.tell(Line::of(&entry).map_or(News::Over, |line| News::Entry(Arc::new(line))));
                    }
                    if *newest >= page.version {
                        return;
                    }
                }
                Err(StoreError::Missing) => return self.tell(News::Deleted),
                Err(StoreError::Corrupt(reason)) => {
                    tracing::error!(%reason, "broken");
                    return self.tell(News::Over);
                }
                Err(StoreError::Away(_)) => tokio::time::sleep(PAUSE).await,
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
    backlog: VecDeque<Line>,
    /// False when there may be more in the log than in the backlog.
    caught_up: bool,
}

impl App {
    /// Follows an encounter, for the holder of `token`: what comes after version `after`, or from now on. Answers also the
    /// encounter as it is now.
    pub async fn follow(
        self: &Arc<Self>, id: &str, token: &Presented, after: Option<u64>,
    ) -> Result<(Arc<dyn Game>, Follower), AppError> {
        let (held, viewer) = self.admit(id, token).await?;
        let version = held.game.version();
        let cursor = match (after, viewer.eyes()) {
            (None, _) => version,
            (Some(after), Some(eyes)) => self.version_of(&held, &eyes, after).await?,
            (Some(after), None) if after > version => return Err(AppError::Unborn { current: version }),
            (Some(after), None) => after,
        };
        let (topic, news) = self.hub.follow(self, id, version);
        if self.hub.closed.load(Ordering::SeqCst) {
            return Err(AppError::Away("this process is ending".to_owned()));
        }
        // Once more, now that no notice is missed: a token that ended in between opens no stream.
        self.admit(id, token).await?;
        let (app, backlog) = (self.clone(), VecDeque::new());
        let mut follower = Follower { app, news, topic, viewer, cursor, backlog, caught_up: false };
        match (follower.read().await, follower.viewer.eyes()) {
            (Err(AppError::Gone { .. }), Some(eyes)) => Err(self.gone(&held, &eyes).await?),
            (Err(error), _) => Err(error),
            (Ok(()), Some(eyes)) => Ok((held.game.seen_by(&eyes), follower)),
            (Ok(()), None) => Ok((held.game, follower)),
        }
    }

    /// As [`log`](Self::log), but where there is nothing yet, waits up to `wait` for something.
    pub async fn await_log(
        self: &Arc<Self>, id: &str, token: &Presented, after: Option<u64>, limit: usize, wait: Duration,
    ) -> Result<Page, AppError> {
        let page = self.log(id, token, after, limit).await?;
        if wait.is_zero() || !page.entries.is_empty() {
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
            if let Some(line) = self.backlog.pop_front() {
                self.cursor = line.version;
                match line.to(self.viewer.eyes().as_ref()) {
                    (number, Some(entry)) => return Next::Entry(number, entry),
                    (_, None) => continue,
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
                    if let (number, Some(entry)) = line.to(self.viewer.eyes().as_ref()) {
                        return Next::Entry(number, entry);
                    }
                }
                Ok(News::Entry(..)) => self.caught_up = false,
                Ok(News::Tokens(game)) if game.meta().tokens.iter().any(|record| record.id == self.viewer.token) => {}
                Ok(News::Tokens(_)) => return Next::Over,
                Ok(News::Deleted) => return Next::Deleted,
                Ok(News::Over) | Err(RecvError::Lagged(_) | RecvError::Closed) => return Next::Over,
            }
        }
    }

    /// Reads from the log what comes after the cursor.
    async fn read(&mut self) -> Result<(), AppError> {
        let (lines, more, base) = self.app.lines(&self.topic.id, self.cursor, PAGE).await?;
        if self.cursor < base {
            return Err(AppError::Gone { oldest: base });
        }
        (self.backlog, self.caught_up) = (lines.into(), !more);
        Ok(())
    }
}
