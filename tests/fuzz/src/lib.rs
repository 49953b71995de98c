//! What the targets share: the checks, which the test suite also runs over the corpus.

pub mod checks;
#[path = "../../suite/support/choices.rs"]
mod choices;

use checks::Service;
use std::cell::OnceCell;

thread_local! {
    static SERVICE: OnceCell<Service> = const { OnceCell::new() };
}

/// Runs a check of an input against one service for all inputs.
pub fn check(check: fn(&Service, &[u8]), input: &[u8]) {
    SERVICE.with(|service| check(service.get_or_init(Service::start), input));
}
