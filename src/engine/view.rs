//! The encounter in words. Whoever is not the game master sees a redacted one, by the same means.

use super::Meta;
use crate::vocabulary::{
    Band, CachedCombatant, CombatantId, Effect, FoeHp, Hp, Kind, Member, OrderEntry, Pending, Ruleset, Slug, Status,
    Table,
};
use serde::{Serialize, Serializer};

/// Everything that an encounter says of itself; the order of the fields is the order of the JSON.
#[derive(Serialize)]
#[serde(bound = "")]
pub(super) struct EncounterView<'a, R: Ruleset> {
    id: &'a str,
    name: &'a str,
    ruleset: &'static str,
    status: Status,
    round: u32,
    version: u64,
    current: Vec<CombatantId>,
    pending: Option<Pending>,
    order: Vec<OrderEntry>,
    combatants: Vec<SeatView<'a, R>>,
    effects: Vec<&'a Effect>,
    options: &'a R::Options,
    foe_hp: FoeHp,
    player_undo: bool,
    state: &'a R::State,
    created_at: &'a str,
}

/// A combatant, put into words anew only where it has changed.
struct SeatView<'a, R: Ruleset>(&'a CachedCombatant<R>);

impl<R: Ruleset> Serialize for SeatView<'_, R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.show(&CombatantView::new(self.0), serializer)
    }
}

/// A combatant: the shared fields, and the ruleset's own beside them.
#[derive(Serialize)]
#[serde(bound = "")]
struct CombatantView<'a, R: Ruleset> {
    id: &'a CombatantId,
    name: &'a str,
    side: &'a Slug,
    kind: Kind,
    controller: &'a str,
    hidden: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    hp: Option<Hp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hp_band: Option<Band>,
    members: &'a [Member],
    conditions: &'a [Slug],
    active: bool,
    acted: bool,
    #[serde(flatten)]
    stats: &'a R::CombatantStats,
    #[serde(flatten)]
    state: &'a R::CombatantState,
}

impl<'a, R: Ruleset> EncounterView<'a, R> {
    /// The whole encounter.
    pub fn new(meta: &'a Meta, table: &'a Table<R>) -> Self {
        Self {
            id: &meta.id,
            name: table.name.as_str(),
            ruleset: R::MANIFEST.id,
            status: table.status,
            round: table.round,
            version: table.version,
            current: R::current(table),
            pending: pending(table),
            order: R::order(table),
            combatants: table.combatants.iter().map(SeatView).collect(),
            effects: table.effects.iter().map(|e| &**e).collect(),
            options: &table.options,
            foe_hp: table.foe_hp,
            player_undo: meta.player_undo,
            state: &table.state,
            created_at: &meta.created_at,
        }
    }
}

/// What is awaited; nothing once it is over.
pub(super) fn pending<R: Ruleset>(table: &Table<R>) -> Option<Pending> {
    let mut pending = R::pending(table).filter(|_| table.status != Status::Ended)?;
    for c in pending.combatants.iter().filter_map(|id| table.get(id)) {
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
            active: c.active(),
            acted: c.acted,
            stats: &c.stats,
            state: &c.state,
        }
    }
}
