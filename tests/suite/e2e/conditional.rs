//! Versions: `ETag`, `If-None-Match`, `If-Match`.

use super::{Api, note};

#[tokio::test]
async fn an_unchanged_encounter_costs_no_body() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let first = fight.get("").send().await;
    assert_eq!(first.header("etag"), "\"0\"");
    for tag in ["\"0\"", "W/\"0\"", "\"7\", \"0\"", "*"] {
        for rest in ["", "/options"] {
            let unchanged = fight.get(rest).header("if-none-match", tag).send().await;
            assert_eq!((unchanged.status, unchanged.body.len()), (304, 0), "{rest} {tag}");
            assert_eq!(unchanged.header("etag"), "\"0\"");
        }
    }
    fight.accepted(note("changed")).await;
    let changed = fight.get("").header("if-none-match", "\"0\"").send().await;
    assert_eq!((changed.status, changed.header("etag")), (200, "\"1\""));
    assert_eq!(changed.json()["version"], 1);
}

#[tokio::test]
async fn of_two_clients_with_one_if_match_one_is_accepted_and_one_told_the_version() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let send = |text: &'static str| fight.command(&note(text)).header("if-match", "\"0\"").send();
    let (a, b) = tokio::join!(send("a"), send("b"));
    let mut statuses = [a.status, b.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 412]);
    assert_eq!(fight.log().await, [1]);
}

#[tokio::test]
async fn if_match_takes_weak_tags_lists_stars_and_bare_numbers() {
    let api = Api::start().await;
    let fight = api.fight().await;
    for (version, tag) in ["\"0\"", "W/\"1\"", "\"9\", \"2\"", "*", "4"].into_iter().enumerate() {
        let answer = fight.command(&note(tag)).header("if-match", tag).send().await;
        assert_eq!(answer.status, 200, "{tag}: {answer:?}");
        assert_eq!(answer.header("etag"), format!("\"{}\"", version + 1));
    }
    fight.command(&note("x")).header("if-match", "\"abc\"").send().await.problem(412, "stale_version");
}

#[tokio::test]
async fn a_deletion_heeds_if_match_and_leaves_nothing() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let delete = || api.call("DELETE", &fight.path("")).token(&fight.token);
    delete().header("if-match", "\"3\"").send().await.problem(412, "stale_version");
    let gone = delete().header("if-match", "\"0\"").send().await;
    assert_eq!((gone.status, gone.body.len()), (204, 0));
    delete().send().await.problem(404, "not_found");
    fight.get("").send().await.problem(404, "not_found");
    fight.get("/events").send().await.problem(404, "not_found");
    fight.command(&note("x")).send().await.problem(404, "not_found");
}
