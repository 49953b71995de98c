//! The transcripts again, over HTTP: those that need no dice of the server are sent as requests and answered the same.

use crate::e2e::{Answer, Api, Call, Fight};
use crate::support::json::{at, difference};
use crate::transcripts;
use futures::stream::{self, StreamExt};
use serde_json::Value;
use turnkeeper::engine::Rulesets;

/// Every shipped ruleset's transcripts in which the table gives all the dice.
fn without_dice() -> Vec<(String, Value)> {
    let all = Rulesets::shipped()
        .iter()
        .flat_map(|ruleset| transcripts::of(ruleset.manifest.id))
        .collect::<Vec<_>>();
    all.into_iter()
        .filter(|(_, transcript)| transcripts::sent_without_dice(transcript).is_some())
        .collect()
}

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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_worked_examples_play_over_http_with_the_states_of_the_rules_and_repeat_their_answers()
{
    let api = Api::start().await;
    let (transcripts, api) = (without_dice(), &api);
    let plays = transcripts.iter().map(|(name, transcript)| async move {
        let (fight, mut accepted, mut wrong) = (
            api.create(&transcript["create"]).await,
            Vec::new(),
            Vec::new(),
        );
        for (n, step) in (1..).zip(transcript["steps"].as_array().expect("steps")) {
            let taken = take(&fight, n, step, &mut accepted).await;
            wrong.extend(
                taken
                    .into_iter()
                    .map(|what| format!("{name} step {n}: {what}")),
            );
        }
        wrong.extend(
            repeat(accepted)
                .await
                .into_iter()
                .map(|what| format!("{name}: {what}")),
        );
        wrong
    });
    let wrong: Vec<_> = stream::iter(plays).buffer_unordered(4).concat().await;
    let played: Vec<_> = transcripts.iter().map(|(name, _)| name).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("{} transcripts over HTTP", played.len());
    for example in ["tai1", "tex1", "tve2", "tve3", "tdc4", "tdc7", "twa1"] {
        assert!(
            played.iter().any(|name| name.contains(example)),
            "{example} is not among {played:?}"
        );
    }
}
