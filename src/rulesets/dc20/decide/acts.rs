//! What combatants do on their turns and between them.

use super::super::allowance::{affordable, begun};
use super::super::flow::{close_turn, proceed};
use super::super::*;
use super::in_turn;

pub(super) fn end(play: &mut Combat<'_>, c: &EndTurn) -> Result<(), Violation> {
    in_turn(play, &c.combatant, "DC-45")?;
    let others = play.table().state.acting.iter().filter(|id| c.all && **id != c.combatant);
    let ending: Vec<CombatantId> = std::iter::once(&c.combatant).chain(others).cloned().collect();
    for id in &ending {
        close_turn(play, id);
    }
    proceed(play);
    Ok(())
}

pub(super) fn spend(play: &mut Combat<'_>, c: &Spend) -> Result<(), Violation> {
    let combatant = c.combatant.clone();
    let spent = affordable(play, &combatant, c.ap.get())?;
    let left = play.combatant("combatant", &combatant)?.state.ap.current.saturating_sub(spent);
    play.own(ApSpent { combatant, spent, left, action: c.action.clone() });
    Ok(())
}

pub(super) fn hold(play: &mut Combat<'_>, c: &Hold) -> Result<(), Violation> {
    in_turn(play, &c.combatant, "DC-49")?;
    let ap = affordable(play, &c.combatant, c.ap.get())?;
    if play.combatant("combatant", &c.combatant)?.state.held.is_some() {
        let detail = format!("{} holds an action already", c.combatant);
        return Err(Violation::new("already_holding", "DC-49", detail));
    }
    let held = Held { action: c.action.clone(), trigger: c.trigger.clone(), ap };
    play.own(ActionHeld { combatant: c.combatant.clone(), held });
    Ok(())
}

pub(super) fn trigger(play: &mut Combat<'_>, id: &CombatantId) -> Result<(), Violation> {
    let c = play.combatant("combatant", id)?;
    if c.state.held.is_none() {
        return Err(Violation::new("nothing_held", "DC-49", format!("{id} holds no action")));
    }
    if !c.active() {
        return Err(Violation::new("not_active", "DC-49", format!("{id} is out of the fight")));
    }
    play.own(HeldTriggered { combatant: id.clone() });
    Ok(())
}

pub(super) fn attack(play: &mut Combat<'_>, c: &Attack) -> Result<(), Violation> {
    let attacker = play.combatant("combatant", &c.combatant)?;
    let target = play.combatant("target", &c.target)?;
    begun(play)?;
    if !attacker.active() || !target.active() {
        let out = if attacker.active() { &c.target } else { &c.combatant };
        return Err(Violation::new("not_active", "DC-11", format!("{out} is out of the fight")));
    }
    if c.combatant == c.target {
        return Err(Violation::field("attacks_itself", "target", format!("{} cannot attack itself", c.target)));
    }
    let adv = target.state.attacked_with_adv;
    play.own(Attacked { combatant: c.combatant.clone(), target: c.target.clone(), adv });
    Ok(())
}

pub(super) fn use_inspiration(play: &mut Combat<'_>, c: &UseInspiration) -> Result<(), Violation> {
    let holder = play.combatant("combatant", &c.combatant)?;
    begun(play)?;
    if !holder.state.inspiration_die {
        let detail = format!("{} has no Inspiration Die", c.combatant);
        return Err(Violation::new("no_inspiration_die", "DC-8", detail));
    }
    let die = play.die(c.roll);
    play.own(InspirationUsed { combatant: c.combatant.clone(), die });
    Ok(())
}

pub(super) fn use_advantage(play: &mut Combat<'_>, id: &CombatantId) -> Result<(), Violation> {
    let c = play.combatant("combatant", id)?;
    begun(play)?;
    if !c.state.round_one_adv {
        let detail = format!("{id} has no ADV of a critical success: it is there once, in round 1");
        return Err(Violation::new("no_advantage", "DC-10", detail));
    }
    play.own(AdvantageUsed { combatant: id.clone() });
    Ok(())
}
