//! The order that is shown, and who is next in it.

use super::candidates::{SidesInOrder, Standing};
use super::definition::{Chooser, Definition, Fact, Per};
use super::lines::{
    costs_turns, deck, has_clock, has_laps, has_places, is_seated, keys, leading_number,
    position_of, score_rule, sorts_by_score,
};
use super::query::{definition, is_over};
use super::rank::{Ranks, stands};
use super::walk::{Coming, Walk};
use super::why::{Decided, Why};
use super::{Card, Combatant, Custom, Encounter, Initiative, Mode, Place};
use crate::json::CachedJson;
use crate::vocabulary::{CombatantId, OrderEntry, Reason, Ruleset, Slug, Status, Total, said};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt::Write;

/// Maximum turns that the order looks ahead where it is not that of the places.
const LOOKAHEAD: usize = 50;

/// Where the turn of a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Over,
    Now,
    Open,
}

struct Row<'t> {
    entry: OrderEntry,
    stage: Stage,
    turn: Standing<'t>,
}

/// The order: the places, as their turns come, or the combatants by side where there are no places.
pub(super) fn order(encounter: &Encounter) -> Vec<OrderEntry> {
    let coming = coming(encounter);
    let mut rows = if !has_places(definition(encounter)) {
        by_side(encounter)
    } else if is_plain(definition(encounter)) {
        by_place(encounter)
    } else {
        sort_by_turns(by_keys(encounter, by_place(encounter)), &coming)
    };
    if let Some(next) = coming.iter().find(|turn| !turn.unused) {
        mark_next(&mut rows, &next.combatants);
    }
    explain(encounter, &mut rows);
    rows.into_iter().map(|row| row.entry).collect()
}

/// Says of each row what puts it before the next one.
fn explain(encounter: &Encounter, rows: &mut [Row<'_>]) {
    let why = Why::of(encounter);
    let plain = is_plain(definition(encounter)) && has_places(definition(encounter));
    for at in 1..rows.len() {
        let Some([row, next]) = rows.get_mut(at - 1..=at) else {
            continue;
        };
        let is_moved = |row: &Row<'_>| row.turn.place.is_some_and(|place| place.moved);
        if is_moved(row)
            || is_moved(next)
            || !plain && (row.stage == Stage::Over) != (next.stage == Stage::Over)
        {
            continue;
        }
        if let Some(decided) = why.decides(row.turn, next.turn) {
            let because = &mut row.entry.because;
            because.reason = reason(because, decided, has_changed(encounter, row.turn)).into();
        }
    }
}

/// Whether the initiative by which a turn comes has changed since the roll.
fn has_changed(encounter: &Encounter, turn: Standing<'_>) -> bool {
    let of_side = || {
        let mut sides = encounter.state.sides.iter();
        let side = sides.find(|side| side.side == turn.c.side)?;
        side.initiative.as_deref()
    };
    let own = turn.place.map(|place| &*place.initiative);
    let initiative = own.or_else(of_side);
    initiative.is_some_and(|initiative| initiative.changes.in_words().next().is_some())
}

/// The reason of a row with what puts it before the next one.
fn reason(because: &Reason, decided: Decided, has_changed: bool) -> String {
    let comma = if has_changed { "," } else { "" };
    let reason = &because.reason;
    match (decided, because.rule, because.total) {
        (Decided::Score([_, other]), "CU-7", _) => format!("{reason} before {other}"),
        (Decided::Score([own, other]), "CU-5", _) => format!("initiative {own} before {other}"),
        (Decided::Score([own, other]), ..) => format!("{reason}{comma} {own} before {other}"),
        (Decided::Key(words), "CU-5", _) | (Decided::Key(words), _, None) => words,
        (Decided::Key(words), _, Some(total)) => format!("{reason}{comma} {total}, {words}"),
    }
}

/// Whether turns come as the places stand.
fn is_plain(definition: &Definition) -> bool {
    let mut keys = keys(definition).iter();
    let counts_laps = costs_turns(definition) && has_laps(definition);
    keys.all(|key| stands(definition, &key.fact))
        && !counts_laps
        && definition.chooser == Chooser::Candidates
        && definition.together.is_none()
}

/// The turns that come. Where they come as the places stand, the next one is enough.
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

/// Marks the rows of the next turn of these combatants: of each the first that is open, else the
/// last.
fn mark_next(rows: &mut [Row<'_>], combatants: &[CombatantId]) {
    let combatants: HashSet<_> = combatants.iter().collect();
    let mut next: HashMap<CombatantId, (usize, bool)> = HashMap::new();
    for (at, row) in rows.iter().enumerate() {
        let Some(id) = &row.entry.combatant else {
            continue;
        };
        let is_found = next.get(id).is_some_and(|(_, is_open)| *is_open);
        if combatants.contains(id) && !is_found {
            next.insert(id.clone(), (at, row.stage == Stage::Open));
        }
    }
    for (at, _) in next.into_values() {
        if let Some(row) = rows.get_mut(at) {
            row.entry.next = Some(true);
        }
    }
}

/// Sorts rows by all keys, also those that places do not hold, such as the score of a side. A place that
/// was moved keeps its place, and then the places of all others stay, too.
fn by_keys<'t>(encounter: &'t Encounter, mut rows: Vec<Row<'t>>) -> Vec<Row<'t>> {
    let is_put = |row: &Row<'_>| {
        let place = row.turn.place;
        place.is_some_and(|place| place.moved || place.settled)
    };
    if rows.iter().any(is_put) {
        return rows;
    }
    let sides = SidesInOrder::of(encounter);
    rows.sort_by_cached_key(|row| sides.values(encounter, &row.turn));
    rows
}

/// Sorts the rows: turns that are over, the present ones, those that come, then the others.
fn sort_by_turns<'t>(rows: Vec<Row<'t>>, coming: &[Coming]) -> Vec<Row<'t>> {
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
fn by_place(encounter: &Encounter) -> Vec<Row<'_>> {
    let current: HashSet<_> = Custom::current(encounter).into_iter().collect();
    let places = &encounter.state.places;
    let definition = definition(encounter);
    let costs_turns = costs_turns(definition);
    let mut last_begun = HashMap::new();
    for (i, place) in places.iter().enumerate() {
        if !place.done || !current.contains(&place.combatant) {
            continue;
        }
        last_begun.insert(&place.combatant, i);
    }
    let mut rows = Vec::with_capacity(places.len());
    for (i, place) in places.iter().enumerate() {
        let Some(c) = encounter.get(&place.combatant).filter(|c| c.active()) else {
            continue;
        };
        let has_turn = current.contains(&place.combatant);
        let stage = if has_turn && (costs_turns || last_begun.get(&place.combatant) == Some(&i)) {
            Stage::Now
        } else if is_over(definition, place) {
            Stage::Over
        } else {
            Stage::Open
        };
        let seated = is_seated(definition);
        let mut because = because(encounter, &place.initiative, place.moved);
        if seated && !place.moved {
            because = seat(definition, &place.initiative);
        }
        if is_tied(encounter, i) {
            because.tie_rule = Some("CU-5");
        }
        let entry = OrderEntry {
            // A combatant that delays still has its turn to come.
            done: Some(stage == Stage::Over && !c.state.delaying),
            next: Some(false),
            slot: slot(definition, places, place),
            turn: turn_name(definition, place),
            ..OrderEntry::new(&place.combatant, because)
        };
        let place = Some(&**place);
        let turn = Standing { c, place };
        rows.push(Row { entry, stage, turn });
    }
    rows
}

/// The name of a place: its card, its tick, or the number of a further turn, as in "turn 2".
fn slot(definition: &Definition, places: &[CachedJson<Place>], place: &Place) -> Option<String> {
    if let Some(card) = place.initiative.card
        && !repeats_card(places, place)
    {
        Some(card.sign())
    } else if has_clock(definition) {
        Some(place.initiative.total.to_string())
    } else if place.turn > 0
        && deck(definition).is_none()
        && segment_of(definition, place).is_none()
    {
        Some(place.turn.saturating_add(1).to_string())
    } else {
        turn_name(definition, place)
    }
}

/// The name of a turn for players, if a combatant may have several: its segment, or its number from
/// the second one on.
fn turn_name(definition: &Definition, place: &Place) -> Option<String> {
    if let Some(segment) = segment_of(definition, place) {
        return Some(format!("segment {segment}"));
    }
    (place.turn > 0).then(|| format!("turn {}", place.turn.saturating_add(1)))
}

/// The segment of the round in which a turn falls, if the order goes by segments.
fn segment_of(definition: &Definition, place: &Place) -> Option<i64> {
    let at = position_of(definition, &Fact::Segment)?;
    Some(place.initiative.key_at(at).abs())
}

/// Whether an earlier turn of the same combatant has the same card: a swap may give it that of its
/// group once more.
fn repeats_card(places: &[CachedJson<Place>], place: &Place) -> bool {
    let repeated = |other: &CachedJson<Place>| {
        other.turn < place.turn
            && other.initiative.card == place.initiative.card
            && other.combatant == place.combatant
    };
    place.turn > 0 && places.iter().any(repeated)
}

/// Whether a place beside this one has the same initiative.
fn is_tied(encounter: &Encounter, at: usize) -> bool {
    let places = &encounter.state.places;
    let Some(place) = places.get(at) else {
        return false;
    };
    let before = at.checked_sub(1).and_then(|at| places.get(at));
    let after = at.checked_add(1).and_then(|at| places.get(at));
    let mut beside = before.into_iter().chain(after);
    beside.any(|other| ties(encounter, place, other))
}

/// Whether another combatant's place has the same initiative, and the same of what comes before it.
fn ties(encounter: &Encounter, place: &Place, other: &Place) -> bool {
    if place.combatant == other.combatant {
        return false;
    }
    let definition = definition(encounter);
    let ranks = Ranks::of(encounter);
    let goes_by_score = !is_seated(definition) && deck(definition).is_none();
    let score = keys(definition)
        .iter()
        .rposition(|key| key.fact == Fact::Score);
    let end = score
        .filter(|_| goes_by_score)
        .map_or(ranks.end(), |at| at + 1);
    (0..end).all(|at| ranks.compare_by(at, place, other).is_eq())
}

/// A row for each combatant by side, in the order of joining, where there are no places.
fn by_side(encounter: &Encounter) -> Vec<Row<'_>> {
    let current: HashSet<_> = Custom::current(encounter).into_iter().collect();
    let mut members: HashMap<&Slug, Vec<&Combatant>> = HashMap::new();
    for c in encounter.active() {
        members.entry(&c.side).or_default().push(c);
    }
    let mut rows = Vec::with_capacity(encounter.combatants.len());
    for side in &encounter.state.sides {
        for c in members.remove(&side.side).unwrap_or_default() {
            let because = match &side.initiative {
                Some(initiative) => because_of_score(initiative, false),
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
            let card = side.initiative.as_ref().and_then(|i| i.card);
            let entry = OrderEntry {
                done,
                next: Some(false),
                slot: card.map(Card::sign),
                ..OrderEntry::new(&c.id, because)
            };
            let turn = Standing { c, place: None };
            rows.push(Row { entry, stage, turn });
        }
    }
    rows
}

/// Why a place stands where it does.
fn because(encounter: &Encounter, initiative: &Initiative, moved: bool) -> Reason {
    let definition = definition(encounter);
    let of_sides = score_rule(definition).is_some_and(|score| score.per == Per::Side);
    if !moved && (of_sides || !sorts_by_score(definition)) {
        return because_of_keys(encounter, initiative);
    }
    because_of_score(initiative, moved)
}

fn because_of_score(initiative: &Initiative, moved: bool) -> Reason {
    let (rule, reason): (_, Cow<'static, str>) = if moved {
        ("CU-25", "moved in the order".into())
    } else if let Some(card) = initiative.card {
        ("CU-7", changed(card.name(), initiative).into())
    } else if initiative.known {
        ("CU-52", changed("known initiative", initiative).into())
    } else if initiative.fixed {
        ("CU-3", changed("fixed initiative", initiative).into())
    } else {
        ("CU-2", changed("initiative", initiative).into())
    };
    let rolled = initiative.card.is_none();
    Reason {
        dice: initiative.dice.clone(),
        bonus: (rolled && !initiative.fixed && !initiative.known).then_some(initiative.bonus),
        total: rolled.then_some(initiative.total),
        ..Reason::new(rule, reason)
    }
}

/// Why a place stands where it does in an order without the initiative.
fn because_of_keys(encounter: &Encounter, initiative: &Initiative) -> Reason {
    let Some((name, _)) = leading_number(definition(encounter)) else {
        return Reason::new("CU-5", "the keys of the order");
    };
    let words = format!("{} {}", said(name, encounter), initiative.total);
    Reason {
        dice: initiative.dice.clone(),
        total: Some(initiative.total),
        ..Reason::new("CU-5", words)
    }
}

/// The seat of one that sits at the table.
fn seat(definition: &Definition, initiative: &Initiative) -> Reason {
    let at = position_of(definition, &Fact::Seat).unwrap_or(0);
    let seat = initiative.key_at(at);
    Reason {
        dice: initiative.dice.clone(),
        ..Reason::new("CU-42", format!("seat {seat}"))
    }
}

/// What an initiative was and what has changed it, such as `initiative 25 - 20 for turns`.
fn changed(name: impl Into<String>, initiative: &Initiative) -> String {
    let mut words = name.into();
    let changes: Vec<_> = initiative.changes.in_words().collect();
    if changes.is_empty() {
        return words;
    }
    if initiative.card.is_none() {
        let of_changes = changes.iter();
        let before = of_changes.fold(initiative.total, |total, (change, _)| total - *change);
        _ = write!(words, " {before}");
    }
    for (change, cause) in changes {
        let sign = if change < Total::ZERO { '-' } else { '+' };
        _ = write!(words, " {sign} {} for {cause}", change.abs());
    }
    words
}
