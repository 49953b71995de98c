//! Action Points and Legendary Action Points, and the conditions that take some.

use super::*;

/// The Action Points of a combatant that has spent none. Penalties of one kind do not add up (DC-43, DC-50).
pub(super) fn full(c: &Creature) -> Ap {
    let stunned = [("stunned-4", 4), ("stunned-3", 3), ("stunned-2", 2), ("stunned", 1)];
    let stun = stunned.iter().find(|(name, _)| c.has(name)).map_or(0, |(_, points)| *points);
    let surprise = if c.has("surprised") { 2 } else { 0 };
    let door = if c.has("deaths-door") { 3 } else { 0 };
    let max = u32::try_from(c.stats.max_ap.get() - stun - surprise - door).unwrap_or(0);
    Ap { current: max, max }
}

/// The Legendary Action Points of a monster that has spent none.
pub(super) fn max_lap(c: &Creature) -> u32 {
    u32::try_from(c.stats.max_lap.get()).unwrap_or(0)
}

/// Adjusts the Action Points to a penalty that came or went: a loss of the maximum is a loss of points, a gain of it is none.
pub(super) fn adjust(play: &mut Combat<'_>, id: &CombatantId) {
    let Some(c) = play.table().get(id) else { return };
    let (before, max) = (c.state.ap, full(c).max);
    if play.table().round > 0 && before.max != max {
        let lost = before.max.saturating_sub(max);
        let current = before.current.saturating_sub(lost).min(max);
        play.own(ApChanged { combatant: id.clone(), ap: Ap { current, max } });
    }
}
