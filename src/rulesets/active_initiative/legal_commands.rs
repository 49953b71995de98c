//! What may be legal under Active Initiative.

use super::decide::chooser;
use super::*;
use crate::vocabulary::{Kind, Status};
use serde_json::json;

pub(super) fn legal_commands(table: &Table) -> Vec<LegalCommand> {
    if table.status == Status::Setup {
        let rolls = "an object from combatant ids to the d20 that each rolled";
        return vec![
            LegalCommand::of("start", "AI-2").whom("first", true, table.active().map(|c| &c.id)),
            LegalCommand::of("start", "AI-3").like("rolls", rolls, None),
        ];
    }
    let mut legal_commands = Vec::new();
    match &table.state.phase {
        Phase::Setup | Phase::Over | Phase::SomeoneActs => {}
        Phase::InTurn { actor } => {
            let next = || table.active().filter(|c| c.id != *actor || table.waiting().nth(1).is_none()).map(|c| &c.id);
            let end = || LegalCommand::by("end_turn", actor, "AI-7");
            legal_commands.push(end().whom("next", false, next()));
            legal_commands.push(end().with("begin", true).whom("next", true, next()));
            let ready = LegalCommand::by("ready", actor, "AI-12");
            let ready = ready.like("action", "what will be done", Some(json!("attack")));
            legal_commands.push(ready.like("trigger", "what it waits for", Some(json!("the door opens"))));
        }
        Phase::ChooseNext {} | Phase::ChooseStarter {} => {
            let nominate = match chooser(table) {
                Some(chooser) => LegalCommand::by("nominate", &chooser, "AI-7"),
                None => LegalCommand::of("nominate", "AI-7"),
            };
            legal_commands.push(nominate.whom("next", true, table.waiting().map(|c| &c.id)));
        }
        Phase::Window { nominee, .. } => {
            legal_commands.push(LegalCommand::by("begin_turn", nominee, "AI-7"));
            for c in table.waiting().filter(|c| c.id != *nominee) {
                let means = ["damage", "inspiration", "interrupt_point"];
                legal_commands.push(LegalCommand::by("interrupt", &c.id, "AI-17").choose("means", true, means));
            }
        }
    }
    for c in table.active().filter(|c| c.state.readied.is_some()) {
        legal_commands.push(LegalCommand::by("fire", &c.id, "AI-12"));
    }
    for c in table.iter().filter(|c| c.kind == Kind::Pc) {
        legal_commands.push(LegalCommand::by("spend", &c.id, "AI-29"));
        let mut inspire = LegalCommand::by("inspire", &c.id, "AI-28");
        inspire.combatant = None;
        legal_commands.push(inspire);
    }
    legal_commands
}
