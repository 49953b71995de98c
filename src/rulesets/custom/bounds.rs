//! Bounds of what `custom` keeps.

use super::check::check;
use super::check::{MAX_NUMBERS, MAX_POOLS, MAX_REACTIONS};
use super::definition::{ChangesRule, Definition, Fact, MAX_KEYS};
use super::initiative::most_dice;
use super::lines::{has_places, key_of, keys, rerolls};
use super::openings::MAX_DEPTH;
use super::query::turns;
use super::{Combatant, Encounter, Initiative, Mode, Turn};
use crate::rulesets::shared::{at_most, within};
use crate::vocabulary::{MAX_COMBATANTS, MAX_EFFECTS, Status};

/// Each combatant has at most ten turns in a round, and a place for each.
const MAX_PLACES: usize = 10 * MAX_COMBATANTS;
/// Ten turns in a round, and as many that were given back.
const MAX_TURNS_LEFT: i64 = 20;
/// The sides of all combatants, and of as many that have left.
const MAX_SIDES: usize = 2 * MAX_COMBATANTS;
/// Nine dice, rolled five times at most and once more in each of three roll-offs.
const MAX_DICE: usize = 9 * 8;
/// The largest deck.
const MAX_CARDS: usize = 100;
/// Three more cards than the one that counts.
const MAX_SPARE: usize = 3;
/// Bytes of a place in the log entry of a roll, with its sentence, besides the names.
const BYTES_OF_PLACE: usize = 130;
/// Bytes of each key of a place but the first two.
const BYTES_OF_KEY: usize = 8;
/// Further bytes of a key of dice.
const BYTES_OF_DIE_KEY: usize = 10;
/// Bytes of what wounds and conditions change of a place.
const BYTES_OF_CHANGES: usize = 70;
/// Bytes of a die in a log entry.
const BYTES_OF_DIE: usize = 41;
/// Bytes of a log entry that places and dice may fill; the rest is for what else happens.
const MAX_ROLL: usize = 900 * 1024;
/// No sum of dice and numbers comes near it, so that adding to an initiative is safe.
const MAX_INITIATIVE: i64 = 1 << 53;

pub(super) fn check_state(encounter: &Encounter) -> Result<(), String> {
    let state = &encounter.state;
    at_most("state.places", state.places.len(), MAX_PLACES)?;
    at_most("state.sides", state.sides.len(), MAX_SIDES)?;
    at_most("state.turns", state.turns.len(), MAX_DEPTH)?;
    check_roll(encounter)?;
    check_planned(encounter)?;
    at_most("state.cards", state.cards.len(), MAX_CARDS)?;
    at_most("state.pools", state.pools.len(), MAX_POOLS)?;
    at_most("state.skipped", state.skipped.len(), MAX_SIDES)?;
    let seat = state.first_seat.unwrap_or(0);
    within("state.first_seat", seat, -1000, 1000)?;
    if let Mode::Gap { passed, .. } = &state.mode {
        at_most("state.mode.gap.passed", passed.len(), MAX_COMBATANTS)?;
    }
    for place in &state.places {
        check_initiative(&place.initiative)?;
    }
    for side in &state.sides {
        at_most("state.sides.pools", side.pools.len(), MAX_POOLS)?;
        if let Some(initiative) = &side.initiative {
            check_initiative(initiative)?;
        }
        if let Some(reached) = &side.reached {
            check_initiative(&reached.initiative)?;
        }
    }
    for turn in &state.turns {
        check_turn(turn)?;
    }
    for c in encounter.iter() {
        check_fighter(c)?;
    }
    Ok(())
}

/// Refuses a definition to come that no client could have sent.
fn check_planned(encounter: &Encounter) -> Result<(), String> {
    let Some(planned) = &encounter.state.planned else {
        return Ok(());
    };
    match check(planned.definition()).first() {
        Some(mistake) => Err(format!("planned.{}: {}", mistake.path, mistake.message)),
        None => Ok(()),
    }
}

/// Refuses more turns and dice than the log entry of one roll has space for. Players may read another
/// form of it, if anything is hidden.
fn check_roll(encounter: &Encounter) -> Result<(), String> {
    let definition = encounter.options.definition();
    let rolls_later = encounter.status == Status::Setup
        || encounter.state.fresh
        || !encounter.state.rolled
        || rerolls(definition);
    if rolls_later {
        check_roll_by(encounter, definition)?;
    }
    match &encounter.state.planned {
        Some(planned) => check_roll_by(encounter, planned.definition()),
        None => Ok(()),
    }
}

/// The same of a roll by this definition.
fn check_roll_by(encounter: &Encounter, definition: &Definition) -> Result<(), String> {
    if !has_places(definition) {
        return Ok(());
    }
    let of_place = bytes_of_place(definition);
    let mut bytes = 0;
    for c in encounter.iter() {
        let name = c.id.as_str().len() + c.name.as_str().len();
        bytes += turns(definition, c).max(1) * (of_place + name);
        bytes += most_dice(definition, c) * BYTES_OF_DIE;
    }
    let forms = if encounter.hides_nothing() && !encounter.hides_any_field() {
        1
    } else {
        2
    };
    if bytes * forms > MAX_ROLL {
        return Err(
            "a roll of so many turns and dice has no place in one log entry; fewer combatants, \
             turns or dice fit"
                .to_owned(),
        );
    }
    Ok(())
}

/// Bytes of a place in the log entry of a roll, besides the names.
fn bytes_of_place(definition: &Definition) -> usize {
    let mut bytes = BYTES_OF_PLACE + keys(definition).len().saturating_sub(2) * BYTES_OF_KEY;
    if key_of(definition, &Fact::Die).is_some() {
        bytes += BYTES_OF_DIE_KEY;
    }
    let ChangesRule {
        wounds, conditions, ..
    } = &definition.changes;
    if wounds.is_some() || !conditions.is_empty() {
        bytes += BYTES_OF_CHANGES;
    }
    bytes
}

fn check_initiative(initiative: &Initiative) -> Result<(), String> {
    at_most("initiative.dice", initiative.dice.len(), MAX_DICE)?;
    at_most("initiative.spare", initiative.spare.len(), MAX_SPARE)?;
    at_most("initiative.key", initiative.key.len(), MAX_KEYS)?;
    within(
        "initiative",
        initiative.bonus,
        -MAX_INITIATIVE,
        MAX_INITIATIVE,
    )?;
    for key in &initiative.key {
        within("initiative", *key, -MAX_INITIATIVE, MAX_INITIATIVE)?;
    }
    Ok(())
}

fn check_turn(turn: &Turn) -> Result<(), String> {
    at_most(
        "state.turns.combatants",
        turn.combatants.len(),
        MAX_COMBATANTS,
    )?;
    at_most("state.turns.done", turn.done.len(), MAX_COMBATANTS)
}

fn check_fighter(c: &Combatant) -> Result<(), String> {
    within("turns_left", c.state.turns_left, 0, MAX_TURNS_LEFT)?;
    at_most("stats.numbers", c.stats.numbers.len(), MAX_NUMBERS)?;
    at_most("pools", c.state.pools.len(), MAX_POOLS)?;
    at_most("used", c.state.used.len(), MAX_REACTIONS)?;
    at_most(
        "readied_reactions",
        c.state.readied_reactions.len(),
        MAX_REACTIONS,
    )?;
    at_most("counted", c.state.counted.len(), 2 * MAX_EFFECTS)
}
