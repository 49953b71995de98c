//! Types for the schemas that the published document puts together from those of all rulesets.

use utoipa::ToSchema;

/// Makes a type for each schema that the document puts together from those of all rulesets. Other
/// types refer to it.
macro_rules! over_rulesets {
    ($($(#[doc = $doc:literal])+ $name:ident as $published:ident;)+) => { $(
        $(#[doc = $doc])+
        #[derive(ToSchema)]
        #[schema(as = $published)]
        pub struct $name {}
    )+ };
}

over_rulesets! {
    /// An encounter under any ruleset.
    EncounterSchema as Encounter;
    /// A new encounter under any ruleset.
    NewEncounterSchema as NewEncounter;
    /// A command: one that every ruleset understands, or one of the ruleset's own.
    CommandSchema as Command;
    /// An event: one that every ruleset has, or one of the ruleset's own.
    EventSchema as Event;
    /// A combatant as a client describes it, with a name or an id. Which fields there are beside
    /// the shared ones, the ruleset says.
    DraftSchema as CombatantDraft;
    /// The fields that change, with their new values. A combatant keeps its id.
    ChangesSchema as CombatantChanges;
    /// What a combatant brings that its ruleset asks for.
    StatsSchema as CombatantStats;
    /// What play keeps about a combatant for its ruleset.
    CombatantStateSchema as CombatantState;
}
