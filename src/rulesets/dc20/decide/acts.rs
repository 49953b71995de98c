//! What combatants do on their turns and between them.

use super::*;

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
    let (spent, left) = paid(play, &c.combatant, c.ap.get())?;
    play.own(ApSpent { combatant: c.combatant.clone(), spent, left, action: c.action.clone() });
    Ok(())
}

pub(super) fn hold(play: &mut Combat<'_>, c: &Hold) -> Result<(), Violation> {
    let id = &c.combatant;
    in_turn(play, id, "DC-49")?;
    let (ap, _) = paid(play, id, c.ap.get())?;
    let holding = play.combatant("combatant", id)?.state.held.is_some();
    require(!holding, "already_holding", "DC-49", || format!("{id} holds an action already"))?;
    let held = Held { action: c.action.clone(), trigger: c.trigger.clone(), ap };
    play.own(ActionHeld { combatant: id.clone(), held });
    Ok(())
}

/// The Action Points that a combatant spends, and those that it then has left (DC-44).
fn paid(play: &Combat<'_>, id: &CombatantId, ap: i64) -> Result<(u32, u32), Violation> {
    let c = play.combatant("combatant", id)?;
    begun(play)?;
    in_fight(c, "DC-44")?;
    let left = c.state.ap.current;
    let paid = u32::try_from(ap).ok().and_then(|ap| Some((ap, left.checked_sub(ap)?)));
    let short = || Violation::new("not_enough_ap", "DC-44", format!("{id} has {left} Action Points left, not {ap}"));
    paid.ok_or_else(short)
}

/// Refuses what needs a first assigned turn (DC-31).
fn begun(play: &Combat<'_>) -> Result<(), Violation> {
    require(
        play.table().round > 0,
        "combat_not_begun",
        "DC-31",
        || "the combat begins when the first turn is assigned: nobody acts before",
    )
}

fn in_fight(c: &Creature, rule: &'static str) -> Result<(), Violation> {
    require(c.active(), "not_active", rule, || format!("{} is out of the fight", c.id))
}

pub(super) fn trigger(play: &mut Combat<'_>, id: &CombatantId) -> Result<(), Violation> {
    let c = play.combatant("combatant", id)?;
    require(c.state.held.is_some(), "nothing_held", "DC-49", || format!("{id} holds no action"))?;
    in_fight(c, "DC-49")?;
    play.own(HeldTriggered { combatant: id.clone() });
    Ok(())
}

pub(super) fn attack(play: &mut Combat<'_>, c: &Attack) -> Result<(), Violation> {
    let attacker = play.combatant("combatant", &c.combatant)?;
    let target = play.combatant("target", &c.target)?;
    begun(play)?;
    in_fight(attacker, "DC-11")?;
    in_fight(target, "DC-11")?;
    if c.combatant == c.target {
        return Err(Violation::field("attacks_itself", "target", format!("{} cannot attack itself", c.target)));
    }
    let adv = target.state.attacked_with_adv;
    play.own(Attacked { combatant: c.combatant.clone(), target: c.target.clone(), adv });
    Ok(())
}

pub(super) fn use_inspiration(play: &mut Combat<'_>, c: &UseInspiration) -> Result<(), Violation> {
    let id = &c.combatant;
    let has_die = play.combatant("combatant", id)?.state.inspiration_die;
    begun(play)?;
    require(has_die, "no_inspiration_die", "DC-8", || format!("{id} has no Inspiration Die"))?;
    let die = play.die(c.roll);
    play.own(InspirationUsed { combatant: id.clone(), die });
    Ok(())
}

pub(super) fn use_advantage(play: &mut Combat<'_>, id: &CombatantId) -> Result<(), Violation> {
    let has_adv = play.combatant("combatant", id)?.state.round_one_adv;
    begun(play)?;
    require(has_adv, "no_advantage", "DC-10", || {
        format!("{id} has no ADV of a critical success: it is there once, in round 1")
    })?;
    play.own(AdvantageUsed { combatant: id.clone() });
    Ok(())
}

pub(super) fn legendary(play: &mut Combat<'_>, c: &Legendary) -> Result<(), Violation> {
    let id = &c.combatant;
    let monster = play.combatant("combatant", id)?;
    let (rule, when) = match play.table().state.phase {
        Phase::BetweenTurns => ("DC-52", "after this PC Turn"),
        Phase::RoundEnd => ("DC-53", "at the end of the round"),
        _ => {
            let detail = "Legendary Action Points are spent between the PC Turns and at the end of the round";
            return Err(Violation::new("not_between_turns", "DC-52", detail));
        }
    };
    let max = spendable(play.table(), monster);
    let spent = u32::try_from(c.lap.get()).unwrap_or(0);
    require(spent <= max, "not_enough_lap", rule, || {
        format!("{id} can spend {max} Legendary Action Points {when}, not {spent}")
    })?;
    let left = monster.state.lap.saturating_sub(spent);
    play.own(LegendaryActed { combatant: id.clone(), spent, left });
    react::settle(play);
    Ok(())
}

/// The Legendary Action Points that a monster can spend now: after a PC Turn its own maximum (DC-52), by option for each PC of that turn
/// (DC-54); at the end of the round all that are left (DC-53).
pub(in super::super) fn spendable(table: &Table, c: &Creature) -> u32 {
    let state = &table.state;
    if !c.active() || team(state, c) == Team::Pc {
        return 0;
    }
    let pcs = state.at().filter(|_| table.options.legendary_per_pc).map_or(1, |slot| sharing(table, slot).max(1));
    let each = u32::try_from(c.stats.lap_per_turn.get()).unwrap_or(1);
    let max = each.saturating_mul(u32::try_from(pcs).unwrap_or(1));
    match state.phase {
        Phase::RoundEnd => c.state.lap,
        Phase::BetweenTurns => c.state.lap.min(max.saturating_sub(c.state.lap_spent)),
        _ => 0,
    }
}
