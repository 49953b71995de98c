//! What several systems share: the start of a fight, and turns and rounds with their effect clocks.

mod bounds;
mod clock;
mod parts;

pub use bounds::{at_most, within};
pub use clock::{
    check_started, count_lost_turns, end_round, end_turn, had_turn, next_round, pass_rounds,
    start_encounter, start_round, start_turn,
};
pub(crate) use parts::parts;
