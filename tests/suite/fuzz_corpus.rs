//! What fuzzing found worth keeping, played on every run: the inputs of `tests/fuzz/corpus` through
//! the checks of `tests/fuzz`.

#[path = "../fuzz/src/checks.rs"]
mod checks;
use crate::support::{choices, sources};
use checks::Service;
use rstest::rstest;

#[rstest]
#[case::definitions("definitions", Service::definitions)]
#[case::imports("imports", Service::imports)]
#[case::requests("requests", Service::requests)]
fn the_corpus_breaks_no_check(#[case] target: &str, #[case] check: fn(&Service, &[u8])) {
    let service = Service::start();
    let corpus = sources::text(&format!("tests/fuzz/corpus/{target}.jsonl"));
    assert!(!corpus.is_empty(), "{target} has inputs");
    for line in corpus.lines() {
        let input: String = serde_json::from_str(line).expect("a JSON string");
        check(&service, input.as_bytes());
    }
}
