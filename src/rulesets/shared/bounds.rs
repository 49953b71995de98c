//! Bounds of what a ruleset keeps: play holds them by itself, an imported log may not.

use crate::vocabulary::Die;
use std::fmt::Display;

/// Refuses a list of more than `most` items; `name` is its path in the state.
pub fn at_most(name: &str, length: usize, most: usize) -> Result<(), String> {
    if length > most {
        return Err(format!(
            "{name} holds {length} items, and {most} at most fit"
        ));
    }
    Ok(())
}

/// Refuses the d20 that a combatant rolled before the start, if it shows no face of one.
pub fn check_own_die(own_die: Option<Die>) -> Result<(), String> {
    match own_die {
        Some(die) => within("own_die.face", die.face, 1, 20),
        None => Ok(()),
    }
}

/// Refuses a number below `least` or above `most`; `name` is its path in the state.
pub fn within(
    name: &str,
    number: impl TryInto<i64> + Copy + Display,
    least: i64,
    most: i64,
) -> Result<(), String> {
    let fits = number
        .try_into()
        .is_ok_and(|number| (least..=most).contains(&number));
    if !fits {
        return Err(format!(
            "{name} is {number}, and {least} to {most} is possible"
        ));
    }
    Ok(())
}
