//! Encounters in Redis (6.2 and later, Valkey; one server or a cluster), shared by any number of processes.
//!
//! The keys of an encounter share a hash tag, so that one script can change them in one step:
//! - `{turnkeeper:ID}:doc`, a hash: `revision` (older programs counted it), `version`, `document`, `base_version`, `base`; `created`,
//!   the first base, once there is a newer one; `creator` and `silent`, the recent nonces, which identify a write that is sent again;
//!   `lease`, which expiry was set and when; `application` and `place`, its position in that one's list;
//! - `{turnkeeper:ID}:log`, a stream: ids `VERSION-0`, fields `e` (the entry) and `w` (the nonce of its write);
//! - `{turnkeeper:ID}:answers0` and `{turnkeeper:ID}:answers1`, hashes from key digest to answer, for even and odd time spans. Each
//!   expires as a whole, so an answer is kept for its time at least and twice as long at most.
//!
//! Keys in slots of their own:
//! - `turnkeeper:application:NAME`, a sorted set without scores: the list positions of an application's encounters. It is written
//!   after the encounter, so its readers check that the encounter exists;
//! - `turnkeeper:rate:BUCKET`, a counter that expires with its window.
//!
//! A script that runs twice with the same arguments has the effect of one run: the connection sends again what it does not know to
//! have arrived.

mod connection;
mod list;
mod script;
mod subscription;

use ::redis::{TlsCertificates, Value, cmd, pipe};
use async_trait::async_trait;
use bytes::Bytes;
use std::time::Duration;
use tokio::sync::broadcast;

use self::connection::Connection;
use self::script::read;
use self::subscription::{CHANNEL, Subscription};
use super::{
    Base, Commit, Committed, Entry, Found, KeyDigest, Listing, LogPage, NewEncounter, Notice, OpenError, QuotaGrant,
    Store, StoreConfig, StoreError, check_gapless, granted_quota, list_position, now,
};

const SALT: &str = "turnkeeper:salt";
/// A key that never exists.
const READY: &str = "turnkeeper:ready";

/// A store that shares its encounters through a Redis.
pub struct RedisStore {
    connection: Connection,
    subscription: Subscription,
    /// Milliseconds as text, 0 = never.
    ttl: String,
    /// Milliseconds as text.
    answers: String,
}

impl RedisStore {
    /// Takes `redis://` or `rediss://` (TLS) URLs. Several, comma separated, or `?cluster=true`, mean a cluster.
    ///
    /// Connects only when it is used: while Redis is down, calls return [`StoreError::Unavailable`]. `certificates` replace the public
    /// roots, and identify this client where a private Redis asks for it.
    pub fn open(urls: &str, certificates: Option<TlsCertificates>, config: StoreConfig) -> Result<Self, OpenError> {
        Ok(Self {
            connection: Connection::new(urls, certificates)?,
            subscription: Subscription::new(),
            ttl: config.ttl.map_or(0, |ttl| ttl.as_millis().max(1)).to_string(),
            answers: config.answers.as_millis().to_string(),
        })
    }
}

struct Keys {
    doc: String,
    log: String,
    answers: [String; 2],
}

impl Keys {
    fn new(id: &str) -> Self {
        let key = |part: &str| format!("{{turnkeeper:{id}}}:{part}");
        Self { doc: key("doc"), log: key("log"), answers: [key("answers0"), key("answers1")] }
    }

    fn all(&self) -> [&str; 4] {
        let [even, odd] = &self.answers;
        [&self.doc, &self.log, even, odd]
    }
}

/// A document or an answer where one may be.
type Field = Option<Bytes>;

/// Identifies one write.
fn nonce() -> String {
    format!("{:016x}", rand::random::<u64>())
}

#[async_trait]
impl Store for RedisStore {
    async fn create(&self, id: &str, new: NewEncounter) -> Result<Option<Bytes>, StoreError> {
        let first_entry = new.base.version.saturating_add(1);
        let [revision, base_version, version, first_entry] =
            [new.revision, new.base.version, new.version(), first_entry].map(|number| number.to_string());
        let (nonce, position) = (nonce(), list_position(now(), id));
        let head: [&[u8]; 10] = [
            &new.document,
            &new.base.document,
            self.ttl.as_bytes(),
            nonce.as_bytes(),
            revision.as_bytes(),
            base_version.as_bytes(),
            version.as_bytes(),
            first_entry.as_bytes(),
            new.application.as_deref().unwrap_or_default().as_bytes(),
            position.as_bytes(),
        ];
        let args: Vec<&[u8]> = head.into_iter().chain(new.entries.iter().map(|entry| &entry.bytes[..])).collect();
        let reply = self.connection.run(&script::CREATE, &Keys::new(id).all(), &args).await?;
        let (existing, application, position): (Field, Field, Field) = read(reply, "a created encounter")?;
        // Also for an existing one: its creator may have failed before this step, and has no token yet.
        if let (Some(application), Some(position)) = (application, position) {
            self.add_to_list(&application, &position).await?;
        }
        Ok(existing)
    }

    async fn load(&self, id: &str, known: Option<u64>, key: Option<&KeyDigest>) -> Result<Found, StoreError> {
        let Keys { doc, answers: [even, odd], .. } = Keys::new(id);
        let digest = key.map_or(&[][..], |digest| digest);
        let mut reply = match known {
            // The script saves sending the document. Where it must be sent, the script costs more than the rest of a load.
            Some(known) => {
                let args = [known.to_string().into_bytes(), digest.to_vec()];
                let args = args.each_ref().map(|arg| &arg[..]);
                self.connection.run(&script::LOAD, &[&doc, &even, &odd], &args).await?
            }
            // The document comes first: then no answer can be older than the document.
            None => {
                let mut read = pipe();
                read.cmd("HMGET").arg(doc).arg(&["revision", "version", "document"]);
                if key.is_some() {
                    read.cmd("HGET").arg(even).arg(digest).cmd("HGET").arg(odd).arg(digest);
                }
                self.connection.call_all(&read).await?
            }
        };
        if let Value::Array(parts) = &mut reply {
            // Without a key no answers were read.
            parts.resize(3, Value::Nil);
        }
        type Row = (Option<u64>, Option<u64>, Field);
        let ((revision, version, document), even, odd): (Row, Field, Field) = read(reply, "an encounter")?;
        let revision = revision.ok_or(StoreError::Missing)?;
        let version = version.ok_or_else(|| StoreError::Corrupt("an encounter without a version".to_owned()))?;
        Ok(Found { revision, version, document, answer: even.or(odd) })
    }

    async fn commit(&self, id: &str, commit: Commit) -> Result<Committed, StoreError> {
        let (expected, revision) = (commit.expected.to_string(), commit.revision.to_string());
        let numbers = |version: u64| (version.to_string(), version.saturating_sub(1).to_string());
        let entry = commit.entry.as_ref().map(|entry| (numbers(entry.version), &entry.bytes[..]));
        let ((version, previous), entry) = entry.unwrap_or_default();
        let (digest, answer) = commit.answer.as_ref().map(|(key, answer)| (&key[..], &answer[..])).unwrap_or_default();
        let rebase = commit.rebase.as_ref().map(|base| (base.version.to_string(), &base.document[..]));
        let (rebase_version, rebase) = rebase.unwrap_or_default();
        let nonce = nonce();
        let args: [&[u8]; 15] = [
            expected.as_bytes(),
            revision.as_bytes(),
            &commit.document,
            nonce.as_bytes(),
            self.ttl.as_bytes(),
            self.answers.as_bytes(),
            CHANNEL.as_bytes(),
            id.as_bytes(),
            version.as_bytes(),
            previous.as_bytes(),
            entry,
            digest,
            answer,
            rebase_version.as_bytes(),
            rebase,
        ];
        let reply = self.connection.run(&script::COMMIT, &Keys::new(id).all(), &args).await?;
        let (outcome, bytes, revision, version): (String, Field, Option<u64>, Option<u64>) = read(reply, "a commit")?;
        match (outcome.as_str(), bytes, revision, version) {
            ("done", ..) => Ok(Committed::Done),
            ("replayed", Some(answer), ..) => Ok(Committed::Replayed(answer)),
            ("missing", ..) => Err(StoreError::Missing),
            ("conflict", document @ Some(_), Some(revision), Some(version)) => {
                Ok(Committed::Conflict(Found { revision, version, document, answer: None }))
            }
            ("corrupt", Some(reason), ..) => Err(StoreError::Corrupt(String::from_utf8_lossy(&reason).into_owned())),
            (other, ..) => Err(StoreError::Corrupt(format!("a commit answered {other:?}"))),
        }
    }

    async fn log(&self, id: &str, after: u64, limit: usize, max_bytes: usize) -> Result<LogPage, StoreError> {
        let keys = Keys::new(id);
        let args = [after.saturating_add(1).to_string(), limit.to_string(), max_bytes.to_string()];
        let args = args.each_ref().map(|arg| arg.as_bytes());
        let reply = self.connection.run(&script::LOG, &[&keys.doc, &keys.log], &args).await?;
        let page: Option<(u64, u64, Vec<(String, Bytes)>)> = read(reply, "a page of the log")?;
        let (version, base_version, rows) = page.ok_or(StoreError::Missing)?;
        let entries = rows.into_iter().map(|(stream_id, bytes)| {
            let version = stream_id.split('-').next().and_then(|number| number.parse().ok());
            let version = version.ok_or_else(|| StoreError::Corrupt(format!("a log entry with the id {stream_id}")))?;
            Ok(Entry { version, bytes })
        });
        let page = LogPage { base_version, version, entries: entries.collect::<Result<_, StoreError>>()? };
        check_gapless(&page, after, limit)?;
        Ok(page)
    }

    async fn base(&self, id: &str) -> Result<Base, StoreError> {
        let mut command = cmd("HMGET");
        command.arg(Keys::new(id).doc).arg(&["revision", "base_version", "base"]);
        let row: (Field, Option<u64>, Field) = read(self.connection.call(&command).await?, "a base")?;
        match row {
            (None, ..) => Err(StoreError::Missing),
            (_, Some(version), Some(document)) => Ok(Base { version, document }),
            _ => Err(StoreError::Corrupt("an encounter without a base".to_owned())),
        }
    }

    async fn list(
        &self, application: &str, before: Option<&str>, limit: usize, max_bytes: usize,
    ) -> Result<Listing, StoreError> {
        self.list_page(application, before, limit, max_bytes).await
    }

    async fn acquire_quota(
        &self, bucket: &str, want: u32, quota: u32, window: Duration,
    ) -> Result<QuotaGrant, StoreError> {
        let key = format!("turnkeeper:rate:{bucket}");
        let args = [want.to_string(), window.as_millis().max(1).to_string()];
        let args = args.each_ref().map(|arg| arg.as_bytes());
        let reply = self.connection.run(&script::ACQUIRE_QUOTA, &[&key], &args).await?;
        let (used, ends_in): (u64, u64) = read(reply, "a bucket")?;
        Ok(granted_quota(used, want, quota, Duration::from_millis(ends_in)))
    }

    async fn delete(&self, id: &str) -> Result<(), StoreError> {
        let args = [CHANNEL.as_bytes(), id.as_bytes()];
        let reply = self.connection.run(&script::DELETE, &Keys::new(id).all(), &args).await?;
        let (revision, application, position): (Field, Field, Field) = read(reply, "a deleted encounter")?;
        if let (Some(application), Some(position)) = (application, position) {
            // The encounter is deleted even if this fails: readers of the list notice.
            let _ = self.remove_from_list(&application, &[position]).await;
        }
        revision.map(drop).ok_or(StoreError::Missing)
    }

    async fn salt(&self) -> Result<[u8; 32], StoreError> {
        let mut get = cmd("GET");
        get.arg(SALT);
        let mut salt: Option<Vec<u8>> = read(self.connection.call(&get).await?, "a salt")?;
        if salt.is_none() {
            self.connection.call(cmd("SET").arg(SALT).arg(&rand::random::<[u8; 32]>()[..]).arg("NX")).await?;
            salt = read(self.connection.call(&get).await?, "a salt")?;
        }
        let salt = salt.and_then(|salt| salt.try_into().ok());
        salt.ok_or_else(|| StoreError::Corrupt(format!("{SALT} is not 32 bytes")))
    }

    fn commits(&self) -> broadcast::Receiver<Notice> {
        self.subscription.follow(&self.connection.servers)
    }

    async fn ready(&self) -> Result<(), StoreError> {
        // Not PING, which a cluster sends to every node and a loading server answers. Replicas answer reads, so this is a write.
        self.connection.call(cmd("UNLINK").arg(READY)).await.map(drop)
    }

    async fn close(&self) {
        self.subscription.stop();
    }
}
