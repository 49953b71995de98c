//! The end of a turn: who was hurt in it may seize the next one, else the last to act chooses
//! (WA-8, WA-9, WA-11, WA-13).

use super::choose::choose;
use super::seize_the_turn::{ask_next, check_not_seized};
use super::turn::close_round;
use super::{Encounter, Play, extra_action};
use crate::rulesets::shared::end_turn;
use crate::vocabulary::{CombatantId, LegalCommand, Violation, command};

/// End a turn. Combatants that lost hit points in it may seize the next one (WA-13); otherwise
/// `next` acts next (WA-8).
#[command(player, "{combatant}: end turn")]
pub struct EndTurn {
    /// The combatant.
    pub combatant: CombatantId,
    /// The combatant that acts next: one without a turn in this round (WA-9), or the first of the
    /// next round (WA-11).
    pub next: Option<CombatantId>,
}

impl EndTurn {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let id = &self.combatant;
        play.in_turn(id, "WA-8")?;
        let Some(next) = &self.next else {
            close_turn(play, id);
            return Ok(());
        };
        extra_action::lose(play, id);
        end_turn(play, id);
        check_not_seized(play.encounter())?;
        let starts_round = close_round(play);
        choose(play, next, starts_round)
    }
}

/// Ends a turn and asks the combatants that may seize the next one, else who acts next.
pub(super) fn close_turn(play: &mut Play<'_>, id: &CombatantId) {
    extra_action::lose(play, id);
    end_turn(play, id);
    ask_next(play);
}

pub(super) fn options(encounter: &Encounter, actor: &CombatantId) -> LegalCommand {
    LegalCommand::by::<EndTurn>(actor, "WA-8").whom("next", encounter.active().map(|c| &c.id))
}
