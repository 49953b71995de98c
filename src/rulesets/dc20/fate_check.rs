//! The Fate Check (DC-27).

use super::{Dc20, Play};
use crate::vocabulary::{D20, Die, Fold, Slug, Violation, command, event};

/// Make a Fate Check: a plain d20, of which 10 or more is high (DC-27).
#[command(gm, "Make a Fate Check")]
pub struct FateCheck {
    /// The d20, if rolled at the table. By default the server rolls.
    pub roll: Option<D20>,
}

/// A Fate Check was made (DC-27).
#[event("The Fate Check[ for {side}] shows {die}.")]
pub struct FateChecked {
    /// The die.
    pub die: Die,
    /// True if it shows 10 or more.
    pub high: bool,
    /// The side that takes the first Enemy Turn at 10 or more (DC-26).
    pub side: Option<Slug>,
}

impl FateCheck {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        fate_check(play, self.roll, None);
        Ok(())
    }
}

/// Makes a Fate Check, and returns whether it is high (DC-27).
pub(super) fn fate_check(play: &mut Play<'_>, given: Option<D20>, side: Option<Slug>) -> bool {
    let die = play.die(given);
    let high = die.face >= 10;
    play.emit(FateChecked { die, high, side });
    high
}

impl FateChecked {
    /// Changes nothing: what follows from it has events of its own.
    pub(super) fn apply(&self, _: &mut Fold<'_, Dc20>) {}
}
