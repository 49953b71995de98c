//! Delayed turns, and the return to them.

use super::by_rule::ByRule;
use super::definition::Lasts;
use super::lines::{delay_rule, delays_last, reaction_line};
use super::openings::{may_return, opening};
use super::point::{Point, Then};
use super::query::{beside_now, definition, fits, is_skipped, last_begun, next_place};
use super::refusal::{ensure, now};
use super::turn::{count_once, open_turn, remove_from_turn, set_last};
use super::{Encounter, PlaceMoved, Play, TurnOrigin};
use crate::vocabulary::{CombatantId, EffectId, Moment, Violation, command, event, ids};

/// Delays the combatant's turn, to return to it later.
#[command(player, "{combatant}: delay the turn")]
pub struct Delay {
    /// The combatant.
    pub combatant: CombatantId,
}

impl Delay {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<Then, Violation> {
        let id = &self.combatant;
        let c = play.in_turn(id, "CU-23")?;
        let encounter = play.encounter();
        let definition = definition(encounter);
        let Some((name, rule)) = delay_rule(definition) else {
            let detail = "This order has no delaying. See definition.reactions.";
            return Err(Violation::new("no_delaying", "CU-23", detail));
        };
        let line = reaction_line(name, "who");
        let delays = fits(definition, &rule.who, c);
        ensure(delays, "not_for_it", "CU-23", &line, || {
            format!("{id} can't delay.")
        })?;
        let able = !is_skipped(definition, c);
        ensure(
            able,
            "unconscious_does_not_delay",
            "CU-23",
            "unconscious",
            || format!("{id} is unconscious and loses this turn. Send \"end_turn\"."),
        )?;
        let [turn] = &encounter.state.turns[..] else {
            return Err(Violation::new(
                "within_a_turn",
                "CU-23",
                "A turn that interrupts another one can't be delayed. Send \"end_turn\".",
            ));
        };
        let is_own = turn.origin == TurnOrigin::Normal;
        let line = reaction_line(name, "prepare");
        ensure(is_own, "not_its_own_turn", "CU-23", &line, || {
            format!("{id} can delay only on a turn that the order gives.")
        })?;
        play.count_effects(Moment::TurnEnd(id));
        let mut counted = Vec::new();
        for effect in &play.encounter().effects {
            if effect.counts_turns_of(id) {
                counted.push(effect.id.clone());
            }
        }
        play.emit(Delayed {
            combatant: id.clone(),
            counted,
        });
        Ok(Then::GoOn(Point::Turn))
    }
}

/// Returns to a delayed turn.
#[command(player, "{combatant}: take the delayed turn")]
pub struct Return {
    /// The combatant.
    pub combatant: CombatantId,
}

impl Return {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<Then, Violation> {
        let id = &self.combatant;
        let c = play.combatant("combatant", id)?;
        let encounter = play.encounter();
        let Some((name, rule)) = delay_rule(definition(encounter)).filter(|_| c.state.delaying)
        else {
            let detail =
                format!("{id} has no delayed turn to return to. See definition.reactions.");
            return Err(Violation::new("no_delayed_turn", "CU-23", detail));
        };
        let line = reaction_line(name, "when");
        let opening = opening(encounter);
        let returns = opening.is_some_and(|opening| may_return(encounter, c, opening));
        ensure(returns, "cannot_return", "CU-26", &line, || {
            format!("{id} can't return now. {}", now(encounter))
        })?;
        if rule.moves {
            let next = next_place(encounter, id);
            let turn = c.state.delayed_turn.or(next.map(|place| place.turn));
            let (beside, after) = beside_now(encounter);
            let beside = beside.cloned();
            play.emit(PlaceMoved {
                combatant: id.clone(),
                beside,
                after,
                turn,
                done: false,
            });
        }
        return_to(play, id);
        Ok(Then::GoOn(Point::Turn))
    }
}

/// A combatant delayed its turn.
#[event("{combatant} {combatant:delays|delay}.")]
pub struct Delayed {
    /// The combatant.
    pub combatant: CombatantId,
    /// Effects that counted this turn.
    pub counted: Vec<EffectId>,
}

impl ByRule for Delayed {
    fn follow(&self, encounter: &mut Encounter) {
        let begun = last_begun(encounter, &self.combatant);
        let place = begun.and_then(|at| encounter.state.places.get(at));
        let delayed_turn = place.map(|place| place.turn);
        remove_from_turn(&mut encounter.state, &self.combatant);
        set_last(&mut encounter.state, Some(self.combatant.clone()));
        encounter.change(&self.combatant, |c| {
            // The end of this turn has counted.
            c.acted = true;
            c.state.delaying = true;
            c.state.resumes = true;
            c.state.delayed_turn = delayed_turn;
            c.state.counted.clone_from(&self.counted);
            c.state.turns_left = c.state.turns_left.saturating_add(1);
            c.state.turns_taken = c.state.turns_taken.saturating_sub(1);
        });
    }
}

/// A combatant lost its delayed turn.
#[event("{combatant} {combatant:loses|lose} the delayed turn.")]
pub struct DelayLapsed {
    /// The combatant.
    pub combatant: CombatantId,
}

impl ByRule for DelayLapsed {
    /// Takes the turn from a combatant that delays. If it is lost because the combatant has no turns,
    /// the effects have counted it. A delay of an earlier round has no turn of this one, unless it
    /// keeps the combatant from its place.
    fn follow(&self, encounter: &mut Encounter) {
        let id = &self.combatant;
        let options = encounter.options.clone();
        let definition = options.definition();
        encounter.change(id, |c| {
            let lost = !c.active() || is_skipped(definition, c);
            c.acted |= lost && !c.state.counted.is_empty();
            c.state.delaying = false;
            c.state.resumes = false;
            if c.state.delayed_turn.take().is_some() || delays_last(definition, Lasts::Used) {
                c.state.turns_left = c.state.turns_left.saturating_sub(1);
            }
            c.state.counted.clear();
        });
    }
}

/// A combatant returned to its delayed turn.
#[event("{combatant} {combatant:takes|take} the delayed turn.")]
pub struct Returned {
    /// The combatant.
    pub combatant: CombatantId,
}

impl ByRule for Returned {
    fn follow(&self, encounter: &mut Encounter) {
        let returning = std::slice::from_ref(&self.combatant);
        open_turn(encounter, returning, TurnOrigin::Returned);
    }
}

/// Ends the delays of combatants that are out of the fight or lose their turns.
pub(super) fn end_vain_delays(play: &mut Play<'_>) {
    let encounter = play.encounter();
    let definition = definition(encounter);
    let delaying = encounter.iter().filter(|c| c.state.delaying);
    let in_vain = delaying.filter(|c| !c.active() || is_skipped(definition, c));
    for combatant in ids(in_vain) {
        play.emit(DelayLapsed { combatant });
    }
}

/// Begins the rest of a delayed turn.
fn return_to(play: &mut Play<'_>, id: &CombatantId) {
    play.emit(Returned {
        combatant: id.clone(),
    });
    count_once(play, id, Moment::TurnStart(id));
}
