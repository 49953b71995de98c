//! The tests test the program that ships: what they need beside it changes none of its crates.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// Crates that have more features in tests, all of which add to them and change nothing that the
/// program calls: traits of serde (`ahash`), functions and types (`hashbrown`, `rand`, `rustix`,
/// `zerocopy`), and faster ways to the same matches (`regex-automata`).
const MAY_HAVE_MORE: [&str; 6] = [
    "ahash",
    "hashbrown",
    "rand",
    "regex-automata",
    "rustix",
    "zerocopy",
];

/// The features of each crate, by its name and version.
fn features(kinds: &str) -> BTreeMap<String, BTreeSet<String>> {
    let listed = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--offline", "--no-dedupe"])
        .args(["--prefix=none", "--format={p}|{f}", "--edges", kinds])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let errors = String::from_utf8_lossy(&listed.stderr);
    assert!(listed.status.success(), "{errors}");
    let mut found = BTreeMap::<_, BTreeSet<_>>::new();
    for line in String::from_utf8_lossy(&listed.stdout).lines() {
        let (package, features) = line.split_once('|').expect("a package and features");
        let package = package.split(' ').take(2).collect::<Vec<_>>().join(" ");
        let features = features.split(',').map(str::to_owned);
        found.entry(package).or_default().extend(features);
    }
    found
}

#[test]
fn what_tests_need_changes_no_crate_of_the_program() {
    let program = features("normal,build");
    let tests = features("normal,build,dev");
    assert!(program.len() > 100 && tests.len() > program.len());
    for (package, own) in &program {
        let more: Vec<_> = tests[package].difference(own).collect();
        let (name, _) = package.split_once(' ').expect("a name and a version");
        assert!(
            more.is_empty() || MAY_HAVE_MORE.contains(&name),
            "{package} has the features {more:?} in tests only: leave them out in [dev-dependencies], or give them to the program"
        );
    }
}
