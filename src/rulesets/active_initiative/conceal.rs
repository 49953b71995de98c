//! What those may know of a scene of Active Initiative who may not know all.

use super::decide::chooser;
use super::*;

pub(super) fn conceal(table: &mut Table, whole: &Table) {
    table.state.interrupt_points = None;
    let phase = phase(table, whole);
    let mut turns = std::mem::take(&mut table.state.turns);
    turns.retain(|taken| table.knows(&taken.combatant));
    for taken in &mut turns {
        let by = named(&taken.by, |id| table.knows(id));
        if by != taken.by {
            *taken = Taken { by, combatant: taken.combatant.clone() }.into();
        }
    }
    table.state.turns = turns;
    let last_actor = table.state.last_actor.take();
    table.state.last_actor = last_actor.filter(|id| table.knows(id));
    table.state.phase = phase;
}

/// The phase; that somebody acts where it is one who is not at the table.
fn phase(table: &Table, whole: &Table) -> Phase {
    match &table.state.phase {
        Phase::InTurn { actor } if table.unseen(whole, actor) => Phase::SomeoneActs,
        Phase::Window { nominee, .. } if table.unseen(whole, nominee) => Phase::SomeoneActs,
        Phase::Window { nominee, by } => {
            Phase::Window { nominee: nominee.clone(), by: named(by, |id| table.knows(id)) }
        }
        Phase::ChooseNext {} | Phase::ChooseStarter {} => {
            let unseen = chooser(whole).is_some_and(|id| table.unseen(whole, &id));
            // Those who are left to be named are all hidden.
            let exhausted = table.waiting().next().is_none() && whole.waiting().next().is_some();
            if unseen || exhausted { Phase::SomeoneActs } else { table.state.phase.clone() }
        }
        phase => phase.clone(),
    }
}

/// The way without the names of those who are not known.
fn named(by: &Way, known: impl Fn(&CombatantId) -> bool) -> Way {
    match by {
        Way::Named { by } => Way::Named { by: by.clone().filter(|id| known(id)) },
        Way::Rolled { die, total, tied } => {
            let tied = tied.iter().filter(|id| known(id)).cloned().collect();
            Way::Rolled { die: *die, total: *total, tied }
        }
        by => by.clone(),
    }
}

/// The game master's points, and advice on how many monsters there are.
pub(super) fn secret(event: &Event) -> bool {
    matches!(event, Event::Advised(_) | Event::InterruptPointsGained(_) | Event::SceneClosed(_))
}

pub(super) fn retell(event: &Event, telling: &Telling<'_, ActiveInitiative>) -> Option<Event> {
    let about = match event {
        Event::Advised(_) | Event::InterruptPointsGained(_) | Event::SceneClosed(_) => return None,
        Event::AllowanceRenewed(_) => return Some(event.clone()),
        Event::OpeningRolled(e) => {
            let known = e.rolls.iter().filter(|roll| telling.knows(&roll.combatant));
            return Some(Event::OpeningRolled(OpeningRolled { rolls: known.cloned().collect() }));
        }
        Event::Begun(e) => {
            let by = named(&e.by, |id| telling.knows(id));
            return telling.knows(&e.combatant).then(|| Event::Begun(Begun { by, ..e.clone() }));
        }
        Event::Named(e) => {
            let by = telling.name(e.by.as_ref());
            return telling.knows(&e.combatant).then(|| Event::Named(Named { by, ..e.clone() }));
        }
        Event::Interrupted(e) => {
            let displaced = telling.name(e.displaced.as_ref());
            return telling.knows(&e.combatant).then(|| Event::Interrupted(Interrupted { displaced, ..e.clone() }));
        }
        Event::ChoiceOpened(_) if telling.after.someone_acts() => return None,
        Event::ChoiceOpened(e) => {
            let chooser = telling.name(e.chooser.as_ref());
            return Some(Event::ChoiceOpened(ChoiceOpened { chooser, ..e.clone() }));
        }
        Event::Exposed(e) => &e.combatant,
        Event::Forgotten(e) => &e.combatant,
        Event::ActionReadied(e) => &e.combatant,
        Event::ReadiedFired(e) => &e.combatant,
        Event::ReadiedLapsed(e) => &e.combatant,
        Event::Inspired(e) => &e.combatant,
        Event::InspirationSpent(e) => &e.combatant,
    };
    telling.knows(about).then(|| event.clone())
}
