//! The tokens of an encounter: handed out, listed, replaced and revoked.
//!
//! Writes of tokens change the encounter's meta; they add no log entry and make no version.

use super::change::{Change, Written};
use super::idempotency::IdempotencyKey;
use super::token::{BearerToken, Sender, Token, is_active, only_gm};
use super::{App, AppError, now};
use crate::engine::{AnyEncounter, Meta, NewToken, Refusal, Role, TokenRecord, Viewer};
use crate::json::FieldError;
use crate::vocabulary::{MAX_COMBATANTS, OwnCombatant, Violation};
use bytes::Bytes;
use data_encoding::HEXLOWER;
use jiff::{SignedDuration, Timestamp};

/// Maximum tokens of an encounter at a time.
pub const MAX_TOKENS: usize = 100;
/// The time in which a repeated replacement returns the new token. It is short, because the request
/// proves only the old one.
const REPEATABLE: SignedDuration = SignedDuration::from_mins(10);

/// A new token, which appears only here.
pub struct HandedOut {
    /// Its public description.
    pub info: Viewer,
    /// The token.
    pub token: Token,
    /// True when the same idempotency key handed it out before.
    pub replayed: bool,
}

/// Whether a repeated request may still ask for the token that took the place of another one at
/// `replaced_at`.
fn is_repeatable(replaced_at: &str, now: Timestamp) -> bool {
    replaced_at
        .parse::<Timestamp>()
        .is_ok_and(|at| now.duration_since(at) < REPEATABLE)
}

impl NewToken {
    /// Checks a wanted token, and makes its record under this id, with each of its combatants once.
    pub(super) fn record(
        &self,
        id: String,
        token: &Token,
        encounter: &dyn AnyEncounter,
    ) -> Result<TokenRecord, Refusal> {
        self.check_combatants()?;
        let mut combatants: Vec<OwnCombatant> = Vec::with_capacity(self.combatants.len());
        for (i, id) in self.combatants.iter().enumerate() {
            let own = encounter.named(format!("combatants.{i}"), id)?;
            if !combatants.contains(&own) {
                combatants.push(own);
            }
        }
        Ok(TokenRecord {
            name: self.name.clone(),
            combatants,
            expires_at: self.end()?,
            ..token.record(self.role, id)
        })
    }

    /// Refuses combatants that a token of its role does not name.
    fn check_combatants(&self) -> Result<(), FieldError> {
        let wrong = match (self.role, self.combatants.len()) {
            (Role::Player, 0) => "A player's token needs combatants. Name those that it acts for.",
            (Role::Gm | Role::Spectator, 1..) => {
                "Only a player's token has combatants. Leave them out."
            }
            (_, count) if count > MAX_COMBATANTS => {
                "Too many combatants. An encounter has at most 500."
            }
            _ => return Ok(()),
        };
        Err(FieldError::meaningless("combatants", wrong))
    }

    /// When it ends, as records say it; None: never.
    fn end(&self) -> Result<Option<String>, FieldError> {
        let end: Option<Timestamp> = match (&self.expires_at, self.expires_in) {
            (None, None) => return Ok(None),
            (Some(_), Some(_)) => {
                let message =
                    "Both \"expires_at\" and \"expires_in\" set the expiry. Send one of them.";
                return Err(FieldError::meaningless("expires_in", message));
            }
            (Some(at), None) => at.parse().ok(),
            (None, Some(seconds)) => {
                let life = SignedDuration::from_secs(seconds.get());
                Timestamp::now().checked_add(life).ok()
            }
        };
        let Some(end) = end else {
            let message = "Expected a time in RFC 3339, such as 2026-01-31T19:30:00Z, \
                           and at most 9999-12-30T22:00:00Z.";
            return Err(FieldError::meaningless("expires_at", message));
        };
        if end <= Timestamp::now() {
            let message = "This time has passed. Send a time in the future.";
            return Err(FieldError::meaningless("expires_at", message));
        }
        Ok(Some(format!("{end:.3}")))
    }
}

impl App {
    /// At most `limit` active tokens of an encounter after the one with the id `cursor`, oldest
    /// first, for its game master. Returns also the cursor of the next page, if there is one.
    pub async fn tokens(
        &self,
        id: &str,
        token: &BearerToken,
        cursor: Option<&str>,
        limit: usize,
    ) -> Result<(Vec<Viewer>, Option<String>), AppError> {
        let (encounter, viewer) = self.authenticate(id, token).await?;
        only_gm(&viewer, "list tokens")?;
        let all = &encounter.meta().tokens;
        let mut first = 0;
        if let Some(cursor) = cursor {
            let Some(last) = all.iter().position(|record| record.id == cursor) else {
                let message = "Unknown cursor: its token was revoked. List again without it.";
                return Err(FieldError::meaningless("cursor", message).into());
            };
            first = last + 1;
        }
        let mut items: Vec<Viewer> = Vec::new();
        let mut next = None;
        for record in all.iter().skip(first).filter(|record| is_active(record)) {
            if items.len() == limit {
                next = items.last().map(|last| last.token_id.clone());
                break;
            }
            items.push(encounter.you(&record.viewer()));
        }
        Ok((items, next))
    }

    /// Hands out a token, once for each idempotency key; to the application that created the
    /// encounter only a game master's. The token follows from the key and its own id, so only the
    /// id is recorded for a repeated request.
    pub async fn hand_out(
        &self,
        id: &str,
        sender: &Sender,
        wanted: &NewToken,
        key: Option<&IdempotencyKey>,
    ) -> Result<HandedOut, AppError> {
        if let Sender::Creator(application) = sender {
            if wanted.role != Role::Gm {
                let detail = "An application's key creates only game masters' tokens. Send a game \
                              master's token to create others.";
                return Err(Refusal::Forbidden {
                    path: String::new(),
                    detail: detail.to_owned(),
                }
                .into());
            }
            if self.store.application(id).await?.as_deref() != Some(application) {
                return Err(AppError::NotFound);
            }
        }
        let secrets = self.secrets(key, None).await?;
        let name = Token::id(wanted.role);
        let purpose = purpose_of_new(&name, id, sender, key);
        let token = Token::new(wanted.role, &secrets.derive(&purpose)?);
        let written = self.write(id, sender, key, |encounter, viewer| {
            only_gm(&viewer, "create tokens")?;
            with_new_token(encounter, sender, wanted, &token, &name)
        });
        let repeated = match written.await? {
            Written::Applied(info) => {
                return Ok(HandedOut {
                    token,
                    info,
                    replayed: false,
                });
            }
            Written::Repeated(repeated) => repeated,
        };
        let name = String::from_utf8_lossy(&repeated.record.body);
        let purpose = purpose_of_new(&name, id, sender, key);
        let token = Token::new(wanted.role, &secrets.derive(&purpose)?);
        // A repeated request must not show a token that was revoked since.
        let encounter = self.current(id).await?;
        for record in &encounter.meta().tokens {
            if token.is(record) && is_active(record) {
                return Ok(HandedOut {
                    token,
                    info: record.viewer(),
                    replayed: true,
                });
            }
        }
        let detail = "The token that this request created was revoked or replaced, or has \
                      expired. Create another one with another Idempotency-Key.";
        Err(Violation::new("token_ended", "TK-12", detail).into())
    }

    /// Replaces a token by one with the same id, role, name, combatants and end. The old one is
    /// invalid at once. The new one follows from the old one and the idempotency key: a repeated
    /// request finds it among the tokens, and nothing is recorded for it.
    pub async fn replace(
        &self,
        id: &str,
        token: &BearerToken,
        key: Option<&IdempotencyKey>,
    ) -> Result<HandedOut, AppError> {
        let fingerprint = fingerprint_of(key);
        let purpose = format!("replacement of {} of {id} for {fingerprint}", token.0);
        let secret = self.secrets(key, None).await?.derive(&purpose)?;
        let sender = &Sender::Token(token.clone());
        self.refuse_used_key(id, sender, key).await?;
        let written = self.write(id, sender, None, |encounter, info| {
            let replaced_at = key.map(|_| now().to_string());
            with_token_replaced(encounter, info, &secret, replaced_at)
        });
        match written.await {
            // The token is unknown to a repeated request, because the first one replaced it.
            Err(AppError::NotFound) if key.is_some() => {
                self.repeated_replacement(id, &secret).await
            }
            Err(error) => Err(error),
            Ok(written) => {
                let info = written.applied()?;
                Ok(HandedOut {
                    token: Token::new(info.role, &secret),
                    info,
                    replayed: false,
                })
            }
        }
    }

    /// Refuses a key under which a valid token has sent another request. A replacement itself
    /// leaves no record.
    async fn refuse_used_key(
        &self,
        id: &str,
        sender: &Sender,
        key: Option<&IdempotencyKey>,
    ) -> Result<(), AppError> {
        let Some(key) = key else { return Ok(()) };
        let (current, record) = self
            .fetch(
                id,
                self.cache.get(id).as_ref(),
                Some(&key.digest(id, sender)),
            )
            .await?;
        if record.is_some() && sender.viewer(current.encounter.meta()).is_ok() {
            return Err(AppError::KeyReused);
        }
        Ok(())
    }

    /// The token of this secret, if it took the place of another one a short while ago and is still
    /// valid. Otherwise the token that it replaces is as unknown as any other.
    async fn repeated_replacement(
        &self,
        id: &str,
        secret: &[u8; 32],
    ) -> Result<HandedOut, AppError> {
        let encounter = self.current(id).await?;
        for record in &encounter.meta().tokens {
            let Some(replaced_at) = &record.replaced_at else {
                continue;
            };
            let repeatable = is_active(record) && is_repeatable(replaced_at, Timestamp::now());
            let token = Token::new(record.role, secret);
            if repeatable && token.is(record) {
                return Ok(HandedOut {
                    token,
                    info: record.viewer(),
                    replayed: true,
                });
            }
        }
        Err(AppError::NotFound)
    }

    /// Revokes a token, which ends the streams that it opened.
    pub async fn revoke(
        &self,
        id: &str,
        token: &BearerToken,
        revoked: &str,
    ) -> Result<(), AppError> {
        let sender = &Sender::Token(token.clone());
        let written = self.write(id, sender, None, |encounter, viewer| {
            only_gm(&viewer, "revoke tokens")?;
            without_token(encounter, revoked)
        });
        written.await?.applied()
    }
}

/// What a new token of this name is derived from.
fn purpose_of_new(name: &str, id: &str, sender: &Sender, key: Option<&IdempotencyKey>) -> String {
    let sender = sender.identity();
    let fingerprint = fingerprint_of(key);
    format!("token {name} of {id} by {sender} for {fingerprint}")
}

fn fingerprint_of(key: Option<&IdempotencyKey>) -> String {
    key.map_or(String::new(), |key| HEXLOWER.encode(&key.fingerprint))
}

/// The encounter with a token more, whose id is `name`.
fn with_new_token(
    encounter: &dyn AnyEncounter,
    sender: &Sender,
    wanted: &NewToken,
    token: &Token,
    name: &str,
) -> Result<Change<Viewer>, AppError> {
    let mut meta = encounter.meta().clone();
    meta.tokens.retain(is_active);
    make_room(&mut meta, sender)?;
    let record = wanted.record(name.to_owned(), token, encounter)?;
    let info = record.viewer();
    meta.tokens.push(record);
    check_gm(&meta)?;
    let recorded = Bytes::copy_from_slice(name.as_bytes());
    let encounter = encounter.with_meta(meta);
    Ok(Change::without_entry(encounter, info, recorded))
}

/// The encounter with another secret for the token that `info` describes.
fn with_token_replaced(
    encounter: &dyn AnyEncounter,
    info: Viewer,
    secret: &[u8; 32],
    replaced_at: Option<String>,
) -> Result<Change<Viewer>, AppError> {
    let mut meta = encounter.meta().clone();
    let mut records = meta.tokens.iter_mut();
    let record = records.find(|record| record.id == info.token_id);
    let record = record.ok_or(AppError::NotFound)?;
    record.digest = Token::new(info.role, secret).digest();
    record.replaced_at = replaced_at;
    let encounter = encounter.with_meta(meta);
    Ok(Change::without_entry(encounter, info, Bytes::new()))
}

/// The encounter without a token.
fn without_token(encounter: &dyn AnyEncounter, revoked: &str) -> Result<Change<()>, AppError> {
    let mut meta = encounter.meta().clone();
    meta.tokens.retain(is_active);
    let revoked = meta.tokens.iter().position(|record| record.id == revoked);
    meta.tokens.remove(revoked.ok_or(AppError::NoToken)?);
    check_gm(&meta)?;
    let encounter = encounter.with_meta(meta);
    Ok(Change::without_entry(encounter, (), Bytes::new()))
}

/// Makes room for another token. For the application that created the encounter, the oldest game
/// master's token makes room, because nobody else may be left to revoke one.
fn make_room(meta: &mut Meta, sender: &Sender) -> Result<(), AppError> {
    if meta.tokens.len() < MAX_TOKENS {
        return Ok(());
    }
    let tokens = &mut meta.tokens;
    let oldest = tokens.iter().position(|record| record.role == Role::Gm);
    if let (Sender::Creator(_), Some(oldest)) = (sender, oldest) {
        tokens.remove(oldest);
        return Ok(());
    }
    let detail =
        format!("Too many tokens: an encounter has at most {MAX_TOKENS}. Revoke one first.");
    Err(Violation::new("too_many_tokens", "TK-4", detail).into())
}

/// Refuses tokens that leave no game master in the end.
fn check_gm(meta: &Meta) -> Result<(), AppError> {
    for record in &meta.tokens {
        if record.role == Role::Gm && record.expires_at.is_none() {
            return Ok(());
        }
    }
    let detail = "You can't revoke the last game master's token that never expires. Create another one first.";
    Err(Violation::new("last_gm_token", "TK-10", detail).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replacement_is_repeatable_for_ten_minutes() {
        let at = "2026-01-31T19:30:00.000Z";
        let repeatable = |now: &str| is_repeatable(at, now.parse().expect("a time"));
        assert!(repeatable("2026-01-31T19:30:00Z") && repeatable("2026-01-31T19:39:59Z"));
        assert!(!repeatable("2026-01-31T19:40:00Z") && !repeatable("2026-02-28T00:00:00Z"));
    }
}
