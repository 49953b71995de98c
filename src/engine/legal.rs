//! What is legal now: the ruleset's legal commands, each tried out, and the shared commands.
//!
//! There is no second set of rules here: an option is listed because deciding it was accepted.

use super::encounter::EncounterRecord;
use super::trial::{Trials, share};
use super::{MAX_CONDITIONS, Role, Stop, Viewer, narration};
use crate::vocabulary::{
    Combatant, Commands, Encounter, LegalCommand, MAX_COMBATANTS, Member, Readers, Ruleset, Slug,
    Status, shared_list,
};
use serde_json::{Value, json};
use std::collections::HashSet;

/// Everything that is legal now and this viewer's to send, where states since the version `oldest`
/// are kept. When `stop` says so, it ends early with a part of it.
pub(super) fn legal_commands<R: Ruleset>(
    live: &EncounterRecord<R>,
    viewer: &Viewer,
    oldest: u64,
    stop: Stop<'_>,
) -> Vec<LegalCommand> {
    let encounter = &live.encounter;
    let mut legal_commands = Vec::new();
    if viewer.role == Role::Spectator {
        return legal_commands;
    }
    let mut trials = Trials::new(live, viewer, stop);
    if encounter.status != Status::Ended {
        legal_commands.extend(
            R::legal_commands(encounter)
                .into_iter()
                .filter_map(|option| trials.tried(option)),
        );
    }
    if viewer.role == Role::Player {
        legal_commands.extend(own_effect(live, viewer).and_then(|option| trials.tried(option)));
    }
    if viewer.is_gm() {
        legal_commands.extend(shared(encounter));
        if encounter.status == Status::Running && encounter.active().next().is_some() {
            let give_turn = LegalCommand::of("override", "TK-5").whom(
                "combatant",
                true,
                encounter.active().map(|c| &c.id),
            );
            legal_commands.extend(trials.tried(give_turn));
        }
        legal_commands.extend(history(live, oldest));
    }
    trials.settle(&mut legal_commands);
    share(&mut legal_commands);
    narration::label(R::Command::SPECS, encounter, &mut legal_commands);
    legal_commands
}

/// The shared commands that are legal now.
fn shared<R: Ruleset>(encounter: &Encounter<R>) -> Vec<LegalCommand> {
    let note = LegalCommand::of("note", "TK-1").like(
        "text",
        "text of at most 2000 characters",
        Some(json!("...")),
    );
    let note = note.choose(
        "readers",
        false,
        [Readers::Gm, Readers::All].map(|readers| json!(readers)),
    );
    if encounter.status == Status::Ended {
        return vec![note];
    }
    let everybody = || encounter.iter().map(|c| &c.id);
    let update = LegalCommand::of("update_encounter", "TK-1");
    let update = update.like(
        "name",
        "text of at most 120 characters",
        Some(json!(encounter.name)),
    );
    let update = update.like("metadata", "at most 16 texts by name", None);
    let mut legal_commands = vec![note, update, LegalCommand::of("end_encounter", "TK-1")];
    if encounter.combatants.len() < MAX_COMBATANTS {
        let add = LegalCommand::of("add_combatant", "TK-2");
        let example = json!({"name": "Newcomer", "side": "monsters"});
        legal_commands.push(add.like("combatant", "a combatant, as at creation", Some(example)));
    }
    let example = json!({"name": "Effect", "expires": {"at": "round_end", "rounds": 1}});
    let add = LegalCommand::of("add_effect", "TK-2");
    legal_commands.push(add.like(
        "effect",
        "an effect: name, expires, target, source",
        Some(example),
    ));
    let effects = encounter.effects.iter().map(|e| e.id.as_str());
    legal_commands.push(LegalCommand::of("remove_effect", "TK-2").choose("effect", true, effects));
    let amount = |verb| {
        LegalCommand::of(verb, "TK-1")
            .range("amount", true, 0, 1_000_000)
            .with("amount", 1)
    };
    let damage = amount("damage").among("source", false, &shared_list(everybody()), None);
    for option in [damage, amount("heal")] {
        legal_commands.extend(aimed(encounter, &option, |c| !c.hurt_by_member(), |_| true));
    }
    let borne: HashSet<&str> = encounter
        .iter()
        .flat_map(|c| c.all_conditions())
        .flatten()
        .map(Slug::as_str)
        .collect();
    let mut examples = (1..).map(|n| {
        if n == 1 {
            "marked".to_owned()
        } else {
            format!("marked-{n}")
        }
    });
    let example = examples.find(|name| !borne.contains(name.as_str()));
    let set = LegalCommand::of("set_condition", "TK-3");
    let set = set.like(
        "condition",
        "a condition that it does not have",
        example.map(Value::from),
    );
    let room = |conditions: &[Slug]| conditions.len() < MAX_CONDITIONS;
    legal_commands.extend(aimed(
        encounter,
        &set,
        |c| room(&c.conditions),
        |m| room(&m.conditions),
    ));
    for c in encounter.iter() {
        let members = c.members.iter().map(|m| (Some(&m.id), &m.conditions));
        for (member, conditions) in [(None, &c.conditions)].into_iter().chain(members) {
            let clear = LegalCommand::of("clear_condition", "TK-3").with("target", c.id.as_str());
            let clear = member
                .into_iter()
                .fold(clear, |clear, member| clear.with("member", member.as_str()));
            legal_commands.push(clear.choose(
                "condition",
                true,
                conditions.iter().map(Slug::as_str),
            ));
        }
    }
    let update = LegalCommand::of("update_combatant", "TK-2").whom("combatant", true, everybody());
    legal_commands.push(update.like(
        "changes",
        "the fields that change, as at creation",
        Some(json!({})),
    ));
    legal_commands.push(LegalCommand::of("remove_combatant", "TK-2").whom(
        "combatant",
        true,
        everybody(),
    ));
    // Without a value to choose, a command is void.
    legal_commands.retain(|o| !o.fields().is_some_and(|f| f.values().any(Value::is_null)));
    legal_commands
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
    let (singles, groups): (Vec<_>, Vec<_>) = encounter.iter().partition(|c| c.members.is_empty());
    let singles = singles.into_iter().filter(|c| alone(c)).map(|c| &c.id);
    let mut legal_commands = vec![option.clone().whom("target", true, singles)];
    for c in groups {
        let mut members = c
            .members
            .iter()
            .filter(|m| member(m))
            .map(|m| m.id.as_str())
            .peekable();
        let option = option.clone().with("target", c.id.as_str());
        let bare = alone(c) && members.peek().is_none();
        legal_commands.push(if bare {
            option
        } else {
            option.choose("member", !alone(c), members)
        });
    }
    legal_commands
}

/// The effect that a player may add if the encounter allows it: its source is a combatant of the
/// player that is there.
fn own_effect<R: Ruleset>(live: &EncounterRecord<R>, viewer: &Viewer) -> Option<LegalCommand> {
    if !live.meta.player_effects || live.encounter.status == Status::Ended {
        return None;
    }
    let source = live.encounter.iter().find(|c| viewer.owns(&c.id))?;
    let example =
        json!({"name": "Effect", "source": source.id, "expires": {"at": "round_end", "rounds": 1}});
    let shape = "an effect: name, expires, target, and as source a combatant of yours";
    Some(LegalCommand::of("add_effect", "TK-13").like("effect", shape, Some(example)))
}

/// The ways back that there are, to the version `oldest` and no further.
fn history<R: Ruleset>(live: &EncounterRecord<R>, oldest: u64) -> Vec<LegalCommand> {
    let (undo, redo) = live.history.ways();
    let number = |version: u64| i64::try_from(version).unwrap_or(i64::MAX);
    let last = live.encounter.version.saturating_sub(1);
    let undo = undo.filter(|_| oldest <= last).map(|single| {
        // Where a single step leads to a version that is gone, one that is kept is named.
        LegalCommand::of("undo", "TK-7").range(
            "to_version",
            single < oldest,
            number(oldest),
            number(last),
        )
    });
    let redo = redo
        .filter(|version| *version >= oldest)
        .map(|_| LegalCommand::of("redo", "TK-7"));
    undo.into_iter().chain(redo).collect()
}
