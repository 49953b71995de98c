//! What viewers know of a fight under `custom`.

use super::query::*;
use super::*;
use crate::vocabulary::Redact;

/// Whether a hidden combatant has the turn or picks, or nobody but hidden ones can be picked, must choose or is left.
pub(super) fn someone_acts(whole: &Table, audience: &Audience<'_>) -> bool {
    let mut any = false;
    let mut hidden = |id: &CombatantId| {
        any = true;
        audience.misses(whole, id)
    };
    let all = match &whole.state.mode {
        Mode::SomeoneActs => return true,
        Mode::Setup | Mode::Standstill => return false,
        Mode::Rolling => whole.active().all(|c| hidden(&c.id)),
        Mode::Declaring => undeclared(whole).all(|c| hidden(&c.id)),
        Mode::Turn => current(whole).all(hidden),
        Mode::Choosing => candidates(whole).iter().all(&mut hidden) || chooser(whole).is_some_and(hidden),
        Mode::Gap { .. } if right_holders(whole, false).next().is_none() => whole.active().all(|c| hidden(&c.id)),
        Mode::Gap { .. } => right_holders(whole, false).all(|c| hidden(&c.id)),
    };
    any && all
}

pub(super) fn redact(table: &mut Table, whole: &Table, audience: &Audience<'_>) {
    let someone = someone_acts(whole, audience);
    let declaring = whole.state.mode == Mode::Declaring;
    for c in table.combatants.iter_mut() {
        let counted = c.state.counted.redact(audience).unwrap_or_default();
        if counted != c.state.counted || declaring && c.state.declared.is_some() {
            let state = &mut c.change().state;
            state.counted = counted;
            state.declared.take_if(|_| declaring);
        }
    }
    let state = &mut table.state;
    state.cards = Vec::new();
    state.places.retain(|place| audience.knows(&place.combatant));
    state.turns = state.turns.redact(audience).unwrap_or_default();
    state.turns.retain(|turn| !turn.combatants.is_empty());
    state.last = state.last.redact(audience).flatten();
    state.sides.retain(|side| side.seen || whole.iter().any(|c| c.side == side.side && audience.sees(c)));
    for side in &mut state.sides {
        side.count = None;
        side.last = side.last.redact(audience).flatten();
    }
    let sides = &state.sides;
    state.last_side.take_if(|last| !sides.iter().any(|side| side.side == *last));
    if let Mode::Gap { passed, .. } = &mut state.mode {
        *passed = passed.redact(audience).unwrap_or_default();
    }
    if someone {
        state.mode = Mode::SomeoneActs;
        state.turns.clear();
    }
}

pub(super) fn redact_event(event: &Event, redaction: &Redaction<'_, Custom>) -> Option<Event> {
    let redacted = event.redact(redaction.audience)?;
    Some(match redacted {
        Event::Declared(e) => Declared { choice: None, ..e }.into(),
        Event::ChoiceOpened(_) | Event::GapOpened(_) | Event::RollOpened(_) if redaction.someone_acts => return None,
        Event::Placed(e) if e.places.is_empty() => return None,
        redacted => redacted,
    })
}
