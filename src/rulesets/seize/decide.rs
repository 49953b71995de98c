//! The rules of Seize the initiative.

mod rolls;

pub(super) use rolls::who_rolls;

use super::manifest::DISABLED;
use super::{
    ChoiceOpened, Combatant, Command, Encounter, EndTurn, ExtraActionGranted, ExtraActionLapsed,
    ExtraActionTaken, Nominate, Nominated, Passed, Phase, Play, Resolve, Seized, Seizer,
    SeizingOpened,
};
use crate::rulesets::shared::{
    check_chooser, check_in_fight, check_started, check_starter, end_turn, next_round, start_turn,
};
use crate::vocabulary::{CombatantId, Kind, Violation, ids, require};
use std::cmp::Reverse;

pub(super) fn decide(play: &mut Play<'_>, command: &Command) -> Result<(), Violation> {
    check_started(
        play,
        matches!(command, Command::Start(_) | Command::Roll(_)),
        "WA-1",
    )?;
    match command {
        Command::Start(c) => rolls::start(play, c),
        Command::Roll(c) => rolls::roll_own_die(play, c),
        Command::EndTurn(c) => finish(play, c),
        Command::SeizeTurn(c) => seize(play, &c.combatant),
        Command::Pass(c) => pass(play, &c.combatant),
        Command::Resolve(c) => resolve(play, c),
        Command::Nominate(c) => nominate(play, c),
        Command::TakeExtraAction(c) => take_extra_action(play, &c.combatant),
    }
}

/// Starts a turn; a combatant that rolled a 20 gets its extra Action, if it still has it.
pub(super) fn take_turn(play: &mut Play<'_>, id: &CombatantId) {
    start_turn(play, id);
    if holds_extra_action(play, id) {
        play.emit(ExtraActionGranted {
            combatant: id.clone(),
        });
    }
}

fn holds_extra_action(play: &Play<'_>, id: &CombatantId) -> bool {
    play.encounter()
        .get(id)
        .is_some_and(|c| c.state.extra_action)
}

fn finish(play: &mut Play<'_>, c: &EndTurn) -> Result<(), Violation> {
    let id = &c.combatant;
    play.in_turn(id, "WA-8")?;
    let Some(next) = &c.next else {
        close_turn(play, id);
        return Ok(());
    };
    lose_extra_action(play, id);
    end_turn(play, id);
    check_not_seized(play.encounter())?;
    let starts_round = close_round(play);
    choose(play, next, starts_round)
}

/// Ends a turn and asks the combatants that may seize the next one, else who acts next.
pub(super) fn close_turn(play: &mut Play<'_>, id: &CombatantId) {
    lose_extra_action(play, id);
    end_turn(play, id);
    ask_next(play);
}

/// Asks the combatants that may seize the next turn, else who acts next.
pub(super) fn ask_next(play: &mut Play<'_>) {
    let eligible = eligible(play.encounter());
    if eligible.is_empty() {
        return advance(play);
    }
    play.emit(SeizingOpened {
        combatants: eligible.into(),
    });
}

fn lose_extra_action(play: &mut Play<'_>, id: &CombatantId) {
    if holds_extra_action(play, id) {
        play.emit(ExtraActionLapsed {
            combatant: id.clone(),
        });
    }
}

/// Starts the first seized turn (WA-15), else asks who acts next, in a new round if all have acted
/// (WA-10). With no combatant in the fight, it waits.
pub(super) fn advance(play: &mut Play<'_>) {
    if let Some(seizer) = play.encounter().state.queue.first() {
        let combatant = seizer.combatant.clone();
        return take_turn(play, &combatant);
    }
    let starts_round = close_round(play);
    let state = &play.encounter().state;
    if state.phase != Phase::choice(starts_round) {
        let chooser = state.last_actor.clone();
        play.emit(ChoiceOpened {
            chooser,
            starts_round,
        });
    }
}

/// Starts a new round if all have acted. Whether the next turn is the first of a round.
fn close_round(play: &mut Play<'_>) -> bool {
    let encounter = play.encounter();
    if encounter.state.phase == (Phase::NominateFirst {}) {
        return true;
    }
    let over = is_round_over(encounter);
    if over {
        next_round(play);
    }
    over
}

/// Whether all in the fight have had a turn or are barred from one. With no combatant in the fight
/// the round waits.
fn is_round_over(encounter: &Encounter) -> bool {
    let none_waits = encounter.waiting().all(|c| barred(encounter, c));
    none_waits && encounter.active().next().is_some()
}

fn nominate(play: &mut Play<'_>, c: &Nominate) -> Result<(), Violation> {
    if let Some(id) = &c.combatant {
        play.combatant("combatant", id)?;
    }
    play.combatant("next", &c.next)?;
    let state = &play.encounter().state;
    check_choice_is_open(&state.phase)?;
    check_chooser(state.last_actor.as_ref(), c.combatant.as_ref(), "WA-8")?;
    let starts_round = state.phase == (Phase::NominateFirst {});
    choose(play, &c.next, starts_round)
}

/// Lets `next` act next.
fn choose(play: &mut Play<'_>, next: &CombatantId, starts_round: bool) -> Result<(), Violation> {
    let encounter = play.encounter();
    let nominee = play.combatant("next", next)?;
    check_in_fight(nominee, "WA-10")?;
    require(!nominee.acted, "already_acted", "WA-9", || {
        format!("{next} has already acted this round. Choose another combatant.")
    })?;
    check_not_barred(encounter, nominee)?;
    let last_actor = encounter.state.last_actor.as_ref();
    if starts_round {
        check_starter(encounter, last_actor, next, "WA-11")?;
    }
    let nominated_by = last_actor.cloned();
    play.emit(Nominated {
        combatant: next.clone(),
        nominated_by,
    });
    take_turn(play, next);
    Ok(())
}

/// Refuses a choice while a turn is in progress, or may be seized.
fn check_choice_is_open(phase: &Phase) -> Result<(), Violation> {
    match phase {
        Phase::InTurn { actor } => {
            let detail = format!("It's {actor}'s turn. Send \"end_turn\" first.");
            Err(Violation::new("turn_in_progress", "WA-8", detail))
        }
        Phase::Seize {} => Err(seizing_open()),
        Phase::SomeoneActs => {
            let detail = "The next combatant can't be chosen now. Wait for the end of a turn.";
            Err(Violation::new("turn_in_progress", "WA-8", detail))
        }
        Phase::Setup | Phase::Nominate {} | Phase::NominateFirst {} | Phase::Over => Ok(()),
    }
}

/// Refuses a choice of the next turn if that is seized, or may be.
fn check_not_seized(encounter: &Encounter) -> Result<(), Violation> {
    if !eligible(encounter).is_empty() {
        return Err(seizing_open());
    }
    let Some(seizer) = encounter.state.queue.first() else {
        return Ok(());
    };
    let detail = format!(
        "{} has already seized the next turn. Leave out \"next\".",
        seizer.combatant
    );
    Err(Violation::new("turn_seized", "WA-12", detail))
}

fn seizing_open() -> Violation {
    let detail = "The next turn may be seized. End the turn without \"next\", and let all who may \
                  seize decide first.";
    Violation::new("seizing_open", "WA-13", detail)
}

/// Refuses a combatant that rolled a 1, in round 1.
fn check_not_barred(encounter: &Encounter, c: &Combatant) -> Result<(), Violation> {
    require(!barred(encounter, c), "barred", "WA-7", || {
        format!(
            "{} rolled a 1 and can't act in round 1. Choose another combatant.",
            c.id
        )
    })
}

fn take_extra_action(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    let extra_action = play.in_turn(id, "WA-6")?.state.extra_action;
    require(extra_action, "no_extra_action", "WA-6", || {
        format!("{id} can't take an extra Action. A roll of 20 gives one, for the first turn.")
    })?;
    play.emit(ExtraActionTaken {
        combatant: id.clone(),
    });
    Ok(())
}

/// Whether it rolled a 1 and this is the round in which it cannot act (WA-7).
pub(super) fn barred(encounter: &Encounter, c: &Combatant) -> bool {
    c.state.skips_round_1 && encounter.round <= 1
}

/// Whether it could do something with a turn: in the fight, and not disabled as a whole (WA-15a).
pub(super) fn able(c: &Combatant) -> bool {
    c.free_of(|condition| DISABLED.contains(&condition))
}

/// Whether it may seize the turn that comes now (WA-12, WA-12b): not after, before or in a turn of
/// its own (WA-20).
pub(super) fn may_seize(encounter: &Encounter, c: &Combatant) -> bool {
    let is_moment = match &encounter.state.phase {
        Phase::InTurn { actor } => *actor != c.id,
        Phase::Seize {} | Phase::Nominate {} | Phase::SomeoneActs => true,
        Phase::Setup | Phase::NominateFirst {} | Phase::Over => false,
    };
    let has_turn = c.acted || queued(encounter, &c.id);
    is_moment && c.state.hurt && !has_turn && !barred(encounter, c) && able(c)
}

/// The combatants that may seize the turn that comes now, in the order of joining.
pub(super) fn eligible(encounter: &Encounter) -> Vec<CombatantId> {
    ids(encounter.iter().filter(|c| may_seize(encounter, c)))
}

/// Whether it has seized a turn that is still to come.
pub(super) fn queued(encounter: &Encounter, id: &CombatantId) -> bool {
    encounter
        .state
        .queue
        .iter()
        .any(|seizer| seizer.combatant == *id)
}

fn seize(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    let seizer = check_seizing(play, id)?;
    let bonus = seizer.stats.bonus();
    let ahead = place_in_queue(play.encounter(), seizer);
    play.emit(Seized {
        combatant: id.clone(),
        bonus,
        ahead,
    });
    move_on(play);
    Ok(())
}

/// How many seized turns come before the one that `seizer` seizes.
fn place_in_queue(encounter: &Encounter, seizer: &Combatant) -> u32 {
    let mut before = 0;
    for queued in &encounter.state.queue {
        if !comes_before(encounter, queued, seizer) {
            break;
        }
        before += 1;
    }
    before
}

/// Whether a seized turn comes before the one that `seizer` seizes: it follows an earlier turn, or
/// has the higher bonus (WA-15).
fn comes_before(encounter: &Encounter, queued: &Seizer, seizer: &Combatant) -> bool {
    if queued.window < encounter.state.windows {
        return true;
    }
    let Some(other) = encounter.get(&queued.combatant) else {
        return false;
    };
    rank(other, queued.bonus) > rank(seizer, seizer.stats.bonus())
}

/// Between equal bonuses players' characters go first, then the first to join (WA-5a).
fn rank(c: &Combatant, bonus: i64) -> (i64, bool, Reverse<u32>) {
    (bonus, c.kind == Kind::Pc, Reverse(c.joined))
}

fn pass(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    check_seizing(play, id)?;
    play.emit(Passed {
        combatant: id.clone(),
    });
    move_on(play);
    Ok(())
}

fn resolve(play: &mut Play<'_>, c: &Resolve) -> Result<(), Violation> {
    if let Some(next) = &c.next {
        play.combatant("next", next)?;
    }
    let encounter = play.encounter();
    require(
        encounter.state.phase == Phase::Seize {},
        "no_seizing",
        "WA-13",
        || "No combatant may seize now. Send \"resolve\" after a turn that hurt one.",
    )?;
    for combatant in eligible(encounter) {
        play.emit(Passed { combatant });
    }
    let Some(next) = &c.next else {
        advance(play);
        return Ok(());
    };
    check_not_seized(play.encounter())?;
    let starts_round = close_round(play);
    choose(play, next, starts_round)
}

/// Moves on as soon as all have decided.
fn move_on(play: &mut Play<'_>) {
    if eligible(play.encounter()).is_empty() {
        advance(play);
    }
}

/// The combatant, if it may seize or pass now.
fn check_seizing<'p>(play: &'p Play<'_>, id: &CombatantId) -> Result<&'p Combatant, Violation> {
    let encounter = play.encounter();
    let c = play.combatant("combatant", id)?;
    let own = matches!(&encounter.state.phase, Phase::InTurn { actor } if actor == id);
    require(!own, "own_turn", "WA-20", || {
        format!("It's {id}'s own turn. Only a turn after another's can be seized.")
    })?;
    require(!c.acted, "already_acted", "WA-20", || {
        format!("{id} has already acted this round. Seize in the next round.")
    })?;
    require(!queued(encounter, id), "already_seized", "WA-15a", || {
        format!("{id} has already seized a turn. Wait for that turn.")
    })?;
    check_not_barred(encounter, c)?;
    check_in_fight(c, "WA-10")?;
    require(
        encounter.state.phase == Phase::Seize {},
        "no_seizing",
        "WA-13",
        || match &encounter.state.phase {
            Phase::InTurn { actor } => {
                format!("It's {actor}'s turn. Seize when that turn is over.")
            }
            _ => "No turn can be seized now. Seize right after a turn that hurt a combatant."
                .to_owned(),
        },
    )?;
    require(able(c), "disabled", "WA-15a", || {
        let conditions = DISABLED.join(", ");
        format!("{id} can't seize with one of these conditions: {conditions}. Clear it first.")
    })?;
    require(c.state.hurt, "not_hurt", "WA-12", || {
        format!(
            "{id} lost no hit points in the last turn, or has passed. Choose another combatant."
        )
    })?;
    Ok(c)
}
