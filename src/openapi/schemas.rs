//! The schemas of the rulesets' own types.
//!
//! The program serves the committed document and has no use for most of these, which would be a tenth of its code: so nothing that
//! it calls leads here. [`AnyRuleset`](crate::engine::AnyRuleset) gives those of the manifests.

use crate::engine::{TypeSchema, type_schema};
use crate::vocabulary::{Manifest, Registrar, Ruleset};

/// The schemas of one ruleset's types. A list of them can be told every ruleset.
pub struct Schemas {
    /// Whose they are.
    pub manifest: &'static Manifest,
    /// Its options.
    pub options: TypeSchema,
    /// What a client tells about a combatant beyond the shared fields.
    pub stats: TypeSchema,
    /// What play keeps about a combatant.
    pub combatant_state: TypeSchema,
    /// What play keeps about the encounter.
    pub state: TypeSchema,
    /// Its own commands.
    pub command: TypeSchema,
    /// Its own events.
    pub event: TypeSchema,
}

impl Registrar for Vec<Schemas> {
    fn add<R: Ruleset>(&mut self) {
        self.push(Schemas {
            manifest: R::MANIFEST,
            options: type_schema::<R::Options>(),
            stats: type_schema::<R::CombatantStats>(),
            combatant_state: type_schema::<R::CombatantState>(),
            state: type_schema::<R::State>(),
            command: type_schema::<R::Command>(),
            event: type_schema::<R::Event>(),
        });
    }
}
