//! The order that is shown, and who is next in it.

use super::definition::Definition;
use super::query::{definition, has_places, phase};
use super::walk::{Coming, Walk};
use super::{Custom, Encounter, Initiative, Mode, Place};
use crate::json::CachedJson;
use crate::vocabulary::{CombatantId, OrderEntry, Reason, Ruleset, Status};
use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};

/// Maximum turns that the order looks ahead where it is not that of the places.
const LOOKAHEAD: usize = 50;

/// Where the turn of a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Over,
    Now,
    Open,
}

struct Row {
    entry: OrderEntry,
    stage: Stage,
}

/// The order: the places, as their turns come, or the combatants by side where there are no places.
pub(super) fn order(encounter: &Encounter) -> Vec<OrderEntry> {
    let coming = coming(encounter);
    let mut rows = if !has_places(definition(encounter)) {
        by_side(encounter)
    } else if is_plain(definition(encounter)) {
        by_place(encounter)
    } else {
        sort_by_turns(by_place(encounter), &coming)
    };
    if let Some(next) = coming.iter().find(|turn| !turn.unused) {
        for id in &next.combatants {
            mark_next(&mut rows, id);
        }
    }
    rows.into_iter().map(|row| row.entry).collect()
}

/// Whether turns come as the places stand: in one plain phase.
fn is_plain(definition: &Definition) -> bool {
    definition.phases == Definition::default().phases
}

/// The turns that come. One plain phase goes by its places, so that the next turn is enough.
fn coming(encounter: &Encounter) -> Vec<Coming> {
    let known = matches!(
        encounter.state.mode,
        Mode::Turn | Mode::Choosing | Mode::Gap { .. } | Mode::SomeoneActs
    );
    if !known || encounter.status != Status::Running {
        return Vec::new();
    }
    let mut walk = Walk::new(encounter);
    if is_plain(definition(encounter)) {
        return walk.find(|turn| !turn.unused).into_iter().collect();
    }
    walk.take(LOOKAHEAD).collect()
}

/// Marks the row of a combatant's next turn: the first that is open, else the last.
fn mark_next(rows: &mut [Row], id: &CombatantId) {
    let mut next = None;
    for row in rows {
        if row.entry.combatant.as_ref() != Some(id) {
            continue;
        }
        let is_open = row.stage == Stage::Open;
        next = Some(&mut row.entry);
        if is_open {
            break;
        }
    }
    if let Some(entry) = next {
        entry.next = Some(true);
    }
}

/// Sorts the rows: turns that are over, the present ones, those that come, then the others.
fn sort_by_turns(rows: Vec<Row>, coming: &[Coming]) -> Vec<Row> {
    let mut turns: HashMap<&CombatantId, VecDeque<usize>> = HashMap::new();
    for (position, turn) in coming.iter().enumerate() {
        for id in &turn.combatants {
            turns.entry(id).or_default().push_back(position);
        }
    }
    let mut ranked = Vec::with_capacity(rows.len());
    for row in rows {
        let rank = match row.stage {
            Stage::Over => (0, 0),
            Stage::Now => (1, 0),
            Stage::Open => match next_turn(&mut turns, row.entry.combatant.as_ref()) {
                Some(position) => (2, position),
                None => (3, 0),
            },
        };
        ranked.push((rank, row));
    }
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, row)| row).collect()
}

/// Takes a combatant's next turn off its list.
fn next_turn(
    turns: &mut HashMap<&CombatantId, VecDeque<usize>>,
    id: Option<&CombatantId>,
) -> Option<usize> {
    turns.get_mut(id?)?.pop_front()
}

/// A row for each place.
fn by_place(encounter: &Encounter) -> Vec<Row> {
    let current = Custom::current(encounter);
    let places = &encounter.state.places;
    let on_clock = definition(encounter).clock.is_some();
    let reverse = phase(encounter).reverse;
    let mut rows = Vec::with_capacity(places.len());
    for (i, place) in places.iter().enumerate() {
        if !encounter.is_active(&place.combatant) {
            continue;
        }
        let has_turn = current.contains(&place.combatant);
        let begun = last_begun(places, &place.combatant, reverse);
        let stage = if has_turn && (on_clock || begun == Some(i)) {
            Stage::Now
        } else if place.done && !on_clock {
            Stage::Over
        } else {
            Stage::Open
        };
        let mut because = because(&place.initiative, place.moved);
        if is_tied(places, i) {
            because.tie_rule = Some("CU-5");
        }
        let entry = OrderEntry {
            done: Some(stage == Stage::Over),
            next: Some(false),
            slot: slot(place, on_clock),
            ..OrderEntry::new(&place.combatant, because)
        };
        rows.push(Row { entry, stage });
    }
    if reverse {
        rows.reverse();
    }
    rows
}

/// What a place is called: its card, its tick, or the number of a further turn.
fn slot(place: &Place, on_clock: bool) -> Option<String> {
    if let Some(card) = place.initiative.card {
        Some(card.to_string())
    } else if on_clock {
        Some(place.initiative.total.to_string())
    } else if place.turn > 0 {
        Some(place.turn.saturating_add(1).to_string())
    } else {
        None
    }
}

/// Where the last of a combatant's turns stands that have begun.
fn last_begun(places: &[CachedJson<Place>], id: &CombatantId, reverse: bool) -> Option<usize> {
    let mut places = places.iter();
    let has_begun = |place: &CachedJson<Place>| place.done && place.combatant == *id;
    if reverse {
        places.position(has_begun)
    } else {
        places.rposition(has_begun)
    }
}

/// Whether a place beside this one has the same initiative.
fn is_tied(places: &[CachedJson<Place>], at: usize) -> bool {
    let Some(place) = places.get(at) else {
        return false;
    };
    let before = at.checked_sub(1).and_then(|at| places.get(at));
    let after = at.checked_add(1).and_then(|at| places.get(at));
    before.is_some_and(|other| ties(place, other)) || after.is_some_and(|other| ties(place, other))
}

/// Whether another combatant's place has the same initiative.
fn ties(place: &Place, other: &Place) -> bool {
    if place.combatant == other.combatant {
        return false;
    }
    match place.initiative.card {
        Some(_) => other.initiative.key == place.initiative.key,
        None => other.initiative.card.is_none() && other.initiative.total == place.initiative.total,
    }
}

/// A row for each combatant by side, in the order of joining, where there are no places.
fn by_side(encounter: &Encounter) -> Vec<Row> {
    let current = Custom::current(encounter);
    let mut rows = Vec::with_capacity(encounter.combatants.len());
    for side in &encounter.state.sides {
        for c in encounter.active().filter(|c| c.side == side.side) {
            let because = match &side.initiative {
                Some(initiative) => because(initiative, false),
                None => Reason::new("CU-11", "the order of sides"),
            };
            let stage = if current.contains(&c.id) {
                Stage::Now
            } else if c.state.turns_left == 0 {
                Stage::Over
            } else {
                Stage::Open
            };
            let done = Some(stage == Stage::Over);
            let entry = OrderEntry {
                done,
                next: Some(false),
                ..OrderEntry::new(&c.id, because)
            };
            rows.push(Row { entry, stage });
        }
    }
    rows
}

/// Why a place stands where it does.
fn because(initiative: &Initiative, moved: bool) -> Reason {
    let (rule, reason): (_, Cow<'static, str>) = if moved {
        ("CU-25", "moved in the order".into())
    } else if let Some(card) = initiative.card {
        ("CU-7", card.name().into())
    } else if initiative.fixed {
        ("CU-3", "fixed initiative".into())
    } else {
        ("CU-2", "initiative".into())
    };
    let rolled = initiative.card.is_none();
    Reason {
        dice: initiative.dice.clone(),
        bonus: (rolled && !initiative.fixed).then_some(initiative.bonus),
        total: rolled.then_some(initiative.total),
        ..Reason::new(rule, reason)
    }
}
