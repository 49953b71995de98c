//! Bearer tokens: who holds one may act. Only digests of them are kept.

use super::{AppError, IdempotencyKey, now};
use crate::engine::{Meta, Refusal, Role, TokenRecord, Viewer};
use data_encoding::{BASE32_NOPAD_NOCASE as BASE32, BASE64URL_NOPAD, HEXLOWER};
use jiff::Timestamp;
use sha2::{Digest, Sha256};
use std::time::Duration;
use subtle::ConstantTimeEq;

/// A token in the clear: shown once, to whoever asked for it. It has no `Debug`, so that it cannot slip into a log.
pub struct Token(String);

impl Token {
    /// A new token from 32 random bytes.
    pub fn new(role: Role, random: &[u8; 32]) -> Self {
        Self(format!("tk_{}_{}", role.as_str(), BASE64URL_NOPAD.encode(random)))
    }

    /// The token's text.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// An id by chance: nothing is told by it, and none comes twice.
    pub fn id(role: Role) -> String {
        format!("{}-{}", role.as_str(), BASE32.encode(&rand::random::<[u8; 5]>()).to_ascii_lowercase())
    }

    /// As it is kept, under this id.
    pub fn record(&self, role: Role, id: String) -> TokenRecord {
        let digest = BearerToken::digest(&self.0).0;
        TokenRecord { id, digest, role, name: None, combatants: Vec::new(), expires_at: None }
    }
}

/// A token that came with a request: its digest, SHA-256 in hexadecimal.
pub struct BearerToken(String);

impl BearerToken {
    /// Reads a token; None when no token ever looks like this.
    pub fn read(text: &str) -> Option<Self> {
        let (role, random) = text.strip_prefix("tk_")?.split_once('_')?;
        let known = matches!(role, "gm" | "player" | "spectator");
        let random = BASE64URL_NOPAD.decode(random.as_bytes()).ok()?;
        (known && random.len() == 32).then(|| Self::digest(text))
    }

    fn digest(text: &str) -> Self {
        Self(HEXLOWER.encode(&Sha256::digest(text)))
    }

    /// What a token with the id `name` is derived for that this one hands out in an encounter.
    pub(super) fn purpose(&self, id: &str, name: &str, key: &IdempotencyKey) -> String {
        format!("token {name} of {id} by {} for {}", self.0, HEXLOWER.encode(&key.fingerprint))
    }

    /// As much of the digest as tells tokens apart.
    pub fn short(&self) -> &str {
        self.0.get(..32).unwrap_or_default()
    }

    /// The digest.
    pub(super) fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// Whoever it makes its holder in an encounter. Digests are compared in constant time; a token that has ended is as none.
    pub(super) fn viewer(&self, meta: &Meta) -> Result<Viewer, AppError> {
        let mut records = meta.tokens.iter();
        let record = records.find(|record| record.digest.as_bytes().ct_eq(self.as_bytes()).into());
        record.filter(|record| lasting(record)).map(TokenRecord::viewer).ok_or(AppError::NotFound)
    }
}

/// Whether a token has not ended yet.
pub(super) fn lasting(record: &TokenRecord) -> bool {
    record.expires_at.as_ref().is_none_or(|end| *end > now())
}

/// How long a viewer's token still lasts; at most an hour, after which to look again. None: it has ended.
pub(super) fn left(viewer: &Viewer) -> Option<Duration> {
    const HOUR: Duration = Duration::from_secs(60 * 60);
    let Some(end) = &viewer.expires_at else { return Some(HOUR) };
    let left = end.parse::<Timestamp>().ok()?.duration_since(Timestamp::now());
    Duration::try_from(left).ok().filter(|left| !left.is_zero()).map(|left| left.min(HOUR))
}

/// Refuses everybody but the game master; `what` says what for.
pub(super) fn only_gm(viewer: &Viewer, what: &str) -> Result<(), AppError> {
    if viewer.is_gm() {
        return Ok(());
    }
    let detail = format!("{what} is the game master's right: send a token whose role is gm");
    Err(Refusal::Forbidden { path: String::new(), detail }.into())
}
