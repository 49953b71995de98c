//! Acts of combatants on their turns and between them.

use crate::rulesets::dc20::flow::finish_turn;
use crate::rulesets::dc20::points::spendable;
use crate::rulesets::dc20::{
    ActionPointsSpent, AdvantageUsed, Attack, Attacked, EndTurn, InspirationUsed, Legendary,
    LegendaryActed, Phase, Play, Readied, Ready, SpendActionPoints, Triggered, UseInspiration,
};
use crate::vocabulary::{CombatantId, Violation, field, require};

pub(super) fn end_turn(play: &mut Play<'_>, c: &EndTurn) -> Result<(), Violation> {
    play.in_turn(&c.combatant, "DC-45")?;
    finish_turn(play, &c.combatant);
    if c.all {
        for id in play.encounter().state.acting.clone() {
            finish_turn(play, &id);
        }
    }
    Ok(())
}

pub(super) fn spend(play: &mut Play<'_>, c: &SpendActionPoints) -> Result<(), Violation> {
    let spent = c.action_points.count();
    let left = points_left_after(play, &c.combatant, spent)?;
    play.emit(ActionPointsSpent {
        combatant: c.combatant.clone(),
        spent,
        left,
        action: c.action.clone(),
    });
    Ok(())
}

pub(super) fn ready(play: &mut Play<'_>, c: &Ready) -> Result<(), Violation> {
    let id = &c.combatant;
    let action_points = c.action_points.count();
    let has_readied = play.in_turn(id, "DC-49")?.state.readied.is_some();
    points_left_after(play, id, action_points)?;
    require(!has_readied, "already_readied", "DC-49", || {
        format!("{id} has already readied an action. Send \"trigger\" to use it first.")
    })?;
    play.emit(Readied {
        combatant: id.clone(),
        action: c.action.clone(),
        trigger: c.trigger.clone(),
        action_points,
    });
    Ok(())
}

/// The Action Points that a combatant has left after it has spent some (DC-44).
fn points_left_after(play: &Play<'_>, id: &CombatantId, spent: u32) -> Result<u32, Violation> {
    let points = play
        .fighter("combatant", id, "DC-44")?
        .state
        .action_point_pool
        .current;
    check_begun(play)?;
    let Some(left) = points.checked_sub(spent) else {
        let detail = format!("{id} has {points} Action Points left, not {spent}. Spend less.");
        return Err(Violation::new("not_enough_action_points", "DC-44", detail));
    };
    Ok(left)
}

/// Refuses what needs the first turn to be assigned (DC-31).
fn check_begun(play: &Play<'_>) -> Result<(), Violation> {
    let detail =
        "No combatant acts before the first turn is assigned. Send \"assign\" or \"claim\".";
    require(
        play.encounter().round > 0,
        "combat_not_begun",
        "DC-31",
        || detail,
    )
}

pub(super) fn trigger(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    let has_readied = play
        .fighter("combatant", id, "DC-49")?
        .state
        .readied
        .is_some();
    require(has_readied, "nothing_readied", "DC-49", || {
        format!("{id} has no readied action. Send \"ready\" first.")
    })?;
    play.emit(Triggered {
        combatant: id.clone(),
    });
    Ok(())
}

pub(super) fn attack(play: &mut Play<'_>, c: &Attack) -> Result<(), Violation> {
    let Attack { combatant, target } = c;
    play.fighter("combatant", combatant, "DC-11")?;
    let attacked = play.fighter("target", target, "DC-11")?;
    let advantage = attacked.state.attacked_with_adv;
    check_begun(play)?;
    require(
        combatant != target,
        "attacks_itself",
        field("target"),
        || format!("{target} can't be the attacker and the target. Name another target."),
    )?;
    play.emit(Attacked {
        combatant: combatant.clone(),
        target: target.clone(),
        advantage,
    });
    Ok(())
}

pub(super) fn use_inspiration(play: &mut Play<'_>, c: &UseInspiration) -> Result<(), Violation> {
    let id = &c.combatant;
    let has_die = play.combatant("combatant", id)?.state.inspiration_die;
    check_begun(play)?;
    require(has_die, "no_inspiration_die", "DC-8", || {
        format!("{id} has no Inspiration Die. Roll without it.")
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
    check_begun(play)?;
    require(has_adv, "no_advantage", "DC-10", || {
        format!("{id} has no advantage to use. A critical success gives it once, in round 1.")
    })?;
    play.emit(AdvantageUsed {
        combatant: id.clone(),
    });
    Ok(())
}

pub(super) fn legendary(play: &mut Play<'_>, c: &Legendary) -> Result<(), Violation> {
    let id = &c.combatant;
    let spent = c.legendary_points.count();
    let monster = play.combatant("combatant", id)?;
    let (rule, when) = match play.encounter().state.phase {
        Phase::BetweenTurns => ("DC-52", "after this PC Turn"),
        Phase::RoundEnd => ("DC-53", "at the end of the round"),
        _ => {
            let detail = "Legendary Action Points can be spent only after a PC Turn and at the end of the round. Wait for that.";
            return Err(Violation::new("not_between_turns", "DC-52", detail));
        }
    };
    let max = spendable(play.encounter(), monster);
    require(spent <= max, "not_enough_legendary_points", rule, || {
        format!("{id} can spend {max} Legendary Action Points {when}, not {spent}. Spend less.")
    })?;
    let left = monster.state.legendary_points.saturating_sub(spent);
    play.emit(LegendaryActed {
        combatant: id.clone(),
        spent,
        left,
    });
    Ok(())
}
