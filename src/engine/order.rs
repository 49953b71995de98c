//! The order as one list to draw: everybody, with what a tracker shows.

use crate::vocabulary::{
    Combatant, CombatantId, Encounter, OrderEntry, Reason, Ruleset, Status, Total,
};
use serde::Serialize;
use std::borrow::Cow;
use std::collections::HashSet;
use utoipa::ToSchema;

/// A row of the order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = OrderEntry)]
pub struct OrderRow<'a> {
    /// The combatant. Absent for an empty turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub combatant: Option<&'a CombatantId>,
    /// Name for people; of an empty turn, what players call it, such as `PC Turn 2`.
    pub name: Cow<'a, str>,
    /// The number that the order is sorted by; null if the system has none.
    #[schema(required = true)]
    #[schema(value_type = Option<f64>)]
    pub initiative: Option<Total>,
    /// True if the combatant has the turn.
    pub current: bool,
    /// True if the combatant acts next, as far as the order is known.
    pub next: bool,
    /// True if the turn of this round has ended.
    pub acted: bool,
    /// True if the combatant is out of the fight.
    pub out: bool,
    /// Remark of the ruleset, in a few words.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    pub note: String,
    /// The turn, if the system names or numbers turns, or the card dealt, such as `Q♠`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<String>,
    /// That turn as players call it, such as `PC Turn 2`, if this is more than its `slot`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    /// The team of that turn, if the turns are those of teams: `players`, `npcs`, or the side of an
    /// enemy team.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
    /// Reason for the place. Absent for combatants without a place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<Reason>,
}

/// The rows of everybody at the table: those with a place in the system's order, in its order with
/// its empty turns, then the others as they joined.
pub(super) fn rows<R: Ruleset>(encounter: &Encounter<R>) -> Vec<OrderRow<'_>> {
    let count = encounter.combatants.len();
    let current = R::current(encounter);
    let mut rows = Rows {
        encounter,
        rows: Vec::with_capacity(count),
        may_be_next: Vec::with_capacity(count),
        placed: HashSet::with_capacity(count),
        acting: HashSet::with_capacity(current.len()),
        current: current.into_iter().collect(),
    };
    for entry in R::order(encounter) {
        rows.add_place(entry);
    }
    for combatant in encounter.iter() {
        rows.add_without_place(combatant);
    }
    rows.mark_next();
    rows.rows
}

/// The rows so far.
struct Rows<'e, R: Ruleset> {
    encounter: &'e Encounter<R>,
    rows: Vec<OrderRow<'e>>,
    /// For each row, whether it comes next if it is the first one after the current turn.
    may_be_next: Vec<bool>,
    /// The combatants that have a place.
    placed: HashSet<&'e CombatantId>,
    /// Whose turn it is.
    current: HashSet<CombatantId>,
    /// Those of them with a row that is current.
    acting: HashSet<&'e CombatantId>,
}

impl<'e, R: Ruleset> Rows<'e, R> {
    /// Adds a place of the system's order, unless its combatant has left.
    fn add_place(&mut self, entry: OrderEntry) {
        let may_be_next = entry.next.is_none();
        let row = match &entry.combatant {
            None => empty(entry),
            Some(id) => {
                let Some(combatant) = self.encounter.get(id) else {
                    return;
                };
                self.placed.insert(&combatant.id);
                OrderRow {
                    initiative: entry.because.total,
                    next: entry.next == Some(true) && self.encounter.status != Status::Ended,
                    slot: entry.slot,
                    turn: entry.turn,
                    team: entry.team,
                    because: Some(entry.because),
                    ..self.row(combatant, entry.done)
                }
            }
        };
        self.may_be_next.push(may_be_next);
        self.rows.push(row);
    }

    /// Adds a combatant, unless it has a place.
    fn add_without_place(&mut self, combatant: &'e Combatant<R>) {
        if self.placed.contains(&combatant.id) {
            return;
        }
        let row = self.row(combatant, None);
        self.may_be_next.push(false);
        self.rows.push(row);
    }

    /// The row of a combatant, without what its place says; `done` is whether the turn of the place
    /// is over.
    fn row(&mut self, combatant: &'e Combatant<R>, done: Option<bool>) -> OrderRow<'e> {
        let id = &combatant.id;
        // Of several places, the first one that is not over is current.
        let current = done != Some(true) && self.current.contains(id) && self.acting.insert(id);
        OrderRow {
            combatant: Some(id),
            name: combatant.name.as_str().into(),
            initiative: None,
            current,
            next: false,
            acted: done.unwrap_or(combatant.acted) && !current,
            out: !combatant.active(),
            note: if self.encounter.status == Status::Ended {
                String::new()
            } else {
                R::remark(self.encounter, combatant)
            },
            slot: None,
            turn: None,
            team: None,
            because: None,
        }
    }

    /// Marks the first row after the current turn that can come next.
    fn mark_next(&mut self) {
        if self.encounter.status == Status::Ended {
            return;
        }
        let after_current = match self.rows.iter().rposition(|row| row.current) {
            Some(last) => last + 1,
            None => 0,
        };
        let rows = self.rows.iter_mut().zip(&self.may_be_next);
        for (row, may_be_next) in rows.skip(after_current) {
            if *may_be_next && !row.current && !row.acted && !row.out {
                row.next = true;
                return;
            }
        }
    }
}

/// The row of a turn without a combatant.
fn empty<'e>(entry: OrderEntry) -> OrderRow<'e> {
    OrderRow {
        combatant: None,
        name: entry.turn.clone().unwrap_or_default().into(),
        initiative: None,
        current: false,
        next: false,
        acted: entry.done == Some(true),
        out: false,
        note: "empty".to_owned(),
        slot: entry.slot,
        turn: entry.turn,
        team: entry.team,
        because: Some(entry.because),
    }
}
