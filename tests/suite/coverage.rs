//! Every rule of a system's own text is shown by a transcript or a test, and catalogues are in
//! order.

use crate::e2e::scripts;
use crate::support::sources::files;
use crate::support::table::RULESETS;
use crate::transcripts;
use std::collections::{BTreeMap, BTreeSet};
use turnkeeper::vocabulary::{HOUSE_RULES, Manifest, Rule};

/// The rules that are named as shown, and by whom.
fn shown() -> BTreeMap<String, Vec<String>> {
    let mut shown: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (file, text) in transcripts::files() {
        for rule in transcripts::read(&text)
            .map(|t| t.rules)
            .unwrap_or_default()
        {
            shown.entry(rule).or_default().push(file.clone());
        }
    }
    for (rule, file) in scripts::shown() {
        shown.entry(rule).or_default().push(file);
    }
    let call = concat!("shows", "(&[");
    for (file, text) in files("tests/suite", "rs") {
        for (start, _) in text.match_indices(call) {
            let list = text[start..].split_once("])").map_or("", |(list, _)| list);
            for rule in list.split('"').skip(1).step_by(2) {
                shown.entry(rule.to_owned()).or_default().push(file.clone());
            }
        }
    }
    shown
}

fn manifests() -> Vec<&'static Manifest> {
    RULESETS.iter().map(|ruleset| ruleset.manifest).collect()
}

#[test]
fn every_rule_of_a_systems_own_text_is_shown() {
    let shown = shown();
    let mut missing = Vec::new();
    for manifest in manifests() {
        let official: Vec<&Rule> = manifest.rules.iter().filter(|rule| rule.official).collect();
        let unseen: Vec<&str> = official
            .iter()
            .map(|rule| rule.id)
            .filter(|id| !shown.contains_key(*id))
            .collect();
        assert!(
            !official.is_empty(),
            "{} has no rule of its own",
            manifest.id
        );
        missing.extend(unseen.iter().map(|id| format!("{}: {id}", manifest.id)));
    }
    missing.extend(
        HOUSE_RULES
            .iter()
            .map(|rule| rule.id)
            .filter(|id| !shown.contains_key(*id))
            .map(str::to_owned),
    );
    assert!(
        missing.is_empty(),
        "add these rules to the \"rules\" of a transcript that shows them, in tests/transcripts/<ruleset>:\n  {}",
        missing.join("\n  ")
    );
}

#[test]
fn nothing_shows_a_rule_that_does_not_exist() {
    let manifests = manifests();
    let known: BTreeSet<&str> = manifests
        .iter()
        .flat_map(|m| m.rules)
        .chain(HOUSE_RULES)
        .map(|rule| rule.id)
        .collect();
    let unknown: Vec<_> = shown()
        .into_iter()
        .filter(|(rule, _)| !known.contains(rule.as_str()))
        .collect();
    assert!(
        unknown.is_empty(),
        "these rules are in no catalogue: {unknown:?}"
    );
    for (file, text) in transcripts::files() {
        let folder = file.split('/').next().unwrap_or_default();
        let Some(own) = manifests.iter().find(|m| m.id == folder) else {
            continue;
        };
        for rule in transcripts::read(&text)
            .map(|t| t.rules)
            .unwrap_or_default()
        {
            let here = own.rules.iter().chain(HOUSE_RULES).any(|r| r.id == rule);
            assert!(here, "{file} shows {rule}, a rule of another system");
        }
    }
}

#[test]
fn catalogue_ids_are_unique_and_ascend() {
    let mut seen = BTreeSet::new();
    for rule in manifests().iter().flat_map(|m| m.rules).chain(HOUSE_RULES) {
        assert!(
            seen.insert(rule.id),
            "{} appears twice in the catalogues",
            rule.id
        );
        let one_line = !rule.summary.trim().is_empty() && !rule.summary.contains('\n');
        assert!(one_line, "{}: the summary is one line", rule.id);
    }
    assert!(
        family("AI-9") < family("AI-10") && family("V3.2") < family("V3.10"),
        "they ascend by their numbers"
    );
    assert_eq!(family("TAI2b"), ("TAI".to_owned(), vec![2, u32::from('b')]));
    for manifest in manifests() {
        let mut last: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for rule in manifest.rules {
            let (family, numbers) = family(rule.id);
            let before = last.insert(family, numbers.clone()).unwrap_or_default();
            assert!(
                before < numbers,
                "{}: {} stands after a later rule",
                manifest.id,
                rule.id
            );
        }
    }
}

#[test]
fn a_decision_rests_on_a_rule_of_its_catalogue() {
    for manifest in manifests() {
        for rule in manifest.rules {
            let base = rule.id.trim_end_matches(|c: char| c.is_ascii_lowercase());
            if base == rule.id {
                continue;
            }
            let known = manifest.rules.iter().any(|other| other.id == base);
            assert!(known, "{} rests on no rule of {}", rule.id, manifest.id);
            assert!(
                !rule.official,
                "{} is not of the system's own text",
                rule.id
            );
        }
    }
}

/// A rule's id as the letters before its first number, and its numbers (a letter after a number
/// counts as one).
fn family(id: &str) -> (String, Vec<u32>) {
    let start = id.find(|c: char| c.is_ascii_digit()).unwrap_or(id.len());
    let (family, rest) = id.split_at(start);
    let mut numbers = Vec::new();
    for part in rest.split(['.', '-']) {
        let digits: String = part.chars().take_while(char::is_ascii_digit).collect();
        numbers.extend(digits.parse::<u32>());
        numbers.extend(part.chars().skip(digits.len()).map(u32::from));
    }
    (family.to_owned(), numbers)
}

#[test]
fn a_manifest_lists_exactly_the_commands_that_there_are() {
    for ruleset in RULESETS.iter() {
        let listed: BTreeSet<&str> = ruleset.manifest.commands.iter().map(|c| c.verb).collect();
        let union = crate::support::schema::Shapes::of_ruleset(ruleset.manifest.id, |schemas| {
            &schemas.command
        });
        let verbs = union.variants(union.root());
        let verbs: BTreeSet<&str> = verbs
            .iter()
            .filter_map(|variant| variant["properties"]["type"]["enum"][0].as_str())
            .collect();
        assert_eq!(
            listed, verbs,
            "{}: the manifest's commands are not those of its type",
            ruleset.manifest.id
        );
    }
}
