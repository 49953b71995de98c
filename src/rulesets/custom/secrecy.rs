//! What viewers of `custom` know who do not see all combatants.

use super::evolve::sort_sides;
use super::query::{asked, candidates, chooser, choosing_cards, current, side_state, undeclared};
use super::{
    Combatant, Custom, Declared, Encounter, Event, InitiativeRolled, Mode, Place, Placed, Reacted,
    SideState, Triggered, UnseenPools,
};
use crate::json::CachedJson;
use crate::vocabulary::{Audience, CombatantId, EventRedaction, Redact, Secrecy, Slug, ids};

impl Secrecy<Self> for Custom {
    /// All in the fight, where the game master decides for them.
    fn awaited(encounter: &Encounter) -> Vec<CombatantId> {
        match encounter.state.mode {
            Mode::Setup | Mode::Halted | Mode::SomeoneActs => Vec::new(),
            Mode::Declaring => ids(undeclared(encounter)),
            Mode::Rolling => ids(encounter.active()),
            Mode::Keeping => ids(choosing_cards(encounter)),
            Mode::Choosing => chooser(encounter).into_iter().cloned().collect(),
            Mode::Turn => current(encounter).cloned().collect(),
            Mode::Gap { .. } => {
                let asked = ids(asked(encounter));
                if asked.is_empty() {
                    ids(encounter.active())
                } else {
                    asked
                }
            }
        }
    }

    fn choosable(encounter: &Encounter) -> Vec<CombatantId> {
        if encounter.state.mode == Mode::Choosing {
            candidates(encounter)
        } else {
            Vec::new()
        }
    }

    fn hides_something(encounter: &Encounter) -> bool {
        let mut sides = encounter.state.sides.iter();
        let hides_side = sides.any(|side| !side.seen || side.initiative_hidden);
        let hides_points = |c: &Combatant| !c.state.pools.is_empty() && encounter.hides_hp(c);
        hides_side || encounter.iter().any(hides_points)
    }

    fn redact(encounter: &mut Encounter, whole: &Encounter, audience: &Audience<'_>) {
        let someone = whole.someone_acts(audience);
        let declaring = whole.state.mode == Mode::Declaring;
        for c in encounter.combatants.iter_mut() {
            let counted = c.state.counted.redact(audience).unwrap_or_default();
            let hides_points = !c.state.pools.is_empty() && audience.hides_hp(whole, c);
            let hides_choice = declaring && c.state.declared.is_some();
            if counted != c.state.counted || hides_choice || hides_points {
                let state = &mut c.change().state;
                state.counted = counted;
                state.declared.take_if(|_| declaring);
                if hides_points {
                    state.unseen_pools = UnseenPools(std::mem::take(&mut state.pools));
                }
            }
        }
        let state = &mut encounter.state;
        state.cards = Vec::new();
        state.first_seat = None;
        state.turns.retain(|turn| !turn.combatants.is_empty());
        state.sides.retain(|side| knows_side(whole, audience, side));
        for side in &mut state.sides {
            if side.initiative_hidden {
                side.drop_initiative();
            }
            side.count = None;
        }
        sort_sides(state);
        let sides = &state.sides;
        let is_known = |side: &Slug| sides.iter().any(|known| known.side == *side);
        state.skipped.retain(is_known);
        state.last_side.take_if(|last| !is_known(last));
        if someone {
            state.mode = Mode::SomeoneActs;
            state.turns.clear();
        }
    }

    fn redact_event(event: &Event, redaction: &EventRedaction<'_, Self>) -> Option<Event> {
        let redacted = event.redact(redaction.audience)?;
        Some(match redacted {
            Event::Declared(e) => Declared { choice: None, ..e }.into(),
            Event::ChoiceOpened(_)
            | Event::CardChoiceOpened(_)
            | Event::GapOpened(_)
            | Event::RollOpened(_)
                if redaction.someone_acts =>
            {
                return None;
            }
            Event::Placed(e) if e.places.is_empty() => return None,
            Event::PoolChanged(e) if hides_points(redaction, &e.combatant) => return None,
            Event::Reacted(e) if hides_points(redaction, &e.combatant) => Reacted {
                pool: None,
                cost: 0,
                ..e
            }
            .into(),
            Event::Triggered(e) if hides_points(redaction, &e.combatant) => Triggered {
                pool: None,
                cost: 0,
                ..e
            }
            .into(),
            Event::SideInitiativeChanged(e) => {
                let side = side_state(&redaction.whole.state, &e.side)?;
                let knows = knows_side(redaction.whole, redaction.audience, side);
                if !knows || side.initiative_hidden {
                    return None;
                }
                e.into()
            }
            Event::SidePoolChanged(e) => {
                let side = side_state(&redaction.whole.state, &e.side)?;
                if !knows_side(redaction.whole, redaction.audience, side) {
                    return None;
                }
                e.into()
            }
            Event::Placed(e) => Placed {
                discarded: Vec::new(),
                ..e
            }
            .into(),
            Event::InitiativeRolled(e) => InitiativeRolled {
                discarded: Vec::new(),
                ..e
            }
            .into(),
            redacted => redacted,
        })
    }

    /// Declarations and what was discarded are secret even where nobody is hidden.
    fn is_secret(event: &Event) -> bool {
        match event {
            Event::Declared(_) => true,
            Event::InitiativeRolled(e) => !e.discarded.is_empty(),
            Event::Placed(e) => !e.discarded.is_empty(),
            _ => false,
        }
    }
}

/// Whether the points of a combatant are hidden from the audience, as its hit points are.
fn hides_points(redaction: &EventRedaction<'_, Custom>, id: &CombatantId) -> bool {
    let c = redaction.whole.get(id);
    c.is_some_and(|c| redaction.audience.hides_hp(redaction.whole, c))
}

/// Whether an audience knows of a side: it sees one of its combatants, or players have seen one.
fn knows_side(whole: &Encounter, audience: &Audience<'_>, side: &SideState) -> bool {
    let mut members = whole.iter().filter(|c| c.side == side.side);
    side.seen || members.any(|c| audience.sees(c))
}

impl Redact for Mode {
    fn redact(&self, audience: &Audience<'_>) -> Option<Self> {
        let mut known = self.clone();
        if let Self::Gap { passed, .. } = &mut known {
            passed.retain(|id| audience.knows(id));
        }
        Some(known)
    }
}

impl Redact for CachedJson<Place> {
    fn redact(&self, audience: &Audience<'_>) -> Option<Self> {
        audience.knows(&self.combatant).then(|| self.clone())
    }
}
