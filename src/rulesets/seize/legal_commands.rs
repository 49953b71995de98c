//! What may be legal under Seize the initiative.

use super::decide::{chooser, may_seize};
use super::*;
use crate::vocabulary::Status;

pub(super) fn legal_commands(table: &Table) -> Vec<LegalCommand> {
    if table.status == Status::Setup {
        let rolls = "an object from combatant ids to the d20 that each rolled";
        let group_rolls = "an object from groups to the d20 that each rolled";
        let start = LegalCommand::of("start", "WA-1").choose("enemies", false, ["apart", "together"]);
        let start = start.like("rolls", rolls, None).like("group_rolls", group_rolls, None);
        return vec![start.like("roll_offs", rolls, None).like("group_roll_offs", group_rolls, None)];
    }
    let anybody = || table.active().map(|c| &c.id);
    let mut legal_commands = Vec::new();
    match &table.state.phase {
        Phase::Setup | Phase::Over | Phase::SomeoneActs => {}
        Phase::InTurn { actor } => {
            legal_commands.push(LegalCommand::by("end_turn", actor, "WA-8").whom("next", false, anybody()));
            legal_commands.push(LegalCommand::by("spend", actor, "WA-6"));
        }
        Phase::SeizeDecision {} => {
            for c in table.iter().filter(|c| may_seize(table, c)) {
                legal_commands.push(LegalCommand::by("seize", &c.id, "WA-12"));
                legal_commands.push(LegalCommand::by("decline", &c.id, "WA-13"));
            }
            legal_commands.push(LegalCommand::of("close_seizing", "WA-13").whom("next", false, anybody()));
        }
        Phase::ChooseNext {} | Phase::ChooseStarter {} => {
            let nominate = match chooser(table) {
                Some(chooser) => LegalCommand::by("nominate", &chooser, "WA-8"),
                None => LegalCommand::of("nominate", "WA-8"),
            };
            legal_commands.push(nominate.whom("next", true, anybody()));
        }
    }
    legal_commands
}
