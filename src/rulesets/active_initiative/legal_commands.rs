//! What may be legal under Active Initiative.

use super::decide::holds_inspiration;
use super::*;
use serde_json::json;

pub(super) fn legal_commands(encounter: &Encounter) -> Vec<LegalCommand> {
    let mut legal = match &encounter.state.phase {
        Phase::Setup => {
            let rolls = "an object from combatant ids to the d20 that each rolled";
            let own = |c: &Combatant| {
                LegalCommand::by("roll_initiative", &c.id, "AI-3").range("roll", true, 1, 20)
            };
            let mut legal = vec![
                LegalCommand::of("start", "AI-2").whom(
                    "first",
                    true,
                    encounter.active().map(|c| &c.id),
                ),
                LegalCommand::of("start", "AI-3")
                    .like("rolls", rolls, None)
                    .like("roll_offs", rolls, None),
            ];
            legal.extend(encounter.active().map(own));
            return legal;
        }
        Phase::Over | Phase::SomeoneActs => Vec::new(),
        Phase::InTurn { actor } => {
            let next = || {
                encounter
                    .active()
                    .filter(|c| c.id != *actor || encounter.waiting().nth(1).is_none())
                    .map(|c| &c.id)
            };
            let end = || LegalCommand::by("end_turn", actor, "AI-7");
            let ready = LegalCommand::by("ready", actor, "AI-12");
            let ready = ready.like("action", "what will be done", Some(json!("attack")));
            vec![
                end()
                    .whom("next", false, next())
                    .choose("begin_unopposed", false, [false, true]),
                end().with("begin", true).whom("next", true, next()),
                ready.like(
                    "trigger",
                    "what it waits for",
                    Some(json!("the door opens")),
                ),
            ]
        }
        Phase::ChooseNext {} | Phase::ChooseStarter {} => {
            let nominate =
                || LegalCommand::by("nominate", encounter.state.last_actor.as_ref(), "AI-7");
            let next = || encounter.waiting().map(|c| &c.id);
            let mut legal = vec![
                nominate().whom("next", true, next()).choose(
                    "begin_unopposed",
                    false,
                    [false, true],
                ),
                nominate().with("begin", true).whom("next", true, next()),
            ];
            if encounter.options.interrupt_before_nomination {
                let hurt = encounter.waiting().filter(|c| c.state.exposed);
                legal.extend(hurt.map(|c| interrupt(c, &[Means::Damage])));
            }
            legal
        }
        Phase::Window { nominee, .. } => {
            let interrupters = encounter.waiting().filter(|c| c.id != *nominee);
            let begin = LegalCommand::by("begin_turn", nominee, "AI-7");
            std::iter::once(begin)
                .chain(interrupters.map(|c| interrupt(c, &MEANS)))
                .collect()
        }
    };
    let readied = encounter.active().filter(|c| c.state.readied.is_some());
    legal.extend(readied.map(|c| LegalCommand::by("fire", &c.id, "AI-12")));
    for c in encounter.iter().filter(|c| holds_inspiration(encounter, c)) {
        let inspire = LegalCommand::of("inspire", "AI-28").with("combatant", c.id.as_str());
        legal.extend([LegalCommand::by("spend", &c.id, "AI-29"), inspire]);
    }
    legal
}

fn interrupt(c: &Combatant, means: &[Means]) -> LegalCommand {
    LegalCommand::by("interrupt", &c.id, "AI-17").choose(
        "means",
        true,
        means.iter().map(|means| json!(means)),
    )
}
