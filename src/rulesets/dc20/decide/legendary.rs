//! Legendary monsters: they act between the players' turns.

use super::super::react::close_window;
use super::super::team::{sharing, team};
use super::super::*;

/// How many Legendary Action Points it can spend now: after a PC Turn up to its measure (DC-52), times the PCs of that turn
/// where that is played (DC-54); at the end of the round whatever is left (DC-53).
pub(in super::super) fn spendable(table: &Table, c: &Creature) -> u32 {
    let state = &table.state;
    if !c.active() || team(state, c) == Team::Pc {
        return 0;
    }
    let per_pc = || state.at().map_or(1, |slot| sharing(table, slot).max(1));
    let acts = if table.options.legendary_per_pc { per_pc() } else { 1 };
    let each = u32::try_from(c.stats.lap_per_turn.get()).unwrap_or(1);
    let measure = each.saturating_mul(u32::try_from(acts).unwrap_or(1));
    match state.phase {
        Phase::RoundEnd => c.state.lap,
        Phase::BetweenTurns => c.state.lap.min(measure.saturating_sub(c.state.lap_spent)),
        _ => 0,
    }
}

pub(super) fn act(play: &mut Combat<'_>, c: &Legendary) -> Result<(), Violation> {
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
    let most = spendable(play.table(), monster);
    let spent = u32::try_from(c.lap.get()).unwrap_or(0);
    if spent > most {
        let detail = format!("{id} can spend {most} Legendary Action Points {when}, not {spent}");
        return Err(Violation::new("not_enough_lap", rule, detail));
    }
    let left = monster.state.lap.saturating_sub(spent);
    play.own(LegendaryActed { combatant: id.clone(), spent, left });
    close_window(play);
    Ok(())
}
