//! Venture, a rewrite of Exalted: a signed initiative track that rises, falls and crashes while the
//! fight goes on.

mod bounds;
mod command;
mod decide;
mod event;
mod evolve;
mod legal_commands;
mod manifest;
mod react;
mod secrecy;
mod state;

pub use command::*;
pub use event::*;
pub use state::*;

use crate::json::FieldError;
use crate::rulesets::shared::parts;
use crate::vocabulary::{
    Combatant as CombatantOf, CombatantId, Encounter as EncounterOf, Event as AnyEvent, Fields,
    Kind, LegalCommand, OrderEntry, Pending, Play as PlayOf, Property, Reason, Ruleset, Status,
    Violation, ids,
};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// The ruleset `venture`.
#[derive(Debug, Clone, PartialEq)]
pub struct Venture;

type Encounter = EncounterOf<Venture>;
type Play<'d> = PlayOf<'d, Venture>;
type Combatant = CombatantOf<Venture>;

impl Ruleset for Venture {
    parts!();

    fn newcomer_fields(_encounter: &Encounter) -> Vec<Property> {
        // A newcomer has at most its maximum of motes.
        CombatantStats::all_but(&["motes"])
    }

    fn words_for_stat(field: &str) -> Option<&'static str> {
        (field == "max_motes").then_some("maximum of motes")
    }

    fn check_combatant(_: &Options, combatant: &Combatant) -> Result<(), FieldError> {
        let motes = combatant.stats.motes();
        let most = combatant.stats.max_motes;
        if motes <= most.get() {
            return Ok(());
        }
        let message = format!("{motes} is above the maximum of {most}. Set \"max_motes\" too.");
        Err(FieldError::meaningless("motes", message))
    }

    fn drop_outdated(_: &Options, combatant: &mut Combatant, given: &BTreeSet<String>) {
        let stats = &mut combatant.stats;
        if !given.contains("motes") {
            stats.motes = stats.motes.map(|motes| motes.min(stats.max_motes));
        }
    }

    fn current(encounter: &Encounter) -> Vec<CombatantId> {
        let current = match &encounter.state.phase {
            Phase::FreeActions { next } => Some(next),
            phase => phase.acting(),
        };
        current
            .filter(|_| encounter.status == Status::Running)
            .cloned()
            .into_iter()
            .collect()
    }

    fn pending(encounter: &Encounter) -> Option<Pending> {
        let newcomers = ids(encounter
            .active()
            .filter(|c| c.stats.worthy_foe && c.state.join_battle.is_none()));
        let join = ("join_battle", !newcomers.is_empty());
        Some(match &encounter.state.phase {
            Phase::Setup | Phase::Standstill {} if encounter.active().next().is_none() => {
                Pending::newcomer("VE-9")
            }
            Phase::Setup if encounter.active().all(|c| c.stats.worthy_foe) => {
                Pending::new("start", Vec::new(), &["start"], "VE-2")
            }
            Phase::Standstill {} if join.1 => {
                Pending::new("join_battle", newcomers, &["join_battle"], "VE-2")
            }
            Phase::Setup | Phase::Standstill {} => Pending::new(
                "settle",
                Vec::new(),
                &["settle", "update_combatant", "remove_combatant"],
                "VE-1",
            ),
            Phase::FreeActions { next } => {
                let commands = open([("free_action", true), ("pass", true), join]);
                Pending::new(
                    "free_action",
                    [vec![next.clone()], newcomers].concat(),
                    &commands,
                    "VE-7",
                )
            }
            Phase::Tick(tick) => {
                let others = ids(encounter
                    .waiting()
                    .filter(|c| c.state.delaying && c.id != tick.next));
                let back = ("return", tick.delayed || !others.is_empty());
                let who = [vec![tick.next.clone()], others, newcomers].concat();
                let commands = open([("begin_turn", true), ("delay", !tick.delayed), back, join]);
                Pending::new(
                    "begin_turn",
                    who,
                    &commands,
                    if tick.delayed { "VE-12a" } else { "VE-9" },
                )
            }
            Phase::FollowUp { actor } => Pending::new(
                "follow_up",
                vec![actor.clone()],
                &["follow_up", "pass"],
                "VE-15",
            ),
            Phase::InTurn { actor } => {
                let state = &encounter.get(actor)?.state;
                let untouched = state.actions_taken == 0;
                let free_action = untouched && state.free_action == FreeActionState::Open;
                let commands = open([
                    ("free_action", free_action),
                    ("pass", free_action),
                    ("act", state.has_action()),
                    ("rush", state.has_action()),
                    ("disengage", state.has_action()),
                    ("flurry", !untouched && !state.flurrying),
                    ("move", !state.moved),
                    ("end_turn", true),
                ]);
                Pending::new("end_turn", vec![actor.clone()], &commands, "VE-10")
            }
            Phase::SomeoneActs {} => Pending::someone(),
        })
    }

    fn order(encounter: &Encounter) -> Vec<OrderEntry> {
        let current = Self::current(encounter);
        let mut on_track: Vec<_> = on_track(encounter).collect();
        on_track.sort_by_cached_key(|c| {
            (
                !current.contains(&c.id),
                has_acted(encounter, c),
                c.state.delaying,
                rank(c),
            )
        });
        let mut entries = Vec::with_capacity(on_track.len());
        for c in &on_track {
            let mut others = on_track.iter().filter(|other| other.id != c.id);
            let same_tick = others.any(|other| shares_tick(encounter, other, c));
            entries.push(OrderEntry {
                slot: Some(c.state.initiative.to_string()),
                ..OrderEntry::new(&c.id, because(c, same_tick))
            });
        }
        entries
    }

    /// Round 0 is that of the free actions (VE-7).
    fn round_name(round: u32) -> String {
        match round {
            0 => "the round of free actions".to_owned(),
            _ => format!("round {round}"),
        }
    }

    fn remark(encounter: &Encounter, c: &Combatant) -> String {
        let state = &c.state;
        if state.join_battle.is_none() {
            if encounter.status == Status::Running {
                return "not in battle yet".to_owned();
            }
            return String::new();
        }
        let mut remarks = Vec::new();
        if matches!(&encounter.state.phase, Phase::Tick(tick) if tick.next == c.id) {
            remarks.push("next".to_owned());
        }
        if state.crashed {
            remarks.push(format!(
                "crashed, {} of 3 recovery tokens",
                state.recovery_tokens
            ));
        }
        if state.delaying {
            remarks.push("delaying".to_owned());
        }
        if state.onslaught > 0 {
            remarks.push(format!("Onslaught {}", state.onslaught));
        }
        let max_motes = c.stats.max_motes.get();
        if max_motes > 0 {
            remarks.push(format!("motes {}/{max_motes}", c.stats.motes()));
        }
        remarks.join(", ")
    }
}

/// Those in the fight that have a place on the track.
fn on_track(encounter: &Encounter) -> impl Iterator<Item = &Combatant> {
    encounter.active().filter(|c| c.state.join_battle.is_some())
}

/// Whether a combatant has had its turn, or in round 0 has taken or passed its free action.
fn has_acted(encounter: &Encounter, c: &Combatant) -> bool {
    match encounter.state.phase {
        Phase::FreeActions { .. } => c.state.free_action != FreeActionState::Open,
        _ => c.acted,
    }
}

/// Whether VE-9a places two combatants: they are on the same tick, both or neither have acted, and
/// both or neither delay.
fn shares_tick(encounter: &Encounter, one: &Combatant, other: &Combatant) -> bool {
    one.state.initiative == other.state.initiative
        && has_acted(encounter, one) == has_acted(encounter, other)
        && one.state.delaying == other.state.delaying
}

/// Why a combatant stands where it does on the track.
fn because(c: &Combatant, same_tick: bool) -> Reason {
    let (rule, reason) = if c.state.delaying {
        ("VE-12", "delays the turn")
    } else {
        ("VE-9", "Initiative")
    };
    let mut because = Reason::new(rule, reason);
    because.total = Some(c.state.initiative);
    if let Some(roll) = &c.state.join_battle {
        because.dice.clone_from(&roll.dice);
    }
    if same_tick {
        because.tie_rule = Some("VE-9a");
    }
    because
}

/// The commands that are open.
fn open<const N: usize>(commands: [(&'static str, bool); N]) -> Vec<&'static str> {
    commands
        .into_iter()
        .filter(|(_, open)| *open)
        .map(|(verb, _)| verb)
        .collect()
}

/// What the track is sorted by: Initiative; on the same tick players' characters, more successes,
/// who joined first (VE-9a).
fn rank(c: &Combatant) -> impl Ord + use<> {
    let successes = c.state.join_battle.as_ref().map(|roll| roll.successes);
    Reverse((
        c.state.initiative,
        c.kind == Kind::Pc,
        successes,
        Reverse(c.joined),
    ))
}
