//! What a ruleset says about hidden combatants.

use super::{Audience, Combatant, CombatantId, Encounter, EventRedaction, Ruleset};

/// Tells what an audience may know of a combatant's state.
pub type KnownCombatants<'t, R> = Box<dyn Fn(&Combatant<R>) -> <R as Ruleset>::CombatantState + 't>;

/// What a ruleset keeps from viewers who do not see all combatants. Every ruleset implements it for
/// itself, in a file of its own.
///
/// The engine removes hidden combatants, their effects and the shared events about them. A ruleset
/// must write [`known_state`](Self::known_state), [`known_combatants`](Self::known_combatants) and
/// [`redact_event`](Self::redact_event). The rest has defaults that fit a system whose
/// [`Ruleset::pending`] names exactly those that the fight waits for, in which no choice is made
/// among hidden combatants, and whose state and events have no secrets but ids.
pub trait Secrecy<R: Ruleset> {
    /// The combatants that the fight waits for: those who have the turn or must choose. If a viewer
    /// knows none of them, its view says only that somebody acts ([`Encounter::someone_acts`]).
    ///
    /// Override it where [`Ruleset::pending`] names others too, or no combatant. Runs after most
    /// events if anything is hidden.
    fn awaited(encounter: &Encounter<R>) -> Vec<CombatantId> {
        R::pending(encounter).map_or_else(Vec::new, |pending| pending.combatants)
    }

    /// The combatants of which one must be chosen to act next. A viewer that knows none of them
    /// does not learn of the choice: its view says only that somebody acts.
    fn choosable(_encounter: &Encounter<R>) -> Vec<CombatantId> {
        Vec::new()
    }

    /// The state of `whole` as the audience may know it, made from nothing: a pattern without `..`
    /// takes the true state apart, so that no field is shown before its line says so. It holds no
    /// id that the audience does not know ([`Audience::knows`]), and nothing that differs with
    /// which hidden combatant acts, or acted last.
    ///
    /// A player's command is refused unless this state accepts it too. So what a player may do while
    /// a hidden combatant is next, such as to go before it, must be possible here: keep that phase
    /// without the id, and let [`awaited`](Self::awaited) name those who may do it.
    ///
    /// If [`Encounter::someone_acts`], the phase becomes one in which [`Ruleset::current`] is empty
    /// and [`Ruleset::pending`] is [`Pending::someone`](super::Pending::someone).
    fn known_state(whole: &Encounter<R>, audience: &Audience<'_>) -> R::State;

    /// Tells of each combatant that the audience sees what it may know of its state, made from
    /// nothing like [`known_state`](Self::known_state).
    fn known_combatants<'t>(
        whole: &'t Encounter<R>,
        audience: &'t Audience<'t>,
    ) -> KnownCombatants<'t, R>;

    /// Whether its part of `encounter` holds what viewers must not see although no combatant is
    /// hidden, such as the turns of hidden ones that have left.
    fn hides_something(_encounter: &Encounter<R>) -> bool {
        false
    }

    /// An event as the audience may know it, if at all: `event.redact(redaction.audience)` if that
    /// follows from its fields.
    ///
    /// An event that names only known combatants stays as it is, unless it is a
    /// [`secret`](Self::is_secret).
    fn redact_event(event: &R::Event, redaction: &EventRedaction<'_, R>) -> Option<R::Event>;

    /// Whether an event is the game master's alone even if no combatant is hidden.
    fn is_secret(_event: &R::Event) -> bool {
        false
    }
}
