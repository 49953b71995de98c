//! The rules of Seize the initiative.

mod rolls;

use super::manifest::DISABLED;
use super::*;
use crate::rulesets::shared::{
    check_started, end_turn, next_round, start_encounter, start_round, start_turn,
};
use crate::vocabulary::{Kind, ids, require};
use std::cmp::Reverse;

pub(super) fn decide(play: &mut Play<'_>, command: &Command) -> Result<(), Violation> {
    check_started(
        play,
        matches!(command, Command::Start(_) | Command::RollInitiative(_)),
        "WA-1",
    )?;
    match command {
        Command::Start(c) => rolls::start(play, c),
        Command::RollInitiative(c) => rolls::own_die(play, c),
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
    c.next.as_ref().map_or(Ok(()), |next| name(play, next))
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
    let open = !eligible.is_empty();
    if open {
        play.emit(SeizingOpened {
            eligible: eligible.into(),
        });
    }
    open
}

/// Goes on when nobody is left to seize: with the first seized turn (WA-15), else with a pick, in a
/// new round if everybody has acted (WA-10). With nobody in the fight, it waits.
pub(super) fn advance(play: &mut Play<'_>) {
    let encounter = play.encounter();
    if let Some(Seizer { combatant, .. }) = encounter.state.queue.first().cloned() {
        return take_turn(play, &combatant);
    }
    let begun = encounter.state.phase == Phase::ChooseStarter {};
    let over = !begun
        && encounter.active().next().is_some()
        && encounter.waiting().all(|c| barred(encounter, c));
    if over {
        next_round(play);
    }
    let (state, starter) = (&play.encounter().state, begun || over);
    if state.phase != Phase::choice(starter) {
        let chooser = state.last_actor.clone();
        play.emit(ChoiceOpened { chooser, starter });
    }
}

fn nominate(play: &mut Play<'_>, c: &Nominate) -> Result<(), Violation> {
    if let Some(id) = &c.combatant {
        play.combatant("combatant", id)?;
    }
    play.combatant("next", &c.next)?;
    if let Phase::InTurn { actor } = &play.encounter().state.phase {
        let detail = format!("it is {actor}'s turn: the next one is picked when it has ended");
        return Err(Violation::new("turn_in_progress", "WA-8", detail));
    }
    let chooser = &play.encounter().state.last_actor;
    require(
        *chooser == c.combatant,
        "not_the_chooser",
        "WA-8",
        || match chooser {
            Some(chooser) => {
                format!("the pick is {chooser}'s, who took the last turn: set `combatant` to it")
            }
            None => "the pick is the game master's: leave `combatant` out".to_owned(),
        },
    )?;
    name(play, &c.next)
}

/// Picks `next` and begins its turn, where the turn is to be picked at all.
fn name(play: &mut Play<'_>, next: &CombatantId) -> Result<(), Violation> {
    let encounter = play.encounter();
    let picked = play.combatant("next", next)?;
    if let Phase::InTurn { actor } = &encounter.state.phase {
        let detail = format!("{actor} has seized the next turn: leave `next` out");
        return Err(Violation::new("turn_seized", "WA-12", detail));
    }
    let detail = "somebody lost hit points and may seize the next turn: end the turn without `next`, and let all of them seize or decline";
    require(
        encounter.state.phase != Phase::SeizeDecision {},
        "seizing_open",
        "WA-13",
        || detail,
    )?;
    let detail = "somebody else acts now: the next one is picked after that";
    require(
        encounter.state.phase != Phase::SomeoneActs,
        "turn_in_progress",
        "WA-8",
        || detail,
    )?;
    require(picked.active(), "not_active", "WA-10", || {
        format!("{next} is out of the fight and takes no turn")
    })?;
    require(!picked.acted, "already_acted", "WA-9", || {
        format!("{next} has had its turn of this round")
    })?;
    require(!barred(encounter, picked), "barred", "WA-7", || {
        format!("{next} rolled a 1 and takes no turn in round 1")
    })?;
    let by = encounter.state.last_actor.clone();
    let itself = encounter.state.phase == Phase::ChooseStarter {} && by.as_ref() == Some(next);
    require(
        !itself || encounter.active().all(|c| c.id == *next),
        "names_itself",
        "WA-11",
        || {
            format!(
                "{next} took the last turn and cannot start the round while there is anybody else"
            )
        },
    )?;
    play.emit(Picked {
        combatant: next.clone(),
        by: Way::Picked { by },
    });
    take_turn(play, next);
    Ok(())
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

/// Whether it could do something with a turn: in the fight, and not disabled as a whole (AWA4).
pub(super) fn able(c: &Combatant) -> bool {
    c.free_of(|condition| DISABLED.contains(&condition))
}

/// Whether a loss of hit points now lets it seize: not after, before or in a turn of its own
/// (WA-12, WA-20, AWA6).
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

fn queued(encounter: &Encounter, id: &CombatantId) -> bool {
    encounter
        .state
        .queue
        .iter()
        .any(|seizer| seizer.combatant == *id)
}

fn seize(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    let bonus = check_seizing(play, id)?.stats.bonus();
    let encounter = play.encounter();
    let rank = |id: &CombatantId, bonus: i64| {
        encounter
            .get(id)
            .map(|c| (bonus, c.kind == Kind::Pc, Reverse(c.joined)))
    };
    let mine = rank(id, bonus);
    let before =
        |s: &&Seizer| s.window < encounter.state.windows || rank(&s.combatant, s.bonus) > mine;
    let after = encounter.state.queue.iter().take_while(before).count();
    let after = u32::try_from(after).unwrap_or(u32::MAX);
    play.emit(Seized {
        combatant: id.clone(),
        bonus,
        after,
    });
    go_on(play);
    Ok(())
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
    c.next.as_ref().map_or(Ok(()), |next| name(play, next))
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
    require(!queued(encounter, id), "already_seized", "AWA4", || {
        format!("{id} has seized a turn already: it comes")
    })?;
    require(!barred(encounter, c), "barred", "WA-7", || {
        format!("{id} rolled a 1 and takes no turn in round 1")
    })?;
    require(c.active(), "not_active", "WA-10", || {
        format!("{id} is out of the fight and takes no turn")
    })?;
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
    require(able(c), "disabled", "AWA4", || {
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
