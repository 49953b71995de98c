//! What several systems share: turns and rounds with their effect clocks, and shapes that older logs have.

mod clock;
mod older;

pub use clock::{end_round, end_turn, pass_rounds, start_round, start_turn};
pub use older::several;
