//! An encounter of any ruleset.

use super::document::{Document, open, read_stored, unreadable};
use super::history::{CHECKPOINTS, Rewind, UndoHistory};
use super::redaction::Transition;
use super::space::{Space, WriteError};
use super::trial::TrialDice;
use super::view::{EncounterView, pending};
use super::{
    LoadError, LogEntry, MAX_CONDITIONS, MAX_EVENTS, MAX_REDACTED, MAX_REDACTED_BYTES, Meta,
    Redactions, Refusal, Request, SCHEMA, Stop, Summary, Viewer, import, legal, narration, rights,
    shared, text,
};
use crate::json::FieldError;
use crate::vocabulary::{
    CombatantId, Commands, Dice, Encounter, Event, LegalCommand, MAX_COMBATANTS, MAX_EFFECTS,
    MAX_MEMBERS, OwnCombatant, Pending, Play, Ruleset, SharedCommand, Status, Tagged, Violation,
    require,
};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::any::Any;
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

/// An encounter whose ruleset's types are erased. It never changes; a transition makes another one.
pub trait AnyEncounter: Any + Send + Sync {
    /// Its id, tokens and settings.
    fn meta(&self) -> &Meta;

    /// The id of its ruleset.
    fn ruleset(&self) -> &'static str;

    /// Whether it is within the bounds that no command breaks, but an imported log may. The error
    /// names the bound.
    fn check(&self) -> Result<(), String>;

    /// The combatant that a field names, hidden or not, active or not; refused if there is none.
    fn named(&self, field: String, id: &CombatantId) -> Result<OwnCombatant, Refusal>;

    /// A viewer as this encounter names it: without combatants whose ids others have.
    fn you(&self, viewer: &Viewer) -> Viewer;

    /// Its version: the number of its newest log entry.
    fn version(&self) -> u64;

    /// Refuses a request that this viewer has no right to send. A player's undo passes if the
    /// encounter allows it; whether it takes back the player's own command follows from the log.
    fn authorize(&self, viewer: &Viewer, request: &Request) -> Result<(), Refusal>;

    /// Decides a request of somebody who acts for these combatants, none if it is a game master, or
    /// refuses it, with [`Refusal::Stopped`] as soon as `stop` says so; it is asked before each
    /// command, and before each event is redacted. An undo or redo is for [`rewind`](Self::rewind).
    fn decide(
        &self,
        sender: &[OwnCombatant],
        request: &Request,
        dice: &mut dyn Dice,
        stop: Stop<'_>,
    ) -> Result<Decided, Refusal>;

    /// What a request wants from the past, if it is an undo or redo.
    fn rewind_target(&self, request: &Request) -> Result<Option<Rewind>, Refusal>;

    /// Carries out an undo or redo of somebody who acts for these combatants; `past` is this
    /// encounter at the version that it wants.
    fn rewind(
        &self,
        sender: &[OwnCombatant],
        rewind: &Rewind,
        past: &dyn AnyEncounter,
    ) -> Result<Decided, LoadError>;

    /// The encounter after the next log entry.
    fn fold(&self, entry: &LogEntry) -> Result<Arc<dyn AnyEncounter>, LoadError>;

    /// The state without tokens and settings.
    fn checkpoint(&self) -> Result<Box<RawValue>, serde_json::Error>;

    /// This encounter as it was at a checkpoint of its own.
    fn restore(&self, checkpoint: &RawValue) -> Result<Arc<dyn AnyEncounter>, LoadError>;

    /// The same fight under another meta.
    fn with_meta(&self, meta: Meta) -> Arc<dyn AnyEncounter>;

    /// The encounter as the owner of these combatants sees it. Show it and try commands on it;
    /// never store it.
    fn redacted(&self, own: &[OwnCombatant]) -> Arc<dyn AnyEncounter>;

    /// Tries a request on what the owner of these combatants sees. Asks `stop` as
    /// [`decide`](Self::decide) does.
    fn examine(
        &self,
        own: &[OwnCombatant],
        request: &Request,
        stop: Stop<'_>,
    ) -> Result<(), Refusal>;

    /// Reads the next entry of an imported log as strictly as a request. Writes its events as this
    /// program does, and redacts them if it carries no redacted forms, unless `stop` says so.
    fn import_entry(&self, entry: &mut LogEntry, stop: Stop<'_>) -> Result<(), Refusal>;

    /// The encounter in full, as JSON for `you`.
    fn view(&self, you: &Viewer) -> Result<Box<RawValue>, serde_json::Error>;

    /// The same without `you`: equal for all viewers who see the same.
    fn view_for_all(&self) -> Result<Vec<u8>, serde_json::Error>;

    /// The encounter in full, as JSON for `you`, put at the end of `buffer`.
    fn view_into(&self, you: &Viewer, buffer: &mut Vec<u8>) -> Result<(), serde_json::Error>;

    /// Whose turn it is and what is awaited.
    fn brief(&self) -> Brief;

    /// What a list says of it.
    fn summary(&self) -> Summary;

    /// The commands that are legal now for this viewer, incomplete as soon as `stop` says so; it is
    /// asked before each trial. Undo and redo are the game master's, back to the version `oldest`.
    fn options(&self, viewer: &Viewer, oldest: u64, stop: Stop<'_>) -> Vec<LegalCommand>;

    /// The work of a command, its redaction and its answer: about the combatants and effects, for
    /// each audience.
    fn weight(&self) -> usize;

    /// The turn table as plain text.
    fn text(&self) -> String;

    /// The document to be stored.
    fn document(&self) -> Result<Vec<u8>, serde_json::Error>;
}

/// A transition that was decided and not yet committed.
pub struct Decided {
    /// The encounter after it.
    pub next: Arc<dyn AnyEncounter>,
    /// What happened, a JSON array.
    pub events: Box<RawValue>,
    /// A sentence for each event.
    pub texts: Vec<String>,
    /// What viewers see of it who may not see everything; None if nothing is redacted.
    pub redactions: Option<Redactions>,
    /// The state after it, where its log entry is to carry it.
    pub checkpoint: Option<Box<RawValue>>,
}

/// Whose turn it is and what is awaited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Brief {
    /// Whose turn it is.
    pub current: Vec<CombatantId>,
    /// The decision that is awaited, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending: Option<Pending>,
}

/// The most combatants that have joined an imported encounter, so that numbers are left for others.
const MAX_JOINED: u32 = 1 << 31;

/// Usual bytes of a document besides its combatants, and of each combatant, to allocate a buffer
/// once.
const USUAL: usize = 768;
const USUAL_COMBATANT: usize = 192;

/// An encounter under one ruleset.
pub(super) struct EncounterRecord<R: Ruleset> {
    pub meta: Arc<Meta>,
    pub history: UndoHistory,
    pub encounter: Encounter<R>,
}

impl<R: Ruleset> EncounterRecord<R> {
    /// Reads a document or checkpoint of the present schema; without `meta` it must hold its own.
    pub fn read(stored: &[u8], meta: Option<Arc<Meta>>) -> Result<Self, LoadError> {
        let Document::<R> {
            ruleset,
            meta: own,
            history,
            encounter,
            ..
        } = read_stored(stored)?;
        if ruleset != R::MANIFEST.id {
            return Err(LoadError::Unreadable(format!(
                "ruleset: {ruleset} is another one"
            )));
        }
        let meta = meta.or_else(|| own.map(|own| Arc::new(own.into_owned())));
        let meta =
            meta.ok_or_else(|| LoadError::Unreadable("a document without meta".to_owned()))?;
        Ok(Self {
            meta,
            history: history.into_owned(),
            encounter: encounter.into_owned(),
        })
    }

    fn stored<'a>(&'a self, meta: Option<&'a Meta>) -> Document<'a, R> {
        let (history, encounter) = (Cow::Borrowed(&self.history), Cow::Borrowed(&self.encounter));
        let ruleset = Cow::Borrowed(R::MANIFEST.id);
        Document {
            schema: SCHEMA,
            ruleset,
            meta: meta.map(Cow::Borrowed),
            history,
            encounter,
        }
    }

    /// Plays a request on a copy of the encounter.
    pub fn play<'r>(
        &self,
        request: &'r Request,
        dice: &mut dyn Dice,
        stop: Stop<'_>,
    ) -> Result<Played<'r, R>, Refusal> {
        let mut play = Play::new(self.encounter.clone(), dice);
        let mut commands = Vec::with_capacity(request.commands.len());
        for (index, (verb, fields)) in request.commands.iter().enumerate() {
            if stop() {
                return Err(Refusal::Stopped);
            }
            let path = || request.path(index);
            play_one(&mut play, verb, fields)
                .map_err(|refusal| refusal.within(&path()).named(play.encounter()))?;
            commands.push((verb.as_str(), play.events().len()));
            if play.events().len() > MAX_EVENTS {
                return Err(Refusal::too_many_events(path()));
            }
        }
        let (mut encounter, events) = play.finish();
        encounter.version = encounter.version.saturating_add(1);
        Ok(Played {
            encounter,
            events,
            commands,
        })
    }

    fn redacted_for(&self, own: &[OwnCombatant]) -> Self {
        let encounter = Encounter {
            version: self.encounter.version,
            ..self.encounter.redacted(own)
        };
        Self {
            meta: self.meta.clone(),
            history: self.history.clone(),
            encounter,
        }
    }

    /// A decision that leads here by this transition.
    fn decided(self, transition: &Transition<'_, R>) -> Result<Decided, WriteError> {
        let mut space = Space::of_entry();
        let events = space.events(transition.events)?;
        let texts = narration::texts(&transition.before.encounter, transition.events, &mut space)?;
        let redactions = transition.redactions(&mut space)?;
        let jump = transition.events.iter().any(Event::jumps);
        let checkpoint =
            (jump || self.encounter.version.is_multiple_of(CHECKPOINTS)).then(|| self.checkpoint());
        let checkpoint = checkpoint.transpose().map_err(WriteError::Json)?;
        Ok(Decided {
            checkpoint,
            next: Arc::new(self),
            events,
            texts,
            redactions,
        })
    }
}

/// A request that was played.
pub(super) struct Played<'r, R: Ruleset> {
    encounter: Encounter<R>,
    events: Vec<Event<R>>,
    /// The type of each command, and how many events there were after it.
    commands: Vec<(&'r str, usize)>,
}

fn play_one<R: Ruleset>(
    play: &mut Play<'_, R>,
    verb: &str,
    fields: &serde_json::Map<String, Value>,
) -> Result<(), Refusal> {
    let open = play.encounter().status != Status::Ended || verb == "note";
    let detail = "the encounter has ended: it takes notes, undo and redo";
    let check_open = || require(open, "encounter_ended", "TK-1", || detail);
    if let Some(command) = R::Command::parse(verb, fields).transpose()? {
        check_open()?;
        return Ok(R::decide(play, &command)?);
    }
    let Some(command) = SharedCommand::parse(verb, fields).transpose()? else {
        let known: Vec<_> = R::Command::SPECS
            .iter()
            .chain(SharedCommand::SPECS)
            .map(|spec| spec.verb)
            .collect();
        let unknown: String = verb.chars().take(40).collect();
        let detail = format!(
            "there is no command {unknown:?} here; there are {}",
            known.join(", ")
        );
        return Err(Violation::field("unknown_command", "type", detail).into());
    };
    check_open()?;
    shared::decide(play, command)
}

impl<R: Ruleset> AnyEncounter for EncounterRecord<R> {
    fn meta(&self) -> &Meta {
        &self.meta
    }

    fn ruleset(&self) -> &'static str {
        R::MANIFEST.id
    }

    fn check(&self) -> Result<(), String> {
        let encounter = &self.encounter;
        self.history.check(encounter.version)?;
        if encounter.combatants.len() > MAX_COMBATANTS || encounter.effects.len() > MAX_EFFECTS {
            return Err(format!(
                "it holds more than {MAX_COMBATANTS} combatants or {MAX_EFFECTS} effects"
            ));
        }
        let combatants: HashSet<_> = encounter.iter().map(|c| &c.id).collect();
        let effects: HashSet<_> = encounter.effects.iter().map(|e| &e.id).collect();
        if combatants.len() < encounter.combatants.len() || effects.len() < encounter.effects.len()
        {
            return Err("two combatants or two effects have the same id".to_owned());
        }
        if encounter.counted.len() > encounter.effects.len()
            || encounter.counted.iter().any(|id| !effects.contains(id))
        {
            return Err(
                "it says of effects that it does not hold that they have counted".to_owned(),
            );
        }
        if !encounter.used_ids.is_bounded() {
            return Err("it holds too many used ids".to_owned());
        }
        if encounter.joined > MAX_JOINED || encounter.iter().any(|c| c.joined > encounter.joined) {
            return Err(format!(
                "more than {MAX_JOINED} combatants have joined, or more than it says"
            ));
        }
        for c in encounter.iter() {
            let members: HashSet<_> = c.members.iter().map(|m| &m.id).collect();
            if members.len() < c.members.len() || members.len() > MAX_MEMBERS {
                return Err(format!(
                    "{} holds more than {MAX_MEMBERS} members, or two with the same id",
                    c.id.as_str()
                ));
            }
            // The rules may add some to those that a command set.
            let most = 2 * MAX_CONDITIONS;
            if c.all_conditions().any(|all| all.len() > most) {
                return Err(format!(
                    "{} holds more than {most} conditions",
                    c.id.as_str()
                ));
            }
        }
        R::check_state(encounter)
    }

    fn named(&self, field: String, id: &CombatantId) -> Result<OwnCombatant, Refusal> {
        let named = self.encounter.named(field, id).map(OwnCombatant::of);
        named.map_err(|violation| Refusal::from(violation).named(&self.encounter))
    }

    fn you(&self, viewer: &Viewer) -> Viewer {
        viewer.at(&self.encounter).into_owned()
    }

    fn version(&self) -> u64 {
        self.encounter.version
    }

    fn authorize(&self, viewer: &Viewer, request: &Request) -> Result<(), Refusal> {
        // The names are those that the viewer sees.
        let named = |refusal: Refusal| refusal.named(&self.encounter.redacted(&viewer.combatants));
        rights::check::<R>(&viewer.at(&self.encounter), &self.meta, request).map_err(named)
    }

    fn decide(
        &self,
        sender: &[OwnCombatant],
        request: &Request,
        dice: &mut dyn Dice,
        stop: Stop<'_>,
    ) -> Result<Decided, Refusal> {
        let Played {
            encounter,
            events,
            commands,
        } = self.play(request, dice, stop)?;
        if stop() {
            return Err(Refusal::Stopped);
        }
        let last = || request.path(commands.len().saturating_sub(1));
        R::check_state(&encounter).map_err(|beyond| Refusal::too_much_state(last(), &beyond))?;
        let history = UndoHistory::ordinary(encounter.version);
        let next = Self {
            meta: self.meta.clone(),
            history,
            encounter: encounter.clone(),
        };
        let (before, after) = (self, &encounter);
        let transition = Transition {
            before,
            after,
            events: &events,
            commands: &commands,
            sender,
            stop,
        };
        // Audiences are counted only where the number of tokens does not show that they are few
        // enough.
        let most = self.meta.tokens.len().saturating_add(1);
        let unwritable = |error: serde_json::Error| {
            Refusal::from(FieldError::meaningless("", error.to_string()))
        };
        let named = events.len().saturating_mul(encounter.combatants.len());
        let bytes = match named.saturating_mul(most) > MAX_REDACTED {
            true => serde_json::to_vec(&events).map_err(unwritable)?.len(),
            false => 0,
        };
        let exceeds = |audiences: usize| {
            events.len().saturating_mul(audiences) > MAX_REDACTED
                || bytes.saturating_mul(audiences) > MAX_REDACTED_BYTES && audiences > 1
        };
        if exceeds(most) && exceeds(transition.audiences()) {
            return Err(Refusal::too_many_events(last()));
        }
        next.decided(&transition)
            .map_err(|error| error.refusal(last()))
    }

    fn rewind_target(&self, request: &Request) -> Result<Option<Rewind>, Refusal> {
        self.history.rewind(self.encounter.version, request)
    }

    fn rewind(
        &self,
        sender: &[OwnCombatant],
        rewind: &Rewind,
        past: &dyn AnyEncounter,
    ) -> Result<Decided, LoadError> {
        let past = (past as &dyn Any).downcast_ref::<Self>();
        let past = past
            .filter(|past| past.encounter.version == rewind.to_version)
            .ok_or_else(|| {
                LoadError::Unreadable(format!("the state at {} is another's", rewind.to_version))
            })?;
        let mut encounter = past.encounter.clone();
        encounter.keep_identities(&self.encounter);
        encounter.version = self.encounter.version.saturating_add(1);
        let history = self.history.rewound(rewind, &past.history);
        let next = Self {
            meta: self.meta.clone(),
            history,
            encounter: encounter.clone(),
        };
        let events = [Event::Shared(rewind.event())];
        let (before, after, commands) = (self, &encounter, [(rewind.verb(), events.len())]);
        let transition = Transition {
            before,
            after,
            events: &events,
            commands: &commands,
            sender,
            stop: &|| false,
        };
        next.decided(&transition)
            .map_err(|error| LoadError::Unreadable(error.to_string()))
    }

    fn fold(&self, entry: &LogEntry) -> Result<Arc<dyn AnyEncounter>, LoadError> {
        let events: Vec<Event<R>> = serde_json::from_str(entry.events.get()).map_err(unreadable)?;
        if events.iter().any(Event::jumps) {
            let missing =
                || LoadError::Unreadable("checkpoint: an undo or redo needs one".to_owned());
            return self.restore(entry.checkpoint.as_deref().ok_or_else(missing)?);
        }
        let mut encounter = self.encounter.clone();
        for event in &events {
            encounter.apply(event);
        }
        encounter.version = entry.version;
        let history = UndoHistory::ordinary(encounter.version);
        Ok(Arc::new(Self {
            meta: self.meta.clone(),
            history,
            encounter,
        }))
    }

    fn checkpoint(&self) -> Result<Box<RawValue>, serde_json::Error> {
        serde_json::value::to_raw_value(&self.stored(None))
    }

    fn restore(&self, checkpoint: &RawValue) -> Result<Arc<dyn AnyEncounter>, LoadError> {
        let checkpoint = checkpoint.get().as_bytes();
        open(checkpoint)?;
        Ok(Arc::new(Self::read(checkpoint, Some(self.meta.clone()))?))
    }

    fn with_meta(&self, meta: Meta) -> Arc<dyn AnyEncounter> {
        Arc::new(Self {
            meta: Arc::new(meta),
            history: self.history.clone(),
            encounter: self.encounter.clone(),
        })
    }

    fn redacted(&self, own: &[OwnCombatant]) -> Arc<dyn AnyEncounter> {
        Arc::new(self.redacted_for(own))
    }

    fn examine(
        &self,
        own: &[OwnCombatant],
        request: &Request,
        stop: Stop<'_>,
    ) -> Result<(), Refusal> {
        let redacted = self.redacted_for(own);
        let Played {
            events, commands, ..
        } = redacted.play(request, &mut TrialDice, stop)?;
        // What is too large by what the player sees is refused for that, and not for a reason that
        // it may not know.
        let mut space = Space::of_entry();
        let last = || request.path(commands.len().saturating_sub(1));
        space
            .events(&events)
            .map_err(|error| error.refusal(last()))?;
        let texts = narration::texts(&redacted.encounter, &events, &mut space);
        texts.map(drop).map_err(|error| error.refusal(last()))
    }

    fn import_entry(&self, entry: &mut LogEntry, stop: Stop<'_>) -> Result<(), Refusal> {
        for redacted in entry.redactions.iter().flat_map(Redactions::entries) {
            let events =
                import::events::<R>(&redacted.events).map_err(|error| error.within("events"));
            let complete = events.and_then(|events| import::sentences(&redacted.texts, &events));
            complete.map_err(|error| error.within("redactions"))?;
        }
        if let Some(checkpoint) = &entry.checkpoint {
            import::checkpoint::<R>(checkpoint).map_err(|error| error.within("checkpoint"))?;
        }
        let events = import::events::<R>(&entry.events).map_err(|error| error.within("events"))?;
        import::sentences(&entry.texts, &events)?;
        let unwritable =
            |error: serde_json::Error| FieldError::malformed("events", error.to_string());
        entry.events = serde_json::value::to_raw_value(&events).map_err(unwritable)?;
        if let Some(redactions) = entry.redactions.take() {
            entry.redactions = Some(redactions.unowned());
            return Ok(());
        }
        let mut after = self.encounter.clone();
        events.iter().for_each(|event| after.apply(event));
        after.version = entry.version;
        // An entry does not say which command each event came from.
        let commands: Vec<_> = match &entry.commands[..] {
            [only] => vec![(only.as_str(), events.len())],
            _ => Vec::new(),
        };
        // Nor for whom its sender acted.
        let (before, after, sender) = (self, &after, &[]);
        let transition = Transition {
            before,
            after,
            events: &events,
            commands: &commands,
            sender,
            stop,
        };
        entry.redactions = transition.redactions(&mut Space::of_entry())?;
        Ok(())
    }

    fn view(&self, you: &Viewer) -> Result<Box<RawValue>, serde_json::Error> {
        serde_json::value::to_raw_value(&EncounterView::new(
            &self.meta,
            &self.encounter,
            Some(&you.at(&self.encounter)),
        ))
    }

    fn view_for_all(&self) -> Result<Vec<u8>, serde_json::Error> {
        serde_json::to_vec(&EncounterView::new(&self.meta, &self.encounter, None))
    }

    fn view_into(&self, you: &Viewer, buffer: &mut Vec<u8>) -> Result<(), serde_json::Error> {
        buffer.reserve(USUAL + 2 * USUAL_COMBATANT * self.encounter.combatants.len());
        serde_json::to_writer(
            buffer,
            &EncounterView::new(&self.meta, &self.encounter, Some(&you.at(&self.encounter))),
        )
    }

    fn brief(&self) -> Brief {
        Brief {
            current: R::current(&self.encounter),
            pending: pending(&self.encounter),
        }
    }

    fn summary(&self) -> Summary {
        let Encounter {
            name,
            metadata,
            status,
            round,
            version,
            ..
        } = &self.encounter;
        Summary {
            id: self.meta.id.clone(),
            name: name.to_string(),
            metadata: metadata.clone(),
            ruleset: R::MANIFEST.id,
            status: *status,
            round: *round,
            version: *version,
            created_at: self.meta.created_at.clone(),
        }
    }

    fn options(&self, viewer: &Viewer, oldest: u64, stop: Stop<'_>) -> Vec<LegalCommand> {
        legal::legal_commands(self, viewer, oldest, stop)
    }

    fn weight(&self) -> usize {
        let encounter = &self.encounter;
        let audiences = if encounter.hides_nothing() && !encounter.hides_any_hp() {
            1
        } else {
            self.meta.tokens.len().saturating_add(1)
        };
        audiences.saturating_mul(
            encounter
                .combatants
                .len()
                .saturating_add(encounter.effects.len())
                .saturating_add(1),
        )
    }

    fn text(&self) -> String {
        text::encounter(&self.encounter)
    }

    fn document(&self) -> Result<Vec<u8>, serde_json::Error> {
        let mut buffer =
            Vec::with_capacity(USUAL + USUAL_COMBATANT * self.encounter.combatants.len());
        serde_json::to_writer(&mut buffer, &self.stored(Some(&self.meta)))?;
        Ok(buffer)
    }
}
