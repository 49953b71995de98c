//! The tests of files are listed when the tests are compiled: a file that is added later has no
//! test yet.

use crate::support::sources::files;
use std::process::Command;

/// The folders whose files are tests, and the extension of the files.
const FOLDERS: [(&str, &str); 4] = [
    ("tests/transcripts", "json"),
    ("tests/http", "json"),
    ("tests/refusals", "json"),
    ("tests/plays", "jsonl"),
];

#[test]
fn each_file_has_its_test() {
    let suite = std::env::current_exe().expect("a path");
    let output = Command::new(suite).arg("--list").output().expect("a list");
    let tests = String::from_utf8(output.stdout).expect("text");
    for (folder, extension) in FOLDERS {
        for (file, _) in files(folder, extension) {
            let below = file.trim_start_matches(folder).trim_start_matches('/');
            let name = below.replace(['/', '-', '.'], "_");
            assert!(
                tests.contains(&format!("{name}: test")),
                "{file} has no test yet: start the tests with tests/run, or touch tests/suite/main.rs"
            );
        }
    }
}
