//! Bounds of what a ruleset keeps: play holds them by itself, an imported log may not.

/// Refuses a list of more than `most` items; `name` is its path in the state.
pub fn at_most(name: &str, length: usize, most: usize) -> Result<(), String> {
    if length > most {
        return Err(format!(
            "{name} holds {length} items, and {most} at most fit"
        ));
    }
    Ok(())
}

/// Refuses a number below `least` or above `most`; `name` is its path in the state.
pub fn within(name: &str, number: i64, least: i64, most: i64) -> Result<(), String> {
    if !(least..=most).contains(&number) {
        return Err(format!(
            "{name} is {number}, and {least} to {most} is possible"
        ));
    }
    Ok(())
}
