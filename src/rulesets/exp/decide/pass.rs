//! The passes: who is asked next, who has nothing left, and when the unit is over.

use super::*;
use crate::rulesets::shared::{end_round, end_turn, start_turn};

/// Goes down the list until somebody is asked, again from the top while anybody has something left
/// (EX-16); then the unit is over (EX-19).
pub(in super::super) fn advance(play: &mut Play<'_>) {
    while play.encounter().state.phase == Phase::Pass && play.encounter().state.asked.is_empty() {
        let encounter = play.encounter();
        let ranks = || {
            encounter
                .iter()
                .filter(|c| c.state.open())
                .filter_map(|c| c.state.rank)
        };
        if let Some(rank) = ranks().filter(|rank| *rank > encounter.state.cursor).min() {
            let here = encounter
                .iter()
                .filter(|c| c.state.rank == Some(rank) && c.state.open());
            let here = here.map(|c| c.id.clone());
            let (able, unable): (Vec<_>, Vec<_>) =
                here.partition(|id| encounter.get(id).is_some_and(able));
            for id in unable {
                lose(play, &id, Loss::CouldNotAnswer);
            }
            if !able.is_empty() {
                ask(play, rank, able);
            }
        } else if ranks().next().is_some() {
            let pass = encounter.state.pass.saturating_add(1);
            play.emit(PassStarted { pass });
        } else {
            end_round(play);
        }
    }
}

fn ask(play: &mut Play<'_>, rank: u32, combatants: Vec<CombatantId>) {
    let first_time = |id: &CombatantId| play.encounter().get(id).is_some_and(|c| !c.state.asked);
    let starting: Vec<_> = combatants
        .iter()
        .filter(|id| first_time(id))
        .cloned()
        .collect();
    play.emit(Asked { rank, combatants });
    for id in starting {
        start_turn(play, &id);
    }
}

/// Takes components from a persona for this unit: what waited if it can no longer act, else
/// everything.
pub(in super::super) fn lose(play: &mut Play<'_>, id: &CombatantId, because: Loss) {
    let Some(state) = play.encounter().get(id).map(|c| &c.state) else {
        return;
    };
    let lost = |spending: Spending| {
        spending == Spending::Waited || spending.open() && because != Loss::CannotAct
    };
    let components = [Component::Move, Component::Act]
        .into_iter()
        .filter(|c| lost(state.of(*c)));
    let components: Vec<_> = components.collect();
    if !components.is_empty() {
        play.emit(ComponentsLost {
            combatant: id.clone(),
            components,
            because,
        });
        rest(play, id);
    }
}

/// Ends the turn of a persona that has nothing left (EX-18): it is not asked again in this unit.
pub(super) fn rest(play: &mut Play<'_>, id: &CombatantId) {
    // A persona that falls before it is asked has had no turn.
    let over = |c: &&Combatant| !c.state.open() && (c.state.asked || c.active());
    let Some(c) = play.encounter().get(id).filter(over) else {
        return;
    };
    if !c.state.asked {
        start_turn(play, id);
    }
    end_turn(play, id);
}

/// Asks the persona that the game master chose; the list goes on below it. Between two units the
/// next one is rolled first. A mental duel ends.
pub(in super::super) fn take_over(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    fit(play.combatant("combatant", id)?)?;
    if play.encounter().state.phase == Phase::Roll {
        let contenders = unit::contenders(play.encounter());
        unit::begin(play, contenders, &Rolls::new(), &TieRolls::new());
    }
    end_duel(play);
    let encounter = play.encounter();
    let rank = encounter
        .get(id)
        .and_then(|c| c.state.rank)
        .unwrap_or(encounter.state.cursor);
    ask(play, rank, vec![id.clone()]);
    Ok(())
}
