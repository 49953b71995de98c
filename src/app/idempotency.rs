//! Idempotency keys: a request that is sent again under the same key gets the first answer.

use super::token::Sender;
use super::{Answer, AnswerSize, App, AppError};
use crate::store::KeyDigest;
use bytes::Bytes;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

/// The length of a record before the body: fingerprint, version, size of the answer.
const HEAD: usize = 32 + 8 + 1;
/// The least length of a record. Redis searches a hash whose values are at most 64 bytes long one
/// by one, up to its 512th entry.
const LEAST: usize = 65;

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

    /// The answer as it is stored, with `body`: what a repeated request finds nowhere else. Zeros
    /// may follow, which end no text.
    pub(super) fn record(&self, answer: &Answer, body: &[u8]) -> Bytes {
        let mut record = Vec::with_capacity(LEAST.max(HEAD + body.len()));
        record.extend_from_slice(&self.fingerprint);
        record.extend_from_slice(&answer.version.to_be_bytes());
        record.push(answer.size as u8);
        record.extend_from_slice(body);
        record.resize(record.len().max(LEAST), 0);
        record.into()
    }

    /// The stored answer, if it belongs to the same request; without a body if the log has it.
    pub(super) fn replay(&self, record: &Bytes) -> Result<Answer, AppError> {
        let parts = record
            .split_first_chunk::<32>()
            .and_then(|(fingerprint, rest)| {
                let (version, rest) = rest.split_first_chunk::<8>()?;
                Some((
                    fingerprint,
                    u64::from_be_bytes(*version),
                    AnswerSize::from_byte(*rest.first()?)?,
                ))
            });
        let (fingerprint, version, size) = parts
            .ok_or_else(|| AppError::Internal("a recorded answer is unreadable".to_owned()))?;
        if *fingerprint != self.fingerprint {
            return Err(AppError::KeyReused);
        }
        let end = record
            .iter()
            .rposition(|byte| *byte != 0)
            .map_or(HEAD, |last| HEAD.max(last + 1));
        let body = record.slice(HEAD..end);
        Ok(Answer {
            version,
            size,
            body,
            replayed: true,
        })
    }
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
        let purpose = self
            .application
            .map_or(purpose.to_owned(), |name| format!("{purpose} of {name}"));
        let hmac = Hmac::<Sha256>::new_from_slice(salt)
            .map_err(|error| AppError::Internal(error.to_string()))?;
        let hmac = hmac
            .chain_update(purpose)
            .chain_update([0])
            .chain_update(&key.key);
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
        let answer = Answer {
            version: 0x0102,
            size: AnswerSize::Minimal,
            body: Bytes::new(),
            replayed: false,
        };
        let pinned = "07".repeat(32)
            + "0000000000000102"
            + "02"
            + &HEXLOWER.encode(b"gm-abcdefgh")
            + &"00".repeat(13);
        let what_to_do = "a stored answer would be misread: raise SCHEMA in src/engine/document.rs and pin the new form here";
        assert_eq!(
            (
                SCHEMA,
                HEXLOWER.encode(&key.record(&answer, b"gm-abcdefgh"))
            ),
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
        let answer = Answer {
            version: 3,
            size: AnswerSize::Minimal,
            body: Bytes::new(),
            replayed: false,
        };
        for body in [&b""[..], b"gm-abcdefgh", &[b'x'; 100]] {
            let record = key.record(&answer, body);
            assert_eq!(record.len(), LEAST.max(HEAD + body.len()));
            let read = key.replay(&record).unwrap();
            assert_eq!(
                (read.version, read.size, &read.body[..]),
                (3, AnswerSize::Minimal, body)
            );
        }
    }
}
