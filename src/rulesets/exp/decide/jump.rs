//! Wait jumps.

use super::*;

pub(super) fn jump(play: &mut Scene<'_>, c: &Jump) -> Result<(), Violation> {
    let persona = play.combatant("combatant", &c.combatant)?;
    let table = play.table();
    in_unit(table, "EX-25")?;
    no_duel(table)?;
    fit(persona)?;
    let mode = table.options.awe_mode;
    if c.referee_roll.is_some() && mode != AweMode::OpposedD20 {
        let detail = "the referee rolls nothing here: that is for the option `awe_mode` opposed_d20";
        return Err(Violation::field("no_referee_roll", "referee_roll", detail));
    }
    if table.state.asked.contains(&c.combatant) {
        let detail =
            format!("{} is asked just now: it acts in its own place, by declare and without a roll", c.combatant);
        return Err(Violation::new("own_place", "EX-30", detail));
    }
    if persona.state.of(c.component) != Spending::Waited {
        let detail = format!("{} has not waited with that: only what waited can jump", c.combatant);
        return Err(Violation::new("not_waited", "EX-25", detail));
    }
    over(table, persona)?;
    let bonus = persona.stats.awe.get() + persona.stats.level.get();
    let die = play.die(c.roll);
    let face = i64::from(die.face);
    let referee_die = (mode == AweMode::OpposedD20).then(|| play.die(c.referee_roll));
    let success = match (mode, referee_die) {
        (AweMode::RollUnder, _) => face <= bonus,
        (AweMode::OpposedD20, Some(against)) => face + bonus >= i64::from(against.face),
        (AweMode::Fixed18 | AweMode::OpposedD20, _) => face + bonus >= 18,
    };
    let (combatant, component, before) = (c.combatant.clone(), c.component, play.table().state.asked.clone());
    play.own(WaitJumped { combatant, component, before, die, bonus, referee_die, success });
    pass::rest(play, &c.combatant);
    Ok(())
}

/// Refuses a jump over an act that this persona cannot pre-empt, or not any more.
fn over(table: &Table, persona: &Persona) -> Result<(), Violation> {
    let State { asked, cursor, jumps, .. } = &table.state;
    if persona.state.rank.is_none_or(|rank| rank >= *cursor) {
        let names: Vec<_> = asked.iter().map(|id| id.as_str()).collect();
        let detail = format!("{} has no higher initiative than {}, whose act is next", persona.id, names.join(", "));
        return Err(Violation::new("not_lower", "AEX6", detail));
    }
    if jumps.iter().any(|jumper| jumper.combatant == persona.id && !jumper.success) {
        let detail = format!("{} has tried to jump ahead of this act and failed: there is no second try", persona.id);
        return Err(Violation::new("jump_failed", "AEX5", detail));
    }
    let lower = |id: &CombatantId| table.get(id).is_some_and(|other| other.state.rank > persona.state.rank);
    match jumps.iter().find(|jumper| jumper.success && lower(&jumper.combatant)) {
        Some(lower) => {
            let detail =
                format!("{} has jumped ahead of this act already: the higher initiative goes first", lower.combatant);
            Err(Violation::new("jumped_too_late", "AEX7", detail))
        }
        None => Ok(()),
    }
}
