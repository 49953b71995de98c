//! The interface that every ruleset implements.

use super::{
    Combatant, CombatantId, Commands, Describe, EffectId, Encounter, Event, Fields, Fold,
    KnownOrder, LegalCommand, Manifest, OrderEntry, Pending, Play, Property, Redact, Secrecy,
    TakenOrder, Violation,
};
use crate::json::{FieldError, Tagged, read};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::fmt::Debug;
use utoipa::ToSchema;

/// A published initiative system. Implementations are stateless: the whole fight is in the
/// [`Encounter`].
///
/// The engine parses a command. [`decide`](Self::decide) then emits events to the [`Play`]; for a
/// shared command the engine emits them and calls [`react`](Self::react). Each event is applied at
/// once by [`Encounter::apply`], which calls [`evolve`](Self::evolve).
///
/// Two rules hold in every system. A combatant's turn starts once: a turn that is resumed emits no
/// second `turn_started`. Numbers that players see count only combatants that they see, so that a
/// hidden one does not show in them.
pub trait Ruleset:
    Secrecy<Self> + Sized + Clone + Debug + PartialEq + Send + Sync + 'static
{
    /// Choices made once, when the encounter is created. Refuses unknown fields; every field has a
    /// default.
    type Options: Data + Default;
    /// What a client sets about a combatant beyond the shared fields. Refuses unknown fields; every
    /// field has a default. No name may clash with a shared field or with one of `CombatantState`.
    type CombatantStats: Data + Default + Fields;
    /// What play sets about a combatant.
    type CombatantState: Data + Default;
    /// What play sets about the encounter; in JSON a tagged union, or an object with its phase as
    /// one. [`Secrecy::known_state`] says what a view keeps of it.
    type State: Data + Default;
    /// The ruleset's own commands, with `start` and `end_turn` if it has turns.
    type Command: Data + Commands;
    /// The ruleset's own events: facts that no shared event states.
    type Event: Data + Tagged + Redact + Describe;

    /// Its description, and its rule catalogue.
    const MANIFEST: &'static Manifest;

    /// Reads the options of a new encounter. Override it where a value of the right shape may still
    /// make no sense; the errors name every mistake.
    fn read_options(options: &Value) -> Result<Self::Options, Vec<FieldError>> {
        read(options).map_err(|error| vec![error])
    }

    /// Refuses a combatant whose stats make no sense under the options, or on its side.
    fn check_combatant(
        _options: &Self::Options,
        _combatant: &Combatant<Self>,
    ) -> Result<(), FieldError> {
        Ok(())
    }

    /// Takes stats away that make no sense any more after a change of other fields. The fields that
    /// the change gives stay, for [`check_combatant`](Self::check_combatant) to refuse.
    fn drop_outdated(
        _options: &Self::Options,
        _combatant: &mut Combatant<Self>,
        _given: &BTreeSet<String>,
    ) {
    }

    /// What a new fight takes of an order that is known already, as another tracker has it. By default
    /// nothing: the ruleset rolls by its own numbers.
    fn take_order(order: &KnownOrder) -> TakenOrder {
        TakenOrder::by(order, |_, _| Map::new())
    }

    /// What players call a field of [`CombatantStats`](Self::CombatantStats), if it is not the name
    /// of the field with spaces.
    fn words_for_stat(_field: &str) -> Option<&'static str> {
        None
    }

    /// Decides a command: emits events to `play`, or refuses. Rules stand here and in
    /// [`react`](Self::react), nowhere else.
    fn decide(play: &mut Play<'_, Self>, command: &Self::Command) -> Result<(), Violation>;

    /// Follows up an event of a shared command: damage, a condition, a change of the roster, the
    /// end of the encounter, an override.
    ///
    /// `Overridden` asks for that combatant's turn, also if it has acted in this round; refuse only
    /// what cannot be. The turn in progress is taken back: no `turn_ended` follows, and its
    /// combatant has not acted. A system that counts the turns that a combatant has had may end it
    /// instead, with `turn_ended`.
    fn react(play: &mut Play<'_, Self>, event: &Event<Self>) -> Result<(), Violation>;

    /// Assigns what an event says, shared ones included, to the ruleset's own part of the encounter;
    /// the shared part has changed already. What follows by a rule is decided before, and stands in
    /// the event.
    ///
    /// Cannot fail: an event that names a combatant that has left does nothing. After
    /// `combatant_left` and the reactions to it nothing names that combatant, so that another one
    /// may take its id: [`Audience::all_but`](super::Audience::all_but) helps.
    fn evolve(fold: &mut Fold<'_, Self>, event: &Event<Self>);

    /// What follows from an event that has happened, where its own fields do not say it: an event that
    /// is kept in the log with it, and that no client reads.
    fn outcome(_encounter: &Encounter<Self>, _event: &Event<Self>) -> Option<Self::Event> {
        None
    }

    /// Refuses a state that no play leads to: a list that is too long for it, or a number that is
    /// out of range. An imported log may hold one. The error names the list or number, and its
    /// bound.
    fn check_state(encounter: &Encounter<Self>) -> Result<(), String>;

    /// The commands that may be legal now, with the values that each leaves open. The engine tries
    /// each command and each value and lists what is accepted, so leave nothing legal out. No two of
    /// them may have the same label.
    fn legal_commands(encounter: &Encounter<Self>) -> Vec<LegalCommand>;

    /// The fields of [`CombatantStats`](Self::CombatantStats) that the game master may fill in for a
    /// newcomer, with the values of each. All their combinations are accepted: the engine tries none.
    /// Override it where a field's values depend on the fight or on another field.
    fn newcomer_fields(_encounter: &Encounter<Self>) -> Vec<Property> {
        Self::CombatantStats::all_but(&[])
    }

    /// Whose turn it is: several combatants if they share a turn, none between turns.
    fn current(encounter: &Encounter<Self>) -> Vec<CombatantId>;

    /// The decision that is awaited, with every combatant whose player may take it; None after the
    /// encounter.
    ///
    /// While the fight runs, a combatant or the game master is awaited, and one of the decision's
    /// commands is legal. Name every combatant that can send a command of the decision, and no
    /// other. A combatant that joins, or changes out of its turn, starts and ends no turn of
    /// another. The properties test holds all of this; docs/testing.md lists its properties.
    ///
    /// Clients have words for the names of decisions: take another ruleset's name for the same
    /// decision.
    fn pending(encounter: &Encounter<Self>) -> Option<Pending>;

    /// The order of turns that the system knows, with the reason for each place. The engine leaves
    /// out combatants that have left, and adds everybody else behind.
    fn order(encounter: &Encounter<Self>) -> Vec<OrderEntry>;

    /// What players call the game, for the head of the turn table.
    fn game(_options: &Self::Options) -> &'static str {
        Self::MANIFEST.title
    }

    /// What the table calls a word for machines, such as the name of a reaction.
    fn title<'o>(_options: &'o Self::Options, _word: &str) -> Option<&'o str> {
        None
    }

    /// What is going on, for the head of the turn table of a running fight.
    fn moment(encounter: &Encounter<Self>) -> String {
        Self::round_name(encounter.round)
    }

    /// What players call a round, such as "round 2". It takes a verb in the singular.
    fn round_name(round: u32) -> String {
        format!("{} {round}", Self::MANIFEST.round)
    }

    /// A few words about a combatant for the turn table, besides its name, side, hit points and
    /// conditions.
    fn remark(_encounter: &Encounter<Self>, _combatant: &Combatant<Self>) -> String {
        String::new()
    }

    /// Whose turns an effect counts if its command does not say so: its source's, else its
    /// target's, else the current combatant's.
    fn anchor(
        encounter: &Encounter<Self>,
        source: Option<&CombatantId>,
        target: Option<&CombatantId>,
    ) -> Option<CombatantId> {
        source
            .or(target)
            .cloned()
            .or_else(|| Self::current(encounter).into_iter().next())
    }

    /// Whether an effect has counted a turn of a combatant, as [`Combatant::acted`] does not say:
    /// it loses nothing more for that turn if the combatant leaves.
    fn has_counted(
        _encounter: &Encounter<Self>,
        _combatant: &Combatant<Self>,
        _effect: &EffectId,
    ) -> bool {
        false
    }

    /// Whether the end of a round counts for effects of combatants that take no turns. Otherwise
    /// the ruleset lets them count, and clears [`Encounter::counted`].
    fn lost_turns_by_round(_options: &Self::Options) -> bool {
        true
    }
}

/// Receives every ruleset that is registered.
pub trait Registrar {
    /// Registers one.
    fn add<R: Ruleset>(&mut self);
}

/// What all parts of a ruleset's data have in common.
pub trait Data:
    Clone + Debug + PartialEq + Serialize + DeserializeOwned + ToSchema + Send + Sync + 'static
{
}

impl<T: Clone + Debug + PartialEq + Serialize + DeserializeOwned + ToSchema + Send + Sync + 'static>
    Data for T
{
}
