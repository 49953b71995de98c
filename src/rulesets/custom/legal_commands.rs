//! What may be legal under `custom`.

use super::definition::*;
use super::query::*;
use super::score::side_dice;
use super::*;
use crate::vocabulary::Status;
use std::collections::BTreeSet;

const ROLLS: &str = "an object from combatants, groups or sides to the sum of their dice";
const CARDS: &str = "an object from combatants or groups to their cards, such as qs, 10h or j1";

pub(super) fn legal_commands(encounter: &Encounter) -> Vec<LegalCommand> {
    if encounter.status == Status::Setup {
        return start(encounter);
    }
    let mut legal = vec![LegalCommand::of("go_on", "CU-36")];
    let definition = definition(encounter);
    match &encounter.state.mode {
        Mode::Declaring => {
            let choices = || {
                definition
                    .declare
                    .iter()
                    .flat_map(|declare| &declare.choices)
                    .map(Slug::as_str)
            };
            let declare = |c: &Combatant| {
                LegalCommand::by("declare", &c.id, "CU-18").choose("choice", true, choices())
            };
            legal.extend(undeclared(encounter).map(declare));
        }
        Mode::Rolling => {
            legal.push(rolled(encounter, LegalCommand::of("roll", "CU-6")));
        }
        Mode::Choosing => choosing(encounter, &mut legal),
        Mode::Turn => turn(encounter, &mut legal),
        Mode::Gap { .. } => {
            legal.extend(asked(encounter).map(|c| LegalCommand::by("pass", &c.id, "CU-31")));
        }
        Mode::Setup | Mode::Standstill | Mode::SomeoneActs => {}
    }
    if let Some(opening) = opening(encounter) {
        rights(encounter, opening, &mut legal);
    }
    for (name, pool) in &definition.pools {
        let grant = LegalCommand::of("grant", "CU-27")
            .with("pool", name.as_str())
            .range("amount", true, -100, 100);
        legal.push(match pool.of {
            Owner::Table => grant,
            Owner::Combatant => grant.whom("combatant", true, encounter.iter().map(|c| &c.id)),
        });
    }
    legal
}

/// The rights that can be used in an opening.
fn rights(encounter: &Encounter, opening: Opening, legal: &mut Vec<LegalCommand>) {
    for c in encounter.iter() {
        if may_return(encounter, c, opening) {
            legal.push(LegalCommand::by("go_now", &c.id, "CU-24"));
        }
        if !may_interject(encounter, c, opening) {
            continue;
        }
        for (name, pool) in &definition(encounter).pools {
            if !may_spend(encounter, c, opening, name, pool) {
                continue;
            }
            let option = LegalCommand::by("interject", &c.id, "CU-29").with("pool", name.as_str());
            let ([least, most], points) = (pool.spend.cost, points(encounter, c, name, pool));
            legal.push(option.range("cost", false, least.get(), most.get().min(points.into())));
        }
    }
}

fn start(encounter: &Encounter) -> Vec<LegalCommand> {
    let definition = definition(encounter);
    let mut start = LegalCommand::of("start", "CU-1");
    if undeclared(encounter).next().is_none() {
        start = rolled(encounter, start);
    }
    if definition.surprise != Surprise::None {
        start = start.like("surprised", "a list of combatants", None);
    }
    let sides: BTreeSet<_> = encounter.active().map(|c| c.side.as_str()).collect();
    vec![start.choose("first", false, sides)]
}

/// Opens the fields for what the table rolls and deals itself, where the definition has dice or
/// cards.
fn rolled(encounter: &Encounter, option: LegalCommand) -> LegalCommand {
    let definition = definition(encounter);
    let option = match encounter
        .active()
        .any(|c| side_dice(definition, c).is_some())
    {
        true => option.like("rolls", ROLLS, None),
        false => option,
    };
    match definition.score.as_ref().is_some_and(|score| score.cards) {
        true => option.like("cards", CARDS, None),
        false => option,
    }
}

fn choosing(encounter: &Encounter, legal: &mut Vec<LegalCommand>) {
    let chooser = chooser(encounter);
    for id in candidates(encounter) {
        let rule = pick_rule(encounter);
        let mut begin = LegalCommand::by("begin", &id, rule);
        if let Some(last) = chooser {
            begin = begin.with("by", last.as_str());
            begin.combatant = Some(last.clone());
        }
        legal.push(begin);
        if phase(encounter).optional {
            legal.push(LegalCommand::by("pass", &id, "CU-17"));
        }
    }
}

fn turn(encounter: &Encounter, legal: &mut Vec<LegalCommand>) {
    let definition = definition(encounter);
    for id in current(encounter) {
        let mut end = LegalCommand::by("end_turn", id, "CU-1");
        if let Some([least, most]) = turn_clock(encounter).map(|clock| clock.cost) {
            end = end.range("cost", false, least.get(), most.get());
        }
        legal.extend([end, LegalCommand::by("wait", id, "CU-23")]);
        let ready = definition
            .pools
            .iter()
            .filter(|(_, pool)| pool.refill == Refill::Ready);
        legal.extend(
            ready.map(|(name, _)| {
                LegalCommand::by("ready", id, "CU-30").with("pool", name.as_str())
            }),
        );
    }
}
