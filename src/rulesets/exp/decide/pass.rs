//! The passes: who is asked next, who has nothing left, and when the unit is over.

use super::mental::end_duel;
use super::{fit, unit};
use crate::rulesets::exp::state::{able, lowest};
use crate::rulesets::exp::{
    Asked, Combatant, Component, ComponentsLost, ComponentsRegained, Encounter, Loss, PassStarted,
    Phase, Play, Rolls, Spending, TieRolls,
};
use crate::rulesets::shared::{end_round, end_turn, start_turn};
use crate::vocabulary::{CombatantId, Violation};

/// Goes down the list until a persona is asked, again from the top while any has something left
/// (EX-16); then the unit is over (EX-19).
pub(in super::super) fn advance(play: &mut Play<'_>) {
    while play.encounter().state.phase == Phase::Pass && play.encounter().state.asked.is_empty() {
        let encounter = play.encounter();
        let cursor = encounter.state.cursor;
        if let Some(rank) = open_ranks(encounter).filter(|rank| *rank > cursor).min() {
            come_to(play, rank);
        } else if open_ranks(encounter).next().is_some() {
            let pass = encounter.state.pass.saturating_add(1);
            play.emit(PassStarted { pass });
        } else {
            end_round(play);
        }
    }
}

/// The ranks of those that have something left.
fn open_ranks(encounter: &Encounter) -> impl Iterator<Item = u32> {
    let open = encounter.iter().filter(|c| c.state.open());
    open.filter_map(|c| c.state.rank)
}

/// Asks those that have something left in this place. Those that cannot act lose it (EX-23a).
fn come_to(play: &mut Play<'_>, rank: u32) {
    let mut asked = Vec::new();
    let mut unable = Vec::new();
    for c in play.encounter().iter() {
        if c.state.rank != Some(rank) || !c.state.open() {
            continue;
        }
        if able(c) {
            asked.push(c.id.clone());
        } else {
            unable.push(c.id.clone());
        }
    }
    for id in unable {
        lose(play, &id, Loss::CouldNotAnswer);
    }
    if !asked.is_empty() {
        ask(play, rank, asked);
    }
}

fn ask(play: &mut Play<'_>, rank: u32, combatants: Vec<CombatantId>) {
    let encounter = play.encounter();
    let mut starting = Vec::new();
    for id in &combatants {
        if encounter.get(id).is_some_and(|c| !c.state.asked) {
            starting.push(id.clone());
        }
    }
    let forced = are_lowest(encounter, &combatants, |_| true);
    play.emit(Asked {
        rank,
        combatants,
        starting: starting.clone(),
        forced,
    });
    for id in starting {
        start_turn(play, &id);
    }
}

/// Whether personas of one place are the lowest left, among the `seen` (EX-15).
pub(in super::super) fn are_lowest(
    encounter: &Encounter,
    asked: &[CombatantId],
    seen: impl Fn(&Combatant) -> bool,
) -> bool {
    let first = asked.first().and_then(|id| encounter.get(id));
    lowest(encounter, first.and_then(|c| c.state.rank), seen)
}

/// Takes components from a persona for this unit: what waited if it can no longer act, else
/// everything.
pub(in super::super) fn lose(play: &mut Play<'_>, id: &CombatantId, loss: Loss) {
    let Some(state) = play.encounter().get(id).map(|c| &c.state) else {
        return;
    };
    let mut components = Vec::new();
    for component in [Component::Move, Component::Act] {
        let lost = match state.of(component) {
            Spending::Waited => true,
            Spending::Pending => loss != Loss::CannotAct,
            Spending::Done | Spending::Lost => false,
        };
        if lost {
            components.push(component);
        }
    }
    if !components.is_empty() {
        play.emit(ComponentsLost {
            combatant: id.clone(),
            components,
            loss,
        });
        rest(play, id);
    }
}

/// Ends the turn of a persona that has nothing left (EX-18): it is not asked again in this unit.
pub(super) fn rest(play: &mut Play<'_>, id: &CombatantId) {
    let Some(c) = play.encounter().get(id) else {
        return;
    };
    // A persona that falls before it is asked has had no turn.
    let has_turn = c.state.asked || c.active();
    if c.state.open() || !has_turn {
        return;
    }
    if !c.state.asked {
        start_turn(play, id);
    }
    end_turn(play, id);
}

/// Starts the turn of an override: asks the persona, and the list continues below it. Those asked
/// until then keep what they have not spent, and one with nothing left gets both components again.
/// Between two units the next one is rolled first. A mental duel ends.
pub(in super::super) fn take_over(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    fit(play.combatant("combatant", id)?)?;
    if play.encounter().state.phase == Phase::Roll {
        let contenders = unit::contenders(play.encounter());
        unit::begin(play, contenders, &Rolls::new(), &TieRolls::new());
    }
    end_duel(play);
    let c = play.combatant("combatant", id)?;
    let rank = c.state.rank.unwrap_or(play.encounter().state.cursor);
    if !c.state.open() {
        play.emit(ComponentsRegained {
            combatant: id.clone(),
        });
    }
    ask(play, rank, vec![id.clone()]);
    Ok(())
}
