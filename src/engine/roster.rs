//! Who is in the encounter: combatants as clients describe them become combatants as they are kept.

use super::{MAX_COMBATANTS, MAX_CONDITIONS};
use crate::vocabulary::{Combatant, CombatantId, Draft, FieldError, Hp, Kind, Ruleset, Slug, Table, Text, Violation};
use serde_json::Value;

/// A combatant that is about to join `table`; an error names the field.
pub(super) fn new_combatant<R: Ruleset>(table: &Table<R>, value: Value) -> Result<Combatant<R>, FieldError> {
    let (draft, stats) = Draft::split::<R>(value, &R::CombatantStats::default())?;
    let hidden = draft.hidden.unwrap_or(false);
    let (id, name) = named(table, draft.id, draft.name, hidden)?;
    let kind = draft.kind.unwrap_or(match draft.side.as_ref().map(Slug::as_str) {
        None | Some("players") => Kind::Pc,
        Some(_) => Kind::Npc,
    });
    let pc = kind == Kind::Pc;
    Ok(Combatant {
        id,
        name,
        side: draft.side.unwrap_or(Slug::fixed(if pc { "players" } else { "monsters" })),
        kind,
        controller: draft.controller.unwrap_or(Text::fixed(if pc { "player" } else { "gm" })),
        hidden,
        hp: draft.hp.map(sound).transpose()?,
        hp_band: None,
        members: members(draft.members.unwrap_or_default())?,
        conditions: distinct(draft.conditions.unwrap_or_default())?,
        metadata: draft.metadata.unwrap_or_default(),
        acted: false,
        joined: table.joined.saturating_add(1),
        stats,
        state: R::CombatantState::default(),
    })
}

/// `combatant` with `changes` laid over it; an error names the field.
pub(super) fn updated_combatant<R: Ruleset>(
    combatant: &Combatant<R>, changes: Value,
) -> Result<Combatant<R>, FieldError> {
    let clears_hp = changes.get("hp").is_some_and(Value::is_null);
    let (draft, stats) = Draft::split::<R>(changes, &combatant.stats)?;
    if draft.id.is_some() {
        return Err(FieldError::meaningless("id", "a combatant keeps its id: remove it and add another"));
    }
    let mut revised = combatant.clone();
    revised.stats = stats;
    if let Some(name) = draft.name {
        revised.name = name;
    }
    if let Some(side) = draft.side {
        revised.side = side;
    }
    if let Some(kind) = draft.kind {
        revised.kind = kind;
    }
    if let Some(controller) = draft.controller {
        revised.controller = controller;
    }
    if let Some(hidden) = draft.hidden {
        revised.hidden = hidden;
    }
    if clears_hp {
        revised.hp = None;
    } else if let Some(hp) = draft.hp {
        revised.hp = Some(sound(hp)?);
    }
    if let Some(members) = draft.members {
        revised.members = self::members(members)?;
    }
    if let Some(conditions) = draft.conditions {
        revised.conditions = distinct(conditions)?;
    }
    if let Some(metadata) = draft.metadata {
        revised.metadata = metadata;
    }
    Ok(revised)
}

/// Refuses one more than there may be, and an id that is taken.
pub(super) fn check_room_and_id<R: Ruleset>(table: &Table<R>, combatant: &Combatant<R>) -> Result<(), Violation> {
    if table.combatants.len() >= MAX_COMBATANTS {
        let detail = format!("an encounter holds at most {MAX_COMBATANTS} combatants: remove one first");
        return Err(Violation::new("too_many_combatants", "TK-4", detail));
    }
    match table.get(&combatant.id) {
        Some(_) => {
            let detail = format!("there is a combatant {} already: choose another id", combatant.id.as_str());
            Err(Violation::new("combatant_exists", "TK-2", detail))
        }
        None => Ok(()),
    }
}

fn named<R: Ruleset>(
    table: &Table<R>, id: Option<CombatantId>, name: Option<Text<80>>, hidden: bool,
) -> Result<(CombatantId, Text<80>), FieldError> {
    match (id, name) {
        (Some(id), Some(name)) => Ok((id, name)),
        (Some(id), None) => {
            let name = Text::new(id.as_str()).unwrap_or(Text::fixed("combatant"));
            Ok((id, name))
        }
        (None, Some(name)) => {
            let taken = |id: &str| table.iter().any(|c| c.id == *id);
            Ok((CombatantId::from_name(name.as_str(), "combatant", hidden, MAX_COMBATANTS, taken), name))
        }
        (None, None) => Err(FieldError::malformed("name", "missing field `name`: a combatant needs a name or an id")),
    }
}

fn sound(mut hp: Hp) -> Result<Hp, FieldError> {
    let max = *hp.max.get_or_insert(hp.current);
    if hp.current > max {
        let message = format!("{} is more than the maximum of {max}: temporary hit points go into `temp`", hp.current);
        return Err(FieldError::meaningless("hp.current", message));
    }
    Ok(hp)
}

fn members(drafts: Vec<crate::vocabulary::MemberDraft>) -> Result<Vec<crate::vocabulary::Member>, FieldError> {
    let mut members = Draft::roster(drafts)?;
    for (i, member) in members.iter_mut().enumerate() {
        let hp = member.hp.map(sound).transpose();
        member.hp = hp.map_err(|e| e.within(&format!("members.{i}")))?;
    }
    Ok(members)
}

fn distinct(conditions: Vec<Slug>) -> Result<Vec<Slug>, FieldError> {
    if conditions.len() > MAX_CONDITIONS {
        let message = format!("at most {MAX_CONDITIONS} conditions at a time");
        return Err(FieldError::meaningless("conditions", message));
    }
    let mut kept: Vec<Slug> = Vec::with_capacity(conditions.len());
    for condition in conditions {
        if !kept.contains(&condition) {
            kept.push(condition);
        }
    }
    Ok(kept)
}
