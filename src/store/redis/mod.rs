//! Encounters in Redis (6.2 and later, Valkey; one server or a cluster), shared by any number of
//! processes.
//!
//! The keys of an encounter share a hash tag, so that one script can change them in one step:
//! - `{turnkeeper:ID}:doc`, a hash: `revision`, `version`, `document`, `log_bytes`, `base_version`,
//!   `base`; `created`, the first base, once there is a newer one; `creator`, the nonce of the
//!   creation, and `silent`, the recent nonces of writes without an entry, which identify a write
//!   that is sent again; `lease`, which expiry was set and when; `application`, the application
//!   that created the encounter, and `place`, the encounter's position in its list;
//! - `{turnkeeper:ID}:log`, a stream: ids `VERSION-0`, fields `e` (the entry) and `w` (the nonce of
//!   its write);
//! - `{turnkeeper:ID}:answers0` and `{turnkeeper:ID}:answers1`, hashes from key digest to answer,
//!   for even and odd time spans. Each expires as a whole, so an answer is kept for its time at
//!   least and twice as long at most.
//!
//! Keys in slots of their own:
//! - `turnkeeper:application:NAME`, a sorted set without scores: the positions of an application's
//!   encounters. A position is the time of the creation and the id, so the set is in the order of
//!   creation. It is written after the encounter, so its readers check that the encounter exists;
//! - `turnkeeper:rate:BUCKET`, a counter that expires with its window.
//!
//! The connection sends again what it does not know to have arrived. So a script that runs twice
//! with the same arguments has the effect of one run, except `acquire_quota`, which then counts too
//! many requests.

mod connection;
mod script;
mod subscription;

use ::redis::{Cmd, TlsCertificates, cmd};
use async_trait::async_trait;
use bytes::Bytes;
use futures::future::try_join_all;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::broadcast;
use tokio::task::AbortHandle;

use self::connection::Connection;
use self::script::read;
use self::subscription::{CHANNEL, follow};
use super::{
    Base, Commit, Committed, Entry, Found, KeyDigest, LAYOUT, ListedEncounter, Listing, NOTICES,
    NewEncounter, Notice, QuotaGrant, Store, StoreConfig, StoreError, StoredPage, check_gapless,
    granted_quota, list_position, listed_id, millis, now,
};

const SALT: &str = "turnkeeper:salt";
/// The layout of all that a Redis keeps, with which a program begins.
const LAYOUT_KEY: &str = "turnkeeper:layout";
/// What keys begin with that exist for a moment while the store is checked.
const READY: &str = "turnkeeper:ready";

/// One creation in this many samples the list for missing encounters. Otherwise expired ones stay
/// listed if their application never reads the list.
const SWEEP: u32 = 8;
const SAMPLE: usize = 16;

/// A store that shares its encounters through a Redis.
pub struct RedisStore {
    connection: Connection,
    notices: broadcast::Sender<Notice>,
    /// The subscription, from the first follower on.
    following: OnceLock<AbortHandle>,
    /// The number of the next write: it begins at random, so that no two processes count alike.
    next_write: AtomicU64,
    /// In milliseconds, 0 = never.
    ttl: u64,
    /// In milliseconds.
    answers: u64,
}

impl RedisStore {
    /// Takes `redis://` or `rediss://` (TLS) URLs. Several, comma separated, or `?cluster=true`,
    /// mean a cluster.
    ///
    /// Connects only when it is used: while Redis is down, calls return
    /// [`StoreError::Unavailable`]. `certificates` replace the public roots, and identify this
    /// client where a private Redis asks for it.
    pub fn open(
        urls: &str,
        certificates: Option<TlsCertificates>,
        config: StoreConfig,
    ) -> Result<Self, String> {
        let connection = Connection::new(urls, certificates);
        Ok(Self {
            connection: connection.map_err(|wrong| format!("not a usable Redis URL: {wrong}"))?,
            notices: broadcast::Sender::new(NOTICES),
            following: OnceLock::new(),
            next_write: AtomicU64::new(rand::random()),
            ttl: config.ttl.map_or(0, |ttl| millis(ttl).max(1)),
            answers: millis(config.answers),
        })
    }

    /// The nonce of the next write: tells it from every other one.
    fn nonce(&self) -> String {
        format!("{:016x}", self.next_write.fetch_add(1, Ordering::Relaxed))
    }

    /// The addresses of its servers, without users and passwords.
    pub fn addresses(&self) -> String {
        let servers = self.connection.servers.iter();
        servers
            .map(|server| server.get_connection_info().addr().to_string())
            .collect::<Vec<_>>()
            .join(", ")
    }
}

impl Drop for RedisStore {
    fn drop(&mut self) {
        if let Some(subscription) = self.following.get() {
            subscription.abort();
        }
    }
}

/// Refuses what a program with another layout wrote.
fn check_layout(found: Option<u32>) -> Result<(), StoreError> {
    match found {
        Some(LAYOUT) => Ok(()),
        other => Err(StoreError::Foreign(other.unwrap_or(0))),
    }
}

/// A key of an encounter.
fn key(id: &str, part: &str) -> String {
    ["{turnkeeper:", id, "}:", part].concat()
}

/// All keys of an encounter.
fn keys(id: &str) -> [String; 4] {
    ["doc", "log", "answers0", "answers1"].map(|part| key(id, part))
}

/// The bytes of a document, a base or an answer; None if Redis has none.
type Field = Option<Bytes>;

#[async_trait]
impl Store for RedisStore {
    async fn create(&self, id: &str, new: NewEncounter) -> Result<Option<Bytes>, StoreError> {
        let mut create = script::CREATE.on(&keys(id));
        create
            .arg(&new.document[..])
            .arg(&new.base.document[..])
            .arg(self.ttl)
            .arg(self.nonce());
        create
            .arg(new.revision)
            .arg(new.base.version)
            .arg(new.version())
            .arg(new.base.version.saturating_add(1));
        create
            .arg(new.application.as_deref().unwrap_or_default())
            .arg(list_position(now(), id));
        create.arg(new.log_bytes());
        for entry in &new.entries {
            create.arg(&entry.bytes[..]);
        }
        let reply = self.connection.run(&script::CREATE, &create).await?;
        let (existing, application, position): (Field, Option<String>, Option<String>) =
            read(reply, "a created encounter")?;
        // Also for an existing one: its creator may have failed before this step, and has no token
        // yet.
        if let (Some(application), Some(position)) = (application, position) {
            self.add_to_list(&application, &position).await?;
        }
        Ok(existing)
    }

    async fn load(
        &self,
        id: &str,
        known: Option<u64>,
        digest: Option<&KeyDigest>,
    ) -> Result<Found, StoreError> {
        type Row = (Option<u64>, Option<u64>, Option<u64>, Option<u32>, Field);
        let [doc, _, even, odd] = keys(id);
        let ((revision, version, log_bytes, layout, document), answer) =
            if known.is_none() && digest.is_none() {
                // The caller needs the whole document and no answer. Then the script would do no
                // more than this command, and costs more than the rest of a load.
                let mut get = cmd("HMGET");
                get.arg(doc)
                    .arg(&["revision", "version", "log_bytes", "layout", "document"]);
                (
                    read::<Row>(self.connection.call(&get).await?, "an encounter")?,
                    None,
                )
            } else {
                let mut load = script::LOAD.on(&[doc, even, odd]);
                load.arg(known.map_or(String::new(), |known| known.to_string()))
                    .arg(digest.map_or(&[][..], |digest| digest));
                read::<(Row, Field)>(
                    self.connection.run(&script::LOAD, &load).await?,
                    "an encounter",
                )?
            };
        let revision = revision.ok_or(StoreError::Missing)?;
        check_layout(layout)?;
        let version = version
            .ok_or_else(|| StoreError::Corrupt("an encounter without a version".to_owned()))?;
        Ok(Found {
            revision,
            version,
            log_bytes: log_bytes.unwrap_or(0),
            document,
            answer,
        })
    }

    async fn commit(&self, id: &str, commit: Commit) -> Result<Committed, StoreError> {
        let entry_bytes = commit.entry.as_ref().map_or(0, |entry| entry.bytes.len());
        let bytes = commit.document.len().saturating_add(entry_bytes);
        let mut call = script::COMMIT.on_with(&keys(id), bytes);
        call.arg(commit.expected)
            .arg(commit.revision)
            .arg(&commit.document[..])
            .arg(self.nonce());
        call.arg(self.ttl).arg(self.answers).arg(CHANNEL).arg(id);
        match &commit.entry {
            Some(entry) => call
                .arg(entry.version)
                .arg(entry.version.saturating_sub(1))
                .arg(&entry.bytes[..]),
            None => call.arg(&["", "", ""]),
        };
        match &commit.answer {
            Some((digest, answer)) => call.arg(&digest[..]).arg(&answer[..]),
            None => call.arg(&["", ""]),
        };
        match &commit.new_base {
            Some(base) => call.arg(base.version).arg(&base.document[..]),
            None => call.arg(&["", ""]),
        };
        call.arg(commit.log_bytes);
        let reply = self.connection.reply(&script::COMMIT, &call).await?;
        type Row = (String, Field, Option<u64>, Option<u64>, Option<u64>);
        let (outcome, bytes, revision, version, log_bytes): Row = read(reply.value, "a commit")?;
        match (outcome.as_str(), bytes, revision, version) {
            ("done", ..) => Ok(Committed::Done),
            ("anew", ..) => Ok(Committed::Anew),
            ("replayed", Some(answer), ..) => Ok(Committed::Replayed(answer)),
            ("missing", ..) => Err(StoreError::Missing),
            ("conflict", document @ Some(_), Some(revision), Some(version)) => {
                // If Redis has lost what this write was decided on, the same writes may be sent
                // again and bring it back. Then an attempt that arrives late is applied, and the
                // command would be applied twice if it had been decided again.
                let is_past = commit.entry.is_some_and(|entry| version >= entry.version);
                if reply.was_sent_before && !is_past {
                    let reason = "a write that was sent twice met older data";
                    return Err(StoreError::Unavailable(reason.to_owned()));
                }
                Ok(Committed::Conflict(Found {
                    revision,
                    version,
                    log_bytes: log_bytes.unwrap_or(0),
                    document,
                    answer: None,
                }))
            }
            ("corrupt", Some(reason), ..) => Err(StoreError::Corrupt(
                String::from_utf8_lossy(&reason).into_owned(),
            )),
            (other, ..) => Err(StoreError::Corrupt(format!("a commit answered {other:?}"))),
        }
    }

    async fn log(
        &self,
        id: &str,
        after: u64,
        limit: usize,
        max_bytes: usize,
    ) -> Result<StoredPage, StoreError> {
        let mut call = script::LOG.on(&[key(id, "doc"), key(id, "log")]);
        call.arg(after.saturating_add(1)).arg(limit).arg(max_bytes);
        let reply = self.connection.run(&script::LOG, &call).await?;
        let page: Option<(u64, u64, Vec<(String, Bytes)>)> = read(reply, "a page of the log")?;
        let (version, base_version, rows) = page.ok_or(StoreError::Missing)?;
        let mut entries = Vec::with_capacity(rows.len());
        for (stream_id, bytes) in rows {
            let number = stream_id.split('-').next().unwrap_or_default();
            let Ok(version) = number.parse() else {
                let reason = format!("a log entry with the id {stream_id}");
                return Err(StoreError::Corrupt(reason));
            };
            entries.push(Entry { version, bytes });
        }
        let page = StoredPage {
            base_version,
            version,
            entries,
        };
        check_gapless(&page, after, limit)?;
        Ok(page)
    }

    async fn base(&self, id: &str) -> Result<Base, StoreError> {
        let call = script::BASE.on(&[key(id, "doc"), key(id, "log")]);
        let row: Option<(Option<u64>, Field)> =
            read(self.connection.run(&script::BASE, &call).await?, "a base")?;
        match row {
            None => Err(StoreError::Missing),
            Some((Some(version), Some(document))) => Ok(Base { version, document }),
            Some(_) => Err(StoreError::Corrupt(
                "an encounter without a base".to_owned(),
            )),
        }
    }

    async fn list(
        &self,
        application: &str,
        before: Option<&str>,
        limit: usize,
        max_bytes: usize,
    ) -> Result<Listing, StoreError> {
        let end = before.map_or("+".to_owned(), |before| format!("({before}"));
        let mut range = list_command("ZRANGE", application);
        // One more shows whether anything follows.
        range
            .arg(end)
            .arg("-")
            .arg(&["BYLEX", "REV", "LIMIT", "0"])
            .arg(limit.saturating_add(1));
        let mut positions: Vec<String> =
            read(self.connection.call(&range).await?, "a part of a list")?;
        let listed = positions.len();
        positions.truncate(limit);
        self.truncate_to_fit(&mut positions, max_bytes).await?;
        let documents = self.read_field(&positions, "document").await?;
        self.remove_missing(application, &positions, &documents)
            .await?;
        let mut listing = Listing::default();
        if positions.len() < listed {
            listing.next = positions.last().cloned();
        }
        for (position, document) in positions.iter().zip(documents) {
            if let (Some(id), Some(document)) = (listed_id(position), document) {
                listing.items.push(ListedEncounter {
                    id: id.to_owned(),
                    document,
                });
            }
        }
        Ok(listing)
    }

    async fn application(&self, id: &str) -> Result<Option<String>, StoreError> {
        let mut command = cmd("HMGET");
        command
            .arg(key(id, "doc"))
            .arg(&["revision", "application"]);
        let row: (Field, Option<String>) =
            read(self.connection.call(&command).await?, "an application")?;
        row.0.map(|_| row.1).ok_or(StoreError::Missing)
    }

    async fn acquire_quota(
        &self,
        bucket: &str,
        want: u32,
        quota: u32,
        window: Duration,
    ) -> Result<QuotaGrant, StoreError> {
        let mut call = script::ACQUIRE_QUOTA.on(&[format!("turnkeeper:rate:{bucket}")]);
        call.arg(want).arg(millis(window).max(1));
        let reply = self.connection.run(&script::ACQUIRE_QUOTA, &call).await?;
        let (used, ends_in): (u64, u64) = read(reply, "a bucket")?;
        Ok(granted_quota(
            used,
            want,
            quota,
            Duration::from_millis(ends_in),
        ))
    }

    async fn delete(&self, id: &str) -> Result<(), StoreError> {
        let mut call = script::DELETE.on(&keys(id));
        call.arg(CHANNEL).arg(id);
        let reply = self.connection.run(&script::DELETE, &call).await?;
        let (revision, application, position): (Field, Option<String>, Option<String>) =
            read(reply, "a deleted encounter")?;
        if let (Some(application), Some(position)) = (application, position) {
            // The encounter is deleted even if this fails: readers of the list notice.
            let _ = self
                .connection
                .call(list_command("ZREM", &application).arg(position))
                .await;
        }
        revision.map(drop).ok_or(StoreError::Missing)
    }

    async fn salt(&self) -> Result<[u8; 32], StoreError> {
        let mut get = cmd("GET");
        get.arg(SALT);
        let mut salt: Option<Vec<u8>> = read(self.connection.call(&get).await?, "a salt")?;
        if salt.is_none() {
            self.connection
                .call(
                    cmd("SET")
                        .arg(SALT)
                        .arg(&rand::random::<[u8; 32]>()[..])
                        .arg("NX"),
                )
                .await?;
            salt = read(self.connection.call(&get).await?, "a salt")?;
        }
        let salt = salt.and_then(|salt| salt.try_into().ok());
        salt.ok_or_else(|| StoreError::Corrupt(format!("{SALT} is not 32 bytes")))
    }

    fn notices(&self) -> broadcast::Receiver<Notice> {
        let receiver = self.notices.subscribe();
        self.following.get_or_init(|| {
            tokio::spawn(follow(
                self.connection.servers.clone(),
                self.notices.clone(),
            ))
            .abort_handle()
        });
        receiver
    }

    async fn ready(&self) -> Result<(), StoreError> {
        let mut get = cmd("GET");
        get.arg(LAYOUT_KEY);
        let layout: Option<u32> = read(self.connection.call(&get).await?, "a layout")?;
        if layout.is_some() {
            check_layout(layout)?;
        }
        // Not PING, which a loading, full or read-only server answers too.
        let primaries = self.connection.primaries(READY).await?;
        let check = async |(address, key): &(String, String)| {
            let call = script::READY.on(std::slice::from_ref(key));
            let answer = self.connection.run(&script::READY, &call).await;
            answer
                .map(drop)
                .map_err(|error| error.of(&format!("Redis at {address}")))
        };
        try_join_all(primaries.iter().map(check)).await?;
        if layout.is_none() {
            let mut set = cmd("SET");
            set.arg(LAYOUT_KEY).arg(LAYOUT).arg("NX");
            self.connection.call(&set).await?;
            check_layout(read(self.connection.call(&get).await?, "a layout")?)?;
        }
        Ok(())
    }
}

// The list of an application is one key, apart from the encounters that it names.
impl RedisStore {
    /// Adds a position, and now and then removes some of missing encounters.
    async fn add_to_list(&self, application: &str, position: &str) -> Result<(), StoreError> {
        let added = self
            .connection
            .call(list_command("ZADD", application).arg(0).arg(position))
            .await;
        // `Refused` would say that nothing was changed, but the encounter exists already.
        added.map_err(|error| match error {
            StoreError::Refused(reason) => StoreError::Unavailable(reason),
            error => error,
        })?;
        if rand::random::<u32>().is_multiple_of(SWEEP) {
            // The encounter is listed: an unavailable node of other encounters must not fail its
            // creation.
            let _ = self.sweep(application).await;
        }
        Ok(())
    }

    async fn sweep(&self, application: &str) -> Result<(), StoreError> {
        let sample = self
            .connection
            .call(list_command("ZRANDMEMBER", application).arg(SAMPLE))
            .await?;
        let positions: Vec<String> = read(sample, "a part of a list")?;
        let found = self.read_field(&positions, "revision").await?;
        self.remove_missing(application, &positions, &found).await
    }

    /// Removes the positions at which nothing was found.
    async fn remove_missing(
        &self,
        application: &str,
        positions: &[String],
        found: &[Field],
    ) -> Result<(), StoreError> {
        let mut missing = Vec::new();
        for (position, found) in positions.iter().zip(found) {
            if found.is_none() {
                missing.push(position);
            }
        }
        if missing.is_empty() {
            return Ok(());
        }
        self.connection
            .call(list_command("ZREM", application).arg(missing))
            .await
            .map(drop)
    }

    /// Keeps the first positions whose documents have at most `max_bytes` together, and at least
    /// one.
    async fn truncate_to_fit(
        &self,
        positions: &mut Vec<String>,
        max_bytes: usize,
    ) -> Result<(), StoreError> {
        let sizes: Vec<usize> = try_join_all(positions.iter().map(async |position| {
            let size = self
                .connection
                .call(cmd("HSTRLEN").arg(doc_key(position)).arg("document"))
                .await?;
            read(size, "a size")
        }))
        .await?;
        let mut total = 0;
        let mut fitting = 0;
        for size in sizes {
            total += size;
            if total > max_bytes {
                break;
            }
            fitting += 1;
        }
        positions.truncate(fitting.max(1));
        Ok(())
    }

    /// A field of the encounters at these positions; None if the encounter is missing, or is a
    /// later one with the same id.
    async fn read_field(
        &self,
        positions: &[String],
        field: &str,
    ) -> Result<Vec<Field>, StoreError> {
        try_join_all(positions.iter().map(async |position| {
            let row = self
                .connection
                .call(
                    cmd("HMGET")
                        .arg(doc_key(position))
                        .arg(&["place", "layout", field]),
                )
                .await?;
            let (listed, layout, value): (Option<String>, Option<u32>, Field) =
                read(row, "a listed encounter")?;
            if value.is_some() {
                check_layout(layout)?;
            }
            Ok(value.filter(|_| listed.as_ref() == Some(position)))
        }))
        .await
    }
}

/// A command on the list of an application.
fn list_command(name: &str, application: &str) -> Cmd {
    let mut command = cmd(name);
    command.arg(format!("turnkeeper:application:{application}"));
    command
}

fn doc_key(position: &str) -> String {
    key(listed_id(position).unwrap_or_default(), "doc")
}
