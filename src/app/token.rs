//! Bearer tokens: who holds one may act. Only digests of them are kept.

use crate::engine::{Meta, TokenRecord};
use data_encoding::{BASE64URL_NOPAD, HEXLOWER};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// A token in the clear: shown once, to whoever asked for it. It has no `Debug`, so that it cannot slip into a log.
pub struct Token(String);

impl Token {
    /// A new token of the game master's from 32 random bytes.
    pub fn gm(random: &[u8; 32]) -> Self {
        Self(format!("tk_gm_{}", BASE64URL_NOPAD.encode(random)))
    }

    /// The token's text.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// As it is kept.
    pub fn record(&self, id: &str, role: &str) -> TokenRecord {
        let digest = Presented::digest(&self.0).0;
        TokenRecord { id: id.to_owned(), digest, role: role.to_owned(), combatants: Vec::new() }
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

    /// As much of the digest as tells tokens apart.
    pub fn short(&self) -> &str {
        self.0.get(..32).unwrap_or_default()
    }

    /// The digest.
    pub(super) fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// The record of this token in an encounter, compared in constant time.
    pub(super) fn find<'m>(&self, meta: &'m Meta) -> Option<&'m TokenRecord> {
        meta.tokens.iter().find(|record| record.digest.as_bytes().ct_eq(self.as_bytes()).into())
    }
}
