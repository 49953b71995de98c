//! An encounter as the layers above have it: decided, read from a store or an import, and shown.

use super::document::{check_schema, unreadable};
use super::history::{CHECKPOINTS, Rewind, UndoHistory};
use super::narration::KeptEvent;
use super::record::{EncounterRecord, Played};
use super::redaction::Transition;
use super::space::{Space, WriteError};
use super::trial::TrialDice;
use super::view::{EncounterView, pending};
use super::{
    AnyEncounter, Brief, CombatantStatistics, CountedLog, Decided, LoadError, LogEntry,
    MAX_CONDITIONS, MAX_REDACTED, MAX_REDACTED_BYTES, Meta, OptionsFilter, Redactions, Refusal,
    Request, Stop, Summary, Viewer, import, legal, narration, rights, text,
};
use crate::json::FieldError;
use crate::vocabulary::{
    Combatant, CombatantId, Dice, Encounter, Event, Expiry, LegalCommand, MAX_COMBATANTS,
    MAX_EFFECTS, MAX_MEMBERS, OwnCombatant, Ruleset, Time,
};
use serde_json::value::RawValue;
use std::any::Any;
use std::collections::HashSet;
use std::sync::Arc;

/// The most combatants that have joined an imported encounter, so that numbers are left for others.
const MAX_JOINED: u32 = 1 << 31;

/// Usual bytes of a document besides its combatants, and of each combatant, to allocate a buffer
/// once.
const USUAL: usize = 768;
const USUAL_COMBATANT: usize = 192;

impl<R: Ruleset> EncounterRecord<R> {
    /// The redacted forms of an imported entry.
    fn imported_redactions(
        &self,
        entry: &LogEntry,
        events: &[Event<R>],
        next: &Self,
        stop: Stop<'_>,
    ) -> Result<Option<Redactions>, WriteError> {
        // An entry does not say which command each event came from.
        let commands: Vec<_> = match &entry.commands[..] {
            [only] => vec![(only.as_str(), events.len())],
            _ => Vec::new(),
        };
        let transition = Transition {
            before: self,
            after: &next.encounter,
            events,
            commands: &commands,
            // Nor does it say for whom its sender acted.
            sender: &[],
            stop,
        };
        transition.redactions(&mut Space::of_entry())
    }

    /// A decision that leads here by this transition.
    fn decided(self: &Arc<Self>, transition: &Transition<'_, R>) -> Result<Decided, WriteError> {
        let mut space = Space::of_entry();
        let events = narration::told(&transition.before.encounter, transition.events, &mut space)?;
        let redactions = transition.redactions(&mut space)?;
        let kept = narration::kept(transition.events, &mut Space::of_entry())?;
        let jumps = transition.events.iter().any(Event::jumps);
        let checkpoint = if jumps || self.encounter.version.is_multiple_of(CHECKPOINTS) {
            Some(self.checkpoint().map_err(WriteError::Json)?)
        } else {
            None
        };
        Ok(Decided {
            checkpoint,
            next: self.clone(),
            events,
            kept,
            redactions,
            since: (self.since != transition.before.since).then_some(self.since),
        })
    }
}

/// Refuses a combatant of an imported log that no command makes.
fn check_combatant<R: Ruleset>(c: &Combatant<R>) -> Result<(), String> {
    let members: HashSet<_> = c.members.iter().map(|m| &m.id).collect();
    if members.len() < c.members.len() || members.len() > MAX_MEMBERS {
        return Err(format!(
            "{} holds more than {MAX_MEMBERS} members, or two with the same id",
            c.id.as_str()
        ));
    }
    // The rules may add some to those that a command set.
    let most = 2 * MAX_CONDITIONS;
    for conditions in c.all_conditions() {
        if conditions.len() > most {
            return Err(format!(
                "{} holds more than {most} conditions",
                c.id.as_str()
            ));
        }
    }
    Ok(())
}

/// Whether the events of a transition are too many or too large, counted for each audience.
fn is_too_large<R: Ruleset>(transition: &Transition<'_, R>) -> Result<bool, Refusal> {
    let count = narration::read(transition.events).count();
    // Bounds that cost nothing come first. Each audience but everybody's has a token, so audiences
    // are counted only if tokens are many. An event may name every combatant, so bytes are counted
    // only if that makes many names.
    let most_audiences = transition.before.meta.tokens.len().saturating_add(1);
    let most_names = count
        .saturating_mul(transition.after.combatants.len())
        .saturating_mul(most_audiences);
    let bytes = if most_names > MAX_REDACTED {
        let events: Vec<_> = narration::read(transition.events).collect();
        serde_json::to_vec(&events).map_err(unwritable)?.len()
    } else {
        0
    };
    Ok(exceeds(count, bytes, most_audiences) && exceeds(count, bytes, transition.audiences()))
}

/// Whether so many events of so many bytes are too much for these audiences together.
fn exceeds(events: usize, bytes: usize, audiences: usize) -> bool {
    events.saturating_mul(audiences) > MAX_REDACTED
        || audiences > 1 && bytes.saturating_mul(audiences) > MAX_REDACTED_BYTES
}

/// All events of a stored entry.
fn stored_events<R: Ruleset>(entry: &LogEntry) -> Result<Vec<Event<R>>, serde_json::Error> {
    let events = serde_json::from_str(entry.events.get())?;
    match &entry.kept {
        Some(kept) => Ok(in_order(events, serde_json::from_str(kept.get())?)),
        None => Ok(events),
    }
}

/// The events that are read, and those that are kept, in the order in which they happened.
fn in_order<R: Ruleset>(read: Vec<Event<R>>, kept: Vec<KeptEvent<Event<R>>>) -> Vec<Event<R>> {
    if kept.is_empty() {
        return read;
    }
    let mut events = Vec::with_capacity(read.len() + kept.len());
    let mut kept = kept.into_iter().peekable();
    for (position, event) in read.into_iter().enumerate() {
        events.push(event);
        while let Some(KeptEvent { event, .. }) = kept.next_if(|kept| kept.after <= position) {
            events.push(event);
        }
    }
    events.extend(kept.map(|kept| kept.event));
    events
}

fn unwritable(error: serde_json::Error) -> Refusal {
    FieldError::meaningless("", error.to_string()).into()
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
        if encounter.combatants.len() > MAX_COMBATANTS {
            return Err(format!("it holds more than {MAX_COMBATANTS} combatants"));
        }
        if !encounter.holds_its_effects() {
            return Err(format!(
                "it holds more than {MAX_EFFECTS} effects that players see, or \
                 as many that they don't"
            ));
        }
        let combatants: HashSet<_> = encounter.iter().map(|c| &c.id).collect();
        let effects: HashSet<_> = encounter.effects.iter().map(|e| &e.id).collect();
        if combatants.len() < encounter.combatants.len() || effects.len() < encounter.effects.len()
        {
            return Err("two combatants or two effects have the same id".to_owned());
        }
        for effect in &encounter.effects {
            let due = effect.reminder.as_ref().map(|reminder| &reminder.due);
            if !effect.begins.iter().chain(due).all(Expiry::comes_in_play) {
                return Err(
                    "an effect begins or reminds at no moment of a round or turn".to_owned(),
                );
            }
        }
        let counted = &encounter.counted;
        if counted.len() > effects.len() || !counted.iter().all(|id| effects.contains(id)) {
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
        for combatant in encounter.iter() {
            check_combatant(combatant)?;
        }
        R::check_state(encounter)
    }

    fn named(&self, field: String, id: &CombatantId) -> Result<OwnCombatant, Refusal> {
        match self.encounter.named(field, id) {
            Ok(combatant) => Ok(OwnCombatant::of(combatant)),
            Err(violation) => Err(Refusal::from(violation).with_names(&self.encounter)),
        }
    }

    fn you(&self, viewer: &Viewer) -> Viewer {
        viewer.without_reused_ids(&self.encounter).into_owned()
    }

    fn version(&self) -> u64 {
        self.encounter.version
    }

    fn authorize(&self, viewer: &Viewer, request: &Request) -> Result<(), Refusal> {
        match rights::check::<R>(
            &viewer.without_reused_ids(&self.encounter),
            &self.meta,
            request,
        ) {
            Ok(()) => Ok(()),
            // The names are those that the viewer sees.
            Err(refusal) => Err(refusal.with_names(&self.encounter.redacted(&viewer.combatants))),
        }
    }

    fn decide(
        &self,
        sender: &[OwnCombatant],
        request: &Request,
        at: Time,
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
        let last = commands.len().saturating_sub(1);
        if let Err(beyond) = R::check_state(&encounter) {
            return Err(Refusal::too_much_state(request.path(last), &beyond));
        }
        let next = Arc::new(Self {
            meta: self.meta.clone(),
            history: UndoHistory::ordinary(encounter.version),
            since: self.since.after(&self.encounter, &events, &encounter, at),
            encounter,
        });
        let transition = Transition {
            before: self,
            after: &next.encounter,
            events: &events,
            commands: &commands,
            sender,
            stop,
        };
        if is_too_large(&transition)? {
            return Err(Refusal::too_many_events(request.path(last)));
        }
        next.decided(&transition)
            .map_err(|error| error.refusal(request.path(last)))
    }

    fn rewind_target(&self, request: &Request) -> Result<Option<Rewind>, Refusal> {
        self.history.rewind(self.encounter.version, request)
    }

    fn rewind(
        &self,
        sender: &[OwnCombatant],
        rewind: &Rewind,
        past: &dyn AnyEncounter,
        at: Time,
    ) -> Result<Decided, LoadError> {
        let past = match (past as &dyn Any).downcast_ref::<Self>() {
            Some(past) if past.encounter.version == rewind.to_version => past,
            _ => {
                let message = format!("the state at {} is another's", rewind.to_version);
                return Err(LoadError::Unreadable(message));
            }
        };
        let mut encounter = past.encounter.clone();
        encounter.keep_identities(&self.encounter);
        encounter.version = self.encounter.version.saturating_add(1);
        let history = self.history.rewound(rewind, &past.history);
        let events = [Event::Shared(rewind.event())];
        let next = Arc::new(Self {
            meta: self.meta.clone(),
            history,
            since: self.since.after(&self.encounter, &events, &encounter, at),
            encounter,
        });
        let transition = Transition {
            before: self,
            after: &next.encounter,
            events: &events,
            commands: &[(rewind.verb(), events.len())],
            sender,
            stop: &|| false,
        };
        next.decided(&transition)
            .map_err(|error| LoadError::Unreadable(error.to_string()))
    }

    fn fold(&self, entry: &LogEntry) -> Result<Arc<dyn AnyEncounter>, LoadError> {
        let events = stored_events(entry).map_err(unreadable)?;
        if events.iter().any(Event::jumps) {
            let Some(checkpoint) = &entry.checkpoint else {
                let message = "An undo or redo needs a checkpoint.";
                return Err(LoadError::Unreadable(message.to_owned()));
            };
            return self.restore(checkpoint);
        }
        Ok(Arc::new(self.after(&events, entry)))
    }

    fn checkpoint(&self) -> Result<Box<RawValue>, serde_json::Error> {
        serde_json::value::to_raw_value(&self.stored(None))
    }

    fn restore(&self, checkpoint: &RawValue) -> Result<Arc<dyn AnyEncounter>, LoadError> {
        let checkpoint = checkpoint.get().as_bytes();
        check_schema(checkpoint)?;
        Ok(Arc::new(Self::read(checkpoint, Some(self.meta.clone()))?))
    }

    fn with_meta(&self, meta: Meta) -> Arc<dyn AnyEncounter> {
        Arc::new(Self {
            meta: meta.into(),
            history: self.history.clone(),
            since: self.since,
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
        let last = commands.len().saturating_sub(1);
        match narration::told(&redacted.encounter, &events, &mut Space::of_entry()) {
            Ok(_) => Ok(()),
            Err(error) => Err(error.refusal(request.path(last))),
        }
    }

    fn import_entry(
        &self,
        entry: &mut LogEntry,
        stop: Stop<'_>,
    ) -> Result<Option<Arc<dyn AnyEncounter>>, Refusal> {
        if let Some(redactions) = &entry.redactions {
            for redacted in redactions.entries() {
                import::events::<R>(&redacted.events)
                    .map_err(|error| error.within("redactions.events"))?;
            }
        }
        if let Some(checkpoint) = &entry.checkpoint {
            import::checkpoint::<R>(checkpoint).map_err(|error| error.within("checkpoint"))?;
        }
        let told = import::events::<R>(&entry.events).map_err(|error| error.within("events"))?;
        entry.events = serde_json::value::to_raw_value(&told)
            .map_err(|error| FieldError::malformed("events", error.to_string()))?;
        let events = told.into_iter().map(|told| told.event).collect();
        let kept = import::kept(entry).map_err(|error| error.within("kept"))?;
        let events = in_order(events, kept);
        let is_jump = events.iter().any(Event::jumps);
        let next = self.after(&events, entry);
        if let Some(redactions) = entry.redactions.take() {
            entry.redactions = Some(redactions.unowned());
        } else {
            entry.redactions = self.imported_redactions(entry, &events, &next, stop)?;
        }
        Ok((!is_jump).then(|| Arc::new(next) as Arc<dyn AnyEncounter>))
    }

    fn view(&self, you: &Viewer) -> Result<Box<RawValue>, serde_json::Error> {
        serde_json::value::to_raw_value(&EncounterView::new(
            &self.meta,
            &self.encounter,
            self.since.time(),
            &you.without_reused_ids(&self.encounter),
        ))
    }

    fn brief(&self) -> Brief {
        Brief {
            current: R::current(&self.encounter),
            pending: pending(&self.encounter),
            since: self.since.time(),
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

    fn options(
        &self,
        viewer: &Viewer,
        filter: &OptionsFilter,
        oldest: u64,
        stop: Stop<'_>,
    ) -> Vec<LegalCommand> {
        legal::legal_commands(self, viewer, filter, oldest, stop)
    }

    fn weight(&self) -> usize {
        let encounter = &self.encounter;
        let audiences = if encounter.hides_nothing() && !encounter.hides_any_field() {
            1
        } else {
            self.meta.tokens.len().saturating_add(1)
        };
        let parts = encounter.combatants.len() + encounter.effects.len() + 1;
        audiences.saturating_mul(parts)
    }

    fn statistics(&self, log: &CountedLog) -> Vec<CombatantStatistics> {
        log.statistics(&self.encounter)
    }

    fn text(&self) -> String {
        text::encounter(&self.encounter)
    }

    fn document(&self) -> Result<Vec<u8>, serde_json::Error> {
        let mut buffer =
            Vec::with_capacity(USUAL + USUAL_COMBATANT * self.encounter.combatants.len());
        serde_json::to_writer(&mut buffer, &self.stored(Some(self.meta.clone())))?;
        Ok(buffer)
    }
}
