//! DC20: players' characters check against an Encounter DC, then the teams take their Initiative
//! Turns alternately.

mod action_points;
mod advantage;
mod assign;
mod check;
mod claim;
mod contest;
mod delay;
mod fate_check;
mod lay;
mod legendary;
mod manifest;
mod merge;
mod newcomer;
mod order;
mod ready;
mod resolve;
mod secrecy;
mod slots;
mod start;
mod state;
mod team;
mod turn;

pub use action_points::{
    ActionPointsChanged, ActionPointsRegained, ActionPointsSpent, SpendActionPoints,
};
pub use advantage::{
    AdvantageUsed, Attack, Attacked, InspirationUsed, UseAdvantage, UseInspiration,
};
pub use assign::{Assign, Assigned};
pub use check::{Check, CheckMade, Critical, Roll, Rolled};
pub use claim::{AnswerLapsed, Claim, Claimed, Pass, Passed, SlotTaken};
pub use delay::{Delay, Delayed, PlaceHeld};
pub use fate_check::{FateCheck, FateChecked};
pub use lay::{SlotAdded, SlotShown, TeamJoined, Unplaced};
pub use legendary::{Legendary, LegendaryActed, LegendaryOpened, LegendaryPointsRegained};
pub use merge::{Merge, SlotsMerged};
pub use ready::{Readied, ReadiedAction, Ready, ReadyLapsed, Trigger, Triggered};
pub use resolve::Resolve;
pub use start::{Aggression, AggressionDeclared, DcSet, Difficulty, OrderLaid, Start};
pub use state::*;
pub use turn::{
    EndTurn, PointsGiven, Returned, SlotDecision, SlotOpened, SlotSkipped, StandstillReached,
    StartingPoints, TurnMissed,
};

use crate::json::FieldError;
use crate::rulesets::shared::{check_started, end_turn, level_is_public, rolled, types};
use crate::vocabulary::Event::{Own, Roster, Shared};
use crate::vocabulary::{
    Combatant as CombatantOf, CombatantId, Encounter as EncounterOf, Event as AnyEvent, Fold,
    LegalCommand, OrderEntry, Pending, Play as PlayOf, RosterEvent, Ruleset, SharedEvent, Status,
    Violation, commands, events, shared_list,
};
use action_points::adjust_points;
use claim::{drop_answer, finish_if_decided};
use contest::{Contest, closed_contest, contest_so_far, may_pass};
use delay::{Later, place_held_turns, stop_following};
use lay::{lacks_room, lay};
use legendary::spendable;
use newcomer::admit;
use slots::vacate;
use team::{asked_by, has_no_turn, slot_of, team, team_name};
use turn::{
    advance, begin_awaited, begin_turn, close_legendary, finish_turn, leave_slot, overridden,
    round_ended, take_over, turn_ended,
};

/// The ruleset `dc20`.
#[derive(Debug, Clone, PartialEq)]
pub struct Dc20;

type Encounter = EncounterOf<Dc20>;
type Play<'d> = PlayOf<'d, Dc20>;
type Combatant = CombatantOf<Dc20>;

/// A command of DC20.
#[commands(Dc20)]
pub enum Command {
    Start,
    Roll,
    Claim,
    Assign,
    Pass,
    Resolve,
    Merge,
    EndTurn,
    Delay,
    SpendActionPoints,
    Ready,
    Trigger,
    Attack,
    UseInspiration,
    UseAdvantage,
    Legendary,
    FateCheck,
}

/// An event of DC20.
#[events(Dc20)]
pub enum Event {
    AggressionDeclared,
    DcSet,
    Rolled,
    CheckMade,
    FateChecked,
    OrderLaid,
    PointsGiven,
    SlotOpened,
    Claimed,
    Passed,
    AnswerLapsed,
    SlotTaken,
    Assigned,
    Unplaced,
    SlotSkipped,
    TurnMissed,
    Returned,
    ActionPointsRegained,
    PlaceHeld,
    Delayed,
    SlotAdded,
    TeamJoined,
    SlotShown,
    SlotsMerged,
    ActionPointsChanged,
    ActionPointsSpent,
    Readied,
    Triggered,
    ReadyLapsed,
    Attacked,
    InspirationUsed,
    AdvantageUsed,
    LegendaryOpened,
    LegendaryActed,
    LegendaryPointsRegained,
    StandstillReached,
}

impl Ruleset for Dc20 {
    types!();

    fn check_combatant(_: &Options, combatant: &Combatant) -> Result<(), FieldError> {
        level_is_public(combatant)
    }

    fn title<'o>(_: &'o Options, word: &str) -> Option<&'o str> {
        (word == "deaths-door").then_some("at Death's Door")
    }

    fn decide(play: &mut Play<'_>, command: &Command) -> Result<(), Violation> {
        if !matches!(command, Command::Roll(_)) {
            check_started(play, matches!(command, Command::Start(_)), "DC-31")?;
        }
        command.decide(play)?;
        // A player's check before the start begins nothing.
        if play.encounter().status != Status::Setup {
            settle(play);
        }
        Ok(())
    }

    fn react(play: &mut Play<'_>, event: &AnyEvent<Self>) -> Result<(), Violation> {
        if matches!(play.encounter().state.phase, Phase::Setup | Phase::Over) {
            return Ok(());
        }
        match event {
            Shared(SharedEvent::Overridden(e)) => {
                take_over(play, &e.combatant);
                return Ok(());
            }
            Shared(SharedEvent::ConditionSet(e)) => adjust_points(play, &e.combatant),
            Shared(SharedEvent::ConditionCleared(e)) => {
                adjust_points(play, &e.combatant);
                // Turns are counted for those who are in the fight.
                if play.encounter().is_active(&e.combatant) {
                    lay(play);
                }
            }
            Shared(SharedEvent::CombatantLeft(e)) => {
                if play.encounter().state.acting.contains(&e.combatant) {
                    end_turn(play, &e.combatant);
                }
            }
            Roster(RosterEvent::CombatantJoined { details }) => admit(play, details),
            Roster(RosterEvent::CombatantUpdated { details, .. }) => {
                drop_answer(play, details);
                lay(play);
                adjust_points(play, &details.id);
            }
            Shared(_) | Own(_) => return Ok(()),
        }
        settle(play);
        Ok(())
    }

    fn evolve(fold: &mut Fold<'_, Self>, event: &AnyEvent<Self>) {
        match event {
            Own(event) => event.apply(fold),
            Shared(SharedEvent::TurnStarted(e)) => begin_turn(fold, &e.combatant),
            Shared(SharedEvent::TurnEnded(e)) => turn_ended(fold, &e.combatant),
            Shared(SharedEvent::RoundEnded(e)) => round_ended(fold, e.round),
            Shared(SharedEvent::CombatantLeft(e)) => {
                vacate(fold, &e.combatant);
                fold.state().forget_answer(&e.combatant);
                // A held turn still knows whom it waited for, until it gets its place.
                let is_over = fold.state().phase == Phase::Over;
                stop_following(fold, &e.combatant, |s| is_over || s.slot.is_some());
            }
            Shared(SharedEvent::Overridden(e)) => overridden(fold, &e.combatant),
            Shared(SharedEvent::EncounterEnded(_)) => {
                fold.state().acting.clear();
                fold.state().forget_answers();
                fold.state().phase = Phase::Over;
                fold.change_states(|s| s.inspiration_die, |s| s.inspiration_die = false);
            }
            // An enemy that hides is followed no more: where it acts must not show.
            Roster(RosterEvent::CombatantUpdated { details, .. }) if details.hidden => {
                stop_following(fold, &details.id, |_| true);
            }
            Shared(_) | Roster(_) => {}
        }
    }

    fn check_state(encounter: &Encounter) -> Result<(), String> {
        state::check(encounter)
    }

    fn legal_commands(encounter: &Encounter) -> Vec<LegalCommand> {
        let mut legal = Vec::new();
        if encounter.status == Status::Setup {
            start::options(encounter, &mut legal);
            return legal;
        }
        match encounter.state.phase {
            Phase::Claim => claim::options(encounter, &mut legal),
            _ => legal.push(resolve(encounter)),
        }
        assign::options(encounter, &mut legal);
        legal.push(LegalCommand::of::<Merge>("DC-25"));
        let later = Later::of(encounter);
        let acting = &encounter.state.acting;
        for c in acting.iter().filter_map(|id| encounter.get(id)) {
            legal.push(LegalCommand::by::<EndTurn>(&c.id, "DC-45"));
            legal.extend(delay::options(&later, &c.id));
            legal.push(ready::options(c));
        }
        let targets = shared_list(encounter.active().map(|c| &c.id));
        for c in encounter.iter() {
            legal.push(legendary::options(encounter, c));
            legal.push(action_points::options(c));
            // Without this check a combatant that cannot attack is tried with every target.
            if encounter.round > 0 && c.active() {
                let attack = LegalCommand::by::<Attack>(&c.id, "DC-11");
                legal.push(attack.among("target", &targets, Some(&c.id)));
            }
            legal.push(LegalCommand::by::<Trigger>(&c.id, "DC-49"));
            legal.push(LegalCommand::by::<Roll>(&c.id, "DC-4"));
            legal.push(LegalCommand::by::<UseInspiration>(&c.id, "DC-8"));
            legal.push(LegalCommand::by::<UseAdvantage>(&c.id, "DC-10"));
        }
        legal.push(LegalCommand::of::<FateCheck>("DC-27"));
        legal
    }

    fn words_for_stat(field: &str) -> Option<&'static str> {
        match field {
            "initiative_adv" => Some("initiative ADV"),
            "legendary_points_per_turn" => Some("Legendary Action Points per turn"),
            "max_action_points" => Some("maximum of Action Points"),
            "max_legendary_points" => Some("maximum of Legendary Action Points"),
            _ => None,
        }
    }

    /// DC-40 counts from the turn in which an effect is made, whatever its source (DC-40a).
    fn anchor(
        encounter: &Encounter,
        source: Option<&CombatantId>,
        target: Option<&CombatantId>,
    ) -> Option<CombatantId> {
        let acting = &encounter.state.acting;
        let affected = source.or(target);
        if let Some(id) = affected
            && acting.contains(id)
        {
            return Some(id.clone());
        }
        acting.first().or(affected).cloned()
    }

    fn current(encounter: &Encounter) -> Vec<CombatantId> {
        encounter.state.acting.clone()
    }

    fn pending(encounter: &Encounter) -> Option<Pending> {
        let state = &encounter.state;
        Some(match state.phase {
            Phase::Setup if encounter.active().next().is_none() => {
                Pending::newcomer(encounter, "DC-4")
            }
            Phase::Setup => Pending::new("start", Vec::new(), &["start"], "DC-4"),
            Phase::Claim => in_turn(state, state.reached(), pending_claim(encounter)),
            Phase::Assign => {
                let assign = Pending::new("assign", Vec::new(), &["assign", "resolve"], "DC-20");
                in_turn(state, state.reached(), assign)
            }
            Phase::Turn => {
                let acting = state.acting.clone();
                let end = Pending::new("end_turn", acting, &["end_turn"], "DC-45");
                in_turn(state, turn_in_progress(encounter), end)
            }
            Phase::BetweenTurns => {
                Pending::new("legendary", Vec::new(), &["legendary", "resolve"], "DC-52")
            }
            Phase::RoundEnd => {
                Pending::new("legendary", Vec::new(), &["legendary", "resolve"], "DC-53")
            }
            Phase::Idle => Pending::newcomer(encounter, "DC-38"),
            Phase::Over => return None,
            Phase::SomeoneActs => Pending::someone(),
        })
    }

    fn order(encounter: &Encounter) -> Vec<OrderEntry> {
        order::order(encounter)
    }

    fn remark(encounter: &Encounter, c: &Combatant) -> String {
        let state = &c.state;
        let mut remarks = Vec::from_iter(rolled(&state.rolled));
        if let Some(behind) = &state.behind
            && let Some(enemy) = encounter.get(behind)
        {
            remarks.push(format!("delaying until after {}", enemy.name));
        }
        if has_no_turn(&encounter.state, c) && c.active() && !encounter.state.slots.is_empty() {
            let claims = encounter.state.claim_of(&c.id).is_some();
            let passes = encounter.state.passed.contains(&c.id);
            let words = match (claims, passes) {
                (true, _) => "claims the turn",
                (_, true) => "passes",
                _ => "no turn yet",
            };
            remarks.push(words.to_owned());
        }
        if encounter.round > 0 {
            remarks.push(format!(
                "AP {}/{}",
                state.action_point_pool.current, state.action_point_pool.max
            ));
        }
        for (applies, words) in [
            (state.delayed, "delayed"),
            (state.inspiration_die, "inspiration d6"),
            (state.round_one_adv, "advantage once in round 1"),
            (state.attacked_with_adv, "next attack on them has advantage"),
            (state.committed.is_some(), "must act as announced"),
            (state.readied.is_some(), "action readied"),
        ] {
            if applies {
                remarks.push(words.to_owned());
            }
        }
        if c.stats.max_legendary_points.get() > 0 && team(&encounter.state, c) != Team::Pc {
            remarks.push(format!(
                "LAP {}/{}",
                state.legendary_points, c.stats.max_legendary_points
            ));
        }
        let spendable = spendable(encounter, c);
        if spendable > 0 {
            remarks.push(format!("may spend {spendable} LAP"));
        }
        remarks.join(", ")
    }
}

/// The PC team decides who takes the awaited PC Turn.
fn pending_claim(encounter: &Encounter) -> Pending {
    let contest = contest_so_far(encounter);
    let is_claimed = !encounter.state.claims.is_empty();
    let rule = match contest {
        Contest::Tied(_) => "DC-19",
        Contest::Open(_) if is_claimed => "DC-18",
        _ => "DC-17",
    };
    // Of several, all but one may pass. A single one may if later turns are left for all.
    let asks_several = !matches!(contest, Contest::MustClaim(_)) && contest.asked().len() > 1;
    let mut commands = vec!["claim"];
    if asks_several || is_claimed || may_pass(encounter) {
        commands.push("pass");
    }
    if matches!(
        closed_contest(encounter),
        Contest::Won(_) | Contest::Unclaimed
    ) {
        commands.push("resolve");
    }
    Pending::new("claim", contest.asked().to_vec(), &commands, rule)
}

/// The turn in which the first of those who act has its place. After an override it may have none.
fn turn_in_progress(encounter: &Encounter) -> Option<&Slot> {
    let first = encounter.state.acting.first()?;
    slot_of(&encounter.state, encounter.get(first)?)
}

/// Lets the rules decide: the usual answer if the awaited turn is taken already, or if no one need do
/// anything.
fn resolve(encounter: &Encounter) -> LegalCommand {
    let resolve = LegalCommand::of::<Resolve>("DC-22");
    let state = &encounter.state;
    match (&state.phase, state.reached()) {
        (Phase::Assign, Some(slot)) if !slot.occupants.is_empty() => {
            let start = format!("Start {} as it is", slot.id.title());
            resolve.labelled(start).preferred()
        }
        (Phase::BetweenTurns | Phase::RoundEnd, _) => {
            resolve.labelled("No legendary action").preferred()
        }
        _ => resolve,
    }
}

/// The decision with the turn in which it is awaited.
fn in_turn(state: &State, slot: Option<&Slot>, pending: Pending) -> Pending {
    let Some(slot) = slot else {
        return pending;
    };
    Pending {
        slot: Some(slot.id.as_str().to_owned()),
        team: Some(team_name(state, slot.team)),
        ..pending
    }
}

/// Brings the combat on after a command or a change of its combatants.
fn settle(play: &mut Play<'_>) {
    for id in fallen_in_turn(play.encounter()) {
        finish_turn(play, &id);
    }
    place_held_turns(play);
    if lacks_room(play.encounter()) {
        lay(play);
    }
    let encounter = play.encounter();
    let state = &encounter.state;
    match state.phase {
        Phase::Turn if state.acting.is_empty() => leave_slot(play),
        Phase::Claim if state.reached().is_some() => {
            finish_if_decided(play, contest_so_far(encounter));
        }
        Phase::Assign => {
            if let Some(slot) = state.reached()
                && asked_by(encounter, slot).is_empty()
            {
                begin_awaited(play);
            }
        }
        Phase::BetweenTurns | Phase::RoundEnd
            if !encounter.active().any(|c| spendable(encounter, c) > 0) =>
        {
            close_legendary(play);
        }
        Phase::Setup | Phase::Idle if encounter.active().next().is_some() => advance(play),
        _ => {}
    }
}

/// The combatants out of the fight whose turns are in progress or delayed.
fn fallen_in_turn(encounter: &Encounter) -> Vec<CombatantId> {
    let mut fallen = Vec::new();
    for c in encounter.iter() {
        let in_turn = c.state.delayed || encounter.state.acting.contains(&c.id);
        if in_turn && !c.active() {
            fallen.push(c.id.clone());
        }
    }
    fallen
}
