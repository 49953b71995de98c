//! Plays the files of `tests/http` and `tests/refusals`: requests to an encounter, and what each is
//! answered.

use super::applications::{key, named};
use super::{Answer, Api, Fight, Setup, ambush, text};
use crate::support::json::{at, difference};
use crate::support::sources;
use rstest::rstest;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Requests to one encounter, one after the other. In a step `{id}` stands for the encounter's id,
/// `{ann.id}` and `{ann.token}` for the token of `ann`, `{first.etag}`, `{first.created_at}` and
/// `{first.cursor}` for parts of the answer that is kept as `first`, and `<<x*2001>>` for 2001
/// times `x`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Script {
    name: String,
    /// The rules of the catalogues that it shows.
    #[serde(default)]
    rules: Vec<String>,
    #[serde(default = "ambush")]
    create: Value,
    /// The minimum of log entries that the server keeps; None is the default.
    keep_entries: Option<u64>,
    /// Keys and their applications. The first key creates the encounter.
    #[serde(default)]
    applications: Vec<(String, String)>,
    /// Tokens that are created first, by the names that steps use; `gm` has the first one.
    #[serde(default)]
    tokens: BTreeMap<String, Value>,
    /// Commands that are accepted before.
    #[serde(default)]
    before: Vec<Value>,
    /// Members of every step, unless the step has its own.
    #[serde(default)]
    each: Map<String, Value>,
    steps: Vec<Map<String, Value>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    #[allow(dead_code, reason = "it is for the reader")]
    why: Option<String>,
    /// Who sends it: names of tokens, separated by spaces, `gm` by default; `nobody` has none.
    by: Option<String>,
    /// The number of times that it is sent, 1 by default.
    times: Option<usize>,
    /// Milliseconds to wait before it is sent.
    #[serde(default)]
    pause: u64,
    /// The method and the path of a request of another kind, such as `HEAD /livez`.
    request: Option<String>,
    /// The path of a GET, below the encounter's unless it begins with `/v1`.
    get: Option<String>,
    /// The path of a POST, `/commands` by default.
    to: Option<String>,
    /// The path of a DELETE.
    delete: Option<String>,
    /// The body of the POST: commands, if `to` names no other path.
    send: Option<Value>,
    /// A body that `send` cannot express; an apostrophe stands for a quotation mark.
    text: Option<String>,
    /// Headers of the request; a list is sent as several headers.
    #[serde(default)]
    headers: BTreeMap<String, Value>,
    /// The status of the answer, 200 by default.
    status: Option<u16>,
    code: Option<String>,
    /// The name of the answer, for later steps. A token in it sends later steps under that name.
    keep: Option<String>,
    /// The kept answer whose body this one has, byte for byte.
    repeats: Option<String>,
    /// The kept answer with the same encounter, but for its version.
    restores: Option<String>,
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

impl Step {
    fn status(&self) -> u16 {
        self.status.unwrap_or(200)
    }

    /// The answer to the request of this viewer.
    async fn send(&self, fight: &Fight, token: Option<&str>) -> Answer {
        let place = |path: &str| {
            if path.starts_with("/v1") {
                path.to_owned()
            } else {
                fight.path(path)
            }
        };
        let request = self
            .request
            .as_ref()
            .map(|request| request.split_once(' ').expect("a method and a path"));
        let mut call = match (request, &self.get, &self.delete, &self.text) {
            (Some((method, path)), ..) => fight.api.call(method, path),
            (_, Some(path), ..) => fight.api.get(&place(path)),
            (_, _, Some(path), _) => fight.api.call("DELETE", &place(path)),
            (.., text) => {
                let body = text.as_ref().map(|text| text.replace('\'', "\""));
                let body = body
                    .or(self.send.as_ref().map(Value::to_string))
                    .expect("\"send\" or \"text\"");
                let path = place(self.to.as_deref().unwrap_or("/commands"));
                let call = fight.api.call("POST", &path).body(body);
                let typed = self.headers.contains_key("content-type");
                if typed {
                    call
                } else {
                    call.header("content-type", "application/json")
                }
            }
        };
        for (name, values) in &self.headers {
            for value in values
                .as_array()
                .map_or(std::slice::from_ref(values), Vec::as_slice)
            {
                let value = value.as_str().expect("a header is text");
                call = if name == "idempotency-key" {
                    call.key(value)
                } else {
                    call.header(name, value)
                };
            }
        }
        token
            .into_iter()
            .fold(call, |call, token| call.token(token))
            .send()
            .await
    }

    fn check(&self, what: &str, answer: &Answer, kept: &BTreeMap<String, Answer>) {
        assert_eq!(answer.status, self.status(), "{what}: {answer:?}");
        let head = self
            .request
            .as_ref()
            .is_some_and(|request| request.starts_with("HEAD "));
        assert!(
            answer.body.is_empty() || !head && !matches!(self.status(), 204 | 304),
            "{what}: {answer:?}"
        );
        if let Some(name) = &self.repeats {
            assert_eq!(answer.body, kept[name].body, "{what}");
        }
        if let Some(name) = &self.restores {
            assert_eq!(
                difference("", &encounter(&kept[name]), &encounter(answer)),
                None,
                "{what}"
            );
        }
        // A page in JSON names the next one twice.
        let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        let link = answer.header("link");
        let cursor = body["next_cursor"].as_str();
        let agrees = cursor.map_or(body.is_null() || link.is_empty(), |cursor| {
            link.contains(&format!("={cursor}"))
        });
        assert!(agrees, "{what}: {link}");
        if let Some(id) = body
            .pointer("/encounter/id")
            .filter(|_| answer.status == 201)
        {
            let id = text(id);
            assert!(
                id.len() >= 26
                    && id
                        .bytes()
                        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()),
                "{id}"
            );
            // Relative to the path of creations, or of imports.
            let paths = [format!("encounters/{id}"), id];
            assert!(
                paths.contains(&answer.header("location").to_owned()),
                "{what}"
            );
        }
        for (name, value) in &self.returns {
            let got = answer.header(name);
            // `…` stands for the encounter's id.
            let holds = value.split_once('…').map_or(got == value, |(start, end)| {
                got.starts_with(start) && got.ends_with(end)
            });
            assert!(holds, "{what}: {name}: {got}");
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
        if self.status() >= 400 {
            self.check_problem(what, answer);
        }
    }

    fn check_problem(&self, what: &str, answer: &Answer) {
        let code = self
            .code
            .clone()
            .unwrap_or_else(|| text(&answer.json()["code"]));
        let problem = answer.problem(self.status(), &code);
        let detail = text(&problem["detail"]);
        for rust in [
            "struct ",
            "enum ",
            "u64",
            "usize",
            "invalid type",
            "invalid value",
            "invalid length",
            "variant",
        ] {
            assert!(
                !detail.contains(rust),
                "{what}: {rust:?} is Rust's: {problem}"
            );
        }
        let Some(path) = &self.path else { return };
        let (at, message) = (
            text(&problem["errors"][0]["path"]),
            text(&problem["errors"][0]["message"]),
        );
        assert_eq!(at, *path, "{what}: {problem}");
        assert!(
            !message.is_empty() && detail.contains(&message),
            "{what}: {problem}"
        );
        let malformed = [
            "invalid_body",
            "invalid_value",
            "invalid_query",
            "duplicate_field",
        ]
        .contains(&code.as_str());
        assert!(
            !malformed || self.message.is_none() || detail.contains(path),
            "{what}: {problem}"
        );
        assert_eq!(
            self.message.as_ref().unwrap_or(&message),
            &message,
            "{what}"
        );
        for part in &self.mentions {
            assert!(message.contains(part), "{what}: {part} is not in {message}");
        }
    }
}

/// The encounter of an answer without its version, and without the time since which it waits.
fn encounter(answer: &Answer) -> Value {
    let body = answer.json();
    let mut encounter = body.get("encounter").unwrap_or(&body).clone();
    encounter["version"].take();
    encounter["since"].take();
    encounter
}

/// The same with everything in it that is written as `<<x*2001>>`.
fn repeated(mut text: String) -> String {
    while let Some((before, rest)) = text.split_once("<<") {
        let (part, after) = rest.split_once(">>").expect("an end");
        let (unit, count) = part.rsplit_once('*').expect("a number of times");
        text = [
            before,
            &unit.repeat(count.parse().expect("a number")),
            after,
        ]
        .concat();
    }
    text
}

/// An encounter with what its steps have named.
struct Stage {
    fight: Fight,
    tokens: BTreeMap<String, String>,
    /// What is written for a name in braces.
    names: BTreeMap<String, String>,
    kept: BTreeMap<String, Answer>,
}

impl Stage {
    fn name(&mut self, name: String, value: &str) {
        let quoted = Value::from(value).to_string();
        self.names
            .insert(name, quoted[1..quoted.len() - 1].to_owned());
    }

    fn add_token(&mut self, holder: &str, token: &str) {
        self.name(format!("{{{holder}.token}}"), token);
        self.tokens.insert(holder.to_owned(), token.to_owned());
    }

    fn keep(&mut self, name: &str, answer: Answer) {
        self.name(format!("{{{name}.etag}}"), answer.header("etag"));
        let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        let encounter = body.get("encounter").unwrap_or(&body);
        for (part, value) in [
            ("id", &encounter["id"]),
            ("created_at", &encounter["created_at"]),
            ("cursor", &body["next_cursor"]),
        ] {
            self.name(
                format!("{{{name}.{part}}}"),
                value.as_str().unwrap_or_default(),
            );
        }
        if let Some(token) = body["token"].as_str() {
            self.add_token(name, token);
        }
        self.kept.insert(name.to_owned(), answer);
    }

    /// Sends a step, by each of its holders; whether it is to be refused.
    async fn play(&mut self, script: &str, members: Map<String, Value>) -> bool {
        let written = Value::Object(members).to_string();
        let what = format!("{script}: {written}");
        let named = self.names.iter().fold(written, |written, (name, value)| {
            written.replace(name, value)
        });
        let step: Step = serde_json::from_str(&repeated(named))
            .unwrap_or_else(|error| panic!("{error}: {what}"));
        tokio::time::sleep(Duration::from_millis(step.pause)).await;
        let creates = step.to.as_deref() == Some("/v1/encounters");
        let holders: Vec<&str> = step.by.as_deref().unwrap_or("gm").split(' ').collect();
        for holder in holders.repeat(step.times.unwrap_or(1)) {
            let token = self
                .tokens
                .get(holder)
                .filter(|_| !creates || holder != "gm");
            assert!(
                creates || token.is_some() || holder == "nobody",
                "{what}: there is no {holder}"
            );
            let answer = step.send(&self.fight, token.map(String::as_str)).await;
            step.check(&format!("{what} by {holder}"), &answer, &self.kept);
            if let Some(name) = &step.keep {
                self.keep(name, answer);
            }
        }
        step.status() >= 400
    }
}

/// The scripts of a file: a list of them, or one.
fn read(text: &str) -> serde_json::Result<Vec<Script>> {
    match serde_json::from_str(text)? {
        scripts @ Value::Array(_) => serde_json::from_value(scripts),
        one => Ok(vec![serde_json::from_value(one)?]),
    }
}

/// The rules that scripts show, and the files that show them.
pub fn shown() -> Vec<(String, String)> {
    let mut shown = Vec::new();
    for (file, text) in sources::files("tests/http", "json") {
        for script in read(&text).unwrap_or_default() {
            shown.extend(script.rules.into_iter().map(|rule| (rule, file.clone())));
        }
    }
    shown
}

/// Plays the scripts of a file.
async fn play(file: &Path) {
    let scripts = read(&sources::read(file)).unwrap_or_else(|error| panic!("{error}"));
    let usual = Api::start().await;
    for script in scripts {
        let tag = named("");
        let applications = script.applications.iter();
        let keys: Vec<_> = applications
            .map(|(holder, name)| (holder.clone(), key(&format!("{name}{tag}"))))
            .collect();
        let pairs = keys
            .iter()
            .map(|(_, (_, pair))| pair.as_str())
            .collect::<Vec<_>>()
            .join(",");
        let setup = Setup {
            keys: &pairs,
            keep: script.keep_entries,
            ..Setup::default()
        };
        let own = if setup.keep.is_none() && keys.is_empty() {
            None
        } else {
            Some(Api::set_up(setup).await)
        };
        let tokens = keys
            .into_iter()
            .map(|(holder, (key, _))| (holder, key))
            .collect();
        play_one(own.as_ref().unwrap_or(&usual), tokens, script).await;
    }
}

async fn play_one(api: &Api, tokens: BTreeMap<String, String>, script: Script) {
    let creator = script
        .applications
        .iter()
        .map(|(holder, _)| &tokens[holder]);
    let create = creator
        .take(1)
        .fold(api.post("/v1/encounters", &script.create), |call, key| {
            call.token(key)
        });
    let fight = Fight::of(api, &create.send().await);
    let mut stage = Stage {
        fight: fight.clone(),
        tokens,
        names: BTreeMap::new(),
        kept: BTreeMap::new(),
    };
    stage.name("{id}".to_owned(), &fight.id);
    stage.add_token("gm", &fight.token);
    for (holder, wanted) in script.tokens {
        let (other, id) = fight.hand_out(wanted).await;
        stage.name(format!("{{{holder}.id}}"), &id);
        stage.add_token(&holder, &other.token);
    }
    for command in script.before {
        fight.accepted(command).await;
    }
    let before = (fight.read("").await, fight.read("/tokens").await);
    let mut refused = true;
    for step in script.steps {
        refused &= stage
            .play(
                &script.name,
                script.each.clone().into_iter().chain(step).collect(),
            )
            .await;
    }
    let after = async || (fight.read("").await, fight.read("/tokens").await);
    assert!(
        !refused || after().await == before,
        "{}: nothing was applied",
        script.name
    );
}

/// One test for each file, such as `e2e::scripts::are_answered_as_written::file_17_http_undo_json`.
#[rstest]
#[tokio::test]
async fn are_answered_as_written(
    #[files("http/*.json")]
    #[files("refusals/*.json")]
    #[base_dir = "tests"]
    file: PathBuf,
) {
    play(&file).await;
}
