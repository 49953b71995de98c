//! Dice from a seed: the same seed, the same rolls, on every machine.

use crate::vocabulary::Dice;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;

/// Dice that a 32-byte seed decides.
pub struct SeededDice {
    seed: [u8; 32],
    rng: Option<Box<ChaCha12Rng>>,
}

impl SeededDice {
    /// Dice for this seed. Most commands roll none, so nothing is set up before the first roll.
    pub fn new(seed: [u8; 32]) -> Self {
        Self { seed, rng: None }
    }
}

impl Dice for SeededDice {
    fn roll(&mut self, sides: u16) -> u16 {
        let rng = self.rng.get_or_insert_with(|| Box::new(ChaCha12Rng::from_seed(self.seed)));
        rng.random_range(1..=sides.max(1))
    }
}
