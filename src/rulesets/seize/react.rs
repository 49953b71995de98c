//! What follows under Seize the initiative from damage, deaths, comings and goings.

use super::decide::{able, advance, close_turn, eligible, loss_counts, open_seizing, take_turn};
use super::*;
use crate::vocabulary::Event::{Own, Roster, Shared};
use crate::vocabulary::{Damaged, SharedEvent};

pub(super) fn react(play: &mut Fight<'_>, event: &AnyEvent<Seize>) -> Result<(), Violation> {
    match event {
        _ if matches!(play.table().state.phase, Phase::Setup | Phase::Over) => {}
        Shared(SharedEvent::Damaged(e)) => hurt(play, e),
        Shared(SharedEvent::Overridden(e)) => take_turn(play, &e.combatant),
        Shared(
            SharedEvent::ConditionSet(_)
            | SharedEvent::ConditionCleared(_)
            | SharedEvent::CombatantLeft(_),
        )
        | Roster(_) => settle(play),
        Shared(_) | Own(_) => {}
    }
    Ok(())
}

/// Lost hit points, other than temporary ones (AWA10), let a combatant seize (WA-12). Until a pick, a loss counts for the
/// turn before (AWA6).
fn hurt(play: &mut Fight<'_>, e: &Damaged) {
    let table = play.table();
    let counts = |c: &Fighter| !c.state.hurt && loss_counts(table, c);
    if e.hp_lost == 0 || !table.get(&e.combatant).is_some_and(counts) {
        return;
    }
    play.own(Hurt {
        combatant: e.combatant.clone(),
    });
    if play.table().state.phase == (Phase::ChooseNext {}) {
        open_seizing(play);
    }
}

/// Goes on after a change of the roster or of conditions: a seizer that is out of action loses its turn (AWA4).
fn settle(play: &mut Fight<'_>) {
    let table = play.table();
    let lost = table
        .state
        .queue
        .iter()
        .filter(|seizer| !table.get(&seizer.combatant).is_some_and(able));
    for combatant in lost
        .map(|seizer| seizer.combatant.clone())
        .collect::<Vec<_>>()
    {
        play.own(SeizerDropped { combatant });
    }
    let table = play.table();
    match table.state.phase.clone() {
        Phase::InTurn { actor } if table.get(&actor).is_none() => close_turn(play, &actor),
        Phase::SeizeDecision {} if eligible(table).is_empty() => advance(play),
        Phase::ChooseNext {} => advance(play),
        _ => {}
    }
}
