//! The choice of who acts next.

use super::candidates::{candidates, chooser, may_pass};
use super::definition::Chooser;
use super::laps::lap_now;
use super::lines::{costs_turns, has_laps, has_places, has_sides};
use super::openings::may_skip;
use super::point::{Point, Then};
use super::query::{definition, fits, is_skipped, place_of};
use super::reaction::use_of;
use super::refusal::{ensure, now};
use super::survey::Survey;
use super::turn::begin;
use super::{Custom, Encounter, Mode, Pass, Play, TurnOrigin, rule_of_choice};
use crate::vocabulary::{CombatantId, Fold, LegalCommand, Violation, command, event};

/// Starts the combatant's turn, if several combatants may go next and none of them chooses.
#[command(player, "{combatant}: start turn")]
pub struct BeginTurn {
    /// The combatant.
    pub combatant: CombatantId,
}

impl BeginTurn {
    /// Starts the turn of a combatant, if no other one chooses who acts next.
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<Then, Violation> {
        let id = &self.combatant;
        play.combatant("combatant", id)?;
        check_choosing(play.encounter())?;
        play.fighter("combatant", id, "CU-1")?;
        let encounter = play.encounter();
        let chooser = chooser(encounter);
        if let Some(chooser) = chooser {
            let detail = format!(
                "{chooser} chooses who acts next. Send \"nominate\" instead. See definition.chooser."
            );
            return Err(Violation::new("not_the_chooser", "CU-14", detail));
        }
        take_choice(play, id)
    }
}

/// Chooses the combatant that acts next, and starts its turn.
#[command(player, "{combatant}: choose who acts next[: {next}]")]
pub struct Nominate {
    /// The combatant that chooses: the last one to act.
    pub combatant: CombatantId,
    /// The combatant that acts next.
    pub next: CombatantId,
}

impl Nominate {
    /// Lets the combatant that acted last choose who acts next.
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<Then, Violation> {
        play.combatant("combatant", &self.combatant)?;
        play.combatant("next", &self.next)?;
        check_choosing(play.encounter())?;
        play.fighter("next", &self.next, "CU-1")?;
        let encounter = play.encounter();
        let chooser = chooser(encounter);
        let is_theirs = chooser == Some(&self.combatant);
        ensure(
            is_theirs,
            "not_the_chooser",
            "CU-14",
            "chooser",
            || match chooser {
                Some(chooser) => {
                    format!("{chooser} chooses who acts next, not {}.", self.combatant)
                }
                None => format!(
                    "No combatant chooses now. Send \"begin_turn\" for {}.",
                    self.next
                ),
            },
        )?;
        take_choice(play, &self.next)
    }
}

/// A player or the game master chooses who acts next.
#[event("[{chooser} {chooser:chooses|choose} who acts next.][{!chooser}Who acts next?]")]
pub struct ChoiceOpened {
    /// The combatant that chooses. Left out if each candidate may start its own turn.
    pub chooser: Option<CombatantId>,
}

impl ChoiceOpened {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Custom>) {
        fold.state().mode = Mode::Choosing;
    }
}

/// Refuses a choice while nothing is to be chosen.
fn check_choosing(encounter: &Encounter) -> Result<(), Violation> {
    let is_time = encounter.state.mode == Mode::Choosing;
    let (rule, line) = rule_of_choice(encounter);
    ensure(is_time, "nothing_to_choose", rule, line, || {
        format!("There's nothing to choose now. {}", now(encounter))
    })
}

/// Starts the turn of the combatant that was chosen.
fn take_choice(play: &mut Play<'_>, id: &CombatantId) -> Result<Then, Violation> {
    let encounter = play.encounter();
    let candidates = candidates(encounter);
    if !candidates.contains(id) {
        let (rule, line, why) = why_not(encounter, id);
        let ids: Vec<_> = candidates.iter().map(ToString::to_string).collect();
        let ids = ids.join(", ");
        let detail = format!("{why} Next to act: {ids}. See definition.{line}.");
        return Err(Violation::new("not_next", rule, detail));
    }
    begin(play, vec![id.clone()], TurnOrigin::Normal);
    Ok(Then::GoOn(Point::Turn))
}

/// Why a combatant is no candidate: the rule, the line of the definition, and a sentence.
fn why_not(encounter: &Encounter, id: &CombatantId) -> (&'static str, &'static str, String) {
    let Some(c) = encounter.get(id) else {
        return ("CU-1", "turns", String::new());
    };
    let definition = definition(encounter);
    if is_skipped(definition, c) {
        let why = format!("{id} has no turns while unconscious.");
        return ("CU-33", "unconscious", why);
    }
    if c.state.turns_left == 0 && !costs_turns(definition) {
        let why = format!("{id} has no turn left in this round.");
        return ("CU-1", "turns", why);
    }
    if !fits(definition, &definition.who, c) {
        let why = format!("{id} takes no turns in this order.");
        return ("CU-10", "who", why);
    }
    if definition.chooser == Chooser::Side {
        let why = format!("The next slot is not one that {id} may take.");
        return ("CU-50", "chooser", why);
    }
    if !has_places(definition) && has_sides(definition) {
        let why = format!("Another side acts next, not {id}'s.");
        return ("CU-11", "order", why);
    }
    let next = place_of(encounter, id).map(|place| place.turn);
    if has_laps(definition) && next.is_some_and(|next| next > lap_now(encounter)) {
        let why = format!("{id} has acted in this lap.");
        return ("CU-38", "order", why);
    }
    let (rule, line) = rule_of_choice(encounter);
    (rule, line, format!("{id} comes later in the order."))
}

pub(super) fn choice_options(encounter: &Encounter, legal: &mut Vec<LegalCommand>) {
    let (rule, _) = rule_of_choice(encounter);
    let chooser = chooser(encounter);
    let candidates = candidates(encounter);
    let survey = Survey::of(encounter);
    if let Some(chooser) = chooser {
        legal.push(LegalCommand::by::<Nominate>(chooser, rule).whom("next", &candidates));
    }
    for (name, rule) in &definition(encounter).reactions {
        for c in candidates.iter().filter_map(|id| encounter.get(id)) {
            if may_skip(&survey, c, name, rule) {
                legal.push(use_of(encounter, c, name, rule));
            }
        }
    }
    for id in candidates {
        if chooser.is_none() {
            legal.push(LegalCommand::by::<BeginTurn>(&id, rule).alike());
        }
        if may_pass(encounter, &id) {
            legal.push(LegalCommand::by::<Pass>(&id, "CU-17").alike());
        }
    }
}
