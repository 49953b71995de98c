//! Every rule of a system's own text is shown by a transcript or a test, catalogues are in order,
//! and a rule that changes leaves no sentence that says the old one.

use crate::e2e::scripts;
use crate::support::sources::{files, path, text};
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
        let has_definitions = !manifest.presets.is_empty();
        for rule in manifest.rules.iter().filter(|_| has_definitions) {
            let sentence = rule.for_players.unwrap_or(rule.summary);
            let names_a_line = sentence.contains('`');
            assert!(!names_a_line, "{}: players know no definition", rule.id);
        }
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

/// Each rule as the sentences on it were read last, a line each: its id and what it says.
const RULES_SAID: &str = "tests/fixtures/rules.txt";

/// The places that name a rule, beside its catalogue and the files that are made from the code.
fn places_of(rule: &str) -> Vec<String> {
    let made: Vec<String> = RULESETS
        .iter()
        .map(|ruleset| ruleset.manifest.id)
        .chain(["all-rulesets", "names"])
        .map(|page| format!("docs/reference/{page}.md"))
        .collect();
    let mut places = Vec::new();
    let pages = files("docs", "md");
    let sources = files("src", "rs");
    for (file, text) in pages.iter().chain(&sources) {
        if made.contains(file) {
            continue;
        }
        for (number, line) in text.lines().enumerate() {
            let names = line.match_indices(rule).any(|(at, _)| {
                let after = line[at + rule.len()..].chars().next();
                let before = line[..at].chars().next_back();
                ![before, after]
                    .iter()
                    .flatten()
                    .any(char::is_ascii_alphanumeric)
            });
            if names && !line.contains(&format!("\"{rule}\"")) {
                places.push(format!("{file}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    places
}

#[test]
fn sentences_on_a_rule_that_changes_are_read_again() {
    let rules = manifests();
    let rules = rules.iter().flat_map(|m| m.rules).chain(HOUSE_RULES);
    let now: BTreeMap<&str, &str> = rules.map(|rule| (rule.id, rule.summary)).collect();
    if std::env::var_os("TURNKEEPER_BLESS").is_some() {
        let lines: Vec<String> = now
            .iter()
            .map(|(id, says)| format!("{id} {says}\n"))
            .collect();
        std::fs::write(path(RULES_SAID), lines.concat()).expect("the list can be written");
    }
    let before = text(RULES_SAID);
    let before: BTreeMap<&str, &str> = before
        .lines()
        .filter_map(|line| line.split_once(' '))
        .collect();
    let changed: Vec<String> = before
        .keys()
        .chain(now.keys())
        .collect::<BTreeSet<_>>()
        .into_iter()
        .filter(|id| before.get(*id) != now.get(*id))
        .map(|id| {
            format!(
                "{id} has changed, and is named at\n    {}",
                places_of(id).join("\n    ")
            )
        })
        .collect();
    assert!(
        changed.is_empty(),
        "Mend the sentences that say an old rule, then record the rules: TURNKEEPER_BLESS=1 tests/run sentences_on_a_rule\n  {}",
        changed.join("\n  ")
    );
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
