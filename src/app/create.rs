//! New encounters.

use super::{App, AppError, Application, CacheEntry, IdempotencyKey, MAX_DOCUMENT, Token, now};
use crate::engine::{Creation, Game, Meta, Role};
use crate::store::{Base, Entry, NewEncounter};
use bytes::Bytes;
use data_encoding::{BASE32_NOPAD_NOCASE as BASE32, HEXLOWER};
use std::sync::Arc;

/// So many bytes are in an encounter's id.
pub(super) const ID_BYTES: usize = 20;

/// An encounter that was created, and its game master's token: the only time that it is in the clear.
pub struct CreatedEncounter {
    /// The encounter at version 0.
    pub game: Arc<dyn Game>,
    /// The game master's token.
    pub token: Token,
    /// True when it was created before, under the same idempotency key.
    pub replayed: bool,
}

impl App {
    /// Creates an encounter, once for each idempotency key: id and token follow from the key, so that a repeated request finds
    /// what the first one made. It is listed for `application`; each application has idempotency keys of its own.
    pub async fn create(
        &self, creation: Creation, key: Option<&IdempotencyKey>, application: Option<Application>,
    ) -> Result<CreatedEncounter, AppError> {
        let (meta, token) = self.newcomer(creation.seed, key, application.as_deref()).await?;
        let game = self.rulesets.create(meta, creation)?;
        self.persist(game.clone(), game, Vec::new(), token, key, application).await
    }

    /// The meta of a new encounter, and its game master's token.
    pub(super) async fn newcomer(
        &self, seed: Option<u64>, key: Option<&IdempotencyKey>, application: Option<&str>,
    ) -> Result<(Meta, Token), AppError> {
        let (id, secret): ([u8; 32], [u8; 32]) = match key {
            None => (rand::random(), rand::random()),
            Some(key) => {
                let salt = self.store.salt().await?;
                let purpose = |what: &str| application.map_or(what.to_owned(), |name| format!("{what} of {name}"));
                (key.derive(&salt, &purpose("encounter"))?, key.derive(&salt, &purpose("token"))?)
            }
        };
        let [id @ .., _, _, _, _, _, _, _, _, _, _, _, _] = &id;
        let id: &[u8; ID_BYTES] = id;
        let token = Token::new(Role::Gm, &secret);
        let meta = Meta {
            id: BASE32.encode(id).to_ascii_lowercase(),
            created_at: now(),
            seed,
            request: key.map(|key| HEXLOWER.encode(&key.fingerprint)),
            player_undo: false,
            tokens: vec![token.record(Role::Gm, "gm".to_owned())],
        };
        Ok((meta, token))
    }

    /// Keeps a new encounter: `base`, and what the log that it brings along made of it.
    pub(super) async fn persist(
        &self, base: Arc<dyn Game>, game: Arc<dyn Game>, entries: Vec<Entry>, token: Token,
        key: Option<&IdempotencyKey>, application: Option<Application>,
    ) -> Result<CreatedEncounter, AppError> {
        let id = &game.meta().id;
        let document = Bytes::from(stored(&*game)?);
        let size = document.len();
        let revision = rand::random();
        let application = application.map(|name| name.to_string());
        let base = Base { version: base.version(), document: stored(&*base)?.into() };
        let new = NewEncounter { revision, document, base, entries, application };
        let Some(first_base) = self.store.create(id, new).await? else {
            self.copies.keep(id, CacheEntry { revision, game: game.clone(), size });
            return Ok(CreatedEncounter { game, token, replayed: false });
        };
        let first = self.rulesets.load(&first_base)?;
        if key.is_none() || first.meta().request != game.meta().request {
            return Err(AppError::KeyReused);
        }
        Ok(CreatedEncounter { game: game.with_meta(first.meta().clone()), token, replayed: true })
    }
}

/// The document of an encounter, unless it is too large to be stored.
pub(super) fn stored(game: &dyn Game) -> Result<Vec<u8>, AppError> {
    let document = game.document()?;
    if document.len() > MAX_DOCUMENT { Err(AppError::TooLarge { size: document.len() }) } else { Ok(document) }
}
