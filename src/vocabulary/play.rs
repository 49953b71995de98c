//! A transition while it is being decided.

use super::{
    Clock, Combatant, CombatantId, Dice, Die, Effect, EffectBegun, EffectDue, EffectEnded,
    EffectId, EffectTicked, Encounter, EndReason, Event, Expiry, Int, Moment, Pending, Reminder,
    Ruleset, Status, Violation, require,
};
use std::borrow::Cow;

/// A transition in the making: a copy of the encounter to which every event is applied at once, so
/// that what comes next is decided on what came before. Dropping it leaves the encounter untouched.
pub struct Play<'d, R: Ruleset> {
    encounter: Encounter<R>,
    events: Vec<Event<R>>,
    /// The effects that were due and apply by themselves.
    due: Vec<EffectId>,
    dice: &'d mut dyn Dice,
}

impl<'d, R: Ruleset> Play<'d, R> {
    /// Begins on a copy of `encounter`.
    pub fn new(encounter: Encounter<R>, dice: &'d mut dyn Dice) -> Self {
        Self {
            encounter,
            events: Vec::new(),
            due: Vec::new(),
            dice,
        }
    }

    /// The encounter after the events emitted so far.
    pub fn encounter(&self) -> &Encounter<R> {
        &self.encounter
    }

    /// The events emitted so far.
    pub fn events(&self) -> &[Event<R>] {
        &self.events
    }

    /// Returns the new state and its events.
    pub fn finish(self) -> (Encounter<R>, Vec<Event<R>>) {
        (self.encounter, self.events)
    }

    /// Applies an event and records it, and what follows from it.
    pub fn emit(&mut self, event: impl Into<Event<R>>) {
        let event = event.into();
        self.encounter.apply(&event);
        let outcome = R::outcome(&self.encounter, &event).map(Event::Own);
        self.events.push(event);
        if let Some(outcome) = outcome {
            self.encounter.apply(&outcome);
            self.events.push(outcome);
        }
    }

    /// Lets every effect count that counts `moment`; what has counted down begins, is due or ends.
    pub fn count_effects(&mut self, moment: Moment<'_>) {
        self.count_down(|_, _, clock| u32::from(clock.counts(moment)));
    }

    /// Lets effects count as many of their moments as `passed` says of what they count; with nothing
    /// left an effect begins, is due or ends. Several moments that pass at once make a reminder due
    /// once.
    pub fn count_down(&mut self, passed: impl Fn(&Encounter<R>, &Effect, &Expiry) -> u32) {
        let mut counts = Vec::new();
        for effect in &self.encounter.effects {
            let passed = |clock: &Expiry| passed(&self.encounter, effect, clock);
            if let Some(counted) = Counted::of(effect, passed) {
                counts.push((effect.id.clone(), counted));
            }
        }
        for (effect_id, counted) in counts {
            counted.happen(self, effect_id);
        }
    }

    /// The effects that were due since the last call and apply by themselves.
    pub fn take_due(&mut self) -> Vec<EffectId> {
        std::mem::take(&mut self.due)
    }

    /// A die: as the table rolled it, or rolled now.
    pub fn die<const SIDES: i64>(&mut self, given: Option<Int<1, SIDES>>) -> Die {
        self.die_of(SIDES, given.map(Int::get))
    }

    /// The same with sides that are known only now.
    pub fn die_of(&mut self, sides: i64, given: Option<i64>) -> Die {
        let sides = u16::try_from(sides).unwrap_or(u16::MAX);
        match given.and_then(|face| u16::try_from(face).ok()) {
            Some(face) => Die {
                sides,
                face,
                given: true,
            },
            None => self.roll(sides),
        }
    }

    /// A die with this many sides, rolled now.
    pub fn roll(&mut self, sides: u16) -> Die {
        Die {
            sides,
            face: self.dice.roll(sides),
            given: false,
        }
    }

    /// The combatant that a command's `field` names; refused as meaningless if there is none.
    pub fn combatant(
        &self,
        field: impl Into<Cow<'static, str>>,
        id: &CombatantId,
    ) -> Result<&Combatant<R>, Violation> {
        self.encounter.named(field, id)
    }

    /// The combatant that a command's `field` names; refused by `rule` if it is out of the fight.
    pub fn fighter(
        &self,
        field: impl Into<Cow<'static, str>>,
        id: &CombatantId,
        rule: &'static str,
    ) -> Result<&Combatant<R>, Violation> {
        let c = self.combatant(field, id)?;
        require(c.active(), "not_active", rule, || {
            format!("{id} is out of the fight. Choose another combatant.")
        })?;
        Ok(c)
    }

    /// Refused unless the fight has started; `rule` is what says when it starts.
    pub fn started(&self, rule: &'static str) -> Result<(), Violation> {
        let detail = "The encounter hasn't started. Send \"start\" first.";
        require(
            self.encounter.status != Status::Setup,
            "not_started",
            rule,
            || detail,
        )
    }

    /// The combatant that the field `combatant` names; refused unless it is its turn. `rule` says
    /// whose turn it is.
    pub fn in_turn(
        &self,
        id: &CombatantId,
        rule: &'static str,
    ) -> Result<&Combatant<R>, Violation> {
        let combatant = self.combatant("combatant", id)?;
        let acting = R::current(&self.encounter);
        if acting.contains(id) {
            return Ok(combatant);
        }
        let names: Vec<_> = acting.iter().map(CombatantId::to_string).collect();
        let detail = if names.is_empty() {
            without_turn(id, R::pending(&self.encounter).as_ref())
        } else {
            format!("It's {}'s turn, not {id}'s.", names.join(" and "))
        };
        Err(Violation::new("not_your_turn", rule, detail))
    }
}

/// What the passing of moments means to an effect.
#[derive(Default)]
struct Counted {
    ticks: Vec<(Clock, u32)>,
    begins: bool,
    /// The moments from its reminder to the next one, if it is due.
    due: Option<u32>,
    /// Whether it does something by itself then.
    is_automatic: bool,
    ends: bool,
    /// Whether it ends only once it is applied.
    is_last: bool,
}

impl Counted {
    /// What it means that so many moments have `passed`; None if it means nothing.
    fn of(effect: &Effect, passed: impl Fn(&Expiry) -> u32) -> Option<Self> {
        let mut counted = Self::default();
        let mut most = u32::MAX;
        if let Some(begins) = &effect.begins {
            let left = begins.remaining().map_or(1, Int::count);
            let passed = passed(begins);
            counted.begins = passed >= left;
            // What passes after its beginning counts.
            most = passed.saturating_sub(left);
            if passed > 0 && !counted.begins {
                counted.ticks.push((Clock::Beginning, left - passed));
            }
        }
        let rest = |clock: &Expiry| match clock {
            Expiry::EncounterEnd {} => passed(clock),
            _ => passed(clock).min(most),
        };
        let reminder = effect.reminder.as_ref().filter(|_| !effect.last);
        if let Some(reminder) = reminder {
            let left = reminder.due.remaining().map_or(1, Int::count);
            let every = reminder.every.count().max(1);
            match rest(&reminder.due) {
                0 => {}
                passed if passed < left => counted.ticks.push((Clock::Reminder, left - passed)),
                passed => counted.due = Some(every - (passed - left) % every),
            }
            counted.is_automatic = reminder.automatic && reminder.does_something();
        }
        let left = effect.expires.remaining().map_or(1, Int::count);
        match rest(&effect.expires) {
            passed if passed == 0 || effect.last => {}
            passed if passed < left => counted.ticks.push((Clock::End, left - passed)),
            _ => counted.ends = true,
        }
        let does_something = reminder.is_some_and(Reminder::does_something);
        counted.is_last = counted.ends && counted.due.is_some() && does_something;
        let means_something =
            !counted.ticks.is_empty() || counted.begins || counted.due.is_some() || counted.ends;
        means_something.then_some(counted)
    }

    /// Lets it happen to the effect.
    fn happen<R: Ruleset>(self, play: &mut Play<'_, R>, effect_id: EffectId) {
        if self.begins {
            play.emit(EffectBegun {
                effect_id: effect_id.clone(),
            });
        }
        for (clock, remaining) in self.ticks {
            play.emit(EffectTicked {
                effect_id: effect_id.clone(),
                remaining,
                clock,
            });
        }
        if let Some(next) = self.due {
            play.emit(EffectDue {
                effect_id: effect_id.clone(),
                next,
                last: self.is_last,
            });
            if self.is_automatic {
                play.due.push(effect_id.clone());
            }
        }
        if self.ends && !self.is_last {
            play.emit(EffectEnded {
                effect_id,
                reason: EndReason::Expired,
            });
        }
    }
}

/// Why it is not a combatant's turn while none is in progress, and what is awaited.
fn without_turn(id: &CombatantId, pending: Option<&Pending>) -> String {
    let mut detail = format!("No turn is in progress, so it isn't {id}'s turn.");
    let Some(pending) = pending else {
        return detail;
    };
    if pending.is_someone() {
        return format!("Someone else acts now, not {id}.");
    }
    if let Some((last, others)) = pending.commands.split_last() {
        let mut commands = format!("\"{last}\"");
        if !others.is_empty() {
            commands = format!("\"{}\" or {commands}", others.join("\", \""));
        }
        detail += &format!(" Send {commands} first.");
    }
    detail
}
