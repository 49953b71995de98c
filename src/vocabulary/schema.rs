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

/// A combatant as a client describes it, with a name or an id. Which fields there are beside
/// the shared ones, the ruleset says.
#[derive(ToSchema)]
#[schema(as = CombatantDraft)]
pub struct DraftSchema {}

/// The fields that change, with their new values. A combatant keeps its id.
#[derive(ToSchema)]
#[schema(as = CombatantChanges)]
pub struct ChangesSchema {}

/// What a combatant brings that its ruleset asks for.
#[derive(ToSchema)]
#[schema(as = CombatantStats)]
pub struct StatsSchema {}

/// What play keeps about a combatant for its ruleset.
#[derive(ToSchema)]
#[schema(as = CombatantState)]
pub struct CombatantStateSchema {}
