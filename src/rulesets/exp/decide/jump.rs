//! Wait jumps, and the window for them before an announced act.

use super::pass::rest;
use super::{fit, in_unit, joined, no_duel};
use crate::rulesets::exp::state::announced;
use crate::rulesets::exp::{
    AskedAgain, AweMode, Combatant, Component, Encounter, Jump, Jumped, Passed, Play, Spending, Use,
};
use crate::vocabulary::{CombatantId, Violation, field, ids, require};

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
    let expected = opposed || c.referee_roll.is_none();
    require(
        expected,
        "no_referee_roll",
        field("referee_roll"),
        || "The referee rolls only if the option \"awe_mode\" is \"opposed_d20\". Remove \"referee_roll\".",
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
    play.emit(Jumped {
        combatant: id.clone(),
        components,
        before,
        die,
        bonus,
        referee_die,
        success,
    });
    rest(play, id);
    Ok(())
}

/// What a jump uses: the component that it names, or both if one roll is enough for them.
fn jumping(encounter: &Encounter, c: &Jump) -> Result<Vec<Component>, Violation> {
    if let Some(component) = c.component {
        return Ok(vec![component]);
    }
    let one_roll = encounter.options.jump_both;
    require(
        one_roll,
        "component_missing",
        "EX-29",
        || "Each component jumps with a roll of its own. Add \"component\": move or act.",
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
    let asked = &encounter.state.asked;
    require(!asked.contains(id), "own_place", "EX-30", || {
        format!("The list is at {id}, so no jump is needed. Send \"declare\".")
    })?;
    let waited = persona.state.of(component) == Spending::Waited;
    require(waited, "not_waited", "EX-25", || {
        format!("{id} didn't wait with that component. Only a component that waited can jump.")
    })?;
    let cursor = encounter.state.cursor;
    let is_higher = persona.state.rank.is_some_and(|rank| rank < cursor);
    require(is_higher, "not_lower", "EX-25a", || {
        let asked = joined(asked);
        format!("{id} has no higher initiative than {asked}. Wait for the act of a lower persona.")
    })?;
    let mut jumps = encounter.state.jumps.iter();
    let failed = jumps.any(|jump| jump.combatant == *id && !jump.success);
    require(!failed, "jump_failed", "EX-28a", || {
        format!("{id} has failed to jump ahead of this act. Wait for the next one.")
    })?;
    if let Some(lower) = lower_jumper(encounter, persona) {
        let detail = format!(
            "{} has already jumped ahead of this act, and the higher initiative goes first. Wait for the next act.",
            lower.id
        );
        return Err(Violation::new("jumped_too_late", "EX-27a", detail));
    }
    Ok(())
}

/// A persona with a lower initiative that has jumped ahead of the act. A hidden one does not count:
/// players would see that it has jumped.
fn lower_jumper<'t>(encounter: &'t Encounter, persona: &Combatant) -> Option<&'t Combatant> {
    for jump in &encounter.state.jumps {
        if jump.success
            && let Some(jumper) = encounter.get(&jump.combatant)
            && jumper.state.rank > persona.state.rank
            && !jumper.hidden
        {
            return Some(jumper);
        }
    }
    None
}

/// Refuses a jump outside the window, of a persona that keeps waiting, and before a higher one has
/// decided (EX-25b).
fn in_window(encounter: &Encounter, persona: &Combatant) -> Result<(), Violation> {
    let id = &persona.id;
    let open = window_open(encounter);
    let asked = &encounter.state.asked;
    let may_come = open || !any_must_announce(encounter, asked);
    require(may_come, "not_announced", "EX-25b", || {
        let asked = joined(asked);
        format!("{asked} must announce an act before a jump. Wait for it.")
    })?;
    let keeps = persona.state.keeps_waiting || encounter.state.kept.contains(id);
    require(!keeps, "keeps_waiting", "EX-25b", || {
        format!(
            "{id} has passed. Wait for the next act, or send \"ask_again\" if waiting until further notice."
        )
    })?;
    if open && let Some(first) = higher_undecided(encounter, persona) {
        let first = &first.id;
        let detail =
            format!("{first} has the higher initiative and decides first. Wait for that answer.");
        return Err(Violation::new("higher_decides_first", "EX-27a", detail));
    }
    Ok(())
}

fn any_must_announce(encounter: &Encounter, asked: &[CombatantId]) -> bool {
    let mut asked = asked.iter().filter_map(|id| encounter.get(id));
    asked.any(|c| must_announce(encounter, c))
}

/// A persona with a higher initiative that has to decide first. A hidden one does not count:
/// players would see that it waits.
fn higher_undecided<'t>(encounter: &'t Encounter, persona: &Combatant) -> Option<&'t Combatant> {
    let mut personas = encounter.iter();
    personas.find(|c| c.state.rank < persona.state.rank && !c.hidden && undecided(encounter, c))
}

/// Whether a persona could jump ahead of the act that is next, and is to be asked.
fn could_jump(encounter: &Encounter, c: &Combatant) -> bool {
    !c.state.keeps_waiting
        && (may_jump(encounter, c, Component::Move).is_ok()
            || may_jump(encounter, c, Component::Act).is_ok())
}

/// Whether a persona that is asked announces its acts: a visible one could jump ahead of them. A
/// hidden persona announces none, since no player sees them come.
pub(in super::super) fn must_announce(encounter: &Encounter, c: &Combatant) -> bool {
    encounter.options.jump_window
        && !c.hidden
        && encounter
            .iter()
            .any(|other| !other.hidden && could_jump(encounter, other))
}

/// Whether an act is announced that personas may jump ahead of.
fn window_open(encounter: &Encounter) -> bool {
    if !encounter.options.jump_window {
        return false;
    }
    let Some(plan) = announced(encounter) else {
        return false;
    };
    let happens = plan.movement == Some(Use::Now) || plan.act == Some(Use::Now);
    let actor = encounter.get(&plan.combatant);
    happens && actor.is_some_and(|actor| !actor.hidden)
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
    let mut deciders = Vec::new();
    for c in encounter.iter() {
        if undecided(encounter, c) {
            deciders.push(c);
        }
    }
    deciders.sort_by_key(|c| c.state.rank);
    ids(deciders)
}

/// Whether a persona is asked now whether it jumps ahead of the announced act.
pub(super) fn is_asked(encounter: &Encounter, c: &Combatant) -> bool {
    window_open(encounter) && undecided(encounter, c)
}

pub(super) fn ask_again(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    let keeps_waiting = play.combatant("combatant", id)?.state.keeps_waiting;
    require(keeps_waiting, "asked_anyway", "EX-25c", || {
        format!("{id} doesn't keep waiting until further notice. Leave \"ask_again\" out.")
    })?;
    play.emit(AskedAgain {
        combatant: id.clone(),
    });
    Ok(())
}

pub(super) fn resolve(play: &mut Play<'_>) -> Result<(), Violation> {
    let deciders = deciders(play.encounter());
    let detail = "No persona is asked to jump now. See \"pending\".";
    require(!deciders.is_empty(), "nothing_to_resolve", "EX-25b", || {
        detail
    })?;
    for combatant in deciders {
        play.emit(Passed {
            combatant,
            standing: false,
            duel: false,
        });
    }
    Ok(())
}
