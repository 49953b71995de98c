//! Dice from a seed: the same seed, the same rolls, on every machine.

use crate::vocabulary::Dice;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;

/// Dice that a 32-byte seed decides.
pub struct SeededDice(ChaCha12Rng);

impl SeededDice {
    /// Dice for this seed.
    pub fn new(seed: [u8; 32]) -> Self {
        Self(ChaCha12Rng::from_seed(seed))
    }
}

impl Dice for SeededDice {
    fn roll(&mut self, sides: u16) -> u16 {
        self.0.random_range(1..=sides.max(1))
    }
}
