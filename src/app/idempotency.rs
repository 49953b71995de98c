//! Idempotency keys: a request that is sent again under the same key gets the first answer.

use super::answer::AnswerSize;
use super::token::Sender;
use super::{App, AppError};
use crate::store::KeyDigest;
use bytes::Bytes;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

/// The length of a record before the body: fingerprint, version, size of the answer.
const HEAD: usize = 32 + 8 + 1;
/// The least length of a record. Redis searches a hash whose values are at most 64 bytes long one
/// by one, up to its 512th entry.
const LEAST: usize = 65;

/// What is recorded of a request under its key.
pub(super) struct Record {
    /// The version after it.
    pub version: u64,
    /// How much its answer said.
    pub size: AnswerSize,
    /// What a repeated request needs of the answer and finds neither in the log nor in the
    /// encounter.
    pub body: Bytes,
}

/// An idempotency key and the request that it was sent with.
pub struct IdempotencyKey {
    /// The key, as the client chose it.
    pub key: String,
    /// SHA-256 of everything that distinguishes the request from others.
    pub fingerprint: [u8; 32],
}

impl IdempotencyKey {
    /// The digest under which the answer is stored: each sender has its own keys in each encounter.
    pub(super) fn digest(&self, id: &str, sender: &Sender) -> KeyDigest {
        let digest = Sha256::new_with_prefix(id)
            .chain_update([0])
            .chain_update(sender.identity())
            .chain_update([0]);
        digest.chain_update(&self.key).finalize().into()
    }

    /// A record as it is stored. Zeros may follow, which end no text.
    pub(super) fn stored(&self, record: &Record) -> Bytes {
        let mut stored = Vec::with_capacity(LEAST.max(HEAD + record.body.len()));
        stored.extend_from_slice(&self.fingerprint);
        stored.extend_from_slice(&record.version.to_be_bytes());
        stored.push(record.size as u8);
        stored.extend_from_slice(&record.body);
        stored.resize(stored.len().max(LEAST), 0);
        stored.into()
    }

    /// A stored record, if it belongs to the same request.
    pub(super) fn recorded(&self, stored: &Bytes) -> Result<Record, AppError> {
        let Some((fingerprint, record)) = read_record(stored) else {
            let reason = "a recorded answer is unreadable".to_owned();
            return Err(AppError::Internal(reason));
        };
        if fingerprint != self.fingerprint {
            return Err(AppError::KeyReused);
        }
        Ok(record)
    }
}

/// The fingerprint of a request, and what is recorded of it.
fn read_record(stored: &Bytes) -> Option<([u8; 32], Record)> {
    let (fingerprint, rest) = stored.split_first_chunk::<32>()?;
    let (version, rest) = rest.split_first_chunk::<8>()?;
    let size = AnswerSize::from_byte(*rest.first()?)?;
    let last = stored.iter().rposition(|byte| *byte != 0)?;
    let record = Record {
        version: u64::from_be_bytes(*version),
        size,
        body: stored.slice(HEAD..HEAD.max(last + 1)),
    };
    Some((*fingerprint, record))
}

/// The secrets that a request makes: random, or what its key yields on this store, so that a
/// repeated request makes the same.
pub(super) struct Secrets<'a> {
    /// The key, and the salt of the store.
    key: Option<(&'a IdempotencyKey, [u8; 32])>,
    /// The application that creates an encounter: each has keys of its own.
    application: Option<&'a str>,
}

impl App {
    /// The secrets of a request.
    pub(super) async fn secrets<'a>(
        &self,
        key: Option<&'a IdempotencyKey>,
        application: Option<&'a str>,
    ) -> Result<Secrets<'a>, AppError> {
        let key = match key {
            Some(key) => Some((key, self.store.salt().await?)),
            None => None,
        };
        Ok(Secrets { key, application })
    }
}

impl Secrets<'_> {
    /// 32 bytes for `purpose`.
    pub fn derive(&self, purpose: &str) -> Result<[u8; 32], AppError> {
        let Some((key, salt)) = &self.key else {
            return Ok(rand::random());
        };
        let mut hmac = Hmac::<Sha256>::new_from_slice(salt)
            .map_err(|error| AppError::Internal(error.to_string()))?;
        hmac.update(purpose.as_bytes());
        if let Some(name) = self.application {
            hmac.update(b" of ");
            hmac.update(name.as_bytes());
        }
        hmac.update(&[0]);
        hmac.update(key.key.as_bytes());
        Ok(hmac.finalize().into_bytes().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::SCHEMA;
    use data_encoding::HEXLOWER;

    #[test]
    fn the_form_of_a_recorded_answer_is_pinned_to_the_number_of_the_schema() {
        let key = IdempotencyKey {
            key: "k".to_owned(),
            fingerprint: [7; 32],
        };
        let record = Record {
            version: 0x0102,
            size: AnswerSize::Minimal,
            body: Bytes::from_static(b"gm-abcdefgh"),
        };
        let pinned = "07".repeat(32)
            + "0000000000000102"
            + "02"
            + &HEXLOWER.encode(b"gm-abcdefgh")
            + &"00".repeat(13);
        let what_to_do = "a stored answer would be misread: raise SCHEMA in src/engine/document.rs \
                          and pin the new form here";
        assert_eq!(
            (SCHEMA, HEXLOWER.encode(&key.stored(&record))),
            (1, pinned),
            "{what_to_do}"
        );
    }

    #[test]
    fn a_record_is_padded_and_read_without_the_padding() {
        let key = IdempotencyKey {
            key: "k".to_owned(),
            fingerprint: [7; 32],
        };
        for body in [&b""[..], b"gm-abcdefgh", &[b'x'; 100]] {
            let record = Record {
                version: 3,
                size: AnswerSize::Minimal,
                body: Bytes::copy_from_slice(body),
            };
            let stored = key.stored(&record);
            assert_eq!(stored.len(), LEAST.max(HEAD + body.len()));
            let read = key.recorded(&stored).unwrap();
            assert_eq!(
                (read.version, read.size, &read.body[..]),
                (3, AnswerSize::Minimal, body)
            );
        }
    }
}
