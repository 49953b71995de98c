//! Rounds: how they end and begin.

use super::cards::reshuffles;
use super::change_definition::change_if_planned;
use super::declare::ask_for_declarations;
use super::definition::{Definition, Key, Lasts, Surprise};
use super::lines::{
    delays_last, has_clock, has_places, has_unlimited_turns, keeps_last_side, keys, rerolls,
};
use super::places::{give_back_costs, reopen_places, sort_places};
use super::point::{Point, Then};
use super::pools::{gain_in_round, gain_of_sides};
use super::query::{definition, is_skipped, open_place, turns};
use super::rank::Ranks;
use super::ready::is_ready;
use super::refusal::{ensure, now};
use super::sides::{add_sides, sort_sides};
use super::turn::{count_once, end_all};
use super::{
    Combatant, CombatantState, Custom, DelayLapsed, Encounter, Mode, Play, Reshuffled, State,
};
use crate::rulesets::shared::{pass_rounds, start_round};
use crate::vocabulary::{
    CachedCombatant, Fold, Moment, Participants, Violation, command, event, ids, require,
};

/// Ends the round. A turn in progress ends, and the remaining turns are lost.
#[command(gm, "End the round")]
pub struct EndRound {}

impl EndRound {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<Then, Violation> {
        let encounter = play.encounter();
        let definition = definition(encounter);
        ensure(
            !has_clock(definition),
            "rounds_are_ticks",
            "CU-53",
            "turns",
            || "Rounds are ticks in this order, and end with the turns. Send \"end_turn\".",
        )?;
        require(may_end_round(encounter), "round_goes_on", "CU-53", || {
            format!("The round has not begun. {}", now(encounter))
        })?;
        end_all(play);
        let encounter = play.encounter();
        let unlimited = has_unlimited_turns(self::definition(encounter));
        let placed = has_places(self::definition(encounter));
        let has_turn = |c: &&Combatant| {
            is_ready(encounter, c) && (!placed || open_place(encounter, &c.id).is_some())
        };
        let forgoing = ids(encounter.iter().filter(has_turn));
        if !forgoing.is_empty() && !unlimited {
            // One that delays has had its turn counted.
            for id in &forgoing {
                count_once(play, id, Moment::TurnStart(id));
                count_once(play, id, Moment::TurnEnd(id));
            }
            play.emit(TurnsForgone {
                combatants: forgoing.into(),
            });
        }
        Ok(Then::GoOn(Point::NextRound))
    }
}

/// The game master ends the round, and combatants had turns left in it.
#[event("{combatants} {combatants:has|have} no more turns in this round.")]
pub struct TurnsForgone {
    /// The combatants.
    pub combatants: Participants,
}

impl TurnsForgone {
    pub(super) fn apply(&self, _fold: &mut Fold<'_, Custom>) {}
}

/// No combatant is left in the fight.
#[event("No combatant is left to act.")]
pub struct Halted {}

impl Halted {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Custom>) {
        let state = fold.state();
        state.mode = Mode::Halted;
        state.turns.clear();
    }
}

/// A round: everybody has turns, pools gain_in_round, places are open again. The first one of a fight or of a
/// definition gives pools their start.
pub(super) fn round_started(encounter: &mut Encounter, first: bool) {
    add_sides(encounter);
    let options = encounter.options.clone();
    let definition = options.definition();
    gain_in_round(definition, None, &mut encounter.state.pools, first);
    if !first {
        gain_of_sides(encounter);
    }
    for c in encounter.combatants.iter_mut() {
        refresh(definition, c, first);
    }
    if !has_clock(definition) {
        reopen_places(encounter, delays_last(definition, Lasts::Used));
        give_back_costs(encounter);
    }
    let state = &mut encounter.state;
    if let Mode::Gap { passed, .. } = &mut state.mode {
        passed.clear();
    }
    begin_sides(state, definition);
    state.starting = true;
    state.fresh = false;
    if first || rerolls(definition) {
        state.rolled = false;
    }
    for side in &mut state.sides {
        side.yields = false;
        // Where each round is rolled, its roll says who goes first.
        side.first &= !rerolls(definition);
    }
    let ranks = Ranks::new(definition, encounter.round, state.first_seat);
    sort_sides(state, ranks);
    let before = encounter.round.saturating_sub(1);
    let changes = |key: &Key| key.only.counts_in(before) != key.only.counts_in(encounter.round);
    if keys(definition).iter().any(changes) {
        sort_places(encounter);
    }
}

fn begin_sides(state: &mut State, definition: &Definition) {
    if !keeps_last_side(definition) {
        state.last_side = None;
        state.last_side_hidden = false;
    }
    state.skipped.clear();
    forget_reached(state);
}

/// Forgets how far the sides have come.
fn forget_reached(state: &mut State) {
    for side in &mut state.sides {
        side.reached = None;
    }
}

/// What a new round gives back to a combatant.
pub(super) fn refresh(definition: &Definition, c: &mut CachedCombatant<Custom>, first: bool) {
    let before = &c.state;
    // A combatant that keeps delaying has the delayed turn alone.
    let turns_left = if before.delaying && delays_last(definition, Lasts::Used) {
        turns(definition, c).min(1)
    } else {
        turns(definition, c)
    };
    let counted = if before.delaying {
        before.counted.clone()
    } else {
        Vec::new()
    };
    let stays_surprised = first || definition.surprise == Surprise::Skips;
    let mut state = CombatantState {
        turns_left,
        delaying: before.delaying,
        resumes: before.resumes && before.delaying,
        counted,
        lapped: before.lapped,
        surprised: before.surprised && stays_surprised,
        readied_reactions: before.readied_reactions.clone(),
        pools: before.pools.clone(),
        ..CombatantState::default()
    };
    gain_in_round(definition, Some(c), &mut state.pools, first);
    c.change().state = state;
}

/// Ends the round and begins the next, first with what is declared in it.
pub(super) fn next_round(play: &mut Play<'_>) -> Option<Point> {
    let next = play.encounter().round.saturating_add(1);
    count_skipped_turns(play);
    pass_rounds(play, 1);
    let changed = change_if_planned(play, next);
    let encounter = play.encounter();
    let reshuffles = !changed && rerolls(definition(encounter)) && reshuffles(encounter);
    if delays_last(definition(encounter), Lasts::Round) {
        for combatant in ids(encounter.iter().filter(|c| c.state.delaying)) {
            play.emit(DelayLapsed { combatant });
        }
    }
    start_round(play, next);
    // A combatant without turns in this round has none to return to.
    let encounter = play.encounter();
    let without_turns = |c: &&Combatant| c.state.delaying && c.state.turns_left == 0;
    for combatant in ids(encounter.iter().filter(without_turns)) {
        play.emit(DelayLapsed { combatant });
    }
    if reshuffles {
        play.emit(Reshuffled {});
    }
    ask_for_declarations(play)
}

/// Lets effects count the turns of this round that were skipped because their combatants are
/// unconscious.
fn count_skipped_turns(play: &mut Play<'_>) {
    play.count_down(|encounter, effect, clock| {
        let anchor = clock.anchor().and_then(|anchor| encounter.get(anchor));
        let skips = anchor.is_some_and(|anchor| {
            let counted = anchor.state.counted.contains(&effect.id);
            let is_waiting = anchor.active() && !anchor.acted && !counted;
            is_waiting && is_skipped(definition(encounter), anchor)
        });
        u32::from(skips)
    });
}

/// Whether the game master may end the round now: it has begun, and rounds are not ticks.
pub(super) fn may_end_round(encounter: &Encounter) -> bool {
    let mode = &encounter.state.mode;
    matches!(mode, Mode::Turn | Mode::Choosing | Mode::Gap { .. })
        && !has_clock(definition(encounter))
}
