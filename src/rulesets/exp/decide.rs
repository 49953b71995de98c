//! The rules of EXP.

mod jump;
mod mental;
mod pass;
mod unit;

pub(super) use jump::{deciders, must_announce};
pub(super) use mental::{can_attack, end_duel};
pub(super) use pass::{advance, lose, take_over};

use super::*;
use crate::rulesets::shared::check_started;
use crate::vocabulary::{field, require};

pub(super) fn decide(play: &mut Play<'_>, command: &Command) -> Result<(), Violation> {
    if !matches!(command, Command::RollInitiative(_)) {
        check_started(play, matches!(command, Command::Start(_)), "EX-2")?;
    }
    match command {
        Command::Start(Start { rolls, tie_rolls })
        | Command::RollUnit(RollUnit { rolls, tie_rolls }) => {
            unit::next_unit(play, rolls, tie_rolls)
        }
        Command::RollInitiative(c) => unit::own_roll(play, c),
        Command::Declare(c) => declare(play, c),
        Command::Announce(c) => announce(play, c),
        Command::Jump(c) => jump::jump(play, c),
        Command::KeepWaiting(c) => jump::keep_waiting(play, c),
        Command::AskAgain(c) => jump::ask_again(play, &c.combatant),
        Command::CloseJumps(_) => jump::close(play),
        Command::MentalAttack(c) => mental::attack(play, c),
        Command::MentalDuel(c) => mental::duel(play, c),
        Command::DeclineDuel(c) => mental::decline(play, &c.combatant),
    }
}

/// Refuses between two units.
fn in_unit(encounter: &Encounter, rule: &'static str) -> Result<(), Violation> {
    let detail = "no unit is going on: roll initiative first (roll_unit)";
    require(
        encounter.state.phase == Phase::Pass,
        "no_unit",
        rule,
        || detail,
    )
}

/// Refuses while a mental duel waits for its attacks, which come before the list.
fn no_duel(encounter: &Encounter) -> Result<(), Violation> {
    let Some(first) = encounter.state.duel.first() else {
        return Ok(());
    };
    let detail = format!("a mental duel is going on: {first} attacks first (mental_attack)");
    Err(Violation::new("duel_going_on", "EX-32", detail))
}

/// Refuses a persona that cannot do anything.
fn fit(c: &Combatant) -> Result<(), Violation> {
    require(able(c), "cannot_act", "EX-23", || {
        format!(
            "{} cannot act: it is dead, unconscious, stunned or paralyzed",
            c.id
        )
    })
}

/// These personas, for refusals.
fn joined(ids: &[CombatantId]) -> String {
    ids.iter()
        .map(CombatantId::to_string)
        .collect::<Vec<_>>()
        .join(", ")
}

fn announce(play: &mut Play<'_>, c: &Announce) -> Result<(), Violation> {
    let Announce {
        combatant,
        movement,
        act,
        order,
        text,
    } = c.clone();
    answerable(
        play,
        &Declare {
            combatant: combatant.clone(),
            movement,
            act,
            order,
        },
    )?;
    let detail = "an act is announced already: declare it now";
    require(
        announced(play.encounter()).is_none(),
        "announced_already",
        "EX-27b",
        || detail,
    )?;
    play.emit(Announced {
        combatant,
        movement,
        act,
        order,
        action: text,
    });
    Ok(())
}

fn declare(play: &mut Play<'_>, c: &Declare) -> Result<(), Violation> {
    let forced = answerable(play, c)?;
    let Declare {
        combatant,
        movement,
        act,
        order,
    } = c.clone();
    if let Some(plan) = announced(play.encounter()) {
        let same = (&plan.combatant, plan.movement, plan.act, plan.order)
            == (&combatant, movement, act, order);
        require(same, "not_as_announced", "EX-27b", || {
            format!(
                "{} has announced something else, which it must do",
                plan.combatant
            )
        })?;
        let deciders = deciders(play.encounter());
        require(deciders.is_empty(), "jumps_open", "EX-25b", || {
            format!(
                "{} may jump ahead of this act: first all of them jump or keep_waiting",
                joined(&deciders)
            )
        })?;
    } else if movement == Some(Use::Now) || act == Some(Use::Now) {
        let persona = play.combatant("combatant", &combatant)?;
        require(
            !must_announce(play.encounter(), persona),
            "not_announced",
            "EX-25b",
            || format!("others could jump ahead of {combatant}: announce first what it does"),
        )?;
    }
    play.emit(Declared {
        combatant,
        movement,
        act,
        order,
        forced,
    });
    pass::rest(play, &c.combatant);
    advance(play);
    Ok(())
}

/// Refuses an answer of a persona that is not asked, and one that does not fit what it has left.
/// Returns whether it is forced.
fn answerable(play: &Play<'_>, c: &Declare) -> Result<bool, Violation> {
    let (id, encounter) = (&c.combatant, play.encounter());
    let state = &play.combatant("combatant", id)?.state;
    in_unit(encounter, "EX-2")?;
    no_duel(encounter)?;
    let asked = &encounter.state.asked;
    require(
        asked.contains(id) || state.open(),
        "nothing_left",
        "EX-18",
        || {
            format!(
                "{id} has nothing left in this unit; the list asks {} now",
                joined(asked)
            )
        },
    )?;
    require(asked.contains(id), "not_asked", "EX-13", || {
        format!("the list asks {} now, not {id}", joined(asked))
    })?;
    let forced = lowest(encounter, state.rank, |_| true);
    let (rule, choices) = if forced {
        ("EX-15", "now or nothing")
    } else {
        ("EX-14", "now, wait or nothing")
    };
    for (name, what, left) in [
        ("move", c.movement, state.movement),
        ("act", c.act, state.act),
    ] {
        let (given, open) = (what.is_some(), left.open());
        require(given || !open, "component_missing", rule, || {
            format!("`{name}` is missing: {choices}")
        })?;
        require(!given || open, "component_spent", "EX-12", || {
            format!("the {name} of {id} is spent: leave `{name}` out")
        })?;
        require(
            !forced || what != Some(Use::Wait),
            "must_not_wait",
            "EX-15",
            || format!("{id} is the lowest left in the list and must spend all: {choices}"),
        )?;
    }
    let both = (c.movement, c.act) == (Some(Use::Now), Some(Use::Now));
    let detail = "`order` is for a persona that moves and acts now: leave it out";
    require(
        both || c.order.is_none(),
        "nothing_to_order",
        "EX-20",
        || detail,
    )?;
    Ok(forced)
}
