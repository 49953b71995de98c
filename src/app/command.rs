//! Commands: decided on what this process saw last, and true only once the store has compared and set.

use super::create::stored;
use super::{Answer, App, AppError, Expected, Held, IdempotencyKey, Presented, Shape, history, now};
use crate::engine::{Decided, LogEntry, Meta, Refusal, Request, Rewind, SeededDice, Viewer};
use crate::store::{Commit, Committed, Entry, KeyDigest};
use crate::vocabulary::{Offer, Violation};
use sha2::{Digest, Sha256};

/// So often a command is decided because another process was first. Of two that are equally busy each loses half of the races, of
/// ten nine tenths: even then one command in a thousand is turned away.
const TRIES: usize = 64;
/// A player's undo looks at so many entries since what it takes back.
const STEPS: usize = 100;
/// And at so many bytes of them, about.
const READ: usize = 1024 * 1024;

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

    /// Whether the viewer may, and the version is the one that is meant; then what the rules say.
    async fn decide(
        &self, held: &Held, viewer: &Viewer, call: &Command<'_>, seed: [u8; 32],
    ) -> Result<Decided, AppError> {
        held.game.authorize(viewer, call.request)?;
        let current = held.game.version();
        if call.expected.is_some_and(|expected| !expected.admits(current)) {
            return Err(AppError::Stale { current });
        }
        Ok(match held.game.rewinds(call.request)? {
            Some(rewind) => {
                self.check_author(held, viewer, &rewind).await?;
                let past = self.state_at(held, rewind.to_version).await?;
                held.game.rewind(&rewind, &past.checkpoint()?)?
            }
            None => held.game.decide(call.request, &mut SeededDice::new(seed))?,
        })
    }
}

impl App {
    /// What is legal now for the holder of `token`, and the version that it holds for; None where `known` admits that.
    pub async fn options(
        &self, id: &str, token: &Presented, known: Option<&Expected>,
    ) -> Result<(u64, Option<Vec<Offer>>), AppError> {
        let (held, viewer) = self.admit(id, token).await?;
        let version = held.game.version();
        if known.is_some_and(|known| known.admits(version)) {
            return Ok((version, None));
        }
        let undo = !viewer.is_gm() && self.can_take_back(&held, &viewer).await?;
        // Every offer is tried out: with hundreds of combatants that takes a while, which is not for the threads of the runtime.
        let offers = tokio::task::spawn_blocking(move || held.game.options(&viewer));
        let mut offers = offers.await.map_err(|error| AppError::Broken(error.to_string()))?;
        offers.extend(undo.then(|| Offer::of("undo", "TK-9")));
        Ok((version, Some(offers)))
    }

    /// Whether a player has something to take back, and may.
    async fn can_take_back(&self, held: &Held, viewer: &Viewer) -> Result<bool, AppError> {
        let undo = Request::undo();
        let Ok(Some(rewind)) = held.game.authorize(viewer, &undo).and_then(|()| held.game.rewinds(&undo)) else {
            return Ok(false);
        };
        match self.check_author(held, viewer, &rewind).await {
            Ok(()) => Ok(true),
            Err(AppError::Refused(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Refuses a player's undo of more than the own last command, and of one that somebody else acted after (TK-9).
    async fn check_author(&self, held: &Held, viewer: &Viewer, rewind: &Rewind) -> Result<(), AppError> {
        if viewer.is_gm() {
            return Ok(());
        }
        let refused = |detail: &'static str| {
            let violation = Violation::new("not_yours_to_undo", "TK-9", detail);
            Err(Refusal::Violation { path: String::new(), violation }.into())
        };
        if held.game.rewinds(&Request::undo())?.as_ref() != Some(rewind) {
            return refused("a player takes back one step, the own last command: leave `to_version` out");
        }
        let page = self.store.log(&held.game.meta().id, rewind.to_version, STEPS, READ).await?;
        let entries: Vec<LogEntry> = page.entries.iter().map(history::entry).collect::<Result<_, _>>()?;
        let whole = page.base_version <= rewind.to_version
            && entries.last().is_some_and(|last| last.version == held.game.version());
        if whole && entries.iter().all(|entry| entry.by == viewer.token) {
            return Ok(());
        }
        refused("the last command is not this token's, or somebody else has done something since: ask the game master")
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
