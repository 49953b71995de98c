//! The codes of problems are a closed list: the page on errors and the source have the same.

use crate::support::sources::files;
use std::collections::{BTreeMap, BTreeSet};
use turnkeeper::openapi::codes;

/// What makes a refusal or a problem of a code.
const MAKERS: &[&str] = &[
    "Violation::new(",
    "Violation::field(",
    "Problem::new(",
    "Problem::bad(",
    "Problem::unavailable(",
];
/// What does so inside `problem.rs`.
const OWN_MAKERS: &[&str] = &[
    "Self::new(",
    "Self::bad(",
    "Self::unavailable(",
    "Self::unprocessable(",
    "Self::fields(",
];
/// Functions that pass a code on to one of the makers, each beside it in its file.
const FORWARDERS: &[&str] = &["refuse(", "refused("];

/// Functions whose second argument is a code: what must hold comes first.
const CONDITIONS: &[&str] = &["require(", "ensure("];

/// What follows the first argument of a call.
fn after_first_argument(rest: &str) -> &str {
    let (mut depth, mut text) = (0, false);
    for (at, c) in rest.char_indices() {
        match c {
            '"' => text = !text,
            _ if text => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => return &rest[at + 1..],
            _ => {}
        }
    }
    ""
}

/// The text that `rest` begins with, after at most one other argument.
fn literal(rest: &str) -> Option<&str> {
    let open = rest.find('"')?;
    let before = rest[..open].trim();
    let plain = before.is_empty()
        || before
            .strip_suffix(',')
            .is_some_and(|one| !one.contains([',', ';', '"', '|']));
    let text = rest[open + 1..].split('"').next()?;
    let is_code = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    (plain && !text.is_empty() && text.chars().all(is_code)).then_some(text)
}

/// The codes that a file makes, and the calls of makers whose code is not seen.
fn made(file: &str, source: &str) -> (BTreeSet<String>, Vec<String>) {
    let source = source.split("#[cfg(test)]").next().unwrap_or_default();
    let own: &[&str] = if file.ends_with("problem.rs") {
        OWN_MAKERS
    } else {
        &[]
    };
    let calls = |makers: &[&str]| -> Vec<String> {
        let ends = makers.iter().flat_map(|maker| {
            source
                .match_indices(maker)
                .map(|(at, found)| at + found.len())
        });
        ends.map(|end| source[end..].chars().take(400).collect())
            .collect()
    };
    let (mut found, mut unseen) = (BTreeSet::new(), Vec::new());
    let conditions = calls(CONDITIONS);
    found.extend(
        conditions
            .iter()
            .filter_map(|call| literal(after_first_argument(call)))
            .map(str::to_owned),
    );
    let mut forwarded = false;
    for call in calls(&[MAKERS, own].concat()) {
        match literal(&call) {
            Some(code) => _ = found.insert(code.to_owned()),
            // A code of another refusal was seen where that was made.
            None if call
                .split(',')
                .next()
                .is_some_and(|argument| argument.ends_with(".code")) => {}
            None if call
                .split([',', ')'])
                .take(2)
                .any(|argument| argument.trim() == "code") =>
            {
                forwarded = true;
            }
            None => unseen.push(format!("{file}: {call}")),
        }
    }
    if forwarded {
        found.extend(
            calls(FORWARDERS)
                .iter()
                .filter_map(|call| literal(call))
                .map(str::to_owned),
        );
        // Codes in tuples, which a `let` or a `match` passes on.
        for (at, _) in source.match_indices('(') {
            let called = source[..at].ends_with(|c: char| c.is_alphanumeric() || c == '!');
            let inside = source[at + 1..].trim_start();
            if !called && inside.starts_with('"') {
                found.extend(literal(inside).map(str::to_owned));
            }
        }
    }
    (found, unseen)
}

#[test]
fn the_page_on_errors_explains_every_code_and_no_other() {
    let files = files("src", "rs")
        .into_iter()
        .filter(|(file, _)| !file.starts_with("src/openapi/"));
    let (mut sources, mut unseen) = (BTreeMap::new(), Vec::new());
    for (file, source) in files {
        let (codes, hidden) = made(&file, &source);
        sources.extend(codes.into_iter().map(|code| (code, file.clone())));
        unseen.extend(hidden);
    }
    assert!(
        unseen.is_empty(),
        "a code must be a literal where it is made: {unseen:#?}"
    );
    let listed: Vec<&str> = codes().collect();
    let unlisted: Vec<_> = sources
        .iter()
        .filter(|(code, _)| !listed.contains(&code.as_str()))
        .collect();
    assert!(
        unlisted.is_empty(),
        "docs/reference/errors.md does not explain {unlisted:?}"
    );
    let unused: Vec<_> = listed
        .iter()
        .filter(|code| !sources.contains_key(**code))
        .collect();
    assert!(unused.is_empty(), "nothing makes {unused:?}");
    assert_eq!(
        listed.len(),
        listed.iter().collect::<BTreeSet<_>>().len(),
        "a code stands on the page twice"
    );
}
