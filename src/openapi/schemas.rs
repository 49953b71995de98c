//! The schemas of the rulesets' own types.
//!
//! Only tests build the document: the program serves the committed one, which spares it a tenth of its code.
//! [`AnyRuleset`](crate::engine::AnyRuleset) has the schemas of the manifests.

use crate::engine::{TypeSchema, type_schema};
use crate::vocabulary::{Manifest, Registrar, Ruleset};

/// The schemas of one ruleset's types. A list of them registers every ruleset.
pub struct Schemas {
    /// The ruleset's manifest.
    pub manifest: &'static Manifest,
    /// Its options.
    pub options: TypeSchema,
    /// What a combatant brings beyond the shared fields.
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
