//! What hostile clients have sent: what each attack comes to, the longest answer of `/livez` beside
//! it, and the memory it takes.

use crate::fights;
use crate::support::client::{Client, Fight, note};
use crate::support::server::Server;
use crate::watch::Watch;
use futures::future::join_all;
use serde_json::{Value, json};
use std::future::Future;
use std::time::{Duration, Instant};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

/// Runs each attack whose name contains `filter`, on a server of its own, and prints a line for
/// each.
pub async fn run(filter: &str) {
    println!(
        "\n{:<58} {:>12} {:>9}  what came of it",
        "attack", "/livez ms", "peak MiB"
    );
    for (name, attack) in ATTACKS {
        if !name.contains(filter) {
            continue;
        }
        let server = Server::with(&[]);
        let watch = Watch::start(server.client().address());
        let outcome = attack(&server).await;
        let longest = watch.stop().last().copied().unwrap_or(Duration::MAX);
        println!(
            "{name:<58} {:>12.1} {:>9}  {outcome}",
            longest.as_secs_f64() * 1e3,
            peak(&server) / 1024
        );
    }
}

type Attack = for<'s> fn(&'s Server) -> std::pin::Pin<Box<dyn Future<Output = String> + 's>>;

const ATTACKS: [(&str, Attack); 8] = [
    ("a shared turn without a fitting combatant", |server| {
        Box::pin(no_combatant_fits(server))
    }),
    (
        "commands with options, beside 70 readers of options of 500",
        |server| Box::pin(busy_options(server)),
    ),
    ("hidden ones that come and go", |server| {
        Box::pin(come_and_go(server))
    }),
    ("129 unfinished bodies of one spectator", |server| {
        Box::pin(unfinished_bodies(server))
    }),
    ("500 long effects, 38 end_turn", |server| {
        Box::pin(long_effects(server))
    }),
    ("60 unread dry runs", |server| {
        Box::pin(unread_answers(server))
    }),
    ("four imports of 16 MB at once", |server| {
        Box::pin(large_imports(server))
    }),
    ("500 keyed replacements of a token", |server| {
        Box::pin(keyed_replacements(server))
    }),
];

/// The most memory that the server has had resident, in KiB.
fn peak(server: &Server) -> u64 {
    let status =
        std::fs::read_to_string(format!("/proc/{}/status", server.pid())).unwrap_or_default();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap_or_default();
    line.trim()
        .trim_end_matches(" kB")
        .parse()
        .unwrap_or_default()
}

/// How many answers have each status, as in `200: 3, 503: 1`; 0 is a connection that failed.
fn tally(statuses: impl IntoIterator<Item = u16>) -> String {
    let mut counts = std::collections::BTreeMap::new();
    for status in statuses {
        *counts.entry(status).or_insert(0) += 1;
    }
    let counts: Vec<String> = counts
        .iter()
        .map(|(status, count)| format!("{status}: {count}"))
        .collect();
    counts.join(", ")
}

async fn status(call: crate::support::client::Call) -> u16 {
    call.try_send().await.map_or(0, |answer| answer.status)
}

async fn no_combatant_fits(server: &Server) -> String {
    let steps = json!([{"name": "missile", "who": {"has": "bow"}}]);
    let definition = json!({"numbers": {"bow": 0}, "together": {"steps": steps}});
    let combatants = json!([{"id": "ann", "side": "players"}, {"id": "orc", "side": "monsters"}]);
    let creation = json!({"ruleset": "custom", "options": {"definition": definition}, "combatants": combatants});
    let api = server.client();
    let created = api
        .post("/v1/encounters", &creation)
        .try_send()
        .await
        .expect("an answer");
    if created.status != 201 {
        return tally([created.status]);
    }
    let fight = Fight::of(&api, &created);
    let read = status(fight.get("/options")).await;
    let started = status(fight.command(&json!({"type": "start"}))).await;
    tally([read, started, status(fight.get("/options")).await])
}

/// Clients read the options of a fight of 500, while a command asks for those that follow it.
async fn busy_options(server: &Server) -> String {
    let fight = fights::of_500(server, "seize").await;
    let (reading, readers) = (fight.clone(), 70);
    let load = join_all((0..readers).map(|_| async {
        loop {
            status(reading.get("/options")).await;
        }
    }));
    let commands = async {
        let mut statuses = Vec::new();
        for n in 0..40 {
            let path = fight.path("/commands?include=options");
            let call = fight
                .api
                .post(&path, &note(&format!("note {n}")))
                .token(&fight.token);
            statuses.push(status(call).await);
        }
        statuses
    };
    tokio::select! {
        _ = load => unreachable!("it reads for ever"),
        statuses = commands => tally(statuses),
    }
}

/// Hidden combatants join and leave again and again; then a player reads.
async fn come_and_go(server: &Server) -> String {
    let fight = fights::of_two(server, false).await;
    let player = fight.player(&["a"]).await;
    fight
        .accepted(json!({"type": "remove_combatant", "combatant": "h0"}))
        .await;
    let (mut statuses, mut longest) = (Vec::new(), Duration::ZERO);
    for round in 0..40 {
        let pairs: Vec<Value> = (0..25)
            .flat_map(|n| {
                let id = format!("ghost-{round}-{n}");
                let join = json!({"type": "add_combatant", "details": {"id": id, "hidden": true}});
                [join, json!({"type": "remove_combatant", "combatant": id})]
            })
            .collect();
        statuses.push(status(fight.command(&json!(pairs))).await);
        let started = Instant::now();
        statuses.push(status(player.get("")).await);
        longest = longest.max(started.elapsed());
    }
    format!(
        "{}; longest read {:.1} ms",
        tally(statuses),
        longest.as_secs_f64() * 1e3
    )
}

/// A spectator leaves bodies unfinished, while other tables send commands.
async fn unfinished_bodies(server: &Server) -> String {
    let fight = server.client().fight().await;
    let spectator = fight.spectator().await;
    let length = 256 * 1024;
    let head = format!(
        "POST {} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\n\
        content-length: {length}\r\n\r\n",
        spectator.path("/commands"),
        spectator.token
    );
    let part = vec![b' '; length - 1];
    let open = join_all((0..129).map(|_| async {
        let mut connection = TcpStream::connect(server.client().address())
            .await
            .expect("a connection");
        let _ = connection.write_all(head.as_bytes()).await;
        // A server that answers early reads no more.
        let _ = tokio::time::timeout(Duration::from_secs(2), connection.write_all(&part)).await;
        connection
    }))
    .await;
    let others = join_all((0..192).map(|n| async move {
        let api = server.client();
        let other = api.fight().await;
        status(other.command(&note(&format!("note {n}")))).await
    }))
    .await;
    drop(open);
    tally(others)
}

/// 500 effects with long names, and 38 turns, as dry runs and once in earnest.
async fn long_effects(server: &Server) -> String {
    let fight = with_long_effects(&server.client()).await;
    let turns = fights::turns(38);
    let player = fight.player(&["a", "b"]).await;
    let (mut statuses, mut largest) = (Vec::new(), 0);
    for call in [
        player.dry_run(&turns),
        player.dry_run(&turns),
        player.command(&turns),
    ] {
        let answer = call.try_send().await;
        largest = largest.max(answer.as_ref().map_or(0, |answer| answer.body.len()));
        statuses.push(answer.map_or(0, |answer| answer.status));
    }
    format!("{}; largest answer {largest} bytes", tally(statuses))
}

async fn with_long_effects(api: &Client) -> Fight {
    let seen =
        ["a", "b"].map(|id| json!({"id": id, "side": "players", "hp": {"current": 9, "max": 9}}));
    let fight = api
        .create(&json!({"ruleset": "active-initiative", "combatants": seen}))
        .await;
    for list in 0..10 {
        let effects: Vec<Value> = (0..50)
            .map(|n| {
                let name = format!("{:0>80}", 50 * list + n);
                json!({"type": "add_effect", "effect": {"name": name, "expires": {"at": "round_end", "rounds": 1000}}})
            })
            .collect();
        fight.accepted(json!(effects)).await;
    }
    fight.accepted(json!({"type": "start", "first": "a"})).await;
    fight
}

/// Clients send dry runs with large answers and read nothing.
async fn unread_answers(server: &Server) -> String {
    let fight = with_long_effects(&server.client()).await;
    let body = fights::turns(2).to_string();
    let request = format!(
        "POST {} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\n\
        content-length: {}\r\n\r\n{body}",
        fight.path("/commands?dry_run=true&include=encounter,options"),
        fight.token,
        body.len()
    );
    let open = join_all((0..60).map(|_| async {
        let mut connection = TcpStream::connect(server.client().address())
            .await
            .expect("a connection");
        let _ = connection.write_all(request.as_bytes()).await;
        connection
    }))
    .await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    let other = server.client().fight().await;
    let said = status(other.command(&note("beside them"))).await;
    drop(open);
    format!("another table {}", tally([said]))
}

/// Four logs near the limit of a body, imported at once.
async fn large_imports(server: &Server) -> String {
    let fight = server.client().fight().await;
    let log = fights::log_with_notes(&fight, 900, 200).await;
    let imports = join_all((0..4).map(|_| {
        let api = server.client();
        let log = log.clone();
        async move { status(api.post_text("/v1/encounters/import", log)).await }
    }))
    .await;
    format!("{} bytes each, {}", log.len(), tally(imports))
}

async fn keyed_replacements(server: &Server) -> String {
    let mut fight = server.client().fight().await;
    let mut statuses = Vec::new();
    for n in 0..500 {
        let path = fight.path("/tokens/replace");
        let call = fight
            .api
            .call("POST", &path)
            .token(&fight.token)
            .key(&format!("replacement-{n:0>80}"));
        let Ok(answer) = call.try_send().await else {
            break;
        };
        statuses.push(answer.status);
        if answer.status != 200 {
            break;
        }
        fight = fight.with_token(&crate::support::client::text(&answer.json()["token"]));
    }
    format!(
        "{}; store {} KiB",
        tally(statuses),
        data_size(server) / 1024
    )
}

/// The bytes of the server's store.
fn data_size(server: &Server) -> u64 {
    let folder = server.directory.path().join("data");
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    files
        .filter_map(|file| file.metadata().ok())
        .map(|data| data.len())
        .sum()
}
