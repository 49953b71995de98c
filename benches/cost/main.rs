//! The most expensive requests at the documented limits: processor time of the real program for
//! each, and the latency of `/livez` beside the worst four; then what attacks come to, each on a
//! server of its own.
//!
//! `cargo bench --bench cost` starts the program with its embedded store and prints a table,
//! without limits to hold. `COST_FILTER` runs the rows and attacks whose name contains it.

mod attacks;
mod fights;
#[path = "../load/support.rs"]
mod support;
mod watch;

use serde_json::{Value, json};
use std::time::{Duration, Instant};
use support::client::{Answer, Call};
use support::server::Server;
use watch::Watch;

/// A request is repeated until it has used this much processor time.
const ENOUGH: Duration = Duration::from_millis(300);
/// Maximum repetitions.
const REPEATS: u32 = 20;

/// One row of the table.
struct Row {
    name: String,
    request: Box<dyn Fn() -> Call>,
    cpu: Duration,
}

/// Prints each row once it is measured.
struct Table<'s> {
    server: &'s Server,
    filter: String,
    rows: Vec<Row>,
}

impl Table<'_> {
    /// Measures a request that can be repeated.
    async fn row(&mut self, name: &str, request: impl Fn() -> Call + 'static) {
        if !name.contains(&self.filter) {
            return;
        }
        let (before, started) = (cpu(self.server), Instant::now());
        let (mut count, mut last) = (0, None);
        while count < REPEATS && cpu(self.server) - before < ENOUGH {
            last = request().try_send().await.ok();
            count += 1;
        }
        settle(self.server).await;
        let (used, took) = (
            (cpu(self.server) - before) / count,
            started.elapsed() / count,
        );
        let (status, size) =
            last.map_or((0, 0), |answer: Answer| (answer.status, answer.body.len()));
        let sent = request().request().build().expect("a request");
        let sent = sent
            .body()
            .and_then(|body| body.as_bytes())
            .map_or(0, <[u8]>::len);
        let (cpu_ms, ms) = (used.as_secs_f64() * 1e3, took.as_secs_f64() * 1e3);
        println!("{name:<58} {status:>4} {sent:>9} {size:>9} {ms:>10.1} {cpu_ms:>10.1}");
        self.rows.push(Row {
            name: name.to_owned(),
            request: Box::new(request),
            cpu: used,
        });
    }
}

/// The processor time that the server has used.
fn cpu(server: &Server) -> Duration {
    let stat =
        std::fs::read_to_string(format!("/proc/{}/stat", server.pid())).expect("a running process");
    let numbers = stat
        .rsplit(") ")
        .next()
        .expect("numbers")
        .split(' ')
        .skip(11)
        .take(2);
    let ticks: u64 = numbers
        .map(|number| number.parse::<u64>().expect("a number"))
        .sum();
    Duration::from_millis(ticks * 10)
}

/// Waits until the server is idle, because work may go on after an answer; at most two minutes.
async fn settle(server: &Server) {
    let until = Instant::now() + Duration::from_secs(120);
    let mut before = cpu(server);
    while Instant::now() < until {
        tokio::time::sleep(Duration::from_millis(60)).await;
        let now = cpu(server);
        if now == before {
            return;
        }
        before = now;
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let server = Server::with(&[]);
    let filter = std::env::var("COST_FILTER").unwrap_or_default();
    println!(
        "{:<58} {:>4} {:>9} {:>9} {:>10} {:>10}",
        "request", "", "sent", "answered", "ms", "CPU ms"
    );
    let mut table = Table {
        server: &server,
        filter: filter.clone(),
        rows: Vec::new(),
    };
    reading(&mut table).await;
    deciding(&mut table).await;
    importing(&mut table).await;
    importing_lists(&mut table).await;
    beside_the_worst(&server, table.rows).await;
    attacks::run(&filter).await;
}

/// Options, states, text tables and pages of 500 combatants.
async fn reading(table: &mut Table<'_>) {
    for ruleset in fights::RULESETS {
        let fight = fights::of_500(table.server, ruleset).await;
        let player = fight.player(&["c0"]).await;
        for (who, fight) in [("gm", fight), ("player", player)] {
            for (what, path, accept) in [
                ("options", "/options", "application/json"),
                ("read", "", "application/json"),
                ("text", "", "text/plain"),
                ("events", "/events?limit=1000", "application/json"),
            ] {
                let fight = fight.clone();
                let name = format!("{what} of 500, {ruleset}, {who}");
                table
                    .row(&name, move || fight.get(path).header("accept", accept))
                    .await;
            }
        }
    }
}

/// Lists of commands, as dry runs.
async fn deciding(table: &mut Table<'_>) {
    let fight = fights::with_players(table.server).await;
    let damage: Vec<Value> = (0..50)
        .map(|n| json!({"type": "damage", "target": format!("h{n}"), "amount": 1}))
        .collect();
    for count in [1, 10, 50] {
        let (fight, commands) = (fight.clone(), json!(damage[..count]));
        let name = format!("{count} damage to hidden ones, 98 player tokens");
        table.row(&name, move || fight.dry_run(&commands)).await;
    }
    for hidden in [true, false] {
        let fight = fights::of_two(table.server, hidden).await;
        let player = fight.player(&["a", "b"]).await;
        for turns in [2, 8, 16, 24, 48] {
            let commands = fights::turns(turns);
            for (who, fight) in [("gm", &fight), ("player", &player)] {
                let (fight, commands) = (fight.clone(), commands.clone());
                let said = if hidden { "498 hidden" } else { "none hidden" };
                let count = commands.as_array().map_or(0, Vec::len);
                let name = format!("{count} end_turn, 500 effects, {said}, {who}");
                table.row(&name, move || fight.dry_run(&commands)).await;
            }
        }
    }
}

/// Imports of one entry with many events, and of many entries.
async fn importing(table: &mut Table<'_>) {
    let fight = fights::of_two(table.server, true).await;
    for (entries, notes) in [(1, 10), (1, 100), (1, 1000), (1, 8000), (100, 1), (900, 1)] {
        let log = fights::log_with_notes(&fight, entries, notes).await;
        let api = table.server.client();
        let name = format!("import, entries with notes: {entries} x {notes}, 498 hidden");
        table
            .row(&name, move || {
                api.post_text("/v1/encounters/import", log.clone())
            })
            .await;
    }
}

/// The import of what lists of commands made, up to nearly the limit of an import.
async fn importing_lists(table: &mut Table<'_>) {
    let (fight, lists) = fights::of_lists(table.server).await;
    let log = fight.read("/export").await.to_string();
    let api = table.server.client();
    let name = format!("import, {lists} lists of 50 resolve, 250 combatants");
    table
        .row(&name, move || {
            api.post_text("/v1/encounters/import", log.clone())
        })
        .await;
}

/// The latency of `/livez` while the worst four requests are repeated at once.
async fn beside_the_worst(server: &Server, mut rows: Vec<Row>) {
    rows.sort_by_key(|row| std::cmp::Reverse(row.cpu));
    let worst = rows.iter().take(4);
    println!(
        "\nbeside {}",
        worst
            .clone()
            .map(|row| row.name.as_str())
            .collect::<Vec<_>>()
            .join("; ")
    );
    let stop = tokio::time::sleep(Duration::from_secs(5));
    let load = futures::future::join_all(worst.map(|row| async move {
        loop {
            let _ = (row.request)().try_send().await;
        }
    }));
    let watch = Watch::start(server.client().address());
    tokio::select! {
        () = stop => {}
        _ = load => {}
    }
    let times = watch.stop();
    let ms = |at: usize| times.get(at).map_or(0.0, |time| time.as_secs_f64() * 1e3);
    let (count, half) = (times.len(), times.len() / 2);
    println!(
        "/livez, asked {count} times: median {:.1} ms, longest {:.1} ms",
        ms(half),
        ms(count.saturating_sub(1))
    );
}
