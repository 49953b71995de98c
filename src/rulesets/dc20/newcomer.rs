//! A combatant that joins the fight (DC-24a).

use super::action_points::full_points;
use super::lay::lay;
use super::team::{has_no_turn, sharers, team};
use super::{
    ActionPointsChanged, Assigned, Combatant, LegendaryPointsRegained, Play, State, Team, Way,
};

/// Gives a newcomer its points, and lays the order again. After round 1 a new PC for whom turns were
/// added acts in the next vacant PC Turn (DC-24a).
pub(super) fn admit(play: &mut Play<'_>, c: &Combatant) {
    if play.encounter().round > 0 {
        give_points(play, c);
    }
    let before = pc_turns(&play.encounter().state);
    lay(play);
    let encounter = play.encounter();
    let state = &encounter.state;
    let is_new_pc = !c.hidden && team(state, c) == Team::Pc && has_no_turn(state, c);
    if encounter.round <= 1 || !is_new_pc || pc_turns(state) == before {
        return;
    }
    let vacant = state.later().iter().find(|slot| {
        let is_pc_turn = slot.team == Team::Pc && !slot.unseen;
        is_pc_turn && sharers(encounter, slot) == 0
    });
    if let Some(slot) = vacant {
        play.emit(Assigned {
            slot: slot.id.clone(),
            combatants: vec![c.id.clone()].into(),
            because: Way::Joined,
        });
    }
}

/// The number of PC Turns that all viewers see.
fn pc_turns(state: &State) -> usize {
    let mut turns = 0;
    for slot in state.slots.iter() {
        if slot.team == Team::Pc && !slot.unseen {
            turns += 1;
        }
    }
    turns
}

/// Gives a newcomer its Action Points and Legendary Action Points.
fn give_points(play: &mut Play<'_>, c: &Combatant) {
    let points = full_points(c);
    play.emit(ActionPointsChanged {
        combatant: c.id.clone(),
        left: points.current,
        max: points.max,
    });
    let legendary_points = c.stats.max_legendary_points.count();
    if legendary_points > 0 {
        play.emit(LegendaryPointsRegained {
            combatant: c.id.clone(),
            left: legendary_points,
        });
    }
}
