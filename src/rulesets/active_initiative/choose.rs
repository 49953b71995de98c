//! Who acts next: the one that took the last turn chooses, with `nominate`. Then the turn of the
//! chosen combatant starts, once no interrupt is possible (AI-7 to AI-10, AI-17, AI-24, AI-35,
//! AI-41, AI-42).

use super::interrupt::{choice_holders, holders, is_held};
use super::turn::{ask_again, close_round, open_window, take_turn};
use super::{ActiveInitiative, Combatant, Encounter, Phase, Play, Way};
use crate::rulesets::shared::{check_chooser, check_in_fight, check_starter};
use crate::vocabulary::{CombatantId, Fold, LegalCommand, Violation, command, event, ids, require};

/// Choose who acts next, if the turn ended without a choice or the chosen combatant is gone.
#[command(
    player,
    "[{combatant}: choose][{!combatant}Choose] [{next} to act next][{!next}who acts next]\
     [{!begin}, without starting the turn]"
)]
pub struct Nominate {
    /// The combatant that chooses: the one that took the last turn. The game master leaves it out
    /// if that one has left the encounter.
    pub combatant: Option<CombatantId>,
    /// The combatant that acts next.
    pub next: CombatantId,
    /// True if the turn of `next` starts at once, unless it waits for combatants that could
    /// interrupt (AI-17b).
    #[default]
    pub begin: bool,
}

/// Start the turn of the combatant that acts next, once all that could interrupt have interrupted
/// or passed (AI-17b). After that it is too late to interrupt (AI-24).
#[command(player, "{combatant}: start turn")]
pub struct BeginTurn {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant was chosen to act next; the window for interrupts is open (AI-17).
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
    /// True if the choice is who starts a round (AI-41).
    pub starts_round: bool,
}

/// Asks who acts next, in a new round if all have acted (AI-35, AI-35a). With no combatant in the
/// fight, it waits.
pub(super) fn advance(play: &mut Play<'_>) {
    close_round(play);
    let state = &play.encounter().state;
    let starts_round = !state.begun;
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
        let awaited = matches!(state.phase, Phase::Nominate {} | Phase::NominateFirst {});
        require(awaited, "nothing_to_nominate", "AI-7", || {
            match &state.phase {
                Phase::InTurn { actor } => format!("It's {actor}'s turn. Send \"end_turn\" first."),
                Phase::Window { nominee, .. } => {
                    format!("The next turn is {nominee}'s. Send \"begin_turn\" or \"interrupt\".")
                }
                _ => {
                    "The next combatant can't be chosen now. Wait for the end of a turn.".to_owned()
                }
            }
        })?;
        let last_actor = state.last_actor.as_ref();
        check_chooser(last_actor, self.combatant.as_ref(), "AI-7")?;
        check_choice_is_open(play.encounter())?;
        choose(play, &self.next)?;
        begin_if_unopposed(play, &self.next, self.begin);
        Ok(())
    }
}

/// Starts the turn of `next` if the command says so, and it waits for no interrupt.
pub(super) fn begin_if_unopposed(play: &mut Play<'_>, next: &CombatantId, begin: bool) {
    if begin && !is_held(play.encounter(), next) {
        take_turn(play, next);
    }
}

/// Refuses a choice that waits for the hurt to interrupt or pass.
pub(super) fn check_choice_is_open(encounter: &Encounter) -> Result<(), Violation> {
    let Some(holder) = choice_holders(encounter).next() else {
        return Ok(());
    };
    let detail = format!(
        "{} may interrupt before the choice. Leave out \"next\", and let all that may interrupt \
         decide first.",
        holder.id
    );
    Err(Violation::new("interrupts_open", "AI-17b", detail))
}

/// Lets `next` act next, and opens the window for interrupts.
pub(super) fn choose(play: &mut Play<'_>, next: &CombatantId) -> Result<(), Violation> {
    let encounter = play.encounter();
    check_nominee(encounter, play.combatant("next", next)?)?;
    let nominated_by = encounter.state.last_actor.clone();
    play.emit(Nominated {
        combatant: next.clone(),
        nominated_by,
    });
    Ok(())
}

/// Refuses a combatant that cannot be chosen to act next.
fn check_nominee(encounter: &Encounter, nominee: &Combatant) -> Result<(), Violation> {
    let next = &nominee.id;
    check_in_fight(nominee, "AI-8")?;
    let last_actor = encounter.state.last_actor.as_ref();
    if last_actor == Some(next) {
        let starts_round = !encounter.state.begun;
        require(starts_round, "nominates_itself", "AI-10", || {
            format!("{next} just acted and can't act again yet. Choose another combatant.")
        })?;
        check_starter(encounter, last_actor, next, "AI-42")?;
    }
    require(!nominee.acted, "already_acted", "AI-9", || {
        format!("{next} has already acted this round. Choose another combatant.")
    })
}

impl BeginTurn {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let id = &self.combatant;
        play.combatant("combatant", id)?;
        match &play.encounter().state.phase {
            Phase::Window { nominee, .. } if nominee == id => {
                check_unopposed(play.encounter(), id)?;
                take_turn(play, id);
                Ok(())
            }
            Phase::Window { nominee, .. } => {
                let detail = format!(
                    "The next turn is {nominee}'s, not {id}'s. Send \"interrupt\" to take it."
                );
                Err(Violation::new("not_nominated", "AI-7", detail))
            }
            Phase::InTurn { actor } => {
                let detail = format!("It's {actor}'s turn. Send \"end_turn\" first.");
                Err(Violation::new("turn_in_progress", "AI-7", detail))
            }
            _ => {
                let detail = "The next combatant isn't chosen yet. Send \"nominate\" first.";
                Err(Violation::new("no_nominee", "AI-7", detail))
            }
        }
    }
}

/// Refuses a turn that waits for interrupts.
fn check_unopposed(encounter: &Encounter, nominee: &CombatantId) -> Result<(), Violation> {
    if !is_held(encounter, nominee) {
        return Ok(());
    }
    let Some(holder) = holders(encounter, nominee).next() else {
        let detail = "Each turn waits for the game master. Wait for \"resolve\".";
        return Err(Violation::new("interrupts_open", "AI-17c", detail));
    };
    let detail = format!(
        "{} may interrupt. Let all that may interrupt decide first.",
        holder.id
    );
    Err(Violation::new("interrupts_open", "AI-17b", detail))
}

/// The combatants that may be chosen.
pub(super) fn choosable(encounter: &Encounter) -> Vec<CombatantId> {
    match encounter.state.phase {
        Phase::Nominate {} | Phase::NominateFirst {} => ids(encounter.waiting()),
        _ => Vec::new(),
    }
}

impl Nominated {
    pub(super) fn apply(&self, fold: &mut Fold<'_, ActiveInitiative>) {
        let nominated_by = self.nominated_by.clone();
        open_window(fold, &self.combatant, Way::Nominated { nominated_by });
    }
}

impl ChoiceOpened {
    pub(super) fn apply(&self, fold: &mut Fold<'_, ActiveInitiative>) {
        ask_again(fold);
        fold.state().phase = Phase::choice(self.starts_round);
    }
}

pub(super) fn options(encounter: &Encounter) -> Vec<LegalCommand> {
    let chooser = encounter.state.last_actor.as_ref();
    let nominate = LegalCommand::by::<Nominate>(chooser, "AI-7");
    let mut next = Vec::new();
    for c in encounter.waiting() {
        if check_nominee(encounter, c).is_ok() {
            next.push(&c.id);
        }
    }
    let nominate = nominate.whom("next", next).alike_values("next");
    let begin = nominate.clone().with("begin", true).preferred();
    vec![nominate.without(&["begin"]), begin]
}
