//! Why a row of the order stands before the next one, in the words of the game.

use super::candidates::{SidesInOrder, Standing};
use super::definition::{Fact, Key};
use super::lines::keys;
use super::query::{declared, definition, is_foe};
use super::rank::{Ranks, stands};
use super::{Combatant, Encounter, Initiative, Place};
use crate::vocabulary::{Describe, Slug, said};
use std::cmp::Ordering;

/// What decides that a row stands before another.
pub(super) enum Decided {
    /// The initiative, and that of the other, in words.
    Score([String; 2]),
    /// Another key, in words.
    Key(String),
}

/// Says what decides that rows stand where they do.
pub(super) struct Why<'t> {
    encounter: &'t Encounter,
    ranks: Ranks<'t>,
    sides: SidesInOrder<'t>,
}

impl<'t> Why<'t> {
    pub(super) fn of(encounter: &'t Encounter) -> Self {
        Self {
            encounter,
            ranks: Ranks::of(encounter),
            sides: SidesInOrder::of(encounter),
        }
    }

    /// What decides that the first of two rows stands before the other; None if the keys do not say
    /// that.
    pub(super) fn decides(&self, one: Standing<'_>, other: Standing<'_>) -> Option<Decided> {
        let definition = definition(self.encounter);
        for (at, key) in keys(definition).iter().enumerate().take(self.ranks.end()) {
            let is_of_places = stands(definition, &key.fact);
            let by_key = if is_of_places {
                self.ranks.compare_by(at, one.place?, other.place?)
            } else {
                let [one, other] =
                    [one, other].map(|turn| self.sides.value(self.encounter, key, &turn));
                one.cmp(&other)
            };
            return match by_key {
                Ordering::Equal => continue,
                // The side that acted last has had its turn since.
                Ordering::Greater if matches!(key.fact, Fact::Again { .. }) => in_turn(),
                Ordering::Greater => None,
                Ordering::Less if is_of_places => self.of_places(at, key, one.place?, other.place?),
                Ordering::Less => self.of_sides(key, one.c, other.c),
            };
        }
        None
    }

    /// What a key of the sides, of the declarations or of the turns says that puts the first of two
    /// combatants first.
    fn of_sides(&self, key: &Key, one: &Combatant, other: &Combatant) -> Option<Decided> {
        let definition = definition(self.encounter);
        Some(Decided::Key(match &key.fact {
            Fact::Again { .. } => return in_turn(),
            Fact::Choice => self.pair(declared(definition, one)?, declared(definition, other)?),
            Fact::Side => self.pair(&one.side, &other.side),
            Fact::Foe => teams(is_foe(one)),
            Fact::Lap => "fewer turns taken".to_owned(),
            Fact::Outnumbered => "the side that is outnumbered".to_owned(),
            Fact::Score => return self.of_score_of_sides(&one.side, &other.side),
            Fact::Segment | Fact::Late | Fact::Die | Fact::Seat | Fact::Number(_) => return None,
        }))
    }

    /// What the score of sides says that puts the first of two sides first.
    fn of_score_of_sides(&self, one: &Slug, other: &Slug) -> Option<Decided> {
        let sides = &self.encounter.state.sides;
        let find = |name: &Slug| sides.iter().find(|side| side.side == *name);
        let (one, other) = (find(one)?, find(other)?);
        let words = if one.first && !other.first {
            "first by the game master"
        } else if other.yields && !one.yields {
            "before a surprised side"
        } else {
            let (own, others) = (one.initiative.as_deref()?, other.initiative.as_deref()?);
            if own.total == others.total && own.card == others.card {
                "first by the roll-off"
            } else {
                let both = [own, others].map(|initiative| self.in_words(initiative));
                return Some(Decided::Score(both));
            }
        };
        Some(Decided::Key(words.to_owned()))
    }

    /// What a key of the places says that puts the first of two first.
    fn of_places(&self, at: usize, key: &Key, one: &Place, other: &Place) -> Option<Decided> {
        let numbers = |name: &str| {
            let [one, other] =
                [one, other].map(|place| key.sign().saturating_mul(place.initiative.key_at(at)));
            format!("{name} {one} before {other}")
        };
        Some(Decided::Key(match &key.fact {
            Fact::Score => {
                let both = [one, other].map(|place| self.in_words(&place.initiative));
                return Some(Decided::Score(both));
            }
            Fact::Late if one.initiative.fixed => "fixed before rolled".to_owned(),
            Fact::Late => "rolled before fixed".to_owned(),
            Fact::Foe => teams(one.initiative.key_at(at) != 0),
            Fact::Lap => {
                let [one, other] = [one, other].map(|place| place.turn.saturating_add(1));
                format!("turn {one} before {other}")
            }
            Fact::Die => "first by the roll-off".to_owned(),
            Fact::Segment => numbers("segment"),
            Fact::Number(name) => numbers(&said(name, self.encounter)),
            _ => return None,
        }))
    }

    fn pair(&self, one: &Slug, other: &Slug) -> String {
        let [one, other] = [one, other].map(|word| said(word, self.encounter));
        format!("{one} before {other}")
    }

    /// An initiative: its card, or the number.
    fn in_words(&self, initiative: &Initiative) -> String {
        let mut words = String::new();
        initiative.describe(self.encounter, &mut words);
        words
    }
}

fn in_turn() -> Option<Decided> {
    Some(Decided::Key("sides in turn".to_owned()))
}

/// What the key `foe` says of two of which the first is a foe, or the other.
fn teams(is_foe: bool) -> String {
    let [one, other] = if is_foe {
        ["foes", "players"]
    } else {
        ["players", "foes"]
    };
    format!("{one} before {other}")
}
