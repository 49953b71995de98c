//! What comes next: the one place that picks, for the flow, the order and `next`.

use super::candidates::{candidates, may_pass, names_next};
use super::changed::happen;
use super::clock::changes_before;
use super::openings::may_any_skip;
use super::pools::payment;
use super::query::{definition, has_places_now, is_surprised, top};
use super::{Encounter, TurnOpened, TurnOrigin};
use crate::vocabulary::{CombatantId, TurnEnded};
use std::borrow::Cow;

/// What comes next after a turn and its gap.
#[derive(Debug)]
pub(super) enum Next {
    /// A turn that passes unused, because its combatant is surprised.
    Skip(CombatantId),
    /// A turn; several share it if the definition says so.
    Turn(Vec<CombatantId>),
    /// A choice among these.
    Choice(Vec<CombatantId>),
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
    if who.is_empty() {
        return Next::RoundEnd;
    }
    if let Some(surprised) = first_surprised(encounter, &who) {
        return Next::Skip(surprised.clone());
    }
    if may_any_skip(encounter, &who) {
        return Next::Choice(who);
    }
    let definition = definition(encounter);
    let is_chosen = definition.together.is_none()
        && (names_next(encounter)
            || !has_places_now(encounter)
            || who.len() > 1
            || who.iter().any(|id| may_pass(encounter, id)));
    if is_chosen {
        Next::Choice(who)
    } else {
        Next::Turn(who)
    }
}

fn first_surprised<'w>(encounter: &Encounter, who: &'w [CombatantId]) -> Option<&'w CombatantId> {
    who.iter().find(|id| {
        let c = encounter.get(id);
        c.is_some_and(|c| is_surprised(definition(encounter), c))
    })
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
pub(super) struct Walk<'e> {
    /// The encounter as it will be.
    ahead: Cow<'e, Encounter>,
}

impl<'e> Walk<'e> {
    /// Begins after the turns that are going on.
    pub fn new(encounter: &'e Encounter) -> Self {
        let mut ahead = Cow::Borrowed(encounter);
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
        happen(&mut self.ahead, begun);
        for id in combatants {
            end_turn(&mut self.ahead, id);
        }
    }
}

/// Ends a combatant's part of the turn that is going on, at the least cost.
pub(super) fn end_turn(ahead: &mut Cow<'_, Encounter>, id: &CombatantId) {
    if let Some(paid) = payment(ahead, id, None) {
        happen(ahead, paid);
    }
    let ended = TurnEnded {
        combatant: id.clone(),
    };
    happen(ahead, ended);
}

impl Iterator for Walk<'_> {
    type Item = Coming;

    fn next(&mut self) -> Option<Coming> {
        let (combatants, unused) = match next(&self.ahead) {
            Next::Skip(id) => (vec![id], true),
            Next::Turn(who) => (who, false),
            Next::Choice(who) if who.len() == 1 => (who, false),
            Next::Choice(_) | Next::RoundEnd | Next::Halted => return None,
        };
        // What comes by another definition is not known.
        if changes_before(&self.ahead, &combatants) {
            return None;
        }
        self.play_out(&combatants);
        Some(Coming { combatants, unused })
    }
}
