//! The common face of all rulesets.

use super::{
    Actor, Audience, Combatant, CombatantId, Event, LegalCommand, Manifest, OrderEntry, Pending, Play, Redaction,
    Table, Tagged, Violation,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;
use utoipa::ToSchema;

/// A published initiative system. Implementations are stateless: all they know of a fight is in the [`Table`].
///
/// The order of one transition: the engine parses the command, [`decide`](Self::decide) (or, for a shared command, the
/// engine and then [`react`](Self::react)) tells events to the [`Play`], and each event happens at once through
/// [`Table::apply`], which hands the ruleset's own ones to [`evolve`](Self::evolve).
pub trait Ruleset: Sized + Clone + Debug + PartialEq + Send + Sync + 'static {
    /// Choices made once, at the creation of an encounter. Unknown fields must be refused and every field have a default.
    type Options: Data + Default;
    /// What a client tells about a combatant beyond the shared fields (and may change later). Unknown fields must be refused
    /// and every field have a default. No name may clash with a shared field or with one of `CombatantState`.
    type CombatantStats: Data + Default;
    /// What play keeps about a combatant.
    type CombatantState: Data + Default;
    /// What play keeps about the encounter; in JSON a tagged union or an object with its phase as one.
    type State: Data + Default;
    /// The ruleset's own commands, `start` and `end_turn` among them where it has turns.
    type Command: Data + Tagged;
    /// The ruleset's own events.
    type Event: Data + Tagged;

    /// Everything about it that never changes.
    const MANIFEST: &'static Manifest;

    /// Decides one of its own commands: tells what happens to `play`, or refuses. No other place holds rules.
    fn decide(play: &mut Play<'_, Self>, command: &Self::Command) -> Result<(), Violation>;

    /// Lets one of its own events happen. Holds no rules and cannot fail: an event that names somebody who is gone does nothing.
    fn evolve(table: &mut Table<Self>, event: &Self::Event);

    /// Draws the consequences of what a shared command just brought about (damage, a condition, somebody who joined, changed or
    /// left, the end of the encounter, an override). Not called for what the ruleset itself tells.
    ///
    /// An `Overridden` event asks the ruleset to make it that combatant's turn, refusing only what cannot be.
    fn react(play: &mut Play<'_, Self>, event: &Event<Self>) -> Result<(), Violation>;

    /// In whose name a command is sent: the players of those combatants may send it, whether they stand or have fallen.
    ///
    /// What the manifest says is the game master's is the game master's whatever this says; of a player's command some forms may
    /// still be the game master's.
    fn sender(command: &Self::Command) -> Actor<'_>;

    /// Every one of its own commands that may be legal now, with the values that it leaves open. The engine tries each one (and
    /// each value) and lists only what is accepted: so list generously, and leave nothing legal out.
    fn legal_commands(table: &Table<Self>) -> Vec<LegalCommand>;

    /// Whose turn it is; several where a turn is shared, none between turns.
    fn current(table: &Table<Self>) -> Vec<CombatantId>;

    /// Which decision is awaited, and who may take it; None in an encounter that has ended.
    fn pending(table: &Table<Self>) -> Option<Pending>;

    /// The order as far as the system knows one, and why each stands where it stands.
    fn order(table: &Table<Self>) -> Vec<OrderEntry>;

    /// Whose turns an effect counts that does not say so: its source's, else its target's, else those of whoever's turn it is.
    fn anchor(table: &Table<Self>, source: Option<&CombatantId>, target: Option<&CombatantId>) -> Option<CombatantId> {
        source.or(target).cloned().or_else(|| Self::current(table).into_iter().next())
    }

    /// Whether a combatant that the audience does not see has the turn or must choose at this true table. Asked after every event
    /// that may change it: a look at the phase, not a redaction of the table.
    fn someone_acts(whole: &Table<Self>, audience: &Audience<'_>) -> bool;

    /// Takes what a viewer may not know out of its part of `table`, from which the engine has taken the combatants and effects of
    /// `whole` that the viewer may not know: every other mention of one whom the viewer does not know ([`Audience::knows`]), and
    /// what is the game master's alone. Where [`someone_acts`](Self::someone_acts), the phase becomes one in which
    /// [`current`](Self::current) is empty and [`pending`](Self::pending) is [`Pending::someone`].
    fn redact(table: &mut Table<Self>, whole: &Table<Self>, audience: &Audience<'_>);

    /// One of its own events as those are told it who may not know of everybody; None where they are told nothing. An event that
    /// concerns only combatants they know of ([`Redaction::knows`]) must be told as it is, unless it is [`secret`](Self::secret).
    fn redact_event(event: &Self::Event, redaction: &Redaction<'_, Self>) -> Option<Self::Event>;

    /// Whether [`redact_event`](Self::redact_event) compares this event with the state before it ([`Redaction::before`]).
    fn looks_back(_event: &Self::Event) -> bool {
        false
    }

    /// Whether an event tells what is the game master's, so that it is not told as it is even where nobody is hidden.
    fn secret(_event: &Self::Event) -> bool {
        false
    }

    /// What the printed turn table says of a combatant besides its name, side, hit points and conditions: a few words, or none.
    fn remark(_table: &Table<Self>, _combatant: &Combatant<Self>) -> String {
        String::new()
    }
}

/// Whoever wants to know every ruleset there is.
pub trait Registrar {
    /// Takes note of one.
    fn add<R: Ruleset>(&mut self);
}

/// What any part of a ruleset's data can do.
pub trait Data: Clone + Debug + PartialEq + Serialize + DeserializeOwned + ToSchema + Send + Sync + 'static {}

impl<T: Clone + Debug + PartialEq + Serialize + DeserializeOwned + ToSchema + Send + Sync + 'static> Data for T {}
