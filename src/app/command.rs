//! Commands: decided on what this process saw last, and true only once the store has compared and set.

use super::create::stored;
use super::{Answer, App, AppError, Expected, Held, IdempotencyKey, Presented, Shape, now};
use crate::engine::{Decided, LogEntry, Meta, Request, SeededDice, Viewer};
use crate::store::{Commit, Committed, Entry, KeyDigest};
use sha2::{Digest, Sha256};

/// So often a command is decided because another process was first. Of two that are equally busy each loses half of the races, of
/// ten nine tenths: even then one command in a thousand is turned away.
const TRIES: usize = 64;

/// A command, or a list of them, with all that it was sent with.
pub struct Command<'a> {
    /// The encounter.
    pub id: &'a str,
    /// Whoever sends it.
    pub token: &'a Presented,
    /// What is to be done.
    pub request: &'a Request,
    /// The versions that it may be decided against, where the sender says so.
    pub expected: Option<&'a Expected>,
    /// The key under which it happens at most once.
    pub key: Option<&'a IdempotencyKey>,
    /// How much the answer says.
    pub shape: Shape,
}

/// A transition that was decided and not yet committed.
struct Proposal {
    commit: Commit,
    answer: Answer,
    next: Held,
}

impl App {
    /// Applies a command: one round trip to the store when this process has a copy of the encounter, else two.
    ///
    /// A copy may be stale, so nothing is answered on its word alone: an accepted command is committed at the revision of the
    /// copy (and decided again on what the store gives back, when it had moved on), and a refusal is answered only after the
    /// store has said that the copy is what it holds.
    pub async fn command(&self, call: Command<'_>) -> Result<Answer, AppError> {
        let turn = self.queues.enter(call.id).await?;
        let outcome = self.transition(&call).await;
        if let Err(AppError::Away(_)) = outcome {
            self.copies.forget(call.id);
            turn.failed();
        }
        outcome
    }

    /// Decides a command and changes nothing; its dice are never those of the real one.
    pub async fn dry_run(&self, call: Command<'_>) -> Result<Answer, AppError> {
        let (held, viewer) = self.admit(call.id, call.token).await?;
        let decided = self.decide(&held, &viewer, &call, rand::random()).await?;
        answer(&decided, &viewer, call.shape)
    }

    async fn transition(&self, call: &Command<'_>) -> Result<Answer, AppError> {
        let digest = call.key.map(|key| key.digest(call.id, call.token));
        let (mut held, mut sure) = match self.copies.get(call.id) {
            Some(held) => (held, false),
            None => {
                let fetched = self.fetch(call.id, None, digest.as_ref()).await?;
                if let (Some(key), Some(record)) = (call.key, &fetched.answer) {
                    call.token.viewer(fetched.held.game.meta())?;
                    return key.replay(record);
                }
                (fetched.held, true)
            }
        };
        for _ in 0..TRIES {
            let refusal = match self.propose(&held, call, digest).await {
                Ok(proposal) => match self.store.commit(call.id, proposal.commit).await? {
                    Committed::Done => {
                        self.copies.keep(call.id, proposal.next);
                        return Ok(proposal.answer);
                    }
                    Committed::Conflict(found) => {
                        held = self.take(call.id, None, found)?.held;
                        sure = true;
                        continue;
                    }
                    Committed::Replayed(record) => return replay(call, &record),
                    Committed::Missing => {
                        self.copies.forget(call.id);
                        return Err(AppError::NotFound);
                    }
                },
                Err(refusal) => refusal,
            };
            if sure {
                return Err(refusal);
            }
            let fetched = self.fetch(call.id, Some(&held), digest.as_ref()).await?;
            if let Some(record) = fetched.answer {
                call.token.viewer(fetched.held.game.meta())?;
                return replay(call, &record);
            }
            if !fetched.changed {
                return Err(refusal);
            }
            held = fetched.held;
            sure = true;
        }
        Err(AppError::Contended)
    }
}

fn replay(call: &Command<'_>, record: &bytes::Bytes) -> Result<Answer, AppError> {
    let key = call.key.ok_or_else(|| AppError::Broken("an answer to a request without a key".to_owned()))?;
    key.replay(record)
}

impl App {
    /// Decides the command on `held` and makes all that is to be committed.
    async fn propose(&self, held: &Held, call: &Command<'_>, digest: Option<KeyDigest>) -> Result<Proposal, AppError> {
        let dice = dice(held.game.meta(), held.game.version());
        let viewer = call.token.viewer(held.game.meta())?;
        let decided = self.decide(held, &viewer, call, dice).await?;
        let document = stored(&*decided.next)?;
        let version = decided.next.version();
        let answer = answer(&decided, &viewer, call.shape)?;
        let entry = LogEntry {
            version,
            at: now(),
            by: viewer.token,
            commands: call.request.verbs().map(str::to_owned).collect(),
            events: decided.events,
            checkpoint: decided.checkpoint,
        };
        let entry = Entry { version, bytes: serde_json::to_vec(&entry)?.into() };
        let record = call.key.map(|key| key.record(&answer));
        let next = Held { revision: held.revision.saturating_add(1), game: decided.next, size: document.len() };
        let commit = Commit {
            expected: held.revision,
            document: document.into(),
            entry: Some(entry),
            answer: digest.zip(record),
            rebase: self.new_base(held, version).await?,
        };
        Ok(Proposal { commit, answer, next })
    }

    /// Whether the sender may, and the version is the one that is meant; then what the rules say.
    async fn decide(
        &self, held: &Held, _viewer: &Viewer, call: &Command<'_>, seed: [u8; 32],
    ) -> Result<Decided, AppError> {
        let current = held.game.version();
        if call.expected.is_some_and(|expected| !expected.admits(current)) {
            return Err(AppError::Stale { current });
        }
        Ok(match held.game.rewinds(call.request)? {
            // Undo and redo are the game master's. A player's undo of the own last command would be admitted here.
            Some(rewind) => {
                let past = self.state_at(held, rewind.to_version).await?;
                held.game.rewind(&rewind, &past.checkpoint()?)?
            }
            None => held.game.decide(call.request, &mut SeededDice::new(seed))?,
        })
    }
}

fn answer(decided: &Decided, viewer: &Viewer, shape: Shape) -> Result<Answer, AppError> {
    Ok(Answer { version: decided.next.version(), shape, body: shape.render(decided, viewer)?, replayed: false })
}

/// The seed of the server's dice for the command that follows `version`: the encounter's own, or chance.
fn dice(meta: &Meta, version: u64) -> [u8; 32] {
    let Some(seed) = meta.seed else { return rand::random() };
    let digest = Sha256::new_with_prefix(seed.to_be_bytes()).chain_update(version.to_be_bytes());
    digest.chain_update("roll").finalize().into()
}
