//! The roster: makes combatants from what clients describe, and refuses descriptions that make no
//! sense.

use super::MAX_CONDITIONS;
use crate::json::FieldError;
use crate::vocabulary::{
    Combatant, CombatantId, Draft, Encounter, Erasable, Hp, HpChanges, Int, Kind, MAX_COMBATANTS,
    MAX_MEMBERS, Member, MemberDraft, MemberId, MemberSpec, Metadata, Ruleset, Slug, Text,
    Violation, are_free_of, require,
};
use serde_json::{Map, Value};

/// A combatant that is about to join `encounter`; an error names the field.
pub(super) fn new_combatant<R: Ruleset>(
    encounter: &Encounter<R>,
    value: Value,
) -> Result<Combatant<R>, FieldError> {
    let (mut draft, stats) = Draft::<Hp>::split::<R>(value, &R::CombatantStats::default())?;
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
        armor_class: None,
        armor_class_seen_by: None,
        level: None,
        level_seen_by: None,
        notes: None,
        notes_seen_by: None,
        link: None,
        link_seen_by: None,
        mention: None,
        metadata: Metadata::default(),
        acted: false,
        joined: encounter.joined.saturating_add(1),
        stats,
        state: R::CombatantState::default(),
    };
    let combatant = with_fields(with_defaults, draft)?;
    check_begins_down(None, &combatant)?;
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

/// Refuses hit points that begin at 0 if their bearer would act all the same. `before` is the
/// combatant before the change, if it is no newcomer.
fn check_begins_down<R: Ruleset>(
    before: Option<&Combatant<R>>,
    c: &Combatant<R>,
) -> Result<(), FieldError> {
    let Some(down) = c.down() else {
        return Ok(());
    };
    let acts_at_zero = |hp: Option<Hp>, before: Option<Hp>, conditions: &[Slug]| {
        let begins_at_zero = before.is_none() && hp.is_some_and(|hp| hp.current.get() == 0);
        begins_at_zero && are_free_of(conditions, |name| name == down.as_str())
    };
    if acts_at_zero(c.hp, before.and_then(|c| c.hp), &c.conditions) {
        return Err(acts_at_zero_hp("hp.current", &down));
    }
    for (place, member) in c.members.iter().enumerate() {
        let known = before.and_then(|c| c.member(&member.id));
        if acts_at_zero(member.hp, known.and_then(|m| m.hp), &member.conditions) {
            return Err(acts_at_zero_hp(
                format!("members.{place}.hp.current"),
                &down,
            ));
        }
    }
    Ok(())
}

fn acts_at_zero_hp(path: impl Into<String>, down: &Slug) -> FieldError {
    let message = format!(
        "At 0 hit points it would still act. Add \"conditions\": [\"{down}\"], or leave hp out if \
         you don't track hit points."
    );
    FieldError::meaningless(path, message)
}

/// The combatant with the fields that `changes` gives; an error names the field.
pub(super) fn updated_combatant<R: Ruleset>(
    before: &Combatant<R>,
    changes: Value,
) -> Result<Combatant<R>, FieldError> {
    check_changes_something(&changes)?;
    let (draft, stats) = Draft::<HpChanges>::split::<R>(changes, &before.stats)?;
    if draft.id.is_some() {
        return Err(FieldError::meaningless(
            "id",
            "A combatant's id can't change. Remove the combatant and add it with the new id.",
        ));
    }
    let keeps_conditions = draft.conditions.is_none();
    let mut updated = before.clone();
    updated.stats = stats;
    let mut updated = with_fields(updated, draft)?;
    check_begins_down(Some(before), &updated)?;
    exchange_down(before, &mut updated, keeps_conditions);
    Ok(updated)
}

/// Refuses changes that give nothing. Empty metadata removes all texts.
fn check_changes_something(changes: &Value) -> Result<(), FieldError> {
    let Value::Object(fields) = changes else {
        return Ok(());
    };
    if fields.is_empty() {
        return Err(nothing_to_change(""));
    }
    for (name, value) in fields {
        let is_empty = value.as_object().is_some_and(Map::is_empty);
        if is_empty && name != "metadata" {
            return Err(nothing_to_change(name));
        }
    }
    Ok(())
}

fn nothing_to_change(path: &str) -> FieldError {
    FieldError::meaningless(path, "Nothing to change. Send at least one field.")
}

/// Gives a combatant of another kind, and its members, the condition at 0 hit points of that kind.
fn exchange_down<R: Ruleset>(before: &Combatant<R>, c: &mut Combatant<R>, own_too: bool) {
    let (Some(old), new) = (before.down(), c.down()) else {
        return;
    };
    if new.as_ref() == Some(&old) {
        return;
    }
    let exchange = |conditions: &mut Vec<Slug>, hp: Option<Hp>| {
        let is_down = hp.is_some_and(|hp| hp.current.get() == 0) && conditions.contains(&old);
        if !is_down {
            return;
        }
        conditions.retain(|condition| *condition != old);
        if let Some(new) = &new
            && !conditions.contains(new)
        {
            conditions.push(new.clone());
        }
    };
    if own_too {
        exchange(&mut c.conditions, before.hp);
    }
    for member in &mut c.members {
        let hp = before.member(&member.id).and_then(|member| member.hp);
        exchange(&mut member.conditions, hp);
    }
}

/// Current hit points that a change sets, of a combatant or of one of its members.
pub(super) struct HpSet {
    /// The member of the group.
    pub(super) member: Option<MemberId>,
    /// The new number.
    pub(super) current: u32,
}

/// Takes the changes of current hit points out of `after`, so that they can follow as damage and
/// healing.
pub(super) fn take_hp_changes<R: Ruleset>(
    before: &Combatant<R>,
    after: &mut Combatant<R>,
) -> Vec<HpSet> {
    let mut set = Vec::new();
    let mut take = |member: Option<&MemberId>, old: Option<Hp>, new: Option<&mut Hp>| {
        if let (Some(old), Some(new)) = (old, new)
            && old.current != new.current
        {
            set.push(HpSet {
                member: member.cloned(),
                current: new.current.count(),
            });
            new.current = old.current;
        }
    };
    take(None, before.hp, after.hp.as_mut());
    for member in &mut after.members {
        let old = before.member(&member.id).and_then(|member| member.hp);
        take(Some(&member.id), old, member.hp.as_mut());
    }
    set
}

/// The combatant with the shared fields that a client gives.
fn with_fields<R: Ruleset, H: Into<HpChanges>>(
    mut c: Combatant<R>,
    given: Draft<H>,
) -> Result<Combatant<R>, FieldError> {
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
        armor_class,
        armor_class_seen_by,
        level,
        level_seen_by,
        notes,
        notes_seen_by,
        link,
        link_seen_by,
        mention,
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
        c.hp = Some(changed_hp(c.hp, hp.into())?);
    }
    if let Some(drafts) = members {
        c.members = changed_members(&c.members, drafts)?;
    }
    if let Some(conditions) = conditions {
        c.conditions = distinct(conditions)?;
    }
    c.armor_class = armor_class.or(c.armor_class);
    c.level = level.or(c.level);
    if let Some(Erasable(notes)) = notes {
        c.notes = notes;
    }
    if let Some(Erasable(mention)) = mention {
        c.mention = mention;
    }
    if let Some(Erasable(link)) = link {
        c.link = link;
    }
    c.armor_class_seen_by = armor_class_seen_by.or(c.armor_class_seen_by);
    c.level_seen_by = level_seen_by.or(c.level_seen_by);
    c.notes_seen_by = notes_seen_by.or(c.notes_seen_by);
    c.link_seen_by = link_seen_by.or(c.link_seen_by);
    if let Some(metadata) = metadata {
        c.metadata = metadata;
    }
    Ok(c)
}

/// Hit points after a change. What is left out keeps its value, but a lower maximum lowers the
/// current number to it.
fn changed_hp(before: Option<Hp>, given: HpChanges) -> Result<Hp, FieldError> {
    if given == HpChanges::default() {
        return Err(nothing_to_change("hp"));
    }
    let mut hp = match (before, given.current) {
        (Some(hp), _) => hp,
        (None, Some(current)) => Hp {
            current,
            max: None,
            temp: Int::default(),
        },
        (None, None) => {
            let message = "Hit points are not tracked yet. Send \"current\" too.";
            return Err(FieldError::meaningless("hp.current", message));
        }
    };
    if let Some(temp) = given.temp {
        hp.temp = temp;
    }
    let max = given.max.or(hp.max).unwrap_or(hp.current);
    hp.max = Some(max);
    hp.current = given.current.unwrap_or(hp.current.min(max));
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

/// The members of a group after a change: those that are named, with what they had or as they join.
/// Refuses too many, and an id that stands twice.
fn changed_members<H: Into<HpChanges>>(
    before: &[Member],
    drafts: Vec<MemberDraft<H>>,
) -> Result<Vec<Member>, FieldError> {
    if drafts.len() > MAX_MEMBERS {
        return Err(FieldError::meaningless(
            "members",
            format!("A group has at most {MAX_MEMBERS} members."),
        ));
    }
    let mut members: Vec<Member> = Vec::with_capacity(drafts.len());
    for (i, draft) in drafts.into_iter().enumerate() {
        let path = format!("members.{i}");
        let (spec, path_of_id) = match draft {
            MemberDraft::Id(id) => (MemberSpec::of(id), path.clone()),
            MemberDraft::Whole(spec) => (spec, format!("{path}.id")),
        };
        if members.iter().any(|m| m.id == spec.id) {
            let message = format!("Member id \"{}\" is in use. Choose another id.", spec.id);
            return Err(FieldError::meaningless(path_of_id, message));
        }
        let member = changed_member(before, spec).map_err(|error| error.within(&path))?;
        members.push(member);
    }
    Ok(members)
}

fn changed_member<H: Into<HpChanges>>(
    before: &[Member],
    given: MemberSpec<H>,
) -> Result<Member, FieldError> {
    let mut member = match before.iter().find(|member| member.id == given.id) {
        Some(member) => member.clone(),
        None => Member {
            id: given.id,
            hp: None,
            hp_band: None,
            conditions: Vec::new(),
        },
    };
    if let Some(hp) = given.hp {
        member.hp = Some(changed_hp(member.hp, hp.into())?);
    }
    if let Some(conditions) = given.conditions {
        member.conditions = distinct(conditions)?;
    }
    Ok(member)
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
