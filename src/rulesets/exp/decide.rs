//! The rules of EXP.

mod jump;
mod mental;
mod pass;
mod unit;

pub(super) use unit::contenders;

pub(super) use jump::{deciders, must_announce, take_jumps};
pub(super) use mental::{can_attack, end_duel};
pub(super) use pass::{advance, are_lowest, lose, take_over};

use super::state::{able, announced, lowest};
use super::{
    Announce, Announced, Combatant, Command, Component, Declare, Declared, Encounter, Pass, Passed,
    Phase, Play, Roll, Spending, Start, Use,
};
use crate::rulesets::shared::check_started;
use crate::vocabulary::{CombatantId, Violation, field, require};

pub(super) fn decide(play: &mut Play<'_>, command: &Command) -> Result<(), Violation> {
    if !is_own_roll(command) {
        check_started(play, matches!(command, Command::Start(_)), "EX-2")?;
    }
    match command {
        Command::Start(Start { rolls, tie_rolls }) => unit::next_unit(play, rolls, tie_rolls),
        Command::Roll(c) => unit::roll(play, c),
        Command::Declare(c) => declare(play, c),
        Command::Announce(c) => announce(play, c),
        Command::Jump(c) => jump::jump(play, c),
        Command::Pass(c) => pass_on(play, c),
        Command::AskAgain(c) => jump::ask_again(play, &c.combatant),
        Command::Resolve(_) => jump::resolve(play),
        Command::MentalAttack(c) => mental::attack(play, c),
        Command::MentalDuel(c) => mental::duel(play, c),
    }?;
    take_jumps(play);
    Ok(())
}

/// Whether it is a persona's own roll, which may come before the start.
fn is_own_roll(command: &Command) -> bool {
    matches!(
        command,
        Command::Roll(Roll {
            combatant: Some(_),
            ..
        })
    )
}

/// Declines a mental duel (EX-32a), or a jump ahead of the next act (EX-25b, EX-27a).
fn pass_on(play: &mut Play<'_>, c: &Pass) -> Result<(), Violation> {
    let id = &c.combatant;
    play.combatant("combatant", id)?;
    let encounter = play.encounter();
    let duel = encounter.state.duel.contains(id);
    let is_asked = duel || jump::is_asked(encounter, id);
    require(is_asked, "nothing_to_pass", "EX-25b", || {
        format!(
            "{id} isn't asked to jump or to duel. Wait for an announced act or jump, or a duel."
        )
    })?;
    require(
        !duel || !c.standing,
        "standing_in_duel",
        field("standing"),
        || "One pass ends a mental duel. Remove \"standing\".",
    )?;
    play.emit(Passed {
        combatant: id.clone(),
        standing: c.standing,
        duel,
    });
    Ok(())
}

/// Refuses between two units, and while the list asks a persona that the viewer does not see.
fn in_unit(encounter: &Encounter, rule: &'static str) -> Result<(), Violation> {
    let (code, rule, detail) = match encounter.state.phase {
        Phase::Pass => return Ok(()),
        Phase::SomeoneActs => (
            "not_asked",
            "EX-13",
            "The list asks another persona. Wait for the answer.",
        ),
        Phase::Setup | Phase::Roll => (
            "no_unit",
            rule,
            "No unit is in progress. Send \"roll\" first.",
        ),
    };
    Err(Violation::new(code, rule, detail))
}

/// Refuses while a mental duel waits for its attacks, which come before the list.
fn no_duel(encounter: &Encounter) -> Result<(), Violation> {
    let Some(first) = encounter.state.duel.first() else {
        return Ok(());
    };
    let detail = format!("A mental duel comes first. {first} sends \"mental_attack\" or \"pass\".");
    Err(Violation::new("duel_going_on", "EX-32", detail))
}

/// Refuses a persona that cannot do anything.
fn fit(c: &Combatant) -> Result<(), Violation> {
    require(able(c), "cannot_act", "EX-23", || {
        format!(
            "{} is out of the fight, unconscious, stunned or paralyzed. Choose another persona.",
            c.id
        )
    })
}

/// Refuses a persona that has no place in the list of this unit.
fn listed(c: &Combatant) -> Result<(), Violation> {
    require(c.state.rank.is_some(), "joined_late", "EX-2a", || {
        format!(
            "{} came after the roll and has no place in this unit. Wait for the next one.",
            c.id
        )
    })
}

/// Refuses a component that has not waited.
fn waited(c: &Combatant, component: Component) -> Result<(), Violation> {
    let id = &c.id;
    let spending = c.state.of(component);
    left(
        id,
        component,
        spending,
        "Jump with a component that waited.",
    )?;
    let waited = spending == Spending::Waited;
    require(waited, "not_waited", "EX-25", || {
        format!("{id} hasn't waited with the {component}. Only a component that waited can jump.")
    })
}

/// Refuses a component that is spent or lost, with a remedy.
fn left(
    id: &CombatantId,
    component: Component,
    spending: Spending,
    remedy: &str,
) -> Result<(), Violation> {
    let (code, rule, verb) = match spending {
        Spending::Pending | Spending::Waited => return Ok(()),
        Spending::Done => ("component_spent", "EX-12", "spent"),
        Spending::Lost => ("component_lost", "EX-23", "lost"),
    };
    let detail = format!("{id} has {verb} the {component} of this unit. {remedy}");
    Err(Violation::new(code, rule, detail))
}

/// These personas, for refusals.
fn joined(ids: &[CombatantId]) -> String {
    let names: Vec<String> = ids.iter().map(CombatantId::to_string).collect();
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => names.concat(),
    }
}

fn announce(play: &mut Play<'_>, c: &Announce) -> Result<(), Violation> {
    let answer = Declare {
        combatant: c.combatant.clone(),
        movement: c.movement,
        act: c.act,
        order: c.order,
    };
    answerable(play, &answer)?;
    let is_first = announced(play.encounter()).is_none();
    require(
        is_first,
        "announced_already",
        "EX-27b",
        || "An act is already announced. Send \"declare\" with the same fields.",
    )?;
    play.emit(Announced {
        combatant: answer.combatant,
        movement: answer.movement,
        act: answer.act,
        order: answer.order,
        action: c.action.clone(),
    });
    Ok(())
}

fn declare(play: &mut Play<'_>, c: &Declare) -> Result<(), Violation> {
    let forced = answerable(play, c)?;
    let id = &c.combatant;
    if let Some(plan) = announced(play.encounter()) {
        as_announced(play.encounter(), plan, c)?;
    } else if c.movement == Some(Use::Now) || c.act == Some(Use::Now) {
        let persona = play.combatant("combatant", id)?;
        let free = !must_announce(play.encounter(), persona);
        require(free, "not_announced", "EX-25b", || {
            format!("Others could jump ahead of {id}. Send \"announce\" first.")
        })?;
    }
    play.emit(Declared {
        combatant: id.clone(),
        movement: c.movement,
        act: c.act,
        order: c.order,
        forced,
    });
    pass::rest(play, id);
    advance(play);
    Ok(())
}

/// Refuses something else than the announced act, and that act while others may jump ahead of it.
fn as_announced(encounter: &Encounter, plan: &Announced, c: &Declare) -> Result<(), Violation> {
    let same = plan.combatant == c.combatant
        && plan.movement == c.movement
        && plan.act == c.act
        && plan.order == c.order;
    require(same, "not_as_announced", "EX-27b", || {
        let id = &plan.combatant;
        format!("The declaration differs from what {id} announced. Send the announced fields.")
    })?;
    jump::no_open_jumps(encounter)
}

/// Refuses an answer of a persona that is not asked, and one that does not fit what it has left.
/// Returns whether it is forced.
fn answerable(play: &Play<'_>, c: &Declare) -> Result<bool, Violation> {
    let id = &c.combatant;
    let encounter = play.encounter();
    let persona = play.combatant("combatant", id)?;
    let state = &persona.state;
    in_unit(encounter, "EX-2")?;
    no_duel(encounter)?;
    let asked = &encounter.state.asked;
    let is_asked = asked.contains(id);
    if !is_asked && state.lost_all() {
        listed(persona)?;
    }
    require(is_asked || state.open(), "nothing_left", "EX-18", || {
        let asked = joined(asked);
        format!("{id} has nothing left in this unit. The list is at {asked}.")
    })?;
    require(is_asked, "not_asked", "EX-13", || {
        format!(
            "The list is at {}, not at {id}. Wait for the answer.",
            joined(asked)
        )
    })?;
    if !encounter.state.jumps.is_empty() {
        jump::no_open_jumps(encounter)?;
    }
    let forced = lowest(encounter, state.rank, |_| true);
    fits(persona, Component::Move, c.movement, forced)?;
    fits(persona, Component::Act, c.act, forced)?;
    let both = c.movement == Some(Use::Now) && c.act == Some(Use::Now);
    let orderly = both || c.order.is_none();
    require(
        orderly,
        "nothing_to_order",
        "EX-20",
        || "\"order\" needs a move and an act, both now. Remove it.",
    )?;
    Ok(forced)
}

/// Refuses an answer about one component that is missing, of no use, or a wait of the lowest.
fn fits(
    persona: &Combatant,
    component: Component,
    what: Option<Use>,
    forced: bool,
) -> Result<(), Violation> {
    let id = &persona.id;
    let spending = persona.state.of(component);
    let (rule, choices) = if forced {
        ("EX-15", "now or nothing")
    } else {
        ("EX-14", "now, wait or nothing")
    };
    let Some(what) = what else {
        return require(!spending.open(), "component_missing", rule, || {
            format!("\"{component}\" is missing. Values: {choices}.")
        });
    };
    left(id, component, spending, &format!("Remove \"{component}\"."))?;
    let may_wait = !forced || what != Use::Wait;
    require(may_wait, "must_not_wait", rule, || {
        let reason = if persona.state.rank.is_some() {
            "is the lowest left in the list"
        } else {
            "has no later place in the list"
        };
        format!("{id} {reason} and can't wait. Values: {choices}.")
    })
}
