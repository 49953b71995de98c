//! The compiler, asked about a few lines.

use std::env::current_exe;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// What the compiler says of a program that uses the crate's macros.
pub fn errors_of(program: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("declaration.rs");
    fs::write(&file, program).expect("a file");
    let output = Command::new("rustc")
        .args(["--edition", "2024", "--emit", "metadata", "--extern"])
        .arg(format!("turnkeeper_macros={}", macros().display()))
        .arg(&file)
        .current_dir(folder.path())
        .output()
        .expect("rustc runs");
    String::from_utf8(output.stderr).expect("text")
}

/// The newest build of the macros, which is beside the tests.
fn macros() -> PathBuf {
    let tests = current_exe().expect("the tests have a path");
    let folder = tests.parent().expect("they are in a folder");
    let mut builds = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let entry = entry.expect("a file");
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.contains("turnkeeper_macros-") && name.ends_with(std::env::consts::DLL_SUFFIX) {
            let changed = entry.metadata().and_then(|file| file.modified());
            builds.push((changed.expect("a time"), entry.path()));
        }
    }
    let (_, newest) = builds.into_iter().max().expect("the macros are built");
    newest
}
