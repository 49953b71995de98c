//! What may be legal under `custom`.

use super::candidates::{candidates, chooser, may_pass};
use super::change_definition::may_change_definition;
use super::command::{
    AcceptSwap, BeginTurn, ChangeDefinition, Declare, DeclineSwap, Delay, EndRound, EndTurn, Grant,
    KeepCard, Nominate, Pass, React, Ready, Reorder, Resolve, Return, Roll, SetInitiative, Start,
    Swap, Trigger,
};
use super::definition::{
    Gives, Keep, KnownTotal, Number, Owner, Partner, Per, Prepare, ReactionRule, Surprise,
};
use super::initiative::{
    side_dice, table_cards, table_roll_offs, table_rolls, table_totals, takes_totals,
};
use super::lines::{
    deck, delay_rule, has_clock, has_places, is_seated, score_rule, scores_sides, sorts_by_score,
};
use super::openings::{
    Opening, asked, may_react, may_respond, may_return, may_skip, may_use, opening,
};
use super::places::{has_open_place, may_swap, stands_by, swap_rule};
use super::pools::{cost_of_turn, points, price, price_of_turn};
use super::query::{Survey, current, definition, fits, may_choose_card, may_end_round, undeclared};
use super::{Combatant, Encounter, Mode, rule_of_choice};
use crate::vocabulary::{
    CombatantId, Group, LegalCommand, MAX_COMBATANTS, Property, Slug, Status, Values, shared_list,
};
use std::collections::{BTreeMap, BTreeSet, HashSet};

pub(super) fn legal_commands(encounter: &Encounter) -> Vec<LegalCommand> {
    let mut legal = legal_by_state(encounter);
    if may_change_definition(encounter) {
        let change = LegalCommand::of::<ChangeDefinition>("CU-59");
        legal.push(change.in_group(Group::Tools));
    }
    legal
}

fn legal_by_state(encounter: &Encounter) -> Vec<LegalCommand> {
    if encounter.status == Status::Setup {
        return start(encounter);
    }
    let mut legal = vec![LegalCommand::of::<Resolve>("CU-36")];
    if may_end_round(encounter) {
        legal.push(LegalCommand::of::<EndRound>("CU-53"));
    }
    match &encounter.state.mode {
        Mode::Declaring => declaring(encounter, &mut legal),
        Mode::Rolling => {
            let roll = rolled(encounter, LegalCommand::of::<Roll>("CU-6"));
            legal.push(with_first_side(encounter, roll));
        }
        Mode::Choosing => choosing(encounter, &mut legal),
        Mode::Turn => turn(encounter, &mut legal),
        Mode::Gap { .. } => {
            for c in asked(encounter) {
                legal.push(LegalCommand::by::<Pass>(&c.id, "CU-31").alike());
            }
        }
        Mode::Keeping | Mode::Setup | Mode::Halted | Mode::SomeoneActs => {}
    }
    places(encounter, &mut legal);
    swaps(encounter, &mut legal);
    cards(encounter, &mut legal);
    if let Some(opening) = opening(encounter) {
        reactions(encounter, opening, &mut legal);
    }
    for (name, pool) in &definition(encounter).pools {
        let grant = LegalCommand::of::<Grant>("CU-27").with("pool", name.as_str());
        legal.push(match pool.of {
            Owner::Table => grant,
            Owner::Side => {
                let sides = encounter.state.sides.iter().map(|side| side.side.as_str());
                grant.choose("side", sides).required("side")
            }
            Owner::Combatant => grant
                .whom("combatant", encounter.iter().map(|c| &c.id))
                .required("combatant"),
        });
    }
    legal
}

/// The numbers of a newcomer, its group if groups share an initiative, and its initiative if it is
/// known.
pub(super) fn newcomer_fields(encounter: &Encounter) -> Vec<Property> {
    let definition = definition(encounter);
    let mut numbers = Vec::with_capacity(definition.numbers.len());
    for name in definition.numbers.keys() {
        numbers.push(Property::optional(name.to_string(), Number::any()));
    }
    let mut fields = Vec::new();
    if !numbers.is_empty() {
        fields.push(Property::optional("numbers", Values::Object(numbers)));
    }
    let score = score_rule(definition);
    if score.is_some_and(|score| score.per == Per::Group) {
        fields.push(Property::optional("group", Values::NewWord(Vec::new())));
    }
    if takes_totals(definition) {
        fields.push(Property::optional("initiative", KnownTotal::any()));
    }
    fields
}

/// What the game master may change of the order.
fn places(encounter: &Encounter, legal: &mut Vec<LegalCommand>) {
    let definition = definition(encounter);
    if score_rule(definition).is_none() || !encounter.state.rolled {
        return;
    }
    let set = LegalCommand::of::<SetInitiative>("CU-40");
    let is_set = sorts_by_score(definition);
    if scores_sides(definition) && is_set {
        let rolled = encounter
            .state
            .sides
            .iter()
            .filter(|side| side.initiative.is_some());
        let set = set
            .clone()
            .choose("side", rolled.map(|side| side.side.as_str()));
        legal.push(set.required("side"));
    }
    if !has_places(definition) {
        return;
    }
    let placed: Vec<_> = placed(encounter).collect();
    if is_set && !is_seated(definition) && !scores_sides(definition) {
        let set = set.whom("combatant", placed.iter().copied());
        legal.push(set.required("combatant").alike_values("combatant"));
    }
    if has_clock(definition) {
        return;
    }
    let mut by_group: BTreeMap<_, Vec<&CombatantId>> = BTreeMap::new();
    for id in &placed {
        if let Some(c) = encounter.get(id) {
            by_group
                .entry(stands_by(definition, c))
                .or_default()
                .push(id);
        }
    }
    let mut lists = BTreeMap::new();
    for (group, ids) in by_group {
        lists.insert(group, shared_list(ids));
    }
    for id in placed {
        let group = encounter.get(id).map(|c| stands_by(definition, c));
        let Some(before) = group.and_then(|group| lists.get(&group)) else {
            continue;
        };
        let reorder = LegalCommand::of::<Reorder>("CU-40").with("combatant", id.as_str());
        let to_the_end = reorder.clone();
        let reorder = reorder.among("before", before, Some(id));
        let reorder = reorder.required("before").alike_values("before");
        legal.push(reorder.alike());
        let to_the_end = to_the_end.labelled("Move {combatant} to the end of the order");
        legal.push(to_the_end.alike());
    }
}

/// The cards that combatants may keep, of those that they were dealt.
fn cards(encounter: &Encounter, legal: &mut Vec<LegalCommand>) {
    if deck(definition(encounter)).is_none_or(|deck| deck.keep != Keep::Choose) {
        return;
    }
    let mut listed = HashSet::new();
    for place in &encounter.state.places {
        let id = &place.combatant;
        if may_choose_card(place) && encounter.is_active(id) && listed.insert(id) {
            let cards = place.initiative.cards_to_choose();
            let keep = LegalCommand::by::<KeepCard>(id, "CU-43");
            legal.push(keep.choose("card", cards.iter().map(ToString::to_string)));
        }
    }
}

/// The combatants that have a place.
fn placed(encounter: &Encounter) -> impl Iterator<Item = &CombatantId> {
    let placed: HashSet<_> = encounter
        .state
        .places
        .iter()
        .map(|place| &place.combatant)
        .collect();
    let combatants = encounter.iter().map(|c| &c.id);
    combatants.filter(move |id| placed.contains(id))
}

/// The swaps of places that may be, and the answers to the one that was offered.
fn swaps(encounter: &Encounter, legal: &mut Vec<LegalCommand>) {
    let Some(rule) = swap_rule(encounter) else {
        return;
    };
    if let Some(offer) = &encounter.state.offer {
        legal.push(LegalCommand::by::<AcceptSwap>(&offer.with, "CU-41"));
        legal.push(LegalCommand::by::<DeclineSwap>(&offer.with, "CU-41"));
        let withdraw = LegalCommand::by::<DeclineSwap>(&offer.combatant, "CU-41");
        legal.push(withdraw.labelled("{combatant}: withdraw the swap"));
    }
    let mut all_partners = Vec::new();
    let mut by_side: BTreeMap<&Slug, Vec<&CombatantId>> = BTreeMap::new();
    let survey = Survey::of(encounter);
    for c in encounter.iter() {
        if has_open_place(&survey, c) {
            all_partners.push(&c.id);
            by_side.entry(&c.side).or_default().push(&c.id);
        }
    }
    let all_partners = shared_list(all_partners);
    let mut lists = BTreeMap::new();
    for (side, partners) in by_side {
        lists.insert(side, shared_list(partners));
    }
    for c in encounter.iter() {
        if !may_swap(&survey, c)
            || !may_respond(encounter, c)
            || !fits(definition(encounter), &rule.who, c)
        {
            continue;
        }
        let partners = match rule.with {
            Partner::Any => Some(&all_partners),
            Partner::Side => lists.get(&c.side),
        };
        if let Some(partners) = partners
            && partners.iter().any(|id| *id != *c.id.as_str())
        {
            let swap = LegalCommand::by::<Swap>(&c.id, "CU-41");
            let swap = swap.among("with", partners, Some(&c.id));
            legal.push(swap.alike_values("with").alike());
        }
    }
}

fn declaring(encounter: &Encounter, legal: &mut Vec<LegalCommand>) {
    let Some(declare) = &definition(encounter).declare else {
        return;
    };
    for c in undeclared(encounter) {
        let choices = declare.choices.iter().map(Slug::as_str);
        let option = LegalCommand::by::<Declare>(&c.id, "CU-18");
        legal.push(option.choose("choice", choices).alike());
    }
}

/// The reactions that there are in an opening.
fn reactions(encounter: &Encounter, opening: Opening, legal: &mut Vec<LegalCommand>) {
    let survey = Survey::of(encounter);
    for c in encounter.iter() {
        if may_return(encounter, c, opening) {
            legal.push(LegalCommand::by::<Return>(&c.id, "CU-24"));
        }
        if !may_react(encounter, c, opening) {
            continue;
        }
        for (name, rule) in &definition(encounter).reactions {
            if may_use(&survey, c, opening, name, rule) {
                legal.push(use_of(encounter, c, name, rule));
            }
        }
    }
}

/// The command by which a combatant uses a reaction.
fn use_of(encounter: &Encounter, c: &Combatant, name: &Slug, rule: &ReactionRule) -> LegalCommand {
    let option = match rule.prepare {
        Prepare::Ready => {
            let option = LegalCommand::by::<Trigger>(&c.id, "CU-30");
            if readies_several(encounter) {
                option.labelled("{combatant}: use the readied {reaction}")
            } else {
                option
            }
        }
        Prepare::None | Prepare::Delay => LegalCommand::by::<React>(&c.id, rule_of(rule)),
    };
    let option = option.with("reaction", name.as_str());
    let Some(pool) = &rule.cost.pool else {
        return option.without(&["cost"]);
    };
    let [least, most] = price(rule);
    let most = most.min(points(encounter, c, pool));
    option
        .range("cost", least.into(), most.into())
        .or("cost", least)
}

/// Whether the definition has several reactions to ready, so that a label must say which.
fn readies_several(encounter: &Encounter) -> bool {
    let reactions = definition(encounter).reactions.values();
    let readied = reactions.filter(|rule| rule.prepare == Prepare::Ready);
    readied.count() > 1
}

/// The rule behind what a reaction gives or costs.
fn rule_of(rule: &ReactionRule) -> &'static str {
    match rule.gives() {
        Gives::Skip => "CU-47",
        Gives::OwnTurn => "CU-46",
        Gives::Action | Gives::Turn if rule.cost.turn => "CU-45",
        Gives::Action | Gives::Turn => "CU-29",
    }
}

fn start(encounter: &Encounter) -> Vec<LegalCommand> {
    let definition = definition(encounter);
    let mut start = LegalCommand::of::<Start>("CU-1");
    if undeclared(encounter).next().is_none() {
        start = rolled(encounter, start);
    }
    if definition.surprise != Surprise::None {
        let everyone = Values::combatants(encounter.active().map(|c| &c.id));
        start = start.open("surprised", Values::list(everyone, MAX_COMBATANTS));
    }
    vec![with_first_side(encounter, start)]
}

/// Opens the field for the side that goes first, of those that there are.
fn with_first_side(encounter: &Encounter, option: LegalCommand) -> LegalCommand {
    let sides: BTreeSet<_> = encounter.active().map(|c| c.side.as_str()).collect();
    option.choose("first_side", sides)
}

/// Opens the fields for what the table rolls and deals itself, where the definition has dice or
/// cards.
fn rolled(encounter: &Encounter, mut option: LegalCommand) -> LegalCommand {
    let definition = definition(encounter);
    let mut fighters = encounter.active();
    if fighters.any(|c| side_dice(definition, c).is_some()) {
        option = option.open("rolls", table_rolls(encounter));
    }
    if takes_totals(definition) {
        option = option.open("totals", table_totals(encounter));
    }
    if let Some(tie_rolls) = table_roll_offs(encounter) {
        option = option.open("tie_rolls", tie_rolls);
    }
    if deck(definition).is_some() {
        option = option.open("cards", table_cards(encounter));
    }
    option
}

fn choosing(encounter: &Encounter, legal: &mut Vec<LegalCommand>) {
    let (rule, _) = rule_of_choice(encounter);
    let chooser = chooser(encounter);
    let candidates = candidates(encounter);
    let survey = Survey::of(encounter);
    if let Some(chooser) = chooser {
        legal.push(LegalCommand::by::<Nominate>(chooser, rule).whom("next", &candidates));
    }
    for (name, rule) in &definition(encounter).reactions {
        for c in candidates.iter().filter_map(|id| encounter.get(id)) {
            if may_skip(&survey, c, name, rule) {
                legal.push(use_of(encounter, c, name, rule));
            }
        }
    }
    for id in candidates {
        if chooser.is_none() {
            legal.push(LegalCommand::by::<BeginTurn>(&id, rule).alike());
        }
        if may_pass(encounter, &id) {
            legal.push(LegalCommand::by::<Pass>(&id, "CU-17").alike());
        }
    }
}

fn turn(encounter: &Encounter, legal: &mut Vec<LegalCommand>) {
    for id in current(encounter) {
        let end = LegalCommand::by::<EndTurn>(id, "CU-1");
        let end = match (cost_of_turn(encounter), price_of_turn(encounter, id)) {
            (Some(turn), Some([least, most])) => {
                let end = end.range("cost", least.into(), most.into());
                end.or("cost", turn.usual().count().min(most))
            }
            _ => end.without(&["cost"]),
        };
        legal.push(end.alike());
        if delay_rule(definition(encounter)).is_some() {
            legal.push(LegalCommand::by::<Delay>(id, "CU-23"));
        }
        for (name, rule) in &definition(encounter).reactions {
            if rule.prepare != Prepare::Ready {
                continue;
            }
            let mut ready = LegalCommand::by::<Ready>(id, "CU-30");
            if readies_several(encounter) {
                ready = ready.labelled("{combatant}: ready {reaction}");
            }
            legal.push(ready.with("reaction", name.as_str()));
        }
    }
}
