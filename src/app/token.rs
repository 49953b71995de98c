//! Bearer tokens: who holds one may act. Only digests of them are kept.

use super::{AppError, now};
use crate::engine::{Meta, Role, TokenRecord, Viewer};
use data_encoding::{BASE64URL_NOPAD, HEXLOWER};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// A token in the clear: shown once, to whoever asked for it. It has no `Debug`, so that it cannot slip into a log.
pub struct Token(String);

impl Token {
    /// A new token of the game master's from 32 random bytes.
    pub fn gm(random: &[u8; 32]) -> Self {
        Self(format!("tk_{}_{}", Role::Gm.as_str(), BASE64URL_NOPAD.encode(random)))
    }

    /// The token's text.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// As it is kept.
    pub fn record(&self, id: &str, role: Role) -> TokenRecord {
        let digest = Presented::digest(&self.0).0;
        TokenRecord { id: id.to_owned(), digest, role, combatants: Vec::new(), expires_at: None }
    }
}

/// A token that came with a request: its digest, SHA-256 in hexadecimal.
pub struct Presented(String);

impl Presented {
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

    /// The digest.
    pub(super) fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// Whoever it makes its holder in an encounter. Digests are compared in constant time; a token that has ended is as none.
    pub(super) fn viewer(&self, meta: &Meta) -> Result<Viewer, AppError> {
        let mut records = meta.tokens.iter();
        let record = records.find(|record| record.digest.as_bytes().ct_eq(self.as_bytes()).into());
        let lasting = |record: &&TokenRecord| record.expires_at.as_ref().is_none_or(|end| *end > now());
        record.filter(lasting).map(TokenRecord::viewer).ok_or(AppError::NotFound)
    }
}
