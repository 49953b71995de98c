//! The transcripts again, over HTTP: those that need no dice of the server are sent as requests and
//! answered the same.

use crate::e2e::{Answer, Api, Call, Fight};
use crate::support::json::{at, difference};
use crate::support::sources;
use crate::transcripts;
use rstest::rstest;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use tokio::runtime::Runtime;

/// A request that was accepted, and its answer.
type Accepted = (Call, Answer);

/// What step `n` is answered that is not as written.
async fn take(fight: &Fight, n: usize, step: &Value, accepted: &mut Vec<Accepted>) -> Vec<String> {
    let mut wrong = Vec::new();
    if let Some(send) = step.get("send") {
        let call = fight.command(send).key(&format!("key-{n}-{}", fight.id));
        let call = if n.is_multiple_of(3) {
            call.minimal()
        } else {
            call
        };
        let answer = call.clone().send().await;
        if answer.status == 200 {
            accepted.push((call, answer.clone()));
        }
        match step.get("refused") {
            None if answer.status != 200 => wrong.push(format!("{send}: {}", answer.text())),
            Some(refused) if refused.get("rule").is_some() => {
                let problem = answer.json();
                let as_written = answer.status == 409
                    && ["code", "rule"].iter().all(|f| problem[*f] == refused[*f]);
                wrong.extend(
                    (!as_written).then(|| format!("{send}: expected {refused}, got {problem}")),
                );
            }
            Some(_) if !matches!(answer.status, 400 | 409 | 422) => {
                wrong.push(format!("{send}: {}", answer.text()));
            }
            _ => {}
        }
    }
    let view = fight.read("").await;
    for (place, expected) in step
        .get("expect")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        match at(&view, place) {
            Ok(got) => wrong.extend(difference(place, expected, &got)),
            Err(nowhere) => wrong.push(format!("{place}: {nowhere}")),
        }
    }
    wrong
}

/// Whether each of these requests, sent again, is answered with the bytes of its first answer.
async fn repeat(accepted: Vec<Accepted>) -> Vec<String> {
    let mut wrong = Vec::new();
    for (call, first) in accepted {
        let again = call.send().await;
        if (again.header("idempotency-replayed"), &again.body) != ("true", &first.body) {
            wrong.push(format!("{} was repeated as {}", first.text(), again.text()));
        }
    }
    wrong
}

/// A server for all transcripts that play at the same time.
struct Shared {
    api: Api,
    runtime: Runtime,
}

fn shared() -> Arc<Shared> {
    static SHARED: Mutex<Weak<Shared>> = Mutex::new(Weak::new());
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(running) = shared.upgrade() {
        return running;
    }
    let runtime = Runtime::new().expect("a runtime");
    let api = runtime.block_on(Api::start());
    let started = Arc::new(Shared { api, runtime });
    *shared = Arc::downgrade(&started);
    started
}

/// Plays a transcript; everything that is not as written.
async fn play(api: &Api, transcript: &Value) -> Vec<String> {
    let fight = api.create(&transcript["create"]).await;
    let mut accepted = Vec::new();
    let mut wrong = Vec::new();
    for (n, step) in (1..).zip(transcript["steps"].as_array().expect("steps")) {
        let taken = take(&fight, n, step, &mut accepted).await;
        wrong.extend(taken.iter().map(|what| format!("step {n}: {what}")));
    }
    wrong.extend(repeat(accepted).await);
    wrong
}

/// One test for each transcript of a shipped ruleset. It passes without a request if some of the
/// dice are the server's.
#[rstest]
fn play_with_the_states_of_the_rules_and_repeat_their_answers(
    #[files("*/*.json")]
    #[exclude("^(every|round-robin)/")]
    #[base_dir = "tests/transcripts"]
    file: PathBuf,
) {
    let transcript: Value = serde_json::from_str(&sources::read(&file)).expect("a transcript");
    if transcripts::sent_without_dice(&transcript).is_none() {
        return;
    }
    let shared = shared();
    let wrong = shared.runtime.block_on(play(&shared.api, &transcript));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_worked_examples_are_among_those_over_http() {
    let played: Vec<String> = transcripts::files()
        .into_iter()
        .filter(|(_, text)| {
            let transcript = serde_json::from_str(text).expect("a transcript");
            transcripts::sent_without_dice(&transcript).is_some()
        })
        .map(|(file, _)| file)
        .collect();
    for example in ["tai1", "tex1", "tve2", "tve3", "tdc4", "tdc7", "twa1"] {
        assert!(
            played.iter().any(|file| file.contains(example)),
            "{example} is not among {played:?}"
        );
    }
}
