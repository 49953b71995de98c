//! The order that is shown, and who is next in it.

use super::definition::*;
use super::query::*;
use super::walk::{Coming, Walk};
use super::*;
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

/// Marks the row of a combatant's next turn.
fn mark_next(rows: &mut [Row], id: &CombatantId) {
    let open = rows
        .iter()
        .position(|row| row.entry.combatant.as_ref() == Some(id) && row.stage == Stage::Open);
    let at = open.or_else(|| {
        rows.iter()
            .rposition(|row| row.entry.combatant.as_ref() == Some(id))
    });
    if let Some(row) = at.and_then(|at| rows.get_mut(at)) {
        row.entry.next = Some(true);
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
            Stage::Open => {
                let coming = row
                    .entry
                    .combatant
                    .as_ref()
                    .and_then(|id| turns.get_mut(id));
                match coming.and_then(VecDeque::pop_front) {
                    Some(position) => (2, position),
                    None => (3, 0),
                }
            }
        };
        ranked.push((rank, row));
    }
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, row)| row).collect()
}

/// A row for each place.
fn by_place(encounter: &Encounter) -> Vec<Row> {
    let current = Custom::current(encounter);
    let places = &encounter.state.places;
    let clock = definition(encounter).clock.is_some();
    let mut rows = Vec::with_capacity(places.len());
    for (i, place) in places.iter().enumerate() {
        if !encounter.is_active(&place.combatant) {
            continue;
        }
        let slot = match &place.score.card {
            Some(card) => Some(card.to_string()),
            None if clock => Some(place.score.total.to_string()),
            None => (place.turn > 0).then(|| place.turn.saturating_add(1).to_string()),
        };
        let tie_rule = is_tied(places, i).then_some("CU-5");
        let because = Reason {
            tie_rule,
            ..because(&place.score, place.moved)
        };
        // Its turn now is the last of its turns that have begun.
        let begun = || {
            places
                .iter()
                .rposition(|other| other.done && other.combatant == place.combatant)
        };
        let stage = if current.contains(&place.combatant) && (clock || begun() == Some(i)) {
            Stage::Now
        } else if place.done && !clock {
            Stage::Over
        } else {
            Stage::Open
        };
        let done = Some(stage == Stage::Over);
        let entry = OrderEntry {
            done,
            next: Some(false),
            slot,
            ..OrderEntry::new(&place.combatant, because)
        };
        rows.push(Row { entry, stage });
    }
    rows
}

/// Whether a place beside this one has the same score.
fn is_tied(places: &[CachedJson<Place>], at: usize) -> bool {
    let Some(place) = places.get(at) else {
        return false;
    };
    let beside = [at.checked_sub(1), at.checked_add(1)]
        .into_iter()
        .flatten()
        .filter_map(|i| places.get(i));
    let mut equals = beside.filter(|other| match place.score.card {
        Some(_) => other.score.key == place.score.key,
        None => other.score.total == place.score.total && other.score.card.is_none(),
    });
    equals.any(|other| other.combatant != place.combatant)
}

/// A row for each combatant by side, in the order of joining, where there are no places.
fn by_side(encounter: &Encounter) -> Vec<Row> {
    let current = Custom::current(encounter);
    let mut rows = Vec::with_capacity(encounter.combatants.len());
    for side in &encounter.state.sides {
        for c in encounter.active().filter(|c| c.side == side.side) {
            let because = match &side.score {
                Some(score) => because(score, false),
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
fn because(score: &Score, moved: bool) -> Reason {
    let (rule, reason) = match (moved, &score.card, score.pinned) {
        (true, ..) => ("CU-25", "moved".into()),
        (_, Some(card), _) => ("CU-7", format!("was dealt {card}").into()),
        (.., true) => ("CU-3", "is pinned to this score".into()),
        _ => ("CU-2", std::borrow::Cow::Borrowed("score")),
    };
    let rolled = score.card.is_none();
    Reason {
        dice: score.dice.clone(),
        bonus: (rolled && !score.pinned).then_some(score.bonus),
        total: rolled.then_some(score.total),
        ..Reason::new(rule, reason)
    }
}
