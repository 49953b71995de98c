//! What viewers of `custom` know who do not see all combatants.

use super::candidates::{candidates, chooser};
use super::cards::choosing_cards;
use super::declare::undeclared;
use super::definition::Owner;
use super::lines::{has_sides, pool_of_turns};
use super::openings::asked;
use super::pools::side_state;
use super::query::{current, definition};
use super::rank::Ranks;
use super::sides::sort_sides;
use super::{
    Combatant, CombatantState, Custom, Declared, Encounter, Event, InitiativeRolled, Mode, Place,
    Placed, Reacted, SideState, State, Triggered, Turn, UnseenPools,
};
use crate::vocabulary::{
    Audience, CombatantId, EventRedaction, KnownCombatants, Redact, Secrecy, Slug, ids,
};
use std::collections::BTreeMap;

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

    fn known_state(whole: &Encounter, audience: &Audience<'_>) -> State {
        let State {
            mode,
            first_seat: _,
            rolled,
            starting,
            planned,
            fresh,
            places,
            sides: _,
            turns,
            last,
            opened,
            offer,
            stood_before,
            last_side: _,
            last_side_hidden: _,
            skipped,
            tick,
            cards: _,
            pools,
        } = &whole.state;
        let someone_acts = whole.someone_acts(audience);
        let known_last = audience.known(last);
        // Else it is the tick of a hidden combatant.
        let knows_tick = !someone_acts && (*mode == Mode::Turn || known_last == *last);
        let mut known = State {
            mode: if someone_acts {
                Mode::SomeoneActs
            } else {
                audience.known(mode)
            },
            first_seat: None,
            rolled: *rolled,
            starting: *starting,
            planned: planned.clone(),
            fresh: *fresh,
            places: audience.known(places),
            sides: known_sides(whole, audience, someone_acts),
            turns: if someone_acts {
                Vec::new()
            } else {
                known_turns(turns, audience)
            },
            // Of a turn that several share, the last to end may be hidden.
            last: known_last.filter(|_| !someone_acts),
            opened: *opened,
            offer: audience.known(offer),
            stood_before: audience.known(stood_before),
            last_side: None,
            last_side_hidden: false,
            skipped: skipped.clone(),
            tick: if knows_tick { *tick } else { 0 },
            cards: Vec::new(),
            pools: pools.clone(),
        };
        sort_sides(&mut known, Ranks::of(whole));
        known.last_side = known_last_side(whole, &known, audience);
        let sides = &known.sides;
        known
            .skipped
            .retain(|side| sides.iter().any(|known| known.side == *side));
        known
    }

    fn known_combatants<'t>(
        whole: &'t Encounter,
        audience: &'t Audience<'t>,
    ) -> KnownCombatants<'t, Self> {
        let declaring = whole.state.mode == Mode::Declaring;
        Box::new(move |c| {
            let CombatantState {
                turns_left,
                turns_taken,
                delaying,
                delayed_turn,
                counted,
                resumes,
                lapped,
                has_declared,
                declared,
                surprised,
                used,
                readied_reactions,
                pools,
                unseen_pools: _,
            } = &c.state;
            let mut shown = pools.clone();
            let mut unseen = BTreeMap::new();
            if !pools.is_empty() && audience.hides_hp(whole, c) {
                unseen.clone_from(pools);
                shown.retain(|pool, _| pays_for_turns(whole, pool));
                unseen.retain(|pool, _| !shown.contains_key(pool));
            }
            CombatantState {
                turns_left: *turns_left,
                turns_taken: *turns_taken,
                delaying: *delaying,
                delayed_turn: *delayed_turn,
                counted: audience.known(counted),
                resumes: *resumes,
                lapped: *lapped,
                has_declared: *has_declared,
                declared: declared.clone().filter(|_| !declaring),
                surprised: *surprised,
                used: used.clone(),
                readied_reactions: readied_reactions.clone(),
                pools: shown,
                unseen_pools: UnseenPools(unseen),
            }
        })
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
            Event::ClockAdvanced(_) if is_for_unknown(redaction) => return None,
            Event::Placed(e) if e.places.is_empty() => return None,
            Event::PoolChanged(e)
                if hides_points(redaction, &e.combatant)
                    && !pays_for_turns(redaction.whole, &e.pool) =>
            {
                return None;
            }
            Event::Reacted(e) if hides_payment(redaction, &e.combatant, e.pool.as_ref()) => {
                Reacted {
                    pool: None,
                    cost: 0,
                    ..e
                }
                .into()
            }
            Event::Triggered(e) if hides_payment(redaction, &e.combatant, e.pool.as_ref()) => {
                Triggered {
                    pool: None,
                    cost: 0,
                    ..e
                }
                .into()
            }
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

    /// Declarations, points and discarded dice or cards are secret even if no combatant is hidden.
    fn is_secret(event: &Event) -> bool {
        match event {
            Event::Declared(_) => true,
            Event::InitiativeRolled(e) => !e.discarded.is_empty(),
            Event::Placed(e) => !e.discarded.is_empty(),
            Event::Reacted(Reacted { pool, .. }) | Event::Triggered(Triggered { pool, .. }) => {
                pool.is_some()
            }
            Event::PoolChanged(_) => true,
            _ => false,
        }
    }
}

/// Whether a pool pays for turns: its points are seen by all, because the order shows who can pay.
fn pays_for_turns(whole: &Encounter, pool: &Slug) -> bool {
    pool_of_turns(definition(whole)).is_some_and(|(of_turns, _)| of_turns == pool)
}

/// Whether the points of a combatant are hidden from the audience, as its hit points are.
fn hides_points(redaction: &EventRedaction<'_, Custom>, id: &CombatantId) -> bool {
    let c = redaction.whole.get(id);
    c.is_some_and(|c| redaction.audience.hides_hp(redaction.whole, c))
}

/// True if the audience does not see the points that paid for a reaction. It sees those of a side and
/// of the table; those of a combatant only if it sees the combatant's points.
fn hides_payment(
    redaction: &EventRedaction<'_, Custom>,
    id: &CombatantId,
    pool: Option<&Slug>,
) -> bool {
    if pool.is_some_and(|pool| pays_for_turns(redaction.whole, pool)) {
        return false;
    }
    let pools = &definition(redaction.whole).pools;
    let pool = pool.and_then(|pool| pools.get(pool));
    pool.is_some_and(|pool| pool.of == Owner::Combatant) && hides_points(redaction, id)
}

/// Whether the clock advances to the tick of combatants that the audience does not know.
fn is_for_unknown(redaction: &EventRedaction<'_, Custom>) -> bool {
    let next = candidates(redaction.whole);
    !next.is_empty() && !next.iter().any(|id| redaction.audience.knows(id))
}

/// The sides that an audience knows.
fn known_sides(whole: &Encounter, audience: &Audience<'_>, someone_acts: bool) -> Vec<SideState> {
    let chooses = whole.state.mode == Mode::Choosing && !someone_acts;
    let chooser = if chooses { chooser(whole) } else { None };
    let mut known = Vec::new();
    for side in &whole.state.sides {
        if knows_side(whole, audience, side) {
            known.push(known_side(side, chooser));
        }
    }
    known
}

/// A side as an audience knows it that sees who chooses the next combatant.
fn known_side(whole: &SideState, chooser: Option<&CombatantId>) -> SideState {
    let SideState {
        side,
        seen,
        first,
        yields,
        initiative,
        initiative_hidden,
        last,
        pools,
        reached: _,
    } = whole;
    let mut known = SideState {
        side: side.clone(),
        seen: *seen,
        first: *first,
        yields: *yields,
        initiative: initiative.clone(),
        initiative_hidden: *initiative_hidden,
        // It would show for which side a hidden combatant acted.
        last: last.clone().filter(|last| Some(last) == chooser),
        pools: pools.clone(),
        reached: None,
    };
    if *initiative_hidden {
        known.drop_initiative();
    }
    known
}

/// The turns in which an audience knows a combatant.
fn known_turns(turns: &[Turn], audience: &Audience<'_>) -> Vec<Turn> {
    let mut known: Vec<Turn> = turns.to_vec().redact(audience).unwrap_or_default();
    known.retain(|turn| !turn.combatants.is_empty());
    known
}

/// The side that acted last. If a hidden combatant acted for it, players are shown the side after
/// which a side is next whose combatants they may choose, so that they may do what that side may.
fn known_last_side(whole: &Encounter, known: &State, audience: &Audience<'_>) -> Option<Slug> {
    let state = &whole.state;
    let is_known = |side: &Slug| side_state(known, side).is_some();
    if !state.last_side_hidden {
        return state.last_side.clone().filter(is_known);
    }
    if known.mode != Mode::Choosing {
        return None;
    }
    if !has_sides(definition(whole)) {
        return None;
    }
    let mut next = Vec::new();
    for id in candidates(whole) {
        next.extend(whole.get(&id).filter(|c| audience.sees(c)));
    }
    let place = known
        .sides
        .iter()
        .position(|side| next.iter().any(|c| c.side == side.side))?;
    let before = match place {
        0 => known.sides.last()?,
        _ => known.sides.get(place - 1)?,
    };
    Some(before.side.clone())
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

impl Redact for Place {
    fn redact(&self, audience: &Audience<'_>) -> Option<Self> {
        audience.knows(&self.combatant).then(|| self.clone())
    }
}
