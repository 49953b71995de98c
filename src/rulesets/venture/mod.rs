//! Venture, a rewrite of Exalted: a signed initiative track that rises, falls and crashes while the
//! fight goes on.

mod act;
mod adjust;
mod delay;
mod end_turn;
mod free_action;
mod initiative;
mod join_battle;
mod manifest;
mod movement;
mod start;
mod start_effect;
mod start_turn;
mod state;
mod track;

pub use act::{Act, ActionTaken, Attacked, Disengage, Flurried, Flurry, Rush, Target};
pub use adjust::{Adjust, Corrected, TimedChange, TimedChangesSet};
pub use delay::{Delay, DelayLapsed, Delayed, Return, Returned};
pub use end_turn::{EndTurn, RecoveryTokensGained};
pub use free_action::{FreeAction, FreeActionReached, FreeActionTaken, Pass, Passed};
pub use initiative::{
    Cause, CrashEnded, Crashed, InitiativeChanged, MotesChanged, Shifted, SpendInitiative,
};
pub use join_battle::{
    Ability, Approach, Attribute, Join, JoinBattle, JoinRoll, JoinedBattle, Pool,
};
pub use movement::{FollowUp, FollowUpTaken, Move, Moved};
pub use start::{Settle, Settled, Start};
pub use start_effect::{
    Declare, StartEffect, StartEffectDeclared, StartEffectResolved, StartEffectWithdrawn, Withdraw,
};
pub use start_turn::{BeginTurn, FollowUpOffered, OnslaughtEnded, Recovered};
pub use state::*;
pub use track::{StandstillReached, Tick, TickReached};

use crate::json::FieldError;
use crate::rulesets::shared::{check_started, end_turn, types};
use crate::vocabulary::Event::{Own, Roster, Shared};
use crate::vocabulary::{
    Audience, Combatant as CombatantOf, CombatantId, Encounter as EncounterOf, Event as AnyEvent,
    EventRedaction, Fields, Fold, KnownCombatants, LegalCommand, OrderEntry, Pending,
    Play as PlayOf, Property, Redact, Ruleset, Secrecy, SharedEvent, Status, Violation, commands,
    events, ids, shared_list,
};
use act::targets_by_side;
use delay::drop_delays;
use free_action::{leave_round_zero, open_free_action, with_free_action};
use start_turn::{take_turn, turn_started};
use std::collections::BTreeSet;
use track::reach_tick;

/// The ruleset `venture`.
#[derive(Debug, Clone, PartialEq)]
pub struct Venture;

type Encounter = EncounterOf<Venture>;
type Play<'d> = PlayOf<'d, Venture>;
type Combatant = CombatantOf<Venture>;

/// A command of Venture.
#[commands(Venture)]
pub enum Command {
    Start,
    Settle,
    JoinBattle,
    FreeAction,
    BeginTurn,
    Delay,
    Return,
    Act,
    Rush,
    Disengage,
    Flurry,
    Move,
    FollowUp,
    Pass,
    EndTurn,
    SpendInitiative,
    Declare,
    Withdraw,
    Adjust,
}

/// An event of Venture.
#[events(Venture)]
pub enum Event {
    Settled,
    JoinedBattle,
    FreeActionReached,
    FreeActionTaken,
    Passed,
    TickReached,
    StandstillReached,
    OnslaughtEnded,
    FollowUpOffered,
    FollowUpTaken,
    Recovered,
    StartEffectDeclared,
    StartEffectWithdrawn,
    StartEffectResolved,
    ActionTaken,
    Attacked,
    Flurried,
    Moved,
    Delayed,
    DelayLapsed,
    Returned,
    InitiativeChanged,
    Crashed,
    CrashEnded,
    Shifted,
    RecoveryTokensGained,
    MotesChanged,
    TimedChangesSet,
    Corrected,
}

impl Ruleset for Venture {
    types!();

    fn decide(play: &mut Play<'_>, command: &Command) -> Result<(), Violation> {
        if !matches!(command, Command::Settle(_) | Command::JoinBattle(_)) {
            check_started(play, matches!(command, Command::Start(_)), "VE-2")?;
        }
        command.decide(play)?;
        move_on(play);
        Ok(())
    }

    fn react(play: &mut Play<'_>, event: &AnyEvent<Self>) -> Result<(), Violation> {
        if play.encounter().status != Status::Running {
            return Ok(());
        }
        match event {
            Shared(SharedEvent::Overridden(e)) => {
                if play
                    .combatant("combatant", &e.combatant)?
                    .state
                    .join_battle
                    .is_none()
                {
                    join_battle::join_battle(play, &e.combatant, &Join::default())?;
                }
                if matches!(play.encounter().state.phase, Phase::FreeActions { .. }) {
                    leave_round_zero(play);
                }
                take_turn(play, &e.combatant)?;
            }
            Shared(_) | Roster(_) | Own(_) => {}
        }
        move_on(play);
        Ok(())
    }

    fn evolve(fold: &mut Fold<'_, Self>, event: &AnyEvent<Self>) {
        match event {
            Own(event) => event.apply(fold),
            Shared(SharedEvent::TurnStarted(e)) => turn_started(fold, &e.combatant),
            Shared(SharedEvent::CombatantLeft(e)) => {
                fold.change_states(
                    |s| s.crashed_by.as_ref() == Some(&e.combatant),
                    |s| s.crashed_by = None,
                );
            }
            Shared(_) | Roster(_) => {}
        }
    }

    fn check_state(encounter: &Encounter) -> Result<(), String> {
        state::check(encounter)
    }

    fn legal_commands(encounter: &Encounter) -> Vec<LegalCommand> {
        let mut legal = Vec::new();
        start::settlements(encounter, &mut legal);
        if encounter.status == Status::Setup {
            legal.push(start::options(encounter));
            for c in encounter.active().filter(|c| c.state.join_battle.is_none()) {
                join_battle::options(encounter, &mut legal, &c.id);
            }
            // What is refused before the start would be tried with every combatant.
            return legal;
        }
        let targets = targets_by_side(encounter);
        if let Some(actor) = encounter.state.phase.awaited() {
            legal.push(LegalCommand::by::<BeginTurn>(actor, "VE-9"));
            legal.push(LegalCommand::by::<Delay>(actor, "VE-12"));
            legal.extend(free_action::options(encounter, actor));
            legal.extend(act::options(encounter, &targets, actor));
            legal.push(LegalCommand::by::<Move>(actor, "VE-10"));
            legal.push(LegalCommand::by::<EndTurn>(actor, "VE-9"));
        }
        act::outside_the_turn(encounter, &targets, &mut legal);
        let all = shared_list(encounter.iter().map(|c| &c.id));
        for c in encounter.active() {
            if c.state.join_battle.is_some() {
                legal.push(LegalCommand::by::<Return>(&c.id, "VE-12"));
                legal.push(LegalCommand::by::<FollowUp>(&c.id, "VE-15"));
                legal.extend(initiative::options(c));
                legal.push(start_effect::options(c));
                legal.push(adjust::options(c, &all));
            } else {
                join_battle::options(encounter, &mut legal, &c.id);
            }
        }
        start_effect::withdrawals(encounter, &mut legal);
        legal
    }

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
                Pending::newcomer(encounter, "VE-9")
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
                let commands = open([join, ("free_action", true), ("pass", true)]);
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
                let commands = open([join, ("begin_turn", true), ("delay", !tick.delayed), back]);
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
                    ("end_turn", !state.has_action()),
                    ("free_action", free_action),
                    ("pass", free_action),
                    ("act", state.has_action()),
                    ("rush", state.has_action()),
                    ("disengage", state.has_action()),
                    ("flurry", !untouched && !state.flurrying),
                    ("move", !state.moved),
                    ("end_turn", state.has_action()),
                ]);
                Pending::new("end_turn", vec![actor.clone()], &commands, "VE-10")
            }
            Phase::SomeoneActs {} => Pending::someone(),
        })
    }

    fn order(encounter: &Encounter) -> Vec<OrderEntry> {
        track::order(encounter, &Self::current(encounter))
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

/// The commands that are open.
fn open<const N: usize>(commands: [(&'static str, bool); N]) -> Vec<&'static str> {
    commands
        .into_iter()
        .filter(|(_, open)| *open)
        .map(|(verb, _)| verb)
        .collect()
}

/// Moves on to the next combatant, after a turn, a free action, or a change on the track or of the
/// roster.
///
/// The turn of a combatant that is out of the fight or has left ends at once, without the steps of
/// its end.
fn move_on(play: &mut Play<'_>) {
    drop_delays(play);
    let encounter = play.encounter();
    match &encounter.state.phase {
        Phase::FreeActions { next } if with_free_action(encounter).all(|c| c.id != *next) => {
            open_free_action(play);
        }
        Phase::InTurn { actor } | Phase::FollowUp { actor } if !encounter.is_active(actor) => {
            let actor = actor.clone();
            end_turn(play, &actor);
            reach_tick(play);
        }
        Phase::Tick(_) | Phase::Standstill {} => reach_tick(play),
        _ => {}
    }
}

impl Secrecy<Self> for Venture {
    /// Without those who may return or join the battle.
    fn awaited(encounter: &Encounter) -> Vec<CombatantId> {
        encounter
            .state
            .phase
            .awaited()
            .into_iter()
            .cloned()
            .collect()
    }

    /// The tick would be that of a hidden combatant while it acts, or after it was the last to act.
    fn known_state(whole: &Encounter, audience: &Audience<'_>) -> State {
        let State { phase, tick } = &whole.state;
        let phase = audience.known(phase);
        let shows_tick = !matches!(phase, Phase::SomeoneActs {} | Phase::Standstill {});
        State {
            phase,
            tick: tick.filter(|_| shows_tick),
        }
    }

    fn known_combatants<'t>(
        _whole: &'t Encounter,
        audience: &'t Audience<'t>,
    ) -> KnownCombatants<'t, Self> {
        Box::new(|c| {
            let CombatantState {
                initiative,
                join_battle,
                free_action,
                crashed,
                crashed_by,
                recovery_tokens,
                onslaught,
                delaying,
                actions_taken,
                flurrying,
                attacked,
                moved,
                follow_up,
                start_effects,
                timed_changes,
            } = &c.state;
            CombatantState {
                initiative: *initiative,
                join_battle: join_battle.clone(),
                free_action: *free_action,
                crashed: *crashed,
                crashed_by: audience.known(crashed_by),
                recovery_tokens: *recovery_tokens,
                onslaught: *onslaught,
                delaying: *delaying,
                actions_taken: *actions_taken,
                flurrying: *flurrying,
                attacked: *attacked,
                moved: *moved,
                follow_up: *follow_up,
                start_effects: start_effects.clone(),
                timed_changes: timed_changes.clone(),
            }
        })
    }

    /// A tick that names a known combatant is dropped too if a hidden one is awaited after it: the
    /// state shows no tick then.
    fn redact_event(event: &Event, redaction: &EventRedaction<'_, Self>) -> Option<Event> {
        if redaction.someone_acts && matches!(event, Event::TickReached(_)) {
            return None;
        }
        event.redact(redaction.audience)
    }
}
