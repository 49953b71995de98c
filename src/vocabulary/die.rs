//! Dice: what was rolled, and where rolls come from.

use super::Int;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The face of a six-sided die.
pub type D6 = Int<1, 6>;
/// The face of a ten-sided die.
pub type D10 = Int<1, 10>;
/// The face of a twenty-sided die.
pub type D20 = Int<1, 20>;

/// One die as it fell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Die {
    /// How many sides it has.
    pub sides: u16,
    /// The face that it shows, from 1 to `sides`.
    pub face: u16,
    /// True when the table rolled it and sent it with the command; false when the server rolled it.
    pub given: bool,
}

/// Where the server's own rolls come from: the caller's business, so that the rules stay pure.
pub trait Dice {
    /// A face from 1 to `sides` (`sides` is at least 1).
    fn roll(&mut self, sides: u16) -> u16;
}
