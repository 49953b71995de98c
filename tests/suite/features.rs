//! The tests test the program that ships: what they need beside it changes none of its crates.

use crate::support::sources::files;
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

/// The settings of the dev profile in a manifest, by the heads of their tables.
fn dev_profile(manifest: &str) -> BTreeMap<String, Vec<String>> {
    let text = std::fs::read_to_string(manifest).expect("a manifest");
    let mut found = BTreeMap::<_, Vec<_>>::new();
    let mut head = String::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if line.starts_with('[') {
            head = line.trim_matches(['[', ']']).to_owned();
        } else if head.starts_with("profile.dev") && !line.is_empty() {
            found.entry(head.clone()).or_default().push(line.to_owned());
        }
    }
    found
}

#[test]
fn fuzzing_takes_what_is_compiled_for_the_program() {
    let root = env!("CARGO_MANIFEST_DIR");
    let own = dev_profile(&format!("{root}/Cargo.toml"));
    assert_eq!(dev_profile(&format!("{root}/tests/fuzz/Cargo.toml")), own);
}

#[test]
fn what_mutants_leave_out_is_in_files_that_are_there() {
    let root = env!("CARGO_MANIFEST_DIR");
    let list = std::fs::read_to_string(format!("{root}/.cargo/mutants.toml")).expect("a list");
    let sources = files("src", "rs");
    let mut named = 0;
    for line in list.lines() {
        let pattern = line.trim_start().trim_start_matches(['\'', '"']);
        let Some((file, _)) = pattern.split_once(".rs:") else {
            continue;
        };
        named += 1;
        let end = format!("/{file}.rs");
        let is_there = sources.iter().any(|(path, _)| path.ends_with(&end));
        assert!(is_there, "{file}.rs is not there: {line}");
    }
    assert!(named > 20, "{named}");
}
