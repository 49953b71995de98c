//! The answers of a persona that is asked.

use super::*;

pub(super) fn announce(play: &mut Scene<'_>, c: &Announce) -> Result<(), Violation> {
    let Announce { combatant, movement, act, order, text } = c.clone();
    answerable(play, &Declare { combatant: combatant.clone(), movement, act, order })?;
    let detail = "an act is announced already: declare it now";
    require(announced(play.table()).is_none(), "announced_already", "AEX13", || detail)?;
    play.own(Announced { combatant, movement, act, order, text });
    Ok(())
}

pub(super) fn declare(play: &mut Scene<'_>, c: &Declare) -> Result<(), Violation> {
    let forced = answerable(play, c)?;
    let Declare { combatant, movement, act, order } = c.clone();
    if let Some(plan) = announced(play.table()) {
        let same = (&plan.combatant, plan.movement, plan.act, plan.order) == (&combatant, movement, act, order);
        require(same, "not_as_announced", "AEX13", || {
            format!("{} has announced something else, which it must do", plan.combatant)
        })?;
    }
    play.own(Declared { combatant, movement, act, order, forced });
    pass::rest(play, &c.combatant);
    advance(play);
    Ok(())
}

/// Refuses an answer of a persona that is not asked, and one that does not fit what it has left. Returns whether it is forced.
fn answerable(play: &Scene<'_>, c: &Declare) -> Result<bool, Violation> {
    let (id, table) = (&c.combatant, play.table());
    let state = &play.combatant("combatant", id)?.state;
    in_unit(table, "EX-2")?;
    no_duel(table)?;
    let asked = &table.state.asked;
    require(asked.contains(id) || state.open(), "nothing_left", "EX-18", || {
        format!("{id} has nothing left in this unit; the list asks {} now", joined(asked))
    })?;
    require(asked.contains(id), "not_asked", "EX-13", || format!("the list asks {} now, not {id}", joined(asked)))?;
    let forced = lowest(table, state.rank, |_| true);
    let (rule, choices) = if forced { ("EX-15", "now or nothing") } else { ("EX-14", "now, wait or nothing") };
    for (name, what, left) in [("move", c.movement, state.movement), ("act", c.act, state.act)] {
        let (given, open) = (what.is_some(), left.open());
        require(given || !open, "component_missing", rule, || format!("`{name}` is missing: {choices}"))?;
        require(!given || open, "component_spent", "EX-12", || {
            format!("the {name} of {id} is spent: leave `{name}` out")
        })?;
        require(!forced || what != Some(Use::Wait), "must_not_wait", "EX-15", || {
            format!("{id} is the lowest left in the list and must spend all: {choices}")
        })?;
    }
    let both = (c.movement, c.act) == (Some(Use::Now), Some(Use::Now));
    let detail = "`order` is for a persona that moves and acts now: leave it out";
    require(both || c.order.is_none(), "nothing_to_order", "EX-20", || detail)?;
    Ok(forced)
}
