//! Wait jumps, and the window for them before an announced act.

use super::*;

pub(super) fn jump(play: &mut Play<'_>, c: &Jump) -> Result<(), Violation> {
    let id = &c.combatant;
    let persona = play.combatant("combatant", id)?;
    let encounter = play.encounter();
    let mode = encounter.options.awe_mode;
    let components = jumping(encounter, c)?;
    for component in &components {
        may_jump(encounter, persona, *component)?;
    }
    in_window(encounter, persona)?;
    let opposed = mode == AweMode::OpposedD20;
    let detail = "the referee rolls only with the option `awe_mode` opposed_d20";
    require(
        opposed || c.referee_roll.is_none(),
        "no_referee_roll",
        field("referee_roll"),
        || detail,
    )?;
    let bonus = persona.stats.awe.get() + persona.stats.level.get();
    let before = encounter.state.asked.clone();
    let die = play.die(c.roll);
    let face = i64::from(die.face);
    let referee_die = opposed.then(|| play.die(c.referee_roll));
    let against = referee_die.map_or(18, |die| i64::from(die.face));
    let success = if mode == AweMode::RollUnder {
        face <= bonus
    } else {
        face + bonus >= against
    };
    play.emit(WaitJumped {
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
fn jumping(encounter: &Encounter, c: &Jump) -> Result<Vec<Component>, Violation> {
    if let Some(component) = c.component {
        return Ok(vec![component]);
    }
    let detail = "each component jumps with a roll of its own: name the `component`, move or act";
    require(
        encounter.options.jump_both,
        "component_missing",
        "EX-29",
        || detail,
    )?;
    Ok(vec![Component::Move, Component::Act])
}

/// Refuses a jump ahead of the act that is next, whatever the window says.
fn may_jump(
    encounter: &Encounter,
    persona: &Combatant,
    component: Component,
) -> Result<(), Violation> {
    let id = &persona.id;
    in_unit(encounter, "EX-25")?;
    no_duel(encounter)?;
    fit(persona)?;
    let State {
        asked,
        cursor,
        jumps,
        ..
    } = &encounter.state;
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
        "EX-25a",
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
    require(!failed, "jump_failed", "EX-28a", || {
        format!("{id} has tried to jump ahead of this act and failed: there is no second try")
    })?;
    let mut jumped = jumps
        .iter()
        .filter(|jumper| jumper.success)
        .filter_map(|jumper| encounter.get(&jumper.combatant));
    // A hidden persona does not count: players would see that it has jumped.
    if let Some(lower) = jumped.find(|other| other.state.rank > rank && !other.hidden) {
        let detail = format!(
            "{} has jumped ahead of this act already: the higher initiative goes first",
            lower.id
        );
        return Err(Violation::new("jumped_too_late", "EX-27a", detail));
    }
    Ok(())
}

/// Refuses a jump outside the window, of a persona that keeps waiting, and before a higher one has
/// decided (EX-25b).
fn in_window(encounter: &Encounter, persona: &Combatant) -> Result<(), Violation> {
    let (id, rank) = (&persona.id, persona.state.rank);
    let open = window_open(encounter);
    let asked = || {
        encounter
            .state
            .asked
            .iter()
            .filter_map(|id| encounter.get(id))
    };
    require(
        open || !asked().any(|c| must_announce(encounter, c)),
        "not_announced",
        "EX-25b",
        || {
            format!(
                "{} has announced no act yet that a jump could precede",
                joined(&encounter.state.asked)
            )
        },
    )?;
    let keeps = persona.state.keeps_waiting || encounter.state.kept.contains(id);
    require(!keeps, "keeps_waiting", "EX-25b", || {
        format!("{id} has decided to keep waiting")
    })?;
    // A hidden persona does not count: players would see that it waits.
    let mut higher = encounter
        .iter()
        .filter(|c| open && c.state.rank < rank && !c.hidden && undecided(encounter, c));
    higher.next().map_or(Ok(()), |first| {
        let detail = format!(
            "{} has the higher initiative: it jumps or keeps waiting first",
            first.id
        );
        Err(Violation::new("higher_decides_first", "EX-27a", detail))
    })
}

/// Whether a persona could jump ahead of the act that is next, and is to be asked.
fn could_jump(encounter: &Encounter, c: &Combatant) -> bool {
    let may = |component| may_jump(encounter, c, component).is_ok();
    !c.state.keeps_waiting && [Component::Move, Component::Act].into_iter().any(may)
}

/// Whether a persona that is asked announces its acts: a visible one could jump ahead of them. A
/// hidden persona announces none, since nobody sees them come.
pub(in super::super) fn must_announce(encounter: &Encounter, c: &Combatant) -> bool {
    encounter.options.jump_window
        && !c.hidden
        && encounter
            .iter()
            .any(|other| !other.hidden && could_jump(encounter, other))
}

/// Whether an act is announced that personas may jump ahead of.
fn window_open(encounter: &Encounter) -> bool {
    let announced = announced(encounter)
        .filter(|announced| [announced.movement, announced.act].contains(&Some(Use::Now)));
    let actor = announced.and_then(|announced| encounter.get(&announced.combatant));
    encounter.options.jump_window && actor.is_some_and(|actor| !actor.hidden)
}

/// Whether it has to jump or keep waiting while the window is open.
fn undecided(encounter: &Encounter, c: &Combatant) -> bool {
    !encounter.state.kept.contains(&c.id) && could_jump(encounter, c)
}

/// Who has to jump ahead of the announced act or keep waiting, the highest initiative first
/// (EX-27a).
pub(in super::super) fn deciders(encounter: &Encounter) -> Vec<CombatantId> {
    if !window_open(encounter) {
        return Vec::new();
    }
    let mut deciders: Vec<&Combatant> = encounter
        .iter()
        .filter(|c| undecided(encounter, c))
        .collect();
    deciders.sort_by_key(|c| c.state.rank);
    ids(deciders)
}

pub(super) fn keep_waiting(play: &mut Play<'_>, c: &KeepWaiting) -> Result<(), Violation> {
    let id = &c.combatant;
    let persona = play.combatant("combatant", id)?;
    let encounter = play.encounter();
    require(
        window_open(encounter) && undecided(encounter, persona),
        "not_asked_to_jump",
        "EX-25b",
        || format!("{id} is not asked now whether it jumps ahead of an announced act"),
    )?;
    play.emit(KeptWaiting {
        combatant: id.clone(),
        standing: c.standing,
    });
    Ok(())
}

pub(super) fn ask_again(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    require(
        play.combatant("combatant", id)?.state.keeps_waiting,
        "asked_anyway",
        "EX-25c",
        || format!("{id} is asked at each announced act: it has not said that it keeps waiting"),
    )?;
    play.emit(AskedAgain {
        combatant: id.clone(),
    });
    Ok(())
}

pub(super) fn close(play: &mut Play<'_>) -> Result<(), Violation> {
    let deciders = deciders(play.encounter());
    let detail = "nobody is asked now whether it jumps";
    require(!deciders.is_empty(), "no_jumps_open", "EX-25b", || detail)?;
    for combatant in deciders {
        play.emit(KeptWaiting {
            combatant,
            standing: false,
        });
    }
    Ok(())
}
