//! The rules of DC20.

mod acts;
mod claims;
mod delay;
mod places;
mod start;

pub(super) use acts::spendable;
pub(super) use claims::settle;
pub(super) use delay::{follow, stop_holding};

use super::*;

pub(super) fn decide(play: &mut Combat<'_>, command: &Command) -> Result<(), Violation> {
    if !matches!(command, Command::Start(_)) {
        play.running("DC-31")?;
    }
    match command {
        Command::Start(c) => start::start(play, c),
        Command::InitiativeCheck(c) => start::check_late(play, c),
        Command::Claim(c) => claims::claim(play, c),
        Command::Assign(c) => places::assign(play, c),
        Command::Pass(c) => places::pass(play, c),
        Command::Merge(_) => places::merge(play),
        Command::EndTurn(c) => acts::end(play, c),
        Command::Delay(c) => delay::delay(play, c),
        Command::Spend(c) => acts::spend(play, c),
        Command::Hold(c) => acts::hold(play, c),
        Command::TriggerHeld(c) => acts::trigger(play, &c.combatant),
        Command::Attack(c) => acts::attack(play, c),
        Command::UseInspiration(c) => acts::use_inspiration(play, c),
        Command::UseAdvantage(c) => acts::use_advantage(play, &c.combatant),
        Command::Legendary(c) => acts::legendary(play, c),
        Command::FateCheck(c) => {
            let die = play.die(c.roll);
            play.own(FateChecked { die, high: die.face >= 10, team: None });
            Ok(())
        }
    }
}

/// Refuses a combatant whose turn is not going on.
fn in_turn(play: &Combat<'_>, id: &CombatantId, rule: &'static str) -> Result<(), Violation> {
    play.combatant("combatant", id)?;
    let acting = &play.table().state.acting;
    require(acting.contains(id), "not_your_turn", rule, || {
        let whose: Vec<&str> = acting.iter().map(|id| id.as_str()).collect();
        let whose = if whose.is_empty() { "nobody".to_owned() } else { whose.join(" and ") };
        format!("it is not {id}'s turn: it is {whose}'s")
    })
}
