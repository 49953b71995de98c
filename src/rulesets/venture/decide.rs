//! The rules of Venture.

mod action;
mod join;
mod track;
mod turn;

pub(super) use join::enter;
pub(super) use track::{MOST_TIMED, cap_motes, motes_of};
pub(super) use turn::take_turn;

use super::*;

pub(super) type Fight<'d> = Play<'d, Venture>;
pub(super) type Fighter = Combatant<Venture>;

pub(super) fn decide(play: &mut Fight<'_>, command: &Command) -> Result<(), Violation> {
    match command {
        Command::Start(c) => return join::start(play, c),
        Command::Settle(c) => return join::settle(play, c),
        _ => play.running("VE-2")?,
    }
    match command {
        Command::Start(_) | Command::Settle(_) => {}
        Command::JoinBattle(c) => join::join_late(play, c)?,
        Command::FreeAction(c) => join::free_action(play, c)?,
        Command::BeginTurn(c) => turn::begin(play, &c.combatant)?,
        Command::Delay(c) => turn::delay(play, &c.combatant)?,
        Command::Claim(c) => turn::claim(play, &c.combatant)?,
        Command::EndTurn(c) => turn::end(play, &c.combatant)?,
        Command::Act(c) => action::act(play, c)?,
        Command::Rush(c) => action::manoeuvre(play, &c.combatant, "rush", c.moved)?,
        Command::Disengage(c) => action::manoeuvre(play, &c.combatant, "disengage", c.moved)?,
        Command::Flurry(c) => action::flurry(play, &c.combatant)?,
        Command::Move(c) => action::reflexive_move(play, &c.combatant)?,
        Command::FollowUp(c) => action::follow_up(play, &c.combatant)?,
        Command::Pass(c) => action::pass(play, &c.combatant)?,
        Command::Spend(c) => track::spend(play, c)?,
        Command::Declare(c) => track::declare(play, c)?,
        Command::Withdraw(c) => track::withdraw(play, c)?,
        Command::Adjust(c) => track::adjust(play, c)?,
    }
    react::settle(play);
    Ok(())
}

/// The combatant that `field` names, in the fight and on the track.
fn fighter<'p>(play: &'p Fight<'_>, field: &'static str, id: &CombatantId) -> Result<&'p Fighter, Violation> {
    let c = play.combatant(field, id)?;
    if !c.active() {
        return Err(Violation::new("not_active", "VE-9", format!("{id} is out of the fight")));
    }
    if c.state.join_battle.is_none() {
        let detail = format!("{id} has no Initiative yet: it must join_battle first");
        return Err(Violation::new("not_joined", "VE-2", detail));
    }
    Ok(c)
}

/// The combatant `id`, whose turn it is and whose start-of-turn steps are done.
fn in_turn<'p>(play: &'p Fight<'_>, id: &CombatantId, rule: &'static str) -> Result<&'p Fighter, Violation> {
    let c = fighter(play, "combatant", id)?;
    let detail = match &play.table().state.phase {
        Phase::InTurn { actor } if actor == id => return Ok(c),
        Phase::FollowUp { actor } if actor == id => {
            let detail = format!("{id} has a move left from its last turn: follow_up or pass first");
            return Err(Violation::new("follow_up_first", "VE-15", detail));
        }
        Phase::InTurn { actor } | Phase::FollowUp { actor } => format!("it is {actor}'s turn, not {id}'s"),
        Phase::Tick(tick) if tick.next == *id => format!("{id}'s turn has not begun: begin_turn first"),
        Phase::Tick(tick) => format!("the next turn is {}'s, not {id}'s", tick.next),
        Phase::FreeActions { .. } => "turns begin after the free actions".to_owned(),
        Phase::SomeoneActs {} => format!("somebody else acts now, not {id}"),
        Phase::Setup | Phase::Standstill {} => format!("it is nobody's turn now, so not {id}'s"),
    };
    Err(Violation::new("not_your_turn", rule, detail))
}
