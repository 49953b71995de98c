//! Action Points: what spends them, and the conditions that take some (DC-31, DC-43, DC-44, DC-50).
//! The end of a turn gives them back, in `turn.rs` (DC-45, DC-46).

use super::{ActionPoints, Combatant, Dc20, Play};
use crate::vocabulary::{
    CombatantId, Fold, Int, LegalCommand, Text, Violation, command, event, require,
};

/// Spend Action Points on an action or a reaction (DC-44).
#[command(player, "{combatant}: spend Action Points")]
pub struct SpendActionPoints {
    /// The combatant.
    pub combatant: CombatantId,
    /// The Action Points to spend.
    pub action_points: Int<1, 20>,
    /// The action that they pay for.
    pub action: Option<Text<200>>,
}

/// Action Points changed: a penalty came or went, or a combatant joined (DC-43, DC-50).
#[event("{combatant} {combatant:has|have} {left} of {max} Action Points.")]
pub struct ActionPointsChanged {
    /// The combatant.
    pub combatant: CombatantId,
    /// The Action Points now.
    pub left: u32,
    /// Their maximum after penalties.
    pub max: u32,
}

/// A combatant spent Action Points (DC-44).
#[event(
    "{combatant} {combatant:spends|spend} {spent} Action {spent:Point|Points} \
     and {combatant:has|have} {left} left[: {action}]."
)]
pub struct ActionPointsSpent {
    /// The combatant.
    pub combatant: CombatantId,
    /// The Action Points spent.
    pub spent: u32,
    /// The Action Points left.
    pub left: u32,
    /// The action that they paid for.
    pub action: Option<Text<200>>,
}

/// A finished turn gave spent Action Points back (DC-45).
#[event("{combatant} {combatant:regains|regain} all Action Points ({left}).")]
pub struct ActionPointsRegained {
    /// The combatant.
    pub combatant: CombatantId,
    /// The Action Points now.
    pub left: u32,
    /// Their maximum after penalties.
    pub max: u32,
}

/// The degrees of being stunned, the worst first, and the Action Points that each takes (DC-50).
const STUNNED: [(&str, u32); 4] = [
    ("stunned-4", 4),
    ("stunned-3", 3),
    ("stunned-2", 2),
    ("stunned", 1),
];

impl SpendActionPoints {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let spent = self.action_points.count();
        let left = points_left_after(play, &self.combatant, spent)?;
        play.emit(ActionPointsSpent {
            combatant: self.combatant.clone(),
            spent,
            left,
            action: self.action.clone(),
        });
        Ok(())
    }
}

/// The Action Points that a combatant has left after it has spent some (DC-44).
pub(super) fn points_left_after(
    play: &Play<'_>,
    id: &CombatantId,
    spent: u32,
) -> Result<u32, Violation> {
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
pub(super) fn check_begun(play: &Play<'_>) -> Result<(), Violation> {
    let detail =
        "No combatant acts before the first turn is assigned. Send \"assign\" or \"claim\".";
    require(
        play.encounter().round > 0,
        "combat_not_begun",
        "DC-31",
        || detail,
    )
}

/// The Action Points of a combatant that has spent none. Penalties of one kind do not add up
/// (DC-43, DC-50).
pub(super) fn full_points(c: &Combatant) -> ActionPoints {
    let mut penalty = stun_penalty(c);
    if c.has("surprised") {
        penalty += 2;
    }
    if c.has("deaths-door") {
        penalty += 3;
    }
    let max = c.stats.max_action_points.count().saturating_sub(penalty);
    ActionPoints { current: max, max }
}

fn stun_penalty(c: &Combatant) -> u32 {
    for (condition, points) in STUNNED {
        if c.has(condition) {
            return points;
        }
    }
    0
}

/// Adjusts the Action Points to a penalty that came or went. With the maximum the points fall, but
/// they do not rise with it: they come back at the end of the turn (DC-45). So a new degree of
/// stunned takes only the difference if it is set before the old one is cleared, but its whole
/// number if it is set afterwards.
pub(super) fn adjust_points(play: &mut Play<'_>, id: &CombatantId) {
    let Some(c) = play.encounter().get(id) else {
        return;
    };
    let before = c.state.action_point_pool;
    let max = full_points(c).max;
    if play.encounter().round > 0 && before.max != max {
        let lost = before.max.saturating_sub(max);
        let current = before.current.saturating_sub(lost).min(max);
        play.emit(ActionPointsChanged {
            combatant: id.clone(),
            left: current,
            max,
        });
    }
}

impl ActionPointsChanged {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Dc20>) {
        set_points(fold, &self.combatant, self.left, self.max);
    }
}

impl ActionPointsSpent {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Dc20>) {
        fold.change_state(&self.combatant, |s| s.action_point_pool.current = self.left);
    }
}

impl ActionPointsRegained {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Dc20>) {
        set_points(fold, &self.combatant, self.left, self.max);
    }
}

fn set_points(fold: &mut Fold<'_, Dc20>, id: &CombatantId, current: u32, max: u32) {
    fold.change_state(id, |s| s.action_point_pool = ActionPoints { current, max });
}

pub(super) fn options(c: &Combatant) -> LegalCommand {
    let points = c.state.action_point_pool.current.into();
    LegalCommand::by::<SpendActionPoints>(&c.id, "DC-44").range("action_points", 1, points)
}
