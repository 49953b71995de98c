//! What those may know of a fight under Seize the initiative who may not know all.

use super::decide::{barred, chooser, may_seize};
use super::*;

pub(super) fn conceal(table: &mut Table, whole: &Table) {
    let phase = phase(table, whole);
    let mut state = std::mem::take(&mut table.state);
    let present = |id: &CombatantId| table.knows(id);
    state.queue.retain(|seizer| present(&seizer.combatant));
    state.turns.retain(|taken| present(&taken.combatant));
    for taken in &mut state.turns {
        taken.by = picked(&taken.by, present);
    }
    state.last_actor = state.last_actor.filter(present);
    // Those of the hidden would be counted with the others.
    state.windows = 0;
    for seizer in &mut state.queue {
        seizer.window = 0;
        seizer.tied.retain(present);
    }
    state.phase = phase;
    table.state = state;
}

/// The phase; that somebody acts where it is one who is not at the table.
fn phase(table: &Table, whole: &Table) -> Phase {
    let someone = match &table.state.phase {
        Phase::InTurn { actor } => table.unseen(whole, actor),
        Phase::SeizeDecision {} => {
            let open = |table: &Table| table.iter().any(|c| may_seize(table, c));
            !open(table) && open(whole)
        }
        Phase::ChooseNext {} | Phase::ChooseStarter {} => {
            let open = |table: &Table| table.waiting().any(|c| !barred(table, c));
            // Those who are left to be picked are all hidden.
            let exhausted = !open(table) && open(whole);
            exhausted || chooser(whole).is_some_and(|id| table.unseen(whole, &id))
        }
        Phase::Setup | Phase::Over | Phase::SomeoneActs => false,
    };
    if someone { Phase::SomeoneActs } else { table.state.phase.clone() }
}

/// The way without the names of those who are not known. Whoever rolled off with them alone did not roll off.
fn picked(by: &Way, known: impl Fn(&CombatantId) -> bool) -> Way {
    let names = |ids: &[CombatantId]| ids.iter().filter(|id| known(id)).cloned().collect::<Vec<_>>();
    match by {
        Way::Picked { by } => Way::Picked { by: by.clone().filter(|id| known(id)) },
        Way::Seized { bonus, tied } => Way::Seized { bonus: *bonus, tied: names(tied) },
        Way::Rolled { dice, bonus, total, meaning, equals } => {
            let equals = equals.iter().filter_map(|equal| {
                let combatants = names(&equal.combatants);
                (!combatants.is_empty()).then_some(Equal { combatants, tie: equal.tie })
            });
            let equals: Vec<Equal> = equals.collect();
            let rolled_off = equals.iter().any(|equal| equal.tie != Tie::Bonus);
            let dice = dice.iter().take(if rolled_off { 2 } else { 1 }).copied().collect();
            Way::Rolled { dice, bonus: *bonus, total: *total, meaning: *meaning, equals }
        }
        by => by.clone(),
    }
}

pub(super) fn retell(event: &Event, telling: &Telling<'_, Seize>) -> Option<Event> {
    let about = match event {
        Event::FightClosed(_) => return Some(event.clone()),
        Event::InitiativeRolled(e) => {
            let known = e.rolls.iter().filter_map(|roll| {
                let combatants = telling.names(&roll.combatants);
                (!combatants.is_empty()).then(|| InitiativeRoll { combatants, ..roll.clone() })
            });
            return Some(Event::InitiativeRolled(InitiativeRolled { rolls: known.collect() }));
        }
        Event::RolledOff(e) => {
            let known = e.rolls.iter().filter_map(|roll| {
                let combatants = telling.names(&roll.combatants);
                (!combatants.is_empty()).then_some(RollOffRoll { combatants, die: roll.die })
            });
            let known: Vec<_> = known.collect();
            // Nobody rolls off alone.
            return (known.len() > 1).then_some(Event::RolledOff(RolledOff { rolls: known }));
        }
        Event::Begun(e) => {
            let by = picked(&e.by, |id| telling.knows(id));
            return telling.knows(&e.combatant).then(|| Event::Begun(Begun { by, ..e.clone() }));
        }
        Event::SeizingOpened(e) => {
            let eligible = telling.names(&e.eligible);
            return (!eligible.is_empty()).then_some(Event::SeizingOpened(SeizingOpened { eligible }));
        }
        Event::Seized(e) => {
            let after = telling.after.state.queue.iter().position(|seizer| seizer.combatant == e.combatant)?;
            let after = u32::try_from(after).unwrap_or(u32::MAX);
            return Some(Event::Seized(Seized { after, ..e.clone() }));
        }
        Event::ChoiceOpened(_) if telling.after.someone_acts() => return None,
        Event::ChoiceOpened(e) => {
            let chooser = telling.name(e.chooser.as_ref());
            return Some(Event::ChoiceOpened(ChoiceOpened { chooser, ..e.clone() }));
        }
        Event::ExtraActionGranted(e) => &e.combatant,
        Event::ExtraActionSpent(e) => &e.combatant,
        Event::ExtraActionLapsed(e) => &e.combatant,
        Event::Hurt(e) => &e.combatant,
        Event::Declined(e) => &e.combatant,
        Event::SeizerDropped(e) => &e.combatant,
        Event::Forgotten(e) => &e.combatant,
    };
    telling.knows(about).then(|| event.clone())
}
