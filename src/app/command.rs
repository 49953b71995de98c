//! Commands: what a viewer may do, and how it is decided.

use super::answer::{Answer, AnswerCall, AnswerSize, Table};
use super::change::{Change, Repeated, Written};
use super::idempotency::{IdempotencyKey, Record};
use super::log::SeenEntry;
use super::options::viewer_of;
use super::tag::Expected;
use super::token::{BearerToken, Sender};
use super::work::WhenFull;
use super::{App, AppError, now};
use crate::engine::{
    AnyEncounter, Decided, LogEntry, Refusal, Request, Rewind, SeededDice, Stop, Viewer,
};
use crate::store::Entry;
use crate::vocabulary::{Time, Violation};
use bytes::Bytes;
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// Maximum log entries that are checked before a player's undo.
const UNDO_ENTRIES: usize = 100;
/// Maximum weight, times commands, of a request that is decided on the calling thread: a few milliseconds.
const SMALL_REQUEST: usize = 10_000;

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
    /// The turn table that the answer holds, if the sender asks for one.
    pub table: Option<Table>,
    /// The id of the token whose options the answer is to hold, if it is not the sender's.
    pub options_for: Option<&'a str>,
}

impl<'a> CommandCall<'a> {
    fn answer(&self) -> AnswerCall<'a> {
        AnswerCall {
            id: self.id,
            token: self.token,
            table: self.table,
        }
    }
}

/// What a command is decided on.
struct Basis<'a> {
    /// The encounter, or what the viewer knows of it.
    encounter: &'a Arc<dyn AnyEncounter>,
    /// Now.
    at: Time,
    /// The seed of the server's dice.
    seed: [u8; 32],
}

impl App {
    /// Applies a command. This takes one round trip to the store if the encounter is cached,
    /// otherwise two.
    pub async fn command(&self, call: CommandCall<'_>) -> Result<Answer, AppError> {
        let sender = &Sender::Token(call.token.clone());
        let write = async {
            let written = self.compare_and_set(call.id, sender, call.key, |encounter, viewer| {
                self.change(encounter, viewer, &call)
            });
            match written.await? {
                Written::Applied(answer) => Ok(answer),
                Written::Repeated(repeated) => self.answer_again(call.answer(), repeated).await,
            }
        };
        self.with_lock(call.id, write).await
    }

    /// The answer to a command that was applied before under this key; None if none was.
    pub async fn earlier_answer(
        &self,
        call: AnswerCall<'_>,
        key: &IdempotencyKey,
    ) -> Result<Option<Answer>, AppError> {
        let sender = &Sender::Token(call.token.clone());
        let digest = key.digest(call.id, sender);
        let (current, record) = self.fetch(call.id, None, Some(&digest)).await?;
        let Some(record) = record else {
            return Ok(None);
        };
        let repeated = Repeated {
            viewer: sender.viewer(current.encounter.meta())?,
            record: key.recorded(&record)?,
            encounter: current.encounter,
        };
        self.answer_again(call, repeated).await.map(Some)
    }

    /// The answer to a command that was applied before: made again from the log, under the present
    /// meta.
    async fn answer_again(
        &self,
        call: AnswerCall<'_>,
        repeated: Repeated,
    ) -> Result<Answer, AppError> {
        let Repeated {
            record,
            encounter,
            viewer,
        } = repeated;
        let decided = match self.transition(&encounter, record.version).await {
            Err(AppError::Pruned { .. }) => {
                return Err(AppError::AnswerPruned {
                    version: record.version,
                });
            }
            decided => decided?,
        };
        let answer = self.answer(call, &viewer, &decided, record.size)?;
        Ok(Answer {
            replayed: true,
            ..answer
        })
    }

    /// Decides a command and changes nothing. Its dice are never those of the real command. A
    /// player's is decided on the encounter that the player knows: the true one would tell that a
    /// hidden combatant acts next.
    pub async fn dry_run(&self, call: CommandCall<'_>) -> Result<Answer, AppError> {
        let (encounter, viewer) = self.authenticate(call.id, call.token).await?;
        let known = viewer.redact(&encounter);
        let basis = Basis {
            encounter: &known,
            at: now(),
            seed: rand::random(),
        };
        let decided = self.decide(&encounter, basis, &viewer, &call).await?;
        self.answer(call.answer(), &viewer, &decided, call.size)
    }

    async fn change(
        &self,
        encounter: Arc<dyn AnyEncounter>,
        viewer: Viewer,
        call: &CommandCall<'_>,
    ) -> Result<Change<Answer>, AppError> {
        let at = now();
        let basis = Basis {
            encounter: &encounter,
            at,
            seed: dice_seed(&*encounter),
        };
        let decided = self.decide(&encounter, basis, &viewer, call).await?;
        // Before the commit: a client that does not read its answers changes nothing more.
        let answer = self.answer(call.answer(), &viewer, &decided, call.size)?;
        let version = decided.next.version();
        let entry = LogEntry {
            version,
            at: at.to_string(),
            token: viewer.token_id,
            token_name: viewer.name,
            commands: call.request.verbs().map(str::to_owned).collect(),
            events: decided.events,
            kept: decided.kept,
            redactions: decided.redactions,
            since: decided.since,
            checkpoint: decided.checkpoint,
        };
        let entry = Some(Entry {
            version,
            bytes: serde_json::to_vec(&entry)?.into(),
        });
        // The log has the rest of the answer.
        let record = Record {
            version,
            size: call.size,
            body: Bytes::new(),
        };
        Ok(Change {
            encounter: decided.next,
            entry,
            answer,
            record,
        })
    }

    /// Checks the viewer's rights and the expected version, then decides by the rules on `basis`.
    async fn decide(
        &self,
        encounter: &Arc<dyn AnyEncounter>,
        basis: Basis<'_>,
        viewer: &Viewer,
        call: &CommandCall<'_>,
    ) -> Result<Decided, AppError> {
        let decided = self.decide_now(encounter, basis, viewer, call).await;
        let Err(AppError::Refused(refusal @ Refusal::Violation { .. })) = decided else {
            return decided;
        };
        let pending = viewer.redact(encounter).brief().pending;
        Err(AppError::NotNow {
            refusal,
            current: encounter.version(),
            pending: pending.map(Box::new),
        })
    }

    async fn decide_now(
        &self,
        encounter: &Arc<dyn AnyEncounter>,
        basis: Basis<'_>,
        viewer: &Viewer,
        call: &CommandCall<'_>,
    ) -> Result<Decided, AppError> {
        let Basis {
            encounter: basis,
            at,
            seed,
        } = basis;
        let request = call.request;
        encounter.authorize(viewer, request)?;
        // Before the commit: a refusal changes nothing.
        viewer_of(encounter.meta(), viewer, call.options_for)?;
        if let Some(expected) = call.expected {
            expected.check(encounter, viewer)?;
        }
        if let Some(rewind) = encounter.rewind_target(request)? {
            if !viewer.is_gm() && !self.undoes_own_command(encounter, viewer, &rewind).await? {
                return Err(Refusal::hidden_reason().into());
            }
            return self.rewind(encounter, viewer, rewind, at).await;
        }
        if is_small(&**basis, request.verbs().count()) {
            return Ok(decide(&**basis, viewer, request, at, seed, &|| false)?);
        }
        let id = &encounter.meta().id;
        let basis = basis.clone();
        let viewer = viewer.clone();
        let request = request.clone();
        let decided = self.workers.run(id, WhenFull::Refuse, move |stop| {
            decide(&*basis, &viewer, &request, at, seed, stop)
        });
        Ok(decided.await??)
    }

    async fn rewind(
        &self,
        encounter: &Arc<dyn AnyEncounter>,
        viewer: &Viewer,
        rewind: Rewind,
        at: Time,
    ) -> Result<Decided, AppError> {
        let past = self.state_at(encounter, rewind.to_version).await?;
        let id = &encounter.meta().id;
        let small = is_small(&**encounter, 1);
        let encounter = encounter.clone();
        let sender = viewer.combatants.clone();
        let workers = &self.workers;
        let rewound = workers.run_unless(small, id, WhenFull::Refuse, move |_| {
            encounter.rewind(&sender, &rewind, &*past, at)
        });
        Ok(rewound.await??)
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
        if encounter.authorize(viewer, &undo).is_err() {
            return Ok(false);
        }
        let Ok(Some(rewind)) = encounter.rewind_target(&undo) else {
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
        if encounter.rewind_target(&Request::undo())?.as_ref() != Some(rewind) {
            return Err(not_yours_to_undo(
                "Players may undo only their own last command. Leave out \"to_version\".",
            ));
        }
        let after = rewind.to_version;
        let id = &encounter.meta().id;
        let log = self.log_part(id, after, UNDO_ENTRIES).await?;
        let mut seen = 0;
        let mut all_own = true;
        for entry in &log.entries {
            if SeenEntry::new(entry.clone(), viewer).is_some() {
                seen += 1;
                all_own &= entry.token == viewer.token_id;
            }
        }
        if log.base_version > after || seen == 0 || !all_own {
            return Err(not_yours_to_undo(
                "The last command is not your token's, or another client acted since. Ask the game \
                 master.",
            ));
        }
        Ok(!log.more && seen == log.entries.len())
    }
}

fn not_yours_to_undo(detail: &'static str) -> AppError {
    Violation::new("not_yours_to_undo", "TK-9", detail).into()
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
    at: Time,
    seed: [u8; 32],
    stop: Stop<'_>,
) -> Result<Decided, Refusal> {
    let mut dice = SeededDice::new(seed);
    if viewer.is_gm() {
        return encounter.decide(&[], request, at, &mut dice, stop);
    }
    encounter.examine(&viewer.combatants, request, stop)?;
    match encounter.decide(&viewer.combatants, request, at, &mut dice, stop) {
        Err(Refusal::Stopped) => Err(Refusal::Stopped),
        Err(_) => Err(Refusal::hidden_reason()),
        decided => decided,
    }
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
