//! A Redis that comes back without its newest writes: what it lost stays lost, for every process and every follower.

use crate::e2e::{Api, Fight};
use crate::log::feed::Stream;
use crate::support::client::{Encounter, send};
use crate::support::redis::RedisServer;
use crate::support::server::Server;
use reqwest::Method;
use serde_json::{Value, json};

/// A Redis that is killed, and started again with what it held at the last [`Older::save`].
struct Older(RedisServer);

impl Older {
    fn start() -> Self {
        Self(RedisServer::start())
    }

    fn save(&self) {
        self.0.command(&["SAVE"]);
    }

    fn restore(&mut self) {
        self.0.kill();
        self.0.again();
    }
}

fn damage(amount: u64) -> Value {
    json!({"type": "damage", "target": "ann", "amount": amount})
}

fn hp(state: &Value) -> &Value {
    &state["combatants"][0]["hp"]["current"]
}

async fn wounded(server: &Server) -> Encounter {
    let ann = json!({"id": "ann", "hp": {"current": 1000, "max": 1000}});
    let fight = json!({"ruleset": "active-initiative", "combatants": [ann]});
    let fight = Encounter::create(server, fight).await;
    fight.tell(server, damage(1)).await.expect(200);
    fight
}

/// Both processes read the same, and a log that folds to it.
async fn agreed(fight: &Encounter, here: &Server, there: &Server, left: u64, versions: usize) {
    let (one, other) = (fight.get(here, "").await.expect(200), fight.get(there, "").await.expect(200));
    assert_eq!((&one.body, one.header("etag")), (&other.body, other.header("etag")));
    assert_eq!(hp(&one.json()), left);
    let log = fight.log(here).await;
    assert_eq!((log.len(), &log), (versions, &fight.log(there).await));
    let exported: Value = fight.get(here, "/export").await.expect(200).json();
    let elsewhere = Server::embedded();
    let import = fight.http.post(format!("{}/v1/encounters/import", elsewhere.url()));
    let import = import.header("content-type", "application/json").body(exported.to_string());
    let imported = send(import).await.expect("an answer").expect(201).json();
    assert_eq!(imported["encounter"]["combatants"], one.json()["combatants"], "the log folds to the state");
}

#[tokio::test]
async fn a_write_that_redis_lost_does_not_come_back_to_life() {
    let mut redis = Older::start();
    let (here, there) = (Server::on(&redis.0), Server::on(&redis.0));
    let fight = wounded(&here).await;
    assert_eq!(hp(&fight.state(&there).await), 999);
    redis.save();
    fight.tell(&here, damage(100)).await.expect(200);
    let lost = fight.get(&here, "").await.expect(200);
    assert_eq!(hp(&lost.json()), 899);
    redis.restore();
    // Another write makes version 2 again, while `here` has a copy of the lost one.
    fight.tell(&there, damage(7)).await.expect(200);
    let known = fight.request(&here, Method::GET, "").header("if-none-match", lost.header("etag"));
    let now = send(known).await.expect("an answer").expect(200);
    assert_eq!(hp(&now.json()), 992, "not what was lost");
    let decided = fight.command(&here, &damage(1)).header("if-match", lost.header("etag"));
    send(decided).await.expect("an answer").problem(412, "stale_version");
    agreed(&fight, &here, &there, 992, 2).await;
    fight.tell(&here, damage(1)).await.expect(200);
    agreed(&fight, &here, &there, 991, 3).await;
}

#[tokio::test]
async fn nothing_is_committed_on_a_copy_of_a_lost_write() {
    let mut redis = Older::start();
    let (here, there) = (Server::on(&redis.0), Server::on(&redis.0));
    let fight = wounded(&here).await;
    redis.save();
    for round in 1..=3 {
        // As many writes on both sides, so that every count is the same; one of them makes no version.
        fight.tell(&here, damage(100)).await.expect(200);
        spectator(&fight, &here).await;
        redis.restore();
        fight.tell(&there, damage(10)).await.expect(200);
        spectator(&fight, &there).await;
        redis.save();
        // The first that `here` does is a command.
        fight.tell(&here, damage(1)).await.expect(200);
        redis.save();
        agreed(&fight, &here, &there, 999 - 11 * round, 1 + 2 * round as usize).await;
        let tokens = fight.get(&here, "/tokens").await.expect(200).json();
        assert_eq!(tokens["items"].as_array().map(Vec::len), Some(1 + round as usize), "{tokens}");
    }
}

async fn spectator(fight: &Encounter, server: &Server) {
    let request = fight.request(server, Method::POST, "/tokens").header("content-type", "application/json");
    let request = request.body(r#"{"role": "spectator"}"#);
    send(request).await.expect("an answer").expect(201);
}

#[tokio::test]
async fn followers_of_what_redis_lost_are_shown_the_encounter_anew() {
    // Fewer writes than were lost, as many, and more.
    for writes in 1..=3_u64 {
        let mut redis = Older::start();
        let (here, there) = (Server::on(&redis.0), Server::on(&redis.0));
        let encounter = wounded(&here).await;
        let (api, other) = (Api::at(here.url()), Api::at(there.url()));
        let fight = Fight { api: &api, id: encounter.id.clone(), token: encounter.token.clone() };
        let mut seen = Vec::new();
        let mut streams = Vec::new();
        redis.save();
        for accept in ["application/x-ndjson", "text/event-stream"] {
            for server in [&api, &other] {
                streams.push(Stream::open(&fight.through(server), accept, Some(1)).await.expect("a stream"));
            }
        }
        fight.accepted(damage(100)).await;
        fight.accepted(damage(100)).await;
        for stream in &mut streams {
            assert_eq!((stream.transition().await, stream.transition().await), (Some(2), Some(3)));
        }
        redis.restore();
        for _ in 0..writes {
            fight.through(&other).accepted(damage(1)).await;
        }
        for stream in &mut streams {
            let shown = loop {
                let message = stream.next().await.expect("the stream goes on");
                assert_ne!(message.kind, "transition", "nothing follows what was lost: {message:?}");
                if message.kind == "snapshot" {
                    break message;
                }
            };
            seen.push(shown.data["version"].as_u64().expect("a version"));
            let mut version = shown.data["version"].as_u64().expect("a version");
            assert_eq!(hp(&shown.data["encounter"]), 999 - (version - 1), "as it is now");
            while version < 1 + writes {
                version += 1;
                assert_eq!(stream.transition().await, Some(version), "what came after is told once");
            }
        }
        fight.accepted(damage(1)).await;
        for stream in &mut streams {
            assert_eq!(stream.transition().await, Some(2 + writes));
        }
    }
}
