//! The published systems: one folder each, with the same file names, and one line below.
//!
//! A ruleset imports the vocabulary and [`shared`], never another ruleset.

pub mod active_initiative;
pub mod custom;
pub mod dc20;
pub mod exp;
pub mod seize;
pub mod shared;
pub mod venture;

use crate::vocabulary::Registrar;

/// Tells `registrar` every ruleset that ships.
pub fn register(registrar: &mut impl Registrar) {
    registrar.add::<active_initiative::ActiveInitiative>();
    registrar.add::<exp::Exp>();
    registrar.add::<seize::Seize>();
    registrar.add::<venture::Venture>();
    registrar.add::<dc20::Dc20>();
    registrar.add::<custom::Custom>();
}
