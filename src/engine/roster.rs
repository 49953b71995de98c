//! The roster: makes combatants from what clients describe, and refuses descriptions that make no
//! sense.

use super::MAX_CONDITIONS;
use crate::json::FieldError;
use crate::vocabulary::{
    Combatant, CombatantId, Draft, Encounter, Hp, Kind, MAX_COMBATANTS, MAX_MEMBERS, Member,
    MemberDraft, MemberSpec, Metadata, Ruleset, Slug, Text, Violation, require,
};
use serde_json::Value;

/// A combatant that is about to join `encounter`; an error names the field.
pub(super) fn new_combatant<R: Ruleset>(
    encounter: &Encounter<R>,
    value: Value,
) -> Result<Combatant<R>, FieldError> {
    let (mut draft, stats) = Draft::split::<R>(value, &R::CombatantStats::default())?;
    let hidden = draft.hidden == Some(true);
    let (id, name) = id_and_name(encounter, draft.id.take(), draft.name.take(), hidden)?;
    let kind = match (draft.kind, &draft.side) {
        (Some(kind), _) => kind,
        (None, Some(side)) if *side != "players" => Kind::Npc,
        (None, _) => Kind::Pc,
    };
    let pc = kind == Kind::Pc;
    let with_defaults = Combatant {
        id,
        name,
        side: Slug::fixed(if pc { "players" } else { "monsters" }),
        kind,
        controller: Text::fixed(if pc { "player" } else { "gm" }),
        hidden: false,
        hp: None,
        hp_band: None,
        members: Vec::new(),
        conditions: Vec::new(),
        metadata: Metadata::default(),
        acted: false,
        joined: encounter.joined.saturating_add(1),
        stats,
        state: R::CombatantState::default(),
    };
    let combatant = with_fields(with_defaults, draft)?;
    check_is_down_without_hp(&combatant)?;
    Ok(combatant)
}

/// The id and the name of a newcomer: each is made from the other if it is not given. The id of a
/// hidden one does not say its name.
fn id_and_name<R: Ruleset>(
    encounter: &Encounter<R>,
    id: Option<CombatantId>,
    name: Option<Text<80>>,
    hidden: bool,
) -> Result<(CombatantId, Text<80>), FieldError> {
    match (id, name) {
        (Some(id), Some(name)) => Ok((id, name)),
        (Some(id), None) => {
            let name = Text::new(id.as_str()).unwrap_or(Text::fixed("combatant"));
            Ok((id, name))
        }
        (None, Some(name)) => {
            let id = CombatantId::unused(
                name.as_str(),
                hidden,
                MAX_COMBATANTS,
                &encounter.used_ids,
                |id| encounter.iter().any(|c| c.id == *id),
            );
            Ok((id, name))
        }
        (None, None) => Err(FieldError::meaningless(
            "name",
            "Missing name. A combatant needs a name or an id.",
        )),
    }
}

/// Refuses a newcomer at 0 hit points that would act all the same.
fn check_is_down_without_hp<R: Ruleset>(c: &Combatant<R>) -> Result<(), FieldError> {
    let (Some(down), Some(hp)) = (c.down(), c.hp) else {
        return Ok(());
    };
    if hp.current.get() > 0 || !c.active() || c.has(down.as_str()) {
        return Ok(());
    }
    let message = format!(
        "A newcomer at 0 hit points would still act. Add \"conditions\": [\"{down}\"], or leave \
         hp out if you don't track hit points."
    );
    Err(FieldError::meaningless("hp.current", message))
}

/// The combatant with the fields that `changes` gives; an error names the field.
pub(super) fn updated_combatant<R: Ruleset>(
    combatant: &Combatant<R>,
    mut changes: Value,
) -> Result<Combatant<R>, FieldError> {
    if let (Some(Value::Object(hp)), Some(before)) = (changes.get_mut("hp"), combatant.hp) {
        // The current number alone changes neither the maximum nor the temporary hit points.
        if let Some(max) = before.max {
            hp.entry("max").or_insert_with(|| max.get().into());
        }
        hp.entry("temp").or_insert_with(|| before.temp.get().into());
    }
    let (draft, stats) = Draft::split::<R>(changes, &combatant.stats)?;
    if draft.id.is_some() {
        return Err(FieldError::meaningless(
            "id",
            "A combatant's id can't change. Remove the combatant and add it with the new id.",
        ));
    }
    let mut updated = combatant.clone();
    updated.stats = stats;
    with_fields(updated, draft)
}

/// The combatant with the shared fields that a client gives.
fn with_fields<R: Ruleset>(mut c: Combatant<R>, given: Draft) -> Result<Combatant<R>, FieldError> {
    let Draft {
        id: _,
        name,
        side,
        kind,
        controller,
        hidden,
        hp,
        members,
        conditions,
        metadata,
    } = given;
    if let Some(name) = name {
        c.name = name;
    }
    if let Some(side) = side {
        if side == "player" {
            let message = "Unknown side \"player\". The players' characters are on the side \
                           \"players\"; all other sides are foes or allies.";
            return Err(FieldError::meaningless("side", message));
        }
        c.side = side;
    }
    if let Some(kind) = kind {
        c.kind = kind;
    }
    if let Some(controller) = controller {
        c.controller = controller;
    }
    if let Some(hidden) = hidden {
        c.hidden = hidden;
    }
    if let Some(hp) = hp {
        c.hp = Some(with_max(hp)?);
    }
    if let Some(drafts) = members {
        c.members = new_members(drafts)?;
    }
    if let Some(conditions) = conditions {
        c.conditions = distinct(conditions)?;
    }
    if let Some(metadata) = metadata {
        c.metadata = metadata;
    }
    Ok(c)
}

/// Hit points with a maximum, by default the current number, which may not be above it.
fn with_max(mut hp: Hp) -> Result<Hp, FieldError> {
    let max = *hp.max.get_or_insert(hp.current);
    if hp.current > max {
        let message = format!(
            "{} is above the maximum of {max}. Set temporary hit points in \"temp\", or a new maximum \
             in \"max\".",
            hp.current
        );
        return Err(FieldError::meaningless("hp.current", message));
    }
    Ok(hp)
}

/// The members of a group. Refuses too many, and an id that is taken.
fn new_members(drafts: Vec<MemberDraft>) -> Result<Vec<Member>, FieldError> {
    if drafts.len() > MAX_MEMBERS {
        return Err(FieldError::meaningless(
            "members",
            format!("A group has at most {MAX_MEMBERS} members."),
        ));
    }
    let mut members: Vec<Member> = Vec::with_capacity(drafts.len());
    for (i, draft) in drafts.into_iter().enumerate() {
        let path = format!("members.{i}");
        let (id, hp, path_of_id) = match draft {
            MemberDraft::Id(id) => (id, None, path.clone()),
            MemberDraft::Whole(MemberSpec { id, hp }) => (id, hp, format!("{path}.id")),
        };
        if members.iter().any(|m| m.id == id) {
            let message = format!("Member id \"{id}\" is in use. Choose another id.");
            return Err(FieldError::meaningless(path_of_id, message));
        }
        let hp = match hp {
            Some(hp) => Some(with_max(hp).map_err(|error| error.within(&path))?),
            None => None,
        };
        members.push(Member {
            id,
            hp,
            hp_band: None,
            conditions: Vec::new(),
        });
    }
    Ok(members)
}

/// The conditions, each once. Refuses too many.
fn distinct(conditions: Vec<Slug>) -> Result<Vec<Slug>, FieldError> {
    if conditions.len() > MAX_CONDITIONS {
        let message = format!("A combatant has at most {MAX_CONDITIONS} conditions.");
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

/// Refuses one more than there may be, and an id that is taken.
pub(super) fn check_room_and_id<R: Ruleset>(
    encounter: &Encounter<R>,
    combatant: &Combatant<R>,
) -> Result<(), Violation> {
    require(
        encounter.combatants.len() < MAX_COMBATANTS,
        "too_many_combatants",
        "TK-4",
        || format!("An encounter holds at most {MAX_COMBATANTS} combatants. Remove one first."),
    )?;
    require(
        encounter.get(&combatant.id).is_none(),
        "combatant_exists",
        "TK-2",
        || {
            format!(
                "Combatant id \"{}\" is in use. Choose another id.",
                combatant.id.as_str()
            )
        },
    )
}
