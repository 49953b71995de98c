//! Bearer tokens: handed out, listed, checked and revoked. Only their digests are stored.
//!
//! Writes of tokens change the encounter's meta; they add no log entry and make no version.

use super::application::PREFIX;
use super::storage::Change;
use super::{Answer, AnswerSize, App, AppError, Application, IdempotencyKey, now};
use crate::engine::{AnyEncounter, Meta, NewToken, Refusal, Role, TokenRecord, Viewer};
use crate::json::FieldError;
use crate::vocabulary::{MAX_COMBATANTS, OwnCombatant, Violation};
use bytes::Bytes;
use data_encoding::{BASE32_NOPAD_NOCASE as BASE32, BASE64URL_NOPAD, HEXLOWER};
use jiff::{SignedDuration, Timestamp};
use sha2::{Digest, Sha256};
use std::future::ready;
use std::time::Duration;
use subtle::ConstantTimeEq;

/// Maximum tokens of an encounter at a time.
pub const MAX_TOKENS: usize = 100;
/// The time in which a repeated replacement returns the new token. It is short, because the request
/// proves only the old one.
const REPEATABLE: SignedDuration = SignedDuration::from_mins(10);

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
        let (digest, combatants) = (self.digest(), Vec::new());
        TokenRecord {
            id,
            digest,
            role,
            name: None,
            combatants,
            expires_at: None,
            replaced_at: None,
        }
    }
}

/// The token of a request: its digest, SHA-256 in hexadecimal.
#[derive(Clone)]
pub struct BearerToken(String);

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
        let record = meta.tokens.iter().find(|record| self.is(record));
        record
            .filter(|record| is_active(record))
            .map(TokenRecord::viewer)
            .ok_or(AppError::NotFound)
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
fn is_active(record: &TokenRecord) -> bool {
    record.expires_at.as_ref().is_none_or(|end| *end > now())
}

/// How long a viewer's token is still good, at most an hour, after which to look again. None: it
/// has expired.
pub(super) fn time_left(viewer: &Viewer) -> Option<Duration> {
    const HOUR: Duration = Duration::from_secs(60 * 60);
    let Some(end) = &viewer.expires_at else {
        return Some(HOUR);
    };
    let left = end
        .parse::<Timestamp>()
        .ok()?
        .duration_since(Timestamp::now());
    Duration::try_from(left)
        .ok()
        .filter(|left| !left.is_zero())
        .map(|left| left.min(HOUR))
}

/// Refuses all but the game master; `what` begins the explanation.
pub(super) fn only_gm(viewer: &Viewer, what: &str) -> Result<(), AppError> {
    if viewer.is_gm() {
        return Ok(());
    }
    let detail = format!("{what} is the game master's right: send a token whose role is gm");
    Err(Refusal::Forbidden {
        path: String::new(),
        detail,
    }
    .into())
}

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
        let wrong = |path: &str, message: &str| Err(FieldError::meaningless(path, message).into());
        match (self.role, self.combatants.len()) {
            (Role::Player, 0) => {
                return wrong(
                    "combatants",
                    "a player's token names the combatants that it acts for",
                );
            }
            (Role::Gm | Role::Spectator, 1..) => {
                return wrong("combatants", "only a player's token names combatants");
            }
            (_, n) if n > MAX_COMBATANTS => {
                return wrong("combatants", "an encounter has at most 500 combatants");
            }
            _ => {}
        }
        let mut combatants: Vec<OwnCombatant> = Vec::with_capacity(self.combatants.len());
        for (i, id) in self.combatants.iter().enumerate() {
            let own = encounter.named(format!("combatants.{i}"), id)?;
            if !combatants.contains(&own) {
                combatants.push(own);
            }
        }
        let record = TokenRecord {
            name: self.name.clone(),
            combatants,
            ..token.record(self.role, id)
        };
        let end = match (&self.expires_at, self.expires_in) {
            (None, None) => return Ok(record),
            (Some(_), Some(_)) => {
                return wrong(
                    "expires_in",
                    "say when it ends once: expires_at or expires_in",
                );
            }
            (Some(at), None) => at.parse::<Timestamp>().ok(),
            (None, Some(seconds)) => Timestamp::now()
                .checked_add(SignedDuration::from_secs(seconds.get()))
                .ok(),
        };
        match end {
            Some(end) if end > Timestamp::now() => Ok(TokenRecord {
                expires_at: Some(format!("{end:.3}")),
                ..record
            }),
            Some(_) => wrong("expires_at", "a token ends in the future"),
            None => wrong(
                "expires_at",
                "a time in RFC 3339 is expected, such as 2026-01-31T19:30:00Z, and none after 9999-12-30T22:00:00Z",
            ),
        }
    }
}

impl App {
    /// The active tokens of an encounter, oldest first, for its game master.
    pub async fn tokens(&self, id: &str, token: &BearerToken) -> Result<Vec<Viewer>, AppError> {
        let (encounter, viewer) = self.authenticate(id, token).await?;
        only_gm(&viewer, "to list tokens")?;
        let active = encounter
            .meta()
            .tokens
            .iter()
            .filter(|record| is_active(record));
        Ok(active
            .map(|record| encounter.you(&record.viewer()))
            .collect())
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
                let detail = "an application hands out only game masters' tokens: send a game master's token for others";
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
        let fingerprint = key.map_or(String::new(), |key| HEXLOWER.encode(&key.fingerprint));
        let derived = |name: &str| {
            let purpose = format!(
                "token {name} of {id} by {} for {fingerprint}",
                sender.identity()
            );
            secrets
                .derive(&purpose)
                .map(|secret| Token::new(wanted.role, &secret))
        };
        let name = Token::id(wanted.role);
        let token = derived(&name)?;
        let hand_out = |encounter: &dyn AnyEncounter, viewer: Viewer| {
            only_gm(&viewer, "to hand out tokens")?;
            let mut meta = encounter.meta().clone();
            meta.tokens.retain(is_active);
            make_room(&mut meta, sender)?;
            let record = wanted.record(name.clone(), &token, encounter)?;
            let info = serde_json::to_vec(&record.viewer())?;
            meta.tokens.push(record);
            check_gm(&meta)?;
            Ok(Change {
                recorded: name.clone().into(),
                ..meta_change(encounter, meta, info.into())
            })
        };
        let answer = self
            .write(id, sender, key, |encounter, viewer| {
                ready(hand_out(&*encounter, viewer))
            })
            .await?;
        if !answer.replayed {
            return Ok(HandedOut {
                token,
                info: serde_json::from_slice(&answer.body)?,
                replayed: false,
            });
        }
        let token = derived(&String::from_utf8_lossy(&answer.body))?;
        // A repeated request must not show a token that was revoked since.
        let encounter = self.current(id).await?;
        let record = encounter
            .meta()
            .tokens
            .iter()
            .find(|record| token.is(record) && is_active(record));
        let Some(info) = record.map(TokenRecord::viewer) else {
            let detail = "the token that this request handed out was revoked or replaced, or has ended: ask for another one under another Idempotency-Key";
            return Err(Violation::new("token_ended", "TK-12", detail).into());
        };
        Ok(HandedOut {
            token,
            info,
            replayed: true,
        })
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
        let fingerprint = key.map_or(String::new(), |key| HEXLOWER.encode(&key.fingerprint));
        let purpose = format!("replacement of {} of {id} for {fingerprint}", token.0);
        let secret = self.secrets(key, None).await?.derive(&purpose)?;
        let sender = &Sender::Token(token.clone());
        self.refuse_used_key(id, sender, key).await?;
        let replace = |encounter: &dyn AnyEncounter, info: Viewer| {
            let mut meta = encounter.meta().clone();
            let mut records = meta.tokens.iter_mut();
            let record = records
                .find(|record| record.id == info.token)
                .ok_or(AppError::NotFound)?;
            record.digest = Token::new(info.role, &secret).digest();
            record.replaced_at = key.map(|_| now());
            let body = serde_json::to_vec(&info)?;
            Ok(meta_change(encounter, meta, body.into()))
        };
        match self
            .write(id, sender, None, |encounter, viewer| {
                ready(replace(&*encounter, viewer))
            })
            .await
        {
            // The token is unknown to a repeated request, because the first one replaced it.
            Err(AppError::NotFound) if key.is_some() => {
                self.repeated_replacement(id, &secret).await
            }
            Err(error) => Err(error),
            Ok(answer) => {
                let info: Viewer = serde_json::from_slice(&answer.body)?;
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
        for record in encounter
            .meta()
            .tokens
            .iter()
            .filter(|record| is_active(record))
        {
            let repeatable = record
                .replaced_at
                .as_ref()
                .is_some_and(|at| is_repeatable(at, Timestamp::now()));
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
        let revoke = |encounter: &dyn AnyEncounter, viewer: Viewer| {
            only_gm(&viewer, "to revoke tokens")?;
            let mut meta = encounter.meta().clone();
            meta.tokens.retain(is_active);
            let revoked = meta.tokens.iter().position(|record| record.id == revoked);
            meta.tokens.remove(revoked.ok_or(AppError::NoToken)?);
            check_gm(&meta)?;
            Ok(meta_change(encounter, meta, Bytes::new()))
        };
        self.write(id, sender, None, |encounter, viewer| {
            ready(revoke(&*encounter, viewer))
        })
        .await
        .map(drop)
    }
}

/// Makes room for another token. For the application that created the encounter, the oldest game
/// master's token makes room, because nobody else may be left to revoke one.
fn make_room(meta: &mut Meta, sender: &Sender) -> Result<(), AppError> {
    if meta.tokens.len() < MAX_TOKENS {
        return Ok(());
    }
    match (
        sender,
        meta.tokens
            .iter()
            .position(|record| record.role == Role::Gm),
    ) {
        (Sender::Creator(_), Some(oldest)) => drop(meta.tokens.remove(oldest)),
        _ => {
            let detail = format!("an encounter has at most {MAX_TOKENS} tokens: revoke one first");
            return Err(Violation::new("too_many_tokens", "TK-4", detail).into());
        }
    }
    Ok(())
}

/// Refuses tokens that leave no game master in the end.
fn check_gm(meta: &Meta) -> Result<(), AppError> {
    if meta
        .tokens
        .iter()
        .any(|record| record.role == Role::Gm && record.expires_at.is_none())
    {
        return Ok(());
    }
    let detail =
        "this is the last game master's token that does not end: hand out another one first";
    Err(Violation::new("last_gm_token", "TK-10", detail).into())
}

/// A write that changes only the meta of an encounter.
fn meta_change(encounter: &dyn AnyEncounter, meta: Meta, body: Bytes) -> Change {
    let answer = Answer {
        version: encounter.version(),
        size: AnswerSize::Minimal,
        body,
        replayed: false,
    };
    Change {
        encounter: encounter.with_meta(meta),
        entry: None,
        answer,
        recorded: Bytes::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn a_replacement_is_repeatable_for_ten_minutes() {
        let at = "2026-01-31T19:30:00.000Z";
        let repeatable = |now: &str| is_repeatable(at, now.parse().expect("a time"));
        assert!(repeatable("2026-01-31T19:30:00Z") && repeatable("2026-01-31T19:39:59Z"));
        assert!(!repeatable("2026-01-31T19:40:00Z") && !repeatable("2026-02-28T00:00:00Z"));
    }
}
