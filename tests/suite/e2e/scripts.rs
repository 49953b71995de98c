//! Plays the files of `tests/http` and `tests/refusals`: requests to an encounter, and what each is answered.

use super::{Answer, Api, Fight, ambush, text};
use crate::support::json::{at, difference};
use crate::support::shows;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Requests to one encounter, one after the other. In a step `{id}` stands for the encounter's id, `{ann.id}` and `{ann.token}` for
/// the token of `ann`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Script {
    #[serde(default)]
    name: String,
    #[serde(default = "ambush")]
    create: Value,
    /// Tokens that are created first, by the names that steps use; `gm` has the first one.
    #[serde(default)]
    tokens: BTreeMap<String, Value>,
    /// Commands that are accepted before.
    #[serde(default)]
    before: Vec<Value>,
    /// Members of every case, unless the case has its own.
    #[serde(default)]
    each: Map<String, Value>,
    cases: Vec<Map<String, Value>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    #[allow(dead_code, reason = "it is for the reader")]
    why: Option<String>,
    /// Who sends it: names of tokens, separated by spaces; `nobody` has none.
    #[serde(default = "gm")]
    by: String,
    /// How often it is sent.
    #[serde(default = "once")]
    times: usize,
    /// The path of a GET, below the encounter's unless it begins with `/v1`.
    get: Option<String>,
    /// The path of a POST, `/commands` by default.
    to: Option<String>,
    /// The path of a DELETE.
    delete: Option<String>,
    body: Option<Value>,
    /// A body that `body` cannot express; an apostrophe stands for a quotation mark.
    text: Option<String>,
    /// Headers of the request; a list is sent as several headers.
    #[serde(default)]
    headers: BTreeMap<String, Value>,
    #[serde(default = "ok")]
    status: u16,
    code: Option<String>,
    /// The path of the first field that is wrong.
    path: Option<String>,
    /// What is said of it, word for word.
    message: Option<String>,
    /// Parts of what is said of it.
    #[serde(default)]
    mentions: Vec<String>,
    /// Parts of the answer's JSON, by their paths.
    #[serde(default)]
    expect: BTreeMap<String, Value>,
    /// Headers of the answer; an empty one is not there.
    #[serde(default)]
    returns: BTreeMap<String, String>,
    /// Parts of the answer's text.
    #[serde(default)]
    shows: Vec<String>,
    /// What the answer's text does not hold.
    #[serde(default)]
    hides: Vec<String>,
}

fn gm() -> String {
    "gm".to_owned()
}

fn once() -> usize {
    1
}

fn ok() -> u16 {
    200
}

impl Case {
    /// The answer to the request of this viewer.
    async fn send(&self, fight: &Fight, token: Option<&str>) -> Answer {
        let place = |path: &str| if path.starts_with("/v1") { path.to_owned() } else { fight.path(path) };
        let mut call = match (&self.get, &self.delete, &self.text) {
            (Some(path), ..) => fight.api.get(&place(path)),
            (_, Some(path), _) => fight.api.call("DELETE", &place(path)),
            (.., text) => {
                let body = text.as_ref().map(|text| text.replace('\'', "\""));
                let body = body.or(self.body.as_ref().map(Value::to_string)).expect("a body or a text");
                let path = place(self.to.as_deref().unwrap_or("/commands"));
                let call = fight.api.call("POST", &path).body(body);
                let typed = self.headers.contains_key("content-type");
                if typed { call } else { call.header("content-type", "application/json") }
            }
        };
        for (name, values) in &self.headers {
            for value in values.as_array().map_or(std::slice::from_ref(values), Vec::as_slice) {
                call = call.header(name, value.as_str().expect("a header is text"));
            }
        }
        token.into_iter().fold(call, |call, token| call.token(token)).send().await
    }

    fn check(&self, what: &str, answer: &Answer) {
        assert_eq!(answer.status, self.status, "{what}: {answer:?}");
        for (name, value) in &self.returns {
            assert_eq!(answer.header(name), value, "{what}: {name}");
        }
        for (path, expected) in &self.expect {
            let got = at(&answer.json(), path).unwrap_or_else(|wrong| panic!("{what}: {wrong}"));
            assert_eq!(difference(path, expected, &got), None, "{what}");
        }
        let body = answer.text();
        for part in &self.shows {
            assert!(body.contains(part), "{what}: {part} is not in {body}");
        }
        for part in &self.hides {
            assert!(!body.contains(part), "{what}: {part} is in {body}");
        }
        if self.status >= 400 {
            self.check_problem(what, answer);
        }
    }

    fn check_problem(&self, what: &str, answer: &Answer) {
        let code = self.code.clone().unwrap_or_else(|| text(&answer.json()["code"]));
        let problem = answer.problem(self.status, &code);
        let detail = text(&problem["detail"]);
        for rust in ["struct ", "enum ", "u64", "usize", "invalid type", "invalid value", "invalid length", "variant"] {
            assert!(!detail.contains(rust), "{what}: {rust:?} is Rust's: {problem}");
        }
        let Some(path) = &self.path else { return };
        let (at, message) = (text(&problem["errors"][0]["path"]), text(&problem["errors"][0]["message"]));
        assert_eq!(at, *path, "{what}: {problem}");
        assert!(!message.is_empty() && detail.contains(&message), "{what}: {problem}");
        let malformed = ["invalid_body", "invalid_value", "invalid_query", "duplicate_field"].contains(&code.as_str());
        assert!(!malformed || self.message.is_none() || detail.contains(path), "{what}: {problem}");
        assert_eq!(self.message.as_ref().unwrap_or(&message), &message, "{what}");
        for part in &self.mentions {
            assert!(message.contains(part), "{what}: {part} is not in {message}");
        }
    }
}

/// Plays the scripts of a file below `tests`.
pub async fn play(name: &str) {
    let file = format!("{}/tests/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let json = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"));
    let scripts = match serde_json::from_str(&json).unwrap_or_else(|error| panic!("{file}: {error}")) {
        Value::Array(scripts) => scripts,
        one => vec![one],
    };
    let api = Api::start().await;
    for script in scripts {
        let script = serde_json::from_value(script).unwrap_or_else(|error| panic!("{file}: {error}"));
        play_one(&api, script).await;
    }
}

async fn play_one(api: &Api, script: Script) {
    let fight = api.create(&script.create).await;
    let mut tokens = BTreeMap::from([(gm(), fight.token.clone())]);
    let mut names = vec![("{id}".to_owned(), fight.id.clone()), ("{gm.token}".to_owned(), fight.token.clone())];
    for (holder, wanted) in script.tokens {
        let (other, id) = fight.hand_out(wanted).await;
        names.push((format!("{{{holder}.id}}"), id));
        names.push((format!("{{{holder}.token}}"), other.token.clone()));
        tokens.insert(holder, other.token);
    }
    for command in script.before {
        fight.accepted(command).await;
    }
    let before = (fight.read("").await, fight.read("/tokens").await);
    let mut refused = true;
    for case in script.cases {
        let members: Map<String, Value> = script.each.clone().into_iter().chain(case).collect();
        let written = Value::Object(members).to_string();
        let what = format!("{}: {written}", script.name);
        let named = names.iter().fold(written, |written, (name, value)| written.replace(name, value));
        let case: Case = serde_json::from_str(&named).unwrap_or_else(|error| panic!("{error}: {what}"));
        let creates = case.to.as_deref() == Some("/v1/encounters");
        for holder in case.by.split(' ').cycle().take(case.by.split(' ').count() * case.times) {
            let token = tokens.get(holder).filter(|_| !creates);
            assert!(creates || token.is_some() || holder == "nobody", "{what}: there is no {holder}");
            let answer = case.send(&fight, token.map(String::as_str)).await;
            case.check(&format!("{what} by {holder}"), &answer);
        }
        refused &= case.status >= 400;
    }
    let after = async || (fight.read("").await, fight.read("/tokens").await);
    assert!(!refused || after().await == before, "{}: nothing was applied", script.name);
}

#[tokio::test]
async fn commands_and_their_answers() {
    play("http/commands").await;
}

#[tokio::test]
async fn reading_the_turn_table_and_the_log() {
    play("http/reading").await;
}

#[tokio::test]
async fn the_rights_of_tokens() {
    shows(&["TK-9", "TK-10"]);
    play("http/rights").await;
}

#[tokio::test]
async fn what_is_hidden_from_each_viewer() {
    play("http/secrecy").await;
}

#[tokio::test]
async fn statuses_of_malformed_requests() {
    play("http/status").await;
}

#[tokio::test]
async fn each_preset_by_the_tokens_of_two_players_and_a_game_master() {
    play("http/custom").await;
}
