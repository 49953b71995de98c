//! The registered rulesets, behind a trait that hides their types.

use super::document::{Document, DocumentHeader, open, unreadable};
use super::game::TypedGame;
use super::history::UndoHistory;
use super::{Creation, Game, LoadError, Meta, Refusal, import, roster};
use crate::vocabulary::{
    CachedCombatant, Combatants, FieldError, Manifest, Registrar, Ruleset, Status, Table, Violation,
};
use serde_json::Value;
use std::marker::PhantomData;
use std::sync::Arc;

/// Maximum errors that a refused creation lists.
const MAX_ERRORS: usize = 20;

/// A ruleset with its types hidden.
pub trait AnyRuleset: Send + Sync {
    /// Its manifest.
    fn manifest(&self) -> &'static Manifest;

    /// Makes a new encounter; an error names the field.
    fn create(&self, meta: Meta, creation: Creation) -> Result<Arc<dyn Game>, Refusal>;

    /// Reads a stored document of its own, of the present schema.
    fn load(&self, document: &[u8]) -> Result<Arc<dyn Game>, LoadError>;

    /// Checks the shape of an imported checkpoint.
    fn vet(&self, checkpoint: Value) -> Result<(), FieldError>;

    /// Makes an encounter of a checkpoint.
    fn recall(&self, meta: Meta, checkpoint: &[u8]) -> Result<Arc<dyn Game>, LoadError>;
}

struct ErasedRuleset<R>(PhantomData<fn() -> R>);

impl<R: Ruleset> AnyRuleset for ErasedRuleset<R> {
    fn manifest(&self) -> &'static Manifest {
        R::MANIFEST
    }

    fn create(&self, meta: Meta, creation: Creation) -> Result<Arc<dyn Game>, Refusal> {
        let meta = Meta { player_undo: creation.player_undo, ..meta };
        let mut wrong = Vec::new();
        let options = R::read_options(&creation.options).unwrap_or_else(|errors| {
            wrong.extend(errors.into_iter().take(MAX_ERRORS).map(|error| error.within("options")));
            R::Options::default()
        });
        let sound = wrong.is_empty();
        let mut table = Table::<R> {
            name: creation.name,
            metadata: creation.metadata,
            options,
            foe_hp: creation.foe_hp,
            status: Status::Setup,
            round: 0,
            version: 0,
            combatants: Combatants::from_iter([]),
            removed: Vec::new(),
            effects: Vec::new(),
            joined: 0,
            effects_begun: 0,
            state: R::State::default(),
        };
        for (i, combatant) in creation.combatants.into_iter().enumerate() {
            let admitted = roster::new_combatant(&table, combatant).and_then(|combatant| {
                if sound {
                    R::check_combatant(&table.options, &combatant)?;
                }
                let refused = roster::check_room_and_id(&table, &combatant).err();
                let refusal = |violation: Violation| {
                    let path = if violation.code == "combatant_exists" { "id" } else { "" };
                    Err(FieldError::meaningless(path, violation.detail))
                };
                refused.map_or(Ok(combatant), refusal)
            });
            match admitted {
                Ok(combatant) => {
                    table.joined = combatant.joined;
                    table.combatants.push(CachedCombatant::new(combatant));
                }
                Err(error) => wrong.push(error.within(&format!("combatants.{i}"))),
            }
            if wrong.len() >= MAX_ERRORS {
                break;
            }
        }
        if !wrong.is_empty() {
            return Err(Refusal::Fields(wrong));
        }
        Ok(Arc::new(TypedGame { meta: Arc::new(meta), history: UndoHistory::ordinary(0), table }))
    }

    fn load(&self, document: &[u8]) -> Result<Arc<dyn Game>, LoadError> {
        let document: Document<'_, R> = serde_json::from_slice(document).map_err(unreadable)?;
        let meta = document.meta.ok_or_else(|| LoadError::Unreadable("a document without meta".to_owned()))?;
        let meta = Arc::new(meta.into_owned());
        Ok(Arc::new(TypedGame { meta, history: document.history.into_owned(), table: document.table.into_owned() }))
    }

    fn vet(&self, checkpoint: Value) -> Result<(), FieldError> {
        import::checkpoint::<R>(checkpoint)
    }

    fn recall(&self, meta: Meta, checkpoint: &[u8]) -> Result<Arc<dyn Game>, LoadError> {
        Ok(Arc::new(TypedGame::<R>::at(Arc::new(meta), checkpoint)?))
    }
}

/// The rulesets of a program.
pub struct Rulesets(Vec<Box<dyn AnyRuleset>>);

impl Registrar for Rulesets {
    fn add<R: Ruleset>(&mut self) {
        self.0.push(Box::new(ErasedRuleset::<R>(PhantomData)));
    }
}

impl Rulesets {
    /// The rulesets that ship.
    pub fn shipped() -> Self {
        let mut rulesets = Self::none();
        crate::rulesets::register(&mut rulesets);
        rulesets
    }

    /// No ruleset, to [`add`](Registrar::add) some.
    pub fn none() -> Self {
        Self(Vec::new())
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &dyn AnyRuleset> {
        self.0.iter().map(|r| &**r)
    }

    /// The one with this id.
    pub fn get(&self, id: &str) -> Option<&dyn AnyRuleset> {
        self.iter().find(|r| r.manifest().id == id)
    }

    /// Makes a new encounter; an error names the field.
    pub fn create(&self, meta: Meta, creation: Creation) -> Result<Arc<dyn Game>, Refusal> {
        self.known(&creation.ruleset)?.create(meta, creation)
    }

    /// The one that a client names in the field `ruleset`.
    fn known(&self, id: &str) -> Result<&dyn AnyRuleset, FieldError> {
        self.get(id).ok_or_else(|| {
            let known: Vec<_> = self.iter().map(|r| r.manifest().id).collect();
            let message = format!("there is no such ruleset; there are {}", known.join(", "));
            FieldError::meaningless("ruleset", message)
        })
    }

    /// Checks the shape of an imported checkpoint.
    pub fn vet(&self, checkpoint: Value) -> Result<(), FieldError> {
        let header = DocumentHeader::read(&checkpoint)?;
        self.known(&header.ruleset)?.vet(checkpoint)
    }

    /// Reads a stored document, and migrates an older one.
    pub fn load(&self, document: &[u8]) -> Result<Arc<dyn Game>, LoadError> {
        let (header, document) = open(document)?;
        self.get(&header.ruleset).ok_or(LoadError::UnknownRuleset(header.ruleset))?.load(&document)
    }

    /// Makes an encounter of a checkpoint, and migrates an older one.
    pub fn recall(&self, meta: Meta, checkpoint: &[u8]) -> Result<Arc<dyn Game>, LoadError> {
        let (header, checkpoint) = open(checkpoint)?;
        self.get(&header.ruleset).ok_or(LoadError::UnknownRuleset(header.ruleset))?.recall(meta, &checkpoint)
    }
}
