//! Growth: what everything costs with 125, 250 and 500 combatants, in instructions that valgrind
//! counts. Ends with 1 where twice the combatants take more than 2.5 times the work, and that is
//! more than some milliseconds.
//!
//! `cargo bench --bench growth -- [FILTER] [SMALLEST]` plays the subjects whose name contains the
//! filter: rulesets and presets of `custom`. The second number is the smallest of the three sizes, at
//! least 10.
//! Needs valgrind.

#[path = "../support/mod.rs"]
mod support;

use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use support::meta;
use turnkeeper::engine::{
    AnyEncounter, Creation, Decided, LogEntry, Meta, OptionsFilter, Request, Role, Rulesets,
    SeededDice, TokenRecord, Viewer,
};
use turnkeeper::json::read;
use turnkeeper::rulesets::custom::Preset;
use turnkeeper::vocabulary::{CombatantId, LegalCommand, OwnCombatant, Time};

/// The most that twice the combatants may cost.
const LAW: f64 = 2.5;
/// Less is not held to the law.
const LITTLE: u64 = 20_000_000;
/// Acts that are known to break the law: options that are tried for each combatant, while each trial
/// looks at all of them. They are DC20's claims after the first answers, `override` while all declare,
/// reactions, and a clock's next turn.
const KNOWN: [(&str, &str); 8] = [
    ("dc20", "options"),
    ("dc20", "player's options"),
    ("custom/clock", "options with tools"),
    ("custom/fast-slow", "options with tools"),
    ("custom/feng-shui", "options"),
    ("custom/mythras", "options"),
    ("custom/phases", "options with tools"),
    ("custom/shadowrun", "options"),
];
/// Commands before those that are measured.
const MOMENTS: [usize; 3] = [0, 1, 6];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with("--"))
        .collect();
    if let [inner, subject, size] = &arguments[..]
        && inner == "count"
    {
        play(subject, size.parse().expect("a number"));
        return ExitCode::SUCCESS;
    }
    let filter = arguments.first().map_or("", String::as_str);
    let smallest: usize = arguments
        .get(1)
        .map_or(125, |size| size.parse().expect("a number"));
    let sizes = [smallest, 2 * smallest, 4 * smallest];
    println!(
        "{:<72}{:>14}{:>14}{:>14}",
        "instructions", sizes[0], sizes[1], sizes[2]
    );
    let mut broken = 0;
    for subject in subjects().iter().filter(|subject| subject.contains(filter)) {
        let counted = sizes.map(|size| count(subject, size));
        for (act, first) in &counted[0] {
            let [Some(second), Some(third)] = [1, 2].map(|place| counted[place].get(act)) else {
                continue;
            };
            let growth = *third as f64 / *second as f64;
            let breaks = growth > LAW && *third > LITTLE;
            let mut known = KNOWN.iter();
            let is_known = known.any(|(of, begins)| of == subject && act.starts_with(begins));
            let verdict = match (breaks, is_known) {
                (false, _) => "",
                (true, true) => "  known",
                (true, false) => "  TOO MUCH",
            };
            broken += u32::from(breaks && !is_known);
            let name = format!("{subject}: {act}");
            println!("{name:<72}{first:>14}{second:>14}{third:>14}  x {growth:.2}{verdict}");
        }
    }
    println!("{broken} grow faster than {LAW} times");
    ExitCode::from(u8::from(broken > 0))
}

/// Rulesets by their ids, and presets of `custom`.
fn subjects() -> Vec<String> {
    let mut subjects = Vec::new();
    for ruleset in Rulesets::shipped().iter() {
        if ruleset.manifest.id != "custom" {
            subjects.push(ruleset.manifest.id.to_owned());
        }
    }
    for preset in Preset::ALL {
        let name = json!(preset);
        subjects.push(format!("custom/{}", name.as_str().expect("a name")));
    }
    subjects
}

/// The instructions of each act, by its name.
fn count(subject: &str, size: usize) -> BTreeMap<String, u64> {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("counted");
    let program = std::env::current_exe().expect("this program");
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--collect-atstart=no"])
        .args([
            "--toggle-collect=growth::measured",
            "--dump-after=growth::measured",
        ])
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(program)
        .args(["count", subject, &size.to_string()])
        .output()
        .expect("valgrind");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let mut counted = BTreeMap::new();
    for (place, act) in printed.lines().enumerate() {
        let dump = format!("{}.{}", out.display(), place + 1);
        counted.insert(act.to_owned(), instructions(Path::new(&dump)));
    }
    counted
}

/// The sum of a dump of callgrind's.
fn instructions(dump: &Path) -> u64 {
    let dump = std::fs::read_to_string(dump).expect("a dump for each act");
    let mut lines = dump.lines();
    let total = lines.find_map(|line| line.strip_prefix("totals: "));
    total.expect("a total").parse().expect("a number")
}

/// Valgrind counts in here.
#[inline(never)]
fn measured(work: &mut dyn FnMut()) {
    work();
}

/// Does something once, and says what it was.
fn measure<T>(act: &str, work: impl FnOnce() -> T) -> T {
    let (mut work, mut done) = (Some(work), None);
    measured(&mut || done = work.take().map(|work| work()));
    println!("{act}");
    done.expect("measured once")
}

fn play(subject: &str, size: usize) {
    let rulesets = Rulesets::shipped();
    let creation = creation(subject, size);
    let mut encounter = measure("create", || {
        let creation: Creation = read(&creation).expect("a creation");
        rulesets.create(meta(), creation).expect("an encounter")
    });
    let own = owned(&*encounter);
    encounter = encounter.with_meta(Meta {
        tokens: vec![player_token(own.clone())],
        ..meta()
    });
    let base = encounter.clone();
    let mut entries = Vec::new();
    for number in 0..=MOMENTS[MOMENTS.len() - 1] {
        if MOMENTS.contains(&number) {
            moment(&rulesets, &encounter, &own, number);
        }
        let Some(command) = next_command(&*encounter) else {
            break;
        };
        let decided = decide(&*encounter, std::slice::from_ref(&command)).expect("legal");
        entries.push(entry(&decided, &command));
        encounter = decided.next;
    }
    measure("import", || {
        let mut encounter = base;
        for mut entry in entries {
            let next = encounter.import_entry(&mut entry, &|| false);
            encounter = next.ok().flatten().expect("an entry");
        }
    });
}

/// Measures what can be asked and sent in one state.
fn moment(
    rulesets: &Rulesets,
    encounter: &Arc<dyn AnyEncounter>,
    own: &[OwnCombatant],
    number: usize,
) {
    let mut player = Viewer::gm("gm");
    player.role = Role::Player;
    player.combatants = own.to_vec();
    let gm = Viewer::gm("gm");
    let named = |act: &str| format!("{act} at {number}");
    measure(&named("view"), || encounter.view(&gm).expect("a view"));
    let seen = measure(&named("player's view"), || {
        let seen = encounter.redacted(own);
        seen.view(&player).expect("a view");
        seen
    });
    measure(&named("table"), || encounter.text());
    let document = measure(&named("store"), || {
        encounter.document().expect("a document")
    });
    measure(&named("load"), || {
        rulesets.load(&document).map(drop).expect("a document");
    });
    let few = OptionsFilter::default();
    measure(&named("options"), || {
        encounter.options(&gm, &few, 0, &|| false)
    });
    let all = OptionsFilter::all();
    let listed = measure(&named("options with tools"), || {
        encounter.options(&gm, &all, 0, &|| false)
    });
    measure(&named("player's options"), || {
        seen.options(&player, &all, 0, &|| false)
    });
    let mut measured = HashSet::new();
    for option in &listed {
        let command = option.completed().expect("a value");
        let verb = command["type"].as_str().unwrap_or_default().to_owned();
        if ["undo", "redo"].contains(&&*verb) || !measured.insert(verb.clone()) {
            continue;
        }
        measure(&named(&verb), || decide(&**encounter, &[command]));
    }
    let resolves = vec![json!({"type": "resolve"}); 50];
    if measured.contains("resolve") {
        measure(&named("50 resolve"), || decide(&**encounter, &resolves));
    }
}

fn decide(encounter: &dyn AnyEncounter, commands: &[Value]) -> Option<Decided> {
    let body = match commands {
        [only] => only.clone(),
        several => json!({"commands": several}),
    };
    let request = Request::read(body).ok()?;
    let mut dice = SeededDice::new([7; 32]);
    encounter
        .decide(&[], &request, Time::default(), &mut dice, &|| false)
        .ok()
}

/// A command that the fight waits for.
fn next_command(encounter: &dyn AnyEncounter) -> Option<Value> {
    let pending = encounter.brief().pending?;
    let gm = Viewer::gm("gm");
    let listed = encounter.options(&gm, &OptionsFilter::default(), 0, &|| false);
    let awaited = |option: &&LegalCommand| {
        let mut awaited = pending.commands.iter();
        awaited.any(|verb| option.command["type"] == *verb)
    };
    listed.iter().find(awaited)?.completed()
}

fn entry(decided: &Decided, command: &Value) -> LogEntry {
    let entry = json!({
        "version": decided.next.version(), "at": "2026-01-01T00:00:00Z", "token": "gm",
        "commands": [command["type"]], "events": decided.events,
    });
    serde_json::from_str(&entry.to_string()).expect("an entry")
}

/// The combatants of a player, one of them hidden.
fn owned(encounter: &dyn AnyEncounter) -> Vec<OwnCombatant> {
    let own = ["c0", "c9"].map(|id| {
        let id = CombatantId::new(id).expect("an id");
        encounter
            .named("combatants".into(), &id)
            .expect("a combatant")
    });
    own.to_vec()
}

/// The token of a player with these combatants.
fn player_token(own: Vec<OwnCombatant>) -> TokenRecord {
    TokenRecord {
        id: "player".into(),
        digest: "0".repeat(64),
        role: Role::Player,
        name: None,
        combatants: own,
        expires_at: None,
        replaced_at: None,
    }
}

/// Half of the combatants are the players', every tenth is hidden.
fn creation(subject: &str, size: usize) -> Value {
    let mut combatants = Vec::new();
    for n in 0..size {
        let (side, kind) = if n % 2 == 0 {
            ("players", "pc")
        } else {
            ("monsters", "npc")
        };
        combatants.push(json!({
            "id": format!("c{n}"), "name": format!("Combatant {n}"), "side": side, "kind": kind,
            "hidden": n % 10 == 9, "hp": {"current": 20, "max": 20},
        }));
    }
    match subject.split_once('/') {
        Some((ruleset, preset)) => {
            json!({"ruleset": ruleset, "options": {"preset": preset}, "combatants": combatants})
        }
        None => json!({"ruleset": subject, "combatants": combatants}),
    }
}
