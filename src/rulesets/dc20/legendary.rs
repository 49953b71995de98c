//! Legendary actions, between turns and at the end of the round (DC-52 to DC-54).

use super::team::{sharers, team};
use super::{Combatant, Dc20, Encounter, Phase, Play, State, Team};
use crate::vocabulary::{CombatantId, Fold, Int, LegalCommand, Violation, command, event, require};

/// Act with a legendary monster after a PC Turn (DC-52) or at the end of the round (DC-53).
#[command(gm, "{combatant}: take a legendary action")]
pub struct Legendary {
    /// The combatant.
    pub combatant: CombatantId,
    /// The Legendary Action Points to spend.
    pub legendary_points: Int<1, 20>,
}

/// Legendary monsters may act.
#[event("Legendary monsters may act.")]
pub struct LegendaryOpened {
    /// True if it is the end of the round, with their last points (DC-53), and not the end of a PC
    /// Turn (DC-52).
    pub round_end: bool,
}

/// A legendary monster acted.
#[event(
    "{combatant} {combatant:spends|spend} {spent} Legendary Action \
     {spent:Point|Points} and {combatant:has|have} {left} left."
)]
pub struct LegendaryActed {
    /// The combatant.
    pub combatant: CombatantId,
    /// The Legendary Action Points spent.
    pub spent: u32,
    /// The Legendary Action Points left.
    pub left: u32,
}

/// A legendary monster has all its points again (DC-53).
#[event("{combatant} {combatant:has|have} {left} Legendary Action {left:Point|Points}.")]
pub struct LegendaryPointsRegained {
    /// The combatant.
    pub combatant: CombatantId,
    /// The Legendary Action Points now.
    pub left: u32,
}

impl Legendary {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let id = &self.combatant;
        let spent = self.legendary_points.count();
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
}

/// True for an active monster with Legendary Action Points; the PC team has none.
pub(super) fn has_legendary_points(state: &State, c: &Combatant) -> bool {
    c.active() && c.state.legendary_points > 0 && team(state, c) != Team::Pc
}

/// The Legendary Action Points that a monster can spend now: after a PC Turn its own maximum
/// (DC-52), by option for each PC of that turn (DC-54); at the end of the round all that are left
/// (DC-53).
pub(super) fn spendable(encounter: &Encounter, c: &Combatant) -> u32 {
    if !has_legendary_points(&encounter.state, c) {
        return 0;
    }
    match encounter.state.phase {
        Phase::RoundEnd => c.state.legendary_points,
        Phase::BetweenTurns => {
            let once = c.stats.legendary_points_per_turn.count();
            let max = once.saturating_mul(times_after_turn(encounter));
            let unspent = max.saturating_sub(c.state.legendary_points_spent);
            unspent.min(c.state.legendary_points)
        }
        _ => 0,
    }
}

/// How many times a monster can spend its maximum after this PC Turn: once, or by option for each
/// PC in it (DC-54).
fn times_after_turn(encounter: &Encounter) -> u32 {
    if !encounter.options.legendary_per_pc {
        return 1;
    }
    let Some(slot) = encounter.state.reached() else {
        return 1;
    };
    let pcs = sharers(encounter, slot).max(1);
    u32::try_from(pcs).unwrap_or(1)
}

/// Lets legendary monsters act if one can, and returns whether one can. The combat waits for it.
pub(super) fn open_legendary(play: &mut Play<'_>, phase: Phase) -> bool {
    let encounter = play.encounter();
    let state = &encounter.state;
    if phase == Phase::BetweenTurns && !is_after_pc_turn(state) {
        return false;
    }
    let opens = encounter.iter().any(|c| has_legendary_points(state, c));
    if opens {
        let round_end = phase == Phase::RoundEnd;
        play.emit(LegendaryOpened { round_end });
    }
    opens
}

/// True after a PC Turn. One that all have left by delaying does not count.
fn is_after_pc_turn(state: &State) -> bool {
    let Some(slot) = state.reached() else {
        return false;
    };
    !state.deferred && slot.team == Team::Pc && !slot.occupants.is_empty()
}

/// The points that legendary monsters get back (DC-53).
pub(super) fn missing_legendary_points(encounter: &Encounter) -> Vec<LegendaryPointsRegained> {
    let mut regained = Vec::new();
    for c in encounter.iter() {
        let max = c.stats.max_legendary_points.count();
        if c.state.legendary_points != max {
            regained.push(LegendaryPointsRegained {
                combatant: c.id.clone(),
                left: max,
            });
        }
    }
    regained
}

impl LegendaryOpened {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Dc20>) {
        fold.state().phase = if self.round_end {
            Phase::RoundEnd
        } else {
            Phase::BetweenTurns
        };
        fold.change_states(
            |s| s.legendary_points_spent > 0,
            |s| s.legendary_points_spent = 0,
        );
    }
}

impl LegendaryActed {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Dc20>) {
        fold.change_state(&self.combatant, |s| {
            s.legendary_points = self.left;
            s.legendary_points_spent = s.legendary_points_spent.saturating_add(self.spent);
        });
    }
}

impl LegendaryPointsRegained {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Dc20>) {
        fold.change_state(&self.combatant, |s| s.legendary_points = self.left);
    }
}

pub(super) fn options(encounter: &Encounter, c: &Combatant) -> LegalCommand {
    LegalCommand::of::<Legendary>("DC-52")
        .with("combatant", c.id.as_str())
        .range("legendary_points", 1, spendable(encounter, c).into())
}
