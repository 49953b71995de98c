//! Applications: their keys, and the lists of their encounters.

use super::{Answer, Api, Call, Client, Fight, Setup, ambush, cell, text};
use crate::support::redis::RedisServer;
use serde_json::json;
use std::time::Duration;
use turnkeeper::app::Token;

/// A key, and the pair that the server is configured with.
pub fn key(name: &str) -> (String, String) {
    let key = Token::app_key(&rand::random());
    (key.reveal().to_owned(), format!("{name}={}", key.digest()))
}

/// A name that no other test's application has: some stores are shared.
pub fn named(word: &str) -> String {
    format!("{word}-{:x}", rand::random::<u64>())
}

/// Creates an encounter of this name.
fn creation(api: &Client, key: &str, name: &str) -> Call {
    let mut creation = ambush();
    creation["name"] = json!(name);
    api.post("/v1/encounters", &creation).token(key)
}

/// Creates encounters `fight 0`, `fight 1` and so on with these keys, one after the other.
async fn fights(api: &Client, keys: &[&str]) -> Vec<Fight> {
    let mut fights = Vec::new();
    for (n, key) in keys.iter().enumerate() {
        fights.push(Fight::of(
            api,
            &creation(api, key, &format!("fight {n}")).send().await,
        ));
        // Lists go by milliseconds.
        tokio::time::sleep(Duration::from_millis(3)).await;
    }
    fights
}

async fn list(api: &Client, key: &str, query: &str) -> Answer {
    api.get(&format!("/v1/encounters{query}"))
        .token(key)
        .send()
        .await
}

/// The names on a page.
fn names(page: &Answer) -> Vec<String> {
    assert_eq!(page.status, 200, "{page:?}");
    page.json()["items"]
        .as_array()
        .expect("items")
        .iter()
        .map(|item| text(&item["name"]))
        .collect()
}

#[tokio::test]
async fn creating_importing_and_listing_need_a_key_where_there_are_applications() {
    let (key, pair) = key(&named("table"));
    let api = Api::with_keys(&pair).await;
    let fight = Fight::of(&api, &creation(&api, &key, "Ambush").send().await);
    let (token, log) = (&fight.token, fight.read("/export").await);
    let stranger = self::key("table").0;
    let calls = || {
        [
            api.post("/v1/encounters", &ambush()),
            api.post("/v1/encounters/import", &log),
            api.get("/v1/encounters"),
            // Neither the body nor the query is looked at first.
            api.call("POST", "/v1/encounters").body("{"),
            api.get("/v1/encounters?limit=x"),
        ]
    };
    for call in calls() {
        let answer = call.send().await;
        answer.problem(401, "unauthorized");
        assert_eq!(answer.header("www-authenticate"), "Bearer");
    }
    let malformed = [
        &token[..token.len() - 1],
        &token.replace("tk_gm_", "tk_king_"),
        "tk_gm_",
        "tk_",
    ];
    let keys = [
        stranger.as_str(),
        &key[..key.len() - 1],
        &format!("{key}x"),
        &key.to_uppercase(),
        "x",
        &key[7..],
    ];
    for wrong in keys.into_iter().chain(malformed) {
        for call in calls() {
            call.token(wrong).send().await.problem(401, "unauthorized");
        }
    }
    for call in calls() {
        call.header("authorization", &format!("Basic {key}"))
            .send()
            .await
            .problem(401, "unauthorized");
    }
    for call in calls() {
        let problem = call
            .token(token)
            .send()
            .await
            .problem(403, "application_key_needed");
        assert!(
            problem["detail"]
                .as_str()
                .unwrap()
                .contains("application's key"),
            "{problem}"
        );
    }
    let copy = api
        .post("/v1/encounters/import", &log)
        .token(&key)
        .send()
        .await
        .expect(201);
    assert_eq!(names(&list(&api, &key, "").await), ["Ambush", "Ambush"]);
    // The key hands out a game master's token, also of an import, and opens no encounter itself.
    let copy = Fight::of(&api, &copy).with_token(&key);
    copy.hand_out(json!({"role": "gm"})).await.0.read("").await;
    copy.with_token(&stranger)
        .ask(&json!({"role": "gm"}))
        .send()
        .await
        .problem(401, "unauthorized");
    // Everything else is as open as ever.
    fight
        .with_token(&key)
        .get("")
        .send()
        .await
        .problem(401, "unauthorized");
    for open in ["/v1/rulesets", "/livez", "/readyz", "/openapi.json"] {
        api.get(open).send().await.expect(200);
    }
    fight.read("").await;
}

#[tokio::test]
async fn a_cursor_that_no_page_ended_with_is_refused() {
    let (key, pair) = key(&named("bot"));
    let api = Api::with_keys(&pair).await;
    fights(&api, &[&key, &key]).await;
    let list = async |cursor: &str| list(&api, &key, &format!("?cursor={cursor}&limit=1")).await;
    let first = api
        .get("/v1/encounters?limit=1")
        .token(&key)
        .send()
        .await
        .json();
    let cursor = first["next_cursor"].as_str().expect("another page");
    assert_eq!(names(&list(cursor).await), ["fight 0"]);
    let (millis, id) = cursor.split_once('-').expect("a place");
    let long = "9".repeat(100);
    for wrong in [
        "",
        "0",
        "zzz",
        "~",
        "a%20b",
        millis,
        &format!("{millis}-"),
        &cursor[..cursor.len() - 1],
        &cursor[1..],
        &format!("0{cursor}"),
        &format!("%2B{}", &cursor[1..]),
        &format!("{cursor}a"),
        &format!("{millis}-{}", id.to_uppercase()),
        &format!("{millis}-{}", "1".repeat(id.len())),
        &format!("{long}-{id}"),
    ] {
        let problem = list(wrong).await.problem(422, "invalid_query");
        assert_eq!(problem["errors"][0]["path"], "cursor", "{wrong}: {problem}");
        let said = problem["errors"][0]["message"].as_str().expect("a message");
        assert_eq!(
            said, "Unknown cursor. Send the next_cursor of the page before.",
            "{wrong}"
        );
    }
}

#[tokio::test]
async fn an_encounter_that_cannot_be_read_does_not_keep_the_others_from_the_list() {
    let redis = RedisServer::start();
    let (key, pair) = key(&named("table"));
    let api = Api::on_url(
        &redis.url(),
        Setup {
            keys: &pair,
            ..Setup::default()
        },
    )
    .await;
    let made = fights(&api, &[key.as_str(); 4]).await;
    let write = |fight: &Fight, document: &str| {
        redis.command(&[
            "HSET",
            &format!("{{turnkeeper:{}}}:doc", fight.id),
            "document",
            document,
        ]);
    };
    write(&made[1], "no document at all");
    write(
        &made[2],
        r#"{"schema": 9999, "ruleset": "active-initiative"}"#,
    );
    let (first, second) = (
        list(&api, &key, "").await,
        list(&api, &key, "?limit=2").await,
    );
    assert_eq!(names(&first), ["fight 3", "fight 0"]);
    assert_eq!(names(&second), ["fight 3"], "a page may be short");
    assert!(
        second.json()["next_cursor"].is_string(),
        "and another one follows: {second:?}"
    );
}

#[tokio::test]
async fn two_servers_on_one_redis_have_the_same_list() {
    let redis = cell::some_redis();
    let (key, pair) = key(&named("table"));
    let one = Api::on_url(
        &redis.url,
        Setup {
            keys: &pair,
            ..Setup::default()
        },
    )
    .await;
    let two = Api::on_url(
        &redis.url,
        Setup {
            keys: &pair,
            ..Setup::default()
        },
    )
    .await;
    fights(&one, &[&key]).await;
    creation(&two, &key, "second").send().await.expect(201);
    for api in [&one, &two] {
        assert_eq!(names(&list(api, &key, "").await), ["second", "fight 0"]);
    }
}
