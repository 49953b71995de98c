//! Action Points and Legendary Action Points, and the conditions that take some.

use super::*;

/// The Action Points of a combatant that has spent none. Penalties of one kind do not add up
/// (DC-43, DC-50).
pub(super) fn full(c: &Combatant) -> Ap {
    let stunned = [
        ("stunned-4", 4),
        ("stunned-3", 3),
        ("stunned-2", 2),
        ("stunned", 1),
    ];
    let stun = stunned
        .iter()
        .find(|(name, _)| c.has(name))
        .map_or(0, |(_, points)| *points);
    let surprise = if c.has("surprised") { 2 } else { 0 };
    let door = if c.has("deaths-door") { 3 } else { 0 };
    let max = c
        .stats
        .max_ap
        .count()
        .saturating_sub(stun + surprise + door);
    Ap { current: max, max }
}

/// Adjusts the Action Points to a penalty that came or went: a loss of the maximum is a loss of
/// points, a gain of it is none.
pub(super) fn adjust(play: &mut Play<'_>, id: &CombatantId) {
    let Some(c) = play.encounter().get(id) else {
        return;
    };
    let (before, max) = (c.state.ap, full(c).max);
    if play.encounter().round > 0 && before.max != max {
        let lost = before.max.saturating_sub(max);
        let current = before.current.saturating_sub(lost).min(max);
        play.emit(ApChanged {
            combatant: id.clone(),
            ap: Ap { current, max },
        });
    }
}

/// Whether it is an active monster with Legendary Action Points; the PC team has none.
pub(super) fn legendary(state: &State, c: &Combatant) -> bool {
    c.active() && c.state.lap > 0 && team(state, c) != Team::Pc
}

/// The Legendary Action Points that a monster can spend now: after a PC Turn its own maximum
/// (DC-52), by option for each PC of that turn (DC-54); at the end of the round all that are left
/// (DC-53).
pub(super) fn spendable(encounter: &Encounter, c: &Combatant) -> u32 {
    let state = &encounter.state;
    if !legendary(state, c) {
        return 0;
    }
    match state.phase {
        Phase::RoundEnd => c.state.lap,
        Phase::BetweenTurns => {
            let per_pc = encounter.options.legendary_per_pc;
            let pcs = state
                .at()
                .filter(|_| per_pc)
                .map_or(1, |slot| sharing(encounter, slot).max(1));
            let max = c
                .stats
                .lap_per_turn
                .count()
                .saturating_mul(u32::try_from(pcs).unwrap_or(1));
            c.state.lap.min(max.saturating_sub(c.state.lap_spent))
        }
        _ => 0,
    }
}
