//! What several systems share: the start of a fight, turns and rounds with their effect clocks, and shapes that older logs have.

mod bounds;
mod clock;
mod older;
mod parts;

pub use bounds::{at_most, within};
pub use clock::{
    check_started, end_round, end_turn, had_turn, next_round, pass_rounds, start_encounter, start_round, start_turn,
};
pub use older::several;
pub(crate) use parts::parts;
