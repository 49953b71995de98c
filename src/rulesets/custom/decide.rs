//! The rules of `custom`: what a definition allows now. A refusal names the line of the definition
//! that it rests on.

use super::candidates::{candidates, chooser, next_choice};
use super::change_definition::change_definition;
use super::definition::{Chooser, Owner, PoolRule, Surprise};
use super::flow::{Point, begin, close_used_gap, end_all, end_one, next_step, proceed, show};
use super::initiative;
use super::lines::{costs_turns, has_clock, has_laps, has_places, has_sides, has_unlimited_turns};
use super::openings::asked;
use super::places;
use super::pools::{pool_size, price_of_turn, side_pool_size, side_state};
use super::query::{
    choosing_cards, current, definition, fits, is_ready, is_skipped, lap_now, may_end_round,
    must_declare, place_of, step_now, steps, undeclared,
};
use super::react::settle;
use super::reactions::{Use, delay, react, ready, return_to_turn, set_pool, set_side_pool};
use super::{
    CardChoiceClosed, Command, Declaration, DeclarationsOpened, DeclarationsShown, Declare,
    Declared, Encounter, EndTurn, GapClosed, Grant, Mode, Nominate, Passed, Play, Roll, SideOpened,
    Start, StepFinished, Surprised, TablePoolChanged, TurnOrigin, TurnsForgone, rule_of_choice,
};
use crate::rulesets::shared::{check_started, start_encounter, start_round};
use crate::vocabulary::{CombatantId, Int, Moment, Slug, Violation, field, ids, require};
use std::fmt::Display;

pub(super) fn decide(play: &mut Play<'_>, command: &Command) -> Result<(), Violation> {
    if !matches!(command, Command::ChangeDefinition(_)) {
        check_started(play, matches!(command, Command::Start(_)), "CU-1")?;
    }
    match command {
        Command::Start(c) => start(play, c),
        Command::Roll(c) => roll(play, c),
        Command::Resolve(_) => resolve(play),
        Command::EndRound(_) => end_round(play),
        Command::ChangeDefinition(c) => change_definition(play, c),
        Command::Grant(c) => grant(play, c),
        Command::SetInitiative(c) => places::set_initiative(play, c),
        Command::Reorder(c) => places::reorder(play, c),
        Command::KeepCard(c) => places::keep_card(play, c),
        Command::Swap(c) => places::swap(play, c),
        Command::AcceptSwap(c) => places::accept_swap(play, &c.combatant),
        Command::DeclineSwap(c) => places::decline_swap(play, &c.combatant),
        Command::Declare(c) => declare(play, c),
        Command::BeginTurn(c) => begin_turn(play, &c.combatant),
        Command::Nominate(c) => nominate(play, c),
        Command::EndTurn(c) => end(play, c),
        Command::Delay(c) => delay(play, &c.combatant),
        Command::Return(c) => return_to_turn(play, &c.combatant),
        Command::Pass(c) => pass(play, &c.combatant),
        Command::Ready(c) => ready(play, c),
        Command::React(c) => react(play, &Use::of_reaction(c)),
        Command::Trigger(c) => react(play, &Use::of_readied(c)),
    }
}

/// Refuses unless `holds`, with the line of the definition that says so.
pub(super) fn ensure<D: Display>(
    holds: bool,
    code: &'static str,
    rule: &'static str,
    line: &str,
    detail: impl FnOnce() -> D,
) -> Result<(), Violation> {
    require(holds, code, rule, || {
        format!("{} See definition.{line}.", detail())
    })
}

fn start(play: &mut Play<'_>, c: &Start) -> Result<(), Violation> {
    check_surprised(play, &c.surprised)?;
    if let Some(first) = &c.first_side {
        check_first(play.encounter(), first)?;
    }
    start_encounter(play, "CU-1")?;
    for id in &c.surprised {
        // An id may be named twice.
        if play.encounter().get(id).is_some_and(|c| !c.state.surprised) {
            play.emit(Surprised {
                combatant: id.clone(),
            });
        }
    }
    start_round(play, 1);
    if let Some(side) = &c.first_side {
        open_side(play, side);
    }
    if undeclared(play.encounter()).next().is_some() {
        for (path, none) in [
            ("rolls", c.rolls.is_empty()),
            ("totals", c.totals.is_empty()),
            ("tie_rolls", c.tie_rolls.is_empty()),
            ("cards", c.cards.is_empty()),
        ] {
            require(
                none,
                "declare_first",
                field(path),
                || "Combatants declare first. Send dice, totals and cards with \"roll\", after the declarations.",
            )?;
        }
        play.emit(DeclarationsOpened {});
        return Ok(());
    }
    let rolled = Roll {
        rolls: c.rolls.clone(),
        totals: c.totals.clone(),
        tie_rolls: c.tie_rolls.clone(),
        cards: c.cards.clone(),
        first_side: None,
    };
    initiative::roll_all(play, &rolled)?;
    proceed(play, Point::Dealt);
    Ok(())
}

/// Lets a side go first.
fn open_side(play: &mut Play<'_>, side: &Slug) {
    let members = play.encounter().active().filter(|c| c.side == *side);
    let combatants = ids(members).into();
    play.emit(SideOpened {
        side: side.clone(),
        combatants,
    });
}

fn check_surprised(play: &Play<'_>, surprised: &[CombatantId]) -> Result<(), Violation> {
    for (i, id) in surprised.iter().enumerate() {
        let path = format!("surprised.{i}");
        play.combatant(path.clone(), id)?;
        if definition(play.encounter()).surprise == Surprise::None {
            let detail = "This order has no surprise rule. Remove \"surprised\", or set definition.surprise.";
            return Err(Violation::field("no_surprise", path, detail));
        }
    }
    Ok(())
}

fn check_first(encounter: &Encounter, first: &Slug) -> Result<(), Violation> {
    require(
        has_sides(definition(encounter)),
        "no_sides",
        field("first_side"),
        || "No side goes first in this order. Remove \"first_side\", or add the key side to definition.order.",
    )?;
    let is_known = encounter.active().any(|c| c.side == *first);
    require(is_known, "unknown_side", field("first_side"), || {
        format!("No combatant of the side \"{first}\" is in the fight. Choose another side.")
    })
}

fn roll(play: &mut Play<'_>, c: &Roll) -> Result<(), Violation> {
    let is_due = play.encounter().state.mode == Mode::Rolling;
    ensure(
        is_due,
        "no_roll_due",
        "CU-6",
        "score.reroll",
        || "This round needs no roll now.",
    )?;
    if let Some(first) = &c.first_side {
        check_first(play.encounter(), first)?;
        open_side(play, first);
    }
    initiative::roll_all(play, c)?;
    proceed(play, Point::Dealt);
    Ok(())
}

fn resolve(play: &mut Play<'_>) -> Result<(), Violation> {
    let encounter = play.encounter();
    match encounter.state.mode {
        Mode::Declaring => {
            show(play);
            proceed(play, Point::Roll);
        }
        Mode::Rolling => return roll(play, &initiative::NOTHING),
        Mode::Keeping => {
            let combatants = ids(choosing_cards(encounter)).into();
            play.emit(CardChoiceClosed { combatants });
            proceed(play, Point::Next);
        }
        Mode::Choosing => resolve_choice(play),
        Mode::Turn => {
            next_step(play);
            proceed(play, Point::Turn);
        }
        Mode::Gap { .. } => {
            let asked = ids(asked(encounter));
            if !asked.is_empty() {
                play.emit(GapClosed {
                    combatants: asked.into(),
                });
            }
            proceed(play, Point::Next);
        }
        Mode::Setup | Mode::Halted | Mode::SomeoneActs => {
            return Err(Violation::new(
                "nothing_to_resolve",
                "CU-36",
                "No combatant is left to act. Add or heal one first.",
            ));
        }
    }
    Ok(())
}

/// Ends the round for all.
fn end_round(play: &mut Play<'_>) -> Result<(), Violation> {
    let encounter = play.encounter();
    let definition = definition(encounter);
    ensure(
        !has_clock(definition),
        "rounds_are_ticks",
        "CU-53",
        "turns",
        || "Rounds are ticks in this order, and end with the turns. Send \"end_turn\".",
    )?;
    require(may_end_round(encounter), "round_goes_on", "CU-53", || {
        format!("The round has not begun. {}", now(encounter))
    })?;
    end_all(play);
    let encounter = play.encounter();
    let unlimited = has_unlimited_turns(self::definition(encounter));
    let forgoing = ids(encounter.iter().filter(|c| is_ready(encounter, c)));
    if !forgoing.is_empty() && !unlimited {
        for id in &forgoing {
            play.count_effects(Moment::TurnStart(id));
            play.count_effects(Moment::TurnEnd(id));
        }
        play.emit(TurnsForgone {
            combatants: forgoing.into(),
        });
    }
    proceed(play, Point::NextRound);
    Ok(())
}

/// The first candidate begins.
fn resolve_choice(play: &mut Play<'_>) {
    let mut who = candidates(play.encounter());
    who.truncate(1);
    if who.is_empty() {
        proceed(play, Point::Next);
        return;
    }
    begin(play, who, TurnOrigin::Normal);
    proceed(play, Point::Turn);
}

fn grant(play: &mut Play<'_>, c: &Grant) -> Result<(), Violation> {
    let pool = pool(play, &c.pool)?.clone();
    check_owner(c, pool.of)?;
    let encounter = play.encounter();
    let definition = definition(encounter);
    let state = &encounter.state;
    let (pools, (max, _)) = if let Some(id) = &c.combatant {
        let holder = play.combatant("combatant", id)?;
        (
            &holder.state.pools,
            pool_size(definition, Some(holder), &pool),
        )
    } else if let Some(side) = &c.side {
        let Some(known) = side_state(state, side) else {
            let detail = "No combatant is on this side. Name a side of the fight.";
            return Err(Violation::field("unknown_side", "side", detail));
        };
        (&known.pools, side_pool_size(encounter, side, &pool))
    } else {
        (&state.pools, pool_size(definition, None, &pool))
    };
    let before = pools.get(&c.pool).copied().unwrap_or(0);
    // Points that are more than the pool may hold by now stay.
    let left = (i64::from(before) + c.amount.get()).clamp(0, max.max(before).into());
    let left = u32::try_from(left).unwrap_or(0);
    if let Some(id) = &c.combatant {
        set_pool(play, id.clone(), &c.pool, left);
    } else if let Some(side) = &c.side {
        set_side_pool(play, side.clone(), &c.pool, left);
    } else {
        play.emit(TablePoolChanged {
            pool: c.pool.clone(),
            left,
        });
    }
    settle(play);
    Ok(())
}

/// Refuses to change points without their owner, or with another one.
fn check_owner(c: &Grant, owner: Owner) -> Result<(), Violation> {
    let fields = [
        ("combatant", c.combatant.is_some(), Owner::Combatant),
        ("side", c.side.is_some(), Owner::Side),
    ];
    for (field, is_named, of) in fields {
        if is_named == (owner == of) {
            continue;
        }
        let belongs = match owner {
            Owner::Combatant => "combatants",
            Owner::Side => "sides",
            Owner::Table => "the table",
        };
        let remedy = if is_named { "Remove" } else { "Add" };
        let detail = format!(
            "Pool \"{}\" belongs to {belongs}. {remedy} \"{field}\".",
            c.pool
        );
        return Err(Violation::field("whose_pool", field, detail));
    }
    Ok(())
}

fn pool<'p>(play: &'p Play<'_>, name: &Slug) -> Result<&'p PoolRule, Violation> {
    let pools = &definition(play.encounter()).pools;
    if let Some(pool) = pools.get(name) {
        return Ok(pool);
    }
    let known: Vec<_> = pools.keys().map(Slug::as_str).collect();
    let detail = if known.is_empty() {
        "This encounter has no pools. Add \"pools\" to the definition.".to_owned()
    } else {
        format!("Unknown pool \"{name}\". Pools: {}.", known.join(", "))
    };
    Err(Violation::field("unknown_pool", "pool", detail))
}

fn declare(play: &mut Play<'_>, c: &Declare) -> Result<(), Violation> {
    let id = &c.combatant;
    let fighter = play.combatant("combatant", id)?;
    let encounter = play.encounter();
    let Some(rule) = &definition(encounter).declare else {
        return Err(Violation::new(
            "nothing_to_declare",
            "CU-18",
            "Combatants declare nothing in this order. See definition.declare.",
        ));
    };
    let is_time = encounter.state.mode == Mode::Declaring;
    ensure(
        is_time,
        "not_declaring",
        "CU-18",
        "declare",
        || "Combatants declare only at the start of a round.",
    )?;
    let has_declared = fighter.state.has_declared;
    ensure(!has_declared, "has_declared", "CU-18", "declare", || {
        format!("{id} has already declared for this round.")
    })?;
    let must = must_declare(encounter, fighter);
    ensure(must, "declares_nothing", "CU-19", "declare.who", || {
        format!("{id} declares nothing in this order.")
    })?;
    if !rule.choices.contains(&c.choice) {
        let choices: Vec<_> = rule.choices.iter().map(Slug::as_str).collect();
        let choices = choices.join(", ");
        let detail = format!("Unknown choice \"{}\". Choices: {choices}.", c.choice);
        return Err(Violation::field("unknown_choice", "choice", detail));
    }
    play.emit(Declared {
        combatant: id.clone(),
        choice: Some(c.choice.clone()),
    });
    if undeclared(play.encounter()).next().is_none() {
        show(play);
        proceed(play, Point::Roll);
    }
    Ok(())
}

/// Starts the turn of a combatant, if no other one chooses who acts next.
fn begin_turn(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    play.combatant("combatant", id)?;
    check_choosing(play.encounter())?;
    play.fighter("combatant", id, "CU-1")?;
    let encounter = play.encounter();
    let chooser = chooser(encounter);
    if let Some(chooser) = chooser {
        let detail = format!(
            "{chooser} chooses who acts next. Send \"nominate\" instead. See definition.chooser."
        );
        return Err(Violation::new("not_the_chooser", "CU-14", detail));
    }
    take_choice(play, id)
}

/// Lets the combatant that acted last choose who acts next.
fn nominate(play: &mut Play<'_>, c: &Nominate) -> Result<(), Violation> {
    play.combatant("combatant", &c.combatant)?;
    play.combatant("next", &c.next)?;
    check_choosing(play.encounter())?;
    play.fighter("next", &c.next, "CU-1")?;
    let encounter = play.encounter();
    let chooser = chooser(encounter);
    let is_theirs = chooser == Some(&c.combatant);
    ensure(
        is_theirs,
        "not_the_chooser",
        "CU-14",
        "chooser",
        || match chooser {
            Some(chooser) => format!("{chooser} chooses who acts next, not {}.", c.combatant),
            None => format!(
                "No combatant chooses now. Send \"begin_turn\" for {}.",
                c.next
            ),
        },
    )?;
    take_choice(play, &c.next)
}

/// Refuses a choice while nothing is to be chosen.
fn check_choosing(encounter: &Encounter) -> Result<(), Violation> {
    let is_time = encounter.state.mode == Mode::Choosing;
    let (rule, line) = rule_of_choice(encounter);
    ensure(is_time, "nothing_to_choose", rule, line, || {
        format!("There's nothing to choose now. {}", now(encounter))
    })
}

/// Starts the turn of the combatant that was chosen.
fn take_choice(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    let encounter = play.encounter();
    let candidates = candidates(encounter);
    if !candidates.contains(id) {
        let (rule, line, why) = why_not(encounter, id);
        let ids: Vec<_> = candidates.iter().map(ToString::to_string).collect();
        let ids = ids.join(", ");
        let detail = format!("{why} Next to act: {ids}. See definition.{line}.");
        return Err(Violation::new("not_next", rule, detail));
    }
    begin(play, vec![id.clone()], TurnOrigin::Normal);
    proceed(play, Point::Turn);
    Ok(())
}

/// Why a combatant is no candidate: the rule, the line of the definition, and a sentence.
fn why_not(encounter: &Encounter, id: &CombatantId) -> (&'static str, &'static str, String) {
    let Some(c) = encounter.get(id) else {
        return ("CU-1", "turns", String::new());
    };
    let definition = definition(encounter);
    if is_skipped(definition, c) {
        let why = format!("{id} has no turns while unconscious.");
        return ("CU-33", "unconscious", why);
    }
    if c.state.turns_left == 0 && !costs_turns(definition) {
        let why = format!("{id} has no turn left in this round.");
        return ("CU-1", "turns", why);
    }
    if !fits(definition, &definition.who, c) {
        let why = format!("{id} takes no turns in this order.");
        return ("CU-10", "who", why);
    }
    if definition.chooser == Chooser::Side {
        let why = format!("The next slot is not one that {id} may take.");
        return ("CU-50", "chooser", why);
    }
    if !has_places(definition) && has_sides(definition) {
        let why = format!("Another side acts next, not {id}'s.");
        return ("CU-11", "order", why);
    }
    let next = place_of(encounter, id).map(|place| place.turn);
    if has_laps(definition) && next.is_some_and(|next| next > lap_now(encounter)) {
        let why = format!("{id} has acted in this lap.");
        return ("CU-38", "order", why);
    }
    let (rule, line) = rule_of_choice(encounter);
    (rule, line, format!("{id} comes later in the order."))
}

/// What is going on, for a refusal.
pub(super) fn now(encounter: &Encounter) -> String {
    if let Some(id) = current(encounter).next() {
        return format!("It's {id}'s turn.");
    }
    let now = match encounter.state.mode {
        Mode::Declaring => "Combatants declare first.",
        Mode::Rolling => "The roll for this round comes first.",
        Mode::Keeping => "Combatants choose their cards first.",
        Mode::Choosing => "The choice of who acts next comes first.",
        Mode::Gap { .. } => "Combatants react or pass first.",
        Mode::SomeoneActs => "Another combatant acts first.",
        Mode::Setup | Mode::Turn | Mode::Halted => "No combatant can act now.",
    };
    now.to_owned()
}

fn end(play: &mut Play<'_>, c: &EndTurn) -> Result<(), Violation> {
    play.in_turn(&c.combatant, "CU-1")?;
    let encounter = play.encounter();
    if let Some(cost) = c.cost {
        let Some([least, most]) = price_of_turn(encounter, &c.combatant) else {
            let detail = "This turn has no cost. Remove \"cost\".";
            return Err(Violation::field("no_cost", "cost", detail));
        };
        if !(least..=most).contains(&cost.count()) {
            let detail = format!("A turn costs {least} to {most}. See definition.turn_cost.");
            return Err(Violation::field("impossible_cost", "cost", detail));
        }
    }
    if steps(encounter).is_empty() {
        end_one(play, &c.combatant, c.cost.map(Int::count));
    } else {
        let step_name = step_now(encounter).and_then(|step| step.name.clone());
        play.emit(StepFinished {
            combatant: c.combatant.clone(),
            step_name,
        });
    }
    proceed(play, Point::Turn);
    Ok(())
}

fn pass(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    play.combatant("combatant", id)?;
    let encounter = play.encounter();
    match &encounter.state.mode {
        Mode::Gap { .. } => {
            let is_asked = asked(encounter).any(|c| c.id == *id);
            ensure(is_asked, "no_reaction", "CU-31", "reactions", || {
                format!("{id} has no reaction to decline.")
            })?;
        }
        Mode::Choosing => {
            let rule = definition(encounter).declare.as_ref();
            let passes = rule.is_some_and(|rule| rule.passing);
            ensure(
                passes,
                "no_passing",
                "CU-17",
                "declare.passing",
                || "Combatants can't pass their turns in this order.",
            )?;
            let is_next = candidates(encounter).contains(id);
            ensure(is_next, "not_next", "CU-17", "declare.passing", || {
                format!("{id} can't act now, and so can't pass.")
            })?;
            let Some(choice) = next_choice(encounter, play.combatant("combatant", id)?).cloned()
            else {
                let detail =
                    format!("{id} has no later choice to pass to. See definition.declare.passing.");
                return Err(Violation::new("no_passing", "CU-17", detail));
            };
            let combatant = id.clone();
            play.emit(DeclarationsShown {
                declarations: vec![Declaration { combatant, choice }],
            });
            proceed(play, Point::Next);
            return Ok(());
        }
        _ => {
            let detail = format!("There's nothing to pass now. {}", now(encounter));
            return Err(Violation::new("nothing_to_pass", "CU-31", detail));
        }
    }
    play.emit(Passed {
        combatant: id.clone(),
    });
    close_used_gap(play);
    Ok(())
}
