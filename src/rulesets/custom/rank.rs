//! What places and sides are sorted by: the keys of the order.

use super::definition::{Definition, Fact, Key};
use super::lines::{deck, has_places, is_of_side, keys, position_of};
use super::query::definition;
use super::{Encounter, Initiative, Options, Place, Reached, SideState};
use std::cmp::Ordering;
use std::ops::Range;

/// The key in hundredths of one that gets no card where the lowest card is first: above any card. Where the highest
/// is first, cards have keys below 0.
const NO_CARD: i64 = 10_100;

/// The keys of an order in a round.
#[derive(Clone, Copy)]
pub(super) struct Ranks<'d> {
    definition: &'d Definition,
    round: u32,
    /// The seat that begins, where combatants act around the table.
    first_seat: Option<i64>,
}

impl<'d> Ranks<'d> {
    pub(super) fn new(definition: &'d Definition, round: u32, first_seat: Option<i64>) -> Self {
        Self {
            definition,
            round,
            first_seat,
        }
    }

    /// Those of the present round.
    pub(super) fn of(encounter: &'d Encounter) -> Self {
        Self::new(
            definition(encounter),
            encounter.round,
            encounter.state.first_seat,
        )
    }

    /// Which of two places comes first, by what stands with the places.
    pub(super) fn compare(self, one: &Place, other: &Place) -> Ordering {
        self.compare_all((&one.initiative, one.turn), (&other.initiative, other.turn))
    }

    /// The same by the key at this position alone.
    pub(super) fn compare_by(self, at: usize, one: &Place, other: &Place) -> Ordering {
        let [one, other] = [one, other].map(|place| self.value(at, &place.initiative, place.turn));
        one.cmp(&other)
    }

    /// True if the round has come further than a place.
    pub(super) fn is_before(self, place: &Place, reached: &Reached) -> bool {
        let place = (&*place.initiative, place.turn);
        self.compare_all(place, (&reached.initiative, reached.turn))
            .is_lt()
    }

    fn compare_all(self, one: (&Initiative, usize), other: (&Initiative, usize)) -> Ordering {
        for at in 0..self.end() {
            let [one, other] =
                [one, other].map(|(initiative, turn)| self.value(at, initiative, turn));
            if one != other {
                return one.cmp(&other);
            }
        }
        Ordering::Equal
    }

    /// What some of the keys say of an initiative, for the turn of this position among the combatant's
    /// turns.
    pub(super) fn values(
        self,
        initiative: &Initiative,
        turn: usize,
        keys: Range<usize>,
    ) -> Vec<[i64; 2]> {
        keys.map(|at| self.value(at, initiative, turn)).collect()
    }

    /// Which of two sides comes first; one without an initiative is last.
    pub(super) fn compare_sides(self, one: &SideState, other: &SideState) -> Ordering {
        let [one, other] = [one, other].map(|side| {
            let key = side.initiative.as_ref().map(|i| self.of_side(i));
            (!side.first, side.yields, key.is_none(), key)
        });
        one.cmp(&other)
    }

    /// What the initiative of a side is sorted by.
    pub(super) fn of_side(self, initiative: &Initiative) -> Vec<[i64; 2]> {
        let mut values = Vec::new();
        for (at, key) in keys(self.definition).iter().enumerate() {
            if is_of_side(self.definition, &key.fact) {
                values.push(self.of_key(at, key, initiative, 0));
            }
        }
        values
    }

    /// The number of keys that sort places: around the table those after the seat say who begins.
    pub(super) fn end(self) -> usize {
        match position_of(self.definition, &Fact::Seat) {
            Some(seat) => seat.saturating_add(1),
            None => keys(self.definition).len(),
        }
    }

    /// What a place is compared by at one key; [0, 0], where the key asks nothing of places.
    pub(super) fn value(self, at: usize, initiative: &Initiative, turn: usize) -> [i64; 2] {
        match keys(self.definition).get(at) {
            Some(key) if stands(self.definition, &key.fact) => {
                self.of_key(at, key, initiative, turn)
            }
            _ => [0, 0],
        }
    }

    fn of_key(self, at: usize, key: &Key, initiative: &Initiative, turn: usize) -> [i64; 2] {
        if !key.only.holds(self.round, turn) {
            return [0, 0];
        }
        let sign = key.sign();
        match &key.fact {
            Fact::Score => self.of_score(sign, initiative),
            Fact::Late => [sign * i64::from(initiative.fixed), 0],
            Fact::Lap => [sign * i64::try_from(turn).unwrap_or(i64::MAX), 0],
            Fact::Seat => {
                let seat = initiative.key_at(at);
                [
                    self.first_seat.is_some_and(|first| seat < first).into(),
                    seat,
                ]
            }
            _ => [initiative.key_at(at), 0],
        }
    }

    fn of_score(self, sign: i64, initiative: &Initiative) -> [i64; 2] {
        let total = sign.saturating_mul(initiative.total.hundredths());
        match initiative.card {
            Some(card) => [total, card.key(sign)[1]],
            None if deck(self.definition).is_some() && sign > 0 => {
                [NO_CARD.saturating_add(total), 0]
            }
            None => [total, 0],
        }
    }
}

/// Whether places have a fact of their own, by which they stand in the order.
pub(super) fn stands(definition: &Definition, fact: &Fact) -> bool {
    match fact {
        Fact::Choice | Fact::Side | Fact::Outnumbered | Fact::Again { .. } => false,
        fact => has_places(definition) && !is_of_side(definition, fact),
    }
}

/// The keys of the order as they are now.
pub(super) fn ranks<'o>(options: &'o Options, encounter: &Encounter) -> Ranks<'o> {
    Ranks::new(
        options.definition(),
        encounter.round,
        encounter.state.first_seat,
    )
}
