//! Who acts next: the one that took the last turn chooses, with `nominate` (WA-7 to WA-11, WA-13,
//! WA-15).

use super::turn::{barred, close_round, give_turn, take_turn};
use super::{Combatant, Encounter, Phase, Play, Seize, Way};
use crate::rulesets::shared::{check_chooser, check_in_fight, check_starter};
use crate::vocabulary::{CombatantId, Fold, LegalCommand, Violation, command, event, ids, require};

/// Choose who acts next, if the last turn ended without a choice; that turn starts.
#[command(
    player,
    "[{combatant}: choose][{!combatant}Choose] [{next} to act next][{!next}who acts next]"
)]
pub struct Nominate {
    /// The combatant that chooses: the one that took the last turn. The game master leaves it out
    /// if that one has left the encounter.
    pub combatant: Option<CombatantId>,
    /// The combatant that acts next.
    pub next: CombatantId,
}

/// A combatant was chosen to act next; its turn starts at once (WA-8).
#[event(
    "[{nominated_by} {nominated_by:chooses|choose} {combatant} to act next.]\
     [{!nominated_by}{combatant} {combatant:acts|act} next.]"
)]
pub struct Nominated {
    /// The combatant that acts next.
    pub combatant: CombatantId,
    /// The combatant that chose; absent if the game master chose for one that has left.
    pub nominated_by: Option<CombatantId>,
}

/// A player or the game master must choose who acts next, or who starts a new round.
#[event(
    "[{chooser} {chooser:chooses|choose}][{!chooser}The game master chooses]\
     [{starts_round} who starts the round][{!starts_round} who acts next]."
)]
pub struct ChoiceOpened {
    /// The combatant whose controller chooses; absent if the game master chooses.
    pub chooser: Option<CombatantId>,
    /// True if the choice is who starts a round (WA-11).
    pub starts_round: bool,
}

/// Starts the first seized turn (WA-15), else asks who acts next, in a new round if all have acted
/// (WA-10). With no combatant in the fight, it waits.
pub(super) fn advance(play: &mut Play<'_>) {
    if let Some(seizer) = play.encounter().state.queue.first() {
        let combatant = seizer.combatant.clone();
        return take_turn(play, &combatant);
    }
    let starts_round = close_round(play);
    let state = &play.encounter().state;
    if state.phase != Phase::choice(starts_round) {
        let chooser = state.last_actor.clone();
        play.emit(ChoiceOpened {
            chooser,
            starts_round,
        });
    }
}

impl Nominate {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        if let Some(id) = &self.combatant {
            play.combatant("combatant", id)?;
        }
        play.combatant("next", &self.next)?;
        let state = &play.encounter().state;
        check_choice_is_open(&state.phase)?;
        check_chooser(state.last_actor.as_ref(), self.combatant.as_ref(), "WA-8")?;
        let starts_round = state.phase == (Phase::NominateFirst {});
        choose(play, &self.next, starts_round)
    }
}

/// Lets `next` act next.
pub(super) fn choose(
    play: &mut Play<'_>,
    next: &CombatantId,
    starts_round: bool,
) -> Result<(), Violation> {
    let encounter = play.encounter();
    let nominee = play.combatant("next", next)?;
    check_in_fight(nominee, "WA-10")?;
    require(!nominee.acted, "already_acted", "WA-9", || {
        format!("{next} has already acted this round. Choose another combatant.")
    })?;
    check_not_barred(encounter, nominee)?;
    let last_actor = encounter.state.last_actor.as_ref();
    if starts_round {
        check_starter(encounter, last_actor, next, "WA-11")?;
    }
    let nominated_by = last_actor.cloned();
    play.emit(Nominated {
        combatant: next.clone(),
        nominated_by,
    });
    take_turn(play, next);
    Ok(())
}

/// Refuses a choice while a turn is in progress, or may be seized.
fn check_choice_is_open(phase: &Phase) -> Result<(), Violation> {
    match phase {
        Phase::InTurn { actor } => {
            let detail = format!("It's {actor}'s turn. Send \"end_turn\" first.");
            Err(Violation::new("turn_in_progress", "WA-8", detail))
        }
        Phase::Seize {} => Err(seizing_open()),
        Phase::SomeoneActs => {
            let detail = "The next combatant can't be chosen now. Wait for the end of a turn.";
            Err(Violation::new("turn_in_progress", "WA-8", detail))
        }
        Phase::Setup | Phase::Nominate {} | Phase::NominateFirst {} | Phase::Over => Ok(()),
    }
}

/// Refuses what waits until all who may seize have decided (WA-13).
pub(super) fn seizing_open() -> Violation {
    let detail = "The next turn may be seized. End the turn without \"next\", and let all who may \
                  seize decide first.";
    Violation::new("seizing_open", "WA-13", detail)
}

/// Refuses a combatant that rolled a 1, in round 1.
pub(super) fn check_not_barred(encounter: &Encounter, c: &Combatant) -> Result<(), Violation> {
    require(!barred(encounter, c), "barred", "WA-7", || {
        format!(
            "{} rolled a 1 and can't act in round 1. Choose another combatant.",
            c.id
        )
    })
}

/// The combatants that may be chosen.
pub(super) fn choosable(encounter: &Encounter) -> Vec<CombatantId> {
    match encounter.state.phase {
        Phase::Nominate {} | Phase::NominateFirst {} => {
            ids(encounter.waiting().filter(|c| !barred(encounter, c)))
        }
        _ => Vec::new(),
    }
}

impl Nominated {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Seize>) {
        let nominated_by = self.nominated_by.clone();
        let way = Way::Nominated { nominated_by };
        give_turn(fold.state(), &self.combatant, way);
    }
}

impl ChoiceOpened {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Seize>) {
        fold.state().phase = Phase::choice(self.starts_round);
    }
}

pub(super) fn options(encounter: &Encounter) -> Vec<LegalCommand> {
    let chooser = encounter.state.last_actor.as_ref();
    let nominate = LegalCommand::by::<Nominate>(chooser, "WA-8");
    vec![nominate.whom("next", encounter.active().map(|c| &c.id))]
}
