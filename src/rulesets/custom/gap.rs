//! Gaps between turns, in which combatants react or pass.

use super::candidates::{candidates, next_choice};
use super::openings::{Opening, after_lair, asked, reacting};
use super::point::{Point, Then};
use super::query::definition;
use super::refusal::{ensure, now};
use super::{Custom, Declaration, DeclarationsShown, Encounter, GapAt, Mode, Play, State};
use crate::vocabulary::{CombatantId, Fold, Participants, Violation, command, event};
use std::collections::BTreeSet;

/// Declines to react now, or to act before the next choice.
#[command(player, "{combatant}: pass")]
pub struct Pass {
    /// The combatant.
    pub combatant: CombatantId,
}

impl Pass {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<Then, Violation> {
        let id = &self.combatant;
        play.combatant("combatant", id)?;
        let encounter = play.encounter();
        match &encounter.state.mode {
            Mode::Gap { .. } => {
                let is_asked = asked(encounter).any(|c| c.id == *id);
                ensure(is_asked, "no_reaction", "CU-31", "reactions", || {
                    format!("{id} has no reaction to decline.")
                })?;
            }
            Mode::Choosing => {
                let rule = definition(encounter).declare.as_ref();
                let passes = rule.is_some_and(|rule| rule.passing);
                ensure(
                    passes,
                    "no_passing",
                    "CU-17",
                    "declare.passing",
                    || "Combatants can't pass their turns in this order.",
                )?;
                let is_next = candidates(encounter).contains(id);
                ensure(is_next, "not_next", "CU-17", "declare.passing", || {
                    format!("{id} can't act now, and so can't pass.")
                })?;
                let Some(choice) =
                    next_choice(encounter, play.combatant("combatant", id)?).cloned()
                else {
                    let detail = format!(
                        "{id} has no later choice to pass to. See definition.declare.passing."
                    );
                    return Err(Violation::new("no_passing", "CU-17", detail));
                };
                let combatant = id.clone();
                play.emit(DeclarationsShown {
                    declarations: vec![Declaration { combatant, choice }],
                });
                return Ok(Then::GoOn(Point::Next));
            }
            _ => {
                let detail = format!("There's nothing to pass now. {}", now(encounter));
                return Err(Violation::new("nothing_to_pass", "CU-31", detail));
            }
        }
        play.emit(Passed {
            combatant: id.clone(),
        });
        Ok(if is_used(play.encounter()) {
            Then::GoOn(Point::Next)
        } else {
            Then::Wait
        })
    }
}

/// Some combatants may react before the next turn.
#[event("Others may react now.")]
pub struct GapOpened {
    /// Where in the round it opens.
    #[schema(inline)]
    pub at: GapAt,
}

impl GapOpened {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Custom>) {
        open(fold.state(), self.at);
    }
}

/// The gap closed: none of those that could still react does.
#[event("No one else reacts.")]
pub struct GapClosed {
    /// The combatants that could still react.
    pub combatants: Participants,
}

impl GapClosed {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Custom>) {
        if let Mode::Gap { passed, .. } = &mut fold.state().mode {
            passed.extend(self.combatants.iter().cloned());
        }
    }
}

/// A combatant declined to react.
#[event("{combatant} {combatant:passes|pass}.")]
pub struct Passed {
    /// The combatant.
    pub combatant: CombatantId,
}

impl Passed {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Custom>) {
        if let Mode::Gap { passed, .. } = &mut fold.state().mode {
            passed.insert(self.combatant.clone());
        }
    }
}

/// Opens a gap. One that follows another in the same round keeps who has passed.
pub(super) fn open(state: &mut State, at: GapAt) {
    let passed = match std::mem::take(&mut state.mode) {
        Mode::Gap { passed, .. } => passed,
        _ => BTreeSet::new(),
    };
    state.mode = Mode::Gap { passed, at };
}

/// Opens a gap after a turn that ended or was delayed, if somebody has a reaction in it. A lair's
/// turn is followed by none.
pub(super) fn open_gap(play: &mut Play<'_>) -> Option<Point> {
    let encounter = play.encounter();
    if after_lair(encounter) || reacting(encounter, Opening::AfterTurn).next().is_none() {
        return Some(Point::Next);
    }
    play.emit(GapOpened {
        at: GapAt::AfterTurn,
    });
    None
}

/// Whether somebody has a reaction before the round ends and has not declined it in the gap that
/// has just closed.
pub(super) fn has_unasked(play: &Play<'_>) -> bool {
    let mut unasked = reacting(play.encounter(), Opening::RoundEnd);
    unasked.next().is_some()
}

/// Whether everybody has reacted or passed in the gap that is open.
pub(super) fn is_used(encounter: &Encounter) -> bool {
    matches!(encounter.state.mode, Mode::Gap { .. }) && asked(encounter).next().is_none()
}
