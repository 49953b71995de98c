//! Bearer tokens, and whom a token stands for. Only its digest is stored.

use super::application::{Application, PREFIX};
use super::{AppError, now};
use crate::engine::{Meta, Refusal, Role, TokenRecord, Viewer};
use data_encoding::{BASE32_NOPAD_NOCASE as BASE32, BASE64URL_NOPAD, HEXLOWER};
use jiff::Timestamp;
use sha2::{Digest, Sha256};
use std::time::Duration;
use subtle::ConstantTimeEq;

/// A token, or the key of an application, in the clear. It has no `Debug`, so that no log shows it.
pub struct Token(String);

impl Token {
    /// A new token from 32 random bytes.
    pub fn new(role: Role, random: &[u8; 32]) -> Self {
        Self(format!("tk_{role}_{}", BASE64URL_NOPAD.encode(random)))
    }

    /// A new key of an application from 32 random bytes.
    pub fn app_key(random: &[u8; 32]) -> Self {
        Self(format!("{PREFIX}{}", BASE64URL_NOPAD.encode(random)))
    }

    /// The token's text.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether it is the token of this record.
    pub(super) fn is(&self, record: &TokenRecord) -> bool {
        BearerToken::digest(&self.0).is(record)
    }

    /// Its digest: SHA-256 in hexadecimal. It is random, so it needs no salt.
    pub fn digest(&self) -> String {
        BearerToken::digest(&self.0).0
    }

    /// A random id.
    pub fn id(role: Role) -> String {
        format!(
            "{role}-{}",
            BASE32
                .encode(&rand::random::<[u8; 5]>())
                .to_ascii_lowercase()
        )
    }

    /// The token as it is stored, under this id.
    pub fn record(&self, role: Role, id: String) -> TokenRecord {
        TokenRecord {
            id,
            digest: self.digest(),
            role,
            name: None,
            combatants: Vec::new(),
            expires_at: None,
            replaced_at: None,
        }
    }
}

/// The token of a request: its digest, SHA-256 in hexadecimal.
#[derive(Clone)]
pub struct BearerToken(pub(super) String);

impl BearerToken {
    /// Reads a token; None if no token looks like this.
    pub fn read(text: &str) -> Option<Self> {
        let (role, random) = text.strip_prefix("tk_")?.split_once('_')?;
        let known = matches!(role, "gm" | "player" | "spectator");
        let random = BASE64URL_NOPAD.decode(random.as_bytes()).ok()?;
        (known && random.len() == 32).then(|| Self::digest(text))
    }

    fn digest(text: &str) -> Self {
        Self(HEXLOWER.encode(&Sha256::digest(text)))
    }

    /// Enough of the digest to distinguish tokens.
    pub fn short(&self) -> &str {
        self.0.get(..32).unwrap_or_default()
    }

    /// Whether it is the token of this record. Digests are compared in constant time.
    fn is(&self, record: &TokenRecord) -> bool {
        record.digest.as_bytes().ct_eq(self.0.as_bytes()).into()
    }

    /// The viewer that it stands for in an encounter. An expired token is unknown.
    pub(super) fn viewer(&self, meta: &Meta) -> Result<Viewer, AppError> {
        match meta.tokens.iter().find(|record| self.is(record)) {
            Some(record) if is_active(record) => Ok(record.viewer()),
            _ => Err(AppError::NotFound),
        }
    }
}

/// Who asks for a write of an encounter.
pub enum Sender {
    /// The holder of one of its tokens.
    Token(BearerToken),
    /// The application that created it.
    Creator(Application),
}

impl Sender {
    /// What distinguishes it from all others.
    pub(super) fn identity(&self) -> String {
        match self {
            Self::Token(token) => token.0.clone(),
            // No digest has a colon.
            Self::Creator(name) => format!("application:{name}"),
        }
    }

    /// The viewer that it stands for in an encounter.
    pub(super) fn viewer(&self, meta: &Meta) -> Result<Viewer, AppError> {
        match self {
            Self::Token(token) => token.viewer(meta),
            Self::Creator(name) => Ok(Viewer::gm(name)),
        }
    }
}

/// Whether a token has not expired.
pub(super) fn is_active(record: &TokenRecord) -> bool {
    record
        .expires_at
        .as_ref()
        .is_none_or(|end| *end > now().to_string())
}

/// How long a viewer's token is still good, at most an hour, after which to look again. None: it
/// has expired.
pub(super) fn time_left(viewer: &Viewer) -> Option<Duration> {
    const HOUR: Duration = Duration::from_secs(60 * 60);
    let Some(end) = &viewer.expires_at else {
        return Some(HOUR);
    };
    let end: Timestamp = end.parse().ok()?;
    let left = Duration::try_from(end.duration_since(Timestamp::now())).ok()?;
    if left.is_zero() {
        return None;
    }
    Some(left.min(HOUR))
}

/// Refuses all but the game master, who may do `what`.
pub(super) fn only_gm(viewer: &Viewer, what: &str) -> Result<(), AppError> {
    if viewer.is_gm() {
        return Ok(());
    }
    let detail = format!("Only the game master may {what}. Send a token with the role gm.");
    Err(Refusal::Forbidden {
        path: String::new(),
        detail,
    }
    .into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::SignedDuration;

    #[test]
    fn a_viewer_is_looked_at_again_within_the_hour_and_has_no_time_left_at_the_end() {
        let left = |seconds: i64| {
            let end = Timestamp::now() + SignedDuration::from_secs(seconds);
            time_left(&Viewer {
                expires_at: Some(format!("{end:.3}")),
                ..Viewer::gm("gm")
            })
        };
        let hour = Duration::from_secs(3600);
        assert_eq!(
            (time_left(&Viewer::gm("gm")), left(7200)),
            (Some(hour), Some(hour))
        );
        assert!(
            left(60).is_some_and(
                |left| left > Duration::from_secs(50) && left <= Duration::from_secs(60)
            )
        );
        assert_eq!((left(0), left(-60)), (None, None));
    }
}
