//! What several systems share: the start of a fight, turns and rounds with their effect clocks,
//! nomination, and the choice among combatants of which some are hidden.

mod bounds;
mod clock;
mod nomination;
mod own_roll;
mod secrecy;
mod types;

pub use bounds::{at_most, check_own_die, within};
pub use clock::{
    check_started, count_lost_turns, end_round, end_turn, had_turn, next_round, pass_rounds,
    start_encounter, start_round, start_turn,
};
pub use nomination::{check_chooser, check_in_fight, check_starter};
pub use own_roll::rolled;
pub use secrecy::{level_is_public, seen_first, seen_if_any};
pub(crate) use types::types;
