//! The list: who is asked, what a persona has left, and when the unit is over (EX-2a, EX-12, EX-13,
//! EX-15, EX-16, EX-18, EX-19, EX-23, EX-32).

use super::state::{able, lowest};
use super::{Combatant, Component, Encounter, Exp, Phase, Play, Spending, State};
use crate::rulesets::shared::{end_round, end_turn, start_turn};
use crate::vocabulary::{
    CombatantId, Describe, Fold, Names, Text, Violation, event, require, word,
};
use std::fmt::Write;
use std::sync::Arc;

/// Another pass through the list begins at the top (EX-16).
#[event("Pass {pass} through the list starts.")]
pub struct PassStarted {
    /// The number of the pass in the unit.
    pub pass: u32,
}

/// The list has come to a persona that can still do something (EX-13).
#[event(tells_itself)]
pub struct Asked {
    /// The rank that is asked.
    pub rank: u32,
    /// The personas asked: one, or several of a crowd.
    pub combatants: Vec<CombatantId>,
    /// Those of them whose turns start with it. `turn_started` tells it of these.
    pub starting: Vec<CombatantId>,
    /// True if they are the lowest and must spend all components left (EX-15).
    pub forced: bool,
}

/// Tells that those whose turns have started already are asked again.
impl Describe for Asked {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        let mut others = self.combatants.clone();
        others.retain(|id| !self.starting.contains(id));
        if others.is_empty() {
            return false;
        }
        let does = match (self.forced, others.is_plural(names)) {
            (true, true) => "act and can't wait",
            (true, false) => "acts and can't wait",
            (false, true) => "act or wait",
            (false, false) => "acts or waits",
        };
        others.describe(names, out);
        write!(out, " {does}.").is_ok()
    }
}

/// A persona lost unused components for this unit.
#[event(
    "{combatant} [{loss=joined late}joined late][{loss=cannot act}can't act]\
     [{loss=could not answer}can't act] and {combatant:loses|lose} the {components} of this unit."
)]
pub struct ComponentsLost {
    /// The combatant.
    pub combatant: CombatantId,
    /// The components lost.
    pub components: Vec<Component>,
    /// The reason for the loss.
    #[schema(inline)]
    pub loss: Loss,
}

/// The reason for a loss of components.
#[word]
pub enum Loss {
    /// The persona can no longer act and loses what waited (EX-23).
    CannotAct,
    /// The persona could not act when the list came to it (EX-23a).
    CouldNotAnswer,
    /// The persona joined during the unit and rolls for the next one (EX-2a).
    JoinedLate,
}

/// A persona with nothing left got both components of the unit again: the game master gave it the
/// turn.
#[event("{combatant} {combatant:gets|get} both the move and the act of this unit again.")]
pub struct ComponentsRegained {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Goes down the list until a persona is asked, again from the top while any has something left
/// (EX-16); then the unit is over (EX-19).
pub(super) fn advance(play: &mut Play<'_>) {
    while play.encounter().state.phase == Phase::Pass && play.encounter().state.asked.is_empty() {
        let encounter = play.encounter();
        let cursor = encounter.state.cursor;
        if let Some(rank) = open_ranks(encounter).filter(|rank| *rank > cursor).min() {
            come_to(play, rank);
        } else if open_ranks(encounter).next().is_some() {
            let pass = encounter.state.pass.saturating_add(1);
            play.emit(PassStarted { pass });
        } else {
            end_round(play);
        }
    }
}

/// The ranks of those that have something left.
fn open_ranks(encounter: &Encounter) -> impl Iterator<Item = u32> {
    let open = encounter.iter().filter(|c| c.state.open());
    open.filter_map(|c| c.state.rank)
}

/// Asks those that have something left in this place. Those that cannot act lose it (EX-23a).
fn come_to(play: &mut Play<'_>, rank: u32) {
    let mut asked = Vec::new();
    let mut unable = Vec::new();
    for c in play.encounter().iter() {
        if c.state.rank != Some(rank) || !c.state.open() {
            continue;
        }
        if able(c) {
            asked.push(c.id.clone());
        } else {
            unable.push(c.id.clone());
        }
    }
    for id in unable {
        lose(play, &id, Loss::CouldNotAnswer);
    }
    if !asked.is_empty() {
        ask(play, rank, asked);
    }
}

pub(super) fn ask(play: &mut Play<'_>, rank: u32, combatants: Vec<CombatantId>) {
    let encounter = play.encounter();
    let mut starting = Vec::new();
    for id in &combatants {
        if encounter.get(id).is_some_and(|c| !c.state.asked) {
            starting.push(id.clone());
        }
    }
    let forced = are_lowest(encounter, &combatants, |_| true);
    play.emit(Asked {
        rank,
        combatants,
        starting: starting.clone(),
        forced,
    });
    for id in starting {
        start_turn(play, &id);
    }
}

/// True if personas of one place are the lowest left, among the `seen` (EX-15).
pub(super) fn are_lowest(
    encounter: &Encounter,
    asked: &[CombatantId],
    seen: impl Fn(&Combatant) -> bool,
) -> bool {
    let first = asked.first().and_then(|id| encounter.get(id));
    lowest(encounter, first.and_then(|c| c.state.rank), seen)
}

/// Takes components from a persona for this unit: what waited if it can no longer act, else
/// everything.
pub(super) fn lose(play: &mut Play<'_>, id: &CombatantId, loss: Loss) {
    let Some(state) = play.encounter().get(id).map(|c| &c.state) else {
        return;
    };
    let mut components = Vec::new();
    for component in [Component::Move, Component::Act] {
        let lost = match state.of(component) {
            Spending::Waited => true,
            Spending::Pending => loss != Loss::CannotAct,
            Spending::Done | Spending::Lost => false,
        };
        if lost {
            components.push(component);
        }
    }
    if !components.is_empty() {
        play.emit(ComponentsLost {
            combatant: id.clone(),
            components,
            loss,
        });
        rest(play, id);
    }
}

/// Ends the turn of a persona that has nothing left (EX-18): it is not asked again in this unit.
pub(super) fn rest(play: &mut Play<'_>, id: &CombatantId) {
    let Some(c) = play.encounter().get(id) else {
        return;
    };
    // A persona that falls before it is asked has had no turn.
    let has_turn = c.state.asked || c.active();
    if c.state.open() || !has_turn {
        return;
    }
    if !c.state.asked {
        start_turn(play, id);
    }
    end_turn(play, id);
}

/// Refuses between two units, and while the list asks a persona that the viewer does not see.
pub(super) fn in_unit(encounter: &Encounter, rule: &'static str) -> Result<(), Violation> {
    let (code, rule, detail) = match encounter.state.phase {
        Phase::Pass => return Ok(()),
        Phase::SomeoneActs => (
            "not_asked",
            "EX-13",
            "The list asks another persona. Wait for the answer.",
        ),
        Phase::Setup | Phase::Roll => (
            "no_unit",
            rule,
            "No unit is in progress. Send \"roll\" first.",
        ),
    };
    Err(Violation::new(code, rule, detail))
}

/// Refuses while a mental duel waits for its attacks, which come before the list.
pub(super) fn no_duel(encounter: &Encounter) -> Result<(), Violation> {
    let Some(first) = encounter.state.duel.first() else {
        return Ok(());
    };
    let detail = format!("A mental duel comes first. {first} sends \"mental_attack\" or \"pass\".");
    Err(Violation::new("duel_going_on", "EX-32", detail))
}

/// Refuses a persona that cannot do anything.
pub(super) fn fit(c: &Combatant) -> Result<(), Violation> {
    require(able(c), "cannot_act", "EX-23", || {
        format!(
            "{} is out of the fight, unconscious, stunned or paralyzed. Choose another persona.",
            c.id
        )
    })
}

/// Refuses a persona that has no place in the list of this unit.
pub(super) fn listed(c: &Combatant) -> Result<(), Violation> {
    require(c.state.rank.is_some(), "joined_late", "EX-2a", || {
        format!(
            "{} came after the roll and has no place in this unit. Wait for the next one.",
            c.id
        )
    })
}

/// Refuses a component that is spent or lost, with a remedy.
pub(super) fn left(
    id: &CombatantId,
    component: Component,
    spending: Spending,
    remedy: &str,
) -> Result<(), Violation> {
    let (code, rule, verb) = match spending {
        Spending::Pending | Spending::Waited => return Ok(()),
        Spending::Done => ("component_spent", "EX-12", "spent"),
        Spending::Lost => ("component_lost", "EX-23", "lost"),
    };
    let detail = format!("{id} has {verb} the {component} of this unit. {remedy}");
    Err(Violation::new(code, rule, detail))
}

/// These personas, for refusals.
pub(super) fn joined(ids: &[CombatantId]) -> String {
    let names: Vec<String> = ids.iter().map(CombatantId::to_string).collect();
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => names.concat(),
    }
}

/// A plan, with the act in words.
pub(super) fn with_action(plan: String, action: Option<&Text<200>>) -> String {
    match action {
        Some(action) => format!("{plan}: {}", action.as_str()),
        None => plan,
    }
}

impl PassStarted {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Exp>) {
        let state = fold.state();
        state.pass = self.pass;
        state.cursor = 0;
    }
}

impl Asked {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Exp>) {
        for id in &self.combatants {
            fold.change_state(id, |state| state.asked = true);
        }
        let state = fold.state();
        state.cursor = self.rank;
        state.asked.clone_from(&self.combatants);
        state.announced = None;
        forget_answers(state);
    }
}

impl ComponentsLost {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Exp>) {
        set_all(fold, &self.combatant, &self.components, Spending::Lost);
        spent(fold.state(), &self.combatant);
    }
}

impl ComponentsRegained {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Exp>) {
        fold.change(&self.combatant, |c| {
            c.state.move_status = Spending::Pending;
            c.state.act_status = Spending::Pending;
            c.state.asked = false;
            c.acted = false;
        });
    }
}

/// Makes this of several components.
pub(super) fn set_all(
    fold: &mut Fold<'_, Exp>,
    id: &CombatantId,
    components: &[Component],
    spending: Spending,
) {
    fold.change_state(id, |state| {
        for component in components {
            state.set(*component, spending);
        }
    });
}

/// Another act is next.
pub(super) fn forget_answers(state: &mut State) {
    state.jumps.clear();
    state.failed.clear();
    state.kept.clear();
}

/// A component was used or lost outside the list, so an announcement no longer holds.
pub(super) fn spent(state: &mut State, id: &CombatantId) {
    state.duel.retain(|duellist| duellist != id);
    state.jumps.retain(|jump| jump.combatant != *id);
    state
        .announced
        .take_if(|announced| announced.combatant == *id);
}

/// A persona that was asked has answered.
pub(super) fn answered(state: &mut State, id: &CombatantId) {
    state.asked.retain(|asked| asked != id);
    state
        .announced
        .take_if(|announced| announced.combatant == *id);
}

/// The unit is over. Its list stays until the next one is rolled.
pub(super) fn unit_ended(fold: &mut Fold<'_, Exp>) {
    let over = std::mem::take(fold.state());
    *fold.state() = State {
        phase: Phase::Roll,
        pass: over.pass,
        cursor: over.cursor,
        ranking: over.ranking,
        ..State::default()
    };
}

/// Removes the name of a persona that has left from the list, and from what it did about the
/// announced act. Whether it is asked or in a duel, the rules end.
pub(super) fn forget(fold: &mut Fold<'_, Exp>, left: &CombatantId) {
    let state = fold.state();
    state.jumps.retain(|jump| jump.combatant != *left);
    state.failed.retain(|id| id != left);
    state.kept.retain(|id| id != left);
    let ranking = Arc::make_mut(&mut state.ranking);
    let Some(at) = ranking
        .iter()
        .position(|roll| roll.combatants.contains(left))
    else {
        return;
    };
    let Some(roll) = ranking.get_mut(at) else {
        return;
    };
    roll.combatants.retain(|id| id != left);
    if !roll.combatants.is_empty() {
        return;
    }
    // All below move up.
    ranking.remove(at);
    let above = u32::try_from(at).unwrap_or(u32::MAX);
    if state.cursor > above {
        state.cursor -= 1;
    }
    fold.change_states(
        |s| s.rank > Some(above),
        |s| s.rank = s.rank.map(|rank| rank - 1),
    );
}
