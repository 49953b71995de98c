//! Commands: decided on what this process saw last, and true only once the store has compared and set.

use super::create::stored;
use super::{Answer, App, AppError, BearerToken, CacheEntry, Expected, Form, IdempotencyKey, Shape, Tag, now};
use crate::engine::{Decided, Eyes, Game, LogEntry, Refusal, Request, Rewind, SeededDice, Stop, Viewer};
use crate::store::{Commit, Committed, Entry, KeyDigest};
use crate::vocabulary::{LegalCommand, Violation};
use sha2::{Digest, Sha256};

/// So often a command is decided because another process was first. Of two that are equally busy each loses half of the races, of
/// ten nine tenths: even then one command in a thousand is turned away.
const TRIES: usize = 64;
/// A player's undo looks at so many entries since what it takes back.
const STEPS: usize = 100;

/// The options of an encounter of this weight or less are worked out by the thread that serves the request.
const SMALL_FIGHT: usize = 40;

/// A command, or a list of them, with all that it was sent with.
pub struct Command<'a> {
    /// The encounter.
    pub id: &'a str,
    /// Whoever sends it.
    pub token: &'a BearerToken,
    /// What is to be done.
    pub request: &'a Request,
    /// The states that it may be decided against, where the sender says so.
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
    next: CacheEntry,
}

impl App {
    /// Applies a command: one round trip to the store when this process has a copy of the encounter, else two.
    ///
    /// A copy may be stale, so nothing is answered on its word alone: an accepted command is committed at the revision of the
    /// copy (and decided again on what the store gives back, when it had moved on), and a refusal is answered only after the
    /// store has said that the copy is what it holds.
    pub async fn command(&self, call: Command<'_>) -> Result<Answer, AppError> {
        self.with_lock(call.id, self.transition(&call)).await
    }

    /// Decides a command and changes nothing; its dice are never those of the real one.
    pub async fn dry_run(&self, call: Command<'_>) -> Result<Answer, AppError> {
        let (held, viewer) = self.admit(call.id, call.token).await?;
        let decided = self.decide(&held, &viewer, &call, rand::random()).await?;
        Answer::to(viewer.eyes().as_ref(), &decided, call.shape)
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
                Ok(proposal) => match self
                    .store
                    .commit(call.id, proposal.commit)
                    .await
                    .map_err(|error| self.failed(call.id, error))?
                {
                    Committed::Done => {
                        self.copies.keep(call.id, proposal.next);
                        return Ok(proposal.answer);
                    }
                    Committed::Conflict(found) => {
                        held = self.take(call.id, None, found)?.held;
                        sure = true;
                        continue;
                    }
                    Committed::Replayed(record) => {
                        if !sure {
                            // The copy may be older than the end of the token.
                            held = self.fetch(call.id, Some(&held), None).await?.held;
                            call.token.viewer(held.game.meta())?;
                        }
                        return replay(call, &record);
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
    let key = call.key.ok_or_else(|| AppError::Internal("an answer to a request without a key".to_owned()))?;
    key.replay(record)
}

impl App {
    /// Decides the command on `held` and makes all that is to be committed.
    async fn propose(
        &self, held: &CacheEntry, call: &Command<'_>, digest: Option<KeyDigest>,
    ) -> Result<Proposal, AppError> {
        let viewer = call.token.viewer(held.game.meta())?;
        let decided = self.decide(held, &viewer, call, dice(held)).await?;
        let document = stored(&*decided.next)?;
        let version = decided.next.version();
        let answer = Answer::to(viewer.eyes().as_ref(), &decided, call.shape)?;
        let entry = LogEntry {
            version,
            at: now(),
            by: viewer.token,
            commands: call.request.verbs().map(str::to_owned).collect(),
            events: decided.events,
            told: decided.told,
            checkpoint: decided.checkpoint,
        };
        let entry = Entry { version, bytes: serde_json::to_vec(&entry)?.into() };
        let record = call.key.map(|key| key.record(&answer));
        let next = CacheEntry { revision: rand::random(), game: decided.next, size: document.len() };
        let commit = Commit {
            expected: held.revision,
            revision: next.revision,
            document: document.into(),
            entry: Some(entry),
            answer: digest.zip(record),
            rebase: self.new_base(held, version).await?,
        };
        Ok(Proposal { commit, answer, next })
    }

    /// Whether the viewer may, and the version is the one that is meant; then what the rules say.
    async fn decide(
        &self, held: &CacheEntry, viewer: &Viewer, call: &Command<'_>, seed: [u8; 32],
    ) -> Result<Decided, AppError> {
        held.game.authorize(viewer, call.request)?;
        let eyes = viewer.eyes();
        call.expected.map_or(Ok(()), |expected| expected.check(&*held.game, viewer))?;
        let Some(eyes) = eyes else {
            let Some(rewind) = held.game.rewinds(call.request)? else {
                return self.judge(held, viewer, call.request, seed).await;
            };
            return self.rewind(held, &rewind).await;
        };
        // What those may not know who send it neither refuses it nor explains a refusal: they are told that it is not possible now.
        if let Some(rewind) = held.game.rewinds(call.request)? {
            if !self.authored(held, viewer, &eyes, &rewind).await? {
                return Err(Refusal::veiled().into());
            }
            return self.rewind(held, &rewind).await;
        }
        self.judge(held, viewer, call.request, seed).await
    }

    /// What the rules say to a request that is no undo or redo.
    async fn judge(
        &self, held: &CacheEntry, viewer: &Viewer, request: &Request, seed: [u8; 32],
    ) -> Result<Decided, AppError> {
        if is_small(held, request.verbs().count()) {
            return Ok(judge(&*held.game, viewer, request, seed, &|| false)?);
        }
        let (game, viewer, request) = (held.game.clone(), viewer.clone(), request.clone());
        Ok(self.workers.run(move |stop| judge(&*game, &viewer, &request, seed, stop)).await??)
    }

    async fn rewind(&self, held: &CacheEntry, rewind: &Rewind) -> Result<Decided, AppError> {
        let past = self.state_at(held, rewind.to_version).await?;
        let (game, rewind) = (held.game.clone(), rewind.clone());
        let rewound = move |_: Stop<'_>| game.rewind(&rewind, &past.checkpoint()?).map_err(AppError::from);
        self.workers.run_unless(is_small(held, 1), rewound).await?
    }
}

/// Whether this number of commands takes a few milliseconds at most, so that a thread of the runtime may decide them.
fn is_small(held: &CacheEntry, commands: usize) -> bool {
    const SMALL: usize = 10_000;
    held.game.weight().saturating_mul(commands) <= SMALL
}

/// What the rules say. A player's command is tried first on what the player knows: what it does not know explains no refusal.
fn judge(
    game: &dyn Game, viewer: &Viewer, request: &Request, seed: [u8; 32], stop: Stop<'_>,
) -> Result<Decided, Refusal> {
    let mut dice = SeededDice::new(seed);
    let Some(eyes) = viewer.eyes() else { return game.decide_until(request, &mut dice, stop) };
    game.examine(&eyes, request, stop)?;
    game.decide_until(request, &mut dice, stop).map_err(|refusal| match refusal {
        Refusal::Stopped => refusal,
        _ => Refusal::veiled(),
    })
}

impl App {
    /// What is legal now for the holder of `token`, by what that viewer knows, and its entity tag. No list where `known` names the tag.
    pub async fn options(
        &self, id: &str, token: &BearerToken, known: Option<&Expected>,
    ) -> Result<(Tag, Option<Vec<LegalCommand>>), AppError> {
        let (held, viewer) = self.admit(id, token).await?;
        let game = viewer.sight_of(&held.game);
        let version = game.version();
        // What is legal follows from what is shown.
        let tag = Tag::of(version, game.view()?.get(), &viewer, Form::Options);
        if known.is_some_and(|known| known.names(&tag)) {
            return Ok((tag, None));
        }
        let undo = self.can_take_back(&held, &viewer).await?;
        // How far back the log reaches its base alone tells; at version 0 there is no log.
        let oldest = if viewer.is_gm() && version > 0 { self.lines(id, version, 1).await?.2 } else { 0 };
        // Every option is tried out, so that the work grows faster than the encounter.
        let small = game.weight() <= SMALL_FIGHT;
        let work = move |stop: Stop<'_>| game.options_until(&viewer, oldest, stop);
        let mut legal_commands = self.workers.run_unless(small, work).await?;
        legal_commands.extend(undo.then(|| LegalCommand::of("undo", "TK-9")));
        Ok((tag, Some(legal_commands)))
    }

    /// Whether a player has something to take back, and may, as far as it may know.
    async fn can_take_back(&self, held: &CacheEntry, viewer: &Viewer) -> Result<bool, AppError> {
        let (Some(eyes), undo) = (viewer.eyes(), Request::undo()) else { return Ok(false) };
        let wanted = held.game.authorize(viewer, &undo).and_then(|()| held.game.rewinds(&undo));
        let Ok(Some(rewind)) = wanted else { return Ok(false) };
        match self.authored(held, viewer, &eyes, &rewind).await {
            Ok(_) => Ok(true),
            Err(AppError::Refused(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Refuses a player's undo of more than the own last command, and of one that somebody else acted after (TK-9), as far as the
    /// player was told. False where something happened since that it was not told of.
    async fn authored(
        &self, held: &CacheEntry, viewer: &Viewer, eyes: &Eyes<'_>, rewind: &Rewind,
    ) -> Result<bool, AppError> {
        let refused = |detail: &'static str| {
            let violation = Violation::new("not_yours_to_undo", "TK-9", detail);
            Err(Refusal::Violation { path: String::new(), violation }.into())
        };
        if held.game.rewinds(&Request::undo())?.as_ref() != Some(rewind) {
            return refused("a player takes back one step, the own last command: leave `to_version` out");
        }
        let others =
            "the last command is not this token's, or somebody else has done something since: ask the game master";
        let after = rewind.to_version;
        let (lines, more, base) = self.lines(&held.game.meta().id, after, STEPS).await?;
        let mut told = lines.iter().filter(|line| line.to(Some(eyes)).is_some());
        if base > after || !told.clone().all(|line| line.by == viewer.token) || told.next().is_none() {
            return refused(others);
        }
        Ok(!more && lines.iter().all(|line| line.to(Some(eyes)).is_some()))
    }
}

/// The seed of the server's dice for the next command: the encounter's own with the version, or chance.
fn dice(held: &CacheEntry) -> [u8; 32] {
    let Some(seed) = held.game.meta().seed else { return rand::random() };
    let digest = Sha256::new_with_prefix(seed.to_be_bytes()).chain_update(held.game.version().to_be_bytes());
    digest.chain_update("roll").finalize().into()
}
