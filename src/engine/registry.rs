//! The registered rulesets, with their types hidden.

use super::document::{DocumentHeader, check_schema};
use super::history::UndoHistory;
use super::record::EncounterRecord;
use super::{AnyEncounter, Creation, LoadError, Meta, Refusal, Since, import, roster};
use crate::json::{CachedJson, FieldError};
use crate::vocabulary::{
    CachedCombatant, Combatants, Encounter, KnownOrder, KnownRoll, Manifest, Registrar, Ruleset,
    Status, TakenOrder, Total,
};
use serde_json::Value;
use serde_json::value::RawValue;
use std::sync::Arc;

/// The hint to one who asks for another system.
const OTHER_SYSTEMS: &str = "For D&D and other systems, send \"custom\" with a preset, such as \
                             {\"preset\": \"d20\"} in options";

/// Maximum errors that a refused creation lists.
const MAX_ERRORS: usize = 20;

type Loaded = Result<Arc<dyn AnyEncounter>, LoadError>;

/// A ruleset with its types hidden.
pub struct AnyRuleset {
    /// Its manifest.
    pub manifest: &'static Manifest,
    /// What a new encounter takes of an order that is known already.
    pub take_order: fn(&KnownOrder) -> TakenOrder,
    create: fn(Meta, Creation) -> Result<Arc<dyn AnyEncounter>, Refusal>,
    read: fn(&[u8], Option<Meta>) -> Loaded,
    validate_checkpoint: fn(&RawValue) -> Result<(), FieldError>,
}

/// Makes a new encounter; an error names the field.
fn create<R: Ruleset>(meta: Meta, creation: Creation) -> Result<Arc<dyn AnyEncounter>, Refusal> {
    let Creation {
        player_undo,
        player_effects,
        player_damage,
        ..
    } = creation;
    let meta = Meta {
        player_undo,
        player_effects,
        player_damage,
        ..meta
    };
    let mut wrong = Vec::new();
    let options = match R::read_options(&creation.options) {
        Ok(options) => Some(options),
        Err(errors) => {
            for error in errors.into_iter().take(MAX_ERRORS) {
                wrong.push(error.within("options"));
            }
            None
        }
    };
    let options_valid = options.is_some();
    let mut encounter = Encounter::<R> {
        name: creation.name,
        metadata: creation.metadata,
        options: options.unwrap_or_default(),
        foe_hp: creation.foe_hp,
        turn_seconds: creation.turn_seconds,
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
    for (place, combatant) in creation.combatants.into_iter().enumerate() {
        if wrong.len() >= MAX_ERRORS {
            break;
        }
        if let Err(error) = admit(&mut encounter, combatant, options_valid) {
            wrong.push(error.within(&format!("combatants.{place}")));
        }
    }
    if !wrong.is_empty() {
        return Err(Refusal::Fields(wrong));
    }
    if let Err(beyond) = R::check_state(&encounter) {
        let detail = format!("The encounter has no room for these: {beyond}.");
        return Err(FieldError::meaningless("combatants", detail).into());
    }
    Ok(Arc::new(EncounterRecord {
        since: meta.created_at.parse().map(Since::new).unwrap_or_default(),
        meta: meta.into(),
        history: UndoHistory::ordinary(0),
        encounter,
    }))
}

/// Reads a stored document or checkpoint; without `meta` it must hold its own.
fn read<R: Ruleset>(stored: &[u8], meta: Option<Meta>) -> Loaded {
    let encounter = EncounterRecord::<R>::read(stored, meta.map(CachedJson::from))?;
    Ok(Arc::new(encounter))
}

/// Adds a combatant to a new encounter. Options that are not valid say nothing of it.
fn admit<R: Ruleset>(
    encounter: &mut Encounter<R>,
    combatant: Value,
    options_valid: bool,
) -> Result<(), FieldError> {
    let combatant = roster::new_combatant(encounter, combatant)?;
    if options_valid {
        R::check_combatant(&encounter.options, &combatant)?;
    }
    if let Err(violation) = roster::check_room_and_id(encounter, &combatant) {
        let path = if violation.code == "combatant_exists" {
            "id"
        } else {
            ""
        };
        return Err(FieldError::meaningless(path, violation.detail));
    }
    encounter.joined = combatant.joined;
    encounter.combatants.push(CachedCombatant::new(combatant));
    Ok(())
}

/// The rulesets of a program.
#[derive(Default)]
pub struct Rulesets(Vec<AnyRuleset>);

impl Registrar for Rulesets {
    fn add<R: Ruleset>(&mut self) {
        self.0.push(AnyRuleset {
            manifest: R::MANIFEST,
            take_order: R::take_order,
            create: create::<R>,
            read: read::<R>,
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

    /// The first that takes initiatives as another tracker has them.
    pub fn for_trackers(&self) -> Option<&AnyRuleset> {
        let roll = KnownRoll {
            initiative: Some(Total::from(1)),
            ..KnownRoll::default()
        };
        let order = KnownOrder {
            lowest_first: false,
            rolls: vec![roll],
        };
        self.iter()
            .find(|ruleset| (ruleset.take_order)(&order).left.is_empty())
    }

    /// The one that a client names in the field `ruleset`.
    pub fn known(&self, id: &str) -> Result<&AnyRuleset, FieldError> {
        if let Some(ruleset) = self.get(id) {
            return Ok(ruleset);
        }
        let known: Vec<_> = self.iter().map(|ruleset| ruleset.manifest.id).collect();
        let message = format!(
            "Unknown ruleset. Rulesets: {}. {OTHER_SYSTEMS}",
            known.join(", ")
        );
        Err(FieldError::meaningless("ruleset", message))
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
        let header = check_schema(stored)?;
        match self.get(&header.ruleset) {
            Some(ruleset) => (ruleset.read)(stored, meta),
            None => Err(LoadError::UnknownRuleset(header.ruleset)),
        }
    }
}
