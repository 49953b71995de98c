//! The way from turn to turn and from round to round: which turns wait, start, continue or are
//! skipped (DC-17, DC-19, DC-20, DC-22, DC-32a, DC-36, DC-40a, DC-49), how they end (DC-43a, DC-45,
//! DC-46, DC-52), and how a round starts and ends (DC-10, DC-11, DC-31, DC-38, DC-53).

use super::action_points::full_points;
use super::delay::{place_held_turns, place_remaining_held_turns};
use super::legendary::{missing_legendary_points, open_legendary};
use super::slots::{own_slot, reach};
use super::team::{asked_by, occupants, team};
use super::{
    ActionPoints, ActionPointsRegained, Assigned, Combatant, CombatantState, Dc20, Encounter,
    Phase, Play, ReadyLapsed, Slot, SlotId, State, Team, Way,
};
use crate::rulesets::shared::{end_round, end_turn, start_round, start_turn};
use crate::vocabulary::{
    Actor, CombatantId, ConditionCleared, Fold, Moment, Slug, Violation, command, event, fact, word,
};

/// End a turn, which gives the Action Points back (DC-45).
#[command(player, "{combatant}: end turn[{all} for all who share it]", actor)]
pub struct EndTurn {
    /// The combatant.
    pub combatant: CombatantId,
    /// True if the turns of all who share the Initiative Turn end. Only the game master can send it.
    #[default]
    pub all: bool,
}

impl EndTurn {
    /// All turns are the game master's to end.
    pub(crate) fn actor(&self) -> Actor<'_> {
        if self.all {
            Actor::Gm
        } else {
            Actor::of(&self.combatant)
        }
    }
}

/// A turn waits for its combatants (DC-17, DC-20).
#[event("{slot} is next.")]
pub struct SlotOpened {
    /// The turn.
    pub slot: SlotId,
    /// `claim` if the PC team decides who acts, `assign` if the game master does.
    pub decision: SlotDecision,
}

/// The one that decides which combatants act in a turn.
#[word]
pub enum SlotDecision {
    /// The PC team, by claims (DC-17).
    Claim,
    /// The game master (DC-20).
    Assign,
}

/// An empty turn was skipped; it stays in the order (DC-22).
#[event("{slot} stays empty.")]
pub struct SlotSkipped {
    /// The turn.
    pub slot: SlotId,
}

/// The turn of a combatant that is out of the fight passed; effects count it (DC-40a).
#[event("{combatant} {combatant:misses|miss} a turn.")]
pub struct TurnMissed {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A delayed turn continues with its remaining Action Points (DC-36).
#[event("{combatant} {combatant:takes|take} the delayed turn.")]
pub struct Returned {
    /// The combatant.
    pub combatant: CombatantId,
}

/// The first turn is assigned, so all combatants get their points (DC-31).
#[event("All combatants get their Action Points.")]
pub struct PointsGiven {
    /// The points of each combatant.
    pub grants: Vec<StartingPoints>,
}

/// The points with which a combatant begins.
#[fact]
pub struct StartingPoints {
    /// The combatant.
    pub combatant: CombatantId,
    /// Its Action Points, all of their maximum.
    pub action_points: u32,
    /// Its Legendary Action Points.
    pub legendary_points: u32,
}

/// No combatant is left to act.
#[event("No combatant is left to act.")]
pub struct StandstillReached {}

/// Maximum rounds that pass on their own because no combatant has Action Points; then the next turn
/// waits all the same.
const IDLE_ROUNDS: u32 = 2;

/// What the combat does at a turn of the order.
#[derive(PartialEq)]
enum Pace {
    /// It waits for combatants, or for those whose turns have begun.
    Waits,
    /// It continues with the next turn.
    Continues,
}

impl EndTurn {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        play.in_turn(&self.combatant, "DC-45")?;
        finish_turn(play, &self.combatant);
        if self.all {
            for id in play.encounter().state.acting.clone() {
                finish_turn(play, &id);
            }
        }
        Ok(())
    }
}

/// Comes to the next turn at which the combat waits, past empty ones (DC-22) and over the end of
/// the round.
pub(super) fn advance(play: &mut Play<'_>) {
    let mut idle_rounds = 0;
    while play.encounter().active().next().is_some() && idle_rounds <= IDLE_ROUNDS {
        if let Some(slot) = next_slot(&play.encounter().state) {
            if enter(play, &slot, idle_rounds) == Pace::Waits {
                return;
            }
            continue;
        }
        if place_remaining_held_turns(play) {
            // They are in a new turn, which is next.
            continue;
        }
        if open_legendary(play, Phase::RoundEnd) {
            return;
        }
        close_round(play);
        idle_rounds += 1;
    }
    play.emit(StandstillReached {});
}

/// The turn that an override deferred, or the next one of this round.
fn next_slot(state: &State) -> Option<Slot> {
    if state.deferred
        && let Some(slot) = state.reached()
    {
        return Some(slot.clone());
    }
    let next = state.later().iter().find(|slot| !slot.removed);
    next.cloned()
}

/// Comes to a turn of the order. It waits if it asks for combatants.
fn enter(play: &mut Play<'_>, slot: &Slot, idle_rounds: u32) -> Pace {
    if asked_by(play.encounter(), slot).is_empty() {
        return begin_slot(play, &slot.id, idle_rounds);
    }
    let decision = if slot.team == Team::Pc {
        SlotDecision::Claim
    } else {
        SlotDecision::Assign
    };
    play.emit(SlotOpened {
        slot: slot.id.clone(),
        decision,
    });
    Pace::Waits
}

/// Starts the turns of all combatants in a turn of the order (DC-19, DC-20), or skips it (DC-22).
fn begin_slot(play: &mut Play<'_>, id: &SlotId, idle_rounds: u32) -> Pace {
    let encounter = play.encounter();
    let mut ready = Vec::new();
    let mut missing = Vec::new();
    if let Some(slot) = encounter.state.slot_named(id) {
        for c in occupants(encounter, slot) {
            if c.acted {
                continue;
            }
            if c.active() {
                ready.push(c.id.clone());
            } else if anchors_effect(encounter, c) {
                missing.push(c.id.clone());
            }
        }
    }
    for combatant in missing {
        play.count_effects(Moment::TurnStart(&combatant));
        play.count_effects(Moment::TurnEnd(&combatant));
        play.emit(TurnMissed { combatant });
    }
    if ready.is_empty() {
        play.emit(SlotSkipped { slot: id.clone() });
        return Pace::Continues;
    }
    begin_turns(play, ready, idle_rounds);
    if !play.encounter().state.acting.is_empty() || open_legendary(play, Phase::BetweenTurns) {
        Pace::Waits
    } else {
        Pace::Continues
    }
}

/// Whether an effect counts this combatant's turns.
fn anchors_effect(encounter: &Encounter, c: &Combatant) -> bool {
    let mut effects = encounter.effects.iter();
    effects.any(|effect| effect.counts_turns_of(&c.id))
}

/// Begins the awaited turn as it is, and advances if none of its combatants can act.
pub(super) fn begin_awaited(play: &mut Play<'_>) {
    if let Some(slot) = play.encounter().state.slot.clone()
        && begin_slot(play, &slot, 0) == Pace::Continues
    {
        advance(play);
    }
}

/// Starts the turns of these combatants, but for those that an override has started. A turn without
/// Action Points ends at once (DC-46), except beyond [`IDLE_ROUNDS`].
pub(super) fn begin_turns(play: &mut Play<'_>, mut combatants: Vec<CombatantId>, idle_rounds: u32) {
    let encounter = play.encounter();
    combatants.retain(|id| !encounter.state.acting.contains(id));
    // A turn that a hidden combatant shares starts with the others: they hide it.
    combatants.sort_by_key(|id| encounter.get(id).is_some_and(|c| c.hidden));
    for id in combatants {
        let delayed = play.encounter().get(&id).is_some_and(|c| c.state.delayed);
        start_or_resume(play, &id);
        if !delayed && has_spent_all(play.encounter(), &id) && idle_rounds < IDLE_ROUNDS {
            finish_turn(play, &id);
        }
    }
}

fn has_spent_all(encounter: &Encounter, id: &CombatantId) -> bool {
    encounter
        .get(id)
        .is_some_and(|c| c.state.action_point_pool.current == 0)
}

/// Starts a turn, or resumes a delayed one, which has started before (DC-32a). A readied action is
/// lost at the start (DC-49).
fn start_or_resume(play: &mut Play<'_>, id: &CombatantId) {
    let Some(c) = play.encounter().get(id) else {
        return;
    };
    if c.state.delayed {
        return play.emit(Returned {
            combatant: id.clone(),
        });
    }
    if c.state.readied.is_some() {
        play.emit(ReadyLapsed {
            combatant: id.clone(),
        });
    }
    start_turn(play, id);
}

/// Ends a turn. Then surprise is over (DC-43a), and after it the Action Points come back (DC-45).
pub(super) fn finish_turn(play: &mut Play<'_>, id: &CombatantId) {
    end_turn(play, id);
    if play.encounter().get(id).is_some_and(|c| c.has("surprised")) {
        play.emit(ConditionCleared {
            combatant: id.clone(),
            member: None,
            condition: Slug::fixed("surprised"),
        });
    }
    if let Some(c) = play.encounter().get(id)
        && full_points(c) != c.state.action_point_pool
    {
        let ActionPoints { current, max } = full_points(c);
        play.emit(ActionPointsRegained {
            combatant: id.clone(),
            left: current,
            max,
        });
    }
}

/// Leaves a turn of the order in which all have ended theirs; legendary monsters may act before the
/// next one (DC-52).
pub(super) fn leave_slot(play: &mut Play<'_>) {
    if !open_legendary(play, Phase::BetweenTurns) {
        advance(play);
    }
}

/// Advances after the legendary actions, or without them.
pub(super) fn close_legendary(play: &mut Play<'_>) {
    if play.encounter().state.phase == Phase::RoundEnd {
        close_round(play);
    }
    advance(play);
}

/// Begins the combat with its first round, because the first turn is assigned (DC-31).
pub(super) fn begin_combat(play: &mut Play<'_>) {
    if play.encounter().round > 0 {
        return;
    }
    start_round(play, 1);
    let mut grants = Vec::new();
    for c in play.encounter().iter() {
        grants.push(StartingPoints {
            combatant: c.id.clone(),
            action_points: full_points(c).max,
            legendary_points: c.stats.max_legendary_points.count(),
        });
    }
    play.emit(PointsGiven { grants });
}

/// Ends the round and starts the next (DC-38); legendary points come back (DC-53).
fn close_round(play: &mut Play<'_>) {
    begin_combat(play);
    let round = play.encounter().round;
    end_round(play);
    for regained in missing_legendary_points(play.encounter()) {
        play.emit(regained);
    }
    start_round(play, round.saturating_add(1));
}

/// Starts the turn of an override; the turns in progress are taken back. A combatant without a
/// place takes the awaited turn if it is one of its team; else that turn is awaited again
/// afterwards.
pub(super) fn take_over(play: &mut Play<'_>, id: &CombatantId) {
    begin_combat(play);
    if let Some(slot) = awaited_turn_for(play.encounter(), id) {
        play.emit(Assigned {
            slot,
            combatants: vec![id.clone()].into(),
            because: Way::Assigned,
        });
    }
    place_held_turns(play);
    start_or_resume(play, id);
}

/// The turn that the override has deferred, if it is one of the team of a combatant without a
/// place.
fn awaited_turn_for(encounter: &Encounter, id: &CombatantId) -> Option<SlotId> {
    let state = &encounter.state;
    let slot = state.reached()?;
    let c = encounter.get(id)?;
    if state.deferred && c.state.slot.is_none() && slot.team == team(state, c) {
        Some(slot.id.clone())
    } else {
        None
    }
}

impl SlotOpened {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Dc20>) {
        reach(fold.state(), &self.slot);
        fold.state().phase = match self.decision {
            SlotDecision::Claim => Phase::Claim,
            SlotDecision::Assign => Phase::Assign,
        };
    }
}

impl SlotSkipped {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Dc20>) {
        reach(fold.state(), &self.slot);
    }
}

impl TurnMissed {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Dc20>) {
        fold.change(&self.combatant, |c| c.acted = true);
    }
}

impl Returned {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Dc20>) {
        fold.change_state(&self.combatant, CombatantState::stop_delaying);
        begin_turn(fold, &self.combatant);
    }
}

impl PointsGiven {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Dc20>) {
        for points in &self.grants {
            fold.change_state(&points.combatant, |s| {
                s.action_point_pool = ActionPoints {
                    current: points.action_points,
                    max: points.action_points,
                };
                s.legendary_points = points.legendary_points;
            });
        }
    }
}

impl StandstillReached {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Dc20>) {
        fold.state().phase = Phase::Idle;
    }
}

/// Begins a combatant's turn. The round has reached the Initiative Turn in which it has its place.
pub(super) fn begin_turn(fold: &mut Fold<'_, Dc20>, id: &CombatantId) {
    let slot = own_slot(fold, id);
    let state = fold.state();
    if let Some(slot) = slot {
        reach(state, &slot);
    }
    state.phase = Phase::Turn;
    if !state.acting.contains(id) {
        state.acting.push(id.clone());
    }
}

/// A turn is over.
pub(super) fn turn_ended(fold: &mut Fold<'_, Dc20>, id: &CombatantId) {
    fold.state().acting.retain(|other| other != id);
    fold.change_state(id, |s| {
        s.committed = None;
        s.stop_delaying();
    });
}

/// A round is over: no turn is reached, delays end, and so does what lasts for round 1 (DC-10, DC-11).
pub(super) fn round_ended(fold: &mut Fold<'_, Dc20>, round: u32) {
    let state = fold.state();
    state.slot = None;
    state.deferred = false;
    state.seconds = u64::from(round) * 12;
    fold.change_states(
        |s| s.delayed || s.round_one_adv || s.attacked_with_adv,
        |s| {
            s.stop_delaying();
            s.round_one_adv = false;
            s.attacked_with_adv = false;
        },
    );
}

/// The turn of an override takes the place of those in progress. A turn that was awaited is awaited
/// again after it.
pub(super) fn overridden(fold: &mut Fold<'_, Dc20>, id: &CombatantId) {
    let state = fold.state();
    if matches!(state.phase, Phase::Claim | Phase::Assign) {
        state.deferred = true;
    }
    state.phase = Phase::Turn;
    state.acting = vec![id.clone()];
    fold.change(id, |c| c.acted = false);
    if let Some(slot) = own_slot(fold, id) {
        reach(fold.state(), &slot);
    }
}
