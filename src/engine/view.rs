//! Encounters as clients see them, in full and in lists. Players and spectators get the view of a
//! redacted encounter.

use super::{Meta, OrderRow, Viewer, order};
use crate::vocabulary::{
    ArmorClass, Band, CachedCombatant, CombatantId, Effect, Encounter, FoeHp, Hp, Kind, Level,
    Member, Mention, Metadata, Notes, Pending, Ruleset, SeenBy, SheetLink, Slug, Status, Time,
    TurnSeconds,
};
use serde::{Serialize, Serializer};
use std::collections::HashSet;
use utoipa::ToSchema;

// The document describes the ignored fields for each ruleset.
/// The fields that every encounter shows.
#[derive(Serialize, ToSchema)]
#[serde(bound = "")]
#[schema(as = EncounterFields, bound = "R: Ruleset")]
pub struct EncounterView<'a, R: Ruleset> {
    /// The id of the encounter; unguessable.
    id: &'a str,
    /// The name for people.
    name: &'a str,
    /// Texts that the client keeps with it.
    #[serde(skip_serializing_if = "Metadata::is_empty")]
    #[schema(required = false, value_type = Metadata)]
    metadata: &'a Metadata,
    /// The id of its ruleset.
    ruleset: &'static str,
    /// The status.
    status: Status,
    /// The round (or unit), from 1; 0 before the first.
    round: u32,
    /// The version: the number of its newest log entry. `If-Match` takes it in quotes.
    version: u64,
    /// The combatants whose turn it is: several if they share a turn, none between turns.
    current: Vec<CombatantId>,
    /// The pending decision; null if there is none.
    #[schema(required = true)]
    pending: Option<Pending>,
    /// Since when `current` and `pending` are what they are, RFC 3339. Left out if the viewer sees a
    /// hidden combatant of its own: then only the game master knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String, format = DateTime)]
    since: Option<Time>,
    /// All combatants, in the order of turns as far as the system knows it.
    #[schema(value_type = Vec<OrderRow<'static>>)]
    order: Vec<OrderRow<'a>>,
    #[schema(ignore)]
    combatants: Vec<CachedView<'a, R>>,
    /// The active effects.
    effects: Vec<&'a Effect>,
    #[schema(ignore)]
    options: &'a R::Options,
    /// The form in which players and spectators see the hit points of foes.
    #[schema(inline)]
    foe_hp: FoeHp,
    /// The seconds that a turn may take; left out if there is no set time.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    turn_seconds: Option<TurnSeconds>,
    /// True if players may undo their own last command.
    player_undo: bool,
    /// True if players may add effects of their combatants.
    player_effects: bool,
    /// True if players may record damage and healing of their combatants.
    player_damage: bool,
    #[schema(ignore)]
    state: &'a R::State,
    /// The time of its creation, RFC 3339.
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
    armor_class: Option<ArmorClass>,
    armor_class_seen_by: Option<SeenBy>,
    level: Option<Level>,
    level_seen_by: Option<SeenBy>,
    notes: Option<&'a Notes>,
    notes_seen_by: Option<SeenBy>,
    link: Option<&'a SheetLink>,
    link_seen_by: Option<SeenBy>,
    mention: Option<&'a Mention>,
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
    pub fn new(
        meta: &'a Meta,
        encounter: &'a Encounter<R>,
        since: Option<Time>,
        you: &'a Viewer,
    ) -> Self {
        let current = R::current(encounter);
        let acting: HashSet<&CombatantId> = current.iter().collect();
        let combatants = encounter
            .combatants
            .iter()
            .map(|c| CachedView {
                combatant: c,
                current: acting.contains(&c.id),
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
            since,
            order: order::rows(encounter),
            combatants,
            effects: encounter.effects.iter().map(|e| &**e).collect(),
            options: &encounter.options,
            foe_hp: encounter.foe_hp,
            turn_seconds: encounter.turn_seconds,
            player_undo: meta.player_undo,
            player_effects: meta.player_effects,
            player_damage: meta.player_damage,
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
    /// The id of the encounter; unguessable.
    pub id: String,
    /// The name for people.
    pub name: String,
    /// Texts that the client keeps with it; left out if it has none.
    #[serde(skip_serializing_if = "Metadata::is_empty")]
    #[schema(required = false)]
    pub metadata: Metadata,
    /// The id of its ruleset.
    pub ruleset: &'static str,
    /// The status.
    pub status: Status,
    /// The round (or unit), from 1; 0 before the first.
    pub round: u32,
    /// The version: the number of its newest log entry. `If-Match` takes it in quotes.
    pub version: u64,
    /// The time of its creation, RFC 3339.
    #[schema(format = "date-time")]
    pub created_at: String,
}

/// The decision that is awaited; none after the end.
pub(super) fn pending<R: Ruleset>(encounter: &Encounter<R>) -> Option<Pending> {
    if encounter.status == Status::Ended {
        return None;
    }
    let mut pending = R::pending(encounter)?;
    let mut named = HashSet::new();
    for id in &pending.combatants {
        if let Some(c) = encounter.get(id)
            && named.insert(&c.controller)
        {
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
            armor_class: c.armor_class,
            armor_class_seen_by: c.armor_class_seen_by,
            level: c.level,
            level_seen_by: c.level_seen_by,
            notes: c.notes.as_ref(),
            notes_seen_by: c.notes_seen_by,
            link: c.link.as_ref(),
            link_seen_by: c.link_seen_by,
            mention: c.mention.as_ref(),
            metadata: &c.metadata,
            active: c.active(),
            acted: c.acted,
            stats: &c.stats,
            state: &c.state,
        }
    }
}
