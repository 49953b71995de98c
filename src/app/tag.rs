//! Entity tags, and the places of streams. A client sends a tag in `If-None-Match` to skip an
//! unchanged answer, in `If-Match` to refuse a changed encounter, and in `Last-Event-ID` to go on
//! in a log.

use super::AppError;
use crate::engine::{AnyEncounter, Viewer};
use data_encoding::BASE64URL_NOPAD;
use sha2::{Digest, Sha256};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use xxhash_rust::xxh3::Xxh3;

/// The bytes of a digest in a tag.
const DIGEST: usize = 12;

/// SHA-256 of a stored log entry.
pub(super) type EntryDigest = [u8; 32];

/// A representation of an encounter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Representation {
    /// The encounter as JSON.
    Json = 1,
    /// The turn table.
    Text = 2,
    /// The legal commands.
    Options = 3,
}

/// An entity tag: a version, and a digest of a representation of it as one token sees it. Answers
/// that belong to no encounter have version 0. A place in a log is tagged by a digest of its entry.
///
/// The digest is not of the store's revision, which would show players that hidden writes happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    version: u64,
    /// None in a client's tag with only a version.
    digest: Option<String>,
}

impl Tag {
    /// The tag of `view`, the JSON that `viewer` sees of `version`, in `representation`.
    ///
    /// Views of one version differ only after an undo, and the viewer knows what was digested: a
    /// fast digest is enough, and each command's answer has one.
    pub fn of(version: u64, view: &str, viewer: &Viewer, representation: Representation) -> Self {
        let mut hash = Xxh3::new();
        hash.update(viewer.token_id.as_bytes());
        hash.update(&[0, representation as u8]);
        hash.update(view.as_bytes());
        Self {
            version,
            digest: shortened(&hash.digest128().to_be_bytes()),
        }
    }

    /// A version alone.
    pub fn of_version(version: u64) -> Self {
        Self {
            version,
            digest: None,
        }
    }

    /// The version of the encounter.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The tag of a place in a log: a version, and the digest of its entry, if the log holds it.
    /// The store's `salt` keeps clients from guessing what an entry hides.
    pub(super) fn of_entry(version: u64, entry: Option<&EntryDigest>, salt: &[u8; 32]) -> Self {
        let hash = entry.map(|entry| Sha256::new_with_prefix(salt).chain_update(entry));
        Self {
            version,
            digest: hash.and_then(digest),
        }
    }

    /// Whether it is more than a version.
    pub(super) fn has_digest(&self) -> bool {
        self.digest.is_some()
    }

    /// The tag of an answer that belongs to no encounter.
    pub fn of_body(body: &[u8]) -> Self {
        Self {
            version: 0,
            digest: digest(Sha256::new_with_prefix(body)),
        }
    }
}

fn digest(hash: Sha256) -> Option<String> {
    shortened(&hash.finalize())
}

fn shortened(digest: &[u8]) -> Option<String> {
    Some(BASE64URL_NOPAD.encode(digest.get(..DIGEST)?))
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.digest {
            Some(digest) => write!(f, "{}-{digest}", self.version),
            None => write!(f, "{}", self.version),
        }
    }
}

impl FromStr for Tag {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut version = text;
        let mut digest = None;
        if let Some((before, after)) = text.split_once('-') {
            let decoded = BASE64URL_NOPAD.decode(after.as_bytes()).map_err(|_| ())?;
            if decoded.len() != DIGEST {
                return Err(());
            }
            version = before;
            digest = Some(after.to_owned());
        }
        let number: u64 = version.parse().map_err(|_| ())?;
        // No sign, and no zeros before it.
        if number.to_string() != version {
            return Err(());
        }
        Ok(Self {
            version: number,
            digest,
        })
    }
}

/// The tags in a condition of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expected {
    /// Any tag (`*`).
    Any,
    /// One of these tags.
    OneOf(Vec<Tag>),
}

impl Expected {
    /// Whether they include `tag`, the tag of an answer. A client's tag with only a version never
    /// matches.
    pub fn includes(&self, tag: &Tag) -> bool {
        match self {
            Self::Any => true,
            Self::OneOf(tags) => tags.contains(tag),
        }
    }

    /// Refuses an encounter that matches none of the tags, by its version or by the viewer's view
    /// in any representation.
    pub(super) fn check(
        &self,
        encounter: &Arc<dyn AnyEncounter>,
        viewer: &Viewer,
    ) -> Result<(), AppError> {
        let Self::OneOf(tags) = self else {
            return Ok(());
        };
        let current = encounter.version();
        let tags: Vec<&Tag> = tags.iter().filter(|tag| tag.version == current).collect();
        if tags.iter().any(|tag| tag.digest.is_none()) {
            return Ok(());
        }
        if tags.is_empty() {
            return Err(AppError::Stale { current });
        }
        let view = viewer.redact(encounter).view(viewer)?;
        let current_tags = [
            Representation::Json,
            Representation::Text,
            Representation::Options,
        ]
        .map(|one| Tag::of(current, view.get(), viewer, one));
        if tags.into_iter().any(|tag| current_tags.contains(tag)) {
            Ok(())
        } else {
            Err(AppError::Stale { current })
        }
    }
}
