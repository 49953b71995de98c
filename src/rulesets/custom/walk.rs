//! What comes next: the one place that picks, for the flow, the order and `next`.

use super::definition::Pick;
use super::query::{
    awaits_pass, candidates, change_by_turn, definition, is_surprised, may_any_skip, phase, top,
};
use super::{Encounter, PassStarted, PhaseStarted, TurnOpened, TurnOrigin};
use crate::vocabulary::{CombatantId, Event as AnyEvent, TurnEnded};

/// What comes next after a turn and its gap.
#[derive(Debug)]
pub(super) enum Next {
    /// A turn that passes unused, because its combatant is surprised.
    Skip(CombatantId),
    /// A turn; several share it if the phase says so.
    Turn(Vec<CombatantId>),
    /// A choice among these.
    Choice(Vec<CombatantId>),
    /// The pass of this number.
    Pass(u32),
    /// The phase of this number.
    Phase(usize),
    /// The end of the round.
    RoundEnd,
    /// No combatant is left.
    Halted,
}

/// What comes next.
pub(super) fn next(encounter: &Encounter) -> Next {
    if encounter.active().next().is_none() {
        return Next::Halted;
    }
    let who = candidates(encounter);
    if who.is_empty() && awaits_pass(encounter) {
        return Next::Pass(encounter.state.pass.saturating_add(1));
    }
    if who.is_empty() {
        return after_phase(encounter);
    }
    if let Some(surprised) = first_surprised(encounter, &who) {
        return Next::Skip(surprised.clone());
    }
    if may_any_skip(encounter, &who) {
        return Next::Choice(who);
    }
    match phase(encounter).pick {
        Pick::Order | Pick::Slot if who.len() == 1 => Next::Turn(who),
        Pick::Together => Next::Turn(who),
        Pick::Last if encounter.state.last.is_none() => match first_in_order(encounter, &who) {
            Some(first) => Next::Turn(vec![first]),
            None => Next::Choice(who),
        },
        Pick::Order | Pick::Slot | Pick::Last | Pick::Free => Next::Choice(who),
    }
}

/// What comes when nobody can act in this phase.
fn after_phase(encounter: &Encounter) -> Next {
    let phase = encounter.state.phase.saturating_add(1);
    if phase < definition(encounter).phases.len() {
        Next::Phase(phase)
    } else {
        Next::RoundEnd
    }
}

fn first_surprised<'w>(encounter: &Encounter, who: &'w [CombatantId]) -> Option<&'w CombatantId> {
    who.iter().find(|id| {
        let c = encounter.get(id);
        c.is_some_and(|c| is_surprised(definition(encounter), c))
    })
}

/// The first of these in the order of initiative: it opens where no combatant has acted yet.
fn first_in_order(encounter: &Encounter, who: &[CombatantId]) -> Option<CombatantId> {
    let mut places = encounter.state.places.iter().map(|place| &place.combatant);
    places.find(|id| who.contains(id)).cloned()
}

/// A turn that comes.
#[derive(Debug)]
pub(super) struct Coming {
    /// Whose.
    pub combatants: Vec<CombatantId>,
    /// True if it passes unused.
    pub unused: bool,
}

/// Walks through the turns that come in this round if no combatant interferes, as far as they are
/// known.
pub(super) struct Walk {
    /// The encounter as it will be.
    ahead: Encounter,
}

impl Walk {
    /// Begins after the turns that are going on.
    pub fn new(encounter: &Encounter) -> Self {
        let mut ahead = encounter.clone();
        while let Some(id) = top(&ahead).and_then(|turn| turn.combatants.last().cloned()) {
            end_turn(&mut ahead, &id);
        }
        Self { ahead }
    }

    fn play_out(&mut self, combatants: &[CombatantId]) {
        let begun = TurnOpened {
            combatants: combatants.to_vec().into(),
            origin: TurnOrigin::Normal,
        };
        self.ahead.apply(&AnyEvent::Own(begun.into()));
        for id in combatants {
            end_turn(&mut self.ahead, id);
        }
    }
}

/// Ends a combatant's part of the turn that is going on, at the least cost.
fn end_turn(ahead: &mut Encounter, id: &CombatantId) {
    if let Some(change) = change_by_turn(ahead, id, None) {
        ahead.apply(&AnyEvent::Own(change.into()));
    }
    let ended = TurnEnded {
        combatant: id.clone(),
    };
    ahead.apply(&AnyEvent::Shared(ended.into()));
}

impl Iterator for Walk {
    type Item = Coming;

    fn next(&mut self) -> Option<Coming> {
        loop {
            let (combatants, unused) = match next(&self.ahead) {
                Next::Skip(id) => (vec![id], true),
                Next::Turn(who) => (who, false),
                Next::Choice(who) if who.len() == 1 && !phase(&self.ahead).optional => (who, false),
                Next::Pass(pass) => {
                    let begun = PassStarted { pass };
                    self.ahead.apply(&AnyEvent::Own(begun.into()));
                    continue;
                }
                Next::Phase(phase_index) => {
                    let begun = PhaseStarted {
                        phase_index,
                        phase_name: None,
                    };
                    self.ahead.apply(&AnyEvent::Own(begun.into()));
                    continue;
                }
                Next::Choice(_) | Next::RoundEnd | Next::Halted => return None,
            };
            self.play_out(&combatants);
            return Some(Coming { combatants, unused });
        }
    }
}
