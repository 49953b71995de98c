//! Action Points: how many there can be, what is left, and what penalties take.

use super::*;

/// What conditions take off a combatant's Action Points. Those of one kind do not add up (DC-43, DC-50).
fn penalty(c: &Creature) -> u32 {
    let stunned = [("stunned-4", 4), ("stunned-3", 3), ("stunned-2", 2), ("stunned", 1)];
    let stun = stunned.iter().find(|(name, _)| c.has(name)).map_or(0, |(_, points)| *points);
    let surprise = if c.has("surprised") { 2 } else { 0 };
    let door = if c.has("deaths-door") { 3 } else { 0 };
    stun + surprise + door
}

/// The most Action Points that it can have now.
pub(super) fn most(c: &Creature) -> u32 {
    u32::try_from(c.stats.max_ap.get()).unwrap_or(0).saturating_sub(penalty(c))
}

/// All Action Points that it can have now.
pub(super) fn full(c: &Creature) -> Ap {
    Ap { current: most(c), max: most(c) }
}

/// Takes note of a penalty that came or went: the maximum moves with it; what is there goes down with it and not up again.
pub(super) fn adjust(play: &mut Combat<'_>, id: &CombatantId) {
    let Some(c) = play.table().get(id) else { return };
    let (before, max) = (c.state.ap, most(c));
    if play.table().round == 0 || before.max == max {
        return;
    }
    let lost = before.max.saturating_sub(max);
    let current = before.current.saturating_sub(lost).min(max);
    play.own(ApChanged { combatant: id.clone(), ap: Ap { current, max } });
}

/// Refuses to spend Action Points that there are not, or not yet (DC-31, DC-44).
pub(super) fn affordable(play: &Combat<'_>, id: &CombatantId, ap: i64) -> Result<u32, Violation> {
    let c = play.combatant("combatant", id)?;
    begun(play)?;
    let left = c.state.ap.current;
    if !c.active() {
        return Err(Violation::new("not_active", "DC-44", format!("{id} is out of the fight")));
    }
    match u32::try_from(ap) {
        Ok(ap) if ap <= left => Ok(ap),
        _ => Err(Violation::new("not_enough_ap", "DC-44", format!("{id} has {left} Action Points left, not {ap}"))),
    }
}

/// Refused before the first turn is assigned: there is nothing to act with before (DC-31).
pub(super) fn begun(play: &Combat<'_>) -> Result<(), Violation> {
    if play.table().round == 0 {
        let detail = "the combat begins when the first turn is assigned: nobody acts before";
        return Err(Violation::new("combat_not_begun", "DC-31", detail));
    }
    Ok(())
}
