//! The rules of Venture.

mod action;
mod join;
mod track;
mod turn;

pub(super) use join::join_battle;
pub(super) use track::{MAX_START_EFFECTS, MAX_TIMED};
pub(super) use turn::MAX_TOKENS;
pub(super) use turn::take_turn;

use super::{Combatant, Command, Phase, Play, react};
use crate::rulesets::shared::check_started;
use crate::vocabulary::{CombatantId, Violation, require};

pub(super) fn decide(play: &mut Play<'_>, command: &Command) -> Result<(), Violation> {
    if !matches!(command, Command::Settle(_) | Command::JoinBattle(_)) {
        check_started(play, matches!(command, Command::Start(_)), "VE-2")?;
    }
    match command {
        Command::Start(c) => join::start(play, c)?,
        Command::Settle(c) => join::settle(play, c)?,
        Command::JoinBattle(c) => join::join_alone(play, c)?,
        Command::FreeAction(c) => join::free_action(play, c)?,
        Command::BeginTurn(c) => turn::begin(play, &c.combatant)?,
        Command::Delay(c) => turn::delay(play, &c.combatant)?,
        Command::Return(c) => turn::take_up(play, &c.combatant)?,
        Command::EndTurn(c) => turn::end(play, &c.combatant)?,
        Command::Act(c) => action::act(play, c)?,
        Command::Rush(c) => action::manoeuvre(play, &c.combatant, "rush", c.moved)?,
        Command::Disengage(c) => action::manoeuvre(play, &c.combatant, "disengage", c.moved)?,
        Command::Flurry(c) => action::flurry(play, &c.combatant)?,
        Command::Move(c) => action::reflexive_move(play, &c.combatant)?,
        Command::FollowUp(c) => action::follow_up(play, &c.combatant)?,
        Command::Pass(c) => action::pass(play, &c.combatant)?,
        Command::SpendInitiative(c) => track::spend(play, c)?,
        Command::Declare(c) => track::declare(play, c)?,
        Command::Withdraw(c) => track::withdraw(play, c)?,
        Command::Adjust(c) => track::adjust(play, c)?,
    }
    react::move_on(play);
    Ok(())
}

/// The combatant `id`; refused unless it is in the fight and has Joined Battle.
fn in_battle<'p>(play: &'p Play<'_>, id: &CombatantId) -> Result<&'p Combatant, Violation> {
    let c = play.fighter("combatant", id, "VE-9")?;
    require(c.state.join_battle.is_some(), "not_joined", "VE-2", || {
        format!("{id} isn't in battle yet. Send \"join_battle\" first.")
    })?;
    Ok(c)
}

/// The combatant `id`, whose turn it is and whose start-of-turn steps are done.
fn in_turn<'p>(
    play: &'p Play<'_>,
    id: &CombatantId,
    rule: &'static str,
) -> Result<&'p Combatant, Violation> {
    let c = in_battle(play, id)?;
    let (code, rule, detail) = match &play.encounter().state.phase {
        Phase::InTurn { actor } if actor == id => return Ok(c),
        Phase::FollowUp { actor } if actor == id => (
            "follow_up_first",
            "VE-15",
            format!("{id}'s leftover move comes first. Send \"follow_up\" or \"pass\"."),
        ),
        Phase::Tick(tick) if tick.next == *id => (
            "not_your_turn",
            rule,
            format!("{id}'s turn hasn't started. Send \"begin_turn\" first."),
        ),
        phase => (
            "not_your_turn",
            rule,
            format!("{} Wait for {id}'s turn.", phase.detail()),
        ),
    };
    Err(Violation::new(code, rule, detail))
}
