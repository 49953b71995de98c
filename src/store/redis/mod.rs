//! Encounters in Redis (6.2 and later, Valkey; one server or a cluster), shared by any number of processes.
//!
//! The keys of an encounter share a hash tag, so that they live in one slot and one script can change them in one step:
//! - `{turnkeeper:ID}:doc`, a hash: `revision` (older programs counted it), `version`, `document`, `base_version`, `base`; `created`, the first base, once
//!   there is another; `creator` and `silent`, which tell a write that is sent again from another one; `acquire_quota`, which expiry
//!   was set and when;
//! - `{turnkeeper:ID}:log`, a stream: ids `VERSION-0`, fields `e` (the entry) and `w` (the nonce of its write);
//! - `{turnkeeper:ID}:answers0` and `{turnkeeper:ID}:answers1`, hashes from key digest to answer, of even and of odd spans of
//!   time, each gone as a whole when it is too old: an answer is kept for its time at least, and twice as long at most.
//!
//! - `turnkeeper:application:NAME`, a sorted set without scores: the places of an application's encounters. It is in a slot of its
//!   own, so it is written after the encounter, and whoever reads it looks whether what it names is there; and the document's
//!   `application` and `place`, from which both are removed together;
//! - `turnkeeper:rate:BUCKET`, a counter that expires with its window.
//!
//! Every script may run twice with the same arguments and has then happened once: the connection sends again what it does not
//! know to have arrived.

mod connection;
mod feed;
mod list;
mod reply;
mod script;

use ::redis::{TlsCertificates, Value, cmd, pipe};
use async_trait::async_trait;
use bytes::Bytes;
use std::time::Duration;
use tokio::sync::broadcast;

use self::connection::Connection;
use self::feed::{CHANNEL, Feed};
use self::reply::Reply;
use self::script::Scripts;
use super::{
    Base, Commit, Committed, Created, Entry, Found, KeyDigest, Listing, Loaded, LogPage, NewEncounter, Notice,
    OpenError, QuotaGrant, Store, StoreConfig, StoreError, check_gapless, granted_quota, now, place,
};

const SALT: &str = "turnkeeper:salt";
/// Never there.
const READY: &str = "turnkeeper:ready";

/// A store that shares its encounters through a Redis.
pub struct RedisStore {
    connection: Connection,
    scripts: Scripts,
    feed: Feed,
    /// Milliseconds, 0 = never, as the scripts read it.
    ttl: String,
    /// Milliseconds.
    answers: String,
}

impl RedisStore {
    /// Takes `redis://` or `rediss://` (TLS) URLs; several, comma separated, or `?cluster=true`, mean a cluster.
    ///
    /// Connects only when it is used: a Redis that is away now is [`StoreError::Unavailable`] until it is back. `certificates`
    /// replace the public roots and prove who we are, where a private Redis asks for it.
    pub fn open(urls: &str, certificates: Option<TlsCertificates>, config: StoreConfig) -> Result<Self, OpenError> {
        Ok(Self {
            connection: Connection::new(urls, certificates)?,
            scripts: Scripts::new(),
            feed: Feed::new(),
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

/// Tells one write from every other one.
fn nonce() -> String {
    format!("{:016x}", rand::random::<u64>())
}

#[async_trait]
impl Store for RedisStore {
    async fn create(&self, id: &str, new: NewEncounter) -> Result<Created, StoreError> {
        self.import(id, new, 0, Vec::new()).await
    }

    async fn import(
        &self, id: &str, new: NewEncounter, base_version: u64, entries: Vec<Entry>,
    ) -> Result<Created, StoreError> {
        let (nonce, revision) = (nonce(), new.revision.to_string());
        let version = entries.last().map_or(base_version, |entry| entry.version).to_string();
        let place = place(now(), id);
        let (base_version, first) = (base_version.to_string(), base_version.saturating_add(1).to_string());
        let head: [&[u8]; 10] = [
            &new.document,
            &new.base,
            self.ttl.as_bytes(),
            nonce.as_bytes(),
            revision.as_bytes(),
            base_version.as_bytes(),
            version.as_bytes(),
            first.as_bytes(),
            new.application.as_deref().unwrap_or_default().as_bytes(),
            place.as_bytes(),
        ];
        let args: Vec<&[u8]> = head.into_iter().chain(entries.iter().map(|entry| &entry.bytes[..])).collect();
        let answer = self.connection.run(&self.scripts.create, &Keys::new(id).all(), &args).await?;
        let mut reply = Reply::array(answer)?.ok_or(StoreError::Missing)?;
        let created = match &reply.bytes()?[..] {
            b"new" => Created::New,
            b"existing" => Created::Existing { base: reply.bytes()? },
            other => return Err(unknown(other)),
        };
        // Also when it was there: whoever created it may have come no further. Until this is done nobody has its token.
        if let (Some(application), Some(place)) = (reply.optional()?, reply.optional()?) {
            self.enlist(&application, &place).await?;
        }
        Ok(created)
    }

    async fn load(&self, id: &str, known: Option<u64>, key: Option<&KeyDigest>) -> Result<Loaded, StoreError> {
        let Keys { doc, answers: [even, odd], .. } = Keys::new(id);
        let answer = match known {
            // A script that passes a document on costs more than the rest of a load; without one it saves sending the document.
            Some(known) => {
                let (known, digest) = (known.to_string(), key.map_or(&[][..], |digest| digest));
                let args = [known.as_bytes(), digest];
                self.connection.run(&self.scripts.load, &[&doc, &even, &odd], &args).await?
            }
            // First the document: an answer that is recorded in between is found, and one that is not found is not in it.
            None => {
                let mut read = pipe();
                read.cmd("HMGET").arg(doc).arg(&["revision", "version", "document"]);
                if let Some(digest) = key {
                    read.cmd("HGET").arg(even).arg(&digest[..]).cmd("HGET").arg(odd).arg(&digest[..]);
                }
                self.connection.call_all(&read).await?
            }
        };
        let mut reply = Reply::array(answer)?.ok_or(StoreError::Missing)?;
        let mut row = reply.nested()?;
        let Some(revision) = row.optional_number()? else { return Ok(Loaded::Missing) };
        let (version, document) = (row.number()?, row.optional()?);
        let answer = reply.optional()?.or(reply.optional()?);
        Ok(Loaded::Found(Found { revision, version, document, answer }))
    }

    async fn commit(&self, id: &str, commit: Commit) -> Result<Committed, StoreError> {
        let (expected, revision) = (commit.expected.to_string(), commit.revision.to_string());
        let entry = commit
            .entry
            .as_ref()
            .map(|entry| (entry.version.to_string(), entry.version.saturating_sub(1).to_string(), &entry.bytes[..]));
        let (version, previous, entry) =
            entry.as_ref().map_or((&[][..], &[][..], &[][..]), |(v, p, bytes)| (v.as_bytes(), p.as_bytes(), *bytes));
        let (digest, answer) = commit.answer.as_ref().map_or((&[][..], &[][..]), |(key, answer)| (&key[..], answer));
        let rebase = commit.rebase.as_ref().map(|base| (base.version.to_string(), &base.document[..]));
        let (rebase_version, rebase) =
            rebase.as_ref().map_or((&[][..], &[][..]), |(version, document)| (version.as_bytes(), *document));
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
            version,
            previous,
            entry,
            digest,
            answer,
            rebase_version,
            rebase,
        ];
        let answer = self.connection.run(&self.scripts.commit, &Keys::new(id).all(), &args).await?;
        committed(answer)
    }

    async fn log(&self, id: &str, after: u64, limit: usize, max_bytes: usize) -> Result<LogPage, StoreError> {
        let keys = Keys::new(id);
        let args = [after.saturating_add(1).to_string(), limit.to_string(), max_bytes.to_string()];
        let args = args.each_ref().map(|arg| arg.as_bytes());
        let answer = self.connection.run(&self.scripts.log, &[&keys.doc, &keys.log], &args).await?;
        let mut reply = Reply::array(answer)?.ok_or(StoreError::Missing)?;
        let mut page = LogPage { version: reply.number()?, base_version: reply.number()?, entries: Vec::new() };
        let mut entries = reply.nested()?;
        while !entries.is_empty() {
            page.entries.push(Entry { version: entries.number()?, bytes: entries.bytes()? });
        }
        check_gapless(&page, after, limit)?;
        Ok(page)
    }

    async fn base(&self, id: &str) -> Result<Base, StoreError> {
        let mut command = cmd("HMGET");
        command.arg(Keys::new(id).doc).arg(&["revision", "base_version", "base"]);
        let mut reply = Reply::array(self.connection.call(&command).await?)?.ok_or(StoreError::Missing)?;
        reply.optional()?.ok_or(StoreError::Missing)?;
        Ok(Base { version: reply.number()?, document: reply.bytes()? })
    }

    async fn list(
        &self, application: &str, before: Option<&str>, limit: usize, max_bytes: usize,
    ) -> Result<Listing, StoreError> {
        self.page(application, before, limit, max_bytes).await
    }

    async fn acquire_quota(
        &self, bucket: &str, want: u32, quota: u32, window: Duration,
    ) -> Result<QuotaGrant, StoreError> {
        let key = format!("turnkeeper:rate:{bucket}");
        let args = [want.to_string(), window.as_millis().max(1).to_string()];
        let args = args.each_ref().map(|arg| arg.as_bytes());
        let answer = self.connection.run(&self.scripts.acquire_quota, &[&key], &args).await?;
        let mut reply = Reply::array(answer)?.ok_or(StoreError::Missing)?;
        let used = reply.number()?;
        Ok(granted_quota(used, want, quota, Duration::from_millis(reply.number()?)))
    }

    async fn delete(&self, id: &str) -> Result<bool, StoreError> {
        let args = [CHANNEL.as_bytes(), id.as_bytes()];
        let answer = self.connection.run(&self.scripts.delete, &Keys::new(id).all(), &args).await?;
        let mut reply = Reply::array(answer)?.ok_or(StoreError::Missing)?;
        let had = reply.number()? == 1;
        if let (Some(application), Some(place)) = (reply.optional()?, reply.optional()?) {
            // It is gone all the same; whoever reads the list notices.
            let _ = self.strike(&application, &[place]).await;
        }
        Ok(had)
    }

    async fn salt(&self) -> Result<[u8; 32], StoreError> {
        let mut read = cmd("GET");
        read.arg(SALT);
        let mut salt = self.connection.call(&read).await?;
        if salt == Value::Nil {
            let mut make = cmd("SET");
            make.arg(SALT).arg(&rand::random::<[u8; 32]>()[..]).arg("NX");
            self.connection.call(&make).await?;
            salt = self.connection.call(&read).await?;
        }
        match salt {
            Value::BulkString(salt) => {
                salt.try_into().map_err(|_| StoreError::Corrupt(format!("{SALT} is not 32 bytes")))
            }
            _ => Err(StoreError::Corrupt(format!("{SALT} cannot be read"))),
        }
    }

    fn commits(&self) -> broadcast::Receiver<Notice> {
        self.feed.follow(&self.connection.servers)
    }

    async fn ready(&self) -> Result<(), StoreError> {
        // Not PING: in a cluster that asks every node, and a server that is loading answers it. And a command that writes, though there
        // is nothing to remove: a replica answers all others.
        self.connection.call(cmd("UNLINK").arg(READY)).await.map(|_| ())
    }

    async fn close(&self) {
        self.feed.stop();
    }
}

fn committed(answer: Value) -> Result<Committed, StoreError> {
    let mut reply = Reply::array(answer)?.ok_or(StoreError::Missing)?;
    match &reply.bytes()?[..] {
        b"done" => Ok(Committed::Done),
        b"replayed" => Ok(Committed::Replayed(reply.bytes()?)),
        b"missing" => Ok(Committed::Missing),
        b"conflict" => Ok(Committed::Conflict(Found {
            revision: reply.number()?,
            version: reply.number()?,
            document: Some(reply.bytes()?),
            answer: None,
        })),
        b"corrupt" => Err(StoreError::Corrupt(String::from_utf8_lossy(&reply.bytes()?).into_owned())),
        other => Err(unknown(other)),
    }
}

fn unknown(word: &[u8]) -> StoreError {
    StoreError::Corrupt(format!("a script answered {:?}", Bytes::copy_from_slice(word)))
}
