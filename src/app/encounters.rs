//! Creating, listing and deleting encounters.

use super::budget::Client;
use super::idempotency::Secrets;
use super::log::MAX_PAGE;
use super::storage::{CacheEntry, document_within_limit};
use super::token::only_gm;
use super::{
    App, AppError, Application, BearerToken, Expected, HandedOut, IdempotencyKey, Room, Token, now,
};
use crate::engine::{AnyEncounter, Creation, Meta, NewToken, Role, Summary};
use crate::json::FieldError;
use crate::store::{Base, Entry, NewEncounter, StoreError, bytes_of, listed_id};
use data_encoding::{BASE32_NOPAD_NOCASE as BASE32, HEXLOWER};
use std::sync::Arc;

/// The length of an encounter's id in bytes.
const ID_BYTES: usize = 20;
/// Maximum tokens that a creation hands out besides the game master's.
const MAX_FIRST_TOKENS: usize = 50;

/// A new encounter with its game master's token, which appears only here.
pub struct CreatedEncounter {
    /// The encounter at version 0.
    pub encounter: Arc<dyn AnyEncounter>,
    /// The game master's token.
    pub token: Token,
    /// The other tokens that were asked for.
    pub tokens: Vec<HandedOut>,
    /// True when the same idempotency key created it before.
    pub replayed: bool,
    /// Room for the answer.
    pub room: Room,
}

/// True if a text has the form of a cursor: a list position with an id that [`App::create`] can
/// make.
pub fn is_cursor(text: &str) -> bool {
    let Some(id) = listed_id(text) else {
        return false;
    };
    match BASE32.decode(id.as_bytes()) {
        Ok(bytes) => bytes.len() == ID_BYTES && id == id.to_ascii_lowercase(),
        Err(_) => false,
    }
}

impl App {
    /// Creates an encounter, once for each idempotency key: id and token follow from the key, so a
    /// repeated request finds the first result. The encounter is listed for `application`; each
    /// application has idempotency keys of its own. The answer takes room of `client`'s.
    pub async fn create(
        &self,
        creation: Creation,
        key: Option<&IdempotencyKey>,
        application: Option<Application>,
        client: &Client,
    ) -> Result<CreatedEncounter, AppError> {
        let secrets = self.secrets(key, application.as_deref()).await?;
        let (meta, token) = new_meta(creation.seed, key, &secrets)?;
        let wanted = creation.tokens.clone();
        let encounter = self.rulesets.create(meta, creation)?;
        let (meta, tokens) = first_tokens(&*encounter, &wanted, &secrets)?;
        let encounter = encounter.with_meta(meta);
        let room = self.room_for_creation(&*encounter, client)?;
        let (encounter, replayed) = self
            .persist(encounter.clone(), encounter, Vec::new(), key, application)
            .await?;
        let mut handed_out = Vec::with_capacity(tokens.len());
        let records = &encounter.meta().tokens;
        for token in tokens {
            // A repeated request returns the tokens of the first one, except those that were
            // revoked since.
            if let Some(record) = records.iter().find(|record| token.is(record)) {
                handed_out.push(HandedOut {
                    info: record.viewer(),
                    token,
                    replayed,
                });
            }
        }
        Ok(CreatedEncounter {
            encounter,
            token,
            tokens: handed_out,
            replayed,
            room,
        })
    }

    /// Room for the answer to a creation, which must be there before anything is stored.
    pub(super) fn room_for_creation(
        &self,
        encounter: &dyn AnyEncounter,
        client: &Client,
    ) -> Result<Room, AppError> {
        // The answer shows a document, with its empty fields and the order of turns.
        self.answers.reserve(
            client,
            document_within_limit(encounter)?.len().saturating_mul(3),
        )
    }

    /// Stores a new encounter: `base`, and `encounter`, which `entries` made of it. Returns the
    /// encounter, with the meta that it was stored with, and whether the same idempotency key
    /// created it before.
    pub(super) async fn persist(
        &self,
        base: Arc<dyn AnyEncounter>,
        encounter: Arc<dyn AnyEncounter>,
        entries: Vec<Entry>,
        key: Option<&IdempotencyKey>,
        application: Option<Application>,
    ) -> Result<(Arc<dyn AnyEncounter>, bool), AppError> {
        let id = &encounter.meta().id;
        let document = document_within_limit(&*encounter)?;
        let current = CacheEntry {
            revision: rand::random(),
            encounter: encounter.clone(),
            size: document.len(),
            log_bytes: bytes_of(&entries),
            compaction_failed: false,
        };
        let base = Base {
            version: base.version(),
            document: document_within_limit(&*base)?,
        };
        let new = NewEncounter {
            revision: current.revision,
            document,
            base,
            entries,
            application: application.map(|name| name.to_string()),
        };
        let Some(first_base) = self.store.create(id, new).await? else {
            self.cache.insert(id.as_str().into(), current);
            return Ok((encounter, false));
        };
        let first = self.rulesets.load(&first_base)?;
        if key.is_none() || first.meta().request != encounter.meta().request {
            return Err(AppError::KeyReused);
        }
        // What has no entries is as the first request made it, at its time.
        if first.version() == encounter.version() {
            return Ok((first, true));
        }
        Ok((encounter.with_meta(first.meta().clone()), true))
    }

    /// At most `limit` of an application's encounters after `cursor`, newest first, without those
    /// that this program cannot read. Returns also the cursor of the next page, if there may be
    /// one.
    pub async fn list(
        &self,
        application: &str,
        cursor: Option<&str>,
        limit: usize,
    ) -> Result<(Vec<Summary>, Option<String>), AppError> {
        let store = &self.store;
        let listing = store.list(application, cursor, limit, MAX_PAGE).await?;
        let mut items = Vec::with_capacity(listing.items.len());
        for listed in &listing.items {
            match self.rulesets.load(&listed.document) {
                Ok(encounter) => items.push(encounter.summary()),
                // One that is damaged, or that a newer program wrote, must not hide the others.
                Err(error) => {
                    let encounter: String = listed.id.chars().take(8).collect();
                    tracing::warn!(encounter, %error, "left out of a list");
                }
            }
        }
        Ok((items, listing.next))
    }

    /// Removes the encounter and everything that belongs to it.
    ///
    /// `expected` is compared before the removal, not in one step with it: a commit in between is
    /// lost with the rest.
    pub async fn delete(
        &self,
        id: &str,
        token: &BearerToken,
        expected: Option<&Expected>,
    ) -> Result<(), AppError> {
        let delete = async {
            let (encounter, viewer) = self.authenticate(id, token).await?;
            only_gm(&viewer, "delete the encounter")?;
            if let Some(expected) = expected {
                expected.check(&encounter, &viewer)?;
            }
            self.cache.remove(id);
            match self.store.delete(id).await {
                // It was there a moment ago: another request removed it, or this one, whose answer
                // was lost so that it was sent again.
                Err(StoreError::Missing) => Ok(()),
                deleted => Ok(deleted?),
            }
        };
        self.with_lock(id, delete).await
    }
}

/// The meta of a new encounter, and its game master's token.
pub(super) fn new_meta(
    seed: Option<u64>,
    key: Option<&IdempotencyKey>,
    secrets: &Secrets<'_>,
) -> Result<(Meta, Token), AppError> {
    let id = secrets.derive("encounter")?;
    let token = Token::new(Role::Gm, &secrets.derive("token")?);
    let meta = Meta {
        id: BASE32
            .encode(id.get(..ID_BYTES).unwrap_or_default())
            .to_ascii_lowercase(),
        created_at: now().to_string(),
        seed,
        request: key.map(|key| HEXLOWER.encode(&key.fingerprint)),
        player_undo: false,
        player_effects: false,
        player_damage: false,
        tokens: vec![token.record(Role::Gm, "gm".to_owned())],
    };
    Ok((meta, token))
}

/// The meta of a new encounter with the tokens that its creation asks for, and these tokens.
fn first_tokens(
    encounter: &dyn AnyEncounter,
    wanted: &[NewToken],
    secrets: &Secrets<'_>,
) -> Result<(Meta, Vec<Token>), AppError> {
    if wanted.len() > MAX_FIRST_TOKENS {
        let detail = format!(
            "Too many tokens. A creation makes at most {MAX_FIRST_TOKENS}; create more afterwards."
        );
        return Err(FieldError::meaningless("tokens", detail).into());
    }
    let mut meta = encounter.meta().clone();
    let mut tokens = Vec::with_capacity(wanted.len());
    for (index, wanted) in wanted.iter().enumerate() {
        let secret = secrets.derive(&format!("token {index}"))?;
        let token = Token::new(wanted.role, &secret);
        let record = wanted
            .record(Token::id(wanted.role), &token, encounter)
            .map_err(|refusal| refusal.within(&format!("tokens.{index}")))?;
        meta.tokens.push(record);
        tokens.push(token);
    }
    Ok((meta, tokens))
}
