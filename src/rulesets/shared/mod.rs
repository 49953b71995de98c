//! What at least three systems share: turns and rounds with their effect clocks.

mod clock;

pub use clock::{end_round, end_turn, start_round, start_turn};
