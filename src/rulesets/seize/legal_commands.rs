//! What may be legal under Seize the initiative.

use super::decide::{eligible, who_rolls};
use super::{Encounter, Enemies, Phase};
use crate::vocabulary::{CombatantId, LegalCommand, MAX_COMBATANTS, Property, Slug, Values};
use serde_json::json;

pub(super) fn legal_commands(encounter: &Encounter) -> Vec<LegalCommand> {
    let fighters: Vec<&CombatantId> = encounter.active().map(|c| &c.id).collect();
    match &encounter.state.phase {
        Phase::Setup => before_the_start(encounter),
        Phase::Over | Phase::SomeoneActs => Vec::new(),
        Phase::InTurn { actor } => vec![
            LegalCommand::by("end_turn", actor, "WA-8").whom("next", false, fighters),
            LegalCommand::by("take_extra_action", actor, "WA-6"),
        ],
        Phase::Seize {} => {
            let mut legal = Vec::new();
            for id in eligible(encounter) {
                legal.push(LegalCommand::by("seize", &id, "WA-12"));
                legal.push(LegalCommand::by("pass", &id, "WA-13"));
            }
            let close = LegalCommand::of("resolve", "WA-13");
            legal.push(close.whom("next", false, fighters));
            legal
        }
        Phase::Nominate {} | Phase::NominateFirst {} => {
            let chooser = encounter.state.last_actor.as_ref();
            vec![LegalCommand::by("nominate", chooser, "WA-8").whom("next", true, fighters)]
        }
    }
}

/// The numbers of a newcomer.
pub(super) fn newcomer_fields(_encounter: &Encounter) -> Vec<Property> {
    Property::numbers([("initiative_bonus", -20, 50), ("dex_modifier", -20, 50)])
}

/// The common roll, with enemies apart or together, and before it each one's own die.
fn before_the_start(encounter: &Encounter) -> Vec<LegalCommand> {
    let mut legal = Vec::new();
    for enemies in [Enemies::Apart, Enemies::Together] {
        let start = LegalCommand::of("start", "WA-1");
        let start = match enemies {
            Enemies::Apart => start
                .labelled("Start: roll initiative")
                .choose("enemies", false, [json!(enemies)])
                .or(json!(Enemies::default()))
                .advanced(),
            Enemies::Together => start
                .labelled("Start: roll once for all enemies")
                .with("enemies", json!(enemies)),
        };
        legal.push(dice_of_the_table(encounter, enemies, start));
    }
    for c in encounter.active() {
        let roll = LegalCommand::by("roll", &c.id, "WA-1").range("roll", false, 1, 20);
        legal.push(roll.tool_if(c.state.own_die.is_some()));
    }
    legal
}

/// Opens the fields for dice that the table rolled itself.
fn dice_of_the_table(encounter: &Encounter, enemies: Enemies, start: LegalCommand) -> LegalCommand {
    let (alone, groups) = who_rolls(encounter, enemies);
    let alone = || Values::by_combatant(&alone, Values::Range(1, 20));
    let start = start
        .open("rolls", false, alone())
        .advanced()
        .open("roll_offs", false, alone())
        .advanced();
    if groups.is_empty() {
        return start;
    }
    let groups = || {
        let words = groups.iter().map(Slug::as_str);
        Values::map(Values::words(words), Values::Range(1, 20), MAX_COMBATANTS)
    };
    start
        .open("group_rolls", false, groups())
        .advanced()
        .open("group_roll_offs", false, groups())
        .advanced()
}
