//! What those may know of a scene of Active Initiative who may not know all.

use super::decide::chooser;
use super::*;

pub(super) fn redact(table: &mut Table, whole: &Table, audience: &Audience<'_>) {
    table.state.interrupt_points = None;
    let mut turns = std::mem::take(&mut table.state.turns);
    turns.retain(|taken| audience.knows(&taken.combatant));
    for taken in &mut turns {
        let by = named(&taken.by, |id| audience.knows(id));
        if by != taken.by {
            *taken = Taken { by, combatant: taken.combatant.clone() }.into();
        }
    }
    table.state.turns = turns;
    let last_actor = table.state.last_actor.take();
    table.state.last_actor = last_actor.filter(|id| audience.knows(id));
    if let Phase::Window { by, .. } = &mut table.state.phase {
        *by = named(by, |id| audience.knows(id));
    }
    if someone_acts(whole, audience) {
        table.state.phase = Phase::SomeoneActs;
    }
}

pub(super) fn someone_acts(whole: &Table, audience: &Audience<'_>) -> bool {
    match &whole.state.phase {
        Phase::InTurn { actor } => audience.misses(whole, actor),
        Phase::Window { nominee, .. } => audience.misses(whole, nominee),
        Phase::ChooseNext {} | Phase::ChooseStarter {} => {
            // Those who are left to be named are all hidden.
            let exhausted = || whole.waiting().next().is_some() && !whole.waiting().any(|c| audience.sees(c));
            chooser(whole).is_some_and(|id| audience.misses(whole, &id)) || exhausted()
        }
        Phase::SomeoneActs => true,
        Phase::Setup | Phase::Over => false,
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

pub(super) fn redact_event(event: &Event, redaction: &Redaction<'_, ActiveInitiative>) -> Option<Event> {
    let about = match event {
        Event::Advised(_) | Event::InterruptPointsGained(_) | Event::SceneClosed(_) => return None,
        Event::AllowanceRenewed(_) => return Some(event.clone()),
        Event::OpeningRolled(e) => {
            let known = e.rolls.iter().filter(|roll| redaction.knows(&roll.combatant));
            return Some(Event::OpeningRolled(OpeningRolled { rolls: known.cloned().collect() }));
        }
        Event::Begun(e) => {
            let by = named(&e.by, |id| redaction.knows(id));
            return redaction.knows(&e.combatant).then(|| Event::Begun(Begun { by, ..e.clone() }));
        }
        Event::Named(e) => {
            let by = redaction.name(e.by.as_ref());
            return redaction.knows(&e.combatant).then(|| Event::Named(Named { by, ..e.clone() }));
        }
        Event::Interrupted(e) => {
            let displaced = redaction.name(e.displaced.as_ref());
            return redaction.knows(&e.combatant).then(|| Event::Interrupted(Interrupted { displaced, ..e.clone() }));
        }
        Event::ChoiceOpened(_) if redaction.someone_acts => return None,
        Event::ChoiceOpened(e) => {
            let chooser = redaction.name(e.chooser.as_ref());
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
    redaction.knows(about).then(|| event.clone())
}
