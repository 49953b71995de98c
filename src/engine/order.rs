//! The order as one list to draw: everybody, with what a tracker shows.

use crate::vocabulary::{CombatantId, Encounter, OrderEntry, Reason, Ruleset, Status};
use serde::Serialize;
use std::collections::HashSet;
use utoipa::ToSchema;

/// A row of the order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = OrderEntry)]
pub struct OrderRow<'a> {
    /// The combatant; left out for an empty turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub combatant: Option<&'a CombatantId>,
    /// Its name for people; `empty` for an empty turn.
    pub name: &'a str,
    /// The number that the system sorts by; null if it has none.
    #[schema(required = true)]
    pub initiative: Option<i64>,
    /// Whether it has the turn.
    pub current: bool,
    /// Whether it acts next, as far as the order is known.
    pub next: bool,
    /// Whether its turn of this round is over.
    pub acted: bool,
    /// Whether it is out of the fight.
    pub out: bool,
    /// A few words of the system about it.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    pub note: String,
    /// The turn that it belongs to, if the system numbers or names turns, or the card that it was
    /// dealt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<String>,
    /// The team of that turn, if the turns are those of teams: `players`, `npcs`, or the side of an
    /// enemy team.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
    /// Why it stands here; left out for combatants without a place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<Reason>,
}

/// The rows of everybody at the table: those with a place in the system's order, in its order with
/// its empty turns, then the others as they joined.
pub(super) fn rows<R: Ruleset>(encounter: &Encounter<R>) -> Vec<OrderRow<'_>> {
    let current = R::current(encounter);
    let mut seen = HashSet::with_capacity(encounter.combatants.len());
    let mut rows = Vec::with_capacity(encounter.combatants.len());
    let placed = R::order(encounter)
        .into_iter()
        .map(|entry| (entry.combatant.clone(), Some(entry)));
    let others = encounter.iter().map(|c| (Some(c.id.clone()), None));
    let mut open = Vec::with_capacity(encounter.combatants.len());
    let mut acting = HashSet::with_capacity(current.len());
    for (id, entry) in placed.chain(others) {
        let Some(id) = id else {
            open.push(entry.as_ref().is_none_or(|entry| entry.next.is_some()));
            rows.extend(entry.map(empty));
            continue;
        };
        let Some(c) = encounter.get(&id) else {
            continue;
        };
        // A combatant may have several places, and none besides.
        if !seen.insert(&c.id) && entry.is_none() {
            continue;
        }
        let done = entry.as_ref().and_then(|entry| entry.done);
        open.push(entry.as_ref().is_none_or(|entry| entry.next.is_some()));
        let next = entry.as_ref().and_then(|entry| entry.next).unwrap_or(false);
        let is_current = done != Some(true) && current.contains(&c.id) && acting.insert(&c.id);
        let (slot, team, because) = entry.map_or((None, None, None), |entry| {
            (entry.slot, entry.team, Some(entry.because))
        });
        rows.push(OrderRow {
            combatant: Some(&c.id),
            name: c.name.as_str(),
            initiative: because.as_ref().and_then(|because| because.total),
            current: is_current,
            next,
            acted: done.unwrap_or(c.acted) && !is_current,
            out: !c.active(),
            note: if encounter.status == Status::Ended {
                String::new()
            } else {
                R::remark(encounter, c)
            },
            slot,
            team,
            because,
        });
    }
    let after = rows
        .iter()
        .rposition(|row| row.current)
        .map_or(0, |last| last + 1);
    let waits =
        |(row, open): &(&mut OrderRow<'_>, bool)| !open && !row.current && !row.acted && !row.out;
    if let Some((next, _)) = rows.iter_mut().zip(open).skip(after).find(waits) {
        next.next = true;
    }
    rows
}

/// The row of a turn without a combatant.
fn empty<'a>(entry: OrderEntry) -> OrderRow<'a> {
    OrderRow {
        combatant: None,
        name: "empty",
        initiative: None,
        current: false,
        next: false,
        acted: entry.done == Some(true),
        out: false,
        note: String::new(),
        slot: entry.slot,
        team: entry.team,
        because: Some(entry.because),
    }
}
