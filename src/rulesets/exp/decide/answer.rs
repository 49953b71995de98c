//! Whoever is asked answers.

use super::*;

pub(super) fn announce(play: &mut Scene<'_>, c: &Announce) -> Result<(), Violation> {
    let plan = Declare { combatant: c.combatant.clone(), movement: c.movement, act: c.act, order: c.order };
    answerable(play, &plan)?;
    if announced(play.table()).is_some() {
        let detail = "an act is announced already: it is to be declared now";
        return Err(Violation::new("announced_already", "AEX13", detail));
    }
    let Declare { combatant, movement, act, order } = plan;
    play.own(Announced { combatant, movement, act, order, text: c.text.clone() });
    Ok(())
}

pub(super) fn declare(play: &mut Scene<'_>, c: &Declare) -> Result<(), Violation> {
    let forced = answerable(play, c)?;
    let Declare { combatant, movement, act, order } = c.clone();
    if let Some(announced) = announced(play.table()) {
        let same = announced.combatant == combatant
            && (announced.movement, announced.act, announced.order) == (movement, act, order);
        if !same {
            let detail = format!("{} has announced something else, and what is announced is done", announced.combatant);
            return Err(Violation::new("not_as_announced", "AEX13", detail));
        }
    }
    play.own(Declared { combatant, movement, act, order, forced });
    pass::rest(play, &c.combatant);
    advance(play);
    Ok(())
}

/// Refuses an answer of one who is not asked, and one that does not fit what it has left; whether it is the forced one.
fn answerable(play: &Scene<'_>, c: &Declare) -> Result<bool, Violation> {
    let table = play.table();
    let persona = play.combatant("combatant", &c.combatant)?;
    in_unit(table, "EX-2")?;
    no_duel(table)?;
    let state = &persona.state;
    if !table.state.asked.contains(&c.combatant) {
        return Err(not_asked(table, persona));
    }
    let forced = lowest(table, state.rank);
    for (name, what, left) in [("move", c.movement, state.movement), ("act", c.act, state.act)] {
        match what {
            None if left.open() => {
                let choices = if forced { "now or nothing" } else { "now, wait or nothing" };
                let detail = format!("`{name}` is missing: {choices}");
                return Err(Violation::new("component_missing", if forced { "EX-15" } else { "EX-14" }, detail));
            }
            Some(_) if !left.open() => {
                let detail = format!("the {name} of {} is spent: leave `{name}` out", c.combatant);
                return Err(Violation::new("component_spent", "EX-12", detail));
            }
            Some(Use::Wait) if forced => {
                let detail =
                    format!("{} is the lowest left in the list and must spend all: now or nothing", c.combatant);
                return Err(Violation::new("must_not_wait", "EX-15", detail));
            }
            _ => {}
        }
    }
    if c.order.is_some() && (c.movement, c.act) != (Some(Use::Now), Some(Use::Now)) {
        let detail = "`order` is for one who moves and acts now: leave it out";
        return Err(Violation::new("nothing_to_order", "EX-20", detail));
    }
    Ok(forced)
}

fn not_asked(table: &Table, persona: &Persona) -> Violation {
    let asked: Vec<_> = table.state.asked.iter().map(|id| id.as_str()).collect();
    let asked = asked.join(", ");
    if persona.state.open() {
        let detail = format!("the list asks {asked} now, not {}", persona.id);
        Violation::new("not_asked", "EX-13", detail)
    } else {
        let detail = format!("{} has nothing left in this unit; the list asks {asked} now", persona.id);
        Violation::new("nothing_left", "EX-18", detail)
    }
}
