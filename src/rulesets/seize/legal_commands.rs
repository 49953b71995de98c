//! What may be legal under Seize the initiative.

use super::*;

pub(super) fn legal_commands(encounter: &Encounter) -> Vec<LegalCommand> {
    let anybody = || encounter.active().map(|c| &c.id);
    match &encounter.state.phase {
        Phase::Setup => {
            let rolls = "an object from combatant ids to the d20 that each rolled";
            let group_rolls = "an object from groups to the d20 that each rolled";
            let start =
                LegalCommand::of("start", "WA-1").choose("enemies", false, ["apart", "together"]);
            let start = start
                .like("rolls", rolls, None)
                .like("group_rolls", group_rolls, None);
            let start =
                start
                    .like("roll_offs", rolls, None)
                    .like("group_roll_offs", group_rolls, None);
            let own = anybody().map(|id| {
                LegalCommand::by("roll_initiative", id, "WA-1").range("roll", true, 1, 20)
            });
            std::iter::once(start).chain(own).collect()
        }
        Phase::Over | Phase::SomeoneActs => Vec::new(),
        Phase::InTurn { actor } => vec![
            LegalCommand::by("end_turn", actor, "WA-8").whom("next", false, anybody()),
            LegalCommand::by("spend", actor, "WA-6"),
        ],
        Phase::SeizeDecision {} => {
            let close = LegalCommand::of("close_seizing", "WA-13").whom("next", false, anybody());
            let answers = |id| {
                [
                    LegalCommand::by("seize", &id, "WA-12"),
                    LegalCommand::by("decline", &id, "WA-13"),
                ]
            };
            eligible(encounter)
                .into_iter()
                .flat_map(answers)
                .chain([close])
                .collect()
        }
        Phase::ChooseNext {} | Phase::ChooseStarter {} => {
            let nominate =
                LegalCommand::by("nominate", encounter.state.last_actor.as_ref(), "WA-8");
            vec![nominate.whom("next", true, anybody())]
        }
    }
}
