//! What combatants do on their turns and between them.

use crate::rulesets::dc20::allowance::spendable;
use crate::rulesets::dc20::flow::close_turn;
use crate::rulesets::dc20::{
    ActionHeld, AdvantageUsed, ApSpent, Attack, Attacked, EndTurn, Held, HeldTriggered, Hold,
    InspirationUsed, Legendary, LegendaryActed, Phase, Play, Spend, UseInspiration,
};
use crate::vocabulary::{CombatantId, Violation, field, require};

pub(super) fn end(play: &mut Play<'_>, c: &EndTurn) -> Result<(), Violation> {
    play.in_turn(&c.combatant, "DC-45")?;
    close_turn(play, &c.combatant);
    if c.all {
        for id in play.encounter().state.acting.clone() {
            close_turn(play, &id);
        }
    }
    Ok(())
}

pub(super) fn spend(play: &mut Play<'_>, c: &Spend) -> Result<(), Violation> {
    let spent = c.ap.count();
    let left = left_after(play, &c.combatant, spent)?;
    play.emit(ApSpent {
        combatant: c.combatant.clone(),
        spent,
        left,
        action: c.action.clone(),
    });
    Ok(())
}

pub(super) fn hold(play: &mut Play<'_>, c: &Hold) -> Result<(), Violation> {
    let id = &c.combatant;
    let ap = c.ap.count();
    let holding = play.in_turn(id, "DC-49")?.state.held.is_some();
    left_after(play, id, ap)?;
    require(!holding, "already_holding", "DC-49", || {
        format!("{id} holds an action already")
    })?;
    let held = Held {
        action: c.action.clone(),
        trigger: c.trigger.clone(),
        ap,
    };
    play.emit(ActionHeld {
        combatant: id.clone(),
        held,
    });
    Ok(())
}

/// The Action Points that a combatant has left after it has spent `ap` (DC-44).
fn left_after(play: &Play<'_>, id: &CombatantId, ap: u32) -> Result<u32, Violation> {
    let points = play.fighter("combatant", id, "DC-44")?.state.ap.current;
    begun(play)?;
    let Some(left) = points.checked_sub(ap) else {
        let detail = format!("{id} has {points} Action Points left, not {ap}");
        return Err(Violation::new("not_enough_ap", "DC-44", detail));
    };
    Ok(left)
}

/// Refuses what needs a first assigned turn (DC-31).
fn begun(play: &Play<'_>) -> Result<(), Violation> {
    let detail = "the combat begins when the first turn is assigned: nobody acts before";
    require(
        play.encounter().round > 0,
        "combat_not_begun",
        "DC-31",
        || detail,
    )
}

pub(super) fn trigger(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    let holding = play.fighter("combatant", id, "DC-49")?.state.held.is_some();
    require(holding, "nothing_held", "DC-49", || {
        format!("{id} holds no action")
    })?;
    play.emit(HeldTriggered {
        combatant: id.clone(),
    });
    Ok(())
}

pub(super) fn attack(play: &mut Play<'_>, c: &Attack) -> Result<(), Violation> {
    let Attack { combatant, target } = c;
    play.fighter("combatant", combatant, "DC-11")?;
    let attacked = play.fighter("target", target, "DC-11")?;
    let adv = attacked.state.attacked_with_adv;
    begun(play)?;
    require(
        combatant != target,
        "attacks_itself",
        field("target"),
        || format!("{target} cannot attack itself"),
    )?;
    play.emit(Attacked {
        combatant: combatant.clone(),
        target: target.clone(),
        adv,
    });
    Ok(())
}

pub(super) fn use_inspiration(play: &mut Play<'_>, c: &UseInspiration) -> Result<(), Violation> {
    let id = &c.combatant;
    let has_die = play.combatant("combatant", id)?.state.inspiration_die;
    begun(play)?;
    require(has_die, "no_inspiration_die", "DC-8", || {
        format!("{id} has no Inspiration Die")
    })?;
    let die = play.die(c.roll);
    play.emit(InspirationUsed {
        combatant: id.clone(),
        die,
    });
    Ok(())
}

pub(super) fn use_advantage(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    let has_adv = play.combatant("combatant", id)?.state.round_one_adv;
    begun(play)?;
    require(has_adv, "no_advantage", "DC-10", || {
        format!("{id} has no ADV of a critical success: it is there once, in round 1")
    })?;
    play.emit(AdvantageUsed {
        combatant: id.clone(),
    });
    Ok(())
}

pub(super) fn legendary(play: &mut Play<'_>, c: &Legendary) -> Result<(), Violation> {
    let id = &c.combatant;
    let spent = c.lap.count();
    let monster = play.combatant("combatant", id)?;
    let (rule, when) = match play.encounter().state.phase {
        Phase::BetweenTurns => ("DC-52", "after this PC Turn"),
        Phase::RoundEnd => ("DC-53", "at the end of the round"),
        _ => {
            let detail = "Legendary Action Points are spent between the PC Turns and at the end of the round";
            return Err(Violation::new("not_between_turns", "DC-52", detail));
        }
    };
    let max = spendable(play.encounter(), monster);
    require(spent <= max, "not_enough_lap", rule, || {
        format!("{id} can spend {max} Legendary Action Points {when}, not {spent}")
    })?;
    let left = monster.state.lap.saturating_sub(spent);
    play.emit(LegendaryActed {
        combatant: id.clone(),
        spent,
        left,
    });
    Ok(())
}
