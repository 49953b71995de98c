//! What may be legal under Seize the initiative.

use super::decide::eligible;
use super::{Encounter, Phase};
use crate::vocabulary::{CombatantId, LegalCommand};

pub(super) fn legal_commands(encounter: &Encounter) -> Vec<LegalCommand> {
    let fighters: Vec<&CombatantId> = encounter.active().map(|c| &c.id).collect();
    match &encounter.state.phase {
        Phase::Setup => before_the_start(&fighters),
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

fn before_the_start(fighters: &[&CombatantId]) -> Vec<LegalCommand> {
    let rolls = "an object from combatant ids to the d20 that each rolled";
    let group_rolls = "an object from groups to the d20 that each rolled";
    let start = LegalCommand::of("start", "WA-1")
        .choose("enemies", false, ["apart", "together"])
        .like("rolls", rolls, None)
        .like("group_rolls", group_rolls, None)
        .like("roll_offs", rolls, None)
        .like("group_roll_offs", group_rolls, None);
    let mut legal = vec![start];
    for id in fighters {
        let own = LegalCommand::by("roll", *id, "WA-1");
        legal.push(own.range("roll", true, 1, 20));
    }
    legal
}
