//! A fight as other trackers have it, before it is a creation.

use super::json::{Json, JsonFields};
use crate::json::shortened;
use crate::vocabulary::{Kind, MAX_COMBATANTS};
use std::borrow::Cow;

/// Maximum fields without a place that are said of a creature, or of a fight.
const MOST_LEFT: usize = 30;
/// Maximum characters of a condition that are kept, more than one may have.
const CONDITION: usize = 100;
/// Maximum conditions that are read of a creature, more than a combatant may have.
const MOST_CONDITIONS: usize = 50;

/// A fight of a file.
#[derive(Default)]
pub(super) struct Fight {
    pub name: Option<String>,
    /// In the file's order.
    pub creatures: Vec<Creature>,
    /// True if the lowest initiative acts first.
    pub lowest_first: bool,
    pub round: Option<f64>,
    /// The place of the creature whose turn it is.
    pub current: Option<usize>,
    /// What else of the fight has no place: a field, and why.
    pub left: Vec<Left>,
}

/// What has no place: a field of the file, and why.
#[derive(Clone)]
pub(super) struct Left {
    pub field: String,
    pub why: Cow<'static, str>,
}

impl Left {
    pub fn new(field: impl Into<String>, why: impl Into<Cow<'static, str>>) -> Self {
        Self {
            field: field.into(),
            why: why.into(),
        }
    }
}

/// What has no place for want of a field of ours.
pub(super) const NO_FIELD: &str = "There is no place for this.";
/// What has no place because only an effect has it.
pub(super) const NO_DURATION: &str = "A condition has no duration. Add an effect that has one.";

/// A creature of a file. Numbers and texts are as the file has them.
#[derive(Clone)]
pub(super) struct Creature {
    /// The file's own id.
    pub id: Option<String>,
    pub name: Option<String>,
    /// The number by which it differs from its namesakes.
    pub number: Option<f64>,
    pub kind: Kind,
    /// True if it fights on the players' side.
    pub is_friend: bool,
    /// The name of its player.
    pub player: Option<String>,
    pub is_hidden: bool,
    /// True if it is dead or defeated.
    pub is_defeated: bool,
    /// True if it takes no part for now.
    pub is_disabled: bool,
    pub initiative: Option<f64>,
    /// What it adds to its roll.
    pub modifier: Option<f64>,
    pub hp: Option<HitPoints>,
    pub conditions: Vec<String>,
    /// Those of one group act on one initiative.
    pub group: Option<String>,
    pub armor_class: Option<String>,
    pub level: Option<String>,
    pub notes: Option<String>,
    /// Where its sheet is.
    pub link: Option<String>,
    pub left: Vec<Left>,
}

/// Hit points of a file: a maximum of 0 means that none are tracked.
#[derive(Clone)]
pub(super) struct HitPoints {
    pub current: Option<f64>,
    pub max: Option<f64>,
    pub temp: Option<f64>,
}

impl Creature {
    pub fn new(kind: Kind) -> Self {
        Self {
            id: None,
            name: None,
            number: None,
            kind,
            is_friend: kind == Kind::Pc,
            player: None,
            is_hidden: false,
            is_defeated: false,
            is_disabled: false,
            initiative: None,
            modifier: None,
            hp: None,
            conditions: Vec::new(),
            group: None,
            armor_class: None,
            level: None,
            notes: None,
            link: None,
            left: Vec::new(),
        }
    }

    /// Takes a number. What is there and is no number is left out, and said.
    pub fn number(&mut self, fields: &mut JsonFields<'_>, name: &str) -> Option<f64> {
        let value = fields.take(name)?;
        let number = value.number();
        if number.is_none() && !value.is_empty() {
            let source = shortened(value.source());
            self.left(name.to_owned(), format!("{source} is no number."));
        }
        number
    }

    /// Takes the names of conditions, and says that one has none.
    pub fn conditions<'f>(
        &mut self,
        field: &'static str,
        conditions: Vec<Json<'f>>,
        name: impl Fn(Json<'f>) -> Option<String>,
    ) {
        let count = conditions.len();
        for condition in conditions.into_iter().take(MOST_CONDITIONS) {
            match name(condition) {
                Some(name) => self.conditions.push(name.chars().take(CONDITION).collect()),
                None => self.left(field, "A condition without a name."),
            }
        }
        if count > MOST_CONDITIONS {
            self.left(
                field,
                "A combatant has fewer conditions. The last ones are left out.",
            );
        }
    }

    pub fn left(&mut self, field: impl Into<String>, why: impl Into<Cow<'static, str>>) {
        self.left.push(Left::new(field, why));
    }

    /// Says of the fields that are left that they have no place.
    pub fn left_of(&mut self, fields: &JsonFields<'_>) {
        for field in fields.rest().take(MOST_LEFT) {
            self.left.push(Left::new(shortened(field), NO_FIELD));
        }
    }
}

impl Fight {
    /// True if it has more creatures than an encounter may have, so that no more need be read.
    pub fn is_full(&self) -> bool {
        self.creatures.len() > MAX_COMBATANTS
    }

    /// True if initiatives are known: one that was never rolled has 0 everywhere.
    pub fn is_rolled(&self) -> bool {
        let has_any = |creature: &Creature| creature.initiative.is_some_and(|known| known != 0.0);
        self.creatures.iter().any(has_any)
    }

    /// Says of the fields that are left that they have no place.
    pub fn left_of(&mut self, fields: &JsonFields<'_>) {
        for field in fields.rest().take(MOST_LEFT) {
            self.left.push(Left::new(shortened(field), NO_FIELD));
        }
    }
}
