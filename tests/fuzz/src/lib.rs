//! What the targets share: the checks, which the test suite also runs over the corpus.

pub mod checks;
#[path = "../../suite/support/choices.rs"]
mod choices;
