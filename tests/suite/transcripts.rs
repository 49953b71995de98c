//! Transcripts: fights written down as JSON, played by one runner. Each ruleset has a folder; those
//! in `every` play in all rulesets. One with hidden combatants may play a second time without them.

mod hidden;

use crate::support::contract;
use crate::support::dice::ScriptedDice;
use crate::support::json::{at, difference, short};
use crate::support::legal_commands::listed;
use crate::support::sources;
use crate::support::table::{RULESETS, Refused, Table, owned, player};
use rstest::rstest;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use turnkeeper::engine::Viewer;
use turnkeeper::vocabulary::{CombatantId, Manifest};

/// A fight as it is written down.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transcript {
    /// What it shows.
    pub name: String,
    /// A word to the reader.
    #[serde(default)]
    #[allow(dead_code, reason = "it is for the reader")]
    why: Option<String>,
    /// The rules of the catalogue that it shows.
    #[serde(default)]
    pub rules: Vec<String>,
    /// The creation of the encounter; in `every` without its ruleset.
    create: Value,
    /// Combatants that are hidden: it plays a second time without them, and players see the same.
    #[serde(default)]
    without: Option<Vec<CombatantId>>,
    /// The server's dice in order: no more and no fewer may be rolled.
    #[serde(default)]
    dice: Vec<u16>,
    /// What is sent, and what comes of it.
    steps: Vec<Step>,
}

/// One request and what comes of it; a step that sends nothing looks at the encounter as it is.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    #[serde(default)]
    send: Option<Value>,
    /// The combatants of the player who sends it, and whose options are looked at; the game master
    /// without them.
    #[serde(default)]
    by: Vec<CombatantId>,
    /// A word to the reader.
    #[serde(default)]
    #[allow(dead_code, reason = "it is for the reader")]
    why: Option<String>,
    /// The server's dice for this step, instead of the transcript's.
    #[serde(default)]
    dice: Option<Vec<u16>>,
    #[serde(default)]
    refused: Option<ExpectedRefusal>,
    #[serde(default)]
    expect: Map<String, Value>,
    #[serde(default)]
    events: Option<Vec<Value>>,
    /// Events that are among those of the command.
    #[serde(default)]
    among_events: Vec<Value>,
    #[serde(default)]
    legal: Vec<Value>,
    #[serde(default)]
    not_legal: Vec<Value>,
    /// What players see of it, where the transcript plays a second time `without` some.
    #[serde(default)]
    seen: Seen,
    /// The server's dice in the play without them, if they are others.
    #[serde(default)]
    dice_without: Option<Vec<u16>>,
    /// What players read after it, in the play with all.
    #[serde(default)]
    players: Option<Read>,
}

/// What players see of a step whose transcript plays twice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Seen {
    /// It happens in both plays, and looks the same.
    #[default]
    Same,
    /// It happens in the play with all, and is a note of the game master's in the other one.
    Nothing,
    /// It gives a hidden combatant the turn, or asks for one: players read that somebody acts. From
    /// here on nothing is compared.
    Someone,
    /// It shows what no play without the hidden could. From here on nothing is compared.
    More,
}

/// What players read after a step.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Read {
    /// The types of the events.
    #[serde(default)]
    events: Option<Vec<String>>,
    /// Parts of the encounter, by their paths.
    #[serde(default)]
    expect: Map<String, Value>,
    /// Parts of its text.
    #[serde(default)]
    shows: Vec<String>,
    /// What its text does not hold.
    #[serde(default)]
    hides: Vec<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectedRefusal {
    code: String,
    #[serde(default)]
    rule: Option<String>,
    #[serde(default)]
    field: Option<String>,
    /// A part of the sentence for people.
    #[serde(default)]
    detail: String,
}

/// The file of a transcript, as `ruleset/name.json`.
pub fn name(file: &Path) -> String {
    sources::name_below("tests/transcripts", file)
}

/// Every transcript's file, as `ruleset/name.json` and its text, in the order of the names.
pub fn files() -> Vec<(String, String)> {
    let mut files = sources::files("tests/transcripts", "json");
    for (file, _) in &mut files {
        *file = name(&sources::path(file));
    }
    files
}

/// A ruleset's transcripts as JSON, by their files.
pub fn of(ruleset: &str) -> Vec<(String, Value)> {
    let files = files()
        .into_iter()
        .filter(|(file, _)| file.starts_with(&format!("{ruleset}/")));
    files
        .map(|(file, text)| (file, serde_json::from_str(&text).expect("a transcript")))
        .collect()
}

/// What is sent in a transcript; None where some of its dice are the server's.
pub fn sent_without_dice(transcript: &Value) -> Option<Vec<&Value>> {
    let steps = transcript["steps"].as_array().expect("steps");
    let given = |part: &Value| {
        part.get("dice")
            .and_then(Value::as_array)
            .is_none_or(Vec::is_empty)
    };
    let all_given = given(transcript) && steps.iter().all(given);
    all_given.then(|| steps.iter().filter_map(|step| step.get("send")).collect())
}

/// Reads a transcript.
pub fn read(text: &str) -> Result<Transcript, String> {
    serde_json::from_str(text).map_err(|e| format!("it is no transcript: {e}"))
}

/// Plays a transcript; everything that is not as written.
fn play(transcript: &Transcript) -> Vec<String> {
    let mut table = match Table::try_create(transcript.create.clone()) {
        Ok(table) => table,
        Err(refused) => {
            return vec![format!(
                "the encounter was not created: {}",
                described(&refused)
            )];
        }
    };
    let mut wrong = undocumented(&table, &[("NewEncounter", &transcript.create)]);
    let mut dice = ScriptedDice::new(&transcript.dice);
    for (number, step) in (1..).zip(&transcript.steps) {
        let sent = step.send.as_ref().map_or("a look".to_owned(), short);
        let mut note = |what: String| wrong.push(format!("step {number}, {sent}\n      {what}"));
        let mut own = step.dice.as_deref().map(ScriptedDice::new);
        match take(&mut table, step, own.as_mut().unwrap_or(&mut dice)) {
            Ok(complaints) => complaints.into_iter().for_each(&mut note),
            Err(broken) => {
                note(broken);
                return wrong;
            }
        }
        own.iter_mut()
            .flat_map(ScriptedDice::verdict)
            .for_each(&mut note);
        dice.complaints().into_iter().for_each(&mut note);
    }
    wrong.extend(dice.verdict());
    wrong
}

/// Takes one step; what is not as written, or (as an error) why the rest cannot be played.
fn take(table: &mut Table, step: &Step, dice: &mut ScriptedDice) -> Result<Vec<String>, String> {
    let mut wrong = Vec::new();
    let viewer = if step.by.is_empty() {
        Viewer::gm("gm")
    } else {
        player("player", owned(&*table.game, &step.by))
    };
    if let Some(body) = &step.send {
        let untouched = dice.clone();
        match (
            table.try_send_as(&viewer, body.clone(), dice)?,
            &step.refused,
        ) {
            (Ok(events), None) => {
                wrong.extend(step.events.iter().filter_map(|e| unlike(e, &events)));
                let missing = step
                    .among_events
                    .iter()
                    .filter(|e| !events.iter().any(|event| fits(e, event)));
                wrong.extend(missing.map(|e| format!("no event is {e}")));
                let parts: Vec<_> = events.iter().map(|event| ("Event", event)).collect();
                wrong.extend(undocumented(table, &parts));
            }
            (Ok(events), Some(expected)) => {
                return Err(format!(
                    "expected a refusal ({}), got {}",
                    expected.code,
                    short(&Value::Array(events))
                ));
            }
            (Err(refused), None) => return Err(format!("it was refused: {}", described(&refused))),
            (Err(refused), Some(expected)) => {
                *dice = untouched;
                let expected_one = refused.code == expected.code
                    && (expected.rule.is_none() || refused.rule == expected.rule)
                    && (expected.field.is_none() || refused.field == expected.field)
                    && refused.detail.contains(&expected.detail);
                if !expected_one {
                    wrong.push(format!(
                        "expected {expected:?}, got {}",
                        described(&refused)
                    ));
                }
            }
        }
    } else if step.refused.is_some() || step.events.is_some() {
        return Err("a step that sends nothing has neither events nor a refusal".into());
    }
    let view = table.view();
    wrong.extend(undocumented(table, &[("Encounter", &view)]));
    for (path, expected) in &step.expect {
        match at(&view, path) {
            Ok(got) => wrong.extend(difference(path, expected, &got)),
            Err(nowhere) => wrong.push(format!("{path}: {nowhere}")),
        }
    }
    type Check = fn(&[turnkeeper::vocabulary::LegalCommand], &Value) -> bool;
    let checks: [(&[Value], Check, bool, &str); 2] = [
        (&step.legal, listed, true, "legal"),
        (&step.not_legal, listed, false, "legal"),
    ];
    let legal_commands = if checks.iter().all(|check| check.0.is_empty()) {
        Vec::new()
    } else {
        table.legal_commands_of(&viewer)
    };
    for (commands, check, expected, word) in checks {
        for command in commands
            .iter()
            .filter(|command| check(&legal_commands, command) != expected)
        {
            wrong.push(match expected {
                true => format!(
                    "{command} is not {word}; there are {}",
                    alike(&legal_commands, command)
                ),
                false => format!("{command} is {word}"),
            });
        }
    }
    Ok(wrong)
}

/// What of these is not as the published documents say, each by the schema of this name.
fn undocumented(table: &Table, parts: &[(&str, &Value)]) -> Vec<String> {
    let mut wrong = Vec::new();
    for (schema, value) in parts {
        wrong.extend(contract::ruleset_errors(
            table.game.ruleset(),
            schema,
            value,
        ));
    }
    wrong
}

/// The legal_commands of the same verb, for the reader of a failure.
fn alike(legal_commands: &[turnkeeper::vocabulary::LegalCommand], command: &Value) -> String {
    let same: Vec<Value> = legal_commands
        .iter()
        .filter(|o| o.command["type"] == command["type"])
        .map(|o| json!({"command": o.command, "choices": o.choices}))
        .collect();
    short(&Value::Array(same))
}

/// Whether an event is the expected one: a string is its type, an object holds some of its fields.
fn fits(expected: &Value, got: &Value) -> bool {
    match expected {
        Value::Object(fields) => fields
            .iter()
            .all(|(field, value)| got.get(field) == Some(value)),
        kind => got.get("type") == Some(kind),
    }
}

/// How the events differ from those expected.
fn unlike(expected: &[Value], got: &[Value]) -> Option<String> {
    let same = expected.len() == got.len() && expected.iter().zip(got).all(|(e, g)| fits(e, g));
    let list = |events: &[Value]| {
        events
            .iter()
            .map(short)
            .collect::<Vec<_>>()
            .join("\n        ")
    };
    (!same).then(|| {
        format!(
            "events: expected\n        {}\n      got\n        {}",
            list(expected),
            list(got)
        )
    })
}

fn described(refused: &Refused) -> String {
    let Refused {
        code,
        rule,
        field,
        detail,
    } = refused;
    let rule = rule
        .as_ref()
        .map_or(String::new(), |rule| format!(", rule {rule}"));
    let field = field
        .as_ref()
        .map_or(String::new(), |field| format!(", field {field}"));
    format!("code {code}{rule}{field}: {detail}")
}

/// Plays the transcript of a file in each ruleset of its folder; everything that is not as written.
fn check(file: &str, text: &str) -> Vec<String> {
    let folder = file.split('/').next().unwrap_or_default();
    let manifests: Vec<&Manifest> = RULESETS
        .iter()
        .map(|ruleset| ruleset.manifest)
        .filter(|manifest| folder == "every" || manifest.id == folder)
        .collect();
    if manifests.is_empty() {
        return vec![format!("the folder {folder} is no ruleset's")];
    }
    let mut wrong = Vec::new();
    for manifest in manifests {
        let here = match read(&text.replace("$down", manifest.down)) {
            Ok(transcript) => check_in(manifest, folder, transcript),
            Err(unreadable) => vec![unreadable],
        };
        wrong.extend(
            here.iter()
                .map(|what| format!("{file}, {}: {what}", manifest.id)),
        );
    }
    wrong
}

/// Plays a transcript in this ruleset; everything that is not as written.
fn check_in(manifest: &Manifest, folder: &str, mut transcript: Transcript) -> Vec<String> {
    if folder == "every" {
        transcript.create["ruleset"] = json!(manifest.id);
    }
    if transcript.create["ruleset"] != manifest.id {
        let played = &transcript.create["ruleset"];
        return vec![format!("the folder is {folder}, the ruleset {played}")];
    }
    // A panic names no transcript; this line of the test's output does.
    println!("{}, in {}", transcript.name, manifest.id);
    let mut wrong = play(&transcript);
    let is_compared = |step: &Step| {
        step.seen != Seen::Same || step.dice_without.is_some() || step.players.is_some()
    };
    match &transcript.without {
        Some(without) => wrong.extend(hidden::play(&transcript, without)),
        None if transcript.steps.iter().any(is_compared) => {
            wrong.push("what players see is compared only where `without` stands".to_owned());
        }
        None => {}
    }
    wrong
}

/// Looks at every state of every transcript of a ruleset.
pub fn visit(manifest: &Manifest, mut look: impl FnMut(&Table)) {
    for (file, text) in files() {
        let folder = file.split('/').next().unwrap_or_default();
        if folder != "every" && folder != manifest.id {
            continue;
        }
        let mut transcript = read(&text.replace("$down", manifest.down)).expect("a transcript");
        transcript.create["ruleset"] = json!(manifest.id);
        let Ok(mut table) = Table::try_create(transcript.create) else {
            panic!("{file}: the encounter was not created");
        };
        look(&table);
        let mut dice = ScriptedDice::new(&transcript.dice);
        for step in transcript.steps {
            let Some(body) = step.send.filter(|_| step.refused.is_none()) else {
                continue;
            };
            let mut own = step.dice.as_deref().map(ScriptedDice::new);
            let answer = table.try_send(body, own.as_mut().unwrap_or(&mut dice));
            assert!(matches!(answer, Ok(Ok(_))), "{file}: {answer:?}");
            look(&table);
        }
    }
}

/// One test for each file, such as `transcripts::play_as_written::file_120_exp_ambush_json`.
#[rstest]
fn play_as_written(
    #[files("*/*.json")]
    #[base_dir = "tests/transcripts"]
    file: PathBuf,
) {
    let wrong = check(&name(&file), &sources::read(&file));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A change of a transcript, by the pointer to what is changed, the new value, and the complaints
/// that follow.
#[test]
fn the_runner_complains_of_all_that_is_not_as_written() {
    let (file, text) = files()
        .into_iter()
        .find(|(file, _)| file.starts_with("round-robin"))
        .expect("the tests' own");
    let transcript: Value = serde_json::from_str(&text).expect("a transcript is JSON");
    assert_eq!(check(&file, &text), [""; 0], "it is as written");
    let end = |who: &str| json!({"type": "end_turn", "combatant": who});
    let mut again = transcript["steps"].clone();
    let other_rule =
        json!({"send": {"type": "start"}, "refused": {"code": "already_started", "rule": "RR-2"}});
    again.as_array_mut().expect("steps").insert(1, other_rule);
    for (place, value, complaint) in [
        (
            "/steps/0/expect/combatants.ann.side",
            json!("monsters"),
            "step 1",
        ),
        (
            "/steps/0/expect/combatants.ann.side",
            json!("monsters"),
            "combatants.ann.side: expected \"monsters\", got \"players\"",
        ),
        (
            "/steps/0/expect/combatants.nobody.side",
            json!(null),
            "there is no `nobody`",
        ),
        ("/dice", json!([4]), "the dice [4] are left over"),
        (
            "/steps/0/events",
            json!(["round_started"]),
            "events: expected",
        ),
        (
            "/steps/0/refused",
            json!({"code": "already_started"}),
            "expected a refusal",
        ),
        ("/steps/0/send", end("ann"), "code not_started, rule RR-1"),
        ("/steps", again, "code already_started, rule RR-1"),
        ("/steps/0/legal", json!([end("bob")]), "is not legal"),
        ("/steps/0/not_legal", json!([end("ann")]), "is legal"),
        ("/steps/0/expects", json!({}), "unknown field `expects`"),
    ] {
        let mut changed = transcript.clone();
        let (object, field) = place.rsplit_once('/').expect("a pointer");
        changed.pointer_mut(object).expect("an object")[field] = value;
        let complaints = check(&file, &changed.to_string()).join("\n");
        assert!(complaints.contains(complaint), "{place}: {complaints}");
    }
}
