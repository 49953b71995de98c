//! Wait jumps, and the window for them before an announced act.

use super::*;

pub(super) fn jump(play: &mut Scene<'_>, c: &Jump) -> Result<(), Violation> {
    let id = &c.combatant;
    let persona = play.combatant("combatant", id)?;
    let table = play.table();
    let mode = table.options.awe_mode;
    let components = jumping(table, c)?;
    for component in &components {
        may_jump(table, persona, *component)?;
    }
    in_window(table, persona)?;
    let opposed = mode == AweMode::OpposedD20;
    let detail = "the referee rolls only with the option `awe_mode` opposed_d20";
    require(
        opposed || c.referee_roll.is_none(),
        "no_referee_roll",
        field("referee_roll"),
        || detail,
    )?;
    let bonus = persona.stats.awe.get() + persona.stats.level.get();
    let before = table.state.asked.clone();
    let die = play.die(c.roll);
    let face = i64::from(die.face);
    let referee_die = opposed.then(|| play.die(c.referee_roll));
    let against = referee_die.map_or(18, |die| i64::from(die.face));
    let success = if mode == AweMode::RollUnder {
        face <= bonus
    } else {
        face + bonus >= against
    };
    play.own(WaitJumped {
        combatant: id.clone(),
        components,
        before,
        die,
        bonus,
        referee_die,
        success,
    });
    pass::rest(play, id);
    Ok(())
}

/// What a jump uses: the component that it names, or both where one roll is enough for them.
fn jumping(table: &Table, c: &Jump) -> Result<Vec<Component>, Violation> {
    if let Some(component) = c.component {
        return Ok(vec![component]);
    }
    let detail = "each component jumps with a roll of its own: name the `component`, move or act";
    require(
        table.options.jump_both,
        "component_missing",
        "EX-29",
        || detail,
    )?;
    Ok(vec![Component::Move, Component::Act])
}

/// Refuses a jump ahead of the act that is next, whatever the window says.
fn may_jump(table: &Table, persona: &Persona, component: Component) -> Result<(), Violation> {
    let id = &persona.id;
    in_unit(table, "EX-25")?;
    no_duel(table)?;
    fit(persona)?;
    let State {
        asked,
        cursor,
        jumps,
        ..
    } = &table.state;
    require(!asked.contains(id), "own_place", "EX-30", || {
        format!("{id} is asked now: it acts in its own place, by declare and without a roll")
    })?;
    require(
        persona.state.of(component) == Spending::Waited,
        "not_waited",
        "EX-25",
        || format!("{id} has not waited with that: only what waited can jump"),
    )?;
    let rank = persona.state.rank;
    require(
        rank.is_some_and(|rank| rank < *cursor),
        "not_lower",
        "AEX6",
        || {
            format!(
                "{id} has no higher initiative than {}, whose act is next",
                joined(asked)
            )
        },
    )?;
    let failed = jumps
        .iter()
        .any(|jumper| jumper.combatant == *id && !jumper.success);
    require(!failed, "jump_failed", "AEX5", || {
        format!("{id} has tried to jump ahead of this act and failed: there is no second try")
    })?;
    let mut jumped = jumps
        .iter()
        .filter(|jumper| jumper.success)
        .filter_map(|jumper| table.get(&jumper.combatant));
    // A hidden persona does not count: players would see that it has jumped.
    if let Some(lower) = jumped.find(|other| other.state.rank > rank && !other.hidden) {
        let detail = format!(
            "{} has jumped ahead of this act already: the higher initiative goes first",
            lower.id
        );
        return Err(Violation::new("jumped_too_late", "AEX7", detail));
    }
    Ok(())
}

/// Refuses a jump outside the window, of a persona that keeps waiting, and before a higher one has decided (AEX15).
fn in_window(table: &Table, persona: &Persona) -> Result<(), Violation> {
    let (id, rank) = (&persona.id, persona.state.rank);
    let open = window_open(table);
    let asked = || table.state.asked.iter().filter_map(|id| table.get(id));
    require(
        open || !asked().any(|c| must_announce(table, c)),
        "not_announced",
        "AEX15",
        || {
            format!(
                "{} has announced no act yet that a jump could precede",
                joined(&table.state.asked)
            )
        },
    )?;
    let keeps = persona.state.keeps_waiting || table.state.kept.contains(id);
    require(!keeps, "keeps_waiting", "AEX15", || {
        format!("{id} has decided to keep waiting")
    })?;
    // A hidden persona does not count: players would see that it waits.
    let mut higher = table
        .iter()
        .filter(|c| open && c.state.rank < rank && !c.hidden && undecided(table, c));
    higher.next().map_or(Ok(()), |first| {
        let detail = format!(
            "{} has the higher initiative: it jumps or keeps waiting first",
            first.id
        );
        Err(Violation::new("higher_decides_first", "AEX7", detail))
    })
}

/// Whether a persona could jump ahead of the act that is next, and is to be asked.
fn could_jump(table: &Table, c: &Persona) -> bool {
    let may = |component| may_jump(table, c, component).is_ok();
    !c.state.keeps_waiting && [Component::Move, Component::Act].into_iter().any(may)
}

/// Whether a persona that is asked announces its acts: a visible one could jump ahead of them. A hidden persona announces none, since
/// nobody sees them come.
pub(in super::super) fn must_announce(table: &Table, c: &Persona) -> bool {
    table.options.jump_window
        && !c.hidden
        && table
            .iter()
            .any(|other| !other.hidden && could_jump(table, other))
}

/// Whether an act is announced that personas may jump ahead of.
pub(in super::super) fn window_open(table: &Table) -> bool {
    let announced = announced(table)
        .filter(|announced| [announced.movement, announced.act].contains(&Some(Use::Now)));
    let actor = announced.and_then(|announced| table.get(&announced.combatant));
    table.options.jump_window && actor.is_some_and(|actor| !actor.hidden)
}

/// Whether it has to jump or keep waiting while the window is open.
pub(in super::super) fn undecided(table: &Table, c: &Persona) -> bool {
    !table.state.kept.contains(&c.id) && could_jump(table, c)
}

/// Who has to jump ahead of the announced act or keep waiting, the highest initiative first (AEX7).
pub(in super::super) fn deciders(table: &Table) -> Vec<CombatantId> {
    if !window_open(table) {
        return Vec::new();
    }
    let mut deciders: Vec<&Persona> = table.iter().filter(|c| undecided(table, c)).collect();
    deciders.sort_by_key(|c| c.state.rank);
    ids(deciders)
}

pub(super) fn keep_waiting(play: &mut Scene<'_>, c: &KeepWaiting) -> Result<(), Violation> {
    let id = &c.combatant;
    let persona = play.combatant("combatant", id)?;
    let table = play.table();
    require(
        window_open(table) && undecided(table, persona),
        "not_asked_to_jump",
        "AEX15",
        || format!("{id} is not asked now whether it jumps ahead of an announced act"),
    )?;
    play.own(KeptWaiting {
        combatant: id.clone(),
        standing: c.standing,
    });
    Ok(())
}

pub(super) fn ask_again(play: &mut Scene<'_>, id: &CombatantId) -> Result<(), Violation> {
    require(
        play.combatant("combatant", id)?.state.keeps_waiting,
        "asked_anyway",
        "AEX16",
        || format!("{id} is asked at each announced act: it has not said that it keeps waiting"),
    )?;
    play.own(AskedAgain {
        combatant: id.clone(),
    });
    Ok(())
}

pub(super) fn close(play: &mut Scene<'_>) -> Result<(), Violation> {
    let deciders = deciders(play.table());
    let detail = "nobody is asked now whether it jumps";
    require(!deciders.is_empty(), "no_jumps_open", "AEX15", || detail)?;
    for combatant in deciders {
        play.own(KeptWaiting {
            combatant,
            standing: false,
        });
    }
    Ok(())
}
