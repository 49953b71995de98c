//! What is legal now: the ruleset's legal commands, each tried out, and the shared commands.
//!
//! There is no second set of rules here: an option is listed because deciding it was accepted.

use super::encounter::EncounterRecord;
use super::trial::{Trials, extract_shared_lists};
use super::{MAX_CONDITIONS, Role, Stop, Viewer, narration};
use crate::vocabulary::{
    Combatant, CombatantId, Commands, Encounter, LegalCommand, MAX_COMBATANTS, Member, MemberId,
    Readers, Ruleset, Slug, Status, shared_list,
};
use serde_json::{Value, json};
use std::collections::HashSet;

/// Everything that is legal now and this viewer's to send, where states since the version `oldest`
/// are kept. When `stop` says so, it ends early with a part of it.
pub(super) fn legal_commands<R: Ruleset>(
    record: &EncounterRecord<R>,
    viewer: &Viewer,
    oldest: u64,
    stop: Stop<'_>,
) -> Vec<LegalCommand> {
    let encounter = &record.encounter;
    let mut legal_commands = Vec::new();
    if viewer.role == Role::Spectator {
        return legal_commands;
    }
    let mut trials = Trials::new(record, viewer, stop);
    if encounter.status != Status::Ended {
        for option in R::legal_commands(encounter) {
            legal_commands.extend(trials.keep_legal(option));
        }
    }
    if viewer.role == Role::Player
        && let Some(add_effect) = own_effect(record, viewer)
    {
        legal_commands.extend(trials.keep_legal(add_effect));
    }
    if viewer.is_gm() {
        legal_commands.extend(shared(encounter));
        if encounter.status == Status::Running && encounter.active().next().is_some() {
            let active = encounter.active().map(|c| &c.id);
            let give_turn = LegalCommand::of("override", "TK-5").whom("combatant", true, active);
            legal_commands.extend(trials.keep_legal(give_turn));
        }
        legal_commands.extend(undo(record, oldest));
        legal_commands.extend(redo(record, oldest));
    }
    trials.prune_shared_lists(&mut legal_commands);
    extract_shared_lists(&mut legal_commands);
    narration::label(R::Command::SPECS, encounter, &mut legal_commands);
    legal_commands
}

/// The shared commands that are legal now.
fn shared<R: Ruleset>(encounter: &Encounter<R>) -> Vec<LegalCommand> {
    let readers = [json!(Readers::Gm), json!(Readers::All)];
    let note = LegalCommand::of("note", "TK-1")
        .like(
            "text",
            "text of at most 2000 characters",
            Some(json!("...")),
        )
        .choose("readers", false, readers);
    if encounter.status == Status::Ended {
        return vec![note];
    }
    let name = Some(json!(encounter.name));
    let update = LegalCommand::of("update_encounter", "TK-1")
        .like("name", "text of at most 120 characters", name)
        .like("metadata", "at most 16 texts by name", None);
    let end = LegalCommand::of("end_encounter", "TK-1");
    let mut legal_commands = vec![note, update, end];
    legal_commands.extend(add_combatant(encounter));
    legal_commands.extend(effects(encounter));
    legal_commands.extend(hit_points(encounter));
    legal_commands.extend(set_condition(encounter));
    legal_commands.extend(clear_condition(encounter));
    legal_commands.extend(change_combatants(encounter));
    legal_commands.retain(|option| !is_void(option));
    legal_commands
}

/// Whether a field has no value to choose, and holds none.
fn is_void(option: &LegalCommand) -> bool {
    let Some(fields) = option.fields() else {
        return false;
    };
    fields.values().any(Value::is_null)
}

fn add_combatant<R: Ruleset>(encounter: &Encounter<R>) -> Option<LegalCommand> {
    if encounter.combatants.len() >= MAX_COMBATANTS {
        return None;
    }
    let example = json!({"name": "Newcomer", "side": "monsters"});
    Some(LegalCommand::of("add_combatant", "TK-2").like(
        "details",
        "a combatant, as at creation",
        Some(example),
    ))
}

fn effects<R: Ruleset>(encounter: &Encounter<R>) -> [LegalCommand; 2] {
    let example = json!({"name": "Effect", "expires": {"at": "round_end", "rounds": 1}});
    let add = LegalCommand::of("add_effect", "TK-2").like(
        "effect",
        "an effect: name, expires, target, source",
        Some(example),
    );
    let ids = encounter.effects.iter().map(|effect| effect.id.as_str());
    let remove = LegalCommand::of("remove_effect", "TK-2").choose("effect_id", true, ids);
    [add, remove]
}

fn hit_points<R: Ruleset>(encounter: &Encounter<R>) -> Vec<LegalCommand> {
    let sources = shared_list(encounter.iter().map(|c| &c.id));
    let damage = of_amount("damage").among("source", false, &sources, None);
    let heal = of_amount("heal");
    let mut legal_commands = aimed(encounter, &damage, |c| !c.hurt_by_member(), |_| true);
    legal_commands.extend(aimed(encounter, &heal, |c| !c.hurt_by_member(), |_| true));
    legal_commands
}

fn of_amount(verb: &'static str) -> LegalCommand {
    LegalCommand::of(verb, "TK-1")
        .range("amount", true, 0, 1_000_000)
        .with("amount", 1)
}

fn set_condition<R: Ruleset>(encounter: &Encounter<R>) -> Vec<LegalCommand> {
    let set = LegalCommand::of("set_condition", "TK-3").like(
        "condition",
        "a condition that it does not have",
        Some(new_condition(encounter).into()),
    );
    aimed(
        encounter,
        &set,
        |c| c.conditions.len() < MAX_CONDITIONS,
        |member| member.conditions.len() < MAX_CONDITIONS,
    )
}

/// A condition that no combatant and no member has.
fn new_condition<R: Ruleset>(encounter: &Encounter<R>) -> String {
    let mut borne: HashSet<&str> = HashSet::new();
    for c in encounter.iter() {
        borne.extend(c.all_conditions().flatten().map(Slug::as_str));
    }
    let mut condition = "marked".to_owned();
    let mut number = 1;
    while borne.contains(condition.as_str()) {
        number += 1;
        condition = format!("marked-{number}");
    }
    condition
}

fn clear_condition<R: Ruleset>(encounter: &Encounter<R>) -> Vec<LegalCommand> {
    let mut legal_commands = Vec::new();
    for c in encounter.iter() {
        legal_commands.push(clear_one_of(&c.conditions, &c.id, None));
        for member in &c.members {
            legal_commands.push(clear_one_of(&member.conditions, &c.id, Some(&member.id)));
        }
    }
    legal_commands
}

fn clear_one_of(
    conditions: &[Slug],
    target: &CombatantId,
    member: Option<&MemberId>,
) -> LegalCommand {
    let mut clear = LegalCommand::of("clear_condition", "TK-3").with("target", target.as_str());
    if let Some(member) = member {
        clear.set("member", member.as_str().into());
    }
    clear.choose("condition", true, conditions.iter().map(Slug::as_str))
}

fn change_combatants<R: Ruleset>(encounter: &Encounter<R>) -> [LegalCommand; 2] {
    let update = LegalCommand::of("update_combatant", "TK-2")
        .whom("combatant", true, encounter.iter().map(|c| &c.id))
        .like(
            "changes",
            "the fields that change, as at creation",
            Some(json!({})),
        );
    let remove = LegalCommand::of("remove_combatant", "TK-2").whom(
        "combatant",
        true,
        encounter.iter().map(|c| &c.id),
    );
    [update, remove]
}

/// The options of a command that is meant for a combatant, or for a member of a group: one for all
/// single combatants and, as members are only their own group's, one for each group. `alone` are
/// those for whom it is legal without a member.
fn aimed<R: Ruleset>(
    encounter: &Encounter<R>,
    option: &LegalCommand,
    alone: impl Fn(&Combatant<R>) -> bool,
    member: impl Fn(&Member) -> bool,
) -> Vec<LegalCommand> {
    let mut singles = Vec::with_capacity(encounter.combatants.len());
    let mut of_groups = Vec::new();
    for c in encounter.iter() {
        if c.members.is_empty() {
            if alone(c) {
                singles.push(&c.id);
            }
            continue;
        }
        let mut members = Vec::with_capacity(c.members.len());
        for m in &c.members {
            if member(m) {
                members.push(m.id.as_str());
            }
        }
        let option = option.clone().with("target", c.id.as_str());
        of_groups.push(if members.is_empty() && alone(c) {
            option
        } else {
            option.choose("member", !alone(c), members)
        });
    }
    let mut legal_commands = vec![option.clone().whom("target", true, singles)];
    legal_commands.append(&mut of_groups);
    legal_commands
}

/// The effect that a player may add if the encounter allows it: its source is a combatant of the
/// player that is there.
fn own_effect<R: Ruleset>(record: &EncounterRecord<R>, viewer: &Viewer) -> Option<LegalCommand> {
    if !record.meta.player_effects || record.encounter.status == Status::Ended {
        return None;
    }
    let source = record.encounter.iter().find(|c| viewer.owns(&c.id))?;
    let example =
        json!({"name": "Effect", "source": source.id, "expires": {"at": "round_end", "rounds": 1}});
    let shape = "an effect: name, expires, target, and as source a combatant of yours";
    Some(LegalCommand::of("add_effect", "TK-13").like("effect", shape, Some(example)))
}

/// The way back, if there is one, to the version `oldest` and no further.
fn undo<R: Ruleset>(record: &EncounterRecord<R>, oldest: u64) -> Option<LegalCommand> {
    let single_step = record.history.undo_target()?;
    let last = record.encounter.version.saturating_sub(1);
    if oldest > last {
        return None;
    }
    // Where a single step leads to a version that is gone, one that is kept is named.
    let required = single_step < oldest;
    Some(LegalCommand::of("undo", "TK-7").range(
        "to_version",
        required,
        i64::try_from(oldest).unwrap_or(i64::MAX),
        i64::try_from(last).unwrap_or(i64::MAX),
    ))
}

/// The way forward again, unless its state is older than `oldest`.
fn redo<R: Ruleset>(record: &EncounterRecord<R>, oldest: u64) -> Option<LegalCommand> {
    if record.history.redo_target()? < oldest {
        return None;
    }
    Some(LegalCommand::of("redo", "TK-7"))
}
