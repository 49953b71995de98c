//! Wait jumps.

use super::*;

pub(super) fn jump(play: &mut Scene<'_>, c: &Jump) -> Result<(), Violation> {
    let id = &c.combatant;
    let persona = play.combatant("combatant", id)?;
    let table = play.table();
    in_unit(table, "EX-25")?;
    no_duel(table)?;
    fit(persona)?;
    let mode = table.options.awe_mode;
    if c.referee_roll.is_some() && mode != AweMode::OpposedD20 {
        let detail = "the referee rolls only with the option `awe_mode` opposed_d20";
        return Err(Violation::field("no_referee_roll", "referee_roll", detail));
    }
    let State { asked, cursor, jumps, .. } = &table.state;
    require(!asked.contains(id), "own_place", "EX-30", || {
        format!("{id} is asked now: it acts in its own place, by declare and without a roll")
    })?;
    require(persona.state.of(c.component) == Spending::Waited, "not_waited", "EX-25", || {
        format!("{id} has not waited with that: only what waited can jump")
    })?;
    let rank = persona.state.rank;
    require(rank.is_some_and(|rank| rank < *cursor), "not_lower", "AEX6", || {
        format!("{id} has no higher initiative than {}, whose act is next", joined(asked))
    })?;
    let failed = jumps.iter().any(|jumper| jumper.combatant == *id && !jumper.success);
    require(!failed, "jump_failed", "AEX5", || {
        format!("{id} has tried to jump ahead of this act and failed: there is no second try")
    })?;
    let is_lower = |jumper: &Jumper| table.get(&jumper.combatant).is_some_and(|other| other.state.rank > rank);
    if let Some(lower) = jumps.iter().find(|jumper| jumper.success && is_lower(jumper)) {
        let detail =
            format!("{} has jumped ahead of this act already: the higher initiative goes first", lower.combatant);
        return Err(Violation::new("jumped_too_late", "AEX7", detail));
    }
    let bonus = persona.stats.awe.get() + persona.stats.level.get();
    let before = asked.clone();
    let die = play.die(c.roll);
    let face = i64::from(die.face);
    let referee_die = (mode == AweMode::OpposedD20).then(|| play.die(c.referee_roll));
    let success = match (mode, referee_die) {
        (AweMode::RollUnder, _) => face <= bonus,
        (AweMode::OpposedD20, Some(against)) => face + bonus >= i64::from(against.face),
        (AweMode::Fixed18 | AweMode::OpposedD20, _) => face + bonus >= 18,
    };
    play.own(WaitJumped { combatant: id.clone(), component: c.component, before, die, bonus, referee_die, success });
    pass::rest(play, id);
    Ok(())
}
