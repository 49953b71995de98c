//! Types for the schemas that the published document puts together from those of all rulesets.
//! Other types refer to them.

use utoipa::ToSchema;

/// An encounter under any ruleset.
#[derive(ToSchema)]
#[schema(as = Encounter)]
pub struct EncounterSchema {}

/// A new encounter under any ruleset.
#[derive(ToSchema)]
#[schema(as = NewEncounter)]
pub struct NewEncounterSchema {}

/// A command: one that every ruleset understands, or one of the ruleset's own.
#[derive(ToSchema)]
#[schema(as = Command)]
pub struct CommandSchema {}

/// An event: one that every ruleset has, or one of the ruleset's own.
#[derive(ToSchema)]
#[schema(as = Event)]
pub struct EventSchema {}

/// A combatant as a client describes it, with a name or an id. A ruleset adds its own fields to
/// the shared ones.
#[derive(ToSchema)]
#[schema(as = CombatantDraft)]
pub struct DraftSchema {}

/// The fields that change, with their new values. A combatant keeps its id.
#[derive(ToSchema)]
#[schema(as = CombatantChanges)]
pub struct ChangesSchema {}

/// The fields of its ruleset that a client sets.
#[derive(ToSchema)]
#[schema(as = CombatantStats)]
pub struct StatsSchema {}

/// Ruleset-specific combatant state.
#[derive(ToSchema)]
#[schema(as = CombatantState)]
pub struct CombatantStateSchema {}
