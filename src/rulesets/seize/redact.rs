//! What those may know of a fight under Seize the initiative who may not know all.

use super::decide::{barred, chooser, may_seize};
use super::*;

pub(super) fn redact(table: &mut Table, whole: &Table, audience: &Audience<'_>) {
    let state = &mut table.state;
    let present = |id: &CombatantId| audience.knows(id);
    state.queue.retain(|seizer| present(&seizer.combatant));
    state.turns.retain(|taken| present(&taken.combatant));
    for taken in &mut state.turns {
        taken.by = picked(&taken.by, present);
    }
    state.last_actor = state.last_actor.take().filter(present);
    // Those of the hidden would be counted with the others.
    state.windows = 0;
    for seizer in &mut state.queue {
        seizer.window = 0;
        seizer.tied.retain(present);
    }
    if someone_acts(whole, audience) {
        state.phase = Phase::SomeoneActs;
    }
}

pub(super) fn someone_acts(whole: &Table, audience: &Audience<'_>) -> bool {
    // Those who are left are all hidden.
    let exhausted = |open: &dyn Fn(&Combatant<Seize>) -> bool| {
        whole.iter().any(open) && !whole.iter().filter(|c| audience.sees(c)).any(open)
    };
    match &whole.state.phase {
        Phase::InTurn { actor } => audience.misses(whole, actor),
        Phase::SeizeDecision {} => exhausted(&|c| may_seize(whole, c)),
        Phase::ChooseNext {} | Phase::ChooseStarter {} => {
            chooser(whole).is_some_and(|id| audience.misses(whole, &id))
                || exhausted(&|c| c.active() && !c.acted && !barred(whole, c))
        }
        Phase::SomeoneActs => true,
        Phase::Setup | Phase::Over => false,
    }
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

pub(super) fn redact_event(event: &Event, redaction: &Redaction<'_, Seize>) -> Option<Event> {
    let about = match event {
        Event::FightClosed(_) => return Some(event.clone()),
        Event::InitiativeRolled(e) => {
            let known = e.rolls.iter().filter_map(|roll| {
                let combatants = redaction.names(&roll.combatants);
                (!combatants.is_empty()).then(|| InitiativeRoll { combatants, ..roll.clone() })
            });
            return Some(Event::InitiativeRolled(InitiativeRolled { rolls: known.collect() }));
        }
        Event::RolledOff(e) => {
            let known = e.rolls.iter().filter_map(|roll| {
                let combatants = redaction.names(&roll.combatants);
                (!combatants.is_empty()).then_some(RollOffRoll { combatants, die: roll.die })
            });
            let known: Vec<_> = known.collect();
            // Nobody rolls off alone.
            return (known.len() > 1).then_some(Event::RolledOff(RolledOff { rolls: known }));
        }
        Event::Begun(e) => {
            let by = picked(&e.by, |id| redaction.knows(id));
            return redaction.knows(&e.combatant).then(|| Event::Begun(Begun { by, ..e.clone() }));
        }
        Event::SeizingOpened(e) => {
            let eligible = redaction.names(&e.eligible);
            return (!eligible.is_empty()).then_some(Event::SeizingOpened(SeizingOpened { eligible }));
        }
        Event::Seized(e) => {
            let mut known = redaction.whole.state.queue.iter().filter(|seizer| redaction.knows(&seizer.combatant));
            let after = known.position(|seizer| seizer.combatant == e.combatant)?;
            let after = u32::try_from(after).unwrap_or(u32::MAX);
            return Some(Event::Seized(Seized { after, ..e.clone() }));
        }
        Event::ChoiceOpened(_) if redaction.someone_acts => return None,
        Event::ChoiceOpened(e) => {
            let chooser = redaction.name(e.chooser.as_ref());
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
    redaction.knows(about).then(|| event.clone())
}
