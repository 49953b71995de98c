//! What may be legal under Seize the initiative.

use super::decide::{chooser, may_seize};
use super::*;
use crate::vocabulary::Status;

pub(super) fn offers(table: &Table) -> Vec<Offer> {
    if table.status == Status::Setup {
        let rolls = "an object from combatant ids to the d20 that each rolled";
        let group_rolls = "an object from groups to the d20 that each rolled";
        let start = Offer::of("start", "WA-1").choose("enemies", false, ["apart", "together"]);
        let start = start.like("rolls", rolls, None).like("group_rolls", group_rolls, None);
        return vec![start.like("roll_offs", rolls, None).like("group_roll_offs", group_rolls, None)];
    }
    let anybody = || table.active().map(|c| &c.id);
    let mut offers = Vec::new();
    match &table.state.phase {
        Phase::Setup | Phase::Over | Phase::SomeoneActs => {}
        Phase::InTurn { actor } => {
            offers.push(Offer::by("end_turn", actor, "WA-8").whom("next", false, anybody()));
            offers.push(Offer::by("spend", actor, "WA-6"));
        }
        Phase::SeizeDecision {} => {
            for c in table.iter().filter(|c| may_seize(table, c)) {
                offers.push(Offer::by("seize", &c.id, "WA-12"));
                offers.push(Offer::by("decline", &c.id, "WA-13"));
            }
            offers.push(Offer::of("close_seizing", "WA-13").whom("next", false, anybody()));
        }
        Phase::ChooseNext {} | Phase::ChooseStarter {} => {
            let nominate = match chooser(table) {
                Some(chooser) => Offer::by("nominate", &chooser, "WA-8"),
                None => Offer::of("nominate", "WA-8"),
            };
            offers.push(nominate.whom("next", true, anybody()));
        }
    }
    offers
}
