//! Rate limits.

use super::applications::{key, named};
use super::cell::{self, Servers};
use super::{Answer, Api, Fight, Setup, ambush, note, redis_store, text};
use crate::support::redis::RedisServer;
use futures::future::join_all;
use serde_json::json;
use std::time::{Duration, Instant};
use turnkeeper::app::{Limits, Rate};
use turnkeeper::http::Settings;

fn rate(text: &str) -> Option<Rate> {
    Some(text.parse().expect("a rate"))
}

fn limited(limits: Limits) -> Setup<'static> {
    Setup {
        settings: Settings {
            limits,
            ..Settings::default()
        },
        ..Setup::default()
    }
}

/// The same behind a proxy that names the client: see [`send_from`].
fn behind_proxy(limits: Limits) -> Setup<'static> {
    let mut setup = limited(limits);
    setup.settings.client_header = Some("x-real-client".parse().expect("a header's name"));
    setup
}

/// An encounter's path with every byte of its id encoded.
fn encoded_path(id: &str) -> String {
    let id: String = id.bytes().map(|byte| format!("%{byte:02X}")).collect();
    format!("/v1/encounters/{id}")
}

/// What is left by the header, and for how many seconds.
#[track_caller]
fn left(answer: &Answer, policy: &str) -> (u32, u64) {
    let header = answer
        .header("ratelimit")
        .strip_prefix(&format!("\"{policy}\";r="));
    let (left, seconds) = header
        .and_then(|rest| rest.split_once(";t="))
        .unwrap_or_else(|| panic!("{answer:?}"));
    (
        left.parse().expect("a number"),
        seconds.parse().expect("a number"),
    )
}

#[track_caller]
fn refused(answer: &Answer, policy: &str) -> u64 {
    let problem = answer.problem(429, "rate_limited");
    let wait: u64 = answer.header("retry-after").parse().expect("seconds");
    assert_eq!(left(answer, policy), (0, wait), "{answer:?}");
    assert!(
        problem["detail"]
            .as_str()
            .unwrap()
            .contains(&format!("Try again in {wait} s")),
        "{problem}"
    );
    wait
}

#[tokio::test]
async fn each_token_has_a_rate_of_its_own_and_is_served_again_when_its_time_has_come() {
    let api = Api::set_up(limited(Limits {
        token: rate("10/3s"),
        ..Limits::default()
    }))
    .await;
    let (fight, other) = (api.fight().await, api.fight().await);
    for n in 0..10 {
        let answer = if n % 2 == 0 {
            fight.get("").send().await
        } else {
            fight.command(&note("x")).send().await
        };
        assert_eq!(
            (answer.status, answer.header("ratelimit-policy")),
            (200, "\"token\";q=10;w=3"),
            "{answer:?}"
        );
        let (left, seconds) = left(&answer, "token");
        assert_eq!(left, 9 - n);
        assert!((1..=3).contains(&seconds), "{seconds}");
    }
    let exposed = fight
        .get("")
        .header("origin", "https://table.example")
        .send()
        .await;
    assert!(
        exposed
            .header("access-control-expose-headers")
            .contains("ratelimit,ratelimit-policy")
    );
    let wait = refused(&fight.command(&note("too many")).send().await, "token");
    assert_eq!(other.get("").send().await.status, 200, "another token");
    assert_eq!(
        api.get("/v1/rulesets").send().await.header("ratelimit"),
        "",
        "what needs no token is not counted"
    );
    tokio::time::sleep(Duration::from_secs(wait)).await;
    assert_eq!(fight.get("").send().await.status, 200);
    assert_eq!(
        fight.log().await.len(),
        5,
        "what was refused was not applied"
    );
}

#[tokio::test]
async fn an_application_has_one_rate_over_all_of_its_keys() {
    let bot = named("bot");
    let ((old, first), (new, second), (other, third)) =
        (key(&bot), key(&bot), key(&named("table")));
    let limits = Limits {
        application: rate("4/1h"),
        ..Limits::default()
    };
    let api = Api::set_up(Setup {
        keys: &format!("{first},{second},{third}"),
        ..limited(limits)
    })
    .await;
    for (n, key) in [&old, &new, &old, &new].into_iter().enumerate() {
        let answer = api
            .post("/v1/encounters", &ambush())
            .token(key)
            .send()
            .await;
        assert_eq!(
            (answer.status, left(&answer, "application").0),
            (201, 3 - n as u32)
        );
    }
    refused(
        &api.get("/v1/encounters").token(&old).send().await,
        "application",
    );
    refused(
        &api.post("/v1/encounters", &ambush())
            .token(&new)
            .send()
            .await,
        "application",
    );
    assert_eq!(
        api.get("/v1/encounters").token(&other).send().await.status,
        200
    );
    // Neither a token nor somebody without a key is an application.
    api.get("/v1/encounters")
        .send()
        .await
        .problem(401, "unauthorized");
}

/// Sends a request as the proxy passes it on. The first address is one that the client made up.
async fn send_from(call: super::Call, address: &str) -> Answer {
    call.header("x-real-client", &format!("203.0.113.99, {address}"))
        .send()
        .await
}

#[tokio::test]
async fn requests_without_a_valid_token_share_the_rate_of_their_address() {
    let api = Api::set_up(behind_proxy(Limits {
        address: rate("6/1h"),
        ..Limits::default()
    }))
    .await;
    let made = send_from(api.post("/v1/encounters", &ambush()), "198.51.100.1").await;
    assert_eq!((made.status, left(&made, "address").0), (201, 5));
    let fight = Fight::of(&api, &made);
    let good = send_from(fight.get(""), "198.51.100.1").await;
    assert_eq!(
        (good.status, good.header("ratelimit")),
        (200, ""),
        "a valid token is not counted"
    );
    // Guesses: tokens that no encounter knows, and none at all.
    for n in 0..4 {
        let token = format!("tk_gm_{}", "A".repeat(42) + ["A", "E", "I", "M"][n]);
        send_from(api.get(&fight.path("")).token(&token), "198.51.100.1")
            .await
            .problem(404, "not_found");
    }
    send_from(api.get(&fight.path("")), "198.51.100.1")
        .await
        .problem(401, "unauthorized");
    refused(
        &send_from(api.post("/v1/encounters", &ambush()), "198.51.100.1").await,
        "address",
    );
    let token = format!("tk_gm_{}Q", "A".repeat(42));
    refused(
        &send_from(api.get(&fight.path("")).token(&token), "198.51.100.1").await,
        "address",
    );
    assert_eq!(
        send_from(fight.get(""), "198.51.100.1").await.status,
        200,
        "its token was valid before"
    );
    assert_eq!(
        send_from(api.post("/v1/encounters", &ambush()), "198.51.100.2")
            .await
            .status,
        201,
        "another address"
    );
    // The addresses of one IPv6 network share a rate.
    for n in 0..6 {
        let address = format!("2001:db8:0:1::{n}");
        assert_eq!(
            send_from(api.post("/v1/encounters", &ambush()), &address)
                .await
                .status,
            201
        );
    }
    refused(
        &send_from(api.post("/v1/encounters", &ambush()), "2001:db8:0:1:f::1").await,
        "address",
    );
    assert_eq!(
        send_from(api.post("/v1/encounters", &ambush()), "2001:db8:0:2::1")
            .await
            .status,
        201
    );
}

/// The keys of a Redis that count requests.
fn counters(redis: &RedisServer) -> Vec<String> {
    redis
        .keys()
        .into_iter()
        .filter(|key| key.starts_with("turnkeeper:rate:"))
        .collect()
}

/// A token that is invented.
fn invented() -> String {
    turnkeeper::app::Token::new(turnkeeper::engine::Role::Gm, &rand::random())
        .reveal()
        .to_owned()
}

#[tokio::test]
async fn invented_tokens_share_one_rate_and_one_counter_where_only_tokens_are_limited() {
    let redis = RedisServer::start();
    let api = Api::on_url(
        &redis.url(),
        behind_proxy(Limits {
            token: rate("6/1h"),
            ..Limits::default()
        }),
    )
    .await;
    let fight = api.fight().await;
    assert_eq!(send_from(fight.get(""), "198.51.100.1").await.status, 200);
    // An encoded id counts for the same token.
    let encoded_path = send_from(
        api.get(&encoded_path(&fight.id)).token(&fight.token),
        "198.51.100.1",
    )
    .await;
    assert_eq!(
        (encoded_path.status, left(&encoded_path, "token").0),
        (200, 4)
    );
    for n in 0..12 {
        // At an encounter that is there, and at others that are not.
        let path = if n % 2 == 0 {
            fight.path("")
        } else {
            format!("/v1/encounters/{n}")
        };
        let answer = send_from(api.get(&path).token(&invented()), "198.51.100.1").await;
        if n < 6 {
            answer.problem(404, "not_found");
            assert_eq!(left(&answer, "address").0, 5 - n);
        } else {
            refused(&answer, "address");
        }
    }
    assert_eq!(
        counters(&redis).len(),
        2,
        "the valid token's and the address': {:?}",
        redis.keys()
    );
    // Of several instances the next may not have seen it.
    if cell::event_source().is_none() {
        assert_eq!(
            send_from(fight.get(""), "198.51.100.1").await.status,
            200,
            "it has a rate of its own"
        );
    }
    send_from(api.get(&fight.path("")).token(&invented()), "198.51.100.2")
        .await
        .problem(404, "not_found");
    // A request without a token is not counted: no rate is set for that.
    let without_token = send_from(api.get(&fight.path("")), "198.51.100.1").await;
    without_token.problem(401, "unauthorized");
    assert_eq!(without_token.header("ratelimit"), "");
}

#[tokio::test]
async fn a_revoked_token_counts_for_its_address() {
    // An address of its own: on a store that is shared the others' tests ask send_from theirs.
    const HOME: &str = "198.51.100.20";
    let api = Api::set_up(behind_proxy(Limits {
        address: rate("4/1h"),
        ..Limits::default()
    }))
    .await;
    let fight = Fight::of(
        &api,
        &send_from(api.post("/v1/encounters", &ambush()), "198.51.100.21").await,
    );
    let asked = json!({"role": "player", "combatants": ["valiant"]});
    let handed = send_from(fight.ask(&asked), HOME).await.json();
    let player = fight.with_token(&text(&handed["token"]));
    for _ in 0..6 {
        assert_eq!(
            send_from(player.get(""), HOME).await.status,
            200,
            "a valid one is not counted"
        );
    }
    let path = fight.path(&format!("/tokens/{}", text(&handed["id"])));
    send_from(api.call("DELETE", &path).token(&fight.token), HOME)
        .await
        .expect(204);
    let mut last = send_from(player.get(""), HOME).await;
    for _ in 0..8 {
        last.problem(404, "not_found");
        last = send_from(player.get(""), HOME).await;
        if last.status == 429 {
            break;
        }
    }
    refused(&last, "address");
    // Of several instances the next may not have seen it.
    if cell::event_source().is_none() {
        assert_eq!(
            send_from(fight.get(""), HOME).await.status,
            200,
            "the game master's is valid"
        );
    }
    // An encoded id too.
    let encoded_path = api.get(&encoded_path(&fight.id)).token(&player.token);
    refused(&send_from(encoded_path, HOME).await, "address");
    // A valid token is invalid in another encounter.
    let elsewhere = api
        .get(&format!("/v1/encounters/{}x", fight.id))
        .token(&fight.token);
    refused(&send_from(elsewhere, HOME).await, "address");
}

#[tokio::test]
async fn a_valid_token_has_one_rate_on_every_process_and_waits_only_where_it_is_unknown() {
    let redis = Servers::own();
    let setup = || {
        behind_proxy(Limits {
            token: rate("4/1h"),
            address: rate("2/1h"),
            ..Limits::default()
        })
    };
    let (here, there) = (
        Api::on_url(&redis.url, setup()).await,
        Api::on_url(&redis.url, setup()).await,
    );
    let fight = Fight::of(
        &here,
        &send_from(here.post("/v1/encounters", &ambush()), "198.51.100.7").await,
    );
    for (n, api) in [&here, &there, &there].into_iter().enumerate() {
        let answer = send_from(fight.through(api).get(""), "198.51.100.8").await;
        assert_eq!(
            (answer.status, left(&answer, "token").0),
            (200, 3 - n as u32),
            "{answer:?}"
        );
    }
    // Guesses, until neither process lets more of them pass.
    for api in [&here, &there, &here, &there, &here, &there] {
        let guess = send_from(api.get(&fight.path("")).token(&invented()), "198.51.100.8").await;
        assert!(guess.status == 404 || guess.status == 429, "{guess:?}");
    }
    // Behind an event source are several instances, and each knows what it has seen.
    if cell::event_source().is_some() {
        return;
    }
    assert_eq!(
        send_from(fight.through(&there).get(""), "198.51.100.8")
            .await
            .status,
        200,
        "it is known there"
    );
    refused(
        &send_from(fight.through(&there).get(""), "198.51.100.8").await,
        "token",
    );
    let other = here.fight().await;
    refused(
        &send_from(other.through(&there).get(""), "198.51.100.8").await,
        "address",
    );
    assert_eq!(
        send_from(other.through(&there).get(""), "198.51.100.9")
            .await
            .status,
        200,
        "send_from where nobody guesses"
    );
    assert_eq!(
        send_from(other.through(&there).get(""), "198.51.100.8")
            .await
            .status,
        200,
        "it is known now"
    );
}

#[tokio::test]
async fn without_a_client_header_the_connections_address_counts() {
    let api = Api::set_up(limited(Limits {
        address: rate("2/1h"),
        ..Limits::default()
    }))
    .await;
    let create = async || {
        let call = api.post("/v1/encounters", &ambush());
        call.header(
            "x-forwarded-for",
            &format!("10.0.0.{}", rand::random::<u8>()),
        )
        .send()
        .await
    };
    for _ in 0..2 {
        assert_eq!(create().await.status, 201);
    }
    refused(&create().await, "address");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_limit_holds_over_several_processes() {
    let redis = cell::some_redis();
    let setup = || {
        limited(Limits {
            token: rate("200/1h"),
            ..Limits::default()
        })
    };
    let servers = join_all((0..3).map(|_| Api::on_url(&redis.url, setup()))).await;
    let fight = servers[0].fight().await;
    let sent = (0..90).flat_map(|_| servers.iter().map(|api| fight.through(api).get("").send()));
    let answers = join_all(sent).await;
    let served = answers.iter().filter(|answer| answer.status == 200).count();
    assert!(
        answers
            .iter()
            .all(|answer| answer.status == 200 || answer.status == 429)
    );
    // Of what three servers have taken, two may hold some unused when the bucket is empty: a
    // twentieth of all each.
    assert!((180..=200).contains(&served), "{served} of 200 were served");
    for api in &servers {
        let answer = fight.through(api).get("").send().await;
        assert!(answer.status == 429 || served < 200, "{answer:?}");
    }
}

#[tokio::test]
async fn a_process_takes_a_quarter_of_what_it_served_ahead_and_never_more_than_a_twentieth_of_all()
{
    let redis = RedisServer::start();
    let setup = limited(Limits {
        token: rate("400/1h"),
        ..Limits::default()
    });
    let api = Api::on(redis_store(&redis.url()), setup).await;
    let fight = api.fight().await;
    let mut most = 0;
    for sent in 1..=200_u64 {
        assert_eq!(fight.get("").send().await.status, 200);
        let counters = counters(&redis);
        let [counter] = counters.as_slice() else {
            panic!("one counter: {counters:?}")
        };
        let taken: u64 = redis.ask(&["GET", counter]);
        let ahead = taken - sent;
        assert!(
            ahead < (sent / 4).clamp(1, 20),
            "{taken} are taken for {sent} requests"
        );
        most = most.max(ahead);
    }
    assert_eq!(most, 19, "a busy process does take some ahead");
}

#[tokio::test]
async fn a_limit_that_cannot_be_asked_for_is_a_503_in_time() {
    let mut redis = Servers::own();
    let api = Api::on_url(
        &redis.url,
        limited(Limits {
            token: rate("10/1h"),
            ..Limits::default()
        }),
    )
    .await;
    let fight = api.fight().await;
    redis.kill();
    let began = Instant::now();
    let answer = fight.get("").send().await;
    answer.problem(503, "store_away");
    assert_eq!(answer.header("retry-after"), "1");
    assert!(
        began.elapsed() < Duration::from_secs(5),
        "after {:?}",
        began.elapsed()
    );
}

#[tokio::test]
async fn a_busy_token_costs_the_store_few_calls_and_no_limit_costs_none() {
    let redis = RedisServer::start();
    // Scripts' own commands are counted too.
    let calls = |command: &str| redis.stat("commandstats", &format!("cmdstat_{command}:calls="));
    let serve = async |limits: Limits| {
        let api = Api::on_url(&redis.url(), limited(limits)).await;
        let fight = api.fight().await;
        let before = (calls("incrby"), calls("evalsha") + calls("eval"));
        for _ in 0..200 {
            fight.read("").await;
        }
        (
            calls("incrby") - before.0,
            calls("evalsha") + calls("eval") - before.1,
        )
    };
    let (counted, scripts) = serve(Limits::default()).await;
    assert_eq!(counted, 0);
    let limits = Limits {
        token: rate("2000/1h"),
        address: rate("10/1h"),
        ..Limits::default()
    };
    let (counted, limited) = serve(limits).await;
    // Two processes, where this runs on Lambda.
    assert!(
        (5..=60).contains(&counted),
        "{counted} calls for 200 requests"
    );
    assert!(
        limited <= scripts + 65,
        "{scripts} scripts without a limit, {limited} with one"
    );
}
