//! Action Points and Legendary Action Points, and the conditions that take some.

use super::team::{sharers, team};
use super::{ActionPoints, ActionPointsChanged, Combatant, Encounter, Phase, Play, State, Team};
use crate::vocabulary::CombatantId;

/// The degrees of being stunned, the worst first, and the Action Points that each takes (DC-50).
const STUNNED: [(&str, u32); 4] = [
    ("stunned-4", 4),
    ("stunned-3", 3),
    ("stunned-2", 2),
    ("stunned", 1),
];

/// The Action Points of a combatant that has spent none. Penalties of one kind do not add up
/// (DC-43, DC-50).
pub(super) fn full_points(c: &Combatant) -> ActionPoints {
    let mut penalty = stun_penalty(c);
    if c.has("surprised") {
        penalty += 2;
    }
    if c.has("deaths-door") {
        penalty += 3;
    }
    let max = c.stats.max_action_points.count().saturating_sub(penalty);
    ActionPoints { current: max, max }
}

fn stun_penalty(c: &Combatant) -> u32 {
    for (condition, points) in STUNNED {
        if c.has(condition) {
            return points;
        }
    }
    0
}

/// Adjusts the Action Points to a penalty that came or went. With the maximum the points fall, but
/// they do not rise with it: they come back at the end of the turn (DC-45).
pub(super) fn adjust_points(play: &mut Play<'_>, id: &CombatantId) {
    let Some(c) = play.encounter().get(id) else {
        return;
    };
    let before = c.state.action_point_pool;
    let max = full_points(c).max;
    if play.encounter().round > 0 && before.max != max {
        let lost = before.max.saturating_sub(max);
        let current = before.current.saturating_sub(lost).min(max);
        play.emit(ActionPointsChanged {
            combatant: id.clone(),
            left: current,
            max,
        });
    }
}

/// Whether it is an active monster with Legendary Action Points; the PC team has none.
pub(super) fn has_legendary_points(state: &State, c: &Combatant) -> bool {
    c.active() && c.state.legendary_points > 0 && team(state, c) != Team::Pc
}

/// The Legendary Action Points that a monster can spend now: after a PC Turn its own maximum
/// (DC-52), by option for each PC of that turn (DC-54); at the end of the round all that are left
/// (DC-53).
pub(super) fn spendable(encounter: &Encounter, c: &Combatant) -> u32 {
    if !has_legendary_points(&encounter.state, c) {
        return 0;
    }
    match encounter.state.phase {
        Phase::RoundEnd => c.state.legendary_points,
        Phase::BetweenTurns => {
            let once = c.stats.legendary_points_per_turn.count();
            let max = once.saturating_mul(times_after_turn(encounter));
            let unspent = max.saturating_sub(c.state.legendary_points_spent);
            unspent.min(c.state.legendary_points)
        }
        _ => 0,
    }
}

/// How many times a monster can spend its maximum after this PC Turn: once, or by option for each
/// PC in it (DC-54).
fn times_after_turn(encounter: &Encounter) -> u32 {
    if !encounter.options.legendary_per_pc {
        return 1;
    }
    let Some(slot) = encounter.state.reached() else {
        return 1;
    };
    let pcs = sharers(encounter, slot).max(1);
    u32::try_from(pcs).unwrap_or(1)
}
