//! The registered rulesets, with their types hidden.

use super::document::{DocumentHeader, open};
use super::encounter::EncounterRecord;
use super::history::UndoHistory;
use super::{AnyEncounter, Creation, LoadError, Meta, Refusal, import, roster};
use crate::json::FieldError;
use crate::vocabulary::{
    CachedCombatant, Combatants, Encounter, Manifest, Registrar, Ruleset, Status,
};
use serde_json::value::RawValue;
use std::sync::Arc;

/// What one who asks for another system is told.
const OTHER_SYSTEMS: &str = "For D&D and other systems, send \"custom\" with a preset, such as \
                             {\"preset\": \"d20\"} in options";

/// Maximum errors that a refused creation lists.
const MAX_ERRORS: usize = 20;

type Loaded = Result<Arc<dyn AnyEncounter>, LoadError>;

/// A ruleset with its types hidden.
pub struct AnyRuleset {
    /// Its manifest.
    pub manifest: &'static Manifest,
    create: fn(Meta, Creation) -> Result<Arc<dyn AnyEncounter>, Refusal>,
    read: fn(&[u8], Option<Meta>) -> Loaded,
    validate_checkpoint: fn(&RawValue) -> Result<(), FieldError>,
}

/// Makes a new encounter; an error names the field.
fn create<R: Ruleset>(meta: Meta, creation: Creation) -> Result<Arc<dyn AnyEncounter>, Refusal> {
    let Creation {
        player_undo,
        player_effects,
        ..
    } = creation;
    let meta = Meta {
        player_undo,
        player_effects,
        ..meta
    };
    let mut wrong = Vec::new();
    let options = R::read_options(&creation.options).unwrap_or_else(|errors| {
        wrong.extend(
            errors
                .into_iter()
                .take(MAX_ERRORS)
                .map(|error| error.within("options")),
        );
        R::Options::default()
    });
    let options_valid = wrong.is_empty();
    let mut encounter = Encounter::<R> {
        name: creation.name,
        metadata: creation.metadata,
        options,
        foe_hp: creation.foe_hp,
        status: Status::Setup,
        round: 0,
        version: 0,
        combatants: Combatants::from_iter([]),
        effects: Vec::new(),
        counted: Vec::new(),
        joined: 0,
        used_ids: Arc::default(),
        effects_begun: 0,
        state: R::State::default(),
    };
    for (i, combatant) in creation.combatants.into_iter().enumerate() {
        if wrong.len() >= MAX_ERRORS {
            break;
        }
        let admitted = roster::new_combatant(&encounter, combatant).and_then(|combatant| {
            if options_valid {
                R::check_combatant(&encounter.options, &combatant)?;
            }
            roster::check_room_and_id(&encounter, &combatant).map_err(|violation| {
                let path = if violation.code == "combatant_exists" {
                    "id"
                } else {
                    ""
                };
                FieldError::meaningless(path, violation.detail)
            })?;
            Ok(combatant)
        });
        match admitted {
            Ok(combatant) => {
                encounter.joined = combatant.joined;
                encounter.combatants.push(CachedCombatant::new(combatant));
            }
            Err(error) => wrong.push(error.within(&format!("combatants.{i}"))),
        }
    }
    if !wrong.is_empty() {
        return Err(Refusal::Fields(wrong));
    }
    Ok(Arc::new(EncounterRecord {
        meta: Arc::new(meta),
        history: UndoHistory::ordinary(0),
        encounter,
    }))
}

/// The rulesets of a program.
#[derive(Default)]
pub struct Rulesets(Vec<AnyRuleset>);

impl Registrar for Rulesets {
    fn add<R: Ruleset>(&mut self) {
        self.0.push(AnyRuleset {
            manifest: R::MANIFEST,
            create: create::<R>,
            read: |stored, meta| {
                Ok(Arc::new(EncounterRecord::<R>::read(
                    stored,
                    meta.map(Arc::new),
                )?))
            },
            validate_checkpoint: import::checkpoint::<R>,
        });
    }
}

impl Rulesets {
    /// The rulesets that ship.
    pub fn shipped() -> Self {
        let mut rulesets = Self::default();
        crate::rulesets::register(&mut rulesets);
        rulesets
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &AnyRuleset> {
        self.0.iter()
    }

    /// The one with this id.
    pub fn get(&self, id: &str) -> Option<&AnyRuleset> {
        self.iter().find(|ruleset| ruleset.manifest.id == id)
    }

    /// The one that a client names in the field `ruleset`.
    fn known(&self, id: &str) -> Result<&AnyRuleset, FieldError> {
        self.get(id).ok_or_else(|| {
            let known: Vec<_> = self.iter().map(|ruleset| ruleset.manifest.id).collect();
            let message = format!(
                "there is no such ruleset; there are {}. {OTHER_SYSTEMS}",
                known.join(", ")
            );
            FieldError::meaningless("ruleset", message)
        })
    }

    /// Makes a new encounter; an error names the field.
    pub fn create(&self, meta: Meta, creation: Creation) -> Result<Arc<dyn AnyEncounter>, Refusal> {
        (self.known(&creation.ruleset)?.create)(meta, creation)
    }

    /// Checks the shape of an imported checkpoint.
    pub fn validate_checkpoint(&self, checkpoint: &RawValue) -> Result<(), FieldError> {
        let header = DocumentHeader::read(checkpoint)?;
        (self.known(&header.ruleset)?.validate_checkpoint)(checkpoint)
    }

    /// Reads a stored document.
    pub fn load(&self, document: &[u8]) -> Loaded {
        self.read(document, None)
    }

    /// Makes an encounter of a checkpoint.
    pub fn restore(&self, meta: Meta, checkpoint: &[u8]) -> Loaded {
        self.read(checkpoint, Some(meta))
    }

    fn read(&self, stored: &[u8], meta: Option<Meta>) -> Loaded {
        let header = open(stored)?;
        let ruleset = self
            .get(&header.ruleset)
            .ok_or(LoadError::UnknownRuleset(header.ruleset))?;
        (ruleset.read)(stored, meta)
    }
}
