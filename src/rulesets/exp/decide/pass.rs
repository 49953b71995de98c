//! The passes: who is asked next, who has nothing left, and when the unit is over.

use super::*;
use crate::rulesets::shared::{end_round, end_turn, start_turn};

/// Goes down the list until somebody is asked, from the top again as long as anybody has something left (EX-16); then the unit
/// is over (EX-19).
pub(in super::super) fn advance(play: &mut Scene<'_>) {
    while play.table().state.phase == Phase::Pass && play.table().state.asked.is_empty() {
        let table = play.table();
        let below = table.state.cursor;
        let ranks = || table.iter().filter(|c| c.state.open()).filter_map(|c| c.state.rank);
        if let Some(rank) = ranks().filter(|rank| *rank > below).min() {
            come_to(play, rank);
        } else if ranks().next().is_some() {
            let pass = table.state.pass.saturating_add(1);
            play.own(PassStarted { pass });
        } else {
            let passes = table.state.pass;
            play.own(UnitOver { passes });
            end_round(play);
        }
    }
}

/// The list comes to a rank: whoever there cannot answer loses what it has (AEX9), the others are asked.
fn come_to(play: &mut Scene<'_>, rank: u32) {
    let here = play.table().iter().filter(|c| c.state.rank == Some(rank) && c.state.open());
    let (fit, unfit): (Vec<_>, Vec<_>) = here.map(|c| (c.id.clone(), able(c))).partition(|(_, able)| *able);
    for (id, _) in unfit {
        lose(play, &id, Loss::CouldNotAnswer);
    }
    if !fit.is_empty() {
        ask(play, rank, fit.into_iter().map(|(id, _)| id).collect());
    }
}

fn ask(play: &mut Scene<'_>, rank: u32, combatants: Vec<CombatantId>) {
    let first_time = |id: &CombatantId| play.table().get(id).is_some_and(|c| !c.state.asked);
    let starting: Vec<_> = combatants.iter().filter(|id| first_time(id)).cloned().collect();
    play.own(Asked { rank, combatants });
    for id in starting {
        start_turn(play, &id);
    }
}

/// Somebody loses for this unit what it has lost by `because`: what it waited with, or everything.
pub(in super::super) fn lose(play: &mut Scene<'_>, id: &CombatantId, because: Loss) {
    let Some(state) = play.table().get(id).map(|c| &c.state) else { return };
    let lost = |spending: Spending| spending == Spending::Waited || spending.open() && because != Loss::CannotAct;
    let components = [Component::Move, Component::Act].into_iter().filter(|c| lost(state.of(*c)));
    let components: Vec<_> = components.collect();
    if !components.is_empty() {
        play.own(ComponentsLost { combatant: id.clone(), components, because });
        if because != Loss::JoinedLate {
            rest(play, id);
        }
    }
}

/// Somebody may be stopped: what it waited with is lost at once (EX-23), and everything where it was just asked (AEX9).
pub(in super::super) fn stop(play: &mut Scene<'_>, id: &CombatantId) {
    let table = play.table();
    if table.get(id).is_none_or(able) {
        return;
    }
    let asked = table.state.asked.contains(id);
    lose(play, id, if asked { Loss::CouldNotAnswer } else { Loss::CannotAct });
}

/// Ends the turn of one who has nothing left (EX-18): it is not asked again in this unit.
pub(super) fn rest(play: &mut Scene<'_>, id: &CombatantId) {
    let Some(c) = play.table().get(id) else { return };
    if c.state.open() {
        return;
    }
    if !c.state.asked {
        if !c.active() {
            return;
        }
        start_turn(play, id);
    }
    end_turn(play, id);
}

/// The game master sets whose turn it is: that persona is asked now, and the list goes on below it. Between two units the next
/// one is rolled for first; one with nothing left gets both components again. A mental duel is broken off.
pub(in super::super) fn take_over(play: &mut Scene<'_>, id: &CombatantId) -> Result<(), Violation> {
    fit(play.combatant("combatant", id)?)?;
    if play.table().state.phase == Phase::Roll {
        unit::begin_unrolled(play);
    }
    end_duel(play);
    let table = play.table();
    let Some(state) = table.get(id).map(|c| &c.state) else { return Ok(()) };
    let rank = state.rank.unwrap_or(table.state.cursor);
    if !state.open() {
        play.own(ComponentsRestored { combatant: id.clone() });
    }
    ask(play, rank, vec![id.clone()]);
    Ok(())
}
