//! Encounters as clients see them, in full and in lists. Players and spectators get the view of a
//! redacted encounter.

use super::{Meta, OrderRow, Viewer, order};
use crate::vocabulary::{
    Band, CachedCombatant, CombatantId, Effect, Encounter, FoeHp, Hp, Kind, Member, Metadata,
    Pending, Ruleset, Slug, Status,
};
use serde::{Serialize, Serializer};
use utoipa::ToSchema;

// The document describes the ignored fields for each ruleset.
/// The fields that every encounter shows.
#[derive(Serialize, ToSchema)]
#[serde(bound = "")]
#[schema(as = EncounterFields, bound = "R: Ruleset")]
pub struct EncounterView<'a, R: Ruleset> {
    /// Names the encounter; unguessable.
    id: &'a str,
    /// Its name for people.
    name: &'a str,
    /// Texts of the client's own.
    #[serde(skip_serializing_if = "Metadata::is_empty")]
    #[schema(required = false, value_type = Metadata)]
    metadata: &'a Metadata,
    /// The id of its ruleset.
    ruleset: &'static str,
    /// How far it is.
    status: Status,
    /// The round (or unit), from 1; 0 before the first.
    round: u32,
    /// How many transitions made it; `If-Match` takes it in quotes.
    version: u64,
    /// The combatants whose turn it is: several where a turn is shared, none between turns.
    current: Vec<CombatantId>,
    /// The decision that is awaited.
    #[schema(required = true)]
    pending: Option<Pending>,
    /// Everybody, in the order of turns as far as the system knows one.
    #[schema(value_type = Vec<OrderRow<'static>>)]
    order: Vec<OrderRow<'a>>,
    #[schema(ignore)]
    combatants: Vec<CachedView<'a, R>>,
    /// The effects that last.
    effects: Vec<&'a Effect>,
    #[schema(ignore)]
    options: &'a R::Options,
    /// What players and spectators see of the hit points of foes.
    #[schema(inline)]
    foe_hp: FoeHp,
    /// Whether a player may undo their own last command.
    player_undo: bool,
    /// Whether players may add effects of their combatants.
    player_effects: bool,
    #[schema(ignore)]
    state: &'a R::State,
    /// When it was created, RFC 3339.
    #[schema(format = DateTime)]
    created_at: &'a str,
    /// The token that reads it.
    you: &'a Viewer,
}

/// A combatant, serialized again only after a change.
struct CachedView<'a, R: Ruleset> {
    combatant: &'a CachedCombatant<R>,
    current: bool,
}

impl<R: Ruleset> Serialize for CachedView<'_, R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let view = CombatantView::new(self.combatant);
        // The game master gave it a second turn: its turn is not over.
        if self.current && view.acted {
            return CombatantView {
                acted: false,
                ..view
            }
            .serialize(serializer);
        }
        self.combatant.show(&view, serializer)
    }
}

/// A combatant: the shared fields, and those of the ruleset.
#[serde_with::skip_serializing_none]
#[derive(Serialize)]
#[serde(bound = "")]
struct CombatantView<'a, R: Ruleset> {
    id: &'a CombatantId,
    name: &'a str,
    side: &'a Slug,
    kind: Kind,
    controller: &'a str,
    hidden: bool,
    hp: Option<Hp>,
    hp_band: Option<Band>,
    members: &'a [Member],
    conditions: &'a [Slug],
    #[serde(skip_serializing_if = "Metadata::is_empty")]
    metadata: &'a Metadata,
    active: bool,
    acted: bool,
    #[serde(flatten)]
    stats: &'a R::CombatantStats,
    #[serde(flatten)]
    state: &'a R::CombatantState,
}

impl<'a, R: Ruleset> EncounterView<'a, R> {
    /// The view of an encounter for `you`.
    pub fn new(meta: &'a Meta, encounter: &'a Encounter<R>, you: &'a Viewer) -> Self {
        let current = R::current(encounter);
        let combatants = encounter
            .combatants
            .iter()
            .map(|c| CachedView {
                combatant: c,
                current: current.contains(&c.id),
            })
            .collect();
        Self {
            id: &meta.id,
            name: encounter.name.as_str(),
            metadata: &encounter.metadata,
            ruleset: R::MANIFEST.id,
            status: encounter.status,
            round: encounter.round,
            version: encounter.version,
            current,
            pending: pending(encounter),
            order: order::rows(encounter),
            combatants,
            effects: encounter.effects.iter().map(|e| &**e).collect(),
            options: &encounter.options,
            foe_hp: encounter.foe_hp,
            player_undo: meta.player_undo,
            player_effects: meta.player_effects,
            state: &encounter.state,
            created_at: &meta.created_at,
            you,
        }
    }
}

/// An encounter in a list, without combatants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = EncounterSummary)]
pub struct Summary {
    /// Names the encounter; unguessable.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// Texts of the client's own; left out if it has none.
    #[serde(skip_serializing_if = "Metadata::is_empty")]
    #[schema(required = false)]
    pub metadata: Metadata,
    /// The id of its ruleset.
    pub ruleset: &'static str,
    /// How far it is.
    pub status: Status,
    /// The round (or unit), from 1; 0 before the first.
    pub round: u32,
    /// How many transitions made it; `If-Match` takes it in quotes.
    pub version: u64,
    /// When it was created, RFC 3339.
    #[schema(format = "date-time")]
    pub created_at: String,
}

/// The decision that is awaited; none after the end.
pub(super) fn pending<R: Ruleset>(encounter: &Encounter<R>) -> Option<Pending> {
    if encounter.status == Status::Ended {
        return None;
    }
    let mut pending = R::pending(encounter)?;
    for id in &pending.combatants {
        let Some(c) = encounter.get(id) else {
            continue;
        };
        if !pending.controllers.contains(&c.controller) {
            pending.controllers.push(c.controller.clone());
        }
    }
    Some(pending)
}

impl<'a, R: Ruleset> CombatantView<'a, R> {
    fn new(c: &'a CachedCombatant<R>) -> Self {
        Self {
            id: &c.id,
            name: c.name.as_str(),
            side: &c.side,
            kind: c.kind,
            controller: c.controller.as_str(),
            hidden: c.hidden,
            hp: c.hp,
            hp_band: c.hp_band,
            members: &c.members,
            conditions: &c.conditions,
            metadata: &c.metadata,
            active: c.active(),
            acted: c.acted,
            stats: &c.stats,
            state: &c.state,
        }
    }
}
