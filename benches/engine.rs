//! The engine: deciding and folding alone, and a whole transition with parsing and serialising.
//!
//! `cargo bench --bench engine` prints the times; compare sizes and rulesets within one run.

mod support;

use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use serde_json::{Value, json};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;
use support::meta;
use turnkeeper::engine::{
    AnyEncounter, CHECKPOINTS, Creation, OptionsFilter, Request, Rulesets, SeededDice, Viewer,
};
use turnkeeper::json::Tagged;
use turnkeeper::json::read;
use turnkeeper::rulesets;
use turnkeeper::vocabulary::{Encounter, LegalCommand, Play, Registrar, Ruleset, Time};

/// The program's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const SIZES: [usize; 4] = [4, 16, 64, 500];

/// One command of a fight, and the encounter before it.
struct Step {
    encounter: Arc<dyn AnyEncounter>,
    document: Vec<u8>,
    body: String,
    command: Value,
}

fn creation(ruleset: &str, size: usize) -> Creation {
    let combatants: Vec<Value> = (0..size)
        .map(|i| {
            let side = if i % 2 == 0 { "players" } else { "monsters" };
            json!({"id": format!("c{i}"), "name": format!("Combatant {i}"), "side": side, "hp": {"current": 20, "max": 20}})
        })
        .collect();
    read(&json!({"ruleset": ruleset, "combatants": combatants})).expect("a valid creation")
}

/// An option that advances the fight: one of the awaited commands, without a field to fill.
fn next_command(encounter: &dyn AnyEncounter, turn: usize) -> Option<Value> {
    let pending = encounter.brief().pending?;
    let legal_commands = encounter.options(&Viewer::gm("gm"), &OptionsFilter::all(), 0, &|| false);
    let is_awaited = |option: &&LegalCommand| {
        let mut awaited = pending.commands.iter();
        awaited.any(|verb| option.command["type"] == *verb)
            && option.choices.iter().all(|choice| !choice.required)
    };
    let awaited: Vec<&LegalCommand> = legal_commands.iter().filter(is_awaited).collect();
    awaited
        .get(turn % awaited.len().max(1))
        .map(|option| option.command.clone())
}

/// A legal fight of at most `length` commands.
fn fight(ruleset: &str, size: usize, length: usize) -> Vec<Step> {
    let rulesets = Rulesets::shipped();
    let mut encounter = rulesets
        .create(meta(), creation(ruleset, size))
        .expect("an encounter");
    let mut steps = Vec::new();
    for turn in 0..length {
        let Some(command) = next_command(&*encounter, turn) else {
            break;
        };
        let request = Request::read(command.clone()).expect("a request");
        let decided = encounter
            .decide(
                &[],
                &request,
                Time::default(),
                &mut SeededDice::new([turn as u8; 32]),
                &|| false,
            )
            .expect("legal");
        let document = encounter.document().expect("a document");
        steps.push(Step {
            encounter: encounter.clone(),
            document,
            body: command.to_string(),
            command,
        });
        encounter = decided.next;
    }
    steps
}

fn typed<R: Ruleset>(step: &Step) -> Option<(Encounter<R>, R::Command)> {
    let mut document: Value = serde_json::from_slice(&step.document).expect("JSON");
    let encounter = serde_json::from_value(document["encounter"].take()).expect("an encounter");
    let mut fields = step.command.as_object().expect("an object").clone();
    let verb = fields.remove("type")?;
    let command = R::Command::parse(verb.as_str()?, &fields)?;
    Some((encounter, command.expect("well-formed")))
}

fn decide_and_evolve<R: Ruleset>(c: &mut Criterion, sizes: &[usize]) {
    let mut group = c.benchmark_group(format!("decide_and_evolve/{}", R::MANIFEST.id));
    for &size in sizes {
        let steps: Vec<_> = fight(R::MANIFEST.id, size, 200)
            .iter()
            .filter_map(typed::<R>)
            .collect();
        let mut next = 0;
        group.bench_function(BenchmarkId::from_parameter(size), |b| {
            b.iter(|| {
                next = (next + 1) % steps.len();
                let (encounter, command) = &steps[next];
                let mut dice = SeededDice::new([7; 32]);
                let mut play = Play::new(encounter.clone(), &mut dice);
                R::decide(&mut play, black_box(command)).expect("legal");
                play.finish()
            });
        });
    }
    group.finish();
}

struct Decide<'c>(&'c mut Criterion, &'c [usize]);

impl Registrar for Decide<'_> {
    fn add<R: Ruleset>(&mut self) {
        decide_and_evolve::<R>(self.0, self.1);
    }
}

fn every_ruleset(c: &mut Criterion) {
    rulesets::register(&mut Decide(c, &[16]));
}

fn sizes(c: &mut Criterion) {
    decide_and_evolve::<rulesets::active_initiative::ActiveInitiative>(c, &SIZES);
}

fn whole_transition(c: &mut Criterion) {
    let rulesets = Rulesets::shipped();
    let mut group = c.benchmark_group("transition");
    for size in SIZES {
        let steps = fight("active-initiative", size, 100);
        let mut next = 0;
        let mut body = || {
            next = (next + 1) % steps.len();
            &steps[next]
        };
        group.bench_function(BenchmarkId::new("copy_at_hand", size), |b| {
            b.iter_batched(
                &mut body,
                |step| transition(&*step.encounter, &step.body),
                BatchSize::SmallInput,
            );
        });
        group.bench_function(BenchmarkId::new("document_loaded", size), |b| {
            b.iter_batched(
                &mut body,
                |step| {
                    transition(
                        &*rulesets.load(&step.document).expect("a document"),
                        &step.body,
                    )
                },
                BatchSize::SmallInput,
            );
        });
    }
    group.finish();
}

/// Parses a command, decides it, and writes document and view.
fn transition(encounter: &dyn AnyEncounter, body: &str) -> usize {
    let body: Value = serde_json::from_str(body).expect("JSON");
    let request = Request::read(body).expect("a request");
    let decided = encounter
        .decide(
            &[],
            &request,
            Time::default(),
            &mut SeededDice::new([7; 32]),
            &|| false,
        )
        .expect("legal");
    let document = decided.next.document().expect("a document");
    let view = decided.next.view(&Viewer::gm("gm")).expect("a view");
    document.len() + view.get().len() + decided.events.get().len()
}

/// The cost of undo without any undo: a checkpoint in every 256th log entry.
fn checkpoints(_: &mut Criterion) {
    let steps = fight("active-initiative", 16, 100);
    let last = &steps.last().expect("a fight").encounter;
    let write = |checkpoints: u64| {
        let started = Instant::now();
        for step in 0..20 * CHECKPOINTS {
            let Step {
                encounter, body, ..
            } = &steps[step as usize % steps.len()];
            black_box(transition(&**encounter, body));
            if step % CHECKPOINTS < checkpoints {
                black_box(last.checkpoint().expect("a checkpoint"));
            }
        }
        started.elapsed().as_secs_f64()
    };
    // Alternating, so that other load on the machine affects both.
    let mut ratios: Vec<f64> = (0..15).map(|_| write(1) / write(0)).collect();
    ratios.sort_by(f64::total_cmp);
    println!(
        "a transition with its share of a checkpoint, against one without: {:.3}\n",
        ratios[ratios.len() / 2]
    );
}

criterion_group!(benches, sizes, every_ruleset, whole_transition, checkpoints);
criterion_main!(benches);
