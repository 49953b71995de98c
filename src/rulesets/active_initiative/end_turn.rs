//! The end of a turn, and with it the choice of who acts next (AI-7, AI-8, AI-17b, AI-41).

use super::choose::{advance, begin_if_unopposed, check_choice_is_open, choose};
use super::turn::close_round;
use super::{Combatant, Encounter, Play};
use crate::rulesets::shared::end_turn;
use crate::vocabulary::{CombatantId, LegalCommand, Violation, command, field, require};

/// End a turn. With `next`, also choose who acts next (AI-7); with `begin`, start that turn at once
/// if no combatant could interrupt.
#[command(
    player,
    "{combatant}: end turn[{begin}{next?} and choose {next} to act next]\
     [{begin}{!next} and choose who acts next]"
)]
pub struct EndTurn {
    /// The combatant.
    pub combatant: CombatantId,
    /// The combatant that acts next: one that has not acted this round (AI-8), or the first of the
    /// next round (AI-41).
    pub next: Option<CombatantId>,
    /// True if the turn of `next` starts at once, unless it waits for combatants that could
    /// interrupt (AI-17b).
    #[default]
    pub begin: bool,
}

impl EndTurn {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        play.in_turn(&self.combatant, "AI-7")?;
        let detail = "\"begin\" starts the turn of \"next\". Add \"next\".";
        require(
            !self.begin || self.next.is_some(),
            "next_missing",
            field("next"),
            || detail,
        )?;
        end_turn(play, &self.combatant);
        let Some(next) = &self.next else {
            advance(play);
            return Ok(());
        };
        close_round(play);
        check_choice_is_open(play.encounter())?;
        choose(play, next)?;
        begin_if_unopposed(play, next, self.begin);
        Ok(())
    }
}

/// Ends the turn of a combatant that has left.
pub(super) fn close_turn(play: &mut Play<'_>, id: &CombatantId) {
    end_turn(play, id);
    advance(play);
}

pub(super) fn options(encounter: &Encounter, actor: &CombatantId) -> Vec<LegalCommand> {
    let next = after_turn(encounter, actor);
    let end = LegalCommand::by::<EndTurn>(actor, "AI-7")
        .whom("next", next)
        .alike_values("next");
    vec![
        end.clone().without(&["begin"]),
        end.required("next").with("begin", true),
    ]
}

/// The combatants that may act next once this turn ends: the others that wait, or all others in the
/// next round, or the actor alone.
fn after_turn<'t>(encounter: &'t Encounter, actor: &CombatantId) -> Vec<&'t CombatantId> {
    let is_other = |c: &&Combatant| c.id != *actor;
    let waiting: Vec<_> = encounter
        .waiting()
        .filter(is_other)
        .map(|c| &c.id)
        .collect();
    if !waiting.is_empty() {
        return waiting;
    }
    let others: Vec<_> = encounter.active().filter(is_other).map(|c| &c.id).collect();
    if !others.is_empty() {
        return others;
    }
    encounter.active().map(|c| &c.id).collect()
}
