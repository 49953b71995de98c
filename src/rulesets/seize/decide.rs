//! The rules of Seize the initiative.

mod rolls;

use super::manifest::DISABLED;
use super::{
    ChoiceOpened, CloseSeizing, Combatant, Command, Declined, Encounter, EndTurn,
    ExtraActionGranted, ExtraActionLapsed, ExtraActionSpent, Nominate, Phase, Picked, Play, Seized,
    Seizer, SeizingOpened, Way,
};
use crate::rulesets::shared::{
    check_chooser, check_in_fight, check_started, check_starter, end_turn, next_round, start_turn,
};
use crate::vocabulary::{CombatantId, Kind, Violation, ids, require};
use std::cmp::Reverse;

pub(super) fn decide(play: &mut Play<'_>, command: &Command) -> Result<(), Violation> {
    check_started(
        play,
        matches!(command, Command::Start(_) | Command::RollInitiative(_)),
        "WA-1",
    )?;
    match command {
        Command::Start(c) => rolls::start(play, c),
        Command::RollInitiative(c) => rolls::take_own_die(play, c),
        Command::EndTurn(c) => finish(play, c),
        Command::SeizeTurn(c) => seize(play, &c.combatant),
        Command::Decline(c) => decline(play, &c.combatant),
        Command::CloseSeizing(c) => close_seizing(play, c),
        Command::Nominate(c) => nominate(play, c),
        Command::Spend(c) => spend(play, &c.combatant),
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
    play.in_turn(&c.combatant, "WA-8")?;
    close_turn(play, &c.combatant);
    match &c.next {
        Some(next) => name(play, next),
        None => Ok(()),
    }
}

/// Ends a turn and goes on: to the combatants that may seize the next one, else to the next.
pub(super) fn close_turn(play: &mut Play<'_>, id: &CombatantId) {
    if holds_extra_action(play, id) {
        play.emit(ExtraActionLapsed {
            combatant: id.clone(),
        });
    }
    end_turn(play, id);
    if !open_seizing(play) {
        advance(play);
    }
}

/// Asks the combatants that may seize the next turn; false if there is none.
pub(super) fn open_seizing(play: &mut Play<'_>) -> bool {
    let eligible = eligible(play.encounter());
    if eligible.is_empty() {
        return false;
    }
    play.emit(SeizingOpened {
        eligible: eligible.into(),
    });
    true
}

/// Goes on when nobody is left to seize: with the first seized turn (WA-15), else with a pick, in a
/// new round if everybody has acted (WA-10). With nobody in the fight, it waits.
pub(super) fn advance(play: &mut Play<'_>) {
    let encounter = play.encounter();
    if let Some(seizer) = encounter.state.queue.first() {
        let combatant = seizer.combatant.clone();
        return take_turn(play, &combatant);
    }
    let mut starter = encounter.state.phase == Phase::ChooseStarter {};
    if !starter && is_round_over(encounter) {
        next_round(play);
        starter = true;
    }
    let state = &play.encounter().state;
    if state.phase != Phase::choice(starter) {
        let chooser = state.last_actor.clone();
        play.emit(ChoiceOpened { chooser, starter });
    }
}

/// Whether everybody in the fight has had a turn or is barred from one. With nobody in the fight
/// the round waits.
fn is_round_over(encounter: &Encounter) -> bool {
    let nobody_left = encounter.waiting().all(|c| barred(encounter, c));
    nobody_left && encounter.active().next().is_some()
}

fn nominate(play: &mut Play<'_>, c: &Nominate) -> Result<(), Violation> {
    if let Some(id) = &c.combatant {
        play.combatant("combatant", id)?;
    }
    play.combatant("next", &c.next)?;
    let state = &play.encounter().state;
    if let Phase::InTurn { actor } = &state.phase {
        let detail = format!("it is {actor}'s turn: the next one is picked when it has ended");
        return Err(Violation::new("turn_in_progress", "WA-8", detail));
    }
    check_chooser(state.last_actor.as_ref(), c.combatant.as_ref(), "WA-8")?;
    name(play, &c.next)
}

/// Picks `next` and begins its turn, if the turn is to be picked at all.
fn name(play: &mut Play<'_>, next: &CombatantId) -> Result<(), Violation> {
    let encounter = play.encounter();
    let picked = play.combatant("next", next)?;
    check_pick_is_open(encounter)?;
    check_in_fight(picked, "WA-10")?;
    require(!picked.acted, "already_acted", "WA-9", || {
        format!("{next} has had its turn of this round")
    })?;
    check_not_barred(encounter, picked)?;
    let last_actor = encounter.state.last_actor.as_ref();
    if encounter.state.phase == (Phase::ChooseStarter {}) {
        check_starter(encounter, last_actor, next, "WA-11")?;
    }
    let by = last_actor.cloned();
    play.emit(Picked {
        combatant: next.clone(),
        by: Way::Picked { by },
    });
    take_turn(play, next);
    Ok(())
}

/// Refuses a pick if the next turn is seized, or may be, or somebody else acts.
fn check_pick_is_open(encounter: &Encounter) -> Result<(), Violation> {
    match &encounter.state.phase {
        Phase::InTurn { actor } => {
            let detail = format!("{actor} has seized the next turn: leave `next` out");
            Err(Violation::new("turn_seized", "WA-12", detail))
        }
        Phase::SeizeDecision {} => {
            let detail = "somebody lost hit points and may seize the next turn: end the turn without `next`, and let all of them seize or decline";
            Err(Violation::new("seizing_open", "WA-13", detail))
        }
        Phase::SomeoneActs => {
            let detail = "somebody else acts now: the next one is picked after that";
            Err(Violation::new("turn_in_progress", "WA-8", detail))
        }
        Phase::Setup | Phase::ChooseNext {} | Phase::ChooseStarter {} | Phase::Over => Ok(()),
    }
}

/// Refuses a combatant that rolled a 1, in round 1.
fn check_not_barred(encounter: &Encounter, c: &Combatant) -> Result<(), Violation> {
    require(!barred(encounter, c), "barred", "WA-7", || {
        format!("{} rolled a 1 and takes no turn in round 1", c.id)
    })
}

fn spend(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    let extra_action = play.in_turn(id, "WA-6")?.state.extra_action;
    require(extra_action, "no_extra_action", "WA-6", || {
        format!("{id} has no extra Action: a 20 gives one, good in the first turn")
    })?;
    play.emit(ExtraActionSpent {
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

/// Whether a loss of hit points now lets it seize: not after, before or in a turn of its own
/// (WA-12, WA-12b, WA-20).
pub(super) fn loss_counts(encounter: &Encounter, c: &Combatant) -> bool {
    let moment = match &encounter.state.phase {
        Phase::InTurn { actor } => *actor != c.id,
        Phase::SeizeDecision {} | Phase::ChooseNext {} | Phase::SomeoneActs => true,
        Phase::Setup | Phase::ChooseStarter {} | Phase::Over => false,
    };
    moment && !c.acted && !barred(encounter, c) && !queued(encounter, &c.id)
}

/// Whether it may seize the turn that comes now (WA-12). A queued seizer is not `hurt`: see
/// [`loss_counts`].
pub(super) fn may_seize(encounter: &Encounter, c: &Combatant) -> bool {
    c.state.hurt && !c.acted && !barred(encounter, c) && able(c)
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
    let after = place_in_queue(play.encounter(), seizer);
    play.emit(Seized {
        combatant: id.clone(),
        bonus,
        after,
    });
    go_on(play);
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

fn decline(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    check_seizing(play, id)?;
    play.emit(Declined {
        combatant: id.clone(),
    });
    go_on(play);
    Ok(())
}

fn close_seizing(play: &mut Play<'_>, c: &CloseSeizing) -> Result<(), Violation> {
    if let Some(next) = &c.next {
        play.combatant("next", next)?;
    }
    let encounter = play.encounter();
    let detail = "nobody is deciding whether to seize the next turn";
    require(
        encounter.state.phase == Phase::SeizeDecision {},
        "no_seizing",
        "WA-13",
        || detail,
    )?;
    for combatant in eligible(encounter) {
        play.emit(Declined { combatant });
    }
    advance(play);
    match &c.next {
        Some(next) => name(play, next),
        None => Ok(()),
    }
}

/// Goes on as soon as everybody has decided.
fn go_on(play: &mut Play<'_>) {
    if eligible(play.encounter()).is_empty() {
        advance(play);
    }
}

/// The combatant, if it may seize or decline now.
fn check_seizing<'p>(play: &'p Play<'_>, id: &CombatantId) -> Result<&'p Combatant, Violation> {
    let encounter = play.encounter();
    let c = play.combatant("combatant", id)?;
    let own = matches!(&encounter.state.phase, Phase::InTurn { actor } if actor == id);
    require(!own, "own_turn", "WA-20", || {
        format!("it is {id}'s own turn")
    })?;
    require(!c.acted, "already_acted", "WA-20", || {
        format!("{id} has had its turn of this round")
    })?;
    require(!queued(encounter, id), "already_seized", "WA-15a", || {
        format!("{id} has seized a turn already: it comes")
    })?;
    check_not_barred(encounter, c)?;
    check_in_fight(c, "WA-10")?;
    require(
        encounter.state.phase == Phase::SeizeDecision {},
        "no_seizing",
        "WA-13",
        || match &encounter.state.phase {
            Phase::InTurn { actor } => {
                format!("it is {actor}'s turn: whether to seize is decided when it has ended")
            }
            _ => "there is no turn now that anybody may seize".to_owned(),
        },
    )?;
    require(able(c), "disabled", "WA-15a", || {
        format!(
            "{id} is disabled ({}) and cannot seize",
            DISABLED.join(", ")
        )
    })?;
    require(c.state.hurt, "not_hurt", "WA-12", || {
        format!("{id} lost no hit points in the turn that has just ended, or has declined")
    })?;
    Ok(c)
}
