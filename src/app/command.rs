//! Commands: what a viewer may do, how it is decided, and the answers.

use super::budget::Client;
use super::storage::Change;
use super::token::Sender;
use super::work::WhenFull;
use super::{App, AppError, BearerToken, Expected, IdempotencyKey, now};
use crate::engine::{
    AnyEncounter, Decided, LogEntry, Refusal, Request, Rewind, SeededDice, Stop, Viewer,
};
use crate::store::Entry;
use crate::vocabulary::Violation;
use bytes::Bytes;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// Maximum log entries that are checked before a player's undo.
const UNDO_ENTRIES: usize = 100;
/// Up to this weight times commands that thread decides them, which takes a few milliseconds.
const SMALL_REQUEST: usize = 10_000;

/// How much an answer says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum AnswerSize {
    /// `version`, `events` and `encounter`.
    Full = 1,
    /// `version`, `events`, `current` and `pending`.
    Minimal = 2,
}

impl AnswerSize {
    pub(super) fn from_byte(byte: u8) -> Option<Self> {
        [Self::Full, Self::Minimal]
            .into_iter()
            .find(|size| *size as u8 == byte)
    }

    /// The body for an encounter and its new events, as `viewer` sees them. Parts that are JSON are
    /// copied.
    pub(super) fn render(
        self,
        encounter: &dyn AnyEncounter,
        viewer: &Viewer,
        events: &RawValue,
    ) -> Result<Bytes, AppError> {
        let mut body =
            format!("{{\"version\":{},\"events\":{events},", encounter.version()).into_bytes();
        match self {
            Self::Full => {
                body.extend_from_slice(b"\"encounter\":");
                encounter.view_into(viewer, &mut body)?;
                body.push(b'}');
            }
            // The fields of `{"current":...,"pending":...}` follow the others.
            Self::Minimal => {
                body.extend_from_slice(
                    serde_json::to_string(&encounter.brief())?
                        .trim_start_matches('{')
                        .as_bytes(),
                );
            }
        }
        Ok(body.into())
    }
}

/// The answer to a command.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The version that the command made.
    pub version: u64,
    /// How much the body says.
    pub size: AnswerSize,
    /// JSON.
    pub body: Bytes,
    /// True for a repeated request, which applied nothing.
    pub replayed: bool,
}

impl Answer {
    /// The answer to what was decided, as the viewer sees it.
    pub(super) fn to(
        viewer: &Viewer,
        decided: &Decided,
        size: AnswerSize,
    ) -> Result<Self, AppError> {
        let redactions = decided.redactions.as_ref().filter(|_| !viewer.is_gm());
        let redacted = redactions.and_then(|redactions| redactions.to(&viewer.token));
        let encounter = viewer.view(&decided.next);
        let events = redacted.map_or(&decided.events, |entry| &entry.events);
        let body = size.render(&*encounter, viewer, events)?;
        Ok(Self {
            version: encounter.version(),
            size,
            body,
            replayed: false,
        })
    }
}

/// A command, or a list of them, with the parameters of its request.
pub struct CommandCall<'a> {
    /// The encounter.
    pub id: &'a str,
    /// The sender.
    pub token: &'a BearerToken,
    /// What to do.
    pub request: &'a Request,
    /// The states that it may be decided against, if the sender names any.
    pub expected: Option<&'a Expected>,
    /// The key under which it happens at most once.
    pub key: Option<&'a IdempotencyKey>,
    /// The size of the answer.
    pub size: AnswerSize,
}

impl App {
    /// Applies a command. This takes one round trip to the store if the encounter is cached,
    /// otherwise two.
    pub async fn command(&self, call: CommandCall<'_>) -> Result<Answer, AppError> {
        let sender = &Sender::Token(call.token.clone());
        self.write(call.id, sender, call.key, |encounter, viewer| {
            self.change(encounter, viewer, &call)
        })
        .await
    }

    /// Decides a command and changes nothing. Its dice are never those of the real command.
    pub async fn dry_run(&self, call: CommandCall<'_>) -> Result<Answer, AppError> {
        let (encounter, viewer) = self.authenticate(call.id, call.token).await?;
        let decided = self
            .decide(&encounter, &viewer, &call, rand::random())
            .await?;
        self.hold(
            &Client::of(call.token, call.id),
            Answer::to(&viewer, &decided, call.size)?,
        )
    }

    /// The answer, counted until the client has read it.
    pub(super) fn hold(&self, client: &Client, answer: Answer) -> Result<Answer, AppError> {
        Ok(Answer {
            body: self.answers.hold(client, answer.body)?,
            ..answer
        })
    }

    async fn change(
        &self,
        encounter: Arc<dyn AnyEncounter>,
        viewer: Viewer,
        call: &CommandCall<'_>,
    ) -> Result<Change, AppError> {
        let decided = self
            .decide(&encounter, &viewer, call, dice_seed(&*encounter))
            .await?;
        // Before the commit: a client that does not read its answers changes nothing more.
        let answer = self.hold(
            &Client::of(call.token, call.id),
            Answer::to(&viewer, &decided, call.size)?,
        )?;
        let version = decided.next.version();
        let entry = LogEntry {
            version,
            at: now(),
            by: viewer.token,
            by_name: viewer.name,
            commands: call.request.verbs().map(str::to_owned).collect(),
            events: decided.events,
            redactions: decided.redactions,
            checkpoint: decided.checkpoint,
        };
        let entry = Some(Entry {
            version,
            bytes: serde_json::to_vec(&entry)?.into(),
        });
        Ok(Change {
            encounter: decided.next,
            entry,
            answer,
            recorded: Bytes::new(),
        })
    }

    /// Checks the viewer's rights and the expected version, then decides by the rules.
    async fn decide(
        &self,
        encounter: &Arc<dyn AnyEncounter>,
        viewer: &Viewer,
        call: &CommandCall<'_>,
        seed: [u8; 32],
    ) -> Result<Decided, AppError> {
        self.decide_now(encounter, viewer, call, seed)
            .await
            .map_err(|error| match error {
                AppError::Refused(refusal @ Refusal::Violation { .. }) => {
                    let pending = viewer.view(encounter).brief().pending;
                    AppError::NotNow {
                        refusal,
                        current: encounter.version(),
                        pending: pending.map(Box::new),
                    }
                }
                error => error,
            })
    }

    async fn decide_now(
        &self,
        encounter: &Arc<dyn AnyEncounter>,
        viewer: &Viewer,
        call: &CommandCall<'_>,
        seed: [u8; 32],
    ) -> Result<Decided, AppError> {
        let request = call.request;
        encounter.authorize(viewer, request)?;
        call.expected
            .map_or(Ok(()), |expected| expected.check(encounter, viewer))?;
        if let Some(rewind) = encounter.rewind_target(request)? {
            if !viewer.is_gm() && !self.undoes_own_command(encounter, viewer, &rewind).await? {
                return Err(Refusal::hidden_reason().into());
            }
            return self.rewind(encounter, viewer, rewind).await;
        }
        if is_small(&**encounter, request.verbs().count()) {
            return Ok(decide(&**encounter, viewer, request, seed, &|| false)?);
        }
        let (id, encounter, viewer, request) = (
            &encounter.meta().id,
            encounter.clone(),
            viewer.clone(),
            request.clone(),
        );
        let work = move |stop: Stop<'_>| decide(&*encounter, &viewer, &request, seed, stop);
        Ok(self.workers.run(id, WhenFull::Refuse, work).await??)
    }

    async fn rewind(
        &self,
        encounter: &Arc<dyn AnyEncounter>,
        viewer: &Viewer,
        rewind: Rewind,
    ) -> Result<Decided, AppError> {
        let past = self.state_at(encounter, rewind.to_version).await?;
        let (id, encounter, small) = (
            &encounter.meta().id,
            encounter.clone(),
            is_small(&**encounter, 1),
        );
        let sender = viewer.combatants.clone();
        let rewound = move |_: Stop<'_>| {
            encounter
                .rewind(&sender, &rewind, &*past)
                .map_err(AppError::from)
        };
        self.workers
            .run_unless(small, id, WhenFull::Refuse, rewound)
            .await?
    }

    /// Whether a player may undo something, by what it can see.
    pub(super) async fn may_undo(
        &self,
        encounter: &Arc<dyn AnyEncounter>,
        viewer: &Viewer,
    ) -> Result<bool, AppError> {
        if viewer.is_gm() {
            return Ok(false);
        }
        let undo = Request::undo();
        let rewind = encounter
            .authorize(viewer, &undo)
            .and_then(|()| encounter.rewind_target(&undo));
        let Ok(Some(rewind)) = rewind else {
            return Ok(false);
        };
        match self.undoes_own_command(encounter, viewer, &rewind).await {
            Ok(_) => Ok(true),
            Err(AppError::Refused(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Refuses a player's undo of anything but its own last command, and of one after which another
    /// client acted (TK-9), by the entries that the player can see. False if there are entries
    /// since that it cannot see.
    async fn undoes_own_command(
        &self,
        encounter: &Arc<dyn AnyEncounter>,
        viewer: &Viewer,
        rewind: &Rewind,
    ) -> Result<bool, AppError> {
        let refused =
            |detail: &'static str| Err(Violation::new("not_yours_to_undo", "TK-9", detail).into());
        if encounter.rewind_target(&Request::undo())?.as_ref() != Some(rewind) {
            return refused(
                "a player may undo only their own last command: leave `to_version` out",
            );
        }
        let after = rewind.to_version;
        let log = self
            .log_views(&encounter.meta().id, after, UNDO_ENTRIES)
            .await?;
        let mut visible = log
            .entries
            .iter()
            .filter(|entry| entry.to(viewer).is_some())
            .peekable();
        let hidden = log.more || visible.clone().count() < log.entries.len();
        if log.base_version > after
            || visible.peek().is_none()
            || visible.any(|entry| entry.by != viewer.token)
        {
            return refused(
                "the last command is not this token's, or somebody else has done something since: ask the game master",
            );
        }
        Ok(!hidden)
    }
}

/// True for work that is small enough for the thread that serves the request.
pub(super) fn is_small(encounter: &dyn AnyEncounter, commands: usize) -> bool {
    encounter.weight().saturating_mul(commands) <= SMALL_REQUEST
}

/// Decides by the rules. A player's command is first tried on what the player knows, so that hidden
/// facts explain no refusal.
fn decide(
    encounter: &dyn AnyEncounter,
    viewer: &Viewer,
    request: &Request,
    seed: [u8; 32],
    stop: Stop<'_>,
) -> Result<Decided, Refusal> {
    let mut dice = SeededDice::new(seed);
    if viewer.is_gm() {
        return encounter.decide(&[], request, &mut dice, stop);
    }
    encounter.examine(&viewer.combatants, request, stop)?;
    encounter
        .decide(&viewer.combatants, request, &mut dice, stop)
        .map_err(|refusal| match refusal {
            Refusal::Stopped => refusal,
            _ => Refusal::hidden_reason(),
        })
}

/// The seed of the server's dice for the next command: random, or from the encounter's own seed and
/// version.
fn dice_seed(encounter: &dyn AnyEncounter) -> [u8; 32] {
    let Some(seed) = encounter.meta().seed else {
        return rand::random();
    };
    let digest =
        Sha256::new_with_prefix(seed.to_be_bytes()).chain_update(encounter.version().to_be_bytes());
    digest.chain_update("roll").finalize().into()
}
