//! Tokens are handed out, listed and revoked: writes of the encounter's meta that add no log entry and make no version.

use super::create::stored;
use super::token::{lasting, only_gm};
use super::{Answer, App, AppError, BearerToken, CacheEntry, Fetched, IdempotencyKey, Shape, Token};
use crate::engine::{Game, MAX_COMBATANTS, Meta, NewToken, Refusal, Role, TokenInfo, TokenRecord, Viewer};
use crate::store::{Commit, Committed, KeyDigest};
use crate::vocabulary::{CombatantId, FieldError, Violation};
use bytes::Bytes;
use jiff::{SignedDuration, Timestamp};

/// An encounter has at most so many tokens at a time.
pub const MAX_TOKENS: usize = 100;
/// So often a write is tried because another writer was first.
const TRIES: usize = 64;

/// A token that was handed out: the only time that it is in the clear.
pub struct HandedOut {
    /// What is known of it.
    pub info: TokenInfo,
    /// The token.
    pub token: Token,
    /// True when it was handed out before, under the same idempotency key.
    pub replayed: bool,
}

/// What is wanted comes to in an encounter: the combatants, each once, and the end.
fn checked(wanted: &NewToken, game: &dyn Game) -> Result<(Vec<CombatantId>, Option<String>), Refusal> {
    let wrong = |path: &str, message: &str| Err(FieldError::meaningless(path, message).into());
    match (wanted.role, wanted.combatants.len()) {
        (Role::Player, 0) => return wrong("combatants", "a player's token names the combatants that it acts for"),
        (Role::Gm | Role::Spectator, 1..) => return wrong("combatants", "only a player's token names combatants"),
        (_, n) if n > MAX_COMBATANTS => return wrong("combatants", "an encounter has at most 500 combatants"),
        _ => {}
    }
    let mut combatants: Vec<CombatantId> = Vec::with_capacity(wanted.combatants.len());
    for (i, id) in wanted.combatants.iter().enumerate() {
        if !game.has(id) {
            let detail = format!("there is no combatant {id} in this encounter");
            let violation = Violation::field("unknown_combatant", format!("combatants.{i}"), detail);
            return Err(Refusal::Violation { path: String::new(), violation });
        }
        if !combatants.contains(id) {
            combatants.push(id.clone());
        }
    }
    let end = match (&wanted.expires_at, wanted.expires_in) {
        (None, None) => return Ok((combatants, None)),
        (Some(_), Some(_)) => return wrong("expires_in", "say when it ends once: expires_at or expires_in"),
        (Some(at), None) => at.parse::<Timestamp>().ok(),
        (None, Some(seconds)) => Timestamp::now().checked_add(SignedDuration::from_secs(seconds.get())).ok(),
    };
    match end {
        Some(end) if end > Timestamp::now() => Ok((combatants, Some(format!("{end:.3}")))),
        Some(_) => wrong("expires_at", "a token ends in the future"),
        None => wrong(
            "expires_at",
            "a time in RFC 3339 is expected, such as 2026-01-31T19:30:00Z, and none after 9999-12-30T22:00:00Z",
        ),
    }
}

impl App {
    /// The tokens of an encounter that last, oldest first, for its game master.
    pub async fn tokens(&self, id: &str, token: &BearerToken) -> Result<Vec<TokenInfo>, AppError> {
        let (held, viewer) = self.admit(id, token).await?;
        only_gm(&viewer, "to list tokens")?;
        Ok(held.game.meta().tokens.iter().filter(|record| lasting(record)).map(TokenInfo::from).collect())
    }

    /// Hands out a token, once for each idempotency key: it follows from the key and its own id, so that it need not be kept for a
    /// repetition, and never comes again once that is forgotten.
    pub async fn hand_out(
        &self, id: &str, token: &BearerToken, wanted: &NewToken, key: Option<&IdempotencyKey>,
    ) -> Result<HandedOut, AppError> {
        let salt = match key {
            None => rand::random(),
            Some(_) => self.store.salt().await?,
        };
        let named = |name: &str| -> Result<Token, AppError> {
            let secret = key.map_or(Ok(salt), |key| key.derive(&salt, &token.purpose(id, name, key)))?;
            Ok(Token::new(wanted.role, &secret))
        };
        let name = Token::id(wanted.role);
        let record = named(&name)?.record(wanted.role, name);
        let recorded = key.map(|key| (key, key.digest(id, token)));
        let outcome = self.rewrite(id, token, "to hand out tokens", recorded, |game| {
            let mut meta = game.meta().clone();
            meta.tokens.retain(lasting);
            if meta.tokens.len() >= MAX_TOKENS {
                let detail = format!("an encounter has at most {MAX_TOKENS} tokens: revoke one first");
                return Err(refused(Violation::new("too_many_tokens", "TK-4", detail)));
            }
            let (combatants, expires_at) = checked(wanted, game)?;
            let name = wanted.name.clone();
            let record = TokenRecord { name, combatants, expires_at, ..record.clone() };
            let info = serde_json::to_vec(&TokenInfo::from(&record))?;
            meta.tokens.push(record);
            Ok((meta, info.into()))
        });
        let (info, replayed) = self.with_lock(id, outcome).await?;
        let info: TokenInfo = serde_json::from_slice(&info)?;
        let handed = named(&info.id)?;
        let record = handed.record(wanted.role, info.id.clone());
        // What was revoked since is not handed out again, nor as if it opened anything.
        let known = |out: &TokenRecord| out.id == record.id && out.digest == record.digest && lasting(out);
        if replayed && !self.admit(id, token).await?.0.game.meta().tokens.iter().any(known) {
            let detail = "the token that this request handed out was revoked, or has ended: ask for another one under another Idempotency-Key";
            return Err(refused(Violation::new("token_ended", "TK-12", detail)));
        }
        Ok(HandedOut { info, token: handed, replayed })
    }

    /// Takes a token back; whatever it is used for ends.
    pub async fn revoke(&self, id: &str, token: &BearerToken, revoked: &str) -> Result<(), AppError> {
        let outcome = self.rewrite(id, token, "to revoke tokens", None, |game| {
            let mut meta = game.meta().clone();
            meta.tokens.retain(|record| record.id != revoked && lasting(record));
            if !game.meta().tokens.iter().any(|record| record.id == revoked && lasting(record)) {
                return Err(AppError::NoToken);
            }
            if !meta.tokens.iter().any(|record| record.role == Role::Gm && record.expires_at.is_none()) {
                let detail = "this is the last game master's token that does not end: hand out another one first";
                return Err(refused(Violation::new("last_gm_token", "TK-10", detail)));
            }
            Ok((meta, Bytes::new()))
        });
        self.with_lock(id, outcome).await.map(drop)
    }

    /// Writes what `change` makes of the meta, for a game master; answers what it says, or what was said under the key before.
    async fn rewrite(
        &self, id: &str, token: &BearerToken, what: &str, key: Option<(&IdempotencyKey, KeyDigest)>,
        change: impl Fn(&dyn Game) -> Result<(Meta, Bytes), AppError>,
    ) -> Result<(Bytes, bool), AppError> {
        let gm = |viewer: &Viewer| only_gm(viewer, what);
        let known = self.copies.get(id);
        let Fetched { mut held, answer, .. } =
            self.fetch(id, known.as_ref(), key.as_ref().map(|(_, digest)| digest)).await?;
        gm(&token.viewer(held.game.meta())?)?;
        if let (Some((key, _)), Some(record)) = (&key, answer) {
            return Ok((key.replay(&record)?.body, true));
        }
        for _ in 0..TRIES {
            gm(&token.viewer(held.game.meta())?)?;
            let (meta, said) = change(&*held.game)?;
            let game = held.game.with_meta(meta);
            let document = Bytes::from(stored(&*game)?);
            let (expected, revision) = (held.revision, rand::random());
            let next = CacheEntry { revision, game, size: document.len() };
            let answer = key.as_ref().map(|(key, digest)| {
                let (version, body) = (held.game.version(), said.clone());
                (*digest, key.record(&Answer { version, shape: Shape::Minimal, body, replayed: false }))
            });
            let commit = Commit { expected, revision, document, entry: None, answer, rebase: None };
            match self.store.commit(id, commit).await.map_err(|error| self.failed(id, error))? {
                Committed::Done => {
                    self.copies.keep(id, next);
                    return Ok((said, false));
                }
                Committed::Conflict(found) => held = self.take(id, None, found)?.held,
                Committed::Replayed(record) => {
                    let (key, _) = key.ok_or_else(|| AppError::Internal("an answer without a key".to_owned()))?;
                    return Ok((key.replay(&record)?.body, true));
                }
            }
        }
        Err(AppError::Contended)
    }
}

fn refused(violation: Violation) -> AppError {
    Refusal::Violation { path: String::new(), violation }.into()
}
